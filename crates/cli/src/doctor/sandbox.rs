//! Whether the sandbox holds, what `sandbox.json` says, and what it loosens.

use super::finding::{Area, Finding, Level};
use crate::host_text as text;
use crate::install::environment::Environment;
use crate::sandbox_config::{Configuration, Failure, Scene};
use brakeline_sandbox::config::places_of_pi;
use brakeline_sandbox::self_test;
use brakeline_settings::{Language, Trust};
use std::env;
use std::path::{Path, PathBuf};

/// Looks at the configuration, as if the project in the current directory were trusted.
pub(crate) fn look(environment: &Environment, language: Language) -> Vec<Finding> {
    let mut places = places_of_pi(&environment.home, Path::new(""), Trust::Trusted);
    if environment.cwd == environment.home {
        places.project = None;
    }
    let files: Vec<_> = places.global.iter().chain(&places.project).filter(|file| file.exists()).collect();
    if files.is_empty() {
        return vec![Finding::new(Area::Sandbox, Level::Fine, text::no_sandbox_file(language))];
    }
    let shown = |file: &&PathBuf| {
        Finding::new(
            Area::Sandbox,
            Level::Fine,
            text::settings_file(&environment.shown(file), true, language),
        )
    };
    let mut findings: Vec<_> = files.iter().map(shown).collect();
    match look_inside(environment, &mut findings, language) {
        Ok(()) => {}
        Err(failure) => {
            let finding = Finding::new(Area::Sandbox, Level::Problem, failure.message);
            findings.push(finding.with_mend(text::mend_settings(language)));
        }
    }
    findings
}

fn look_inside(
    environment: &Environment,
    findings: &mut Vec<Finding>,
    language: Language,
) -> Result<(), Failure> {
    let arguments = Configuration {
        trust_project: true,
        home: Some(environment.home.clone()),
        ..Configuration::default()
    };
    let scene = Scene::load(&arguments, language)?;
    let is_on = scene.config.enabled.value;
    let mut note = |level, text: String| findings.push(Finding::new(Area::Sandbox, level, text));
    note(Level::Fine, text::sandbox_enabled(is_on, language).to_owned());
    for loosening in scene.config.loosenings() {
        note(Level::Note, loosening.text(language));
    }
    let policy = scene.policy(language)?;
    for remark in policy.notes() {
        note(Level::Note, remark.text(language));
    }
    // macOS has its sandbox built in.
    if is_on && cfg!(target_os = "linux") {
        let path = env::var_os("PATH").unwrap_or_default();
        let tested = self_test::find_bwrap(&path, &policy)
            .and_then(|bwrap| self_test::run(&bwrap, &scene.helper).map(|()| bwrap));
        findings.push(match tested {
            Ok(bwrap) => Finding::new(Area::Sandbox, Level::Fine, text::sandbox_holds(&bwrap, language)),
            Err(obstacle) => Finding::new(Area::Sandbox, Level::Problem, obstacle.text(language))
                .with_mend(text::mend_sandbox(language)),
        });
    }
    Ok(())
}
