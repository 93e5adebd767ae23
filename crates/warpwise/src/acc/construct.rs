//! Sources of arrays: host arrays, single elements, arrays computed from indices.

use super::Acc;
use crate::array::Array;
use crate::elt::{Elt, IntoExp, Num, Operand};
use crate::exp::Exp;
use crate::exp::function1;
use crate::graph::Op;
use crate::shape::{Dim0, Dim1, IntoShape, Shape};

/// Uses a host array in a program, without a copy.
///
/// ```
/// use warpwise::{Array, Context, use_};
///
/// let xs = Array::from_vec([2, 2], vec![1, 2, 3, 4])?;
/// assert_eq!(Context::cpu()?.run(&use_(&xs))?, xs);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn use_<Sh: Shape, E: Elt>(array: &Array<Sh, E>) -> Acc<Array<Sh, E>> {
    Acc::make(Op::Use(array.raw().clone()), Vec::new(), Vec::new())
}

/// Makes an array of rank 0, which holds one element.
///
/// ```
/// use warpwise::{Context, unit};
///
/// assert_eq!(Context::cpu()?.run(&unit(7_i32))?.to_vec(), [7]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn unit<R: IntoExp>(element: R) -> Acc<Array<Dim0, R::Elt>> {
    Acc::make(Op::Unit, vec![element.into_exp().node()], Vec::new())
}

/// Generates an array of these extents from the function's results at each index.
///
/// ```
/// use warpwise::{Context, generate};
///
/// let table = generate((2, 3), |(i, j)| i * 10 + j);
/// assert_eq!(Context::cpu()?.run(&table)?.to_vec(), [0, 1, 2, 10, 11, 12]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn generate<S: IntoShape, R: IntoExp>(
    extents: S,
    f: impl FnOnce(<<S::Shape as Shape>::Index as Elt>::View) -> R + Send,
) -> Acc<Array<S::Shape, R::Elt>> {
    let function = function1::<<S::Shape as Shape>::Index, R>(f);
    Acc::make(Op::Generate, vec![extents.into_extents().node()], vec![function])
}

/// Makes an array of these extents with the same element everywhere.
///
/// ```
/// use warpwise::{Context, fill};
///
/// assert_eq!(Context::cpu()?.run(&fill((2, 2), true))?.to_vec(), [true; 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn fill<S: IntoShape, R: IntoExp>(extents: S, element: R) -> Acc<Array<S::Shape, R::Elt>> {
    let element = element.into_exp();
    generate(extents, move |_| element)
}

/// Makes an array of these extents that counts in row-major order, starting from `first`.
///
/// ```
/// use warpwise::{Context, enum_from};
///
/// assert_eq!(Context::cpu()?.run(&enum_from((2, 2), 5_u8))?.to_vec(), [5, 6, 7, 8]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn enum_from<S: IntoShape, R: IntoExp<Elt: Num>>(extents: S, first: R) -> Acc<Array<S::Shape, R::Elt>> {
    enum_from_step(extents, first, Exp::constant(<R::Elt as Num>::of(1.0)))
}

/// Makes an array of these extents that counts in row-major order, starting from `first`, in increments of `step`.
///
/// ```
/// use warpwise::{Context, enum_from_step};
///
/// assert_eq!(Context::cpu()?.run(&enum_from_step(3, 1.0_f64, 0.5))?.to_vec(), [1.0, 1.5, 2.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn enum_from_step<S: IntoShape, R: IntoExp<Elt: Num>>(
    extents: S,
    first: R,
    step: impl Operand<R::Elt>,
) -> Acc<Array<S::Shape, R::Elt>> {
    let (extents, first, step) = (extents.into_extents(), first.into_exp(), step.operand());
    generate(extents.view(), move |index| {
        let index = super::dimensions(index.into_exp(), S::Shape::RANK);
        let sizes = super::dimensions(extents, S::Shape::RANK);
        let number =
            index.into_iter().zip(sizes).fold(Exp::constant(0), |number, (at, size)| number * size + at);
        number.cast::<R::Elt>() * step + first
    })
}

impl<E: Elt> Acc<Array<Dim1, E>> {
    /// Makes a vector without elements.
    ///
    /// ```
    /// use warpwise::{Acc, Context, Vector};
    ///
    /// assert!(Context::cpu()?.run(&Acc::<Vector<f32>>::empty())?.is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn empty() -> Acc<Array<Dim1, E>> {
        let zeros =
            crate::elt::components::<E>().iter().map(|ty| warpwise_prim::Scalar::zero(ty.scalar())).collect();
        let zero = Exp::<E>::make(Op::Constant(zeros), Vec::new(), Vec::new());
        generate(0, move |_| zero)
    }
}
