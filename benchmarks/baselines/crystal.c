// Quasicrystals: the waves' directions first, then pixels in lanes.
#include "baseline.h"

enum { BLOCK = 256 };

static inline int32_t channel(float x) {
  return (int32_t)(255 * (x < 0 ? 0 : x > 1 ? 1 : x));
}

static inline int32_t colour(float sum) {
  int32_t whole = (int32_t)sum;
  float part = sum - whole, v = whole & 1 ? 1 - part : part;
  return channel(0.4f + 0.6f * v) << 16 | channel(v) << 8;
}

// sizes: field size, steps; in: size (i32), scale, degree (i32), steps (i32), time between steps; out: colours (i32)
BASELINE(crystal) {
  int64_t size = sizes[0], steps = sizes[1];
  float scale = *(const float *)in[1], delta = *(const float *)in[4];
  int degree = *(const int32_t *)in[2];
  float *cosines = malloc(sizeof(float) * 2 * (degree + 1)), *sines = cosines + degree + 1;
  for (int64_t s = 0; s < steps; s++) {
    float turn = (float)M_PI / (1 + powf(s * delta, 1.5f) * 0.005f);
    for (int d = 0; d < degree; d++) {
      cosines[d] = cosf(d * turn);
      sines[d] = sinf(d * turn);
    }
    int32_t *frame = (int32_t *)out[0] + s * size * size;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < size; i++) {
      float y = (float)i / size * scale;
      for (int64_t from = 0; from < size; from += BLOCK) {
        int length = size - from < BLOCK ? size - from : BLOCK;
        float x[BLOCK], sum[BLOCK];
        for (int j = 0; j < BLOCK; j++) {
          x[j] = (float)(from + j) / size * scale;
          sum[j] = 0;
        }
        for (int d = 0; d < degree; d++) {
          float c = cosines[d], sy = sines[d] * y;
          SIMD_WITH_FUNCTIONS
          for (int j = 0; j < BLOCK; j++) sum[j] += (cosf(c * x[j] + sy) + 1) / 2;
        }
#pragma omp simd
        for (int j = 0; j < length; j++) frame[i * size + from + j] = colour(sum[j]);
      }
    }
  }
  free(cosines);
}
