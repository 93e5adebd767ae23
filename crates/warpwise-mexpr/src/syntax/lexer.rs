//! Text to tokens.
//!
//! Tokens carry a kind and a position, but no value: [`literals`](crate::syntax::literals) decodes them when the parser takes
//! them. Comments (`--` to the end of the line, `/- -/` nested) and white space are dropped. The last token is always
//! [`TokenKind::Eof`]. A sign directly before a digit belongs to the number: `f -1` applies `f`.
//!
//! Text that is not a token becomes [`TokenKind::Unknown`], [`TokenKind::UnclosedString`] or [`TokenKind::UnclosedComment`]; the
//! parser reports it.

use logos::{Filter, Lexer, Logos};

/// A token: its kind and its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// The kinds of tokens.
#[derive(Logos, Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[logos(skip r"[ \t\r\n\x0c]+")]
#[logos(skip(r"--[^\n]*", priority = 20, allow_greedy = true))]
#[allow(missing_docs)] // Each variant is described by its name.
pub enum TokenKind {
    #[token("if")]
    If,
    #[token("then")]
    Then,
    #[token("else")]
    Else,
    #[token("true")]
    True,
    #[token("false")]
    False,
    #[token("match")]
    Match,
    #[token("with")]
    With,
    #[token("utest")]
    Utest,
    #[token("type")]
    Type,
    #[token("con")]
    Con,
    #[token("lang")]
    Lang,
    #[token("let")]
    Let,
    #[token("recursive")]
    Recursive,
    #[token("lam")]
    Lam,
    #[token("in")]
    In,
    #[token("end")]
    End,
    #[token("syn")]
    Syn,
    #[token("sem")]
    Sem,
    #[token("use")]
    Use,
    #[token("mexpr")]
    Mexpr,
    #[token("include")]
    Include,
    #[token("never")]
    Never,
    #[token("using")]
    Using,
    #[token("external")]
    External,
    #[token("switch")]
    Switch,
    #[token("case")]
    Case,
    #[token("all")]
    All,
    #[token("dive")]
    Dive,
    #[token("prerun")]
    Prerun,

    #[token("Unknown")]
    UnknownType,
    #[token("Bool")]
    BoolType,
    #[token("Int")]
    IntType,
    #[token("Float")]
    FloatType,
    #[token("Char")]
    CharType,
    #[token("String")]
    StringType,
    #[token("Tensor")]
    TensorType,

    /// A name that starts with a lower-case letter, or an operator that is a name.
    #[regex(r"[a-z_][a-zA-Z0-9_]*", priority = 2)]
    #[regex(r"-|\*|/|%|<=|>=|<<|>>|>>>|==|!=|&&|\|\||\$|=>", priority = 2)]
    Lower,
    /// A name that starts with a capital letter.
    #[regex(r"[A-Z][a-zA-Z0-9_]*", priority = 2)]
    Upper,
    #[regex(r#"#var"([^"\\]|\\[^\n])*""#)]
    QuotedVar,
    #[regex(r#"#con"([^"\\]|\\[^\n])*""#)]
    QuotedCon,
    #[regex(r#"#type"([^"\\]|\\[^\n])*""#)]
    QuotedType,
    #[regex(r#"#label"([^"\\]|\\[^\n])*""#)]
    QuotedLabel,
    #[regex(r#"#frozen"([^"\\]|\\[^\n])*""#)]
    QuotedFrozen,

    #[regex(r"-?[0-9]+", priority = 5)]
    Int,
    #[regex(r"-?[0-9]+(\.[0-9]*([eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)")]
    Float,
    #[regex(r"'([^\\]|\\[^\n])'")]
    Char,
    #[regex(r#""([^"\\]|\\[^\n])*""#)]
    String,
    #[regex(r#""([^"\\]|\\[^\n])*"#)]
    UnclosedString,
    #[token("/-", comment)]
    UnclosedComment,

