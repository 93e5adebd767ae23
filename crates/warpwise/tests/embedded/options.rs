//! Contexts that compile their programs otherwise: the rounding of floats, the width of vectors, and no checks.

use warpwise::{Acc, Array, Context, Error, Floats, Vector, enum_from, use_};

/// The rounding error of squares: 0 where products are rounded before something is subtracted from them.
fn rests(context: &Context) -> Vec<f64> {
    let x = use_(&Array::from([1.0 + f64::EPSILON, 1.5, 1.0 - 3.0 * f64::EPSILON]));
    let square = (&x * &x).compute();
    context.run(&x.zip_with(&square, |x, square| x * x - square)).unwrap().to_vec()
}

#[test]
fn floats_are_rounded_as_the_context_says() {
    let context = Context::cpu().unwrap().with_cache(None);
    let strict = context.with_floats(Floats::Strict);
    assert_eq!(rests(&strict), [0.0; 3]);
    assert_ne!(rests(&context), [0.0; 3]);
    // What is made of a context compiles as that does.
    assert_eq!(rests(&strict.with_memory_limit(1 << 30)), [0.0; 3]);
    assert_eq!(rests(&strict.with_cache(None)), [0.0; 3]);
    assert_ne!(rests(&strict.with_floats(Floats::Contracted)), [0.0; 3]);
    let thirds = enum_from(100, 1.0_f32).map(|x| x / 3.0);
    let exact = strict.run(&thirds).unwrap().to_vec();
    let fast = context.with_floats(Floats::Fast).run(&thirds).unwrap().to_vec();
    for (exact, fast) in exact.into_iter().zip(fast) {
        assert!((exact - fast).abs() <= exact * 2.0 * f32::EPSILON, "{exact} {fast}");
    }
}

#[test]
fn vectors_of_all_widths_compute_the_same() {
    let context = Context::cpu().unwrap().with_cache(None);
    let xs = enum_from(1000, 1_i32).map(|x| x * x % 17);
    let expected = context.run(&xs).unwrap();
    for bits in [1, 128, 256, 512] {
        // Not every machine has the widest.
        if let Ok(narrow) = context.with_vector_width(bits) {
            assert_eq!(narrow.run(&xs).unwrap(), expected, "{bits}");
        }
    }
    assert!(context.with_vector_width(1).is_ok() && context.with_vector_width(128).is_ok());
    assert!(matches!(context.with_vector_width(100), Err(Error::Device(_))));
}

#[test]
fn a_context_without_checks_has_no_message_for_an_index_out_of_bounds() {
    let checking = Context::cpu().unwrap().with_cache(None);
    // SAFETY: all indices below are within their arrays.
    let trusting = unsafe { checking.without_checks() };
    let context = |context: &Context| {
        context.compile(|xs: Acc<Vector<i32>>, places: Acc<Vector<i64>>| xs.gather(&places)).unwrap()
    };
    let (xs, places) = (Array::from([1, 2, 3]), Array::from([2_i64, 0]));
    assert_eq!(context(&trusting).run(&xs, &places).unwrap().to_vec(), [3, 1]);
    let outside = Array::from([3_i64]);
    assert!(matches!(context(&checking).run(&xs, &outside), Err(Error::Check(_))));
}
