//! Stable sorting by the digits of keys.
//!
//! A key is mapped to one or more unsigned numbers whose order is that of the key ([`SortKey`]). The numbers are sorted from the
//! least significant one on. On the processor [`digits`] sorts them on the host, between two programs. Elsewhere (on devices,
//! within loops, in chunks of sequences, in exports) the program itself sorts them two bits at a time, each time by a scan and a
//! scatter. Arrays of keys with a single number are sorted directly as these numbers. For all other arrays, the indices of the
//! elements are sorted, and then the elements are read in that order.
//!
//! Absent: comparison sorts by orders that are not given by a key.

use std::error::Error as StdError;

use half::f16;

use super::{Acc, awhile, digits, fill, unit, zip};
use crate::array::{Array, Vector};
use crate::elt::{Bits, Elt, Integer, IntoExp, Num, Scalar};
use crate::exp::{Exp, cond};
use crate::foreign::{DeviceKind, foreign};

/// A type that arrays can be sorted by: scalars, characters, and tuples of these, which are compared lexicographically.
///
/// Floats are ordered as by their method `total_cmp`: -0.0 is before 0.0, and a NaN is after all numbers, or before them if its
/// sign is set.
///
/// ```
/// use warpwise::{Acc, Context, SortKey, Vector, enum_from};
///
/// fn least<K: SortKey + Clone>(keys: &Acc<Vector<K>>) -> Acc<Vector<K>> {
///     keys.sort().take(1)
/// }
///
/// assert_eq!(Context::new()?.run(&least(&enum_from(3, 7_u16)))?.to_vec(), [7]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "arrays cannot be sorted by `{Self}`",
    note = "they can by scalars, characters, and tuples of these"
)]
pub trait SortKey: Elt {
    /// Returns unsigned numbers in the order of the key, the most significant one first.
    #[doc(hidden)]
    fn digits(key: Self::View) -> Vec<Digits>;

    /// Returns the keys in ascending order, if each is a single number.
    #[doc(hidden)]
    #[track_caller]
    fn sorted(_keys: &Acc<Vector<Self>>) -> Option<Acc<Vector<Self>>> {
        None
    }
}

/// An unsigned number to sort by.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Digits {
    /// A number and its width in bits.
    Narrow(Exp<u32>, u32),
    /// A number of 64 bits.
    Wide(Exp<u64>),
}

/// An unsigned number type of [`Digits`].
trait Number: Scalar + Integer {
    fn digits(number: Exp<Self>, bits: u32) -> Digits;
    /// Returns the numbers in ascending order.
    fn sorted(numbers: &[Self]) -> Vec<Self>;
    /// Returns the indices of the numbers in ascending order, stably.
    fn places(numbers: &[Self]) -> Vec<i64>;
}

impl Number for u32 {
    fn digits(number: Exp<u32>, bits: u32) -> Digits {
        Digits::Narrow(number, bits)
    }

    fn sorted(numbers: &[u32]) -> Vec<u32> {
        digits::sorted(numbers.to_vec())
    }

    fn places(numbers: &[u32]) -> Vec<i64> {
        digits::places_of_narrow(numbers)
    }
}

impl Number for u64 {
    fn digits(number: Exp<u64>, _bits: u32) -> Digits {
        Digits::Wide(number)
    }

    fn sorted(numbers: &[u64]) -> Vec<u64> {
        digits::sorted(numbers.to_vec())
    }

    fn places(numbers: &[u64]) -> Vec<i64> {
        digits::places_of_wide(numbers)
    }
}

/// Maps scalars to one unsigned number of equal order, and back.
macro_rules! keys {
    ($($ty:ident: $number:ident of $bits:literal bits, $key:ident => $digits:expr, $back:ident => $inverse:expr;)*) => { $(
        impl SortKey for $ty {
            #[track_caller]
            fn digits($key: Exp<$ty>) -> Vec<Digits> {
                vec![<$number as Number>::digits($digits, $bits)]
            }

            #[track_caller]
            fn sorted(keys: &Acc<Vector<$ty>>) -> Option<Acc<Vector<$ty>>> {
                let numbers = keys.map(|$key| -> Exp<$number> { $digits });
                Some(sorted_numbers(&numbers, $bits).map(|$back: Exp<$number>| -> Exp<$ty> { $inverse }))
            }
        }
    )* };
}

