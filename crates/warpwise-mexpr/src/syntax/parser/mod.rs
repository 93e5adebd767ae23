//! Tokens to tree: a hand-written recursive-descent parser.
//!
//! [`parse_program`] reads a file and always returns a tree. Definitions with errors are missing from it; parsing continues at
//! the next definition that starts a line. Every piece of the grammar is a method of [`Parser`] that either consumes the
//! construct it is named after, or reports one diagnostic and returns `Err(Reported)`.
//!
//! The parser nests at most [`MAX_NESTING`] levels deep, and the depth of a tree is at most a small multiple of that, because
//! consecutive constructs of the text are a list in the tree. So everything that walks trees may recurse, on a stack for as many
//! levels ([`deep`]).

mod atoms;
mod declarations;
mod expressions;
mod language;
mod patterns;
mod types;

use warpwise_diag::{Diagnostic, FileId, Span};
use warpwise_ir::deep::deep;

use crate::syntax::ast::{Expr, ExprKind, Ident, Program, TypeExpr};
use crate::syntax::lexer::{Token, TokenKind, tokenize};
use crate::syntax::literals::{BadLiteral, unescape};
use crate::syntax::names::Names;

/// Maximum nesting depth of the parser.
pub const MAX_NESTING: u32 = 24_000;

/// Maximum number of messages that are kept from one file.
const MAX_ERRORS: usize = 50;

/// A file, parsed as far as possible.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The definitions without syntax errors.
    pub program: Program,
    /// The errors, in the order of the text; the tree is complete if there are none.
    pub errors: Vec<Diagnostic>,
}

/// Parses a file.
pub fn parse_program(file: FileId, text: &str, names: &mut Names) -> Parsed {
    if text.len() >= u32::MAX as usize {
        let span = Span { file, start: 0, end: 0 };
        let errors = vec![Diagnostic::error("M0120", span, "this file is larger than 4 GiB")];
        return Parsed { program: Program { includes: Vec::new(), decls: Vec::new(), main: None }, errors };
    }
    let mut parser =
        Parser { file, text, tokens: tokenize(text), position: 0, names, errors: Vec::new(), nesting: 0 };
    let program = deep(|| parser.program());
    Parsed { program, errors: parser.errors }
}

/// Parses a text that is one type.
pub fn parse_type(file: FileId, text: &str, names: &mut Names) -> Result<TypeExpr, Vec<Diagnostic>> {
    let mut parser =
        Parser { file, text, tokens: tokenize(text), position: 0, names, errors: Vec::new(), nesting: 0 };
    let ty =
        parser.type_expr().and_then(|ty| parser.expect(TokenKind::Eof, "the end of the type").map(|_| ty));
    ty.map_err(|Reported| parser.errors)
}

/// Parses a text that is one expression.
pub fn parse_expression(file: FileId, text: &str, names: &mut Names) -> Result<Expr, Vec<Diagnostic>> {
    let mut parser =
        Parser { file, text, tokens: tokenize(text), position: 0, names, errors: Vec::new(), nesting: 0 };
    let what = "the end of the text, or the rest of the expression";
    let expr =
        deep(|| parser.expression().and_then(|expr| parser.expect(TokenKind::Eof, what).map(|_| expr)));
    expr.map_err(|Reported| parser.errors)
}

/// Evidence that a diagnostic is already recorded.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Parse<T> = Result<T, Reported>;

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    position: usize,
    names: &'a mut Names,
    errors: Vec<Diagnostic>,
    /// Number of open calls of [`Parser::nested`].
    nesting: u32,
}

impl<'a> Parser<'a> {
    // Looking at tokens

