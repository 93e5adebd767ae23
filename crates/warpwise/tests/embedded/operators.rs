//! Operators, slices, indices and summaries of whole arrays, compared with loops.

use warpwise::{Acc, All, Array, Error, Exp, Matrix, Vector, enum_from, fill, generate, strided, unit, use_};

use crate::{contexts, run};

/// Extents of arrays with no, one and several elements.
const EXTENTS: [(usize, usize); 5] = [(0, 3), (3, 0), (1, 1), (2, 5), (40, 33)];

fn matrix((n, m): (usize, usize)) -> Matrix<f64> {
    Array::from_fn([n, m], |[i, j]| ((i * 7 + j * 3) % 11) as f64 - 4.0).unwrap()
}

#[test]
fn operators_combine_arrays_and_scalars() {
    let (xs, ys) = (enum_from(4, 1_i32), enum_from(4, 10_i32));
    let three = Exp::constant(3);
    let of_arrays = (&xs + &ys, xs.clone() - ys.clone(), &xs * ys.clone(), ys.clone() / &xs, &ys % &xs);
    let of_scalars = (&xs + 1, 1 - &xs, xs.clone() * three, three / xs.clone(), &xs & 1, 8 | &xs, !&xs, -&xs);
    let found = run(&of_arrays);
    assert_eq!(found.0.to_vec(), [11, 13, 15, 17]);
    assert_eq!(found.1.to_vec(), [-9; 4]);
    assert_eq!(found.2.to_vec(), [10, 22, 36, 52]);
    assert_eq!(found.3.to_vec(), [10, 5, 4, 3]);
    assert_eq!(found.4.to_vec(), [0, 1, 0, 1]);
    let found = run(&of_scalars);
    assert_eq!(found.0.to_vec(), [2, 3, 4, 5]);
    assert_eq!(found.1.to_vec(), [0, -1, -2, -3]);
    assert_eq!(found.2.to_vec(), [3, 6, 9, 12]);
    assert_eq!(found.3.to_vec(), [3, 1, 1, 0]);
    assert_eq!(found.4.to_vec(), [1, 0, 1, 0]);
    assert_eq!(found.5.to_vec(), [9, 10, 11, 12]);
    assert_eq!(found.6.to_vec(), [-2, -3, -4, -5]);
    assert_eq!(found.7.to_vec(), [-1, -2, -3, -4]);
    let sizes = use_(&Array::from([7_usize, 2]));
    assert_eq!(run(&((&sizes + 1) * 2 - sizes.map(|n| 3 % n))).to_vec(), [13, 5]);
    let window = xs.stencil(warpwise::Boundary::Wrap, |around: [_; 3]| around.iter().sum::<Exp<i32>>());
    assert_eq!(run(&window).to_vec(), [7, 6, 9, 8]);
    assert_eq!(run(&std::iter::empty::<Exp<u8>>().product::<Exp<u8>>()), 1);
    let single = unit(2.0_f32) * 4.0 - unit(1.0_f32);
    assert_eq!(run(&single).to_vec(), [7.0]);
    assert_eq!(run(&(xs.gt(2) & ys.ne(&xs))).to_vec(), [false, false, true, true]);
}

#[test]
fn rows_and_columns_are_repeated_along_new_dimensions() {
    for context in contexts() {
        let function = context.compile(|m: Acc<Matrix<f64>>| {
            let (rows, columns) = (m.sum(), m.transpose().sum());
            let outer = rows.insert_axis(1) * columns.insert_axis(0).like(&m);
            (&m / rows.insert_axis(1), columns.insert_axis(0) - &m, outer)
        });
        let function = function.unwrap();
        for (n, k) in EXTENTS {
            let m = matrix((n, k));
            let at = |i: usize, j: usize| m[[i, j]];
            let row = |i: usize| (0..k).map(|j| at(i, j)).sum::<f64>();
            let column = |j: usize| (0..n).map(|i| at(i, j)).sum::<f64>();
            let table = |f: &dyn Fn(usize, usize) -> f64| Array::from_fn([n, k], |[i, j]| f(i, j)).unwrap();
            let (shares, differences, outer) = function.run(&m).unwrap();
            assert_eq!(shares, table(&|i, j| at(i, j) / row(i)));
            assert_eq!(differences, table(&|i, j| column(j) - at(i, j)));
            assert_eq!(outer, table(&|i, j| row(i) * column(j)));
        }
    }
}

