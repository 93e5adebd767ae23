//! Sequences have the meaning of lists of arrays.

use warpwise::{
    Acc, Array, Dim2, Exp, Matrix, Seq, Singleton, Vector, cond, consume, consume_with, enum_from, fill,
    unit, use_,
};

use crate::{contexts, run, scalar, vector};

const LENGTHS: [i64; 8] = [3, 0, 1, 5, 0, 0, 2, 4];

fn ragged() -> (Vec<Vec<i64>>, Seq<Acc<Vector<i64>>>) {
    let mut next = 0;
    let mut rows = Vec::new();
    for length in LENGTHS {
        rows.push((next..next + length).map(|x| x * x % 17 - 5).collect::<Vec<i64>>());
        next += length;
    }
    let data = vector(rows.concat());
    (rows, Seq::segments(&data, &vector(LENGTHS.to_vec())))
}

fn flat(rows: impl IntoIterator<Item = Vec<i64>>) -> Vec<i64> {
    rows.into_iter().flatten().collect()
}

#[test]
fn a_map_over_arrays_of_differing_extents_is_a_map_over_a_list() {
    let (rows, seq) = ragged();
    let doubled = run(|| seq.map(|row| row.map(|x| x * 2 + 1)).elements()).to_vec();
    assert_eq!(doubled, flat(rows.iter().map(|row| row.iter().map(|x| x * 2 + 1).collect())));
}

#[test]
fn folds_scans_and_extents_are_those_of_each_element() {
    let (rows, seq) = ragged();
    let sums = run(|| seq.map(|row| row.sum()).elements()).to_vec();
    assert_eq!(sums, rows.iter().map(|row| row.iter().sum::<i64>()).collect::<Vec<_>>());
    let sizes = run(|| seq.map(|row| unit(row.size())).elements()).to_vec();
    assert_eq!(sizes, LENGTHS);
    let prefixes = run(|| seq.map(|row| row.scan1(|x, y| x + y)).elements()).to_vec();
    let expected = rows.iter().map(|row| {
        row.iter()
            .scan(0, |sum, x| {
                *sum += x;
                Some(*sum)
            })
            .collect()
    });
    assert_eq!(prefixes, flat(expected));
}

#[test]
fn elements_may_have_parts_taken_be_reversed_and_joined() {
    let (rows, seq) = ragged();
    let reversed = run(|| seq.map(|row| row.reverse().concat(&row.take(1))).elements()).to_vec();
    let expected = rows.iter().map(|row| row.iter().rev().chain(row.first()).copied().collect());
    assert_eq!(reversed, flat(expected));
}

#[test]
fn filters_within_elements() {
    let (rows, seq) = ragged();
    let positive = run(|| seq.map(|row| row.filter(|x| x.gt(0))).elements()).to_vec();
    let expected = rows.iter().map(|row| row.iter().copied().filter(|&x| x > 0).collect());
    assert_eq!(positive, flat(expected));
}

#[test]
fn stencils_within_elements() {
    let (rows, seq) = ragged();
    let smooth = run(|| seq.map(smoothed).elements()).to_vec();
    let expected = rows.iter().map(|row| {
        let at = |i: i64| row[i.clamp(0, row.len() as i64 - 1) as usize];
        (0..row.len() as i64).map(|i| at(i - 1) + 2 * at(i) + at(i + 1)).collect()
    });
    assert_eq!(smooth, flat(expected));
}

fn smoothed(row: Acc<Vector<i64>>) -> Acc<Vector<i64>> {
    row.stencil(warpwise::Boundary::Clamp, |[left, here, right]: [Exp<i64>; 3]| left + here * 2 + right)
}

#[test]
fn loops_and_choices_within_elements() {
    let (rows, seq) = ragged();
    let steps = |x: Exp<i64>| x.max(1).iterate(3, |_, x| cond((x % 2).eq(0), x / 2, x * 3 + 1));
    let walked = run(|| seq.map(|row| row.map(steps)).elements()).to_vec();
    let walk = |&x: &i64| (0..3).fold(x.max(1), |x, _| if x % 2 == 0 { x / 2 } else { x * 3 + 1 });
    assert_eq!(walked, flat(rows.iter().map(|row| row.iter().map(walk).collect())));
}