    fn token(&self) -> Token {
        self.tokens[self.position]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// Returns the kind of the token `n` places further on.
    fn kind_at(&self, n: usize) -> TokenKind {
        self.tokens.get(self.position + n).map_or(TokenKind::Eof, |token| token.kind)
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn at_any(&self, kinds: &[TokenKind]) -> bool {
        kinds.contains(&self.kind())
    }

    fn slice(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    // Taking tokens

    /// Takes the current token; stays at the end of the file.
    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::Eof {
            self.position += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind, what: &str) -> Parse<Token> {
        if self.at(kind) { Ok(self.bump()) } else { Err(self.unexpected(what)) }
    }

    /// Parses items with commas between them, up to and including `close`. Returns whether there was a trailing comma.
    fn comma_list<T>(
        &mut self,
        close: TokenKind,
        what: &str,
        mut item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<(Vec<T>, bool)> {
        let mut items = Vec::new();
        let mut trailing = false;
        while !self.at(close) {
            items.push(item(self)?);
            trailing = self.eat(TokenKind::Comma);
            if !trailing && !self.at(close) {
                return Err(self.unexpected(what));
            }
        }
        self.bump();
        Ok((items, trailing))
    }

    // Names and literals

    /// Parses a name of one of these kinds.
    fn ident(&mut self, kinds: &[TokenKind], what: &str) -> Parse<Ident> {
        if !self.at_any(kinds) {
            return Err(self.unexpected(what));
        }
        let token = self.bump();
        let span = self.token_span(token);
        let text = self.slice(token);
        let name = match token.kind {
            TokenKind::QuotedVar
            | TokenKind::QuotedCon
            | TokenKind::QuotedType
            | TokenKind::QuotedLabel
            | TokenKind::QuotedFrozen => {
                let quote = text.find('"').expect("quoted names have quotes");
                let text = unescape(text, quote + 1).map_err(|bad| self.bad_literal(token, bad))?;
                self.names.intern(&text)
            }
            _ => self.names.intern(text),
        };
        Ok(Ident { name, span })
    }

    fn variable(&mut self, what: &str) -> Parse<Ident> {
        self.ident(&[TokenKind::Lower, TokenKind::QuotedVar, TokenKind::Underscore], what)
    }

    fn constructor(&mut self, what: &str) -> Parse<Ident> {
        self.ident(&[TokenKind::Upper, TokenKind::QuotedCon], what)
    }

    fn type_name(&mut self, what: &str) -> Parse<Ident> {
        self.ident(&[TokenKind::Upper, TokenKind::QuotedType], what)
    }

    fn any_name(&mut self, what: &str) -> Parse<Ident> {
        self.ident(&[TokenKind::Lower, TokenKind::Upper], what)
    }

    fn label(&mut self, what: &str) -> Parse<Ident> {
        self.ident(&[TokenKind::Lower, TokenKind::Upper, TokenKind::QuotedLabel], what)
    }

    fn string(&mut self, what: &str) -> Parse<(String, Span)> {
        let token = self.expect(TokenKind::String, what)?;
        let text = unescape(self.slice(token), 1).map_err(|bad| self.bad_literal(token, bad))?;
        Ok((text, self.token_span(token)))
    }

    // Source positions

    /// Returns the start of the current token.
    fn start(&self) -> u32 {
        self.token().start
    }

    /// Returns the span from `start` to the end of the token taken last.
    fn span_from(&self, start: u32) -> Span {
        let end = self.position.checked_sub(1).map_or(start, |last| self.tokens[last].end);
        Span { file: self.file, start, end: end.max(start) }
    }

    fn token_span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    fn expr(&self, start: u32, kind: ExprKind) -> Expr {
        Expr { span: self.span_from(start), kind }
    }

    /// Runs a rule one nesting level deeper, within the bound.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting == MAX_NESTING {
            let span = self.token_span(self.token());
            let message = format!("this is nested too deeply: at most {MAX_NESTING} levels are supported");
            let hint = "name parts of the expression with `let`, or split it into functions";
            return Err(self.report(Diagnostic::error("M0111", span, message).hint(hint)));
        }
        self.nesting += 1;
        let result = rule(self);
        self.nesting -= 1;
        result
    }

    // Reporting errors

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(diagnostic);
        }
        Reported
    }

    fn bad_literal(&mut self, token: Token, bad: BadLiteral) -> Reported {
        let span = Span {
            file: self.file,
            start: token.start + bad.range.start as u32,
            end: token.start + bad.range.end as u32,
        };
        let hint = "escapes are \\' \\\" \\? \\\\ \\a \\b \\f \\n \\r \\t \\v";
        let diagnostic = Diagnostic::error("M0103", span, bad.message);
        self.report(if token.kind == TokenKind::Int { diagnostic } else { diagnostic.hint(hint) })
    }

