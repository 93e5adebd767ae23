//! Consumers of the elements of sequences.
//!
//! A [`Consumer`] describes an operation on all elements of a sequence; running it, or a tuple of consumers, makes one pass over
//! the sources. [`super::sink`] implements the operations, [`super::lazy`] lazy iteration.

use std::vec::IntoIter;

use warpwise_runtime::array::{Array as Column, Value};
use warpwise_runtime::memory::MemoryPool;

use super::batch::{Batch, Elements};
use super::error::SeqError;
use super::fold::{Combine, Tree};
use super::pass::{Pass, Want};
use super::pipeline::{Message, Output, run, start};
use super::scan::Advance;
use super::settings::Streaming;
use super::sink::{Accumulated, Each, Folded, Gathered, Sink, hosted};
use super::{Element, Seq};
use crate::acc::{Acc, Arrays};
use crate::array::{Array, RawArray, Vector, host_memory};
use crate::context::Context;
use crate::elt::{Elt, components};
use crate::error::Error;
use crate::shape::{Extend, Shape};

/// A description of an operation on all elements of a sequence, with result `R`. Made by methods of [`Seq`].
///
/// ```
/// use warpwise::{Array, Consumer, Context, Seq, unit};
///
/// let squares: Consumer<Vec<Array<_, i64>>> = Seq::produce(3, |i| unit(i * i)).collect();
/// assert_eq!(squares.run(&Context::cpu()?)?.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Consumer<R> {
    want: Want,
    begin: Box<Begin<R>>,
}

type Begin<R> = dyn FnOnce(&Context, bool) -> Result<Box<dyn Sink<R>>, Error>;

/// A consumer, or a tuple of consumers for one pass.
///
/// ```
/// use warpwise::{Consumers, Context, Seq, SeqError, consume, unit};
///
/// fn run<C: Consumers>(context: &Context, consumers: C) -> Result<C::Output, SeqError> {
///     consume(context, consumers)
/// }
///
/// let squares = Seq::produce(3, |i| unit(i * i));
/// let (all, one_by_one) = run(&Context::cpu()?, (squares.elements(), squares.collect()))?;
/// assert_eq!(all.len(), one_by_one.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Consumers: Sized {
    /// Type of the results.
    type Output;

    #[doc(hidden)]
    fn wants(&mut self, into: &mut Wants);

    #[doc(hidden)]
    fn begin(self, context: &Context, known: &mut Known) -> Result<Begun<Self::Output>, Error>;
}

/// Facts known before anything is computed.
#[doc(hidden)]
pub struct Known {
    /// For every array that consumers take, whether all elements have the same extents.
    regular: IntoIter<bool>,
    /// For every consumer, the number of elements that it takes, if known.
    elements: IntoIter<Option<u64>>,
}

/// The demands of all consumers.
#[doc(hidden)]
#[derive(Default)]
pub struct Wants(Vec<Want>);

/// Running consumers.
#[doc(hidden)]
pub struct Begun<R>(Box<dyn Taking<R>>);

trait Taking<R> {
    fn take(
        &mut self,
        first: u64,
        count: usize,
        arrays: &mut std::slice::Iter<'_, Elements>,
    ) -> Result<(), SeqError>;

    fn finish(self: Box<Self>) -> Result<R, SeqError>;

    /// Returns whether functions of the host take elements.
    fn calls_host(&self) -> bool;
}

/// Runs these consumers in one pass: every element is read and computed once.
///
/// ```
/// use warpwise::{Array, Context, Seq, consume};
///
/// let rows = Seq::rows(&Array::from_vec([3, 2], vec![1, 2, 3, 4, 5, 6])?);
/// let total = rows.map(|row| row.sum()).fold(Array::from_vec([], vec![0])?, |x, y| x.zip_with(&y, |x, y| x + y));
/// let largest = rows.map(|row| row.maximum()).collect();
/// let (total, largest) = consume(&Context::cpu()?, (total, largest))?;
/// assert_eq!(total.to_vec(), [21]);
/// assert_eq!(largest.iter().map(|row| row.to_vec()[0]).collect::<Vec<_>>(), [2, 4, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn consume<C: Consumers>(context: &Context, consumers: C) -> Result<C::Output, SeqError> {
    consume_with(context, consumers, &Streaming::new())
}

