//! The reader against tables, laws and the real bash.

use super::{ReadOptions, read_line, read_quoted, read_word};
use crate::issue::{Construct, Fault, SyntaxErrorKind};
use crate::joined::JoinedCopy;
use crate::reader::{Reader, Unread};
use crate::real_bash::{Random, answers};
use crate::span::Span;
use crate::store::Store;
use crate::syntax::{
    AssignedValue, Command, CommandKind, Condition, Connector, Id, Item, Part, Slice, Tree, Word, WordFlags,
};
use std::fmt::Write as _;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

const OPTIONS: ReadOptions = ReadOptions { extglob: false, max_depth: 64 };

const ACCEPTED: &str = include_str!("../../tests/corpus/accepted.txt");
const REFUSED: &str = include_str!("../../tests/corpus/refused.txt");

fn texts(corpus: &str) -> impl Iterator<Item = &str> {
    corpus.trim_end_matches('\n').split("\n----\n")
}

/// A text that was read.
#[derive(Debug)]
struct Reading {
    tree: Tree,
    lines: Vec<Slice<Item>>,
    /// The text, and behind it what was copied of it.
    text: String,
    joined: Vec<JoinedCopy>,
}

/// Reads all lines of a text into one tree.
fn read_with(text: &str, options: ReadOptions) -> Result<Reading, Fault> {
    let (mut tree, mut lines, mut copies) = (Tree::NEW, Vec::new(), String::new());
    let mut store = Store::new(text, &mut copies);
    let mut reader = Reader::new(Span::new(0, text.len() as u32), options);
    loop {
        let mark = tree.mark();
        match reader.next_line(&mut store, &mut tree, &mark, &mut u64::MAX.clone()) {
            Ok(Some(line)) => lines.push(line),
            Ok(None) => break,
            Err(Unread::Faulty(Fault { kind, span, opened })) => {
                let place = |span| store.place(span).unwrap();
                return Err(Fault { kind, span: place(span), opened: opened.map(place) });
            }
            Err(Unread::OutOfSteps) => unreachable!(),
        }
    }
    assert!(reader.is_at_end(), "{text:?}");
    let joined = core::mem::take(&mut store.joined);
    Ok(Reading { tree, lines, text: format!("{text}{copies}"), joined })
}

fn read(text: &str) -> Result<Reading, Fault> {
    read_with(text, OPTIONS)
}

#[test]
fn accepts_what_bash_accepts() {
    for text in texts(ACCEPTED) {
        if let Err(fault) = read(text) {
            panic!("{text:?}: {fault:?}");
        }
    }
}

#[test]
fn refuses_what_bash_refuses() {
    for text in texts(REFUSED) {
        let Err(fault) = read(text) else { panic!("accepted {text:?}") };
        assert!(
            fault.span.start <= fault.span.end && fault.span.end as usize <= text.len(),
            "{text:?}: {fault:?}"
        );
        let message = crate::issue::SyntaxError::from(fault).to_string();
        assert!(!message.contains('\n') && !message.ends_with('.'), "{message}");
    }
}

#[test]
fn a_carriage_return_is_an_ordinary_character() {
    assert_eq!(show("a b\r\nc\r"), "(a b\r)\n(c\r)");
    assert_eq!(show("a\rb"), "(a\rb)");
    assert_eq!(show("a # b\r\nc"), "(a)\n(c)");
    assert_eq!(show("if a; then\r\nb\nfi"), "MissingKeyword(\"then\")");
    assert_eq!(show("a \\\r\nb"), "(a '\r')\n(b)");
    assert_eq!(show("cat <<E\r\nx\r\nE\r\nb"), "(cat <<E\r:\"x\\r\\n\")\n(b)");
}

/// Asks the real bash what it says to each text.
///
/// On some texts it gives up without an error status, and runs nothing of what follows. One sees that when a mistake
/// behind the text goes unnoticed.
fn judge(cases: Vec<String>) -> Option<Vec<(String, bool)>> {
    let function = r#"
        says() {
            err=$(bash --norc -n -c -- "$1" 2>&1) || return
            while IFS= read -r line; do [[ $line == *warning:* || -z $line ]] || return; done <<<"$err"
        }
        if ! says "$1"; then printf err
        elif [[ $2 == stops ]] && says "$1"$'\n)\n'; then printf stops
        else printf ok; fi"#;
    let cases: Vec<[String; 2]> = cases
        .into_iter()
        .map(|text| {
            // Only where the reader sees one of the mistakes in question is it worth a second look.
            let stops = matches!(
                read(&text).err().map(|fault| fault.kind),
                Some(
                    SyntaxErrorKind::InvalidCondition
                        | SyntaxErrorKind::InvalidForHeader
                        | SyntaxErrorKind::Unterminated(Construct::Condition)
                )
            );
            [text, if stops { "stops" } else { "" }.to_string()]
        })
        .collect();
    let answers = answers("", function, &cases)?;
    Some(cases.into_iter().zip(answers).map(|([text, _], answer)| (text, answer == b"ok")).collect())
}

