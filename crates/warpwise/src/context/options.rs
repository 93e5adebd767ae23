//! How a context compiles its programs: the rounding of floats, the width of vectors, and whether programs check what they do.

use warpwise_driver::Options;

use super::Context;
#[cfg(feature = "cpu")]
use crate::error::Error;

/// Rounding and approximation of float operations.
///
/// ```
/// use warpwise::{Context, Floats, enum_from};
///
/// let context = Context::new()?.with_floats(Floats::Strict);
/// assert_eq!(context.run(&enum_from(3, 1.0_f64).map(|x| x * 0.5 + 1.0))?.to_vec(), [1.5, 2.0, 2.5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Floats {
    /// Every operation is rounded by itself, as Rust's are.
    Strict,
    /// A product and the sum that it is part of may be rounded once, by a fused multiply-add.
    #[default]
    Contracted,
    /// As [`Contracted`](Floats::Contracted), and divisions by square roots and by constants become multiplications by approximations.
    Fast,
}

impl Context {
    /// Returns a context on the same device that compiles float operations in this way. Others compile them [`Floats::Contracted`]. The
    /// interpreter always rounds every operation by itself.
    ///
    /// ```
    /// use warpwise::{Array, Context, Floats, use_};
    ///
    /// // The square of `x` has more bits than a float.
    /// let x = use_(&Array::from([1.0 + f64::EPSILON]));
    /// let rest = (&x * &x) - (&x * &x).compute();
    /// let strict = Context::new()?.with_floats(Floats::Strict);
    /// assert_eq!(strict.run(&rest)?.to_vec(), [0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn with_floats(&self, floats: Floats) -> Context {
        self.compiling_with(|options| {
            options.strict_fp = floats == Floats::Strict;
            options.fast_math = floats == Floats::Fast;
        })
    }

    /// Returns a context on the same device whose code for the processor uses vectors of this width in bits: 128, 256 or 512, or 1 for none.
    /// Others use the machine's widest. [`Error::Device`] if the machine has no such vectors.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let context = Context::cpu()?.with_vector_width(128)?;
    /// assert_eq!(context.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// assert!(context.with_vector_width(7).is_err());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "cpu")]
    pub fn with_vector_width(&self, bits: u32) -> Result<Context, Error> {
        let context = self.compiling_with(|options| options.vector_width = Some(bits));
        warpwise_driver::compiler::target(&context.inner.options).map_err(Error::Device)?;
        Ok(context)
    }

    /// Returns a context on the same device whose programs check nothing: no index, no extent, no divisor.
    ///
    /// # Safety
    ///
    /// In the programs that the context runs, every index must be within its array, every extent must fit the array that it describes, and
    /// no integer may be divided by zero. Programs that break this read and write any memory of the process.
    ///
    /// ```
    /// use warpwise::{Context, fill, generate};
    ///
    /// // SAFETY: the index 2 is within the three elements.
    /// let context = unsafe { Context::new()?.without_checks() };
    /// assert_eq!(context.run(&fill(3, 1_i32).at(2))?, 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub unsafe fn without_checks(&self) -> Context {
        self.compiling_with(|options| options.unsafe_ = true)
    }

    /// The same device, memory and cache, with programs of its own that are compiled with changed options.
    fn compiling_with(&self, change: impl FnOnce(&mut Options)) -> Context {
        let mut options = self.inner.options.clone();
        change(&mut options);
        Context::lending(self.inner.device.clone(), self.inner.cache.clone(), options, None)
    }
}
