//! `astgrep` and `astedit`: the same matches and the same files as the `ast-grep` program, all or nothing, and what is said of
//! patterns that cannot be right.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a test may stop at the first surprise"
)]
#![cfg(feature = "astgrep")]

mod common;

use brakeline_agent_tools::{
    AstEditParameters, AstGrepParameters, Context, Error, Gate, Refusal, astedit, astgrep,
};
use common::Folder;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// A file for each language: what every pattern below is tried on.
const FILES: &[(&str, &str, &str)] = &[
    (
        "bash",
        "a.sh",
        "#!/bin/bash\nfoo() {\n  echo \"$1\" | grep x\n}\nif [ -f a ]; then echo yes; fi\nfor i in 1 2; do echo $i; done\necho done && echo 'x'\n",
    ),
    (
        "c",
        "a.c",
        "#include <stdio.h>\nint add(int a, int b) { return a + b; }\nint main(void) {\n  int x = add(1, 2);\n  if (x > 2) { printf(\"%d\\n\", x); }\n  return add(add(1, 2), 3);\n}\n",
    ),
    (
        "cpp",
        "a.cpp",
        "#include <vector>\ntemplate <typename T> T id(T x) { return x; }\nint main() {\n  std::vector<int> v;\n  v.push_back(id(1));\n  for (auto x : v) { v.push_back(x + 1); }\n  return 0;\n}\n",
    ),
    (
        "css",
        "a.css",
        "a { color: red; margin: 0 auto }\n.b:hover > p { color: blue; }\n@media (min-width: 1px) { a { color: red; } }\n",
    ),
    (
        "go",
        "a.go",
        "package main\n\nimport \"fmt\"\n\nfunc add(a, b int) int { return a + b }\n\nfunc main() {\n\tx := add(1, 2)\n\tif err := run(); err != nil {\n\t\tfmt.Println(err)\n\t}\n\tfmt.Println(x, add(3, 4))\n}\n",
    ),
    (
        "html",
        "a.html",
        "<html><body><p class=\"x\">one</p><p>two</p><br/><img src=\"a.png\"></body></html>\n",
    ),
    (
        "java",
        "A.java",
        "class A {\n  int add(int a, int b) { return a + b; }\n  void run() {\n    System.out.println(add(1, 2));\n    if (add(1, 2) > 2) { System.out.println(\"x\"); }\n  }\n}\n",
    ),
    (
        "javascript",
        "a.js",
        "function add(a, b) { return a + b }\nconst x = add(1, 2)\nconsole.log(x)\nconsole.log(add(add(1, 2), 3), 'y')\nif (x) { console.log(x); }\nvar y = x ? add(1) : null;\n",
    ),
    ("json", "a.json", "{\"a\": 1, \"b\": [1, 2, {\"a\": 1}], \"c\": null}\n"),
    (
        "python",
        "a.py",
        "def add(a, b):\n    return a + b\n\nclass A:\n    def f(self):\n        print(add(1, 2))\n        if self.x:\n            print(\"y\", add(3, 4))\n\nx = [i for i in range(3)]\n",
    ),
    (
        "rust",
        "a.rs",
        "fn add(a: i32, b: i32) -> i32 { a + b }\nfn main() {\n    let x = add(1, 2);\n    println!(\"{}\", x);\n    let y: Option<i32> = Some(add(x, 3));\n    y.unwrap();\n    if let Some(z) = y { add(z, z); }\n}\n",
    ),
    (
        "typescript",
        "a.ts",
        "interface A { x: number }\nfunction add(a: number, b: number): number { return a + b }\nconst x: A = { x: add(1, 2) }\nconsole.log(x as any, add(1, 2))\nlet z = x!.x;\n",
    ),
    (
        "tsx",
        "a.tsx",
        "const A = () => <div className=\"a\" onClick={() => f(1)}><B x={1}/>text</div>\nconst x = add(1, 2)\n",
    ),
    ("yaml", "a.yaml", "a: 1\nb:\n  - 1\n  - c: x\nd: {a: 1}\n"),
];

