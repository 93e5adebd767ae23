// Parboil's histogram: counts of a byte that stay at 255, one set for each thread, added in the end.
#include "baseline.h"

// sizes: pixels, bins; in: width, height of the histogram (i32), image (i32); out: counts (i32)
BASELINE(histo) {
  int64_t n = sizes[0], bins = sizes[1], room = (bins + 63) / 64 * 64;
  const int32_t *image = in[2];
  int32_t *counts = out[0];
  uint8_t *own = aligned_alloc(64, room * omp_get_max_threads() + 64);
  int n_own = 1;
#pragma omp parallel
  {
    uint8_t *mine = own + room * omp_get_thread_num();
    memset(mine, 0, room);
    range part = own_part(n, 16);
    for (int64_t i = part.begin; i < part.end; i++) {
      // Numbers outside count nowhere.
      if ((uint32_t)image[i] < bins) mine[image[i]] += mine[image[i]] != 255;
    }
#pragma omp single
    n_own = omp_get_num_threads();
#pragma omp for schedule(static)
    for (int64_t from = 0; from < bins; from += 4096) {
      int length = bins - from < 4096 ? bins - from : 4096;
#pragma omp simd
      for (int i = 0; i < length; i++) {
        int32_t sum = 0;
        for (int t = 0; t < n_own; t++) sum += own[t * room + from + i];
        counts[from + i] = sum < 255 ? sum : 255;
      }
    }
  }
  free(own);
}
