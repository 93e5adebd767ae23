//! Sequences within a program: functions of arrays, applied to all parts of an array.
//!
//! [`Parts`] is the counterpart of [`Seq`](super::Seq) within a computation: its sources are arrays that the program computes,
//! and its results are arrays. In a function of the elements of a sequence it makes a sequence of sequences, and its own
//! functions may contain parts again. The function of one part is lifted to all parts ([`crate::lower`], `parts`), and the lifted
//! function is lifted again with everything around it.
//!
//! Absent: streaming (all parts exist at once), folds of arrays (fold the result of [`Parts::elements`]).

use std::panic::Location;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpwise_prim::ValueType;

use super::Element;
use super::fold::element;
use crate::acc::{Acc, enum_from};
use crate::array::{Array, Vector};
use crate::elt::Elt;
use crate::exp::{Coordinate, Exp};
use crate::graph::{self, ArrayTy, Op, Ref, Ty};
use crate::shape::{Inner, Shape};

/// Parts of arrays within a program. Each part is an element `A`: an array or a tuple of arrays, whose extents may differ from
/// part to part.
///
/// ```
/// use warpwise::{Acc, Array, Context, Parts, Seq, Vector};
///
/// // Two elements, each of which is a sequence itself: rows of different lengths.
/// let elements = [(vec![1, 2, 3], vec![2_i64, 1]), (vec![4, 5], vec![0, 2])].map(|(data, lengths)| {
///     (Array::try_from(data).unwrap(), Array::try_from(lengths).unwrap())
/// });
/// let sequences = Seq::<(Acc<Vector<i32>>, Acc<Vector<i64>>)>::from_iter(elements);
/// let largest = sequences.map(|(data, lengths)| {
///     let rows = Parts::segments(&data, &lengths);
///     rows.map(|row| row.sum()).elements().maximum()
/// });
/// assert_eq!(largest.elements().run(&Context::cpu()?)?.to_vec(), [3, 9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Parts<A> {
    element: A,
    sources: Vec<Source>,
}

/// A source of parts.
#[derive(Clone)]
struct Source {
    param: Ref,
    kind: Kind,
    inputs: Vec<Ref>,
}

/// Layout of parts in a source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// `[array]`: parts along the outermost dimension.
    Rows,
    /// `[vector, lengths, starts, sum of the lengths, whether the segments are valid]`: consecutive segments.
    Segments,
}

/// A function of a part, to be applied to all parts, in the form that lowering needs.
pub struct PartsOf {
    /// For each source, its parameter and the layout of its parts. The inputs of the sources come first among the node's inputs.
    pub sources: Vec<(Ref, Kind)>,
    /// Captured values: the remaining inputs of the node.
    pub captured: Vec<Ref>,
    /// The arrays that the function returns.
    pub results: Vec<Ref>,
}

impl Kind {
    /// Returns the number of inputs.
    pub fn inputs(self) -> usize {
        match self {
            Kind::Rows => 1,
            Kind::Segments => 5,
        }
    }
}

impl PartsOf {
    /// Returns the result types: for every array of the function, one vector of all extents per dimension, and one vector of all
    /// elements.
    pub fn ty(&self) -> Ty {
        let mut arrays = SmallVec::new();
        for ty in self.results.iter().filter_map(|result| result.ty.array()) {
            let extents = ArrayTy { rank: 1, components: SmallVec::from_slice(&[ValueType::I64]) };
            arrays.extend(std::iter::repeat_n(extents, ty.rank));
            arrays.push(ArrayTy { rank: 1, components: ty.components.clone() });
        }
        Ty::Arrays(arrays)
    }
}

impl PartialEq for PartsOf {
    fn eq(&self, other: &PartsOf) -> bool {
        std::ptr::eq(self, other)
    }
}

impl std::fmt::Debug for PartsOf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "parts of {} sources", self.sources.len())
    }
}

