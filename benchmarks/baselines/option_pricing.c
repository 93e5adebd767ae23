// Monte Carlo prices: blocks of paths in lanes. Sobol's numbers are linear, so a block's are its first one's
// combined with those of the first block.
#include "baseline.h"

enum { LANES = 32 };

typedef float lanes[LANES];

typedef struct {
  int64_t bits, models, unds, dates, n_discounts, paths;
  int32_t contract;
  const int32_t *directions, *bridge_inds;
  const float *correlations, *volatilities, *drifts, *starts, *values, *discounts, *bridge_data;
} task;

static int32_t sobol(int64_t bits, const int32_t *directions, int32_t n) {
  int32_t gray = n ^ (n >> 1), number = 0;
  for (int64_t bit = 0; bit < bits; bit++) number ^= gray >> bit & 1 ? directions[bit] : 0;
  return number;
}

#define HORNER(x, a, b, c, d, e, f, g, h) (((((((h * x + g) * x + f) * x + e) * x + d) * x + c) * x + b) * x + a)

// Wichura's inverse of the normal distribution, Algorithm AS 241 (1988). Beyond 5 there is nothing in single precision.
static inline float normal(float p) {
  float q = p - 0.5f, x = 0.180625f - q * q;
  float central = q * HORNER(x, 3.3871328728f, 133.14166789f, 1971.5909503f, 13731.693765f, 45921.953932f, 67265.770927f, 33430.575584f, 2509.0809287f) /
                  HORNER(x, 1.0f, 42.313330702f, 687.18700749f, 5394.1960214f, 21213.794302f, 39307.895800f, 28729.085736f, 5226.4952789f);
  float r = sqrtf(-logf(0.5f - fabsf(q))), y = r - 1.6f;
  float outer = HORNER(y, 1.4234371107f, 4.6303378462f, 5.7694972215f, 3.6478483248f, 1.2704582525f, 0.24178072518f, 0.022723844989f, 7.7454501428e-4f) /
                HORNER(y, 1.0f, 2.0531916266f, 1.6763848302f, 0.68976733499f, 0.14810397643f, 0.015198666564f, 5.4759380850e-4f, 1.0507500716e-9f);
  return fabsf(q) <= 0.425f ? central : copysignf(outer, q);
}

// The moves of one underlying between dates, from normal numbers [dates].
static void bridge(const task *t, const lanes *gauss, lanes *path, lanes *moves) {
  const int32_t *at = t->bridge_inds, *before = at + t->dates, *after = before + t->dates;
  const float *deviation = t->bridge_data, *left = deviation + t->dates, *right = left + t->dates;
  for (int l = 0; l < LANES; l++) path[at[0] - 1][l] = deviation[0] * gauss[0][l];
  for (int64_t i = 1; i < t->dates; i++) {
    const float *from = before[i] ? path[before[i] - 1] : gauss[i], *to = path[after[i] - 1];
    float weight = before[i] ? left[i] : 0;
#pragma omp simd
    for (int l = 0; l < LANES; l++) path[at[i] - 1][l] = right[i] * to[l] + deviation[i] * gauss[i][l] + weight * from[l];
  }
  memcpy(moves[0], path[0], sizeof(lanes));
  for (int64_t i = 1; i < t->dates; i++)
#pragma omp simd
    for (int l = 0; l < LANES; l++) moves[i][l] = path[i][l] - path[i - 1][l];
}

// The prices of all underlyings under a model from their independent moves; both [unds][dates].
static void make_prices(const task *t, int64_t model, const lanes *moves, lanes *prices) {
  for (int64_t u = 0; u < t->unds; u++) {
    const float *correlation = t->correlations + (model * t->unds + u) * t->unds;
    lanes price;
    for (int l = 0; l < LANES; l++) price[l] = t->starts[model * t->unds + u];
    for (int64_t i = 0; i < t->dates; i++) {
      float volatility = t->volatilities[(model * t->dates + i) * t->unds + u], drift = t->drifts[(model * t->dates + i) * t->unds + u];
      lanes move = {0};
      for (int64_t k = 0; k <= u; k++)
#pragma omp simd
        for (int l = 0; l < LANES; l++) move[l] += moves[k * t->dates + i][l] * correlation[k];
      SIMD_WITH_FUNCTIONS
      for (int l = 0; l < LANES; l++) price[l] *= expf(move[l] * volatility + drift);
      memcpy(prices[u * t->dates + i], price, sizeof(lanes));
    }
  }
}

static inline float least(const lanes *prices, int64_t dates, int64_t i, int l) {
  return fminf(prices[i][l] / 3758.05f, fminf(prices[dates + i][l] / 11840, prices[2 * dates + i][l] / 1200));
}