#[test]
fn functions_of_numbers_work_on_whole_arrays() {
    let (xs, limits) = (use_(&Vector::from([-4.0, 0.25, 9.0])), use_(&Vector::from([1.0, 0.0, 1.0])));
    let all = (xs.abs().sqrt(), xs.min(1.0), xs.max(&limits), xs.clamp(0.0, 1.0), xs.powi(2));
    let (roots, least, greatest, clamped, squares) = run(&all);
    assert_eq!((roots.to_vec(), least.to_vec()), (vec![2.0, 0.5, 3.0], vec![-4.0, 0.25, 1.0]));
    assert_eq!((greatest.to_vec(), clamped.to_vec()), (vec![1.0, 0.25, 9.0], vec![0.0, 0.25, 1.0]));
    assert_eq!(squares.to_vec(), [16.0, 0.0625, 81.0]);
    let table = enum_from(2, 1).replicate((All, 3)) * enum_from(3, 1).insert_axis(0);
    assert_eq!(run(&table).to_vec(), [1, 2, 3, 2, 4, 6]);
}

#[test]
fn a_dimension_is_inserted_among_those_there_are() {
    let wrong = enum_from(3, 1).insert_axis(2).like(&fill((3, 3), 1));
    let Err(Error::Program { message, place }) = contexts()[0].run(&wrong) else { panic!() };
    assert_eq!(message, "a dimension 2 cannot be inserted among 1 dimensions");
    assert!(place.contains("operators.rs"), "{place}");
}

#[test]
fn slices_are_ranges_with_steps() {
    for context in contexts() {
        let function = context.compile(|m: Acc<Matrix<f64>>, from: Exp<i64>, to: Exp<i64>| {
            let stored =
                (m.slice((from..to, ..)), m.slice((1, 1..)), m.slice((strided(.., 2), strided(from.., 3))));
            let delayed = m.map(|x| x + 1.0);
            (
                stored,
                delayed.slice((..=to, strided(from..to, 2))),
                delayed.flatten().slice(strided(from..to, 4)),
            )
        });
        let function = function.unwrap();
        let m = matrix((5, 9));
        for (from, to) in [(0, 0), (0, 9), (1, 4), (-3, 2), (4, 3), (2, 100)] {
            let clamped = |at: i64, extent: usize| at.clamp(0, extent as i64) as usize;
            let range = |extent| (clamped(from, extent), clamped(to, extent).max(clamped(from, extent)));
            let select = |rows: Vec<usize>, columns: Vec<usize>, add: f64| {
                let rows_of = |&i: &usize| columns.iter().map(move |&j| (i, j)).collect::<Vec<_>>();
                rows.iter().flat_map(rows_of).map(|(i, j)| m[[i, j]] + add).collect::<Vec<f64>>()
            };
            let ((rows, row, table), delayed, flat) = function.run(&m, from, to).unwrap();
            let (start, end) = range(5);
            assert_eq!(rows.to_vec(), select((start..end).collect(), (0..9).collect(), 0.0));
            assert_eq!(row.to_vec(), select(vec![1], (1..9).collect(), 0.0));
            let (start, end) = range(9);
            let by = |from: usize, to: usize, step| (from..to).step_by(step).collect::<Vec<usize>>();
            assert_eq!(table.to_vec(), select(by(0, 5, 2), by(start, 9, 3), 0.0));
            let upto = by(0, clamped(to + 1, 5), 1);
            assert_eq!(delayed.to_vec(), select(upto, by(start, end, 2), 1.0), "{from}..{to}");
            let (start, end) = range(45);
            let expected: Vec<f64> =
                by(start, end, 4).into_iter().map(|at| m[[at / 9, at % 9]] + 1.0).collect();
            assert_eq!(flat.to_vec(), expected);
        }
    }
    let Err(Error::Program { message, .. }) = contexts()[0].run(&enum_from(3, 1).slice(strided(.., 0)))
    else {
        panic!()
    };
    assert_eq!(message, "a slice cannot go by steps of 0");
}

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn negative_constants_count_from_the_end() {
    let (xs, m) = (enum_from(5, 0_i32), enum_from((2, 3), 0_i32));
    let slices = (xs.slice(..-1), xs.slice(-2..), xs.slice(-4..-2), xs.slice(..=-2), xs.slice(1..=-1));
    let (init, last, middle, upto, tail) = run(&slices);
    assert_eq!((init.to_vec(), last.to_vec()), (vec![0, 1, 2, 3], vec![3, 4]));
    assert_eq!(
        (middle.to_vec(), upto.to_vec(), tail.to_vec()),
        (vec![1, 2], vec![0, 1, 2, 3], vec![1, 2, 3, 4])
    );
    let (before, beyond, every) = run(&(xs.slice(..-5), xs.slice(-9..2), xs.slice(strided(-4_i8.., 2))));
    assert_eq!((before.len(), beyond.to_vec(), every.to_vec()), (0, vec![0, 1], vec![1, 3]));
    assert_eq!(run(&m.slice((-1, ..-1))).to_vec(), [3, 4]);
    assert_eq!(run(&enum_from(0, 0).slice(-1..)).len(), 0);
    assert!(contexts()[0].run(&xs.slice(-6)).is_err());
}

