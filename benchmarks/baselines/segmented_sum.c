// Sums of equally long rows: lanes across rows where rows are short, along the row where they are long,
// and threads within a row where rows are few.
#include "baseline.h"

enum { SHORT = 64 };

static void short_rows(int64_t n, int64_t m, const float *x, float *to) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n / 16 * 16; i += 16) {
    float sums[16] = {0};
    for (int64_t j = 0; j < m; j++)
#pragma omp simd
      for (int k = 0; k < 16; k++) sums[k] += x[(i + k) * m + j];
    stream_f32x16(to + i, sums);
  }
  for (int64_t i = n / 16 * 16; i < n; i++) {
    to[i] = 0;
    for (int64_t j = 0; j < m; j++) to[i] += x[i * m + j];
  }
}

// Rows of four: four rows a vector, added by shuffles.
static void rows_of_four(int64_t n, const float *x, float *to) {
  typedef float v16 __attribute__((vector_size(64)));
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n / 16 * 16; i += 16) {
    v16 a, b, c, d;
    memcpy(&a, x + i * 4, 64);
    memcpy(&b, x + i * 4 + 16, 64);
    memcpy(&c, x + i * 4 + 32, 64);
    memcpy(&d, x + i * 4 + 48, 64);
#define EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
    v16 ab = __builtin_shufflevector(a, b, EVEN) + __builtin_shufflevector(a, b, ODD);
    v16 cd = __builtin_shufflevector(c, d, EVEN) + __builtin_shufflevector(c, d, ODD);
    v16 sums = __builtin_shufflevector(ab, cd, EVEN) + __builtin_shufflevector(ab, cd, ODD);
    stream_f32x16(to + i, (const float *)&sums);
  }
  for (int64_t i = n / 16 * 16; i < n; i++) to[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3];
}

static float sum(const float *x, int64_t n) {
  float sums[64] = {0}, total = 0;
  int64_t i = 0;
  for (; i + 64 <= n; i += 64)
#pragma omp simd
    for (int k = 0; k < 64; k++) sums[k] += x[i + k];
  for (int k = 0; k < 64; k++) total += sums[k];
  for (; i < n; i++) total += x[i];
  return total;
}

// sizes: rows, columns; in: a; out: the sum of each row
BASELINE(rows) {
  int64_t n = sizes[0], m = sizes[1];
  const float *x = in[0];
  float *to = out[0];
  if (m == 4) rows_of_four(n, x, to);
  else if (m < SHORT) short_rows(n, m, x, to);
  else if (n >= 4 * omp_get_max_threads()) {
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) to[i] = sum(x + i * m, m);
  } else {
    for (int64_t i = 0; i < n; i++) {
      float total = 0;
#pragma omp parallel reduction(+ : total)
      {
        range part = own_part(m, 4096);
        total += sum(x + i * m + part.begin, part.end - part.begin);
      }
      to[i] = total;
    }
  }
}
