//! Lexing of text to tokens.
//!
//! Tokens carry a kind and a source position, but no value: the parser interns names and decodes literals when it takes them
//! ([`literals`](crate::syntax::literals)). Comments and white space are dropped, documentation comments are kept. The last token
//! is always [`TokenKind::Eof`].
//!
//! Three rules depend on the preceding text:
//! - `[` is [`IndexBracket`](TokenKind::IndexBracket) directly after a letter, digit, `_`, `'`, `)` or `]`;
//! - a number directly after `.` is never a float, so that `x.0.1` is two projections;
//! - an operator directly after `name.` belongs to it (`m.+`); the chain is joined here from its end, since looking ahead from
//!   every name would take quadratic time on `a.a.a.a`.
//!
//! Invalid text becomes [`TokenKind::Unknown`] or [`TokenKind::UnclosedString`], which the parser reports.

use logos::{Lexer, Logos};

use crate::syntax::literals::scan_number;

/// A token: its kind and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Kind of the token.
    pub kind: TokenKind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// The kinds of tokens.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[logos(skip r"[ \t\r\n\x0b\x0c]+")]
#[logos(skip(r"--[^\n]*", priority = 10, allow_greedy = true))]
#[allow(missing_docs)] // Each name says what it is.
pub enum TokenKind {
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("def")]
    Def,
    #[token("let")]
    Let,
    #[token("loop")]
    Loop,
    #[token("in")]
    In,
    #[token("val")]
    Val,
    #[token("for")]
    For,
    #[token("do")]
    Do,
    #[token("with")]
    With,
    #[token("local")]
    Local,
    #[token("open")]
    Open,
    #[token("include")]
    Include,
    #[token("import")]
    Import,
    #[token("type")]
    Type,
    #[token("entry")]
    Entry,
    #[token("module")]
    Module,
    #[token("while")]
    While,
    #[token("assert")]
    Assert,
    #[token("match")]
    Match,
    #[token("case")]
    Case,
    #[token("true")]
    True,
    #[token("false")]
    False,

    /// A name.
    #[regex(r"[a-zA-Z][a-zA-Z0-9_']*|_[a-zA-Z0-9][a-zA-Z0-9_']*", priority = 2)]
    Ident,
    /// `#name`.
    #[regex(r"#([a-zA-Z][a-zA-Z0-9_']*|_[a-zA-Z0-9][a-zA-Z0-9_']*)")]
    Constructor,
    /// An operator without a kind of its own.
    #[regex(r"[-+*/%=!><|&^][-+*/%=!><|&^.]*", priority = 1)]
    Operator,
    /// A qualified operator: `m.+`.
    QualOperator,

    /// Decimal digits without suffix: an integer or the name of a field.
    Decimal,
    /// Any other number.
    #[regex(r"[0-9]", lex_number)]
    Number,
    #[regex(r"'([^'\\\n]|\\([^0-9\n]|[0-9]+))'")]
    Char,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    String,
    #[regex(r#""([^"\\\n]|\\[^\n])*"#)]
    UnclosedString,
    /// `-- | ...` with the comment lines that follow.
    #[regex(r"-- \|[^\n]*", lex_doc, priority = 20, allow_greedy = true)]
    Doc,

    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    /// `[` directly after an expression that can be indexed.
    IndexBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token("#[")]
    AttrOpen,
    #[token(",")]
    Comma,
    #[token("_")]
    Underscore,
    #[token(".")]
    Dot,
    #[token("..")]
    TwoDots,
    #[token("...")]
    ThreeDots,
    #[token("..<")]
    DotsLess,
    #[token("..>")]
    DotsGreater,
    #[token("?")]
    Question,
    #[token("???")]
    Hole,
    #[token(":")]
    Colon,
    #[token(":>")]
    ColonGreater,
    #[token("\\")]
    Backslash,
    #[token("`")]
    Backtick,
    #[token("'")]
    Quote,
    #[token("'^")]
    QuoteCaret,
    #[token("'~")]
    QuoteTilde,
    #[token("~")]
    Tilde,
    #[token("=")]
    Equals,
    #[token("->")]
    Arrow,
    #[token("*")]
    Star,
    #[token("-")]
    Minus,
    #[token("!")]
    Bang,
    #[token("<")]
    Less,
    #[token("^")]
    Caret,
    #[token("|")]
    Pipe,

    /// Text that is no token of the language.
    Unknown,
    /// The end of the file.
    Eof,
}

/// Splits a text shorter than 4 GiB into tokens, ended by [`TokenKind::Eof`].
pub fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    let mut lexer = TokenKind::lexer(text);
    while let Some(result) = lexer.next() {
        let kind = result.unwrap_or(TokenKind::Unknown);
        let span = lexer.span();
        let kind = in_context(kind, &text[..span.start], lexer.slice());
        let token = Token { kind, start: span.start as u32, end: span.end as u32 };
        let token = if is_operator(kind) { join_qualifiers(&mut tokens, token) } else { token };
        tokens.push(token);
    }
    let end = text.len() as u32;
    tokens.push(Token { kind: TokenKind::Eof, start: end, end });
    tokens
}

/// Adjusts the kinds that depend on the preceding text, or on manual scanning.
fn in_context(kind: TokenKind, before: &str, slice: &str) -> TokenKind {
    let previous = before.as_bytes().last().copied().unwrap_or(b'\n');
    if kind == TokenKind::LBracket && (previous.is_ascii_alphanumeric() || b"_')]".contains(&previous)) {
        TokenKind::IndexBracket
    } else if kind == TokenKind::Number && slice.bytes().all(|b| b.is_ascii_digit() || b == b'_') {
        TokenKind::Decimal
    } else {
        kind
    }
}

