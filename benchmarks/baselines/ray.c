// Spheres over a chequered floor with reflections: pixels in lanes, a group is left as soon as all its rays are.
#include "baseline.h"

enum { LANES = 16, BOUNCES = 4 };
static const float FAR_AWAY = 1e9f;

typedef struct {
  int64_t count;
  const float *x, *y, *z, *radius, *red, *green, *blue, *shine;
} scene;

typedef struct {
  float fx[LANES], fy[LANES], fz[LANES], tx[LANES], ty[LANES], tz[LANES];
  float light[LANES], red[LANES], green[LANES], blue[LANES];
} rays;

// The nearest sphere that each ray hits, and how far away; -1 if none.
static void nearest(const scene *s, const rays *r, float hit[LANES], int which[LANES]) {
  for (int k = 0; k < LANES; k++) {
    hit[k] = FAR_AWAY;
    which[k] = -1;
  }
  for (int64_t i = 0; i < s->count; i++) {
    float x = s->x[i], y = s->y[i], z = s->z[i], radius = s->radius[i];
#pragma omp simd
    for (int k = 0; k < LANES; k++) {
      float ox = r->fx[k] - x, oy = r->fy[k] - y, oz = r->fz[k] - z;
      float half = ox * r->tx[k] + oy * r->ty[k] + oz * r->tz[k];
      float inside = half * half - (ox * ox + oy * oy + oz * oz) + radius * radius;
      float near = -half - sqrtf(inside > 0 ? inside : 0);
      float here = (inside > 0) & (near > 1e-3f) ? near : FAR_AWAY;
      which[k] = here < hit[k] ? (int)i : which[k];
      hit[k] = here < hit[k] ? here : hit[k];
    }
  }
}

// One more stretch of every ray that still has light. Returns whether one is left.
static int bounce(const scene *s, rays *r) {
  float hit[LANES];
  int which[LANES], left = 0;
  nearest(s, r, hit, which);
  const float length = sqrtf(0.5f * 0.5f + 0.8f * 0.8f + 0.4f * 0.4f);
  const float sx = 0.5f / length, sy = 0.8f / length, sz = -0.4f / length;
#pragma omp simd reduction(| : left)
  for (int k = 0; k < LANES; k++) {
    int live = r->light[k] > 0.01f, i = which[k] < 0 ? 0 : which[k];
    float ground = r->ty[k] < -1e-4f ? -r->fy[k] / r->ty[k] : FAR_AWAY;
    int on_floor = ground < hit[k];
    float away = ground < hit[k] ? ground : hit[k];
    int missed = away >= FAR_AWAY;
    float px = r->fx[k] + r->tx[k] * away, py = r->fy[k] + r->ty[k] * away, pz = r->fz[k] + r->tz[k] * away;
    float tile = ((int)(floorf(px) + floorf(pz)) & 1) == 0 ? 0.9f : 0.2f, inverse = 1 / s->radius[i];
    float nx = on_floor ? 0 : (px - s->x[i]) * inverse, ny = on_floor ? 1 : (py - s->y[i]) * inverse;
    float nz = on_floor ? 0 : (pz - s->z[i]) * inverse, facing = nx * sx + ny * sy + nz * sz;
    float lit = facing > 0.1f ? facing : 0.1f, shine = on_floor ? 0.2f : s->shine[i];
    float share = live ? (missed ? r->light[k] : r->light[k] * (1 - shine)) : 0;
    r->red[k] += (missed ? 0.4f : (on_floor ? tile : s->red[i]) * lit) * share;
    r->green[k] += (missed ? 0.6f : (on_floor ? tile : s->green[i]) * lit) * share;
    r->blue[k] += (missed ? 0.9f : (on_floor ? tile : s->blue[i]) * lit) * share;
    float along = 2 * (nx * r->tx[k] + ny * r->ty[k] + nz * r->tz[k]);
    float tx = r->tx[k] - nx * along, ty = r->ty[k] - ny * along, tz = r->tz[k] - nz * along;
    float unit = 1 / sqrtf(tx * tx + ty * ty + tz * tz);
    r->fx[k] = px, r->fy[k] = py, r->fz[k] = pz;
    r->tx[k] = tx * unit, r->ty[k] = ty * unit, r->tz[k] = tz * unit;
    r->light[k] = live & !missed ? r->light[k] * shine : 0;
    left |= r->light[k] > 0.01f;
  }
  return left;
}

// sizes: rows, columns, spheres; in: places (3), radii, colours (3), shines; out: red, green, blue
BASELINE(ray) {
  int64_t rows = sizes[0], columns = sizes[1];
  scene s = {sizes[2], in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]};
  float *red = out[0], *green = out[1], *blue = out[2], scale = 2.0f / columns;
#pragma omp parallel for schedule(dynamic, 4)
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t j = 0; j < columns; j += LANES) {
      rays r;
      for (int k = 0; k < LANES; k++) {
        float x = (j + k - columns / 2) * scale, y = (rows / 2 - i) * scale, z = 1.5f;
        float unit = 1 / sqrtf(x * x + y * y + z * z);
        r.fx[k] = 0, r.fy[k] = 1, r.fz[k] = -4;
        r.tx[k] = x * unit, r.ty[k] = y * unit, r.tz[k] = z * unit;
        r.light[k] = 1;
        r.red[k] = r.green[k] = r.blue[k] = 0;
      }
      for (int step = 0; step < BOUNCES && bounce(&s, &r); step++) {
      }
      int64_t lanes = columns - j < LANES ? columns - j : LANES;
      memcpy(red + i * columns + j, r.red, sizeof(float) * lanes);
      memcpy(green + i * columns + j, r.green, sizeof(float) * lanes);
      memcpy(blue + i * columns + j, r.blue, sizeof(float) * lanes);
    }
  }
}
