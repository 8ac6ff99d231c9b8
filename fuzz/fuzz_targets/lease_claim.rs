//! Claim files: any bytes are a record, and no record makes a living holder lose its path.

#![no_main]

use collision_lease::{
    CanonicalPath, ClaimKey, Decision, Found, Limits, Observation, Owner, OwnerToken, Pid, Process,
    ProcessState, Reading, Record, SessionId, WallTime, decide,
};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

/// What every input is judged against. The path lies where nothing exists, so no file is looked at twice.
static WORLD: LazyLock<Option<(ClaimKey, Owner)>> = LazyLock::new(|| {
    let path = CanonicalPath::resolve("/nowhere/file".as_ref()).ok()?;
    let token = OwnerToken::parse("0123456789abcdef0123456789abcdef")?;
    let process = Process::with_pid(Pid::new(1)?);
    Some((ClaimKey::of(&path), Owner { token, session: SessionId::new("fuzz"), process }))
});

fuzz_target!(|input: (u64, u64, &[u8])| {
    let (now, modified, bytes) = input;
    let Some((key, me)) = &*WORLD else { return };
    let record = Record::parse(bytes, key);
    if let Record::Claim(claim) = &record {
        // What was read is written and read back the same, except that a path found elsewhere is not believed.
        let again = Record::parse(&claim.to_bytes(), key);
        assert_eq!(again, record);
    }
    let mine = matches!(&record, Record::Claim(claim) if claim.belongs_to(me));
    let names_a_process = match &record {
        Record::Claim(_) | Record::Newer { .. } => true,
        Record::Corrupt { pid, .. } => pid.is_some(),
    };
    let found = Found::Record { record, modified: WallTime(modified) };
    let reading = Reading { wall: WallTime(now), ..Reading::default() };
    for process in [ProcessState::Alive, ProcessState::Dead, ProcessState::Unknown] {
        let seen = Observation { found: &found, process, now: reading, since_wake: None };
        let decision = decide(&seen, me, &Limits::default());
        if process == ProcessState::Alive && names_a_process && !mine {
            assert!(matches!(decision, Decision::Conflict(_)), "{decision:?}");
        }
    }
});
