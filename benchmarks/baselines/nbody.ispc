// How all bodies pull at bodies first to last (exclusive), those in lanes.
export void ispc_nbody_forces(uniform int first, uniform int last, uniform int n, uniform float epsilon, uniform const float xs[],
                              uniform const float ys[], uniform const float zs[], uniform const float masses[],
                              uniform float fx[], uniform float fy[], uniform float fz[]) {
  foreach (i = first ... last) {
    float x = xs[i], y = ys[i], z = zs[i], ax = 0, ay = 0, az = 0;
    for (uniform int j = 0; j < n; j++) {
      float dx = xs[j] - x, dy = ys[j] - y, dz = zs[j] - z;
      float inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + epsilon * epsilon);
      float s = masses[j] * inverse * inverse * inverse;
      ax += s * dx;
      ay += s * dy;
      az += s * dz;
    }
    fx[i] = ax * masses[i];
    fy[i] = ay * masses[i];
    fz[i] = az * masses[i];
  }
}
