//! Texts that are made to cost too much: time, memory or stack.

#![expect(clippy::format_collect, reason = "a table of one-liners is for reading, not for speed")]

/// A family of texts of about `n` bytes each.
pub(crate) type Family = (&'static str, fn(usize) -> String);

/// The families, by what is wrong with them.
pub(crate) const PATHOLOGICAL: &[Family] = &[
    ("open command substitutions", |n| "$(".repeat(n / 2)),
    ("open quoted command substitutions", |n| "\"$(".repeat(n / 3)),
    ("open subshells", |n| "(".repeat(n)),
    ("open subshells with spaces", |n| "( ".repeat(n / 2)),
    ("open groups", |n| "{ ".repeat(n / 2)),
    ("open ifs", |n| "if ".repeat(n / 3)),
    ("open whiles", |n| "while ".repeat(n / 6)),
    ("open cases", |n| "case x in x) ".repeat(n / 13)),
    ("open arithmetic", |n| "$((".repeat(n / 3)),
    ("open arithmetic commands", |n| "((".repeat(n / 2)),
    ("open brackets of arithmetic", |n| "$[".repeat(n / 2)),
    ("open parameters", |n| "${x:-".repeat(n / 5)),
    ("open quoted parameters", |n| "\"${x:-".repeat(n / 6)),
    ("open process substitutions", |n| "<(".repeat(n / 2)),
    ("open conditions", |n| "[[ ( ".repeat(n / 5)),
    ("open arrays", |n| "a=(".repeat(n / 3)),
    ("open functions", |n| "f() { ".repeat(n / 6)),
    ("open extended patterns", |n| format!("shopt -s extglob\necho {}", "@(".repeat(n / 2))),
    ("mixed openings", |n| "$(\"${x:-`".repeat(n / 9)),
    ("nested command substitutions", |n| format!("{}x{}", "$(".repeat(n / 3), ")".repeat(n / 3))),
    ("nested subshells", |n| format!("{}x{}", "( ".repeat(n / 4), " )".repeat(n / 4))),
    ("nested groups", |n| format!("{}x; {}", "{ ".repeat(n / 5), "};".repeat(n / 5))),
    ("nested parameters", |n| format!("echo {}{}", "${x:-".repeat(n / 6), "}".repeat(n / 6))),
    ("nested arithmetic", |n| format!("echo $(({}1{}))", "(".repeat(n / 2), ")".repeat(n / 2))),
    ("unary operators", |n| format!("echo $(({}1))", "-".repeat(n))),
    ("powers", |n| format!("echo $((1{}))", "**1".repeat(n / 3))),
    ("conditional operators", |n| format!("echo $((1{}))", "?1:1".repeat(n / 4))),
    ("commas of arithmetic", |n| format!("echo $((1{}))", ",1".repeat(n / 2))),
    ("nots of a condition", |n| format!("[[ {} x ]]", "! ".repeat(n / 2))),
    ("ands of a condition", |n| format!("[[ x{} ]]", " && x".repeat(n / 5))),
    ("nots of a test", |n| format!("[ {} x ]", "! ".repeat(n / 2))),
    ("backslashes", |n| "\\".repeat(n)),
    ("single quotes", |n| "'".repeat(n)),
    ("double quotes", |n| "\"".repeat(n)),
    ("backquotes", |n| "`".repeat(n)),
    ("escaped backquotes", |n| format!("`{}`", "\\`".repeat(n / 2))),
    ("dollars", |n| "$".repeat(n)),
    ("exclamation marks", |n| "! ".repeat(n / 2)),
    ("pipes", |n| format!("a{}", "|a".repeat(n / 2))),
    ("pipes of known text", |n| format!("echo find{}", "|cat".repeat(n / 4))),
    ("ands", |n| format!("a{}", "&&a".repeat(n / 3))),
    ("ands alone", |n| "&&".repeat(n / 2)),
    ("ors of cd", |n| format!("cd /a{}", "||cd b".repeat(n / 6))),
    ("semicolons", |n| "a;".repeat(n / 2)),
    ("background", |n| "a&".repeat(n / 2)),
    ("newlines", |n| "\n".repeat(n)),
    ("comments", |n| "#x\n".repeat(n / 3)),
    ("blanks", |n| " ".repeat(n)),
    ("line continuations", |n| "\\\n".repeat(n / 2)),
    ("carriage returns", |n| "\r".repeat(n)),
    ("one long word", |n| "x".repeat(n)),
    ("one long quoted word", |n| format!("\"{}\"", "é".repeat(n / 2))),
    ("one long pattern", |n| "*".repeat(n)),
    ("stars matched against a long word", |n| {
        format!("case {} in {}b) x;; esac", "a".repeat(n / 2), "*a".repeat(n / 4))
    }),
    ("stars in a removal", |n| format!("x={}; echo ${{x##{}b}}", "a".repeat(n / 2), "*a".repeat(n / 4))),
    ("stars in a replacement", |n| format!("x={}; echo ${{x//{}b/}}", "a".repeat(n / 2), "*a".repeat(n / 4))),
    ("replacements that double", |n| format!("x=aaaaaaaa\n{}", "x=${x//a/aa}\n".repeat(n / 13))),
    ("a regular expression that backtracks", |n| format!("[[ {} =~ (a*)*b ]]", "a".repeat(n))),
    ("nested repetition", |n| {
        format!("[[ aaaaaaaaaaaaaaaaaaaaaaaa =~ {}a{} ]]", "(".repeat(n / 3), ")*".repeat(n / 3))
    }),
    ("an extended pattern that backtracks", |n| {
        format!("shopt -s extglob\ncase {} in *(*(a))b) x;; esac", "a".repeat(n))
    }),
    ("many words", |n| format!("a{}", " x".repeat(n / 2))),
    ("many assignments", |n| "a=b ".repeat(n / 4)),
    ("many variables", |n| (0..n / 8).map(|i| format!("v{i}=1\n")).collect()),
    ("many variables read", |n| {
        (0..n / 16).map(|i| format!("v{i}=1\n")).chain((0..n / 16).map(|i| format!("echo $v{i}\n"))).collect()
    }),
    ("many functions", |n| (0..n / 12).map(|i| format!("f{i}() {{ x; }}\n")).collect()),
    ("a function defined again and again", |n| "f() { x; };f\n".repeat(n / 13)),
    ("many calls of one function", |n| format!("f() {{ echo $1; }}\n{}", "f x\n".repeat(n / 4))),
    ("many aliases", |n| {
        format!(
            "shopt -s expand_aliases\n{}",
            (0..n / 14).map(|i| format!("alias a{i}=b{i}\n")).collect::<String>()
        )
    }),
    ("here-documents", |n| (0..n / 12).map(|i| format!("cat <<E{i}\nE{i}\n")).collect()),
    ("open here-documents", |n| "a<<E\n".repeat(n / 5)),
    ("here-documents on one line", |n| "<<E ".repeat(n / 4)),
    ("nested here-documents", |n| "$(cat <<E\n".repeat(n / 10)),
    ("redirections", |n| ">f ".repeat(n / 3)),
    ("cds that may fail", |n| (0..n / 7).map(|i| format!("cd a{i}\n")).collect()),
    ("cds up", |n| "cd ..\n".repeat(n / 6)),
    ("pushds", |n| "pushd a\n".repeat(n / 8)),
    ("open branches", |n| "if a; then x=1; else x=2; fi\n".repeat(n / 29)),
    ("open branches with finds", |n| "if a; then cd b; fi; find .\n".repeat(n / 28)),
    ("open branches on one line", |n| "a && x=$x$x;".repeat(n / 12)),
    ("open cases that follow", |n| "case $y in 1) x=$x;; 2) x=2;; esac\n".repeat(n / 35)),
    ("nested evals", |n| "eval ".repeat(n / 5)),
    ("evals of evals", |n| format!("x='eval \"$x\"'; {}", "eval \"$x\";".repeat(n / 10))),
    ("eval of doubled text", |n| format!("x='a;'\n{}eval \"$x\"", "x=$x$x\n".repeat(n / 7))),
    ("nested shells", |n| "bash -c ".repeat(n / 8)),
    ("nested sudos", |n| "sudo ".repeat(n / 5)),
    ("nested envs", |n| format!("{}find /", "env -S ".repeat(n / 7))),
    ("nested xargs", |n| "xargs ".repeat(n / 6)),
    ("nested -exec", |n| "find . -exec ".repeat(n / 13)),
    ("doubling", |n| format!("x=ab\n{}", "x+=$x\n".repeat(n / 6))),
    ("doubling a command", |n| format!("x=ab\n{}", "x=$(echo $x $x)\n".repeat(n / 16))),
    ("doubling an array", |n| format!("a=(1 2)\n{}", "a+=(${a[@]})\n".repeat(n / 13))),
    ("doubling the arguments", |n| format!("set -- 1 2\n{}", "set -- $@ $@\n".repeat(n / 13))),
    ("a loop over doubled text", |n| {
        format!("x=ab\n{}for i in $x; do echo $i; done", "x=\"$x $x\"\n".repeat(n / 10))
    }),
    ("brace lists", |n| format!("echo {}", "{a,b}".repeat(n / 5))),
    ("brace ranges", |n| "echo {1..999999999}\n".repeat(n / 20)),
    ("brace ranges in brace lists", |n| format!("echo {}", "{1..99}".repeat(n / 7))),
    ("open braces", |n| format!("echo {}", "{a,".repeat(n / 3))),
    ("commas in braces", |n| format!("echo {{{}}}", "a,".repeat(n / 2))),
    ("a loop over a brace range", |n| "for i in {1..999999999}; do a; done\n".repeat(n / 36)),
    ("loops without end", |n| "while :; do a; done\n".repeat(n / 20)),
    ("a counting loop without end", |n| "for ((;;)); do ((i++)); done\n".repeat(n / 29)),
    ("nested loops without end", |n| {
        format!("{}a;{}", "while :; do ".repeat(n / 18), "done;".repeat(n / 18))
    }),
    ("nested counting loops", |n| {
        format!("{}a $i;{}", "for i in 1 2 3 4; do ".repeat(n / 27), "done;".repeat(n / 27))
    }),
    ("recursive functions", |n| "f() { f; }; f\n".repeat(n / 14)),
    ("a fork bomb", |n| ":(){ :|:& };:\n".repeat(n / 14)),
    ("functions that double", |n| {
        (0..n / 24).map(|i| format!("f{}() {{ f{i}; f{i}; }}\n", i + 1)).collect::<String>()
            + &format!("f{}", n / 24)
    }),
    ("alias loops", |n| format!("shopt -s expand_aliases\nalias a=b b='a '\n{}", "a ".repeat(n / 2))),
    ("aliases that double", |n| {
        let aliases: String = (0..n / 24).map(|i| format!("alias a{}='a{i};a{i}'\n", i + 1)).collect();
        format!("shopt -s expand_aliases\n{aliases}a{}", n / 24)
    }),
    ("name references in a ring", |n| format!("declare -n a=b b=a\n{}", "echo $a\n".repeat(n / 8))),
    ("indirections", |n| format!("a=b b=a\n{}", "a=${!a}\n".repeat(n / 8))),
    ("arithmetic variables in a ring", |n| format!("a=b b=a\n{}", "echo $((a))\n".repeat(n / 12))),
    ("arithmetic variables that double", |n| {
        (0..n / 16).map(|i| format!("v{}='v{i}+v{i}'\n", i + 1)).collect::<String>()
            + &format!("echo $((v{}))", n / 16)
    }),
    ("exit traps", |n| "trap a EXIT\n".repeat(n / 12)),
    ("shells of many variables", |n| {
        let names: String = (0..n / 24).map(|i| format!("export a{i}=\n")).collect();
        format!("{names}{}", "bash -c :\n".repeat(n / 20))
    }),
    ("huge indices", |n| "a[9223372036854775807]=1\n".repeat(n / 25)),
    ("huge keys of an array", |n| "a=([999999999]=x [4611686018427387904]=y)\n".repeat(n / 42)),
    ("huge substrings", |n| "echo ${x:0:999999999999}\n".repeat(n / 25)),
    ("huge widths", |n| "printf '%999999999d' 1\n".repeat(n / 23)),
    ("huge precisions", |n| "echo $(printf '%.*f' 999999999 1)\n".repeat(n / 34)),
    ("a huge sequence", |n| "echo $(seq 999999999)\n".repeat(n / 22)),
    ("an endless filter", |n| "yes | bash\n".repeat(n / 11)),
    ("items of xargs", |n| format!("printf '{}' | xargs -n1 find", "/a\\n".repeat(n / 4))),
    ("items of xargs, replaced", |n| {
        format!("echo {} | xargs -I{{}} find {}", "a".repeat(n / 2), "{}".repeat(n / 4))
    }),
    ("items of parallel, replaced", |n| {
        format!("echo {} | parallel find {}", "a".repeat(n / 2), "{}".repeat(n / 4))
    }),
    ("items of parallel", |n| format!("parallel find ::: {}", "a ".repeat(n / 2))),
    ("products of parallel", |n| format!("parallel find {}", "::: a b c d ".repeat(n / 12))),
    ("lines that are read", |n| format!("while read x; do find $x; done <<E\n{}E", "/a\n".repeat(n / 3))),
    ("traps of traps", |n| format!("{}x", "trap 'trap \"x\" EXIT' EXIT\n".repeat(n / 27))),
    ("a trap for each command", |n| format!("trap 'find /' DEBUG\n{}", "a\n".repeat(n / 2))),
    ("a finding for each word", |n| format!("find {}", "-exec a \\; ".repeat(n / 11))),
    ("fields of a separator", |n| format!("IFS=:; x={}; echo $x", "a:".repeat(n / 2))),
    ("a file of lines in an array", |n| format!("mapfile a <<E\n{}E\necho ${{a[@]}}", "x\n".repeat(n / 2))),
    ("shifts", |n| format!("set -- {}\n{}", "a ".repeat(n / 4), "shift\n".repeat(n / 12))),
    ("unsets", |n| format!("a=({})\n{}", "1 ".repeat(n / 4), "unset 'a[0]'\n".repeat(n / 26))),
    ("options", |n| format!("set -- {}\nwhile getopts a x; do y; done", "-a ".repeat(n / 3))),
];
