// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Infers the signature of a handler without metadata. Handlers that are built with XLA's headers
// check a call frame before they enter the kernel body, and report what they expected: so frames
// that are invalid on purpose, each in one respect, reveal the signature. The calls are made in a
// forked child process, since the code is unknown.
//
// The body is entered only if a handler accepts every frame: one without operands, results and
// attributes, or with any number of each. That happens in the child as well, which is confined to
// computation (confine.h), and ends the probe.
#ifndef TENON_CALL_PROBE_H_
#define TENON_CALL_PROBE_H_

#include "base/status.h"
#include "base/view.h"
#include "call/abi.h"
#include "inspect/confine.h"

enum {
  TN_PROBE_VALUE_LIMIT = 256,
  TN_PROBE_ATTR_LIMIT = 64,    // of the call
  TN_PROBE_FIELD_LIMIT = 128,  // of all its records together
  TN_PROBE_NAME_LIMIT = 120,
};

typedef enum tn_probe_answer {
  TN_PROBE_UNKNOWN,  // not probed, or the error text is not recognised
  TN_PROBE_ANY,      // everything is accepted
  TN_PROBE_KNOWN,
} tn_probe_answer_t;

typedef struct tn_probe_value {
  tn_probe_answer_t dtype_answer, rank_answer;
  int32_t dtype;
  int32_t rank;
} tn_probe_value_t;

// Operands, or results. (Truth values are bytes: code of others may write here.)
typedef struct tn_probe_values {
  tn_probe_answer_t answer;  // ANY: none is bound, and any number is taken
  uint8_t has_rest;          // any number of further ones
  int32_t required, optional;
  tn_probe_value_t values[TN_PROBE_VALUE_LIMIT];
} tn_probe_values_t;

typedef struct tn_probe_attr {
  tn_probe_answer_t answer;  // KNOWN: the type
  int32_t name_length;
  char name[TN_PROBE_NAME_LIMIT];  // followed by a NUL
  int32_t type;                    // TN_FFI_SCALAR ...; 0: `dtypes` has scalars of several types
  uint64_t dtypes;                 // of scalars and arrays: bit TN_FFI_F32 ...
  uint8_t is_address;              // an s64 that holds one
  uint8_t is_record;               // a dictionary with these fields and no others
  int32_t first_field, field_count;
} tn_probe_attr_t;

enum {  // services that decoding requests from the context
  TN_PROBE_STREAM = 1,
  TN_PROBE_USER_DATA = 2,
  TN_PROBE_STATE = 4,
  TN_PROBE_RUN_ID = 8,
  TN_PROBE_DEVICE_ORDINAL = 16,
};

typedef struct tn_probe {
  tn_confinement_t confinement;
  uint32_t context;                // TN_PROBE_STREAM ...
  tn_probe_values_t lists[2];      // operands, results
  tn_probe_answer_t attrs_answer;  // ANY: none is bound, or the dictionary as a whole
  int32_t attr_count;
  tn_probe_attr_t attrs[TN_PROBE_ATTR_LIMIT];
  int32_t field_count;
  tn_probe_attr_t fields[TN_PROBE_FIELD_LIMIT];
  uint8_t is_entered;    // the kernel body ran, which ended the probe
  char question[48];     // the last one: "the types of its attributes"
  char unresolved[256];  // what could not be inferred, and why; "": nothing
  uint8_t is_over;       // the child came to its end
} tn_probe_t;

enum { TN_PROBE_TIMEOUT_MS = 2000 };

// Probes one handler, which is registered for `stage`, in a child process. *out_probe has the
// outcome, whatever the handler did; free it with tn__probe_free. RESOURCE_EXHAUSTED if the system
// cannot create a child. Thread-safe. Takes as long as a fork of the process, and some 0.1 ms.
TN_MUST_USE tn_status_t tn__probe_handler(tn_ffi_handler_t handler, int32_t stage,
                                          int64_t timeout_ms, tn_probe_t** out_probe);
void tn__probe_free(tn_probe_t* probe);

// The child's part: probes in this process, into a zeroed `probe`. One thread at a time.
void tn__probe_ask(tn_ffi_handler_t handler, int32_t stage, tn_probe_t* probe);

// Whether it can be read: all numbers are within their limits, and all texts end.
bool tn__probe_is_sound(const tn_probe_t* probe);

extern const char* const tn__stage_names[TN_FFI_EXECUTE + 1];

#endif  // TENON_CALL_PROBE_H_
