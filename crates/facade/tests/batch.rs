//! The rules of a batch of tool calls, for every order in which its tools may finish.

#![allow(clippy::panic, clippy::indexing_slicing, reason = "a test may stop at the first surprise")]

use brakeline::batch::{Batch, Mode, Next};
use proptest::collection::vec;
use proptest::prelude::*;

/// Drives a batch to its end: `blocks` says who is blocked, `picks` which of the running tools finishes next.
fn drive(mode: Mode, calls: &[(bool, bool)], picks: &[usize]) -> (Vec<Next>, Vec<usize>) {
    let mut batch = Batch::new(calls.len(), mode);
    let (mut steps, mut running, mut finished) = (Vec::new(), Vec::new(), Vec::new());
    let mut picks = picks.iter().cycle();
    loop {
        let step = batch.next();
        steps.push(step);
        assert!(steps.len() < 100, "it comes to an end: {steps:?}");
        match step {
            Next::Judge(call) if calls[call].0 => batch.blocked(call, calls[call].1),
            Next::Judge(call) => batch.allowed(call),
            Next::Run(call) => running.push(call),
            Next::Wait => {
                let pick = picks.next().copied().unwrap_or_default() % running.len();
                let call = running.remove(pick);
                finished.push(call);
                batch.finished(call, calls[call].1);
            }
            Next::ResultEvent(_) | Next::Message(_) => {}
            Next::Done { .. } => return (steps, finished),
        }
    }
}

fn of(steps: &[Next], pick: impl Fn(&Next) -> Option<usize>) -> Vec<usize> {
    steps.iter().filter_map(pick).collect()
}

fn last(steps: &[Next], pick: impl Fn(&Next) -> bool) -> Option<usize> {
    steps.iter().rposition(pick)
}

fn first(steps: &[Next], pick: impl Fn(&Next) -> bool) -> Option<usize> {
    steps.iter().position(pick)
}

proptest! {
    #[test]
    fn batches(calls in vec(any::<(bool, bool)>(), 0..6), picks in vec(0..6_usize, 6), mode in 0..3_u8) {
        let mode = [Mode::Parallel, Mode::Sequential, Mode::CutOff][usize::from(mode)];
        let (steps, finished) = drive(mode, &calls, &picks);
        let all: Vec<_> = (0..calls.len()).collect();
        let allowed: Vec<_> = all.iter().copied().filter(|call| !calls[*call].0).collect();
        let judged = of(&steps, |step| match step { Next::Judge(call) => Some(*call), _ => None });
        let run = of(&steps, |step| match step { Next::Run(call) => Some(*call), _ => None });
        let events = of(&steps, |step| match step { Next::ResultEvent(call) => Some(*call), _ => None });
        let messages = of(&steps, |step| match step { Next::Message(call) => Some(*call), _ => None });

        prop_assert_eq!(&messages, &all, "result messages come in call order, one for each call");
        prop_assert_eq!(&events, &finished, "result events come as the tools finish; a block has none");
        let terminate = matches!(steps.last(), Some(Next::Done { terminate: true }));
        match mode {
            Mode::CutOff => {
                prop_assert!(judged.is_empty() && run.is_empty(), "nothing of a message that was cut off runs");
                prop_assert!(!terminate);
            }
            Mode::Parallel => {
                prop_assert_eq!((&judged, &run), (&all, &allowed));
                let last_verdict = last(&steps, |step| matches!(step, Next::Judge(_)));
                let first_run = first(&steps, |step| matches!(step, Next::Run(_)));
                prop_assert!(first_run.is_none() || last_verdict < first_run, "every verdict before the first run");
                let last_run = last(&steps, |step| matches!(step, Next::Run(_)));
                let first_wait = first(&steps, |step| matches!(step, Next::Wait));
                prop_assert!(first_wait.is_none() || last_run < first_wait, "all run at once");
            }
            Mode::Sequential => {
                prop_assert_eq!((&judged, &run), (&all, &allowed));
                let begins = steps.iter().enumerate().filter(|(_, step)| matches!(step, Next::Judge(_)));
                for (at, _) in begins.skip(1) {
                    prop_assert!(matches!(steps[at - 1], Next::Message(_)), "one is through before the next is judged");
                }
            }
        }
        if mode != Mode::CutOff {
            prop_assert_eq!(terminate, !calls.is_empty() && calls.iter().all(|(_, terminate)| *terminate));
        }
    }
}

#[test]
fn the_mode_is_the_strictest_that_is_asked_for() {
    assert_eq!(Mode::of(false, [false, false]), Mode::Parallel);
    assert_eq!(Mode::of(false, [false, true]), Mode::Sequential);
    assert_eq!(Mode::of(true, [false, true]), Mode::CutOff);
}

#[test]
fn words_out_of_turn_change_nothing() {
    let mut batch = Batch::new(1, Mode::Parallel);
    batch.allowed(0);
    batch.finished(0, true);
    batch.blocked(7, true);
    assert_eq!(batch.next(), Next::Judge(0));
    batch.finished(0, true);
    assert_eq!(batch.next(), Next::Wait, "the verdict is due");
    batch.blocked(0, false);
    batch.allowed(0);
    assert_eq!(batch.next(), Next::Message(0));
    assert_eq!(batch.next(), Next::Done { terminate: false });
}
