// Threads and steps around the ISPC program.
#include "baseline.h"

void ispc_nbody_forces(int first, int last, int n, float epsilon, const float *xs, const float *ys, const float *zs,
                       const float *masses, float *fx, float *fy, float *fz);

// As in nbody.c.
BASELINE(nbody_ispc) {
  int n = sizes[0], steps = *(const int32_t *)in[0];
  float epsilon = *(const float *)in[1], time_step = *(const float *)in[2];
  float *force = malloc(sizeof(float) * 3 * n), *const *now = (float *const *)out;
  for (int v = 0; v < 7; v++) memcpy(out[v], in[3 + v], sizeof(float) * n);
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i += 256)
      ispc_nbody_forces(i, i + 256 < n ? i + 256 : n, n, epsilon, now[0], now[1], now[2], now[3], force, force + n, force + 2 * n);
    for (int v = 0; v < 3; v++)
#pragma omp simd
      for (int i = 0; i < n; i++) {
        now[v][i] += time_step * now[4 + v][i];
        now[4 + v][i] += time_step * force[v * n + i];
      }
  }
  free(force);
}
