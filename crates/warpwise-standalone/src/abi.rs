//! What the code made for a program and this crate agree on.

use std::panic::{AssertUnwindSafe, catch_unwind};

use warpwise_runtime::kernel::KernelFn;

use crate::cpu;
use crate::image::{self, ImageProgram};
use crate::value::Problem;

/// A program that is linked into this process: what it was compiled to for several processors, the best first.
#[repr(C)]
pub struct Linked {
    /// What it was compiled to.
    pub variants: *const LinkedVariant,
    /// How many there are.
    pub count: usize,
}

/// A program compiled for a processor.
#[repr(C)]
pub struct LinkedVariant {
    /// The bytes of an [`Image`](crate::image::Image).
    pub image: *const u8,
    /// How many.
    pub bytes: usize,
    /// The addresses of its kernels, by number.
    pub kernels: *const KernelFn,
    /// How many.
    pub kernel_count: usize,
}

impl Linked {
    /// The best variant that this processor can run.
    ///
    /// # Safety
    /// The pointers are as their descriptions say, and what they point to is never changed.
    pub unsafe fn best(&self) -> Result<(ImageProgram, Vec<KernelFn>), Problem> {
        let mut lacking = String::new();
        // SAFETY: as the caller vouches.
        for variant in unsafe { part(self.variants, self.count) } {
            // SAFETY: as the caller vouches.
            let bytes = unsafe { part(variant.image, variant.bytes) };
            let (features, rest) = image::header(bytes).map_err(Problem::Other)?;
            let missing = cpu::missing(&features);
            if missing.is_empty() {
                // SAFETY: as the caller vouches.
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

/// What lies at a pointer; nothing where that is null.
///
/// # Safety
/// Unless null, the pointer is to so many values that live and do not change as long as the slice is used.
pub unsafe fn part<'a, T>(start: *const T, count: usize) -> &'a [T] {
    if start.is_null() {
        return &[];
    }
    // SAFETY: as the caller vouches.
    unsafe { std::slice::from_raw_parts(start, count) }
}

/// Does something, and makes a panic an error.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let words = words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Problem::Other(format!("internal error, please report it: {words}")))
    })
}
