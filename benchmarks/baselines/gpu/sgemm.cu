// The matrix product: a block computes 128 by 128 elements from slices of eight in shared memory, a thread 8 by 8 of them in registers.
enum { TILE = 128, SLICE = 8, OWN = 8, ACROSS = TILE / OWN };

KERNEL(256) sgemm(int n, int m, int p, float alpha, float beta, GLOBAL const float *RESTRICT a, GLOBAL const float *RESTRICT b,
                  GLOBAL const float *RESTRICT c, GLOBAL float *RESTRICT to) {
  LOCAL float columns[SLICE][TILE], rows[SLICE][TILE];
  int tiles = (p + TILE - 1) / TILE, top = BLOCK / tiles * TILE, left = BLOCK % tiles * TILE;
  int y = ITEM / ACROSS, x = ITEM % ACROSS;
  float sum[OWN][OWN];
#pragma unroll
  for (int i = 0; i < OWN; i++)
#pragma unroll
    for (int j = 0; j < OWN; j++) sum[i][j] = 0;
  for (int start = 0; start < m; start += SLICE) {
#pragma unroll
    for (int k = ITEM; k < SLICE * TILE; k += 256) {
      int i = top + k / SLICE, depth = start + k % SLICE;
      columns[k % SLICE][k / SLICE] = i < n && depth < m ? a[i * m + depth] : 0;
      int j = left + k % TILE;
      depth = start + k / TILE;
      rows[k / TILE][k % TILE] = j < p && depth < m ? b[depth * p + j] : 0;
    }
    BARRIER;
#pragma unroll
    for (int k = 0; k < SLICE; k++) {
      float own_a[OWN], own_b[OWN];
#pragma unroll
      for (int i = 0; i < OWN; i++) {
        own_a[i] = columns[k][y + i * ACROSS];
        own_b[i] = rows[k][x + i * ACROSS];
      }
#pragma unroll
      for (int i = 0; i < OWN; i++)
#pragma unroll
        for (int j = 0; j < OWN; j++) sum[i][j] = FMA(own_a[i], own_b[j], sum[i][j]);
    }
    BARRIER;
  }
#pragma unroll
  for (int i = 0; i < OWN; i++)
#pragma unroll
    for (int j = 0; j < OWN; j++) {
      int row = top + y + i * ACROSS, column = left + x + j * ACROSS;
      if (row < n && column < p) to[row * p + column] = FMA(alpha, sum[i][j], beta * c[row * p + column]);
    }
}
