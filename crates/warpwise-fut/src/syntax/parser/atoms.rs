//! Self-delimiting operands, with the fields and indices after them: literals, names, brackets, sections.

use warpwise_diag::Diagnostic;

use super::{Parse, Parser};
use crate::syntax::ast::{DimIndex, DimIndexKind, Expr, ExprKind, FieldInit, Literal, PathStep, QualName};
use crate::syntax::lexer::{Token, TokenKind};
use crate::syntax::literals::{BadLiteral, decode_char, decode_number, decode_string};

/// An operand.
pub(super) struct Atom {
    pub(super) expr: Expr,
    /// Whether no parentheses hide its form: `(a.b).c` is a projection, `a.b.c` a name.
    pub(super) bare: bool,
}

impl Parser<'_> {
    pub(super) fn at_atom(&self) -> bool {
        use TokenKind::*;
        self.at_any(&[
            Ident,
            Constructor,
            Decimal,
            Number,
            Char,
            String,
            True,
            False,
            Hole,
            LParen,
            LBracket,
            LBrace,
        ])
    }

    /// Parses an operand with the fields and indices that follow it.
    pub(super) fn atom(&mut self) -> Parse<Atom> {
        let start = self.start();
        let mut atom = self.plain_atom()?;
        loop {
            let kind = match (self.kind(), &mut atom.expr.kind) {
                (TokenKind::Dot, ExprKind::Var(name)) if atom.bare && self.kind_at(1) == TokenKind::Ident => {
                    self.bump();
                    self.extend_name(name)?;
                    atom.expr.span = name.span;
                    continue;
                }
                (TokenKind::Dot, _) if self.kind_at(1) == TokenKind::LParen => self.local_open(&atom)?,
                (TokenKind::Dot, _) => {
                    self.bump();
                    let field = self.field()?;
                    ExprKind::Project { record: Box::new(atom.expr), field }
                }
                (TokenKind::IndexBracket, _) => {
                    let slice = self.slice_in_brackets()?;
                    ExprKind::Index { array: Box::new(atom.expr), slice }
                }
                _ => return Ok(atom),
            };
            self.grow(1)?;
            atom = Atom { expr: self.expr(start, kind), bare: true };
        }
    }

    /// Parses `.(e)` after a name.
    fn local_open(&mut self, atom: &Atom) -> Parse<ExprKind> {
        self.bump();
        let module = match &atom.expr.kind {
            ExprKind::Var(module) if atom.bare => module.clone(),
            _ => {
                let message = "only a module can be opened with `.(`";
                return Err(self.report(Diagnostic::error("E0118", atom.expr.span, message)));
            }
        };
        self.bump();
        let body = Box::new(self.expression()?);
        self.expect(TokenKind::RParen, "`)`")?;
        Ok(ExprKind::LocalOpen { module, body })
    }

    fn plain_atom(&mut self) -> Parse<Atom> {
        let token = self.token();
        let kind = match token.kind {
            TokenKind::LParen => return self.parenthesised(),
            TokenKind::Ident => ExprKind::Var(QualName::plain(self.ident("a name")?)),
            TokenKind::Constructor => {
                ExprKind::Constructor { name: self.constructor()?, arguments: Vec::new() }
            }
            TokenKind::Hole => {
                self.bump();
                ExprKind::Hole
            }
            TokenKind::String => {
                self.bump();
                ExprKind::String(self.decode(token, decode_string)?.into_bytes())
            }
            TokenKind::LBracket => {
                self.bump();
                ExprKind::Array(self.comma_list(TokenKind::RBracket, "`,` or `]`", Parser::expression)?)
            }
            TokenKind::LBrace => {
                self.bump();
                ExprKind::Record(self.comma_list(TokenKind::RBrace, "`,` or `}`", Parser::field_init)?)
            }
            _ => match self.literal()? {
                Some(literal) => ExprKind::Literal(literal),
                None => return Err(self.unexpected("an expression")),
            },
        };
        Ok(Atom { expr: self.expr(token.start, kind), bare: true })
    }

    fn field_init(&mut self) -> Parse<FieldInit> {
        let short = self.at(TokenKind::Ident);
        let name = self.field()?;
        if short && !self.at(TokenKind::Equals) {
            return Ok(FieldInit { name, value: None });
        }
        self.expect(TokenKind::Equals, "`=`")?;
        Ok(FieldInit { name, value: Some(self.expression()?) })
    }

    /// Parses a scalar literal, if there is one.
    pub(super) fn literal(&mut self) -> Parse<Option<Literal>> {
        let token = self.token();
        let literal = match token.kind {
            TokenKind::True => Literal::Bool(true),
            TokenKind::False => Literal::Bool(false),
            TokenKind::Char => Literal::Char(self.decode(token, decode_char)?),
            TokenKind::Decimal | TokenKind::Number => self.decode(token, decode_number)?,
            _ => return Ok(None),
        };
        self.bump();
        Ok(Some(literal))
    }

    pub(super) fn decode<T>(&mut self, token: Token, decode: fn(&str) -> Result<T, BadLiteral>) -> Parse<T> {
        decode(self.slice(token)).map_err(|bad| {
            let mut diagnostic = Diagnostic::error("E0103", self.token_span(token), bad.message);
            diagnostic.hints.extend(Some(bad.hint).filter(|hint| !hint.is_empty()));
            self.report(diagnostic)
        })
    }

    /// Parses any operand that starts with `(`: unit, tuples, sections, plain parentheses.
    fn parenthesised(&mut self) -> Parse<Atom> {
        let start = self.bump().start;
        let is_section = match self.kind() {
            TokenKind::RParen => {
                self.bump();
                return Ok(Atom { expr: self.expr(start, ExprKind::Tuple(Vec::new())), bare: true });
            }
            TokenKind::Dot => true,
            TokenKind::Minus => self.kind_at(1) == TokenKind::RParen,
            _ => self.at_operator(),
        };
        if is_section {
            let kind = self.section()?;
            self.expect(TokenKind::RParen, "`)`")?;
            return Ok(Atom { expr: self.expr(start, kind), bare: true });
        }
        let inner_start = self.start();
        let first = self.unascribed_or_section()?;
        let first = self.ascriptions(inner_start, first)?;
        if !self.eat(TokenKind::Comma) {
            self.expect(TokenKind::RParen, "`)` or `,`")?;
            return Ok(Atom { expr: first, bare: false });
        }
        let mut elements = vec![first];
        if self.at(TokenKind::RParen) {
            return Err(self.unexpected("another element of the tuple"));
        }
        elements.extend(self.comma_list(TokenKind::RParen, "`,` or `)`", Parser::expression)?);
        Ok(Atom { expr: self.expr(start, ExprKind::Tuple(elements)), bare: true })
    }

    /// Parses the inside of `(+)`, `(+ e)`, `(.x[i])`.
    fn section(&mut self) -> Parse<ExprKind> {
        if self.at(TokenKind::Dot) {
            return self.path_section();
        }
        let operator = self.operator()?;
        if self.at(TokenKind::RParen) {
            return Ok(ExprKind::OperatorSection(operator));
        }
        let right = Box::new(self.unascribed()?);
        Ok(ExprKind::RightSection { operator, right })
    }

    fn path_section(&mut self) -> Parse<ExprKind> {
        let mut path = Vec::new();
        while path.is_empty() || !self.at(TokenKind::RParen) {
            let step = if self.at(TokenKind::Dot) && self.kind_at(1) == TokenKind::LBracket {
                self.bump();
                self.index_step()?
            } else {
                self.touching_step("`)`, `.` or `[`")?
            };
            path.push(step);
        }
        Ok(ExprKind::PathSection(path))
    }

    /// Parses `.x` or a `[i]` that touches the preceding token.
    pub(super) fn touching_step(&mut self, what: &str) -> Parse<PathStep> {
        match self.kind() {
            TokenKind::IndexBracket => self.index_step(),
            TokenKind::Dot => {
                self.bump();
                Ok(PathStep::Field(self.field()?))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    pub(super) fn index_step(&mut self) -> Parse<PathStep> {
        Ok(PathStep::Index(self.slice_in_brackets()?))
    }

    fn slice_in_brackets(&mut self) -> Parse<Vec<DimIndex>> {
        self.bump();
        self.comma_list(TokenKind::RBracket, "`,`, `:` or `]`", Parser::dim_index)
    }

    fn dim_index(&mut self) -> Parse<DimIndex> {
        let start = self.start();
        let first = self.optional_index()?;
        let kind = match first {
            Some(index) if !self.at(TokenKind::Colon) => DimIndexKind::Fix(index),
            first => {
                self.expect(TokenKind::Colon, "an index")?;
                let end = self.optional_index()?;
                let stride =
                    if self.eat(TokenKind::Colon) { Some(Box::new(self.unascribed()?)) } else { None };
                DimIndexKind::Slice { start: first, end, stride }
            }
        };
        Ok(DimIndex { span: self.span_from(start), kind })
    }

    fn optional_index(&mut self) -> Parse<Option<Box<Expr>>> {
        if self.at_any(&[TokenKind::Colon, TokenKind::Comma, TokenKind::RBracket]) {
            return Ok(None);
        }
        Ok(Some(Box::new(self.unascribed()?)))
    }
}
