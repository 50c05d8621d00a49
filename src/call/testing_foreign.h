// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Handlers that answer a frame as those do that are built with XLA's headers, without a C++
// compiler: the same checks in the same order, the same messages.
#ifndef TENON_CALL_TESTING_FOREIGN_H_
#define TENON_CALL_TESTING_FOREIGN_H_

#include "base/status.h"
#include "call/abi.h"

enum { TN_TESTING_ANY = -1 };

typedef struct tn_testing_buffer {
  tn_ffi_dtype_t dtype;  // TN_TESTING_ANY: a buffer of any
  int64_t rank;          // TN_TESTING_ANY
} tn_testing_buffer_t;

typedef struct tn_testing_list {
  int32_t required, optional;
  bool has_rest;
  tn_testing_buffer_t buffers[4];
} tn_testing_list_t;

typedef struct tn_testing_attr {
  const char* name;
  int32_t type;
  tn_ffi_dtype_t dtype;
} tn_testing_attr_t;

typedef struct tn_testing_foreign {
  int32_t stage;
  tn_testing_list_t lists[2];  // operands, results
  int32_t attr_count;
  tn_testing_attr_t attrs[4];  // sorted by name
  bool asks_for_stream;
  // Of minors 1 and 2: none bound means that none is taken, and counts are refused without the
  // stage.
  bool is_old;
  tn_status_t (*body)(tn_ffi_call_frame_t* frame);
} tn_testing_foreign_t;

// What the function of a handler does.
tn_status_t tn__testing_foreign(const tn_testing_foreign_t* foreign, tn_ffi_call_frame_t* frame);

#endif  // TENON_CALL_TESTING_FOREIGN_H_
