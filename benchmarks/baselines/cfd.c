// Euler's equations: what neighbours need of a cell is computed once, then cells gather in lanes.
#include "baseline.h"

#define GAMMA 1.4f

enum { FACES = 4, STAGES = 3, WALL = -1, FAR_FIELD = -2 };

// Density, three momenta and energy; then velocities, pressure and the speed of the fastest wave.
enum { DENSITY, MX, MY, MZ, ENERGY, STATE, VX = STATE, VY, VZ, PRESSURE, FASTEST, ALL };

typedef struct {
  int64_t n;
  float *areas, *normals[FACES][3];
  int32_t *neighbours[FACES];
} mesh;

#pragma omp declare simd
static inline void derive(float r, float mx, float my, float mz, float e, float *vx, float *vy, float *vz, float *p, float *c) {
  float inverse = 1 / r;
  *vx = mx * inverse;
  *vy = my * inverse;
  *vz = mz * inverse;
  float speed2 = *vx * *vx + *vy * *vy + *vz * *vz;
  *p = (GAMMA - 1) * (e - 0.5f * r * speed2);
  *c = sqrtf(speed2) + sqrtf(GAMMA * *p * inverse);
}

static void derive_all(range part, float *const *s) {
#pragma omp simd
  for (int64_t i = part.begin; i < part.end; i++)
    derive(s[DENSITY][i], s[MX][i], s[MY][i], s[MZ][i], s[ENERGY][i], &s[VX][i], &s[VY][i], &s[VZ][i], &s[PRESSURE][i], &s[FASTEST][i]);
}

// One stage: to = old + part of a step * what flows into cells in state s.
static void stage(range part, const mesh *m, float *const *old, float *const *s, const float *restrict lengths, float share, const float *ff, float *const *to) {
#pragma omp simd
  for (int64_t i = part.begin; i < part.end; i++) {
    float r = s[DENSITY][i], mx = s[MX][i], my = s[MY][i], mz = s[MZ][i], e = s[ENERGY][i];
    float vx = s[VX][i], vy = s[VY][i], vz = s[VZ][i], p = s[PRESSURE][i], c = s[FASTEST][i];
    float fr = 0, fx = 0, fy = 0, fz = 0, fe = 0;
#pragma GCC unroll 4
    for (int f = 0; f < FACES; f++) {
      int32_t neighbour = m->neighbours[f][i], at = neighbour < 0 ? (int32_t)i : neighbour;
      int far = neighbour == FAR_FIELD, wall = neighbour == WALL;
      float nx = m->normals[f][0][i], ny = m->normals[f][1][i], nz = m->normals[f][2][i];
      float r2 = far ? ff[DENSITY] : s[DENSITY][at], mx2 = far ? ff[MX] : s[MX][at], my2 = far ? ff[MY] : s[MY][at];
      float mz2 = far ? ff[MZ] : s[MZ][at], e2 = far ? ff[ENERGY] : s[ENERGY][at];
      float vx2 = far ? ff[VX] : s[VX][at], vy2 = far ? ff[VY] : s[VY][at], vz2 = far ? ff[VZ] : s[VZ][at];
      float p2 = far ? ff[PRESSURE] : s[PRESSURE][at], c2 = s[FASTEST][at];
      float through = wall ? 0 : nx * vx + ny * vy + nz * vz, through2 = wall ? 0 : nx * vx2 + ny * vy2 + nz * vz2;
      float mass = wall ? 0 : nx * (mx + mx2) + ny * (my + my2) + nz * (mz + mz2);
      float strength = neighbour < 0 ? 0 : -0.1f * sqrtf(nx * nx + ny * ny + nz * nz) * (c + c2);
      fr += 0.5f * mass + strength * (r - r2);
      fx += 0.5f * (through * mx + through2 * mx2 + nx * (p + p2)) + strength * (mx - mx2);
      fy += 0.5f * (through * my + through2 * my2 + ny * (p + p2)) + strength * (my - my2);
      fz += 0.5f * (through * mz + through2 * mz2 + nz * (p + p2)) + strength * (mz - mz2);
      fe += 0.5f * (through * (e + p) + through2 * (e2 + p2)) + strength * (e - e2);
    }
    float factor = share * lengths[i];
    to[DENSITY][i] = old[DENSITY][i] + factor * fr;
    to[MX][i] = old[MX][i] + factor * fx;
    to[MY][i] = old[MY][i] + factor * fy;
    to[MZ][i] = old[MZ][i] + factor * fz;
    to[ENERGY][i] = old[ENERGY][i] + factor * fe;
  }
}

