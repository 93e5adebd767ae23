// What a program does wrong is said, and takes nothing from it.
#include "check.h"

static int64_t first(struct futhark_i64_1d *a) {
  int64_t element = -1;
  OK(futhark_index_i64_1d(ctx, &element, a, 0));
  return element;
}

// One array for two arguments, one of which is consumed.
static void aliased(void) {
  int64_t data[2] = {1, 2}, total;
  struct futhark_i64_1d *a = futhark_new_i64_1d(ctx, data, 2), *b = futhark_new_i64_1d(ctx, data, 2), *c = NULL;
  FAILS(futhark_entry_both(ctx, &c, a, a), FUTHARK_PROGRAM_ERROR, "argument 2 (`ys`) is also argument 1 (`xs`)");
  FAILS(futhark_entry_beside(ctx, &c, a, a), FUTHARK_PROGRAM_ERROR, "argument 2 (`ys`) is also argument 1 (`xs`)");
  CHECK(c == NULL && first(a) == 1);
  OK(futhark_entry_beside(ctx, &c, a, b));
  CHECK(first(c) == 2 && first(b) == 1);
  FAILS(futhark_entry_beside(ctx, &c, b, a), FUTHARK_PROGRAM_ERROR, "argument 2 (`ys`): the value was consumed");
  CHECK(first(b) == 1);
  OK(futhark_entry_total(ctx, &total, b));
  CHECK(total == 3);
  OK(futhark_free_i64_1d(ctx, a));
  OK(futhark_free_i64_1d(ctx, b));
  OK(futhark_free_i64_1d(ctx, c));
}

// A call that is refused consumes nothing.
static void refused(void) {
  int64_t data[3] = {1, 2, 3};
  struct futhark_i64_1d *a = futhark_new_i64_1d(ctx, data, 3), *b = futhark_new_i64_1d(ctx, data, 2), *c = NULL;
  FAILS(futhark_entry_both(ctx, &c, a, b), FUTHARK_PROGRAM_ERROR, "argument 2 (`ys`): dimension 0 has size 2");
  CHECK(c == NULL && first(a) == 1 && first(b) == 1);
  FAILS(futhark_entry_both(ctx, &c, a, NULL), FUTHARK_PROGRAM_ERROR, "argument 2 (`ys`) is NULL");
  FAILS(futhark_entry_both(ctx, NULL, a, b), FUTHARK_PROGRAM_ERROR, "the place of the result is NULL");
  CHECK(first(a) == 1 && first(b) == 1);
  OK(futhark_free_i64_1d(ctx, a));
  OK(futhark_free_i64_1d(ctx, b));
}

// A failed call keeps an argument that it has not used up, and says so otherwise.
static void failed(void) {
  int64_t data[3] = {1, 2, 3};
  struct futhark_i64_1d *a = futhark_new_i64_1d(ctx, data, 3), *c = NULL;
  FAILS(futhark_entry_append(ctx, &c, a, 3, 7), FUTHARK_PROGRAM_ERROR, "out of bounds");
  CHECK(c == NULL && first(a) == 1);
  FAILS(futhark_entry_spoil(ctx, &c, a), FUTHARK_PROGRAM_ERROR, "out of bounds");
  FAILS(futhark_values_i64_1d(ctx, a, data), FUTHARK_PROGRAM_ERROR, "the value is lost: a call of `spoil`");
  FAILS(futhark_entry_append(ctx, &c, a, 0, 7), FUTHARK_PROGRAM_ERROR, "argument 1 (`xs`): the value is lost");
  CHECK(c == NULL);
  OK(futhark_free_i64_1d(ctx, a));
}

static void null_arrays(void) {
  int64_t element;
  double number;
  CHECK(futhark_new_f64_2d(ctx, NULL, 2, 3) == NULL);
  char *words = futhark_context_get_error(ctx);
  CHECK(words != NULL && strstr(words, "the data of the array is NULL") != NULL);
  free(words);
  CHECK(futhark_new_raw_i64_1d(ctx, NULL, 1) == NULL);
  free(futhark_context_get_error(ctx));
  FAILS(futhark_values_i64_1d(ctx, NULL, &element), FUTHARK_PROGRAM_ERROR, "the value is NULL");
  FAILS(futhark_index_i64_1d(ctx, &element, NULL, 0), FUTHARK_PROGRAM_ERROR, "the value is NULL");
  FAILS(futhark_index_f64_2d(ctx, &number, NULL, 0, 0), FUTHARK_PROGRAM_ERROR, "the value is NULL");
  CHECK(futhark_shape_i64_1d(ctx, NULL) == NULL);
  free(futhark_context_get_error(ctx));
  CHECK(futhark_values_raw_i64_1d(ctx, NULL) == NULL);
  free(futhark_context_get_error(ctx));
  OK(futhark_free_i64_1d(ctx, NULL));
  int64_t data[1] = {7};
  struct futhark_i64_1d *a = futhark_new_i64_1d(ctx, data, 1);
  FAILS(futhark_values_i64_1d(ctx, a, NULL), FUTHARK_PROGRAM_ERROR, "the place of the elements is NULL");
  FAILS(futhark_index_i64_1d(ctx, NULL, a, 0), FUTHARK_PROGRAM_ERROR, "the place of the result is NULL");
  OK(futhark_free_i64_1d(ctx, a));
}

static void null_contexts(void) {
  int64_t data[1] = {7}, total;
  struct futhark_i64_1d *a = futhark_new_i64_1d(ctx, data, 1);
  CHECK(futhark_context_new(NULL) == NULL);
  CHECK(futhark_context_get_error(NULL) == NULL);
  CHECK(futhark_new_i64_1d(NULL, data, 1) == NULL);
  CHECK(futhark_entry_total(NULL, &total, a) == FUTHARK_PROGRAM_ERROR);
  CHECK(futhark_context_clear_caches(NULL) != FUTHARK_SUCCESS);
  CHECK(futhark_context_report(NULL) == NULL);
  futhark_context_set_logging_file(NULL, stderr);
  futhark_context_pause_profiling(NULL);
  futhark_context_free(NULL);
  OK(futhark_free_i64_1d(ctx, a));
}

int main(void) {
  begin();
  aliased();
  refused();
  failed();
  null_arrays();
  null_contexts();
  end();
  return 0;
}
