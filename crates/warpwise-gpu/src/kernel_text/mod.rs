//! Printing of kernels of the imperative IR as text for the compiler of a device's driver.
//!
//! ```text
//! kernel main_0_map(n, xs, ys) lo to hi {       __kernel void main_0_map(long n_2, __global const float *xs_m0,
//!   for j in lo to hi {                                                 __global float *ys_m1, long extent) {
//!     x = load xs[j]                             ...
//!     y = fmul x 2f32                    ==>     for (j_3 = lo_0; j_3 < hi_1; j_3 += 1) {
//!     store ys[j] = y                                x_4 = xs_m0[j_3];
//!   }                                                y_5 = x_4 * 2.0f;
//! }                                                  ys_m1[j_3] = y_5;
//!                                                } }
//! ```
//!
//! Every work-item runs the kernel for one iteration: `lo` is `first` plus the work-item's number, `hi` is `lo + 1`. Work-items
//! from `extent` on do nothing, so a launch may round their number up to whole groups. On CUDA the work-items of short kernels
//! run several iterations: see `strides` and `together`. A kernel that could do harm after an earlier failure first checks for
//! one: see `reliance`. Arguments are as in [`DeviceKernel`]; a memory is a pointer to its start.
//!
//! In a kernel of work-groups every group does one iteration, and the number of groups equals the number of iterations.
//!
//! Memory that a kernel takes from the arena lies in the work-item's slot. If the slot is full, the work-item records the size it
//! wanted and ends: see `arena`.
//!
//! Operators have the semantics of `warpwise_prim` if the text is built with [`Dialect::build_options`]; elementary functions are
//! the device's own.
//!
//! Needs: kernels of scalar registers (lanes = 1) without flags between tasks, and without arenas beside barriers; everything
//! else is a located limit. Not done here: choosing the number of work-items, launches.

mod cuda;
mod dialect;

mod literals;
mod local;
mod reliance;
mod strides;
mod survey;
mod together;

mod printer;

mod operators;
mod private;

mod floats;
mod integers;

mod arena;
mod memory;

mod helpers;
mod hints;

pub use dialect::{Dialect, Features};
pub use local::LOCAL_WORD;

use std::collections::BTreeSet;
use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use warpwise_diag::Failure;
use warpwise_imp::Kernel;
use warpwise_imp::traverse::nesting;
use warpwise_prim::ScalarType;
use warpwise_runtime::device::DeviceKernel;

use helpers::Helper;
use printer::Printer;
use survey::survey;

/// A text for the compiler of a device's driver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KernelText {
    /// Source code.
    pub text: String,
    /// Features that the device must have.
    pub features: Features,
    /// The kernels, in the given order.
    pub kernels: Vec<DeviceKernel>,
    /// Range of each kernel in the text; identical kernels share one. The declarations that all kernels share precede the first
    /// range.
    pub bodies: Vec<Range<usize>>,
}

/// Maximum nesting depth of blocks: the compilers of drivers accept 256 brackets.
const DEEPEST: usize = 200;

/// Prints kernels into one text. Of several identical kernels, such as those of a function that is inlined more than once, only
/// the first is printed.
pub fn kernel_text<'k>(
    kernels: impl IntoIterator<Item = &'k Kernel>,
    dialect: Dialect,
) -> Result<KernelText, Failure> {
    let kernels: Vec<&Kernel> = kernels.into_iter().collect();
    let may_fail = kernels.iter().any(|kernel| survey(kernel).fails);
    let mut used = BTreeSet::new();
    let mut features = Features::default();
    let mut texts = String::new();
    let mut printed: Vec<DeviceKernel> = Vec::new();
    let mut bodies = Vec::new();
    let mut known: FxHashMap<String, usize> = FxHashMap::default();
    for kernel in kernels {
        let name = literals::identifier(&kernel.name);
        let mut printer = Printer::new(kernel, dialect, may_fail, &mut used);
        let levels = nesting(&kernel.body);
        if levels > DEEPEST {
            return printer.limit(&format!("blocks that nest {levels} levels deep"));
        }
        let own = printer.kernel(&name)?;
        let nameless = printer.out.replacen(&name, "", 1);
        if let Some(&same) = known.get(&nameless) {
            printed.push(printed[same].clone());
            bodies.push(Range::clone(&bodies[same]));
            continue;
        }
        known.insert(nameless, printed.len());
        printed.push(own);
        let doubles = kernel.regs.values().any(|reg| reg.ty.scalar == ScalarType::F64);
        features.f64 |= doubles;
        features.wide_atomics |= printer.wide_atomics;
        let start = texts.len();
        texts += "\n";
        texts += &printer.out;
        bodies.push(start..texts.len());
    }
    features.f64 |= used.iter().any(|helper: &Helper| helper.needs_f64());
    let helpers: String = used.iter().map(|helper| format!("\n{}", helper.text(dialect))).collect();
    let shared = dialect.prologue(features) + &helpers;
    let bodies = bodies.into_iter().map(|body| body.start + shared.len()..body.end + shared.len()).collect();
    Ok(KernelText { text: shared + &texts, features, kernels: printed, bodies })
}