fn compare(cases: Vec<String>) {
    let Some(judged) = judge(cases) else { return };
    let different: Vec<_> = judged.iter().filter(|(text, ok)| read(text).is_ok() != *ok).collect();
    let accepted = judged.iter().filter(|(_, ok)| *ok).count();
    let shown = &different[..different.len().min(9)];
    assert!(different.is_empty(), "{} of {} differ: {shown:#?}", different.len(), judged.len());
    assert!(accepted > judged.len() / 20 && accepted < judged.len(), "{accepted} accepted: no fair sample");
    std::println!("{} texts, {accepted} of them accepted by both", judged.len());
}

#[test]
fn bash_agrees_on_the_corpus() {
    compare(texts(ACCEPTED).chain(texts(REFUSED)).map(String::from).collect());
}

const TOKENS: &[&str] = &[
    "a", "b", "x", "echo", "1", "2", "f", "in", "do", "done", "then", "fi", "if", "else", "elif", "while",
    "until", "for", "case", "esac", "select", "function", "time", "!", "{", "}", "[[", "]]", "((", "))", "(",
    ")", ";", ";;", ";&", ";;&", "&", "&&", "\n", "\n", "\n", "\"", "'", "`", "$", "$(", "${", "}", "$((",
    "$[", "]", "[", "<", ">", ">>", "<<-", "<<<", "<&", ">&", "&>", "<>", "-", "a=", "a+=", "a=(", "a[",
    "x=1", "declare", "#", "\\", "\\\n", "=", "==", "!=", "=~", "-f", "-eq", "<(", ">(", "$'", "$\"", " ",
    " ", " ", " ", "{x}", "@(", "*", "~", ":", "/", "%", "-p", "$x", "${x}", "\"$x\"", "'y'", "|", "||",
    "|&", "x:-", "x/", "x[", "@",
];

#[test]
fn bash_agrees_on_soups_of_tokens() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let cases = (0..1500)
        .map(|_| {
            let count = 1 + random.below(7);
            (0..count).map(|_| random.pick(TOKENS).to_string() + random.pick(&["", " ", " "])).collect()
        })
        .collect();
    compare(cases);
}

/// Grows texts that bash mostly accepts.
struct Grower(Random);

impl Grower {
    fn word(&mut self, depth: usize) -> String {
        if depth > 3 || self.0.below(2) == 0 {
            return self
                .0
                .pick(&[
                    "a", "b", "echo", "x", "1", "a*", "{a,b}", "~", "if", "then", "}", "{", "!", "esac",
                    "in", "$x", "\"q $x\"", "'s'", "\\;", "a=b", "-f", "a#b", "$'a\\''", "$[1]", "$((x+1))",
                    "`a`",
                ])
                .to_string();
        }
        match self.0.below(8) {
            0 => format!("$({})", self.list(depth + 1)),
            1 => format!("\"{}\"", self.word(depth + 1)),
            2 => format!("${{x:-{}}}", self.word(depth + 1)),
            3 => format!("<({})", self.list(depth + 1)),
            4 => format!("{}{}", self.word(depth + 1), self.word(depth + 1)),
            5 => {
                let operator = self.0.pick(&["#", "%", "/", "^", ":", "@", "["]);
                format!("${{x{operator}{}}}", self.word(depth + 1))
            }
            6 => format!("a[{}]={}", self.word(depth + 1), self.word(depth + 1)),
            _ => format!("$(({}) )", self.list(depth + 1)),
        }
    }

