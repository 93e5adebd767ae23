//! Elements made of elements: `()`, tuples, fixed-length arrays, and `char`.

use warpwise_prim::{Scalar as Value, ValueType};
use warpwise_runtime::array::Array as Column;

use super::{ColumnsMut, Elt, IntoExp, Operand, Values, count, split};
use crate::exp::Exp;

macro_rules! tuples {
    ($($($name:ident $small:ident $at:tt)*;)*) => { $(
        #[allow(unused_variables, unused_mut, unused_assignments, clippy::unused_unit)]
        impl<$($name: Elt),*> Elt for ($($name,)*) {
            type View = ($($name::View,)*);

            fn components(into: &mut Vec<ValueType>) {
                $($name::components(into);)*
            }

            fn store(&self, into: &mut Vec<Value>) {
                let ($($small,)*) = self;
                $($small.store(into);)*
            }

            fn load(from: &mut Values<'_>) -> Option<Self> {
                Some(($($name::load(from)?,)*))
            }

            fn write<'e>(elements: impl Iterator<Item = &'e Self> + Clone, columns: &mut ColumnsMut<'_>) {
                $($name::write(elements.clone().map(|element| &element.$at), columns);)*
            }

            fn reader(mut columns: &[Column]) -> Option<impl Fn(usize) -> Self> {
                $(let $small = $name::reader(split::<$name>(&mut columns))?;)*
                Some(move |place: usize| ($($small(place),)*))
            }

            fn view(exp: Exp<Self>) -> Self::View {
                let mut start = 0;
                ($({
                    let part = exp.part::<$name>(start);
                    start += count::<$name>();
                    $name::view(part)
                },)*)
            }
        }

        impl<$($name: IntoExp),*> IntoExp for ($($name,)*) {
            type Elt = ($($name::Elt,)*);

            #[track_caller]
            fn into_exp(self) -> Exp<Self::Elt> {
                let ($($small,)*) = self;
                Exp::join(vec![$($small.into_exp().node()),*])
            }
        }

        tuples!(@operand $($name $small)*);
    )* };
    (@operand $($name:ident $small:ident)*) => { paste_operands!($($name $small)*); };
}

/// Implements `Operand` for a tuple: every part is an operand of its type.
macro_rules! paste_operands {
    () => {
        impl Operand<()> for () {
            fn operand(self) -> Exp<()> {
                Exp::join(Vec::new())
            }
        }
    };
    (A a) => { operands!(A a XA); };
    (A a B b) => { operands!(A a XA B b XB); };
    (A a B b C c) => { operands!(A a XA B b XB C c XC); };
    (A a B b C c D d) => { operands!(A a XA B b XB C c XC D d XD); };
    (A a B b C c D d E e) => { operands!(A a XA B b XB C c XC D d XD E e XE); };
    (A a B b C c D d E e F f) => { operands!(A a XA B b XB C c XC D d XD E e XE F f XF); };
    (A a B b C c D d E e F f G g) => { operands!(A a XA B b XB C c XC D d XD E e XE F f XF G g XG); };
    (A a B b C c D d E e F f G g H h) => {
        operands!(A a XA B b XB C c XC D d XD E e XE F f XF G g XG H h XH);
    };
    (A a B b C c D d E e F f G g H h I i) => {
        operands!(A a XA B b XB C c XC D d XD E e XE F f XF G g XG H h XH I i XI);
    };
    (A a B b C c D d E e F f G g H h I i J j) => {
        operands!(A a XA B b XB C c XC D d XD E e XE F f XF G g XG H h XH I i XI J j XJ);
    };
    (A a B b C c D d E e F f G g H h I i J j K k) => {
        operands!(A a XA B b XB C c XC D d XD E e XE F f XF G g XG H h XH I i XI J j XJ K k XK);
    };
    (A a B b C c D d E e F f G g H h I i J j K k L l) => {
        operands!(A a XA B b XB C c XC D d XD E e XE F f XF G g XG H h XH I i XI J j XJ K k XK L l XL);
    };
    (A a B b C c D d E e F f G g H h I i J j K k L l M m) => {
        operands!(A a XA B b XB C c XC D d XD E e XE F f XF G g XG H h XH I i XI J j XJ K k XK L l XL M m XM);
    };
    (A a B b C c D d E e F f G g H h I i J j K k L l M m N n) => {
        operands!(A a XA B b XB C c XC D d XD E e XE F f XF G g XG H h XH I i XI J j XJ K k XK L l XL M m XM N n XN);
    };
    (A a B b C c D d E e F f G g H h I i J j K k L l M m N n O o) => {
        operands!(A a XA B b XB C c XC D d XD E e XE F f XF G g XG H h XH I i XI J j XJ K k XK L l XL M m XM N n XN O o XO);
    };
    (A a B b C c D d E e F f G g H h I i J j K k L l M m N n O o P p) => {
        operands!(A a XA B b XB C c XC D d XD E e XE F f XF G g XG H h XH I i XI J j XJ K k XK L l XL M m XM N n XN O o XO P p XP);
    };
}

macro_rules! operands {
    ($($name:ident $small:ident $operand:ident)*) => {
        impl<$($name: Elt, $operand: Operand<$name>),*> Operand<($($name,)*)> for ($($operand,)*) {
            #[track_caller]
            fn operand(self) -> Exp<($($name,)*)> {
                let ($($small,)*) = self;
                Exp::join(vec![$($small.operand().node()),*])
            }
        }
    };
}

