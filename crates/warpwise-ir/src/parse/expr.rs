//! Expressions other than SOACs and segmented operations.

use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, TernaryOp, UnaryOp};

use super::lex::TokenKind;
use super::{Cursor, Parsed, Parser};
use crate::expr::{Branch, Expr, LoopForm, LoopParam, Message, MessagePart, SliceDim};
use crate::types::Operand;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let word = match *self.peek() {
            TokenKind::Word(word) => word,
            TokenKind::Mark("[") => return self.list("[", "]", |p| p.operand()).map(Expr::ArrayLit),
            TokenKind::Number(_) | TokenKind::Text(_) | TokenKind::Mark(_) | TokenKind::End => {
                return self.operand().map(Expr::Operand);
            }
        };
        self.advance();
        if let Some(expr) = self.operator(word)? {
            return Ok(expr);
        }
        match word {
            "select" => Ok(Expr::Select(self.operand()?, self.operand()?, self.operand()?)),
            "assert" => Ok(Expr::Assert { cond: self.operand()?, message: self.message()? }),
            "if" => self.branch(),
            "loop" => self.loop_expr(),
            "call" => self.call(),
            "update_acc" => Ok(Expr::UpdateAcc {
                acc: self.var()?,
                indices: self.list("[", "]", |p| p.operand())?,
                values: self.list("(", ")", |p| p.operand())?,
            }),
            "tuned" => self.tuned(),
            "alloc" => Ok(Expr::Alloc { bytes: self.operand()? }),
            _ => match self.array_expr(word)? {
                Some(expr) => Ok(expr),
                None => self.soac_or_operand(word),
            },
        }
    }

    fn soac_or_operand(&mut self, word: &str) -> Parsed<Expr> {
        match self.soac(word)? {
            Some(expr) => Ok(expr),
            None => {
                self.retreat();
                self.operand().map(Expr::Operand)
            }
        }
    }

    /// Parses a scalar operation, if the word is the mnemonic of an operator.
    fn operator(&mut self, word: &str) -> Parsed<Option<Expr>> {
        let expr = if let Some(op) = UnaryOp::from_mnemonic(word) {
            Expr::Unary(op, self.operand()?)
        } else if let Some(op) = BinaryOp::from_mnemonic(word) {
            Expr::Binary(op, self.operand()?, self.operand()?)
        } else if let Some(op) = TernaryOp::from_mnemonic(word) {
            Expr::Ternary(op, self.operand()?, self.operand()?, self.operand()?)
        } else if let Some(op) = CompareOp::from_mnemonic(word) {
            Expr::Compare(op, self.operand()?, self.operand()?)
        } else if let Some(op) = ConvertOp::from_mnemonic(word) {
            let operand = self.operand()?;
            self.mark(":")?;
            Expr::Convert(op, operand, self.scalar_type()?)
        } else {
            return Ok(None);
        };
        Ok(Some(expr))
    }

    fn array_expr(&mut self, word: &str) -> Parsed<Option<Expr>> {
        Ok(Some(match word {
            "index" => Expr::Index { array: self.var()?, indices: self.list("[", "]", |p| p.operand())? },
            "slice" => Expr::Slice { array: self.var()?, dims: self.slice_dims()? },
            "update" => {
                let (array, dims) = (self.var()?, self.slice_dims()?);
                self.mark("=")?;
                Expr::Update { array, dims, value: self.operand()? }
            }
            "iota" => Expr::Iota { len: self.operand()?, start: self.operand()?, step: self.operand()? },
            "replicate" => Expr::Replicate { shape: self.shape()?, value: self.operand()? },
            "concat" => Expr::Concat { len: self.operand()?, arrays: self.list("(", ")", |p| p.var())? },
            "rearrange" => {
                let perm = self.list("(", ")", |p| p.count())?;
                Expr::Rearrange { array: self.var()?, perm }
            }
            "reshape" => {
                let shape = self.shape()?;
                Expr::Reshape { array: self.var()?, shape }
            }
            "copy" => Expr::Copy(self.var()?),
            "manifest" => {
                let perm = self.list("(", ")", |p| p.count())?;
                Expr::Manifest { array: self.var()?, perm }
            }
            "scratch" => {
                let shape = self.shape()?;
                Expr::Scratch { elem: self.scalar_type()?, shape }
            }
            _ => return Ok(None),
        }))
    }

    fn slice_dims(&mut self) -> Parsed<Vec<SliceDim>> {
        self.list("[", "]", |p| {
            let start = p.operand()?;
            if !p.eat(":") {
                return Ok(SliceDim::Fix(start));
            }
            let len = p.operand()?;
            p.mark(":")?;
            Ok(SliceDim::Range { start, len, stride: p.operand()? })
        })
    }

    fn message(&mut self) -> Parsed<Message> {
        let parts = self.list("(", ")", |p| {
            if let TokenKind::Text(_) = p.peek() {
                return p.text().map(MessagePart::Text);
            }
            let value = p.operand()?;
            p.mark(":")?;
            Ok(MessagePart::Value(value, p.value_type()?))
        })?;
        Ok(Message { parts, calls: Vec::new() })
    }

    fn branch(&mut self) -> Parsed<Expr> {
        let branch = if self.eat_word("specialised") { Branch::Specialised } else { Branch::Plain };
        let cond = self.operand()?;
        let then_body = self.body()?;
        self.word("else")?;
        let else_body = self.body()?;
        Ok(Expr::If { cond, then_body, else_body, branch })
    }

    fn loop_expr(&mut self) -> Parsed<Expr> {
        let scope = self.scope.log.len();
        let params = self.list("(", ")", |p| {
            let (var, consumed) = p.binding()?;
            p.mark("=")?;
            let init = p.outside(scope, |p| p.operand())?;
            Ok(LoopParam { var, init, consumed })
        })?;
        let form = if self.eat_word("while") {
            LoopForm::While { cond: self.var()? }
        } else {
            self.word("for")?;
            let (index, _) = self.binding()?;
            self.mark("<")?;
            let bound = self.outside(scope, |p| p.operand())?;
            LoopForm::For { index, bound }
        };
        let body = self.body()?;
        self.scope.leave(scope);
        Ok(Expr::Loop { params, form, body })
    }

    fn call(&mut self) -> Parsed<Expr> {
        let (span, name) = (self.span(), self.name()?);
        let Some(function) = self.functions.get(&name).copied() else {
            let message = format!("there is no function `{name}`");
            return Err(Box::new(warpwise_diag::Diagnostic::error(super::CODE, span, message)));
        };
        Ok(Expr::Call { function, args: self.list("(", ")", |p| p.operand())? })
    }

    fn tuned(&mut self) -> Parsed<Expr> {
        let name = self.text()?;
        self.word("default")?;
        match self.operand()? {
            Operand::Const(warpwise_prim::Scalar::I64(default)) => Ok(Expr::Tuned { name, default }),
            Operand::Const(_) | Operand::Var(_) => Err(self.error("the default of a tuned value is an i64")),
        }
    }
}
