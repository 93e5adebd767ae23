//! Programs in the array language, called from Rust: every type is passed, on every device.

use warpwise::{Array, Context, Dim1, Dim3, Error, Vector, f16};

use crate::contexts;

warpwise::include_fut!("tests/embedded/included.fut");

fn vector<E: warpwise::Elt>(elements: &[E]) -> Vector<E> {
    Array::from_slice([elements.len()], elements).unwrap()
}

#[test]
fn scalars_and_arrays() {
    for context in &contexts() {
        let (x, xs) = bools(context, true, &vector(&[true, false])).unwrap();
        assert_eq!((x, xs.to_vec()), (false, vec![false, true]));
        let (x, y, xs) = bytes(context, 255, -128, &vector(&[254_u8, 255])).unwrap();
        assert_eq!((x, y, xs.to_vec()), (0, 127, vec![255, 0]));
        assert_eq!(shorts(context, u16::MAX, i16::MIN), Ok((0, i16::MAX)));
        assert_eq!(words(context, u32::MAX, i32::MIN), Ok((0, i32::MAX)));
        assert_eq!(longs(context, u64::MAX, i64::MIN), Ok((0, i64::MAX)));
        let half = f16::from_f32;
        let (x, y, z, xs) = floats(context, half(3.0), 5.0, 7.0, &vector(&[half(1.0)])).unwrap();
        assert_eq!((x, y, z, xs.to_vec()), (half(1.5), 2.5, 3.5, vec![half(0.5)]));
        assert!(floats(context, half(3.0), 5.0, 7.0, &vector(&[])).unwrap().3.is_empty());
        let cubic: Array<Dim3, i32> = Array::from_vec([1, 2, 3], vec![1, 2, 3, 4, 5, 6]).unwrap();
        let turned = cube(context, &cubic).unwrap();
        assert_eq!((turned.extents(), turned.to_vec()), ([3, 2, 1], vec![1, 4, 2, 5, 3, 6]));
        assert_eq!(constant(context), Ok(5));
        assert_eq!(nothing(context, 1), Ok(()));
    }
}

#[test]
fn records_and_names_that_rust_has_not() {
    for context in &contexts() {
        let found = unnamed(context, &(vector(&[1.0, 2.0]), 7));
        assert_eq!(found, Ok((7, (2, false))));
        let leaf = |weight| Leaf { at: (1, 2), weight };
        let tree = Tree { leaves: vector(&[leaf(1.0)]), root: leaf(2.0), name_prime: vector(&[65_u8]) };
        let grown = grow(context, &tree, &leaf(3.0)).unwrap();
        assert_eq!(grown.leaves.to_vec(), [leaf(1.0), leaf(2.0)]);
        assert_eq!((grown.root, grown.name_prime.to_vec()), (leaf(3.0), vec![65, 33]));
        assert_eq!(weigh(context, &grown.leaves), Ok(3.0));
        assert_eq!(weigh(context, &vector(&[])), Ok(0.0));
        assert_eq!(r#fn(context, 20, 2), Ok(42));
    }
}

#[test]
fn sum_types() {
    let letters = vector(&[1_u8, 2, 3]);
    let all = [
        (Shape::Dot, 0.0),
        (Shape::Disc(1.5), 1.5),
        (Shape::Blob((-3, true), letters.clone()), 3.0),
        (Shape::Ring(1.0, 2.0), 12.0),
    ];
    for context in &contexts() {
        for (which, (shape, sum)) in (0..).zip(&all) {
            assert_eq!(shapes(context, &letters, which).as_ref(), Ok(shape));
            assert_eq!(sum_shape(context, shape), Ok(*sum));
        }
    }
}

#[test]
fn failures_have_places() {
    for context in &contexts() {
        let wrong = agree(context, &vector(&[1, 2]), &vector(&[1]));
        assert!(matches!(wrong, Err(Error::Check(_))), "{wrong:?}");
        let message = at(context, &vector(&[1, 2]), 2).unwrap_err().to_string();
        assert!(message.starts_with("tests/embedded/included.fut:42:"), "{message}");
        assert!(message.ends_with("Index [2] out of bounds for array of shape [2]"), "{message}");
    }
}

#[test]
fn a_context_compiles_a_program_once() {
    let folder = tempfile::tempdir().unwrap();
    let context = Context::cpu().unwrap().with_cache(Some(folder.path()));
    let xs: Array<Dim1, i32> = vector(&[1, 2]);
    for _ in 0..3 {
        assert_eq!(agree(&context, &xs, &xs).unwrap().to_vec(), [2, 4]);
        assert_eq!(constant(&context), Ok(5));
    }
    assert_eq!(context.compilations(), 1);
    let kept = || std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(kept(), 1);
    let again = Context::cpu().unwrap().with_cache(Some(folder.path()));
    assert_eq!(constant(&again), Ok(5));
    assert_eq!(again.run(&warpwise::enum_from(3, 1).sum()).unwrap().to_vec(), [6]);
    assert_eq!(kept(), 2);
}
