//! Byte vectors of the widest kind that the processor has, chosen at run time.
//!
//! The interface is what copying needs: loads, stores that bypass the caches, and the shuffles of a transposition, which stay
//! within lanes of 16 bytes. A [`Job`] is written once for any vector and compiled for each kind by [`dispatch`]. Processors
//! without one of the x86 kinds use `u128`.

/// Size of a lane in bytes.
pub(super) const LANE: usize = 16;

/// A vector of bytes.
pub(super) trait Vector: Copy {
    /// Size of the vector in bytes.
    const BYTES: usize;

    /// # Safety
    /// `BYTES` bytes can be read from `from`, which need not be aligned.
    unsafe fn load(from: *const u8) -> Self;

    /// Loads a lane from each of `from`, `from + step`, ...
    ///
    /// # Safety
    /// All lanes can be read.
    unsafe fn load_lanes(from: *const u8, step: isize) -> Self;

    /// # Safety
    /// `BYTES` bytes can be written to `to`, which need not be aligned.
    unsafe fn store(self, to: *mut u8);

    /// Stores past the caches; [`fence`](Vector::fence) must follow before other threads read the memory.
    ///
    /// # Safety
    /// As for [`store`](Vector::store), and `to` is a multiple of `BYTES`.
    unsafe fn stream(self, to: *mut u8);

    /// Orders streaming stores before later accesses.
    fn fence();

    /// Prefetches the cache line at `from`; any address is allowed.
    fn prefetch(from: *const u8);

    /// Interleaves elements of `width` bytes, lane by lane: first the lower halves of the lanes of `self` and `other`, then the
    /// upper halves.
    ///
    /// # Safety
    /// The processor has this kind of vector; `width` is 1, 2, 4 or 8.
    unsafe fn interleave(self, other: Self, width: usize) -> (Self, Self);
}

/// Work that is written for any vector.
pub(super) trait Job {
    /// Does the work. Mark implementations `#[inline(always)]`, so that they are compiled for the
    /// processor that [`dispatch`] found.
    ///
    /// # Safety
    /// The processor has this kind of vector; beyond that, the job's own conditions hold.
    unsafe fn run<V: Vector>(&self);
}

/// Runs a job with the widest vectors of the processor.
///
/// # Safety
/// The job's own conditions hold.
pub(super) unsafe fn dispatch(job: &impl Job) {
    // SAFETY: features are used only where they are detected; the caller promises the rest.
    unsafe {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                return x86::run_avx512(job);
            }
            if is_x86_feature_detected!("avx2") {
                return x86::run_avx2(job);
            }
        }
        job.run::<u128>();
    }
}

impl Vector for u128 {
    const BYTES: usize = LANE;

