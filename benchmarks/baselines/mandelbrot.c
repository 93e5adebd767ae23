// The Mandelbrot set: pixels in lanes, two vectors in flight, a row is left as soon as all its lanes are.
#include "baseline.h"

#ifdef __AVX512F__
enum { LANES = 16 };
#else
enum { LANES = 8 };
#endif
enum { FLIGHT = 2 };
typedef float reals __attribute__((vector_size(4 * LANES)));
typedef int32_t counts __attribute__((vector_size(4 * LANES)));

static int any(counts mask) {
#ifdef __AVX512F__
  return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#else
  int32_t all = 0;
  for (int k = 0; k < LANES; k++) all |= mask[k];
  return all != 0;
#endif
}

static void escape(const reals cx[FLIGHT], reals cy, int depth, float limit, counts n[FLIGHT]) {
  reals x[FLIGHT], y[FLIGHT];
  for (int f = 0; f < FLIGHT; f++) {
    x[f] = y[f] = (reals){0};
    n[f] = (counts){0};
  }
  for (int step = 0; step < depth; step++) {
    counts live = {0};
    for (int f = 0; f < FLIGHT; f++) {
      reals xx = x[f] * x[f], yy = y[f] * y[f];
      counts inside = xx + yy < limit;
      // Once outside a point stays outside: the next steps only take it further, to infinity or NaN.
      n[f] -= inside;
      y[f] = 2 * x[f] * y[f] + cy;
      x[f] = xx - yy + cx[f];
      live |= inside;
    }
    if (!any(live)) break;
  }
}

// sizes: rows, columns; in: columns and rows (i32), centre x and y, width, depth (i32), radius; out: steps (i32)
BASELINE(mandelbrot) {
  int64_t rows = sizes[0], columns = sizes[1];
  float width = *(const float *)in[4], height = width * rows / columns, radius = *(const float *)in[6];
  float left = *(const float *)in[2] - width / 2, top = *(const float *)in[3] - height / 2;
  int depth = *(const int32_t *)in[5];
  int32_t *to = out[0];
#pragma omp parallel for schedule(dynamic, 4)
  for (int64_t i = 0; i < rows; i++) {
    reals cy = top + i * (height / rows) - (reals){0};
    for (int64_t j = 0; j < columns; j += FLIGHT * LANES) {
      reals cx[FLIGHT];
      counts n[FLIGHT];
      for (int k = 0; k < FLIGHT * LANES; k++) cx[k / LANES][k % LANES] = left + (j + k) * (width / columns);
      escape(cx, cy, depth, radius * radius, n);
      int lanes = columns - j < FLIGHT * LANES ? columns - j : FLIGHT * LANES;
      memcpy(to + i * columns + j, n, sizeof(int32_t) * lanes);
    }
  }
}
