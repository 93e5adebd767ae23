//! A position in the tokens of a text, and the queries of a parser of a text form.

use warpwise_diag::{Diagnostic, FileId, Span};
use warpwise_prim::{Scalar, ScalarType, ValueType};

use super::lex::{Token, TokenKind, tokens};
use super::{CODE, Parsed};

/// The tokens of a text, with a current position.
pub struct Tokens<'t> {
    tokens: Vec<Token<'t>>,
    at: usize,
}

impl<'t> Tokens<'t> {
    /// Splits a text into tokens. Fails if it has characters that belong to no token, or is longer than 4 GiB.
    pub fn of(text: &'t str, file: FileId) -> Parsed<Tokens<'t>> {
        if u32::try_from(text.len()).is_err() {
            let message = "the text is longer than 4 GiB";
            return Err(syntax_error(Span { file, start: 0, end: 0 }, message));
        }
        Ok(Tokens { tokens: tokens(text, file)?, at: 0 })
    }

    /// Returns all tokens, with an end token last.
    pub fn all(&self) -> &[Token<'t>] {
        &self.tokens
    }
}

/// A parser that reads tokens in order.
pub trait Cursor<'t> {
    /// Returns the tokens.
    fn tokens(&self) -> &Tokens<'t>;

    /// Returns the tokens mutably, to change the position.
    fn tokens_mut(&mut self) -> &mut Tokens<'t>;

    /// Returns the next token.
    fn peek(&self) -> &TokenKind<'t> {
        let Tokens { tokens, at } = self.tokens();
        &tokens[*at].kind
    }

    /// Returns the token after the next one.
    fn peek_second(&self) -> &TokenKind<'t> {
        let Tokens { tokens, at } = self.tokens();
        tokens.get(at + 1).map_or(&TokenKind::End, |token| &token.kind)
    }

    /// Returns the position of the next token.
    fn span(&self) -> Span {
        let Tokens { tokens, at } = self.tokens();
        tokens[*at].span
    }

    /// Returns the position of the previous token.
    fn previous_span(&self) -> Span {
        let Tokens { tokens, at } = self.tokens();
        tokens[at.saturating_sub(1)].span
    }

    /// Skips the next token, which is not the end.
    fn advance(&mut self) {
        self.tokens_mut().at += 1;
    }

    /// Steps back by one token.
    fn retreat(&mut self) {
        self.tokens_mut().at -= 1;
    }

    /// Takes the punctuation if it comes next.
    fn eat(&mut self, mark: &str) -> bool {
        let found = matches!(self.peek(), TokenKind::Mark(found) if *found == mark);
        self.tokens_mut().at += usize::from(found);
        found
    }

    /// Takes the word if it comes next.
    fn eat_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), TokenKind::Word(found) if *found == word);
        self.tokens_mut().at += usize::from(found);
        found
    }

    /// Takes the punctuation, which must come next.
    fn mark(&mut self, mark: &str) -> Parsed<()> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    /// Takes the word, which must come next.
    fn word(&mut self, word: &str) -> Parsed<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// Parses one or more items separated by commas.
    fn separated<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>>
    where
        Self: Sized,
    {
        let mut items = vec![item(self)?];
        while self.eat(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Parses any number of items separated by commas, in brackets.
    fn list<T>(&mut self, open: &str, close: &str, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>>
    where
        Self: Sized,
    {
        self.mark(open)?;
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let items = self.separated(item)?;
        self.mark(close)?;
        Ok(items)
    }

    /// Parses a name, with or without quotes.
    fn name(&mut self) -> Parsed<String> {
        let name = self.peek().as_name().map(str::to_string);
        self.take(name, "a name")
    }

    /// Parses a text in quotes.
    fn text(&mut self) -> Parsed<String> {
        let text = if let TokenKind::Text(text) = self.peek() { Some(text.clone()) } else { None };
        self.take(text, "a text in quotes")
    }

    /// Parses a plain number, such as a rank.
    fn count(&mut self) -> Parsed<usize> {
        let count = if let TokenKind::Number(number) = self.peek() { number.parse().ok() } else { None };
        self.take(count, "a plain number")
    }

    /// Parses a scalar type.
    fn scalar_type(&mut self) -> Parsed<ScalarType> {
        let found = self.peek().as_word().and_then(ScalarType::from_name);
        self.take(found, "a type")
    }

    /// Parses a surface type of scalars.
    fn value_type(&mut self) -> Parsed<ValueType> {
        let found = self.peek().as_word().and_then(ValueType::from_name);
        self.take(found, "a type of values")
    }

    /// Parses a constant, if the next token begins one. A number without a type is an `i64`. A word with a dot can only be a
    /// constant here.
    fn constant(&mut self) -> Parsed<Option<Scalar>> {
        let text = match self.peek() {
            TokenKind::Number(text) if ScalarType::ALL.iter().any(|ty| text.ends_with(ty.name())) => {
                (*text).to_string()
            }
            TokenKind::Number(text) => format!("{text}i64"),
            TokenKind::Mark("-") => {
                self.advance();
                match self.peek().as_word() {
                    Some(word) => format!("-{word}"),
                    None => return Err(self.expected("a constant")),
                }
            }
            TokenKind::Word(word) if word.contains('.') || matches!(*word, "true" | "false") => {
                (*word).to_string()
            }
            TokenKind::Word(_) | TokenKind::Text(_) | TokenKind::Mark(_) | TokenKind::End => return Ok(None),
        };
        let Some(value) = Scalar::parse(&text) else {
            return Err(self.error(format!("`{text}` is no constant, or does not fit its type")));
        };
        self.advance();
        Ok(Some(value))
    }

    /// Takes a token that has a meaning; otherwise reports what was expected.
    fn take<T>(&mut self, meaning: Option<T>, what: &str) -> Parsed<T> {
        match meaning {
            Some(meaning) => {
                self.advance();
                Ok(meaning)
            }
            None => Err(self.expected(what)),
        }
    }

    /// Returns the error that something else comes next.
    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = match self.peek() {
            TokenKind::Word(text) | TokenKind::Number(text) => format!("`{text}`"),
            TokenKind::Text(text) => format!("{text:?}"),
            TokenKind::Mark(mark) => format!("`{mark}`"),
            TokenKind::End => "the end of the text".to_string(),
        };
        self.error(format!("expected {what}, found {found}"))
    }

    /// Returns an error at the next token.
    fn error(&self, message: impl Into<String>) -> Box<Diagnostic> {
        syntax_error(self.span(), message)
    }
}

/// Returns an error in a text form.
pub fn syntax_error(span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(CODE, span, message))
}
