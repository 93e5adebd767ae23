//! Tokens of the text form. Comments run from `//` to the end of the line.

use warpwise_diag::{Diagnostic, FileId, Span};

use super::Parsed;

/// A token and its position.
#[derive(Clone, PartialEq, Debug)]
pub struct Token<'t> {
    /// The kind of token.
    pub kind: TokenKind<'t>,
    /// Source position.
    pub span: Span,
}

/// The kind of a token, with its text.
#[derive(Clone, PartialEq, Debug)]
pub enum TokenKind<'t> {
    /// A word; may contain dots (`f32.inf`).
    Word(&'t str),
    /// A number as written, including sign and suffix.
    Number(&'t str),
    /// A text in quotes, with escapes resolved.
    Text(String),
    /// Punctuation.
    Mark(&'static str),
    /// The end of the file.
    End,
}

impl<'t> TokenKind<'t> {
    /// Returns the word, if the token is one.
    pub fn as_word(&self) -> Option<&'t str> {
        if let TokenKind::Word(word) = self { Some(word) } else { None }
    }

    /// Returns the name, if the token is one: a word or a text.
    pub fn as_name(&self) -> Option<&str> {
        match self {
            TokenKind::Word(word) => Some(word),
            TokenKind::Text(text) => Some(text),
            TokenKind::Number(_) | TokenKind::Mark(_) | TokenKind::End => None,
        }
    }
}

/// Punctuation. A mark that is a prefix of another comes after it.
const MARKS: &[&str] =
    &["->", "(", ")", "[", "]", "{", "}", ",", ";", ":", "=", "<", ">", "@", "*", "+", "-", "#"];

/// Returns the tokens of a text, with an end token last.
pub(super) fn tokens(text: &str, file: FileId) -> Parsed<Vec<Token<'_>>> {
    let mut lexer = Lexer { text, file, at: 0 };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next()?;
        let last = token.kind == TokenKind::End;
        tokens.push(token);
        if last {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    file: FileId,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn next(&mut self) -> Parsed<Token<'t>> {
        self.skip_blanks();
        let start = self.at;
        let rest = &self.text[start..];
        let kind = match rest.chars().next() {
            None => TokenKind::End,
            Some('"') => TokenKind::Text(self.quoted()?),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                TokenKind::Word(self.take(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '.')))
            }
            Some(c) if starts_number(c, rest) => TokenKind::Number(self.number()),
            Some(c) => match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
                Some(mark) => {
                    self.at += mark.len();
                    TokenKind::Mark(mark)
                }
                None => {
                    return Err(self.error(start, start + c.len_utf8(), format!("stray character {c:?}")));
                }
            },
        };
        Ok(Token { kind, span: self.span(start, self.at) })
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take(char::is_whitespace);
            if !self.text[self.at..].starts_with("//") {
                return;
            }
            self.take(|c| c != '\n');
        }
    }

    fn take(&mut self, belongs: impl Fn(char) -> bool) -> &'t str {
        let rest = &self.text[self.at..];
        let len = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    /// Reads a number: digits, a fraction, an exponent and a suffix, without spaces.
    fn number(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let bytes = rest.as_bytes();
        let mut len = 1;
        while let Some(&byte) = bytes.get(len) {
            let after_exponent = matches!(bytes[len - 1], b'e' | b'E')
                && matches!(byte, b'-' | b'+')
                && bytes.get(len + 1).is_some_and(u8::is_ascii_digit);
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || after_exponent) {
                break;
            }
            len += 1;
        }
        self.at += len;
        &rest[..len]
    }

    fn quoted(&mut self) -> Parsed<String> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let here = self.at;
            match self.bump() {
                None | Some('\n') => return Err(self.error(start, here, "this text has no closing quote")),
                Some('"') => return Ok(text),
                Some('\\') => match self.escape() {
                    Some(c) => text.push(c),
                    None => return Err(self.error(here, self.at, "unknown escape")),
                },
                Some(c) => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        match self.bump()? {
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            '0' => Some('\0'),
            c @ ('"' | '\\' | '\'') => Some(c),
            'u' => {
                (self.bump()? == '{').then_some(())?;
                let digits = self.take(|c| c.is_ascii_hexdigit());
                (self.bump()? == '}').then_some(())?;
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)
            }
            _ => None,
        }
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }

    fn error(&self, start: usize, end: usize, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(super::CODE, self.span(start, end), message))
    }
}

/// Returns whether a number begins here: a digit, or a sign directly before one.
fn starts_number(first: char, rest: &str) -> bool {
    let digit = |c: Option<&u8>| c.is_some_and(u8::is_ascii_digit);
    first.is_ascii_digit() || (first == '-' && digit(rest.as_bytes().get(1)))
}
