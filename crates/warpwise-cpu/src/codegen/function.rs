//! One kernel: its slots, its operands, and which file handles which operation.

use warpwise_imp::{CpuTarget, ImpType, Kernel, KernelParam, Mem, Op, Operand, Reg};
use warpwise_ir::entity::Entity;
use warpwise_prim::{Scalar, ScalarType};

use super::aliases::Aliases;
use super::text::{Element, Module, Text, Type, Value};
use super::{Emitted, Exits};

/// A kernel while it is translated.
pub(super) struct Function<'a> {
    pub text: Text<'a>,
    pub target: &'a CpuTarget,
    pub exits: Exits,
    pub aliases: Aliases,
    /// Whether a store past the caches has been emitted.
    pub streams: bool,
    kernel: &'a Kernel,
    regs: Vec<Value>,
    mems: Vec<Value>,
}

impl<'a> Function<'a> {
    pub fn new(module: &'a mut Module, kernel: &'a Kernel, target: &'a CpuTarget) -> Function<'a> {
        let aliases = Aliases::of(kernel, module);
        Function {
            text: Text::new(module),
            target,
            exits: Exits::new(),
            aliases,
            streams: false,
            kernel,
            regs: Vec::new(),
            mems: Vec::new(),
        }
    }

    /// Adds the kernel to the module as a function with this name.
    pub fn emit(mut self, symbol: &str) -> Emitted<()> {
        self.make_slots();
        self.read_arguments();
        self.block(&self.kernel.body)?;
        self.return_from_kernel();
        let vector_bits = self.target.vector_bits;
        let CpuTarget { name, features, .. } = self.target;
        // Vectors that do not fit registers lie within cache lines on the stack.
        self.text.finish(&format!(
            "define void @{symbol}(ptr noalias %context, ptr noalias readonly %args, \
             i64 range(i64 0, -9223372036854775808) %lo, i64 range(i64 0, -9223372036854775808) %hi) nounwind \
             \"stackrealign\" \"target-cpu\"=\"{name}\" \"target-features\"=\"{features}\" \"prefer-vector-width\"=\"{vector_bits}\""
        ));
        Ok(())
    }

    /// Registers start at zero, so that nothing undefined flows through lanes that were never assigned.
    fn make_slots(&mut self) {
        for data in self.kernel.regs.values() {
            let ty = Type::from(data.ty);
            let slot = self.text.alloca(format_args!("{ty}"));
            self.text.line(format_args!("store {}, {slot}", ty.zero()));
            self.regs.push(slot);
        }
        for _ in self.kernel.mems.values() {
            let slot = self.text.alloca(format_args!("ptr"));
            self.text.line(format_args!("store ptr null, {slot}"));
            self.mems.push(slot);
        }
    }

    fn read_arguments(&mut self) {
        for (position, param) in self.kernel.params.iter().enumerate() {
            let place =
                self.text.value(Type::POINTER, format_args!("getelementptr i64, ptr %args, i64 {position}"));
            match param {
                KernelParam::Scalar(reg) => {
                    let bits =
                        self.text.value(Type::I64, format_args!("load i64, {place}, !invariant.load !{{}}"));
                    let value = self.scalar_from_bits(&bits, self.reg_type(*reg).element);
                    self.set(*reg, &value);
                }
                KernelParam::Memory { mem, .. } => {
                    let address = self
                        .text
                        .value(Type::POINTER, format_args!("load ptr, {place}, !invariant.load !{{}}"));
                    self.set_mem(*mem, &address);
                }
            }
        }
        for (reg, name) in [(self.kernel.lo, "%lo"), (self.kernel.hi, "%hi")] {
            self.set(reg, &Value { text: name.into(), ty: Type::I64 });
        }
    }

    fn scalar_from_bits(&mut self, bits: &Value, element: Element) -> Value {
        let ty = Type { element, lanes: 1 };
        let low = self.text.cast("trunc", bits, ty.as_int());
        self.text.cast("bitcast", &low, ty)
    }

    // -- registers and operands --------------------------------------------------------------

    pub fn reg_type(&self, reg: Reg) -> Type {
        self.kernel.regs[reg].ty.into()
    }

    pub fn get(&mut self, reg: Reg) -> Value {
        let ty = self.reg_type(reg);
        let slot = self.regs[reg.index()].clone();
        self.text.value(ty, format_args!("load {ty}, {slot}"))
    }

    /// Assigns a register; a scalar fills the lanes of a vector.
    pub fn set(&mut self, reg: Reg, value: &Value) {
        let value = self.text.splat(value, self.reg_type(reg).lanes);
        let slot = &self.regs[reg.index()];
        self.text.line(format_args!("store {value}, {slot}"));
    }

    pub fn get_mem(&mut self, mem: Mem) -> Value {
        let slot = self.mems[mem.index()].clone();
        self.text.value(Type::POINTER, format_args!("load ptr, {slot}"))
    }

    pub fn set_mem(&mut self, mem: Mem, address: &Value) {
        let slot = &self.mems[mem.index()];
        self.text.line(format_args!("store {address}, {slot}"));
    }

    /// An operand as it is.
    pub fn operand(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Reg(reg) => self.get(reg),
            Operand::Const(scalar) => constant(scalar),
        }
    }