    /// Now and then gives one that does not separate.
    fn separator(&mut self) -> &'static str {
        self.0.pick(&[";", "\n", " ; ", " &\n", "\n\n", ";\n", " & ", ";", "\n", ";", "\n", " "])
    }

    fn list(&mut self, depth: usize) -> String {
        let mut text = self.command(depth + 1);
        for _ in 0..self.0.below(3) {
            text += self.0.pick(&[";", "\n", " && ", " || ", " | ", " |& ", " &&\n", " & "]);
            text += &self.command(depth + 1);
        }
        text
    }

    fn redirection(&mut self, depth: usize) -> String {
        let before = self.0.pick(&["", "2", "{x}", "1"]);
        let operator = self.0.pick(&[">", "<", ">>", "<>", ">|", ">&", "<&", "&>", "<<<"]);
        let blank = self.0.pick(&["", " "]);
        format!(" {before}{operator}{blank}{}", self.word(depth + 2))
    }

    fn command(&mut self, depth: usize) -> String {
        let mut text =
            if depth > 4 || self.0.below(2) == 0 { self.simple(depth) } else { self.compound(depth) };
        if self.0.below(5) == 0 {
            text += &self.redirection(depth);
        }
        text
    }

    fn simple(&mut self, depth: usize) -> String {
        let mut text = self.0.pick(&["", "", "", "! ", "time ", "x=1 ", ">f ", "declare "]).to_string();
        text += &self.word(depth);
        for _ in 0..self.0.below(3) {
            text += " ";
            text += &self.word(depth);
        }
        text
    }

    fn compound(&mut self, depth: usize) -> String {
        let depth = depth + 1;
        let (body, end) = (self.list(depth), self.separator());
        match self.0.below(10) {
            0 => format!("{{ {body}{end}}}"),
            1 => format!("({body})"),
            2 => format!("if {}{}then {body}{end}fi", self.list(depth), self.separator()),
            3 => format!("while {}{}do {body}{end}done", self.list(depth), self.separator()),
            4 => format!("for x in {} b{}do {body}{end}done", self.word(depth), self.separator()),
            5 => format!("for ((i=0;i<3;i++)){}do {body}{end}done", self.separator()),
            6 => format!("case {} in {}) {body};; (b|c) ;& esac", self.word(depth), self.word(depth)),
            7 => format!("f(){}{{ {body}{end}}}", self.0.pick(&["", "\n", " "])),
            8 => {
                let tests =
                    ["a", "! a", "-f x", "a == @(b|c)", "a =~ (b|c)+", "( a && b )", "a < b", "$x -eq 1\n"];
                format!("[[ {} ]]", self.0.pick(&tests))
            }
            _ => format!("(({}))", self.0.pick(&["1", "x++", "(1)+2", "$(a)", "a;b", "a) | (b"])),
        }
    }
}

#[test]
fn bash_agrees_on_grown_texts_and_their_mutations() {
    let mut grower = Grower(Random(0x2545_F491_4F6C_DD1D));
    let mut cases = Vec::new();
    while cases.len() < 1500 {
        let mut text = grower.list(0);
        if text.len() > 800 {
            continue;
        }
        if cases.len() % 3 == 0 {
            let at = grower.0.below(text.len() + 1);
            text.insert_str(at, grower.0.pick(TOKENS));
        }
        cases.push(text);
    }
    compare(cases);
}

#[test]
fn every_prefix_gives_an_answer() {
    for text in texts(ACCEPTED).chain(texts(REFUSED)) {
        for (end, _) in text.char_indices() {
            let prefix = text.get(..end).unwrap();
            let _ = read(prefix);
            let _ = read_with(prefix, ReadOptions { extglob: true, max_depth: 2 });
            let _ = read_word(prefix, 0, OPTIONS, &mut { Tree::NEW });
            let span = Span::new(0, end as u32);
            let _ = read_quoted(prefix, 0, span, end % 2 == 0, OPTIONS, &mut { Tree::NEW });
        }
    }
}

#[test]
fn lines_before_a_fault_are_given() {
    let text = "a b\nc &&\n d\nif\n";
    let mut tree = Tree::NEW;
    let (line, next) = read_line(text, 0, 0, OPTIONS, &mut tree);
    assert!(line.unwrap().is_some());
    assert_eq!(next, 4);
    let (line, next) = read_line(text, 0, next, OPTIONS, &mut tree);
    assert!(line.unwrap().is_some());
    assert_eq!(next, 12);
    let fault = read_line(text, 0, next, OPTIONS, &mut tree).0.unwrap_err();
    assert_eq!(fault.kind, SyntaxErrorKind::Unterminated(Construct::If));
    assert_eq!(fault.opened, Some(Span::new(12, 14)));
}

#[test]
fn positions_are_absolute() {
    let mut tree = Tree::NEW;
    let (line, next) = read_line("a \"$b\"\nc", 1000, 1000, OPTIONS, &mut tree);
    let line = line.unwrap().unwrap();
    assert_eq!(tree.slice(tree.slice(line)[0].commands)[0].span, Span::new(1000, 1006));
    assert_eq!(next, 1007);
    let spans: Vec<_> = tree.nodes.words.as_slice().iter().map(|word| word.span).collect();
    assert_eq!(spans, [Span::new(1000, 1001), Span::new(1002, 1006)]);
    let word = read_quoted("xx$y z", 50, Span::new(52, 56), false, OPTIONS, &mut tree).unwrap();
    assert_eq!(tree.get(word).span, Span::new(52, 56));
}

