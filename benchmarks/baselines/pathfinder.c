// The cheapest way down a wall of Sobol numbers: rows one after another, columns in lanes and to threads.
#include "baseline.h"

static inline int32_t sobol(const int32_t directions[30], uint32_t n) {
  uint32_t gray = n ^ (n >> 1);
  int32_t number = 0;
#pragma GCC unroll 30
  for (int bit = 0; bit < 30; bit++) number ^= -(int32_t)(gray >> bit & 1) & directions[bit];
  return number % 10;
}

static inline int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

// sizes: columns, rows; in: columns, rows (i64); out: costs (i32)
BASELINE(pathfinder) {
  int64_t n = sizes[0], rows = sizes[1];
  int32_t directions[30], *other = malloc(sizeof(int32_t) * n);
  for (int bit = 0; bit < 30; bit++) directions[bit] = 1 << (29 - bit);
  int32_t *targets[2] = {rows % 2 ? out[0] : other, rows % 2 ? other : out[0]};
#pragma omp parallel
  for (int64_t r = 0; r < rows; r++) {
    const int32_t *from = targets[(r + 1) % 2];
    int32_t *to = targets[r % 2];
    range part = own_part(n, 16);
#pragma omp simd simdlen(16)
    for (int64_t i = part.begin; i < part.end; i++) to[i] = sobol(directions, r * n + i + 1);
    if (r > 0 && part.begin < part.end) {
      int64_t begin = part.begin, end = part.end;
      if (begin == 0) {
        to[0] += n > 1 ? least(from[0], from[1]) : from[0];
        begin = 1;
      }
      if (end == n && n > 1) {
        to[n - 1] += least(from[n - 2], from[n - 1]);
        end = n - 1;
      }
#pragma omp simd simdlen(16)
      for (int64_t i = begin; i < end; i++) to[i] += least(from[i], least(from[i - 1], from[i + 1]));
    }
#pragma omp barrier
  }
  free(other);
}
