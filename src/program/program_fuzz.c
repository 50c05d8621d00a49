// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Any bytes as a program: read, verified, planned and, where that is little work, run. What is
// wrong is an error; nothing else may happen. What runs as it is written gives the same bits after
// the passes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#include "base/testing_fuzz.h"
#include "program/dynamic.h"

enum {
  MOST_BYTES = 1 << 16,   // of all values, so that even a cubic kernel ends soon
  MOST_WINDOW = 1 << 12,  // elements of a window
  LEAVES = 64,
};

// --- how much work a program is

static bool is_light_region(const tn_region_t* region);

// What takes long without large values: loops that end by their data, and windows of which the most
// is in padding.
static bool is_light(const tn_node_t* node) {
  const char* name = node->op->name;
  if (strcmp(name, "stablehlo.while") == 0) return false;
  const tn_attr_t* window = tn__attr_find(&node->attrs, "window_dimensions");
  tn_i64_list_t sizes = {0};
  if (window) {
    tn_arena_t arena;
    tn__arena_init(&arena, tn_allocator_system());
    tn_status_t status = tn__attr_get_i64_list(&node->attrs, "window_dimensions", &arena, &sizes);
    int64_t volume = status ? INT64_MAX : 1;
    for (size_t i = 0; !status && i < sizes.count && volume <= MOST_WINDOW; ++i) {
      volume = sizes.values[i] > MOST_WINDOW ? INT64_MAX : volume * sizes.values[i];
    }
    tn_status_release(status);
    tn__arena_deinit(&arena);
    if (volume > MOST_WINDOW) return false;
  }
  for (uint32_t i = 0; i < node->region_count; ++i) {
    if (!is_light_region(node->regions[i])) return false;
  }
  return true;
}

static bool is_light_region(const tn_region_t* region) {
  for (const tn_node_t* node = region ? region->first : NULL; node; node = node->next) {
    if (!is_light(node)) return false;
  }
  return true;
}

static bool is_worth_running(const tn_program_t* program) {
  tn_program_statistics_t figures = {.struct_size = sizeof figures};
  tn_program_statistics(program, &figures);
  if (figures.total_byte_size > MOST_BYTES || figures.constant_byte_size > MOST_BYTES ||
      tn_program_input_count(program) > LEAVES || tn_program_output_count(program) > LEAVES) {
    return false;
  }
  for (const tn_function_t* f = program->module->first_function; f; f = f->next) {
    if (!is_light_region(f->body)) return false;
  }
  return true;
}

// --- running

// A few kinds of numbers, among them those that are wrong as indices.
static tn_status_t argument(tn_device_t* device, const tn_type_t* type, unsigned char seed,
                            tn_buffer_t** out_buffer) {
  void* data = NULL;
  *out_buffer = NULL;
  if (tn_type_kind(type) != TN_TYPE_TENSOR) return TN_OK;
  int64_t dims[TN_MAX_RANK];
  const size_t rank = tn_type_rank(type);
  for (size_t i = 0; i < rank; ++i) {
    dims[i] = tn_type_dims(type)[i] == TN_DIM_DYNAMIC ? seed / 2 % 5 : tn_type_dims(type)[i];
  }
  tn_status_t status = tn_buffer_create(device, tn_type_dtype(type), rank, dims, &data, out_buffer);
  if (status) return status;
  unsigned char* bytes = data;
  size_t length = tn_buffer_byte_size(*out_buffer);
  // One byte may hold fewer bits, of which one is always there.
  bool is_wide = tn_dtype_byte_size(tn_type_dtype(type)) > 1;
  for (size_t i = 0; i < length; ++i) {
    bytes[i] = is_wide ? (unsigned char)(seed * (i * 37 + 11) >> 2) : (i ^ seed) & 1;
  }
  return TN_OK;
}

typedef struct outcome {
  bool has_run;
  size_t count;
  tn_buffer_t* results[LEAVES + 1];
} outcome_t;

static tn_status_t run(tn_device_t* device, tn_program_t* program, unsigned char seed,
                       outcome_t* out_outcome) {
  tn_buffer_t* arguments[LEAVES + 1] = {0};
  bool donated[LEAVES + 1] = {0};
  size_t argument_count = tn_program_input_count(program);
  tn_status_t status = TN_OK;
  out_outcome->count = tn_program_output_count(program);
  for (size_t i = 0; !status && i < argument_count; ++i) {
    status = argument(device, tn_program_input_type(program, i), seed, &arguments[i]);
    donated[i] = seed & 1;
  }
  const tn_run_options_t options = {.struct_size = sizeof options, .donated = donated};
  tn_program_t* variant = NULL;  // how much work it is follows from the sizes
  if (!status && program->dynamic) {
    status = tn__dynamic_specialise(program, argument_count, arguments, NULL, &variant);
  }
  if (!status && (!variant || is_worth_running(variant))) {
    status = tn_program_run(program, argument_count, arguments, &options, out_outcome->count,
                            out_outcome->results);
    out_outcome->has_run = !status;
  }
  tn_program_release(variant);
  for (size_t i = 0; i < argument_count; ++i) tn_buffer_release(arguments[i]);
  return status;
}

static void outcome_deinit(outcome_t* outcome) {
  for (size_t i = 0; i < outcome->count; ++i) tn_buffer_release(outcome->results[i]);
}

static void expect_same(const outcome_t* a, const outcome_t* b) {
  if (a->count != b->count) abort();
  for (size_t i = 0; i < a->count; ++i) {
    const void *a_bytes = NULL, *b_bytes = NULL;
    if (!a->results[i] || !b->results[i]) continue;  // tokens
    tn_status_t status = tn_buffer_map(a->results[i], &a_bytes);
    if (!status) status = tn_buffer_map(b->results[i], &b_bytes);
    if (status) abort();
    size_t length = tn_buffer_byte_size(a->results[i]);
    if (length != tn_buffer_byte_size(b->results[i])) abort();
    if (length > 0 && memcmp(a_bytes, b_bytes, length) != 0) {
      fprintf(stderr, "result %zu differs after the passes\n", i);
      abort();
    }
    tn_buffer_unmap(a->results[i]);
    tn_buffer_unmap(b->results[i]);
  }
}

// --- one input

// The text of an error is made too: it quotes the input.
static void drop(tn_status_t status) {
  char report[1024];
  if (status) tn_status_format(status, report, sizeof report);
  tn_status_release(status);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static tn_device_t* device;
  tn_module_t* module = NULL;
  tn_status_t status = device ? TN_OK : tn_device_create("cpu", NULL, &device);
  if (status) abort();
  status = tn_module_parse(NULL, "input", (const char*)data, size, &module);
  if (!status != !!module) abort();
  // As the passes rewrite it, and as it is.
  outcome_t outcomes[2] = {0};
  for (int keep_all = 0; module && keep_all < 2; ++keep_all) {
    const tn_compile_options_t options = {.struct_size = sizeof options, .keep_all = keep_all};
    tn_program_t* program = NULL;
    drop(status);
    status = tn_program_compile(device, module, &options, &program);
    if (!status != !!program) abort();
    if (program && is_worth_running(program)) {
      status = run(device, program, (unsigned char)size, &outcomes[keep_all]);
    }
    tn_program_release(program);
  }
  if (outcomes[0].has_run && outcomes[1].has_run) expect_same(&outcomes[0], &outcomes[1]);
  outcome_deinit(&outcomes[0]);
  outcome_deinit(&outcomes[1]);
  drop(status);
  tn_module_release(module);
  return 0;
}