/// Nesting of each kind: what opens a level, the core, what closes a level.
const NESTS: &[(&str, &str, &str)] = &[
    ("( ", "a", " )"),
    ("$( ", "a", " )"),
    ("\"$( ", "a", " )\""),
    ("{ ", "a", "; }"),
    ("if ", "a", "; then b; fi"),
    ("if b; then ", "a", "; fi"),
    ("while ", "a", "; do b; done"),
    ("for x in b; do ", "a", "; done"),
    ("case x in a) ", "a", ";; esac"),
    ("f() { ", "a", "; }"),
    ("coproc { ", "a", "; }"),
    ("cat <( ", "a", " )"),
    ("x=( $( ", "a", " ) )"),
    ("a[$( ", "a", " )]=1"),
    ("[[ $( ", "a", " ) ]]"),
    ("((a) | ", "a", ")"),
    ("$((a) | ", "a", ")"),
    ("${x:-", "a", "}"),
    ("\"${x:-", "a", "}\""),
    ("$(( ", "1", " ))"),
    ("$[", "1", "]"),
    ("${x[", "1", "]}"),
    ("${x#", "1", "}"),
];

#[test]
fn nesting_stops_at_the_limit() {
    let run = || {
        for &(open, core, close) in NESTS {
            let nest = |depth: usize| format!("{}{core}{}", open.repeat(depth), close.repeat(depth));
            let levels = (1..=64).take_while(|&depth| read(&nest(depth)).is_ok()).count();
            // A level may be two constructs, and one more may stand around all of them.
            assert!(levels == 64 || levels == 63 || levels == 32 || levels == 31, "{open}: {levels}");
            for deeper in [levels + 1, 20_000] {
                assert_eq!(read(&nest(deeper)).unwrap_err().kind, SyntaxErrorKind::TooDeep, "{open}");
            }
        }
    };
    // What an optimised build needs is promised; an unoptimised one needs far more.
    let size = if cfg!(debug_assertions) { 8 << 20 } else { 256 << 10 };
    std::thread::Builder::new().stack_size(size).spawn(run).unwrap().join().unwrap();
}

#[test]
fn time_grows_with_the_text_alone() {
    const UNITS: &[&str] = &[
        "(",
        "((",
        "$((",
        "$(",
        "\"${x:-",
        "${x[",
        "\"",
        "'",
        "`",
        "<<E\n",
        "<<E;",
        "[[ ( ",
        "[[ ! ",
        "<(",
        "a=(",
        "a[",
        "$[",
        "((a) );",
        "$((a) ) ;",
        "((a)|(b));",
        "$(( ${ ",
        "$(( $[",
        "! ",
        "time ",
        "a && ",
        "\\\n",
        "a\\\n",
        "\"$((",
        "$'",
        "# x\n",
        "for ((",
        "[[ a =~ (",
        "{a[",
        "{a[b]",
        "${a[{}",
        "$(<<E)",
        "\"${x:-'",
        "$(('",
        "1<",
        "{x}<",
        "$((a)(",
        "~",
        "a:~",
        "<<E\\\n",
        "$((((",
        "$(((a) )",
        "<((a) )",
        "a[<(",
        "((`",
        "a=",
        "\u{e9}",
        "\r",
        "\0",
        "a[]=",
        "x=([",
        "<<\"a\nb\"\n",
        "a=(b)c",
    ];
    let started = std::time::Instant::now();
    for unit in UNITS {
        let _ = read(&unit.repeat(300_000 / unit.len()));
        // 15 MB in all; whatever is quadratic takes minutes for its share alone.
        assert!(started.elapsed().as_secs() < 60, "{unit:?}");
    }
}

/// Every byte of an accepted text belongs to a node, or is a blank, an operator, a reserved word or a delimiter.
#[test]
fn nothing_of_the_text_is_lost() {
    for text in texts(ACCEPTED).filter(|text| !text.contains('#') || text.contains("${")) {
        let Reading { tree, joined, .. } = read(text).unwrap();
        let mut copies = String::new();
        let mut store = Store::new(text, &mut copies);
        store.joined = joined;
        let mut rest: Vec<u8> = text.bytes().collect();
        let mut cover = |span: Span| {
            let span = store.place(span).unwrap();
            let range = span.start as usize..span.end as usize;
            assert!(text.get(range.clone()).is_some(), "{text:?}: {span:?}");
            rest[range].fill(b' ');
        };
        tree.nodes.words.as_slice().iter().for_each(|word| cover(word.span));
        for redirection in tree.nodes.redirections.as_slice() {
            cover(redirection.span);
            cover(redirection.body);
        }
        tree.nodes.assignments.as_slice().iter().for_each(|assignment| cover(assignment.span));
        for condition in tree.nodes.conditions.as_slice() {
            if let Condition::Unary { operator, .. } | Condition::Binary { operator, .. } = condition {
                cover(*operator);
            }
        }
        for command in tree.nodes.commands.as_slice() {
            if let CommandKind::For { name, .. }
            | CommandKind::Select { name, .. }
            | CommandKind::Function { name, .. } = command.kind
            {
                cover(name);
            }
        }
        let rest = String::from_utf8(rest).unwrap().replace("\\\n", "");
        let known = [
            "if", "then", "elif", "else", "fi", "while", "until", "for", "in", "do", "done", "select",
            "case", "esac", "function", "coproc", "time", "!", "{", "}", "[[",
            "]]", // options of `time`, a coprocess's name
            "-p", "--", "N", // the delimiters of the corpus
            "EOF", "Q", "W", "A", "B", "EOF",
        ];
        for word in
            rest.split(|c: char| c.is_whitespace() || ";&|()".contains(c)).filter(|word| !word.is_empty())
        {
            assert!(known.contains(&word), "{word:?} of {text:?} is in no node");
        }
    }
}

