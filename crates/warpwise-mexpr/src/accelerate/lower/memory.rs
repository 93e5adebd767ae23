//! The memory of imperative accelerated code while it is lowered: buffers threaded through the statements.
//!
//! A buffer is an array value; its [`Contents`] tell the current one. A write makes the next value by an update in place, a read
//! uses the current one. Inside an iteration that owns part of a buffer, the part is a value of its own: a scalar if all
//! dimensions are fixed at the iteration's index, else an array of the other dimensions. Elements that have not been written yet
//! are read from the buffer as it was before the loop, so nothing is copied before the first write. [`super::parallel`] decides
//! the ownership of parts from the [`Access`]es recorded before.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::{Failure, Span};
use warpwise_ir::builder::Builder;
use warpwise_ir::{Expr as Ir, Operand, SliceDim, Type, Var};
use warpwise_prim::{Scalar, ScalarType};

use super::Lowerer;
use super::parallel::READS_WRITTEN;
use super::value::Data;

/// All buffers, and the recorded accesses.
pub(super) struct Memory {
    pub(super) buffers: Vec<Buffer>,
    /// The buffers written so far, in code that is kept.
    pub(super) written: FxHashSet<usize>,
    /// The loops whose accesses are being recorded, outermost first.
    pub(super) probes: Vec<Probe>,
    /// The loops and choices around the current statement, outermost first.
    pub(super) around: Vec<Around>,
    /// In a loop that may only add: the reads of the buffers that it adds to.
    pub(super) adding: Option<Adding>,
    /// The output so far; a value without leaves in code that cannot print.
    pub(super) log: Data,
    /// The windows that loops have restricted to the inside of buffers, since the outermost parallel loop began.
    pub(super) clamped: Vec<Clamped>,
    /// In a loop that runs only for its checks: the buffers whose accesses are checked. The last of all buffers is then a truth
    /// value that depends on the checks.
    pub(super) checking: Option<Vec<usize>>,
}

/// A buffer during lowering.
#[derive(Clone, Debug)]
pub(super) struct Buffer {
    pub(super) element: ScalarType,
    pub(super) extents: Vec<Operand>,
    /// For each dimension the fixed index, if an iteration owns one index of it.
    pub(super) fixed: Vec<Option<Operand>>,
    /// The array as it was before the innermost loop whose iterations own parts.
    pub(super) base: Var,
    /// The dimensions that `base` has.
    pub(super) base_dims: Vec<usize>,
    /// Whether the owned part lies inside `base`, if that is not certain.
    pub(super) guard: Option<Operand>,
    pub(super) contents: Contents,
}

/// The current contents of a buffer, or of the owned part of it.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Contents {
    /// The same as in the array before the loop.
    Base,
    /// An array of all dimensions that are not fixed.
    Array(Var),
    /// The only element, if all dimensions are fixed.
    Scalar(Operand),
    /// The same as before the loop, except in these parts of dimensions, where the array holds the elements.
    Window(Vec<Part>, Var),
    /// The same as before the loop, with values that are still to be written.
    Pending(Vec<Slot>),
}

/// A range of a dimension.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Part {
    pub(super) dim: usize,
    pub(super) start: Operand,
    pub(super) len: Operand,
    /// Whether the range has been restricted to the inside of the buffer; then an empty one may lie anywhere.
    pub(super) is_clamped: bool,
}

/// A loop's range of indices that was restricted to the inside of a buffer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Clamped {
    pub(super) buffer: usize,
    /// Start and length of the range, and the extent of the dimension; `None` if they differ between iterations of a loop.
    pub(super) range: Option<[Operand; 3]>,
}

/// Values to be scattered: indices, then the value, each an array of these extents (or a scalar).
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Slot {
    pub(super) extents: Vec<Operand>,
    pub(super) leaves: Vec<Operand>,
}

/// The location of an element: its index in the buffer, with as many components as the buffer has dimensions.
pub(super) struct Place {
    pub(super) buffer: usize,
    pub(super) index: Vec<Operand>,
    /// Certificates that the index is in bounds.
    pub(super) certs: Vec<Var>,
    /// Whether the index is one of the whole tensor, rather than of a view, or a position.
    pub(super) is_plain: bool,
}

/// A loop or a choice around the current statement.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Around {
    /// A loop whose iterations run in any order, with their number.
    Parallel(Operand),
    Sequential,
    /// A choice; the statement is on one side of it.
    Choice,
}

/// A loop whose body is lowered only to record its accesses.
pub(super) struct Probe {
    /// Number of loops and choices around the loop's body, including the loop.
    pub(super) depth: usize,
    pub(super) accesses: Vec<Access>,
    pub(super) prints: bool,
}

/// The reads of a loop from the buffers that it may only add to.
#[derive(Clone, Default, Debug)]
pub(super) struct Adding {
    /// Buffer and index of each value that was read.
    pub(super) read: FxHashMap<Var, (usize, Vec<Operand>)>,
    /// The values read, each with the sum that is written to the same element.
    pub(super) sums: Vec<(Var, Var)>,
    /// Whether the loop writes anything but a sum with the element's old value.
    pub(super) has_failed: bool,
}

