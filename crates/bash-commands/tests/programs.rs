//! Programs made at random, run by the real bash: whatever it prints must be possible, and where the program decides it
//! all, nothing else is.
//!
//! What a program cannot know is whether `$W/1` and `$W/2` exist; bash runs it in all four worlds.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use bash_commands::{Analyzer, Options};
use echoes::{Echo, may_be, may_be_in, predicted, printed};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

mod echoes;

/// Writes a program, led by numbers; where they end, everything is as short as it can be.
struct Writer<'n> {
    numbers: std::slice::Iter<'n, u16>,
    /// How many loops have a counter.
    counters: u32,
    /// Something depends on the world.
    is_open: bool,
    /// Something may do less than an analysis says: it is not told the directory, and in conditions, lengths and arithmetic
    /// it goes on where `set -u` ends.
    is_loose: bool,
}

/// What stands around a statement.
#[derive(Clone, Copy, Default)]
struct Place {
    in_function: bool,
    /// How many loops `break` can end, and whether `continue` leads to an end.
    loops: u32,
    may_continue: bool,
    depth: u32,
}

impl Place {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    fn inside_loop(self, may_continue: bool) -> Self {
        Self { loops: self.loops + 1, may_continue, ..self.deeper() }
    }

    /// A child has no loop to leave.
    fn child(self) -> Self {
        Self { loops: 0, may_continue: false, ..self.deeper() }
    }
}

const MAX_DEPTH: u32 = 4;

