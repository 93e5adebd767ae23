//! Scalar operations, and the checks of those that may fail.

use warpwise_ir::sizes::{Checked, SizeOp, elements, too_many_elements};
use warpwise_ir::{Expr, Message, MessagePart, Operand, Var};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType, ValueType};

use super::{Lowering, internal};
use crate::error::Error;
use crate::graph::{Node, Op, Ref};

impl Lowering<'_> {
    /// Lowers an operation whose result is one or several scalars.
    pub(super) fn scalar_node(&mut self, node: &Ref) -> Result<Vec<Operand>, Error> {
        let operands = |lowering: &Self| -> Result<Vec<Operand>, Error> {
            let mut all = Vec::new();
            for input in &node.inputs {
                all.extend(lowering.scalars(input)?);
            }
            Ok(all)
        };
        let expr = match &node.op {
            Op::Join => return operands(self),
            Op::Part(start) => {
                let count = node.ty.scalars().map_or(0, |components| components.len());
                let whole = self.scalars(&node.inputs[0])?;
                return Ok(whole[*start..*start + count].to_vec());
            }
            Op::Extents => return Ok(self.array(&node.inputs[0])?.shape),
            Op::Character => return Ok(vec![self.character(node)?]),
            Op::At { in_bounds } => return self.at(node, *in_bounds),
            Op::Unary(op) => Expr::Unary(*op, operands(self)?[0]),
            Op::Binary(op) => {
                let operands = operands(self)?;
                return Ok(vec![self.binary(node, *op, operands[0], operands[1])]);
            }
            Op::Ternary(op) => {
                let operands = operands(self)?;
                Expr::Ternary(*op, operands[0], operands[1], operands[2])
            }
            Op::Compare(op) => {
                let operands = operands(self)?;
                Expr::Compare(*op, operands[0], operands[1])
            }
            Op::Convert(op) => {
                let to = node.ty.scalars().and_then(|components| components.first().copied());
                let to = to.ok_or_else(|| internal(node, "a conversion to nothing"))?;
                Expr::Convert(*op, operands(self)?[0], to.scalar())
            }
            _ => return Err(internal(node, "no scalar operation")),
        };
        Ok(vec![self.b.bind_one("x", expr).into()])
    }

    /// Emits a binary operator, after the check of its operand.
    fn binary(&mut self, node: &Node, op: BinaryOp, x: Operand, y: Operand) -> Operand {
        let certs = if op.can_fail() { self.check_operand(node, op, y) } else { None };
        let certs: Vec<Var> = certs.into_iter().collect();
        self.b.with_certs(&certs, |b| b.binary("x", op, x, y))
    }

    fn check_operand(&mut self, node: &Node, op: BinaryOp, y: Operand) -> Option<Var> {
        let ty = self.b.function.operand_type(y).as_scalar().unwrap_or(ScalarType::I64);
        let zero = Operand::Const(Scalar::zero(ty));
        let is_power = matches!(op, BinaryOp::Pow | BinaryOp::UPow);
        if let Operand::Const(value) = y {
            let harmless = if is_power { value.as_int() >= Some(0) } else { value != Scalar::zero(ty) };
            if harmless {
                return None;
            }
        }
        let (holds, text) = if is_power {
            (self.b.compare("ok", CompareOp::SLe, zero, y), "negative exponent")
        } else {
            (self.b.compare("ok", CompareOp::Ne, y, zero), "division by zero")
        };
        let parts = vec![MessagePart::Text(format!("{}: {text}", node.place))];
        Some(self.b.assert(holds, Message { parts, calls: Vec::new() }))
    }

    /// Emits the check that a code point is valid (at most 0x10ffff and outside of 0xd800..=0xdfff), and returns the checked code
    /// point.
    fn character(&mut self, node: &Node) -> Result<Operand, Error> {
        let code = self.scalars(&node.inputs[0])?[0];
        let constant = |code: u32| Operand::Const(Scalar::I32(code as i32));
        let is_low = self.b.compare("low", CompareOp::ULt, code, constant(0xd800));
        let beyond_gap = self.b.binary("beyond", BinaryOp::Sub, code, constant(0xe000));
        let is_high = self.b.compare("high", CompareOp::ULt, beyond_gap, constant(0x11_0000 - 0xe000));
        let holds = self.b.binary("ok", BinaryOp::Or, is_low, is_high);
        let text = MessagePart::Text(format!("{}: no character has the code point ", node.place));
        let parts = vec![text, MessagePart::Value(code, ValueType::U32)];
        let cert = self.b.assert(holds, Message { parts, calls: Vec::new() });
        Ok(self.b.with_certs(&[cert], |b| b.bind_one("x", Expr::Operand(code))).into())
    }

    fn at(&mut self, node: &Node, in_bounds: bool) -> Result<Vec<Operand>, Error> {
        let shape = self.array(&node.inputs[0])?.shape;
        let index = self.scalars(&node.inputs[1])?;
        let columns = self.columns(&node.inputs[0])?;
        let certs = if in_bounds { None } else { self.check_index(node, &index, &shape) };
        Ok(self.read(&columns, &index, &certs.into_iter().collect::<Vec<Var>>()))
    }

    /// Reads the elements of arrays at an index.
    pub(super) fn read(&mut self, columns: &[Operand], index: &[Operand], certs: &[Var]) -> Vec<Operand> {
        let element = |b: &mut warpwise_ir::builder::Builder<'_>, column: &Operand| match column.as_var() {
            Some(array) if !index.is_empty() => b.index("x", array, index).into(),
            Some(_) | None => *column,
        };
        self.b.with_certs(certs, |b| columns.iter().map(|column| element(b, column)).collect())
    }

    /// Emits a bounds check of the index, and returns its certificate; `None` for rank 0.
    pub(super) fn check_index(&mut self, node: &Node, index: &[Operand], shape: &[Operand]) -> Option<Var> {
        let mut all: Option<Operand> = None;
        for (&at, &extent) in index.iter().zip(shape) {
            let low = self.b.compare("low", CompareOp::SLe, 0, at);
            let high = self.b.compare("high", CompareOp::SLt, at, extent);
            let here = self.b.binary("inside", BinaryOp::And, low, high);
            all = Some(all.map_or(here, |all| self.b.binary("inside", BinaryOp::And, all, here)));
        }
        let mut parts = vec![MessagePart::Text(format!("{}: Index [", node.place))];
        for (dimension, &at) in index.iter().enumerate() {
            if dimension > 0 {
                parts.push(MessagePart::Text(", ".to_string()));
            }
            parts.push(MessagePart::Value(at, ValueType::I64));
        }
        parts.push(MessagePart::Text("] out of bounds for array of shape [".to_string()));
        for (dimension, &extent) in shape.iter().enumerate() {
            if dimension > 0 {
                parts.push(MessagePart::Text("][".to_string()));
            }
            parts.push(MessagePart::Value(extent, ValueType::I64));
        }
        parts.push(MessagePart::Text("]".to_string()));
        Some(self.b.assert(all?, Message { parts, calls: Vec::new() }))
    }

    /// Emits a check of the condition, whose message is a text with a value in place of each `{}`. Returns the certificate.
    pub(super) fn check(&mut self, node: &Node, holds: Operand, text: &str, values: &[Operand]) -> Var {
        let mut parts = vec![MessagePart::Text(format!("{}: ", node.place))];
        let mut values = values.iter();
        for (at, words) in text.split("{}").enumerate() {
            if at > 0 {
                parts.extend(values.next().map(|value| MessagePart::Value(*value, ValueType::I64)));
            }
            parts.push(MessagePart::Text(words.to_string()));
        }
        self.b.assert(holds, Message { parts, calls: Vec::new() })
    }

    /// Checks that extents are equal in pairs; those that are the same operand need no check.
    pub(super) fn check_equal(&mut self, node: &Node, left: &[Operand], right: &[Operand]) {
        for (&n, &m) in left.iter().zip(right).filter(|(n, m)| n != m) {
            let holds = self.b.compare("same", CompareOp::Eq, n, m);
            self.check(node, holds, "the extents {} and {} must be equal", &[n, m]);
        }
    }

    /// Returns the number of elements of arrays of these extents, and the certificates that it does not overflow.
    pub(super) fn elements(&mut self, node: &Node, shape: &[Operand]) -> (Operand, Vec<Var>) {
        let Checked { value, fits } = elements(&mut self.b, shape);
        (value, self.check_size(node, fits, || too_many_elements(shape)))
    }

    /// Computes a size from two others. Also returns the certificates that it does not overflow.
    pub(super) fn size(&mut self, node: &Node, op: SizeOp, x: Operand, y: Operand) -> (Operand, Vec<Var>) {
        let Checked { value, fits } = op.compute(&mut self.b, x, y);
        (value, self.check_size(node, fits, || op.overflow(x, y)))
    }

    fn check_size(
        &mut self,
        node: &Node,
        fits: Operand,
        message: impl FnOnce() -> Vec<MessagePart>,
    ) -> Vec<Var> {
        if fits == Operand::bool(true) {
            return Vec::new();
        }
        let place = MessagePart::Text(format!("{}: ", node.place));
        let parts = std::iter::once(place).chain(message()).collect();
        vec![self.b.assert(fits, Message { parts, calls: Vec::new() })]
    }
}