/// A read or a write of an element.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) buffer: usize,
    pub(super) index: Vec<Operand>,
    pub(super) is_write: bool,
    /// Whether the index is one of the whole tensor, rather than of a view, or a position.
    pub(super) is_plain: bool,
    /// The loops and choices between the recording loop and the access.
    pub(super) within: Vec<Around>,
    pub(super) span: Span,
}

impl Buffer {
    /// Returns the dimensions that are not fixed.
    pub(super) fn free(&self) -> Vec<usize> {
        (0..self.extents.len()).filter(|dim| self.fixed[*dim].is_none()).collect()
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory {
            buffers: Vec::new(),
            written: FxHashSet::default(),
            probes: Vec::new(),
            around: Vec::new(),
            adding: None,
            log: Data::record(Vec::new()),
            clamped: Vec::new(),
            checking: None,
        }
    }
}

impl Memory {
    /// Adds a buffer of which no part is owned.
    pub(super) fn add_buffer(&mut self, element: ScalarType, extents: Vec<Operand>, array: Var) {
        let rank = extents.len();
        self.buffers.push(Buffer {
            element,
            extents,
            fixed: vec![None; rank],
            base: array,
            base_dims: (0..rank).collect(),
            guard: None,
            contents: Contents::Array(array),
        });
    }

    pub(super) fn is_probing(&self) -> bool {
        !self.probes.is_empty()
    }

    fn record(&mut self, place: &Place, is_write: bool, span: Span) {
        let Place { buffer, index, is_plain, .. } = place;
        let (buffer, is_plain) = (*buffer, *is_plain);
        if is_write && !self.is_probing() {
            self.written.insert(buffer);
        }
        for probe in &mut self.probes {
            let within = self.around[probe.depth..].to_vec();
            probe.accesses.push(Access { buffer, index: index.clone(), is_write, is_plain, within, span });
        }
    }

    /// Returns the buffers whose contents differ.
    pub(super) fn changed(&self, before: &[Buffer]) -> Vec<usize> {
        let differs = |index: &usize| self.buffers[*index].contents != before[*index].contents;
        (0..self.buffers.len()).filter(differs).collect()
    }
}

impl Lowerer<'_, '_> {
    /// Reads an element.
    pub(super) fn read(&mut self, place: &Place, span: Span) -> Result<Operand, Failure> {
        let Place { buffer, index, certs, .. } = place;
        let buffer = *buffer;
        self.memory.record(place, false, span);
        self.rely_on(buffer, certs);
        if matches!(self.memory.buffers[buffer].contents, Contents::Window(..)) {
            self.settle(buffer);
        }
        let it = &self.memory.buffers[buffer];
        let (array, dims) = match &it.contents {
            Contents::Scalar(value) => return Ok(*value),
            Contents::Base | Contents::Window(..) => (it.base, it.base_dims.clone()),
            Contents::Array(array) => (*array, it.free()),
            Contents::Pending(_) if self.memory.adding.is_some() => {
                return Ok(self.read_to_add(buffer, index));
            }
            Contents::Pending(_) => return self.needs_order(READS_WRITTEN, span),
        };
        let indices: Vec<Operand> = dims.iter().map(|dim| index[*dim]).collect();
        if indices.is_empty() {
            return Ok(array.into());
        }
        Ok(self.b.with_certs(certs, |b| b.index("x", array, &indices)).into())
    }

    /// Overwrites an element.
    pub(super) fn write(&mut self, place: &Place, value: Operand, span: Span) -> Result<(), Failure> {
        let Place { buffer, index, certs, .. } = place;
        let buffer = *buffer;
        self.memory.record(place, true, span);
        self.rely_on(buffer, certs);
        let free = self.memory.buffers[buffer].free();
        let own: Vec<Operand> = free.iter().map(|dim| index[*dim]).collect();
        let value = self.what_is_written(buffer, index, value);
        if let Contents::Pending(slots) = &mut self.memory.buffers[buffer].contents {
            let leaves = own.into_iter().chain([value]).collect();
            slots.push(Slot { extents: Vec::new(), leaves });
            return Ok(());
        }
        let contents = if free.is_empty() {
            Contents::Scalar(value)
        } else {
            let array = self.settle(buffer);
            let dims = own.into_iter().map(SliceDim::Fix).collect();
            Contents::Array(self.b.with_certs(certs, |b| b.update("m", array, dims, value)))
        };
        self.memory.buffers[buffer].contents = contents;
        Ok(())
    }

    /// Turns a buffer, or the owned part, into an array that may be updated; it must have free dimensions.
    pub(super) fn settle(&mut self, buffer: usize) -> Var {
        let it = self.memory.buffers[buffer].clone();
        let array = match &it.contents {
            Contents::Array(array) => *array,
            Contents::Base | Contents::Scalar(_) | Contents::Pending(_) => self.copy_of_base(&it),
            Contents::Window(parts, values) => {
                let array = self.copy_of_base(&it);
                self.overwritten(&it, array, parts, *values, None)
            }
        };
        self.memory.buffers[buffer].contents = Contents::Array(array);
        array
    }

