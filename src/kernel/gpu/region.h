// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations of a region as source: one statement each, v0, v1...
#ifndef TENON_KERNEL_GPU_REGION_H_
#define TENON_KERNEL_GPU_REGION_H_

#include "ir/ir.h"
#include "kernel/gpu/source.h"

enum { TN_GPU_NAME_SIZE = 64 };

typedef struct tn_gpu_members {
  tn_gpu_source_t* source;
  tn_gpu_text_t* text;  // where statements go
  // Writes what a member reads of an argument of the region, or of a view of one.
  tn_status_t (*name)(struct tn_gpu_members* members, tn_value_t* value, char* out_name);
  void* user;
  tn_arena_t* arena;  // for the time being
  size_t count, capacity;
  const tn_value_t** values;  // v0, v1...
} tn_gpu_members_t;

// The literal of a constant whose elements are all the same, or of a view of one. False: it is
// none.
bool tn__gpu_name_constant(const tn_gpu_members_t* members, tn_value_t* value, char* out_name);
// What the statements call a value that members read.
TN_MUST_USE tn_status_t tn__gpu_name_value(tn_gpu_members_t* members, tn_value_t* value,
                                           char* out_name);
// Writes the statement of an operation that tn__gpu_map_supports.
TN_MUST_USE tn_status_t tn__gpu_add_member(tn_gpu_members_t* members, const tn_node_t* node);
// Of the region's operations.
TN_MUST_USE tn_status_t tn__gpu_members_begin(tn_gpu_members_t* members, tn_gpu_source_t* source,
                                              tn_gpu_text_t* text, const tn_region_t* region,
                                              tn_arena_t* arena);

// An element as the source says it, of a dtype that GPUs have.
void tn__gpu_write_literal(tn_dtype_t dtype, const void* element, char* out_text);

// Writes a function of what the region does: its arguments, then where its results go. The region
// is elementwise.
TN_MUST_USE tn_status_t tn__gpu_add_region(tn_gpu_source_t* source, const tn_region_t* region,
                                           const char* name);

#endif  // TENON_KERNEL_GPU_REGION_H_
