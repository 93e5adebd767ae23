// What exported.rs exports, called from C.
#include "computed.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

static struct futhark_context *ctx;

static void arrays(void) {
  double data[6] = {1, 2, 3, 4, 5, 6}, back[6];
  struct futhark_f64_2d *a = futhark_new_f64_2d(ctx, data, 2, 3), *b;
  CHECK(futhark_entry_scaled(ctx, &b, 10, a) == FUTHARK_SUCCESS);
  CHECK(futhark_values_f64_2d(ctx, b, back) == FUTHARK_SUCCESS);
  const int64_t *shape = futhark_shape_f64_2d(ctx, b);
  CHECK(shape[0] == 2 && shape[1] == 3);
  for (int i = 0; i < 6; i++) CHECK(back[i] == 10 * (i + 1));
  futhark_free_f64_2d(ctx, a);
  futhark_free_f64_2d(ctx, b);
}

static void pairs(void) {
  for (int64_t n = 0; n < 4; n++) {
    struct futhark_opaque_arr1d_tup2_f32_f32 *points;
    struct futhark_f32_1d *abscissas;
    CHECK(futhark_entry_points(ctx, &points, n) == FUTHARK_SUCCESS);
    CHECK(futhark_entry_abscissas(ctx, &abscissas, points) == FUTHARK_SUCCESS);
    CHECK(futhark_shape_f32_1d(ctx, abscissas)[0] == n);
    float back[4] = {-1, -1, -1, -1};
    CHECK(futhark_values_f32_1d(ctx, abscissas, back) == FUTHARK_SUCCESS);
    for (int64_t i = 0; i < n; i++) CHECK(back[i] == i);
    futhark_free_f32_1d(ctx, abscissas);
    futhark_free_opaque_arr1d_tup2_f32_f32(ctx, points);
  }
}

static void results(void) {
  int32_t data[4] = {3, -1, 4, 1}, least, greatest;
  struct futhark_i32_1d *xs = futhark_new_i32_1d(ctx, data, 4);
  struct futhark_opaque_tup2_i32_i32 *bounds;
  CHECK(futhark_entry_bounds(ctx, &bounds, xs) == FUTHARK_SUCCESS);
  CHECK(futhark_project_opaque_tup2_i32_i32_0(ctx, &least, bounds) == FUTHARK_SUCCESS);
  CHECK(futhark_project_opaque_tup2_i32_i32_1(ctx, &greatest, bounds) == FUTHARK_SUCCESS);
  CHECK(least == -1 && greatest == 4);
  futhark_free_opaque_tup2_i32_i32(ctx, bounds);
  futhark_free_i32_1d(ctx, xs);
  xs = futhark_new_i32_1d(ctx, data, 0);
  CHECK(futhark_entry_bounds(ctx, &bounds, xs) == 2);
  char *words = futhark_context_get_error(ctx);
  CHECK(words != NULL && strstr(words, "a fold of no elements") != NULL);
  free(words);
  futhark_free_i32_1d(ctx, xs);
}

static void foreign(void) {
  double data[3] = {1, 2, 3}, sum;
  struct futhark_f64_1d *xs = futhark_new_f64_1d(ctx, data, 3);
  CHECK(futhark_entry_dot(ctx, &sum, xs, xs) == FUTHARK_SUCCESS);
  CHECK(sum == 14);
  futhark_free_f64_1d(ctx, xs);
}

int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  futhark_context_config_set_num_threads(cfg, 2);
  ctx = futhark_context_new(cfg);
  CHECK(futhark_context_get_error(ctx) == NULL);
  arrays();
  pairs();
  results();
  foreign();
  CHECK(futhark_context_sync(ctx) == FUTHARK_SUCCESS);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
