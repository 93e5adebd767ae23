// Histograms with a private copy of the bins for each thread, added at the end. Few bins get several
// copies a thread, so that equal neighbours do not wait for each other's store.
#include "baseline.h"

enum { FEW = 4096, COPIES = 4 };

static void count(const int32_t *x, range part, int64_t bins, int32_t *own) {
  for (int64_t i = part.begin; i < part.end; i++)
    if ((uint32_t)x[i] < (uint64_t)bins) own[x[i]]++;
}

static void count_few(const int32_t *x, range part, int64_t bins, int32_t *own) {
  int64_t i = part.begin;
  for (; i + COPIES <= part.end; i += COPIES)
    for (int c = 0; c < COPIES; c++)
      if ((uint32_t)x[i + c] < (uint64_t)bins) own[c * bins + x[i + c]]++;
  count(x, (range){i, part.end}, bins, own);
  for (int c = 1; c < COPIES; c++)
    for (int64_t b = 0; b < bins; b++) own[b] += own[c * bins + b];
}

// sizes: n, bins; in: bins (i64), indices; out: counts
BASELINE(histogram) {
  int64_t n = sizes[0], bins = sizes[1];
  const int32_t *x = in[1];
  int32_t *to = out[0];
  int32_t *copies[1024];
#pragma omp parallel
  {
    int64_t size = bins <= FEW ? COPIES * bins : bins;
    int32_t *own = calloc(size + 16, sizeof(int32_t));
    copies[omp_get_thread_num()] = own;
    range part = own_part(n, 4096);
    if (bins <= FEW) count_few(x, part, bins, own);
    else count(x, part, bins, own);
#pragma omp barrier
    range mine = own_part(bins, 16);
    int threads = omp_get_num_threads();
#pragma omp simd
    for (int64_t b = mine.begin; b < mine.end; b++) to[b] = copies[0][b];
    for (int t = 1; t < threads; t++)
#pragma omp simd
      for (int64_t b = mine.begin; b < mine.end; b++) to[b] += copies[t][b];
#pragma omp barrier
    free(own);
  }
}
