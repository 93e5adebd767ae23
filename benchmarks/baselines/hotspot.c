// Heat on a grid: rows to threads, the border apart from the inside, one parallel region for all steps.
#include "baseline.h"

typedef struct { float rate, gain_x, gain_y, gain_z; } chip;

static inline float next(float here, float north, float south, float west, float east, float power, chip c) {
  return here + c.rate * (power + (east + west - 2 * here) * c.gain_x + (south + north - 2 * here) * c.gain_y +
                          (80 - here) * c.gain_z);
}

static void row(int64_t n, int64_t m, int64_t i, const float *restrict t, const float *restrict power, float *restrict to, chip c) {
  const float *here = t + i * m, *north = i > 0 ? here - m : here, *south = i + 1 < n ? here + m : here, *p = power + i * m;
  float *result = to + i * m;
  if (m == 1) {
    result[0] = next(here[0], north[0], south[0], here[0], here[0], p[0], c);
    return;
  }
  result[0] = next(here[0], north[0], south[0], here[0], here[1], p[0], c);
#pragma omp simd simdlen(16)
  for (int64_t j = 1; j < m - 1; j++) result[j] = next(here[j], north[j], south[j], here[j - 1], here[j + 1], p[j], c);
  result[m - 1] = next(here[m - 1], north[m - 1], south[m - 1], here[m - 2], here[m - 1], p[m - 1], c);
}

// sizes: rows, columns; in: iterations (i32), temperatures, power; out: temperatures
BASELINE(hotspot) {
  int64_t n = sizes[0], m = sizes[1];
  int iterations = *(const int32_t *)in[0];
  float cell_height = 0.016f / n, cell_width = 0.016f / m, capacity = 0.5f * 1.75e6f * 0.0005f * cell_width * cell_height;
  chip c = {0.001f / (3.0e6f / (0.5f * 0.0005f * 1.75e6f)) / capacity, 2 * 100 * 0.0005f * cell_height / cell_width,
            2 * 100 * 0.0005f * cell_width / cell_height, 100 * cell_height * cell_width / 0.0005f};
  float *other = aligned_alloc(64, (sizeof(float) * n * m + 63) / 64 * 64);
  const float *power = in[2];
  // The last step writes to the result.
  float *targets[2] = {iterations % 2 ? out[0] : other, iterations % 2 ? other : out[0]};
  if (iterations == 0) memcpy(out[0], in[1], sizeof(float) * n * m);
#pragma omp parallel
  for (int s = 0; s < iterations; s++) {
    const float *from = s == 0 ? in[1] : targets[(s + 1) % 2];
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++) row(n, m, i, from, power, targets[s % 2], c);
  }
  free(other);
}