    #[inline(always)]
    unsafe fn load(from: *const u8) -> u128 {
        // SAFETY: by contract.
        unsafe { from.cast::<u128>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn load_lanes(from: *const u8, _step: isize) -> u128 {
        // SAFETY: by contract.
        unsafe { from.cast::<u128>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: by contract.
        unsafe { to.cast::<u128>().write_unaligned(self) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: by contract.
        unsafe { to.cast::<u128>().write_unaligned(self) }
    }

    fn fence() {}

    fn prefetch(_from: *const u8) {}

    #[inline(always)]
    unsafe fn interleave(self, other: u128, width: usize) -> (u128, u128) {
        let (left, right) = (self.to_le_bytes(), other.to_le_bytes());
        let mut both = [0; 2 * LANE];
        for (pair, (left, right)) in
            both.chunks_exact_mut(2 * width).zip(left.chunks_exact(width).zip(right.chunks_exact(width)))
        {
            pair[..width].copy_from_slice(left);
            pair[width..].copy_from_slice(right);
        }
        let half = |start: usize| {
            let mut bytes = [0; LANE];
            bytes.copy_from_slice(&both[start..start + LANE]);
            u128::from_le_bytes(bytes)
        };
        (half(0), half(LANE))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Job, Vector};

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) unsafe fn run_avx512(job: &impl Job) {
        // SAFETY: the processor has the feature, by contract.
        unsafe { job.run::<__m512i>() }
    }

    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn run_avx2(job: &impl Job) {
        // SAFETY: the processor has the feature, by contract.
        unsafe { job.run::<__m256i>() }
    }

    // SAFETY, for all blocks below: memory is accessible by contract, and these types are used only
    // behind the features' detection in `dispatch`.

    impl Vector for __m512i {
        const BYTES: usize = 64;

        #[inline(always)]
        unsafe fn load(from: *const u8) -> __m512i {
            unsafe { _mm512_loadu_si512(from.cast()) }
        }

        #[inline(always)]
        unsafe fn load_lanes(from: *const u8, step: isize) -> __m512i {
            unsafe {
                let lane = |number: isize| _mm_loadu_si128(from.wrapping_offset(number * step).cast());
                let vector = _mm512_castsi128_si512(lane(0));
                let vector = _mm512_inserti32x4::<1>(vector, lane(1));
                let vector = _mm512_inserti32x4::<2>(vector, lane(2));
                _mm512_inserti32x4::<3>(vector, lane(3))
            }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u8) {
            unsafe { _mm512_storeu_si512(to.cast(), self) }
        }

        #[inline(always)]
        unsafe fn stream(self, to: *mut u8) {
            unsafe { _mm512_stream_si512(to.cast(), self) }
        }

        #[inline(always)]
        fn fence() {
            unsafe { _mm_sfence() }
        }

        #[inline(always)]
        fn prefetch(from: *const u8) {
            unsafe { _mm_prefetch::<_MM_HINT_T1>(from.cast()) }
        }

        #[inline(always)]
        unsafe fn interleave(self, other: __m512i, width: usize) -> (__m512i, __m512i) {
            unsafe {
                match width {
                    1 => (_mm512_unpacklo_epi8(self, other), _mm512_unpackhi_epi8(self, other)),
                    2 => (_mm512_unpacklo_epi16(self, other), _mm512_unpackhi_epi16(self, other)),
                    4 => (_mm512_unpacklo_epi32(self, other), _mm512_unpackhi_epi32(self, other)),
                    _ => (_mm512_unpacklo_epi64(self, other), _mm512_unpackhi_epi64(self, other)),
                }
            }
        }
    }

    impl Vector for __m256i {
        const BYTES: usize = 32;

        #[inline(always)]
        unsafe fn load(from: *const u8) -> __m256i {
            unsafe { _mm256_loadu_si256(from.cast()) }
        }

        #[inline(always)]
        unsafe fn load_lanes(from: *const u8, step: isize) -> __m256i {
            unsafe {
                let vector = _mm256_castsi128_si256(_mm_loadu_si128(from.cast()));
                _mm256_inserti128_si256::<1>(vector, _mm_loadu_si128(from.wrapping_offset(step).cast()))
            }
        }

        #[inline(always)]
        unsafe fn store(self, to: *mut u8) {
            unsafe { _mm256_storeu_si256(to.cast(), self) }
        }

        #[inline(always)]
        unsafe fn stream(self, to: *mut u8) {
            unsafe { _mm256_stream_si256(to.cast(), self) }
        }

        #[inline(always)]
        fn fence() {
            unsafe { _mm_sfence() }
        }

        #[inline(always)]
        fn prefetch(from: *const u8) {
            unsafe { _mm_prefetch::<_MM_HINT_T1>(from.cast()) }
        }

        #[inline(always)]
        unsafe fn interleave(self, other: __m256i, width: usize) -> (__m256i, __m256i) {
            unsafe {
                match width {
                    1 => (_mm256_unpacklo_epi8(self, other), _mm256_unpackhi_epi8(self, other)),
                    2 => (_mm256_unpacklo_epi16(self, other), _mm256_unpackhi_epi16(self, other)),
                    4 => (_mm256_unpacklo_epi32(self, other), _mm256_unpackhi_epi32(self, other)),
                    _ => (_mm256_unpacklo_epi64(self, other), _mm256_unpackhi_epi64(self, other)),
                }
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Runs a job with every kind of vector that the processor has.
    pub(in crate::copy) unsafe fn with_each(job: &impl Job) {
        // SAFETY: as in `dispatch`.
        unsafe {
            #[cfg(target_arch = "x86_64")]
            {
                if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                    x86::run_avx512(job);
                }
                if is_x86_feature_detected!("avx2") {
                    x86::run_avx2(job);
                }
            }
            job.run::<u128>();
        }
    }

    struct InterleavesLikeBytes;

    impl Job for InterleavesLikeBytes {
        #[inline(always)]
        unsafe fn run<V: Vector>(&self) {
            let left: Vec<u8> = (0..64).collect();
            let right: Vec<u8> = (100..164).collect();
            for width in [1, 2, 4, 8] {
                let mut result = [[0; 64]; 2];
                // SAFETY: the arrays are as long as the longest vector.
                unsafe {
                    let (low, high) = V::load(left.as_ptr()).interleave(V::load(right.as_ptr()), width);
                    low.store(result[0].as_mut_ptr());
                    high.store(result[1].as_mut_ptr());
                }
                for at in 0..V::BYTES {
                    let (lane, within) = (at / LANE * LANE, at % LANE);
                    let (pair, side) = (within / (2 * width), within / width % 2);
                    for (half, result) in result.iter().enumerate() {
                        let place = lane + half * LANE / 2 + pair * width + within % width;
                        assert_eq!(result[at], [left[place], right[place]][side], "{width} {half} {at}");
                    }
                }
            }
        }
    }

    #[test]
    fn interleaving_takes_elements_in_turn() {
        // SAFETY: the job has no conditions of its own.
        unsafe { with_each(&InterleavesLikeBytes) }
    }
}
