//! Expressions that start with a keyword, prefix operators and application.

use warpwise_diag::Diagnostic;

use super::{Parse, Parser, Reported};
use crate::syntax::ast::{Expr, ExprKind, LetBinding, LetKind, LocalFunction, LoopExpr, LoopForm, MatchCase};
use crate::syntax::lexer::TokenKind;

impl Parser<'_> {
    /// Parses a whole expression, including `:` and `:>`.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let start = self.start();
        let body = self.unascribed()?;
        self.ascriptions(start, body)
    }

    pub(super) fn ascriptions(&mut self, start: u32, mut body: Expr) -> Parse<Expr> {
        while self.at_any(&[TokenKind::Colon, TokenKind::ColonGreater]) {
            let coerces = self.bump().kind == TokenKind::ColonGreater;
            let (inner, ty) = (Box::new(body), Box::new(self.type_expr()?));
            self.grow(1)?;
            let kind = match coerces {
                true => ExprKind::Coerce { body: inner, ty },
                false => ExprKind::Ascribe { body: inner, ty },
            };
            body = self.expr(start, kind);
        }
        Ok(body)
    }

    /// Parses an operand of infix operators: a prefix form, or an application.
    pub(super) fn prefix(&mut self) -> Parse<Expr> {
        let start = self.start();
        match self.kind() {
            TokenKind::If => self.if_expr(),
            TokenKind::Let => self.let_expr(),
            TokenKind::Loop => self.loop_expr(),
            TokenKind::Match => self.match_expr(),
            TokenKind::Assert => self.assert_expr(),
            TokenKind::AttrOpen => {
                let attr = Box::new(self.attr()?);
                let body = Box::new(self.expression()?);
                Ok(self.expr(start, ExprKind::Attr { attr, body }))
            }
            TokenKind::Minus => {
                self.bump();
                let operand = Box::new(self.nested(Parser::prefix)?);
                Ok(self.expr(start, ExprKind::Negate(operand)))
            }
            TokenKind::Bang => {
                self.bump();
                let operand = Box::new(self.nested(Parser::prefix)?);
                Ok(self.expr(start, ExprKind::Not(operand)))
            }
            _ => self.application(),
        }
    }

    /// Parses `if c then a else if d then b else e`. A loop reads the chain, since it may be long.
    fn if_expr(&mut self) -> Parse<Expr> {
        let mut branches = Vec::new();
        let mut start = self.start();
        while self.eat(TokenKind::If) {
            let condition = self.expression()?;
            self.expect(TokenKind::Then, "`then`")?;
            let then = self.expression()?;
            self.expect(TokenKind::Else, "`else`")?;
            branches.push((start, condition, then));
            start = self.start();
        }
        let mut otherwise = self.expression()?;
        self.grow(branches.len() as u32)?;
        while let Some((start, condition, then)) = branches.pop() {
            let (condition, then) = (Box::new(condition), Box::new(then));
            otherwise = self.expr(start, ExprKind::If { condition, then, otherwise: Box::new(otherwise) });
        }
        Ok(otherwise)
    }

    fn assert_expr(&mut self) -> Parse<Expr> {
        let start = self.bump().start;
        let condition = Box::new(self.atom()?.expr);
        let body = Box::new(self.expression()?);
        Ok(self.expr(start, ExprKind::Assert { condition, body }))
    }

    fn match_expr(&mut self) -> Parse<Expr> {
        let start = self.bump().start;
        let scrutinee = Box::new(self.expression()?);
        let mut cases = Vec::new();
        while cases.is_empty() || self.at(TokenKind::Case) {
            let start = self.start();
            self.expect(TokenKind::Case, "`case`")?;
            let pattern = self.pattern()?;
            self.expect(TokenKind::Arrow, "`->`")?;
            let body = self.expression()?;
            cases.push(MatchCase { span: self.span_from(start), pattern, body });
        }
        Ok(self.expr(start, ExprKind::Match { scrutinee, cases }))
    }

    fn loop_expr(&mut self) -> Parse<Expr> {
        let start = self.bump().start;
        let pattern = self.pattern()?;
        let initial = if self.eat(TokenKind::Equals) { Some(self.expression()?) } else { None };
        let form = self.loop_form()?;
        self.expect(TokenKind::Do, "`do`")?;
        let body = self.expression()?;
        Ok(self.expr(start, ExprKind::Loop(Box::new(LoopExpr { pattern, initial, form, body }))))
    }

    fn loop_form(&mut self) -> Parse<LoopForm> {
        if self.eat(TokenKind::While) {
            return Ok(LoopForm::While(self.expression()?));
        }
        self.expect(TokenKind::For, "`for` or `while`")?;
        if self.at(TokenKind::Ident) && self.kind_at(1) == TokenKind::Less {
            let name = self.ident("a name")?;
            self.bump();
            return Ok(LoopForm::For { index: self.binder(name), bound: self.expression()? });
        }
        let pattern = self.pattern()?;
        self.expect(TokenKind::In, "`in` or `<`")?;
        Ok(LoopForm::ForIn { pattern, array: self.expression()? })
    }

    /// Parses a sequence of bindings as one node.
    fn let_expr(&mut self) -> Parse<Expr> {
        let start = self.start();
        let mut bindings = Vec::new();
        while self.at(TokenKind::Let) {
            let last = self.token_span(self.token());
            bindings.push(self.let_binding()?);
            if self.eat(TokenKind::In) {
                continue;
            }
            if !self.at(TokenKind::Let) {
                return Err(self.missing_in(last));
            }
        }
        let body = Box::new(self.expression()?);
        Ok(self.expr(start, ExprKind::Let { bindings, body }))
    }

    fn let_binding(&mut self) -> Parse<LetBinding> {
        let start = self.bump().start;
        let kind = if self.at(TokenKind::Ident) {
            match self.kind_at(1) {
                TokenKind::IndexBracket | TokenKind::Dot => self.let_update()?,
                TokenKind::Equals | TokenKind::Colon => self.let_pattern()?,
                _ => LetKind::Function(Box::new(self.local_function()?)),
            }
        } else {
            self.let_pattern()?
        };
        Ok(LetBinding { span: self.span_from(start), kind })
    }

    fn let_pattern(&mut self) -> Parse<LetKind> {
        let mut sizes = Vec::new();
        while self.at_bracket() {
            sizes.push(self.size_name()?);
        }
        let pattern = self.pattern()?;
        self.expect(TokenKind::Equals, "`=`")?;
        Ok(LetKind::Pattern { sizes, pattern, value: self.expression()? })
    }

    fn let_update(&mut self) -> Parse<LetKind> {
        let name = self.ident("a name")?;
        let name = self.binder(name);
        let mut path = Vec::new();
        while !self.at(TokenKind::Equals) || path.is_empty() {
            path.push(self.touching_step("`=`, or a further index or field")?);
        }
        self.bump();
        Ok(LetKind::Update { name, path, value: self.expression()? })
    }

    fn local_function(&mut self) -> Parse<LocalFunction> {
        let name = self.ident("a name")?;
        let name = self.binder(name);
        let type_params = self.type_params()?;
        let params = self.params()?;
        if params.is_empty() {
            return Err(self.unexpected("`=`, a type, or a parameter"));
        }
        let result = self.optional_ascription()?;
        self.expect(TokenKind::Equals, "`=`")?;
        Ok(LocalFunction { name, type_params, params, result, body: self.expression()? })
    }

    /// Parses consecutive atoms; the last may be a lambda.
    fn application(&mut self) -> Parse<Expr> {
        let start = self.start();
        if self.at(TokenKind::Backslash) {
            return self.lambda();
        }
        let head = self.atom()?;
        let mut arguments = Vec::new();
        while self.at_atom() {
            let is_index =
                head.bare && arguments.is_empty() && matches!(head.expr.kind, ExprKind::Index { .. });
            if is_index && self.at(TokenKind::LBracket) {
                return Err(self.two_brackets(&head.expr));
            }
            arguments.push(self.atom()?.expr);
        }
        if self.at(TokenKind::Backslash) {
            arguments.push(self.lambda()?);
        }
        if arguments.is_empty() {
            return Ok(head.expr);
        }
        self.grow(1)?;
        let kind = match head.expr.kind {
            ExprKind::Constructor { name, .. } if head.bare => ExprKind::Constructor { name, arguments },
            _ => ExprKind::Apply { function: Box::new(head.expr), arguments },
        };
        Ok(self.expr(start, kind))
    }

    fn two_brackets(&mut self, indexed: &Expr) -> Reported {
        let span = indexed.span.to(self.token_span(self.token()));
        let message = "an array cannot be given to an element as an argument";
        let hint = "write all indices in one pair of brackets: `a[i, j]`";
        self.report(Diagnostic::error("E0113", span, message).hint(hint))
    }

    fn lambda(&mut self) -> Parse<Expr> {
        let start = self.bump().start;
        let params = self.params()?;
        if params.is_empty() {
            return Err(self.unexpected("a parameter"));
        }
        let result = if self.eat(TokenKind::Colon) { Some(Box::new(self.type_term()?)) } else { None };
        self.expect(TokenKind::Arrow, "`->` or a parameter")?;
        let body = Box::new(self.expression()?);
        Ok(self.expr(start, ExprKind::Lambda { params, result, body }))
    }
}
