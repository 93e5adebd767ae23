// A child process after a fork: contexts of the parent fail instead of waiting for threads, and contexts of its own work.
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static const char *const refusal = "belongs to the parent process";

static struct futhark_i64_1d *numbers(void) {
  struct futhark_i64_1d *xs;
  OK(futhark_entry_lots(ctx, &xs, 100000));
  return xs;
}

// Whatever the child does with the parent's context and values is an error, or nothing.
static void inherited(struct futhark_i64_1d *xs, struct futhark_opaque_point *p) {
  int64_t data[1] = {7}, total = 0;
  struct futhark_i64_1d *ys = NULL;
  struct futhark_opaque_point *q = NULL;
  void *bytes = NULL;
  size_t count;
  FAILS(futhark_entry_total(ctx, &total, xs), 1, refusal);
  FAILS(futhark_entry_append(ctx, &ys, xs, 0, 1), 1, refusal);
  FAILS(futhark_values_i64_1d(ctx, xs, data), 1, refusal);
  FAILS(futhark_index_i64_1d(ctx, &total, xs, 0), 1, refusal);
  FAILS(futhark_new_opaque_point(ctx, &q, 1, 2), 1, refusal);
  FAILS(futhark_store_opaque_point(ctx, p, &bytes, &count), 1, refusal);
  FAILS(futhark_context_clear_caches(ctx), 1, refusal);
  CHECK(futhark_new_i64_1d(ctx, data, 1) == NULL);
  CHECK(futhark_context_report(ctx) == NULL);
  futhark_context_cancel(ctx);
  futhark_context_pause_profiling(ctx);
  futhark_context_unpause_profiling(ctx);
  futhark_context_set_logging_file(ctx, stderr);
  CHECK(futhark_free_i64_1d(ctx, xs) == 0 && futhark_free_opaque_point(ctx, p) == 0);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
}

static void *cancel_soon(void *context) {
  usleep(50000);
  futhark_context_cancel(context);
  return NULL;
}

// A context that the child makes computes, and can be cancelled within a kernel.
static void own(void) {
  begin();
  int64_t total;
  struct futhark_i64_1d *xs = numbers(), *ys = NULL;
  OK(futhark_entry_total(ctx, &total, xs));
  CHECK(total == 100000 / 8 * 56);
  pthread_t other;
  CHECK(pthread_create(&other, NULL, cancel_soon, ctx) == 0);
  FAILS(futhark_entry_endless(ctx, &ys, xs), 1, "interrupted");
  CHECK(pthread_join(other, NULL) == 0);
  OK(futhark_free_i64_1d(ctx, xs));
  end();
}

int main(void) {
  begin();
  int64_t total;
  struct futhark_i64_1d *xs = numbers();
  struct futhark_opaque_point *p;
  OK(futhark_entry_point(ctx, &p, 1, 2));
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    alarm(60);
    inherited(xs, p);
    own();
    exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  OK(futhark_entry_total(ctx, &total, xs));
  OK(futhark_free_i64_1d(ctx, xs));
  OK(futhark_free_opaque_point(ctx, p));
  end();
  return 0;
}
