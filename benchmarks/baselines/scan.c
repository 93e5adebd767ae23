// Prefix sums in one pass over memory: blocks are claimed in order, a block's total is taken while it is
// brought into the cache, its prefix comes from the block before, and its results go out from the cache.
#include "baseline.h"

enum { BLOCK = 32768 };

// The prefix before a block, published once `ready`; one cache line each.
typedef struct {
  _Alignas(64) atomic_int ready;
  union { float f32; int32_t i32; } value;
} prefix;

static void publish(prefix *p) { atomic_store_explicit(&p->ready, 1, memory_order_release); }

static void await(prefix *p) {
  while (!atomic_load_explicit(&p->ready, memory_order_acquire)) {
#ifdef __AVX512F__
    _mm_pause();
#endif
  }
}

#ifdef __AVX512F__

static inline __m512 prefix_f32(__m512 v, const __m512i less[4]) {
  for (int step = 0; step < 4; step++) {
    __m512i moved = _mm512_maskz_permutexvar_epi32((__mmask16)(0xffffu << (1 << step)), less[step], _mm512_castps_si512(v));
    v = _mm512_add_ps(v, _mm512_castsi512_ps(moved));
  }
  return v;
}

static inline __m512i prefix_i32(__m512i v, const __m512i less[4]) {
  for (int step = 0; step < 4; step++)
    v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32((__mmask16)(0xffffu << (1 << step)), less[step], v));
  return v;
}

static inline void lanes_less(__m512i less[4]) {
  __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (int step = 0; step < 4; step++) less[step] = _mm512_sub_epi32(lanes, _mm512_set1_epi32(1 << step));
}

// Scans whole vectors of x[begin..end] into `to`, returns where it stopped; `carry` goes in and out.
static int64_t vectors_f32(const float *x, float *to, int64_t begin, int64_t end, int exclusive, float *carry) {
  __m512i less[4], last = _mm512_set1_epi32(15);
  lanes_less(less);
  __m512 before = _mm512_set1_ps(*carry);
  int64_t i = begin;
  for (; i + 16 <= end; i += 16) {
    __m512 sums = _mm512_add_ps(before, prefix_f32(_mm512_loadu_ps(x + i), less));
    __m512 result = sums;
    if (exclusive) result = _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(sums), _mm512_castps_si512(before), 15));
    _mm512_stream_ps(to + i, result);
    before = _mm512_permutexvar_ps(last, sums);
  }
  *carry = _mm512_cvtss_f32(before);
  return i;
}

static int64_t vectors_i32(const int32_t *x, int32_t *to, int64_t begin, int64_t end, int exclusive, int32_t *carry) {
  __m512i less[4], last = _mm512_set1_epi32(15);
  lanes_less(less);
  __m512i before = _mm512_set1_epi32(*carry);
  int64_t i = begin;
  for (; i + 16 <= end; i += 16) {
    __m512i sums = _mm512_add_epi32(before, prefix_i32(_mm512_loadu_si512(x + i), less));
    __m512i result = exclusive ? _mm512_alignr_epi32(sums, before, 15) : sums;
    _mm512_stream_si512((__m512i *)(to + i), result);
    before = _mm512_permutexvar_epi32(last, sums);
  }
  *carry = _mm512_cvtsi512_si32(before);
  return i;
}
#else
#define vectors_f32(x, to, begin, end, exclusive, carry) (begin)
#define vectors_i32(x, to, begin, end, exclusive, carry) (begin)
#endif

#define SCAN(T, FIELD, VECTORS)                                                             \
  static void scan_##FIELD(int64_t n, const T *x, T *to, int exclusive) {                   \
    int64_t blocks = (n + BLOCK - 1) / BLOCK;                                               \
    prefix *before = aligned_alloc(64, sizeof(prefix) * (blocks + 1));                      \
    for (int64_t b = 0; b <= blocks; b++) atomic_init(&before[b].ready, b == 0);            \
    before[0].value.FIELD = 0;                                                              \
    atomic_llong next = 0;                                                                  \
    _Pragma("omp parallel") for (;;) {                                                      \
      int64_t b = atomic_fetch_add(&next, 1);                                               \
      if (b >= blocks) break;                                                               \
      int64_t begin = b * BLOCK, end = begin + BLOCK < n ? begin + BLOCK : n;               \
      T total = 0;                                                                          \
      _Pragma("omp simd reduction(+ : total)") for (int64_t i = begin; i < end; i++) total += x[i]; \
      await(&before[b]);                                                                    \
      T carry = before[b].value.FIELD;                                                      \
      before[b + 1].value.FIELD = carry + total;                                            \
      publish(&before[b + 1]);                                                              \
      for (int64_t i = VECTORS(x, to, begin, end, exclusive, &carry); i < end; i++) {       \
        T sum = carry + x[i];                                                               \
        to[i] = exclusive ? carry : sum;                                                    \
        carry = sum;                                                                        \
      }                                                                                     \
      stream_end();                                                                         \
    }                                                                                       \
    free(before);                                                                           \
  }

SCAN(float, f32, vectors_f32)
SCAN(int32_t, i32, vectors_i32)

// sizes: n; in: xs; out: sums
BASELINE(inclusive_f32) { scan_f32(sizes[0], in[0], out[0], 0); }
BASELINE(exclusive_f32) { scan_f32(sizes[0], in[0], out[0], 1); }
BASELINE(inclusive_i32) { scan_i32(sizes[0], in[0], out[0], 0); }
BASELINE(exclusive_i32) { scan_i32(sizes[0], in[0], out[0], 1); }
