// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A host that loads Tenon as a plug-in: opens libtenon, runs a program on the default device, gives
// everything back, and closes it, many times over.
//
//   unload LIBTENON [LIBRARY]    a library of custom calls is loaded as well
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20, WARM_UP = 5, GROWTH_LIMIT = 1 << 20 };

static void expect(bool is_true, const char* what) {
  if (is_true) return;
  fprintf(stderr, "%s\n", what);
  exit(1);
}

// Sets a pointer to the function of that name.
static void find(void* tenon, const char* name, void* out_function) {
  void* symbol = dlsym(tenon, name);
  expect(symbol != NULL, name);
  memcpy(out_function, &symbol, sizeof symbol);
}
#define FIND(function)                 \
  __typeof__(tn_##function)* function; \
  find(tenon, "tn_" #function, (void*)&function)

// Large enough for the threads of the pool.
static void run(void* tenon) {
  static const char text[] =
      "func.func @main(%x: tensor<1000000xf32>) -> tensor<1000000xf32> {\n"
      "  %y = stablehlo.tanh %x : tensor<1000000xf32>\n"
      "  return %y : tensor<1000000xf32>\n"
      "}\n";
  FIND(default_device);
  FIND(device_release);
  FIND(module_parse);
  FIND(module_release);
  FIND(program_compile);
  FIND(program_run);
  FIND(program_release);
  FIND(buffer_create);
  FIND(buffer_release);
  tn_device_t* device = NULL;
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_buffer_t *x = NULL, *y = NULL;
  void* data = NULL;
  const int64_t size = 1000000;
  expect(!default_device(&device), "tn_default_device");
  expect(!module_parse(NULL, "unload", text, strlen(text), &module), "tn_module_parse");
  expect(!program_compile(device, module, NULL, &program), "tn_program_compile");
  expect(!buffer_create(device, TN_DTYPE_F32, 1, &size, &data, &x), "tn_buffer_create");
  memset(data, 0, (size_t)size * sizeof(float));
  expect(!program_run(program, 1, &x, NULL, 1, &y), "tn_program_run");
  buffer_release(x);
  buffer_release(y);
  program_release(program);
  module_release(module);
  device_release(device);
}

static void load_use_and_unload(const char* path, const char* library) {
  void* tenon = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  expect(tenon != NULL, "dlopen");
  run(tenon);
  if (library) {
    FIND(library_load);
    expect(!library_load(library), "tn_library_load");
  }
  expect(dlclose(tenon) == 0, "dlclose");
  // Threads that would run code which is gone get their turn.
  nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

// The second number of /proc/self/statm counts pages.
static long resident_bytes(void) {
  char line[128] = "";
  char* end = NULL;
  FILE* file = fopen("/proc/self/statm", "r");
  expect(file && fgets(line, sizeof line, file), "/proc/self/statm");
  fclose(file);
  (void)strtol(line, &end, 10);
  return strtol(end, NULL, 10) * sysconf(_SC_PAGESIZE);
}

int main(int argc, char** argv) {
  long before = 0;
  expect(argc == 2 || argc == 3, "usage: unload LIBTENON [LIBRARY]");
  for (int round = 0; round < ROUNDS; ++round) {
    if (round == WARM_UP) before = resident_bytes();
    load_use_and_unload(argv[1], argc == 3 ? argv[2] : NULL);
  }
  const long growth = resident_bytes() - before;
  printf("%ld bytes more after %d rounds\n", growth, ROUNDS - WARM_UP);
  expect(growth < GROWTH_LIMIT, "memory grows");
  return 0;
}