    /// Returns the contents of a buffer, or of the owned part, as one operand.
    pub(super) fn settled(&mut self, buffer: usize) -> Operand {
        let it = self.memory.buffers[buffer].clone();
        if let Contents::Scalar(value) = it.contents {
            return value;
        }
        if !it.free().is_empty() {
            return self.settle(buffer).into();
        }
        let indices: Vec<Operand> = it.base_dims.iter().filter_map(|dim| it.fixed[*dim]).collect();
        let value = match it.guard {
            None => self.b.index("x", it.base, &indices),
            Some(guard) => {
                let other = |_: &mut Builder<'_>| vec![Scalar::zero(it.element).into()];
                let own = |b: &mut Builder<'_>| vec![b.index("x", it.base, &indices).into()];
                self.b.branch("x", guard, own, other)[0]
            }
        };
        self.memory.buffers[buffer].contents = Contents::Scalar(value.into());
        value.into()
    }

    /// Copies the owned part of the array before the loop; a part outside the array becomes zeros.
    fn copy_of_base(&mut self, it: &Buffer) -> Var {
        let Some(guard) = it.guard else { return copied(&mut self.b, it) };
        let shape = it.free().into_iter().map(|dim| it.extents[dim]).collect();
        let value = Scalar::zero(it.element).into();
        let other = |b: &mut Builder<'_>| vec![b.bind_one("none", Ir::Replicate { shape, value }).into()];
        self.b.branch("own", guard, |b| vec![copied(b, it).into()], other)[0]
    }

    /// Returns an array of the free dimensions with `parts` overwritten by `values`. The certificate ensures that they are inside;
    /// without one, this is checked.
    pub(super) fn overwritten(
        &mut self,
        it: &Buffer,
        array: Var,
        parts: &[Part],
        values: Var,
        cert: Option<Var>,
    ) -> Var {
        let free = it.free();
        let is_all = |dim: &usize| parts.iter().all(|part| part.dim != *dim || is_whole(part, it));
        if free.iter().all(is_all) {
            return values;
        }
        let range =
            |part: &Part| SliceDim::Range { start: part.start, len: part.len, stride: Operand::i64(1) };
        let part = |dim: &usize| parts.iter().find(|part| part.dim == *dim);
        let dims = free
            .iter()
            .map(|dim| part(dim).map_or_else(|| SliceDim::whole(it.extents[*dim]), range))
            .collect();
        let cert = cert.or_else(|| self.check_parts(it, parts, &[]));
        self.b.with_certs(cert.as_slice(), |b| b.update("m", array, dims, values))
    }

    /// Makes buffers parameters of a loop; returns their values before it, and the parameters' variables.
    pub(super) fn carry(&mut self, buffers: &[usize]) -> Vec<(Operand, Var)> {
        let mut carried = Vec::new();
        for &buffer in buffers {
            let value = self.settled(buffer);
            let ty = self.b.function.operand_type(value);
            let var = self.b.function.fresh("m", ty);
            self.set_contents(buffer, var.into());
            carried.push((value, var));
        }
        carried
    }

    /// Sets the contents of a buffer from here on.
    pub(super) fn set_contents(&mut self, buffer: usize, value: Operand) {
        let is_scalar = self.memory.buffers[buffer].free().is_empty();
        self.memory.buffers[buffer].contents = match value.as_var() {
            Some(array) if !is_scalar => Contents::Array(array),
            _ => Contents::Scalar(value),
        };
    }
}

fn copied(b: &mut Builder<'_>, it: &Buffer) -> Var {
    let dims = it.base_dims.iter().map(|dim| match it.fixed[*dim] {
        Some(index) => SliceDim::Fix(index),
        None => SliceDim::whole(it.extents[*dim]),
    });
    let dims: Vec<SliceDim> = dims.collect();
    let part = match dims.iter().any(|dim| matches!(dim, SliceDim::Fix(_))) {
        true => b.slice("own", it.base, dims),
        false => it.base,
    };
    b.bind_one("own", Ir::Copy(part))
}

/// Returns whether a part is known to be the whole dimension.
pub(super) fn is_whole(part: &Part, it: &Buffer) -> bool {
    part.start == Operand::i64(0) && part.len == it.extents[part.dim]
}

/// Returns indices that are out of bounds in every buffer, and some value.
pub(super) fn nowhere(slot: &Slot, element: ScalarType) -> Vec<Operand> {
    let n = slot.leaves.len() - 1;
    let value: Operand = Scalar::zero(element).into();
    std::iter::repeat_n(Operand::i64(-1), n).chain([value]).collect()
}

/// Returns the type of an array of a buffer's elements.
pub(super) fn array_type(element: ScalarType, extents: &[Operand]) -> Type {
    Type::Scalar(element).array_of(extents)
}
