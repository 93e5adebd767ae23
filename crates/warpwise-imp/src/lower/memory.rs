//! Accesses to array elements: addresses from index functions, loads and stores.
//!
//! An address is a value like any other, so its variance decides: a uniform address gives a scalar access, one that increases by
//! one from lane to lane a contiguous vector, one that decreases by one a contiguous vector with its lanes reversed, all others
//! gathers and scatters.

use warpwise_diag::Span;
use warpwise_ir::{Operand as CoreOperand, Placement, SliceDim, Var};
use warpwise_prim::{BinaryOp, Scalar, ScalarType};

use crate::lower::emitter::{Ahead, BlockBinding, Emitter, Lowered, Mask, Value};
use crate::op::Op;
use crate::types::{ImpType, Mem, Operand, Reg};

/// Maximum distance of elements that are accessed by contiguous vectors and shuffles.
pub(super) const MOST_SHUFFLED: i64 = 4;

/// Maximum number of elements of rows, one of each lane, that are stored by shuffles. Rows of more are rarely made at once.
const MOST_STORED: i64 = 8;

/// Default prefetch distance of loads, in bytes: far enough that memory answers in time, and near enough that the processor
/// recognises the stream that it prefetches anyway.
const AHEAD: i64 = 2 << 10;

/// An array or a part of one, as addresses: element `[i, j, ...]` lies at `offset + i*s0 + j*s1 + ...`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct View {
    /// Block of the array.
    pub block: BlockBinding,
    /// Element type.
    pub elem: ScalarType,
    /// Position of the first element.
    pub offset: Value,
    /// Extents, outermost first.
    pub extents: Vec<Value>,
    /// Strides, outermost first.
    pub strides: Vec<Value>,
}

