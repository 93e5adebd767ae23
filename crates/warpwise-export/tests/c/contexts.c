// Contexts: several at once, limits, messages, reports.
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <time.h>

#include "check.h"

static void limits(void) {
  cfg = futhark_context_config_new();
  futhark_context_config_set_memory_limit(cfg, 1 << 20);
  CHECK(futhark_context_config_set_tuning_param(cfg, "no such thing", 1) != 0);
  CHECK(futhark_get_tuning_param_count() == 0);
  CHECK(futhark_get_tuning_param_name(0) == NULL);
  ctx = futhark_context_new(cfg);
  struct futhark_i64_1d *a = NULL;
  FAILS(futhark_entry_lots(ctx, &a, 1 << 20), FUTHARK_OUT_OF_MEMORY, "out of memory");
  CHECK(a == NULL);
  FAILS(futhark_entry_lots(ctx, &a, INT64_MAX), FUTHARK_OUT_OF_MEMORY, "out of memory");
  OK(futhark_entry_lots(ctx, &a, 1000));
  OK(futhark_free_i64_1d(ctx, a));
  OK(futhark_context_clear_caches(ctx));
  end();
}

static void several(void) {
  struct futhark_context *contexts[3];
  struct futhark_context_config *configs[3];
  for (int i = 0; i < 3; i++) {
    configs[i] = futhark_context_config_new();
    futhark_context_config_set_num_threads(configs[i], i + 1);
    contexts[i] = futhark_context_new(configs[i]);
  }
  for (int i = 0; i < 3; i++) {
    struct futhark_i64_1d *a;
    int64_t total;
    ctx = contexts[i];
    OK(futhark_entry_lots(ctx, &a, 80000));
    OK(futhark_entry_total(ctx, &total, a));
    CHECK(total == 80000 / 8 * 56);
    OK(futhark_free_i64_1d(ctx, a));
  }
  for (int i = 0; i < 3; i++) {
    futhark_context_free(contexts[i]);
    futhark_context_config_free(configs[i]);
  }
}

static void reports(void) {
  cfg = futhark_context_config_new();
  futhark_context_config_set_profiling(cfg, 1);
  futhark_context_config_set_logging(cfg, 1);
  ctx = futhark_context_new(cfg);
  FILE *log = tmpfile();
  futhark_context_set_logging_file(ctx, log);
  struct futhark_i64_1d *a;
  OK(futhark_entry_lots(ctx, &a, 100));
  char *report = futhark_context_report(ctx);
  CHECK(strstr(report, "{\"memory\":{\"default space\": ") == report);
  CHECK(strstr(report, "\"provenance\":") != NULL && strstr(report, "\"duration\":") != NULL);
  free(report);
  // A step is reported once.
  report = futhark_context_report(ctx);
  CHECK(strstr(report, "\"events\":[]") != NULL);
  free(report);
  OK(futhark_free_i64_1d(ctx, a));
  char line[100];
  rewind(log);
  CHECK(fgets(line, sizeof line, log) != NULL && strncmp(line, "lots: ", 6) == 0);
  fclose(log);
  futhark_context_pause_profiling(ctx);
  end();
}

static void *cancel_soon(void *context) {
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  futhark_context_cancel(context);
  return NULL;
}

static void cancelled(void) {
  begin();
  struct futhark_i64_1d *xs, *ys = NULL;
  OK(futhark_entry_lots(ctx, &xs, 1000));
  for (int i = 0; i < 2; i++) {
    pthread_t other;
    CHECK(pthread_create(&other, NULL, cancel_soon, ctx) == 0);
    FAILS(futhark_entry_endless(ctx, &ys, xs), 1, "interrupted");
    CHECK(ys == NULL && pthread_join(other, NULL) == 0);
    // The request has ended with the call.
    int64_t total;
    OK(futhark_entry_total(ctx, &total, xs));
  }
  OK(futhark_free_i64_1d(ctx, xs));
  end();
}

int main(void) {
  begin();
  end();
  limits();
  several();
  reports();
  cancelled();
  return 0;
}
