//! `brakeline doctor`: what is configured, what is in force, what is missing, and how to mend it.

mod finding;
mod hosts;
mod leases;
mod sandbox;
mod settings;

use self::finding::{Area, Finding, Level};
use crate::Exit;
use crate::configuration::environment_language;
use crate::host_text as text;
use crate::install::environment::Environment;
use crate::message::printable;
use crate::output::{complain, print_json, print_line};
use brakeline_settings::Language;
use clap::Args;
use serde::Serialize;
use std::env;
use std::fmt::Write;

#[derive(Args, Debug)]
pub(crate) struct Doctor {
    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// The JSON of a look.
#[derive(Debug, Serialize)]
struct Report<'a> {
    version: &'static str,
    problems: usize,
    findings: &'a [Finding],
}

pub(crate) fn run(args: &Doctor) -> Exit {
    let language = environment_language();
    let Some(environment) = Environment::read() else {
        return complain(&text::no_home(language), Exit::Usage);
    };
    let findings = look(&environment, language);
    let problems = findings.iter().filter(|finding| finding.level == Level::Problem).count();
    let written = if args.json {
        print_json(&Report { version: env!("CARGO_PKG_VERSION"), problems, findings: &findings })
    } else {
        print_line(drawn(&findings, problems, language).trim_end())
    };
    match written {
        Err(_) => Exit::Output,
        Ok(()) if problems > 0 => Exit::Data,
        Ok(()) => Exit::Ok,
    }
}

fn look(environment: &Environment, language: Language) -> Vec<Finding> {
    let mut findings = vec![program(language)];
    findings.extend(settings::of_hooks(environment, language));
    findings.extend(settings::of_pi(environment, language));
    findings.extend(hosts::look(environment, language));
    findings.extend(leases::look(environment, language));
    findings.extend(sandbox::look(environment, language));
    findings
}

fn program(language: Language) -> Finding {
    let file = env::current_exe().map(|file| file.display().to_string()).unwrap_or_default();
    Finding::new(Area::Program, Level::Fine, text::own_program(env!("CARGO_PKG_VERSION"), &file, language))
}

fn drawn(findings: &[Finding], problems: usize, language: Language) -> String {
    let mut text = String::new();
    let mut area = None;
    for finding in findings {
        if area != Some(finding.area) {
            let gap = if area.is_some() { "\n" } else { "" };
            let _ = writeln!(text, "{gap}{}", finding.area.title(language));
            area = Some(finding.area);
        }
        for (number, line) in finding.text.lines().enumerate() {
            let mark = if number == 0 { finding.level.mark() } else { ' ' };
            let _ = writeln!(text, "  {mark} {}", printable(line));
        }
        if let Some(mend) = &finding.mend {
            let _ = writeln!(text, "    → {mend}");
        }
    }
    let _ = write!(text, "\n{}", text::sum(problems, language));
    text
}