fn is_operator(kind: TokenKind) -> bool {
    use TokenKind::*;
    matches!(kind, Operator | Equals | Arrow | Star | Minus | Bang | Less | Caret | Pipe)
}

/// Removes `name .` pairs that touch the operator from the end of `tokens`, and joins them to it.
fn join_qualifiers(tokens: &mut Vec<Token>, operator: Token) -> Token {
    let mut joined = operator;
    while let [.., name, dot] = tokens[..]
        && (name.kind, dot.kind) == (TokenKind::Ident, TokenKind::Dot)
        && (name.end, dot.end) == (dot.start, joined.start)
    {
        joined = Token { kind: TokenKind::QualOperator, start: name.start, ..joined };
        tokens.truncate(tokens.len() - 2);
    }
    joined
}

fn lex_number(lexer: &mut Lexer<TokenKind>) {
    let start = lexer.span().start;
    let source = lexer.source();
    let after_dot = source[..start].ends_with('.');
    lexer.bump(scan_number(&source.as_bytes()[start..], after_dot) - 1);
}

/// Extends a documentation comment over the comment lines that follow it.
fn lex_doc(lexer: &mut Lexer<TokenKind>) {
    loop {
        let rest = lexer.remainder();
        let Some(next_line) = rest.strip_prefix('\n') else { return };
        if !next_line.trim_start_matches([' ', '\t', '\x0b', '\x0c']).starts_with("--") {
            return;
        }
        let length = next_line.find('\n').unwrap_or(next_line.len());
        lexer.bump(1 + length);
    }
}

impl TokenKind {
    /// Whether it is a keyword.
    pub fn is_keyword(self) -> bool {
        use TokenKind::*;
        matches!(
            self,
            If | Then
                | Else
                | Def
                | Let
                | Loop
                | In
                | Val
                | For
                | Do
                | With
                | Local
                | Open
                | Include
                | Import
                | Type
                | Entry
                | Module
                | While
                | Assert
                | Match
                | Case
                | True
                | False
        )
    }

    /// Returns the description of a token in messages, given its text. Tests of programs look for these words.
    pub fn describe(self, text: &str) -> String {
        match self {
            TokenKind::Eof => "end of file".to_string(),
            TokenKind::Doc => "documentation comment".to_string(),
            TokenKind::String | TokenKind::UnclosedString => format!("string: {}", shorten(text)),
            _ => format!("token: '{}'", shorten(text)),
        }
    }
}

/// Returns the text, or its beginning if it is too long for a message.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::TokenKind::*;
    use super::*;

    #[track_caller]
    fn check(text: &str, kinds: &[TokenKind]) {
        let mut found: Vec<TokenKind> = tokenize(text).into_iter().map(|t| t.kind).collect();
        assert_eq!(found.pop(), Some(Eof));
        assert_eq!(found, kinds, "{text:?}");
    }

    #[test]
    fn brackets_index_only_when_they_touch() {
        check("a[i]", &[Ident, IndexBracket, Ident, RBracket]);
        check("a [i]", &[Ident, LBracket, Ident, RBracket]);
        check(
            ")[ ][ }[ \"\"[",
            &[RParen, IndexBracket, RBracket, IndexBracket, RBrace, LBracket, String, LBracket],
        );
    }

    #[test]
    fn no_float_after_a_dot() {
        check("x.0.1", &[Ident, Dot, Decimal, Dot, Decimal]);
        check("0.1.2", &[Number, Dot, Decimal]);
        check(
            "1.e5 1e5 1_000 0x1.8p3f32 0x1.8",
            &[Decimal, Dot, Ident, Number, Decimal, Number, Number, Dot, Decimal],
        );
        check("0...1.0", &[Decimal, ThreeDots, Decimal, Dot, Decimal]);
    }

    #[test]
    fn operators_take_as_much_as_they_can() {
        check("a->*b =- <| ->", &[Ident, Operator, Ident, Operator, Operator, Arrow]);
        check("a+.5", &[Ident, Operator, Decimal]);
        check("a-1 a -- b", &[Ident, Minus, Decimal, Ident]);
        check("0..<n", &[Decimal, DotsLess, Ident]);
    }

    #[test]
    fn qualified_operators_are_joined() {
        check("a.b.+c", &[QualOperator, Ident]);
        check("1.x.-", &[Decimal, Dot, QualOperator]);
        check("a .b.* m.=", &[Ident, Dot, QualOperator, QualOperator]);
        check("a. +", &[Ident, Dot, Operator]);
    }

    #[test]
    fn quotes() {
        check(
            r"'a 'b' '\n' '\'' '~t '^t x'",
            &[Quote, Ident, Char, Char, Char, QuoteTilde, Ident, QuoteCaret, Ident, Ident],
        );
        check(r#""a\"b" "c"#, &[String, UnclosedString]);
    }

    #[test]
    fn underscores_and_constructors() {
        check("_ _x __x #foo #[ #", &[Underscore, Ident, Underscore, Ident, Constructor, AttrOpen, Unknown]);
    }

    #[test]
    fn documentation_takes_the_following_comments() {
        check("-- | a\n  -- b\n-- c\nx -- d\n-- e", &[Doc, Ident]);
    }
}
