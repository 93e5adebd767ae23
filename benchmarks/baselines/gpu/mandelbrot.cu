// The Mandelbrot set: a thread a pixel, blocks of 16 by 16 pixels, so that the threads of a warp end at about the same time.
enum { SIDE = 16 };

KERNEL(256) mandelbrot(int rows, int columns, float centre_x, float centre_y, float width, int depth, float radius,
                       GLOBAL int *RESTRICT to) {
  int across = (columns + SIDE - 1) / SIDE;
  int i = BLOCK / across * SIDE + ITEM / SIDE, j = BLOCK % across * SIDE + ITEM % SIDE;
  if (i >= rows || j >= columns) return;
  float height = width * rows / columns, limit = radius * radius;
  float cx = centre_x - width / 2 + j * (width / columns), cy = centre_y - height / 2 + i * (height / rows);
  float x = 0, y = 0;
  int n = 0;
  while (n < depth && FMA(x, x, y * y) < limit) {
    float next = FMA(x, x, FMA(-y, y, cx));
    y = FMA(2 * x, y, cy);
    x = next;
    n++;
  }
  to[i * columns + j] = n;
}
