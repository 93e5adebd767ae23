// Particles in boxes: boxes to threads, the particles of a neighbouring box in lanes.
#include "baseline.h"

// sizes: boxes, particles in each, neighbours at most; in: alpha, 4 x coefficients [boxes] (i32),
// 4 x neighbours [n][boxes] (i32), counts [boxes] (i32), v, x, y, z, charge [boxes][p]; out: 4 x [boxes][p]
BASELINE(lavamd) {
  int64_t boxes = sizes[0], p = sizes[1];
  float alpha = *(const float *)in[0], a2 = 2 * alpha * alpha;
  const int32_t *numbers = in[4], *neighbours = in[8], *counts = in[9];
  const float *vs = in[10], *xs = in[11], *ys = in[12], *zs = in[13], *qs = in[14];
  float *out_v = out[0], *out_x = out[1], *out_y = out[2], *out_z = out[3];
#pragma omp parallel for schedule(dynamic, 4)
  for (int64_t b = 0; b < boxes; b++) {
    for (int64_t i = b * p; i < (b + 1) * p; i++) {
      float v = vs[i], x = xs[i], y = ys[i], z = zs[i], sum_v = 0, sum_x = 0, sum_y = 0, sum_z = 0;
      for (int k = -1; k < counts[b]; k++) {
        int64_t other = k < 0 ? b : numbers[neighbours[k * boxes + b]];
        const float *ov = vs + other * p, *ox = xs + other * p, *oy = ys + other * p, *oz = zs + other * p, *oq = qs + other * p;
#ifdef __clang__
#pragma omp simd reduction(+ : sum_v, sum_x, sum_y, sum_z)
#else
#pragma omp simd simdlen(16) reduction(+ : sum_v, sum_x, sum_y, sum_z)
#endif
        for (int64_t j = 0; j < p; j++) {
          float distance2 = v + ov[j] - (x * ox[j] + y * oy[j] + z * oz[j]);
          float potential = expf(-(a2 * distance2)), strength = 2 * potential;
          sum_v += oq[j] * potential;
          sum_x += oq[j] * (strength * (x - ox[j]));
          sum_y += oq[j] * (strength * (y - oy[j]));
          sum_z += oq[j] * (strength * (z - oz[j]));
        }
      }
      out_v[i] = sum_v;
      out_x[i] = sum_x;
      out_y[i] = sum_y;
      out_z[i] = sum_z;
    }
  }
}