/// Writes a tree as text, so that a table can show it.
struct Show<'t> {
    tree: &'t Tree,
    text: &'t str,
}

impl Show<'_> {
    fn items(&self, items: Slice<Item>) -> String {
        let shown: Vec<_> = self.tree.slice(items).iter().map(|item| self.item(item)).collect();
        shown.join(" ")
    }

    fn item(&self, item: &Item) -> String {
        let commands = self.tree.slice(item.commands);
        let shown: Vec<_> = commands
            .iter()
            .map(|command| self.command(command) + if command.pipes_stderr { "2>&1" } else { "" })
            .collect();
        let negation = if item.negated { "! " } else { "" };
        let connector = match item.connector {
            Connector::Sequence => "",
            Connector::Background => "&",
            Connector::And => "&&",
            Connector::Or => "||",
        };
        format!("{negation}{}{connector}", shown.join("|"))
    }

    fn words(&self, words: Slice<Word>) -> String {
        let shown: Vec<_> = words.ids().map(|word| self.word(word)).collect();
        shown.join(" ")
    }

    fn command(&self, command: &Command) -> String {
        let mut out = match command.kind {
            CommandKind::Simple { assignments, words } => {
                let mut shown: Vec<String> = assignments.ids().map(|id| self.assignment(id)).collect();
                shown.extend(words.ids().map(|word| self.word(word)));
                shown.join(" ")
            }
            CommandKind::Group { body } => format!("group {}", self.items(body)),
            CommandKind::Subshell { body } => format!("subshell {}", self.items(body)),
            CommandKind::If { clauses, otherwise } => {
                let mut out = String::from("if");
                for clause in self.tree.slice(clauses) {
                    write!(out, " [{}]{{{}}}", self.items(clause.condition), self.items(clause.body))
                        .unwrap();
                }
                out + &otherwise.map(|body| format!(" else {{{}}}", self.items(body))).unwrap_or_default()
            }
            CommandKind::Loop { condition, body, until } => {
                let name = if until { "until" } else { "while" };
                format!("{name} [{}]{{{}}}", self.items(condition), self.items(body))
            }
            CommandKind::For { name, words, body } | CommandKind::Select { name, words, body } => {
                let words = words.map(|words| format!(" in {}", self.words(words))).unwrap_or_default();
                format!("for {}{words} {{{}}}", name.of(self.text), self.items(body))
            }
            CommandKind::ForArithmetic { header, body } => {
                let header = self.tree.get(header);
                let parts = [header.init, header.test, header.step].map(|id| self.word(id));
                format!("for (({})) {{{}}}", parts.join(";"), self.items(body))
            }
            CommandKind::Case { word, arms } => {
                let mut out = format!("case {}", self.word(word));
                for arm in self.tree.slice(arms) {
                    write!(out, " [{}]{{{}}}{:?}", self.words(arm.patterns), self.items(arm.body), arm.end)
                        .unwrap();
                }
                out
            }
            CommandKind::Function { name, body } => {
                format!("function {} {}", name.of(self.text), self.command(&self.tree.get(body)))
            }
            CommandKind::Condition { condition } => format!("test {}", self.condition(condition)),
            CommandKind::Arithmetic { arithmetic } => {
                format!("arithmetic {}", self.word(self.tree.get(arithmetic).expression))
            }
            CommandKind::Coprocess { body } => format!("coproc {}", self.command(&self.tree.get(body))),
        };
        for redirection in self.tree.slice(command.redirections) {
            write!(out, " {}", redirection.span.of(self.text)).unwrap();
            if !redirection.body.is_empty() {
                write!(out, ":{:?}", redirection.body.of(self.text)).unwrap();
            }
        }
        format!("({})", out.trim_start_matches(' '))
    }

    fn condition(&self, id: Id<Condition>) -> String {
        match self.tree.get(id) {
            Condition::Not(inner) => format!("!{}", self.condition(inner)),
            Condition::And(left, right) => format!("({} && {})", self.condition(left), self.condition(right)),
            Condition::Or(left, right) => format!("({} || {})", self.condition(left), self.condition(right)),
            Condition::Unary { operator, operand } => {
                format!("{} {}", operator.of(self.text), self.word(operand))
            }
            Condition::Binary { operator, left, right } => {
                format!("{} {} {}", self.word(left), operator.of(self.text), self.word(right))
            }
            Condition::Word(word) => self.word(word),
        }
    }

    fn assignment(&self, id: Id<crate::syntax::Assignment>) -> String {
        let assignment = self.tree.get(id);
        let subscript = assignment.subscript.map(|id| format!("[{}]", self.word(id))).unwrap_or_default();
        let value = match assignment.value {
            AssignedValue::Word(word) => self.word(word),
            AssignedValue::Array(elements) => {
                let element = |element: &crate::syntax::Element| {
                    let subscript = element.subscript.map(|id| format!("[{}]:", self.word(id)));
                    subscript.unwrap_or_default() + &self.word(element.value)
                };
                let shown: Vec<_> = self.tree.slice(elements).iter().map(element).collect();
                format!("<{}>", shown.join(" "))
            }
        };
        let operator = if assignment.append { "+=" } else { "=" };
        format!("{}{subscript}{operator}{value}", assignment.name.of(self.text))
    }

    fn word(&self, id: Id<Word>) -> String {
        let word = self.tree.get(id);
        if word.parts.is_empty() {
            return word.span.of(self.text).to_string();
        }
        let shown: Vec<_> = self.tree.slice(word.parts).iter().map(|part| self.part(*part)).collect();
        shown.join("·")
    }

    fn part(&self, part: Part) -> String {
        let quotes = |quoted: bool| if quoted { "\"" } else { "" };
        match part {
            Part::Literal(span) => span.of(self.text).to_string(),
            Part::Quoted(span) => format!("'{}'", span.of(self.text)),
            Part::AnsiC(span) => format!("$'{}'", span.of(self.text)),
            Part::Variable { name, quoted } => format!("{}${}", quotes(quoted), name.of(self.text)),
            Part::Command { id, quoted } => {
                let substitution = self.tree.get(id);
                let body = if substitution.body.is_empty() {
                    substitution.text.of(self.text).to_string()
                } else {
                    self.items(substitution.body)
                };
                format!("{}$[{body}]", quotes(quoted))
            }
            Part::Process { id } => format!("<[{}]", self.items(self.tree.get(id).body)),
            Part::Arithmetic { id, quoted } => {
                format!("{}$(({}))", quotes(quoted), self.word(self.tree.get(id).expression))
            }
            Part::Assignment(id) => self.assignment(id),
            Part::Parameter { id, quoted } => self.parameter(self.tree.get(id), quotes(quoted)),
        }
    }

    fn parameter(&self, parameter: crate::syntax::Parameter, quotes: &str) -> String {
        let indirection = if parameter.indirect { "!" } else { "" };
        let subscript = parameter.subscript.map(|id| format!("[{}]", self.word(id))).unwrap_or_default();
        let name = parameter.name.of(self.text);
        let mut out = format!("{quotes}${{{indirection}{name}{subscript} {:?}", parameter.operator);
        for operand in parameter.operand.into_iter().chain(parameter.second) {
            write!(out, " <{}>", self.word(operand)).unwrap();
        }
        out + "}"
    }
}

