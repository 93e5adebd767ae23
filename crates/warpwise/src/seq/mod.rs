//! Sequences: streams of arrays whose extents may differ, and which may exceed memory.
//!
//! ```text
//! sources --read--> chunks of elements --one program--> chunks of results --consumers--> what is wanted
//! ```
//!
//! A [`Seq<A>`] is an ordered stream of elements `A` (arrays, or tuples of arrays). Like everything in this crate it is a
//! description: a function, represented as a graph, from the elements of some sources ([`slot`]) to its own. Mapping composes
//! such functions. Running consumers ([`consumer`]) starts a *pass* ([`pass`]): the functions of all consumers become one
//! program, lifted to chunks of elements ([`program`]), and threads read, compute and consume concurrently ([`pipeline`]), with
//! chunk sizes chosen by `warpwise_stream::policy`. An element's result depends on this element alone, and folds combine along a
//! fixed tree over the numbers of elements ([`fold`]). So no result depends on the chunks.
//!
//! Follows papers/004, chapters 3 to 5. Absent: elements that depend on the results of other elements, except by [`Seq::scan`];
//! filters of elements.

mod batch;
mod consumer;
mod error;
mod feed;
mod fold;
mod lazy;
mod open;
mod parts;
mod pass;
mod pipeline;
mod program;
mod reading;
mod scan;
mod settings;
mod sink;
mod slot;
mod source;

use std::fmt;

use crate::acc::{Acc, Arrays};
use crate::array::Array;
use crate::context::Context;
use crate::elt::Elt;
use crate::error::Error;
use crate::function::Output;
use crate::graph;
use crate::shape::Shape;

use slot::Slot;

pub use consumer::{Consumer, Consumers, consume, consume_with};
pub use error::{SeqCause, SeqError};
pub use lazy::SeqIter;
pub use open::open;
pub use parts::Parts;
pub(crate) use parts::{Kind as PartsKind, PartsOf};
pub use settings::{Progress, Streaming};

/// An element of a sequence: an [`Acc`], or a tuple of those.
///
/// ```
/// use warpwise::{Acc, Context, Seq, Vector, enum_from};
///
/// fn doubled(arrays: &Seq<Acc<Vector<i64>>>) -> Seq<Acc<Vector<i64>>> {
///     arrays.map(|array| array.map(|x| x * 2))
/// }
///
/// let rows = doubled(&Seq::produce(3, |i| enum_from(i, 0_i64)));
/// assert_eq!(rows.elements().run(&Context::cpu()?)?.to_vec(), [0, 0, 2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Element: Arrays + Output + 'static {}

impl<A: Arrays + Output + 'static> Element for A {}

/// A sequence of elements: of arrays, or of tuples of arrays, whose extents may differ from element to element.
///
/// Elements are computed many at a time, while others are read and consumed, and need not all fit in memory. Nothing is read or
/// computed before a consumer runs.
///
/// ```
/// use warpwise::{Acc, Array, Context, Seq, Vector};
///
/// // Rows of different lengths; their sums.
/// let data = Array::from_vec([6], vec![1, 2, 3, 4, 5, 6])?;
/// let rows = Seq::segments(&data, &Array::from_vec([4], vec![3, 0, 1, 2])?);
/// let sums = rows.map(|row: Acc<Vector<i32>>| row.sum());
/// assert_eq!(sums.elements().run(&Context::cpu()?)?.to_vec(), [6, 0, 4, 11]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Seq<A> {
    /// The element, as a function of the elements of the slots.
    element: A,
    slots: Vec<Slot>,
    /// Maximum number of elements.
    limit: Option<u64>,
}

impl<A: Element> Seq<A> {
    /// Makes a sequence of the elements of a source.
    fn of(element: A, slot: Slot) -> Seq<A> {
        Seq { element, slots: vec![slot], limit: None }
    }

