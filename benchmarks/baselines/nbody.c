// n bodies: for a block of bodies in lanes, all others one after another.
#include "baseline.h"

enum { LANES = 64 };

static void step(int64_t n, float epsilon, float time_step, float *const now[7], float *const next[7]) {
  const float *restrict xs = now[0], *restrict ys = now[1], *restrict zs = now[2], *restrict masses = now[3];
#pragma omp parallel for schedule(static)
  for (int64_t block = 0; block < n; block += LANES) {
    int lanes = n - block < LANES ? n - block : LANES;
    float x[LANES] = {0}, y[LANES] = {0}, z[LANES] = {0}, ax[LANES] = {0}, ay[LANES] = {0}, az[LANES] = {0};
    memcpy(x, xs + block, sizeof(float) * lanes);
    memcpy(y, ys + block, sizeof(float) * lanes);
    memcpy(z, zs + block, sizeof(float) * lanes);
    for (int64_t j = 0; j < n; j++) {
      float xj = xs[j], yj = ys[j], zj = zs[j], mass = masses[j];
#pragma omp simd simdlen(16)
      for (int k = 0; k < LANES; k++) {
        float dx = xj - x[k], dy = yj - y[k], dz = zj - z[k];
        float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + epsilon * epsilon);
        float s = mass * inverse * inverse * inverse;
        ax[k] += s * dx;
        ay[k] += s * dy;
        az[k] += s * dz;
      }
    }
    for (int k = 0; k < lanes; k++) {
      int64_t i = block + k;
      next[0][i] = xs[i] + time_step * now[4][i];
      next[1][i] = ys[i] + time_step * now[5][i];
      next[2][i] = zs[i] + time_step * now[6][i];
      next[3][i] = masses[i];
      next[4][i] = now[4][i] + time_step * masses[i] * ax[k];
      next[5][i] = now[5][i] + time_step * masses[i] * ay[k];
      next[6][i] = now[6][i] + time_step * masses[i] * az[k];
    }
  }
}

// sizes: n; in: steps (i32), epsilon, time step, x, y, z, masses, velocities x, y, z; out: x, y, z, masses, velocities
BASELINE(nbody) {
  int64_t n = sizes[0];
  int steps = *(const int32_t *)in[0];
  float epsilon = *(const float *)in[1], time_step = *(const float *)in[2];
  float *now[7], *next[7];
  for (int v = 0; v < 7; v++) {
    now[v] = malloc(sizeof(float) * n);
    next[v] = malloc(sizeof(float) * n);
    memcpy(now[v], in[3 + v], sizeof(float) * n);
  }
  for (int s = 0; s < steps; s++) {
    step(n, epsilon, time_step, now, next);
    for (int v = 0; v < 7; v++) {
      float *swap = now[v];
      now[v] = next[v];
      next[v] = swap;
    }
  }
  for (int v = 0; v < 7; v++) {
    memcpy(out[v], now[v], sizeof(float) * n);
    free(now[v]);
    free(next[v]);
  }
}
