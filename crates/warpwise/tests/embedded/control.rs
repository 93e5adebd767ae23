//! Choices and loops on arrays, and operations on several dimensions.

use warpwise::{
    Acc, All, Array, Exp, Matrix, Shape, Vector, acond, awhile, enum_from, fill, from_index, generate,
    intersection, izip_with9, to_index, unit, use_,
};

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

/// The loop carries the array's extent, which is known when it runs, and its condition checks an index.
#[test]
fn loops_of_arrays_with_checks() {
    let xs = use_(&Vector::from([1_i64, 2, 3]));
    let doubled = awhile(&xs, |xs| xs.at(0).lt(9), |xs| &xs + &xs);
    assert_eq!(run(&doubled).to_vec(), [16, 32, 48]);
    let matrix = use_(&Matrix::from([[1_i64, 2], [3, 4]]));
    let doubled = awhile(&matrix, |m| m.at((1, 1)).lt(9), |m| m.zip_with(&m, |x, y| x + y));
    assert_eq!(run(&doubled).to_vec(), [4, 8, 12, 16]);
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

/// A function that is generic over shapes.
fn whole_sum<Sh: Shape>(xs: &Acc<Array<Sh, i64>>) -> Exp<i64> {
    xs.fold_all(0, |x, y| x + y).the()
}

#[test]
fn places_and_indices_are_each_others_inverse() {
    let extents = warpwise::union((2, 5, 1), (1, 3, 4));
    let places = generate(extents, |index| to_index(extents, index));
    let indices = generate(40, |place| from_index(extents, place));
    let (places, indices) = (run(&places), run(&indices));
    assert_eq!(places.extents(), [2, 5, 4]);
    assert_eq!(places.to_vec(), (0..40).collect::<Vec<i64>>());
    let expected = |place: i64| (place / 20, place / 4 % 5, place % 4);
    assert_eq!(indices.to_vec(), (0..40).map(expected).collect::<Vec<_>>());
    // One dimension, and none.
    let row = generate(3, |i| to_index(3, from_index(3, i)) + to_index((), ()));
    assert_eq!(run(&row).to_vec(), [0, 1, 2]);
    assert_eq!(run(&fill(intersection((0, 7), (3, 4)), 1_i64)).extents(), [0, 4]);
}

#[test]
fn nine_arrays_and_their_index_go_together() {
    let xs: Vec<_> = (0..9).map(|k| enum_from(5 - k % 3, 10_i64 * k)).collect();
    let sums = izip_with9(
        &xs[0],
        &xs[1],
        &xs[2],
        &xs[3],
        &xs[4],
        &xs[5],
        &xs[6],
        &xs[7],
        &xs[8],
        |place, a, b, c, d, e, f, g, h, i| place * 1000 + a + b + c + d + e + f + g + h - i,
    );
    let expected = |place: i64| place * 1000 + (280 + 8 * place) - (80 + place);
    assert_eq!(run(&sums).to_vec(), (0..3).map(expected).collect::<Vec<_>>());
}
