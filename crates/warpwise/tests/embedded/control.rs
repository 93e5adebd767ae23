//! Choices and loops of arrays, and operations on several dimensions.

use warpwise::{Acc, All, Array, Exp, Shape, acond, awhile, enum_from, fill, unit};

use crate::run;

#[test]
fn loops_and_choices_of_arrays() {
    let xs = enum_from((2, 3), 1_i64);
    let (doubled, rounds) = awhile(
        &(xs.clone(), unit(0_i64)),
        |(xs, _)| whole_sum(&xs).lt(1000),
        |(xs, n)| (xs.map(|x| x * 2), n.map(|n| n + 1)),
    );
    let (doubled, rounds) = run(&(doubled, rounds));
    assert_eq!((doubled.extents(), doubled.get([1, 2]), rounds.to_vec()), ([2, 3], Some(6 * 64), vec![6]));
    let chosen = acond(xs.size().gt(6), &xs.transpose(), &xs.map(|x| x + 1));
    assert_eq!(run(&chosen).to_vec(), [2, 3, 4, 5, 6, 7]);
    let chosen = acond(xs.size().gt(5), &xs.transpose(), &xs.map(|x| x + 1));
    assert_eq!(run(&chosen).to_vec(), [1, 4, 2, 5, 3, 6]);
}

#[test]
fn several_dimensions() {
    let xs = enum_from((2, 3), 1_i64);
    let joined = run(&xs.transpose().concat(&xs.transpose().skip(1)));
    assert_eq!((joined.extents(), joined.to_vec()), ([3, 3], vec![1, 4, 4, 2, 5, 5, 3, 6, 6]));
    let rows = xs.replicate((All, 2, All));
    let columns = xs.replicate((2, All, All));
    assert_eq!(run(&rows.zip_with(&columns, |x, y| x * y).sum()).to_vec(), [14, 32, 32, 77]);
    assert_eq!(run(&whole_sum(&xs)), 21);
}

#[test]
fn permutations_of_several_dimensions() {
    let xs = enum_from((2, 3), 1_i64);
    let sums = fill((2, 2), (0_i64, 1_i64)).permute(
        &xs.map(|x| (x, x)),
        |(a, b), (c, d)| (a + c, (b * d) % 1009),
        |(i, j)| (j.ne(1), (i, j.min(1))),
    );
    assert_eq!(run(&sums).to_vec(), [(1, 1), (3, 3), (4, 4), (6, 6)]);
    assert_eq!(run(&fill((), 5_i64).permute(&xs, |a, b| a.max(b), |_| (true, ()))).to_vec(), [6]);
}

/// Generic over shapes.
fn whole_sum<Sh: Shape>(xs: &Acc<Array<Sh, i64>>) -> Exp<i64> {
    xs.fold_all(0, |x, y| x + y).the()
}
