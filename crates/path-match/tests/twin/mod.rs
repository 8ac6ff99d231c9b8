//! The slow twin: says the same as the library in the plainest way, whatever it costs. It shares no code with it.
//!
//! It knows no extended groups and no named classes; those are judged by bash itself in `bash.rs`.

#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::expect_used,
    reason = "a wrong index here is a failed test"
)]
#![expect(
    clippy::match_same_arms,
    reason = "one arm for each kind of piece, in the order in which they are tried"
)]

use path_match::{Case, Mode};

/// What the twin is asked.
#[derive(Clone, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) mode: Mode,
    pub(crate) case: Case,
    pub(crate) home: Option<&'a str>,
    pub(crate) rules: &'a [String],
    pub(crate) cwd: Option<&'a str>,
    pub(crate) text: &'a str,
    pub(crate) glob: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Hit,
    Clear,
    Unresolved,
}

pub(crate) fn judge(question: &Question<'_>) -> Answer {
    if question.rules.is_empty() {
        return Answer::Clear;
    }
    let text = match question.mode {
        Mode::AsWritten => question.text.to_owned(),
        Mode::Lexical => match absolute(question) {
            Some(text) => text,
            None => return Answer::Unresolved,
        },
    };
    let hit = question
        .rules
        .iter()
        .any(|rule| forms_of_rule(rule, question).iter().any(|rule| hits(rule, &text, question)));
    if hit { Answer::Hit } else { Answer::Clear }
}

/// The path with its start written out. In a pattern the start is plain, so it is escaped.
fn absolute(question: &Question<'_>) -> Option<String> {
    let text = question.text;
    if text.starts_with('/') {
        return Some(text.to_owned());
    }
    let escape = |start: &str| {
        if question.glob {
            start.chars().flat_map(|next| if next == '/' { vec![next] } else { vec!['\\', next] }).collect()
        } else {
            start.to_owned()
        }
    };
    let usable = |start: Option<&str>| start.filter(|start| start.starts_with('/')).map(escape);
    for sign in ["~", "$HOME", "${HOME}"] {
        if text == sign || text.starts_with(&format!("{sign}/")) {
            return Some(format!("{}{}", usable(question.home)?, &text[sign.len()..]));
        }
    }
    if text.starts_with('~') {
        return None;
    }
    Some(format!("{}/{text}", usable(question.cwd)?))
}

fn forms_of_rule(rule: &str, question: &Question<'_>) -> Vec<String> {
    let trimmed = trim(rule);
    let Some(rest) = rule.strip_prefix('~') else {
        return vec![match question.mode {
            Mode::AsWritten => trimmed,
            Mode::Lexical => lexical(&trimmed),
        }];
    };
    let expanded =
        trim(&format!("{}{rest}", trim_slashes(question.home.expect("a rule with `~` was accepted"))));
    match question.mode {
        Mode::AsWritten if expanded.is_empty() => vec![expanded],
        Mode::AsWritten => vec![expanded, trimmed],
        Mode::Lexical => vec![lexical(&expanded)],
    }
}

fn trim_slashes(path: &str) -> &str {
    path.trim_end_matches('/')
}

/// Drops trailing slashes and whole wildcards; the root becomes empty.
fn trim(path: &str) -> String {
    let mut path = path;
    loop {
        let shorter = path.strip_suffix("/*").or(path.strip_suffix("/**")).or(path.strip_suffix('/'));
        match shorter {
            Some(shorter) => path = shorter,
            None => return path.to_owned(),
        }
    }
}

/// Resolves an absolute path; the root becomes empty.
fn lexical(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(kept.pop()),
            name => kept.push(name),
        }
    }
    kept.iter().fold(String::new(), |path, name| path + "/" + name)
}

fn fold(text: &str, case: Case) -> String {
    match case {
        Case::Sensitive => text.to_owned(),
        Case::Folded => text.to_uppercase().chars().flat_map(char::to_lowercase).collect(),
    }
}

