// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Where kernels put their work when a device other than the host does it: run() of such a kernel
// says what is to be done, and the device does it behind what it was told before
// (device/device.h).
#ifndef TENON_KERNEL_ENCODER_H_
#define TENON_KERNEL_ENCODER_H_

#include <tenon/detail/dtype.h>

#include "base/status.h"

// A kernel as source, in the words of <tenon/gpu.h>, and for Tenon's own kernels of
// kernel/gpu/prelude.c. Lives as long as the program; the device compiles it when it is first
// launched.
#define TN_ENTRY "tn_entry"
typedef struct tn_device_code {
  const char* text;
  const char* entry;      // the kernel's name in it; NULL: TN_ENTRY
  const char* library;    // of an author's kernels (<tenon/kernel.h>); NULL: it is Tenon's own
  const char* file;       // of the library, without an ending (device/kernel_file.h); NULL: none
  const char* operation;  // for messages
} tn_device_code_t;

// What a kernel is given for a parameter: an address of the device or, when there are bytes, a
// value.
typedef struct tn_launch_argument {
  void* address;
  const void* bytes;
  size_t byte_size;
} tn_launch_argument_t;

// A launch of groups of items along x, y and z; nothing where there are no groups. Read before the
// call returns.
typedef struct tn_dispatch {
  const tn_device_code_t* code;
  size_t group_count[3], group_size[3];
  size_t argument_count;
  const tn_launch_argument_t* arguments;
} tn_dispatch_t;

// A matrix of a product, or the first of a batch of them. Strides in elements.
typedef struct tn_product_matrix {
  bool is_transposed;    // the elements of a column are neighbours, else those of a row
  int32_t stride;        // from one row to the next, or from one column
  int64_t batch_stride;  // from one matrix to the next
} tn_product_matrix_t;

// result[i][j] = sum of lhs[i][p] * rhs[p][j] over p, for each matrix of a batch.
typedef struct tn_product {
  tn_dtype_t dtype, result_dtype;  // of both sides; of the result
  bool is_tf32;                    // f32 may be rounded to 10 bits behind the point
  int32_t rows, columns, depth, batch;
  tn_product_matrix_t lhs, rhs, result;
} tn_product_t;

typedef struct tn_encoder tn_encoder_t;
struct tn_encoder {
  void* stream;  // what custom calls get as the platform's stream: a CUstream, a cl_command_queue
  tn_status_t (*dispatch)(tn_encoder_t* encoder, const tn_dispatch_t* dispatch);
  // The most items that a group of the kernel has on the device.
  tn_status_t (*greatest_group_size)(tn_encoder_t* encoder, const tn_device_code_t* code,
                                     size_t* out_size);
  // Addresses of the device, or on one side of the host.
  tn_status_t (*copy)(tn_encoder_t* encoder, void* to, const void* from, size_t byte_size);
  // Memory of the device; what is encoded after give_up may have it again.
  tn_status_t (*allocate)(tn_encoder_t* encoder, size_t byte_size, size_t alignment,
                          void** out_address);
  void (*give_up)(tn_encoder_t* encoder, const void* address);
  // By a library of the device's; NULL: it has none.
  tn_status_t (*multiply)(tn_encoder_t* encoder, const tn_product_t* product, const void* lhs,
                          const void* rhs, void* result);
  // Waits for what was encoded, and returns its first error.
  tn_status_t (*wait)(tn_encoder_t* encoder);

  // Graphs; NULL where the device has none. From begin to end, what is encoded or enqueued on the
  // stream is kept, with the memory that was allocated for it, and runs whenever the graph is
  // launched. An error of end: something broke the capture, and there is no graph.
  tn_status_t (*begin_capture)(tn_encoder_t* encoder);
  tn_status_t (*end_capture)(tn_encoder_t* encoder, void** out_graph);
  tn_status_t (*launch_graph)(tn_encoder_t* encoder, void* graph);
  // What was launched of it is over.
  void (*destroy_graph)(tn_encoder_t* encoder, void* graph);
};

#endif  // TENON_KERNEL_ENCODER_H_
