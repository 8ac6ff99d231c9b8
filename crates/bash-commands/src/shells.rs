//! What a shell does with its own arguments.
