//! `brakeline check`

use crate::Exit;
use crate::args::Check;

pub(crate) fn run(_args: &Check) -> Exit {
    Exit::Internal
}
