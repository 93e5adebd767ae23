// Heart cells in lanes: every value is a vector of cells, and a step is tried until it is good for all of them.
// The equations are those of ../myocyte.fut, which names their sources.
#include "baseline.h"

#ifdef HAS_VECTORS
HAS_VECTORS float powf(float, float);
#endif

enum { EQUATIONS = 91, LANES = 16, STAGES = 13, DYAD = 46, SL = 61, CYT = 76 };

typedef float lanes[LANES];

#define FARADAY 96485.0f
#define PER_VOLT (FARADAY / 8314 / 310)
#define CAPACITANCE 1.3810e-10f
#define CELL (3.1416f * (10.25f * 10.25f) * 100 * 1e-15f)
#define MYO (0.65f * CELL)
#define SR (0.035f * CELL)
#define SLEMMA (0.02f * CELL)
#define JUNCTION (0.0539f * 0.01f * CELL)
#define K_OUT 5.4f
#define NA_OUT 140.0f
#define CA_OUT 1.8f
#define SHARE_J 0.11f
#define SHARE_SL (1 - SHARE_J)

static inline float falling(float x) { return 1 / (1 + expf(x)); }
static inline float square(float x) { return x * x; }
static inline float cube(float x) { return x * x * x; }

static inline float exchanger(float v, float na, float ca) {
  const float km_ca = 3.59e-3f, km_ca_out = 1.3f, km_na = 12.29f, km_na_out = 87.5f, nu = 0.35f;
  float back = expf((nu - 1) * v * PER_VOLT), active = 1 / (1 + cube(0.256e-3f / ca));
  float inwards = expf(nu * v * PER_VOLT) * cube(na) * CA_OUT, outwards = back * cube(NA_OUT) * ca;
  float bound = (km_ca * cube(NA_OUT) * (1 + cube(na / km_na)) + cube(km_na_out) * ca + cube(km_na) * CA_OUT * (1 + ca / km_ca) +
                 km_ca_out * cube(na) + cube(na) * CA_OUT + cube(NA_OUT) * ca) * (1 + 0.27f * back);
  return 9 * active * (inwards - outwards) / bound;
}

static inline float calcium_pump(float ca) {
  float bound = powf(ca, 1.6f);
  return 0.0673f * bound / (5.2281978e-06f + bound);
}

static inline float binding(float on, float off, float concentration, float unbound, float bound) {
  return on * concentration * unbound - off * bound;
}

static inline float inactivation(float gate, float ca) { return 1.7f * ca * (1 - gate) - 11.9e-3f * gate; }

