//! The mathematical functions that compiled code calls, for one value at a time.
//!
//! A host that evaluates a function itself thus gets the same result as its compiled kernels: both call `libmvec` with vectors of
//! the target's width, and a value's result does not depend on its neighbours. The `unsafe` code here loads that library and
//! calls its functions by the x86 vector function ABI: vectors are passed and returned in registers.

use std::arch::x86_64::{
    __m128d, __m256d, __m512d, _mm_cvtsd_f64, _mm_set1_pd, _mm256_cvtsd_f64, _mm256_set1_pd,
    _mm512_cvtsd_f64, _mm512_set1_pd,
};
use std::ffi::CString;

use warpwise_imp::CpuTarget;
use warpwise_prim::{BinaryOp, UnaryOp};

use super::Evaluate;
use super::link::VECTOR_LIBRARY;
use crate::codegen::{vector_binary, vector_unary};

/// Returns a function of one number as compiled code for this CPU and a target's vectors computes it, or none if it is in no
/// vector library.
pub fn compiled_unary(op: UnaryOp, target: &CpuTarget) -> Option<Evaluate> {
    let address = address(&vector_unary(op, target.vector_bits)?)?;
    Some(match target.vector_bits {
        // SAFETY: `target` has vectors of this width, and so has this CPU; the function takes one vector and returns one.
        512 => Box::new(move |x, _| unsafe { unary_512(address, x) }),
        // SAFETY: as above.
        256 => Box::new(move |x, _| unsafe { unary_256(address, x) }),
        // SAFETY: as above; every x86-64 has vectors of 128 bits.
        _ => Box::new(move |x, _| unsafe { unary_128(address, x) }),
    })
}

/// Like [`compiled_unary`], for a function of two numbers.
pub fn compiled_binary(op: BinaryOp, target: &CpuTarget) -> Option<Evaluate> {
    let address = address(&vector_binary(op, target.vector_bits)?)?;
    Some(match target.vector_bits {
        // SAFETY: as in `compiled_unary`, except that the function takes two vectors.
        512 => Box::new(move |x, y| unsafe { binary_512(address, x, y) }),
        // SAFETY: as above.
        256 => Box::new(move |x, y| unsafe { binary_256(address, x, y) }),
        // SAFETY: as above.
        _ => Box::new(move |x, y| unsafe { binary_128(address, x, y) }),
    })
}

/// Returns the address of a function of the vector library, which stays loaded.
fn address(symbol: &str) -> Option<usize> {
    let symbol = CString::new(symbol).ok()?;
    // SAFETY: both names end with a zero byte, and the library is never closed.
    let address = unsafe {
        let library = libc::dlopen(VECTOR_LIBRARY.as_ptr(), libc::RTLD_NOW);
        if library.is_null() { library } else { libc::dlsym(library, symbol.as_ptr()) }
    };
    (!address.is_null()).then_some(address as usize)
}

/// Defines `$unary` and `$binary` for a vector type and the feature that it needs; the address is that of a function of such
/// vectors.
macro_rules! calls {
    ($unary:ident $binary:ident $vector:ty, $feature:literal, $splat:ident, $first:ident) => {
        #[target_feature(enable = $feature)]
        unsafe fn $unary(address: usize, x: f64) -> f64 {
            // SAFETY: the caller guarantees the address and the feature.
            let function =
                unsafe { std::mem::transmute::<usize, extern "C" fn($vector) -> $vector>(address) };
            $first(function($splat(x)))
        }

        #[target_feature(enable = $feature)]
        unsafe fn $binary(address: usize, x: f64, y: f64) -> f64 {
            // SAFETY: as above.
            let function =
                unsafe { std::mem::transmute::<usize, extern "C" fn($vector, $vector) -> $vector>(address) };
            $first(function($splat(x), $splat(y)))
        }
    };
}

calls!(unary_128 binary_128 __m128d, "sse2", _mm_set1_pd, _mm_cvtsd_f64);
calls!(unary_256 binary_256 __m256d, "avx", _mm256_set1_pd, _mm256_cvtsd_f64);
calls!(unary_512 binary_512 __m512d, "avx512f", _mm512_set1_pd, _mm512_cvtsd_f64);
