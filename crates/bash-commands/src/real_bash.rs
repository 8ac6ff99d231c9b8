//! The real bash as the judge of differential tests.

use std::process::{Command, Stdio};
use std::string::String;
use std::vec::Vec;

/// Runs `function` once for each case, with the case's strings as `$1 $2 …`, and returns what each run printed.
///
/// `setup` runs once before. `None`, with a note, when there is no bash 5.2 or later here.
pub(crate) fn answers<const N: usize>(
    setup: &str,
    function: &str,
    cases: &[[String; N]],
) -> Option<Vec<Vec<u8>>> {
    let version = Command::new("bash")
        .args(["--norc", "-c", "echo $((BASH_VERSINFO[0]*100+BASH_VERSINFO[1]))"])
        .stderr(Stdio::null())
        .output()
        .ok()
        .and_then(|output| String::from_utf8_lossy(&output.stdout).trim().parse::<u32>().ok());
    if version.is_none_or(|version| version < 502) {
        std::println!("skipped: no bash 5.2 or later here");
        return None;
    }
    let script = std::format!(
        "{setup}\nf() {{\n{function}\n}}\nwhile (($#)); do f \"${{@:1:{N}}}\" 2>/dev/null; printf '\\0\\1\\2'; shift {N}; done"
    );
    let mut answers = Vec::new();
    for chunk in cases.chunks(200) {
        let output = Command::new("bash")
            .args(["--norc", "-c", &script, "bash"])
            .args(chunk.iter().flatten())
            .env("LC_ALL", "C.UTF-8")
            .env_remove("BASH_ENV")
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .expect("bash runs");
        let mut rest = output.stdout.as_slice();
        let mut count = 0;
        while let Some(end) = rest.windows(3).position(|window| window == b"\0\x01\x02") {
            answers.push(rest[..end].to_vec());
            rest = &rest[end + 3..];
            count += 1;
        }
        assert_eq!(count, chunk.len(), "bash stopped at {:?}", chunk.get(count));
    }
    Some(answers)
}

/// A small generator of test inputs: the same seed gives the same inputs.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
    /// One of `choices`.
    pub(crate) fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
    /// Up to `most` pieces of `alphabet`, joined.
    pub(crate) fn text(&mut self, alphabet: &[&str], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| self.pick(alphabet)).collect()
    }
}
