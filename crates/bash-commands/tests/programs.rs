//! Programs made at random, run by the real bash: whatever it prints must be possible, and where the program decides it
//! all, nothing else is.
//!
//! What a program cannot know is whether `$W/1` and `$W/2` exist; bash runs it in all four worlds.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use bash_commands::{Analyzer, Options};
use echoes::{may_be, predicted, printed};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

mod echoes;

/// Writes a program, led by numbers; where they end, everything is as short as it can be.
struct Writer<'n> {
    numbers: std::slice::Iter<'n, u16>,
    /// How many loops have a counter.
    counters: u32,
    /// Something depends on the world.
    is_open: bool,
}

/// What stands around a statement.
#[derive(Clone, Copy, Default)]
struct Place {
    in_function: bool,
    /// `break` has a loop to end; `continue` too, if that leads to an end.
    in_loop: bool,
    may_continue: bool,
    depth: u32,
}

impl Place {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }

    /// A child has no loop or function to leave.
    fn child(self) -> Self {
        Self { in_loop: false, may_continue: false, ..self.deeper() }
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
        match self.pick(16) {
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
            _ if place.depth < MAX_DEPTH => format!("\"$({})\"", self.list(place.child())),
            _ => "z".to_owned(),
        }
    }

    fn condition(&mut self, place: Place) -> String {
        let name = self.name();
        match self.pick(11) {
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
        let kinds = if place.depth < MAX_DEPTH { 32 } else { 14 };
        match self.pick(kinds) {
            0 | 1 => format!("echo {} {}", self.word(place), self.word(place)),
            2 | 3 => format!("{name}={}", self.word(place)),
            4 => format!("{name}+={}", self.word(place)),
            5 => match (self.pick(4), place) {
                (0, Place { in_loop: true, .. }) => "break".to_owned(),
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
            14 => format!("if {}; then {}; fi", self.condition(inner), self.list(inner)),
            15 => format!(
                "if {}; then {}; elif {}; then {}; else {}; fi",
                self.condition(inner),
                self.list(inner),
                self.condition(inner),
                self.list(inner),
                self.list(inner)
            ),
            16 | 17 => format!("{} && {{ {}; }}", self.condition(inner), self.list(inner)),
            18 | 19 => format!("{} || {{ {}; }}", self.condition(inner), self.list(inner)),
            20 => {
                let body = Place { in_loop: true, may_continue: true, ..inner };
                format!(
                    "for {name} in {} {}; do {}; done",
                    self.word(place),
                    self.word(place),
                    self.list(body)
                )
            }
            21 => {
                self.counters += 1;
                let counter = format!("n{}", self.counters);
                let body = Place { in_loop: true, may_continue: true, ..inner };
                let list = self.list(body);
                format!(
                    "{counter}=0; while [ ${counter} -lt 2 ]; do {counter}=$(({counter} + 1)); {list}; done"
                )
            }
            22 => {
                let body = Place { in_loop: true, may_continue: false, ..inner };
                let word = if self.pick(2) == 0 { "while" } else { "until" };
                format!("{word} {}; do {}; break; done", self.condition(body), self.list(body))
            }
            23 => format!(
                "case {} in a) {};; c*) {};; *) {};; esac",
                self.word(place),
                self.list(inner),
                self.list(inner),
                self.list(inner)
            ),
            24 => format!("{{ {}; }}", self.list(inner)),
            25 => format!("( {} )", self.list(place.child())),
            26 | 27 => format!("{name}=$( {} )", self.list(place.child())),
            28 => {
                // All is read: who writes to a pipe that nobody reads is killed, or not.
                let list = self.list(place.child());
                format!("{{ {list}; }} | {{ read {name}; echo \"${name}\"; cat >/dev/null || :; }}")
            }
            29 => {
                let body = Place { in_loop: true, may_continue: true, ..inner };
                format!("while read -r {name}; do {}; done <<< $'a\\nb'", self.list(body))
            }
            30 if place.in_function => format!("local {name}={}", self.word(place)),
            31 => format!("eval 'echo {name} ${name}'; ! {}", self.condition(inner)),
            _ => format!("x={}", self.word(place)),
        }
    }

    fn program(&mut self) -> String {
        let body = Place { in_function: true, depth: 1, ..Place::default() };
        let function = self.list(body);
        format!(
            "x=a y=; set -- p q; f() {{ {function}; }}; {}; {}",
            self.list(Place::default()),
            self.list(Place::default())
        )
    }
}

/// The four worlds, as values of `W`.
fn worlds() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("worlds");
    let mut worlds = Vec::new();
    for bits in 0..4_u32 {
        let world = root.join(bits.to_string());
        fs::create_dir_all(&world).unwrap();
        for file in [1, 2].into_iter().filter(|file| bits & file != 0) {
            fs::write(world.join(file.to_string()), "").unwrap();
        }
        worlds.push(world);
    }
    worlds
}

fn check(numbers: &[u16], worlds: &[PathBuf]) -> Result<(), TestCaseError> {
    let mut writer = Writer { numbers: numbers.iter(), counters: 0, is_open: false };
    let program = writer.program();
    let is_decided = !writer.is_open;
    let worlds = if writer.is_open { worlds } else { worlds.get(..1).unwrap_or(&[]) };
    let mut all = BTreeSet::new();
    for world in worlds {
        let variables = [("W", world.to_str().unwrap_or(""))];
        let Some(lines) = printed(&program, &variables) else { return Ok(()) };
        let mut analyzer = Analyzer::new();
        let report = analyzer.analyze(&program, &Options::default());
        for line in &lines {
            let is_possible = report.commands().any(|command| {
                command.name().is_some_and(|name| name.text() == "echo") && may_be(command, line)
            });
            prop_assert!(is_possible, "bash prints {line:?} in {world:?}\n{program}\n{report:#?}");
        }
        all.extend(lines);
    }
    if is_decided && let Some(predicted) = predicted(&program) {
        let predicted: BTreeSet<_> = predicted.into_iter().collect();
        prop_assert_eq!(predicted, all, "{}", program);
    }
    Ok(())
}

#[test]
fn what_bash_does_in_any_world_is_possible() {
    if printed("echo", &[]).is_none() {
        println!("skipped: no bash here");
        return;
    }
    let worlds = worlds();
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let strategy = vec(any::<u16>(), 4..90);
    if let Err(error) = runner.run(&strategy, |numbers| check(&numbers, &worlds)) {
        panic!("{error}");
    }
}