impl<Sh: Inner, E: Elt> Parts<Acc<Array<Sh, E>>> {
    /// Splits an array along its outermost dimension.
    ///
    /// ```
    /// use warpwise::{Context, Parts, generate};
    ///
    /// let table = generate((3, 2), |(i, j)| i * 10 + j);
    /// let sums = Parts::rows(&table).map(|row| row.sum()).elements();
    /// assert_eq!(Context::cpu()?.run(&sums)?.to_vec(), [1, 21, 41]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn rows(array: &Acc<Array<Sh, E>>) -> Parts<Acc<Array<Sh::Outer, E>>> {
        Parts::of(Kind::Rows, vec![array.node()])
    }
}

impl<E: Elt> Parts<Acc<Vector<E>>> {
    /// Splits a vector into segments of these lengths, which must add up to the length of the vector.
    ///
    /// ```
    /// use warpwise::{Acc, Array, Context, Parts, Vector};
    ///
    /// let data: Vector<i32> = Array::try_from(vec![1, 2, 3])?;
    /// let lengths: Vector<i64> = Array::try_from(vec![2, 0, 1])?;
    /// let sums = Context::cpu()?.compile(|data: Acc<Vector<i32>>, lengths: Acc<Vector<i64>>| {
    ///     Parts::segments(&data, &lengths).map(|part| part.sum()).elements()
    /// })?;
    /// assert_eq!(sums.run(&data, &lengths)?.to_vec(), [3, 0, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn segments(array: &Acc<Vector<E>>, lengths: &Acc<Vector<i64>>) -> Parts<Acc<Vector<E>>> {
        let starts = lengths.prescan(0, |x, y| x + y);
        let total: Exp<i64> = lengths.sum().the();
        // If no segment ends beyond the vector, no sum of lengths has overflowed `i64` either.
        let extent = array.size();
        let is_inside =
            |length: Exp<i64>, start: Exp<i64>| length.ge(0).and(start.ge(0)).and(length.le(extent - start));
        let valid: Exp<bool> = lengths.zip_with(&starts, is_inside).all(|is_inside| is_inside).the();
        Parts::of(
            Kind::Segments,
            vec![array.node(), lengths.node(), starts.node(), total.node(), valid.node()],
        )
    }
}

impl<A: Element> Parts<A> {
    /// Makes parts from the function's results for the numbers 0 to `count` - 1.
    ///
    /// ```
    /// use warpwise::{Context, Parts, enum_from};
    ///
    /// let triangle = Parts::produce(4, |i| enum_from(i, 1_i64)).elements();
    /// assert_eq!(Context::cpu()?.run(&triangle)?.to_vec(), [1, 1, 2, 1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn produce(count: impl Coordinate, f: impl FnOnce(Exp<i64>) -> A) -> Parts<A> {
        let numbers: Acc<Vector<i64>> = enum_from(count.coordinate(), 0_i64);
        Parts::rows(&numbers).map(|number| f(number.the()))
    }

    /// Applies a function to every part.
    ///
    /// ```
    /// use warpwise::{Context, Parts, fill};
    ///
    /// let sums = Parts::rows(&fill((2, 3), 2_i64)).map(|row| row.sum()).elements();
    /// assert_eq!(Context::cpu()?.run(&sums)?.to_vec(), [6, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn map<B: Element>(&self, f: impl FnOnce(A) -> B) -> Parts<B> {
        let element = graph::scope(|| f(self.element.clone()));
        Parts { element, sources: self.sources.clone() }
    }

    /// Combines corresponding parts of two arrays, which must have equally many parts.
    ///
    /// ```
    /// use warpwise::{Context, Parts, fill};
    ///
    /// let rows = Parts::rows(&fill((2, 3), 2_i64));
    /// let scaled = rows.zip_with(&Parts::produce(2, warpwise::unit), |row, i| {
    ///     let i = i.the();
    ///     row.map(move |x| x * i)
    /// });
    /// assert_eq!(Context::cpu()?.run(&scaled.elements())?.to_vec(), [0, 0, 0, 2, 2, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn zip_with<B: Element, C: Element>(&self, other: &Parts<B>, f: impl FnOnce(A, B) -> C) -> Parts<C> {
        let element = graph::scope(|| f(self.element.clone(), other.element.clone()));
        let is_new =
            |source: &&Source| self.sources.iter().all(|known| !Rc::ptr_eq(&known.param, &source.param));
        let sources = self.sources.iter().chain(other.sources.iter().filter(is_new)).cloned().collect();
        Parts { element, sources }
    }

    /// Makes the parts of one source.
    #[track_caller]
    fn of(kind: Kind, inputs: Vec<Ref>) -> Parts<A> {
        let mut types = Vec::new();
        A::types(&mut types);
        let ty = types.swap_remove(0);
        let param = graph::parameter(Ty::of_array(ty.rank, ty.components), Location::caller());
        Parts {
            element: element(std::slice::from_ref(&param)),
            sources: vec![Source { param, kind, inputs }],
        }
    }
}

