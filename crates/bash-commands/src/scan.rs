//! One construct of the language a file.

pub(crate) mod reserved;

mod assignment;
mod simple;
mod word;

mod arithmetic;
mod expansion;
mod parameter;
mod quotes;

pub(crate) mod heredoc;
mod redirection;

mod compound;
mod condition;
mod function;
