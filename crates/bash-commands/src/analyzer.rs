//! The entry to the crate: an analyzer with its buffers.

use crate::evaluate::{Evaluator, Workspace};
use crate::options::Options;
use crate::report::{Findings, Report};

/// Analyses bash texts, and keeps its buffers from one text to the next.
///
/// A new analyzer is cheap (its first buffers are inline); a reused one allocates nothing for ordinary command lines.
#[derive(Debug)]
pub struct Analyzer {
    workspace: Workspace,
    findings: Findings,
}

impl Analyzer {
    /// Makes an analyzer.
    #[must_use]
    pub const fn new() -> Self {
        const NEW: Analyzer = Analyzer { workspace: Workspace::NEW, findings: Findings::NEW };
        NEW
    }

    /// Finds every simple command that bash would run for `text`.
    ///
    /// Never fails: what cannot be read is [`Incomplete`](crate::Incomplete). Cost is linear in the text: at most
    /// `steps_per_byte · bytes + base_steps` steps.
    pub fn analyze<'a>(&'a mut self, text: &'a str, options: &Options<'a>) -> Report<'a> {
        Evaluator::run(text, options, &mut self.workspace, &mut self.findings);
        let Workspace { derived, names, .. } = &self.workspace;
        Report { source: text, derived, findings: &self.findings, names, cwd: options.cwd }
    }
}

impl Default for Analyzer {
    fn default() -> Self {
        Self::new()
    }
}
