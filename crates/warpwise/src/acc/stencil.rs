//! Stencils: every element is computed from its neighbourhood.

use std::panic::Location;

use super::{Acc, Reader};
use crate::array::Array;
use crate::elt::{Elt, IntoExp};
use crate::exp::{Exp, cond};
use crate::graph;
use crate::shape::{Dim1, Dim2, Dim3, Shape};

/// A choice of the values beyond the borders of an array.
///
/// ```
/// use warpwise::{Boundary, Context, enum_from};
///
/// let xs = enum_from(3, 1);
/// let right = |boundary| Context::new()?.run(&xs.stencil(boundary, |[_, _, right]| right)).map(|xs| xs.to_vec());
/// assert_eq!(right(Boundary::Clamp)?, [2, 3, 3]);
/// assert_eq!(right(Boundary::Mirror)?, [2, 3, 3]);
/// assert_eq!(right(Boundary::Wrap)?, [2, 3, 1]);
/// assert_eq!(right(Boundary::Constant(0))?, [2, 3, 0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub enum Boundary<E: Elt> {
    /// The nearest element of the array.
    Clamp,
    /// The array mirrored, including its border elements.
    Mirror,
    /// The array repeated periodically.
    Wrap,
    /// A constant element.
    Constant(E),
}

impl<E: Elt> Clone for Boundary<E> {
    fn clone(&self) -> Boundary<E> {
        match self {
            Boundary::Clamp => Boundary::Clamp,
            Boundary::Mirror => Boundary::Mirror,
            Boundary::Wrap => Boundary::Wrap,
            Boundary::Constant(element) => Boundary::Constant(element.clone()),
        }
    }
}

impl<E: Elt> Boundary<E> {
    /// Maps a position that may lie outside of the extent to a position within it.
    fn place(&self, place: Exp<i64>, extent: Exp<i64>) -> Exp<i64> {
        match self {
            Boundary::Clamp | Boundary::Constant(_) => place.max(0).min(extent - 1),
            Boundary::Wrap => place.mod_floor(extent),
            Boundary::Mirror => {
                let within = place.mod_floor(2 * extent);
                within.min(2 * extent - 1 - within)
            }
        }
    }

    /// Returns the element at an offset from an index.
    fn element<Sh: Shape>(&self, source: Reader<Sh, E>, index: &[Exp<i64>], offsets: &[i64]) -> Exp<E> {
        let extents = super::dimensions(source.extents().into_exp(), Sh::RANK);
        let places: Vec<Exp<i64>> = index.iter().zip(offsets).map(|(&at, &offset)| at + offset).collect();
        let inner: Vec<Exp<i64>> = places
            .iter()
            .zip(offsets)
            .zip(&extents)
            .map(|((&place, &offset), &extent)| if offset == 0 { place } else { self.place(place, extent) })
            .collect();
        let element = source.at_in_bounds(super::index_of::<Sh::Index>(&inner)).into_exp();
        let Boundary::Constant(outside) = self else { return element };
        let moved = places.iter().zip(offsets).zip(&extents).filter(|((_, offset), _)| **offset != 0);
        let is_inside = moved.fold(None, |inside: Option<Exp<bool>>, ((&place, _), &extent)| {
            let here = place.ge(0) & place.lt(extent);
            Some(inside.map_or(here, |inside| inside & here))
        });
        match is_inside {
            Some(inside) => cond(inside, element, Exp::constant(outside.clone())).into_exp(),
            None => element,
        }
    }
}

