// Heat on a grid, one step a launch: a block takes 32 by 8 cells with a border of one into shared memory.
enum { WIDE = 32, HIGH = 8 };

KERNEL(256) hotspot(int n, int m, float rate, float gain_x, float gain_y, float gain_z, GLOBAL const float *RESTRICT from,
                    GLOBAL const float *RESTRICT power, GLOBAL float *RESTRICT to) {
  LOCAL float tile[HIGH + 2][WIDE + 2];
  int across = (m + WIDE - 1) / WIDE, top = BLOCK / across * HIGH, left = BLOCK % across * WIDE;
  // Beyond the border it is as warm as at the border.
  for (int k = ITEM; k < (HIGH + 2) * (WIDE + 2); k += WIDE * HIGH) {
    int i = top - 1 + k / (WIDE + 2), j = left - 1 + k % (WIDE + 2);
    i = i < 0 ? 0 : MIN(i, n - 1);
    j = j < 0 ? 0 : MIN(j, m - 1);
    tile[k / (WIDE + 2)][k % (WIDE + 2)] = from[i * m + j];
  }
  BARRIER;
  int y = ITEM / WIDE, x = ITEM % WIDE, i = top + y, j = left + x;
  if (i >= n || j >= m) return;
  float here = tile[y + 1][x + 1];
  float flow = FMA(tile[y + 1][x + 2] + tile[y + 1][x] - 2 * here, gain_x, power[i * m + j]);
  flow = FMA(tile[y + 2][x + 1] + tile[y][x + 1] - 2 * here, gain_y, flow);
  to[i * m + j] = FMA(rate, FMA(80 - here, gain_z, flow), here);
}
