//! Sequences inside the functions of sequences.

use warpwise::{Acc, Error, Parts, Seq, SeqCause, Vector, enum_from, use_};

use crate::{contexts, run, vector};

type Rows = Vec<Vec<i64>>;
/// Elements of rows, and lengths of the rows.
type Segmented = (Acc<Vector<i64>>, Acc<Vector<i64>>);

/// Makes elements that are sequences of arrays: empty ones, ones of empty arrays, and others.
fn tables() -> Vec<Rows> {
    let table = |lengths: &[usize], start: i64| {
        let mut next = start;
        let mut row = |&length: &usize| {
            next += length as i64;
            (next - length as i64..next).map(|x| x * 7 % 11 - 3).collect()
        };
        lengths.iter().map(&mut row).collect()
    };
    vec![table(&[2, 0, 3], 0), table(&[], 0), table(&[0, 0], 9), table(&[1], 4), table(&[4, 1, 1, 0, 2], 2)]
}

fn sequences(tables: &[Rows]) -> Seq<Segmented> {
    let element = |rows: &Rows| {
        let lengths = rows.iter().map(|row| row.len() as i64).collect();
        (vector(rows.concat()), vector(lengths))
    };
    Seq::from_iter(tables.iter().map(element).collect::<Vec<_>>())
}

#[test]
fn functions_of_the_elements_of_elements() {
    let tables = tables();
    let found = run(|| {
        let rows = sequences(&tables).map(|(data, lengths)| {
            let size = data.size();
            Parts::segments(&data, &lengths).map(|row| row.reverse().map(move |x| x * 2 + size)).elements()
        });
        rows.elements()
    });
    let expected: Vec<i64> = tables
        .iter()
        .flat_map(|rows| {
            let size = rows.concat().len() as i64;
            rows.iter().flat_map(move |row| row.iter().rev().map(move |x| x * 2 + size)).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(found.to_vec(), expected);
}

#[test]
fn folds_and_scans_of_the_elements_of_elements() {
    let tables = tables();
    let sums = run(|| {
        let sums = sequences(&tables).map(|(data, lengths)| {
            let rows = Parts::segments(&data, &lengths);
            rows.map(|row| row.scan1(|x, y| x + y).sum()).elements()
        });
        sums.elements()
    });
    let prefixed = |row: &Vec<i64>| (0..row.len()).map(|i| row[..=i].iter().sum::<i64>()).sum::<i64>();
    assert_eq!(sums.to_vec(), tables.iter().flatten().map(prefixed).collect::<Vec<_>>());
    let largest = run(|| {
        let sizes = sequences(&tables).map(|(data, lengths)| {
            let twice = Parts::segments(&data, &lengths).map(|row| row.concat(&row).concat(&row.take(1)));
            twice.extents_on(0).fold(0, |x, y| x.max(y))
        });
        sizes.elements()
    });
    let longest =
        |rows: &Rows| rows.iter().map(|row| row.len() * 2 + row.len().min(1)).max().unwrap_or(0) as i64;
    assert_eq!(largest.to_vec(), tables.iter().map(longest).collect::<Vec<_>>());
}

#[test]
fn one_level_deeper() {
    let found = run(|| {
        let triangles = Seq::produce(4, |i| {
            let rows = Parts::produce(i, |j| {
                let parts = Parts::produce(j + 1, |k| enum_from(k, j * 10 + i));
                parts.map(|part| part.sum()).elements()
            });
            rows.map(|row| row.sum()).elements()
        });
        triangles.elements()
    });
    let mut expected = Vec::new();
    for i in 0..4_i64 {
        for j in 0..i {
            let part = |k: i64| (0..k).map(|x| x + j * 10 + i).sum::<i64>();
            expected.push((0..=j).map(part).sum::<i64>());
        }
    }
    assert_eq!(found.to_vec(), expected);
}

#[test]
fn parts_of_plain_programs() {
    for context in contexts() {
        let table = use_(&vector((0..10_i64).collect::<Vec<_>>()));
        let lengths = use_(&vector(vec![3_i64, 0, 5, 2]));
        let reader = table.reader();
        let rows = Parts::segments(&table, &lengths);
        let mixed = rows.zip_with(&Parts::rows(&lengths), move |row, length| {
            let first = reader.at(length.the());
            row.map(move |x| x * 100 + first)
        });
        let found = context.run(&mixed.elements()).unwrap();
        let expected = [3, 103, 203, 305, 405, 505, 605, 705, 802, 902];
        assert_eq!(found.to_vec(), expected);
        let wrong = Parts::segments(&table, &use_(&vector(vec![3_i64, 8]))).map(|row| row.sum()).elements();
        let Error::Check(message) = context.run(&wrong).unwrap_err() else { panic!("another error") };
        assert!(message.contains("segments that are not the whole vector: 11 10"), "{message}");
    }
}

#[test]
fn segments_that_do_not_fit_are_errors_of_their_element() {
    let items = [(vec![1_i64, 2], vec![1_i64, 1]), (vec![1, 2], vec![3]), (vec![1], vec![-1, 2])];
    for context in contexts() {
        for (first, expected) in [(0, 1), (2, 0)] {
            let items: Vec<_> = items[first..]
                .iter()
                .map(|(data, lengths)| (vector(data.clone()), vector(lengths.clone())))
                .collect();
            let seq = Seq::<Segmented>::from_iter(items);
            let sums =
                seq.map(|(data, lengths)| Parts::segments(&data, &lengths).map(|row| row.sum()).elements());
            let error = sums.elements().run(&context).unwrap_err();
            assert_eq!(error.element, Some(expected), "{error}");
            assert!(matches!(error.cause, SeqCause::Program(Error::Check(_))), "{error}");
        }
    }
}
