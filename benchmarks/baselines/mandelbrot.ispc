// The Mandelbrot set: rows first to last (exclusive), pixels in lanes.
static inline int escape(float cx, float cy, uniform int depth, uniform float limit) {
  float x = 0, y = 0;
  int n = 0;
  while (n < depth && x * x + y * y < limit) {
    float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    n++;
  }
  return n;
}

export void ispc_mandelbrot_rows(uniform int first, uniform int last, uniform int columns, uniform float left, uniform float top,
                                 uniform float x_step, uniform float y_step, uniform int depth, uniform float limit,
                                 uniform int to[]) {
  for (uniform int i = first; i < last; i++) {
    uniform float cy = top + i * y_step;
    foreach (j = 0 ... columns) to[(int64)i * columns + j] = escape(left + j * x_step, cy, depth, limit);
  }
}
