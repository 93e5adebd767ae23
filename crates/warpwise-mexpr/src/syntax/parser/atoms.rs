//! Atoms: the expressions that can be arguments.

use warpwise_diag::Diagnostic;

use crate::syntax::ast::{Expr, ExprKind, Ident};
use crate::syntax::lexer::TokenKind;
use crate::syntax::literals::{character, float, integer};

use super::{Parse, Parser, Reported};

const COMMA: &str = "a comma or the end of the list, or the rest of the expression";

impl Parser<'_> {
    /// Returns whether an atom starts here.
    pub(super) fn at_atom(&self) -> bool {
        self.at_any(&[
            TokenKind::LParen,
            TokenKind::LBracket,
            TokenKind::LBrace,
            TokenKind::Lower,
            TokenKind::QuotedVar,
            TokenKind::QuotedFrozen,
            TokenKind::Int,
            TokenKind::Float,
            TokenKind::Char,
            TokenKind::String,
            TokenKind::True,
            TokenKind::False,
            TokenKind::Never,
        ])
    }

    /// Parses an atom with its projections.
    pub(super) fn atom(&mut self, what: &str) -> Parse<Expr> {
        let start = self.start();
        let value = self.plain_atom(what)?;
        let mut path = Vec::new();
        while self.eat(TokenKind::Dot) {
            path.push(if self.at(TokenKind::Int) {
                self.index()?
            } else {
                self.label("a label or an index")?
            });
        }
        if path.is_empty() {
            return Ok(value);
        }
        Ok(self.expr(start, ExprKind::Project(Box::new(value), path)))
    }

    /// Parses the position of a tuple's component.
    fn index(&mut self) -> Parse<Ident> {
        let token = self.token();
        let text = self.slice(token);
        if text.starts_with('-') {
            return Err(self.unexpected("an index of a tuple"));
        }
        self.bump();
        let plain = text.trim_start_matches('0');
        let name = self.names.intern(if plain.is_empty() { "0" } else { plain });
        Ok(Ident { name, span: self.token_span(token) })
    }

    fn plain_atom(&mut self, what: &str) -> Parse<Expr> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::LParen => return self.parentheses(),
            TokenKind::LBracket => {
                self.bump();
                ExprKind::Seq(self.comma_list(TokenKind::RBracket, COMMA, Self::expression)?.0)
            }
            TokenKind::LBrace => self.braces()?,
            TokenKind::QuotedFrozen => ExprKind::Frozen(self.ident(&[TokenKind::QuotedFrozen], what)?.name),
            TokenKind::String => ExprKind::String(self.string(what)?.0),
            TokenKind::Lower | TokenKind::QuotedVar => ExprKind::Var(self.variable(what)?.name),
            _ => self.literal(what)?,
        };
        Ok(self.expr(start, kind))
    }

    fn literal(&mut self, what: &str) -> Parse<ExprKind> {
        let token = self.token();
        let text = self.slice(token);
        let kind = match token.kind {
            TokenKind::Int => ExprKind::Int(integer(text).map_err(|bad| self.bad_literal(token, bad))?),
            TokenKind::Float => ExprKind::Float(float(text)),
            TokenKind::Char => ExprKind::Char(character(text).map_err(|bad| self.bad_literal(token, bad))?),
            TokenKind::True => ExprKind::Bool(true),
            TokenKind::False => ExprKind::Bool(false),
            TokenKind::Never => ExprKind::Never,
            _ => return Err(self.unexpected(what)),
        };
        self.bump();
        Ok(kind)
    }

    /// Parses `()`, `(e)`, `(e,)`, `(e, e)`.
    fn parentheses(&mut self) -> Parse<Expr> {
        let start = self.start();
        self.bump();
        let (mut items, trailing) = self.comma_list(TokenKind::RParen, COMMA, Self::expression)?;
        if items.len() == 1 && !trailing {
            return Ok(items.remove(0));
        }
        Ok(self.expr(start, ExprKind::Tuple(items)))
    }

    /// Parses `{}`, `{x = e}`, `{e with x = e}`.
    fn braces(&mut self) -> Parse<ExprKind> {
        self.bump();
        if self.eat(TokenKind::RBrace) {
            return Ok(ExprKind::Tuple(Vec::new()));
        }
        let labels = [TokenKind::Lower, TokenKind::Upper, TokenKind::QuotedLabel];
        if self.at_any(&labels) && self.kind_at(1) == TokenKind::Equals {
            return Ok(ExprKind::Record(self.fields()?));
        }
        let record = self.expression()?;
        self.expect(TokenKind::With, "`with`, or the rest of the expression")?;
        Ok(ExprKind::Update(Box::new(record), self.fields()?))
    }

    fn fields(&mut self) -> Parse<Vec<(Ident, Expr)>> {
        let field = |parser: &mut Self| {
            let label = parser.label("the label of a field")?;
            parser.expect(TokenKind::Equals, "`=`")?;
            Ok((label, parser.expression()?))
        };
        Ok(self.comma_list(TokenKind::RBrace, COMMA, field)?.0)
    }

    /// Reports a construct of the language that this implementation lacks.
    pub(super) fn unsupported(&mut self, what: &str) -> Reported {
        let span = self.token_span(self.token());
        let message = format!("{what} are not supported");
        self.report(Diagnostic::error("M0112", span, message))
    }
}
