// Local volatility: strikes to threads, lines of the grid in lanes. The system along y is the same for all lines,
// so it is factored once a step; along x each line has its own.
#include "baseline.h"

enum { LANES = 32 };

typedef struct { float before, here, after; } weights;

typedef struct {
  int64_t nx, ny, nt;
  float rate, nu2, *by_x, *by_y, *by_t, *xs;
  weights *wx, *wy;
} model;

static weights *second_derivative(int64_t n, const float *grid) {
  weights *ws = calloc(n, sizeof(weights));
  for (int64_t i = 1; i < n - 1; i++) {
    float l = grid[i] - grid[i - 1], u = grid[i + 1] - grid[i];
    ws[i] = (weights){2 / l / (l + u), -2 * (1 / l + 1 / u) / (l + u), 2 / u / (l + u)};
  }
  return ws;
}

// What the explicit half step makes of values [ny][nx]; `along_y` keeps the part along y.
static void explicit_step(const model *m, float by_t, const float *values, float *along_y, float *right) {
  int64_t nx = m->nx;
  for (int64_t j = 0; j < m->ny; j++) {
    const float *here = values + j * nx, *before = j > 0 ? here - nx : here, *after = j + 1 < m->ny ? here + nx : here;
    weights w = m->wy[j];
    float variance = by_t * m->by_y[j];
#pragma omp simd
    for (int64_t i = 0; i < nx; i++) along_y[j * nx + i] = 0.5f * m->nu2 * (w.before * before[i] + w.here * here[i] + w.after * after[i]);
    right[j * nx] = m->rate * here[0] + along_y[j * nx];
    right[j * nx + nx - 1] = m->rate * here[nx - 1] + along_y[j * nx + nx - 1];
#pragma omp simd
    for (int64_t i = 1; i < nx - 1; i++) {
      float derivative = m->wx[i].before * here[i - 1] + m->wx[i].here * here[i] + m->wx[i].after * here[i + 1];
      right[j * nx + i] = m->rate * here[i] + 0.25f * variance * m->by_x[i] * derivative + along_y[j * nx + i];
    }
  }
}

static void transpose(int64_t rows, int64_t columns, const float *from, float *to) {
  for (int64_t i0 = 0; i0 < rows; i0 += 16)
    for (int64_t j0 = 0; j0 < columns; j0 += 16)
      for (int64_t j = j0; j < (j0 + 16 < columns ? j0 + 16 : columns); j++)
        for (int64_t i = i0; i < (i0 + 16 < rows ? i0 + 16 : rows); i++) to[j * rows + i] = from[i * columns + j];
}

// Lines along x, in place; values are [nx][ny].
static void implicit_x(const model *m, float by_t, float *values, float (*pivots)[LANES]) {
  int64_t nx = m->nx, ny = m->ny;
  for (int64_t j0 = 0; j0 < ny; j0 += LANES) {
    int lanes = ny - j0 < LANES ? ny - j0 : LANES;
    float variance[LANES];
    for (int l = 0; l < LANES; l++) variance[l] = l < lanes ? -0.25f * by_t * m->by_y[j0 + l] : 0;
    for (int l = 0; l < LANES; l++) pivots[0][l] = m->rate;
    for (int64_t i = 1; i < nx; i++) {
      float *row = values + i * ny + j0, *last = row - ny;
      weights w = m->wx[i], v = m->wx[i - 1];
      float x = m->by_x[i], before_x = m->by_x[i - 1];
#pragma omp simd
      for (int l = 0; l < lanes; l++) {
        float factor = variance[l] * x * w.before / pivots[i - 1][l];
        pivots[i][l] = m->rate + variance[l] * x * w.here - factor * (variance[l] * before_x * v.after);
        row[l] -= factor * last[l];
      }
    }
    for (int64_t i = nx - 1; i >= 0; i--) {
      float *row = values + i * ny + j0, *next = i + 1 < nx ? row + ny : row;
      float after = i + 1 < nx ? m->by_x[i] * m->wx[i].after : 0;
#pragma omp simd
      for (int l = 0; l < lanes; l++) row[l] = (row[l] - variance[l] * after * next[l]) / pivots[i][l];
    }
  }
}

