//! Where claims live, and how they are.

use super::finding::{Area, Finding, Level};
use crate::collision::{language as lease_language, open};
use crate::host_text as text;
use crate::install::environment::Environment;
use crate::message::printable;
use brakeline_settings::Language;
use collision_lease::{EntryState, StatusEntry};

/// Looks at the claims, and creates nothing.
pub(crate) fn look(environment: &Environment, language: Language) -> Vec<Finding> {
    let folder = environment.home.join(".pi/agent/collision-guard");
    let shown = environment.shown(&folder);
    let entries = match open(&folder).and_then(|set| set.map(|set| set.status()).transpose()) {
        Ok(Some(entries)) => entries,
        Ok(None) => {
            return vec![Finding::new(Area::Leases, Level::Fine, text::no_claims_folder(&shown, language))];
        }
        Err(error) => {
            let finding =
                Finding::new(Area::Leases, Level::Problem, text::claims_unusable(&shown, &error, language));
            return vec![finding.with_mend(text::mend_claims(language))];
        }
    };
    let mut findings =
        vec![Finding::new(Area::Leases, Level::Fine, text::claims(&shown, entries.len(), language))];
    findings.extend(entries.iter().map(|entry| claim(entry, language)));
    findings
}

fn claim(entry: &StatusEntry, language: Language) -> Finding {
    let line = printable(&entry.text(lease_language()));
    match &entry.state {
        EntryState::Claim { stale: false, .. } => Finding::new(Area::Leases, Level::Fine, line),
        // The next edit takes these over, or replaces them.
        EntryState::Claim { .. } | EntryState::Corrupt { .. } => {
            Finding::new(Area::Leases, Level::Note, line)
        }
        EntryState::Newer { .. } => {
            Finding::new(Area::Leases, Level::Note, line).with_mend(text::mend_newer(language))
        }
        EntryState::Hostile(_) => {
            Finding::new(Area::Leases, Level::Problem, line).with_mend(text::mend_hostile(language))
        }
    }
}
