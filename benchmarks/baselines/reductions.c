// Sums and inner products: enough independent accumulators to hide the latency of addition.
#include "baseline.h"

enum { WAYS = 64 };

#define REDUCTION(T, EXPRESSION)                                    \
  T total = 0;                                                      \
  _Pragma("omp parallel reduction(+ : total)") {                    \
    range part = own_part(n, 4096);                                 \
    T sums[WAYS] = {0};                                             \
    int64_t i = part.begin;                                         \
    for (; i + WAYS <= part.end; i += WAYS) {                       \
      _Pragma("omp simd") for (int k = 0; k < WAYS; k++) {          \
        int64_t j = i + k;                                          \
        sums[k] += EXPRESSION;                                      \
      }                                                             \
    }                                                               \
    T own = 0;                                                      \
    for (int k = 0; k < WAYS; k++) own += sums[k];                  \
    for (int64_t j = i; j < part.end; j++) own += EXPRESSION;       \
    total += own;                                                   \
  }                                                                 \
  *(T *)out[0] = total;

// sizes: n; in: xs; out: one number
BASELINE(sum_f32) {
  int64_t n = sizes[0];
  const float *x = in[0];
  REDUCTION(float, x[j])
}

BASELINE(sum_f64) {
  int64_t n = sizes[0];
  const double *x = in[0];
  REDUCTION(double, x[j])
}

// sizes: n; in: xs, ys; out: one number
BASELINE(dot_f32) {
  int64_t n = sizes[0];
  const float *x = in[0], *y = in[1];
  REDUCTION(float, x[j] * y[j])
}

BASELINE(dot_f64) {
  int64_t n = sizes[0];
  const double *x = in[0], *y = in[1];
  REDUCTION(double, x[j] * y[j])
}
