// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The layout of an array. Arrays are lazy/'s; the layout is here because `infer` of a definition
// sees operands as arrays, also when a program is compiled that has none (call/infer.c).
#ifndef TENON_CALL_ARRAY_H_
#define TENON_CALL_ARRAY_H_

#include <stdatomic.h>
#include <tenon/detail/buffer.h>
#include <tenon/operation.h>

#include "device/failure.h"

typedef struct tn_step tn_step_t;
struct tn_evaluator;  // lazy/evaluator.h

typedef enum tn_array_state {
  TN_ARRAY_PENDING,  // has a step
  TN_ARRAY_READY,    // has a buffer, which may itself be waiting for a stream
  TN_ARRAY_FAILED,   // has an error
} tn_array_state_t;

typedef enum tn_array_flag {
  // The same elements as its root in other places: transpose, slice, broadcast... Never evaluated:
  // it keeps its step, and its elements are its root's.
  TN_ARRAY_VIEW = 1 << 0,
  // Derives from an input of a transform under way: keeps its step when it is evaluated.
  TN_ARRAY_TRACED = 1 << 1,
  // Stands for an input that has no value (vmap, compile): reading it is an error.
  TN_ARRAY_ABSTRACT = 1 << 2,
} tn_array_flag_t;

struct tn_array {
  atomic_uint references;
  atomic_int state;
  uint8_t flags;
  tn_dtype_t dtype;
  uint32_t rank;
  uint32_t index;                  // which result of `step`
  struct tn_evaluator* evaluator;  // retained; NULL: an operand of `infer` in a program
  tn_step_t* step;                 // retained; NULL: none any more
  tn_buffer_t* buffer;             // READY; of a view: its elements made dense for DLPack, or NULL
  tn_failure_t* failure;           // FAILED
  int64_t byte_offset;             // of element [0...] from the root's first
  // Who walks the graph notes here what it needs, under the evaluator's mutex.
  uint64_t mark;
  uint32_t position;
  int64_t* strides;  // in bytes; behind dims
  int64_t dims[];
};

#endif  // TENON_CALL_ARRAY_H_