impl<E: Elt> Acc<Array<Dim1, E>> {
    /// Computes every element from the `N` elements around it; `N` is odd. The function receives them in order.
    ///
    /// ```
    /// use warpwise::{Boundary, Context, enum_from};
    ///
    /// let sums = enum_from(4, 1).stencil(Boundary::Clamp, |[left, here, right]| left + here + right);
    /// assert_eq!(Context::cpu()?.run(&sums)?.to_vec(), [4, 6, 9, 11]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn stencil<const N: usize, R: IntoExp>(
        &self,
        boundary: Boundary<E>,
        f: impl FnOnce([E::View; N]) -> R + Send,
    ) -> Acc<Array<Dim1, R::Elt>> {
        if let Some(wrong) = without_middle(&[N]) {
            return wrong;
        }
        let source = self.reader();
        super::generate(source.extents(), move |i| f(around1(&boundary, source, i)))
    }

    /// Computes every element from the elements around it in this vector and another, over the shorter of the two.
    ///
    /// ```
    /// use warpwise::{Boundary, Context, enum_from, fill};
    ///
    /// let (xs, ys) = (enum_from(3, 1), fill(4, 10));
    /// let sums = xs.stencil2(Boundary::Clamp, &ys, Boundary::Wrap, |[left, _, _], [y]| left + y);
    /// assert_eq!(Context::cpu()?.run(&sums)?.to_vec(), [11, 11, 12]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn stencil2<const N: usize, const M: usize, F: Elt, R: IntoExp>(
        &self,
        boundary: Boundary<E>,
        other: &Acc<Array<Dim1, F>>,
        other_boundary: Boundary<F>,
        f: impl FnOnce([E::View; N], [F::View; M]) -> R + Send,
    ) -> Acc<Array<Dim1, R::Elt>> {
        if let Some(wrong) = without_middle(&[N, M]) {
            return wrong;
        }
        let (source, second) = (self.reader(), other.reader());
        super::generate(source.extents().min(second.extents()), move |i| {
            f(around1(&boundary, source, i), around1(&other_boundary, second, i))
        })
    }
}

impl<E: Elt> Acc<Array<Dim2, E>> {
    /// Computes every element from the `N` times `M` elements around it; both are odd. The function receives them as rows.
    ///
    /// ```
    /// use warpwise::{Boundary, Context, fill};
    ///
    /// let sums = fill((2, 2), 1).stencil(Boundary::Constant(0), |[[_, up, _], [left, here, right], [_, down, _]]| {
    ///     up + left + here + right + down
    /// });
    /// assert_eq!(Context::cpu()?.run(&sums)?.to_vec(), [3; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn stencil<const N: usize, const M: usize, R: IntoExp>(
        &self,
        boundary: Boundary<E>,
        f: impl FnOnce([[E::View; M]; N]) -> R + Send,
    ) -> Acc<Array<Dim2, R::Elt>> {
        if let Some(wrong) = without_middle(&[N, M]) {
            return wrong;
        }
        let source = self.reader();
        super::generate(source.extents(), move |(i, j)| f(around2(&boundary, source, i, j)))
    }

    /// Computes every element from the elements around it in this array and another, over the intersection of their extents.
    ///
    /// ```
    /// use warpwise::{Boundary, Context, fill};
    ///
    /// let (xs, ys) = (fill((2, 2), 1), fill((2, 2), 10));
    /// let right = xs.stencil2(Boundary::Wrap, &ys, Boundary::Clamp, |[[x]], [[_, y, _]]: [[_; 3]; 1]| x + y);
    /// assert_eq!(Context::cpu()?.run(&right)?.to_vec(), [11; 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn stencil2<const N: usize, const M: usize, const K: usize, const L: usize, F: Elt, R: IntoExp>(
        &self,
        boundary: Boundary<E>,
        other: &Acc<Array<Dim2, F>>,
        other_boundary: Boundary<F>,
        f: impl FnOnce([[E::View; M]; N], [[F::View; L]; K]) -> R + Send,
    ) -> Acc<Array<Dim2, R::Elt>> {
        if let Some(wrong) = without_middle(&[N, M, K, L]) {
            return wrong;
        }
        let (source, second) = (self.reader(), other.reader());
        let ((n, m), (k, l)) = (source.extents(), second.extents());
        super::generate((n.min(k), m.min(l)), move |(i, j)| {
            f(around2(&boundary, source, i, j), around2(&other_boundary, second, i, j))
        })
    }
}

