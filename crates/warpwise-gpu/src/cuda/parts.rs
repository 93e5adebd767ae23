//! Division of texts into parts that are compiled in parallel, one thread each.
//!
//! NVRTC compiles a text with a single thread, and takes seconds for every ten thousand lines. Kernels do not call each other, so
//! they can be compiled separately, each with the declarations that all of them need.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use crate::kernel_text::KernelText;

/// Minimum size of a part in bytes. NVRTC compiles that much in about a second, many times its fixed cost.
const PART: usize = 24 << 10;

/// A text in parts.
pub(super) struct Parts {
    /// Texts of the parts.
    pub texts: Vec<String>,
    /// Part number of each kernel.
    pub of_kernels: Vec<usize>,
}

/// Divides a text into parts. Kernels stay in order, because neighbours are usually launched one after the other.
pub(super) fn parts(text: &KernelText) -> Parts {
    let first = text.bodies.iter().map(|body| body.start).min().unwrap_or(text.text.len());
    let (shared, mut ranges) = (&text.text[..first], Vec::<Range<usize>>::new());
    let of_kernel = |body: &Range<usize>| {
        if let Some(known) = ranges.iter().position(|range| range.contains(&body.start)) {
            return known;
        }
        match ranges.last_mut() {
            Some(last) if last.len() < PART => last.end = body.end,
            _ => ranges.push(body.clone()),
        }
        ranges.len() - 1
    };
    let of_kernels = text.bodies.iter().map(of_kernel).collect();
    let texts = ranges.into_iter().map(|range| format!("{shared}{}", &text.text[range]));
    Parts { texts: texts.collect(), of_kernels }
}

/// Applies `make` to every element, on as many threads as there are cores. Returns the results in order, or the first error.
pub(super) fn each<T: Sync, U: Send, E: Send>(
    of: &[T],
    make: impl Fn(&T) -> Result<U, E> + Sync,
) -> Result<Vec<U>, E> {
    let (next, threads) = (AtomicUsize::new(0), available_parallelism().map_or(1, usize::from).min(of.len()));
    let work = || {
        let mut made = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = of.get(at) else { return made };
            made.push((at, make(one)));
        }
    };
    let mut made = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut made = work();
        for other in others {
            made.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        made
    });
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use warpwise_runtime::device::{DeviceKernel, Failures};

    use super::*;
    use crate::kernel_text::Features;

    #[test]
    fn kernels_are_cut_into_parts_with_what_all_need() {
        let kernel = || DeviceKernel {
            name: String::new(),
            params: Vec::new(),
            group: None,
            local: Vec::new(),
            per_item: 1,
            failures: Failures::Ignored,
            arena: false,
        };
        let text = format!("head{}{}{}", "a".repeat(PART), "b".repeat(PART), "c");
        let (a, b, c) = (4..4 + PART, 4 + PART..4 + 2 * PART, 4 + 2 * PART..5 + 2 * PART);
        // The last kernel is identical to the first one.
        let bodies = vec![a.clone(), b, c, a];
        let kernels = bodies.iter().map(|_| kernel()).collect();
        let parts = parts(&KernelText { text, features: Features::default(), kernels, bodies });
        assert_eq!(parts.of_kernels, [0, 1, 2, 0]);
        let ends: Vec<&str> = parts.texts.iter().map(|text| &text[..5]).collect();
        assert_eq!(ends, ["heada", "headb", "headc"]);
        assert_eq!(parts.texts[2], "headc");
    }

    #[test]
    fn all_are_made_in_their_order() {
        let numbers: Vec<usize> = (0..100).collect();
        assert_eq!(each(&numbers, |n| Ok::<_, ()>(2 * n)), Ok((0..100).map(|n| 2 * n).collect()));
        assert_eq!(each(&numbers, |&n| if n % 10 == 7 { Err(n) } else { Ok(n) }), Err(7));
        assert_eq!(each(&[], |n: &usize| Ok::<_, ()>(*n)), Ok(vec![]));
    }
}