    /// Applies a function to every element.
    ///
    /// The function works on arrays and may use all operations: maps, folds, scans, stencils, choices and loops. It is applied to
    /// many elements at once, and further maps become part of the same program.
    ///
    /// ```
    /// use warpwise::{Context, Seq, enum_from};
    ///
    /// let triangles = Seq::produce(4, |i| enum_from(i, 1_i64)).map(|xs| xs.scan1(|x, y| x + y));
    /// assert_eq!(triangles.elements().run(&Context::cpu()?)?.to_vec(), [1, 1, 3, 1, 3, 6]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn map<B: Element>(&self, f: impl FnOnce(A) -> B) -> Seq<B> {
        let element = graph::scope(|| f(self.element.clone()));
        Seq { element, slots: self.slots.clone(), limit: self.limit }
    }

    /// Combines corresponding elements of two sequences, up to the end of the shorter one.
    ///
    /// ```
    /// use warpwise::{Array, Context, Dim2, Seq};
    ///
    /// let matrix = Array::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?;
    /// let rows = Seq::rows(&matrix);
    /// let dots = rows.zip_with(&rows, |xs, ys| xs.zip_with(&ys, |x, y| x * y).sum());
    /// assert_eq!(dots.elements().run(&Context::cpu()?)?.to_vec(), [5.0, 25.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn zip_with<B: Element, C: Element>(&self, other: &Seq<B>, f: impl FnOnce(A, B) -> C) -> Seq<C> {
        let element = graph::scope(|| f(self.element.clone(), other.element.clone()));
        let mut slots = self.slots.clone();
        slots.extend(other.slots.iter().filter(|slot| !self.slots.contains(slot)).cloned());
        let limit = self.limit.into_iter().chain(other.limit).min();
        Seq { element, slots, limit }
    }

    /// Pairs corresponding elements of two sequences, up to the end of the shorter one.
    ///
    /// ```
    /// use warpwise::{Context, Seq, unit};
    ///
    /// let numbers = Seq::produce(3, unit);
    /// let pairs = numbers.zip(&numbers.map(|n| n.map(|n| n * n)));
    /// let last = pairs.collect().run(&Context::cpu()?)?.pop();
    /// assert_eq!(last.map(|(n, square)| (n.to_vec(), square.to_vec())), Some((vec![2], vec![4])));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn zip<B: Element>(&self, other: &Seq<B>) -> Seq<(A, B)>
    where
        (A, B): Element,
    {
        self.zip_with(other, |left, right| (left, right))
    }

    /// Takes the first `count` elements, or all if there are fewer. Sources may then be endless.
    ///
    /// ```
    /// use warpwise::{Context, Seq, unit};
    ///
    /// let odd = Seq::produce_forever(|i| unit(i * 2 + 1)).take(3);
    /// assert_eq!(odd.elements().run(&Context::cpu()?)?.to_vec(), [1, 3, 5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn take(&self, count: u64) -> Seq<A> {
        let limit = Some(self.limit.map_or(count, |limit| limit.min(count)));
        Seq { limit, ..self.clone() }
    }

    /// Returns the core IR of the program that runs on a chunk of elements, as human-readable text.
    ///
    /// ```
    /// use warpwise::{Array, Context, Seq};
    ///
    /// let rows = Seq::rows(&Array::from_vec([2, 2], vec![1.0, 2.0, 3.0, 4.0])?);
    /// let text = rows.map(|row| row.map(|x| x + 1.0).sum()).show(&Context::cpu()?)?;
    /// assert!(text.contains("width") && !text.contains("starts"));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn show(&self, context: &Context) -> Result<String, Error> {
        let mut results = Vec::new();
        Arrays::nodes(&self.element, &mut results);
        let (lowered, _) = program::lifted(context.kind(), &slot::given(&self.slots), &results)?;
        Ok(lowered.program.to_string())
    }
}

impl<Sh: Shape, E: Elt> Seq<Acc<Array<Sh, E>>> {
    /// Applies a scalar function to every element of every array.
    ///
    /// ```
    /// use warpwise::{Context, Seq, unit};
    ///
    /// let squares = Seq::produce(4, unit).map_all(|n| n * n);
    /// assert_eq!(squares.elements().run(&Context::cpu()?)?.to_vec(), [0, 1, 4, 9]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn map_all<R: crate::elt::IntoExp>(
        &self,
        f: impl FnOnce(E::View) -> R + Send,
    ) -> Seq<Acc<Array<Sh, R::Elt>>> {
        self.map(|array| array.map(f))
    }
}

impl<A> fmt::Debug for Seq<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seq<{}> of {} sources", std::any::type_name::<A>(), self.slots.len())
    }
}
