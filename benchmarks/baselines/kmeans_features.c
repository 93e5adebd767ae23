// k-means with many features: blocks of points, transposed, in lanes against each centre; sums by each thread
// while a block is still near.
#include "baseline.h"

enum { BLOCK = 64 };

typedef struct { int64_t n, d, k; const float *points; } task;

// The nearest centre of each point of a block, the last of equally near ones.
static void nearest(task t, const float *block, int length, const float *centres, float *columns, int32_t *best) {
  float least[BLOCK];
  for (int i = 0; i < BLOCK; i++) {
    least[i] = INFINITY;
    best[i] = 0;
  }
  for (int i = 0; i < length; i++)
    for (int64_t f = 0; f < t.d; f++) columns[f * BLOCK + i] = block[i * t.d + f];
  for (int64_t c = 0; c < t.k; c++) {
    float distance[BLOCK] = {0};
    for (int64_t f = 0; f < t.d; f++) {
      float centre = centres[c * t.d + f];
#pragma omp simd
      for (int i = 0; i < BLOCK; i++) {
        float by = centre - columns[f * BLOCK + i];
        distance[i] += by * by;
      }
    }
#pragma omp simd
    for (int i = 0; i < BLOCK; i++) {
      best[i] = distance[i] <= least[i] ? c : best[i];
      least[i] = distance[i] <= least[i] ? distance[i] : least[i];
    }
  }
}

// Assigns the points of a part; yields how many changed their cluster.
static int32_t assign(task t, range part, const float *centres, int32_t *clusters, float *columns, float *sums, int32_t *counts) {
  int32_t changed = 0, best[BLOCK];
  for (int64_t from = part.begin; from < part.end; from += BLOCK) {
    int length = part.end - from < BLOCK ? part.end - from : BLOCK;
    const float *block = t.points + from * t.d;
    nearest(t, block, length, centres, columns, best);
    for (int i = 0; i < length; i++) {
      float *sum = sums + best[i] * t.d;
#pragma omp simd
      for (int64_t f = 0; f < t.d; f++) sum[f] += block[i * t.d + f];
      counts[best[i]]++;
      changed += clusters[from + i] != best[i];
      clusters[from + i] = best[i];
    }
  }
  return changed;
}

// sizes: points, features, k; in: threshold, k, most iterations (i32), points; out: centres, iterations (i32)
BASELINE(kmeans_features) {
  task t = {sizes[0], sizes[1], sizes[2], in[3]};
  int32_t threshold = *(const int32_t *)in[0], most = *(const int32_t *)in[2], iterations = 0, changed = threshold + 1;
  float *centres = out[0], *sums[1024];
  int32_t *clusters = malloc(sizeof(int32_t) * (t.n + 1)), *counts[1024];
  memcpy(centres, t.points, sizeof(float) * t.k * t.d);
#pragma omp parallel
  {
    int id = omp_get_thread_num();
    range part = own_part(t.n, BLOCK);
    float *columns = calloc(BLOCK * t.d + 16, sizeof(float));
    sums[id] = malloc(sizeof(float) * (t.k * t.d + 16));
    counts[id] = malloc(sizeof(int32_t) * (t.k + 16));
    for (int64_t i = part.begin; i < part.end; i++) clusters[i] = i % t.k;
#pragma omp barrier
    while (changed > threshold && iterations < most) {
      memset(sums[id], 0, sizeof(float) * t.k * t.d);
      memset(counts[id], 0, sizeof(int32_t) * t.k);
#pragma omp barrier
#pragma omp single
      changed = 0;
      int32_t own = assign(t, part, centres, clusters, columns, sums[id], counts[id]);
#pragma omp atomic
      changed += own;
#pragma omp barrier
#pragma omp single
      {
        for (int64_t c = 0; c < t.k; c++) {
          int32_t count = 0;
          for (int other = 0; other < omp_get_num_threads(); other++) count += counts[other][c];
          for (int64_t f = 0; f < t.d; f++) {
            float sum = 0;
            for (int other = 0; other < omp_get_num_threads(); other++) sum += sums[other][c * t.d + f];
            centres[c * t.d + f] = sum / (count ? count : 1);
          }
        }
        iterations++;
      }
    }
    free(columns);
    free(sums[id]);
    free(counts[id]);
  }
  free(clusters);
  *(int32_t *)out[1] = iterations;
}