// The equations of excitation and contraction, for the cells in lanes.
static void excitation(const float *times, float cycle, const lanes *y, lanes *d) {
  const float sigma = (expf(NA_OUT / 67.3f) - 1) / 7, e_cl = logf(15.0f / 150) / PER_VOLT;
  SIMD_WITH_FUNCTIONS
  for (int l = 0; l < LANES; l++) {
    float v = y[38][l], na_j = y[31][l], na_sl = y[32][l], na_i = y[33][l], k_i = y[34][l];
    float t = times[l], stimulus = t - cycle * truncf(t / cycle) <= 5 ? 9.5f : 0, ca_sr = y[30][l], ca_j = y[35][l], ca_sl = y[36][l], ca_i = y[37][l];
    float e_na_j = logf(NA_OUT / na_j) / PER_VOLT, e_na_sl = logf(NA_OUT / na_sl) / PER_VOLT, e_k = logf(K_OUT / k_i) / PER_VOLT;
    float log_ca_j = logf(ca_j), log_ca_sl = logf(ca_sl);
    float e_ca_j = logf(CA_OUT / ca_j) / (2 * PER_VOLT), e_ca_sl = logf(CA_OUT / ca_sl) / (2 * PER_VOLT);
    // fast sodium current and background
    float open_m = 0.32f * (v + 47.13f) / (1 - expf(-0.1f * (v + 47.13f))), close_m = 0.08f * expf(-v / 11);
    int high = v >= -40;
    float open_h = high ? 0 : 0.135f * expf((80 + v) / -6.8f);
    float open_j = high ? 0 : (-127140 * expf(0.2444f * v) - 3.474e-5f * expf(-0.04391f * v)) * (v + 37.78f) * falling(0.311f * (v + 79.23f));
    float close_h = high ? falling(-(v + 10.66f) / 11.1f) / 0.13f : 3.56f * expf(0.079f * v) + 3.1e5f * expf(0.35f * v);
    float close_j = high ? 0.3f * expf(-2.535e-7f * v) * falling(-0.1f * (v + 32)) : 0.1212f * expf(-0.01052f * v) * falling(-0.1378f * (v + 40.14f));
    d[0][l] = open_m * (1 - y[0][l]) - close_m * y[0][l];
    d[1][l] = open_h * (1 - y[1][l]) - close_h * y[1][l];
    d[2][l] = open_j * (1 - y[2][l]) - close_j * y[2][l];
    float sodium = 16 * cube(y[0][l]) * y[1][l] * y[2][l] + 0.297e-3f;
    float i_na_j = SHARE_J * sodium * (v - e_na_j), i_na_sl = SHARE_SL * sodium * (v - e_na_sl);
    // sodium-potassium pump
    float f_nak = 1 / (1 + 0.1245f * expf(-0.1f * v * PER_VOLT) + 0.0365f * sigma * expf(-v * PER_VOLT));
    float pump = 1.90719f * f_nak * K_OUT / (K_OUT + 1.5f);
    float i_nak_j = SHARE_J * pump / (1 + square(square(11 / na_j))), i_nak_sl = SHARE_SL * pump / (1 + square(square(11 / na_sl)));
    // potassium currents: rapid, slow, plateau
    float tau_xr = 1 / (0.00138f * (v + 7) / (1 - expf(-0.123f * (v + 7))) + 6.1e-4f * (v + 10) / (expf(0.145f * (v + 10)) - 1));
    d[11][l] = (falling(-(v + 50) / 7.5f) - y[11][l]) / tau_xr;
    float i_kr = 0.03f * y[11][l] * falling((v + 33) / 22.4f) * (v - e_k);
    float slow_j = 0.07f * (0.057f + 0.19f * falling((-4.2f - log_ca_j / 2.30258509f) / 0.6f));
    float slow_sl = 0.07f * (0.057f + 0.19f * falling((-4.2f - log_ca_sl / 2.30258509f) / 0.6f));
    float e_ks = logf((K_OUT + 0.01833f * NA_OUT) / (k_i + 0.01833f * na_i)) / PER_VOLT;
    float tau_xs = 1 / (7.19e-5f * (v + 30) / (1 - expf(-0.148f * (v + 30))) + 1.31e-4f * (v + 30) / (expf(0.0687f * (v + 30)) - 1));
    d[12][l] = (falling(-(v - 1.5f) / 16.7f) - y[12][l]) / tau_xs;
    float i_ks = (SHARE_J * slow_j * square(y[11][l]) + SHARE_SL * slow_sl * square(y[12][l])) * (v - e_ks);
    float i_kp = 0.001f * falling(7.488f - v / 5.98f) * (v - e_k);
    // potassium currents: transient outward, time-independent
    float x_to = falling(-(v + 3) / 15), y_to = falling((v + 33.5f) / 10), at_60 = falling((v + 60) / 10);
    d[7][l] = (x_to - y[7][l]) / (9 * falling((v + 3) / 15) + 0.5f);
    d[8][l] = (y_to - y[8][l]) / (3000 * at_60 + 30);
    d[39][l] = (y_to - y[39][l]) / (2800 * at_60 + 220);
    d[9][l] = (x_to - y[9][l]) / (3.5f * expf(-v * v / 900) + 1.5f);
    d[10][l] = (y_to - y[10][l]) / (20 * y_to + 20);
    float i_to = (0.06f * y[7][l] * (y[8][l] + 0.5f * y[39][l]) + 0.02f * y[9][l] * y[10][l]) * (v - e_k);
    float open_ki = 1.02f * falling(0.2385f * (v - e_k - 59.215f));
    float close_ki = (0.49124f * expf(0.08032f * (v + 5.476f - e_k)) + expf(0.06175f * (v - e_k - 594.31f))) * falling(-0.5143f * (v - e_k + 4.753f));
    float i_ki = 0.9f * (open_ki / (open_ki + close_ki)) * (v - e_k);
    // chloride currents
    float i_cl = (0.109625f * (SHARE_J / (1 + 0.1f / ca_j) + SHARE_SL / (1 + 0.1f / ca_sl)) + 9.0e-3f) * (v - e_cl);
    // L-type calcium channel
    float dss = falling(-(v + 14.5f) / 6), tau_d = dss * (1 - expf(-(v + 14.5f) / 6)) / (0.035f * (v + 14.5f));
    float fss = falling((v + 35.06f) / 3.6f) + 0.6f * falling((50 - v) / 20);
    float tau_f = 1 / (0.0197f * expf(-square(0.0337f * (v + 14.5f))) + 0.02f);
    d[3][l] = (dss - y[3][l]) / tau_d;
    d[4][l] = (fss - y[4][l]) / tau_f;
    d[5][l] = inactivation(y[5][l], ca_j);
    d[6][l] = inactivation(y[6][l], ca_sl);
    float once = expf(v * PER_VOLT), twice = expf(2 * v * PER_VOLT), field = v * FARADAY * PER_VOLT;
    float opened = 0.45f * y[3][l] * y[4][l], opened_j = 0.9f * (1 - y[5][l]), opened_sl = (1 - 0.9f) * (1 - y[6][l]);
    float calcium = 5.4e-4f * 4 * field / (twice - 1) * opened, monovalent = field / (once - 1) * opened * 0.75f;
    float i_ca_j = calcium * 0.341f * (ca_j * twice - CA_OUT) * opened_j, i_ca_sl = calcium * 0.341f * (ca_sl * twice - CA_OUT) * opened_sl;
    float i_ca_k = 2.7e-7f * monovalent * (k_i * once - K_OUT) * (opened_j + opened_sl);
    float i_ca_na_j = 1.5e-8f * monovalent * (na_j * once - NA_OUT) * opened_j, i_ca_na_sl = 1.5e-8f * monovalent * (na_sl * once - NA_OUT) * opened_sl;
    // exchanger, pump and background of calcium
    float i_ncx_j = SHARE_J * exchanger(v, na_j, ca_j), i_ncx_sl = SHARE_SL * exchanger(v, na_sl, ca_sl);
    float i_pca_j = SHARE_J * calcium_pump(ca_j), i_pca_sl = SHARE_SL * calcium_pump(ca_sl);
    float i_cab_j = SHARE_J * 2.513e-4f * (v - e_ca_j), i_cab_sl = SHARE_SL * 2.513e-4f * (v - e_ca_sl);
    const float to_calcium = -CAPACITANCE / (MYO * 2 * FARADAY) * 1e3f;
    // the sarcoplasmic reticulum: release, pump, leak
    float control = 15 - 14 / (1 + powf(0.45f / ca_sr, 2.5f)), to_open = 10 / control * square(ca_j), to_inactive = 0.5f * control * ca_j;
    float rest = 1 - y[13][l] - y[14][l] - y[15][l];
    float r_i = 0.005f * rest - to_inactive * y[13][l], r_o = to_open * y[13][l] - 0.06f * y[14][l];
    float o_i = to_inactive * y[14][l] - 0.005f * y[15][l], i_i = 0.06f * y[15][l] - to_open * rest;
    float release = 25 * y[14][l] * (ca_sr - ca_j);
    float filled = powf(ca_i / 0.246e-3f, 1.787f), emptied = powf(ca_sr / 1.7f, 1.787f);
    float serca = 2.86e-4f * (filled - emptied) / (1 + filled + emptied), leak = 5.348e-6f * (ca_sr - ca_j);
    d[13][l] = r_i - r_o;
    d[14][l] = r_o - o_i;
    d[15][l] = o_i - i_i;
    // buffers
    float d_nab_j = binding(0.1e-3f, 1.0e-3f, na_j, 7.561f - y[16][l], y[16][l]), d_nab_sl = binding(0.1e-3f, 1.0e-3f, na_sl, 1.65f - y[17][l], y[17][l]);
    float d_tnc_low = binding(32.7f, 19.6e-3f, ca_i, 70e-3f - y[18][l], y[18][l]);
    float d_tnc_ca = binding(2.37f, 0.032e-3f, ca_i, 140e-3f - y[19][l] - y[20][l], y[19][l]);
    float d_tnc_mg = binding(3.0e-3f, 3.33e-3f, 1, 140e-3f - y[19][l] - y[20][l], y[20][l]);
    float d_myosin_ca = binding(13.8f, 0.46e-3f, ca_i, 140e-3f - y[22][l] - y[23][l], y[22][l]);
    float d_myosin_mg = binding(0.0157f, 0.057e-3f, 1, 140e-3f - y[22][l] - y[23][l], y[23][l]);
    float d_srb = binding(100, 60e-3f, ca_i, 19 * 0.9e-3f - y[24][l], y[24][l]);
    float d_sll_j = binding(100, 1.3f, ca_j, 4.62e-3f * MYO / JUNCTION * 0.1f - y[25][l], y[25][l]);
    float d_sll_sl = binding(100, 1.3f, ca_sl, 37.38e-3f * MYO / SLEMMA - y[26][l], y[26][l]);
    float d_slh_j = binding(100, 30e-3f, ca_j, 1.65e-3f * MYO / JUNCTION * 0.1f - y[27][l], y[27][l]);
    float d_slh_sl = binding(100, 30e-3f, ca_sl, 13.35e-3f * MYO / SLEMMA - y[28][l], y[28][l]);
    float d_csqn = binding(100, 65, ca_sr, 2.7f - y[29][l], y[29][l]);
    d[16][l] = d_nab_j, d[17][l] = d_nab_sl, d[18][l] = d_tnc_low, d[19][l] = d_tnc_ca, d[20][l] = d_tnc_mg, d[21][l] = 0;
    d[22][l] = d_myosin_ca, d[23][l] = d_myosin_mg, d[24][l] = d_srb;
    d[25][l] = d_sll_j, d[26][l] = d_sll_sl, d[27][l] = d_slh_j, d[28][l] = d_slh_sl, d[29][l] = d_csqn;
    // concentrations
    const float na_j_sl = 1 / (1.6382e12f / 3 * 100), na_sl_myo = 1 / (1.8308e10f / 3 * 100), ca_j_sl = 1 / 1.2134e12f, ca_sl_myo = 1 / 2.68510e11f;
    float na_total_j = i_na_j + 3 * i_ncx_j + 3 * i_nak_j + i_ca_na_j, na_total_sl = i_na_sl + 3 * i_ncx_sl + 3 * i_nak_sl + i_ca_na_sl;
    float k_total = i_to + i_kr + i_ks + i_ki - 2 * (i_nak_j + i_nak_sl) + i_ca_k + i_kp;
    float ca_total_j = i_ca_j + i_cab_j + i_pca_j - 2 * i_ncx_j, ca_total_sl = i_ca_sl + i_cab_sl + i_pca_sl - 2 * i_ncx_sl;
    d[30][l] = serca * MYO / SR - (leak * MYO / SR + release) - d_csqn;
    d[31][l] = -na_total_j * (CAPACITANCE / (JUNCTION * FARADAY)) + na_j_sl / JUNCTION * (na_sl - na_j) - d_nab_j;
    d[32][l] = -na_total_sl * (CAPACITANCE / SLEMMA / FARADAY) + na_j_sl / SLEMMA * (na_j - na_sl) + na_sl_myo / SLEMMA * (na_i - na_sl) - d_nab_sl;
    d[33][l] = na_sl_myo / MYO * (na_sl - na_i);
    d[34][l] = 0;
    d[35][l] = -ca_total_j * (CAPACITANCE / (JUNCTION * 2 * FARADAY)) + ca_j_sl / JUNCTION * (ca_sl - ca_j) - (d_sll_j + d_slh_j) +
               release * (SR / JUNCTION) + leak * (MYO / JUNCTION);
    d[36][l] = -ca_total_sl * (CAPACITANCE / (SLEMMA * 2 * FARADAY)) + ca_j_sl / SLEMMA * (ca_j - ca_sl) + ca_sl_myo / SLEMMA * (ca_i - ca_sl) - (d_sll_sl + d_slh_sl);
    d[37][l] = -serca - (d_tnc_low + d_tnc_ca + d_tnc_mg + d_myosin_ca + d_myosin_mg + d_srb) + ca_sl_myo / MYO * (ca_sl - ca_i);
    d[38][l] = stimulus - (na_total_j + na_total_sl + i_cl + ca_total_j + ca_total_sl + k_total);
    d[40][l] = d[41][l] = 0;
    d[42][l] = to_calcium * (i_ca_j + i_ca_sl);
    d[43][l] = to_calcium * (i_pca_j + i_pca_sl);
    d[44][l] = -2 * to_calcium * (i_ncx_j + i_ncx_sl);
    d[45][l] = to_calcium * (i_cab_j + i_cab_sl);
  }
}

