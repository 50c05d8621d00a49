// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Work grows in proportion to what it is for: programs of each shape are read, verified, compiled
// and written at n and at 4n, arrays made and evaluated, and take at most LARGEST_RATIO times the
// steps (steps.h) at 4n. What programs take of memory before they run is in proportion to their
// text, too.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "base/limits.h"
#include "memory.h"
#include "shapes.h"
#include "steps.h"

enum { FACTOR = 4, LARGEST_RATIO = 6 };

typedef struct cost {
  uint64_t steps;
  size_t byte_size, text_length;  // of memory; 0: not counted
  size_t leaf_count;              // of tuples
} cost_t;

static tn_status_t discard(void* user, const char* text, size_t length) {
  (void)user;
  (void)text;
  (void)length;
  return TN_OK;
}

static tn_status_t work_on(tn_device_t* device, uint32_t first_line, const char* text,
                           size_t length, unsigned work) {
  tn_module_t* module = NULL;
  tn_program_t* program = NULL;
  const tn_allocator_t* allocator = memory_allocator();
  const tn_compile_options_t options = {.struct_size = sizeof options, .allocator = allocator};
  tn_status_t status =
      tn_module_parse_part(allocator, "<growth>", first_line, text, length, &module);
  if (!status && work & WORK_COMPILE) {
    status = tn_program_compile(device, module, &options, &program);
  }
  if (!status && work & WORK_WRITE) status = tn_module_print(module, discard, NULL);
  if (!status && work & WORK_WRITE) status = tn_module_serialize(module, NULL, discard, NULL);
  tn_program_release(program);
  tn_module_release(module);
  return status;
}

static tn_status_t work_on_parts(tn_device_t* device, const char* text) {
  tn_status_t status = TN_OK;
  uint32_t line = 1;
  for (const char *p = text, *end; !status && (end = strstr(p, SEPARATOR)); ++line) {
    status = work_on(device, line, p, (size_t)(end - p), WORK_ALL);
    for (; p < end; ++p) line += *p == '\n';
    p = end + strlen(SEPARATOR);
  }
  return status;
}

static tn_status_t read_shape(tn_device_t* device, const shape_t* shape, int n, cost_t* out) {
  char* text = NULL;
  size_t length = 0;
  FILE* file = open_memstream(&text, &length);
  if (!file) return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "out of memory");
  shape->write(file, n);
  fclose(file);
  const uint64_t before = steps_taken();
  tn_status_t status = shape->work & WORK_PARTS ? work_on_parts(device, text)
                                                : work_on(device, 1, text, length, shape->work);
  *out = (cost_t){steps_taken() - before, memory_most(), length, shape->leaves * (size_t)n};
  free(text);
  return status;
}

static tn_status_t make_arrays(tn_device_t* device, const arrays_shape_t* shape, int n,
                               cost_t* out) {
  tn_scope_t* scope = NULL;
  tn_status_t status = tn_scope_create(device, &scope);
  const uint64_t before = steps_taken();
  if (!status) status = shape->work(scope, n);
  tn_scope_destroy(scope);
  *out = (cost_t){.steps = steps_taken() - before};
  return status;
}

// `costs` at n and at FACTOR * n. Takes the status.
static bool tell(const char* name, int n, tn_status_t status, const cost_t costs[2]) {
  if (status) {
    printf("FAILED %s: %s\n", name, tn_status_message(status));
    tn_status_release(status);
    return false;
  }
  const double ratio = (double)costs[1].steps / (double)costs[0].steps;
  const size_t text_length = costs[1].text_length;
  const size_t most =
      TN_LIMIT_TEXT_MEMORY * text_length + TN_LIMIT_LEAF_MEMORY * costs[1].leaf_count;
  const double bytes = text_length ? (double)costs[1].byte_size / (double)text_length : 0;
  const bool is_fine = ratio <= LARGEST_RATIO && costs[1].byte_size <= most;
  printf(
      "%-6s %-34s %10llu steps at %5d, %11llu at %6d: %5.2f times; %5.1f bytes for one of text\n",
      is_fine ? "ok" : "FAILED", name, (unsigned long long)costs[0].steps, n,
      (unsigned long long)costs[1].steps, FACTOR * n, ratio, bytes);
  return is_fine;
}

static bool text_grows(tn_device_t* device, const shape_t* shape) {
  cost_t costs[2] = {0};
  tn_status_t status = read_shape(device, shape, shape->n, &costs[0]);
  if (!status) status = read_shape(device, shape, FACTOR * shape->n, &costs[1]);
  return tell(shape->name, shape->n, status, costs);
}

static bool arrays_grow(tn_device_t* device, const arrays_shape_t* shape) {
  cost_t costs[2] = {0};
  tn_status_t status = make_arrays(device, shape, shape->n, &costs[0]);
  if (!status) status = make_arrays(device, shape, FACTOR * shape->n, &costs[1]);
  return tell(shape->name, shape->n, status, costs);
}

static bool is_wanted(const char* name, int count, char** names) {
  for (int i = 1; i < count; ++i) {
    if (strcmp(names[i], name) == 0) return true;
  }
  return count == 1;
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
    status =
        tn_target_register("growth", "Host", (tn_target_function_t)growth, TN_API_VERSION_ORIGINAL);
  }
  if (status) {
    fprintf(stderr, "%s\n", tn_status_message(status));
    return 1;
  }
  for (const shape_t* shape = shapes; shape->name; ++shape) {
    if (is_wanted(shape->name, count, names)) failures += !text_grows(device, shape);
  }
  for (const arrays_shape_t* shape = arrays_shapes; shape->name; ++shape) {
    if (is_wanted(shape->name, count, names)) failures += !arrays_grow(device, shape);
  }
  tn_device_release(device);
  return failures != 0;
}
