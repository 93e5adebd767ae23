// Two-point angular correlation: blocks of pairs in lanes against all edges of bins, counts kept by each thread.
#include "baseline.h"

enum { BINS = 20, EDGES = BINS + 1, ALL = BINS + 2, BLOCK = 512 };

typedef struct { double *x, *y, *z; } directions;

static directions directions_of(int64_t n, const double *right_ascension, const double *declination) {
  double *room = aligned_alloc(64, (sizeof(double) * 3 * n + 63) / 64 * 64);
  directions all = {room, room + n, room + 2 * n};
#pragma omp parallel for
  for (int64_t i = 0; i < n; i++) {
    double a = M_PI / 180 * right_ascension[i], d = M_PI / 180 * declination[i];
    all.x[i] = cos(a) * cos(d);
    all.y[i] = sin(a) * cos(d);
    all.z[i] = sin(d);
  }
  return all;
}

// One point with others[0..n].
static void pairs(int64_t n, double x, double y, double z, directions others, const double *edges, int64_t counts[4][ALL]) {
  int64_t bins[BLOCK];
  for (int64_t from = 0; from < n; from += BLOCK) {
    int length = n - from < BLOCK ? n - from : BLOCK;
    const double *xs = others.x + from, *ys = others.y + from, *zs = others.z + from;
#pragma omp simd
    for (int j = 0; j < length; j++) {
      double cosine = x * xs[j] + y * ys[j] + z * zs[j];
      int64_t bin = 0;
#pragma GCC unroll 21
      for (int k = 0; k < EDGES; k++) bin += cosine < edges[k];
      bins[j] = bin;
    }
    // Neighbours often fall into one bin: four sets of counts wait less for one another.
    int j = 0;
    for (; j + 4 <= length; j += 4) {
      counts[0][bins[j]]++;
      counts[1][bins[j + 1]]++;
      counts[2][bins[j + 2]]++;
      counts[3][bins[j + 3]]++;
    }
    for (; j < length; j++) counts[0][bins[j]]++;
  }
}

// Each of one set with each of the other; if they are the same, each with those before it.
static void count(int64_t n, directions points, directions others, int same, const double *edges, int64_t *total) {
#pragma omp parallel
  {
    int64_t counts[4][ALL] = {0};
#pragma omp for schedule(dynamic, 16)
    for (int64_t i = 0; i < n; i++) {
      // Long and short rows in turn.
      int64_t row = i % 2 ? n - 1 - i / 2 : i / 2;
      pairs(same ? row : n, points.x[row], points.y[row], points.z[row], others, edges, counts);
    }
#pragma omp critical
    for (int b = 0; b < ALL; b++) total[b] += counts[0][b] + counts[1][b] + counts[2][b] + counts[3][b];
  }
}

// sizes: points, random sets; in: x, y [d], random x, y [r][d] (f64); out: counts [20][3] (i32)
BASELINE(tpacf) {
  int64_t n = sizes[0], r = sizes[1], dd[ALL] = {0}, dr[ALL] = {0}, rr[ALL] = {0};
  double edges[EDGES];
  for (int k = 0; k < EDGES; k++) edges[k] = cos(M_PI / 180 * (pow(10, k / 5.0) / 60));
  directions observed = directions_of(n, in[0], in[1]);
  count(n, observed, observed, 1, edges, dd);
  for (int64_t s = 0; s < r; s++) {
    directions random = directions_of(n, (const double *)in[2] + s * n, (const double *)in[3] + s * n);
    count(n, observed, random, 0, edges, dr);
    count(n, random, random, 1, edges, rr);
    free(random.x);
  }
  free(observed.x);
  int32_t *result = out[0];
  for (int b = 0; b < BINS; b++) {
    result[3 * b] = dd[b + 1];
    result[3 * b + 1] = dr[b + 1];
    result[3 * b + 2] = rr[b + 1];
  }
}