    #[token("=")]
    Equals,
    #[token("+")]
    Plus,
    #[token("++")]
    PlusPlus,
    #[token("(")]
    LParen,
    #[token(")")]
    RParen,
    #[token("[")]
    LBracket,
    #[token("]")]
    RBracket,
    #[token("{")]
    LBrace,
    #[token("}")]
    RBrace,
    #[token(":")]
    Colon,
    #[token("::")]
    ColonColon,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(".")]
    Dot,
    #[token("|")]
    Bar,
    #[token("&")]
    And,
    #[token("!")]
    Not,
    #[token("_", priority = 10)]
    Underscore,
    #[token("->")]
    Arrow,
    #[token(">")]
    Greater,
    #[token("<")]
    Less,

    /// Text that is not a token.
    Unknown,
    /// The end of the text.
    Eof,
}

impl TokenKind {
    /// Returns the name of a token with that text in messages.
    pub fn describe(self, text: &str) -> String {
        match self {
            TokenKind::Eof => "end of the file".to_string(),
            TokenKind::String => "a string".to_string(),
            _ => format!("`{text}`"),
        }
    }

    /// Returns whether this is a word that cannot be a name.
    pub fn is_reserved_word(self, text: &str) -> bool {
        !matches!(self, TokenKind::Lower | TokenKind::Upper | TokenKind::Underscore)
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
    }
}

/// Splits a text into tokens.
pub fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for (kind, range) in TokenKind::lexer(text).spanned() {
        let kind = kind.unwrap_or(TokenKind::Unknown);
        tokens.push(Token { kind, start: range.start as u32, end: range.end as u32 });
    }
    let end = text.len() as u32;
    tokens.push(Token { kind: TokenKind::Eof, start: end, end });
    tokens
}

/// Skips the rest of a comment, including nested comments; an unclosed comment becomes a token of two bytes.
fn comment(lexer: &mut Lexer<'_, TokenKind>) -> Filter<()> {
    let rest = lexer.remainder().as_bytes();
    let (mut depth, mut at) = (1u32, 0);
    while at + 1 < rest.len() {
        match (rest[at], rest[at + 1]) {
            (b'/', b'-') => depth += 1,
            (b'-', b'/') => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            lexer.bump(at);
            return Filter::Skip;
        }
    }
    Filter::Emit(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        let mut kinds: Vec<_> = tokenize(text).into_iter().map(|token| token.kind).collect();
        assert_eq!(kinds.pop(), Some(TokenKind::Eof));
        kinds
    }

    #[test]
    fn signs_belong_to_numbers() {
        use TokenKind::*;
        assert_eq!(kinds("x -1 - 1"), [Lower, Int, Lower, Int]);
        assert_eq!(kinds("1. 1.5e-3 2e5 -0.5"), [Float; 4]);
        assert_eq!(kinds("t.0"), [Lower, Dot, Int]);
        assert_eq!(kinds("t.0.1"), [Lower, Dot, Float]);
        assert_eq!(kinds("1e"), [Int, Lower]);
    }

    #[test]
    fn words_are_told_from_names() {
        use TokenKind::*;
        assert_eq!(kinds("lam lamb in inn _ _a __"), [Lam, Lower, In, Lower, Underscore, Lower, Lower]);
        assert_eq!(kinds("Int Integer Tensor[A]"), [IntType, Upper, TensorType, LBracket, Upper, RBracket]);
        assert_eq!(kinds("#var\"a b\" #label\"0\""), [QuotedVar, QuotedLabel]);
        assert_eq!(
            kinds("a->b <= ++ + :: :"),
            [Lower, Arrow, Lower, Lower, PlusPlus, Plus, ColonColon, Colon]
        );
    }

    #[test]
    fn comments_nest() {
        use TokenKind::*;
        assert_eq!(kinds("a -- b\n/- c /- d -/ e -/ f"), [Lower, Lower]);
        assert_eq!(kinds("a /-/ b -/ c"), [Lower, Lower]);
        assert_eq!(kinds("a /- b"), [Lower, UnclosedComment, Lower]);
        assert_eq!(kinds("/--/ x"), [Lower]);
    }

    #[test]
    fn strings_span_lines() {
        use TokenKind::*;
        assert_eq!(kinds("\"a\nb\\\"c\" 'x' '\\n' 'é'"), [String, Char, Char, Char]);
        assert_eq!(kinds("\"a"), [UnclosedString]);
        assert_eq!(kinds("¤"), [Unknown]);
    }
}