static inline float dephosphorylated(float p, float pp1_total, float kinase_total) {
  return 1.72f * pp1_total * p / (11.5f + kinase_total * p);
}

// One compartment's calmodulin, whose values are y[0..15]; `calcium` gets what it binds.
static void calmodulin(const float *params, const float *concentration, const lanes *y, lanes *d, float *calcium) {
  float b_total = params[1], kinase_total = params[2], can_total = params[3], pp1_total = params[4];
  const float k = 135, mg = 1, k20 = 10, k42 = 500, kbi = 2.2f, kib = kbi / 33.5e-3f, k0b_off = 0.0014f, kb_on = k0b_off / 0.2f, kb_off = k0b_off / 100;
  const float k02 = k20 / (0.0025f * (1 + k / 0.94f - mg / 0.012f) * (1 + k / 8.1f + mg / 0.022f));
  const float k24 = k42 / (0.128f * (1 + k / 0.64f + mg / 0.0014f) * (1 + k / 13 - mg / 0.153f));
  const float kb42 = k42 * 33.5e-3f / 5, kta = kbi / 1000, kt42 = k42 * 33.5e-6f / 5, can_on = 46, can4_off = 0.0013f, can2_off = 2508 * can4_off, can0_off = 165 * can2_off;
#pragma omp simd
  for (int l = 0; l < LANES; l++) {
    float ca = concentration[l] * 1e3f, ca2 = ca * ca, cam = y[0][l], ca2cam = y[1][l], ca4cam = y[2][l];
    float cam_b = y[3][l], ca2cam_b = y[4][l], ca4cam_b = y[5][l], pb2 = y[6][l], pb = y[7][l], pt = y[8][l], pt2 = y[9][l], pa = y[10][l];
    float ca4can = y[11][l], cam_can = y[12][l], ca2cam_can = y[13][l], ca4cam_can = y[14][l];
    float r02 = k02 * ca2 * cam - k20 * ca2cam, r24 = k24 * ca2 * ca2cam - k42 * ca4cam, b = b_total - cam_b - ca2cam_b - ca4cam_b;
    float r02b = k02 * ca2 * cam_b - k20 / 100 * ca2cam_b, r24b = k24 * ca2 * ca2cam_b - k42 * ca4cam_b;
    float r0b = kb_on * cam * b - k0b_off * cam_b, r2b = kb_on * ca2cam * b - kb_off * ca2cam_b, r4b = kb_on * ca4cam * b - kb_off * ca4cam_b;
    float ca2can = can_total - ca4can - cam_can - ca2cam_can - ca4cam_can, r_can = 2 * ca2 * ca2can - ca4can;
    float r02can = k02 * ca2 * cam_can - k20 / 165 * ca2cam_can, r24can = k24 * ca2 * ca2cam_can - k20 / 2508 * ca4cam_can;
    float r0can = can_on * cam * ca4can - can0_off * cam_can, r2can = can_on * ca2cam * ca4can - can2_off * ca2cam_can, r4can = can_on * ca4cam * ca4can - can4_off * ca4cam_can;
    float inactive = 1 - pb2 - pb - pt - pt2 - pa, active = pb + pt + pt2 + pa;
    float r_ib2 = kib * ca2cam * inactive - kib * 5 * pb2, r_b2b = k24 * ca2 * pb2 - kb42 * pb, r_ib = kib * ca4cam * inactive - kbi * pb;
    float r_bt = (0.055f * active + 0.0074f * square(active) + 0.015f * cube(active)) * pb - dephosphorylated(pt, pp1_total, kinase_total);
    float r_tt2 = kt42 * pt - k24 * ca2 * pt2, r_ta = kta * pt - kib * ca4cam * pa, r_t2a = kib * 5 * pt2 - kib * ca2cam * pa;
    float r_t2b2 = dephosphorylated(pt2, pp1_total, kinase_total), r_ai = dephosphorylated(pa, pp1_total, kinase_total);
    d[0][l] = 1e-3f * (-r02 - r0b - r0can);
    d[1][l] = 1e-3f * (r02 - r24 - r2b - r2can + kinase_total * (r_t2a - r_ib2));
    d[2][l] = 1e-3f * (r24 - r4b - r4can + kinase_total * (r_ta - r_ib));
    d[3][l] = 1e-3f * (r0b - r02b);
    d[4][l] = 1e-3f * (r02b + r2b - r24b);
    d[5][l] = 1e-3f * (r24b + r4b);
    d[6][l] = 1e-3f * (r_ib2 - r_b2b + r_t2b2);
    d[7][l] = 1e-3f * (r_ib + r_b2b - r_bt);
    d[8][l] = 1e-3f * (r_bt - r_ta - r_tt2);
    d[9][l] = 1e-3f * (r_tt2 - r_t2a - r_t2b2);
    d[10][l] = 1e-3f * (r_ta + r_t2a - r_ai);
    d[11][l] = 1e-3f * (r_can - r0can - r2can - r4can);
    d[12][l] = 1e-3f * (r0can - r02can);
    d[13][l] = 1e-3f * (r2can + r02can - r24can);
    d[14][l] = 1e-3f * (r4can + r24can);
    calcium[l] += 1e-6f * (2 * kinase_total * (r_tt2 - r_b2b) - 2 * (r02 + r24 + r02b + r24b + r_can + r02can + r24can));
  }
}

