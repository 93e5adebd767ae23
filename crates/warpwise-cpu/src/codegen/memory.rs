//! Loads and stores.
//!
//! In memory a `bool` is a byte and an f16 moves as its bits. A scalar index with a vector value is
//! contiguous, a vector index gathers or scatters. A lane outside the mask touches nothing, so
//! addresses of masked accesses carry no promise (`inbounds`); all others do.

use warpwise_imp::{Mem, Op, Operand, Reg};
use warpwise_prim::ScalarType;

use super::Emitted;
use super::function::Function;
use super::text::{Element, Type, Value};

/// How far a load looks ahead, in bytes: far enough that memory answers in time, and so near that the lines are
/// still in the cache when the loop comes to them. From half of this to twice as much is as good; without, the
/// processor's own prefetching reaches three quarters of the bandwidth in loops of several loads.
const AHEAD: i64 = 1024;

/// Bytes of a line of the cache.
const CACHE_LINE: i64 = 64;

impl Function<'_> {
    pub fn memory_op(&mut self, op: &Op) -> Emitted<()> {
        match op {
            Op::Load { dst, mem, index, mask, ahead } => self.load(*dst, *mem, *index, *mask, *ahead),
            Op::Store { mem, index, value, elem, mask, stream } => {
                let lanes =
                    [Some(*index), Some(*value), *mask].into_iter().flatten().map(|x| self.lanes_of(x));
                let lanes = lanes.max().unwrap_or(1);
                let value = self.memory_form(*value, *elem, lanes);
                self.store(*mem, *index, &value, *mask, *stream);
            }
            Op::CompressStore { mem, index, value, elem, mask, spare } => {
                let lanes = self.lanes_of(*mask);
                let value = self.memory_form(*value, *elem, lanes);
                self.compress_store(*mem, *index, &value, *mask, *spare);
            }
            Op::Atomic { op, mem, index, value, elem, mask } => {
                self.atomic(*op, *mem, *index, *value, *elem, *mask)?
            }
            Op::SetMem { dst, src } => {
                let address = self.get_mem(*src);
                self.set_mem(*dst, &address);
            }
            other => return Err(format!("not a memory access: {other:?}")),
        }
        Ok(())
    }

    // -- forms of values ---------------------------------------------------------------------

    /// An operand with this many lanes as it is stored.
    fn memory_form(&mut self, value: Operand, elem: ScalarType, lanes: u32) -> Value {
        let value = self.operand_lanes(value, lanes);
        self.stored_form(&value, elem)
    }

    pub fn stored_form(&mut self, value: &Value, elem: ScalarType) -> Value {
        let ty = value.ty.of(memory_element(elem.into()));
        let opcode = if elem == ScalarType::Bool { "zext" } else { "bitcast" };
        self.text.cast(opcode, value, ty)
    }

    pub fn loaded_form(&mut self, value: &Value, ty: Type) -> Value {
        match ty.element {
            Element::Int(1) => self.text.icmp_int("ne", value, 0),
            _ => self.text.cast("bitcast", value, ty),
        }
    }

    /// The place of element `index`, or of each lane's element.
    pub fn place(&mut self, mem: Mem, element: Element, index: &Value, in_bounds: bool) -> Value {
        let base = self.get_mem(mem);
        let keyword = if in_bounds { " inbounds" } else { "" };
        let unit = Type { element, lanes: 1 };
        self.text.value(
            index.ty.of(Element::Pointer),
            format_args!("getelementptr{keyword} {unit}, {base}, {index}"),
        )
    }

    // -- loads -------------------------------------------------------------------------------

    fn load(&mut self, dst: Reg, mem: Mem, index: Operand, mask: Option<Operand>, ahead: bool) {
        let ty = self.reg_type(dst);
        let stored = ty.of(memory_element(ty.element));
        let index = self.operand(index);
        let place = self.place(mem, stored.element, &index, mask.is_none());
        let mask = mask.map(|mask| self.operand_lanes(mask, ty.lanes));
        let raw = match (index.ty.is_vector(), mask) {
            (false, None) if ahead => self.load_ahead(mem, stored, &place),
            (false, None) => {
                let notes = self.aliases.load(mem);
                self.text
                    .value(stored, format_args!("load {stored}, {place}, align {}{notes}", bytes(stored)))
            }
            (false, Some(mask)) if !ty.is_vector() => self.guarded_load(mem, stored, &place, &mask),
            (false, Some(mask)) => self.masked_load("load", mem, stored, &place, &mask),
            (true, mask) => self.gather(mem, stored, &place, mask),
        };
        let value = self.loaded_form(&raw, ty);
        self.set(dst, &value);
    }

    /// One machine vector after the other, before each new line asking the caches for the one [`AHEAD`] bytes behind it.
    /// LLVM keeps loads and such requests in this order; left to itself it loads the last vector first, and then
    /// asking gains little.
    fn load_ahead(&mut self, mem: Mem, ty: Type, place: &Value) -> Value {
        let part = ty.with_lanes(ty.lanes.min(self.target.vector_bits / ty.bits()));
        let length = bytes(part) * i64::from(part.lanes);
        let [read, keep, data] = [0, 3, 1].map(|flag| Type::I32.int_constant(flag));
        let mut parts = Vec::new();
        for offset in (0..i64::from(ty.lanes / part.lanes)).map(|number| number * length) {
            if offset % CACHE_LINE == 0 {
                let later = self.further(place, AHEAD + offset);
                self.text.call_void("llvm.prefetch.p0", &[&later, &read, &keep, &data], "");
            }
            let place = self.further(place, offset);
            let notes = self.aliases.load(mem);
            let load = format_args!("load {part}, {place}, align {}{notes}", bytes(part));
            parts.push(self.text.value(part, load));
        }
        self.concatenate(parts)
    }

    /// The place so many bytes further on, which need not be in the block.
    fn further(&mut self, place: &Value, bytes: i64) -> Value {
        let bytes = Type::I64.int_constant(bytes);
        self.text.value(place.ty, format_args!("getelementptr i8, {place}, {bytes}"))
    }

    fn masked_load(&mut self, kind: &str, mem: Mem, ty: Type, place: &Value, mask: &Value) -> Value {
        let name = format!("llvm.masked.{kind}.{}.{}", ty.suffix(), place.ty.suffix());
        let align = Type::I32.int_constant(bytes(ty));
        let notes = self.aliases.access(mem);
        self.text.call_annotated(ty, &name, &[place, &align, mask, &ty.zero()], &notes)
    }

    /// Where there is no instruction, LLVM loads lane by lane, and would branch for each lane of a
    /// mask; so lanes that are off get a harmless address instead.
    fn gather(&mut self, mem: Mem, ty: Type, places: &Value, mask: Option<Value>) -> Value {
        let all = Type::I1.with_lanes(ty.lanes).int_constant(1);
        match mask {
            None => self.masked_load("gather", mem, ty, places, &all),
            Some(mask) if self.has_masked_gather(ty) => self.masked_load("gather", mem, ty, places, &mask),
            Some(mask) => {
                let safe = self.harmless_places(ty, places, &mask);
                let loaded = self.masked_load("gather", mem, ty, &safe, &all);
                self.text.select(&mask, &loaded, &ty.zero())
            }
        }
    }

    /// As for gathers.
    fn scatter(&mut self, mem: Mem, value: &Value, places: &Value, mask: Option<Value>) {
        let all = Type::I1.with_lanes(value.ty.lanes).int_constant(1);
        match mask {
            None => self.masked_store("scatter", mem, value, places, &all),
            Some(mask) if self.has_masked_gather(value.ty) => {
                self.masked_store("scatter", mem, value, places, &mask)
            }
            Some(mask) => {
                let safe = self.harmless_places(value.ty, places, &mask);
                self.masked_store("scatter", mem, value, &safe, &all);
            }
        }
    }

    fn has_masked_gather(&self, ty: Type) -> bool {
        self.target.mask_registers && ty.bits() >= 32
    }

    /// The places of lanes that are on, and for others a place on the stack.
    fn harmless_places(&mut self, ty: Type, places: &Value, mask: &Value) -> Value {
        let slot = self.text.alloca(format_args!("{}", ty.with_lanes(1)));
        let slots = self.text.splat(&slot, ty.lanes);
        self.text.select(mask, places, &slots)
    }

    /// A scalar that is loaded only if `mask` holds.
    fn guarded_load(&mut self, mem: Mem, ty: Type, place: &Value, mask: &Value) -> Value {
        let slot = self.text.alloca(format_args!("{ty}"));
        self.text.line(format_args!("store {}, {slot}", ty.zero()));
        self.guarded(mask, |f| {
            let notes = f.aliases.access(mem);
            let value = f.text.value(ty, format_args!("load {ty}, {place}, align {}{notes}", bytes(ty)));
            f.text.line(format_args!("store {value}, {slot}"));
        });
        self.text.value(ty, format_args!("load {ty}, {slot}"))
    }

    /// Does something only where a scalar condition holds.
    pub fn guarded(&mut self, cond: &Value, act: impl FnOnce(&mut Self)) {
        let (then, end) = (self.text.new_block(), self.text.new_block());
        self.text.branch(cond, then, end);
        self.text.begin(then);
        act(self);
        self.text.jump(end);
        self.text.begin(end);
    }

    // -- stores ------------------------------------------------------------------------------

    fn store(&mut self, mem: Mem, index: Operand, value: &Value, mask: Option<Operand>, stream: bool) {
        let index = self.operand(index);
        let place = self.place(mem, value.ty.element, &index, mask.is_none());
        let mask = mask.map(|mask| self.operand_lanes(mask, value.ty.lanes));
        match (index.ty.is_vector(), mask) {
            (false, None) if stream => self.stream(mem, value, &place),
            (false, None) => self.plain_store(mem, value, &place),
            (false, Some(mask)) if !value.ty.is_vector() => {
                self.guarded(&mask, |f| f.plain_store(mem, value, &place));
            }
            (false, Some(mask)) => self.masked_store("store", mem, value, &place, &mask),
            (true, mask) => {
                self.scatter(mem, value, &place, mask);
            }
        }
    }

    fn plain_store(&mut self, mem: Mem, value: &Value, place: &Value) {
        let notes = self.aliases.access(mem);
        self.text.line(format_args!("store {value}, {place}, align {}{notes}", bytes(value.ty)));
    }

    fn masked_store(&mut self, kind: &str, mem: Mem, value: &Value, place: &Value, mask: &Value) {
        let name = format!("llvm.masked.{kind}.{}.{}", value.ty.suffix(), place.ty.suffix());
        let align = Type::I32.int_constant(bytes(value.ty));
        let notes = self.aliases.access(mem);
        self.text.call_void(&name, &[value, place, &align, mask], &notes);
    }

    /// Past the caches where the address is aligned as such stores demand; parts of arrays need not be.
    fn stream(&mut self, mem: Mem, value: &Value, place: &Value) {
        let size = bytes(value.ty) * i64::from(value.ty.lanes);
        let unit = size.min(i64::from(self.target.vector_bits / 8));
        if unit < 16 {
            return self.plain_store(mem, value, place);
        }
        self.streams = true;
        let address = self.text.cast("ptrtoint", place, Type::I64);
        let rest = self.text.binary_int("and", &address, unit - 1);
        let aligned = self.text.icmp_int("eq", &rest, 0);
        let (past, through, end) = (self.text.new_block(), self.text.new_block(), self.text.new_block());
        self.text.branch(&aligned, past, through);
        self.text.begin(past);
        let notes = self.aliases.access(mem);
        self.text.line(format_args!("store {value}, {place}, align {unit}, !nontemporal !{{i32 1}}{notes}"));
        self.text.jump(end);
        self.text.begin(through);
        self.plain_store(mem, value, place);
        self.text.jump(end);
        self.text.begin(end);
    }

    // -- compression -------------------------------------------------------------------------

    /// One machine vector at a time: compressed in a register, then stored under a mask of as many
    /// lanes as were kept, or whole where there is room to spare. Without such instructions LLVM stores lane by lane.
    fn compress_store(&mut self, mem: Mem, index: Operand, value: &Value, mask: Operand, spare: bool) {
        let (mut index, mask) = (self.operand(index), self.operand_lanes(mask, value.ty.lanes));
        if !value.ty.is_vector() {
            let place = self.place(mem, value.ty.element, &index, false);
            return self.guarded(&mask, |f| f.plain_store(mem, value, &place));
        }
        let machine = self.target.vector_bits / value.ty.bits();
        let lanes = value.ty.lanes.min(machine);
        for part in 0..value.ty.lanes / lanes {
            let (slice, slice_mask) =
                (self.resize(value, part * lanes, lanes), self.resize(&mask, part * lanes, lanes));
            let place = self.place(mem, value.ty.element, &index, false);
            if self.can_compress(value.ty) {
                self.compress_machine_vector(mem, &slice, &place, &slice_mask, spare);
            } else {
                let name = format!("llvm.masked.compressstore.{}", slice.ty.suffix());
                let notes = self.aliases.access(mem);
                self.text.call_void(&name, &[&slice, &place, &slice_mask], &notes);
            }
            let kept = self.count_lanes(&slice_mask);
            index = self.text.binary("add", &index, &kept);
        }
    }

    fn can_compress(&self, ty: Type) -> bool {
        self.target.mask_registers && (ty.bits() >= 32 || self.target.compress_narrow)
    }

    fn compress_machine_vector(&mut self, mem: Mem, value: &Value, place: &Value, mask: &Value, spare: bool) {
        // The instruction exists from 128 bits on.
        let lanes = value.ty.lanes.max(128 / value.ty.bits());
        let wide = self.resize(value, 0, lanes);
        let wide_mask = self.widen_mask(mask, lanes);
        let name = format!("llvm.x86.avx512.mask.compress.{}", wide.ty.suffix());
        let packed = self.text.call(wide.ty, &name, &[&wide, &wide.ty.zero(), &wide_mask], "");
        let packed = self.resize(&packed, 0, value.ty.lanes);
        if spare {
            return self.plain_store(mem, &packed, place);
        }
        let kept = self.count_lanes(mask);
        let numbers = value.ty.of(Element::Int(32)).lane_numbers();
        let kept = self.text.cast("trunc", &kept, Type::I32);
        let kept = self.text.splat(&kept, value.ty.lanes);
        let front = self.text.icmp("ult", &numbers, &kept);
        self.masked_store("store", mem, &packed, place, &front);
    }

    /// A mask with more lanes, the new ones off.
    fn widen_mask(&mut self, mask: &Value, lanes: u32) -> Value {
        if mask.ty.lanes == lanes {
            return mask.clone();
        }
        let numbers: Vec<u32> = (0..lanes).map(|lane| lane.min(mask.ty.lanes)).collect();
        self.text.shuffle(mask, &mask.ty.int_constant(0), &numbers)
    }
}

/// How lanes of this type lie in memory.
pub(super) fn memory_element(element: Element) -> Element {
    match element {
        Element::Int(1) => Element::Int(8),
        Element::Half => Element::Int(16),
        other => other,
    }
}

/// Bytes of one lane in memory.
pub(super) fn bytes(ty: Type) -> i64 {
    i64::from(ty.bits() / 8)
}