const PATTERNS: &[(&str, &str, &str)] = &[
    ("bash", "echo $A", "printf $A"),
    ("bash", "$A | $B", "$B < <($A)"),
    ("c", "add($A, $B)", "sum($B, $A)"),
    ("c", "return $X;", "return ($X);"),
    ("c", "if ($A) { $$$B }", "while ($A) { $$$B }"),
    ("cpp", "v.push_back($A)", "v.emplace_back($A)"),
    ("cpp", "$A + 1", "1 + $A"),
    ("css", "a { $$$B }", "i { $$$B }"),
    ("go", "fmt.Println($$$A)", "log.Print($$$A)"),
    ("go", "$A := $B", "var $A = $B"),
    ("go", "return $A + $B", "return $B + $A"),
    ("html", "<p>$$$A</p>", "<b>$$$A</b>"),
    ("java", "add($A, $B)", "sum($A, $B)"),
    ("java", "System.out.println($A)", "log($A)"),
    ("javascript", "console.log($A)", "log($A)"),
    ("javascript", "console.log($$$A)", "log($$$A)"),
    ("javascript", "add($A, $B)", "$A + $B"),
    ("javascript", "const $A = $B", "let $A = $B"),
    ("javascript", "function $F($$$P) { $$$B }", "const $F = ($$$P) => {\n  $$$B\n}"),
    ("javascript", "$A ? $B : $C", "if ($A) { $B } else { $C }"),
    ("json", "1", "2"),
    ("json", "{\"a\": $A}", "{\"z\": $A}"),
    ("python", "print($$$A)", "log($$$A)"),
    ("python", "add($A, $B)", "($A) + ($B)"),
    ("python", "if $C:\n    $B", "while $C:\n    $B"),
    ("rust", "add($A, $B)", "$A.add($B)"),
    ("rust", "$X.unwrap()", "$X?"),
    ("rust", "let $A = $B;", "let mut $A = $B;"),
    ("rust", "fn $F($$$A) -> $R { $$$B }", "pub fn $F($$$A) -> $R {\n    $$$B\n}"),
    ("typescript", "$A as any", "$A as unknown"),
    ("typescript", "add($A, $B)", "$B - $A"),
    ("typescript", "interface $N { $$$B }", "type $N = { $$$B }"),
    ("tsx", "<B x={$A}/>", "<C y={$A}/>"),
    ("tsx", "f($A)", "g($A)"),
    ("yaml", "a: $A", "z: $A"),
];

fn program() -> Option<String> {
    let program = std::env::var("AST_GREP").unwrap_or_else(|_| "ast-grep".to_owned());
    let version = Command::new(&program).arg("--version").output();
    let found = version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).starts_with("ast-grep "));
    if !found {
        println!("skipped: ast-grep is not installed (name it with AST_GREP)");
    }
    found.then_some(program)
}

fn put_files(folder: &Folder) {
    for (_, name, text) in FILES {
        folder.put(name, text);
        folder.put(&format!("sub/crlf-{name}"), text.replace('\n', "\r\n"));
    }
}

#[test]
fn every_language_has_a_match_and_its_file_is_rewritten() {
    let folder = Folder::new();
    let mut languages = BTreeSet::new();
    for (language, pattern, rewrite) in PATTERNS {
        put_files(&folder);
        let parameters =
            AstGrepParameters { pattern: (*pattern).into(), lang: Some((*language).into()), path: None };
        let result = astgrep(&parameters, &folder.context()).unwrap();
        if result.matches > 0 {
            languages.insert(*language);
            let edited = astedit(
                &AstEditParameters {
                    pattern: (*pattern).into(),
                    rewrite: (*rewrite).into(),
                    lang: Some((*language).into()),
                    path: None,
                },
                &folder.context(),
            )
            .unwrap();
            assert!(edited.replacements > 0 && edited.replacements <= result.matches, "{pattern}");
            for file in &edited.files {
                let crlf = file.path.starts_with("sub/crlf-");
                let text = String::from_utf8(folder.get(&file.path)).unwrap();
                assert!(!crlf || !text.replace("\r\n", "").contains('\n'), "{pattern}: {text:?}");
            }
        }
    }
    assert_eq!(languages.len(), FILES.len(), "{languages:?}");
}

