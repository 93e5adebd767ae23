//! Elementwise operations.

use std::panic::Location;

use super::Acc;
use crate::array::Array;
use crate::elt::{Elt, IntoExp};
use crate::exp::{Exp, function1, function2};
use crate::graph::{self, Function, Op};
use crate::shape::Shape;

impl<Sh: Shape, E: Elt> Acc<Array<Sh, E>> {
    /// Applies a function to every element.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from_vec([3], vec![1.0_f32, 2.0, 3.0])?);
    /// assert_eq!(Context::cpu()?.run(&xs.map(|x| 2.0 * x + 1.0))?.to_vec(), [3.0, 5.0, 7.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn map<R: IntoExp>(&self, f: impl FnOnce(E::View) -> R + Send) -> Acc<Array<Sh, R::Elt>> {
        Acc::make(Op::Map { indexed: false, equal: false }, vec![self.node()], vec![function1::<E, R>(f)])
    }

    /// Applies a function to every index and the element there.
    ///
    /// ```
    /// use warpwise::{Context, fill};
    ///
    /// let table = fill((2, 2), 100_i64).imap(|(i, j), x| x + i * 10 + j);
    /// assert_eq!(Context::cpu()?.run(&table)?.to_vec(), [100, 101, 110, 111]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn imap<R: IntoExp>(
        &self,
        f: impl FnOnce(<Sh::Index as Elt>::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, R::Elt>> {
        Acc::make(
            Op::Map { indexed: true, equal: false },
            vec![self.node()],
            vec![function2::<Sh::Index, E, R>(f)],
        )
    }

    /// Applies a function to the elements of two arrays at the same index. The result has the intersection of the extents: in
    /// every dimension the smaller of the two.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from_vec([3], vec![1, 2, 3])?);
    /// let ys = use_(&Array::from_vec([2], vec![10, 20])?);
    /// assert_eq!(Context::cpu()?.run(&xs.zip_with(&ys, |x, y| x + y))?.to_vec(), [11, 22]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn zip_with<F: Elt, R: IntoExp>(
        &self,
        other: &Acc<Array<Sh, F>>,
        f: impl FnOnce(E::View, F::View) -> R + Send,
    ) -> Acc<Array<Sh, R::Elt>> {
        zip_with(self, other, f)
    }

    /// Works like [`zip_with`](Acc::zip_with), with a function that also takes the index.
    ///
    /// ```
    /// use warpwise::{Context, enum_from, fill};
    ///
    /// let sums = enum_from(3, 1_i64).izip_with(&fill(3, 10_i64), |i, x, y| x + i * y);
    /// assert_eq!(Context::new()?.run(&sums)?.to_vec(), [1, 12, 23]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn izip_with<F: Elt, R: IntoExp>(
        &self,
        other: &Acc<Array<Sh, F>>,
        f: impl FnOnce(<Sh::Index as Elt>::View, E::View, F::View) -> R + Send,
    ) -> Acc<Array<Sh, R::Elt>> {
        let function = function3::<Sh::Index, E, F, R>(f);
        Acc::make(Op::Map { indexed: true, equal: false }, vec![self.node(), other.node()], vec![function])
    }

    /// Pairs the elements of two arrays at the same index.
    ///
    /// ```
    /// use warpwise::{Context, enum_from, fill};
    ///
    /// let pairs = enum_from(2, 1_i32).zip(&fill(3, true));
    /// assert_eq!(Context::cpu()?.run(&pairs)?.to_vec(), [(1, true), (2, true)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn zip<F: Elt>(&self, other: &Acc<Array<Sh, F>>) -> Acc<Array<Sh, (E, F)>> {
        zip(self, other)
    }

    /// Pairs every index with its element.
    ///
    /// ```
    /// use warpwise::{Context, fill};
    ///
    /// assert_eq!(Context::cpu()?.run(&fill(2, 'x').indexed())?.to_vec(), [(0, 'x'), (1, 'x')]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[doc(alias = "enumerate")]
    #[track_caller]
    pub fn indexed(&self) -> Acc<Array<Sh, (Sh::Index, E)>> {
        self.imap(|index, element| (index, element))
    }
}