#[test]
fn extents_of_the_host_are_arrays_or_tuples() {
    let table = Array::from_vec((2, 3), (0..6).collect()).unwrap();
    assert_eq!(table, Array::from_vec([2, 3], (0..6).collect()).unwrap());
    assert_eq!(table, Array::from_fn((2, 3), |(i, j)| (i * 3 + j) as i32).unwrap());
    assert_eq!(Array::from_fn(3, |i| i).unwrap().to_vec(), [0, 1, 2]);
    assert_eq!(table.reshaped((1, 3, 2)).unwrap().get([0, 2, 1]), Some(5));
    assert_eq!(table.reshaped(6).unwrap()[5], 5);
}

#[test]
fn indices_and_extents_are_integers_of_any_type() {
    let (n, m) = (2_usize, 3_u32);
    let table = generate([n, 3], |(i, j)| i * 10 + j);
    let also = generate((n, m), |(i, j)| i * 10 + j);
    let (table, also) = run(&(table, also));
    assert_eq!(table, also);
    let xs = enum_from((2, 3), 1);
    let (i, j) = (Exp::constant(1_u8), Exp::constant(2_i32));
    let found = run(&(xs.at((i, j)), xs.at([1, 2]), xs.at((1_usize, 2)), xs.reader().at([i, i])));
    assert_eq!(found, (6, 6, 6, 5));
    let sizes = use_(&Array::from([2_usize, 0]));
    assert_eq!(run(&enum_from(3, 5).gather(&sizes)).to_vec(), [7, 5]);
    let places = use_(&Array::from([1_u16, 0]));
    let moved = fill(2_u8, 0).scatter(&places, &enum_from(2_usize, 7));
    assert_eq!(run(&(enum_from(3, 5).gather(&places), moved)).1.to_vec(), [8, 7]);
    assert_eq!(run(&enum_from(5, 0).skip(1_u8).take(2_usize)).to_vec(), [1, 2]);
    // A value that is not a valid number of elements is an error, and not converted to another number.
    assert!(contexts()[0].run(&fill(u64::MAX, 1)).is_err());
    assert!(contexts()[0].run(&xs.at((0, u64::MAX))).is_err());
}