impl Emitter<'_> {
    /// Returns the view of a whole array variable.
    pub fn view(&mut self, array: Var, span: Span) -> Lowered<View> {
        let placement = self.placement(array, span)?;
        self.note_array(array, placement);
        self.placed(placement, self.elem(array), span)
    }

    /// Returns the view of the array at a placement.
    pub fn placed(&mut self, placement: &Placement, elem: ScalarType, span: Span) -> Lowered<View> {
        let block = self.block(placement.block, span)?;
        let offset = self.value(placement.index_fn.offset);
        let dims = &placement.index_fn.dims;
        let extents = dims.iter().map(|dim| self.value(dim.extent)).collect();
        let strides = dims.iter().map(|dim| self.value(dim.stride)).collect();
        Ok(View { block, elem, offset, extents, strides })
    }

    /// Returns the part of a view at leading indices.
    pub fn row(&mut self, view: &View, indices: &[Value]) -> View {
        let offset = self.offset(view, indices);
        let rest = indices.len()..;
        View {
            offset,
            extents: view.extents[rest.clone()].to_vec(),
            strides: view.strides[rest].to_vec(),
            ..*view
        }
    }

    /// Returns the part of a view that a slice selects.
    pub fn slice(&mut self, view: &View, dims: &[SliceDim]) -> View {
        let mut part = View { extents: Vec::new(), strides: Vec::new(), ..*view };
        for (dim, &stride) in dims.iter().zip(&view.strides) {
            let start = match *dim {
                SliceDim::Fix(index) => self.value(index),
                SliceDim::Range { start, len, stride: step } => {
                    let step = self.value(step);
                    let scaled = self.binary(BinaryOp::Mul, stride, step);
                    part.extents.push(self.value(len));
                    part.strides.push(scaled);
                    self.value(start)
                }
            };
            let distance = self.binary(BinaryOp::Mul, start, stride);
            part.offset = self.binary(BinaryOp::Add, part.offset, distance);
        }
        part
    }

    fn offset(&mut self, view: &View, indices: &[Value]) -> Value {
        let mut offset = view.offset;
        for (&index, &stride) in indices.iter().zip(&view.strides) {
            let distance = self.binary(BinaryOp::Mul, index, stride);
            offset = self.binary(BinaryOp::Add, offset, distance);
        }
        offset
    }

    /// Returns the position of an element in its block.
    pub fn address(&mut self, view: &View, indices: &[Value]) -> Value {
        let offset = self.offset(view, indices);
        if !view.block.interleaved {
            return offset;
        }
        let width = Value::Uniform(Operand::i64(i64::from(self.width())));
        let start = self.binary(BinaryOp::Mul, offset, width);
        self.binary(BinaryOp::Add, start, Value::Linear { base: Operand::i64(0), stride: 1 })
    }

    /// Loads an element.
    pub fn load(&mut self, view: &View, indices: &[Value]) -> Value {
        if let Some((row, place)) = self.whole_row(view, indices) {
            return self.load_of_rows(view, row, place);
        }
        let address = self.address(view, indices);
        self.load_at(view.block, view.elem, address)
    }

    /// Returns the rows of all lanes (base and length) and the element's position in its row, where short rows lie one after
    /// another.
    fn whole_row(&mut self, view: &View, indices: &[Value]) -> Option<((Operand, i64), i64)> {
        let (last, outer) = indices.split_last()?;
        let [known, extent, unit] =
            [*last, *view.extents.last()?, *view.strides.last()?].map(|x| x.known().constant);
        let (place, extent) = (known?, extent?);
        let next = view.strides.len().checked_sub(2).and_then(|dim| view.strides[dim].known().constant);
        let here = next == Some(extent)
            && unit == Some(1)
            && (0..extent).contains(&place)
            && (2..=MOST_SHUFFLED).contains(&extent);
        if !here || self.width() == 1 || view.block.interleaved || self.mask() != Mask::Full {
            return None;
        }
        match self.offset(view, outer) {
            Value::Linear { base, stride } if stride == extent => Some(((base, stride), place)),
            Value::Uniform(_) | Value::Linear { .. } | Value::Varying(_) => None,
        }
    }

    /// Loads the element at `place` of every lane's row. All rows are loaded as contiguous vectors, the same ones for every
    /// `place`, and then shuffled.
    fn load_of_rows(&mut self, view: &View, (base, length): (Operand, i64), place: i64) -> Value {
        let width = i64::from(self.width());
        let ty = ImpType::vector(view.elem, self.width());
        // Only one of a row's elements prefetches.
        let ahead = self.further_on(view.elem).filter(|_| place == 0);
        let mut parts = Vec::new();
        for part in 0..length {
            let index = self.code.add(base, Operand::i64(part * width));
            let dst = self.code.reg("part", ty);
            self.code.emit(Op::Load { dst, mem: view.block.mem, index, mask: None, ahead });
            parts.push(dst);
        }
        let (mut length, mut place) = (length, place);
        while length % 2 == 0 {
            // Every second element of two vectors, which positions of the same parity share.
            let lanes: Vec<u16> = (0..width).map(|lane| (2 * lane + place % 2) as u16).collect();
            parts = parts.chunks(2).map(|pair| self.picked(pair[0], pair[1], lanes.clone())).collect();
            (length, place) = (length / 2, place / 2);
        }
        let mut gathered = parts[0];
        for (part, &vector) in (0..length).zip(&parts) {
            let lanes = (0..width).map(|lane| {
                let from = lane * length + place - part * width;
                let place = if (0..width).contains(&from) { width + from } else { lane };
                place as u16
            });
            if length > 1 {
                gathered = self.picked(gathered, vector, lanes.collect());
            }
        }
        Value::Varying(gathered)
    }

    fn picked(&mut self, x: Reg, y: Reg, lanes: Vec<u16>) -> Reg {
        let dst = self.code.reg("x", self.code.regs[x].ty);
        self.code.emit(Op::Shuffle { dst, x: x.into(), y: y.into(), lanes });
        dst
    }

    /// Loads the element at an address.
    pub fn load_at(&mut self, block: BlockBinding, elem: ScalarType, address: Value) -> Value {
        let mem = block.mem;
        if let Value::Uniform(index) = address {
            let dst = self.code.reg("x", ImpType::scalar(elem));
            self.code.emit(Op::Load { dst, mem, index, mask: None, ahead: None });
            return Value::Uniform(dst.into());
        }
        if let Value::Linear { base, stride } = address
            && (2..=MOST_SHUFFLED).contains(&stride)
            && self.mask() == Mask::Full
        {
            return self.load_strided(mem, elem, base, stride);
        }
        if let Value::Linear { base, stride: -1 } = address {
            let (index, mask) = self.backwards(base);
            let loaded = self.code.reg("x", ImpType::vector(elem, self.width()));
            self.code.emit(Op::Load { dst: loaded, mem, index, mask, ahead: None });
            return Value::Varying(self.reversed(loaded));
        }
        let contiguous = matches!(address, Value::Linear { stride: 1, .. });
        let index = self.vector_address(address);
        let mask = self.mask_operand();
        let ahead = self.further_on(elem).filter(|_| contiguous && mask.is_none());
        let dst = self.code.reg("x", ImpType::vector(elem, self.width()));
        self.code.emit(Op::Load { dst, mem, index, mask, ahead });
        Value::Varying(dst)
    }

    /// Returns the first address and the mask of an access whose addresses decrease from `base` from lane to lane; the last lane
    /// comes first.
    fn backwards(&mut self, base: Operand) -> (Operand, Option<Operand>) {
        let first = self.code.sub(base, Operand::i64(i64::from(self.width()) - 1));
        let mask = self.mask_operand().map(|mask| match mask {
            Operand::Reg(mask) => self.reversed(mask).into(),
            Operand::Const(_) => mask,
        });
        (first, mask)
    }

    /// Returns a vector with its lanes reversed.
    fn reversed(&mut self, x: Reg) -> Reg {
        self.picked(x, x, (0..self.width()).rev().collect())
    }

    /// Returns the prefetch distance of loads of such elements.
    fn further_on(&self, elem: ScalarType) -> Option<Operand> {
        self.ahead.map(|ahead| match ahead {
            Ahead::Soon => Operand::i64(AHEAD / elem.bytes() as i64),
            Ahead::Elements(distance) => distance,
        })
    }

    /// Loads elements a small distance apart by contiguous vectors that cover them, and shuffles. The last vector ends with the
    /// last element, so that nothing behind it is accessed.
    fn load_strided(&mut self, mem: Mem, elem: ScalarType, base: Operand, stride: i64) -> Value {
        let width = i64::from(self.width());
        let ty = ImpType::vector(elem, self.width());
        let ahead = self.further_on(elem);
        let mut gathered: Option<Reg> = None;
        for part in 0..stride {
            let start = if part + 1 == stride { (width - 1) * (stride - 1) } else { part * width };
            let end = if part + 1 == stride { (width - 1) * stride + 1 } else { start + width };
            let index = self.code.add(base, Operand::i64(start));
            let vector = self.code.reg("part", ty);
            self.code.emit(Op::Load { dst: vector, mem, index, mask: None, ahead });
            let own = |lane: i64| (start.max(part * width)..end).contains(&(lane * stride));
            let lanes = (0..width).map(|lane| {
                let place = if own(lane) { width + lane * stride - start } else { lane };
                place as u16
            });
            let lanes = lanes.collect();
            let before = gathered.unwrap_or(vector);
            let dst = self.code.reg("x", ty);
            self.code.emit(Op::Shuffle { dst, x: before.into(), y: vector.into(), lanes });
            gathered = Some(dst);
        }
        gathered.map_or(Value::constant(Scalar::zero(elem)), Value::Varying)
    }

    /// Stores an element.
    pub fn store(&mut self, view: &View, indices: &[Value], value: Value) {
        let address = self.address(view, indices);
        let stream = self.streaming && self.mask() == Mask::Full;
        self.store_at(view.block, view.elem, address, value, stream);
    }

    /// Returns whether the rows that the lanes fill, with this number of elements each, lie one after another.
    pub fn interleaves(&mut self, row: &View, elements: usize) -> bool {
        let elements = elements as i64;
        let linear = matches!(row.offset, Value::Linear { stride, .. } if stride == elements);
        (2..=MOST_STORED).contains(&elements)
            && linear
            && row.strides[0].known().constant == Some(1)
            && !row.block.interleaved
            && self.mask() == Mask::Full
            && self.width() > 1
    }

    /// Stores a short row in every lane, by shuffles and contiguous vectors.
    pub fn store_interleaved(&mut self, row: &View, values: &[Value]) {
        let Value::Linear { base, .. } = row.offset else { unreachable!("asked for by `interleaves`") };
        let width = i64::from(self.width());
        let vectors: Vec<Reg> = values.iter().map(|&value| self.vector_reg(value)).collect();
        let merged =
            if vectors.len().is_power_of_two() { self.zipped(vectors) } else { self.merged(&vectors) };
        for (part, vector) in (0..).zip(merged) {
            let index = self.code.add(base, Operand::i64(part * width));
            let (mem, value, elem) = (row.block.mem, vector.into(), row.elem);
            self.code.emit(Op::Store { mem, index, value, elem, mask: None, stream: self.streaming });
        }
    }

    /// Interleaves vectors, whose number is a power of two: in each step, each of one half is zipped with its counterpart.
    fn zipped(&mut self, mut vectors: Vec<Reg>) -> Vec<Reg> {
        let (width, half) = (self.width(), vectors.len() / 2);
        for _ in 0..vectors.len().ilog2() {
            let mut next = Vec::new();
            for (&x, &y) in vectors[..half].iter().zip(&vectors[half..]) {
                for first in [0, width / 2] {
                    let lanes = (0..width).map(|lane| lane % 2 * width + first + lane / 2);
                    next.push(self.shuffle(x, y, lanes.collect()));
                }
            }
            vectors = next;
        }
        vectors
    }

    /// Interleaves any number of vectors: the elements of one after the other are put into each vector of the result.
    fn merged(&mut self, vectors: &[Reg]) -> Vec<Reg> {
        let (width, stride) = (self.width(), vectors.len() as u16);
        let part = |part: u16| {
            let (mut merged, rest) = (vectors[0], &vectors[1..]);
            for (field, &vector) in (1..).zip(rest) {
                let lanes = (0..width).map(|lane| {
                    let (own, source) = ((part * width + lane) % stride, (part * width + lane) / stride);
                    match own {
                        _ if own == field => width + source,
                        0 if field == 1 => source,
                        _ => lane,
                    }
                });
                merged = self.shuffle(merged, vector, lanes.collect());
            }
            merged
        };
        (0..stride).map(part).collect()
    }

    fn shuffle(&mut self, x: Reg, y: Reg, lanes: Vec<u16>) -> Reg {
        let dst = self.code.reg("row", self.code.regs[x].ty);
        self.code.emit(Op::Shuffle { dst, x: x.into(), y: y.into(), lanes });
        dst
    }

    /// Stores an element at an address; `stream` bypasses the caches.
    pub fn store_at(
        &mut self,
        block: BlockBinding,
        elem: ScalarType,
        address: Value,
        value: Value,
        stream: bool,
    ) {
        let mask = self.mask_operand();
        let value = match value {
            Value::Uniform(Operand::Const(_)) | Value::Linear { .. } | Value::Varying(_) => {
                self.vector(value)
            }
            Value::Uniform(Operand::Reg(_)) => Operand::Reg(self.vector_reg(value)),
        };
        if let Value::Linear { base, stride: -1 } = address
            && self.width() > 1
        {
            let Operand::Reg(value) = self.stretched(value, elem) else { unreachable!("in a register") };
            let (index, mask) = self.backwards(base);
            let value = self.reversed(value).into();
            self.code.emit(Op::Store { mem: block.mem, index, value, elem, mask, stream: false });
            return;
        }
        let contiguous = matches!(address, Value::Linear { stride: 1, .. });
        let index = self.vector_address(address);
        let value = if self.width() > 1 { self.stretched(value, elem) } else { value };
        self.code.emit(Op::Store { mem: block.mem, index, value, elem, mask, stream: stream && contiguous });
    }

    /// Returns a constant as a vector register, because the value of a vector store determines the number of lanes.
    fn stretched(&mut self, value: Operand, elem: ScalarType) -> Operand {
        match value {
            Operand::Reg(_) => value,
            Operand::Const(_) => {
                let dst = self.code.reg("all", ImpType::vector(elem, self.width()));
                self.code.emit(Op::Move { dst, x: value });
                dst.into()
            }
        }
    }

    /// Returns an address in the form that accesses of all lanes take: a scalar for contiguous lanes.
    fn vector_address(&mut self, address: Value) -> Operand {
        match address {
            Value::Linear { base, stride: 1 } => base,
            Value::Uniform(x) if self.width() == 1 => x,
            Value::Uniform(x) => Operand::Reg(self.vector_reg(Value::Uniform(x))),
            Value::Linear { .. } | Value::Varying(_) => self.vector(address),
        }
    }

    /// Returns the values of several operands.
    pub fn values(&mut self, operands: &[CoreOperand]) -> Vec<Value> {
        operands.iter().map(|&x| self.value(x)).collect()
    }
}
