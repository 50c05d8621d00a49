// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// StableHLO modules: programs before compilation, parsed or built (see builder.h).
#ifndef TENON_DETAIL_MODULE_H_
#define TENON_DETAIL_MODULE_H_

#include <tenon/detail/allocator.h>
#include <tenon/detail/type.h>

TN_EXTERN_C_BEGIN

// Reference counted; immutable and thread-safe once created.
typedef struct tn_module tn_module_t;
// A value inside a module or builder, and valid as long as that.
typedef struct tn_value tn_value_t;

// Parses and verifies a module: StableHLO text, or, if it begins with the magic number of MLIR
// bytecode, a portable artifact. `name` identifies the text in messages ("model.mlir"); NULL:
// "<string>". `text` has `length` bytes, needs no terminating NUL, and is not kept. `allocator`
// NULL: the system's. Errors: INVALID_ARGUMENT with line, column and a caret, or the offset in
// bytecode; UNIMPLEMENTED for what Tenon does not support; RESOURCE_EXHAUSTED.
TN_API TN_MUST_USE tn_status_t tn_module_parse(const tn_allocator_t* allocator, const char* name,
                                               const char* text, size_t length,
                                               tn_module_t** out_module);
// The same for part of a text, which begins at its line `first_line` (1-based).
TN_API TN_MUST_USE tn_status_t tn_module_parse_part(const tn_allocator_t* allocator,
                                                    const char* name, uint32_t first_line,
                                                    const char* text, size_t length,
                                                    tn_module_t** out_module);
// The same for a file. INVALID_ARGUMENT for a pipe or device that delivers more than
// TN_MAX_STREAM_BYTES.
enum { TN_MAX_STREAM_BYTES = 1 << 30 };
TN_API TN_MUST_USE tn_status_t tn_module_parse_file(const tn_allocator_t* allocator,
                                                    const char* path, tn_module_t** out_module);

// Adds a reference and returns the module; removes one, and destroys the module with the last one.
TN_API tn_module_t* tn_module_retain(tn_module_t* module);
TN_API void tn_module_release(tn_module_t* module);

// Writes the module as StableHLO text: calls `write` with consecutive parts of it, on the caller's
// thread, until it returns an error, which is returned.
TN_API TN_MUST_USE tn_status_t tn_module_print(const tn_module_t* module, tn_write_fn write,
                                               void* user);

// Writes the module as a portable artifact, which StableHLO's tools, JAX and tn_module_parse read.
// `write` is called with consecutive bytes, as in tn_module_print. Source locations and names of
// values are not written; attributes of other dialects and the meshes of sharding are dropped.
// Errors: INVALID_ARGUMENT for what artifacts, or those of the requested version, cannot represent,
// such as operations of other dialects than StableHLO (chlo, check, tenon).
typedef struct tn_serialize_options {
  size_t struct_size;  // sizeof(tn_serialize_options_t)
  // Of StableHLO, "1.0.0" to "1.20.0"; NULL: 1.10.0, or the first later version that can represent
  // the module.
  const char* version;
} tn_serialize_options_t;
TN_API TN_MUST_USE tn_status_t tn_module_serialize(
    const tn_module_t* module, const tn_serialize_options_t* options,  // NULL: the default
    tn_write_fn write, void* user);

// The functions of a module, in order. Strings and types are views that live as long as the module.
TN_API size_t tn_module_function_count(const tn_module_t* module);
TN_API const char* tn_module_function_name(const tn_module_t* module, size_t index);
// Index of the function `name`; NULL: of `main`, else of the only function. SIZE_MAX if it does not
// exist.
TN_API size_t tn_module_find(const tn_module_t* module, const char* name);
TN_API size_t tn_module_input_count(const tn_module_t* module, size_t function);
TN_API const tn_type_t* tn_module_input_type(const tn_module_t* module, size_t function,
                                             size_t index);
TN_API const char* tn_module_input_name(const tn_module_t* module, size_t function,
                                        size_t index);  // "" if it has none
TN_API size_t tn_module_output_count(const tn_module_t* module, size_t function);
TN_API const tn_type_t* tn_module_output_type(const tn_module_t* module, size_t function,
                                              size_t index);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_MODULE_H_
