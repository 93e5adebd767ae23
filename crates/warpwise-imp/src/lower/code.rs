//! Construction of imperative code: registers, memories, labels and a stack of open blocks.
//!
//! A [`Code`] is one host function or kernel under construction. The scalar helpers fold operations on constants, so that
//! addresses stay readable; they fold integers only.
//!
//! Absent on purpose: core IR, and lanes and masks as concepts (see `emitter` and `lanes`).

use warpwise_diag::Span;
use warpwise_ir::entity::PrimaryMap;
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use crate::op::{Block, Label, Op};
use crate::types::{ImpType, Mem, MemData, Operand, Reg, RegData, Space};

/// A host function or kernel under construction.
pub(super) struct Code {
    /// Registers created so far.
    pub regs: PrimaryMap<Reg, RegData>,
    /// Memories created so far.
    pub mems: PrimaryMap<Mem, MemData>,
    /// Source position of the statement that is being lowered.
    pub span: Span,
    open: Vec<Block>,
    labels: u32,
}

impl Code {
    /// Creates code with one open block.
    pub fn new() -> Code {
        let (regs, mems) = (PrimaryMap::new(), PrimaryMap::new());
        Code { regs, mems, span: Span::NONE, open: vec![Block::new()], labels: 0 }
    }

    /// Creates a register.
    pub fn reg(&mut self, name: &str, ty: ImpType) -> Reg {
        self.regs.push(RegData { ty, name: name.to_string() })
    }

    /// Creates an `i64` register.
    pub fn int_reg(&mut self, name: &str) -> Reg {
        self.reg(name, ImpType::scalar(ScalarType::I64))
    }

    /// Emits code for the number of threads that run kernels. Host code.
    pub fn threads(&mut self) -> Operand {
        let threads = self.int_reg("threads");
        self.emit(Op::Threads { dst: threads });
        threads.into()
    }

    /// Creates a memory.
    pub fn mem(&mut self, name: &str, space: Space) -> Mem {
        self.mems.push(MemData { span: self.span, ..MemData::new(space, name) })
    }

    /// Creates a label.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    /// Appends an operation to the innermost open block.
    pub fn emit(&mut self, op: Op) {
        self.open.last_mut().expect("a block is open").push(op);
    }

    /// Returns the operations that `fill` emits, as a block, and its result.
    pub fn block_of<R>(&mut self, fill: impl FnOnce(&mut Code) -> R) -> (Block, R) {
        self.open();
        let result = fill(self);
        (self.close(), result)
    }

    /// Opens a block. The methods of `structured` close it too, where one fits the construct.
    pub fn open(&mut self) {
        self.open.push(Block::new());
    }

    /// Returns the body once all of it is emitted.
    pub fn finish(&mut self) -> Block {
        self.close()
    }

    /// Closes the innermost block.
    pub fn close(&mut self) -> Block {
        self.open.pop().expect("a block is open")
    }

    /// Returns whether the innermost open block ends with a barrier, ignoring operations on values.
    pub fn has_just_met(&self) -> bool {
        let plain = |op: &&Op| {
            matches!(
                op,
                Op::Move { .. }
                    | Op::Unary { .. }
                    | Op::Binary { .. }
                    | Op::Ternary { .. }
                    | Op::Compare { .. }
                    | Op::Convert { .. }
                    | Op::Select { .. }
            )
        };
        let block = self.open.last().expect("a block is open");
        matches!(block.iter().rev().find(|op| !plain(op)), Some(Op::Barrier))
    }

    /// Returns the type of an operand; a constant is a scalar.
    pub fn ty(&self, x: Operand) -> ImpType {
        match x {
            Operand::Reg(reg) => self.regs[reg].ty,
            Operand::Const(value) => ImpType::scalar(value.ty()),
        }
    }

    /// Emits `dst = x`.
    pub fn set(&mut self, dst: Reg, x: impl Into<Operand>) {
        self.emit(Op::Move { dst, x: x.into() });
    }

    /// Copies `x` to a fresh register.
    pub fn copy(&mut self, name: &str, x: impl Into<Operand>) -> Reg {
        let x = x.into();
        let dst = self.reg(name, self.ty(x));
        self.set(dst, x);
        dst
    }

    /// Emits `op x y`, folded where it is an integer operation on constants or neutral elements.
    pub fn binary(&mut self, op: BinaryOp, x: impl Into<Operand>, y: impl Into<Operand>) -> Operand {
        let (x, y) = (x.into(), y.into());
        if let Some(known) = fold(op, x, y) {
            return known;
        }
        let ty = wider(self.ty(x), self.ty(y));
        let dst = self.reg(op.mnemonic(), ty);
        self.emit(Op::Binary { dst, op, x, y });
        dst.into()
    }

    /// Emits `x + y` on integers.
    pub fn add(&mut self, x: impl Into<Operand>, y: impl Into<Operand>) -> Operand {
        self.binary(BinaryOp::Add, x, y)
    }

