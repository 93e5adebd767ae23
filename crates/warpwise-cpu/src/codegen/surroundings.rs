//! What reaches out of the kernel: the arena, failures, flags; and returning.

use warpwise_imp::{CheckId, Mem, Op, Operand, Reg};
use warpwise_ir::entity::Entity;
use warpwise_runtime::kernel::offsets;

use super::Emitted;
use super::function::Function;
use super::text::{Type, Value};

/// Arena blocks are aligned to this.
const ARENA_ALIGNMENT: i64 = 64;

impl Function<'_> {
    pub fn surroundings_op(&mut self, op: &Op) -> Emitted<()> {
        match op {
            Op::ArenaAlloc { dst, bytes } => self.arena_alloc(*dst, *bytes),
            Op::ArenaMark { dst } => self.arena_mark(*dst),
            Op::ArenaReset { mark } => self.arena_reset(*mark),
            Op::Fail { check, iteration, values } => return self.fail(*check, *iteration, values),
            Op::WaitFlag { mem, index } => self.wait_flag(*mem, *index),
            Op::SetFlag { mem, index } => self.set_flag(*mem, *index),
            other => return Err(format!("does not concern the surroundings: {other:?}")),
        }
        Ok(())
    }

    /// Returns; stores past the caches are made visible first.
    pub fn return_from_kernel(&mut self) {
        self.fence_streams();
        self.text.line(format_args!("ret void"));
    }

    fn fence_streams(&mut self) {
        if self.streams {
            self.text.call_void("llvm.x86.sse.sfence", &[], "");
        }
    }

    // -- the context -------------------------------------------------------------------------

    fn field(&mut self, offset: usize) -> Value {
        self.text.value(Type::POINTER, format_args!("getelementptr i8, ptr %context, i64 {offset}"))
    }

    fn load_field(&mut self, offset: usize) -> Value {
        let place = self.field(offset);
        let scopes = self.aliases.context().to_string();
        self.text.value(Type::POINTER, format_args!("load ptr, {place}{scopes}"))
    }

    fn address(&mut self, pointer: &Value) -> Value {
        self.text.cast("ptrtoint", pointer, Type::I64)
    }

    // -- the arena ---------------------------------------------------------------------------

    /// Bumps the arena's top if there is room, else asks the run time, and returns if that has none.
    fn arena_alloc(&mut self, dst: Mem, bytes: Operand) {
        let bytes = self.operand(bytes);
        let (fast, slow, end) = (self.text.new_block(), self.text.new_block(), self.text.new_block());
        let top = self.load_field(offsets::ARENA_TOP);
        let (limit, start) = (self.load_field(offsets::ARENA_END), self.address(&top));
        let limit = self.address(&limit);
        let room = self.text.binary("sub", &limit, &start);
        // Whole units of room, so that rounding the size up cannot pass the end.
        let room = self.text.binary_int("and", &room, -ARENA_ALIGNMENT);
        let fits = self.text.icmp("ule", &bytes, &room);
        self.text.branch(&fits, fast, slow);

        self.text.begin(fast);
        let rounded = self.text.binary_int("add", &bytes, ARENA_ALIGNMENT - 1);
        let rounded = self.text.binary_int("and", &rounded, -ARENA_ALIGNMENT);
        let above = self.text.value(Type::POINTER, format_args!("getelementptr i8, {top}, {rounded}"));
        let place = self.field(offsets::ARENA_TOP);
        let scopes = self.aliases.context().to_string();
        self.text.line(format_args!("store {above}, {place}{scopes}"));
        self.set_mem(dst, &top);
        self.text.jump(end);

        self.text.begin(slow);
        self.grow_arena(dst, &bytes);
        self.text.jump(end);
        self.text.begin(end);
    }

    fn grow_arena(&mut self, dst: Mem, bytes: &Value) {
        let grow = self.load_field(offsets::GROW_ARENA);
        let block = self.text.value(
            Type::POINTER,
            format_args!("call ptr {}(ptr %context, {bytes}) nounwind cold", grow.text),
        );
        let (none, some) = (self.text.new_block(), self.text.new_block());
        let failed = self.text.icmp("eq", &block, &Type::POINTER.constant("null"));
        self.text.branch(&failed, none, some);
        self.text.begin(none);
        self.return_from_kernel();
        self.text.begin(some);
        self.set_mem(dst, &block);
    }

    fn arena_mark(&mut self, dst: Reg) {
        let top = self.load_field(offsets::ARENA_TOP);
        let mark = self.address(&top);
        self.set(dst, &mark);
    }

    fn arena_reset(&mut self, mark: Operand) {
        let mark = self.operand(mark);
        let mark = self.text.cast("inttoptr", &mark, Type::POINTER);
        let reset = self.load_field(offsets::RESET_ARENA);
        self.text.line(format_args!("call void {}(ptr %context, {mark}) nounwind", reset.text));
    }

    // -- failures ----------------------------------------------------------------------------

    /// The call touches nothing that this kernel reads, and is rare: loads may move across it.
    fn fail(&mut self, check: CheckId, iteration: Operand, values: &[Operand]) -> Emitted<()> {
        let count = values.len();
        let array = self.text.alloca(format_args!("[{} x i64]", count.max(1)));
        for (position, &value) in values.iter().enumerate() {
            let bits = self.bits_of(value)?;
            let place =
                self.text.value(Type::POINTER, format_args!("getelementptr i64, {array}, i64 {position}"));
            self.text.line(format_args!("store {bits}, {place}"));
        }
        let (iteration, fail) = (self.operand(iteration), self.load_field(offsets::FAIL));
        self.text.line(format_args!(
            "call void {}(ptr %context, i32 {}, {iteration}, {array}, i32 {count}) \
             nounwind cold memory(argmem: readwrite, inaccessiblemem: readwrite)",
            fail.text,
            check.index(),
        ));
        Ok(())
    }

    /// A scalar as its bits, zero-extended.
    fn bits_of(&mut self, operand: Operand) -> Emitted<Value> {
        let value = self.operand(operand);
        if value.ty.is_vector() {
            return Err("a failure reports a vector".into());
        }
        let bits = self.text.cast("bitcast", &value, value.ty.as_int());
        Ok(self.text.cast("zext", &bits, Type::I64))
    }

    // -- flags -------------------------------------------------------------------------------

    fn flag(&mut self, mem: Mem, index: Operand) -> Value {
        let (base, index) = (self.get_mem(mem), self.operand(index));
        self.text.value(Type::POINTER, format_args!("getelementptr inbounds i32, {base}, {index}"))
    }

    fn wait_flag(&mut self, mem: Mem, index: Operand) {
        let flag = self.flag(mem, index);
        let state = self.text.value(Type::I32, format_args!("load atomic i32, {flag} acquire, align 4"));
        let unset = self.text.icmp_int("eq", &state, 0);
        let (wait, end) = (self.text.new_block(), self.text.new_block());
        self.text.branch(&unset, wait, end);
        self.text.begin(wait);
        let function = self.load_field(offsets::WAIT_FLAG);
        self.text.line(format_args!("call void {}(ptr %context, {flag}) nounwind", function.text));
        self.text.jump(end);
        self.text.begin(end);
    }

    fn set_flag(&mut self, mem: Mem, index: Operand) {
        self.fence_streams();
        let flag = self.flag(mem, index);
        self.text.line(format_args!("store atomic i32 1, {flag} release, align 4"));
    }
}
