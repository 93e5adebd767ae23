//! The examples compute the same results as plain Rust.

use crate::contexts;

/// Defines one test per example, whose `check` compares with a reference.
macro_rules! examples {
    ($($name:ident $path:literal;)*) => { $(
        #[path = $path]
        #[allow(dead_code)]
        mod $name;
    )*

        mod checks {
            use super::contexts;

            $(#[test]
            fn $name() {
                for context in contexts() {
                    super::$name::check(&context).unwrap();
                }
            })*
        }
    };
}

examples! {
    black_scholes "../../examples/black_scholes.rs";
    blas "../../examples/blas/main.rs";
    canny "../../examples/canny.rs";
    fft "../../examples/fft.rs";
    fluid "../../examples/fluid.rs";
    k_means "../../examples/k_means.rs";
    mandelbrot "../../examples/mandelbrot.rs";
    md5 "../../examples/md5.rs";
    nbody "../../examples/nbody.rs";
    prices "../../examples/prices.rs";
    radix_sort "../../examples/radix_sort.rs";
    ray "../../examples/ray.rs";
    sparse "../../examples/sparse.rs";
}
