// A plug-in with a library inside: `answer` computes with that library.
#include HEADER

int answer(int x) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  int32_t result = -1;
  futhark_entry_answer(ctx, &result, x);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return result;
}