fn hits(rule: &str, text: &str, question: &Question<'_>) -> bool {
    if !question.glob {
        let path = match question.mode {
            Mode::AsWritten => trim(text),
            Mode::Lexical => trim(&lexical(text)),
        };
        let (rule, path) = (fold(rule, question.case), fold(&path, question.case));
        if rule.is_empty() {
            return path.is_empty() && text.starts_with('/');
        }
        return path == rule || path.starts_with(&format!("{rule}/"));
    }
    let names = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
    let as_written = question.mode == Mode::AsWritten;
    if rule.is_empty() && as_written {
        return trim(text).is_empty() && text.starts_with('/');
    }
    let rule = if as_written { names(rule) } else { names(rule)[1..].to_vec() };
    let pattern = names(text);
    let pops = pattern.iter().filter(|name| could_be(name, "..", Case::Sensitive)).count();
    let deepest = rule.len() + pops;
    readings(&pattern, deepest, !as_written).iter().any(|reading| {
        if rule.is_empty() || rule == [""] {
            return reading.iter().all(|name| matches!(name.as_str(), "*" | "**"));
        }
        reading.len() >= rule.len()
            && rule.iter().zip(reading).all(|(rule, name)| could_be(name, rule, question.case))
    })
}

/// Every way to read the pattern: `**` as any number of `*`, names that could be `.` or `..` as those or as themselves.
fn readings(pattern: &[String], deepest: usize, resolve: bool) -> Vec<Vec<String>> {
    let mut readings: Vec<Vec<String>> = vec![Vec::new()];
    for name in pattern {
        let mut next = Vec::new();
        for reading in readings {
            let entered = |reading: &[String], name: &str| [reading, &[name.to_owned()]].concat();
            let left = reading[..reading.len().saturating_sub(1)].to_vec();
            if resolve && (name.is_empty() || plain(name).as_deref() == Some(".")) {
                next.push(reading);
            } else if resolve && plain(name).as_deref() == Some("..") {
                next.push(left);
            } else if name == "**" {
                for count in 0..=deepest {
                    next.push([reading.clone(), vec!["*".to_owned(); count]].concat());
                }
            } else {
                if resolve && could_be(name, ".", Case::Sensitive) {
                    next.push(reading.clone());
                }
                if resolve && could_be(name, "..", Case::Sensitive) {
                    next.push(left);
                }
                next.push(entered(&reading, name));
            }
        }
        next.sort();
        next.dedup();
        readings = next;
    }
    readings
}

/// The only name the pattern matches, if it has no live wildcard.
fn plain(pattern: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = pattern.chars();
    while let Some(next) = rest.next() {
        match next {
            '*' | '?' | '[' => return None,
            '\\' => name.push(rest.next().unwrap_or('\\')),
            next => name.push(next),
        }
    }
    Some(name)
}

fn could_be(pattern: &str, name: &str, case: Case) -> bool {
    if let Some(plain) = plain(pattern) {
        return fold(&plain, case) == fold(name, case);
    }
    let shows_dot = pattern.starts_with('.') || pattern.starts_with("\\.");
    if name.is_empty() || name.starts_with('.') && !shows_dot {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    glob(&pattern, &name, case)
}

fn glob(pattern: &[char], name: &[char], case: Case) -> bool {
    let same = |one: char, other: char| fold(&one.to_string(), case) == fold(&other.to_string(), case);
    match (pattern, name) {
        ([], name) => name.is_empty(),
        (['*', rest @ ..], name) => (0..=name.len()).any(|taken| glob(rest, &name[taken..], case)),
        (['?', rest @ ..], [_, name @ ..]) => glob(rest, name, case),
        (['\\', next, rest @ ..], [first, name @ ..]) => same(*next, *first) && glob(rest, name, case),
        (['[', inner @ ..], [first, after @ ..]) => match bracket(inner) {
            Some((members, negated, rest)) => {
                let forms = [fold(&first.to_string(), case), first.to_string().to_uppercase()];
                let forms = if case == Case::Folded { forms.concat() } else { first.to_string() };
                forms.chars().any(|form| members.contains(&form) != negated) && glob(rest, after, case)
            }
            None => *first == '[' && glob(inner, after, case),
        },
        ([next, rest @ ..], [first, name @ ..]) => same(*next, *first) && glob(rest, name, case),
        (_, []) => false,
    }
}

/// The members of a bracket expression; ranges written out.
fn bracket(inner: &[char]) -> Option<(Vec<char>, bool, &[char])> {
    let (negated, inner) = match inner {
        ['!' | '^', inner @ ..] => (true, inner),
        inner => (false, inner),
    };
    let end = 1 + inner.iter().skip(1).position(|next| *next == ']')?;
    let mut members = Vec::new();
    let mut rest = &inner[..end];
    while let [first, after @ ..] = rest {
        if let ['-', last, after @ ..] = after {
            members.extend(*first..=*last);
            rest = after;
        } else {
            members.push(*first);
            rest = after;
        }
    }
    Some((members, negated, &inner[end + 1..]))
}
