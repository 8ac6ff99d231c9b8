//! Whether there is a sandbox, what `sandbox.json` says, and what it loosens.

use super::finding::{Area, Finding, Level};
use super::hosts::find_program;
use crate::host_text as text;
use crate::install::environment::Environment;
use brakeline_sandbox::config::{Config, places_of_pi};
use brakeline_settings::{Language, Trust};
use std::path::Path;

/// The program that makes the sandbox on this system.
const PROGRAM: &str = if cfg!(target_os = "macos") { "sandbox-exec" } else { "bwrap" };

/// Looks at the configuration, as if the project in the current directory were trusted.
pub(crate) fn look(environment: &Environment, language: Language) -> Vec<Finding> {
    let mut places = places_of_pi(&environment.home, Path::new(""), Trust::Trusted);
    if environment.cwd == environment.home {
        places.project = None;
    }
    let files: Vec<_> = places.global.iter().chain(&places.project).filter(|file| file.exists()).collect();
    let program = find_program(PROGRAM);
    let mut findings = vec![match &program {
        Some(file) => Finding::new(Area::Sandbox, Level::Fine, text::sandbox_program(file, language)),
        None => Finding::new(Area::Sandbox, Level::Note, text::no_sandbox_program(PROGRAM, language)),
    }];
    if files.is_empty() {
        findings.push(Finding::new(Area::Sandbox, Level::Fine, text::no_sandbox_file(language)));
        return findings;
    }
    findings.extend(files.iter().map(|file| {
        Finding::new(
            Area::Sandbox,
            Level::Fine,
            text::settings_file(&environment.shown(file), true, language),
        )
    }));
    match Config::load(&places) {
        Ok(config) => {
            let is_on = config.enabled.value;
            findings.push(Finding::new(Area::Sandbox, Level::Fine, text::sandbox_enabled(is_on, language)));
            if is_on && program.is_none() {
                let finding = Finding::new(
                    Area::Sandbox,
                    Level::Problem,
                    text::sandbox_without_program(PROGRAM, language),
                );
                findings.push(finding.with_mend(text::mend_sandbox_program(PROGRAM, language)));
            }
            findings.extend(
                config
                    .loosenings()
                    .iter()
                    .map(|loosening| Finding::new(Area::Sandbox, Level::Note, loosening.text(language))),
            );
        }
        Err(error) => {
            let finding = Finding::new(Area::Sandbox, Level::Problem, error.text(language));
            findings.push(finding.with_mend(text::mend_settings(language)));
        }
    }
    findings
}
