// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes of VHLO's operations as StableHLO's operations have them.
#ifndef TENON_TEXT_BYTECODE_CONVERT_H_
#define TENON_TEXT_BYTECODE_CONVERT_H_

#include "text/bytecode/encodings.h"
#include "text/bytecode/operations.h"

// Where an operation's attributes stand in the file.
typedef struct tn_bytecode_op_attrs {
  const uint8_t* position;  // of the operation, for messages
  bool has_dictionary, has_properties;
  uint64_t dictionary, properties;  // numbers of an attribute, of an entry of the properties
} tn_bytecode_op_attrs_t;

// What a list of named properties holds, in its order: numbers of attributes, or SIZE_MAX where the
// file has none. Before properties there were, they are entries of the dictionary.
TN_MUST_USE tn_status_t tn__bytecode_properties(tn_bytecode_t* bytecode,
                                                const tn_bytecode_op_attrs_t* attrs,
                                                const char* const* names, uint64_t* out_indexes);
// The properties in their places, without those that say what their absence says, and what else the
// dictionary holds.
TN_MUST_USE tn_status_t tn__bytecode_convert(tn_bytecode_t* bytecode,
                                             const tn_bytecode_op_attrs_t* attrs,
                                             const tn_vhlo_op_t* op,
                                             tn_attr_dictionary_t* out_dictionary);
// The dictionary alone, without the entries `names`.
TN_MUST_USE tn_status_t tn__bytecode_discardable(tn_bytecode_t* bytecode,
                                                 const tn_bytecode_op_attrs_t* attrs,
                                                 const char* const* names,
                                                 tn_attr_dictionary_t* out_dictionary);

#endif  // TENON_TEXT_BYTECODE_CONVERT_H_
