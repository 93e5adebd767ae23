// Speckle-reducing diffusion: rows to threads, two passes a step, the sums of the next step taken on the way.
#include "baseline.h"

enum { STEPS = 100 };

typedef struct { const float *here, *north, *south; } rows;

static rows rows_at(const float *image, int64_t n, int64_t m, int64_t i) {
  const float *here = image + i * m;
  return (rows){here, i > 0 ? here - m : here, i + 1 < n ? here + m : here};
}

static inline float conductance(float speckle, float here, float n, float s, float w, float e) {
  float gradient2 = (n * n + s * s + w * w + e * e) / (here * here), laplacian = (n + s + w + e) / here;
  float numerator = 0.5f * gradient2 - laplacian * laplacian / 16, denominator = 1 + 0.25f * laplacian;
  float variation = numerator / (denominator * denominator);
  float c = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));
  return c < 0 ? 0 : c > 1 ? 1 : c;
}

static void conductances(int64_t m, rows r, float speckle, float *restrict c) {
  const float *here = r.here;
  for (int64_t j = 0; j < m; j += m > 1 ? m - 1 : 1) {
    float x = here[j];
    c[j] = conductance(speckle, x, r.north[j] - x, r.south[j] - x, here[j > 0 ? j - 1 : 0] - x, here[j + 1 < m ? j + 1 : j] - x);
  }
#pragma omp simd simdlen(16)
  for (int64_t j = 1; j < m - 1; j++) {
    float x = here[j];
    c[j] = conductance(speckle, x, r.north[j] - x, r.south[j] - x, here[j - 1] - x, here[j + 1] - x);
  }
}

static inline float next(float x, float n, float s, float w, float e, float c, float below, float right) {
  return x + 0.125f * (c * (n - x) + below * (s - x) + c * (w - x) + right * (e - x));
}

static void update(int64_t m, rows r, const float *c, const float *below, float *restrict to, float *sum, float *squares) {
  const float *here = r.here;
  float total = 0, total2 = 0;
  for (int64_t j = 0; j < m; j += m > 1 ? m - 1 : 1) {
    int64_t e = j + 1 < m ? j + 1 : j;
    to[j] = next(here[j], r.north[j], r.south[j], here[j > 0 ? j - 1 : 0], here[e], c[j], below[j], c[e]);
    total += to[j];
    total2 += to[j] * to[j];
  }
#pragma omp simd simdlen(16) reduction(+ : total, total2)
  for (int64_t j = 1; j < m - 1; j++) {
    float x = next(here[j], r.north[j], r.south[j], here[j - 1], here[j + 1], c[j], below[j], c[j + 1]);
    to[j] = x;
    total += x;
    total2 += x * x;
  }
  *sum += total;
  *squares += total2;
}

// sizes: rows, columns; in: numbers; out: numbers
BASELINE(srad) {
  int64_t n = sizes[0], m = sizes[1], cells = n * m;
  size_t bytes = (sizeof(float) * cells + 63) / 64 * 64;
  float *images[2] = {aligned_alloc(64, bytes), aligned_alloc(64, bytes)}, *c = aligned_alloc(64, bytes);
  const float *numbers = in[0];
  float *result = out[0], sum[3] = {0}, squares[3] = {0};
#pragma omp parallel
  {
    range part = own_part(cells, 16);
    float own = 0, own2 = 0;
    SIMD_WITH_FUNCTIONS
    for (int64_t i = part.begin; i < part.end; i++) images[0][i] = expf(numbers[i]);
#pragma omp simd reduction(+ : own, own2)
    for (int64_t i = part.begin; i < part.end; i++) {
      own += images[0][i];
      own2 += images[0][i] * images[0][i];
    }
    for (int s = 0;; s++) {
#pragma omp critical
      {
        sum[s % 3] += own;
        squares[s % 3] += own2;
      }
#pragma omp barrier
      if (s == STEPS) break;
      float mean = sum[s % 3] / cells, speckle = (squares[s % 3] / cells - mean * mean) / (mean * mean);
      const float *image = images[s % 2];
      float *to = images[(s + 1) % 2];
#pragma omp for schedule(static)
      for (int64_t i = 0; i < n; i++) conductances(m, rows_at(image, n, m, i), speckle, c + i * m);
      // Nobody reads or adds to these any more, or yet.
#pragma omp single
      sum[(s + 2) % 3] = squares[(s + 2) % 3] = 0;
      own = own2 = 0;
#pragma omp for schedule(static)
      for (int64_t i = 0; i < n; i++)
        update(m, rows_at(image, n, m, i), c + i * m, c + (i + 1 < n ? i + 1 : i) * m, to + i * m, &own, &own2);
    }
    const float *last = images[STEPS % 2];
    SIMD_WITH_FUNCTIONS
    for (int64_t i = part.begin; i < part.end; i++) result[i] = logf(last[i]) * 255;
  }
  free(images[0]);
  free(images[1]);
  free(c);
}
