//! Tells patterns that the linear-time engine reads exactly as PCRE does from those that need PCRE.
//!
//! The linear-time engine is faster, and no pattern makes it slow, so whatever it reads alike goes there. What only one of them
//! knows, or what they read differently (`[a&&b]`, `\<`, nested brackets, flags, …), is PCRE's.

use regex_syntax::ast::{
    AssertionKind, Ast, ClassSet, ClassSetItem, Flag, FlagsItemKind, GroupKind, LiteralKind,
    SpecialLiteralKind, Visitor, parse::Parser, visit,
};

/// Returns whether both engines read a pattern alike.
pub(crate) fn reads_alike(pattern: &str) -> bool {
    Parser::new().parse(pattern).is_ok_and(|ast| visit(&ast, Common).is_ok())
}

/// Fails at the first piece that is not common to both.
struct Common;

impl Visitor for Common {
    type Output = ();
    type Err = ();

    fn finish(self) -> Result<(), ()> {
        Ok(())
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), ()> {
        let common = match ast {
            Ast::Empty(_) | Ast::Dot(_) | Ast::ClassPerl(_) | Ast::Alternation(_) | Ast::Concat(_) => true,
            // `a++` is a repetition of a repetition in one, and never gives back what it took in the other.
            Ast::Repetition(repetition) => !matches!(*repetition.ast, Ast::Repetition(_)),
            Ast::Literal(literal) => is_common(&literal.kind),
            Ast::Assertion(assertion) => matches!(
                assertion.kind,
                AssertionKind::StartLine
                    | AssertionKind::EndLine
                    | AssertionKind::WordBoundary
                    | AssertionKind::NotWordBoundary
            ),
            Ast::ClassBracketed(class) => matches!(class.kind, ClassSet::Item(_)),
            Ast::Group(group) => match &group.kind {
                GroupKind::CaptureIndex(_) => true,
                GroupKind::CaptureName { .. } => false,
                GroupKind::NonCapturing(flags) => flags.items.iter().all(|item| {
                    matches!(
                        item.kind,
                        FlagsItemKind::Flag(
                            Flag::CaseInsensitive | Flag::MultiLine | Flag::DotMatchesNewLine
                        )
                    )
                }),
            },
            Ast::Flags(set) => set
                .flags
                .items
                .iter()
                .all(|item| matches!(item.kind, FlagsItemKind::Flag(Flag::CaseInsensitive))),
            Ast::ClassUnicode(_) => false,
        };
        if common { Ok(()) } else { Err(()) }
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), ()> {
        let common = match item {
            ClassSetItem::Literal(literal) => is_common(&literal.kind),
            ClassSetItem::Range(range) => is_common(&range.start.kind) && is_common(&range.end.kind),
            ClassSetItem::Perl(_) | ClassSetItem::Union(_) => true,
            // `[:alpha:]` is ASCII in one and Unicode in the other; a bracket within brackets is a set in one, a character in the other.
            ClassSetItem::Empty(_)
            | ClassSetItem::Ascii(_)
            | ClassSetItem::Unicode(_)
            | ClassSetItem::Bracketed(_) => false,
        };
        if common { Ok(()) } else { Err(()) }
    }

    fn visit_class_set_binary_op_pre(&mut self, _: &regex_syntax::ast::ClassSetBinaryOp) -> Result<(), ()> {
        Err(())
    }
}

fn is_common(kind: &LiteralKind) -> bool {
    match kind {
        LiteralKind::Verbatim | LiteralKind::Meta | LiteralKind::Superfluous => true,
        LiteralKind::Special(special) => matches!(
            special,
            SpecialLiteralKind::Tab | SpecialLiteralKind::LineFeed | SpecialLiteralKind::CarriageReturn
        ),
        LiteralKind::HexFixed(_) | LiteralKind::HexBrace(_) | LiteralKind::Octal => false,
    }
}

#[cfg(test)]
mod tests {
    use super::reads_alike;

    #[test]
    fn what_both_know() {
        for pattern in
            ["abc", r"fn \w+\(", "^a|b$", "[a-z0-9_]+", r"a{2,3}?", "(?:x)(y)", "(?i)x", r"\bfoo\b", r"[^\s]"]
        {
            assert!(reads_alike(pattern), "{pattern}");
        }
    }

    #[test]
    fn what_only_pcre_knows_or_reads_otherwise() {
        for pattern in [
            r"(a)\1",
            "a(?=b)",
            "(?<!a)b",
            r"\Kx",
            "a++",
            "(?>a)",
            "[[:alpha:]]",
            "[a&&b]",
            "[a--b]",
            "[[a]]",
            r"\<a",
            r"\A",
            r"\z",
            r"\p{L}",
            "(?P<n>a)",
            "(?x)a b",
            "foo{",
            r"\h",
            "(?R)",
            r"\Qa.b\E",
            r"[\b]",
        ] {
            assert!(!reads_alike(pattern), "{pattern}");
        }
    }
}
