#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod tool;

#[cfg(feature = "astgrep")]
mod astedit;
#[cfg(feature = "astgrep")]
mod astgrep;
mod bash;
mod edit;
#[cfg(feature = "find")]
mod find;
#[cfg(feature = "grep")]
mod grep;
mod read;
mod relocate;
#[cfg(feature = "webfetch")]
mod webfetch;
mod write;

mod context;
#[cfg(any(feature = "grep", feature = "astgrep"))]
mod first;
mod gate;
#[cfg(feature = "astgrep")]
mod grammar;
#[cfg(feature = "lease")]
mod leases;
mod place;
#[cfg(feature = "grep")]
mod regex_choice;
#[cfg(feature = "find")]
mod walk;

mod atomic;
mod diff;
mod newline;

mod error;
mod language;
mod limit;
mod schema;
mod text;

#[cfg(feature = "astgrep")]
pub use astedit::{AstEditParameters, AstEditResult, FileRewritten, astedit};
#[cfg(feature = "astgrep")]
pub use astgrep::{AstGrepParameters, AstGrepResult, FileNodes, NodeFound, astgrep};
pub use atomic::{MAX_BYTES, Snapshot, create};
pub use bash::{BashParameters, BashResult, bash};
pub use context::{Cancel, Context, NoProgress, Progress, Step};
pub use diff::unified;
pub use edit::{Edit, EditParameters, EditResult, edit, edit_bytes};
pub use error::{EditFault, EditProblem, Error, PatternProblem, UrlProblem};
#[cfg(feature = "find")]
pub use find::{FindParameters, FindResult, find};
pub use gate::{Gate, Hold, Launch, Open, Refusal};
#[cfg(feature = "grep")]
pub use grep::{FileMatches, GrepParameters, GrepResult, MatchLine, grep};
pub use language::Language;
#[cfg(feature = "lease")]
pub use leases::Leases;
pub use newline::Newline;
pub use read::{ImageResult, ReadParameters, ReadResult, TextResult, read};
pub use relocate::{MoveParameters, MoveResult, relocate};
pub use tool::{Answer, Content, Reply, Tool};
#[cfg(feature = "webfetch")]
pub use webfetch::{Format, WebFetchParameters, WebFetchResult, webfetch};
pub use write::{WriteParameters, WriteResult, write};