impl Writer<'_> {
    fn pick(&mut self, count: u16) -> u16 {
        self.numbers.next().map_or(0, |number| number % count)
    }

    fn name(&mut self) -> &'static str {
        if self.pick(2) == 0 { "x" } else { "y" }
    }

    fn word(&mut self, place: Place) -> String {
        let name = self.name();
        match self.pick(24) {
            0 => "a".to_owned(),
            1 => "b".to_owned(),
            2 => "'a b'".to_owned(),
            3 => format!("\"${name}\""),
            4 => format!("${name}"),
            5 => format!("\"${{{name}:-d}}\""),
            6 => format!("\"c${name}\""),
            7 => "\"$1\"".to_owned(),
            8 => "\"$#\"".to_owned(),
            9 => "\"$?\"".to_owned(),
            10 => format!("\"${{{name}#a}}\""),
            11 => format!("\"${{{name}+s}}\""),
            12 => "\"$@\"".to_owned(),
            13 => "\"$*\"".to_owned(),
            14 => format!("\"${{#{name}}}\""),
            15 => "\"${a[1]}\"".to_owned(),
            16 => "\"${a[@]}\"".to_owned(),
            17 => "\"${#a[@]}\"".to_owned(),
            18 => format!("\"$(( ${{#{name}}} + 1 ))\""),
            19 => format!("\"${{{name}:=e}}\""),
            20 => format!("\"${{{name}:?}}\""),
            21 => {
                self.is_loose = true;
                "\"${PWD%%[!/]*}\"".to_owned()
            }
            _ if place.depth < MAX_DEPTH => format!("\"$({})\"", self.list(place.child())),
            _ => "z".to_owned(),
        }
    }

    fn condition(&mut self, place: Place) -> String {
        let name = self.name();
        match self.pick(15) {
            11 => format!("(( ${{#{name}}} > 1 ))"),
            12 => format!("[[ -v {name} ]]"),
            13 => {
                self.is_loose = true;
                "[ \"$PWD\" = / ]".to_owned()
            }
            14 => format!("read -r {name} <<< {}", self.word(Place { depth: MAX_DEPTH, ..place })),
            0 => "true".to_owned(),
            1 => "false".to_owned(),
            2 | 3 => {
                self.is_open = true;
                format!("[ -e \"$W/{}\" ]", 1 + self.pick(2))
            }
            4 => format!("[ \"${name}\" = {} ]", self.word(Place { depth: MAX_DEPTH, ..place })),
            5 => format!("[ -n \"${name}\" ]"),
            6 => format!("[[ ${name} == a* ]]"),
            7 if place.depth < MAX_DEPTH => format!("! {}", self.condition(place.deeper())),
            8 if place.depth < MAX_DEPTH => {
                format!("{{ {} && {}; }}", self.condition(place.deeper()), self.condition(place.deeper()))
            }
            9 if place.depth < MAX_DEPTH => {
                format!("{{ {} || {}; }}", self.condition(place.deeper()), self.condition(place.deeper()))
            }
            10 if place.depth < MAX_DEPTH => format!("{{ {}; }}", self.list(place.deeper())),
            _ => ":".to_owned(),
        }
    }

    fn list(&mut self, place: Place) -> String {
        let count = 1 + self.pick(3);
        let statements: Vec<_> = (0..count).map(|_| self.statement(place)).collect();
        statements.join("; ")
    }

    fn statement(&mut self, place: Place) -> String {
        let name = self.name();
        let inner = place.deeper();
        // The short ones come first, then those that hold others.
        let kinds = if place.depth < MAX_DEPTH { 70 } else { 29 };
        match self.pick(kinds) {
            0 | 1 => format!("echo {} {}", self.word(place), self.word(place)),
            2 | 3 => format!("{name}={}", self.word(place)),
            4 => format!("{name}+={}", self.word(place)),
            5 => match (self.pick(4), place) {
                (0, Place { loops: 1.., .. }) => "break".to_owned(),
                (1, Place { may_continue: true, .. }) => "continue".to_owned(),
                (2, _) => format!("return {}", self.pick(3)),
                _ => format!("exit {}", self.pick(3)),
            },
            6 => if self.pick(3) == 0 { "set +e" } else { "set -e" }.to_owned(),
            7 => "shift".to_owned(),
            8 => format!("set -- {} {}", self.word(place), self.word(place)),
            9 => format!("unset {name}"),
            10 => format!("printf '%s\\n' {}", self.word(place)),
            11 => format!("trap 'echo bye ${name}' EXIT"),
            12 => if self.pick(2) == 0 { "false" } else { "true" }.to_owned(),
            // A function that calls itself would not end.
            13 if !place.in_function => format!("f {}", self.word(place)),
            14 => {
                self.is_open = true;
                match self.pick(9) {
                    0 => "cd /",
                    1 => "cd \"$W/1\"",
                    2 => "cd /nonexistent",
                    3 => "cd - >/dev/null",
                    4 => "cd 1",
                    5 => "cd ..",
                    6 => "pushd / >/dev/null",
                    7 => "pushd 2 >/dev/null",
                    _ => "popd >/dev/null",
                }
                .to_owned()
            }
            15 => format!("a=({} {})", self.word(place), self.word(place)),
            16 => format!("a+=({})", self.word(place)),
            17 => format!("a[{}]={}", self.pick(3), self.word(place)),
            18 => format!("export {name}"),
            19 => format!("read -r {name} <<< {}", self.word(place)),
            20 => {
                self.is_loose = true;
                if self.pick(3) == 0 { "set -u" } else { "set +u" }.to_owned()
            }
            21 => "set -o pipefail".to_owned(),
            22 => "shopt -s lastpipe".to_owned(),
            23 => format!("{name}={} eval 'echo e ${name}'", self.word(place).replace(":=", ":-")),
            24 => format!("printf -v {name} %s {}", self.word(place)),
            25 => format!("(( {name} = ${{#{name}}} + 1 ))"),
            26 => format!("IFS=c; {name}={}; unset IFS", self.word(place)),
            27 if place.loops > 1 => "break 2".to_owned(),
            28 => "trap - EXIT".to_owned(),
            29 => format!("if {}; then {}; fi", self.condition(inner), self.list(inner)),
            30 => format!(
                "if {}; then {}; elif {}; then {}; else {}; fi",
                self.condition(inner),
                self.list(inner),
                self.condition(inner),
                self.list(inner),
                self.list(inner)
            ),
            31 | 32 => format!("{} && {{ {}; }}", self.condition(inner), self.list(inner)),
            33 | 34 => format!("{} || {{ {}; }}", self.condition(inner), self.list(inner)),
            35 => {
                let body = place.inside_loop(true);
                format!(
                    "for {name} in {} {}; do {}; done",
                    self.word(place),
                    self.word(place),
                    self.list(body)
                )
            }
            36 => {
                self.counters += 1;
                let counter = format!("n{}", self.counters);
                let body = place.inside_loop(true);
                let list = self.list(body);
                format!(
                    "{counter}=0; while [ ${counter} -lt 2 ]; do {counter}=$(({counter} + 1)); {list}; done"
                )
            }
            37 => {
                let body = place.inside_loop(false);
                let word = if self.pick(2) == 0 { "while" } else { "until" };
                format!("{word} {}; do {}; break; done", self.condition(body), self.list(body))
            }
            38 => format!(
                "case {} in a) {};; c*) {};; *) {};; esac",
                self.word(place),
                self.list(inner),
                self.list(inner),
                self.list(inner)
            ),
            39 => format!("{{ {}; }}", self.list(inner)),
            40 => format!("( {} )", self.list(place.child())),
            41 | 42 => format!("{name}=$( {} )", self.list(place.child())),
            43 => {
                // All is read: who writes to a pipe that nobody reads is killed, or not.
                let list = self.list(place.child());
                format!("{{ {list}; }} | {{ read {name}; echo \"${name}\"; cat >/dev/null || :; }}")
            }
            44 => {
                let body = place.inside_loop(true);
                format!("while read -r {name}; do {}; done <<< $'a\\nb'", self.list(body))
            }
            45 if place.in_function => format!("local {name}={}", self.word(place)),
            46 => format!("eval 'echo {name} ${name}'; ! {}", self.condition(inner)),
            47 => format!("eval {}", quoted(&self.list(inner))),
            48 | 49 => {
                let export = if self.pick(2) == 0 { format!("export {name}; ") } else { String::new() };
                format!("{export}bash -c {} _ {}", self.shell_text(place), self.word(place))
            }
            50 => format!(
                "g() {{ {}; }}; g {}",
                self.list(Place { in_function: true, ..place.child() }),
                self.word(place)
            ),
            51 => format!("{{ {}; }} & wait", self.list(place.child())),
            52 => format!("{name}=$( {} ) || {{ {}; }}", self.list(place.child()), self.list(inner)),
            53 => format!("{{ {}; }} >/dev/null", self.list(inner)),
            54 => format!("for {name}; do {}; done", self.list(place.inside_loop(true))),
            55 if !place.in_function => format!(
                "{{ f {}; :; }} | {{ read {name}; cat >/dev/null || :; {}; }}",
                self.word(Place { depth: MAX_DEPTH, ..place }),
                self.list(place.child())
            ),
            56 => format!("{{ read {name}; cat >/dev/null || :; }} < <( {} )", self.list(place.child())),
            57 if place.depth == 0 => format!(
                "{{ read {name}; echo \"${name}\"; }} <<E\n{}\nE\n:",
                self.word(place).replace('\'', "")
            ),
            58 => format!("env {name}=e bash -c {}", self.shell_text(place)),
            59 => format!("command eval {}", quoted(&self.list(inner))),
            60 => format!(". /dev/stdin <<< {}", quoted(&self.list(inner))),
            61 => {
                self.counters += 1;
                let item = format!("@{}@", self.counters);
                let text = self.shell_text(place);
                format!("printf '%s\\n' {} | xargs -I{item} bash -c {text} _ {item}", self.word(place))
            }
            62 => format!("declare -n r={name}; r={}; unset -n r", self.word(place)),
            63 => format!("mapfile -t a <<< {}", self.word(place)),
            64 => format!("read -r x y <<< {}", self.word(place)),
            65 => format!("IFS=b read -r -a a <<< {}", self.word(place)),
            66 => format!("let {name}={}", self.pick(3)),
            67 => format!("{name}=\"${{{name}/a/{}}}\"", self.pick(3)),
            68 => format!("{name}=\"${{{name}^^}}${{{name}:1}}\""),
            69 => format!(
                "until {}; do {}; break; done",
                self.condition(place.inside_loop(false)),
                self.list(place.inside_loop(false))
            ),
            _ => format!("x={}", self.word(place)),
        }
    }

    /// A text for another shell. What the old shell did not export, the new one may all the same have from the environment.
    fn shell_text(&mut self, place: Place) -> String {
        self.is_loose = true;
        quoted(&self.list(place.child()))
    }

    fn program(&mut self) -> String {
        let body = Place { in_function: true, depth: 1, ..Place::default() };
        let function = self.list(body);
        format!(
            "x=a y= a=(u v); set -- p q; f() {{ {function}; }}; {}; {}",
            self.list(Place::default()),
            self.list(Place::default())
        )
    }
}

