// The work for a program grows in proportion to its text: each shape is read, verified, compiled
// and printed at n and at 4n, and takes at most LARGEST_RATIO times the steps (steps.h) at 4n.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "shapes.h"
#include "steps.h"

enum { FACTOR = 4, LARGEST_RATIO = 6 };

static tn_status_t discard(void* user, const char* text, size_t length) {
  (void)user;
  (void)text;
  (void)length;
  return TN_OK;
}

static tn_status_t work_on(tn_device_t* device, const char* text, size_t length, unsigned work) {
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  tn_status_t status = tn_module_parse(NULL, "<growth>", text, length, &module);
  if (!status && work & WORK_COMPILE) status = tn_program_compile(device, module, NULL, &program);
  if (!status && work & WORK_PRINT) status = tn_module_print(module, discard, NULL);
  tn_program_release(program);
  tn_module_release(module);
  return status;
}

// Steps for the shape at `n`; 0 when it fails, which is told.
static uint64_t steps_for(tn_device_t* device, const shape_t* shape, int n) {
  char* text = NULL;
  size_t length = 0;
  FILE* file = open_memstream(&text, &length);
  if (!file) return 0;
  shape->write(file, n);
  fclose(file);
  const uint64_t before = steps_taken();
  tn_status_t status = work_on(device, text, length, shape->work);
  const uint64_t steps = steps_taken() - before;
  free(text);
  if (!status) return steps;
  fprintf(stderr, "FAILED %s at %d: %s\n", shape->name, n, tn_status_message(status));
  tn_status_release(status);
  return 0;
}

static bool grows_in_proportion(tn_device_t* device, const shape_t* shape) {
  const uint64_t one = steps_for(device, shape, shape->n);
  const uint64_t four = steps_for(device, shape, FACTOR * shape->n);
  if (!one || !four) return false;
  const bool is_fine = four <= LARGEST_RATIO * one;
  printf("%-6s %-32s %10llu steps at %5d, %11llu at %6d: %.2f times; at most %d\n",
         is_fine ? "ok" : "FAILED", shape->name, (unsigned long long)one, shape->n,
         (unsigned long long)four, FACTOR * shape->n, (double)four / (double)one, LARGEST_RATIO);
  return is_fine;
}

// The custom call of the shapes; never run.
static void growth(void* out, const void** in) {
  (void)out;
  (void)in;
}

// Arguments: names of shapes; all without any.
int main(int count, char** names) {
  tn_device_t* device = NULL;
  int failures = 0;
  tn_status_t status = tn_device_create("cpu", NULL, &device);
  if (!status) {
    status = tn_register("growth", "Host", (tn_target_function_t)growth, TN_API_VERSION_ORIGINAL);
  }
  if (status) {
    fprintf(stderr, "%s\n", tn_status_message(status));
    return 1;
  }
  for (const shape_t* shape = shapes; shape->name; ++shape) {
    bool is_wanted = count == 1;
    for (int i = 1; i < count; ++i) is_wanted |= strcmp(names[i], shape->name) == 0;
    if (is_wanted && !grows_in_proportion(device, shape)) ++failures;
  }
  tn_device_release(device);
  return failures != 0;
}
