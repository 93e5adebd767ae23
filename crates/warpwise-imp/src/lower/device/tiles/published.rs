//! The values that tiles publish for their successors: a total or a prefix each, with a state that distinguishes them.
//!
//! A single value of at most 32 bits, or a count, is packed with its state into one word of 64 bits, if the device reads and
//! writes such words in one piece: `value << 2 | state`. Then nothing else has to become visible, and inspecting a tile is one
//! load. All other values are in arrays beside an `i32` state, which is released after them and acquired before they are read.

use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType};

use super::{Combine, Parts};
use crate::lower::Scanning;
use crate::lower::emitter::{Emitter, Value};
use crate::op::{Op, Order};
use crate::types::{ImpType, Mem, Operand, Reg};

/// State of a tile whose total is published.
pub(super) const TOTAL: i32 = 1;

/// State of a tile whose prefix up to its end is published.
pub(super) const PREFIX: i32 = 2;

/// Number of bits of a word that hold the state.
const STATE_BITS: i64 = 2;

/// The memories of a launch that looks back. The counter of tickets, an `i32`, follows the states of the tiles.
pub(super) struct Published {
    states: Mem,
    values: Values,
}

/// The storage of the values.
enum Values {
    /// One value of this type, packed into the words of the states.
    Packed(ScalarType),
    /// Arrays, one for each value of all operators.
    Arrays { totals: Vec<Mem>, prefixes: Vec<Mem> },
}

impl Values {
    /// Returns the type of a state's word.
    fn state(&self) -> ScalarType {
        match self {
            Values::Packed(_) => ScalarType::I64,
            Values::Arrays { .. } => ScalarType::I32,
        }
    }
}

impl Published {
    /// Returns the same memories under the names that a kernel has for them.
    pub fn in_kernel(&self, param: &mut dyn FnMut(Mem) -> Mem) -> Published {
        let values = match &self.values {
            Values::Packed(ty) => Values::Packed(*ty),
            Values::Arrays { totals, prefixes } => {
                let totals = totals.iter().map(|&mem| param(mem)).collect();
                Values::Arrays { totals, prefixes: prefixes.iter().map(|&mem| param(mem)).collect() }
            }
        };
        Published { states: param(self.states), values }
    }

    /// Returns all memories.
    pub fn memories(self) -> Vec<Mem> {
        match self.values {
            Values::Packed(_) => vec![self.states],
            Values::Arrays { totals, prefixes } => [totals, prefixes, vec![self.states]].concat(),
        }
    }
}

impl<'a> Emitter<'a> {
    /// Allocates the memories for `tiles` tiles, with all states unset. Host code.
    pub(super) fn unpublished(&mut self, parts: &Parts<'a>, tiles: Operand) -> Published {
        let types = self.combined_types(parts.combine);
        let values = match self.packed(parts.combine, &types) {
            Some(ty) => Values::Packed(ty),
            None => {
                let mut arrays = |name: &str| -> Vec<Mem> {
                    types
                        .iter()
                        .map(|&ty| {
                            let bytes = self.code.mul(tiles, Operand::i64(ty.bytes() as i64));
                            self.alloc(name, bytes)
                        })
                        .collect()
                };
                Values::Arrays { totals: arrays("totals"), prefixes: arrays("prefixes") }
            }
        };
        let elem = values.state();
        let count = self.code.add(tiles, Operand::i64(1));
        let bytes = self.code.mul(count, Operand::i64(elem.bytes() as i64));
        let states = self.alloc("states", bytes);
        let value = Operand::Const(Scalar::int(elem, 0));
        self.code.emit(Op::Fill { mem: states, index: Operand::i64(0), count, value, elem });
        Published { states, values }
    }

    /// Returns the type of the single value, if it fits into a word with its state.
    fn packed(&self, combine: Combine<'_>, types: &[ScalarType]) -> Option<ScalarType> {
        let &[ty] = types else { return None };
        // A count is less than 2^61.
        let fits = ty.bytes() <= 4 || matches!(combine, Combine::Members(_));
        (fits && self.cx.scanning == Scanning::LookBack { whole_words: true }).then_some(ty)
    }

    /// Returns the prefix up to the end of a tile, value by value. Host code, after the launch.
    pub(super) fn prefix_on_host(
        &mut self,
        published: &Published,
        tile: Operand,
        types: &[ScalarType],
    ) -> Vec<Operand> {
        match &published.values {
            Values::Packed(ty) => {
                let word = self.code.load("word", ScalarType::I64, published.states, tile);
                vec![self.unpacked(word, *ty)]
            }
            Values::Arrays { prefixes, .. } => {
                let both = prefixes.iter().zip(types);
                both.map(|(&mem, &ty)| self.code.load("size", ty, mem, tile).into()).collect()
            }
        }
    }

