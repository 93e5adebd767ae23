// MRI reconstruction: a block of voxels in lanes, all samples one after another.
#include "baseline.h"

enum { LANES = 128 };

// sizes: samples, voxels; in: kx, ky, kz, x, y, z, real and imaginary phi; out: real and imaginary sums
BASELINE(mriq) {
  int64_t samples = sizes[0], n = sizes[1];
  const float *kx = in[0], *ky = in[1], *kz = in[2], *real = in[6], *imaginary = in[7];
  const float turn = 6.283185307f;
#pragma omp parallel for schedule(static)
  for (int64_t block = 0; block < n; block += LANES) {
    int lanes = n - block < LANES ? n - block : LANES;
    float x[LANES] = {0}, y[LANES] = {0}, z[LANES] = {0}, r[LANES] = {0}, i[LANES] = {0};
    memcpy(x, (const float *)in[3] + block, sizeof(float) * lanes);
    memcpy(y, (const float *)in[4] + block, sizeof(float) * lanes);
    memcpy(z, (const float *)in[5] + block, sizeof(float) * lanes);
    for (int64_t s = 0; s < samples; s++) {
      float a = kx[s], b = ky[s], c = kz[s], magnitude = real[s] * real[s] + imaginary[s] * imaginary[s];
// Two loops: of a sine and a cosine of one angle compilers make one call that has no vector version.
      float angles[LANES];
      SIMD_WITH_FUNCTIONS for (int k = 0; k < LANES; k++) {
        angles[k] = turn * (a * x[k] + b * y[k] + c * z[k]);
        r[k] += magnitude * cosf(angles[k]);
      }
      SIMD_WITH_FUNCTIONS for (int k = 0; k < LANES; k++) i[k] += magnitude * sinf(angles[k]);
    }
    memcpy((float *)out[0] + block, r, sizeof(float) * lanes);
    memcpy((float *)out[1] + block, i, sizeof(float) * lanes);
  }
}
