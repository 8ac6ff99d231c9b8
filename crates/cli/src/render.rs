//! Pictures of a command with a mark under the bytes that matter.

use crate::message;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use bash_commands::Span;
use brakeline_settings::Language;
use std::io::IsTerminal;

/// How much of a long line is shown on each side of the mark, in bytes.
const MARGIN: usize = 400;

/// A picture with a title above, a mark under some bytes, and advice below.
#[derive(Debug)]
pub(crate) struct Picture<'a> {
    pub(crate) title: &'a str,
    /// The command, and the marked bytes of it.
    pub(crate) source: &'a str,
    pub(crate) span: Span,
    pub(crate) label: &'a str,
    pub(crate) help: &'a str,
    pub(crate) notes: &'a [String],
    pub(crate) language: Language,
}

impl Picture<'_> {
    /// Draws the picture, without a newline at its end.
    pub(crate) fn draw(&self, renderer: &Renderer) -> String {
        let excerpt = Excerpt::around(self.source, self.span);
        let mark = AnnotationKind::Primary.span(excerpt.mark.clone()).label(self.label);
        let snippet = Snippet::source(excerpt.text).line_start(excerpt.line).annotation(mark);
        let level = |level: Level<'static>, name: message::Word| level.with_name(name.text(self.language));
        let title = level(Level::ERROR, message::BLOCKED).primary_title(self.title);
        let help = level(Level::HELP, message::HELP).message(self.help);
        let notes = self.notes.iter().map(|note| level(Level::NOTE, message::NOTE).message(note.as_str()));
        let group = Group::with_title(title).element(snippet).element(help).elements(notes);
        renderer.render(&[group])
    }
}

/// The part of a text that is drawn: whole lines, or what is near the mark of very long ones.
#[derive(Debug, PartialEq, Eq)]
struct Excerpt<'a> {
    text: &'a str,
    line: usize,
    mark: std::ops::Range<usize>,
}

impl<'a> Excerpt<'a> {
    fn around(source: &'a str, span: Span) -> Self {
        let [start, end] = [span.start, span.end].map(|at| source.floor_char_boundary(at as usize));
        let from = source.floor_char_boundary(start.saturating_sub(MARGIN));
        let to = source.ceil_char_boundary(
            end.min(start.saturating_add(MARGIN)).saturating_add(MARGIN).min(source.len()),
        );
        // Lines that begin or end within the margin are not cut.
        let before = source.get(from..start).unwrap_or_default();
        let from = before.find('\n').filter(|_| from > 0).map_or(from, |at| from + at + 1);
        let text = source.get(from..to).unwrap_or_default();
        let line = 1 + source.get(..from).unwrap_or_default().matches('\n').count();
        Self { text, line, mark: start - from..end.max(start).min(to) - from }
    }
}

/// Returns the renderer for a stream: colour only on a terminal, and not against the wish of `NO_COLOR`.
pub(crate) fn renderer(stream: &impl IsTerminal) -> Renderer {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if stream.is_terminal() && !refused { Renderer::styled() } else { Renderer::plain() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(source: &str, start: usize, end: usize) -> String {
        let span = Span::new(start as u32, end as u32);
        Picture {
            title: "title",
            source,
            span,
            label: "here",
            help: "help",
            notes: &[],
            language: Language::En,
        }
        .draw(&Renderer::plain())
    }

    /// Returns the character above the first mark, and how many characters are marked.
    fn marked(picture: &str) -> (char, usize) {
        let lines: Vec<_> = picture.lines().collect();
        let at = lines.iter().rposition(|line| line.contains('^')).unwrap();
        let column = lines[at].chars().position(|char| char == '^').unwrap();
        (lines[at - 1].chars().nth(column).unwrap(), lines[at].matches('^').count())
    }

    #[test]
    fn the_mark_stands_under_the_bytes_of_the_span() {
        for (source, word) in [
            ("find /", "/"),
            ("bash -c \"cd x && sudo find '/etc/ssl' -name y\"", "/etc/ssl"),
            ("cd /tmp\nfor x in 1 2; do\n  find ^ -name z\ndone", "^"),
        ] {
            let start = source.find(word).unwrap();
            let picture = draw(source, start, start + word.len());
            assert_eq!(marked(&picture), (word.chars().next().unwrap(), word.len()), "{picture}");
        }
    }

    #[test]
    fn long_texts_are_cut_and_the_mark_stays() {
        let long = format!("{}\n{} find / {}", "a\n".repeat(5000), "é".repeat(10_000), "ü".repeat(100_000));
        let start = long.find('/').unwrap();
        let picture = draw(&long, start, start + 1);
        assert!(picture.len() < 4000, "{}", picture.len());
        assert!(picture.contains("5002 |"), "{picture}");
        assert_eq!(marked(&picture), ('/', 1));
        // A span without an end in sight, and one outside the text.
        assert!(draw(&long, 0, long.len()).len() < 8000);
        draw("find", 7, 9);
    }

    proptest::proptest! {
        #[test]
        fn any_text_and_span_can_be_drawn(text in "(\\PC|\\n|\\r|\\t|é|查){0,80}", start in 0_usize..300, length in 0_usize..300) {
            draw(&text, start, start + length);
        }
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let picture = draw("find /\u{1b}[2J\u{7}", 5, 6);
        assert!(!picture.contains(['\u{1b}', '\u{7}']), "{picture:?}");
    }
}
