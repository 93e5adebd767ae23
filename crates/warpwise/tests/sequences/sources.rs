//! Sources of sequences.

use std::fs;

use warpwise::{
    Acc, Array, Context, Error, Format, Matrix, Seq, Singleton, SourceOptions, Vector, enum_from, open, unit,
};

use crate::{contexts, run, vector};

#[test]
fn produced_elements_know_their_number() {
    for count in [0, 1, 5] {
        let seq = Seq::produce(count, |i| enum_from(i, i * 10));
        let expected: Vec<i64> = (0..count as i64).flat_map(|i| (0..i).map(move |j| i * 10 + j)).collect();
        assert_eq!(run(|| seq.elements()).to_vec(), expected);
    }
}

#[test]
fn rows_of_arrays_of_all_ranks() {
    let cube = Array::from_vec([2, 3, 2], (0..12_i64).collect()).unwrap();
    let sums = run(|| Seq::rows(&cube).map(|matrix| matrix.sum()).elements());
    assert_eq!(sums.to_vec(), [1, 5, 9, 13, 17, 21]);
    let numbers = run(|| Seq::rows(&vector(vec![3, 1, 2])).elements());
    assert_eq!(numbers.to_vec(), [3, 1, 2]);
    for extents in [[0, 3], [3, 0], [0, 0], [1, 1]] {
        let matrix: Matrix<i32> = Array::from_vec(extents, vec![1; extents[0] * extents[1]]).unwrap();
        let sums = run(|| Seq::rows(&matrix).map(|row| row.sum()).elements());
        assert_eq!(sums.to_vec(), vec![extents[1] as i32; extents[0]], "{extents:?}");
    }
}

#[test]
fn windows_and_parts() {
    let samples = vector((0..10_i64).collect());
    for (size, step) in [(3, 2), (10, 1), (11, 1), (0, 5), (1, 1), (4, 0)] {
        let windows = run(|| Seq::windows(&samples, size, step).collect());
        let found: Vec<Vec<i64>> = windows.iter().map(|window| window.to_vec()).collect();
        let expected: Vec<Vec<i64>> = match size {
            0 => (0..=10).step_by(step.max(1)).map(|_| Vec::new()).collect(),
            _ => samples.as_slice().windows(size).step_by(step.max(1)).map(<[i64]>::to_vec).collect(),
        };
        assert_eq!(found, expected, "{size} {step}");
    }
    let cube = Array::from_vec([2, 3, 4], (0..24_i64).collect()).unwrap();
    let parts =
        run(|| Seq::subarrays(&cube, [1, 2, 2], [[0, 0, 0], [1, 1, 2], [0, 1, 1]]).unwrap().elements());
    assert_eq!(parts.to_vec(), [0, 1, 4, 5, 18, 19, 22, 23, 5, 6, 9, 10]);
    for (extents, place) in [([1, 4, 1], [0, 0, 0]), ([1, 1, 1], [2, 0, 0]), ([1, 1, 1], [0, 0, usize::MAX])]
    {
        let refused = Seq::subarrays(&cube, extents, [place]).unwrap_err();
        assert!(matches!(refused, Error::Check(_)), "{refused}");
    }
}

#[test]
fn elements_with_several_components_and_several_arrays() {
    let pairs = || {
        Seq::<(Acc<Vector<(i64, bool)>>, Acc<Singleton<f64>>)>::from_iter((0..4_i64).map(|k| {
            let items = (0..k).map(|x| (x, x % 2 == 0)).collect();
            (vector(items), Array::from_vec([], vec![k as f64]).unwrap())
        }))
    };
    let sums = run(|| {
        let weighed = pairs().map(|(items, weight)| {
            let weight = weight.the();
            let kept = items.filter(|(_, keep)| keep).map(|(x, _)| x).sum();
            kept.map(move |sum| sum.cast::<f64>() * weight)
        });
        weighed.elements()
    });
    assert_eq!(sums.to_vec(), [0.0, 0.0, 0.0, 6.0]);
}

