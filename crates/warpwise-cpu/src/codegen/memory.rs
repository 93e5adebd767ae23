//! Loads and stores.
//!
//! In memory a `bool` is a byte, and an f16 is moved as its bits. An access with a scalar index and a vector value is contiguous;
//! an access with a vector index gathers or scatters. A lane outside the mask accesses nothing, so addresses of masked accesses
//! carry no promise (`inbounds`); all others do.

use warpwise_imp::{Mem, Op, Operand, Reg, ops};
use warpwise_prim::ScalarType;

use super::Emitted;
use super::function::Function;
use super::llvm::{
    Address, Any, Bit, Condition, Element, Int, Pointer, Shape, Shaped, Type, Value, Vector, cast, int,
};

/// Size of a cache line, in bytes.
const CACHE_LINE: i64 = 64;

impl Function<'_> {
    pub fn memory_op(&mut self, op: &Op) -> Emitted<()> {
        match op {
            Op::Load { dst, mem, index, mask, ahead } => self.load(*dst, *mem, *index, *mask, *ahead),
            Op::Store { mem, index, value, elem: _, mask, stream } => {
                let lanes = self.most_lanes([Some(*index), Some(*value), *mask].into_iter().flatten());
                let value = self.memory_form(*value, lanes)?;
                self.store(*mem, *index, &value, *mask, *stream)
            }
            Op::Claim { mem, index, elem } => self.claim(*mem, *index, *elem),
            Op::CompressStore { mem, index, value, elem: _, mask, spare } => {
                let lanes = self.lanes_of(*mask);
                let value = self.memory_form(*value, lanes)?;
                self.compress_store(*mem, *index, &value, *mask, *spare)
            }
            Op::Atomic { op, mem, index, value, elem: _, mask } => {
                self.atomic(*op, *mem, *index, *value, *mask)
            }
            Op::SetMem { dst, src } => {
                let address = self.get_mem(*src);
                self.set_mem(*dst, &address);
                Ok(())
            }
            other @ ops!(value, lane, arena, control, Fail, flag, group, host) => {
                Err(format!("not a memory access: {other:?}"))
            }
        }
    }

    // -- forms of values ---------------------------------------------------------------------

    /// Returns an operand with this many lanes in its stored form.
    pub fn memory_form(&mut self, value: Operand, lanes: u32) -> Emitted<Value<Any>> {
        let value = self.operand_lanes(value, lanes);
        self.stored_form(&value)
    }

    pub fn stored_form<S: Shape>(&mut self, value: &Value<Any, S>) -> Emitted<Value<Any, S>> {
        let stored = value.ty.element.stored();
        if value.ty.element == Element::Bit {
            let bits = value.mask()?;
            return Ok(self.text.number(cast::ZEXT, &bits, stored.bits()).any());
        }
        Ok(self.text.recast(value, stored))
    }

    pub fn loaded_form<S: Shape>(
        &mut self,
        value: &Value<Any, S>,
        element: Element,
    ) -> Emitted<Value<Any, S>> {
        if element == Element::Bit {
            let bytes = value.int()?;
            return Ok(self.text.compare_int(int::NE, &bytes, 0).any());
        }
        Ok(self.text.recast(value, element))
    }

    /// Returns the address of element `index`, or of each lane's element.
    pub fn place<S: Shape>(
        &mut self,
        mem: Mem,
        element: Element,
        index: &Value<Int, S>,
        in_bounds: bool,
    ) -> Value<Address, S> {
        let base = self.get_mem(mem);
        self.text.offset(&base, element, index, in_bounds)
    }

    // -- loads -------------------------------------------------------------------------------

    fn load(
        &mut self,
        dst: Reg,
        mem: Mem,
        index: Operand,
        mask: Option<Operand>,
        ahead: Option<Operand>,
    ) -> Emitted<()> {
        let ty = self.reg_type(dst);
        let stored = ty.stored();
        let index = self.operand(index).int()?;
        let place = self.place(mem, stored.element, &index, mask.is_none());
        let mask = mask.map(|mask| self.mask_lanes(mask, ty.lanes)).transpose()?;
        let raw = match (place.shape(), mask.map(|mask| mask.shape())) {
            (Shaped::One(place), None) => match ahead {
                Some(distance) => self.load_ahead(mem, stored, &place, distance)?,
                None => self.plain_load(mem, stored, &place),
            },
            (Shaped::One(place), Some(Shaped::One(cond))) => self.guarded_load(mem, stored, &place, &cond),
            (Shaped::One(place), Some(Shaped::Many(mask))) => {
                self.masked_load("load", mem, stored, &place, &mask)
            }
            (Shaped::Many(places), None) => self.gather(mem, stored, &places, None),
            (Shaped::Many(places), Some(Shaped::Many(mask))) => self.gather(mem, stored, &places, Some(mask)),
            (Shaped::Many(_), Some(Shaped::One(_))) => return Err("a gather under one condition".into()),
        };
        let value = self.loaded_form(&raw, ty.element)?;
        self.set(dst, &value)
    }

    fn plain_load<S: Shape>(&mut self, mem: Mem, ty: Type<Any, S>, place: &Pointer) -> Value<Any, S> {
        let notes = self.aliases.load(mem);
        self.text.load(ty, place, format_args!(", align {}{notes}", ty.bytes()))
    }

    /// Loads one machine vector after the other. Before each new line, the second-level cache is asked for the line `distance`
    /// elements ahead. LLVM keeps loads and prefetches in this order; without prefetches in between it loads the last vector
    /// first, and prefetching gains little.
    fn load_ahead(
        &mut self,
        mem: Mem,
        ty: Type<Any>,
        place: &Pointer,
        distance: Operand,
    ) -> Emitted<Value<Any>> {
        let distance = self.index(distance)?;
        let ahead = self.text.offset(place, ty.element, &distance, false);
        let part = ty.with_lanes(ty.lanes.min(self.target.vector_bits / ty.bits()));
        let length = part.bytes() * i64::from(part.lanes);
        let [read, keep, data] = [0, 2, 1].map(|flag| Type::I32.constant(flag));
        let mut parts = Vec::new();
        for offset in (0..i64::from(ty.lanes / part.lanes)).map(|number| number * length) {
            if offset % CACHE_LINE == 0 {
                let later = self.text.further(&ahead, offset);
                self.text.call_void("llvm.prefetch.p0", &[&later, &read, &keep, &data], "");
            }
            let place = self.text.further(place, offset);
            parts.push(self.plain_load(mem, part, &place));
        }
        Ok(self.concatenate(parts))
    }

    /// Requests the line of an element for writing, without waiting for it.
    fn claim(&mut self, mem: Mem, index: Operand, elem: ScalarType) -> Emitted<()> {
        let index = self.index(index)?;
        let place = self.place(mem, Element::from(elem).stored(), &index, false);
        let [write, keep, data] = [1, 2, 1].map(|flag| Type::I32.constant(flag));
        self.text.call_void("llvm.prefetch.p0", &[&place, &write, &keep, &data], "");
        Ok(())
    }

    fn masked_load<S: Shape>(
        &mut self,
        kind: &str,
        mem: Mem,
        ty: Type<Any>,
        place: &Value<Address, S>,
        mask: &Vector<Bit>,
    ) -> Value<Any> {
        let name = format!("llvm.masked.{kind}.{}.{}", ty.suffix(), place.ty.suffix());
        let align = Type::I32.constant(ty.bytes());
        let notes = self.aliases.access(mem);
        self.text.call_annotated(ty, &name, &[place, &align, mask, &ty.zero()], &notes)
    }

    /// Gathers. Without a machine instruction, LLVM loads lane by lane, and would branch for each lane of a mask; so lanes that
    /// are off get a harmless address instead.
    fn gather(
        &mut self,
        mem: Mem,
        ty: Type<Any>,
        places: &Vector<Address>,
        mask: Option<Vector<Bit>>,
    ) -> Value<Any> {
        let all = places.ty.of::<Bit>(()).constant(true);
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

    /// Scatters, like [`Function::gather`].
    fn scatter(&mut self, mem: Mem, value: &Value<Any>, places: &Vector<Address>, mask: Option<Vector<Bit>>) {
        let all = places.ty.of::<Bit>(()).constant(true);
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

    fn has_masked_gather(&self, ty: Type<Any>) -> bool {
        self.target.mask_registers && ty.bits() >= 32
    }

    /// Returns the addresses of lanes that are on, and for other lanes an address on the stack.
    fn harmless_places(
        &mut self,
        ty: Type<Any>,
        places: &Vector<Address>,
        mask: &Vector<Bit>,
    ) -> Vector<Address> {
        let slot = self.text.slot(ty.lane());
        let slots = self.text.fill(&slot.place, places.ty);
        self.text.select(mask, places, &slots)
    }

    /// Loads a scalar only if a condition holds; otherwise yields zero.
    fn guarded_load(&mut self, mem: Mem, ty: Type<Any>, place: &Pointer, cond: &Condition) -> Value<Any> {
        let slot = self.text.slot(ty);
        self.text.write(&slot, &ty.zero());
        self.guarded(cond, |f| {
            let notes = f.aliases.access(mem);
            let value = f.text.load(ty, place, format_args!(", align {}{notes}", ty.bytes()));
            f.text.write(&slot, &value);
        });
        self.text.read(&slot)
    }

    /// Emits code that runs only if a condition holds.
    pub fn guarded<T>(&mut self, cond: &Condition, act: impl FnOnce(&mut Self) -> T) -> T {
        let (then, end) = (self.text.new_block(), self.text.new_block());
        self.text.branch(cond, then, end);
        self.text.begin(then);
        let done = act(self);
        self.text.jump(end);
        self.text.begin(end);
        done
    }

    // -- stores ------------------------------------------------------------------------------

    fn store(
        &mut self,
        mem: Mem,
        index: Operand,
        value: &Value<Any>,
        mask: Option<Operand>,
        stream: bool,
    ) -> Emitted<()> {
        let index = self.operand(index).int()?;
        let place = self.place(mem, value.ty.element, &index, mask.is_none());
        let mask = mask.map(|mask| self.mask_lanes(mask, value.ty.lanes)).transpose()?;
        match (place.shape(), mask.map(|mask| mask.shape())) {
            (Shaped::One(place), None) if stream => self.stream(mem, value, &place),
            (Shaped::One(place), None) => self.plain_store(mem, value, &place),
            (Shaped::One(place), Some(Shaped::One(cond))) => {
                self.guarded(&cond, |f| f.plain_store(mem, value, &place));
            }
            (Shaped::One(place), Some(Shaped::Many(mask))) => {
                self.masked_store("store", mem, value, &place, &mask)
            }
            (Shaped::Many(places), None) => self.scatter(mem, value, &places, None),
            (Shaped::Many(places), Some(Shaped::Many(mask))) => self.scatter(mem, value, &places, Some(mask)),
            (Shaped::Many(_), Some(Shaped::One(_))) => return Err("a scatter under one condition".into()),
        }
        Ok(())
    }

    pub fn plain_store(&mut self, mem: Mem, value: &Value<Any>, place: &Pointer) {
        let notes = self.aliases.access(mem);
        self.text.store(value, place, format_args!(", align {}{notes}", value.ty.bytes()));
    }

    pub fn masked_store<S: Shape>(
        &mut self,
        kind: &str,
        mem: Mem,
        value: &Value<Any>,
        place: &Value<Address, S>,
        mask: &Vector<Bit>,
    ) {
        let name = format!("llvm.masked.{kind}.{}.{}", value.ty.suffix(), place.ty.suffix());
        let align = Type::I32.constant(value.ty.bytes());
        let notes = self.aliases.access(mem);
        self.text.call_void(&name, &[value, place, &align, mask], &notes);
    }

    /// Stores past the caches if the address is aligned as such stores require; parts of arrays need not be.
    fn stream(&mut self, mem: Mem, value: &Value<Any>, place: &Pointer) {
        let size = value.ty.bytes() * i64::from(value.ty.lanes);
        let unit = size.min(i64::from(self.target.vector_bits / 8));
        if unit < 16 {
            return self.plain_store(mem, value, place);
        }
        self.streams = true;
        let address = self.text.address(place);
        let rest = self.text.binary_int(int::AND, &address, unit - 1);
        let aligned = self.text.compare_int(int::EQ, &rest, 0);
        let (past, through, end) = (self.text.new_block(), self.text.new_block(), self.text.new_block());
        self.text.branch(&aligned, past, through);
        self.text.begin(past);
        let notes = self.aliases.access(mem);
        self.text.store(value, place, format_args!(", align {unit}, !nontemporal !{{i32 1}}{notes}"));
        self.text.jump(end);
        self.text.begin(through);
        self.plain_store(mem, value, place);
        self.text.jump(end);
        self.text.begin(end);
    }
}