static void exchange(const float *params, const lanes *y, lanes *d) {
  const float v_myo = 2.1454e-11f, v_dyad = 1.7790e-14f, v_sl = 6.6013e-13f, sl_to_myo = 8.587e-15f, kb_on = 0.0014f / 0.2f;
#pragma omp simd
  for (int l = 0; l < LANES; l++) {
    float free_cam = y[DYAD][l] + y[DYAD + 1][l] + y[DYAD + 2][l] + y[DYAD + 3][l] + y[DYAD + 4][l] + y[DYAD + 5][l];
    float kinase = y[DYAD + 6][l] + y[DYAD + 7][l] + y[DYAD + 8][l] + y[DYAD + 9][l];
    float b = params[2] - (free_cam + params[3] * kinase + y[DYAD + 12][l] + y[DYAD + 13][l] + y[DYAD + 14][l]);
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
      float out = 1e-3f * ((i ? 0.0014f / 100 : 0.0014f) * y[DYAD + i][l] - kb_on * b * y[SL + i][l]);
      float to_myo = sl_to_myo * (y[SL + i][l] - y[CYT + i][l]);
      d[DYAD + i][l] -= out;
      d[SL + i][l] += out * v_dyad / v_sl - to_myo / v_sl;
      d[CYT + i][l] += to_myo / v_myo;
    }
  }
}

