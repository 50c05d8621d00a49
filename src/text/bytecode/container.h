// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The container of MLIR bytecode: sections, strings, names of dialects and operations, and where
// the encodings of attributes, types and properties are. Nothing of the contents is looked at
// here; see encodings.h.
#ifndef TENON_TEXT_BYTECODE_CONTAINER_H_
#define TENON_TEXT_BYTECODE_CONTAINER_H_

#include "base/limits.h"
#include "ops/attr.h"
#include "text/bytecode/cursor.h"

enum { TN_BYTECODE_NEWEST = 6 };  // version of the container

// Versions of the container from which on something is there.
enum {
  TN_BYTECODE_DIALECT_VERSIONS = 1,
  TN_BYTECODE_ISOLATED_SECTIONS = 2,
  TN_BYTECODE_USE_LISTS = 3,
  TN_BYTECODE_OPTIONAL_LOCATIONS = 4,
  TN_BYTECODE_PROPERTIES = 5,
};

typedef enum tn_section {
  TN_SECTION_STRINGS,
  TN_SECTION_DIALECTS,
  TN_SECTION_ENCODINGS,
  TN_SECTION_OFFSETS,
  TN_SECTION_OPERATIONS,
  TN_SECTION_RESOURCES,
  TN_SECTION_RESOURCE_OFFSETS,
  TN_SECTION_VERSIONS,  // of a dialect; inside of others only
  TN_SECTION_PROPERTIES,
  TN_SECTION_COUNT,
} tn_section_t;

// What every file begins with.
extern const uint8_t tn__bytecode_magic[4];

typedef enum tn_dialect {
  TN_DIALECT_OTHER,
  TN_DIALECT_BUILTIN,
  TN_DIALECT_VHLO,
  TN_DIALECT_SHARDY,
  TN_DIALECT_PLAIN,  // stablehlo, chlo, func themselves, which artifacts never hold
} tn_dialect_t;

typedef enum tn_encoded_state {
  TN_ENCODED_RAW,
  TN_ENCODED_OPEN,
  TN_ENCODED_READ
} tn_encoded_state_t;

// The bytes of an attribute or type.
typedef struct tn_encoded {
  const uint8_t* begin;
  uint32_t length;
  uint8_t dialect;  // tn_dialect_t
  bool custom;      // else MLIR text, ended by a NUL
  uint8_t state;    // tn_encoded_state_t; OPEN while it is being read, which finds circles
} tn_encoded_t;

typedef enum tn_encoded_type_kind {
  TN_ENCODED_NOTHING,  // none
  TN_ENCODED_VALUE,    // `type`
  TN_ENCODED_ELEMENT,  // `element`
  TN_ENCODED_TF32,     // no element of tensors; only algorithms mention it
  TN_ENCODED_FUNCTION,
} tn_encoded_type_kind_t;

typedef struct tn_encoded_type {
  tn_encoded_t encoded;
  tn_encoded_type_kind_t kind;
  tn_dtype_t element;
  const tn_type_t* type;
  size_t argument_count, result_count;  // FUNCTION: types of the arguments, then of the results
  const tn_type_t** types;
} tn_encoded_type_t;

typedef struct tn_encoded_attr {
  tn_encoded_t encoded;
  uint32_t type;               // index + 1 of the type that a type attribute holds
  const tn_attr_t* attr;       // NULL: says nothing that we know
  const tn_attr_t* converted;  // for an attribute of the type `wanted`; NULL: not yet
  int wanted;                  // tn_attr_type_t
} tn_encoded_attr_t;

typedef struct tn_encoded_op_name {
  tn_dialect_t dialect;
  tn_string_view_t dialect_name, name;
  const void* known;  // what the reader found for it
} tn_encoded_op_name_t;

typedef struct tn_bytecode_string {
  tn_string_view_t text;  // of the file, or, when it is kept, of the arena
  bool kept;
} tn_bytecode_string_t;

typedef struct tn_encoded_dialect {
  tn_dialect_t dialect;
  tn_string_view_t name;
} tn_encoded_dialect_t;

typedef struct tn_bytecode {
  const char* name;  // for messages
  const uint8_t *begin, *end;
  tn_arena_t* arena;   // takes attributes and types
  tn_arena_t scratch;  // takes these tables
  uint32_t version, depth;
  tn_string_view_t producer;
  size_t string_count, dialect_count, op_name_count, attr_count, type_count, property_count;
  tn_bytecode_string_t* strings;
  tn_encoded_dialect_t* dialects;
  tn_encoded_op_name_t* op_names;
  tn_encoded_attr_t* attrs;
  tn_encoded_type_t* types;
  tn_cursor_t* properties;
  tn_cursor_t operations;
  size_t entries_left;  // of dictionaries that may still be copied
} tn_bytecode_t;

// Whether bytes begin as bytecode does.
bool tn__bytecode_is(const void* data, size_t length);
// Reads the tables; `data` and `name` outlive `bytecode`. Wants deinit also after an error.
TN_MUST_USE tn_status_t tn__bytecode_init(tn_bytecode_t* bytecode, const tn_allocator_t* allocator,
                                          tn_arena_t* arena, const char* name, const void* data,
                                          size_t length);
void tn__bytecode_deinit(tn_bytecode_t* bytecode);

// The contents of a nested section: id, length, alignment.
TN_MUST_USE tn_status_t tn__bytecode_section(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                             uint8_t* out_id, tn_cursor_t* out_section);

// "name: byte 12: ..." INVALID_ARGUMENT, UNIMPLEMENTED.
__attribute__((returns_nonnull)) tn_status_t tn__bytecode_fail(const tn_bytecode_t* bytecode,
                                                               const uint8_t* position,
                                                               const char* format, ...)
    TN_PRINTF(3, 4);
__attribute__((returns_nonnull)) tn_status_t tn__bytecode_unsupported(const tn_bytecode_t* bytecode,
                                                                      const uint8_t* position,
                                                                      const char* format, ...)
    TN_PRINTF(3, 4);
// An error from elsewhere, at that place. Takes and returns it.
tn_status_t tn__bytecode_locate(const tn_bytecode_t* bytecode, const uint8_t* position,
                                tn_status_t status);
// An error when the cursor has gone past its end; `what` was being read.
TN_MUST_USE tn_status_t tn__bytecode_check(const tn_bytecode_t* bytecode, const tn_cursor_t* cursor,
                                           const char* what);
// Around everything that nests.
TN_MUST_USE tn_status_t tn__bytecode_enter(tn_bytecode_t* bytecode, const uint8_t* position);
static inline void tn__bytecode_leave(tn_bytecode_t* bytecode) {
  --bytecode->depth;
}
// An index into the strings; the result lives in the arena, once however often it is mentioned.
TN_MUST_USE tn_status_t tn__bytecode_string(tn_bytecode_t* bytecode, tn_cursor_t* cursor,
                                            tn_string_view_t* out_string);

#endif  // TENON_TEXT_BYTECODE_CONTAINER_H_
