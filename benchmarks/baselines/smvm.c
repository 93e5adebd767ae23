// A sparse matrix by rows times a vector, in double precision: every thread takes rows with as many elements as the others.
#include "baseline.h"

// The first row that begins at or after an element.
static int64_t row_at(const int64_t *starts, int64_t rows, int64_t element) {
  int64_t low = 0, high = rows;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (starts[middle] < element) low = middle + 1;
    else high = middle;
  }
  return low;
}

// sizes: rows; in: starts (rows + 1 of them), columns, values, x; out: y
BASELINE(smvm) {
  int64_t rows = sizes[0];
  const int64_t *starts = in[0];
  const int32_t *columns = in[1];
  const double *values = in[2], *x = in[3];
  double *y = out[0];
#pragma omp parallel
  {
    int64_t threads = omp_get_num_threads(), id = omp_get_thread_num(), all = starts[rows];
    int64_t end = id + 1 < threads ? row_at(starts, rows, all * (id + 1) / threads) : rows;
    for (int64_t row = id ? row_at(starts, rows, all * id / threads) : 0; row < end; row++) {
      double sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
      y[row] = sum;
    }
  }
}