fn show(text: &str) -> String {
    show_with(text, OPTIONS)
}

fn show_with(text: &str, options: ReadOptions) -> String {
    let Reading { tree, lines, text, .. } = match read_with(text, options) {
        Ok(read) => read,
        Err(fault) => return format!("{:?}", fault.kind),
    };
    let show = Show { tree: &tree, text: &text };
    let lines: Vec<_> = lines.iter().map(|&line| show.items(line)).collect();
    lines.join("\n")
}

#[test]
fn trees() {
    let rows: &[(&str, &str)] = &[
        ("a b|c&&d||e&f;g", "(a b)|(c)&& (d)|| (e)& (f) (g)"),
        ("! a |& b", "! (a)2>&1|(b)"),
        ("a'b'\"c\"\\d$e", "(a·'b'·'c'·'d'·$e)"),
        (r#"a "" '' "b $c ${d} \" \x""#, r#"(a '' '' 'b '·"$c·' '·"$d·' '·'" \x')"#),
        ("a\\\nb c\\\n d", "(ab c d)"),
        ("\\\na", "(a)"),
        ("a $'b\\'c' $\"d\" $ $x$", "(a $'b\\'c' 'd' $ $x·$)"),
        (r#"a `b \`c\`` "`d`""#, r#"(a $[b \`c\`] "$[d])"#),
        ("a $(b; c $(d)) <(e)", "(a $[(b) (c $[(d)])] <[(e)])"),
        (r#"a $((1+$b)) $[2] "$((3))""#, r#"(a $(('1+'·"$b)) $((2)) "$((3)))"#),
        ("a $((b) | (c))", "(a $[(subshell (b))|(subshell (c))])"),
        ("((a) | b)", "(subshell (subshell (a))|(b))"),
        ("((a + 1))", "(arithmetic a + 1)"),
        (
            "a ${b:-c d} ${b#*/} ${b//x/y z}",
            "(a ${b Default { colon: true } <c d>} ${b RemovePrefix { longest: false } <*/>} \
             ${b Replace(All) <x> <y z>})",
        ),
        ("a ${b///} ${b///c}", "(a ${b Replace(All) </>} ${b Replace(All) </c>})"),
        ("a ${b////c} ${b/#//c}", "(a ${b Replace(All) </> <c>} ${b Replace(Prefix) <> </c>})"),
        (r#"a "${b:-'c' "d" $e}""#, r#"(a "${b Default { colon: true } <''c' '·'d'·' '·"$e>})"#),
        (r#"a "${b%'c'}""#, r#"(a "${b RemoveSuffix { longest: false } <'c'>})"#),
        (
            "a ${b:1:2} ${b@Q} ${#b} ${!b}",
            "(a ${b Substring <1> <2>} ${b Transform(81)} ${b Length} ${!b None})",
        ),
        ("a ${!b[@]} ${!b*} ${b[1]}", "(a ${!b[@] Keys} ${b Names { at: false }} ${b[1] None})"),
        ("a ${b c} ${#} ${##} ${@} ${10}", "(a ${b Bad} $# ${# Length} $@ $10)"),
        ("x=1 y+=$z w[a b]=\"c\" d=(1 [2]=3 '4') cmd e=f", "(x=1 y+=$z w[a b]='c' d=<1 [2]:3 '4'> cmd e=f)"),
        ("declare -a x=(1 2) y=3", "(declare -a x=<1 2> y=3)"),
        ("x=a=b y= z", "(x=a=b y= z)"),
        (">x a 2>&1 b <<<c", "(a b >x 2>&1 <<<c)"),
        ("cat <<E; b\nc $d\nE\ne", "(cat <<E:\"c $d\\n\") (b)\n(e)"),
        ("cat <<A <<-B\na\nA\n\tb\n\tB\nc", "(cat <<A:\"a\\n\" <<-B:\"\\tb\\n\")\n(c)"),
        ("x=$(cat <<E\na\nE\n)", "(x=$[(cat <<E:\"a\\n\")])"),
        ("x=$(cat <<E\na\nE) b", "(x=$[(cat <<E:\"a\\n\")] b)"),
        ("cat <<A $(cat <<B) x\nb\nB\na\nA\nc", "(cat $[(cat <<B:\"b\\n\")] x <<A:\"a\\n\")\n(c)"),
        ("cat <<A x=(1\na\nA\n2)", "Unexpected"),
        (">f <<A x=(1\na\nA\n2)", "(x=<1 2> >f <<A:\"a\\n\")"),
        ("if a; then b; elif c; then d; else e; fi >f", "(if [(a)]{(b)} [(c)]{(d)} else {(e)} >f)"),
        ("while a; do b; done; until c; do d; done", "(while [(a)]{(b)}) (until [(c)]{(d)})"),
        ("for x in a b; do c; done; for y; { d; }", "(for x in a b {(c)}) (for y {(d)})"),
        ("for ((i=0; i<$n; )); do a; done", "(for ((i=0;' i<'·\"$n; )) {(a)})"),
        ("case $x in a|b) c;; (d) e;& *) esac", "(case $x [a b]{(c)}Break [d]{(e)}FallThrough [*]{}Break)"),
        ("f() { a; } >b; function g (c)", "(function f (group (a) >b)) (function g (subshell (c)))"),
        ("[[ ! -f a && ( b == c* || d ) ]]", "(test (!-f a && (b == c* || d)))"),
        ("[[ a =~ ^(b|c d)$ ]]", "(test a =~ ^(b|c d)$)"),
        ("[[ a =~ \"b\"|$c ]]", "(test a =~ 'b'·|·$c)"),
        ("coproc N { a; }; coproc b c", "(coproc (group (a))) (coproc (b c))"),
        ("coproc N a=1 b[ 2 ]=3 c", "(coproc (N a=1 b[·' 2 '·]=3 c))"),
        ("time -p a; !", "(a) ! ()"),
        ("{ a; }\n(b)", "(group (a))\n(subshell (b))"),
    ];
    for (text, expected) in rows {
        assert_eq!(show(text), *expected, "{text:?}");
    }
}

#[test]
fn extended_globs_are_read_where_they_are_on() {
    let on = ReadOptions { extglob: true, ..OPTIONS };
    assert_eq!(show_with("a @(b|c d)*(e) !(f)", on), "(a @(b|c d)*(e) !(f))");
    assert_eq!(show("a @(b|c d)"), "Unexpected");
    assert_eq!(show_with("! (f)", on), "! (subshell (f))");
    assert_eq!(show_with("a ?($x|'y')", on), "(a ?(·$x·|·'y'·))");
    assert_eq!(show("[[ a == @(b|c d) ]]"), "(test a == @(b|c d))");
}

#[test]
fn flags_tell_what_a_word_asks_for() {
    type F = WordFlags;
    let rows: &[(&str, &[F])] = &[
        ("abc", &[F::LITERAL]),
        ("--a=b", &[F::LITERAL]),
        ("a*", &[F::GLOB]),
        ("{a,b}", &[F::BRACE]),
        ("~/x", &[F::TILDE]),
        ("PATH:~", &[F::TILDE]),
        ("a~", &[F::LITERAL]),
        ("'a'", &[F::QUOTED]),
        ("\"$a\"", &[F::QUOTED, F::EXPANDS]),
        ("$a", &[F::EXPANDS]),
        ("`a`", &[F::EXPANDS]),
        ("<(a)", &[F::EXPANDS]),
        ("$'a'*", &[F::QUOTED, F::GLOB]),
        ("a=b", &[F::ASSIGNMENT, F::LITERAL]),
        ("a+=~", &[F::ASSIGNMENT, F::TILDE]),
        ("a[1]=b", &[F::ASSIGNMENT, F::GLOB]),
        ("'a'=b", &[F::QUOTED]),
        ("''", &[F::QUOTED]),
    ];
    for (text, expected) in rows {
        let line = format!("x {text}");
        let Reading { tree, .. } = read(&line).unwrap();
        let word = tree.nodes.words.as_slice().last().unwrap();
        let flags = expected.iter().fold(F::default(), |all, &flag| all.with(flag));
        assert_eq!(word.flags, flags, "{text:?}");
    }
}

fn show_word(text: &str, read: impl FnOnce(&mut Tree) -> Result<Id<Word>, Fault>) -> String {
    let mut tree = Tree::NEW;
    match read(&mut tree) {
        Ok(id) => Show { tree: &tree, text }.word(id),
        Err(fault) => format!("{:?}", fault.kind),
    }
}

#[test]
fn quoted_text_and_whole_words() {
    let quoted = |text: &str, heredoc| {
        let span = Span::new(0, text.len() as u32);
        show_word(text, |tree| read_quoted(text, 0, span, heredoc, OPTIONS, tree))
    };
    assert_eq!(
        quoted("a 'b' \"c\"\n$d `e` \\$ \\\" \\\n.", true),
        "'a 'b' \"c\"\n'·\"$d·' '·\"$[e]·' '·'$ \\\" '·'.'"
    );
    assert_eq!(quoted("plain; text", true), "plain; text");
    assert_eq!(quoted("a \"b\" $((c))", false), "'a '·'b'·' '·\"$((c))");
    assert_eq!(quoted("", false), "");
    assert_eq!(quoted("$(a", true), "Unterminated(CommandSubstitution)");
    let whole = |text: &str| show_word(text, |tree| read_word(text, 0, OPTIONS, tree));
    assert_eq!(whole("a b;c$(d)'e f'"), "a b;c·$[(d)]·'e f'");
    assert_eq!(whole("a|b"), "a|b");
    assert_eq!(whole(""), "");
}

#[test]
fn faults_point_at_their_place() {
    use SyntaxErrorKind::{MissingCommand, MissingWord, TooManyHeredocs, Unexpected, Unterminated};
    let rows: &[(&str, SyntaxErrorKind, &str, Option<&str>)] = &[
        ("a; ; b", Unexpected, ";", None),
        ("a && ; b", MissingCommand, ";", None),
        ("a > ; b", MissingWord, ";", None),
        ("a 'b", Unterminated(Construct::SingleQuotes), "", Some("'")),
        ("a \"b", Unterminated(Construct::DoubleQuotes), "", Some("\"")),
        ("a $(b", Unterminated(Construct::CommandSubstitution), "", Some("$(")),
        ("a ${b", Unterminated(Construct::Parameter), "", Some("${")),
        ("while a; do b", Unterminated(Construct::Loop), "", Some("while")),
        ("case x in a) b", Unterminated(Construct::Case), "", Some("case")),
        ("[[ a", Unterminated(Construct::Condition), "", Some("[[")),
        ("a (b)", Unexpected, "(", None),
        ("(a) bcd e", Unexpected, "bcd", None),
        ("if a; b; fi", SyntaxErrorKind::MissingKeyword("then"), "fi", None),
        ("f() a", SyntaxErrorKind::MissingBody, "a", None),
        ("<<a<<a<<a<<a<<a<<a<<a<<a<<a<<a<<a<<a<<a<<a<<a<<a<<b", TooManyHeredocs, "<<b", None),
    ];
    for (text, kind, at, opened) in rows {
        let Err(fault) = read(text) else { panic!("accepted {text:?}") };
        assert_eq!(fault.kind, *kind, "{text:?}");
        assert_eq!(fault.span.of(text), *at, "{text:?}");
        assert_eq!(fault.opened.map(|span| span.of(text)), *opened, "{text:?}");
    }
}
