// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The source of a kernel while it is written, with the numbers that it takes by value: sizes and
// strides are numbers of a run, and not part of the source, so that one kernel serves all.
#ifndef TENON_KERNEL_GPU_SOURCE_H_
#define TENON_KERNEL_GPU_SOURCE_H_

#include "kernel/gpu/gpu.h"

enum {
  TN_GPU_GROUP_SIZE = 256,
  // OpenCL promises 1,024 bytes of arguments.
  TN_GPU_MOST_NUMBERS = 88,
  TN_GPU_MOST_ADDRESSES = 40,
  TN_GPU_NUMBER_LIMIT = 512,  // what is more than MOST_NUMBERS is written into the source
  TN_GPU_FUNCTION_LIMIT = 96,
};

// In an arena. Empty without memory for it.
typedef struct tn_gpu_text {
  tn_arena_t* arena;
  char* bytes;
  size_t length, capacity;
  bool has_failed;
} tn_gpu_text_t;

// What distinguishes functions of operations.
typedef struct tn_gpu_function {
  const char* expression;
  tn_dtype_t words, result;
  size_t operand_count;
  tn_dtype_t operands[3];
} tn_gpu_function_t;

// Numbers are `n(index)` in the source; number 0 is how many items there are, which call themselves
// `i`. Addresses are x0, x1... and those that are written y0, y1...
typedef struct tn_gpu_source {
  tn_gpu_text_t functions, body;
  size_t number_count, address_count, read_count, function_count;
  int64_t numbers[TN_GPU_NUMBER_LIMIT];
  // By address: a type, whether it is written, and an operand or one of these.
  const char* parameters[TN_GPU_MOST_ADDRESSES];
  bool is_written[TN_GPU_MOST_ADDRESSES];
  int32_t places[TN_GPU_MOST_ADDRESSES];
  int64_t byte_offsets[TN_GPU_MOST_ADDRESSES];
  tn_dtype_t words;  // that T is now
  uint32_t helpers;  // bit i: helper i is there
  tn_gpu_function_t known[TN_GPU_FUNCTION_LIMIT];
  // Whole groups of TN_GPU_GROUP_SIZE items, which count themselves and wait for each other.
  bool is_grouped;
  // Items may have several elements each, of results that no other element is computed of.
  bool is_elementwise;
  bool has_failed;  // it does not fit
} tn_gpu_source_t;
enum { TN_GPU_SCRATCH = -1 };
#define TN_GPU_RESULT(index) (-2 - (int32_t)(index))

// Texts grow in the arena.
void tn__gpu_begin(tn_gpu_source_t* source, tn_arena_t* arena, int64_t item_count);
__attribute__((format(printf, 2, 3))) void tn__gpu_add(tn_gpu_text_t* text, const char* format,
                                                       ...);
// An address that elements are read from: k of its name, xk. One for all that are the same.
size_t tn__gpu_add_address(tn_gpu_source_t* source, int32_t place, int64_t byte_offset,
                           const char* type);
// An address that elements are written to: k of its name, yk.
size_t tn__gpu_add_output(tn_gpu_source_t* source, int32_t place, int64_t byte_offset,
                          const char* type);
// The index of a number, for n(index).
size_t tn__gpu_add_number(tn_gpu_source_t* source, int64_t value);
// Of indices of an array of these dimensions: 32 bits are divided much faster than 64.
const char* tn__gpu_index_type(size_t rank, const int64_t* dims);
// Writes c0, c1...: the coordinates of element `index` ("i") of an array of these dimensions.
void tn__gpu_add_coordinates(tn_gpu_source_t* source, const char* index, size_t rank,
                             const int64_t* dims);
// The words of the prelude are about T: defines it.
void tn__gpu_add_words(tn_gpu_source_t* source, tn_dtype_t dtype);
// Writes the functions that the expression needs, if they are not there yet (helpers.c).
void tn__gpu_add_helpers(tn_gpu_source_t* source, const char* expression);
// The function of an operation's values, from `expression`: k of its name, fk. One for all that are
// alike.
size_t tn__gpu_add_function(tn_gpu_source_t* source, const tn_op_use_t* use,
                            const char* expression);

// A launch, in a state that tn__gpu_run does in order.
typedef struct tn_gpu_launch {
  size_t copied_byte_size;  // of a copy, which has no code: places[0] to [1]
  tn_device_code_t code;
  size_t group_elements;  // of which numbers[0] says how many there are
  size_t number_count, address_count;
  const int64_t* numbers;
  const int32_t* places;
  const int64_t* byte_offsets;
} tn_gpu_launch_t;

typedef struct tn_gpu_state {
  size_t launch_count;
  tn_gpu_launch_t* launches;
} tn_gpu_state_t;

// A state for so many launches; each is then finished by its number.
TN_MUST_USE tn_status_t tn__gpu_state_create(tn_kernel_site_t* site, size_t launch_count,
                                             tn_gpu_state_t** out_state);
TN_MUST_USE tn_status_t tn__gpu_finish(tn_kernel_site_t* site, tn_gpu_state_t* state, size_t number,
                                       const tn_gpu_source_t* source);
// Launch `number` copies an operand to a result.
TN_MUST_USE tn_status_t tn__gpu_finish_copy(tn_kernel_site_t* site, tn_gpu_state_t* state,
                                            size_t number, size_t operand, size_t result);
// A state of one launch.
TN_MUST_USE tn_status_t tn__gpu_finish_one(tn_kernel_site_t* site, const tn_gpu_source_t* source);

#endif  // TENON_KERNEL_GPU_SOURCE_H_