/// Applies a function to the elements of 2 arrays at the same index, over the intersection of their extents.
///
/// ```
/// use warpwise::{Context, enum_from, fill, zip_with};
///
/// assert_eq!(Context::new()?.run(&zip_with(&enum_from(3, 1), &fill(2, 10), |x, y| x * y))?.to_vec(), [10, 20]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn zip_with<Sh: Shape, A: Elt, B: Elt, R: IntoExp>(
    a: &Acc<Array<Sh, A>>,
    b: &Acc<Array<Sh, B>>,
    f: impl FnOnce(A::View, B::View) -> R + Send,
) -> Acc<Array<Sh, R::Elt>> {
    let inputs = vec![a.node(), b.node()];
    Acc::make(Op::Map { indexed: false, equal: false }, inputs, vec![function2::<A, B, R>(f)])
}

/// Applies a function to the elements of 3 arrays at the same index, over the intersection of their extents.
///
/// ```
/// use warpwise::{Context, enum_from, fill, zip_with3};
///
/// let sums = zip_with3(&enum_from(3, 1), &fill(3, 10), &fill(2, 100), |x, y, z| x + y + z);
/// assert_eq!(Context::cpu()?.run(&sums)?.to_vec(), [111, 112]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn zip_with3<Sh: Shape, A: Elt, B: Elt, C: Elt, R: IntoExp>(
    a: &Acc<Array<Sh, A>>,
    b: &Acc<Array<Sh, B>>,
    c: &Acc<Array<Sh, C>>,
    f: impl FnOnce(A::View, B::View, C::View) -> R + Send,
) -> Acc<Array<Sh, R::Elt>> {
    let inputs = vec![a.node(), b.node(), c.node()];
    Acc::make(Op::Map { indexed: false, equal: false }, inputs, vec![function3::<A, B, C, R>(f)])
}

/// Applies a function to the elements of 4 arrays at the same index, over the intersection of their extents.
///
/// ```
/// use warpwise::{Context, enum_from, fill, zip_with4};
///
/// let (tens, hundreds, thousands) = (fill(2, 10), fill(2, 100), fill(2, 1000));
/// let sums = zip_with4(&enum_from(2, 1), &tens, &hundreds, &thousands, |a, b, c, d| a + b + c + d);
/// assert_eq!(Context::new()?.run(&sums)?.to_vec(), [1111, 1112]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn zip_with4<Sh: Shape, A: Elt, B: Elt, C: Elt, D: Elt, R: IntoExp>(
    a: &Acc<Array<Sh, A>>,
    b: &Acc<Array<Sh, B>>,
    c: &Acc<Array<Sh, C>>,
    d: &Acc<Array<Sh, D>>,
    f: impl FnOnce(A::View, B::View, C::View, D::View) -> R + Send,
) -> Acc<Array<Sh, R::Elt>> {
    let inputs = vec![a.node(), b.node(), c.node(), d.node()];
    Acc::make(Op::Map { indexed: false, equal: false }, inputs, vec![function4::<A, B, C, D, R>(f)])
}

/// Applies a function to the elements of 5 arrays at the same index, over the intersection of their extents.
///
/// ```
/// use warpwise::{Context, enum_from, zip_with5};
///
/// let xs = enum_from(2, 1);
/// let sums = zip_with5(&xs, &xs, &xs, &xs, &xs, |a, b, c, d, e| a + b + c + d + e);
/// assert_eq!(Context::new()?.run(&sums)?.to_vec(), [5, 10]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn zip_with5<Sh: Shape, A: Elt, B: Elt, C: Elt, D: Elt, E: Elt, R: IntoExp>(
    a: &Acc<Array<Sh, A>>,
    b: &Acc<Array<Sh, B>>,
    c: &Acc<Array<Sh, C>>,
    d: &Acc<Array<Sh, D>>,
    e: &Acc<Array<Sh, E>>,
    f: impl FnOnce(A::View, B::View, C::View, D::View, E::View) -> R + Send,
) -> Acc<Array<Sh, R::Elt>> {
    let inputs = vec![a.node(), b.node(), c.node(), d.node(), e.node()];
    Acc::make(Op::Map { indexed: false, equal: false }, inputs, vec![function5::<A, B, C, D, E, R>(f)])
}

/// Makes tuples of the elements of 2 arrays at the same index, over the intersection of their extents.
///
/// ```
/// use warpwise::{Context, enum_from, fill, zip};
///
/// assert_eq!(Context::new()?.run(&zip(&enum_from(3, 1), &fill(2, true)))?.to_vec(), [(1, true), (2, true)]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn zip<Sh: Shape, A: Elt, B: Elt>(
    a: &Acc<Array<Sh, A>>,
    b: &Acc<Array<Sh, B>>,
) -> Acc<Array<Sh, (A, B)>> {
    zip_with(a, b, |a, b| (a, b))
}

