// What every baseline shares: one signature, so that the harness calls any of them without knowing it.
//
// sizes: the program's sizes, in the order its file says; in: scalars and arrays, by pointer;
// out: arrays with room for the largest possible result. Arrays start at multiples of 64 bytes.
#pragma once
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

// Vector versions of these functions are in glibc's libmvec. gcc's headers offer them under -ffast-math only,
// but calling them changes no other arithmetic, and they are what the others call; clang needs no telling.
#if defined __GNUC__ && !defined __clang__ && !defined __FAST_MATH__ && defined __x86_64__ && defined __GLIBC__
#define HAS_VECTORS __attribute__((simd("notinbranch")))
HAS_VECTORS float expf(float);
HAS_VECTORS float logf(float);
HAS_VECTORS float sinf(float);
HAS_VECTORS float cosf(float);
#endif

// A loop in lanes, as wide as the vector functions that the compiler knows.
#ifdef __clang__
#define SIMD_WITH_FUNCTIONS _Pragma("omp simd")
#else
#define SIMD_WITH_FUNCTIONS _Pragma("omp simd simdlen(16)")
#endif

#define BASELINE(name) \
  __attribute__((visibility("default"))) void name(const int64_t *sizes, const void *const *in, void *const *out)

// The harness sets the number of threads of each library through this.
__attribute__((visibility("default"), unused)) void baseline_threads(int threads) { omp_set_num_threads(threads); }

typedef struct { int64_t begin, end; } range;

// The part of 0..n of the calling thread, in multiples of `grain`.
static inline range own_part(int64_t n, int64_t grain) {
  int64_t grains = (n + grain - 1) / grain, threads = omp_get_num_threads(), id = omp_get_thread_num();
  int64_t begin = grains * id / threads * grain, end = grains * (id + 1) / threads * grain;
  return (range){begin < n ? begin : n, end < n ? end : n};
}

// Writes past the caches where the machine can: results that are not read again soon.
static inline void stream_f32x16(float *to, const float *from) {
#ifdef __AVX512F__
  _mm512_stream_ps(to, _mm512_loadu_ps(from));
#else
  memcpy(to, from, 64);
#endif
}

static inline void stream_f64x8(double *to, const double *from) {
#ifdef __AVX512F__
  _mm512_stream_pd(to, _mm512_loadu_pd(from));
#else
  memcpy(to, from, 64);
#endif
}

static inline void stream_end(void) {
#ifdef __AVX512F__
  _mm_sfence();
#endif
}
