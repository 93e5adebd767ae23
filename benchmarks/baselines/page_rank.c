// A round of PageRank over links in no useful order: every thread gathers what its links give in ranks of its own.
#include "baseline.h"

// sizes: pages, links; in: from, to, shares; out: ranks
BASELINE(page_rank) {
  int64_t pages = sizes[0], links = sizes[1];
  const int32_t *from = in[0], *to = in[1];
  const double *shares = in[2];
  double *ranks = out[0];
  int threads = omp_get_max_threads();
  double *own = malloc((size_t)pages * threads * sizeof(double));
  if (!own) abort();
#pragma omp parallel num_threads(threads)
  {
    double *mine = own + pages * omp_get_thread_num();
    memset(mine, 0, (size_t)pages * sizeof(double));
    range part = own_part(links, 1);
    for (int64_t i = part.begin; i < part.end; i++) mine[to[i]] += shares[from[i]];
#pragma omp barrier
#pragma omp for
    for (int64_t page = 0; page < pages; page++) {
      double sum = 0.15 / pages;
      for (int thread = 0; thread < threads; thread++) sum += own[pages * thread + page];
      ranks[page] = sum;
    }
  }
  free(own);
}