#[test]
fn matrices_of_differing_extents() {
    let matrices = || {
        Seq::<Acc<Matrix<i64>>>::from_iter((0..5_usize).map(|k| {
            let elements = (0..(k % 3) * (k + 1)).map(|x| x as i64).collect();
            Array::from_vec([k % 3, k + 1], elements).unwrap()
        }))
    };
    let columns = run(|| matrices().map(|matrix| matrix.transpose().sum()).elements()).to_vec();
    let mut expected = Vec::new();
    for k in 0..5_i64 {
        for column in 0..k + 1 {
            expected.push((0..k % 3).map(|row| row * (k + 1) + column).sum::<i64>());
        }
    }
    assert_eq!(columns, expected);
}

#[test]
fn zips_end_with_the_shorter_sequence() {
    let (rows, seq) = ragged();
    let numbers = Seq::produce(5, unit);
    let scaled = run(|| {
        let zipped = seq.zip_with(&numbers, |row, n| {
            let n = n.the();
            row.map(move |x| x * n)
        });
        zipped.elements()
    });
    let expected = rows.iter().zip(0..5).map(|(row, n)| row.iter().map(|x| x * n).collect());
    assert_eq!(scaled.to_vec(), flat(expected));
}

#[test]
fn a_sequence_with_itself_and_with_what_is_mapped_of_it() {
    let (rows, seq) = ragged();
    let dots = run(|| {
        let halves = seq.map(|row| row.map(|x| x - 1));
        seq.zip_with(&halves, |xs, ys| xs.zip_with(&ys, |x, y| x * y).sum()).elements()
    });
    let expected: Vec<i64> = rows.iter().map(|row| row.iter().map(|x| x * (x - 1)).sum()).collect();
    assert_eq!(dots.to_vec(), expected);
}

#[test]
fn folds_of_scalars_arrays_and_tuples() {
    let (rows, seq) = ragged();
    let total = run(|| seq.map(|row| row.sum()).fold(scalar(100), |x, y| x.zip_with(&y, |x, y| x + y)));
    assert_eq!(total.to_vec(), [100 + rows.concat().iter().sum::<i64>()]);
    let joined = run(|| seq.fold(vector(vec![7]), |xs, ys| xs.concat(&ys)));
    assert_eq!(joined.to_vec(), [vec![7], rows.concat()].concat());
    let table = Array::from_vec([4, 2], (0..8).collect()).unwrap();
    let zeros = vector(vec![0, 0]);
    let sums = run(|| Seq::rows(&table).fold(zeros.clone(), |x, y| x.zip_with(&y, |x: Exp<i32>, y| x + y)));
    assert_eq!(sums.to_vec(), [12, 16]);
}

/// Composition of functions `x -> a x + b` is associative and not commutative.
#[test]
fn folds_keep_the_order_of_elements() {
    let functions = |count: u64| {
        Seq::produce(count, |i| unit((i % 3 + 1, i)))
            .fold(scalar((1_i64, 0_i64)), |f, g| f.zip_with(&g, |(a, b), (c, d)| (a * c, b * c + d)))
    };
    for count in [0, 1, 2, 7, 8, 9, 63, 64, 65, 100] {
        let composed = run(|| functions(count)).to_vec();
        let expected = (0..count as i64).fold((1_i64, 0_i64), |(a, b), i| {
            let c = i % 3 + 1;
            (a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(i))
        });
        assert_eq!(composed, [expected], "{count}");
    }
}

#[test]
fn scans_go_through_all_states() {
    let (rows, seq) = ragged();
    let totals = run(|| {
        let totals =
            seq.scan(scalar(0), |sum: Acc<Singleton<i64>>, row| row.sum().zip_with(&sum, |x, y| x + y));
        totals.zip_with(&seq, |total, row| total.zip_with(&unit(row.size()), |x, y| x * 10 + y)).elements()
    });
    let mut sum = 0;
    let expected = rows.iter().map(|row| {
        sum += row.iter().sum::<i64>();
        sum * 10 + row.len() as i64
    });
    assert_eq!(totals.to_vec(), expected.collect::<Vec<_>>());
}