tuples! {
    ;
    A a 0;
    A a 0 B b 1;
    A a 0 B b 1 C c 2;
    A a 0 B b 1 C c 2 D d 3;
    A a 0 B b 1 C c 2 D d 3 E e 4;
    A a 0 B b 1 C c 2 D d 3 E e 4 F f 5;
    A a 0 B b 1 C c 2 D d 3 E e 4 F f 5 G g 6;
    A a 0 B b 1 C c 2 D d 3 E e 4 F f 5 G g 6 H h 7;
    A a 0 B b 1 C c 2 D d 3 E e 4 F f 5 G g 6 H h 7 I i 8;
    A a 0 B b 1 C c 2 D d 3 E e 4 F f 5 G g 6 H h 7 I i 8 J j 9;
    A a 0 B b 1 C c 2 D d 3 E e 4 F f 5 G g 6 H h 7 I i 8 J j 9 K k 10;
    A a 0 B b 1 C c 2 D d 3 E e 4 F f 5 G g 6 H h 7 I i 8 J j 9 K k 10 L l 11;
    A a 0 B b 1 C c 2 D d 3 E e 4 F f 5 G g 6 H h 7 I i 8 J j 9 K k 10 L l 11 M m 12;
    A a 0 B b 1 C c 2 D d 3 E e 4 F f 5 G g 6 H h 7 I i 8 J j 9 K k 10 L l 11 M m 12 N n 13;
    A a 0 B b 1 C c 2 D d 3 E e 4 F f 5 G g 6 H h 7 I i 8 J j 9 K k 10 L l 11 M m 12 N n 13 O o 14;
    A a 0 B b 1 C c 2 D d 3 E e 4 F f 5 G g 6 H h 7 I i 8 J j 9 K k 10 L l 11 M m 12 N n 13 O o 14 P p 15;
}

impl<T: Elt, const N: usize> Elt for [T; N] {
    type View = [T::View; N];

    fn components(into: &mut Vec<ValueType>) {
        for _ in 0..N {
            T::components(into);
        }
    }

    fn store(&self, into: &mut Vec<Value>) {
        for element in self {
            element.store(into);
        }
    }

    fn load(from: &mut Values<'_>) -> Option<Self> {
        let elements: Option<Vec<T>> = (0..N).map(|_| T::load(from)).collect();
        elements?.try_into().ok()
    }

    fn write<'e>(elements: impl Iterator<Item = &'e Self> + Clone, columns: &mut ColumnsMut<'_>) {
        for at in 0..N {
            T::write(elements.clone().map(|element| &element[at]), columns);
        }
    }

    fn reader(mut columns: &[Column]) -> Option<impl Fn(usize) -> Self> {
        let readers: Option<Vec<_>> = (0..N).map(|_| T::reader(split::<T>(&mut columns))).collect();
        let readers = readers?;
        Some(move |place: usize| std::array::from_fn(|at| readers[at](place)))
    }

    fn view(exp: Exp<Self>) -> Self::View {
        let width = count::<T>();
        std::array::from_fn(|i| T::view(exp.part::<T>(i * width)))
    }
}

impl<X: IntoExp, const N: usize> IntoExp for [X; N] {
    type Elt = [X::Elt; N];

    #[track_caller]
    fn into_exp(self) -> Exp<Self::Elt> {
        Exp::join(self.map(|x| x.into_exp().node()).to_vec())
    }
}

impl<T: Elt, X: Operand<T>, const N: usize> Operand<[T; N]> for [X; N] {
    #[track_caller]
    fn operand(self) -> Exp<[T; N]> {
        Exp::join(self.map(|x| x.operand().node()).to_vec())
    }
}

/// Stored as its code point.
impl Elt for char {
    type View = Exp<char>;

    fn components(into: &mut Vec<ValueType>) {
        into.push(ValueType::U32);
    }

    fn store(&self, into: &mut Vec<Value>) {
        (*self as u32).store(into);
    }

    fn load(from: &mut Values<'_>) -> Option<char> {
        char::from_u32(u32::load(from)?)
    }

    fn write<'e>(elements: impl Iterator<Item = &'e char> + Clone, columns: &mut ColumnsMut<'_>) {
        let bytes = columns.next().unwrap_or_default();
        for (place, element) in bytes.chunks_exact_mut(size_of::<char>()).zip(elements) {
            place.copy_from_slice(&(*element as u32).to_ne_bytes());
        }
    }

    fn reader(columns: &[Column]) -> Option<impl Fn(usize) -> char> {
        let codes = columns.first()?.as_slice::<u32>()?;
        let valid = codes.iter().all(|code| char::from_u32(*code).is_some());
        valid.then_some(move |place: usize| char::from_u32(codes[place]).unwrap_or_default())
    }

    fn view(exp: Exp<char>) -> Exp<char> {
        exp
    }
}

impl IntoExp for char {
    type Elt = char;

    fn into_exp(self) -> Exp<char> {
        Exp::constant(self)
    }
}

impl Operand<char> for char {
    fn operand(self) -> Exp<char> {
        Exp::constant(self)
    }
}
