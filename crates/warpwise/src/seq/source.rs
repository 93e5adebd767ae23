//! Sources of sequences: functions of the element's number, iterators, host arrays.

use std::cell::RefCell;

use warpwise_runtime::array::{Array as Column, Value};

use super::batch::Numbers as Lengths;
use super::feed::{Boxes, Feed, Items, Numbers, Rows, Segments};
use super::slot::{Gives, Maker, Origin, Slot};
use super::{Element, Seq};
use crate::acc::Acc;
use crate::array::{Array, Singleton, Vector};
use crate::elt::Elt;
use crate::error::Error;
use crate::exp::Exp;

use crate::shape::{Extents, Inner, Shape};

impl<A: Element> Seq<A> {
    /// Computes the elements from their numbers, 0 to `count` - 1.
    ///
    /// ```
    /// use warpwise::{Array, Context, Seq, use_};
    ///
    /// // Windows of three, overlapping by two, of an array that every element may read.
    /// let samples = use_(&Array::from_vec([5], vec![1, 2, 3, 4, 5])?);
    /// let sums = Seq::produce(3, |i| samples.slit(i, 3).sum());
    /// assert_eq!(sums.elements().run(&Context::cpu()?)?.to_vec(), [6, 9, 12]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn produce(count: u64, f: impl FnOnce(Exp<i64>) -> A) -> Seq<A> {
        produced(Some(count), f)
    }

    /// Computes the elements from all numbers from 0 on; [`take`](Seq::take) limits them.
    ///
    /// ```
    /// use warpwise::{Context, Seq, unit};
    ///
    /// let mut powers = Seq::produce_forever(|i| unit(Exp::constant(2_i64).pow(i))).into_iter(&Context::cpu()?)?;
    /// assert_eq!(powers.nth(10).transpose()?.map(|power| power.to_vec()), Some(vec![1024]));
    /// # use warpwise::Exp;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn produce_forever(f: impl FnOnce(Exp<i64>) -> A) -> Seq<A> {
        produced(None, f)
    }

    /// Reads the elements from an iterator, which runs ahead on a thread of its own. Only one pass can be made over them.
    ///
    /// ```
    /// use warpwise::{Acc, Array, Context, Seq, Vector};
    ///
    /// let words = ["to", "be", "or", "not"];
    /// let words = words.map(|word| Array::from_vec([word.len()], word.as_bytes().to_vec()).unwrap());
    /// let lengths = Seq::from_iter(words).map(|word: Acc<Vector<u8>>| warpwise::unit(word.size()));
    /// assert_eq!(lengths.elements().run(&Context::cpu()?)?.to_vec(), [2, 2, 2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn from_iter<I>(items: I) -> Seq<A>
    where
        I: IntoIterator<Item = A::Host>,
        I::IntoIter: Send + 'static,
    {
        given::<A>(items.into_iter().map(Ok))
    }

    /// Works like [`from_iter`](Seq::from_iter) for an iterator that may fail: the pass then ends with the failure, after all
    /// preceding elements.
    ///
    /// ```
    /// use warpwise::{Acc, Array, Context, Seq, Singleton};
    ///
    /// let items = ["1", "2", "x", "4"].map(|text| {
    ///     let number: i32 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    ///     Ok(Array::from_vec([], vec![number]).map_err(|error| error.to_string())?)
    /// });
    /// let numbers: Seq<Acc<Singleton<i32>>> = Seq::try_from_iter(items);
    /// let error = numbers.elements().run(&Context::cpu()?).unwrap_err();
    /// assert_eq!(error.to_string(), "element 2: `x` is no number");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn try_from_iter<I>(items: I) -> Seq<A>
    where
        I: IntoIterator<Item = Result<A::Host, String>>,
        I::IntoIter: Send + 'static,
    {
        given::<A>(items.into_iter())
    }
}

impl<Sh: Inner, E: Elt> Seq<Acc<Array<Sh, E>>> {
    /// Splits an array along its outermost dimension; the elements of a matrix are its rows.
    ///
    /// ```
    /// use warpwise::{Array, Context, Seq};
    ///
    /// let matrix = Array::from_vec([3, 2], vec![1, 2, 3, 4, 5, 6])?;
    /// let sums = Seq::rows(&matrix).map(|row| row.sum());
    /// assert_eq!(sums.elements().run(&Context::cpu()?)?.to_vec(), [3, 7, 11]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn rows(array: &Array<Sh, E>) -> Seq<Acc<Array<Sh::Outer, E>>> {
        let (rows, shape) = (array.raw().shape[0] as u64, array.raw().shape[1..].to_vec());
        in_rows(array, rows, shape)
    }
}

impl<Sh: Shape, E: Elt> Seq<Acc<Array<Sh, E>>> {
    /// Takes boxes of these extents from an array, with their first corners at the given indices. Boxes may overlap.
    ///
    /// ```
    /// use warpwise::{Array, Context, Seq};
    ///
    /// let picture = Array::from_vec([2, 4], vec![1, 2, 3, 4, 5, 6, 7, 8])?;
    /// let tiles = Seq::subarrays(&picture, [2, 2], [[0, 0], [0, 2]])?;
    /// let sums = tiles.map(|tile| tile.sum().sum());
    /// assert_eq!(sums.elements().run(&Context::cpu()?)?.to_vec(), [14, 22]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn subarrays<X: Extents<Shape = Sh>>(
        array: &Array<Sh, E>,
        extents: X,
        places: impl IntoIterator<Item = X>,
    ) -> Result<Seq<Acc<Array<Sh, E>>>, Error> {
        let numbers =
            |extents: &X| extents.sizes().as_ref().iter().map(|&size| size as i64).collect::<Vec<i64>>();
        let extents = numbers(&extents);
        let places: Vec<Vec<i64>> = places.into_iter().map(|place| numbers(&place)).collect();
        for place in &places {
            let fits = |((&at, &extent), &whole): ((&i64, &i64), &i64)| {
                at >= 0 && extent >= 0 && at.checked_add(extent).is_some_and(|end| end <= whole)
            };
            if !place.iter().zip(&extents).zip(&array.raw().shape).all(fits) {
                let whole = &array.raw().shape;
                return Err(Error::Check(format!("a part {extents:?} at {place:?} of an array {whole:?}")));
            }
        }
        Ok(boxes(array, extents, move || places.clone().into_iter()))
    }
}

