//! The events of Claude Code.
