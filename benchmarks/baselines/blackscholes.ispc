// Black-Scholes, options first to last (exclusive) in lanes.
static inline float normal(float d) {
  float k = 1 / (1 + 0.2316419f * abs(d));
  float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.3989422804f * exp(-0.5f * d * d) * p;
  return d > 0 ? 1 - tail : tail;
}

export void ispc_blackscholes(uniform int first, uniform int last, uniform const float prices[], uniform const float strikes[],
                              uniform const float years[], uniform float calls[], uniform float puts[]) {
  const uniform float rate = 0.02f, volatility = 0.3f;
  foreach (i = first ... last) {
    float deviation = volatility * sqrt(years[i]);
    float d1 = (log(prices[i] / strikes[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / deviation;
    float n1 = normal(d1), n2 = normal(d1 - deviation);
    float discounted = strikes[i] * exp(-rate * years[i]);
    calls[i] = prices[i] * n1 - discounted * n2;
    puts[i] = discounted * (1 - n2) - prices[i] * (1 - n1);
  }
}