static void derivatives(const float *params, const float *times, const lanes *y, lanes *d) {
  excitation(times, params[0], y, d);
  calmodulin(params + 1, y[35], y + DYAD, d + DYAD, d[35]);
  calmodulin(params + 6, y[36], y + SL, d + SL, d[36]);
  calmodulin(params + 11, y[37], y + CYT, d + CYT, d[37]);
  exchange(params, y, d);
  // The comparison is false for what is no number, and under -ffast-math there is none.
  for (int i = 0; i < EQUATIONS; i++)
#pragma omp simd
    for (int l = 0; l < LANES; l++) d[i][l] = fabsf(d[i][l]) <= 3.4028235e38f ? d[i][l] : 0.0001f;
}

static const float TIMES[STAGES] = {0, 2.f / 27, 1.f / 9, 1.f / 6, 5.f / 12, 0.5f, 5.f / 6, 1.f / 6, 2.f / 3, 1.f / 3, 1, 0, 1};

static const float FACTORS[STAGES][12] = {
    {0},
    {2.f / 27},
    {1.f / 36, 3.f / 36},
    {1.f / 24, 0, 3.f / 24},
    {20.f / 48, 0, -75.f / 48, 75.f / 48},
    {1.f / 20, 0, 0, 5.f / 20, 4.f / 20},
    {-25.f / 108, 0, 0, 125.f / 108, -260.f / 108, 250.f / 108},
    {31.f / 300, 0, 0, 0, 61.f / 225, -2.f / 9, 13.f / 900},
    {2, 0, 0, -53.f / 6, 704.f / 45, -107.f / 9, 67.f / 90, 3},
    {-91.f / 108, 0, 0, 23.f / 108, -976.f / 135, 311.f / 54, -19.f / 60, 17.f / 6, -1.f / 12},
    {2383.f / 4100, 0, 0, -341.f / 164, 4496.f / 1025, -301.f / 82, 2133.f / 4100, 45.f / 82, 45.f / 164, 18.f / 41},
    {3.f / 205, 0, 0, 0, 0, -6.f / 41, -3.f / 205, -3.f / 41, 3.f / 41, 6.f / 41},
    {-1777.f / 4100, 0, 0, -341.f / 164, 4496.f / 1025, -289.f / 82, 2193.f / 4100, 51.f / 82, 33.f / 164, 12.f / 41, 0, 1}};

