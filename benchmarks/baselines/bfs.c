// Breadth-first search: a small frontier is a queue whose vertices are expanded; from a large one on, every vertex that is not
// reached yet looks for a neighbour in it.
#include "baseline.h"

enum { LOCAL = 1024 };

typedef struct { const int32_t *starts, *edges; int64_t n; int32_t *levels; } graph;

// Appends what a thread has found to the queue.
static void flush(int32_t *queue, int64_t *size, const int32_t *own, int count) {
  int64_t at;
#pragma omp atomic capture
  { at = *size; *size += count; }
  memcpy(queue + at, own, sizeof(int32_t) * count);
}

static int64_t push(graph g, int32_t depth, const int32_t *queue, int64_t size, int32_t *next) {
  int64_t found = 0;
#pragma omp parallel
  {
    int32_t own[LOCAL];
    int count = 0;
#pragma omp for schedule(dynamic, 64)
    for (int64_t i = 0; i < size; i++)
      for (int32_t e = g.starts[queue[i]]; e < g.starts[queue[i] + 1]; e++) {
        int32_t w = g.edges[e], none = -1;
        if (__atomic_load_n(&g.levels[w], __ATOMIC_RELAXED) < 0 &&
            __atomic_compare_exchange_n(&g.levels[w], &none, depth + 1, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
          own[count++] = w;
          if (count == LOCAL) { flush(next, &found, own, count); count = 0; }
        }
      }
    flush(next, &found, own, count);
  }
  return found;
}

static int64_t pull(graph g, int32_t depth) {
  int64_t found = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : found)
  for (int64_t v = 0; v < g.n; v++) {
    if (g.levels[v] >= 0) continue;
    for (int32_t e = g.starts[v]; e < g.starts[v + 1]; e++)
      // Others may just now write the next depth, which is not this one.
      if (__atomic_load_n(&g.levels[g.edges[e]], __ATOMIC_RELAXED) == depth) {
        __atomic_store_n(&g.levels[v], depth + 1, __ATOMIC_RELAXED);
        found++;
        break;
      }
  }
  return found;
}

static int64_t queue_of(graph g, int32_t depth, int32_t *queue) {
  int64_t size = 0;
  for (int64_t v = 0; v < g.n; v++)
    if (g.levels[v] == depth) queue[size++] = v;
  return size;
}

// sizes: vertices, edges; in: starts, edges, root (i32); out: levels
BASELINE(bfs) {
  graph g = {in[0], in[1], sizes[0], out[0]};
  int32_t root = *(const int32_t *)in[2], depth = 0;
  int32_t *queue = malloc(sizeof(int32_t) * (g.n + 1)), *next = malloc(sizeof(int32_t) * (g.n + 1));
  int64_t size = 1;
  int queued = 1;
#pragma omp parallel for schedule(static)
  for (int64_t v = 0; v < g.n; v++) g.levels[v] = -1;
  g.levels[root] = 0;
  queue[0] = root;
  while (size > 0) {
    if (size < g.n / 32) {
      if (!queued) queue_of(g, depth, queue);
      size = push(g, depth, queue, size, next);
      int32_t *old = queue;
      queue = next;
      next = old;
      queued = 1;
    } else {
      size = pull(g, depth);
      queued = 0;
    }
    depth++;
  }
  free(queue);
  free(next);
}
