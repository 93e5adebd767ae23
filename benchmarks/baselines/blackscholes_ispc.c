// Threads around the ISPC program.
#include "baseline.h"

void ispc_blackscholes(int first, int last, const float *prices, const float *strikes, const float *years, float *calls,
                       float *puts);

// As in blackscholes.c.
BASELINE(blackscholes_ispc) {
  int n = sizes[0];
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i += 4096)
    ispc_blackscholes(i, i + 4096 < n ? i + 4096 : n, in[0], in[1], in[2], out[0], out[1]);
}
