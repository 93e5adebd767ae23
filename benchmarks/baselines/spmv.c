// A sparse matrix by rows times a vector: rows are handed out a few at a time.
#include "baseline.h"

// sizes: rows, elements, columns; in: starts, columns, values, x; out: y
BASELINE(spmv) {
  int64_t n = sizes[0];
  const int32_t *starts = in[0], *columns = in[1];
  const float *values = in[2], *x = in[3];
  float *y = out[0];
#pragma omp parallel for schedule(dynamic, 256)
  for (int64_t row = 0; row < n; row++) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int32_t k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}
