//! Elements written to computed indices.

use super::Acc;
use crate::array::Array;
use crate::elt::{Elt, IntoExp, Operand};
use crate::exp::{function1, function2};
use crate::graph::{Function, Op};
use crate::shape::{Dim1, IntoShape, Shape};

impl<Sh: Shape, E: Elt> Acc<Array<Sh, E>> {
    /// Combines elements of `source` into this array. For every index of the source, `place` returns whether its element takes
    /// part, and its destination index in this array. `combine` must be associative and commutative. Elements with destinations
    /// out of bounds are ignored.
    ///
    /// ```
    /// use warpwise::{Array, Context, fill, use_};
    ///
    /// let words = use_(&Array::from_vec([5], vec![1_i64, 0, 1, 2, 1])?);
    /// let reader = words.reader();
    /// let counts = fill(3, 0_i32).permute(&fill(5, 1), |x, y| x + y, move |i| (true, reader.at(i)));
    /// assert_eq!(Context::cpu()?.run(&counts)?.to_vec(), [1, 3, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn permute<T: Shape, R, C, I>(
        &self,
        source: &Acc<Array<T, E>>,
        combine: impl FnOnce(E::View, E::View) -> R + Send,
        place: impl FnOnce(<T::Index as Elt>::View) -> (C, I) + Send,
    ) -> Acc<Array<Sh, E>>
    where
        R: IntoExp<Elt = E>,
        C: Operand<bool>,
        I: IntoShape<Shape = Sh>,
    {
        let functions = vec![function2::<E, E, R>(combine), placing::<T, C, I>(place)];
        Acc::make(Op::Permute, vec![self.node(), source.node()], functions)
    }

    /// Overwrites elements of this array with elements of `source`. For every index of the source, `place` returns whether its
    /// element is written, and its destination index in this array. If several elements have the same destination, the last one
    /// wins on the CPU, and an unspecified one on other devices. Elements with destinations out of bounds are ignored.
    ///
    /// ```
    /// use warpwise::{Context, enum_from, fill};
    ///
    /// let xs = fill(4, 0).scatter_where(&enum_from(3, 7), |i| (i.ne(1), i + 1));
    /// assert_eq!(Context::cpu()?.run(&xs)?.to_vec(), [0, 7, 0, 9]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scatter_where<T: Shape, C, I>(
        &self,
        source: &Acc<Array<T, E>>,
        place: impl FnOnce(<T::Index as Elt>::View) -> (C, I) + Send,
    ) -> Acc<Array<Sh, E>>
    where
        C: Operand<bool>,
        I: IntoShape<Shape = Sh>,
    {
        Acc::make(Op::Scatter, vec![self.node(), source.node()], vec![placing::<T, C, I>(place)])
    }
}

impl<E: Elt> Acc<Array<Dim1, E>> {
    /// Overwrites the elements of this vector at the indices `places` with the elements of `source`. If several elements have the
    /// same destination, the last one wins on the CPU, and an unspecified one on other devices. Elements with destinations out of
    /// bounds are ignored.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, fill, use_};
    ///
    /// let places = use_(&Array::from_vec([3], vec![3_i64, -1, 0])?);
    /// let xs = fill(4, 0).scatter(&places, &enum_from(3, 7));
    /// assert_eq!(Context::cpu()?.run(&xs)?.to_vec(), [9, 0, 0, 7]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scatter<I: Elt<View: IntoShape<Shape = Dim1>>>(
        &self,
        places: &Acc<Array<Dim1, I>>,
        source: &Acc<Array<Dim1, E>>,
    ) -> Acc<Array<Dim1, E>> {
        let (reader, count) = (places.reader(), places.size());
        self.scatter_where(&source.take(count), move |i| (true, reader.at_in_bounds(i)))
    }
}

/// Turns a closure from a source index to its destination (whether and where) into a function.
#[track_caller]
fn placing<T: Shape, C: Operand<bool>, I: IntoShape>(
    place: impl FnOnce(<T::Index as Elt>::View) -> (C, I),
) -> Function {
    function1::<T::Index, _>(|index| {
        let (takes_part, place) = place(index);
        (takes_part.operand(), place.into_extents())
    })
}
