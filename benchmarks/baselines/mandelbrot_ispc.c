// Threads around the ISPC program: rows are handed out a few at a time.
#include "baseline.h"

void ispc_mandelbrot_rows(int first, int last, int columns, float left, float top, float x_step, float y_step, int depth,
                          float limit, int32_t *to);

// As in mandelbrot.c.
BASELINE(mandelbrot_ispc) {
  int rows = sizes[0], columns = sizes[1];
  float width = *(const float *)in[4], height = width * rows / columns, radius = *(const float *)in[6];
  float left = *(const float *)in[2] - width / 2, top = *(const float *)in[3] - height / 2;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < rows; i += 4)
    ispc_mandelbrot_rows(i, i + 4 < rows ? i + 4 : rows, columns, left, top, width / columns, height / rows,
                         *(const int32_t *)in[5], radius * radius, out[0]);
}