impl<E: Elt> Acc<Array<Dim3, E>> {
    /// Computes every element from the `N` times `M` times `K` elements around it; all are odd. The function receives them as
    /// planes of rows.
    ///
    /// ```
    /// use warpwise::{Boundary, Context, fill};
    ///
    /// let sums = fill((2, 2, 2), 1).stencil(Boundary::Mirror, |[[[x, y, z]]]: [[[_; 3]; 1]; 1]| x + y + z);
    /// assert_eq!(Context::cpu()?.run(&sums)?.to_vec(), [3; 8]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn stencil<const N: usize, const M: usize, const K: usize, R: IntoExp>(
        &self,
        boundary: Boundary<E>,
        f: impl FnOnce([[[E::View; K]; M]; N]) -> R + Send,
    ) -> Acc<Array<Dim3, R::Elt>> {
        if let Some(wrong) = without_middle(&[N, M, K]) {
            return wrong;
        }
        let source = self.reader();
        super::generate(source.extents(), move |index| f(around3(&boundary, source, index)))
    }

    /// Computes every element from the elements around it in this array and another, over the intersection of their extents.
    ///
    /// ```
    /// use warpwise::{Boundary, Context, fill};
    ///
    /// let (xs, ys) = (fill((2, 2, 2), 1), fill((2, 3, 2), 10));
    /// let sums = xs.stencil2(Boundary::Wrap, &ys, Boundary::Clamp, |[[[x]]], [[[left, _, _]]]: [[[_; 3]; 1]; 1]| x + left);
    /// assert_eq!(Context::cpu()?.run(&sums)?.to_vec(), [11; 8]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn stencil2<
        const N: usize,
        const M: usize,
        const K: usize,
        const N2: usize,
        const M2: usize,
        const K2: usize,
        F: Elt,
        R: IntoExp,
    >(
        &self,
        boundary: Boundary<E>,
        other: &Acc<Array<Dim3, F>>,
        other_boundary: Boundary<F>,
        f: impl FnOnce([[[E::View; K]; M]; N], [[[F::View; K2]; M2]; N2]) -> R + Send,
    ) -> Acc<Array<Dim3, R::Elt>> {
        if let Some(wrong) = without_middle(&[N, M, K, N2, M2, K2]) {
            return wrong;
        }
        let (source, second) = (self.reader(), other.reader());
        let ((n, m, k), (n2, m2, k2)) = (source.extents(), second.extents());
        super::generate((n.min(n2), m.min(m2), k.min(k2)), move |index| {
            f(around3(&boundary, source, index), around3(&other_boundary, second, index))
        })
    }
}

/// Returns an error for a stencil that has no middle in some dimension.
#[track_caller]
fn without_middle<Sh: Shape, E: Elt>(extents: &[usize]) -> Option<Acc<Array<Sh, E>>> {
    let place = Location::caller();
    let even = extents.iter().find(|&&extent| extent % 2 == 0)?;
    let message = format!("a stencil has an odd number of elements in every dimension, not {even}");
    Some(Acc::of(graph::invalid(message, Acc::<Array<Sh, E>>::ty(), place)))
}

fn around1<E: Elt, const N: usize>(
    boundary: &Boundary<E>,
    source: Reader<Dim1, E>,
    i: Exp<i64>,
) -> [E::View; N] {
    std::array::from_fn(|x| boundary.element(source, &[i], &[offset(x, N)]).view())
}

fn around3<E: Elt, const N: usize, const M: usize, const K: usize>(
    boundary: &Boundary<E>,
    source: Reader<Dim3, E>,
    (i, j, k): (Exp<i64>, Exp<i64>, Exp<i64>),
) -> [[[E::View; K]; M]; N] {
    std::array::from_fn(|x| {
        std::array::from_fn(|y| {
            std::array::from_fn(|z| {
                let offsets = [offset(x, N), offset(y, M), offset(z, K)];
                boundary.element(source, &[i, j, k], &offsets).view()
            })
        })
    })
}

fn around2<E: Elt, const N: usize, const M: usize>(
    boundary: &Boundary<E>,
    source: Reader<Dim2, E>,
    i: Exp<i64>,
    j: Exp<i64>,
) -> [[E::View; M]; N] {
    std::array::from_fn(|x| {
        std::array::from_fn(|y| boundary.element(source, &[i, j], &[offset(x, N), offset(y, M)]).view())
    })
}

/// Returns the distance of a position from the middle of a row of `count` elements.
fn offset(place: usize, count: usize) -> i64 {
    place as i64 - (count / 2) as i64
}
