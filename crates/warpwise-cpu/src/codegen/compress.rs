//! Compressed stores: the lanes that are on, one after another.
//!
//! One machine vector at a time is compressed in a register, by an instruction or by a table of permutations, and stored whole
//! where there is room, or under a mask of the number of kept lanes. Without either, LLVM stores lane by lane.

use warpwise_imp::{Mem, Operand};

use super::Emitted;
use super::function::Function;
use super::llvm::{Any, Element, Int, Mask, Pointer, Shaped, Type, Value, cast, int};

/// Number of lanes of 32 bits that the table permutes.
const PERMUTED: u32 = 8;

/// Width of the vectors that the table permutes, in bits.
const PERMUTED_BITS: u32 = 256;

/// How vectors are compressed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Instruction,
    Table,
    LaneByLane,
}

impl Function<'_> {
    /// Stores the lanes that are on. If there is `spare` room for a whole vector, elements behind the kept ones may change.
    pub fn compress_store(
        &mut self,
        mem: Mem,
        index: Operand,
        value: &Value<Any>,
        mask: Operand,
        spare: bool,
    ) -> Emitted<()> {
        let (mut index, mask) = (self.index(index)?, self.mask_lanes(mask, value.ty.lanes)?);
        if let Shaped::One(cond) = mask.shape() {
            let place = self.place(mem, value.ty.element, &index, false);
            self.guarded(&cond, |f| f.plain_store(mem, value, &place));
            return Ok(());
        }
        let how = self.how_to_compress(value.ty, spare);
        let machine = match how {
            How::Instruction | How::LaneByLane => self.target.vector_bits / value.ty.bits(),
            How::Table => permuted_lanes(value.ty),
        };
        let lanes = value.ty.lanes.min(machine);
        for part in 0..value.ty.lanes / lanes {
            let (slice, slice_mask) =
                (self.resize(value, part * lanes, lanes), self.resize(&mask, part * lanes, lanes));
            let place = self.place(mem, value.ty.element, &index, false);
            match how {
                How::Instruction => self.compress_by_instruction(mem, &slice, &place, &slice_mask, spare)?,
                How::Table => {
                    let packed = self.compress_by_table(&slice, &slice_mask)?;
                    self.plain_store(mem, &packed, &place);
                }
                How::LaneByLane => {
                    let name = format!("llvm.masked.compressstore.{}", slice.ty.suffix());
                    let notes = self.aliases.access(mem);
                    self.text.call_void(&name, &[&slice, &place, &slice_mask], &notes);
                }
            }
            let kept = self.count_lanes(&slice_mask);
            index = self.text.binary(int::ADD, &index, &kept);
        }
        Ok(())
    }

    fn how_to_compress(&self, ty: Type<Any>, spare: bool) -> How {
        if self.target.mask_registers && (ty.bits() >= 32 || self.target.compress_narrow) {
            How::Instruction
        } else if spare && self.target.has("avx2") && self.target.vector_bits >= PERMUTED_BITS {
            How::Table
        } else {
            How::LaneByLane
        }
    }

    fn compress_by_instruction(
        &mut self,
        mem: Mem,
        value: &Value<Any>,
        place: &Pointer,
        mask: &Mask,
        spare: bool,
    ) -> Emitted<()> {
        // The instruction exists for 128 bits and more.
        let lanes = value.ty.lanes.max(128 / value.ty.bits());
        let wide = self.resize(value, 0, lanes);
        let wide_mask = self.widen_mask(mask, lanes);
        let name = format!("llvm.x86.avx512.mask.compress.{}", wide.ty.suffix());
        let packed = self.text.call(wide.ty, &name, &[&wide, &wide.ty.zero(), &wide_mask], "");
        let packed = self.resize(&packed, 0, value.ty.lanes);
        if spare {
            self.plain_store(mem, &packed, place);
            return Ok(());
        }
        let kept = self.count_lanes(mask);
        let numbers = value.ty.of::<Int>(32).lane_numbers();
        let kept = self.text.cast(cast::TRUNC, &kept, 32);
        let kept = self.text.splat(&kept, value.ty.lanes);
        let front = self.text.compare(int::ULT, &numbers, &kept);
        self.masked_store("store", mem, &packed, place, &front.vector()?);
        Ok(())
    }

    /// Moves the lanes that are on to the front. A table gives, for every mask, the numbers of its lanes: eight of 32 bits, or the
    /// halves of four of 64 bits. Narrower lanes are widened.
    fn compress_by_table(&mut self, value: &Value<Any>, mask: &Mask) -> Emitted<Value<Any>> {
        let lanes = permuted_lanes(value.ty);
        let wide = self.resize(value, 0, lanes);
        let wide_mask = self.widen_mask(mask, lanes);
        let bits = self.text.packed(&wide_mask);
        let number = self.text.cast(cast::ZEXT, &bits, 64);
        let table = self.text.constant(&format!("permutations.{lanes}"), &permutations(lanes));
        let entry = self.text.offset(&table, Element::Int(64), &number, true);
        let bytes: Value<Int> = self.text.load(Type::int(8).with_lanes(PERMUTED), &entry, ", align 8");
        let order = self.text.cast(cast::ZEXT, &bytes, 32);
        let ints = self.text.recast(&wide, Element::Int(value.ty.bits())).int()?;
        let words = match value.ty.bits() {
            64 => self.text.regroup(&ints, order.ty),
            _ => self.text.cast(cast::ZEXT, &ints, 32),
        };
        let permuted = self.text.call(order.ty, "llvm.x86.avx2.permd", &[&words, &order], "");
        let packed = match value.ty.bits() {
            64 => self.text.regroup(&permuted, ints.ty),
            bits => self.text.cast(cast::TRUNC, &permuted, bits),
        };
        let packed = self.text.recast(&packed.any(), value.ty.element);
        Ok(self.resize(&packed, 0, value.ty.lanes))
    }

    /// Extends a mask with lanes that are off.
    fn widen_mask(&mut self, mask: &Mask, lanes: u32) -> Mask {
        if mask.ty.lanes == lanes {
            return mask.clone();
        }
        let numbers: Vec<u32> = (0..lanes).map(|lane| lane.min(mask.ty.lanes)).collect();
        self.text.shuffle(mask, &mask.ty.constant(false), &numbers)
    }
}

/// Returns the number of lanes that the table permutes at a time.
fn permuted_lanes(ty: Type<Any>) -> u32 {
    if ty.bits() == 64 { PERMUTED / 2 } else { PERMUTED }
}

/// Returns the table of permutations. An entry belongs to a mask of `lanes` lanes and lists the words of the lanes that are on. Each
/// word's number takes one byte, and the lowest byte is the first of the list.
fn permutations(lanes: u32) -> Vec<u64> {
    let words = PERMUTED / lanes;
    let entry = |mask: u32| {
        let kept = (0..lanes).filter(|lane| mask >> lane & 1 == 1);
        let numbers = kept.flat_map(|lane| lane * words..(lane + 1) * words);
        numbers.zip(0..).fold(0, |entry, (number, place)| entry | u64::from(number) << (8 * place))
    };
    (0..1 << lanes).map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::permutations;

    #[test]
    fn kept_lanes_come_first() {
        assert_eq!(permutations(8)[0b1010_0001], 0x07_05_00);
        assert_eq!(permutations(8)[0b1111_1111], 0x0706_0504_0302_0100);
        assert_eq!(permutations(4)[0b1010], 0x0706_0302);
        assert_eq!(permutations(4)[0], 0);
    }
}
