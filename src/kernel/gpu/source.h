// The source of a kernel while it is written, with the numbers that it takes by value: sizes and
// strides are numbers of a run, and not part of the source, so that one kernel serves all.
#ifndef TENON_KERNEL_GPU_SOURCE_H_
#define TENON_KERNEL_GPU_SOURCE_H_

#include "kernel/gpu/gpu.h"

enum {
  TN_GPU_MOST_NUMBERS = 96,  // OpenCL promises 1,024 bytes of arguments
  TN_GPU_MOST_ADDRESSES = 12,
  TN_GPU_TEXT_SIZE = 8192,
};

typedef struct tn_gpu_text {
  char bytes[TN_GPU_TEXT_SIZE];
  size_t length;
} tn_gpu_text_t;

// Numbers are `n(index)` in the source; number 0 is how many items there are, which call themselves
// `i`. Addresses are x0, x1... and y.
typedef struct tn_gpu_source {
  tn_gpu_text_t functions, body;
  size_t number_count, address_count;
  int64_t numbers[TN_GPU_MOST_NUMBERS];
  const char* parameters[TN_GPU_MOST_ADDRESSES];  // their types; the last one is of y
  // By address: an operand, or one of these.
  int32_t places[TN_GPU_MOST_ADDRESSES];
  int64_t byte_offsets[TN_GPU_MOST_ADDRESSES];
  bool has_failed;  // it does not fit
} tn_gpu_source_t;
enum { TN_GPU_RESULT = -1, TN_GPU_SCRATCH = -2 };

void tn__gpu_begin(tn_gpu_source_t* source, int64_t item_count);
__attribute__((format(printf, 2, 3))) void tn__gpu_add(tn_gpu_text_t* text, const char* format,
                                                       ...);
// An address that elements are read from, or written to; in order, the written one last.
void tn__gpu_add_address(tn_gpu_source_t* source, int32_t place, int64_t byte_offset,
                         const char* type);
// The index of a number, for n(index).
size_t tn__gpu_add_number(tn_gpu_source_t* source, int64_t value);
// Writes c0, c1...: the coordinates of element `i` of an array of these dimensions.
void tn__gpu_add_coordinates(tn_gpu_source_t* source, size_t rank, const int64_t* dims);
// The words of the prelude are about T: defines it.
void tn__gpu_add_words(tn_gpu_source_t* source, tn_dtype_t dtype);

// A launch, in a state that tn__gpu_run does in order.
typedef struct tn_gpu_launch {
  tn_device_code_t code;
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

#endif  // TENON_KERNEL_GPU_SOURCE_H_
