//! Handles keep no host array that the program has dropped.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use warpwise::{
    Acc, All, Array, Boundary, Context, Exp, Vector, cond, enum_from, fill, generate, unit, use_, while_,
};

/// Elements of an array, which count as alive until they are dropped.
struct Counted {
    elements: [f32; 8],
    alive: Arc<AtomicUsize>,
}

impl AsRef<[f32]> for Counted {
    fn as_ref(&self) -> &[f32] {
        &self.elements
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

fn counted(alive: &Arc<AtomicUsize>) -> Vector<f32> {
    alive.fetch_add(1, Ordering::Relaxed);
    let elements = std::array::from_fn(|at| at as f32 + 1.0);
    Array::from_owner([8], Counted { elements, alive: Arc::clone(alive) }).unwrap()
}

/// Returns the number of arrays that an operation keeps after many runs, each on an array of its own.
fn kept<O: warpwise::Output>(times: usize, operation: impl Fn(&Acc<Vector<f32>>) -> O) -> usize {
    let context = Context::interpreter();
    let alive = Arc::new(AtomicUsize::new(0));
    for _ in 0..times {
        let array = counted(&alive);
        context.run(&operation(&use_(&array))).unwrap();
    }
    alive.load(Ordering::Relaxed)
}

/// Tests that an operation keeps no arrays beyond those of the last expressions.
macro_rules! keeps_little {
    ($($name:ident: |$xs:ident| $operation:expr;)*) => { $(
        #[test]
        fn $name() {
            let kept = kept(1000, |$xs| $operation);
            assert!(kept <= 4, "{kept} arrays are kept");
        }
    )* };
}

fn matrix(xs: &Acc<Vector<f32>>) -> Acc<warpwise::Matrix<f32>> {
    xs.reshape((2, 4))
}

/// Returns the indices of the elements.
fn places(xs: &Acc<Vector<f32>>) -> Acc<Vector<i64>> {
    xs.imap(|at, _| at)
}

/// Returns the lengths of four segments.
fn lengths() -> Acc<Vector<i64>> {
    fill(4, 2_i64)
}

keeps_little! {
    extents: |xs| xs.extents();
    sizes: |xs| (xs.size(), xs.is_empty(), xs.inner_extent());
    elements: |xs| (xs.at(1), xs.sum().the(), xs.reader().at(2));
    units: |xs| unit(xs.at(1) + 1.0);
    scalars: |xs| cond(xs.at(0).lt(xs.at(1)), xs.at(0).sqrt(), -xs.at(1));
    loops: |xs| while_(xs.size(), |n| n.lt(100), |n| n * 2);
    rounds: |xs| Exp::constant(1.0_f32).iterate(xs.size(), |_, x| x * 1.5);
    constructions: |xs| (fill(xs.size(), xs.at(0)), enum_from(xs.size(), 1_i32));
    generation: |xs| { let reader = xs.reader(); generate(xs.size(), move |at| reader.at(at)) };
    maps: |xs| { let first = xs.at(0); (xs.map(move |x| x + first), xs.imap(|at, x| x + at.cast::<f32>())) };
    zips: |xs| (xs.zip(xs), xs.zip_with(&xs.reverse(), |x, y| x - y), xs.indexed());
    folds: |xs| { let first = xs.at(0); (xs.fold(first, |x, y| x + y), xs.fold1(|x, y| x.max(y)), xs.reduce(0.0, |x, y| x + y)) };
    whole_folds: |xs| (matrix(xs).fold_all(0.0, |x, y| x + y), matrix(xs).fold1_all(|x, y| x * y));
    sums: |xs| (xs.sum(), xs.product(), xs.minimum(), xs.maximum());
    truths: |xs| (xs.all(|x| x.gt(0.0)), xs.any(|x| x.gt(3.0)));
    scans: |xs| (xs.scan(0.0, |x, y| x + y), xs.postscan(1.0, |x, y| x * y), xs.prescan(0.0, |x, y| x + y), xs.scan1(|x, y| x + y));
    scans_from_the_right: |xs| (
        xs.scan_right(0.0, |x, y| x + y),
        xs.postscan_right(0.0, |x, y| x + y),
        xs.prescan_right(0.0, |x, y| x + y),
        xs.scan1_right(|x, y| x + y)
    );
    split_scans: |xs| (xs.scan_split(0.0, |x, y| x + y), xs.scan_right_split(0.0, |x, y| x + y));
    segmented_folds: |xs| (xs.fold_segments(0.0, &lengths(), |x, y| x + y), xs.fold1_segments(&lengths(), |x, y| x.min(y)));
    segmented_scans: |xs| (
        xs.prescan_segments(0.0, &lengths(), |x, y| x + y),
        xs.postscan_segments(0.0, &lengths(), |x, y| x + y),
        xs.scan1_segments(&lengths(), |x, y| x + y)
    );
    stencils: |xs| (
        xs.stencil(Boundary::Clamp, |[x, _, y]| x + y),
        matrix(xs).stencil(Boundary::Constant(0.0), |[[_, x, _], [_, y, _], [_, z, _]]| x + y + z),
        xs.stencil2(Boundary::Mirror, xs, Boundary::Wrap, |[x], [y, _, _]| x * y)
    );
    filters: |xs| (xs.filter(|x| x.gt(2.0)), xs.filter_counted(|x| x.gt(2.0)));
    permutations: |xs| fill(8, 0.0_f32).permute(xs, |x, y| x + y, |at| (true, at / 2));
    scatters: |xs| (fill(8, 0.0_f32).scatter(&places(xs), xs), xs.scatter_where(xs, |at| (at.gt(1), at)));
    reshapes: |xs| (matrix(xs), matrix(xs).flatten(), matrix(xs).transpose());
    gathers: |xs| (xs.gather(&places(xs)), xs.backpermute(xs.size() / 2, |at| at * 2));
    slices: |xs| (matrix(xs).slice((1, All)), xs.replicate((xs.size(), All)));
    parts: |xs| (xs.take(3), xs.skip(3), xs.init(), xs.tail(), xs.slit(1, 2));
    parts_of_dimensions: |xs| (
        matrix(xs).take_on(0, 1),
        matrix(xs).skip_on(0, 1),
        matrix(xs).init_on(1),
        matrix(xs).tail_on(0),
        matrix(xs).slit_on(1, 1, 2)
    );
    reversals: |xs| (xs.reverse(), matrix(xs).reverse_on(0), matrix(xs).transpose_on(0, 1));
    joins: |xs| (xs.concat(xs), matrix(xs).concat_on(0, &matrix(xs)));
    expansions: |xs| xs.expand(|x| x.cast::<i64>(), |x, at| x + at.cast::<f32>());
    computed: |xs| xs.map(|x| x + 1.0).compute();
    choices_of_arrays: |xs| warpwise::acond(xs.size().gt(3), xs, &xs.reverse());
    loops_of_arrays: |xs| warpwise::awhile(xs, |xs| xs.size().lt(10), |xs| xs.concat(&xs));
}

#[test]
fn scalars_are_known_while_the_program_has_their_arrays() {
    let context = Context::interpreter();
    let alive = Arc::new(AtomicUsize::new(0));
    let array = counted(&alive);
    let (size, first) = (use_(&array).size(), use_(&array).at(0));
    let held = use_(&counted(&alive));
    let last = held.at(7);
    for step in 0..100 {
        context.run(&use_(&counted(&alive)).map(move |x| x + Exp::constant(step as f32))).unwrap();
    }
    assert_eq!(context.run(&(size, first, last)).unwrap(), (8, 1.0, 8.0));
    assert!(alive.load(Ordering::Relaxed) <= 4);
    drop(held);
    drop(array);
    for _ in 0..100 {
        context.run(&Exp::constant(1)).unwrap();
    }
    assert_eq!(alive.load(Ordering::Relaxed), 0);
    let error = context.run(&size).unwrap_err().to_string();
    assert!(error.contains("after the arrays that it reads are gone"), "{error}");
}

#[test]
fn scalars_that_read_nothing_are_known_for_long() {
    let context = Context::interpreter();
    let factor = Exp::constant(3_i64) * 7;
    for step in 0..500 {
        context.run(&Exp::constant(step)).unwrap();
    }
    assert_eq!(context.run(&factor).unwrap(), 21);
}

#[test]
fn scalars_of_arrays_that_are_gone_last_as_long_as_they_are_used() {
    let context = Context::interpreter();
    let alive = Arc::new(AtomicUsize::new(0));
    let total = use_(&counted(&alive)).sum().the();
    for _ in 0..10 {
        assert_eq!(context.run(&total).unwrap(), 36.0);
    }
}
