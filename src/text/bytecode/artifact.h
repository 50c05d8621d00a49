// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// An artifact being written: the tables that the operations refer to, and what each part of the
// writer offers to the others. Inside of bytecode/ only; from outside see writer.h.
//
// Strings, attributes, types and properties are encoded when they are first mentioned, once each,
// and get the next number of their table. The section of operations is made at the same time; at
// the end the tables are written before it. After the first error nothing more is written.
#ifndef TENON_TEXT_BYTECODE_ARTIFACT_H_
#define TENON_TEXT_BYTECODE_ARTIFACT_H_

#include "base/names.h"
#include "base/writer.h"
#include "ir/ir.h"
#include "text/bytecode/bytes.h"
#include "text/bytecode/operations.h"

// Where a property of an operation comes from: an attribute, or a field of one.
typedef struct tn_artifact_property {
  const tn_attr_spec_t *spec, *field;
} tn_artifact_property_t;

// One version of an operation, as far as it is known.
typedef struct tn_artifact_op {
  const tn_vhlo_op_t* vhlo;  // NULL: not asked for yet
  uint32_t number;           // among the names of operations, from 1; 0: not mentioned
  size_t property_count;
  tn_artifact_property_t* properties;
} tn_artifact_op_t;

// The forms in which one attribute may be mentioned.
typedef enum tn_artifact_form {
  TN_FORM_VHLO,     // of operations and functions
  TN_FORM_BUILTIN,  // of the module, which is no operation of vhlo
  TN_FORM_STRING,   // symbols, for operations that name one
  TN_FORM_TENSOR,   // lists of numbers and of booleans, for operations that specify one
} tn_artifact_form_t;

// The number of what is not written: attributes of other dialects.
#define TN_ARTIFACT_NOTHING UINT64_MAX

typedef struct tn_artifact {
  const tn_module_t* module;
  const tn_allocator_t* allocator;
  tn_status_t status;                     // the first error
  tn_artifact_version_t version, needed;  // which is written, and the oldest that would do
  bool is_version_given;
  const tn_node_t* node;          // what is being written, for messages
  const tn_function_t* function;  // of which
  tn_arena_t arena;               // takes encodings, and keys of tables
  tn_names_t strings;
  tn_names_t attrs, types, properties;  // by what they are written as
  tn_names_t known_types, known_attrs;  // large ones by address; number: theirs
  tn_names_t known_ops;                 // properties and dictionaries of nodes that share them
  tn_artifact_op_t* ops;                // as operations.def has them
  const tn_vhlo_op_t** op_names;        // by number
  size_t op_name_count;
  const tn_vhlo_op_t** first_versions;  // by number of an operation of ours; NULL: vhlo has none
  tn_bytes_t scratch;                   // one encoding
  tn_bytes_t numbers;                   // a stack of uint64_t: parts of encodings to come
  uint64_t* values;                     // of the function, by id: their numbers
  uint64_t place;                       // the attribute that says that a place is not known
} tn_artifact_t;

// --- artifact.c: the tables

TN_MUST_USE tn_status_t tn__artifact_init(tn_artifact_t* artifact, const tn_module_t* module,
                                          tn_artifact_version_t version, bool is_version_given);
void tn__artifact_deinit(tn_artifact_t* artifact);

// Keeps the first error; takes the status, which may be NULL.
void tn__artifact_keep(tn_artifact_t* artifact, tn_status_t status);
// The node or function at hand cannot be written; "add: ..." and its place come before the message.
void tn__artifact_fail(tn_artifact_t* artifact, const char* format, ...) TN_PRINTF(2, 3);
// What is written needs this version: an error when another one was asked for, and that is older.
void tn__artifact_need(tn_artifact_t* artifact, tn_artifact_version_t since, const char* what);

// The number of a string, which outlives the artifact.
uint64_t tn__artifact_string(tn_artifact_t* artifact, tn_string_view_t text);
// Begins an encoding in `scratch`; `kind` is its dialect, or TEXT of builtin.
typedef enum tn_artifact_encoding {
  TN_ENCODING_BUILTIN,
  TN_ENCODING_VHLO,
  TN_ENCODING_TEXT,
} tn_artifact_encoding_t;
tn_bytes_t* tn__artifact_begin(tn_artifact_t* artifact, tn_artifact_encoding_t kind);
// Ends it; the number that it has in `table`.
uint64_t tn__artifact_end(tn_artifact_t* artifact, tn_names_t* table);
// What has been written for something that is mentioned again, by its address and how it was
// written: false when that is not known. Something large need not be traversed twice.
bool tn__artifact_recall(const tn_names_t* known, const void* address, uint64_t form,
                         uint64_t* out_number);
