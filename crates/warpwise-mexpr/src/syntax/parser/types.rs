//! Types.
//!
//! Sets of constructors (`T {A B}`, `all a :: {T[> A]}.`), which narrow the possible values, are skipped: they are not checked.

use crate::syntax::ast::{Ident, TypeExpr, TypeKind};
use crate::syntax::lexer::TokenKind;

use super::{Parse, Parser};

const COMMA: &str = "a comma or the end of the list";

impl Parser<'_> {
    /// Parses `all a. T`, `use L in T`, `A -> B`, or an application.
    pub(super) fn type_expr(&mut self) -> Parse<TypeExpr> {
        self.nested(|parser| {
            let start = parser.start();
            let kind = match parser.kind() {
                TokenKind::All => {
                    parser.bump();
                    let name = parser.variable("the name of a type variable")?;
                    if parser.eat(TokenKind::ColonColon) {
                        parser.skip_constructor_set()?;
                    }
                    parser.expect(TokenKind::Dot, "`.`")?;
                    TypeKind::All(name, Box::new(parser.type_expr()?))
                }
                TokenKind::Use => {
                    parser.bump();
                    let name = parser.any_name("the name of a language fragment")?;
                    parser.expect(TokenKind::In, "`in`")?;
                    TypeKind::Use(name, Box::new(parser.type_expr()?))
                }
                _ => {
                    let from = parser.applied_type()?;
                    if !parser.eat(TokenKind::Arrow) {
                        return Ok(from);
                    }
                    TypeKind::Arrow(Box::new(from), Box::new(parser.type_expr()?))
                }
            };
            Ok(parser.ty(start, kind))
        })
    }

    fn ty(&self, start: u32, kind: TypeKind) -> TypeExpr {
        TypeExpr { span: self.span_from(start), kind }
    }

    fn applied_type(&mut self) -> Parse<TypeExpr> {
        let start = self.start();
        let is_variable = self.at_any(&[TokenKind::Lower, TokenKind::QuotedVar]);
        if !is_variable && !self.at_any(&[TokenKind::Upper, TokenKind::QuotedType]) {
            return self.type_atom("a type");
        }
        let name = if is_variable { self.variable("a type")? } else { self.type_name("the name of a type")? };
        let mut arguments = Vec::new();
        while self.at_type_atom() {
            if self.at_constructor_set() {
                self.skip_constructor_set()?;
                continue;
            }
            arguments.push(self.type_atom("a type")?);
        }
        let kind = match is_variable {
            false => TypeKind::Named(name, arguments),
            true if arguments.is_empty() => TypeKind::Var(name.name),
            true => TypeKind::Apply(name, arguments),
        };
        Ok(self.ty(start, kind))
    }

    fn at_type_atom(&self) -> bool {
        self.at_any(&[
            TokenKind::LParen,
            TokenKind::LBracket,
            TokenKind::LBrace,
            TokenKind::TensorType,
            TokenKind::UnknownType,
            TokenKind::BoolType,
            TokenKind::IntType,
            TokenKind::FloatType,
            TokenKind::CharType,
            TokenKind::StringType,
            TokenKind::Upper,
            TokenKind::QuotedType,
            TokenKind::Lower,
            TokenKind::QuotedVar,
            TokenKind::Underscore,
        ])
    }

    /// Returns whether `{A B}`, `{!A}` or `{a}` starts here, rather than a record.
    fn at_constructor_set(&self) -> bool {
        self.at(TokenKind::LBrace)
            && self.kind_at(1) != TokenKind::RBrace
            && self.kind_at(2) != TokenKind::Colon
    }

    /// Skips `{...}`.
    fn skip_constructor_set(&mut self) -> Parse<()> {
        self.expect(TokenKind::LBrace, "a set of constructors")?;
        while !self.at_any(&[TokenKind::RBrace, TokenKind::Eof]) {
            self.bump();
        }
        self.expect(TokenKind::RBrace, "`}`").map(|_| ())
    }

    fn type_atom(&mut self, what: &str) -> Parse<TypeExpr> {
        let start = self.start();
        let simple = match self.kind() {
            TokenKind::UnknownType | TokenKind::Underscore => TypeKind::Unknown,
            TokenKind::BoolType => TypeKind::Bool,
            TokenKind::IntType => TypeKind::Int,
            TokenKind::FloatType => TypeKind::Float,
            TokenKind::CharType => TypeKind::Char,
            TokenKind::StringType => TypeKind::String,
            _ => return self.structured_type(what),
        };
        self.bump();
        Ok(self.ty(start, simple))
    }

    fn structured_type(&mut self, what: &str) -> Parse<TypeExpr> {
        let start = self.start();
        let kind = match self.kind() {
            TokenKind::Lower | TokenKind::QuotedVar => TypeKind::Var(self.variable(what)?.name),
            TokenKind::Upper | TokenKind::QuotedType => TypeKind::Named(self.type_name(what)?, Vec::new()),
            TokenKind::LBracket => {
                self.bump();
                TypeKind::Seq(Box::new(self.bracketed_type()?))
            }
            TokenKind::TensorType => {
                self.bump();
                self.expect(TokenKind::LBracket, "`[` and the type of the elements")?;
                TypeKind::Tensor(Box::new(self.bracketed_type()?))
            }
            TokenKind::LParen => {
                self.bump();
                let (mut items, trailing) = self.comma_list(TokenKind::RParen, COMMA, Self::type_expr)?;
                if items.len() == 1 && !trailing {
                    return Ok(items.remove(0));
                }
                TypeKind::Tuple(items)
            }
            TokenKind::LBrace => {
                self.bump();
                match self.comma_list(TokenKind::RBrace, COMMA, Self::field_type)?.0 {
                    fields if fields.is_empty() => TypeKind::Tuple(Vec::new()),
                    fields => TypeKind::Record(fields),
                }
            }
            _ => return Err(self.unexpected(what)),
        };
        Ok(self.ty(start, kind))
    }

    /// Parses the type before a `]`, and the `]`.
    fn bracketed_type(&mut self) -> Parse<TypeExpr> {
        let element = self.type_expr()?;
        self.expect(TokenKind::RBracket, "`]`, or the rest of the type")?;
        Ok(element)
    }

    fn field_type(&mut self) -> Parse<(Ident, TypeExpr)> {
        let label = self.label("the label of a field")?;
        self.expect(TokenKind::Colon, "`:`")?;
        Ok((label, self.type_expr()?))
    }
}
