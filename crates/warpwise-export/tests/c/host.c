// Loads plug-ins and prints their answers. With `close`, all descriptors but the standard streams are closed after each.
#define _DEFAULT_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words) {
  for (int i = 2; i < count; i++) {
    void *plugin = dlopen(words[i], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    int (*answer)(int);
    *(void **)&answer = dlsym(plugin, "answer");
    printf("%d%c", answer(40), i + 1 < count ? ' ' : '\n');
    fflush(stdout);
    if (strcmp(words[1], "close") == 0)
      for (int file = 3; file < 100; file++) close(file);
  }
  return 0;
}
