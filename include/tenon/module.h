// Programs before they are compiled: StableHLO modules, read from text or built (see builder.h).
#ifndef TENON_MODULE_H_
#define TENON_MODULE_H_

#include <tenon/allocator.h>
#include <tenon/type.h>

TN_EXTERN_C_BEGIN

// Reference counted; immutable once made, and then thread-safe.
typedef struct tn_module tn_module_t;
// A value inside a module or builder; lives as long as that.
typedef struct tn_value tn_value_t;

// Reads and verifies a module: StableHLO text, or, when it begins as MLIR bytecode does, a portable
// artifact. `name` is what messages call the text ("model.mlir"); NULL: "<string>". `text` has
// `length` bytes and need not end in a NUL; it is not kept. `allocator` NULL: the system's. Errors:
// INVALID_ARGUMENT with line, column and a caret, or the place in bytecode; UNIMPLEMENTED for what
// Tenon does not support; RESOURCE_EXHAUSTED.
TN_API TN_MUST_USE tn_status_t tn_module_parse(const tn_allocator_t* allocator, const char* name,
                                               const char* text, size_t length,
                                               tn_module_t** out_module);
// The same of a part of a text, which begins with line `first_line` (from 1) of it.
TN_API TN_MUST_USE tn_status_t tn_module_parse_part(const tn_allocator_t* allocator,
                                                    const char* name, uint32_t first_line,
                                                    const char* text, size_t length,
                                                    tn_module_t** out_module);
// The same from a file. INVALID_ARGUMENT for a pipe or a device that gives more than
// TN_MAX_STREAM_BYTES.
enum { TN_MAX_STREAM_BYTES = 1 << 30 };
TN_API TN_MUST_USE tn_status_t tn_module_parse_file(const tn_allocator_t* allocator,
                                                    const char* path, tn_module_t** out_module);

TN_API tn_module_t* tn_module_retain(tn_module_t* module);
TN_API void tn_module_release(tn_module_t* module);

// Writes the module as StableHLO text by calling `write` with pieces of it, on the caller's thread;
// the first error of `write` ends it and is returned.
TN_API TN_MUST_USE tn_status_t tn_module_print(const tn_module_t* module,
                                               tn_status_t (*write)(void* user, const char* text,
                                                                    size_t length),
                                               void* user);

// Writes the module as a portable artifact, which StableHLO's own tools, JAX and tn_module_parse
// read: pieces of bytes go to `write` as those of tn_module_print do. Locations in sources and
// names of values are not in it; attributes of other dialects and the meshes of partitioning are
// left out. Errors: INVALID_ARGUMENT for what artifacts, or those of the version asked for, cannot
// hold: operations of other dialects than StableHLO (chlo, check, tenon), say.
typedef struct tn_serialize_options {
  size_t struct_size;  // sizeof(tn_serialize_options_t)
  // Of StableHLO, "1.0.0" to "1.20.0"; NULL: 1.10.0, or the first one after it that can hold the
  // module.
  const char* version;
} tn_serialize_options_t;
TN_API TN_MUST_USE tn_status_t tn_module_serialize(
    const tn_module_t* module, const tn_serialize_options_t* options,  // NULL: the default
    tn_status_t (*write)(void* user, const char* bytes, size_t length), void* user);

// The functions of a module, in order. Strings and types are views that live as long as the module.
TN_API size_t tn_module_function_count(const tn_module_t* module);
TN_API const char* tn_module_function_name(const tn_module_t* module, size_t index);
// Index of the function `name`; NULL: of `main`, else of the only function. SIZE_MAX when there is
// none.
TN_API size_t tn_module_find(const tn_module_t* module, const char* name);
TN_API size_t tn_module_parameter_count(const tn_module_t* module, size_t function);
TN_API const tn_type_t* tn_module_parameter_type(const tn_module_t* module, size_t function,
                                                 size_t index);
TN_API const char* tn_module_parameter_name(const tn_module_t* module, size_t function,
                                            size_t index);  // "" when it has none
TN_API size_t tn_module_result_count(const tn_module_t* module, size_t function);
TN_API const tn_type_t* tn_module_result_type(const tn_module_t* module, size_t function,
                                              size_t index);

TN_EXTERN_C_END

#endif  // TENON_MODULE_H_