/// Works like [`consume`], with these settings.
///
/// ```
/// use warpwise::{Context, Seq, Streaming, consume_with, unit};
///
/// let squares = Seq::produce(5, |i| unit(i * i));
/// let all = consume_with(&Context::cpu()?, squares.elements(), &Streaming::new().chunk(2))?;
/// assert_eq!(all.to_vec(), [0, 1, 4, 9, 16]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn consume_with<C: Consumers>(
    context: &Context,
    mut consumers: C,
    streaming: &Streaming,
) -> Result<C::Output, SeqError> {
    let mut wants = Wants::default();
    consumers.wants(&mut wants);
    let (pass, context, memory) = prepared(context, &wants.0, streaming).map_err(SeqError::before)?;
    let mut known =
        Known { regular: pass.regular.clone().into_iter(), elements: pass.expected().into_iter() };
    let Begun(mut begun) = consumers.begin(&context, &mut known).map_err(SeqError::before)?;
    let is_brief = pass.is_ready() && !begun.calls_host() && context.kind().is_host();
    let mut take =
        |Output { first, batch, _tokens }| begun.take(first, batch.count, &mut batch.arrays.iter());
    if is_brief {
        run(pass, &memory, streaming, take)?;
        return begun.finish();
    }
    for message in &start(pass, &memory, streaming).map_err(SeqError::before)? {
        match message {
            Message::Chunk(output) => take(output)?,
            Message::Ended(None) => return begun.finish(),
            Message::Ended(Some(error)) => return Err(error),
        }
    }
    Err(SeqError::before(Error::Internal("a thread of the pass is gone".to_string())))
}

/// Prepares a pass. Returns it with the context that it runs on, and the memory of its arrays.
pub fn prepared(
    context: &Context,
    wants: &[Want],
    streaming: &Streaming,
) -> Result<(Pass, Context, MemoryPool), Error> {
    let (own, memory) = match streaming.own_memory() {
        Some(memory) => (context.within(&memory), memory),
        None => (context.clone(), host_memory().clone()),
    };
    let pass = Pass::new(&own, wants, &memory)?;
    Ok((pass, context.clone(), memory))
}

impl<R: 'static> Consumer<R> {
    /// Makes a pass over the sources.
    ///
    /// ```
    /// use warpwise::{Context, Seq, unit};
    ///
    /// assert_eq!(Seq::produce(3, unit).elements().run(&Context::cpu()?)?.to_vec(), [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run(self, context: &Context) -> Result<R, SeqError> {
        consume(context, self)
    }

    /// Makes a pass over the sources with these settings.
    ///
    /// ```
    /// use warpwise::{Context, Seq, Streaming, unit};
    ///
    /// let streaming = Streaming::new().memory_limit(1 << 20);
    /// assert_eq!(Seq::produce(3, unit).elements().run_with(&Context::cpu()?, &streaming)?.to_vec(), [0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_with(self, context: &Context, streaming: &Streaming) -> Result<R, SeqError> {
        consume_with(context, self, streaming)
    }
}

impl<A: Element> Seq<A> {
    pub(super) fn want(&self) -> Want {
        let mut results = Vec::new();
        Arrays::nodes(&self.element, &mut results);
        Want { results, slots: self.slots.clone(), limit: self.limit }
    }

    fn consumer<R>(
        &self,
        begin: impl FnOnce(&Context, bool) -> Result<Box<dyn Sink<R>>, Error> + 'static,
    ) -> Consumer<R> {
        Consumer { want: self.want(), begin: Box::new(begin) }
    }

