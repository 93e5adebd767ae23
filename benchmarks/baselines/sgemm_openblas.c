// The matrix product by OpenBLAS.
#include "baseline.h"
#include <cblas.h>

void openblas_set_num_threads(int threads);

// sizes: n, m, p; in: a, b, c, alpha, beta; out: alpha * a * b + beta * c
BASELINE(sgemm) {
  int n = sizes[0], m = sizes[1], p = sizes[2];
  openblas_set_num_threads(omp_get_max_threads());
  memcpy(out[0], in[2], sizeof(float) * n * p);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, p, m, *(const float *)in[3], in[0], m, in[1], p,
              *(const float *)in[4], out[0], p);
}
