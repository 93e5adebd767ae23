// map and saxpy: each element once in, once out, past the caches.
#include "baseline.h"

// BODY computes element i + k into r[k]; TAIL does the elements that fill no vector.
#define ELEMENTWISE(T, WIDTH, STREAM, EXPRESSION)              \
  _Pragma("omp parallel") {                                    \
    range part = own_part(n, 4096);                            \
    int64_t i = part.begin;                                    \
    for (; i + WIDTH <= part.end; i += WIDTH) {                \
      T r[WIDTH];                                              \
      _Pragma("omp simd") for (int k = 0; k < WIDTH; k++) {    \
        int64_t j = i + k;                                     \
        r[k] = EXPRESSION;                                     \
      }                                                        \
      STREAM(to + i, r);                                       \
    }                                                          \
    for (int64_t j = i; j < part.end; j++) to[j] = EXPRESSION; \
    stream_end();                                              \
  }

// sizes: n; in: xs; out: 2 * xs + 1
BASELINE(map_f32) {
  int64_t n = sizes[0];
  const float *x = in[0];
  float *to = out[0];
  ELEMENTWISE(float, 16, stream_f32x16, 2 * x[j] + 1)
}

BASELINE(map_f64) {
  int64_t n = sizes[0];
  const double *x = in[0];
  double *to = out[0];
  ELEMENTWISE(double, 8, stream_f64x8, 2 * x[j] + 1)
}

// sizes: n; in: a, xs, ys; out: a * xs + ys
BASELINE(saxpy_f32) {
  int64_t n = sizes[0];
  float a = *(const float *)in[0];
  const float *x = in[1], *y = in[2];
  float *to = out[0];
  ELEMENTWISE(float, 16, stream_f32x16, a * x[j] + y[j])
}

BASELINE(saxpy_f64) {
  int64_t n = sizes[0];
  double a = *(const double *)in[0];
  const double *x = in[1], *y = in[2];
  double *to = out[0];
  ELEMENTWISE(double, 8, stream_f64x8, a * x[j] + y[j])
}
