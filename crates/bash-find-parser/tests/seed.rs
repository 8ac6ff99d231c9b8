//! Every example by which the crate was ordered: what is found, and what is left alone.

use bash_find_parser::extract_find_paths;

#[track_caller]
fn finds(text: &str, expected: &[&[&str]]) {
    assert_eq!(extract_find_paths(text), expected, "{text}");
}

#[test]
fn wrappers_before_the_command() {
    for text in [
        "sudo timeout 1 find / -name aaa",
        "sudo find /",
        "sudo -u root find /",
        "env find /",
        "env A=b find /",
        "A=b find /",
        "time find /",
        "timeout 1 find /",
        "nohup find /",
        "nice find /",
        "nice -n 19 find /",
        "watch find /",
        "stdbuf -oL find /",
        "busybox find /",
        "command find /",
        "sudo env time nohup nice find /",
    ] {
        finds(text, &[&["/"]]);
    }
}

#[test]
fn disguises() {
    finds("sudo -u root find /etc", &[&["/etc"]]);
    finds("timeout 1 find /", &[&["/"]]);
    finds("find \"/\"", &[&["/"]]);
    finds("fi\\nd /", &[&["/"]]);
    finds("find /etc\\ dir", &[&["/etc dir"]]);
    finds("x=$(find /)", &[&["/"]]);
    finds("y=`find /etc`", &[&["/etc"]]);
    finds("echo \"a $(find /)\"", &[&["/"]]);
    finds("bash -c \"find /\"", &[&["/"]]);
    finds("bash -c \"bash -c 'find /'\"", &[&["/"]]);
    finds("a; find /etc", &[&["/etc"]]);
    finds("/usr/bin/find /", &[&["/"]]);
    finds("FIND /", &[&["/"]]);
}

#[test]
fn segments() {
    finds("find /a; find /b", &[&["/a"], &["/b"]]);
    finds("find /a & find /b", &[&["/a"], &["/b"]]);
    finds("find /a | find /b", &[&["/a"], &["/b"]]);
    finds("find /a && find /b || find /c", &[&["/a"], &["/b"], &["/c"]]);
    finds("(find /a)\nfind /b", &[&["/a"], &["/b"]]);
    finds("echo ';' find /", &[]);
    finds("echo \"a; find /\"", &[]);
    finds("echo '$(find /)'", &[]);
}

#[test]
fn paths_and_what_is_none() {
    finds("find", &[&[]]);
    finds("find -name x", &[&[]]);
    finds("find / -name /x -path '/y/*' -maxdepth 1", &[&["/"]]);
    finds("find / 2>/dev/null", &[&["/"]]);
    finds("find 2>/dev/null /", &[&["/"]]);
    finds("find >out /a >>log /b <in", &[&["/a", "/b"]]);
    finds("find /etc /usr -type f", &[&["/etc", "/usr"]]);
    finds("find /{a,b}", &[&["/a", "/b"]]);
    finds("find /e* $DIR", &[&["/e*", "$DIR"]]);
    finds("find / -exec rm {} \\;", &[&["/"]]);
    finds("find /a -exec grep x /b {} + -name y", &[&["/a"]]);
    finds("find / -exec find /etc \\;", &[&["/"], &["/etc"]]);
}

#[test]
fn no_find() {
    for text in [
        "",
        "   ",
        "findstr x",
        "echo find /",
        "git find",
        "man find",
        "grep find /",
        "command -v find /",
        "cat <<'EOF'\nfind /\nEOF",
        "# find /",
        "git commit -m \"never run find /\"",
        "grep -r \"find /\" .",
        "f() { find /; }",
        "timeout find /",
        "sudo -l find /",
        "ssh host find /",
        "docker exec c find /",
    ] {
        finds(text, &[]);
    }
}