    /// Collects all elements on the host.
    ///
    /// ```
    /// use warpwise::{Context, Seq, enum_from};
    ///
    /// let arrays = Seq::produce(3, |i| enum_from(i, 0_i64)).collect().run(&Context::cpu()?)?;
    /// assert_eq!(arrays.iter().map(|array| array.to_vec()).collect::<Vec<_>>(), [vec![], vec![0], vec![0, 1]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn collect(&self) -> Consumer<Vec<A::Host>> {
        self.consumer(|_, _| Ok(Box::new(Each { gathered: Vec::new(), each: Vec::push, of: hosted::<A> })))
    }

    /// Calls a function of the host with every element, in order.
    ///
    /// ```
    /// use std::{cell::RefCell, rc::Rc};
    /// use warpwise::{Array, Context, Seq, unit};
    ///
    /// let seen = Rc::new(RefCell::new(String::new()));
    /// let text = Rc::clone(&seen);
    /// let numbers = Seq::produce(4, unit);
    /// numbers.for_each(move |number| text.borrow_mut().push_str(&number.to_vec()[0].to_string())).run(&Context::cpu()?)?;
    /// assert_eq!(*seen.borrow(), "0123");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_each(&self, mut f: impl FnMut(A::Host) + 'static) -> Consumer<()> {
        let each = move |_: &mut (), host| f(host);
        self.consumer(|_, _| Ok(Box::new(Each { gathered: (), each, of: hosted::<A> })))
    }

    /// Combines all elements with an associative function, starting from an initial element.
    ///
    /// Elements are combined along a tree that depends only on their numbers, so sums of floats have the same bits on every run.
    ///
    /// ```
    /// use warpwise::{Array, Context, Seq};
    ///
    /// let rows = Seq::rows(&Array::from_vec([3, 2], vec![1, 20, 3, 4, 5, 6])?);
    /// let zeros = Array::from_vec([2], vec![0, 0])?;
    /// let sum = rows.fold(zeros, |xs, ys| xs.zip_with(&ys, |x, y| x + y));
    /// assert_eq!(sum.run(&Context::cpu()?)?.to_vec(), [9, 30]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn fold(&self, initial: A::Host, f: impl Fn(A, A) -> A) -> Consumer<A::Host> {
        let combine = Combine::new(f);
        self.consumer(move |context, regular| {
            let tree = Tree::new(context, &combine, regular)?;
            let mut values = Vec::new();
            A::values(&initial, &mut values);
            let made = |values: Vec<Value>| A::host(&mut values.into_iter());
            Ok(Box::new(Folded { tree, initial: values, made, seen: 0 }))
        })
    }

    /// Returns the last state of a function that takes the elements one after the other, starting from an initial state. A
    /// function that changes only some elements of the state updates them in place.
    ///
    /// A [`fold`](Seq::fold) has more parallelism; this method is for large states and large elements.
    ///
    /// ```
    /// use warpwise::{Acc, Array, Context, Seq, Vector, fill};
    ///
    /// let words = Array::from_vec([2, 3], vec![0_i64, 2, 2, 1, 2, 0])?;
    /// let none = Array::from_vec([3], vec![0_i32; 3])?;
    /// let counts = Seq::rows(&words).accumulate(none, |counts: Acc<Vector<i32>>, row| {
    ///     let words = row.reader();
    ///     counts.permute(&fill(row.size(), 1), |x, y| x + y, move |i| (true, words.at(i)))
    /// });
    /// assert_eq!(counts.run(&Context::cpu()?)?.to_vec(), [2, 1, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn accumulate<S: Element>(&self, initial: S::Host, f: impl FnOnce(S, A) -> S) -> Consumer<S::Host> {
        let advance = Advance::new(f);
        self.consumer(move |context, _| {
            let program = advance.consuming(context)?;
            let mut state = Vec::new();
            S::values(&initial, &mut state);
            let made = |values: Vec<Value>| S::host(&mut values.into_iter());
            Ok(Box::new(Accumulated { program, state, made, seen: 0 }))
        })
    }
}

