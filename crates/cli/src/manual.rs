//! `brakeline schema`, `completions` and `man`: what is made from the program's own description of itself.

use crate::Exit;
use crate::args::Cli;
use crate::output::{complain, print_bytes};
use clap::{Args, Command, CommandFactory};
use clap_complete::Shell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

#[derive(Args, Debug)]
pub(crate) struct Man {
    /// Folder for one page each of the program and its commands; without it, the program's page is printed
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

/// The name of the program, in completions and on pages.
const NAME: &str = "brakeline";

pub(crate) fn schema() -> Exit {
    print(format!("{:#}\n", brakeline_settings::json_schema()).as_bytes())
}

pub(crate) fn completions(args: &Completions) -> Exit {
    print(&script_for(args.shell))
}

fn script_for(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut description(), NAME, &mut script);
    script
}

/// Returns the program's description with that of every command.
///
/// Commands are described when they are built, which comes too late for `help`: that one's own commands are copies of what is
/// known before.
fn description() -> Command {
    let mut built = Cli::command();
    built.build();
    Cli::command()
        .mut_subcommands(|command| built.find_subcommand(command.get_name()).cloned().unwrap_or(command))
}

pub(crate) fn man(args: &Man) -> Exit {
    let mut program = description();
    program.build();
    match &args.folder {
        None => match page(&program) {
            Ok(page) => print(&page),
            Err(error) => complain(&error, Exit::Internal),
        },
        Some(folder) => match write_pages(folder, &program) {
            Ok(()) => Exit::Ok,
            Err(error) => complain(&format!("`{}`: {error}", folder.display()), Exit::Output),
        },
    }
}

fn print(bytes: &[u8]) -> Exit {
    print_bytes(bytes).map_or(Exit::Output, |()| Exit::Ok)
}

fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}

/// Writes `brakeline.1`, `brakeline-check.1`, `brakeline-collision-status.1` and so on.
fn write_pages(folder: &Path, program: &Command) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut commands = vec![(NAME.to_owned(), program)];
    while let Some((name, command)) = commands.pop() {
        fs::write(folder.join(format!("{name}.1")), page(command)?)?;
        let visible =
            command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help");
        commands.extend(visible.map(|inner| (format!("{name}-{}", inner.get_name()), inner)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::HookCli;
    use clap::Parser;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn naming_a_command_does_not_change_what_is_said_of_it() {
        let named = |mut program: Command, build: bool| {
            if build {
                program.build();
            }
            let about =
                |inner: &Command| (inner.get_name().to_owned(), inner.get_about().map(ToString::to_string));
            program
                .get_subcommands()
                .filter(|inner| inner.get_name() != "help")
                .map(about)
                .collect::<Vec<_>>()
        };
        let said = named(Cli::command(), false);
        assert!(said.len() > 10 && said.iter().all(|(_, about)| about.is_some()), "{said:?}");
        assert_eq!(named(Cli::command(), true), said);
    }

    #[test]
    fn hook_says_the_same_by_itself() {
        let answer = |result: clap::error::Result<()>| result.unwrap_err().render().to_string();
        for rest in [
            &["hook", "--help"][..],
            &["hook", "-h"],
            &["hook"],
            &["hook", "none"],
            &["hook", "codex", "--nope"],
        ] {
            let alone = answer(HookCli::try_parse_from(rest).map(|_| ()));
            let whole = answer(Cli::try_parse_from([NAME].iter().chain(rest)).map(|_| ()));
            assert_eq!(alone, whole);
        }
    }

    #[test]
    fn every_command_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let mut program = description();
        program.build();
        write_pages(folder.path(), &program).unwrap();
        for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
            let page = fs::read_to_string(folder.path().join(format!("brakeline-{}.1", command.get_name())))
                .unwrap();
            assert!(page.contains(".SH SYNOPSIS"), "{page}");
        }
        assert!(folder.path().join("brakeline-collision-force-release.1").exists());
    }

    #[test]
    fn completions_know_the_commands_of_help() {
        let script = String::from_utf8(script_for(Shell::Fish)).unwrap();
        for using in ["using_subcommand help; and ", "using_subcommand collision; and "] {
            assert!(
                script.lines().any(|known| known.contains(using) && known.contains("force-release")),
                "{using}"
            );
        }
    }

    #[test]
    fn completions_know_every_command() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = String::from_utf8(script_for(shell)).unwrap();
            for command in description().get_subcommands() {
                assert!(script.contains(command.get_name()), "{shell}: {}", command.get_name());
            }
        }
    }
}
