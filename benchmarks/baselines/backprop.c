// One step of training: the sixteen hidden units in lanes, the many inputs to threads.
#include "baseline.h"

enum { HIDDEN = 16 };

static float squash(float x) { return 1 / (1 + expf(-x)); }

// sizes: inputs; in: inputs [n], weights [n + 1][16], [17][1]; out: two errors, new weights as those
BASELINE(backprop) {
  int64_t n = sizes[0];
  const float *inputs = in[0], *weights = in[1], *hidden_weights = in[2];
  float *new_weights = out[2], *new_hidden_weights = out[3];
  float sums[HIDDEN] = {0}, hidden[HIDDEN], scaled[HIDDEN], error_hidden = 0;
#pragma omp parallel
  {
    // Four sums for each unit, so that additions need not wait for one another.
    float own[4][HIDDEN] = {0};
    range part = own_part(n, 16);
    int64_t i = part.begin;
    for (; i + 4 <= part.end; i += 4)
      for (int k = 0; k < 4; k++)
#pragma omp simd
        for (int h = 0; h < HIDDEN; h++) own[k][h] += inputs[i + k] * weights[(i + k + 1) * HIDDEN + h];
    for (; i < part.end; i++)
#pragma omp simd
      for (int h = 0; h < HIDDEN; h++) own[0][h] += inputs[i] * weights[(i + 1) * HIDDEN + h];
#pragma omp critical
    for (int h = 0; h < HIDDEN; h++) sums[h] += own[0][h] + own[1][h] + own[2][h] + own[3][h];
#pragma omp barrier
#pragma omp single
    {
      float sum = hidden_weights[0];
      for (int h = 0; h < HIDDEN; h++) {
        hidden[h] = squash(weights[h] + sums[h]);
        sum += hidden[h] * hidden_weights[h + 1];
      }
      float o = squash(sum), error = o * (1 - o) * (0.1f - o);
      new_hidden_weights[0] = hidden_weights[0] + 0.3f * error;
      for (int h = 0; h < HIDDEN; h++) {
        float own_error = hidden[h] * (1 - hidden[h]) * (error * hidden_weights[h + 1]);
        error_hidden += fabsf(own_error);
        scaled[h] = 0.3f * own_error;
        new_weights[h] = weights[h] + scaled[h];
        new_hidden_weights[h + 1] = hidden_weights[h + 1] + 0.3f * error * hidden[h];
      }
      *(float *)out[0] = fabsf(error);
      *(float *)out[1] = error_hidden;
    }
    for (i = part.begin; i < part.end; i++) {
      float row[HIDDEN];
#pragma omp simd
      for (int h = 0; h < HIDDEN; h++) row[h] = weights[(i + 1) * HIDDEN + h] + scaled[h] * inputs[i];
      stream_f32x16(new_weights + (i + 1) * HIDDEN, row);
    }
    stream_end();
  }
}
