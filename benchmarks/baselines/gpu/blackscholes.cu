// Black-Scholes: a thread an option.
DEVICE float normal(float d) {
  float k = 1 / FMA(0.2316419f, ABS(d), 1.0f);
  float p = FMA(k, 1.330274429f, -1.821255978f);
  p = FMA(k, p, 1.781477937f);
  p = FMA(k, p, -0.356563782f);
  p = FMA(k, p, 0.31938153f) * k;
  float tail = 0.3989422804f * EXP(-0.5f * d * d) * p;
  return d > 0 ? 1 - tail : tail;
}

KERNEL(256) blackscholes(int n, GLOBAL const float *RESTRICT prices, GLOBAL const float *RESTRICT strikes,
                         GLOBAL const float *RESTRICT years, GLOBAL float *RESTRICT calls, GLOBAL float *RESTRICT puts) {
  int i = BLOCK * 256 + ITEM;
  if (i >= n) return;
  const float rate = 0.02f, volatility = 0.3f;
  float price = prices[i], strike = strikes[i], time = years[i], deviation = volatility * SQRT(time);
  float d1 = FMA(rate + 0.5f * volatility * volatility, time, LOG(price / strike)) / deviation;
  float n1 = normal(d1), n2 = normal(d1 - deviation), discounted = strike * EXP(-rate * time);
  calls[i] = FMA(price, n1, -(discounted * n2));
  puts[i] = FMA(discounted, 1 - n2, -(price * (1 - n1)));
}