typedef struct { float x, y; } point;

static point corner(int64_t around, int64_t ring, int64_t place) {
  float r = powf(1.02f, ring), angle = 2 * (float)M_PI * place / around;
  return (point){(r + 0.8f / r) * cosf(angle), (r - 0.8f / r) * sinf(angle)};
}

static void set_normal(const mesh *m, int face, int64_t i, point a, point b) {
  m->normals[face][0][i] = a.y - b.y;
  m->normals[face][1][i] = b.x - a.x;
  m->normals[face][2][i] = 0;
}

// Rings of cells around an ellipse.
static mesh wing(int64_t around, int64_t rings, float *room) {
  mesh m = {.n = around * rings, .areas = room};
  for (int f = 0; f < FACES; f++) {
    m.neighbours[f] = (int32_t *)(room + m.n * (1 + f));
    for (int axis = 0; axis < 3; axis++) m.normals[f][axis] = room + m.n * (5 + 3 * f + axis);
  }
#pragma omp parallel for
  for (int64_t i = 0; i < m.n; i++) {
    int64_t ring = i / around, place = i % around;
    point inner = corner(around, ring, place), next = corner(around, ring, place + 1);
    point outer = corner(around, ring + 1, place), far = corner(around, ring + 1, place + 1);
    m.neighbours[0][i] = ring == 0 ? WALL : i - around;
    m.neighbours[1][i] = ring == rings - 1 ? FAR_FIELD : i + around;
    m.neighbours[2][i] = ring * around + (place + around - 1) % around;
    m.neighbours[3][i] = ring * around + (place + 1) % around;
    set_normal(&m, 0, i, next, inner);
    set_normal(&m, 1, i, outer, far);
    set_normal(&m, 2, i, inner, outer);
    set_normal(&m, 3, i, far, next);
    m.areas[i] = 0.5f * fabsf((far.x - inner.x) * (next.y - outer.y) - (next.x - outer.x) * (far.y - inner.y));
  }
  return m;
}

// sizes: cells in a ring, rings; in: iterations (i32), sizes (i64); out: [5][cells]
BASELINE(cfd) {
  int64_t around = sizes[0], rings = sizes[1], n = around * rings;
  int iterations = *(const int32_t *)in[0];
  float *room = aligned_alloc(64, (sizeof(float) * n * 48 + 63) / 64 * 64), *lengths = room + 17 * n, *state[3][ALL];
  mesh m = wing(around, rings, room);
  // The state of a step's start and two that stages alternate between share what is derived.
  for (int v = 0; v < ALL; v++)
    for (int k = 0; k < 3; k++) state[k][v] = room + n * (v < STATE ? 18 + 5 * k + v : 33 + v - STATE);
  float speed = 1.2f, ff[ALL] = {1.4f, 1.4f * speed, 0, 0, 1.4f * 0.5f * speed * speed + 1 / (GAMMA - 1)};
  derive(ff[DENSITY], ff[MX], ff[MY], ff[MZ], ff[ENERGY], &ff[VX], &ff[VY], &ff[VZ], &ff[PRESSURE], &ff[FASTEST]);
#pragma omp parallel
  {
    range part = own_part(n, 16);
    for (int v = 0; v < STATE; v++)
      for (int64_t i = part.begin; i < part.end; i++) state[0][v][i] = ff[v];
    for (int step = 0; step < iterations; step++) {
      // The last stage must not write where the step began: the roles of the states turn.
      float *const *old = state[2 * step % 3], *const *one = state[(2 * step + 2) % 3], *const *two = state[(2 * step + 1) % 3];
      float *const *from[STAGES] = {old, one, two}, *const *to[STAGES] = {one, two, one};
      for (int k = 0; k < STAGES; k++) {
        derive_all(part, from[k]);
        if (k == 0)
#pragma omp simd
          for (int64_t i = part.begin; i < part.end; i++) lengths[i] = 0.5f / (sqrtf(m.areas[i]) * old[FASTEST][i]);
#pragma omp barrier
        stage(part, &m, old, from[k], lengths, 1.0f / (STAGES + 1 - k), ff, to[k]);
#pragma omp barrier
      }
    }
    for (int v = 0; v < STATE; v++)
      memcpy((float *)out[0] + v * n + part.begin, state[2 * iterations % 3][v] + part.begin, sizeof(float) * (part.end - part.begin));
  }
  free(room);
}