#[test]
fn files_are_read_in_chunks() {
    let folder = std::env::temp_dir().join(format!("warpwise-sequences-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("numbers.raw");
    let numbers: Vec<f32> = (0..1000).map(|x| x as f32).collect();
    let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    fs::write(&path, &bytes).unwrap();
    let sums = run(|| {
        let options = SourceOptions { shape: vec![10], ..SourceOptions::default() };
        Seq::<Acc<Vector<f32>>>::open(&path, &options).unwrap().map(|row| row.sum()).elements()
    });
    let expected: Vec<f32> = numbers.chunks(10).map(|row| row.iter().sum()).collect();
    assert_eq!(sums.to_vec(), expected);
    fs::write(&path, &bytes[..30]).unwrap();
    let options = SourceOptions { format: Some(Format::Raw), ..SourceOptions::default() };
    let seq = Seq::<Acc<Singleton<f32>>>::open(&path, &options).unwrap();
    let mut read = seq.into_iter(&contexts()[0]).unwrap();
    for expected in 0..7 {
        assert_eq!(read.next().unwrap().unwrap().to_vec(), [expected as f32]);
    }
    let error = read.next().unwrap().unwrap_err();
    assert_eq!(error.element, Some(7));
    assert!(read.next().is_none());
    let missing = Seq::<Acc<Singleton<f32>>>::open(&folder.join("nothing.raw"), &options).unwrap_err();
    assert!(missing.to_string().contains("nothing.raw"), "{missing}");
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_source_that_gives_its_elements_once_says_so() {
    let seq = Seq::<Acc<Singleton<i64>>>::from_iter((0..3).map(crate::scalar));
    let context = Context::interpreter();
    assert_eq!(seq.elements().run(&context).unwrap().to_vec(), [0, 1, 2]);
    let again = seq.elements().run(&context).unwrap_err();
    assert!(again.to_string().contains("second pass"), "{again}");
    let numbers = Seq::produce(2, unit);
    for _ in 0..2 {
        assert_eq!(numbers.elements().run(&context).unwrap().to_vec(), [0, 1]);
    }
}

/// A folder that is deleted at the end of the test.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("warpwise-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Opens a source of numbers in a file of its own.
    fn numbers<const N: usize>(&self, name: &str, numbers: &[[u8; N]]) -> std::path::PathBuf {
        let path = self.0.join(name);
        fs::write(&path, numbers.concat()).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns options under which files are mapped, and read.
fn both() -> [SourceOptions; 2] {
    [false, true].map(|unmapped| SourceOptions { unmapped, ..SourceOptions::default() })
}

#[test]
fn segments_of_files_have_the_lengths_of_another() {
    let folder = Folder::new("segments");
    let numbers: Vec<[u8; 4]> = (0..100_i32).map(i32::to_le_bytes).collect();
    let halves: Vec<[u8; 8]> = (0..100).map(|x| (f64::from(x) / 2.0).to_le_bytes()).collect();
    let (ints, floats) = (folder.numbers("ints.raw", &numbers), folder.numbers("floats.raw", &halves));
    for lengths in [vec![100], vec![0, 1, 0, 64, 35, 0], [vec![3; 33], vec![1]].concat(), vec![1; 100]] {
        let stored: Vec<[u8; 8]> = lengths.iter().map(|length: &i64| length.to_le_bytes()).collect();
        let path = folder.numbers("lengths.raw", &stored);
        for options in both() {
            let sums = run(|| {
                let data = vec![
                    open::<i32>(&ints, 0, &options).unwrap(),
                    open::<f64>(&floats, 0, &options).unwrap(),
                ];
                let lengths = open::<i64>(&path, 0, &options).unwrap();
                let rows = Seq::<Acc<Vector<(i32, f64)>>>::read_segments(lengths, data).unwrap();
                rows.map(|row| row.map(|(x, half)| x.cast::<f64>() + half).sum()).elements()
            });
            let mut first = 0;
            let row = |&length: &i64| {
                first += length;
                (first - length..first).map(|x| 1.5 * x as f64).sum::<f64>()
            };
            assert_eq!(sums.to_vec(), lengths.iter().map(row).collect::<Vec<f64>>());
        }
    }
    for (lengths, whole, words) in [
        (vec![50_i64, 51], 1, "the data ends here, 1 elements before the end of the segment"),
        (vec![50, 49], 2, "there is more data"),
        (vec![50, -1, 51], 1, "a segment of length -1"),
    ] {
        let stored: Vec<[u8; 8]> = lengths.iter().map(|length| length.to_le_bytes()).collect();
        let path = folder.numbers("wrong.raw", &stored);
        for options in both() {
            let data = vec![open::<i32>(&ints, 0, &options).unwrap()];
            let rows = Seq::<Acc<Vector<i32>>>::read_segments(open::<i64>(&path, 0, &options).unwrap(), data);
            let mut rows = rows.unwrap().into_iter(&contexts()[0]).unwrap();
            for _ in 0..whole {
                rows.next().unwrap().unwrap();
            }
            let error = rows.next().unwrap().unwrap_err();
            assert_eq!(error.element, Some(whole));
            assert!(error.to_string().contains(words), "{error}");
        }
    }
}

#[test]
fn blocks_and_windows_of_files() {
    let folder = Folder::new("windows");
    let plain: Vec<i16> = (0..50).map(|x| (x * 37 % 100) as i16).collect();
    let path =
        folder.numbers("samples.raw", &plain.iter().map(|x| x.to_le_bytes()).collect::<Vec<[u8; 2]>>());
    let lists =
        |arrays: Vec<Vector<i16>>| arrays.iter().map(|array| array.to_vec()).collect::<Vec<Vec<i16>>>();
    for options in both() {
        let source = || vec![open::<i16>(&path, 0, &options).unwrap()];
        for size in [1, 7, 32, 50, 51] {
            let blocks = run(|| Seq::<Acc<Vector<i16>>>::read_blocks(source(), size).unwrap().collect());
            assert_eq!(lists(blocks), plain.chunks(size).map(<[i16]>::to_vec).collect::<Vec<Vec<i16>>>());
        }
        for (size, step) in [(1, 1), (8, 3), (3, 8), (50, 1), (51, 1), (10, 10), (5, 47)] {
            let windows =
                run(|| Seq::<Acc<Vector<i16>>>::read_windows(source(), size, step).unwrap().collect());
            let expected = plain.windows(size).step_by(step).map(<[i16]>::to_vec);
            assert_eq!(lists(windows), expected.collect::<Vec<Vec<i16>>>(), "{size} {step}");
        }
    }
    let two = vec![open::<i16>(&path, 0, &both()[0]).unwrap(), open::<i16>(&path, 0, &both()[1]).unwrap()];
    let refused = Seq::<Acc<Vector<i16>>>::read_blocks(two, 3).unwrap_err();
    assert!(refused.to_string().contains("sources of i16, i16"), "{refused}");
}
