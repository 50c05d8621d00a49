// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes and types of the dialects builtin and vhlo, decoded when they are first asked for and
// once each, however many uses they have.
#ifndef TENON_TEXT_BYTECODE_ENCODINGS_H_
#define TENON_TEXT_BYTECODE_ENCODINGS_H_

#include "text/bytecode/container.h"

// --- types.c

// Type `index`; the position is for messages. The result lives as long as `bytecode`.
TN_MUST_USE tn_status_t tn__bytecode_type(tn_bytecode_t* bytecode, uint64_t index,
                                          const uint8_t* position,
                                          const tn_encoded_type_t** out_type);
// The next type of the cursor: of a value, an element.
TN_MUST_USE tn_status_t tn__bytecode_value_type(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                                const tn_type_t** out_type);
TN_MUST_USE tn_status_t tn__bytecode_element_type(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                                  tn_dtype_t* out_dtype);
TN_MUST_USE tn_status_t tn__bytecode_value_type_at(tn_bytecode_t* bytecode, uint64_t index,
                                                   const uint8_t* position,
                                                   const tn_type_t** out_type);

// --- attrs.c

// Attribute `index`, with `attr` as StableHLO would have it standing alone; NULL when it says
// nothing that we know (places in sources, other dialects). Lists of such are nothing either;
// dictionaries go without them.
TN_MUST_USE tn_status_t tn__bytecode_attr(tn_bytecode_t* bytecode, uint64_t index,
                                          const uint8_t* position, tn_encoded_attr_t** out_attr);

// The name of a location that has one; "" for others, and for what is not a location.
tn_string_view_t tn__bytecode_place_name(const tn_bytecode_t* bytecode, uint64_t index);
// Finds the attribute `name` in the encoded dictionary `index` without reading the others;
// *out_index is SIZE_MAX when it is not there.
TN_MUST_USE tn_status_t tn__bytecode_dictionary_find(tn_bytecode_t* bytecode, uint64_t index,
                                                     const char* name, uint64_t* out_index);

// A DICTIONARY, or the STRUCT of a name that lives forever. Entries and names, which are taken as
// they are and sorted, live in the arena; a name given twice is an error.
TN_MUST_USE tn_status_t tn__bytecode_dictionary(tn_bytecode_t* bytecode, const uint8_t* position,
                                                tn_attr_kind_t kind, const char* name, size_t count,
                                                tn_named_attr_t* entries,
                                                const tn_attr_t** out_attr);

// Refuses names that text could not tell from nested ones, a::@b.
TN_MUST_USE tn_status_t tn__bytecode_check_symbol(const tn_bytecode_t* bytecode,
                                                  const uint8_t* position, tn_string_view_t name);

// --- elements.c

// The bytes of a constant: all elements or one, booleans perhaps eight to a byte.
TN_MUST_USE tn_status_t tn__bytecode_elements(tn_bytecode_t* bytecode, const uint8_t* position,
                                              const tn_type_t* type, tn_string_view_t bytes,
                                              const tn_attr_t** out_attr);

#endif  // TENON_TEXT_BYTECODE_ENCODINGS_H_