keys! {
    bool: u32 of 1 bits, key => cond(key, 1_u32, 0), number => number.ne(0);
    u8: u32 of 8 bits, key => key.cast(), number => number.cast();
    u16: u32 of 16 bits, key => key.cast(), number => number.cast();
    u32: u32 of 32 bits, key => key, number => number;
    u64: u64 of 64 bits, key => key, number => number;
    usize: u64 of 64 bits, key => key.cast(), number => number.cast();
    i8: u32 of 8 bits, key => key.bitcast::<u8>().cast::<u32>() ^ 0x80, number => (number ^ 0x80).cast::<u8>().bitcast();
    i16: u32 of 16 bits, key => key.bitcast::<u16>().cast::<u32>() ^ 0x8000, number => (number ^ 0x8000).cast::<u16>().bitcast();
    i32: u32 of 32 bits, key => key.bitcast::<u32>() ^ 0x8000_0000, number => (number ^ 0x8000_0000).bitcast();
    i64: u64 of 64 bits, key => key.bitcast::<u64>() ^ (1 << 63), number => (number ^ (1 << 63)).bitcast();
    isize: u64 of 64 bits, key => key.bitcast::<u64>() ^ (1 << 63), number => (number ^ (1 << 63)).bitcast();
    f16: u32 of 16 bits, key => ordered(key.bitcast::<u16>().cast::<u32>(), 1 << 15, 0xffff),
        number => unordered(number, 1 << 15, 0xffff).cast::<u16>().bitcast();
    f32: u32 of 32 bits, key => ordered(key.bitcast::<u32>(), 1 << 31, u32::MAX),
        number => unordered(number, 1 << 31, u32::MAX).bitcast();
    f64: u64 of 64 bits, key => ordered(key.bitcast::<u64>(), 1 << 63, u64::MAX),
        number => unordered(number, 1 << 63, u64::MAX).bitcast();
    char: u32 of 21 bits, key => key.code(), number => Exp::from_code(number);
}

/// Maps a float's bits to an unsigned number of the same order: flips the sign bit, or all bits of a negative float.
#[track_caller]
fn ordered<T: Num + Bits>(bits: Exp<T>, sign: T, all: T) -> Exp<T> {
    bits ^ if_set(bits, sign, all, sign)
}

/// Recovers a float's bits from its unsigned number; the inverse of [`ordered`].
#[track_caller]
fn unordered<T: Num + Bits>(number: Exp<T>, sign: T, all: T) -> Exp<T> {
    number ^ if_set(number, sign, sign, all)
}

/// Chooses one of two constants, depending on the sign bit.
#[track_caller]
fn if_set<T: Num + Bits>(bits: Exp<T>, sign: T, set: T, unset: T) -> Exp<T> {
    let is_set = (bits & Exp::constant(sign)).ne(Exp::constant(T::of(0.0)));
    cond(is_set, Exp::constant(set), Exp::constant(unset)).into_exp()
}

macro_rules! tuples {
    ($($($name:ident $small:ident)*;)*) => { $(
        impl<$($name: SortKey),*> SortKey for ($($name,)*) {
            #[track_caller]
            fn digits(($($small,)*): Self::View) -> Vec<Digits> {
                [$($name::digits($small)),*].concat()
            }
        }
    )* };
}

tuples! {
    A a B b;
    A a B b C c;
    A a B b C c D d;
}

impl<E: Elt> Acc<Vector<E>> {
    /// Returns the elements in ascending order.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from([2.5, -1.0, 7.0]));
    /// assert_eq!(Context::new()?.run(&xs.sort())?.to_vec(), [-1.0, 2.5, 7.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn sort(&self) -> Acc<Vector<E>>
    where
        E: SortKey,
    {
        E::sorted(self).unwrap_or_else(|| self.sort_by_key(|x| x))
    }

    /// Returns the indices of the elements in ascending order, stably.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from(['c', 'a', 'b', 'a']));
    /// assert_eq!(Context::new()?.run(&xs.argsort())?.to_vec(), [1, 3, 2, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn argsort(&self) -> Acc<Vector<i64>>
    where
        E: SortKey,
    {
        self.argsort_by_key(|x| x)
    }

    /// Returns the elements in ascending order of their keys, stably.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let people = use_(&Array::from([(30_u32, 1.5_f32), (20, 1.6), (30, 1.4)]));
    /// let by_age = people.sort_by_key(|(age, _)| age);
    /// assert_eq!(Context::new()?.run(&by_age)?.to_vec(), [(20, 1.6), (30, 1.5), (30, 1.4)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn sort_by_key<R: IntoExp<Elt: SortKey>>(
        &self,
        key: impl FnOnce(E::View) -> R + Send,
    ) -> Acc<Vector<E>> {
        let places = self.argsort_by_key(key).reader();
        let elements = self.reader();
        super::generate(self.size(), move |i| elements.at_in_bounds(places.at_in_bounds(i)))
    }

    /// Returns the indices of the elements in ascending order of their keys, stably.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from([3_i32, -1, 2]));
    /// // In descending order.
    /// assert_eq!(Context::new()?.run(&xs.argsort_by_key(|x| -x))?.to_vec(), [0, 2, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn argsort_by_key<R: IntoExp<Elt: SortKey>>(
        &self,
        key: impl FnOnce(E::View) -> R + Send,
    ) -> Acc<Vector<i64>> {
        let keys = self.map(key);
        let mut places: Option<Acc<Vector<i64>>> = None;
        for number in (0..how_many::<R::Elt>()).rev() {
            let moved = match &places {
                Some(places) => keys.gather(places),
                None => keys.clone(),
            };
            let order = sorted_by_number(&moved, number);
            places = Some(match places {
                Some(places) => places.gather(&order),
                None => order,
            });
        }
        places.unwrap_or_else(|| super::enum_from(self.size(), 0_i64))
    }
}

