//! Shared values are computed once, and arrays that are not needed are not made.

use warpwise::{Acc, Array, Context, Exp, Vector, enum_from, generate, unit, use_};

use crate::run;

/// Returns the core IR of a computation.
fn shown<O: warpwise::Output>(computation: &O) -> String {
    Context::interpreter().show(computation).unwrap()
}

/// Counts the operations on arrays.
fn operations(text: &str) -> usize {
    text.matches("screma").count()
}

#[test]
fn blowup_is_linear() {
    let mut x = Exp::constant(1_i64);
    let mut xs = enum_from(3, 1_i64);
    for _ in 0..20 {
        x += x;
        xs = xs.zip_with(&xs, |x, y| x + y);
    }
    assert!(shown(&x).lines().count() < 30);
    assert_eq!(operations(&shown(&xs)), 21);
    assert_eq!(run(&x), 1 << 20);
    assert_eq!(run(&xs).to_vec(), [1 << 20, 2 << 20, 3 << 20]);
}

#[test]
fn shared_scalars_within_a_function_are_computed_once() {
    let xs = enum_from(4, 1.0_f64).map(|x| {
        let root = x.sqrt();
        root * root + root
    });
    assert_eq!(shown(&xs).matches("sqrt").count(), 1);
}

#[test]
fn chains_and_trees_of_maps_are_one_operation() {
    let xs = use_(&Array::from_vec([2], vec![1.0_f32, 2.0]).unwrap());
    assert_eq!(operations(&shown(&xs.map(|x| x + 1.0).map(|x| x * 2.0).map(|x| x - 3.0))), 1);
    let both = xs.map(|x| x + 1.0).zip_with(&xs.map(|x| x * 2.0), |x, y| x * y);
    assert_eq!(operations(&shown(&both)), 1);
    assert_eq!(operations(&shown(&both.sum())), 1);
    assert_eq!(operations(&shown(&generate(9, |i| i).backpermute(3, |i| i * 2).reverse().take(2).sum())), 1);
    assert_eq!(operations(&shown(&xs.map(|x| x + 1.0).compute().map(|x| x * 2.0))), 2);
}

#[test]
fn arrays_used_twice_are_computed_once() {
    let xs = use_(&Array::from_vec([2], vec![1.0_f32, 2.0]).unwrap());
    let ys = xs.map(|x| x.exp());
    let text = shown(&(ys.sum(), ys.product()));
    assert_eq!((operations(&text), text.matches("= exp ").count()), (3, 1));
}

/// Follows papers/004, section 5.3.2: components of tuples are fused separately.
#[test]
fn fusion_goes_through_tuples() {
    let xs = use_(&Array::from_vec([3], vec![1_i64, 2, 3]).unwrap());
    // A tuple whose components are used once each.
    let (a, b) = (xs.map(|x| x + 1), xs.map(|x| x * 2));
    assert_eq!(operations(&shown(&a.zip_with(&b, |x, y| x * y))), 1);
    // A delayable component used once, a scan, and a component used twice.
    let (a, b, c) = (generate(3, |i| i * i), xs.scan1(|x, y| x + y), xs.map(|x| x + 7));
    let both = (a.zip_with(&c, |x, y| x + y), c.zip_with(&b, |x, y| x * y));
    assert_eq!(operations(&shown(&both)), 4);
    // A tuple of arrays made from one array, one of them delayable.
    let b = xs.scan1_right(|x, y| x + y);
    let (first, second) = (b.map(|x| x + 1), b.scan1(|x, y| x + y));
    assert_eq!(operations(&shown(&first.zip_with(&second, |x, y| x + y))), 3);
    // Nested tuples.
    let ((a, b), c) = ((xs.map(|x| x + 1), xs.map(|x| x + 2)), xs.map(|x| x + 3));
    assert_eq!(operations(&shown(&warpwise::zip_with3(&a, &b, &c, |x, y, z| x + y + z))), 1);
}

#[test]
fn arrays_of_tuples_are_arrays_of_components() {
    let xs = use_(&Array::from_vec([2], vec![(1_i64, 2.0_f32), (3, 4.0)]).unwrap());
    let (numbers, floats) = xs.map(|(i, x)| (i + 1, x * 2.0)).unzip();
    assert_eq!(run(&numbers).to_vec(), [2, 4]);
    assert_eq!(run(&floats).to_vec(), [4.0, 8.0]);
}

#[test]
fn a_second_call_compiles_nothing() {
    let context = Context::cpu().unwrap();
    let double = |n: usize| {
        let xs = use_(&Array::from_vec([n], vec![1_i32; n]).unwrap());
        context.run(&xs.map(|x| x * 2)).unwrap().to_vec()
    };
    assert_eq!(double(3), [2; 3]);
    assert_eq!((double(0), double(7)), (vec![], vec![2; 7]));
    assert_eq!(context.compilations(), 1);
    let function = context.compile(|xs: Acc<Vector<i32>>| xs.map(|x| x * 2)).unwrap();
    for n in 0..5 {
        let xs = Array::from_vec([n], vec![4_i32; n]).unwrap();
        assert_eq!(function.run(&xs).unwrap().to_vec(), vec![8; n]);
    }
    assert_eq!(context.compilations(), 1, "the same program");
}

#[test]
fn what_only_one_side_of_a_choice_needs_is_computed_there() {
    let n = Exp::constant(0_i64);
    let quotient = warpwise::cond(n.ne(0), 10 / n, -1);
    assert_eq!(run(&unit(quotient)).to_vec(), [-1]);
}

#[test]
fn a_chain_of_many_operations_compiles() {
    let mut xs = enum_from(3, 0_i64);
    for _ in 0..250 {
        xs = xs.map(|x| x + 1);
    }
    assert_eq!(run(&xs).to_vec(), [250, 251, 252]);
    let mut x = Exp::constant(0_i64);
    for _ in 0..100_000 {
        x += 2;
    }
    drop(xs);
}