typedef struct { lanes slopes[STAGES][EQUATIONS], between[EQUATIONS], y[EQUATIONS], next[EQUATIONS], off[EQUATIONS]; } work;

// One step of length h, which may differ between lanes.
static void step(const float *params, float t, const float *h, work *w) {
  for (int s = 0; s < STAGES; s++) {
    for (int i = 0; i < EQUATIONS; i++) {
      lanes sum = {0};
      for (int k = 0; k < s; k++)
        if (FACTORS[s][k] != 0)
#pragma omp simd
          for (int l = 0; l < LANES; l++) sum[l] += FACTORS[s][k] * w->slopes[k][i][l];
#pragma omp simd
      for (int l = 0; l < LANES; l++) w->between[i][l] = w->y[i][l] + h[l] * sum[l];
    }
    lanes times;
    for (int l = 0; l < LANES; l++) times[l] = t + TIMES[s] * h[l];
    derivatives(params, times, w->between, w->slopes[s]);
  }
  for (int i = 0; i < EQUATIONS; i++)
#pragma omp simd
    for (int l = 0; l < LANES; l++) {
#define SLOPE(k) w->slopes[k][i][l]
      w->next[i][l] = w->y[i][l] + h[l] * (41.f / 840 * (SLOPE(0) + SLOPE(10)) + 34.f / 105 * SLOPE(5) +
                                           9.f / 35 * (SLOPE(6) + SLOPE(7)) + 9.f / 280 * (SLOPE(8) + SLOPE(9)));
      w->off[i][l] = fabsf(41.f / 840 * (SLOPE(0) + SLOPE(10) - SLOPE(11) - SLOPE(12)));
    }
}