    /// An operand with this many lanes; a scalar fills them.
    pub fn operand_lanes(&mut self, operand: Operand, lanes: u32) -> Value {
        match operand {
            Operand::Const(scalar) => {
                let value = constant(scalar);
                value.ty.with_lanes(lanes).constant(&value.text)
            }
            Operand::Reg(reg) => {
                let value = self.get(reg);
                self.text.splat(&value, lanes)
            }
        }
    }

    /// How many lanes an operand has.
    pub fn lanes_of(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Reg(reg) => self.reg_type(reg).lanes,
            Operand::Const(_) => 1,
        }
    }

    // -- operations --------------------------------------------------------------------------

    pub fn block(&mut self, block: &[Op]) -> Emitted<()> {
        block.iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: &Op) -> Emitted<()> {
        match op {
            Op::Move { dst, x } => self.assign(*dst, [*x], |_, [x]| x),
            Op::Unary { dst, op, x } => self.assign(*dst, [*x], |f, [x]| f.unary(*op, &x)),
            Op::Binary { dst, op, x, y } => {
                let known = match y {
                    Operand::Const(scalar) => scalar.as_int(),
                    Operand::Reg(_) => None,
                };
                self.assign(*dst, [*x, *y], |f, [x, y]| f.binary(*op, &x, &y, known));
            }
            Op::Ternary { dst, op, x, y, z } => {
                self.assign(*dst, [*x, *y, *z], |f, [x, y, z]| f.ternary(*op, &x, &y, &z))
            }
            Op::Compare { dst, op, x, y } => {
                let lanes = self.lanes_of(*x).max(self.lanes_of(*y));
                let (x, y) = (self.operand_lanes(*x, lanes), self.operand_lanes(*y, lanes));
                let value = self.compare(*op, &x, &y);
                self.set(*dst, &value);
            }
            Op::Convert { dst, op, from, x } => {
                let to = self.reg_type(*dst);
                self.assign(*dst, [*x], |f, [x]| f.convert(*op, *from, &x, to));
            }
            Op::Select { dst, cond, x, y } => {
                let lanes = self.reg_type(*dst).lanes;
                let cond = self.operand(*cond);
                let (x, y) = (self.operand_lanes(*x, lanes), self.operand_lanes(*y, lanes));
                let value = self.text.select(&cond, &x, &y);
                self.set(*dst, &value);
            }
            Op::LaneIds { .. }
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Shuffle { .. }
            | Op::Any { .. }
            | Op::All { .. }
            | Op::Count { .. }
            | Op::First { .. } => self.lane_op(op)?,
            Op::Load { .. }
            | Op::Store { .. }
            | Op::CompressStore { .. }
            | Op::Atomic { .. }
            | Op::SetMem { .. } => {
                self.memory_op(op)?;
            }
            Op::If { .. } | Op::For { .. } | Op::While { .. } | Op::Scope { .. } | Op::Leave { .. } => {
                self.control_op(op)?;
            }
            Op::ArenaAlloc { .. }
            | Op::ArenaMark { .. }
            | Op::ArenaReset { .. }
            | Op::Fail { .. }
            | Op::WaitFlag { .. }
            | Op::SetFlag { .. } => self.surroundings_op(op)?,
            Op::Barrier | Op::Ticket { .. } | Op::Publish { .. } | Op::Await { .. } | Op::Locked { .. } => {
                return Err("work-groups need a GPU".into());
            }
            Op::Alloc { .. }
            | Op::Release { .. }
            | Op::Launch(_)
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Tuned { .. }
            | Op::Call { .. } => return Err(format!("host operation in a kernel: {op:?}")),
        }
        Ok(())
    }

    /// Computes lane by lane: operands have as many lanes as the widest of them, the result goes to `dst`.
    fn assign<const N: usize>(
        &mut self,
        dst: Reg,
        operands: [Operand; N],
        compute: impl FnOnce(&mut Self, [Value; N]) -> Value,
    ) {
        let lanes = operands.iter().map(|&x| self.lanes_of(x)).max().unwrap_or(1);
        let values = operands.map(|x| self.operand_lanes(x, lanes));
        let value = compute(self, values);
        self.set(dst, &value);
    }
}

/// A constant of the IR.
pub(super) fn constant(scalar: Scalar) -> Value {
    let ty = Type::from(ImpType::scalar(scalar.ty()));
    match scalar.ty() {
        ScalarType::Bool | ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            ty.int_constant(scalar.to_bits() as i64)
        }
        ScalarType::F16 => ty.constant(&format!("0xH{:04X}", scalar.to_bits())),
        // NaN payloads are not kept: generated code promises NaN, not its bits.
        ScalarType::F32 | ScalarType::F64 => ty.float_constant(scalar.as_float().unwrap_or(f64::NAN)),
    }
}