impl<Sh: Shape, E: Elt> Seq<Acc<Array<Sh, E>>> {
    /// Concatenates all elements of all arrays.
    ///
    /// ```
    /// use warpwise::{Context, Seq, enum_from};
    ///
    /// let numbers = Seq::produce(4, |i| enum_from(i, 0_i64)).elements();
    /// assert_eq!(numbers.run(&Context::cpu()?)?.to_vec(), [0, 0, 1, 0, 1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn elements(&self) -> Consumer<Vector<E>> {
        self.consumer(|_, _| {
            let gathered: Gathered<Vector<E>> = Gathered::new(components::<E>(), None, |raw| {
                let total = raw.shape.iter().product();
                let shape = vec![total];
                let reshaped = |column: &Column| column.reshape(&shape).unwrap_or_else(|| column.clone());
                let columns = raw.columns.iter().map(reshaped).collect();
                Array::from_raw(RawArray { columns, shape, types: raw.types })
            });
            Ok(Box::new(gathered))
        })
    }

    /// Stacks all arrays, which must have the same extents, along a new outermost dimension.
    ///
    /// ```
    /// use warpwise::{Context, Seq, enum_from};
    ///
    /// let table = Seq::produce(2, |i| enum_from(3, i)).tabulate().run(&Context::cpu()?)?;
    /// assert_eq!((table.extents(), table.to_vec()), ([2, 3], vec![0, 1, 2, 1, 2, 3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tabulate(&self) -> Consumer<Array<Sh::Larger, E>>
    where
        Sh: Extend,
    {
        self.consumer(|_, _| Ok(Box::new(Gathered::new(components::<E>(), Some(Sh::RANK), Array::from_raw))))
    }
}

/// A running consumer, which takes its share of the arrays of a pass.
struct Single<R> {
    sink: Box<dyn Sink<R>>,
    arrays: usize,
    limit: u64,
}

impl<R> Taking<R> for Single<R> {
    fn take(
        &mut self,
        first: u64,
        count: usize,
        arrays: &mut std::slice::Iter<'_, Elements>,
    ) -> Result<(), SeqError> {
        let arrays: Vec<Elements> = arrays.by_ref().take(self.arrays).cloned().collect();
        let left = self.limit.saturating_sub(first).min(count as u64) as usize;
        let mut batch = Batch { count, arrays };
        if left < count {
            batch = batch.part(0, left);
        }
        if left > 0 { self.sink.take(first, &batch) } else { Ok(()) }
    }

    fn finish(self: Box<Self>) -> Result<R, SeqError> {
        self.sink.finish()
    }

    fn calls_host(&self) -> bool {
        self.sink.calls_host()
    }
}

impl<R: 'static> Consumers for Consumer<R> {
    type Output = R;

    fn wants(&mut self, into: &mut Wants) {
        let Want { results, slots, limit } = &self.want;
        into.0.push(Want { results: results.clone(), slots: slots.clone(), limit: *limit });
    }

    fn begin(self, context: &Context, known: &mut Known) -> Result<Begun<R>, Error> {
        let arrays = self.want.results.len();
        // `all` would stop at the first irregular array and leave the others to the next consumer.
        let all = known.regular.by_ref().take(arrays).filter(|&regular| !regular).count() == 0;
        let mut sink = (self.begin)(context, all)?;
        if let Some(elements) = known.elements.next().flatten() {
            sink.expect(elements);
        }
        Ok(Begun(Box::new(Single { sink, arrays, limit: self.want.limit.unwrap_or(u64::MAX) })))
    }
}

macro_rules! tuples {
    ($($($name:ident $at:tt)*;)*) => { $(
        impl<$($name: 'static),*> Taking<($($name,)*)> for ($(Begun<$name>,)*) {
            fn take(
                &mut self,
                first: u64,
                count: usize,
                arrays: &mut std::slice::Iter<'_, Elements>,
            ) -> Result<(), SeqError> {
                $(self.$at.0.take(first, count, arrays)?;)*
                Ok(())
            }

            fn finish(self: Box<Self>) -> Result<($($name,)*), SeqError> {
                let begun = *self;
                Ok(($(begun.$at.0.finish()?,)*))
            }

            fn calls_host(&self) -> bool {
                $(self.$at.0.calls_host())||*
            }
        }

        impl<$($name: Consumers<Output: 'static>),*> Consumers for ($($name,)*) {
            type Output = ($($name::Output,)*);

            fn wants(&mut self, into: &mut Wants) {
                $(self.$at.wants(into);)*
            }

            fn begin(
                self,
                context: &Context,
                known: &mut Known,
            ) -> Result<Begun<Self::Output>, Error> {
                Ok(Begun(Box::new(($(self.$at.begin(context, known)?,)*))))
            }
        }
    )* };
}

tuples! {
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
}
