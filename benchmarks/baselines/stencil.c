// Seven points in three dimensions: planes to threads, lanes along the rows, one parallel region for all steps.
#include "baseline.h"

static void row(int64_t ny, int64_t nz, const float *restrict a, float *restrict to) {
  const float *north = a - nz, *south = a + nz, *above = a - ny * nz, *below = a + ny * nz;
  to[0] = a[0];
#pragma omp simd simdlen(16)
  for (int64_t k = 1; k < nz - 1; k++)
    to[k] = (a[k + 1] + a[k - 1] + south[k] + north[k] + below[k] + above[k]) * (1.0f / 36) + a[k] * (1.0f / 6);
  to[nz - 1] = a[nz - 1];
}

// sizes: x, y, z; in: iterations (i32), a volume; out: a volume
BASELINE(stencil) {
  int64_t nx = sizes[0], ny = sizes[1], nz = sizes[2];
  int iterations = *(const int32_t *)in[0];
  float *other = aligned_alloc(64, (sizeof(float) * nx * ny * nz + 63) / 64 * 64);
  float *targets[2] = {iterations % 2 ? out[0] : other, iterations % 2 ? other : out[0]};
  if (iterations == 0) memcpy(out[0], in[1], sizeof(float) * nx * ny * nz);
#pragma omp parallel
  for (int s = 0; s < iterations; s++) {
    const float *from = s == 0 ? in[1] : targets[(s + 1) % 2];
    float *to = targets[s % 2];
#pragma omp for schedule(static)
    for (int64_t i = 0; i < nx; i++)
      for (int64_t j = 0; j < ny; j++) {
        int64_t at = (i * ny + j) * nz;
        if (i == 0 || i == nx - 1 || j == 0 || j == ny - 1) memcpy(to + at, from + at, sizeof(float) * nz);
        else row(ny, nz, from + at, to + at);
      }
  }
  free(other);
}