/// Makes tuples of the elements of 3 arrays at the same index, over the intersection of their extents.
///
/// ```
/// use warpwise::{Context, enum_from, fill, zip3};
///
/// assert_eq!(Context::new()?.run(&zip3(&enum_from(1, 1), &fill(1, true), &fill(1, 0.5)))?.to_vec(), [(1, true, 0.5)]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn zip3<Sh: Shape, A: Elt, B: Elt, C: Elt>(
    a: &Acc<Array<Sh, A>>,
    b: &Acc<Array<Sh, B>>,
    c: &Acc<Array<Sh, C>>,
) -> Acc<Array<Sh, (A, B, C)>> {
    zip_with3(a, b, c, |a, b, c| (a, b, c))
}

/// Makes tuples of the elements of 4 arrays at the same index, over the intersection of their extents.
///
/// ```
/// use warpwise::{Context, enum_from, fill, zip4};
///
/// assert_eq!(Context::new()?.run(&zip4(&enum_from(1, 1), &fill(1, true), &fill(1, 0.5), &fill(1, 'x')))?.to_vec(), [(1, true, 0.5, 'x')]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn zip4<Sh: Shape, A: Elt, B: Elt, C: Elt, D: Elt>(
    a: &Acc<Array<Sh, A>>,
    b: &Acc<Array<Sh, B>>,
    c: &Acc<Array<Sh, C>>,
    d: &Acc<Array<Sh, D>>,
) -> Acc<Array<Sh, (A, B, C, D)>> {
    zip_with4(a, b, c, d, |a, b, c, d| (a, b, c, d))
}

/// Defines conversions of closures of several elements into functions.
macro_rules! functions {
    ($($function:ident $($name:ident $at:tt)*;)*) => { $(
        #[track_caller]
        pub(crate) fn $function<$($name: Elt,)* Res: IntoExp>(closure: impl FnOnce($($name::View),*) -> Res) -> Function {
            let place = Location::caller();
            graph::scope(|| {
                let params = vec![$(graph::parameter(Exp::<$name>::ty(), place)),*];
                let result = closure($(Exp::<$name>::of_node(params[$at].clone()).view()),*);
                let result = result.into_exp().node();
                Function { params, result }
            })
        }
    )* };
}

functions! {
    function3 A 0 B 1 C 2;
    function4 A 0 B 1 C 2 D 3;
    function5 A 0 B 1 C 2 D 3 E 4;
    function6 A 0 B 1 C 2 D 3 E 4 F 5;
    function7 A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    function8 A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    function9 A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    function10 A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
}

/// Defines `zip_with` for more arrays.
macro_rules! zip_withs {
    ($($zip_with:ident $function:ident $($name:ident $small:ident)*;)*) => { $(
        /// Applies a function to the elements of several arrays at the same index, over the intersection of their extents.
        ///
        /// ```
        /// use warpwise::{Context, enum_from, fill, zip_with6};
        ///
        /// let (xs, ones) = (enum_from(2, 1), fill(3, 1));
        /// let sums = zip_with6(&xs, &ones, &ones, &ones, &ones, &xs, |a, b, c, d, e, f| a * (b + c + d + e) + f);
        /// assert_eq!(Context::new()?.run(&sums)?.to_vec(), [5, 10]);
        /// # Ok::<(), warpwise::Error>(())
        /// ```
        #[track_caller]
        pub fn $zip_with<Sh: Shape, $($name: Elt,)* Res: IntoExp>(
            $($small: &Acc<Array<Sh, $name>>,)*
            function: impl FnOnce($($name::View),*) -> Res + Send,
        ) -> Acc<Array<Sh, Res::Elt>> {
            let function = $function::<$($name,)* Res>(function);
            Acc::make(Op::Map { indexed: false, equal: false }, vec![$($small.node()),*], vec![function])
        }
    )* };
}

zip_withs! {
    zip_with6 function6 A a B b C c D d E e F f;
    zip_with7 function7 A a B b C c D d E e F f G g;
    zip_with8 function8 A a B b C c D d E e F f G g H h;
    zip_with9 function9 A a B b C c D d E e F f G g H h I i;
}

