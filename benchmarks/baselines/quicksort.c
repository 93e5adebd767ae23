// Quicksort: the halves of long parts are tasks, short parts are sorted in order, tiny ones by insertion.
#include "baseline.h"

enum { TINY = 24, SHORT = 16384 };

static int32_t median(int32_t a, int32_t b, int32_t c) {
  int32_t least = a < b ? a : b, most = a < b ? b : a;
  return c < least ? least : c > most ? most : c;
}

static int32_t pivot(const int32_t *x, int64_t n) {
  int64_t step = (n - 1) / 8;
  if (n < 128) return median(x[0], x[n / 2], x[n - 1]);
  return median(median(x[0], x[step], x[2 * step]), median(x[3 * step], x[4 * step], x[5 * step]),
                median(x[6 * step], x[7 * step], x[8 * step]));
}

static void insertion_sort(int32_t *x, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    int32_t own = x[i];
    int64_t j = i;
    for (; j > 0 && x[j - 1] > own; j--) x[j] = x[j - 1];
    x[j] = own;
  }
}

static void sort(int32_t *x, int64_t n) {
  while (n > TINY) {
    int32_t p = pivot(x, n);
    int64_t i = 0, j = n - 1;
    while (i <= j) {
      while (x[i] < p) i++;
      while (x[j] > p) j--;
      if (i > j) break;
      int32_t swapped = x[i];
      x[i++] = x[j];
      x[j--] = swapped;
    }
    if (n > SHORT) {
#pragma omp task
      sort(x, j + 1);
    } else sort(x, j + 1);
    x += i;
    n -= i;
  }
  insertion_sort(x, n);
}

// sizes: n; in: x; out: x in order
BASELINE(quicksort) {
  int64_t n = sizes[0];
  int32_t *to = out[0];
#pragma omp parallel
  {
    range part = own_part(n, 16);
    memcpy(to + part.begin, (const int32_t *)in[0] + part.begin, sizeof(int32_t) * (part.end - part.begin));
#pragma omp barrier
#pragma omp single
    sort(to, n);
  }
}
