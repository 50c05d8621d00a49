// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What programs are compiled for: what passes, planner and program ask instead of naming a device.
#ifndef TENON_KERNEL_TARGET_H_
#define TENON_KERNEL_TARGET_H_

#include "base/visibility.h"
#include "kernel/kernel.h"

typedef struct tn_node tn_node_t;  // ir/ir.h

// What a node can be in a fusion.
typedef enum tn_fusion_role {
  TN_FUSION_OUTSIDE,
  TN_FUSION_ELEMENTS,  // computes element i of its results from element i of its operands
  TN_FUSION_ROWS,      // folds the rows of its operand; members may read what it gives
  TN_FUSION_LAST,      // folds its operand in an order of its own; no member reads what it gives
} tn_fusion_role_t;

// What the target's kernel of tenon.fusion computes well: what passes ask before they make one.
typedef struct tn_fusion_rules {
  int64_t fewest_elements;  // of an array
  uint32_t most_members;
  tn_status_t (*role_of)(const tn_node_t* node, tn_arena_t* scratch, tn_fusion_role_t* out_role);
  // Whether members can read an operand so; as of a kernel, of a use that has operands alone.
  bool (*takes_view)(const tn_op_use_t* use, size_t operand, const tn_view_t* view);
  // Whether a fusion is better computed a block of rows at a time, together with the product
  // `before`, whose result it alone reads, and with `after`, which reads a result of it; NULL:
  // none. NULL: the target has no such kernel.
  tn_status_t (*suits_row_blocks)(const tn_node_t* before, const tn_node_t* fusion,
                                  const tn_node_t* after, tn_arena_t* scratch, bool* out_suits);
} tn_fusion_rules_t;

// A device has one, made of a static one that says what devices of its kind are, with what its
// context adds (device/device.h). The module that is compiled for it points to it (ir/ir.h).
typedef struct tn_compile_target {
  const char* platform;  // under which its custom calls are registered
  // Its memory is the host's, and its kernels are called; otherwise the device launches them
  // (device/device.h).
  bool is_host;
  bool has_encoder;  // its kernels encode launches of source (kernel/encoder.h)
  size_t set_count;
  const struct tn_kernel_set* const* sets;  // best first
  const tn_fusion_rules_t* fusion;          // NULL: passes make no fusions for it
  const struct tn_compile_target* host;     // what the host computes for it; the host's own: itself
  uint32_t libraries;                       // bit i: library i may be used (kernel/lib/library.h)
  int32_t thread_count;                     // of its parallel loops; 0: as many as there are cores
  int64_t fusion_element_count;             // in the place of fewest_elements; negative: that
  // A device of kernels that are launched: neighbouring items run together, and read together what
  // is one piece. Else an item reads best what is one piece.
  bool has_lanes;
  bool has_graphs;    // its encoder captures (kernel/encoder.h)
  bool guards_calls;  // custom calls run guarded (call/guarded.h)
  // Whose operations custom calls name (device/context.h); NULL: the default context's.
  struct tn_context* context;
} tn_compile_target_t;

TN_FOR_INSPECT extern const tn_compile_target_t tn__compile_target_host;  // kernel.c
extern const tn_compile_target_t tn__compile_target_reference;            // reference/table.c
extern const tn_compile_target_t tn__compile_target_opencl;               // gpu/table.c
extern const tn_compile_target_t tn__compile_target_cuda;                 // gpu/table.c

// Makes a copy of the target of the host, or of the device `reference`, one of strict arithmetic
// (tn_compile_options_t).
void tn__compile_target_make_strict(tn_compile_target_t* target);

// The best kernel for a use; NULL when there is none.
const tn_kernel_t* tn__kernel_find(const tn_compile_target_t* target, const tn_op_use_t* use);
// Why tn__kernel_find gave this kernel for the use and none before it ("too small for openblas").
// NULL when it was the first that was asked. Static text.
const char* tn__kernel_reason(const tn_compile_target_t* target, const tn_kernel_t* kernel,
                              const tn_op_use_t* use);
// All rows, for `tenon ops` and completeness tests.
size_t tn__kernel_count(const tn_compile_target_t* target);
const tn_kernel_t* tn__kernel_at(const tn_compile_target_t* target, size_t index);

#endif  // TENON_KERNEL_TARGET_H_
