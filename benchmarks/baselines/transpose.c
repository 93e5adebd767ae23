// Transposition by tiles of 16 by 16 held in registers: whole cache lines in, whole cache lines out.
#include "baseline.h"

typedef float tile_row __attribute__((vector_size(64)));

// Rows i and i + d exchange what lies off the diagonal of every square of 2 * d rows and columns; the
// lists say from which lanes of the two rows (0 to 15, 16 to 31) the new ones come.
#define EXCHANGE(d, LOW, HIGH)                                      \
  _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) if (!(i & d)) { \
    tile_row a = r[i], b = r[i + d];                                \
    r[i] = __builtin_shufflevector(a, b, LOW);                      \
    r[i + d] = __builtin_shufflevector(a, b, HIGH);                 \
  }
#define LIST(...) __VA_ARGS__

static inline void transpose_tile(const float *from, int64_t from_stride, float *to, int64_t to_stride) {
  tile_row r[16];
  _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) memcpy(&r[i], from + i * from_stride, 64);
  EXCHANGE(1, LIST(0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30), LIST(1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31))
  EXCHANGE(2, LIST(0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29), LIST(2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31))
  EXCHANGE(4, LIST(0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27), LIST(4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31))
  EXCHANGE(8, LIST(0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23), LIST(8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31))
  _Pragma("GCC unroll 16") for (int i = 0; i < 16; i++) {
#ifdef __AVX512F__
    if ((to_stride & 15) == 0) _mm512_stream_ps(to + i * to_stride, (__m512)r[i]);
    else
#endif
      memcpy(to + i * to_stride, &r[i], 64);
  }
}

// sizes: rows, columns; in: a; out: its transpose
BASELINE(transpose_f32) {
  int64_t n = sizes[0], m = sizes[1], whole_n = n / 16 * 16, whole_m = m / 16 * 16;
  const float *a = in[0];
  float *to = out[0];
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int64_t j = 0; j < whole_m; j += 16)
      for (int64_t i = 0; i < whole_n; i += 16) transpose_tile(a + i * m + j, m, to + j * n + i, n);
    stream_end();
#pragma omp for schedule(static)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = i < whole_n ? whole_m : 0; j < m; j++) to[j * n + i] = a[i * m + j];
  }
}
