// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// oneDNN: products of narrow types, and convolutions. Version 2 of its C interface.
//
// It runs on the calling thread alone; we cut the work. Its primitives are made when a program is
// prepared, and are immutable: any number of threads may execute one at once, each with scratch
// memory of its own.
#ifndef TENON_KERNEL_LIB_ONEDNN_H_
#define TENON_KERNEL_LIB_ONEDNN_H_

#include "base/status.h"
#include "kernel/lib/library.h"
#include "kernel/target.h"

#ifdef TENON_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#include <oneapi/dnnl/dnnl_debug.h>

#define TN_ONEDNN_FUNCTIONS(F)                  \
  F(dnnl_version)                               \
  F(dnnl_get_effective_cpu_isa)                 \
  F(dnnl_engine_create)                         \
  F(dnnl_stream_create)                         \
  F(dnnl_stream_destroy)                        \
  F(dnnl_memory_create)                         \
  F(dnnl_memory_destroy)                        \
  F(dnnl_memory_desc_init_by_strides)           \
  F(dnnl_memory_desc_init_by_tag)               \
  F(dnnl_memory_desc_equal)                     \
  F(dnnl_memory_desc_get_size)                  \
  F(dnnl_matmul_desc_init)                      \
  F(dnnl_dilated_convolution_forward_desc_init) \
  F(dnnl_primitive_attr_create)                 \
  F(dnnl_primitive_attr_set_scratchpad_mode)    \
  F(dnnl_primitive_attr_destroy)                \
  F(dnnl_primitive_desc_create)                 \
  F(dnnl_reorder_primitive_desc_create)         \
  F(dnnl_primitive_desc_query)                  \
  F(dnnl_primitive_desc_query_md)               \
  F(dnnl_primitive_desc_destroy)                \
  F(dnnl_primitive_create)                      \
  F(dnnl_primitive_execute)                     \
  F(dnnl_primitive_destroy)                     \
  F(dnnl_status2str)

typedef struct tn_onednn {
#define TN_ONEDNN_MEMBER(name) __typeof__(name)* name;
  TN_ONEDNN_FUNCTIONS(TN_ONEDNN_MEMBER)
#undef TN_ONEDNN_MEMBER
  // Of the OpenMP that it is built with, for the calling thread; NULL: it has none.
  void (*omp_set_num_threads)(int count);
  int (*omp_get_max_threads)(void);
  dnnl_engine_t engine;
  dnnl_primitive_attr_t attr;  // scratch memory is ours
} tn_onednn_t;

// Loads the library when first called. NULL when it is not there, switched off or unfit.
const tn_onednn_t* tn__onednn(const char** out_reason);

// Between the two the library leaves other threads alone. `begin` returns what `end` takes.
int tn__onednn_begin(const tn_onednn_t* dnn);
void tn__onednn_end(const tn_onednn_t* dnn, int threads);

// The same with a stream to run primitives on; closed on the thread that opened it.
typedef struct tn_onednn_session {
  const tn_onednn_t* dnn;
  dnnl_stream_t stream;
  int threads;  // what tn__onednn_begin returned
} tn_onednn_session_t;
TN_MUST_USE tn_status_t tn__onednn_open(const tn_onednn_t* dnn, tn_onednn_session_t* out_session);
void tn__onednn_close(tn_onednn_session_t* session);

// How many parts of a work to have under way at once, each with scratch memory of its own: a matter
// of memory and time, not of results.
int64_t tn__onednn_slots(const tn_compile_target_t* target, int64_t parts);

// A primitive with up to two sources, one result and scratch memory.
typedef struct tn_onednn_primitive {
  dnnl_primitive_t primitive;
  dnnl_memory_desc_t source, weights, result, scratch;
  bool has_weights;
  size_t scratch_byte_size;
} tn_onednn_primitive_t;

// Makes it from an operation's description; UNIMPLEMENTED when the library cannot, or only by its
// plain loops.
TN_MUST_USE tn_status_t tn__onednn_create(const tn_onednn_t* dnn, const void* description,
                                          tn_onednn_primitive_t* out_primitive);
// A copy from one layout to another.
TN_MUST_USE tn_status_t tn__onednn_create_reorder(const tn_onednn_t* dnn,
                                                  const dnnl_memory_desc_t* source,
                                                  const dnnl_memory_desc_t* result,
                                                  tn_onednn_primitive_t* out_primitive);
void tn__onednn_destroy(const tn_onednn_t* dnn, tn_onednn_primitive_t* primitive);
// `weights` is NULL for a reorder.
TN_MUST_USE tn_status_t tn__onednn_execute(const tn_onednn_t* dnn,
                                           const tn_onednn_primitive_t* primitive,
                                           dnnl_stream_t stream, const void* source,
                                           const void* weights, void* result, void* scratch);
TN_MUST_USE tn_status_t tn__onednn_status(const tn_onednn_t* dnn, dnnl_status_t status,
                                          const char* what);
#endif

// Which one it is, or NULL and why it is not used.
const char* tn__onednn_version(const char** out_reason);

#endif  // TENON_KERNEL_LIB_ONEDNN_H_
