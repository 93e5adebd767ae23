// Black-Scholes over arrays, one option a lane.
#include "baseline.h"

static inline float normal(float d) {
  float k = 1 / (1 + 0.2316419f * fabsf(d));
  float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.3989422804f * expf(-0.5f * d * d) * p;
  return d > 0 ? 1 - tail : tail;
}

// sizes: n; in: prices, strikes, years; out: calls, puts
BASELINE(blackscholes) {
  int64_t n = sizes[0];
  const float *restrict prices = in[0], *restrict strikes = in[1], *restrict years = in[2];
  float *restrict calls = out[0], *restrict puts = out[1];
  const float rate = 0.02f, volatility = 0.3f;
#pragma omp parallel
  {
    range part = own_part(n, 16);
    SIMD_WITH_FUNCTIONS for (int64_t i = part.begin; i < part.end; i++) {
      float deviation = volatility * sqrtf(years[i]);
      float d1 = (logf(prices[i] / strikes[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
      float n1 = normal(d1), n2 = normal(d1 - deviation);
      float discounted = strikes[i] * expf(-rate * years[i]);
      calls[i] = prices[i] * n1 - discounted * n2;
      puts[i] = discounted * (1 - n2) - prices[i] * (1 - n1);
    }
  }
}