#[test]
fn the_same_matches_and_files_as_the_program() {
    let Some(program) = program() else { return };
    for (language, pattern, rewrite) in PATTERNS {
        let (ours, theirs) = (Folder::new(), Folder::new());
        for (_, name, text) in FILES {
            ours.put(name, text);
            theirs.put(name, text);
        }
        let file = FILES.iter().find(|(of, _, _)| of == language).unwrap().1;
        let output = Command::new(&program)
            .args(["run", "--pattern", pattern, "--lang", language, "--json=compact", file])
            .current_dir(theirs.path())
            .output()
            .unwrap();
        let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| json!([]));
        let mut expected: Vec<(u64, u64, String)> = found
            .as_array()
            .unwrap()
            .iter()
            .map(|found| {
                let offsets = &found["range"]["byteOffset"];
                (
                    offsets["start"].as_u64().unwrap(),
                    offsets["end"].as_u64().unwrap(),
                    found["text"].as_str().unwrap().to_owned(),
                )
            })
            .collect();
        let parameters = AstGrepParameters {
            pattern: (*pattern).into(),
            lang: Some((*language).into()),
            path: Some(file.into()),
        };
        let result = astgrep(&parameters, &ours.context()).unwrap();
        let mut got: Vec<(u64, u64, String)> = result
            .files
            .iter()
            .flat_map(|file| file.matches.iter().map(|found| (found.start, found.end, found.text.clone())))
            .collect();
        expected.sort();
        got.sort();
        assert_eq!(got, expected, "{language}: {pattern}");

        Command::new(&program)
            .args([
                "run",
                "--pattern",
                pattern,
                "--rewrite",
                rewrite,
                "--lang",
                language,
                "--update-all",
                file,
            ])
            .current_dir(theirs.path())
            .output()
            .unwrap();
        let edited = astedit(
            &AstEditParameters {
                pattern: (*pattern).into(),
                rewrite: (*rewrite).into(),
                lang: Some((*language).into()),
                path: Some(file.into()),
            },
            &ours.context(),
        );
        assert_eq!(edited.is_err(), got.is_empty(), "{language}: {pattern}: {edited:?}");
        let text = |folder: &Folder| String::from_utf8(folder.get(file)).unwrap();
        assert_eq!(text(&ours), text(&theirs), "{language}: {pattern} to {rewrite}");
    }
}