impl<Sh: Shape, E: Elt> Parts<Acc<Array<Sh, E>>> {
    /// Concatenates all elements of all parts.
    ///
    /// ```
    /// use warpwise::{Context, Parts, enum_from};
    ///
    /// let all = Parts::produce(4, |i| enum_from(i, 5_i64)).elements();
    /// assert_eq!(Context::cpu()?.run(&all)?.to_vec(), [5, 5, 6, 5, 6, 7]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn elements(&self) -> Acc<Vector<E>> {
        Acc::of(self.group(Sh::RANK))
    }

    /// Returns the extents of all parts along a dimension, counted from the outermost.
    ///
    /// ```
    /// use warpwise::{Context, Parts, enum_from};
    ///
    /// let sizes = Parts::produce(3, |i| enum_from(i * i, 0_i64)).extents_on(0);
    /// assert_eq!(Context::cpu()?.run(&sizes)?.to_vec(), [0, 1, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn extents_on(&self, dimension: usize) -> Acc<Vector<i64>> {
        if dimension < Sh::RANK {
            return Acc::of(self.group(dimension));
        }
        Acc::of(graph::invalid("arrays have no such dimension", Acc::<Vector<i64>>::ty(), Location::caller()))
    }

    #[track_caller]
    fn group(&self, at: usize) -> Ref {
        let result = self.element.node();
        let captured = captured(&self.sources, &result);
        let sources = self.sources.iter().map(|source| (source.param.clone(), source.kind)).collect();
        let inputs =
            self.sources.iter().flat_map(|source| source.inputs.clone()).chain(captured.clone()).collect();
        let parts = PartsOf { sources, captured, results: vec![result] };
        let ty = parts.ty();
        let Ty::Arrays(arrays) = ty.clone() else {
            return graph::invalid("no arrays", ty, Location::caller());
        };
        let whole = graph::node(Op::Parts(Rc::new(parts)), inputs, Vec::new(), ty);
        let part = Ty::Arrays(SmallVec::from_iter([arrays[at].clone()]));
        graph::node(Op::Group(at), vec![whole], Vec::new(), part)
    }
}

/// Returns the values that a function of parts captures: nodes made before its parameters, and host arrays.
fn captured(sources: &[Source], result: &Ref) -> Vec<Ref> {
    let begin = sources.iter().map(|source| source.param.id).min().unwrap_or(0);
    let mut seen: FxHashMap<u64, ()> = FxHashMap::default();
    let mut pending = vec![result.clone()];
    let mut captured = Vec::new();
    while let Some(node) = pending.pop() {
        if seen.insert(node.id, ()).is_some() || matches!(node.op, Op::Constant(_)) {
            continue;
        }
        if node.id < begin || matches!(node.op, Op::Use(_)) {
            captured.push(node);
            continue;
        }
        pending.extend(node.inputs.iter().cloned());
        pending.extend(node.functions.iter().map(|function| function.result.clone()));
    }
    captured
}
