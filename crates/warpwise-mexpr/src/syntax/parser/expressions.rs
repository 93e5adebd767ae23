//! Expressions: blocks, choices, functions and applications.

use crate::syntax::ast::{Decl, DeclKind, Expr, ExprKind, Parameter, Test};
use crate::syntax::lexer::TokenKind;

use super::{Parse, Parser};

/// The construct that an `if` or `match` starts.
enum Branching {
    /// `match e with p in`; its body follows.
    Binding(Decl),
    /// A complete choice.
    Choice(Expr),
}

impl Parser<'_> {
    /// Parses any expression: definitions, choices, functions, sequences of applications.
    pub(super) fn expression(&mut self) -> Parse<Expr> {
        let start = self.start();
        self.nested(|parser| parser.block(start, Vec::new()))
    }

    /// Parses the rest of a block that starts with these definitions.
    fn block(&mut self, start: u32, mut decls: Vec<Decl>) -> Parse<Expr> {
        loop {
            let here = self.start();
            let result = match self.kind() {
                TokenKind::Let
                | TokenKind::Recursive
                | TokenKind::Type
                | TokenKind::Con
                | TokenKind::Utest
                | TokenKind::External
                | TokenKind::Use => {
                    let kind = self.local_decl()?;
                    decls.push(Decl { kind, span: self.span_from(here) });
                    continue;
                }
                TokenKind::If | TokenKind::Match => match self.branching()? {
                    Branching::Binding(decl) => {
                        decls.push(decl);
                        continue;
                    }
                    Branching::Choice(choice) => choice,
                },
                TokenKind::Lam => self.function()?,
                TokenKind::Switch => self.switch()?,
                TokenKind::Dive | TokenKind::Prerun => return Err(self.unsupported("`dive` and `prerun`")),
                _ => {
                    let value = self.application()?;
                    if self.eat(TokenKind::Semicolon) {
                        decls.push(Decl { span: value.span, kind: DeclKind::Do(value) });
                        continue;
                    }
                    value
                }
            };
            return Ok(self.finish_block(start, decls, result));
        }
    }

    /// Makes a block. If its result is a block too, the two become one.
    fn finish_block(&self, start: u32, mut decls: Vec<Decl>, result: Expr) -> Expr {
        if decls.is_empty() {
            return result;
        }
        let result = match result.kind {
            ExprKind::Block(inner, value) => {
                decls.extend(inner);
                value
            }
            _ => Box::new(result),
        };
        self.expr(start, ExprKind::Block(decls, result))
    }

    /// Parses a definition with its `in`.
    fn local_decl(&mut self) -> Parse<DeclKind> {
        let decl = match self.kind() {
            TokenKind::Recursive => {
                self.bump();
                DeclKind::Recursive(self.recursive_bindings()?)
            }
            TokenKind::Use => {
                self.bump();
                DeclKind::Use(self.any_name("the name of a language fragment")?)
            }
            _ => self.plain_decl()?,
        };
        self.expect(TokenKind::In, super::IN)?;
        Ok(decl)
    }

    /// Parses `if ... else` and `match ... else`, including those that follow their `else`; or `match ... in`.
    fn branching(&mut self) -> Parse<Branching> {
        let start = self.start();
        let mut tests = Vec::new();
        while self.at_any(&[TokenKind::If, TokenKind::Match]) {
            let here = self.start();
            let is_match = self.bump().kind == TokenKind::Match;
            let scrutinee = self.expression()?;
            let mut pattern = None;
            if is_match {
                self.expect(TokenKind::With, "`with`, or the rest of the expression")?;
                let matched = self.pattern()?;
                if self.eat(TokenKind::In) {
                    let decl = Decl {
                        kind: DeclKind::Match(Box::new((scrutinee, matched))),
                        span: self.span_from(here),
                    };
                    if tests.is_empty() {
                        return Ok(Branching::Binding(decl));
                    }
                    let otherwise = self.block(here, vec![decl])?;
                    return Ok(Branching::Choice(self.choice(start, tests, otherwise)));
                }
                pattern = Some(matched);
            }
            let what = if is_match { "`then` or `in`" } else { "`then`, or the rest of the condition" };
            self.expect(TokenKind::Then, what)?;
            let then = self.expression()?;
            self.expect(TokenKind::Else, super::ELSE)?;
            tests.push(Test { scrutinee, pattern, then });
        }
        let otherwise = self.expression()?;
        Ok(Branching::Choice(self.choice(start, tests, otherwise)))
    }

    /// Makes a choice. If its last alternative is a choice too, the two become one.
    fn choice(&self, start: u32, mut tests: Vec<Test>, otherwise: Expr) -> Expr {
        let otherwise = match otherwise.kind {
            ExprKind::Choice(inner, last) => {
                tests.extend(inner);
                last
            }
            _ => Box::new(otherwise),
        };
        self.expr(start, ExprKind::Choice(tests, otherwise))
    }

    fn switch(&mut self) -> Parse<Expr> {
        let start = self.start();
        self.bump();
        let scrutinee = self.expression()?;
        let mut cases = Vec::new();
        while self.eat(TokenKind::Case) {
            let pattern = self.pattern()?;
            self.expect(TokenKind::Then, "`then`")?;
            cases.push((pattern, self.expression()?));
        }
        self.expect(TokenKind::End, super::END_OF_SWITCH)?;
        Ok(self.expr(start, ExprKind::Switch(Box::new(scrutinee), cases)))
    }

    /// Parses `lam x : T. lam y. e`.
    fn function(&mut self) -> Parse<Expr> {
        let start = self.start();
        let mut parameters = Vec::new();
        while self.eat(TokenKind::Lam) {
            if self.eat(TokenKind::Dot) {
                parameters.push(Parameter { name: None, ty: None });
                continue;
            }
            let name = self.variable("the name of a parameter, or `.`")?;
            let ty = if self.eat(TokenKind::Colon) { Some(self.type_expr()?) } else { None };
            self.expect(TokenKind::Dot, "`.` before the body of the function")?;
            parameters.push(Parameter { name: Some(name), ty });
        }
        let body = self.expression()?;
        let body = match body.kind {
            ExprKind::Lambda(inner, body) => {
                parameters.extend(inner);
                body
            }
            _ => Box::new(body),
        };
        Ok(self.expr(start, ExprKind::Lambda(parameters, body)))
    }

    /// Parses `f a b`, `C a`, or an atom.
    fn application(&mut self) -> Parse<Expr> {
        let start = self.start();
        let head = if self.at_any(&[TokenKind::Upper, TokenKind::QuotedCon]) {
            let constructor = self.constructor("a constructor")?;
            let argument = self.atom("the value that the constructor holds")?;
            self.expr(start, ExprKind::Construct(constructor, Box::new(argument)))
        } else {
            self.atom("an expression")?
        };
        let mut arguments = Vec::new();
        while self.at_atom() {
            arguments.push(self.atom("an argument")?);
        }
        if self.at_any(&[TokenKind::Upper, TokenKind::QuotedCon]) {
            return Err(self.unexpected(super::ARGUMENT));
        }
        if arguments.is_empty() {
            return Ok(head);
        }
        let kind = match head.kind {
            ExprKind::Apply(function, mut first) => {
                first.extend(arguments);
                ExprKind::Apply(function, first)
            }
            _ => ExprKind::Apply(Box::new(head), arguments),
        };
        Ok(self.expr(start, kind))
    }
}