#[test]
fn the_answers() {
    let folder = Folder::new();
    folder.put("src/a.ts", "log(a)\nlog(\n  b,\n  c)\n");
    folder.put("b.ts", "log(log(1))\n");
    insta::assert_snapshot!(folder.say("astgrep", json!({ "pattern": "log($$$A)" })), @r"
    b.ts:1: log(log(1))
    b.ts:1: log(1)

    src/a.ts:1: log(a)
    src/a.ts:2: log(
    src/a.ts:3:   b,
    src/a.ts:4:   c)
    ");
    insta::assert_snapshot!(folder.say("astgrep", json!({ "pattern": "none($A)", "lang": "ts" })), @"[no matches in 2 files]");
    insta::assert_snapshot!(folder.say("astedit", json!({ "pattern": "log($A)", "rewrite": "print($A)", "path": "src" })), @r"
    1 replacement in 1 file
    --- src/a.ts
    @@ -1,4 +1,4 @@
    -log(a)
    +print(a)
     log(
       b,
       c)
    ");
    insta::assert_snapshot!(folder.say("astedit", json!({ "pattern": "log($A)", "rewrite": "print($A" })), @r"
    1 replacement in 1 file
    --- b.ts [it has syntax errors now: look at it]
    @@ -1 +1 @@
    -log(log(1))
    +print(log(1)
    ");
    let said = folder.say("astedit", json!({ "pattern": "none($A)", "rewrite": "x" }));
    assert_eq!(
        said,
        "error: nothing matches `none($A)`, and nothing was changed; try the pattern with astgrep first"
    );
}

/// Seen elsewhere: patterns that cannot be right were reported as no hits.
#[test]
fn a_pattern_that_cannot_be_right_is_an_error() {
    let folder = Folder::new();
    folder.put("a.ts", "x\n");
    let say = |pattern: &str, lang: Option<&str>| {
        folder.say("astgrep", json!({ "pattern": pattern, "lang": lang }))
    };
    for lang in [Some("ts"), None] {
        assert!(say("foo(); bar()", lang).contains("more than one node"), "{}", say("foo(); bar()", lang));
        assert!(say("function (((", lang).contains("is no valid"), "{}", say("function (((", lang));
        assert!(
            say("log\\(.*\\)", lang).contains("not a regular expression"),
            "{}",
            say("log\\(.*\\)", lang)
        );
        assert!(say(" ", lang).contains("it is empty"));
    }
    assert!(
        say("x", Some("cobol")).starts_with("error: there is no grammar for `cobol`; there are: bash, c,")
    );
    assert!(say("x", Some("haskell")).contains("no grammar"), "a grammar that is not built in");
    assert!(say(&"(".repeat(5000), Some("ts")).contains("longer than"));
    for deep in [
        format!("{}x{}", "(".repeat(2000), ")".repeat(2000)),
        "a+".repeat(2000) + "a",
        "!".repeat(4000) + "a",
    ] {
        assert!(
            say(&deep, Some("ts")).contains("nested deeper than 100 levels"),
            "{}",
            say(&deep, Some("ts"))
        );
    }
}

/// The engine compares by recursion: what is deep would end the program.
#[test]
fn deep_code_is_left_out() {
    let folder = Folder::new();
    folder.put("deep.ts", format!("{}x{}", "[".repeat(100_000), "]".repeat(100_000)));
    folder.put("chain.ts", format!("[{0}a, {0}a]", "a+".repeat(900)));
    let say = |parameters: Value| folder.say("astgrep", parameters);
    let said = say(json!({ "pattern": "[$A, $A]" }));
    assert!(
        said.starts_with("chain.ts:1: [a+a+") && said.contains("1 files are too large, nested too deep"),
        "{said}"
    );
    let said = say(json!({ "pattern": "[$A]", "path": "deep.ts" }));
    assert_eq!(said, "error: the code of `DIR/deep.ts` is nested too deep to be searched");
    let said = folder.say("astedit", json!({ "pattern": "[$A]", "rewrite": "$A", "path": "deep.ts" }));
    assert_eq!(said, "error: the code of `DIR/deep.ts` is nested too deep to be searched");
}

#[test]
fn text_that_is_not_code_is_left_out() {
    let folder = Folder::new();
    folder.put("a.ts", b"log(1)\xff\n");
    folder.put("b.ts", "\u{feff}log(2)\r\n");
    insta::assert_snapshot!(folder.say("astgrep", json!({ "pattern": "log($A)" })), @r"
    b.ts:1: log(2)

    [1 files are too large, nested too deep or no UTF-8 text and were not parsed]
    ");
    folder.run("astedit", json!({ "pattern": "log($A)", "rewrite": "log(\n$A)" })).unwrap();
    assert_eq!(folder.get("b.ts"), "\u{feff}log(\r\n2)\r\n".as_bytes());
    assert_eq!(folder.get("a.ts"), b"log(1)\xff\n");
    assert!(
        folder.say("astgrep", json!({ "pattern": "log($A)", "path": "a.ts" })).contains("is no UTF-8 text")
    );
    folder.put("c.txt", "log(3)");
    assert!(
        folder.say("astgrep", json!({ "pattern": "log($A)", "path": "c.txt" })).contains("name it with lang")
    );
    assert_eq!(
        folder.say("astgrep", json!({ "pattern": "log($A)", "path": "c.txt", "lang": "js" })),
        "c.txt:1: log(3)\n"
    );
}

/// One of several files cannot be replaced: none is.
#[test]
fn all_or_nothing_over_several_files() {
    struct Stops;
    impl Gate for Stops {
        fn commit(&self, path: &Path, write: &mut dyn FnMut()) -> Result<(), Refusal> {
            if path.ends_with("c.ts") {
                return Err(Refusal::new("lease lost"));
            }
            write();
            Ok(())
        }
    }
    let folder = Folder::new();
    for name in ["a.ts", "b.ts", "c.ts", "d.ts"] {
        folder.put(name, "log(1)\n");
    }
    let parameters =
        AstEditParameters { pattern: "log($A)".into(), rewrite: "print($A)".into(), ..Default::default() };
    let error = astedit(&parameters, &Context::new(folder.path(), &Stops)).unwrap_err();
    assert!(matches!(&error, Error::Refused(refusal) if refusal.reason() == "lease lost"), "{error}");
    for name in ["a.ts", "b.ts", "c.ts", "d.ts"] {
        assert_eq!(folder.get(name), b"log(1)\n", "{name}");
    }
}
