// Records, tuples, sums, arrays of records: made, taken apart, stored.
#include "check.h"

static void records(void) {
  struct futhark_opaque_point *p, *q, *element;
  float x, y;
  OK(futhark_entry_point(ctx, &p, 1.5f, 2.5f));
  OK(futhark_project_opaque_point_x(ctx, &x, p));
  OK(futhark_project_opaque_point_y(ctx, &y, p));
  CHECK(x == 1.5f && y == 2.5f);
  OK(futhark_new_opaque_point(ctx, &q, 7, 8));
  struct futhark_opaque_point *both[2] = {p, q};
  struct futhark_opaque_arr1d_point *a;
  OK(futhark_new_opaque_arr1d_point(ctx, &a, both, 2));
  CHECK(futhark_shape_opaque_arr1d_point(ctx, a)[0] == 2);
  OK(futhark_set_opaque_arr1d_point(ctx, a, q, 0));
  OK(futhark_index_opaque_arr1d_point(ctx, &element, a, 0));
  OK(futhark_project_opaque_point_y(ctx, &y, element));
  CHECK(y == 8);
  FAILS(futhark_set_opaque_arr1d_point(ctx, a, q, 2), FUTHARK_PROGRAM_ERROR, "out of bounds");
  struct futhark_f32_1d *xs;
  OK(futhark_entry_abscissas(ctx, &xs, a));
  float back[2];
  OK(futhark_values_f32_1d(ctx, xs, back));
  CHECK(back[0] == 7 && back[1] == 7);
  OK(futhark_free_f32_1d(ctx, xs));
  OK(futhark_free_opaque_point(ctx, element));
  OK(futhark_free_opaque_arr1d_point(ctx, a));
  OK(futhark_free_opaque_point(ctx, p));
  OK(futhark_free_opaque_point(ctx, q));
}

static void arrays_of_records(void) {
  struct futhark_opaque_arr1d_point *a, *b;
  struct futhark_f32_1d *xs, *ys, *other;
  float one = 1, back[4];
  OK(futhark_entry_points(ctx, &a, 4));
  OK(futhark_project_opaque_arr1d_point_x(ctx, &xs, a));
  OK(futhark_project_opaque_arr1d_point_y(ctx, &ys, a));
  OK(futhark_free_opaque_arr1d_point(ctx, a));
  OK(futhark_values_f32_1d(ctx, ys, back));
  CHECK(back[3] == 9);
  OK(futhark_zip_opaque_arr1d_point(ctx, &b, ys, xs));
  OK(futhark_project_opaque_arr1d_point_x(ctx, &other, b));
  OK(futhark_values_f32_1d(ctx, other, back));
  CHECK(back[3] == 9);
  OK(futhark_free_f32_1d(ctx, other));
  OK(futhark_free_opaque_arr1d_point(ctx, b));
  other = futhark_new_f32_1d(ctx, &one, 1);
  FAILS(futhark_zip_opaque_arr1d_point(ctx, &b, xs, other), FUTHARK_PROGRAM_ERROR, "different sizes");
  OK(futhark_free_f32_1d(ctx, other));
  OK(futhark_free_f32_1d(ctx, xs));
  OK(futhark_free_f32_1d(ctx, ys));
  OK(futhark_new_opaque_arr1d_point(ctx, &b, NULL, 0));
  OK(futhark_entry_abscissas(ctx, &xs, b));
  CHECK(futhark_shape_f32_1d(ctx, xs)[0] == 0);
  OK(futhark_free_f32_1d(ctx, xs));
  OK(futhark_free_opaque_arr1d_point(ctx, b));
}

static void tuples(void) {
  struct futhark_opaque_tup2_i32_bool *pair;
  int32_t half;
  bool even;
  OK(futhark_entry_split(ctx, &pair, 7));
  OK(futhark_project_opaque_tup2_i32_bool_0(ctx, &half, pair));
  OK(futhark_project_opaque_tup2_i32_bool_1(ctx, &even, pair));
  CHECK(half == 3 && !even);
  OK(futhark_free_opaque_tup2_i32_bool(ctx, pair));
  struct futhark_opaque_unit *unit;
  OK(futhark_entry_nothing(ctx, &unit, 1));
  OK(futhark_free_opaque_unit(ctx, unit));
}

