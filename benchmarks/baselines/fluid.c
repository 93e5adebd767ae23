// Stable fluids: the inside of a grid in lanes, its border copied from it, Jacobi steps between two buffers.
#include "baseline.h"

typedef struct { float rows, columns; } walls;

static const walls NO_VELOCITY = {1, 1}, VELOCITY_U = {-1, 1}, VELOCITY_V = {1, -1};

// The border's left and right cells of a row, and the rows at the top and bottom.
static inline void border(int64_t g, int64_t i, walls w, float *x) {
  float *row = x + i * g;
  row[0] = w.columns * row[1];
  row[g - 1] = w.columns * row[g - 2];
  if (i == 1 || i == g - 2) {
    float corner = 0.5f * (w.rows + w.columns);
    for (int side = 0; side < 2; side++) {
      if (i != (side ? g - 2 : 1)) continue;
      float *outer = x + (side ? g - 1 : 0) * g;
#pragma omp simd
      for (int64_t j = 1; j < g - 1; j++) outer[j] = w.rows * row[j];
      outer[0] = corner * row[1];
      outer[g - 1] = corner * row[g - 2];
    }
  }
}

static void jacobi(int64_t g, int64_t i, float a, float c, const float *s, const float *x, float *restrict to) {
  const float *here = x + i * g, *right = s + i * g;
#pragma omp simd simdlen(16)
  for (int64_t j = 1; j < g - 1; j++)
    to[i * g + j] = (right[j] + a * (here[j - g] + here[j + g] + here[j - 1] + here[j + 1])) / c;
}

// Leaves the solution in x[steps % 2]; all threads of a team call this.
static void solve(int64_t g, int steps, walls w, float a, float c, const float *s, float *const *x) {
#pragma omp for schedule(static)
  for (int64_t i = 0; i < g * g; i++) x[0][i] = 0;
  for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static)
    for (int64_t i = 1; i < g - 1; i++) {
      jacobi(g, i, a, c, s, x[step % 2], x[(step + 1) % 2]);
      border(g, i, w, x[(step + 1) % 2]);
    }
  }
}

static void advect(int64_t g, float time_step, const float *u, const float *v, walls w, const float *s, float *to) {
  float inner = g - 2, far = inner + 0.5f;
#pragma omp for schedule(static)
  for (int64_t i = 1; i < g - 1; i++) {
#pragma omp simd simdlen(16)
    for (int64_t j = 1; j < g - 1; j++) {
      float x = i - time_step * inner * u[i * g + j], y = j - time_step * inner * v[i * g + j];
      x = x < 0.5f ? 0.5f : x > far ? far : x;
      y = y < 0.5f ? 0.5f : y > far ? far : y;
      int32_t i0 = x, j0 = y, at = i0 * (int32_t)g + j0;
      float down = x - i0, right = y - j0;
      float above = (1 - right) * s[at] + right * s[at + 1];
      float below = (1 - right) * s[at + (int32_t)g] + right * s[at + (int32_t)g + 1];
      to[i * g + j] = (1 - down) * above + down * below;
    }
    border(g, i, w, to);
  }
}

// Takes what diverges from u and v; `room` has three grids.
static void project(int64_t g, int steps, const float *u, const float *v, float *to_u, float *to_v, float *const *room) {
  float half = 0.5f * (g - 2), *divergence = room[2];
#pragma omp for schedule(static)
  for (int64_t i = 1; i < g - 1; i++) {
#pragma omp simd
    for (int64_t j = 1; j < g - 1; j++) {
      int64_t at = i * g + j;
      divergence[at] = -0.5f * (u[at + g] - u[at - g] + v[at + 1] - v[at - 1]) / g;
    }
    border(g, i, NO_VELOCITY, divergence);
  }
  solve(g, steps, NO_VELOCITY, 1, 4, divergence, room);
  const float *pressure = room[steps % 2];
#pragma omp for schedule(static)
  for (int64_t i = 1; i < g - 1; i++) {
#pragma omp simd
    for (int64_t j = 1; j < g - 1; j++) {
      int64_t at = i * g + j;
      to_u[at] = u[at] - half * (pressure[at + g] - pressure[at - g]);
      to_v[at] = v[at] - half * (pressure[at + 1] - pressure[at - 1]);
    }
    border(g, i, VELOCITY_U, to_u);
    border(g, i, VELOCITY_V, to_v);
  }
}

// sizes: grid; in: u, v, densities, steps, solver steps (i32), time step, diffusion, viscosity; out: u, v, densities
BASELINE(fluid) {
  int64_t g = sizes[0];
  size_t bytes = (sizeof(float) * g * g + 63) / 64 * 64;
  int steps = *(const int32_t *)in[3], solver = *(const int32_t *)in[4];
  float time_step = *(const float *)in[5], diffusion = *(const float *)in[6], viscosity = *(const float *)in[7];
  float *grid[7], area = (float)(g - 2) * (g - 2);
  for (int i = 0; i < 7; i++) grid[i] = aligned_alloc(64, bytes);
  float *solution[4] = {grid[0], grid[1], grid[2], grid[3]}, *const *room = grid + 4;
  float *u = out[0], *v = out[1], *d = out[2];
  for (int i = 0; i < 3; i++) memcpy(out[i], in[i], sizeof(float) * g * g);
#pragma omp parallel
  for (int s = 0; s < steps; s++) {
    float a = time_step * viscosity * area, b = time_step * diffusion * area;
    // The density flows with the old velocities.
    solve(g, solver, NO_VELOCITY, b, 1 + 4 * b, d, solution);
    advect(g, time_step, u, v, NO_VELOCITY, solution[solver % 2], d);
    solve(g, solver, VELOCITY_U, a, 1 + 4 * a, u, solution);
    solve(g, solver, VELOCITY_V, a, 1 + 4 * a, v, solution + 2);
    project(g, solver, solution[solver % 2], solution[2 + solver % 2], u, v, room);
    advect(g, time_step, u, v, VELOCITY_U, u, solution[0]);
    advect(g, time_step, u, v, VELOCITY_V, v, solution[2]);
    project(g, solver, solution[0], solution[2], u, v, room);
  }
  for (int i = 0; i < 7; i++) free(grid[i]);
}