/// Returns the number of unsigned numbers in a key.
#[track_caller]
fn how_many<K: SortKey>() -> usize {
    let mut count = 0;
    crate::exp::function1::<K, Exp<bool>>(|key| {
        count = K::digits(key).len();
        Exp::constant(true)
    });
    count
}

/// Returns the indices of keys in ascending order of one of their numbers, stably.
#[track_caller]
fn sorted_by_number<K: SortKey>(keys: &Acc<Vector<K>>, number: usize) -> Acc<Vector<i64>> {
    let mut width = None;
    let narrow = keys.map(|key| match K::digits(key)[number] {
        Digits::Narrow(digits, bits) => {
            width = Some(bits);
            digits
        }
        Digits::Wide(_) => Exp::constant(0_u32),
    });
    if let Some(bits) = width {
        return places_of_numbers(&narrow, bits);
    }
    let wide = keys.map(|key| match K::digits(key)[number] {
        Digits::Wide(digits) => digits,
        Digits::Narrow(..) => Exp::constant(0_u64),
    });
    places_of_numbers(&wide, 64)
}

/// Returns the indices of unsigned numbers of `bits` bits in ascending order.
#[track_caller]
fn places_of_numbers<T: Number>(numbers: &Acc<Vector<T>>, bits: u32) -> Acc<Vector<i64>> {
    let host = |numbers: Vector<T>| on_host(T::places(numbers.as_slice()));
    foreign(DeviceKind::Cpu, "sort", host, numbers, |numbers| {
        in_program(&numbers, bits).map(|(_, place)| place)
    })
}

/// Returns unsigned numbers of `bits` bits in ascending order.
#[track_caller]
fn sorted_numbers<T: Number>(numbers: &Acc<Vector<T>>, bits: u32) -> Acc<Vector<T>> {
    let host = |numbers: Vector<T>| on_host(T::sorted(numbers.as_slice()));
    foreign(DeviceKind::Cpu, "sort", host, numbers, |numbers| {
        in_program(&numbers, bits).map(|(number, _)| number)
    })
}

fn on_host<T: Scalar>(sorted: Vec<T>) -> Result<Vector<T>, Box<dyn StdError + Send + Sync>> {
    Ok(Array::from_vec([sorted.len()], sorted)?)
}

/// Returns unsigned numbers in ascending order with their indices, sorted two bits at a time.
#[track_caller]
fn in_program<T: Number>(numbers: &Acc<Vector<T>>, bits: u32) -> Acc<Vector<(T, i64)>> {
    let start = (zip(numbers, &super::enum_from(numbers.size(), 0_i64)), unit(0_u32));
    let (sorted, _) = awhile(
        &start,
        |(_, bit)| bit.the().lt(bits),
        |(pairs, bit)| (by_two_bits(&pairs, bit.the()), bit.map(|bit| bit + 2)),
    );
    sorted
}

/// Sorts by the two bits that start at `bit`.
#[track_caller]
fn by_two_bits<T: Number>(pairs: &Acc<Vector<(T, i64)>>, bit: Exp<u32>) -> Acc<Vector<(T, i64)>> {
    let digit = move |key: Exp<T>| (key >> bit.cast::<T>()) & Exp::constant(T::of(3.0));
    let is = move |key: Exp<T>, of: f64| digit(key).eq(Exp::constant(T::of(of))).to_int();
    let ones = pairs.map(move |(key, _)| [is(key, 0.0), is(key, 1.0), is(key, 2.0), is(key, 3.0)]);
    let (before, totals) =
        ones.scan_split([0_i64; 4], |x, y| [x[0] + y[0], x[1] + y[1], x[2] + y[2], x[3] + y[3]]);
    let totals = totals.the();
    let first = [Exp::constant(0), totals[0], totals[0] + totals[1], totals[0] + totals[1] + totals[2]];
    let (keys, before) = (pairs.reader(), before.reader());
    fill(pairs.size(), (Exp::constant(T::of(0.0)), 0_i64)).scatter_where(pairs, move |i| {
        let (digit, before) = (digit(keys.at_in_bounds(i).0), before.at_in_bounds(i));
        let place = |at: usize| first[at] + before[at];
        let is = |of: f64| digit.eq(Exp::constant(T::of(of)));
        let upper: Exp<i64> = cond(is(2.0), place(2), place(3));
        let lower: Exp<i64> = cond(is(1.0), place(1), upper);
        let place: Exp<i64> = cond(is(0.0), place(0), lower);
        (true, place)
    })
}
