// What the programs beside this file have in common: a context, and checks that say where they fail.
#include "library.h"
#include <math.h>
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

// A call that must succeed.
#define OK(call)                                                               \
  do {                                                                         \
    int code_ = (call);                                                        \
    if (code_ != FUTHARK_SUCCESS) {                                            \
      char *words_ = futhark_context_get_error(ctx);                           \
      fprintf(stderr, "%s:%d: %s: %d: %s\n", __FILE__, __LINE__, #call, code_, words_ ? words_ : "no message"); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

// A call that must fail with this code and a message that says this.
#define FAILS(call, code, fragment)                                            \
  do {                                                                         \
    CHECK((call) == (code));                                                   \
    char *words_ = futhark_context_get_error(ctx);                             \
    CHECK(words_ != NULL);                                                     \
    if (strstr(words_, fragment) == NULL) {                                    \
      fprintf(stderr, "%s:%d: `%s` does not say `%s`\n", __FILE__, __LINE__, words_, fragment); \
      exit(1);                                                                 \
    }                                                                          \
    free(words_);                                                              \
    CHECK(futhark_context_get_error(ctx) == NULL);                             \
  } while (0)

static struct futhark_context_config *cfg;
static struct futhark_context *ctx;

static void begin(void) {
  cfg = futhark_context_config_new();
  futhark_context_config_set_num_threads(cfg, 2);
  ctx = futhark_context_new(cfg);
  CHECK(futhark_context_get_error(ctx) == NULL);
}

static void end(void) {
  OK(futhark_context_sync(ctx));
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
}
