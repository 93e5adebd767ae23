// n bodies: a block takes the others tile by tile into shared memory, each thread adds up what pulls at its own. Squares are added up
// in the order in which the program does.
enum { TILE = 256 };

KERNEL(256) nbody(int n, float epsilon, float time_step, GLOBAL const float *RESTRICT xs, GLOBAL const float *RESTRICT ys,
                  GLOBAL const float *RESTRICT zs, GLOBAL const float *RESTRICT masses, GLOBAL const float *RESTRICT vxs,
                  GLOBAL const float *RESTRICT vys, GLOBAL const float *RESTRICT vzs, GLOBAL float *RESTRICT to_xs,
                  GLOBAL float *RESTRICT to_ys, GLOBAL float *RESTRICT to_zs, GLOBAL float *RESTRICT to_masses,
                  GLOBAL float *RESTRICT to_vxs, GLOBAL float *RESTRICT to_vys, GLOBAL float *RESTRICT to_vzs) {
  LOCAL float tile_x[TILE], tile_y[TILE], tile_z[TILE], tile_mass[TILE];
  int i = BLOCK * TILE + ITEM, own = MIN(i, n - 1);
  float x = xs[own], y = ys[own], z = zs[own], ax = 0, ay = 0, az = 0;
  for (int start = 0; start < n; start += TILE) {
    int j = start + ITEM, count = MIN(TILE, n - start);
    if (j < n) {
      tile_x[ITEM] = xs[j];
      tile_y[ITEM] = ys[j];
      tile_z[ITEM] = zs[j];
      tile_mass[ITEM] = masses[j];
    }
    BARRIER;
#pragma unroll 8
    for (int k = 0; k < count; k++) {
      float dx = tile_x[k] - x, dy = tile_y[k] - y, dz = tile_z[k] - z;
      float inverse = 1 / SQRT(FMA(epsilon, epsilon, FMA(dz, dz, FMA(dx, dx, dy * dy))));
      float s = tile_mass[k] * inverse * inverse * inverse;
      ax = FMA(s, dx, ax);
      ay = FMA(s, dy, ay);
      az = FMA(s, dz, az);
    }
    BARRIER;
  }
  if (i < n) {
    float mass = masses[i], vx = vxs[i], vy = vys[i], vz = vzs[i];
    to_xs[i] = FMA(time_step, vx, x);
    to_ys[i] = FMA(time_step, vy, y);
    to_zs[i] = FMA(time_step, vz, z);
    to_masses[i] = mass;
    to_vxs[i] = FMA(time_step, mass * ax, vx);
    to_vys[i] = FMA(time_step, mass * ay, vy);
    to_vzs[i] = FMA(time_step, mass * az, vz);
  }
}
