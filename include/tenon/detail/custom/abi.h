// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The binary interface of custom calls, with XLA's layout, the signatures of operations, and the
// table that a library exports. The runtime includes this part alone.
#ifndef TENON_DETAIL_CUSTOM_ABI_H_
#define TENON_DETAIL_CUSTOM_ABI_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TN__STATIC_ASSERT static_assert
extern "C" {
#else
#define TN__STATIC_ASSERT _Static_assert
#endif

// An error object of the runtime; NULL is success. In Tenon it is the status of <tenon/tenon.h>;
// other runtimes have their own. A handler only creates it and returns it.
typedef struct tn_status* tn_status_t;
#define TN_OK ((tn_status_t)0)

// Minor versions of the ABI: the oldest that runtimes accept from a handler, the first that
// registers state types with their deleters, the first with the present form of states, and the
// newest described here. A handler states the oldest that it requires.
enum {
  TN_FFI_API_MAJOR = 0,
  TN_FFI_API_MINOR_OLDEST = 1,
  TN_FFI_API_MINOR_TYPE_INFO = 2,
  TN_FFI_API_MINOR_STATE = 3,
  TN_FFI_API_MINOR = 3
};

// Extensions. The others are Tenon's, and other runtimes do not send them: the second is linked
// after the first, the third is the table's.
enum { TN_FFI_METADATA = 1, TN_FFI_SIGNATURE = 0x746e, TN_FFI_MAP = 0x746f };
enum { TN_FFI_BUFFER = 1 };                     // values
enum { TN_FFI_COMMAND_BUFFER_COMPATIBLE = 1 };  // traits
// Attribute types, stages, error codes. A code has the number of the TN_CODE_* of its name.
// clang-format off
enum { TN_FFI_ARRAY = 1, TN_FFI_DICTIONARY, TN_FFI_SCALAR, TN_FFI_STRING };
enum { TN_FFI_INSTANTIATE, TN_FFI_PREPARE, TN_FFI_INITIALIZE, TN_FFI_EXECUTE };
#define TN_FFI_ERRORS(X)                                                                        \
  X(CANCELLED) X(UNKNOWN) X(INVALID_ARGUMENT) X(DEADLINE_EXCEEDED) X(NOT_FOUND)                  \
  X(ALREADY_EXISTS) X(PERMISSION_DENIED) X(RESOURCE_EXHAUSTED) X(FAILED_PRECONDITION) X(ABORTED) \
  X(OUT_OF_RANGE) X(UNIMPLEMENTED) X(INTERNAL) X(UNAVAILABLE) X(DATA_LOSS) X(UNAUTHENTICATED)
#define TN__FFI_CODE(name) TN_FFI_##name,
enum { TN_FFI_OK, TN_FFI_ERRORS(TN__FFI_CODE) };

// Element types: X(name in lists, NAME, value, C type). Sub-byte elements take a byte each. TN_FFI_F32
// is TN_DTYPE_F32 of <tenon/tenon.h>, and so are the others: a kernel may compare either.
#define TN_FFI_DTYPES(X)                                                                         \
  X(pred, PRED, 1, bool) X(s1, S1, 30, int8_t) X(s2, S2, 26, int8_t) X(s4, S4, 21, int8_t)       \
  X(s8, S8, 2, int8_t) X(s16, S16, 3, int16_t) X(s32, S32, 4, int32_t) X(s64, S64, 5, int64_t)   \
  X(u1, U1, 31, uint8_t) X(u2, U2, 27, uint8_t) X(u4, U4, 22, uint8_t) X(u8, U8, 6, uint8_t)     \
  X(u16, U16, 7, uint16_t) X(u32, U32, 8, uint32_t) X(u64, U64, 9, uint64_t)                     \
  X(f16, F16, 10, tn_f16_t) X(bf16, BF16, 16, tn_bf16_t) X(f32, F32, 11, float)                  \
  X(f64, F64, 12, double) X(c64, C64, 15, tn_c64_t) X(c128, C128, 18, tn_c128_t)                 \
  X(token, TOKEN, 17, uint8_t) X(f4e2m1fn, F4E2M1FN, 32, uint8_t) X(f8e3m4, F8E3M4, 29, uint8_t) \
  X(f8e4m3, F8E4M3, 28, uint8_t) X(f8e4m3fn, F8E4M3FN, 20, uint8_t)                              \
  X(f8e4m3b11fnuz, F8E4M3B11FNUZ, 23, uint8_t) X(f8e4m3fnuz, F8E4M3FNUZ, 25, uint8_t)            \
  X(f8e5m2, F8E5M2, 19, uint8_t) X(f8e5m2fnuz, F8E5M2FNUZ, 24, uint8_t)                          \
  X(f8e8m0fnu, F8E8M0FNU, 33, uint8_t)
// clang-format on

typedef int32_t tn_ffi_dtype_t;
#define TN__NUMBER(word, NAME, number, ctype) TN_FFI_##NAME = number,
enum { TN_FFI_DTYPES(TN__NUMBER) TN_FFI_INVALID = 0 };

// Opaque objects of the runtime.
typedef struct tn_ffi_context tn_ffi_context_t;
typedef struct tn_ffi_future tn_ffi_future_t;
typedef struct tn_ffi_internal tn_ffi_internal_t;

// clang-format off
typedef struct tn_ffi_bytes { const char* data; size_t size; } tn_ffi_bytes_t;  // may contain NULs
typedef struct tn_ffi_scalar { tn_ffi_dtype_t dtype; void* value; } tn_ffi_scalar_t;
typedef struct tn_ffi_array { tn_ffi_dtype_t dtype; size_t count; void* data; } tn_ffi_array_t;
typedef struct tn_ffi_type_id { int64_t id; } tn_ffi_type_id_t;  // 0: not registered yet
typedef struct tn_ffi_extension {
  size_t struct_size;
  int32_t type;
  struct tn_ffi_extension* next;
} tn_ffi_extension_t;
// clang-format on

// Structs passed by pointer begin with their size: the end of the field that was last when the
// version of the struct was fixed, which is not always sizeof. TN__STRUCT(NAME, name, size, that
// field, fields) declares tn_ffi_name_t and TN_FFI_NAME_SIZE, and checks the layout.
// clang-format off
#define TN_FFI_END_OF(type, field) (offsetof(type, field) + sizeof(((type*)0)->field))
#define TN__STRUCT(NAME, name, size, last, fields)                    \
  typedef struct tn_ffi_##name {                                      \
    size_t struct_size;                                               \
    tn_ffi_extension_t* extension_start;                              \
    fields                                                            \
  } tn_ffi_##name##_t;                                                \
  enum { TN_FFI_##NAME##_SIZE = size };                               \
  TN__STATIC_ASSERT(TN_FFI_END_OF(tn_ffi_##name##_t, last) == (size), \
                    "tn_ffi_" #name "_t has another layout");

TN__STRUCT(API_VERSION, api_version, 24, minor, int32_t major; int32_t minor;)
TN__STRUCT(TYPE_INFO, type_info, 24, deleter, void (*deleter)(void* state);)
TN__STRUCT(BUFFER, buffer, 48, dims, tn_ffi_dtype_t dtype; void* data; int64_t rank; int64_t* dims;)
// Arguments or results: types[i] is TN_FFI_BUFFER, values[i] a tn_ffi_buffer_t*.
TN__STRUCT(VALUES, values, 40, values, int64_t count; int32_t* types; void** values;)
// Sorted by name, bytewise; so are nested ones. types[i] is TN_FFI_SCALAR ...; values[i] points to
// a tn_ffi_scalar_t, tn_ffi_array_t, tn_ffi_bytes_t or tn_ffi_attrs_t.
TN__STRUCT(ATTRS, attrs, 48, values, int64_t count; int32_t* types; tn_ffi_bytes_t** names;
           void** values;)
// `future` is written by the handler, beyond the struct's size.
TN__STRUCT(CALL_FRAME, call_frame, 168, attrs, const struct tn_ffi_api* api;
           tn_ffi_context_t* context; int32_t stage; tn_ffi_values_t args; tn_ffi_values_t rets;
           tn_ffi_attrs_t attrs; tn_ffi_future_t* future;)
// clang-format on

typedef tn_status_t (*tn_ffi_handler_t)(tn_ffi_call_frame_t* frame);
typedef void (*tn_ffi_function_t)(void);  // any other
typedef struct tn_ffi_bundle {
  tn_ffi_handler_t instantiate, prepare, initialize, execute;
} tn_ffi_bundle_t;

// A runtime that queries the metadata of a handler passes a frame with this extension.
// `state_type_id` is beyond the size; the instantiate handler of a stateful operation fills it in.
typedef struct tn_ffi_metadata {
  size_t struct_size;  // 36
  tn_ffi_api_version_t api_version;
  uint32_t traits;
  tn_ffi_type_id_t state_type_id;
} tn_ffi_metadata_t;
enum { TN_FFI_METADATA_SIZE = 36 };
typedef struct tn_ffi_metadata_extension {
  tn_ffi_extension_t extension;
  tn_ffi_metadata_t* metadata;
} tn_ffi_metadata_extension_t;

// clang-format off
// Parameters of the runtime's functions; the last field or two are outputs unless stated otherwise.
TN__STRUCT(ERROR_CREATE, error_create, 28, code, const char* message; int32_t code;)  // both in
TN__STRUCT(ERROR_GET_MESSAGE, error_get_message, 32, message, tn_status_t error;
           const char* message;)
TN__STRUCT(ERROR_DESTROY, error_destroy, 24, error, tn_status_t error;)  // in
TN__STRUCT(HANDLER_REGISTER, handler_register, 84, traits, tn_ffi_bytes_t name;
           tn_ffi_bytes_t platform; tn_ffi_bundle_t bundle; uint32_t traits;)  // all in
TN__STRUCT(TYPE_REGISTER, type_register, 40, type_id, tn_ffi_bytes_t name;
           tn_ffi_type_id_t* type_id; const tn_ffi_type_info_t* type_info;)  // in; in and out; in
TN__STRUCT(CONTEXT_GET, context_get, 40, data, tn_ffi_context_t* context;
           tn_ffi_type_id_t* type_id; void* data;)
TN__STRUCT(STATE_SET, state_set, 48, state, tn_ffi_context_t* context; int32_t stage;
           tn_ffi_type_id_t* type_id; void* state;)  // all in
TN__STRUCT(STATE_GET, state_get, 48, state, tn_ffi_context_t* context; int32_t stage;
           tn_ffi_type_id_t* type_id; void* state;)
TN__STRUCT(STREAM_GET, stream_get, 32, stream, tn_ffi_context_t* context; void* stream;)
TN__STRUCT(MEMORY_ALLOCATE, memory_allocate, 48, data, tn_ffi_context_t* context; size_t size;
           size_t alignment; void* data;)
TN__STRUCT(MEMORY_FREE, memory_free, 40, data, tn_ffi_context_t* context; size_t size;
           void* data;)  // all in
TN__STRUCT(SCHEDULE, schedule, 40, data, tn_ffi_context_t* context; void (*task)(void* data);
           void* data;)  // all in
TN__STRUCT(THREAD_COUNT, thread_count, 32, count, tn_ffi_context_t* context;
           int64_t* count;)  // written through
TN__STRUCT(FUTURE_CREATE, future_create, 16, extension_start, tn_ffi_future_t* future;)
TN__STRUCT(FUTURE_FINISH, future_finish, 24, future, tn_ffi_future_t* future;)  // in
TN__STRUCT(FUTURE_FAIL, future_fail, 32, error, tn_ffi_future_t* future;
           tn_status_t error;)  // both in; the error is taken
TN__STRUCT(RUN_ID_GET, run_id_get, 32, run_id, tn_ffi_context_t* context; int64_t run_id;)
TN__STRUCT(DEVICE_ORDINAL_GET, device_ordinal_get, 28, device_ordinal, tn_ffi_context_t* context;
           int32_t device_ordinal;)
// clang-format on

// The runtime's functions. An older runtime has fewer: a slot exists if struct_size includes it.
typedef struct tn_ffi_api {
  size_t struct_size;
  tn_ffi_extension_t* extension_start;
  tn_ffi_api_version_t api_version;
  tn_ffi_internal_t* internal;
  tn_status_t (*error_create)(tn_ffi_error_create_t*);
  void (*error_get_message)(tn_ffi_error_get_message_t*);
  void (*error_destroy)(tn_ffi_error_destroy_t*);
  tn_status_t (*handler_register)(tn_ffi_handler_register_t*);
  tn_status_t (*stream_get)(tn_ffi_stream_get_t*);
  tn_status_t (*type_register)(tn_ffi_type_register_t*);
  tn_status_t (*context_get)(tn_ffi_context_get_t*);
  tn_status_t (*state_set)(tn_ffi_state_set_t*);
  tn_status_t (*state_get)(tn_ffi_state_get_t*);
  tn_status_t (*memory_allocate)(tn_ffi_memory_allocate_t*);
  tn_status_t (*memory_free)(tn_ffi_memory_free_t*);
  tn_status_t (*schedule)(tn_ffi_schedule_t*);
  tn_status_t (*thread_count)(tn_ffi_thread_count_t*);
  tn_status_t (*future_create)(tn_ffi_future_create_t*);
  tn_status_t (*future_finish)(tn_ffi_future_finish_t*);
  tn_status_t (*future_fail)(tn_ffi_future_fail_t*);
  tn_status_t (*run_id_get)(tn_ffi_run_id_get_t*);
  tn_status_t (*device_ordinal_get)(tn_ffi_device_ordinal_get_t*);
} tn_ffi_api_t;
enum { TN_FFI_API_SIZE = 192, TN_FFI_EXTENSION_SIZE = 24, TN_FFI_METADATA_EXTENSION_SIZE = 32 };

// The functions of tn_map, X(name, operation, C function of doubles; with f appended, of floats):
// those of one operand, then those of two. The place in its list is a function's number: new ones
// are appended.
// clang-format off
#define TN_FFI_UNARY_FUNCTIONS(X)                                                                \
  X(exp, exponential, __builtin_exp) X(expm1, exponential_minus_one, __builtin_expm1)            \
  X(log, log, __builtin_log) X(log1p, log_plus_one, __builtin_log1p)                             \
  X(sqrt, sqrt, __builtin_sqrt) X(rsqrt, rsqrt, tn__one_rsqrt) X(cbrt, cbrt, __builtin_cbrt)     \
  X(sin, sine, __builtin_sin) X(cos, cosine, __builtin_cos) X(tan, tan, __builtin_tan)           \
  X(asin, asin, __builtin_asin) X(acos, acos, __builtin_acos) X(atan, atan, __builtin_atan)      \
  X(sinh, sinh, __builtin_sinh) X(cosh, cosh, __builtin_cosh) X(tanh, tanh, __builtin_tanh)      \
  X(asinh, asinh, __builtin_asinh) X(acosh, acosh, __builtin_acosh)                              \
  X(atanh, atanh, __builtin_atanh) X(logistic, logistic, tn__one_logistic)                       \
  X(erf, erf, __builtin_erf) X(erfc, erfc, __builtin_erfc) X(erf_inv, erf_inv, tn__one_erf_inv)
#define TN_FFI_BINARY_FUNCTIONS(X)                                                               \
  X(pow, power, __builtin_pow) X(atan2, atan2, __builtin_atan2)                                  \
  X(fmod, remainder, __builtin_fmod)
// clang-format on
#define TN__FUNCTION_NUMBER(name, operation, function) TN__FUNCTION_##name,
enum { TN_FFI_UNARY_FUNCTIONS(TN__FUNCTION_NUMBER) TN__UNARY_FUNCTION_COUNT };
enum { TN_FFI_BINARY_FUNCTIONS(TN__FUNCTION_NUMBER) TN__BINARY_FUNCTION_COUNT };

// In the list of the table's extensions, where the runtime has such functions. `map` computes
// out[i] = function(a[i], b[i]), with b NULL for one operand, and is thread-safe; it returns 0 and
// writes nothing if it does not know the function or has none for the dtype.
typedef struct tn_ffi_map_extension {
  tn_ffi_extension_t extension;
  int32_t (*map)(int32_t function, tn_ffi_dtype_t dtype, int64_t count, const void* a,
                 const void* b, void* out);
} tn_ffi_map_extension_t;
enum { TN_FFI_MAP_EXTENSION_SIZE = 32 };

#define TN__AT(type, field, offset) \
  TN__STATIC_ASSERT(offsetof(type, field) == (offset), #type " has another layout");
TN__AT(tn_ffi_call_frame_t, args, 40)
TN__AT(tn_ffi_call_frame_t, rets, 80)
TN__AT(tn_ffi_call_frame_t, future, 168)
TN__AT(tn_ffi_metadata_t, traits, 32)
TN__AT(tn_ffi_metadata_t, state_type_id, 40)
TN__AT(tn_ffi_metadata_extension_t, metadata, 24)
TN__AT(tn_ffi_map_extension_t, map, 24)
TN__AT(tn_ffi_type_register_t, type_info, 40)
TN__AT(tn_ffi_api_t, error_create, 48)
TN__AT(tn_ffi_api_t, device_ordinal_get, 184)

// Signatures: what an operation takes and returns, for runtimes, tools and documentation.
enum { TN_FFI_PARAM_ARG, TN_FFI_PARAM_ATTR, TN_FFI_PARAM_RET };
enum {                           // flags
  TN_FFI_PARAM_REMAINING = 1,    // ARG, RET: variadic, this and all that follow
  TN_FFI_PARAM_OPTIONAL = 2,     // ARG, RET: may be omitted
  TN_FFI_PARAM_LIKE = 4,         // ARG, RET: has the dtype of `same_shape_as`, too
  TN_FFI_PARAM_ENUM = 8,         // ATTR: a scalar with the value of an enum
  TN_FFI_PARAM_ADDRESS = 16,     // ATTR: an s64 with the value of an address
  TN_FFI_PARAM_EVERYTHING = 32,  // ATTR: the attribute dictionary
};
typedef struct tn_ffi_param {
  const char* name;
  const char* doc;        // or NULL
  const char* type_text;  // as written in the list: "float", "of(f32, f64)"
  int32_t kind;           // TN_FFI_PARAM_ARG ...
  // ARG and RET; `dtypes` also for scalars and arrays
  uint64_t dtypes;            // bit TN_FFI_F32 is set if f32 is accepted
  const char* same_dtype_as;  // the other parameter's name or NULL
  int64_t rank;               // -1: any
  uint32_t flags;
  const char* same_shape_as;  // the other parameter's name or NULL
  // ATTR
  int32_t attr_type;                  // TN_FFI_SCALAR ...; 0: decoded_by
  const struct tn_ffi_param* fields;  // of a struct attribute, else NULL
  size_t field_count;
  const char* default_text;       // as written in the list; NULL: required
  int64_t default_integer;        // of a bool, integer, enum
  double default_number;          // of a float, double
  tn_ffi_bytes_t default_string;  // of a string
  // ARG and RET: named dimensions as written in the list, "n, k + 1", or NULL. In libraries built
  // before it was added the struct ends here, as param_size states.
  const char* dims;
} tn_ffi_param_t;

struct tn_op_def;
typedef struct tn_ffi_op {
  size_t struct_size;
  size_t param_size;     // distance in bytes of two params
  const char* name;      // the custom call's target
  const char* platform;  // "Host", "CUDA" ...
  const char* doc;
  int32_t api_version;         // as in StableHLO: 4 typed; 1, 2, 3 legacy
  uint32_t traits;             // TN_FFI_COMMAND_BUFFER_COMPATIBLE
  tn_ffi_bundle_t bundle;      // typed; else all NULL
  tn_ffi_function_t function;  // legacy; else NULL
  const tn_ffi_param_t* params;
  size_t param_count;
  // The definition beyond the handler (<tenon/operation.h>); NULL: none. In libraries built before
  // it was added the struct ends here, as struct_size states.
  const struct tn_op_def* definition;
} tn_ffi_op_t;

// Linked after the metadata extension: the handler of a TN_OP fills in its signature, which lives
// as long as the handler's code. Other handlers leave it NULL.
typedef struct tn_ffi_signature_extension {
  tn_ffi_extension_t extension;
  const tn_ffi_op_t* op;
} tn_ffi_signature_extension_t;
enum { TN_FFI_SIGNATURE_EXTENSION_SIZE = 32 };

// The type of the exported symbol `tenon_library`.
#define TN_FFI_LIBRARY_SYMBOL "tenon_library"
enum { TN_FFI_LIBRARY_VERSION = 1 };
typedef struct tn_ffi_library {
  size_t struct_size;
  int32_t version;  // TN_FFI_LIBRARY_VERSION
  int32_t op_count;
  const tn_ffi_op_t* const* ops;
} tn_ffi_library_t;

#ifdef __cplusplus
}
#endif

#endif  // TENON_DETAIL_CUSTOM_ABI_H_