#[test]
fn summaries_are_those_of_loops() {
    for context in contexts() {
        let function = context.compile(|m: Acc<Matrix<f64>>| {
            let square = m.matmul(&m.transpose());
            let places = m.map(|x| x.cast::<i64>());
            (m.mean(), m.var(0), m.cumsum(), square, places.histogram(5))
        });
        let function = function.unwrap();
        for (n, k) in EXTENTS {
            let m = matrix((n, k));
            let (means, variances, sums, square, counts) = function.run(&m).unwrap();
            let row = |i: usize| (0..k).map(move |j| (i, j));
            let close = |found: f64, expected: f64| {
                (found - expected).abs() < 1e-9 || (found.is_nan() && expected.is_nan())
            };
            for i in 0..n {
                let mean = row(i).map(|(i, j)| m[[i, j]]).sum::<f64>() / k as f64;
                let variance = row(i).map(|(i, j)| (m[[i, j]] - mean).powi(2)).sum::<f64>() / k as f64;
                assert!(close(means[i], mean) && close(variances[i], variance), "{n} {k}");
                for j in 0..n {
                    let product = (0..k).map(|l| m[[i, l]] * m[[j, l]]).sum::<f64>();
                    assert!(close(square[[i, j]], product));
                }
                for j in 0..k {
                    assert!(close(sums[[i, j]], (0..=j).map(|l| m[[i, l]]).sum()));
                }
            }
            let count = |bin: i64| m.as_slice().iter().filter(|&&x| x as i64 == bin).count() as i64;
            assert_eq!(counts.to_vec(), (0..5).map(count).collect::<Vec<_>>());
        }
    }
    let (xs, ys) = (enum_from(3, 1), enum_from(3, 4));
    assert_eq!(run(&(xs.dot(&ys), xs.cumprod())).0.to_vec(), [32]);
    assert_eq!(run(&enum_from((2, 3), 1).matvec(&xs)).to_vec(), [14, 32]);
    assert_eq!(run(&Acc::<Vector<f32>>::empty().dot(&Acc::empty())).to_vec(), [0.0]);
}

#[test]
fn the_first_of_the_best_is_found() {
    let nan = f32::NAN;
    let cases: [(&[f32], i64, i64); 6] = [
        (&[1.0], 0, 0),
        (&[nan], 0, 0),
        (&[nan, nan], 0, 0),
        (&[nan, 2.0, 1.0, 2.0, nan, 1.0], 2, 1),
        (&[0.0, -0.0], 0, 0),
        (&[3.0, nan, f32::INFINITY, f32::NEG_INFINITY], 3, 2),
    ];
    for context in contexts() {
        let function = context.compile(|xs: Acc<Vector<f32>>| (xs.argmin(), xs.argmax())).unwrap();
        for (xs, least, greatest) in cases {
            let (found_least, found_greatest) = function.run(&xs.into()).unwrap();
            assert_eq!(
                (found_least.to_vec(), found_greatest.to_vec()),
                (vec![least], vec![greatest]),
                "{xs:?}"
            );
        }
        let many: Vector<f32> = (0..5000).map(|i| (i % 1009) as f32).collect();
        assert_eq!(function.run(&many).unwrap().1.to_vec(), [1008]);
        assert!(function.run(&Vec::new().into()).is_err());
    }
    let rows = use_(&matrix((3, 4)));
    let found = run(&rows.argmax());
    let expected = |i: usize| {
        let row: Vec<f64> = (0..4).map(|j| matrix((3, 4))[[i, j]]).collect();
        (0..4).rev().max_by(|&x, &y| row[x].total_cmp(&row[y])).unwrap() as i64
    };
    assert_eq!(found.to_vec(), (0..3).map(expected).collect::<Vec<_>>());
    assert_eq!(run(&rows.slice((All, 0))).len(), 3);
}
