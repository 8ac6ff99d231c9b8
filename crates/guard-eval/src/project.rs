//! Entries to state, from the end.

use crate::{Ack, Condition, Entry, Fact, NewEntry, Settings};

/// The guard in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard<'a> {
    /// What must be met.
    pub condition: Condition<'a>,
    /// How often the agent was sent on since the guard was set.
    pub used: u32,
    /// The newest answer since the guard was set.
    pub ack: Option<Ack>,
    /// Whether the model was told of the guard since it was set and since the last compaction. If not, the host
    /// appends [`NewEntry::ConditionMessage`].
    pub condition_sent: bool,
}

/// How a session stands: all of it comes from its entries, so that reloading and switching branches rebuild it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuardState<'a> {
    /// The guard in force, if there is one.
    pub guard: Option<Guard<'a>>,
    /// How often the agent may be sent on: this session's limit, else the settings'.
    pub limit: u32,
}

/// Returns how a session stands.
///
/// Scans `branch` (oldest entry first) from its end until the guard and the limit are known. The limit of a session
/// that never used `/guard max` is known only at the branch's start.
///
/// ```
/// use guard_eval::{Condition, Fact, Settings, project};
///
/// let set = |text| Fact::Set(Condition::new(text).unwrap());
/// let branch = [set("old"), Fact::Continue, set("tests pass"), Fact::Continue, Fact::Continue];
/// let state = project(&branch, &Settings::default());
/// let guard = state.guard.unwrap();
/// assert_eq!((guard.condition.as_str(), guard.used, state.limit), ("tests pass", 2, 5));
/// ```
pub fn project<'a, B, E>(branch: B, settings: &Settings) -> GuardState<'a>
where
    B: IntoIterator<Item = &'a E, IntoIter: DoubleEndedIterator>,
    E: Entry + 'a,
{
    let mut guard = Sought::default();
    let mut limit = None;
    let mut newest_first = branch.into_iter().rev();
    while !guard.known || limit.is_none() {
        let Some(entry) = newest_first.next() else { break };
        match entry.fact() {
            None => {}
            Some(Fact::Defaults { max_continuations }) => limit = limit.or(Some(max_continuations)),
            Some(fact) => guard.look_at(fact),
        }
    }
    GuardState { guard: guard.found, limit: limit.unwrap_or(settings.max_continuations) }
}

/// Returns the entries that set the settings' guard in a session that starts, or `None` if it is to have none: nothing
/// is set in [`Settings::auto`], or the session had a guard before, even one that was cleared.
///
/// Cost: the whole branch, once a session, when `auto` is set.
pub fn auto_guard<'a, 's, B, E>(branch: B, settings: &'s Settings) -> Option<[NewEntry<'s>; 2]>
where
    B: IntoIterator<Item = &'a E>,
    E: Entry + 'a,
{
    let condition = settings.auto_condition()?;
    let guarded = branch.into_iter().any(|entry| matches!(entry.fact(), Some(Fact::Set(_) | Fact::Clear)));
    (!guarded).then_some([NewEntry::Set(condition), NewEntry::ConditionMessage(condition)])
}

/// What is known of the guard so far, on the way back.
#[derive(Default)]
struct Sought<'a> {
    /// The entry that set or cleared it has been passed: older ones say nothing about it.
    known: bool,
    found: Option<Guard<'a>>,
    used: u32,
    newest_ack: Option<Ack>,
    sent: bool,
    compacted: bool,
}

impl<'a> Sought<'a> {
    fn look_at(&mut self, fact: Fact<'a>) {
        if self.known {
            return;
        }
        match fact {
            Fact::Set(condition) => {
                self.known = true;
                self.found = Some(Guard {
                    condition,
                    used: self.used,
                    ack: self.newest_ack,
                    condition_sent: self.sent,
                });
            }
            Fact::Clear => self.known = true,
            Fact::Continue => self.used = self.used.saturating_add(1),
            Fact::Checked(ack) => self.newest_ack = self.newest_ack.or(Some(ack)),
            Fact::ConditionSent => self.sent |= !self.compacted,
            Fact::Compaction => self.compacted = true,
            Fact::Defaults { .. } => {}
        }
    }
}
