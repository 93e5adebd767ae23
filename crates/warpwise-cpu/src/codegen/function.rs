//! One kernel: its registers, its operands, and the dispatch of operations to files.

use warpwise_imp::{CpuTarget, Kernel, KernelParam, Mem, Op, Operand, Reg, Role};
use warpwise_ir::entity::Entity;
use warpwise_prim::Scalar as Constant;

use super::aliases::Aliases;
use super::llvm::{
    Address, Any, Condition, Element, Int, Kind, Mask, Module, One, Pointer, Scalar, Shape, Slot, Text, Type,
    Value, cast,
};
use super::{Emitted, Exits};

/// A kernel during its translation.
pub(super) struct Function<'a> {
    pub text: Text<'a>,
    pub target: &'a CpuTarget,
    pub exits: Exits,
    pub aliases: Aliases,
    /// Whether a store that bypasses the caches has been emitted.
    pub streams: bool,
    /// Number of divisions of wide vectors that have separate code for small operands.
    pub wide_divisions: usize,
    kernel: &'a Kernel,
    regs: Vec<Place>,
    mems: Vec<Slot<Address, One>>,
}

/// The storage of a register.
enum Place {
    /// A value (see [`Role`]); none before its assignment.
    Value(Option<Value<Any>>),
    Slot(Slot<Any>),
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
            wide_divisions: 0,
            kernel,
            regs: Vec::new(),
            mems: Vec::new(),
        }
    }

    /// Adds the kernel to the module as a function with this name.
    pub fn emit(mut self, symbol: &str) -> Emitted<()> {
        self.make_places();
        self.read_arguments()?;
        self.block(&self.kernel.body)?;
        self.return_from_kernel();
        let vector_bits = self.target.vector_bits;
        let CpuTarget { name, features, .. } = self.target;
        // Vectors that do not fit in registers lie within cache lines on the stack.
        self.text.finish(&format!(
            "define void @{symbol}(ptr noalias %context, ptr noalias readonly %args, \
             i64 range(i64 0, -9223372036854775808) %lo, i64 range(i64 0, -9223372036854775808) %hi) nounwind \
             \"stackrealign\" \"target-cpu\"=\"{name}\" \"target-features\"=\"{features}\" \"prefer-vector-width\"=\"{vector_bits}\""
        ));
        Ok(())
    }

    /// Creates the storage of the registers. Slots that must be initialised start at zero, so that no undefined value flows
    /// through lanes that were never assigned. Other slots are not initialised. Most registers are values without a slot, since
    /// LLVM takes long to promote many slots that a long function uses throughout.
    fn make_places(&mut self) {
        let roles = warpwise_imp::roles(self.kernel);
        for (reg, data) in self.kernel.regs.iter() {
            if roles[reg] == Role::Value {
                self.regs.push(Place::Value(None));
                continue;
            }
            let slot = self.text.slot(Type::from(data.ty));
            if roles[reg] == Role::Initialized {
                self.text.write(&slot, &slot.ty.zero());
            }
            self.regs.push(Place::Slot(slot));
        }
        for _ in self.kernel.mems.values() {
            let slot = self.text.slot(Type::POINTER);
            self.text.write(&slot, &Type::POINTER.null());
            self.mems.push(slot);
        }
    }

    fn read_arguments(&mut self) -> Emitted<()> {
        const NEVER_WRITTEN: &str = ", !invariant.load !{}";
        for (position, param) in (0..).zip(&self.kernel.params) {
            let position = Type::I64.constant(position);
            let place =
                self.text.offset(&Type::POINTER.parameter("args"), Element::Int(64), &position, false);
            match param {
                KernelParam::Scalar(reg) => {
                    let bits = self.text.load(Type::I64, &place, NEVER_WRITTEN);
                    let element = self.reg_type(*reg).element;
                    let low = self.text.cast(cast::TRUNC, &bits, element.bits());
                    let value = self.text.any_of_bits(&low, element)?;
                    self.set(*reg, &value)?;
                }
                KernelParam::Memory { mem, .. } => {
                    let address = self.text.load(Type::POINTER, &place, NEVER_WRITTEN);
                    self.set_mem(*mem, &address);
                }
            }
        }
        self.set(self.kernel.lo, &Type::I64.parameter("lo"))?;
        self.set(self.kernel.hi, &Type::I64.parameter("hi"))
    }

    // -- registers and operands --------------------------------------------------------------

    pub fn reg_type(&self, reg: Reg) -> Type<Any> {
        self.kernel.regs[reg].ty.into()
    }

    pub fn get(&mut self, reg: Reg) -> Value<Any> {
        match &self.regs[reg.index()] {
            Place::Value(value) => value.clone().expect("a value is assigned before it is read"),
            Place::Slot(slot) => self.text.read(slot),
        }
    }

    /// Assigns a register; a scalar is broadcast to the lanes of a vector.
    pub fn set<K: Kind, S: Shape>(&mut self, reg: Reg, value: &Value<K, S>) -> Emitted<()> {
        let ty = self.reg_type(reg);
        let value = self.text.splat(&value.any(), ty.lanes);
        if value.ty != ty {
            return Err(format!("{} is assigned to a register of type {ty}", value.ty));
        }
        match &mut self.regs[reg.index()] {
            Place::Value(own) => *own = Some(value),
            Place::Slot(slot) => self.text.write(slot, &value),
        }
        Ok(())
    }

    pub fn get_mem(&mut self, mem: Mem) -> Pointer {
        self.text.read(&self.mems[mem.index()])
    }

    pub fn set_mem(&mut self, mem: Mem, address: &Pointer) {
        self.text.write(&self.mems[mem.index()], address);
    }

    /// Returns the value of an operand.
    pub fn operand(&mut self, operand: Operand) -> Value<Any> {
        match operand {
            Operand::Reg(reg) => self.get(reg),
            Operand::Const(scalar) => constant(scalar, 1),
        }
    }

    /// Returns an operand with this many lanes; a scalar is broadcast to them.
    pub fn operand_lanes(&mut self, operand: Operand, lanes: u32) -> Value<Any> {
        match operand {
            Operand::Const(scalar) => constant(scalar, lanes),
            Operand::Reg(reg) => {
                let value = self.get(reg);
                self.text.splat(&value, lanes)
            }
        }
    }

    pub fn index(&mut self, operand: Operand) -> Emitted<Scalar<Int>> {
        self.operand(operand).int()?.scalar()
    }

    pub fn condition(&mut self, operand: Operand) -> Emitted<Condition> {
        self.operand(operand).mask()?.scalar()
    }

    pub fn mask(&mut self, operand: Operand) -> Emitted<Mask> {
        self.operand(operand).mask()
    }

    /// Returns a mask with this many lanes.
    pub fn mask_lanes(&mut self, operand: Operand, lanes: u32) -> Emitted<Mask> {
        self.operand_lanes(operand, lanes).mask()
    }

    /// Returns the number of lanes of an operand.
    pub fn lanes_of(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Reg(reg) => self.reg_type(reg).lanes,
            Operand::Const(_) => 1,
        }
    }

    /// Returns the number of lanes of the widest operand.
    pub fn most_lanes(&self, operands: impl IntoIterator<Item = Operand>) -> u32 {
        operands.into_iter().map(|x| self.lanes_of(x)).max().unwrap_or(1)
    }

    // -- operations --------------------------------------------------------------------------

    pub fn block(&mut self, block: &[Op]) -> Emitted<()> {
        block.iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: &Op) -> Emitted<()> {
        match op {
            Op::Move { dst, x } => self.assign(*dst, [*x], |_, [x]| Ok(x))?,
            Op::Unary { dst, op, x } => self.assign(*dst, [*x], |f, [x]| f.unary(*op, &x))?,
            Op::Binary { dst, op, x, y } => {
                let known = match y {
                    Operand::Const(scalar) => scalar.as_int(),
                    Operand::Reg(_) => None,
                };
                self.assign(*dst, [*x, *y], |f, [x, y]| f.binary(*op, &x, &y, known))?;
            }
            Op::Ternary { dst, op, x, y, z } => {
                let compute = |f: &mut Self, [x, y, z]: [Value<Any>; 3]| {
                    Ok(f.ternary(*op, &x.float()?, &y.float()?, &z.float()?).any())
                };
                self.assign(*dst, [*x, *y, *z], compute)?;
            }
            Op::Compare { dst, op, x, y } => {
                self.assign(*dst, [*x, *y], |f, [x, y]| Ok(f.compare(*op, &x, &y)?.any()))?;
            }
            Op::Convert { dst, op, from, x } => {
                let to = self.reg_type(*dst).element;
                self.assign(*dst, [*x], |f, [x]| f.convert(*op, *from, &x, to))?;
            }
            Op::Select { dst, cond, x, y } => {
                let lanes = self.reg_type(*dst).lanes;
                let cond = self.mask(*cond)?;
                let (x, y) = (self.operand_lanes(*x, lanes), self.operand_lanes(*y, lanes));
                let value = self.text.select(&cond, &x, &y);
                self.set(*dst, &value)?;
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
            | Op::Claim { .. }
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
            | Op::Threads { .. }
            | Op::Call { .. } => return Err(format!("host operation in a kernel: {op:?}")),
        }
        Ok(())
    }

    /// Computes lane by lane: all operands get the number of lanes of the widest one, and the result is assigned to `dst`.
    fn assign<const N: usize>(
        &mut self,
        dst: Reg,
        operands: [Operand; N],
        compute: impl FnOnce(&mut Self, [Value<Any>; N]) -> Emitted<Value<Any>>,
    ) -> Emitted<()> {
        let lanes = self.most_lanes(operands);
        let values = operands.map(|x| self.operand_lanes(x, lanes));
        let value = compute(self, values)?;
        self.set(dst, &value)
    }
}

/// Returns a constant of the IR in each of `lanes` lanes.
fn constant(scalar: Constant, lanes: u32) -> Value<Any> {
    let element = Element::from(scalar.ty());
    let bits = scalar.to_bits() as i64;
    match element {
        Element::Float(precision) => {
            // NaN payloads are not preserved: generated code promises NaN, not its bits.
            Type::float(precision).with_lanes(lanes).constant(scalar.as_float().unwrap_or(f64::NAN)).any()
        }
        Element::Bit => Type::BIT.with_lanes(lanes).constant(bits & 1 == 1).any(),
        Element::Int(_) | Element::Address => {
            Type::int(element.bits()).with_lanes(lanes).constant(bits).any()
        }
    }
}