static void sums(void) {
  struct futhark_opaque_shape *circle, *none, *path;
  struct futhark_opaque_arr1d_point *points, *back;
  float size, radius;
  int32_t k;
  OK(futhark_new_opaque_shape_circle(ctx, &circle, 3));
  OK(futhark_new_opaque_shape_none(ctx, &none));
  OK(futhark_entry_points(ctx, &points, 3));
  OK(futhark_entry_path(ctx, &path, points, 10));
  CHECK(futhark_variant_opaque_shape(ctx, circle) == 0);
  CHECK(futhark_variant_opaque_shape(ctx, none) == 1);
  CHECK(futhark_variant_opaque_shape(ctx, path) == 2);
  OK(futhark_entry_size(ctx, &size, circle));
  CHECK(size == 9);
  OK(futhark_entry_size(ctx, &size, none));
  CHECK(size == 0);
  OK(futhark_entry_size(ctx, &size, path));
  CHECK(size == 30);
  OK(futhark_destruct_opaque_shape_circle(ctx, &radius, circle));
  CHECK(radius == 3);
  OK(futhark_destruct_opaque_shape_path(ctx, &back, &k, path));
  CHECK(k == 10 && futhark_shape_opaque_arr1d_point(ctx, back)[0] == 3);
  FAILS(futhark_destruct_opaque_shape_circle(ctx, &radius, path), FUTHARK_PROGRAM_ERROR, "another variant");
  OK(futhark_free_opaque_shape(ctx, path));
  OK(futhark_new_opaque_shape_path(ctx, &path, back, 2));
  OK(futhark_entry_size(ctx, &size, path));
  CHECK(size == 6);
  OK(futhark_free_opaque_arr1d_point(ctx, back));
  OK(futhark_free_opaque_arr1d_point(ctx, points));
  OK(futhark_free_opaque_shape(ctx, circle));
  OK(futhark_free_opaque_shape(ctx, none));
  OK(futhark_free_opaque_shape(ctx, path));
}

static void bytes(void) {
  struct futhark_opaque_arr1d_point *a, *b;
  struct futhark_f32_1d *xs;
  float back[5];
  size_t count = 0, again = 0;
  void *stored = NULL;
  OK(futhark_entry_points(ctx, &a, 5));
  OK(futhark_store_opaque_arr1d_point(ctx, a, NULL, &count));
  OK(futhark_store_opaque_arr1d_point(ctx, a, &stored, &again));
  CHECK(count == again && count == 2 * (7 + sizeof(int64_t) + 5 * sizeof(float)));
  // As in a server's file: the arrays in the binary format.
  CHECK(memcmp(stored, "b\2\1 f32\5\0\0\0\0\0\0\0", 15) == 0);
  OK(futhark_free_opaque_arr1d_point(ctx, a));
  b = futhark_restore_opaque_arr1d_point(ctx, stored);
  CHECK(b != NULL);
  OK(futhark_entry_abscissas(ctx, &xs, b));
  OK(futhark_values_f32_1d(ctx, xs, back));
  CHECK(back[4] == 4);
  OK(futhark_free_f32_1d(ctx, xs));
  OK(futhark_free_opaque_arr1d_point(ctx, b));
  CHECK(futhark_restore_opaque_shape(ctx, stored) == NULL);
  char *words = futhark_context_get_error(ctx);
  CHECK(strstr(words, "no value of type shape: part 1 of it is u8") != NULL);
  free(words);
  memset(stored, 0, 1);
  CHECK(futhark_restore_opaque_arr1d_point(ctx, stored) == NULL);
  free(futhark_context_get_error(ctx));
  free(stored);
  struct futhark_opaque_unit *unit;
  stored = NULL;
  OK(futhark_entry_nothing(ctx, &unit, 1));
  OK(futhark_store_opaque_unit(ctx, unit, &stored, &count));
  CHECK(count == 0 && stored != NULL);
  OK(futhark_free_opaque_unit(ctx, unit));
  unit = futhark_restore_opaque_unit(ctx, stored);
  CHECK(unit != NULL);
  OK(futhark_free_opaque_unit(ctx, unit));
  free(stored);
}

int main(void) {
  begin();
  records();
  arrays_of_records();
  tuples();
  sums();
  bytes();
  end();
  return 0;
}
