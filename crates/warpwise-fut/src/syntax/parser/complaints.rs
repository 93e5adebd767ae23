//! Messages about syntax errors, with hints on the likely intention.

use warpwise_diag::{Diagnostic, Span};

use super::{Parser, Reported};
use crate::syntax::lexer::{Token, TokenKind};

/// Grammatical positions that require a name.
const NAMES: [&str; 5] = ["a pattern", "a name", "a parameter", "`->` or a parameter", "the name of a field"];

const COMMENT: &str = "a comment starts with `--` and goes to the end of the line";

impl Parser<'_> {
    /// Reports that the current token is not what the grammar requires.
    pub(super) fn unexpected(&mut self, expected: &str) -> Reported {
        let token = self.token();
        let text = self.slice(token);
        if token.kind.is_keyword() && NAMES.contains(&expected) {
            return self.keyword_as_name(token, expected);
        }
        let (code, message) = match token.kind {
            TokenKind::Unknown => {
                ("E0101", format!("`{}` means nothing in this language", text.escape_debug()))
            }
            TokenKind::UnclosedString => ("E0102", "this string does not end on its line".to_string()),
            kind => ("E0110", format!("Unexpected {}", kind.describe(text))),
        };
        let mut diagnostic =
            Diagnostic::error(code, self.token_span(token), message).at(format!("expected {expected}"));
        diagnostic.hints.extend(self.hint_for(token, expected).map(str::to_string));
        if let Some(previous) = self.previous()
            && self.text[previous.end as usize..token.start as usize].contains('\n')
        {
            diagnostic = diagnostic.label(self.token_span(previous), "after this");
        }
        self.report(diagnostic)
    }

    /// Reports a keyword in the place of a name. The keyword is taken as the name, so that it causes no further errors.
    fn keyword_as_name(&mut self, token: Token, expected: &str) -> Reported {
        let text = self.slice(token);
        let error = Diagnostic::error(
            "E0110",
            self.token_span(token),
            format!("Unexpected token: '{text}', which is a keyword, not a name"),
        );
        let error =
            error.at(format!("expected {expected}")).hint(format!("choose another name, such as `{text}_`"));
        self.bump();
        self.report(error)
    }

    /// Reports a `let` without `in`, which is detected at a token that cannot follow.
    pub(super) fn missing_in(&mut self, last: Span) -> Reported {
        use TokenKind::*;
        if !self.at_any(&[Def, Entry, Type, Module, Open, Import, Local, Eof]) {
            return self.unexpected("`in` or another `let`");
        }
        let found = match self.kind() {
            Eof => "end of file".to_string(),
            _ => format!("\"{}\"", self.slice(self.token())),
        };
        let error = Diagnostic::error("E0119", last, format!("Unexpected {found}: this `let` has no `in`"));
        let error =
            error.label(self.token_span(self.token()), "before this, `in` and the result are missing");
        self.report(error.hint("write `in` and the result after the last binding"))
    }

    fn previous(&self) -> Option<Token> {
        self.position.checked_sub(1).map(|last| self.tokens[last])
    }

    /// Returns the likely intention behind a misplaced token.
    fn hint_for(&self, token: Token, expected: &str) -> Option<&'static str> {
        let text = self.slice(token);
        let declares = expected.starts_with("a declaration");
        let before = self.previous().map(|previous| previous.kind);
        match token.kind {
            TokenKind::Doc => Some(
                "a comment that starts with `-- |` documents the declaration after it; elsewhere leave out the bar",
            ),
            TokenKind::UnclosedString => Some("close it with `\"`; write a line break as `\\n`"),
            TokenKind::Operator if declares && (text.starts_with("/*") || text.starts_with("//")) => {
                Some(COMMENT)
            }
            TokenKind::Ident if declares => hint_for_declaration(text),
            TokenKind::IndexBracket => Some("put a space before `[` if it starts an array or a size"),
            TokenKind::Backslash => Some("put parentheses around a function that is not the last argument"),
            TokenKind::For | TokenKind::While if expected == "an expression" => Some(
                "a loop says what it computes: `loop x = start for i < n do ...`, or `... while condition do ...`",
            ),
            TokenKind::Then if expected == "`else`" => Some("write `else if` as two words"),
            _ if expected == "`else`" => {
                Some("an `if` is an expression: it has an `else` with the other value")
            }
            TokenKind::If | TokenKind::Let | TokenKind::Loop | TokenKind::Match | TokenKind::Assert => {
                Some("put parentheses around it to make it an argument or an operand")
            }
            TokenKind::Arrow => Some("a function without a name starts with a backslash: `\\x -> ...`"),
            TokenKind::Operator if text.starts_with("->") => Some("put a space after `->`"),
            TokenKind::Operator if text.contains('-') => Some(
                "operators take as many symbols as they can: put a space between an operator and a minus sign",
            ),
            TokenKind::Constructor => Some("put parentheses around a constructor with arguments"),
            TokenKind::Equals if before == Some(TokenKind::Equals) => {
                Some("equality is written `==`, without spaces")
            }
            TokenKind::Equals if before == Some(TokenKind::Colon) => Some("a name gets its value by `=`"),
            TokenKind::Equals if !declares => {
                Some("equality is written `==`; `=` gives a value to a name after `let` or `def`")
            }
            TokenKind::RBrace if expected == "`:`" => Some(
                "the body of a function stands after `=`, without braces; `{x: t}` is the type of a record",
            ),
            _ => hint_for_character(text),
        }
    }
}

fn hint_for_character(text: &str) -> Option<&'static str> {
    match text {
        "#" => Some(COMMENT),
        "'" => Some("a string stands between double quotes; single quotes hold one character"),
        ";" => Some("nothing stands between bindings; what `let` binds is used after `in`"),
        "?" => Some("a choice is written `if condition then this else that`"),
        "@" => Some("a matrix product is a function, such as `map (\\row -> ...) a`; there is no `@`"),
        _ => None,
    }
}

fn hint_for_declaration(text: &str) -> Option<&'static str> {
    let words = [
        "fn", "fun", "func", "function", "proc", "const", "var", "val", "int", "float", "double", "void",
        "bool", "auto", "define", "static", "public", "i32", "i64", "f32", "f64",
    ];
    match text {
        "class" | "struct" | "data" | "enum" | "typedef" | "record" => {
            Some("a type is defined by `type name = {field: t, ...}` or `type name = #this t | #that`")
        }
        "using" | "include" | "from" | "use" => {
            Some("another file is used by `import \"path\"`, without its ending")
        }
        "return" => Some("what follows `=` or `in` is the result; there is no `return`"),
        _ => words
            .contains(&text)
            .then_some("a function or a value is defined by `def name parameter ... = result`"),
    }
}