#[test]
fn scans_of_regular_elements_have_several_states_and_use_arrays_of_the_host() {
    let table = Array::from_vec([5, 3], (0..15_i64).collect()).unwrap();
    let weights = vector(vec![1_i64, 10, 100]);
    let states = run(|| {
        let weights = use_(&weights);
        let initial = (scalar(0_i64), scalar((1.0_f64, false)));
        type State = (Acc<Singleton<i64>>, Acc<Singleton<(f64, bool)>>);
        let scan = Seq::rows(&table).scan(initial, move |(sum, pair): State, row| {
            let weighed = row.zip_with(&weights, |x, w| x * w).sum();
            let next = sum.zip_with(&weighed, |x, y| x + y);
            let even = next.the().is_even();
            (next, pair.map(move |(x, _)| (x * 2.0, even)))
        });
        scan.collect()
    });
    let (mut sum, mut power) = (0, 1.0);
    for (row, (state, pair)) in states.into_iter().enumerate() {
        let row = row as i64 * 3;
        (sum, power) = (sum + row + 10 * (row + 1) + 100 * (row + 2), power * 2.0);
        assert_eq!((state.to_vec(), pair.to_vec()), (vec![sum], vec![(power, sum % 2 == 0)]));
    }
}

#[test]
fn segments_that_cannot_be_are_errors_after_all_before_them() {
    let data = vector(vec![1_i64, 2, 3]);
    let ends = |lengths: Vec<i64>| {
        let sums = Seq::segments(&data, &vector(lengths)).map(|row| row.sum());
        let [compiled, interpreted] = contexts().map(|context| {
            let results: Vec<_> = sums.into_iter(&context).unwrap().collect();
            let given = results.iter().flatten().map(|sum| sum.to_vec()[0]).collect::<Vec<_>>();
            let refused = results.iter().find_map(|sum| sum.as_ref().err()).map(|error| error.to_string());
            assert!(results.len() <= given.len() + 1);
            (given, refused)
        });
        assert_eq!(compiled, interpreted);
        compiled
    };
    assert_eq!(ends(vec![1, 0]), (vec![1, 0], None));
    assert_eq!(ends(vec![1, 0, 2]), (vec![1, 0, 5], None));
    let negative = "element 2: a segment of length -1";
    assert_eq!(ends(vec![1, 1, -1, 1]), (vec![1, 2], Some(negative.to_string())));
    let missing = |element: usize, missing: i64| {
        Some(format!(
            "element {element}: the data ends here, {missing} elements before the end of the segment"
        ))
    };
    assert_eq!(ends(vec![4]), (vec![], missing(0, 1)));
    assert_eq!(ends(vec![2, 2]), (vec![3], missing(1, 1)));
    assert_eq!(ends(vec![0, 0, 3, 0, 1]), (vec![0, 0, 6, 0], missing(4, 1)));
    assert_eq!(ends(vec![i64::MAX, i64::MAX]), (vec![], missing(0, i64::MAX - 3)));
    assert_eq!(ends(vec![(1 << 50) - 1; 1 << 15]), (vec![], missing(0, (1 << 50) - 4)));
}

#[test]
fn accumulations_go_through_states_in_order() {
    let words = vector(vec![0_i64, 2, 2, 1, 2, 0, 1]);
    for lengths in [vec![], vec![0_i64], vec![3, 0, 4], vec![7]] {
        let counts = run(|| {
            let seq = Seq::segments(&words, &vector(lengths.clone()));
            seq.accumulate(vector(vec![0_i64; 3]), |counts: Acc<Vector<i64>>, row| {
                let places = row.reader();
                let scaled = counts.map(|count| count * 2);
                scaled.permute(&fill(row.size(), 1_i64), |x, y| x + y, move |i| (true, places.at(i)))
            })
        });
        let mut expected = vec![0; 3];
        let mut rest = words.as_slice();
        for length in lengths {
            let (row, later) = rest.split_at(length as usize);
            expected.iter_mut().for_each(|count| *count *= 2);
            row.iter().for_each(|&word| expected[word as usize] += 1);
            rest = later;
        }
        assert_eq!(counts.to_vec(), expected);
    }
    let initial = vector(vec![5_i64]);
    let same = run(|| Seq::rows(&words).accumulate(initial.clone(), |state: Acc<Vector<i64>>, _| state));
    assert_eq!((same.to_vec(), initial.to_vec()), (vec![5], vec![5]));
}

