//! The programs and builtins that start another command, and the grammar of their own arguments. Data only.