void tn__artifact_note(tn_artifact_t* artifact, tn_names_t* known, const void* address,
                       uint64_t form, uint64_t number);
// The name of an operation: "builtin.module", "vhlo.func_v1", and the rows of operations.def.
enum { TN_ARTIFACT_MODULE, TN_ARTIFACT_FUNCTION, TN_ARTIFACT_FIRST_OP };
uint64_t tn__artifact_op_name(tn_artifact_t* artifact, tn_artifact_op_t* op);

// The whole file, whose section of operations is `operations`.
void tn__artifact_assemble(tn_artifact_t* artifact, const tn_bytes_t* operations,
                           tn_writer_t* writer);

// A stack of numbers, for parts of what comes behind them.
void tn__artifact_push(tn_artifact_t* artifact, uint64_t number);
static inline size_t tn__artifact_mark(const tn_artifact_t* artifact) {
  return artifact->numbers.length;
}
// Puts the numbers between two marks into `out`.
void tn__artifact_put_numbers(const tn_artifact_t* artifact, size_t mark, size_t end,
                              tn_bytes_t* out);
// Puts the numbers since `mark` into `out`, and takes them from the stack.
void tn__artifact_pop(tn_artifact_t* artifact, size_t mark, tn_bytes_t* out);

// --- type_writer.c: numbers of types

uint64_t tn__artifact_type(tn_artifact_t* artifact, const tn_type_t* type);
// The same as builtin encodes it, for attributes that stay in that dialect.
uint64_t tn__artifact_builtin_type(tn_artifact_t* artifact, const tn_type_t* type);
uint64_t tn__artifact_element(tn_artifact_t* artifact, bool is_builtin, tn_dtype_t dtype);
uint64_t tn__artifact_tensor(tn_artifact_t* artifact, bool is_builtin, tn_dtype_t dtype,
                             size_t rank, const int64_t* dims);
uint64_t tn__artifact_function_type(tn_artifact_t* artifact, const tn_function_t* function);
// none, tf32
uint64_t tn__artifact_plain_type(tn_artifact_t* artifact, uint64_t code);

// --- attr_writer.c: numbers of attributes

// TN_ARTIFACT_NOTHING for what is of another dialect, and lists with such items; dictionaries go
// without them.
uint64_t tn__artifact_attr(tn_artifact_t* artifact, const tn_attr_t* attr, tn_artifact_form_t form);
uint64_t tn__artifact_text(tn_artifact_t* artifact, tn_string_view_t text);
uint64_t tn__artifact_builtin_text(tn_artifact_t* artifact, tn_string_view_t text);
uint64_t tn__artifact_integer(tn_artifact_t* artifact, tn_dtype_t dtype, int64_t value);
// An attribute of vhlo whose value is one number: a boolean, an enumerator.
uint64_t tn__artifact_code(tn_artifact_t* artifact, uint64_t attr, uint64_t value);
uint64_t tn__artifact_type_attr(tn_artifact_t* artifact, uint64_t type);
uint64_t tn__artifact_accuracy(tn_artifact_t* artifact, const tn_attr_dictionary_t* fields);
// A tensor of rank 1, or 2 when `columns` is not 0, of equal numbers.
uint64_t tn__artifact_splat(tn_artifact_t* artifact, tn_dtype_t dtype, size_t count, size_t columns,
                            int64_t value);
// The numbers on the stack since `mark` as a list.
uint64_t tn__artifact_list(tn_artifact_t* artifact, size_t mark);
// The same as a dictionary: a name and a value each, which push_entry puts there, unless the value
// is nothing.
uint64_t tn__artifact_dictionary(tn_artifact_t* artifact, tn_artifact_form_t form, size_t mark);
void tn__artifact_push_entry(tn_artifact_t* artifact, tn_artifact_form_t names,
                             tn_artifact_form_t values, const tn_named_attr_t* entry);
// A dictionary of vhlo.
uint64_t tn__artifact_attrs(tn_artifact_t* artifact, const tn_attr_dictionary_t* dictionary);

// --- property_writer.c: the properties and the dictionary of a node

// The version of its operation that the artifact holds; NULL when it cannot be written.
tn_artifact_op_t* tn__artifact_choose_op(tn_artifact_t* artifact, const tn_node_t* node);
void tn__artifact_node_attrs(tn_artifact_t* artifact, const tn_artifact_op_t* op,
                             const tn_node_t* node, uint64_t* out_properties,
                             uint64_t* out_dictionary);

// --- region_writer.c: functions and their operations

void tn__artifact_module(tn_artifact_t* artifact, tn_bytes_t* out);

#endif  // TENON_TEXT_BYTECODE_ARTIFACT_H_
