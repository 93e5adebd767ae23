// The nearest places, by one search for the least distance after another, as the program does it: the block
// with the least distance by vectors, then the first place in it.
#include "baseline.h"

typedef struct { float distance; int64_t index; } place;

enum { WAYS = 64, BLOCK = 1024 };

static float least_of(const float *d, int64_t n) {
  float lanes[WAYS], least = INFINITY;
  for (int k = 0; k < WAYS; k++) lanes[k] = INFINITY;
  int64_t i = 0;
  for (; i + WAYS <= n; i += WAYS)
#pragma omp simd simdlen(16)
    for (int k = 0; k < WAYS; k++) lanes[k] = d[i + k] < lanes[k] ? d[i + k] : lanes[k];
  for (int k = 0; k < WAYS; k++) least = lanes[k] < least ? lanes[k] : least;
  for (; i < n; i++) least = d[i] < least ? d[i] : least;
  return least;
}

static place nearest(const float *d, range part) {
  float least = INFINITY;
  int64_t block = part.begin;
  for (int64_t b = part.begin; b < part.end; b += BLOCK) {
    float l = least_of(d + b, part.end - b < BLOCK ? part.end - b : BLOCK);
    if (l < least) {
      least = l;
      block = b;
    }
  }
  while (block < part.end && d[block] != least) block++;
  return (place){least, block < part.end ? block : INT64_MAX};
}

// sizes: n, results; in: results (i32), lat, lng, lats, lngs; out: indices (i32), distances
BASELINE(nn) {
  int64_t n = sizes[0], results = sizes[1];
  float lat = *(const float *)in[1], lng = *(const float *)in[2];
  const float *lats = in[3], *lngs = in[4];
  float *d = aligned_alloc(64, (sizeof(float) * n + 63) / 64 * 64), *found = out[1];
  int32_t *indices = out[0];
  place best[1024];
#pragma omp parallel
  {
    range part = own_part(n, 16);
#pragma omp simd simdlen(16)
    for (int64_t i = part.begin; i < part.end; i++)
      d[i] = sqrtf((lat - lats[i]) * (lat - lats[i]) + (lng - lngs[i]) * (lng - lngs[i]));
    for (int64_t r = 0; r < results; r++) {
      best[omp_get_thread_num()] = nearest(d, part);
#pragma omp barrier
#pragma omp single
      {
        place p = best[0];
        for (int t = 1; t < omp_get_num_threads(); t++)
          if (best[t].distance < p.distance) p = best[t];
        indices[r] = p.index;
        found[r] = p.distance;
        d[p.index] = INFINITY;
      }
    }
  }
  free(d);
}