/// A text as one word.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The four worlds, as values of `W`.
fn worlds() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("worlds-of-folders");
    let mut worlds = Vec::new();
    for bits in 0..4_u32 {
        let world = root.join(bits.to_string());
        fs::create_dir_all(&world).unwrap();
        for file in [1, 2].into_iter().filter(|file| bits & file != 0) {
            fs::create_dir_all(world.join(file.to_string())).unwrap();
        }
        worlds.push(world.canonicalize().unwrap());
    }
    worlds
}

fn check(numbers: &[u16], worlds: &[PathBuf]) -> Result<(), TestCaseError> {
    let mut writer = Writer { numbers: numbers.iter(), counters: 0, is_open: false, is_loose: false };
    let program = writer.program();
    let is_decided = !writer.is_open && !writer.is_loose;
    let worlds = if writer.is_open { worlds } else { worlds.get(..1).unwrap_or(&[]) };
    let mut all = BTreeSet::new();
    for world in worlds {
        let variables = [("W", world.to_str().unwrap_or(""))];
        let Some(echoes) = printed(&program, world, &variables) else { return Ok(()) };
        let mut analyzer = Analyzer::new();
        let options = Options { cwd: world.to_str(), ..Options::default() };
        let report = analyzer.analyze(&program, &options);
        for Echo { line, directory } in &echoes {
            let is_possible = report.commands().any(|command| {
                command.name().is_some_and(|name| name.text() == "echo")
                    && may_be(command, line)
                    && may_be_in(command, directory)
            });
            prop_assert!(
                is_possible,
                "bash prints {line:?} in {directory:?} in {world:?}\n{program}\n{report:?}"
            );
        }
        all.extend(echoes.into_iter().map(|echo| echo.line));
    }
    if is_decided && let Some(predicted) = predicted(&program) {
        let predicted: BTreeSet<_> = predicted.into_iter().collect();
        prop_assert_eq!(predicted, all, "{}", program);
    }
    Ok(())
}

#[test]
fn what_bash_does_in_any_world_is_possible() {
    if printed("echo", Path::new("/"), &[]).is_none() {
        println!("skipped: no bash here");
        return;
    }
    let worlds = worlds();
    // The same programs each time, so that a change is not judged by chance; with a number of cases, new ones.
    let cases = std::env::var("PROGRAMS").ok().and_then(|cases| cases.parse().ok());
    let config = ProptestConfig {
        cases: cases.unwrap_or(300),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = if cases.is_some() {
        TestRunner::new(config)
    } else {
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
    };
    let strategy = vec(any::<u16>(), 4..90);
    if let Err(error) = runner.run(&strategy, |numbers| check(&numbers, &worlds)) {
        panic!("{error}");
    }
}