// Lines along y, in place; values are [ny][nx], and a line's system is that of any other.
static void implicit_y(const model *m, float *values, float *factors, float *inverses) {
  int64_t nx = m->nx, ny = m->ny;
  float part = -0.25f * m->nu2, pivot = m->rate + part * m->wy[0].here;
  factors[0] = 0;
  inverses[0] = 1 / pivot;
  for (int64_t j = 1; j < ny; j++) {
    factors[j] = part * m->wy[j].before * inverses[j - 1];
    pivot = m->rate + part * m->wy[j].here - factors[j] * part * m->wy[j - 1].after;
    inverses[j] = 1 / pivot;
  }
  for (int64_t j = 1; j < ny; j++) {
    float factor = factors[j], *row = values + j * nx;
#pragma omp simd
    for (int64_t i = 0; i < nx; i++) row[i] -= factor * row[i - nx];
  }
  for (int64_t i = 0; i < nx; i++) values[(ny - 1) * nx + i] *= inverses[ny - 1];
  for (int64_t j = ny - 2; j >= 0; j--) {
    float after = part * m->wy[j].after, inverse = inverses[j], *row = values + j * nx;
#pragma omp simd
    for (int64_t i = 0; i < nx; i++) row[i] = (row[i] - after * row[i + nx]) * inverse;
  }
}

static float value(const model *m, float strike, int64_t at, float *room) {
  int64_t nx = m->nx, ny = m->ny, cells = nx * ny;
  float *values = room, *along_y = room + cells, *right = room + 2 * cells, *turned = room + 3 * cells;
  float(*pivots)[LANES] = (float(*)[LANES])(room + 4 * cells);
  float *factors = room + 4 * cells + LANES * nx, *inverses = factors + ny;
  for (int64_t c = 0; c < cells; c++) {
    float gain = m->xs[c % nx] - strike;
    values[c] = gain > 0 ? gain : 0;
  }
  for (int64_t k = m->nt - 2; k >= 0; k--) {
    explicit_step(m, m->by_t[k], values, along_y, right);
    transpose(ny, nx, right, turned);
    implicit_x(m, m->by_t[k], turned, pivots);
    transpose(nx, ny, turned, values);
#pragma omp simd
    for (int64_t c = 0; c < cells; c++) values[c] = m->rate * values[c] - 0.5f * along_y[c];
    implicit_y(m, values, factors, inverses);
  }
  return values[at];
}

// sizes: strikes, points along x, along y, times; in: those (i32), s0, time, alpha, nu, beta; out: values
BASELINE(locvolcalib) {
  int64_t outer = sizes[0], nx = sizes[1], ny = sizes[2], nt = sizes[3];
  float s0 = *(const float *)in[4], time = *(const float *)in[5], alpha = *(const float *)in[6], nu = *(const float *)in[7];
  float beta = *(const float *)in[8], *result = out[0];
  float dx = 20 * alpha * s0 * sqrtf(time) / nx, dy = 10 * nu * sqrtf(time) / ny;
  int64_t x0 = s0 / dx, y0 = ny / 2;
  float *xs = malloc(sizeof(float) * 2 * (nx + ny + nt)), *by_x = xs + nx, *ys = by_x + nx, *by_y = ys + ny, *by_t = by_y + ny;
  for (int64_t i = 0; i < nx; i++) {
    xs[i] = i * dx - x0 * dx + s0;
    by_x[i] = expf(2 * beta * logf(xs[i]));
  }
  for (int64_t j = 0; j < ny; j++) {
    ys[j] = j * dy - y0 * dy + logf(alpha);
    by_y[j] = expf(2 * ys[j]);
  }
  for (int64_t k = 0; k < nt; k++) by_t[k] = expf(-(nu * nu * (time * k / (nt - 1))));
  model m = {nx, ny, nt, (nt - 1) / time, nu * nu, by_x, by_y, by_t, xs, second_derivative(nx, xs), second_derivative(ny, ys)};
#pragma omp parallel
  {
    float *room = aligned_alloc(64, (sizeof(float) * (4 * nx * ny + LANES * nx + 2 * ny) + 63) / 64 * 64);
#pragma omp for schedule(dynamic)
    for (int64_t i = 0; i < outer; i++) result[i] = value(&m, 0.001f * i, y0 * nx + x0, room);
    free(room);
  }
  free(m.wx);
  free(m.wy);
  free(xs);
}
