//! Operations that reach outside the kernel (the arena, failures, flags), and returning.

use warpwise_imp::{CheckId, Mem, Op, Operand, Reg, ops};
use warpwise_ir::entity::Entity;
use warpwise_runtime::kernel::offsets;

use super::Emitted;
use super::function::Function;
use super::llvm::{Element, Int, One, Pointer, Scalar, Type, cast, int};

/// Alignment of arena blocks, in bytes.
const ARENA_ALIGNMENT: i64 = 64;

/// Type of the flags that waiting tasks poll.
const FLAG: Type<Int, One> = Type::I32;

impl Function<'_> {
    pub fn surroundings_op(&mut self, op: &Op) -> Emitted<()> {
        match op {
            Op::ArenaAlloc { dst, bytes } => self.arena_alloc(*dst, *bytes),
            Op::ArenaMark { dst } => self.arena_mark(*dst),
            Op::ArenaReset { mark } => self.arena_reset(*mark),
            Op::Fail { check, iteration, values } => self.fail(*check, *iteration, values),
            Op::WaitFlag { mem, index } => self.wait_flag(*mem, *index),
            Op::SetFlag { mem, index } => self.set_flag(*mem, *index),
            other @ ops!(value, lane, access, SetMem, control, group, host) => {
                Err(format!("does not concern the surroundings: {other:?}"))
            }
        }
    }

    /// Emits the return; stores that bypass the caches are made visible first.
    pub fn return_from_kernel(&mut self) {
        self.fence_streams();
        self.text.return_nothing();
    }

    fn fence_streams(&mut self) {
        if self.streams {
            self.text.call_void("llvm.x86.sse.sfence", &[], "");
        }
    }

    // -- the context -------------------------------------------------------------------------

    fn field(&mut self, offset: usize) -> Pointer {
        self.text.further(&context(), offset as i64)
    }

    fn load_field(&mut self, offset: usize) -> Pointer {
        let place = self.field(offset);
        self.text.load(Type::POINTER, &place, self.aliases.context())
    }

    // -- the arena ---------------------------------------------------------------------------

    /// Bumps the arena's top if there is room; otherwise asks the run time, and returns from the kernel if that has none.
    fn arena_alloc(&mut self, dst: Mem, bytes: Operand) -> Emitted<()> {
        let bytes = self.index(bytes)?;
        let (fast, slow, end) = (self.text.new_block(), self.text.new_block(), self.text.new_block());
        let top = self.load_field(offsets::ARENA_TOP);
        let (limit, start) = (self.load_field(offsets::ARENA_END), self.text.address(&top));
        let limit = self.text.address(&limit);
        let room = self.text.binary(int::SUB, &limit, &start);
        // The room is rounded down to whole units, so that rounding the size up cannot pass the end.
        let room = self.text.binary_int(int::AND, &room, -ARENA_ALIGNMENT);
        let fits = self.text.compare(int::ULE, &bytes, &room);
        self.text.branch(&fits, fast, slow);

        self.text.begin(fast);
        let rounded = self.text.binary_int(int::ADD, &bytes, ARENA_ALIGNMENT - 1);
        let rounded = self.text.binary_int(int::AND, &rounded, -ARENA_ALIGNMENT);
        let above = self.text.offset(&top, Element::Int(8), &rounded, false);
        let place = self.field(offsets::ARENA_TOP);
        self.text.store(&above, &place, self.aliases.context());
        self.set_mem(dst, &top);
        self.text.jump(end);

        self.text.begin(slow);
        self.grow_arena(dst, &bytes);
        self.text.jump(end);
        self.text.begin(end);
        Ok(())
    }

    fn grow_arena(&mut self, dst: Mem, bytes: &Scalar<Int>) {
        let grow = self.load_field(offsets::GROW_ARENA);
        let block = self.text.call_for_pointer(&grow, &[&context(), bytes], "nounwind cold");
        let (none, some) = (self.text.new_block(), self.text.new_block());
        let failed = self.text.is_null(&block);
        self.text.branch(&failed, none, some);
        self.text.begin(none);
        self.return_from_kernel();
        self.text.begin(some);
        self.set_mem(dst, &block);
    }

    fn arena_mark(&mut self, dst: Reg) -> Emitted<()> {
        let top = self.load_field(offsets::ARENA_TOP);
        let mark = self.text.address(&top);
        self.set(dst, &mark)
    }

    fn arena_reset(&mut self, mark: Operand) -> Emitted<()> {
        let mark = self.index(mark)?;
        let mark = self.text.pointer(&mark);
        let reset = self.load_field(offsets::RESET_ARENA);
        self.text.call_pointer(&reset, &[&context(), &mark], "nounwind");
        Ok(())
    }

    // -- failures ----------------------------------------------------------------------------

    /// Reports a failure. The call writes nothing that this kernel reads, and is rare: loads may move across it.
    fn fail(&mut self, check: CheckId, iteration: Operand, values: &[Operand]) -> Emitted<()> {
        let array = self.text.array(values.len().max(1));
        for (position, &value) in (0..).zip(values) {
            let bits = self.bits_of(value)?;
            let place = self.text.offset(&array, Element::Int(64), &Type::I64.constant(position), false);
            self.text.store(&bits, &place, "");
        }
        let (iteration, fail) = (self.index(iteration)?, self.load_field(offsets::FAIL));
        let [check, count] = [check.index(), values.len()].map(|number| Type::I32.constant(number as i64));
        self.text.call_pointer(
            &fail,
            &[&context(), &check, &iteration, &array, &count],
            "nounwind cold memory(argmem: readwrite, inaccessiblemem: readwrite)",
        );
        Ok(())
    }

    /// Returns the bits of a scalar, zero-extended.
    fn bits_of(&mut self, operand: Operand) -> Emitted<Scalar<Int>> {
        let value = self.operand(operand).scalar()?;
        let bits = self.text.any_bits(&value)?;
        Ok(self.text.cast(cast::ZEXT, &bits, 64))
    }

    // -- flags -------------------------------------------------------------------------------

    fn flag(&mut self, mem: Mem, index: Operand) -> Emitted<Pointer> {
        let (base, index) = (self.get_mem(mem), self.index(index)?);
        Ok(self.text.offset(&base, Element::Int(FLAG.bits()), &index, true))
    }

    fn wait_flag(&mut self, mem: Mem, index: Operand) -> Emitted<()> {
        let flag = self.flag(mem, index)?;
        let state = self.text.load_atomic(FLAG, &flag, "acquire");
        let unset = self.text.compare_int(int::EQ, &state, 0);
        let (wait, end) = (self.text.new_block(), self.text.new_block());
        self.text.branch(&unset, wait, end);
        self.text.begin(wait);
        let function = self.load_field(offsets::WAIT_FLAG);
        self.text.call_pointer(&function, &[&context(), &flag], "nounwind");
        self.text.jump(end);
        self.text.begin(end);
        Ok(())
    }

    fn set_flag(&mut self, mem: Mem, index: Operand) -> Emitted<()> {
        self.fence_streams();
        let flag = self.flag(mem, index)?;
        self.text.store_atomic(&FLAG.constant(1), &flag, "release");
        Ok(())
    }
}

/// Returns the pointer to the task's context.
fn context() -> Pointer {
    Type::POINTER.parameter("context")
}
