//! An introduction: short example programs, and a table of names in other libraries. This module has no items.
//!
//! # Ten programs
//!
//! Each program computes with `context`, and may be copied as it stands:
//!
//! ```
//! # use warpwise::{Acc, All, Array, Boundary, Complex, ComplexExp, Context, Elt, Error, Exp, Matrix, Vector};
//! # use warpwise::{cond, enum_from, fill, generate, random, use_, while_};
//! let context = Context::new()?;
//!
//! // 1. A dot product, compiled once for vectors of all lengths.
//! let dot = context.compile(|xs: Acc<Vector<f64>>, ys: Acc<Vector<f64>>| (xs * ys).sum().the())?;
//! assert_eq!(dot.run(&Vector::from([1.0, 2.0]), &(0..2).map(f64::from).collect())?, 2.0);
//!
//! // 2. Every row of a matrix divided by its length.
//! let normalise = |m: Acc<Matrix<f64>>| &m / (&m * &m).sum().map(|x| x.sqrt()).insert_axis(1);
//! let rows = context.compile(normalise)?.run(&Matrix::from([[3.0, 4.0], [0.0, 2.0]]))?;
//! assert_eq!(rows, Matrix::from([[0.6, 0.8], [0.0, 1.0]]));
//!
//! // 3. Softmax of the rows.
//! let powers = |m: &Acc<Matrix<f32>>| (m - m.maximum().insert_axis(1)).map(|x| x.exp());
//! let softmax = context.compile(move |m: Acc<Matrix<f32>>| { let e = powers(&m); &e / e.sum().insert_axis(1) })?;
//! assert_eq!(softmax.run(&Matrix::from([[7.0, 7.0]]))?.to_vec(), [0.5, 0.5]);
//!
//! // 4. A generation of the game of life on a torus.
//! let life = context.compile(|world: Acc<Matrix<bool>>| {
//!     world.map(|alive| alive.to_int()).stencil(Boundary::Wrap, |[[a, b, c], [d, here, e], [f, g, h]]| {
//!         let neighbours = a + b + c + d + e + f + g + h;
//!         neighbours.eq(3) | (here.eq(1) & neighbours.eq(2))
//!     })
//! })?;
//! let blinker = Array::from_fn([5, 5], |[i, j]| i == 2 && (1..4).contains(&j))?;
//! assert_eq!(life.run(&life.run(&blinker)?)?, blinker);
//!
//! // 5. A sparse matrix times a vector: of each row how many elements there are, of each element the column and the value.
//! let times = |lengths: &Acc<Vector<i64>>, columns: &Acc<Vector<u32>>, values: &Acc<Vector<f64>>, x: &Acc<Vector<f64>>| {
//!     (values * x.gather(columns)).sum_segments(lengths)
//! };
//! let row_of = |n: i64| use_(&Array::from([n, 2 - n]));
//! let product = times(&row_of(0), &use_(&Array::from([0_u32, 1])), &use_(&Array::from([2.0, 3.0])), &fill(2, 10.0));
//! assert_eq!(context.run(&product)?.to_vec(), [0.0, 50.0]);
//!
//! // 6. How often each byte occurs, and the most frequent one.
//! let counts = use_(&Array::from(*b"hello world")).histogram(256);
//! assert_eq!(context.run(&counts.argmax())?[[]], i64::from(b'l'));
//!
//! // 7. Running totals, and what exceeds a limit.
//! let totals = enum_from(6, 1_i64).cumsum();
//! assert_eq!(context.run(&totals.filter(|x| x.gt(5)))?.to_vec(), [6, 10, 15, 21]);
//!
//! // 8. Pairs sorted by their keys, and the distinct keys.
//! let pairs = use_(&Array::from([(3_i32, 'c'), (1, 'a'), (3, 'b')]));
//! let (sorted, keys) = context.run(&(pairs.sort_by_key(|(key, _)| key), pairs.map(|(key, _)| key).unique()))?;
//! assert_eq!((sorted.to_vec(), keys.to_vec()), (vec![(1, 'a'), (3, 'c'), (3, 'b')], vec![1, 3]));
//!
//! // 9. How many steps a point of the plane takes to leave the Mandelbrot set.
//! let steps = generate([2, 3], |(i, j)| {
//!     let c = ComplexExp::new(j.cast::<f64>() - 2.0, i.cast::<f64>());
//!     while_((c, 0_i32), |(z, n)| z.norm_sqr().le(4.0) & n.lt(50), |(z, n)| (z * z + c, n + 1)).1
//! });
//! assert_eq!(context.run(&steps)?.to_vec(), [50, 50, 50, 0, 2, 50]);
//!
//! // 10. Pi from random points, the same ones on every device.
//! let points = random::uniform::<_, f64>((20_000, 2), 42);
//! let hits = (&points * &points).sum().map(|square| square.lt(1.0).to_int()).sum().the();
//! assert!((context.run(&hits)? as f64 / 5_000.0 - std::f64::consts::PI).abs() < 0.1);
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! # Literals
//!
//! Rust infers the types of literals from their surroundings. Within an expression the type is known: in `x * 2.0 + 1.0` and
//! `x.gt(0)` the literals have the type of `x`. Where an expression begins with a literal, no type is known, and Rust defaults to
//! `i32` and `f64`:
//!
//! | instead of | write | because |
//! |---|---|---|
//! | `while_((0, x), ..)` | `while_((0_i64, x), ..)` | the state has the type of its initial value |
//! | `unit(0)`, `fill(n, 0.0)`, `enum_from(n, 1)` | `unit(0_i64)`, `fill(n, 0.0_f32)`, `enum_from(n, 1_i64)` | the array has the type of the literal |
//! | `shape.cases(\|\| 0.0, \|x\| x)` | `shape.cases(\|\| Exp::constant(0.0_f32), \|x\| x)` | the first closure gives the result type |
//! | `T::from(0.5)` in generic code | `Exp::of(0.5)` | works for any number type |
//!
//! Constants of any element type, structs and enums included, stand for expressions where the type is known; elsewhere,
//! [`Exp::constant`] makes one. Comparisons are methods, `x.gt(y)` for `x > y`, because Rust's operators must return a `bool`;
//! [`equal`] and [`less`] compare tuples, structs and enums. Choices are written with [`cond`], because Rust's `if` needs the
//! value of its condition.
//!
//! # Rust's operators and ownership
//!
//! | instead of | write | because |
//! |---|---|---|
//! | `x.gt(0) && y.gt(0)`, <code>x \|\| y</code> | `x.gt(0) & y.gt(0)`, <code>x \| y</code> | `&&` takes only `bool`; [`and`](Exp::and) and [`or`](Exp::or) skip their second operand |
//! | `if c { x } else { y }` | `cond(c, x, y)` | `if` takes only `bool` |
//! | `x as f32` | `x.cast::<f32>()` | `as` converts only Rust's own numbers |
//! | `e / e.sum()` | `&e / e.sum().the()` | an operator moves an array that is not borrowed; a sum is an array of no dimensions, [`the`](crate::Acc::the) its element |
//! | `a.matmul(b)` | `a.matmul(&b)` | methods borrow the arrays that they take |
//! | `xs.map(\|x\| x / ys.at(0))` | `let first = ys.at(0);` before | closures use no arrays; elements at computed indices are read by a [`reader`](crate::Acc::reader) |
//! | `xs.insert_axis(1) * ys.insert_axis(0)` | `xs.replicate((All, m)) * ys.insert_axis(0)` | the extent of a new dimension is that of the other operand, or is given to [`replicate`](crate::Acc::replicate) |
//! | `Complex::new(x, y)`, `V3::new(x, y, z)` | `ComplexExp::new(x, y)`, `V3Exp::new(x, y, z)` | values of the host and expressions have different types |
//!
//! Extents and indices are tuples or arrays of integers, or one integer for a vector: `generate((h, w), ..)` and
//! `Array::from_vec([h, w], ..)` as well as the other way around.
//!
//! A compiled function names its parameters and results as the closure does, and is called with host values: arrays by reference,
//! scalars as they are.
//!
//! ```
//! use warpwise::{Acc, Context, Exp, Function, Vector};
//!
//! struct Model {
//!     norm: Function<(Acc<Vector<f32>>, Exp<f32>), Exp<f32>>,
//! }
//!
//! let norm = |xs: Acc<Vector<f32>>, unit: Exp<f32>| (&xs * &xs).sum().the().sqrt() / unit;
//! let model = Model { norm: Context::new()?.compile(norm)? };
//! assert_eq!(model.norm.run(&Vector::from([3.0, 4.0]), 2.0)?, 2.5);
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! # Names in other libraries
//!
//! | ndarray, NumPy | rayon, iterators | Accelerate | this crate |
//! |---|---|---|---|
//! | `Array1::from(vec)` | | `fromList` | [`Vector::from(vec)`](crate::Vector), [`Array::from_vec`], `collect()` |
//! | `Array2::from_shape_fn` | | `fromFunction` | [`Array::from_fn`] on the host, [`generate`] in a program |
//! | `arange` | `0..n` | `enumFromN` | [`enum_from`], [`enum_from_step`] |
//! | `zeros`, `from_elem` | `repeat` | `fill` | [`fill`] |
//! | | `par_iter()` | `use` | [`use_`], or a parameter of [`Context::compile`] |
//! | | `collect()` | `run`, `runN` | [`Context::run`], [`Function::run`](crate::Function) |
//! | `mapv` | `map` | `map` | [`map`](crate::Acc::map), [`imap`](crate::Acc::imap) with the index |
//! | `&a + &b`, `Zip` | `zip` | `zipWith` | `&a + &b`, [`zip_with`](crate::Acc::zip_with) |
//! | broadcasting, `insert_axis` | | `replicate` | [`insert_axis`](crate::Acc::insert_axis), [`replicate`](crate::Acc::replicate) |
//! | `sum_axis(Axis(last))` | `sum` | `sum` | [`sum`](crate::Acc::sum); along another dimension after [`transpose_on`](crate::Acc::transpose_on) |
//! | `sum()` of all elements | `sum` | `fold . flatten` | [`fold_all`](crate::Acc::fold_all), `flatten().sum()` |
//! | | `reduce` | `fold`, `fold1` | [`reduce`](crate::Acc::reduce) from a neutral element, [`fold`](crate::Acc::fold), [`fold1`](crate::Acc::fold1); of associative functions |
//! | `mean_axis`, `var_axis` | | | [`mean`](crate::Acc::mean), [`var`](crate::Acc::var) |
//! | `argmax` | `max_by_key` | `maximumBy` | [`argmax`](crate::Acc::argmax), [`argmin`](crate::Acc::argmin) |
//! | `dot` | | | [`dot`](crate::Acc::dot), [`matmul`](crate::Acc::matmul), [`matvec`](crate::Acc::matvec) |
//! | `cumsum` | | `scanl`, `scanl1` | [`cumsum`](crate::Acc::cumsum); [`scan`](crate::Acc::scan) and [`scan1`](crate::Acc::scan1) of associative functions |
//! | | `scan`, `fold` with a state | | a recurrence is a loop: [`while_`], [`Exp::iterate`] |
//! | `exp`, `sqrt`, `clip` | `map` | `map` | [`exp`](crate::Acc::exp), [`sqrt`](crate::Acc::sqrt), [`clamp`](crate::Acc::clamp), ...; others with [`map`](crate::Acc::map) |
//! | `max`, `min` of all elements | `max`, `min` | `maximum` | [`maximum`](crate::Acc::maximum), [`minimum`](crate::Acc::minimum); [`max`](crate::Acc::max) and [`min`](crate::Acc::min) compare with a scalar or array |
//! | `count_nonzero` | `filter(..).count()` | | `xs.map(\|x\| x.gt(0).to_int()).sum()` |
//! | | `enumerate`, `rev` | `indexed`, `reverse` | [`indexed`](crate::Acc::indexed) or [`imap`](crate::Acc::imap), [`reverse`](crate::Acc::reverse) |
//! | `slice(s![..-1, ..;2])` | `skip`, `step_by` | `slice` | [`slice((..-1, strided(.., 2)))`](crate::Acc::slice), [`skip`](crate::Acc::skip), [`take`](crate::Acc::take) |
//! | `row(i)` | | `slice` | [`slice((i, ..))`](crate::Acc::slice) |
//! | `a[[i, j]]` | `a[i]` | `a ! I2 i j` | [`a.at([i, j])`](crate::Acc::at), [`reader`](crate::Acc::reader) within closures |
//! | `select`, fancy indices | | `gather`, `backpermute` | [`gather`](crate::Acc::gather), [`backpermute`](crate::Acc::backpermute) |
//! | `np.add.at`, `bincount` | | `permute` | [`permute`](crate::Acc::permute), [`histogram`](crate::Acc::histogram) |
//! | `a[mask]` | `filter` | `filter` | [`filter`](crate::Acc::filter) |
//! | `t()`, `into_shape` | | `transpose`, `reshape` | [`transpose`](crate::Acc::transpose), [`reshape`](crate::Acc::reshape) |
//! | `concatenate` | `chain` | `++` | [`concat`](crate::Acc::concat), [`concat_on`](crate::Acc::concat_on) |
//! | `np.sort`, `argsort`, `unique` | `par_sort_by_key` | | [`sort`](crate::Acc::sort), [`sort_by_key`](crate::Acc::sort_by_key), [`argsort`](crate::Acc::argsort), [`unique`](crate::Acc::unique) |
//! | `windows` | `windows` | `stencil` | [`stencil`](crate::Acc::stencil) |
//! | `groupby` of pandas | `fold` into a `HashMap` | | [`group_by_key`](crate::Acc::group_by_key), then [`sum_segments`](crate::Acc::sum_segments) and the like |
//! | `np.where` | `if` | `?`, `cond` | [`cond`]; for whole arrays [`acond`] |
//! | a Rust loop | a Rust loop | `while`, `awhile` | [`while_`], [`Exp::iterate`]; for whole arrays [`awhile`] |
//! | `rand` | `rand` | `randomArray` | [`random`] |
//!
//! # Costs and guarantees
//!
//! * Building a program computes nothing. [`Context::compile`] compiles, in milliseconds to a second, and keeps the compiled
//!   code.
//! * Two arrays that are combined need not have equal extents: the result is as long as the shorter one, and no element is made
//!   up. Products of matrices and vectors, and concatenations, check the extents that must be equal.
//! * Functions of folds and scans must be associative, because elements are combined in groups. Otherwise the result is
//!   unspecified.
//! * Elementwise operations cost nothing by themselves: they are fused into the operations that use them. Arrays are stored in
//!   memory if they are results, are used several times, are marked with [`compute`](crate::Acc::compute), or are sorted,
//!   scattered, joined or reshaped.
//! * Floats are contracted: a product and the sum it is part of may be rounded once. Reductions are regrouped in a way that
//!   depends on the number of elements alone, so that a result does not depend on the number of threads.
//! * Every index that a program computes is checked, as are extents and integer divisions; an error names the line of the Rust
//!   program.

// Imports for the doc links.
#[allow(unused_imports)]
use crate::{
    Array, Context, Exp, acond, awhile, cond, enum_from, enum_from_step, equal, fill, generate, less, random,
    use_, while_,
};
