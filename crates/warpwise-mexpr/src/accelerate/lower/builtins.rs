//! Lowering of built-ins that are applied to all their arguments.

use warpwise_diag::{Failure, Span};
use warpwise_ir::{Expr as Ir, Operand};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType, UnaryOp};

use crate::builtins::Builtin;

use super::Lowerer;
use super::control::Iterations;
use super::exprs::{message_with, text};
use super::patterns::length;
use super::value::{Data, Shape, Value};

impl Lowerer<'_, '_> {
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        arguments: &[Value],
        shape: &Shape,
        span: Span,
    ) -> Result<Data, Failure> {
        if let Some(data) = self.scalar_builtin(builtin, arguments) {
            return Ok(data);
        }
        if let Some(data) = self.tensor_builtin(builtin, arguments, shape, span)? {
            return Ok(data);
        }
        let data = |this: &Self, index: usize| match arguments.get(index) {
            Some(value) => this.data(value.clone(), span),
            None => this.refuse("a built-in with too few arguments", span),
        };
        let zero = Operand::i64(0);
        match (builtin, arguments) {
            (Builtin::Map | Builtin::ParallelMap, [f, _]) => {
                let seq = data(self, 1)?;
                let width = length(&seq);
                self.map(f, &[seq], width, shape, span)
            }
            (Builtin::Mapi, [f, _]) => {
                let seq = data(self, 1)?;
                let width = length(&seq);
                let indices = self.indices(width);
                self.map(f, &[indices, seq], width, shape, span)
            }
            (Builtin::Map2, [f, _, _]) => self.map2(f, &data(self, 1)?, &data(self, 2)?, shape, span),
            (Builtin::Create, [_, f]) => {
                let n = data(self, 0)?.leaves[0];
                let fine = self.b.compare("fine", CompareOp::SLe, zero, n);
                self.check(fine, message_with("a sequence cannot have ", &[(n, " elements")]));
                let indices = self.indices(n);
                self.map(f, &[indices], n, shape, span)
            }
            (Builtin::Foldl, [f, ..]) => {
                let (start, seq) = (data(self, 1)?, data(self, 2)?);
                self.foldl(f, &start, &seq, shape, span)
            }
            (Builtin::Foldr, [f, ..]) => {
                let (start, seq) = (data(self, 1)?, data(self, 2)?);
                self.foldr(f, &start, &seq, shape, span)
            }
            (Builtin::Reduce, [f, ..]) => {
                let (start, seq) = (data(self, 1)?, data(self, 2)?);
                self.reduce(f, &start, &seq, shape, span)
            }
            (Builtin::Flatten, _) => {
                let seq = data(self, 0)?;
                self.flatten(&seq, span)
            }
            (Builtin::Length, _) => Ok(Data::int(length(&data(self, 0)?))),
            (Builtin::Null, _) => {
                let n = length(&data(self, 0)?);
                Ok(Data::bool(self.b.compare("empty", CompareOp::Eq, n, zero)))
            }
            (Builtin::Get, _) => {
                let (seq, index) = (data(self, 0)?, data(self, 1)?.leaves[0]);
                let cert = self.in_bounds(index, length(&seq));
                Ok(self.element_under(&seq, index, cert.as_slice()))
            }
            (Builtin::Set, _) => {
                let (seq, index, value) = (data(self, 0)?, data(self, 1)?.leaves[0], data(self, 2)?);
                let cert = self.in_bounds(index, length(&seq));
                self.set(&seq, index, &value, cert.as_slice(), span)
            }
            (Builtin::Concat, _) => {
                let (first, second) = (data(self, 0)?, data(self, 1)?);
                self.concat(&first, &second, span)
            }
            (Builtin::Cons, _) => {
                let one = self.literal(vec![data(self, 0)?], &Shape::Unknown, span)?;
                let seq = data(self, 1)?;
                self.concat(&one, &seq, span)
            }
            (Builtin::Snoc, _) => {
                let one = self.literal(vec![data(self, 1)?], &Shape::Unknown, span)?;
                let seq = data(self, 0)?;
                self.concat(&seq, &one, span)
            }
            (Builtin::Head, _) => {
                let seq = data(self, 0)?;
                let cert = self.not_empty(length(&seq), "head");
                Ok(self.element_under(&seq, zero, cert.as_slice()))
            }
            (Builtin::Tail, _) => {
                let seq = data(self, 0)?;
                let cert = self.not_empty(length(&seq), "tail");
                let n = self.b.binary("n", BinaryOp::Sub, length(&seq), Operand::i64(1));
                Ok(self.part_under(&seq, Operand::i64(1), n, Operand::i64(1), cert.as_slice()))
            }
            (Builtin::Reverse, _) => {
                let seq = data(self, 0)?;
                let n = length(&seq);
                let last = self.b.binary("last", BinaryOp::Sub, n, Operand::i64(1));
                Ok(self.part(&seq, last, n, Operand::i64(-1)))
            }
            (Builtin::Subsequence, _) => {
                let (seq, start, n) = (data(self, 0)?, data(self, 1)?.leaves[0], data(self, 2)?.leaves[0]);
                Ok(self.subsequence(&seq, start, n))
            }
            (Builtin::SplitAt, _) => {
                let (seq, at) = (data(self, 0)?, data(self, 1)?.leaves[0]);
                let n = length(&seq);
                let low = self.b.compare("low", CompareOp::SLe, zero, at);
                let high = self.b.compare("high", CompareOp::SLe, at, n);
                let fine = self.b.binary("fine", BinaryOp::And, low, high);
                let rest = [(n, " cannot be split at "), (at, "")];
                let cert = self.check(fine, message_with("a sequence of length ", &rest));
                let rest = self.b.binary("n", BinaryOp::Sub, n, at);
                let first = self.part_under(&seq, zero, at, Operand::i64(1), cert.as_slice());
                let second = self.part_under(&seq, at, rest, Operand::i64(1), cert.as_slice());
                let Shape::Record(fields) = shape else { return self.limit("this `splitAt`", span) };
                let labels = fields.iter().map(|(label, _)| *label);
                // The labels of a pair are sorted by their text, not by symbol.
                let mut labels: Vec<_> = labels.collect();
                labels.sort_by_key(|label| self.checked.names.text(*label).to_string());
                Ok(Data::record(labels.into_iter().zip([first, second]).collect()))
            }
            (Builtin::Loop, [_, f]) => {
                let n = data(self, 0)?.leaves[0];
                self.parallel_loop(n, f, span)
            }
            (Builtin::SeqLoop, [_, f]) => {
                let n = data(self, 0)?.leaves[0];
                self.sequential_loop(n, f, span)
            }
            (Builtin::SeqLoopAcc, [_, _, f]) => {
                let (start, n) = (data(self, 0)?, data(self, 1)?.leaves[0]);
                self.iterations(&start, Iterations::Times(n), span, &mut |this, index, now| {
                    let arguments = vec![Value::Data(now.clone()), Value::Data(Data::int(index))];
                    let next = this.call(f.clone(), arguments, shape, span)?;
                    this.data(next, span)
                })
            }
            (Builtin::Print, _) => {
                let text = data(self, 0)?;
                self.print(&text, span)
            }
            (Builtin::DPrint, _) => {
                let value = data(self, 0)?;
                self.print_value(&value, span)
            }
            (Builtin::PrintFloat, _) => {
                let value = data(self, 0)?.leaves[0];
                self.print_float(value, span)
            }
            (Builtin::Error, _) => {
                let message = self.written_text(&data(self, 0)?);
                self.fail(message.unwrap_or_else(|| "`error` was called".to_string()));
                Ok(self.blank(shape))
            }
            _ => self.refuse(format!("`{}`", builtin.name()), span),
        }
    }

    /// Lowers `map2`; the shorter sequence determines the length.
    fn map2(&mut self, f: &Value, a: &Data, b: &Data, shape: &Shape, span: Span) -> Result<Data, Failure> {
        let (n, m) = (length(a), length(b));
        if n == m {
            return self.map(f, &[a.clone(), b.clone()], n, shape, span);
        }
        let width = self.b.binary("n", BinaryOp::SMin, n, m);
        let (zero, one) = (Operand::i64(0), Operand::i64(1));
        let inputs = [self.part(a, zero, width, one), self.part(b, zero, width, one)];
        self.map(f, &inputs, width, shape, span)
    }

    /// Returns at most `n` elements from an index; none if the index is past the end.
    fn subsequence(&mut self, seq: &Data, start: Operand, n: Operand) -> Data {
        let all = length(seq);
        let low = self.b.compare("low", CompareOp::SLe, Operand::i64(0), start);
        let some = self.b.compare("some", CompareOp::SLe, Operand::i64(0), n);
        let fine = self.b.binary("fine", BinaryOp::And, low, some);
        let message = message_with("there is no part of ", &[(n, " elements from index "), (start, " on")]);
        let cert = self.check(fine, message);
        let start = self.b.binary("start", BinaryOp::SMin, start, all);
        let rest = self.b.binary("rest", BinaryOp::Sub, all, start);
        let len = self.b.binary("n", BinaryOp::SMin, n, rest);
        self.part_under(seq, start, len, Operand::i64(1), cert.as_slice())
    }

    /// Lowers built-ins on scalars; returns `None` for other built-ins.
    fn scalar_builtin(&mut self, builtin: Builtin, arguments: &[Value]) -> Option<Data> {
        let leaf = |index: usize| match arguments.get(index) {
            Some(Value::Data(data)) => data.leaves.first().copied(),
            Some(Value::Function(_)) | None => None,
        };
        let (x, y) = (leaf(0)?, leaf(1));
        if let Some((op, ty)) = binary(builtin) {
            let y = y?;
            let result = self.b.binary("x", op, x, y);
            self.remember(op, result, x, y);
            return Some(Data::scalar(ty, result));
        }
        if let Some((op, swapped)) = comparison(builtin) {
            let (x, y) = if swapped { (y?, x) } else { (x, y?) };
            return Some(Data::bool(self.b.compare("c", op, x, y)));
        }
        if let Some((op, ty)) = unary(builtin) {
            return Some(Data::scalar(ty, self.b.unary("x", op, x)));
        }
        match builtin {
            Builtin::Divi => Some(self.divide(BinaryOp::SQuot, x, y?)),
            Builtin::Modi => Some(self.divide(BinaryOp::SRem, x, y?)),
            Builtin::IntToFloat => Some(Data::scalar(
                ScalarType::F64,
                self.b.convert("x", ConvertOp::SIToFP, x, ScalarType::F64),
            )),
            Builtin::Floorfi => Some(self.rounded(UnaryOp::Floor, x)),
            Builtin::Ceilfi => Some(self.rounded(UnaryOp::Ceil, x)),
            Builtin::Roundfi => Some(self.rounded_away(x)),
            Builtin::CharToInt => Some(Data::int(self.b.convert("x", ConvertOp::SExt, x, ScalarType::I64))),
            Builtin::IntToChar => Some(self.char_of(x)),
            _ => None,
        }
    }

    /// Returns the character of a code point, which must have one.
    fn char_of(&mut self, code: Operand) -> Data {
        let [gap, after_gap, last] = [0xd800, 0xe000, 0x10_ffff].map(Operand::i64);
        let is_before = self.b.compare("before", CompareOp::ULt, code, gap);
        let low = self.b.compare("low", CompareOp::ULe, after_gap, code);
        let high = self.b.compare("high", CompareOp::ULe, code, last);
        let is_behind = self.b.binary("behind", BinaryOp::And, low, high);
        let fine = self.b.binary("fine", BinaryOp::Or, is_before, is_behind);
        let cert = self.check(fine, message_with("", &[(code, " is no character")]));
        let convert = Ir::Convert(ConvertOp::Truncate, code, ScalarType::I32);
        Data::scalar(ScalarType::I32, self.b.with_certs(cert.as_slice(), |b| b.bind_one("c", convert)))
    }

    fn rounded(&mut self, op: UnaryOp, x: Operand) -> Data {
        let x = self.b.unary("x", op, x);
        Data::int(self.b.convert("x", ConvertOp::FPToSI, x, ScalarType::I64))
    }

    /// Rounds to the nearest integer, halves away from zero.
    fn rounded_away(&mut self, x: Operand) -> Data {
        let size = self.b.unary("size", UnaryOp::FAbs, x);
        let below = self.b.unary("below", UnaryOp::Floor, size);
        let rest = self.b.binary("rest", BinaryOp::FSub, size, below);
        let is_up = self.b.compare("up", CompareOp::FLe, Scalar::F64(0.5), rest);
        let above = self.b.binary("above", BinaryOp::FAdd, below, Scalar::F64(1.0));
        let size = self.b.select("size", is_up, above, below);
        let is_negative = self.b.compare("negative", CompareOp::FLt, x, Scalar::F64(0.0));
        let negative = self.b.unary("x", UnaryOp::FNeg, size);
        let x = self.b.select("x", is_negative, negative, size);
        Data::int(self.b.convert("x", ConvertOp::FPToSI, x, ScalarType::I64))
    }

    /// Remembers the operands of sums and differences, since one of them may be a loop's index.
    fn remember(&mut self, op: BinaryOp, result: Operand, x: Operand, y: Operand) {
        match (op, y) {
            (BinaryOp::Add, _) => self.note_sum(result, x, y),
            (BinaryOp::Sub, Operand::Const(Scalar::I64(y))) => {
                self.note_sum(result, x, Operand::i64(y.wrapping_neg()));
            }
            _ => {}
        }
    }

    fn divide(&mut self, op: BinaryOp, x: Operand, y: Operand) -> Data {
        let fine = self.b.compare("fine", CompareOp::Ne, y, Scalar::I64(0));
        let cert = self.check(fine, text("division by zero"));
        Data::int(self.b.with_certs(cert.as_slice(), |b| b.binary("x", op, x, y)))
    }
}

