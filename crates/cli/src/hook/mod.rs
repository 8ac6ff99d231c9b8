//! `brakeline hook`

mod claude_code;

use crate::Exit;
use crate::args::Hook;

pub(crate) fn run(_args: &Hook) -> Exit {
    Exit::Internal
}
