//! Type expressions.
//!
//! `a -> b` binds loosest, then `*t` and sums, then application. `[n]` takes a whole term after it, so that `[n]t a` is an array
//! of `t a`; after a type constructor it is an argument: `t [n] a`.

use super::{Parse, Parser};
use crate::syntax::ast::{ConstructorType, FieldType, Ident, SizeExpr, TypeArg, TypeExpr, TypeExprKind};
use crate::syntax::lexer::TokenKind;

impl Parser<'_> {
    /// Parses a whole type.
    pub(super) fn type_expr(&mut self) -> Parse<TypeExpr> {
        self.nested(Parser::type_inside)
    }

    fn type_inside(&mut self) -> Parse<TypeExpr> {
        let start = self.start();
        if self.eat(TokenKind::Question) {
            return self.existential(start);
        }
        let named = [TokenKind::LParen, TokenKind::Ident, TokenKind::Colon];
        if (0..3).all(|n| self.kind_at(n) == named[n]) {
            self.bump();
            let param = self.ident("a name")?;
            self.bump();
            let argument = self.type_expr()?;
            self.expect(TokenKind::RParen, "`)`")?;
            self.expect(TokenKind::Arrow, "`->`, as a named parameter belongs to a function type")?;
            return self.arrow(start, Some(param), argument);
        }
        let term = self.type_term()?;
        if self.eat(TokenKind::Arrow) { self.arrow(start, None, term) } else { Ok(term) }
    }

    /// Parses the result of a function type, after `->`.
    fn arrow(&mut self, start: u32, param: Option<Ident>, argument: TypeExpr) -> Parse<TypeExpr> {
        let (argument, result) = (Box::new(argument), Box::new(self.type_expr()?));
        Ok(self.type_node(start, TypeExprKind::Arrow { param, argument, result }))
    }

    /// Parses the rest of `?[n][m].t`.
    fn existential(&mut self, start: u32) -> Parse<TypeExpr> {
        let mut sizes = Vec::new();
        while sizes.is_empty() || self.at_bracket() {
            sizes.push(self.size_name()?);
        }
        self.expect(TokenKind::Dot, "`.` or another size")?;
        let body = Box::new(self.type_expr()?);
        Ok(self.type_node(start, TypeExprKind::Exists { sizes, body }))
    }

    fn type_node(&mut self, start: u32, kind: TypeExprKind) -> TypeExpr {
        TypeExpr { span: self.span_from(start), kind }
    }

    /// Parses a type without `->` at its top.
    pub(super) fn type_term(&mut self) -> Parse<TypeExpr> {
        self.nested(Parser::type_term_inside)
    }

    fn type_term_inside(&mut self) -> Parse<TypeExpr> {
        let start = self.start();
        match self.kind() {
            TokenKind::Star => {
                self.bump();
                let inner = Box::new(self.type_term()?);
                Ok(self.type_node(start, TypeExprKind::Unique(inner)))
            }
            TokenKind::Constructor => self.sum(),
            _ => self.type_application(),
        }
    }

    fn sum(&mut self) -> Parse<TypeExpr> {
        let start = self.start();
        let mut constructors = Vec::new();
        while constructors.is_empty() || self.eat(TokenKind::Pipe) {
            let start = self.start();
            let name = self.constructor()?;
            let mut payload = Vec::new();
            while self.at_type_atom() {
                payload.push(self.type_atom()?);
            }
            constructors.push(ConstructorType { span: self.span_from(start), name, payload });
        }
        Ok(self.type_node(start, TypeExprKind::Sum(constructors)))
    }

    fn type_application(&mut self) -> Parse<TypeExpr> {
        let start = self.start();
        let mut function = self.type_atom()?;
        while self.at_type_atom() {
            let argument = match self.at_bracket() {
                true => TypeArg::Size(self.size()?),
                false => TypeArg::Type(self.type_atom()?),
            };
            self.grow(1)?;
            let (head, argument) = (Box::new(function), Box::new(argument));
            function = self.type_node(start, TypeExprKind::Apply { function: head, argument });
        }
        Ok(function)
    }

    fn at_type_atom(&self) -> bool {
        use TokenKind::*;
        self.at_any(&[LParen, LBrace, Ident, LBracket, IndexBracket])
    }

    fn type_atom(&mut self) -> Parse<TypeExpr> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::LParen => return self.parenthesised_type(),
            TokenKind::LBrace => {
                self.bump();
                TypeExprKind::Record(self.comma_list(TokenKind::RBrace, "`,` or `}`", Parser::field_type)?)
            }
            TokenKind::LBracket | TokenKind::IndexBracket => {
                let size = self.size()?;
                TypeExprKind::Array { size, element: Box::new(self.type_term()?) }
            }
            _ => TypeExprKind::Var(self.qual_name("a type")?),
        };
        Ok(self.type_node(start, kind))
    }

    fn parenthesised_type(&mut self) -> Parse<TypeExpr> {
        let start = self.bump().start;
        if self.eat(TokenKind::RParen) {
            return Ok(self.type_node(start, TypeExprKind::Tuple(Vec::new())));
        }
        let first = self.type_expr()?;
        if !self.eat(TokenKind::Comma) {
            self.expect(TokenKind::RParen, "`)` or `,`")?;
            return Ok(first);
        }
        if self.at(TokenKind::RParen) {
            return Err(self.unexpected("another element of the tuple type"));
        }
        let mut elements = vec![first];
        elements.extend(self.comma_list(TokenKind::RParen, "`,` or `)`", Parser::type_expr)?);
        Ok(self.type_node(start, TypeExprKind::Tuple(elements)))
    }

    fn field_type(&mut self) -> Parse<FieldType> {
        let name = self.field()?;
        self.expect(TokenKind::Colon, "`:`")?;
        Ok(FieldType { name, ty: self.type_expr()? })
    }

    /// Parses `[e]` or `[]`.
    fn size(&mut self) -> Parse<SizeExpr> {
        let start = self.bump().start;
        let expr = if self.at(TokenKind::RBracket) { None } else { Some(Box::new(self.expression()?)) };
        self.expect(TokenKind::RBracket, "`]`")?;
        Ok(SizeExpr { span: self.span_from(start), expr })
    }

    /// Parses `: t`, if there is one.
    pub(super) fn optional_ascription(&mut self) -> Parse<Option<TypeExpr>> {
        if self.eat(TokenKind::Colon) { Ok(Some(self.type_expr()?)) } else { Ok(None) }
    }
}
