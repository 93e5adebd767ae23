//! Effects besides writes: sequential loops, and output.
//!
//! Output is a value of the code, a sequence of numbers that the entry point yields with its other results; the caller prints it
//! afterwards ([`super::imperative::printed`]). A text is 0, its length and its characters; a float is 1 and the float; an integer
//! is 2 and its two halves.

use warpwise_diag::{Failure, Span};
use warpwise_ir::Operand;
use warpwise_prim::{BinaryOp, ConvertOp, Scalar, ScalarType};

use super::Lowerer;
use super::control::Iterations;
use super::parallel::{no_value, unit};
use super::patterns::length;
use super::value::{Data, Layout, Shape, Value};

/// Mark before a text in the output.
pub(super) const TEXT: f64 = 0.0;
/// Mark before a float in the output.
pub(super) const FLOAT: f64 = 1.0;
/// Mark before the halves of an integer in the output.
pub(super) const INT: f64 = 2.0;

/// The lower half of an integer.
const LOW: i64 = 0xffff_ffff;

impl Lowerer<'_, '_> {
    /// Lowers `seqLoop n f`.
    pub(super) fn sequential_loop(&mut self, n: Operand, f: &Value, span: Span) -> Result<Data, Failure> {
        if !self.memory.is_probing() {
            let width = self.width(n);
            if self.counting_loop(width, f, span)? {
                return Ok(unit());
            }
        }
        self.loop_in_order(n, f, span)
    }

    /// Lowers a loop whose iterations run one after the other.
    pub(super) fn loop_in_order(&mut self, n: Operand, f: &Value, span: Span) -> Result<Data, Failure> {
        self.iterations(&unit(), Iterations::Times(n), span, &mut |this, index, _| {
            this.call(f.clone(), vec![Value::Data(Data::int(index))], &no_value(), span)?;
            Ok(unit())
        })
    }

    /// Lowers `print s`.
    pub(super) fn print(&mut self, text: &Data, span: Span) -> Result<Data, Failure> {
        let n = self.b.convert("n", ConvertOp::SIToFP, length(text), ScalarType::F64);
        self.append(vec![Scalar::F64(TEXT).into(), n], span)?;
        let Some(chars) = text.leaves.first().and_then(|leaf| leaf.as_var()) else { return Ok(unit()) };
        let to_number = self.b.lambda(&[("c", warpwise_ir::Type::Scalar(ScalarType::I32))], |b, c| {
            vec![b.convert("x", ConvertOp::SIToFP, c[0], ScalarType::F64)]
        });
        let numbers = self.b.map("text", length(text), &[chars], to_number);
        let layout = Layout::Seq(length(text), Box::new(Layout::Scalar(ScalarType::F64)));
        let more = Data { layout, leaves: vec![numbers[0].into()] };
        self.append_all(&more, span)
    }

    /// Lowers `printFloat x`.
    pub(super) fn print_float(&mut self, value: Operand, span: Span) -> Result<Data, Failure> {
        self.append(vec![Scalar::F64(FLOAT).into(), value], span)
    }

    /// Lowers `dprint x` of a number.
    pub(super) fn print_value(&mut self, value: &Data, span: Span) -> Result<Data, Failure> {
        match value.layout {
            Layout::Scalar(ScalarType::F64) => self.print_float(value.leaves[0], span),
            Layout::Scalar(ScalarType::I64) => {
                let half = Operand::i64(32);
                let high = self.b.binary("high", BinaryOp::AShr, value.leaves[0], half);
                let low = self.b.binary("low", BinaryOp::And, value.leaves[0], Operand::i64(LOW));
                let halves =
                    [high, low].map(|half| self.b.convert("x", ConvertOp::SIToFP, half, ScalarType::F64));
                self.append(vec![Scalar::F64(INT).into(), halves[0], halves[1]], span)
            }
            _ => self.refuse("`dprint` of values that are not numbers", span),
        }
    }

    fn append(&mut self, numbers: Vec<Operand>, span: Span) -> Result<Data, Failure> {
        let items = numbers.into_iter().map(|number| Data::scalar(ScalarType::F64, number)).collect();
        let more = self.literal(items, &Shape::Scalar(ScalarType::F64), span)?;
        self.append_all(&more, span)
    }

    fn append_all(&mut self, more: &Data, span: Span) -> Result<Data, Failure> {
        self.memory.probes.iter_mut().for_each(|probe| probe.prints = true);
        let log = self.memory.log.clone();
        self.memory.log = self.concat(&log, more, span)?;
        Ok(unit())
    }
}