// Tries steps until one is good in every lane; yields whether there is one.
static int advance(const float *params, int end, int time, work *w) {
  float tolerance = 10.0f / end, h[LANES];
  int good[LANES] = {0}, all = 0;
  lanes *kept = malloc(sizeof(lanes) * EQUATIONS);
  for (int l = 0; l < LANES; l++) h[l] = 1;
  for (int tries = 0; tries < 12 && !all; tries++) {
    step(params, time, h, w);
    all = 1;
    for (int l = 0; l < LANES; l++) {
      if (good[l]) continue;
      int ok = 1;
      float wish = INFINITY;
      for (int i = 0; i < EQUATIONS; i++) {
        float scale = w->y[i][l] == 0 ? tolerance : fabsf(w->y[i][l]), error = w->off[i][l];
        ok &= error <= tolerance * scale;
        kept[i][l] = w->next[i][l];
        if (error > 0) wish = fminf(wish, tolerance * scale / error);
      }
      wish = 0.8f * powf(wish, 1.0f / 7);
      h[l] = fminf(0.9f, h[l] * fminf(4, fmaxf(0.125f, wish)));
      h[l] = time + h[l] > end ? end - time : time + 1.5f * h[l] > end ? 0.5f * h[l] : h[l];
      good[l] = ok;
      all &= ok;
    }
  }
  memcpy(w->y, kept, sizeof(w->y));
  free(kept);
  return all;
}

