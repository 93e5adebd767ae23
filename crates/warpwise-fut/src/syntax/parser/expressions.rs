//! Expressions, but for infix operators.

use warpwise_diag::Diagnostic;

use super::{Parse, Parser, Reported};
use crate::syntax::ast::{
    DimIndex, DimIndexKind, Expr, ExprKind, FieldInit, LetBinding, LetKind, Literal, LocalFunction, LoopExpr,
    LoopForm, MatchCase, PathStep, QualName,
};
use crate::syntax::lexer::{Token, TokenKind};
use crate::syntax::literals::{BadLiteral, decode_char, decode_number, decode_string};

/// An operand, and whether a parenthesis hides its form.
struct Atom {
    expr: Expr,
    bare: bool,
}

impl Parser<'_> {
    /// A whole expression, `:` and `:>` included.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let start = self.start();
        let body = self.unascribed()?;
        self.ascriptions(start, body)
    }

    fn ascriptions(&mut self, start: u32, mut body: Expr) -> Parse<Expr> {
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

    /// What infix operators join: a prefix form, or an application.
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

    /// `if c then a else if d then b else e`: the chain is read by a loop, as it may be long.
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

    /// A sequence of bindings is one node.
    fn let_expr(&mut self) -> Parse<Expr> {
        let start = self.start();
        let mut bindings = Vec::new();
        while self.at(TokenKind::Let) {
            bindings.push(self.let_binding()?);
            if self.eat(TokenKind::In) {
                continue;
            }
            if !self.at(TokenKind::Let) {
                return Err(self.missing_in());
            }
        }
        let body = Box::new(self.expression()?);
        Ok(self.expr(start, ExprKind::Let { bindings, body }))
    }

    fn missing_in(&mut self) -> Reported {
        use TokenKind::*;
        if !self.at_any(&[Def, Entry, Type, Module, Open, Import, Local, Eof]) {
            return self.unexpected("`in` or another `let`");
        }
        let message = match self.kind() {
            Eof => "Unexpected end of file: this `let` has no `in`".to_string(),
            _ => format!("Unexpected \"{}\": the `let` before it has no `in`", self.slice(self.token())),
        };
        let span = self.token_span(self.token());
        self.report(
            Diagnostic::error("E0119", span, message)
                .hint("write `in` and the result after the last binding"),
        )
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

    /// Atoms in a row; the last may be a lambda.
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

    fn at_atom(&self) -> bool {
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

    /// An operand with the fields and indices that follow it.
    fn atom(&mut self) -> Parse<Atom> {
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

    /// `.(e)` after a name.
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

    /// A scalar literal, if one stands here.
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

    /// Everything that starts with `(`: unit, tuples, sections, plain parentheses.
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

    /// The inside of `(+)`, `(+ e)`, `(.x[i])`.
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

    /// `.x` or `[i]` that touches what is before it.
    fn touching_step(&mut self, what: &str) -> Parse<PathStep> {
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