/// Defines `zip_with` for more arrays and the index.
macro_rules! izip_withs {
    ($($izip_with:ident $function:ident $($name:ident $small:ident)*;)*) => { $(
        /// Applies a function to every index and the elements of several arrays there, over the intersection of their extents.
        ///
        /// ```
        /// use warpwise::{Context, enum_from, fill, izip_with3};
        ///
        /// let ones = fill(2, 1_i64);
        /// let sums = izip_with3(&enum_from(3, 10_i64), &ones, &ones, |i, a, b, c| a + b + c + i * 100);
        /// assert_eq!(Context::new()?.run(&sums)?.to_vec(), [12, 113]);
        /// # Ok::<(), warpwise::Error>(())
        /// ```
        #[track_caller]
        pub fn $izip_with<Sh: Shape, $($name: Elt,)* Res: IntoExp>(
            $($small: &Acc<Array<Sh, $name>>,)*
            function: impl FnOnce(<Sh::Index as Elt>::View, $($name::View),*) -> Res + Send,
        ) -> Acc<Array<Sh, Res::Elt>> {
            let function = $function::<Sh::Index, $($name,)* Res>(function);
            Acc::make(Op::Map { indexed: true, equal: false }, vec![$($small.node()),*], vec![function])
        }
    )* };
}

izip_withs! {
    izip_with3 function4 A a B b C c;
    izip_with4 function5 A a B b C c D d;
    izip_with5 function6 A a B b C c D d E e;
    izip_with6 function7 A a B b C c D d E e F f;
    izip_with7 function8 A a B b C c D d E e F f G g;
    izip_with8 function9 A a B b C c D d E e F f G g H h;
    izip_with9 function10 A a B b C c D d E e F f G g H h I i;
}

/// Defines `zip` for more arrays.
macro_rules! zips {
    ($($zip:ident $zip_with:ident $($name:ident $small:ident)*;)*) => { $(
        /// Makes tuples of the elements of several arrays at the same index, over the intersection of their extents.
        ///
        /// ```
        /// use warpwise::{Context, enum_from, fill, zip5};
        ///
        /// let (xs, truths) = (enum_from(1, 1), fill(1, true));
        /// let tuples = zip5(&xs, &truths, &xs, &truths, &fill(1, 'x'));
        /// assert_eq!(Context::new()?.run(&tuples)?.to_vec(), [(1, true, 1, true, 'x')]);
        /// # Ok::<(), warpwise::Error>(())
        /// ```
        #[track_caller]
        pub fn $zip<Sh: Shape, $($name: Elt),*>(
            $($small: &Acc<Array<Sh, $name>>),*
        ) -> Acc<Array<Sh, ($($name,)*)>> {
            $zip_with($($small,)* |$($small),*| ($($small,)*))
        }
    )* };
}

zips! {
    zip5 zip_with5 A a B b C c D d E e;
    zip6 zip_with6 A a B b C c D d E e F f;
    zip7 zip_with7 A a B b C c D d E e F f G g;
    zip8 zip_with8 A a B b C c D d E e F f G g H h;
    zip9 zip_with9 A a B b C c D d E e F f G g H h I i;
}

/// Defines `unzip` for tuples.
macro_rules! unzips {
    ($($method:ident $($name:ident $at:tt)*;)*) => { $(
        impl<Sh: Shape, $($name: Elt),*> Acc<Array<Sh, ($($name,)*)>> {
            /// Splits an array of tuples into one array per component.
            ///
            /// ```
            /// use warpwise::{Context, fill};
            ///
            /// let (numbers, truths) = fill(2, (7, true)).unzip();
            /// let (numbers, truths) = Context::new()?.run(&(numbers, truths))?;
            /// assert_eq!((numbers.to_vec(), truths.to_vec()), (vec![7, 7], vec![true, true]));
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            #[track_caller]
            pub fn $method(&self) -> ($(Acc<Array<Sh, $name>>,)*) {
                ($(self.map(|parts| parts.$at),)*)
            }
        }
    )* };
}

unzips! {
    unzip A 0 B 1;
    unzip3 A 0 B 1 C 2;
    unzip4 A 0 B 1 C 2 D 3;
    unzip5 A 0 B 1 C 2 D 3 E 4;
    unzip6 A 0 B 1 C 2 D 3 E 4 F 5;
    unzip7 A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    unzip8 A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    unzip9 A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
}
