//! The binary interface between the generated code of a program and this crate.

use std::panic::{AssertUnwindSafe, catch_unwind};

use warpwise_runtime::kernel::KernelFn;

use crate::cpu;
use crate::image::{self, ImageProgram};
use crate::value::Problem;

/// A program that is linked into this process, compiled for several processors.
#[repr(C)]
pub struct Linked {
    /// Variants, the best first.
    pub variants: *const LinkedVariant,
    /// Number of variants.
    pub count: usize,
}

/// A program compiled for a processor.
#[repr(C)]
pub struct LinkedVariant {
    /// Bytes of an [`Image`](crate::image::Image).
    pub image: *const u8,
    /// Number of bytes.
    pub bytes: usize,
    /// Addresses of the kernels, by number.
    pub kernels: *const KernelFn,
    /// Number of kernels.
    pub kernel_count: usize,
}

impl Linked {
    /// Returns the best variant that this processor can run.
    ///
    /// # Safety
    /// The pointers are as their descriptions say, and the data behind them never changes.
    pub unsafe fn best(&self) -> Result<(ImageProgram, Vec<KernelFn>), Problem> {
        let mut lacking = String::new();
        // SAFETY: guaranteed by the caller.
        for variant in unsafe { part(self.variants, self.count) } {
            // SAFETY: guaranteed by the caller.
            let bytes = unsafe { part(variant.image, variant.bytes) };
            let (features, rest) = image::header(bytes).map_err(Problem::Other)?;
            let missing = cpu::missing(&features);
            if missing.is_empty() {
                // SAFETY: guaranteed by the caller.
                let kernels = unsafe { part(variant.kernels, variant.kernel_count) }.to_vec();
                return Ok((image::program(rest).map_err(Problem::Other)?, kernels));
            }
            lacking = missing.join(", ");
        }
        Err(Problem::Other(format!(
            "this program was compiled for a processor with {lacking}; `warpwise build --portable` makes one for any"
        )))
    }
}

/// Returns the `count` values at a pointer; an empty slice if the pointer is null.
///
/// # Safety
/// Unless null, the pointer refers to `count` values that live and do not change as long as the slice is used.
pub unsafe fn part<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: guaranteed by the caller.
    unsafe { std::slice::from_raw_parts(start, count) }
}

/// Runs `work`, and turns a panic into an error.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Problem::Other(format!("internal error, please report it: {words}")))
    })
}
