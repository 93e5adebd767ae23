// Arrays of scalars: in, out, their sizes and elements, entry points, empty ones.
#include "check.h"

static void doubles(void) {
  double data[6] = {1, 2, 3, 4, 5, 6}, back[6];
  struct futhark_f64_2d *a = futhark_new_f64_2d(ctx, data, 2, 3), *b;
  data[0] = 100;
  OK(futhark_entry_scale(ctx, &b, 0.5, a));
  const int64_t *shape = futhark_shape_f64_2d(ctx, b);
  CHECK(shape[0] == 2 && shape[1] == 3);
  OK(futhark_values_f64_2d(ctx, b, back));
  for (int i = 0; i < 6; i++) CHECK(back[i] == (i + 1) / 2.0);
  double element;
  OK(futhark_index_f64_2d(ctx, &element, b, 1, 2));
  CHECK(element == 3);
  CHECK(((double *)futhark_values_raw_f64_2d(ctx, b))[5] == 3);
  FAILS(futhark_index_f64_2d(ctx, &element, b, 2, 0), FUTHARK_PROGRAM_ERROR, "out of bounds");
  FAILS(futhark_index_f64_2d(ctx, &element, b, 0, -1), FUTHARK_PROGRAM_ERROR, "out of bounds");
  CHECK(element == 3);
  OK(futhark_free_f64_2d(ctx, a));
  OK(futhark_free_f64_2d(ctx, b));
}

static void empty(void) {
  struct futhark_f64_2d *a = futhark_new_f64_2d(ctx, NULL, 0, 7), *b;
  OK(futhark_entry_scale(ctx, &b, 2, a));
  CHECK(futhark_shape_f64_2d(ctx, b)[0] == 0 && futhark_shape_f64_2d(ctx, b)[1] == 7);
  OK(futhark_values_f64_2d(ctx, b, NULL));
  OK(futhark_free_f64_2d(ctx, a));
  OK(futhark_free_f64_2d(ctx, b));
  int64_t total = -1;
  struct futhark_i64_1d *none = futhark_new_i64_1d(ctx, NULL, 0);
  OK(futhark_entry_total(ctx, &total, none));
  CHECK(total == 0);
  OK(futhark_free_i64_1d(ctx, none));
  CHECK(futhark_new_i64_1d(ctx, NULL, -1) == NULL);
  free(futhark_context_get_error(ctx));
}

static void small_elements(void) {
  bool truths[3] = {true, false, true};
  struct futhark_bool_1d *a = futhark_new_bool_1d(ctx, truths, 3), *b;
  OK(futhark_entry_flip(ctx, &b, a));
  OK(futhark_values_bool_1d(ctx, b, truths));
  CHECK(!truths[0] && truths[1] && !truths[2]);
  OK(futhark_free_bool_1d(ctx, a));
  OK(futhark_free_bool_1d(ctx, b));
  uint16_t halves[2] = {0x3c00, 0x4400}; // 1 and 4
  struct futhark_f16_1d *c = futhark_new_f16_1d(ctx, halves, 2), *d;
  OK(futhark_entry_halves(ctx, &d, c));
  OK(futhark_values_f16_1d(ctx, d, halves));
  CHECK(halves[0] == 0x3800 && halves[1] == 0x4000);
  OK(futhark_free_f16_1d(ctx, c));
  OK(futhark_free_f16_1d(ctx, d));
}

static void consumed(void) {
  int64_t data[3] = {1, 2, 3}, back[3], total;
  struct futhark_i64_1d *a = futhark_new_i64_1d(ctx, data, 3), *b, *c = NULL;
  OK(futhark_entry_append(ctx, &b, a, 1, 20));
  OK(futhark_values_i64_1d(ctx, b, back));
  CHECK(back[0] == 1 && back[1] == 20 && back[2] == 3);
  FAILS(futhark_entry_total(ctx, &total, a), FUTHARK_PROGRAM_ERROR, "consumed");
  FAILS(futhark_values_i64_1d(ctx, a, back), FUTHARK_PROGRAM_ERROR, "consumed");
  OK(futhark_free_i64_1d(ctx, a));
  FAILS(futhark_entry_append(ctx, &c, b, 3, 0), FUTHARK_PROGRAM_ERROR, "out of bounds");
  CHECK(c == NULL);
  OK(futhark_free_i64_1d(ctx, b));
}

static void many(void) {
  struct futhark_i64_1d *a;
  OK(futhark_entry_lots(ctx, &a, 100000));
  int64_t *data = malloc(100000 * sizeof *data), total;
  OK(futhark_values_i64_1d(ctx, a, data));
  int64_t expected = 0;
  for (int64_t i = 0; i < 100000; i++) {
    int64_t k = i % 8;
    CHECK(data[i] == k * (k - 1) / 2);
    expected += data[i];
  }
  OK(futhark_entry_total(ctx, &total, a));
  CHECK(total == expected);
  free(data);
  OK(futhark_free_i64_1d(ctx, a));
}

int main(void) {
  begin();
  doubles();
  empty();
  small_elements();
  consumed();
  many();
  end();
  return 0;
}