    /// Emits `x - y` on integers.
    pub fn sub(&mut self, x: impl Into<Operand>, y: impl Into<Operand>) -> Operand {
        self.binary(BinaryOp::Sub, x, y)
    }

    /// Emits `x * y` on integers.
    pub fn mul(&mut self, x: impl Into<Operand>, y: impl Into<Operand>) -> Operand {
        self.binary(BinaryOp::Mul, x, y)
    }

    /// Emits the product of `i64` operands.
    pub fn product(&mut self, xs: impl IntoIterator<Item = Operand>) -> Operand {
        xs.into_iter().fold(Operand::i64(1), |product, x| self.mul(product, x))
    }

    /// Emits `ceil(x / y)` for `x >= 0` and constant `y > 0`.
    pub fn ceil_div(&mut self, x: impl Into<Operand>, y: i64) -> Operand {
        // The sum may exceed the greatest `i64`, but fits an unsigned integer.
        let sum = self.add(x, Operand::i64(y - 1));
        self.binary(BinaryOp::UDiv, sum, Operand::i64(y))
    }

    /// Emits `op x y`, a `bool` or mask.
    pub fn compare(&mut self, op: CompareOp, x: impl Into<Operand>, y: impl Into<Operand>) -> Operand {
        let (x, y) = (x.into(), y.into());
        let lanes = wider(self.ty(x), self.ty(y)).lanes;
        let dst = self.reg(op.mnemonic(), ImpType::vector(ScalarType::Bool, lanes));
        self.emit(Op::Compare { dst, op, x, y });
        dst.into()
    }

    /// Emits `cond ? x : y`.
    pub fn select(
        &mut self,
        cond: impl Into<Operand>,
        x: impl Into<Operand>,
        y: impl Into<Operand>,
    ) -> Operand {
        let (cond, x, y) = (cond.into(), x.into(), y.into());
        let lanes = self.ty(cond).lanes.max(wider(self.ty(x), self.ty(y)).lanes);
        let dst = self.reg("select", ImpType::vector(self.ty(x).scalar, lanes));
        self.emit(Op::Select { dst, cond, x, y });
        dst.into()
    }

    /// Emits the negation of a mask or truth value.
    pub fn not(&mut self, x: impl Into<Operand>) -> Operand {
        let x = x.into();
        let dst = self.reg("not", self.ty(x));
        self.emit(Op::Unary { dst, op: warpwise_prim::UnaryOp::Not, x });
        dst.into()
    }

    /// Loads one scalar.
    pub fn load(&mut self, name: &str, elem: ScalarType, mem: Mem, index: impl Into<Operand>) -> Reg {
        let dst = self.reg(name, ImpType::scalar(elem));
        self.emit(Op::Load { dst, mem, index: index.into(), mask: None, ahead: None });
        dst
    }

    /// Stores one scalar.
    pub fn store(
        &mut self,
        elem: ScalarType,
        mem: Mem,
        index: impl Into<Operand>,
        value: impl Into<Operand>,
    ) {
        let (index, value) = (index.into(), value.into());
        self.emit(Op::Store { mem, index, value, elem, mask: None, stream: false });
    }
}

/// Returns the type of the operand with more lanes.
fn wider(x: ImpType, y: ImpType) -> ImpType {
    if y.lanes > x.lanes { y } else { x }
}

/// Returns the result of an integer operation that needs no code.
#[expect(clippy::wildcard_enum_match_arm, reason = "an operator without a rule is not folded")]
fn fold(op: BinaryOp, x: Operand, y: Operand) -> Option<Operand> {
    let int = |operand: Operand| match operand {
        Operand::Const(value) => value.as_int().map(|int| (value.ty(), int)),
        Operand::Reg(_) => None,
    };
    if let (Some((ty, x)), Some((_, y))) = (int(x), int(y)) {
        let value = match op {
            BinaryOp::Add => x.wrapping_add(y),
            BinaryOp::Sub => x.wrapping_sub(y),
            BinaryOp::Mul => x.wrapping_mul(y),
            BinaryOp::SMax => x.max(y),
            BinaryOp::SQuot if y != 0 => x.wrapping_div(y),
            BinaryOp::UDiv if ty == ScalarType::I64 && y != 0 => (x as u64 / y as u64) as i64,
            _ => return None,
        };
        return Some(Operand::Const(Scalar::int(ty, value)));
    }
    match (op, int(x).map(|c| c.1), int(y).map(|c| c.1)) {
        (BinaryOp::Add, Some(0), _) | (BinaryOp::Mul, Some(1), _) => Some(y),
        (BinaryOp::Add | BinaryOp::Sub, _, Some(0))
        | (BinaryOp::Mul | BinaryOp::SQuot | BinaryOp::UDiv, _, Some(1)) => Some(x),
        (BinaryOp::Mul, Some(0), _) => Some(x),
        (BinaryOp::Mul, _, Some(0)) => Some(y),
        _ => None,
    }
}