fn binary(builtin: Builtin) -> Option<(BinaryOp, ScalarType)> {
    let (int, float) = (ScalarType::I64, ScalarType::F64);
    Some(match builtin {
        Builtin::Addi => (BinaryOp::Add, int),
        Builtin::Subi => (BinaryOp::Sub, int),
        Builtin::Muli => (BinaryOp::Mul, int),
        Builtin::Slli => (BinaryOp::Shl, int),
        Builtin::Srli => (BinaryOp::LShr, int),
        Builtin::Srai => (BinaryOp::AShr, int),
        Builtin::Addf => (BinaryOp::FAdd, float),
        Builtin::Subf => (BinaryOp::FSub, float),
        Builtin::Mulf => (BinaryOp::FMul, float),
        Builtin::Divf => (BinaryOp::FDiv, float),
        Builtin::ExternalPow => (BinaryOp::FPow, float),
        Builtin::ExternalAtan2 => (BinaryOp::Atan2, float),
        _ => return None,
    })
}

/// Returns a comparison, and whether its operands are swapped.
fn comparison(builtin: Builtin) -> Option<(CompareOp, bool)> {
    Some(match builtin {
        Builtin::Lti => (CompareOp::SLt, false),
        Builtin::Leqi => (CompareOp::SLe, false),
        Builtin::Gti => (CompareOp::SLt, true),
        Builtin::Geqi => (CompareOp::SLe, true),
        Builtin::Ltf => (CompareOp::FLt, false),
        Builtin::Leqf => (CompareOp::FLe, false),
        Builtin::Gtf => (CompareOp::FLt, true),
        Builtin::Geqf => (CompareOp::FLe, true),
        Builtin::Eqi | Builtin::Eqf | Builtin::Eqc => (CompareOp::Eq, false),
        Builtin::Neqi | Builtin::Neqf => (CompareOp::Ne, false),
        _ => return None,
    })
}

fn unary(builtin: Builtin) -> Option<(UnaryOp, ScalarType)> {
    let float = ScalarType::F64;
    Some(match builtin {
        Builtin::Negi => (UnaryOp::Neg, ScalarType::I64),
        Builtin::Negf => (UnaryOp::FNeg, float),
        Builtin::ExternalExp => (UnaryOp::Exp, float),
        Builtin::ExternalLog => (UnaryOp::Log, float),
        Builtin::ExternalAtan => (UnaryOp::Atan, float),
        Builtin::ExternalSin => (UnaryOp::Sin, float),
        Builtin::ExternalCos => (UnaryOp::Cos, float),
        Builtin::ExternalSqrt => (UnaryOp::Sqrt, float),
        _ => return None,
    })
}
