//! What differs on macOS. Not run by the tests of this crate, which need Linux; the pure parts are.
//!
//! There is no pidfd, no boot id and no pid namespace. `ps` tells start time and state without any unsafe code; it is only
//! asked on a conflict, so its 5 ms do not matter.

#![cfg_attr(not(target_os = "macos"), allow(dead_code, reason = "the pure parts are tested everywhere"))]

use crate::probe::{Entry, Facts};

/// What `ps -o ppid=,stat=,lstart=,comm= -p PID` prints.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PsLine {
    pub(crate) parent: i64,
    pub(crate) state: char,
    /// Seconds, in local time as `ps` shows it: only ever compared with another of its kind.
    pub(crate) start: Option<u64>,
    pub(crate) name: String,
}

impl PsLine {
    /// Reads `501 Ss Mon Nov 30 17:49:22 2026 /usr/local/bin/node`.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let parent = words.next()?.parse().ok()?;
        let state = words.next()?.chars().next()?;
        let (_, month, day, time, year) =
            (words.next()?, words.next()?, words.next()?, words.next()?, words.next()?);
        let command: Vec<&str> = words.collect();
        let command = command.join(" ");
        let name = command.rsplit('/').next().unwrap_or_default().to_owned();
        Some(Self { parent, state, start: seconds(month, day, time, year), name })
    }

    pub(crate) fn facts(&self) -> Facts {
        let entry = if self.state == 'Z' { Entry::Ended } else { Entry::Running };
        Facts { entry, start: self.start }
    }
}

fn seconds(month: &str, day: &str, time: &str, year: &str) -> Option<u64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = u64::try_from(MONTHS.iter().position(|name| *name == month)?).ok()?;
    let mut clock = time.split(':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let days = year.parse::<u64>().ok()?.checked_mul(12)?.checked_add(month)?.checked_mul(31)?;
    // Not a calendar: a number that differs whenever the text does.
    days.checked_add(day.parse().ok()?)?.checked_mul(86_400)?.checked_add(hour * 3600 + minute * 60 + second)
}

/// The flag that `statfs` sets for local file systems.
const MNT_LOCAL: u32 = 0x1000;

pub(crate) fn network_name(flags: u32) -> Option<&'static str> {
    (flags & MNT_LOCAL == 0).then_some("not local")
}

#[cfg(target_os = "macos")]
mod asked {
    use super::PsLine;
    use crate::identity::{Pid, Process};
    use crate::probe::{Entry, Facts};
    use std::process::Command;

    fn output(program: &str, arguments: &[&str]) -> Option<(bool, String)> {
        let output =
            Command::new(program).args(arguments).env("LC_ALL", "C").env("TZ", "UTC").output().ok()?;
        Some((output.status.success(), String::from_utf8_lossy(&output.stdout).trim().to_owned()))
    }

    fn line(pid: Pid) -> Option<(bool, String)> {
        output("/bin/ps", &["-o", "ppid=,stat=,lstart=,comm=", "-p", &pid.to_string()])
    }

    pub(crate) fn facts(pid: Pid) -> Facts {
        match line(pid) {
            // `ps` fails without output if there is no such process.
            Some((false, text)) if text.is_empty() => Facts { entry: Entry::Nothing, start: None },
            Some((true, text)) => {
                PsLine::parse(&text).map_or(Facts { entry: Entry::Unsaid, start: None }, |line| line.facts())
            }
            _ => Facts { entry: Entry::Unsaid, start: None },
        }
    }

    pub(crate) fn parent_and_name(pid: Pid) -> Option<(Pid, String)> {
        let line = PsLine::parse(&line(pid)?.1)?;
        Some((Pid::new(line.parent).unwrap_or(pid), line.name))
    }

    pub(crate) fn describe(pid: Pid) -> Process {
        let boot = output("/usr/sbin/sysctl", &["-n", "kern.bootsessionuuid"]);
        Process {
            pid,
            start: line(pid).and_then(|(_, text)| PsLine::parse(&text)).and_then(|line| line.start),
            boot: boot.filter(|(success, id)| *success && !id.is_empty()).map(|(_, id)| id.into()),
            pid_namespace: None,
            time_namespace: None,
        }
    }
}

#[cfg(target_os = "macos")]
pub(crate) use asked::{describe, facts, parent_and_name};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_of_a_running_process() {
        let line =
            PsLine::parse("  501 Ss   Mon Nov 30 17:49:22 2026     /Applications/My Agent/bin/node").unwrap();
        assert_eq!((line.parent, line.state, line.name.as_str()), (501, 'S', "node"));
        assert_eq!(line.facts().entry, Entry::Running);
    }

    #[test]
    fn zombie_has_ended() {
        let line = PsLine::parse("501 Z+ Mon Nov  3 07:09:02 2026 (node)").unwrap();
        assert_eq!(line.facts().entry, Entry::Ended);
    }

    #[test]
    fn start_differs_whenever_the_text_does() {
        let start = |text: &str| PsLine::parse(&format!("1 S Mon {text} x")).unwrap().start.unwrap();
        let texts =
            ["Nov 30 17:49:22 2026", "Nov 30 17:49:23 2026", "Dec 30 17:49:22 2026", "Nov 30 17:49:22 2027"];
        let mut starts: Vec<u64> = texts.iter().map(|text| start(text)).collect();
        starts.sort_unstable();
        starts.dedup();
        assert_eq!(starts.len(), texts.len());
    }

    #[test]
    fn garbage_is_none() {
        for text in ["", "x", "1", "1 S", "1 S Mon Nov 30"] {
            assert_eq!(PsLine::parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_local_file_systems_are_local() {
        assert_eq!(network_name(MNT_LOCAL), None);
        assert_eq!(network_name(0), Some("not local"));
    }
}