    /// Draws the number of the next tile.
    pub(super) fn ticket(&mut self, published: &Published, tiles: Operand) -> Reg {
        let words = published.values.state().bytes() as i64 / 4;
        let index = self.code.mul(tiles, Operand::i64(words));
        let number = self.code.int_reg("number");
        self.code.emit(Op::Ticket { dst: number, mem: published.states, index });
        number
    }

    /// Publishes the values of a tile: its total, or its prefix up to its end.
    pub(super) fn publish_tile(
        &mut self,
        published: &Published,
        tile: Operand,
        values: &[Vec<Reg>],
        state: i32,
    ) {
        let (mem, index) = (published.states, tile);
        match &published.values {
            Values::Packed(ty) => {
                let value = self.packed_word(values[0][0], *ty, state);
                self.code.emit(Op::Publish { mem, index, value, order: Order::Relaxed });
            }
            Values::Arrays { totals, prefixes } => {
                self.store_all(if state == TOTAL { totals } else { prefixes }, values, tile);
                let value = Operand::Const(Scalar::I32(state));
                self.code.emit(Op::Publish { mem, index, value, order: Order::Released });
            }
        }
    }

    /// Waits until a tile has published values; sets `state`, an `i32`, and `values` accordingly.
    pub(super) fn await_tile(
        &mut self,
        published: &Published,
        tile: Operand,
        state: Reg,
        values: &[Vec<Reg>],
    ) {
        let (mem, index) = (published.states, tile);
        let dst = self.code.reg("published", ImpType::scalar(published.values.state()));
        match &published.values {
            Values::Packed(ty) => {
                self.code.emit(Op::Await { dst, mem, index, order: Order::Relaxed });
                let bits = self.code.binary(BinaryOp::And, dst, Operand::i64((1 << STATE_BITS) - 1));
                let narrow = self.converted(ConvertOp::Truncate, bits, ScalarType::I32);
                self.code.set(state, narrow);
                let value = self.unpacked(dst, *ty);
                self.code.set(values[0][0], value);
            }
            Values::Arrays { totals, prefixes } => {
                self.code.emit(Op::Await { dst, mem, index, order: Order::Released });
                self.code.set(state, dst);
                let whole = self.code.compare(CompareOp::Eq, dst, Operand::Const(Scalar::I32(PREFIX)));
                self.choose(
                    whole,
                    |this| this.load_all(values, prefixes, tile),
                    |this| this.load_all(values, totals, tile),
                );
            }
        }
    }

    /// Returns `value << 2 | state`.
    fn packed_word(&mut self, value: Reg, ty: ScalarType, state: i32) -> Operand {
        let is_float = matches!(ty, ScalarType::F16 | ScalarType::F32);
        let bits =
            if is_float { self.converted(ConvertOp::Bitcast, value, bits_of(ty)) } else { value.into() };
        let wide =
            if ty == ScalarType::I64 { bits } else { self.converted(ConvertOp::ZExt, bits, ScalarType::I64) };
        let shifted = self.code.binary(BinaryOp::Shl, wide, Operand::i64(STATE_BITS));
        self.code.binary(BinaryOp::Or, shifted, Operand::i64(state.into()))
    }

    /// Returns the value in a word.
    fn unpacked(&mut self, word: Reg, ty: ScalarType) -> Operand {
        let bits = self.code.binary(BinaryOp::LShr, word, Operand::i64(STATE_BITS));
        match ty {
            ScalarType::I64 => bits,
            ScalarType::Bool => self.converted(ConvertOp::ToBool, bits, ty),
            ScalarType::F16 | ScalarType::F32 => {
                let narrow = self.converted(ConvertOp::Truncate, bits, bits_of(ty));
                self.converted(ConvertOp::Bitcast, narrow, ty)
            }
            ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::F64 => {
                self.converted(ConvertOp::Truncate, bits, ty)
            }
        }
    }

    fn converted(&mut self, op: ConvertOp, x: impl Into<Operand>, ty: ScalarType) -> Operand {
        let value = self.convert(op, Value::Uniform(x.into()), ty);
        self.vector(value)
    }
}

/// Returns the integer type with the bits of a float.
fn bits_of(ty: ScalarType) -> ScalarType {
    if ty == ScalarType::F16 { ScalarType::I16 } else { ScalarType::I32 }
}