impl<E: Elt> Seq<Acc<Vector<E>>> {
    /// Takes windows of `size` elements from a vector; each window starts `step` (at least 1) elements after the preceding one.
    ///
    /// ```
    /// use warpwise::{Array, Context, Seq};
    ///
    /// let samples = Array::from_vec([6], vec![1, 5, 2, 4, 3, 0])?;
    /// let peaks = Seq::windows(&samples, 4, 2).map(|window| window.maximum());
    /// assert_eq!(peaks.elements().run(&Context::cpu()?)?.to_vec(), [5, 4]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn windows(array: &Vector<E>, size: usize, step: usize) -> Seq<Acc<Vector<E>>> {
        if size > 0 && step == size {
            return in_rows(array, (array.len() / size) as u64, vec![size as i64]);
        }
        let last = array.len().checked_sub(size);
        let places = move || {
            let starts = last.map_or(0..0, |last| 0..last + 1).step_by(step.max(1));
            starts.map(|start| vec![start as i64])
        };
        boxes(array, vec![size as i64], places)
    }

    /// Splits a vector into consecutive segments of these lengths. A negative length, or one that exceeds the remaining elements,
    /// is an error of that element.
    ///
    /// ```
    /// use warpwise::{Array, Context, Seq};
    ///
    /// let data = Array::from_vec([3], vec![1, 2, 3])?;
    /// let sums = |lengths| Ok::<_, warpwise::Error>(Seq::segments(&data, &Array::from_vec([2], lengths)?).map(|part| part.sum()));
    /// assert_eq!(sums(vec![1, 2])?.elements().run(&Context::cpu()?)?.to_vec(), [1, 5]);
    /// let error = sums(vec![2, 2])?.elements().run(&Context::cpu()?).unwrap_err();
    /// assert_eq!(error.to_string(), "element 1: the data ends here, 1 elements before the end of the segment");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn segments(array: &Vector<E>, lengths: &Vector<i64>) -> Seq<Acc<Vector<E>>> {
        let column = lengths.raw().columns[0].clone();
        let lengths = Lengths::from_column(column).expect("a vector of i64");
        let raw = array.raw().clone();
        let make = move || {
            let (columns, types, lengths) = (raw.columns.clone(), raw.types.clone(), lengths.clone());
            let end = raw.shape[0] as usize;
            Box::new(Segments { columns, types, lengths, next: 0, start: 0, end }) as Box<dyn Feed>
        };
        sourced(Gives::Irregular, Maker::Again(Box::new(make)))
    }
}

#[track_caller]
fn produced<A: Element>(count: Option<u64>, f: impl FnOnce(Exp<i64>) -> A) -> Seq<A> {
    let make = move || Box::new(Numbers { next: 0, end: count }) as Box<dyn Feed>;
    let numbers: Seq<Acc<Singleton<i64>>> = sourced(Gives::Numbers, Maker::Again(Box::new(make)));
    numbers.map(|number| f(number.the()))
}

#[track_caller]
fn given<A: Element>(items: impl Iterator<Item = Result<A::Host, String>> + Send + 'static) -> Seq<A> {
    let mut types = Vec::new();
    A::types(&mut types);
    let components = |host: A::Host| {
        let mut values: Vec<Value> = Vec::new();
        A::values(&host, &mut values);
        values
    };
    let items = items.map(move |item| item.map(components));
    sourced(Gives::Irregular, Maker::Once(Some(Box::new(Items::new(items, types)))))
}

/// Makes a sequence of consecutive blocks of this shape, from the start of an array.
#[track_caller]
fn in_rows<Sh: Shape, T: Shape, E: Elt>(
    array: &Array<Sh, E>,
    end: u64,
    shape: Vec<i64>,
) -> Seq<Acc<Array<T, E>>> {
    let raw = array.raw().clone();
    let make = move || {
        let (columns, types) = (raw.columns.clone(), raw.types.clone());
        Box::new(Rows { columns, types, shape: shape.clone(), next: 0, end }) as Box<dyn Feed>
    };
    sourced(Gives::Regular, Maker::Again(Box::new(make)))
}

#[track_caller]
fn boxes<Sh: Shape, E: Elt, I>(
    array: &Array<Sh, E>,
    extents: Vec<i64>,
    places: impl Fn() -> I + 'static,
) -> Seq<Acc<Array<Sh, E>>>
where
    I: Iterator<Item = Vec<i64>> + Send + 'static,
{
    let raw = array.raw().clone();
    let make = move || {
        let (columns, types): (Vec<Column>, _) = (raw.columns.clone(), raw.types.clone());
        Box::new(Boxes { columns, types, extents: extents.clone(), places: places() }) as Box<dyn Feed>
    };
    sourced(Gives::Regular, Maker::Again(Box::new(make)))
}

/// Makes the sequence of a source's elements.
#[track_caller]
pub(super) fn sourced<A: Element>(gives: Gives, maker: Maker) -> Seq<A> {
    let (element, slot) = Slot::new(Origin::Feed { gives, feed: RefCell::new(maker) });
    Seq::of(element, slot)
}
