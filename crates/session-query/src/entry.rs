//! What an entry must tell about itself to be scanned.

/// One entry of a session, as far as a scan needs to know it.
///
/// The rule itself (only `type == "custom"` counts) lives in the scan, not in the implementations: an
/// implementation only says what is there, and answers `None` for what is missing or of the wrong type.
///
/// ```
/// use session_query::{Entry, read_entry};
///
/// struct Note(&'static str, u32);
///
/// impl Entry for Note {
///     type Data = u32;
///     fn entry_type(&self) -> Option<&str> {
///         Some("custom")
///     }
///     fn custom_type(&self) -> Option<&str> {
///         Some(self.0)
///     }
///     fn data(&self) -> &u32 {
///         &self.1
///     }
/// }
///
/// let branch = [Note("round", 1), Note("round", 2), Note("other", 9)];
/// assert_eq!(read_entry(&branch, "round"), Some(&2));
/// assert_eq!(read_entry(&branch, "never"), None);
/// ```
pub trait Entry {
    /// What an entry carries under `data`.
    type Data: ?Sized;

    /// Returns the entry's `type`, or `None` when there is none or it is not a string.
    fn entry_type(&self) -> Option<&str>;

    /// Returns the entry's `customType`, or `None` when there is none or it is not a string.
    ///
    /// Asked only of entries whose type is `custom`.
    fn custom_type(&self) -> Option<&str>;

    /// Returns what was written; for an entry without `data` the value that stands for null.
    ///
    /// Asked only of the one entry that answers a key.
    fn data(&self) -> &Self::Data;
}

impl<E: Entry + ?Sized> Entry for &E {
    type Data = E::Data;

    fn entry_type(&self) -> Option<&str> {
        (**self).entry_type()
    }

    fn custom_type(&self) -> Option<&str> {
        (**self).custom_type()
    }

    fn data(&self) -> &E::Data {
        (**self).data()
    }
}

#[cfg(any(feature = "serde_json", feature = "pi"))]
pub(crate) static NULL: serde_json::Value = serde_json::Value::Null;

/// Any JSON value can stand in a branch; one that is not an object answers no key.
#[cfg(feature = "serde_json")]
impl Entry for serde_json::Value {
    type Data = Self;

    fn entry_type(&self) -> Option<&str> {
        self.get("type")?.as_str()
    }

    fn custom_type(&self) -> Option<&str> {
        self.get("customType")?.as_str()
    }

    fn data(&self) -> &Self {
        self.get("data").unwrap_or(&NULL)
    }
}
