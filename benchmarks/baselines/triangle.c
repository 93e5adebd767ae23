// Potentials of all points before each point: a triangular loop, rows are handed out a few at a time.
#include "baseline.h"

// sizes: n; in: x, charges; out: potentials
BASELINE(triangle) {
  int64_t n = sizes[0];
  const float *xs = in[0], *charges = in[1];
  float *to = out[0];
#pragma omp parallel for schedule(dynamic, 64)
  for (int64_t i = 0; i < n; i++) {
    float x = xs[i], sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < i; j++) {
      float d = x - xs[j];
      sum += charges[j] / (1 + d * d);
    }
    to[i] = sum;
  }
}
