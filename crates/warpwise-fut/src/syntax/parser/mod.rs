//! Parsing of tokens to a tree: a hand-written recursive-descent parser, with operators by precedence climbing.
//!
//! [`parse_program`] reads a file and always returns a tree. Declarations with errors are missing from it; parsing continues at
//! the next declaration. Every rule of the grammar is a method of [`Parser`] that either consumes what it names, or reports one
//! diagnostic and returns `Err(Reported)`.
//!
//! Two bounds keep hostile text from exhausting the stack, here and in all code that walks the tree: the parser nests at most
//! [`MAX_NESTING`] deep, and no tree is higher than [`MAX_HEIGHT`] (`a + b + c + ...` is parsed by a loop, but its tree leans to
//! the left). A sequence of `let`s, an application, and `a.b.c` are flat and unbounded. Time is linear in the length of the text.
//!
//! Operators, from loosest to tightest: `:` `:>`, ranges, `` `f` ``, `with`, `|>`, `<|` (right-associative), `||`, `&&`,
//! comparisons, `&` `^` `|`, `<<` `>>`, `+` `-`, `*` `/` `%` `//` `%%`, `**`, prefix `-` `!`, application, indexing.

mod atoms;
mod complaints;
mod declarations;
mod expressions;
mod modules;
mod names;
mod operators;
mod patterns;
mod types;

use warpwise_diag::{Diagnostic, FileId, Span};
use warpwise_ir::deep::deep;

use crate::syntax::ast::{Expr, ExprKind, Pat, PatKind, Program, TypeExpr};
use crate::syntax::lexer::{Token, TokenKind, tokenize};
use crate::syntax::session::Session;

/// Maximum nesting depth of the parser.
pub const MAX_NESTING: u32 = 24_000;

/// Maximum height of a tree. Recursive walks of trees run on a stack for this height ([`deep`]).
pub const MAX_HEIGHT: u32 = 48_000;

/// Maximum number of messages kept from one file.
const MAX_ERRORS: usize = 50;

/// A file, parsed as far as possible.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The declarations without syntax errors.
    pub program: Program,
    /// Errors in textual order. The tree is complete if there are none.
    pub errors: Vec<Diagnostic>,
}

/// Parses a file.
pub fn parse_program(file: FileId, text: &str, session: &mut Session) -> Parsed {
    parse_with(file, text, session, |parser| parser.program())
        .unwrap_or_else(|errors| Parsed { program: Program { doc: None, decls: Vec::new() }, errors })
}

/// Parses a text that is one type.
pub fn parse_type(file: FileId, text: &str, session: &mut Session) -> Result<TypeExpr, Vec<Diagnostic>> {
    parse_with(file, text, session, |parser| parser.whole(Parser::type_expr))?
}

fn parse_with<T>(
    file: FileId,
    text: &str,
    session: &mut Session,
    run: impl FnOnce(Parser<'_>) -> T,
) -> Result<T, Vec<Diagnostic>> {
    if text.len() >= u32::MAX as usize {
        let span = Span { file, start: 0, end: 0 };
        return Err(vec![Diagnostic::error("E0120", span, "this file is larger than 4 GiB")]);
    }
    let tokens = tokenize(text);
    let parser =
        Parser { file, text, tokens, position: 0, session, errors: Vec::new(), nesting: 0, height: 0 };
    Ok(deep(|| run(parser)))
}

/// Evidence that a diagnostic was recorded.
#[derive(Clone, Copy, Debug)]
struct Reported;

type Parse<T> = Result<T, Reported>;

struct Parser<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    position: usize,
    session: &'a mut Session,
    errors: Vec<Diagnostic>,
    /// Number of open [`Parser::nested`].
    nesting: u32,
    /// Height of the highest tree completed since the innermost open [`Parser::nested`] began.
    height: u32,
}

impl<'a> Parser<'a> {
    fn whole<T>(mut self, part: impl FnOnce(&mut Self) -> Parse<T>) -> Result<T, Vec<Diagnostic>> {
        let result = part(&mut self).and_then(|value| self.expect(TokenKind::Eof, "the end").map(|_| value));
        result.map_err(|Reported| self.errors)
    }

    // Looking at tokens

    fn token(&self) -> Token {
        self.tokens[self.position]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    /// Returns the kind of the token `n` positions ahead.
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

    /// Takes the current token, but stays at the end of the file.
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

    /// Parses items up to `close`, which is taken. Commas separate them; one may trail.
    fn comma_list<T>(
        &mut self,
        close: TokenKind,
        what: &str,
        mut item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        let mut items = Vec::new();
        while !self.at(close) {
            items.push(item(self)?);
            if !self.eat(TokenKind::Comma) && !self.at(close) {
                return Err(self.unexpected(what));
            }
        }
        self.bump();
        Ok(items)
    }

    // Source positions

    /// Returns the start of the current token.
    fn start(&self) -> u32 {
        self.token().start
    }

    /// Returns the span from `start` to the end of the last token taken.
    fn span_from(&self, start: u32) -> Span {
        let end = self.position.checked_sub(1).map_or(start, |last| self.tokens[last].end);
        Span { file: self.file, start, end: end.max(start) }
    }

    fn token_span(&self, token: Token) -> Span {
        Span { file: self.file, start: token.start, end: token.end }
    }

    // Making nodes

    fn expr(&mut self, start: u32, kind: ExprKind) -> Expr {
        Expr { id: self.session.ids.fresh_expr(), span: self.span_from(start), kind }
    }

    fn pat(&mut self, start: u32, kind: PatKind) -> Pat {
        Pat { id: self.session.ids.fresh_pat(), span: self.span_from(start), kind }
    }

    /// Runs a rule one level deeper, within the bounds.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting == MAX_NESTING {
            return Err(self.too_deep());
        }
        let outer = std::mem::take(&mut self.height);
        self.nesting += 1;
        let result = rule(self);
        self.nesting -= 1;
        let grown = result.is_err() || self.grow(1).is_ok();
        self.height = self.height.max(outer);
        if grown { result } else { Err(Reported) }
    }

    /// Records that `levels` nodes are put on top of the trees completed here.
    fn grow(&mut self, levels: u32) -> Parse<()> {
        self.height += levels;
        if self.height > MAX_HEIGHT { Err(self.too_deep()) } else { Ok(()) }
    }

    // Diagnostics

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(diagnostic);
        }
        Reported
    }

    fn too_deep(&mut self) -> Reported {
        let span = self.token_span(self.token());
        let message = format!(
            "this is nested too deeply: at most {MAX_NESTING} levels, and {MAX_HEIGHT} operators in a row, are supported"
        );
        let hint = "name parts of the expression with `let`, or split it into functions";
        self.report(Diagnostic::error("E0111", span, message).hint(hint))
    }
}
