//! `brakeline session`

use crate::Exit;
use crate::args::Session;

pub(crate) fn run(_args: &Session) -> Exit {
    Exit::Internal
}
