// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A function as Python calls it: its signature, and what it calls.
#ifndef TENON_PYTHON_FUNCTION_H_
#define TENON_PYTHON_FUNCTION_H_

#include "core.h"

enum { CORE_MAX_PARAMETERS = 24, CORE_MAX_SIGNATURE = 512 };

struct core_function {
  const char* module;  // as in the table; "array" for what is a method only
  const char* name;
  const char* signature;  // without the name: "a, axis=None, *, stream=None"

  // In the order of the signature, without `stream`.
  size_t count;
  PyObject* names[CORE_MAX_PARAMETERS];  // interned
  bool is_optional[CORE_MAX_PARAMETERS];
  size_t positional_count;   // those that a position can give
  size_t rest;               // "*name", which gets a tuple; CORE_MAX_PARAMETERS: there is none
  bool has_device;           // `device` names the stream, too, as in the array API standard
  bool has_stream_position;  // the stream is the last one that a position can give

  core_adapter_fn adapter;                // NULL: the function of the table
  const tn_array_function_t* table;       // NULL: none
  size_t cast;                            // `dtype`, of a CASTING function; MAX: none
  bool is_direct;                         // the parameters are those of the table
  uint8_t source[CORE_MAX_PARAMETERS];    // of the table's: the parameter with the name
  bool is_promoted[CORE_MAX_PARAMETERS];  // of the table's: numbers take the dtype of the arrays
  size_t key;                             // of the table's: the key of random numbers, or MAX

  PyMethodDef method;
  char* doc;
};

// Fills the parameters from a text such as "a, /, axis=None, *, stream=None".
bool core_signature_parse(core_function_t* function, const char* text);
// Writes it as inspect.signature reads it; of a method with $self as its first parameter.
size_t core_signature_write(const char* signature, bool is_method, char* out_text, size_t size);

#endif  // TENON_PYTHON_FUNCTION_H_
