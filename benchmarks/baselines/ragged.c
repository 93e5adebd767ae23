// Sums over rows of very different lengths whose elements are computed: rows are handed out a few at a time.
#include "baseline.h"

// sizes: n; in: lengths, x; out: sums
BASELINE(ragged) {
  int64_t n = sizes[0];
  const int32_t *lengths = in[0];
  const float *xs = in[1];
  float *to = out[0];
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t i = 0; i < n; i++) {
    float x = xs[i], sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int32_t j = 0; j < lengths[i]; j++) {
      float y = j;
      sum += 1 / (1 + x * y + y * y);
    }
    to[i] = sum;
  }
}
