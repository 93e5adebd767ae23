// k-means in the plane: points in lanes against each centre, sums kept by each thread.
#include "baseline.h"

enum { BLOCK = 1024 };

typedef struct { float x, y; int64_t count; } cluster;

static void assign(range part, int64_t k, const float *restrict xs, const float *restrict ys, const float *centres, cluster *own) {
  for (int64_t begin = part.begin; begin < part.end; begin += BLOCK) {
    int length = part.end - begin < BLOCK ? part.end - begin : BLOCK;
    float least[BLOCK];
    int32_t best[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
      least[i] = INFINITY;
      best[i] = 0;
    }
    for (int c = 0; c < k; c++) {
      float cx = centres[2 * c], cy = centres[2 * c + 1];
#pragma omp simd simdlen(16)
      for (int i = 0; i < length; i++) {
        float dx = cx - xs[begin + i], dy = cy - ys[begin + i], d = dx * dx + dy * dy;
        best[i] = d < least[i] ? c : best[i];
        least[i] = d < least[i] ? d : least[i];
      }
    }
    for (int i = 0; i < length; i++) {
      cluster *c = &own[best[i]];
      c->x += xs[begin + i];
      c->y += ys[begin + i];
      c->count++;
    }
  }
}

// Moves the centres, says whether one of them moved far.
static int recentre(int64_t k, int threads, cluster *const *sums, float *centres) {
  int moved = 0;
  for (int c = 0; c < k; c++) {
    cluster all = {0, 0, 0};
    for (int t = 0; t < threads; t++) {
      all.x += sums[t][c].x;
      all.y += sums[t][c].y;
      all.count += sums[t][c].count;
    }
    if (all.count == 0) continue;
    float x = all.x / all.count, y = all.y / all.count;
    moved |= fabsf(x - centres[2 * c]) > 0.01f || fabsf(y - centres[2 * c + 1]) > 0.01f;
    centres[2 * c] = x;
    centres[2 * c + 1] = y;
  }
  return moved;
}

// sizes: n, k; in: k (i32), points; out: centres, moves (i32)
BASELINE(kmeans) {
  int64_t n = sizes[0], k = sizes[1];
  const float *points = in[1];
  float *xs = malloc(sizeof(float) * n), *ys = malloc(sizeof(float) * n), *centres = out[0];
  cluster *sums[1024];
  int moving = 1, moves = -1;
  memcpy(centres, points, sizeof(float) * 2 * k);
#pragma omp parallel
  {
    range part = own_part(n, 16);
    cluster *own = malloc(sizeof(cluster) * (k + 8));
    sums[omp_get_thread_num()] = own;
#pragma omp simd
    for (int64_t i = part.begin; i < part.end; i++) {
      xs[i] = points[2 * i];
      ys[i] = points[2 * i + 1];
    }
    while (moving) {
      memset(own, 0, sizeof(cluster) * k);
      assign(part, k, xs, ys, centres, own);
#pragma omp barrier
#pragma omp single
      {
        moving = recentre(k, omp_get_num_threads(), sums, centres);
        moves++;
      }
    }
    free(own);
  }
  free(xs);
  free(ys);
  *(int32_t *)out[1] = moves;
}
