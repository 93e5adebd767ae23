// Filter and partition in one pass: a block's survivors are packed into a small buffer, then go to the
// place that the blocks before it leave; blocks are claimed in order.
#include "baseline.h"

enum { BLOCK = 16384 };

// How many elements before a block survive, published once not negative.
typedef struct { _Alignas(64) atomic_llong value; } position;

static int64_t await(position *p) {
  long long v;
  while ((v = atomic_load_explicit(&p->value, memory_order_acquire)) < 0) {
#ifdef __AVX512F__
    _mm_pause();
#endif
  }
  return v;
}

// Packs the elements below the limit into `low`, and the others into `high` unless that is null.
static int64_t pack(const float *x, int64_t n, float limit, float *low, float *high) {
  int64_t lows = 0, i = 0;
#ifdef __AVX512F__
  __m512 limits = _mm512_set1_ps(limit);
  for (; i + 16 <= n; i += 16) {
    __m512 v = _mm512_loadu_ps(x + i);
    __mmask16 below = _mm512_cmp_ps_mask(v, limits, _CMP_LT_OQ);
    // Compress in a register and store whole: storing under a mask is slow on several machines.
    _mm512_storeu_ps(low + lows, _mm512_maskz_compress_ps(below, v));
    if (high) _mm512_storeu_ps(high + i - lows, _mm512_maskz_compress_ps(~below, v));
    lows += __builtin_popcount(below);
  }
#endif
  for (; i < n; i++) {
    low[lows] = x[i];
    if (high) high[i - lows] = x[i];
    lows += x[i] < limit;
  }
  return lows;
}

static int64_t split(int64_t n, float limit, const float *x, float *low_to, float *high_to) {
  int64_t blocks = (n + BLOCK - 1) / BLOCK;
  position *before = aligned_alloc(64, sizeof(position) * (blocks + 1));
  for (int64_t b = 0; b <= blocks; b++) atomic_init(&before[b].value, b == 0 ? 0 : -1);
  atomic_llong next = 0;
#pragma omp parallel
  {
    float *low = aligned_alloc(64, sizeof(float) * (BLOCK + 16));
    float *high = high_to ? aligned_alloc(64, sizeof(float) * (BLOCK + 16)) : NULL;
    for (;;) {
      int64_t b = atomic_fetch_add(&next, 1);
      if (b >= blocks) break;
      int64_t begin = b * BLOCK, length = begin + BLOCK < n ? BLOCK : n - begin;
      int64_t lows = pack(x + begin, length, limit, low, high);
      int64_t at = await(&before[b]);
      atomic_store_explicit(&before[b + 1].value, at + lows, memory_order_release);
      memcpy(low_to + at, low, sizeof(float) * lows);
      if (high_to) memcpy(high_to + begin - at, high, sizeof(float) * (length - lows));
    }
    free(low);
    free(high);
  }
  int64_t lows = atomic_load(&before[blocks].value);
  free(before);
  return lows;
}

// sizes: n; in: limit, xs; out: the elements below, their number (i64)
BASELINE(filter_below) {
  *(int64_t *)out[1] = split(sizes[0], *(const float *)in[0], in[1], out[0], NULL);
}

// sizes: n; in: limit, xs; out: the elements below, their number (i64), the others, their number (i64)
BASELINE(partition_below) {
  int64_t lows = split(sizes[0], *(const float *)in[0], in[1], out[0], out[2]);
  *(int64_t *)out[1] = lows;
  *(int64_t *)out[3] = sizes[0] - lows;
}
