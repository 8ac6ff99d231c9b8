//! `brakeline explain`

use crate::Exit;
use crate::args::Explain;

pub(crate) fn run(_args: &Explain) -> Exit {
    Exit::Internal
}