#[test]
fn states_are_overwritten_but_for_the_first() {
    let initial = vector(vec![5_i64, 6]);
    let rows = Seq::produce(4, |i| enum_from(i, 0_i64));
    for _ in 0..2 {
        let counts = run(|| {
            rows.accumulate(initial.clone(), |counts: Acc<Vector<i64>>, row| {
                counts.permute(&fill(row.size(), 1_i64), |x, y| x + y, |i| (true, i % 2))
            })
        });
        assert_eq!(counts.to_vec(), [5 + 4, 6 + 2]);
        // The function also reads the old state, which is therefore copied.
        let sums = run(|| {
            rows.accumulate(initial.clone(), |sums: Acc<Vector<i64>>, row| {
                let before = sums.reader();
                let last = fill(row.size(), 1_i64).map(move |x| x * before.at(1));
                sums.permute(&last, |x, y| x + y, |_| (true, 0_i64))
            })
        });
        assert_eq!(sums.to_vec(), [5 + 6 * 6, 6]);
        assert_eq!(initial.to_vec(), [5, 6]);
    }
}

#[test]
fn states_of_scans_may_grow() {
    let all = run(|| {
        let none = vector(Vec::<i64>::new());
        Seq::produce(4, |i| enum_from(i, i))
            .scan(none, |all: Acc<Vector<i64>>, xs| all.concat(&xs))
            .map(|all| unit(all.size()))
            .elements()
    });
    assert_eq!(all.to_vec(), [0, 1, 3, 6]);
}

#[test]
fn several_consumers_take_one_pass() {
    for context in contexts() {
        let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counter = std::sync::Arc::clone(&asked);
        let numbers: Seq<Acc<Singleton<i64>>> = Seq::from_iter((0..50).map(move |x| {
            counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            scalar(x)
        }));
        let sum = numbers.fold(scalar(0), |x, y| x.zip_with(&y, |x, y| x + y));
        let largest = numbers.fold(scalar(i64::MIN), |x, y| x.zip_with(&y, |x: Exp<i64>, y| x.max(y)));
        let first = numbers.take(3).elements();
        let (sum, largest, first) = consume(&context, (sum, largest, first)).unwrap();
        assert_eq!((sum.to_vec(), largest.to_vec(), first.to_vec()), (vec![1225], vec![49], vec![0, 1, 2]));
        assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 50);
    }
}

#[test]
fn arrays_of_the_host_are_read_by_all_elements() {
    let (rows, seq) = ragged();
    let table = use_(&vector((0..20_i64).map(|x| x * x).collect::<Vec<_>>()));
    let looked = run(|| {
        let reader = table.reader();
        seq.map(move |row| row.map(move |x| reader.at(x + 5))).elements()
    });
    let expected = rows.iter().map(|row| row.iter().map(|x| (x + 5) * (x + 5)).collect());
    assert_eq!(looked.to_vec(), flat(expected));
}

/// The rounding of a sum depends on the order of additions, which depends only on the element itself.
#[test]
fn floats_have_the_same_bits_in_every_schedule() {
    let numbers: Vec<f32> = (0..400).map(|x| 1.0 / (x as f32 + 0.37)).collect();
    let lengths = vec![3_i64, 100, 0, 57, 1, 33, 64, 90, 17, 35];
    let seq = || Seq::segments(&vector(numbers.clone()), &vector(lengths.clone()));
    for context in contexts() {
        let bits = |streaming: &warpwise::Streaming| {
            let seq = seq();
            let sums = seq.map(|row| row.sum());
            let total = sums.fold(scalar(0.0), |x, y| x.zip_with(&y, |x: Exp<f32>, y| x + y));
            let parts = (sums.elements(), seq.map(|row| row.scan1(|x, y| x + y)).elements(), total);
            let (sums, prefixes, total) = consume_with(&context, parts, streaming).unwrap();
            let bits = |xs: Vec<f32>| xs.into_iter().map(f32::to_bits).collect::<Vec<_>>();
            [bits(sums.to_vec()), bits(prefixes.to_vec()), bits(total.to_vec())]
        };
        let all = crate::schedules().map(|streaming| bits(&streaming));
        for other in &all[1..] {
            assert_eq!(*other, all[0], "{context:?}");
        }
    }
}

#[test]
fn tables_need_equal_extents() {
    let table = run(|| Seq::produce(3, |i| enum_from(2, i)).tabulate());
    assert_eq!((table.extents(), table.to_vec()), ([3, 2], vec![0, 1, 1, 2, 2, 3]));
    let none: Array<Dim2, i64> = run(|| Seq::produce(0, |i| enum_from(2, i)).tabulate());
    assert_eq!(none.extents(), [0, 0]);
    let ragged = Seq::produce(3, |i| enum_from(i / 2, i)).tabulate().run(&contexts()[0]).unwrap_err();
    assert_eq!(ragged.to_string(), "element 2: extents [1] where those before have [0]");
}