static float call(const task *t, int64_t model, const lanes *prices, const float *valid) {
  float sum = 0, value = t->values[model], discount = t->discounts[model * t->n_discounts];
#pragma omp simd reduction(+ : sum)
  for (int l = 0; l < LANES; l++) {
    float amount = (prices[0][l] - 4000) * value;
    sum += valid[l] * (amount > 0 ? amount * discount : 0);
  }
  return sum;
}

static float autocall(const task *t, int64_t model, const lanes *prices, const float *valid) {
  static const float amounts[4] = {1150, 1300, 1450, 1600};
  const float *discounts = t->discounts + model * t->n_discounts;
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int l = 0; l < LANES; l++) {
    float last = least(prices, t->dates, 4, l), pays = (last >= 1 ? 1750 : last > 0.75f ? 1000 : 1000 * last) * discounts[4];
#pragma GCC unroll 4
    for (int i = 3; i >= 0; i--) pays = least(prices, t->dates, i, l) >= 1 ? amounts[i] * discounts[i] : pays;
    sum += valid[l] * pays;
  }
  return sum;
}

static float barrier(const task *t, int64_t model, const lanes *prices, const float *valid) {
  const lanes *a = prices, *b = a + t->dates, *c = b + t->dates;
  const float *discounts = t->discounts + model * t->n_discounts;
  int32_t broken[LANES] = {0};
  for (int64_t i = 0; i < t->dates; i++)
#pragma omp simd
    for (int l = 0; l < LANES; l++) broken[l] |= (a[i][l] <= 2630.635f) | (b[i][l] <= 8288) | (c[i][l] <= 840);
  float sum = 0;
  int64_t last = t->dates - 1;
#pragma omp simd reduction(+ : sum)
  for (int l = 0; l < LANES; l++) {
    int under = (a[last][l] < 3758.05f) | (b[last][l] < 11840) | (c[last][l] < 1200);
    float amount = broken[l] & under ? 1000 * least(prices, t->dates, last, l) : 1000;
    sum += valid[l] * (100 * discounts[0] + amount * discounts[1]);
  }
  return sum;
}

// Adds what the paths of a block pay.
static void block(const task *t, int64_t b, const int32_t (*first)[LANES], lanes *room, double *sums) {
  int64_t numbers = t->unds * t->dates;
  lanes *gauss = room, *moves = room + numbers, *prices = room + 2 * numbers, *path = room + 3 * numbers;
  float scale = 1 / exp2f(t->bits), valid[LANES];
  for (int l = 0; l < LANES; l++) {
    int64_t n = b * LANES + l;
    valid[l] = n > 0 && n <= t->paths;
  }
  for (int64_t d = 0; d < t->dates; d++)
    for (int64_t u = 0; u < t->unds; u++) {
      int32_t own = sobol(t->bits, t->directions + (d * t->unds + u) * t->bits, b * LANES);
      const int32_t *others = first[d * t->unds + u];
      float *to = gauss[u * t->dates + d];
      SIMD_WITH_FUNCTIONS
      // Path 0 is not counted, but its number 0 must not make infinities.
      for (int l = 0; l < LANES; l++) {
        float p = (own ^ others[l]) * scale;
        to[l] = normal(p > 0 ? p : 0.5f);
      }
    }
  for (int64_t u = 0; u < t->unds; u++) bridge(t, gauss + u * t->dates, path, moves + u * t->dates);
  for (int64_t model = 0; model < t->models; model++) {
    make_prices(t, model, moves, prices);
    sums[model] += t->contract == 1 ? call(t, model, prices, valid)
                   : t->contract == 2 ? autocall(t, model, prices, valid)
                                      : barrier(t, model, prices, valid);
  }
}

// sizes: bits, models, underlyings, dates, discounts, paths; in: as the program takes them; out: prices [models]
BASELINE(option_pricing) {
  task t = {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], *(const int32_t *)in[0],
            in[2], in[9], in[3], in[4], in[5], in[6], in[7], in[8], in[10]};
  int64_t numbers = t.unds * t.dates, blocks = t.paths / LANES + 1;
  int32_t(*first)[LANES] = aligned_alloc(64, sizeof(*first) * (numbers + 1));
  for (int64_t i = 0; i < numbers; i++)
    for (int l = 0; l < LANES; l++) first[i][l] = sobol(t.bits, t.directions + i * t.bits, l);
  double *sums = calloc(t.models + 1, sizeof(double));
#pragma omp parallel
  {
    lanes *room = aligned_alloc(64, sizeof(lanes) * (3 * numbers + t.dates + 1));
    double *own = calloc(t.models + 1, sizeof(double));
#pragma omp for schedule(dynamic, 16)
    for (int64_t b = 0; b < blocks; b++) block(&t, b, first, room, own);
#pragma omp critical
    for (int64_t m = 0; m < t.models; m++) sums[m] += own[m];
    free(own);
    free(room);
  }
  for (int64_t m = 0; m < t.models; m++) ((float *)out[0])[m] = sums[m] / t.paths;
  free(sums);
  free(first);
}
