//! `brakeline explain`: what a command would run.

use crate::Exit;
use crate::args::Explain;
use crate::check::command_text;
use crate::configuration::{Surroundings, environment_language};
use crate::input::{Line, MAX_BYTES, check_command, read_line};
use crate::message::{Word, explained, printable};
use crate::output::{complain, print_json, print_line};
use crate::report::{DirectoryEntry, Explanation, WordEntry};
use bash_commands::{Analyzer, Options};
use brakeline_settings::Language;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

pub(crate) fn run(args: &Explain) -> Exit {
    if args.jsonl {
        return match answer_lines(&mut io::stdin().lock(), &mut io::stdout().lock()) {
            Ok(()) => Exit::Ok,
            Err(StreamError::Input(error)) => {
                complain(&format!("the input cannot be read: {error}"), Exit::NoInput)
            }
            Err(StreamError::Output(error)) => {
                complain(&format!("the answer cannot be written: {error}"), Exit::Output)
            }
        };
    }
    let text = match command_text(args.command.as_deref()) {
        Ok(text) => text,
        Err(error) => return complain(&error, error.exit()),
    };
    let surroundings = Surroundings::of(&args.place);
    let options = Options {
        cwd: surroundings.cwd.as_deref(),
        home: surroundings.home.as_deref(),
        ..Options::default()
    };
    let mut analyzer = Analyzer::new();
    let explanation = Explanation::of(analyzer.analyze(&text, &options));
    let written = if args.json {
        print_json(&explanation)
    } else {
        print_line(describe(&explanation, environment_language()).trim_end())
    };
    written.map_or(Exit::Output, |()| Exit::Ok)
}

/// One question of `--jsonl`.
#[derive(Debug, Deserialize)]
struct Question<'a> {
    /// Given back as it was written, whatever it is.
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    command: Cow<'a, str>,
    #[serde(borrow, default)]
    cwd: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    home: Option<Cow<'a, str>>,
}

#[derive(Debug, Serialize)]
struct Answer<'a> {
    id: Option<&'a RawValue>,
    #[serde(flatten)]
    explanation: Explanation<'a>,
}

#[derive(Debug, Serialize)]
struct Refusal<'a> {
    id: Option<&'a RawValue>,
    error: String,
}

#[derive(Debug)]
enum StreamError {
    Input(io::Error),
    Output(io::Error),
}

/// Answers each line of JSON with one line, flushed, so that two programs can talk through pipes.
///
/// Holds one line at a time; a line of more than [`MAX_BYTES`] is passed over and answered with an error. Blank lines are
/// not answered.
fn answer_lines(source: &mut impl BufRead, sink: &mut impl Write) -> Result<(), StreamError> {
    let mut analyzer = Analyzer::new();
    let mut line = Vec::new();
    let mut answer = Vec::new();
    loop {
        answer.clear();
        match read_line(source, MAX_BYTES, &mut line).map_err(StreamError::Input)? {
            Line::End => return Ok(()),
            Line::TooLong => {
                let error = format!("the line is longer than {MAX_BYTES} bytes; send shorter commands");
                serialize(&mut answer, &Refusal { id: None, error });
            }
            Line::Read | Line::Torn if line.iter().all(u8::is_ascii_whitespace) => continue,
            Line::Read | Line::Torn => answer_line(&line, &mut analyzer, &mut answer),
        }
        sink.write_all(&answer).and_then(|()| sink.flush()).map_err(StreamError::Output)?;
    }
}

fn answer_line(line: &[u8], analyzer: &mut Analyzer, answer: &mut Vec<u8>) {
    let question: Question<'_> = match serde_json::from_slice(line) {
        Ok(question) => question,
        Err(error) => {
            let error =
                format!("the line is not a question {{\"id\", \"command\", \"cwd\", \"home\"}}: {error}");
            return serialize(answer, &Refusal { id: None, error });
        }
    };
    let id = question.id;
    if let Err(error) = check_command(&question.command) {
        return serialize(answer, &Refusal { id, error: error.to_string() });
    }
    for (name, directory) in [("cwd", &question.cwd), ("home", &question.home)] {
        if let Some(path) = directory.as_deref().filter(|path| !path.starts_with('/')) {
            let error =
                format!("`{name}` is `{}`, which is not absolute; start it with `/`", printable(path));
            return serialize(answer, &Refusal { id, error });
        }
    }
    let options =
        Options { cwd: question.cwd.as_deref(), home: question.home.as_deref(), ..Options::default() };
    let explanation = Explanation::of(analyzer.analyze(&question.command, &options));
    serialize(answer, &Answer { id, explanation });
}

fn serialize(answer: &mut Vec<u8>, value: &impl Serialize) {
    // Writing to memory fails for no value of ours: their keys are texts.
    let _ = serde_json::to_writer(&mut *answer, value);
    answer.push(b'\n');
}

/// Describes an explanation for people: one paragraph for each command, in the order of the text.
fn describe(explanation: &Explanation<'_>, language: Language) -> String {
    let mut text = String::new();
    let mut finds = explanation.finds.iter().peekable();
    let label = |word: Word| format!("  {} ", word.text(language));
    for command in &explanation.commands {
        line(&mut text, "", &words(&command.argv, language));
        if !command.via.is_empty() {
            line(&mut text, &label(explained::VIA), &command.via.join(", "));
        }
        let Some(find) = finds.next_if(|find| find.span == command.span && same(&find.argv, &command.argv))
        else {
            continue;
        };
        if !find.wrappers.is_empty() {
            line(&mut text, &label(explained::THROUGH), &find.wrappers.join(", "));
        }
        let paths: Vec<_> = find.paths.iter().map(|path| with_kind(path.text, path.kind, language)).collect();
        let starts =
            if paths.is_empty() { explained::THE_CWD.text(language).to_owned() } else { paths.join(", ") };
        line(&mut text, &label(explained::STARTS_IN), &starts);
        let directories: Vec<_> = find.cwd.iter().map(|cwd| directory(cwd, language)).collect();
        line(&mut text, &label(explained::CWD), &directories.join(explained::OR.text(language)));
    }
    for part in &explanation.incomplete {
        line(&mut text, "", &explained::not_read(part.span, part.reason, language));
    }
    if let Some(error) = &explanation.syntax_error {
        line(&mut text, "", &explained::syntax_error(error.span, &error.message, language));
    }
    if text.is_empty() {
        line(&mut text, "", explained::NOTHING.text(language));
    }
    text
}

fn line(text: &mut String, label: &str, content: &str) {
    // Writing to a `String` cannot fail.
    let _ = writeln!(text, "{label}{content}");
}

fn same(one: &[WordEntry<'_>], other: &[WordEntry<'_>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.text == other.text)
}

/// Returns the words of a command, each readable as one word.
fn words(argv: &[WordEntry<'_>], language: Language) -> String {
    if argv.is_empty() {
        return explained::NO_WORDS.text(language).to_owned();
    }
    let shown: Vec<_> = argv
        .iter()
        .map(|word| {
            let text = printable(word.text);
            let is_plain =
                !text.is_empty() && !text.contains([' ', '\'', '"', '\\', ';', '&', '|', '(', ')']);
            if is_plain || word.kind != "known" { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
        })
        .collect();
    shown.join(" ")
}

fn directory(directory: &DirectoryEntry<'_>, language: Language) -> String {
    match directory.path {
        Some(path) => with_kind(path, directory.kind, language),
        None => explained::kind(directory.kind, language).to_owned(),
    }
}

fn with_kind(path: &str, kind: &str, language: Language) -> String {
    format!("{} ({})", printable(path), explained::kind(kind, language))
}
