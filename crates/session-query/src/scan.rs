//! From the end, until all keys are found.

use crate::Entry;

/// Returns what was last written under `key`, or `None` if it never was.
///
/// `branch` is a session's branch, oldest entry first: a slice, a `Vec`, anything that can be walked from its end.
/// `None` means *never written*; a value written as null is `Some` of the entry's null.
///
/// Cost: the entries that stand after the answer, whatever the length of the session.
///
/// ```
/// # #[cfg(feature = "serde_json")] {
/// use serde_json::json;
/// use session_query::read_entry;
///
/// let branch = [
///     json!({"type": "custom", "customType": "guard", "data": {"kind": "set"}}),
///     json!({"type": "custom_message", "customType": "guard", "content": "not this one"}),
/// ];
/// assert_eq!(read_entry(&branch, "guard"), Some(&json!({"kind": "set"})));
/// assert_eq!(read_entry(&branch, "guard-defaults"), None);
/// # }
/// ```
pub fn read_entry<'a, B, E>(branch: B, key: &str) -> Option<&'a E::Data>
where
    B: IntoIterator<Item = &'a E, IntoIter: DoubleEndedIterator>,
    E: Entry + 'a,
{
    let [data] = read_entries(branch, [key]);
    data
}

/// Returns for each of `keys` what was last written under it, in the order of `keys`.
///
/// The walk from the end stops at the entry that answers the last open key, so a key that was never written costs
/// the whole branch. Nothing is allocated. A key given twice is answered twice.
///
/// Cost: entries walked, times open keys for those of type `custom`.
///
/// ```
/// # #[cfg(feature = "serde_json")] {
/// use serde_json::{Value, json};
/// use session_query::read_entries;
///
/// let branch = vec![
///     json!({"type": "custom", "customType": "guard", "data": 1}),
///     json!(null), // dirty data is passed over
///     json!({"type": "custom", "customType": "guard", "data": 2}),
///     json!({"type": "custom", "customType": "bare"}),
/// ];
/// let [guard, bare, never] = read_entries(&branch, ["guard", "bare", "never"]);
/// assert_eq!(guard, Some(&json!(2)));
/// assert_eq!(bare, Some(&Value::Null)); // written, without data
/// assert_eq!(never, None); // not written
/// # }
/// ```
pub fn read_entries<'a, B, E, const N: usize>(branch: B, keys: [&str; N]) -> [Option<&'a E::Data>; N]
where
    B: IntoIterator<Item = &'a E, IntoIter: DoubleEndedIterator>,
    E: Entry + 'a,
{
    let mut found = [None; N];
    read_many(branch, &keys, &mut found);
    found
}

/// Writes into `found` what was last written under each of `keys`: [`read_entries`] for a number of keys that is
/// known only at run time.
///
/// A slot that is not `None` already counts as found and is left alone, so a branch may be handed over in pieces,
/// the newest first. Keys beyond the shorter of the two slices are not looked for.
///
/// ```
/// # #[cfg(feature = "serde_json")] {
/// use serde_json::json;
/// use session_query::read_many;
///
/// let branch = [json!({"type": "custom", "customType": "a", "data": true})];
/// let keys = vec!["a", "b"];
/// let mut found = vec![None; keys.len()];
/// read_many(&branch, &keys, &mut found);
/// assert_eq!(found, [Some(&json!(true)), None]);
/// # }
/// ```
pub fn read_many<'a, B, E>(branch: B, keys: &[&str], found: &mut [Option<&'a E::Data>])
where
    B: IntoIterator<Item = &'a E, IntoIter: DoubleEndedIterator>,
    E: Entry + 'a,
{
    let mut open = keys.iter().zip(found.iter()).filter(|(_, slot)| slot.is_none()).count();
    let mut newest_first = branch.into_iter().rev();
    while open > 0 {
        let Some(entry) = newest_first.next() else { return };
        let Some(key) = custom_key(entry) else { continue };
        for (_, slot) in
            keys.iter().zip(&mut *found).filter(|(wanted, slot)| slot.is_none() && **wanted == key)
        {
            *slot = Some(entry.data());
            open -= 1;
        }
    }
}

/// Only `custom` entries are state; a `custom_message` of the same name is something said to the model.
fn custom_key<E: Entry>(entry: &E) -> Option<&str> {
    if entry.entry_type()? == "custom" { entry.custom_type() } else { None }
}
