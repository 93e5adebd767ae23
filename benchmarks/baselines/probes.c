// What the machine can do: bandwidth for each mix of reading and writing, and multiply-adds.
#include "baseline.h"

// sizes: n; in: xs; out: one number. Reads only.
BASELINE(probe_read) {
  int64_t n = sizes[0];
  const float *x = in[0];
  float total = 0;
#pragma omp parallel reduction(+ : total)
  {
    range part = own_part(n, 4096);
    float sums[128] = {0};
    for (int64_t i = part.begin; i + 128 <= part.end; i += 128)
#pragma omp simd simdlen(16)
      for (int k = 0; k < 128; k++) sums[k] += x[i + k];
    for (int k = 0; k < 128; k++) total += sums[k];
  }
  *(float *)out[0] = total;
}

// sizes: n; in: xs; out: xs. One read, one write past the caches.
BASELINE(probe_copy) {
  int64_t n = sizes[0];
  const float *x = in[0];
  float *to = out[0];
#pragma omp parallel
  {
    range part = own_part(n, 4096);
    for (int64_t i = part.begin; i + 16 <= part.end; i += 16) stream_f32x16(to + i, x + i);
    stream_end();
  }
}

// sizes: n; in: a, xs, ys; out: a * xs + ys. Two reads, one write past the caches.
BASELINE(probe_triad) {
  int64_t n = sizes[0];
  float a = *(const float *)in[0];
  const float *x = in[1], *y = in[2];
  float *to = out[0];
#pragma omp parallel
  {
    range part = own_part(n, 4096);
    for (int64_t i = part.begin; i + 16 <= part.end; i += 16) {
      float r[16];
#pragma omp simd simdlen(16)
      for (int k = 0; k < 16; k++) r[k] = a * x[i + k] + y[i + k];
      stream_f32x16(to + i, r);
    }
    stream_end();
  }
}

// sizes: rounds; in: two numbers; out: one number. 16 * 12 multiply-adds of floats a round and thread.
BASELINE(probe_multiply_add) {
  typedef float v16 __attribute__((vector_size(64)));
  float total = 0, factor = *(const float *)in[0], summand = *(const float *)in[1];
#pragma omp parallel reduction(+ : total)
  {
    v16 v[12], f = factor - (v16){0}, s = summand - (v16){0};
    for (int k = 0; k < 12; k++) v[k] = (float)k - (v16){0};
    for (int64_t i = 0; i < sizes[0]; i++)
      _Pragma("GCC unroll 12") for (int k = 0; k < 12; k++) v[k] = v[k] * f + s;
    for (int k = 0; k < 12; k++)
      for (int l = 0; l < 16; l++) total += v[k][l];
  }
  *(float *)out[0] = total;
}