    /// Reports that the current token is not what the grammar expects.
    fn unexpected(&mut self, expected: &str) -> Reported {
        let token = self.token();
        let text = self.slice(token);
        let (code, message) = match token.kind {
            TokenKind::Unknown => {
                ("M0101", format!("`{}` means nothing in this language", text.escape_debug()))
            }
            TokenKind::UnclosedString => ("M0102", "this string does not end".to_string()),
            TokenKind::UnclosedComment => ("M0102", "this comment does not end".to_string()),
            kind => ("M0110", format!("unexpected {}", kind.describe(text))),
        };
        let span = match token.kind {
            TokenKind::UnclosedString => Span { file: self.file, start: token.start, end: token.start + 1 },
            _ => self.token_span(token),
        };
        let mut diagnostic = Diagnostic::error(code, span, message);
        if code == "M0110" {
            diagnostic = diagnostic.at(format!("expected {expected}"));
        }
        diagnostic.hints.extend(self.hint_for(token, expected));
        if let Some(previous) = self.position.checked_sub(1).map(|last| self.tokens[last])
            && self.text[previous.end as usize..token.start as usize].contains('\n')
        {
            diagnostic = diagnostic.label(self.token_span(previous), "after this");
        }
        self.report(diagnostic)
    }

    /// Returns the likely intention behind a misplaced token.
    fn hint_for(&self, token: Token, expected: &str) -> Option<String> {
        let text = self.slice(token);
        let previous = self.position.checked_sub(1).map(|last| self.tokens[last].kind);
        if let Some(hint) = missing(token.kind, expected) {
            return Some(hint.to_string());
        }
        let hint = match token.kind {
            TokenKind::Unknown if text.starts_with('\'') => {
                "a character is one letter between two `'`, as in `'a'`; a string has double quotes, `\"text\"`"
            }
            TokenKind::Plus => "there are no operators: write `addi 1 2`, or `addf` for floats",
            TokenKind::PlusPlus => "write `concat a b`; `++` stands in patterns only",
            TokenKind::Less => "there are no operators: write `lti 1 2`, or `ltf` for floats",
            TokenKind::Greater => "there are no operators: write `gti 1 2`, or `gtf` for floats",
            TokenKind::UnclosedString => "close it with `\"`",
            TokenKind::UnclosedComment => "close it with `-/`; comments nest",
            TokenKind::Upper | TokenKind::QuotedCon
                if previous != Some(TokenKind::Dot) && expected == ARGUMENT =>
            {
                "a constructor takes exactly one value; put parentheses around both to make them an argument"
            }
            TokenKind::Float if previous == Some(TokenKind::Dot) => {
                "`x.0.1` holds the number `0.1`: write `(x.0).1`"
            }
            TokenKind::Lam | TokenKind::Let | TokenKind::If | TokenKind::Match | TokenKind::Switch => {
                "put parentheses around it to make it an argument"
            }
            kind if kind.is_reserved_word(text) => {
                return Some(format!(
                    "`{text}` is a reserved word; as a name it is written `#var\"{text}\"`"
                ));
            }
            _ => return None,
        };
        Some(hint.to_string())
    }
}

/// Returns a hint about a part of a construct that is missing, if another token stands in its place.
fn missing(found: TokenKind, expected: &str) -> Option<&'static str> {
    let begins_top = matches!(found, TokenKind::Mexpr | TokenKind::Lang | TokenKind::Eof);
    Some(match expected {
        IN => "a definition inside an expression ends with `in`: `let x = 1 in ...`",
        ELSE => "every `if` has an `else`: write `else ()` if there is nothing to do",
        END_OF_RECURSIVE if begins_top => "`recursive` ends with `end`",
        END_OF_SWITCH if begins_top => "`switch` ends with `end`",
        END_OF_LANGUAGE if begins_top => "`lang` ends with `end`",
        EQUALS if found == TokenKind::Lower => "functions are written with `lam`: `let f = lam x. ...`",
        _ => return None,
    })
}

// Arguments of [`Parser::unexpected`] that [`missing`] explains.
const IN: &str = "`in`, or the rest of the definition";
const ELSE: &str = "`else`, or the rest of the expression";
const END_OF_RECURSIVE: &str = "`let` or `end`, or the rest of the definition";
const END_OF_SWITCH: &str = "`case` or `end`, or the rest of the expression";
const END_OF_LANGUAGE: &str = "`syn`, `sem`, `type` or `end`";
const EQUALS: &str = "`=` and the value of what is defined";

/// The argument of [`Parser::unexpected`] at the end of an application.
const ARGUMENT: &str = "an argument, or the end of the expression";