// A cell at rest and its parameters, as the program has them.
static const float AT_REST[EQUATIONS] = {
    0.00137f, 0.987f, 0.992f, 7e-6f, 1, 0.0258f, 0.0156f, 0.00401f, 0.319f, 0.00401f, 0.995f, 0.00847f, 0.00604f,
    0.889f, 8.21e-7f, 1.03e-7f, 3.55f, 0.776f, 0.00908f, 0.118f, 0.0102f, 0.000253f, 0.00201f, 0.137f, 0.00221f,
    0.00777f, 0.0101f, 0.0757f, 0.116f, 1.25f, 0.561f, 8.86f, 8.86f, 8.86f, 135, 0.000184f, 0.000109f, 8.89e-5f,
    -85.7f, 0.411f, 0, 0, 1.75e4f, -1.47e4f, -1.69e5f, 1.66e5f, 387, 6.01f, 0.00217f, 0, 0, 0, 0.529f, 0.0318f,
    7.1e-6f, 2.83e-9f, 2.34e-9f, 0.000133f, 0.00438f, 0.0125f, 3.6f, 0.0438f, 5.47e-5f, 8.61e-9f, 2.37f, 13.1f,
    0.000272f, 1.11e-5f, 9.52e-6f, 1.34e-7f, 1.47e-12f, 8.81e-9f, 0.000569f, 2.14e-6f, 5.67e-6f, 0.00137f, 0.0436f,
    3.88e-5f, 5.56e-10f, 4.14f, 1.13f, 1.56e-5f, 7.77e-6f, 4.59e-8f, 3.06e-13f, 3.28e-18f, 2.04e-14f, 0.00012f,
    4.49e-7f, 1.71e-7f, 8.13e-7f};

static const float BEATING[16] = {16};

// sizes: cells; in: cells (i64), milliseconds (i32); out: last values
BASELINE(myocyte) {
  int64_t n = sizes[0];
  int end = *(const int32_t *)in[1];
  float *result = out[0];
#pragma omp parallel
  {
    work *w = aligned_alloc(64, (sizeof(work) + 63) / 64 * 64);
#pragma omp for schedule(dynamic, 4)
    for (int64_t first = 0; first < n; first += LANES) {
      int used = n - first < LANES ? n - first : LANES;
      for (int i = 0; i < EQUATIONS; i++)
        for (int l = 0; l < LANES; l++) w->y[i][l] = AT_REST[i] + (first + (l < used ? l : 0)) % 113 * 0.0001f;
      for (int time = 0; time < end && advance(BEATING, end, time, w); time++) {}
      for (int l = 0; l < used; l++)
        for (int i = 0; i < EQUATIONS; i++) result[(first + l) * EQUATIONS + i] = w->y[i][l];
    }
    free(w);
  }
}
