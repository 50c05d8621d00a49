// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The caller of a handler that is probed (probe_calls.c): an API table that records and rejects
// every request, and one call frame, made invalid on purpose. There is one at a time in a process.
#ifndef TENON_INSPECT_PROBER_H_
#define TENON_INSPECT_PROBER_H_

#include "inspect/probe.h"

enum {
  TN_PROBER_OPERANDS,
  TN_PROBER_RESULTS,
  TN_PROBER_STRANGE_TYPE = 99,  // of a value that is no buffer: every decoder refuses it
  TN_PROBER_ASKED_RANK = 63,
  TN_PROBER_TEXT_LIMIT = 1 << 16,
  TN_PROBER_ERROR_LIMIT = 4,
  TN_PROBER_NAME_SIZE = 4,  // of names that no attribute has: "?00"
};

typedef union tn_prober_value {
  tn_ffi_scalar_t scalar;
  tn_ffi_array_t array;
  tn_ffi_bytes_t string;
  tn_ffi_attrs_t dictionary;
} tn_prober_value_t;

// A dictionary under construction.
typedef struct tn_prober_dictionary {
  int32_t types[TN_PROBE_ATTR_LIMIT];
  tn_ffi_bytes_t* names[TN_PROBE_ATTR_LIMIT];
  void* values[TN_PROBE_ATTR_LIMIT];
  tn_ffi_bytes_t name_storage[TN_PROBE_ATTR_LIMIT];
  tn_prober_value_t storage[TN_PROBE_ATTR_LIMIT];
  char strange[TN_PROBE_ATTR_LIMIT][TN_PROBER_NAME_SIZE];
} tn_prober_dictionary_t;

typedef struct tn_prober {
  tn_probe_t* probe;
  tn_ffi_handler_t handler;
  tn_ffi_call_frame_t frame;
  tn_ffi_buffer_t buffers[2][TN_PROBE_VALUE_LIMIT];
  int32_t types[2][TN_PROBE_VALUE_LIMIT];
  void* values[2][TN_PROBE_VALUE_LIMIT];
  int64_t dims[TN_PROBER_ASKED_RANK];
  tn_prober_dictionary_t attrs, fields;
  _Alignas(64) char zeros[64];  // what all data points to
  char errors[TN_PROBER_ERROR_LIMIT][TN_PROBER_TEXT_LIMIT];
  unsigned error_count;
  bool is_stopped;
} tn_prober_t;

// The one that there is, for this handler, with a frame of no values.
tn_prober_t* tn__prober_begin(tn_probe_t* probe, tn_ffi_handler_t handler);

tn_ffi_values_t* tn__prober_list(int kind);
// That many buffers of a dtype that no decoder takes, if it cares for dtypes; or `strange` values,
// which none takes. A negative number: no list at all.
void tn__prober_fill(int kind, int64_t count, bool is_strange);
// Names that no handler has, in order, and scalars of a type that none have.
void tn__prober_fill_strange(tn_prober_dictionary_t* dictionary, int32_t first, int32_t count);
void tn__prober_set_attr(tn_prober_dictionary_t* dictionary, int32_t index, int32_t type,
                         tn_ffi_dtype_t dtype);
void tn__prober_set_name(tn_prober_dictionary_t* dictionary, int32_t index,
                         const tn_probe_attr_t* attr);
void tn__prober_attach(tn_prober_dictionary_t* dictionary, int32_t count, tn_ffi_attrs_t* out);

#endif  // TENON_INSPECT_PROBER_H_
