#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod language;
mod position;

mod get;
mod key_path;
mod merge;
mod typed;

mod jsonc;
mod layer;
mod load;
mod load_error;
mod note;

mod diagnostic;
mod excerpt;
mod read;
#[cfg(feature = "schema")]
mod schema;
mod sections;

pub use diagnostic::{Diagnostic, Expected, Reported};
pub use get::{get, read_setting};
pub use jsonc::MAX_DEPTH;
pub use key_path::{KeyPath, Segment};
pub use language::Language;
pub use layer::{Layer, Layers, Origin, Source};
pub use load::{Loaded, MAX_FILE_BYTES, Places, Trust, global_file_of_xdg, load, load_file};
pub use load_error::{LoadError, LoadErrorKind, Syntax};
pub use merge::merge;
pub use note::{Note, NoteKind};
pub use position::Position;
pub use read::{HostLimits, Reading, read_settings};
#[cfg(feature = "schema")]
pub use schema::json_schema;
pub use sections::{
    BlockFindRoot, Brakeline, EXTENSIONS, GuardLoop, LocaleSetting, PathMode, Settings, TimeoutSeconds,
    UnknownPaths,
};
pub use typed::{ReadError, get_as, read_setting_as};
