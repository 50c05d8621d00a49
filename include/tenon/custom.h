/* Custom operations in plain C. This single header is self-contained and defines handlers of XLA's
 * typed FFI, which JAX, Tenon and every other runtime with that ABI can call. C11 and C++17.
 *
 *   #include <tenon/custom.h>
 *
 *   #define RMS_NORM(ARG, ATTR, RET) \
 *     ARG(x, f32, any_rank)          \
 *     ATTR(eps, float, 1e-5f)        \
 *     RET(y, f32, like(x))
 *
 *   TN_OP(rms_norm, RMS_NORM, "y = x / sqrt(mean(x * x) + eps) over the last axis") {
 *     ... call->x.data, call->eps, call->y.data ...
 *     return TN_OK;
 *   }
 *
 *   TN_LIBRARY(rms_norm)
 *
 * From this signature list the macros generate the struct that `call` points to, its decoder with
 * all checks, the metadata, and the signature that tools read. `rms_norm` is an exported handler.
 * TN_LIBRARY exports the table `tenon_library`, once in a shared library; it may name operations of
 * other files.
 *
 * ARG(name, dtype, shape[, "doc"])   RET(name, dtype, shape[, "doc"])
 *   dtype  pred s8 s16 s32 s64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128 token, sub-byte types
 *          (s4 u4 ...), small floats (f8e4m3fn ...); any; of(f32, f64), up to 12; dtype_of(x)
 *   shape  any_rank; rank(2); like(x): shape and dtype of x; shape_of(x);
 *          optional: a trailing operand or result that may be omitted (tn_is_present);
 *          remaining: variadic, all that follow (tn_get_arg, tn_get_ret)
 *   field  tn_arg_f32_t, tn_ret_f32_t ...: {data, dims, rank, dtype}; tn_arg_any_t, with
 *          `void* data`, unless the dtype is a single one; tn_remaining_t {values, first, count}
 *
 * ATTR(name, type, default[, "doc"])
 *   type   bool, int8_t ... uint64_t, float, double. Integers and floats of another width are
 *          converted if the value is exactly representable.
 *          string: tn_string_t {data, size}. array(float): tn_array_float_t {data, count}.
 *          address: void*. dictionary: tn_dictionary_t (tn_get, tn_has).
 *          enum_of(type, int32_t): a C enum, passed as exactly that integer type.
 *          record(type): a struct attribute, see TN_RECORD.
 *          decoded_by(type, f): tn_status_t f(const tn_call_t*, const tn_ffi_attr_t*, type* out).
 *          all_attributes: the attribute dictionary, which may then have unlisted entries.
 *   default  the value of an omitted attribute, or TN_REQUIRED. Arrays, dictionaries and structs
 *          have TN_EMPTY (the fields of a struct then have their own defaults).
 *
 * In the kernel body these take `call`, or the `const tn_call_t*` call->tn:
 *   return TN_ERROR(call, INVALID_ARGUMENT, "n is %d", n)  one of 16 codes; printf-style
 *   TN_TRY(expression)                                     returns the status unless it is TN_OK
 *   tn_scratch(call, bytes)                                memory until it returns, or NULL
 *   tn_parallel_for(call, count, grain, function, user)    on the runtime's threads
 *   tn_thread_count(call)  tn_stream(call, &stream)  tn_device_ordinal(call, &ordinal)
 *   tn_run_id(call, &id)  tn_user_data(call, type_id, &pointer)
 *   tn_get_arg(call, call->xs, i, f32, &x)  tn_get_ret(call, call->ys, i, any, &y)
 *   tn_get(call, dictionary, "lo", int64_t, &lo)  tn_has(dictionary, "lo")
 *   tn_defer(call, &future), later tn_finish(future) or tn_fail(future, CODE, "...")
 * These take an operand or result: tn_size, tn_last_dim, tn_rank, tn_dim(buffer, axis),
 * tn_byte_size. bf16 and f16 are converted by tn_bf16_to_float, tn_bf16_from_float ...; all small
 * floats by tn_float_read and tn_float_write. tn_shape_parse reads a shape from opaque bytes. See
 * also TN_OP_ON (platform, traits), TN_STATEFUL_OP and TN_UNTYPED.
 *
 * Threads: a handler may be called from several threads at once. This header keeps no global state
 * but hints about the positions of attributes (relaxed atomics) and the ids of state types.
 * Errors are objects of the runtime, created through the table of the call frame; the receiver of
 * an error owns it. */

// Part 1: the binary interface, with XLA's layout, and the table that a library exports. The
// runtime uses the same definitions. TN_FFI_ABI_ONLY omits part 2.
#ifndef TENON_CUSTOM_ABI_
#define TENON_CUSTOM_ABI_

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

// Extensions; the second is Tenon's, linked after the first, and other runtimes do not send it.
enum { TN_FFI_METADATA = 1, TN_FFI_SIGNATURE = 0x746e };
enum { TN_FFI_BUFFER = 1 };                     // values
enum { TN_FFI_COMMAND_BUFFER_COMPATIBLE = 1 };  // traits
// Attribute types, stages, error codes.
// clang-format off
enum { TN_FFI_ARRAY = 1, TN_FFI_DICTIONARY, TN_FFI_SCALAR, TN_FFI_STRING };
enum { TN_FFI_INSTANTIATE, TN_FFI_PREPARE, TN_FFI_INITIALIZE, TN_FFI_EXECUTE };
#define TN_FFI_ERRORS(X)                                                                        \
  X(CANCELLED) X(UNKNOWN) X(INVALID_ARGUMENT) X(DEADLINE_EXCEEDED) X(NOT_FOUND)                  \
  X(ALREADY_EXISTS) X(PERMISSION_DENIED) X(RESOURCE_EXHAUSTED) X(FAILED_PRECONDITION) X(ABORTED) \
  X(OUT_OF_RANGE) X(UNIMPLEMENTED) X(INTERNAL) X(UNAVAILABLE) X(DATA_LOSS) X(UNAUTHENTICATED)
#define TN__FFI_CODE(name) TN_FFI_##name,
enum { TN_FFI_OK, TN_FFI_ERRORS(TN__FFI_CODE) };
// The codes that TN_ERROR takes, and no other name that begins with TN_FFI_.
#define TN__NAMED_CODE(name) TN__ERROR_##name = TN_FFI_##name,
enum { TN_FFI_ERRORS(TN__NAMED_CODE) };

// Element types: X(name in lists, NAME, value, C type). Sub-byte elements take a byte each.
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

#define TN__AT(type, field, offset) \
  TN__STATIC_ASSERT(offsetof(type, field) == (offset), #type " has another layout");
TN__AT(tn_ffi_call_frame_t, args, 40)
TN__AT(tn_ffi_call_frame_t, rets, 80)
TN__AT(tn_ffi_call_frame_t, future, 168)
TN__AT(tn_ffi_metadata_t, traits, 32)
TN__AT(tn_ffi_metadata_t, state_type_id, 40)
TN__AT(tn_ffi_metadata_extension_t, metadata, 24)
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
#endif  // TENON_CUSTOM_ABI_

// Part 2: macros and functions for custom operations.
#if !defined(TENON_CUSTOM_H_) && !defined(TN_FFI_ABI_ONLY)
#define TENON_CUSTOM_H_

#ifdef __cpp_exceptions
#include <exception>
#endif
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__has_include) && !defined(__STDC_NO_THREADS__)
#if __has_include(<threads.h>)
#include <threads.h>
#define TN__YIELD() thrd_yield()
#endif
#endif
#ifndef TN__YIELD
#define TN__YIELD() ((void)0)
#endif

#ifdef __cplusplus
#define TN__EXTERN_C extern "C"
extern "C" {
#else
#define TN__EXTERN_C extern
#endif
#ifdef __cpp_exceptions
#define TN__RUN(result, body)                                                                    \
  try {                                                                                          \
    result = body;                                                                               \
  } catch (const std::exception& tn_thrown) {                                                    \
    result = tn__error(&tn, TN_FFI_UNKNOWN, "an exception left the body: %s", tn_thrown.what()); \
  } catch (...) {                                                                                \
    result = tn__error(&tn, TN_FFI_UNKNOWN, "an exception left the body");                       \
  }
#else
#define TN__RUN(result, body) result = body;
#endif

#ifndef TN_EXPORT  // define it to hide handlers that are built into a program
// Protected: calls inside a library use its own function even if C has one of that name (select).
#ifdef __ELF__
#define TN_EXPORT __attribute__((visibility("protected")))
#else
#define TN_EXPORT __attribute__((visibility("default")))
#endif
#endif
#define TN__HIDDEN __attribute__((visibility("hidden")))
#define TN__PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#define TN__COLD __attribute__((cold, noinline, unused)) static
#define TN__APART __attribute__((noinline, unused)) static
#define TN__UNUSED __attribute__((unused)) static
#define TN__INLINE __attribute__((always_inline, unused)) static inline
// Kernel bodies for 16-bit floats, for which processors have no arithmetic, are also compiled for
// AVX2, which halves the time of their loops. (Instructions that round differently are not
// enabled.)
#if defined __x86_64__ && !defined __AVX2__ && !defined __CUDACC__
#define TN__FOR_AVX2 __attribute__((target("avx2"), flatten, noinline, unused)) static
#define TN__HAS_AVX2() __builtin_cpu_supports("avx2")
#else
#define TN__FOR_AVX2 TN__UNUSED
#define TN__HAS_AVX2() 0
#endif
#define TN__LIKELY(condition) __builtin_expect(!!(condition), 1)
#define TN__UNLIKELY(condition) __builtin_expect(!!(condition), 0)

// ---- Values in a kernel body

// clang-format off
typedef struct tn_f16 { uint16_t bits; } tn_f16_t;
typedef struct tn_bf16 { uint16_t bits; } tn_bf16_t;
typedef struct tn_c64 { float real, imaginary; } tn_c64_t;
typedef struct tn_c128 { double real, imaginary; } tn_c128_t;

// Operands and results: dense and row-major. All have one layout and differ in the type of `data`.
#define TN__BUFFER(suffix, ctype)                                                 \
  typedef struct tn_arg_##suffix { TN__FIELDS(const ctype) } tn_arg_##suffix##_t; \
  typedef struct tn_ret_##suffix { TN__FIELDS(ctype) } tn_ret_##suffix##_t;
#define TN__FIELDS(ctype) ctype* data; const int64_t* dims; int64_t rank; tn_ffi_dtype_t dtype;
#define TN__BUFFER_OF(word, NAME, number, ctype) TN__BUFFER(word, ctype)
TN__BUFFER(any, void)
TN_FFI_DTYPES(TN__BUFFER_OF)

typedef struct tn_remaining { const tn_ffi_values_t* values; int64_t first, count; } tn_remaining_t;
typedef struct tn_string { const char* data; size_t size; } tn_string_t;
typedef struct tn_dictionary { const tn_ffi_attrs_t* attrs; } tn_dictionary_t;
typedef struct tn_ffi_attr { int32_t type; const void* value; } tn_ffi_attr_t;  // as in attrs
typedef void* tn_address_t;
// clang-format on

// The current call. The struct of every operation has a field `tn` that points to it, and so has
// this one: macros that take a call accept either.
typedef struct tn_call {
  struct tn_call* tn;
  tn_ffi_call_frame_t* frame;
  const tn_ffi_op_t* op;
  struct tn__block* blocks;  // scratch memory to free
} tn_call_t;

TN__INLINE int64_t tn__product(const int64_t* dims, int64_t rank) {
  int64_t size = 1;
  for (int64_t i = 0; i < rank; ++i) size *= dims[i];
  return size;
}

// The size in bytes of an element in memory.
TN__INLINE size_t tn_ffi_dtype_size(tn_ffi_dtype_t dtype) {
#define TN__SIZE_CASE(word, NAME, number, ctype) \
  case number: return number == TN_FFI_TOKEN ? 0 : sizeof(ctype);
  switch (dtype) { TN_FFI_DTYPES(TN__SIZE_CASE) default : return 0; }
}

TN__COLD const char* tn_ffi_dtype_name(tn_ffi_dtype_t dtype) {
#define TN__NAME_CASE(word, NAME, number, ctype) \
  case number: return #word;
  switch (dtype) { TN_FFI_DTYPES(TN__NAME_CASE) default : return "no dtype"; }
}

#define tn_rank(buffer) ((buffer).rank)
#define tn_dim(buffer, axis) ((buffer).dims[axis])
#define tn_last_dim(buffer) ((buffer).rank ? (buffer).dims[(buffer).rank - 1] : (int64_t)1)
#define tn_size(buffer) tn__product((buffer).dims, (buffer).rank)
#define tn_byte_size(buffer) ((size_t)tn_size(buffer) * tn_ffi_dtype_size((buffer).dtype))
#define tn_is_present(buffer) ((buffer).dtype != TN_FFI_INVALID)

// ---- Errors

#define TN_ERROR(call, CODE, ...) tn__error((call)->tn, TN__ERROR_##CODE, __VA_ARGS__)
#define TN_TRY(expression)                              \
  do {                                                  \
    const tn_status_t tn_try_ = (expression);           \
    if (TN__UNLIKELY(tn_try_ != TN_OK)) return tn_try_; \
  } while (0)

TN__COLD tn_status_t tn__create_error(const tn_ffi_api_t* api, int32_t code, const char* message) {
  if (code <= TN_FFI_OK || code > TN_FFI_UNAUTHENTICATED) code = TN_FFI_INTERNAL;
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, message, code};
  return api->error_create(&create);
}

TN__COLD void tn__drop_error(const tn_ffi_api_t* api, tn_status_t error) {
  tn_ffi_error_destroy_t destroy = {TN_FFI_ERROR_DESTROY_SIZE, NULL, error};
  if (error != TN_OK) api->error_destroy(&destroy);
}

// A message under construction; text beyond its capacity is truncated.
typedef struct tn__text {
  size_t size;
  char data[1024];
} tn__text_t;

TN__PRINTF(2, 0) TN__COLD void tn__vprint(tn__text_t* text, const char* format, va_list values) {
  const size_t room = sizeof text->data - text->size;
  const int length = vsnprintf(text->data + text->size, room, format, values);
  if (length > 0) text->size += (size_t)length < room ? (size_t)length : room - 1;
}

TN__PRINTF(2, 3) TN__COLD void tn__print(tn__text_t* text, const char* format, ...) {
  va_list values;
  va_start(values, format);
  tn__vprint(text, format, values);
  va_end(values);
}

// Formats a number with a decimal point in any locale.
TN__COLD void tn__print_number(tn__text_t* text, double number) {
  const size_t begin = text->size;
  size_t end = begin;
  tn__print(text, " %.9g", number);
  for (size_t i = begin; i < text->size; ++i) {
    const bool is_of_number = text->data[i] && strchr(" +-.0123456789einfa", text->data[i]);
    if (is_of_number) {
      text->data[end++] = text->data[i];
    } else if (end > begin && text->data[end - 1] != '.') {  // a separator of several bytes
      text->data[end++] = '.';
    }
  }
  text->size = end;
  text->data[end] = 0;
}

// A runtime always creates an error object. Stating that tells the compiler, and so its warnings,
// that an error ends the call.
TN__INLINE tn_status_t tn__refused(tn_status_t error) {
  if (error == TN_OK) __builtin_unreachable();
  return error;
}

// The implementation of TN_ERROR. The message begins with the operation's name.
TN__PRINTF(3, 4)
TN__COLD tn_status_t tn__error(const tn_call_t* call, int32_t code, const char* format, ...) {
  tn__text_t text = {0, ""};
  va_list values;
  va_start(values, format);
  tn__print(&text, "%s: ", call->op->name);
  tn__vprint(&text, format, values);
  va_end(values);
  return tn__create_error(call->frame->api, code, text.data);
}

#define tn__error(...) tn__refused(tn__error(__VA_ARGS__))

// ---- Attribute lookup

TN__INLINE bool tn__is_named(const tn_ffi_attrs_t* attrs, int64_t index, const char* name,
                             size_t size) {
  return TN__LIKELY(attrs->names[index]->size == size) &&
         TN__LIKELY(!memcmp(attrs->names[index]->data, name, size));
}

// The attribute of that name. Attributes are sorted by name, so that the position of one depends on
// which others the caller gives. `hint` stores the distance of its last position from its index in
// the list; if it is not found there, all are searched. `hint` may be NULL.
TN__APART bool tn__find(const tn_ffi_attrs_t* attrs, const char* name, int64_t guess,
                        signed char* hint, tn_ffi_attr_t* out) {
  const size_t size = strlen(name);
  int64_t at = guess + (hint ? __atomic_load_n(hint, __ATOMIC_RELAXED) : 0);
  if (at < 0 || at >= attrs->count || !tn__is_named(attrs, at, name, size)) {
    for (at = 0; at < attrs->count && !tn__is_named(attrs, at, name, size);) ++at;
    if (at == attrs->count) return false;
    const int64_t distance = at - guess;
    if (hint && distance >= INT8_MIN && distance <= INT8_MAX)
      __atomic_store_n(hint, (signed char)distance, __ATOMIC_RELAXED);
  }
  out->type = attrs->types[at];
  out->value = attrs->values[at];
  return true;
}

// ---- Errors of the decoders

TN__COLD void tn__print_type(tn__text_t* text, const tn_ffi_buffer_t* buffer) {
  for (int64_t i = 0; i < buffer->rank; ++i) tn__print(text, "%" PRId64 "x", buffer->dims[i]);
  tn__print(text, "%s", tn_ffi_dtype_name(buffer->dtype));
}

// The number of arguments or results is wrong.
TN__COLD tn_status_t tn__refuse_count(const tn_call_t* call) {
  for (int32_t kind = TN_FFI_PARAM_ARG;; kind = TN_FFI_PARAM_RET) {
    const bool is_arg = kind == TN_FFI_PARAM_ARG;
    const int64_t found = is_arg ? call->frame->args.count : call->frame->rets.count;
    tn__text_t names = {0, ""};
    int64_t least = 0, most = 0;
    for (size_t i = 0; i < call->op->param_count; ++i) {
      const tn_ffi_param_t* param = &call->op->params[i];
      if (param->kind != kind) continue;
      tn__print(&names, "%s%s", names.size ? ", " : "", param->name);
      most = param->flags & TN_FFI_PARAM_REMAINING ? INT64_MAX : most + 1;
      least += !(param->flags & (TN_FFI_PARAM_REMAINING | TN_FFI_PARAM_OPTIONAL));
    }
    if (is_arg && found >= least && found <= most) continue;
    const int64_t wanted = found < least ? least : most;
    return tn__error(call, TN_FFI_INVALID_ARGUMENT,
                     "wanted %s%" PRId64 " %s%s (%s), found %" PRId64,
                     least == most   ? ""
                     : found < least ? "at least "
                                     : "at most ",
                     wanted, is_arg ? "argument" : "result", wanted == 1 ? "" : "s",
                     names.size ? names.data : "none", found);
  }
}

// Whether the value does not match its parameter, without regard to other values.
TN__INLINE bool tn__misfit(const tn_ffi_param_t* param, const tn_ffi_buffer_t* buffer) {
  const uint64_t set = param->dtypes, dtype = (uint32_t)buffer->dtype;
  const bool single = (set & (set - 1)) == 0;
  if (single ? dtype != (uint64_t)__builtin_ctzll(set) : dtype > 63 || !(set >> dtype & 1))
    return true;
  return param->rank >= 0 && buffer->rank != param->rank;
}

TN__INLINE bool tn__same_shape(const int64_t* a, int64_t a_rank, const int64_t* b, int64_t b_rank) {
  if (a_rank != b_rank) return false;
  for (int64_t i = 0; a != b && i < a_rank; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// The value of a parameter, or the first of the variadic ones; NULL if there is none.
TN__COLD const tn_ffi_buffer_t* tn__value_of(const tn_call_t* call, const char* name) {
  int64_t index[3] = {0, 0, 0};
  for (size_t i = 0; i < call->op->param_count; ++i) {
    const tn_ffi_param_t* param = &call->op->params[i];
    const tn_ffi_values_t* values =
        param->kind == TN_FFI_PARAM_ARG ? &call->frame->args : &call->frame->rets;
    if (!strcmp(param->name, name))
      return index[param->kind] < values->count
                 ? (const tn_ffi_buffer_t*)values->values[index[param->kind]]
                 : NULL;
    ++index[param->kind];
  }
  return NULL;
}

// Describes how a value differs from its parameter; OK if it matches.
TN__COLD tn_status_t tn__judge_value(const tn_call_t* call, const tn_ffi_param_t* param,
                                     const tn_ffi_buffer_t* buffer, int64_t offset,
                                     bool relations) {
  tn__text_t text = {0, ""};
  tn__print(&text, "%s %s", param->kind == TN_FFI_PARAM_ARG ? "argument" : "result", param->name);
  if (param->flags & TN_FFI_PARAM_REMAINING) tn__print(&text, "[%" PRId64 "]", offset);
  tn__print(&text, ": wanted ");
  if (!relations) {
    if (!tn__misfit(param, buffer)) return TN_OK;
    const char* between = "";
    for (int32_t dtype = 1; dtype < 63; ++dtype) {
      if (!(param->dtypes >> dtype & 1) || param->dtypes == ~(UINT64_C(1) << 63)) continue;
      tn__print(&text, "%s%s", between, tn_ffi_dtype_name(dtype));
      between = " or ";
    }
    if (param->rank >= 0) tn__print(&text, "%srank %" PRId64, *between ? " of " : "", param->rank);
  } else {
    const char* other_names[] = {param->same_dtype_as, param->same_shape_as,
                                 param->flags & TN_FFI_PARAM_LIKE ? param->same_shape_as : NULL};
    int kind = 0;
    const tn_ffi_buffer_t* other = NULL;
    for (; kind < 3; ++kind) {
      if (!other_names[kind]) continue;
      other = tn__value_of(call, other_names[kind]);
      if (!other) break;
      if (kind == 1 ? !tn__same_shape(buffer->dims, buffer->rank, other->dims, other->rank)
                    : buffer->dtype != other->dtype)
        break;
    }
    if (kind == 3) return TN_OK;
    tn__print(&text, "the %s of %s, ", kind == 1 ? "shape" : "dtype", other_names[kind]);
    if (other)
      tn__print_type(&text, other);
    else
      tn__print(&text, "absent");
  }
  tn__print(&text, ", found ");
  tn__print_type(&text, buffer);
  return tn__error(call, TN_FFI_INVALID_ARGUMENT, "%s", text.data);
}

// Names the first value that does not match the list.
TN__COLD tn_status_t tn__refuse_values(const tn_call_t* call) {
  for (int relations = 0; relations < 2; ++relations) {
    int64_t index[3] = {0, 0, 0};
    for (size_t i = 0; i < call->op->param_count; ++i) {
      const tn_ffi_param_t* param = &call->op->params[i];
      const tn_ffi_values_t* values =
          param->kind == TN_FFI_PARAM_ARG ? &call->frame->args : &call->frame->rets;
      if (param->kind == TN_FFI_PARAM_ATTR) continue;
      const int64_t first = index[param->kind],
                    many = param->flags & TN_FFI_PARAM_REMAINING ? values->count : first + 1;
      for (int64_t k = first; k < many && k < values->count; ++k) {
        if (values->types[k] != TN_FFI_BUFFER) {
          return tn__error(call, TN_FFI_INVALID_ARGUMENT, "%s: wanted a buffer, found type %d",
                           param->name, (int)values->types[k]);
        }
        TN_TRY(tn__judge_value(call, param, (const tn_ffi_buffer_t*)values->values[k], k - first,
                               relations));
      }
      index[param->kind] = many;
    }
  }
  return tn__error(call, TN_FFI_INTERNAL, "the arguments changed while they were looked at");
}

// The path of an attribute: includes the enclosing attribute of a struct field.
typedef struct tn__path {
  const struct tn__path* parent;
  const char* name;
} tn__path_t;

TN__COLD void tn__print_path(tn__text_t* text, const tn__path_t* path, const char* name) {
  if (path) tn__print_path(text, path->parent, path->name);
  tn__print(text, path ? ".%s" : "attribute %s", name);
}

TN__COLD void tn__print_attr(tn__text_t* text, tn_ffi_attr_t attr) {
  if (attr.type == TN_FFI_SCALAR) {
    const tn_ffi_scalar_t* scalar = (const tn_ffi_scalar_t*)attr.value;
    int64_t integer = 0;
    double number = 0;
    tn__print(text, "%s", tn_ffi_dtype_name(scalar->dtype));
    if (scalar->dtype == TN_FFI_S64)
      tn__print(text, " %" PRId64, *(int64_t*)memcpy(&integer, scalar->value, sizeof integer));
    if (scalar->dtype == TN_FFI_F64)
      tn__print_number(text, *(double*)memcpy(&number, scalar->value, sizeof number));
  } else if (attr.type == TN_FFI_ARRAY) {
    const tn_ffi_array_t* array = (const tn_ffi_array_t*)attr.value;
    tn__print(text, "an array of %zu %s", array->count, tn_ffi_dtype_name(array->dtype));
  } else if (attr.type == TN_FFI_STRING) {
    const tn_ffi_bytes_t* bytes = (const tn_ffi_bytes_t*)attr.value;
    tn__print(text, "the string \"%.*s\"", (int)(bytes->size < 40 ? bytes->size : 40), bytes->data);
  } else {
    tn__print(text, attr.type == TN_FFI_DICTIONARY ? "a dictionary" : "something of type %d",
              (int)attr.type);
  }
}

// The attribute is missing or does not have the expected type.
TN__COLD tn_status_t tn__refuse_attr(const tn_call_t* call, const tn__path_t* path,
                                     const tn_ffi_attrs_t* attrs, const char* name,
                                     const char* wanted) {
  tn__text_t text = {0, ""};
  tn_ffi_attr_t found = {0, NULL};
  const bool is_there = tn__find(attrs, name, 0, NULL, &found);
  tn__print_path(&text, path, name);
  tn__print(&text, is_there ? ": wanted %s, found " : " is missing; wanted %s", wanted);
  if (is_there) tn__print_attr(&text, found);
  if (found.type == TN_FFI_SCALAR)
    tn__print(&text, strncmp(wanted, "enum_of(", 8) == 0
                         ? "; enums are not converted: pass that integer type, in JAX "
                           "np.int32(...) for int32_t"
                         : "; other scalars are taken only if it is the same number");
  return tn__error(call, TN_FFI_INVALID_ARGUMENT, "%s", text.data);
}

// The edit distance of two names, up to the limit that matters.
TN__COLD size_t tn__distance(const char* a, size_t a_size, const char* b, size_t b_size) {
  size_t row[64];
  if (a_size > 60 || b_size > 60) return 99;
  for (size_t j = 0; j <= b_size; ++j) row[j] = j;
  for (size_t i = 1; i <= a_size; ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_size; ++j) {
      const size_t change = diagonal + (a[i - 1] != b[j - 1]),
                   drop = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      diagonal = row[j];
      row[j] = change < drop ? change : drop;
    }
  }
  return row[b_size];
}

// Names the first attribute that is not in the list.
TN__COLD tn_status_t tn__refuse_unknown(const tn_call_t* call, const tn__path_t* path,
                                        const tn_ffi_attrs_t* attrs, const tn_ffi_param_t* params,
                                        size_t count) {
  for (int64_t i = 0; i < attrs->count; ++i) {
    tn__text_t names = {0, ""}, text = {0, ""}, spelled = {0, ""};
    const tn_ffi_bytes_t* name = attrs->names[i];
    const char* near = NULL;
    size_t nearest = 3;
    for (size_t k = 0; k < count; ++k) {
      if (params[k].kind != TN_FFI_PARAM_ATTR) continue;
      const size_t size = strlen(params[k].name),
                   distance = tn__distance(name->data, name->size, params[k].name, size);
      if (distance < nearest && distance < size) nearest = distance, near = params[k].name;
      tn__print(&names, "%s%s", names.size ? ", " : "", params[k].name);
    }
    if (nearest == 0) continue;
    tn__print(&spelled, "%.*s", (int)(name->size < 60 ? name->size : 60), name->data);
    tn__print_path(&text, path, spelled.data);
    if (near)
      return tn__error(call, TN_FFI_INVALID_ARGUMENT, "%s is unknown; did you mean %s?", text.data,
                       near);
    return tn__error(call, TN_FFI_INVALID_ARGUMENT, "%s is unknown; wanted %s", text.data,
                     names.size ? names.data : "none");
  }
  return tn__error(call, TN_FFI_INVALID_ARGUMENT, "an attribute is given twice");
}

TN__COLD tn_status_t tn__refuse_frame(const tn_call_t* call, int32_t stage) {
  static const char* const stages[] = {"instantiate", "prepare", "initialize", "execute",
                                       "unknown"};
  const uint32_t found = (uint32_t)call->frame->stage;
  if (call->frame->struct_size >= TN_FFI_CALL_FRAME_SIZE) {
    return tn__error(call, TN_FFI_INVALID_ARGUMENT, "wanted stage %s, found %s", stages[stage],
                     stages[found < 4 ? found : 4]);
  }
  return tn__error(call, TN_FFI_INVALID_ARGUMENT, "wanted a call frame of %d bytes, found %zu",
                   TN_FFI_CALL_FRAME_SIZE, call->frame->struct_size);
}

#define tn__refuse_count(...) tn__refused(tn__refuse_count(__VA_ARGS__))
#define tn__refuse_values(...) tn__refused(tn__refuse_values(__VA_ARGS__))
#define tn__refuse_attr(...) tn__refused(tn__refuse_attr(__VA_ARGS__))
#define tn__refuse_unknown(...) tn__refused(tn__refuse_unknown(__VA_ARGS__))

// ---- Decoding

// The type at this index, combined with the next one if both are among the `least` values that must
// exist; a type at an odd index was then checked with the previous one. All are 1 unless a higher
// bit is set.
TN__INLINE uint64_t tn__types_at(const int32_t* types, int64_t index, int64_t least) {
  uint64_t pair = 0;
  if (index < least && index % 2 == 1) return 0;
  memcpy(&pair, &types[index], index + 1 < least ? 8 : 4);
  return pair;
}

// The buffer, of any type, whose field `dims` this is.
typedef struct __attribute__((may_alias)) tn__seen {
  TN__FIELDS(const void)
} tn__seen_t;
TN__INLINE const tn__seen_t* tn__see(const int64_t* const* dims) {
  return (const tn__seen_t*)(const void*)((const char*)dims - offsetof(tn_arg_any_t, dims));
}

TN__INLINE tn_arg_any_t tn__remaining(tn_remaining_t remaining, int64_t index) {
  const tn_ffi_buffer_t* buffer =
      (const tn_ffi_buffer_t*)remaining.values->values[remaining.first + index];
  const tn_arg_any_t view = {buffer->data, buffer->dims, buffer->rank, buffer->dtype};
  return view;
}

static const tn_ffi_attrs_t tn__no_attrs = {TN_FFI_ATTRS_SIZE, NULL, 0, NULL, NULL, NULL};

// Converts a scalar to another type; false if that type cannot represent the value.
TN__APART bool tn__convert(tn_ffi_attr_t attr, tn_ffi_dtype_t dtype, void* out) {
  const tn_ffi_scalar_t* from = (const tn_ffi_scalar_t*)attr.value;
  if (from->dtype == TN_FFI_F32 && dtype == TN_FFI_F64) {
    float value;
    memcpy(&value, from->value, sizeof value);
    const double wide = value;
    return memcpy(out, &wide, sizeof wide) != NULL;
  }
  if (from->dtype == TN_FFI_F64 && dtype == TN_FFI_F32) {
    double value;
    memcpy(&value, from->value, sizeof value);
    const float narrow = (float)value;
    memcpy(out, &narrow, sizeof narrow);
    return (double)narrow == value || value != value;
  }
  if (from->dtype < TN_FFI_S8 || from->dtype > TN_FFI_U64 || dtype < TN_FFI_S8 ||
      dtype > TN_FFI_U64)
    return false;
  // Integers: the bits that the type keeps must represent the same number, including its sign.
  const bool from_signed = from->dtype <= TN_FFI_S64, to_signed = dtype <= TN_FFI_S64;
  const int from_shift = 64 - 8 * (int)tn_ffi_dtype_size(from->dtype),
            to_shift = 64 - 8 * (int)tn_ffi_dtype_size(dtype);
  uint64_t bits = 0;
  memcpy(&bits, from->value, tn_ffi_dtype_size(from->dtype));
  if (from_signed) bits = (uint64_t)((int64_t)(bits << from_shift) >> from_shift);
  const uint64_t kept = to_signed ? (uint64_t)((int64_t)(bits << to_shift) >> to_shift)
                                  : bits << to_shift >> to_shift;
  memcpy(out, &kept, tn_ffi_dtype_size(dtype));
  return kept == bits && (from_signed && (int64_t)bits < 0) == (to_signed && (int64_t)kept < 0);
}

// Scalar types of attributes: X(C type, NAME). For each: the set with its dtype, tn_array_TYPE_t,
// and decoders of a scalar without and with conversion and of an array.
// clang-format off
#define TN__SCALARS(X)                                                            \
  X(bool, PRED) X(int8_t, S8) X(int16_t, S16) X(int32_t, S32) X(int64_t, S64)     \
  X(uint8_t, U8) X(uint16_t, U16) X(uint32_t, U32) X(uint64_t, U64) X(float, F32) \
  X(double, F64)
// clang-format on
#define TN__SCALAR(ctype, NAME)                                                                    \
  enum { tn_element_##ctype = TN_FFI_##NAME };                                                     \
  typedef struct tn_array_##ctype {                                                                \
    const ctype* data;                                                                             \
    int64_t count;                                                                                 \
  } tn_array_##ctype##_t;                                                                          \
  TN__INLINE bool tn__exact_##ctype(const tn_ffi_attr_t* attr, ctype* out) {                       \
    const tn_ffi_scalar_t* scalar = (const tn_ffi_scalar_t*)attr->value;                           \
    if (TN__UNLIKELY(attr->type != TN_FFI_SCALAR) || TN__UNLIKELY(scalar->dtype != TN_FFI_##NAME)) \
      return false;                                                                                \
    memcpy(out, scalar->value, sizeof *out);                                                       \
    return true;                                                                                   \
  }                                                                                                \
  TN__INLINE bool tn__as_##ctype(const tn_ffi_attr_t* attr, ctype* out) {                          \
    if (TN__LIKELY(tn__exact_##ctype(attr, out))) return true;                                     \
    ctype                                                                                          \
        converted; /* so that the body's struct is not known outside and may live in registers */  \
    if (attr->type != TN_FFI_SCALAR || !tn__convert(*attr, TN_FFI_##NAME, &converted))             \
      return false;                                                                                \
    *out = converted;                                                                              \
    return true;                                                                                   \
  }                                                                                                \
  TN__INLINE bool tn__as_array_##ctype(const tn_ffi_attr_t* attr, tn_array_##ctype##_t* out) {     \
    const tn_ffi_array_t* array = (const tn_ffi_array_t*)attr->value;                              \
    if (attr->type != TN_FFI_ARRAY || array->dtype != TN_FFI_##NAME) return false;                 \
    out->data = (const ctype*)array->data;                                                         \
    out->count = (int64_t)array->count;                                                            \
    return true;                                                                                   \
  }
TN__SCALARS(TN__SCALAR)

TN__INLINE bool tn__as_string(const tn_ffi_attr_t* attr, tn_string_t* out) {
  const tn_ffi_bytes_t* bytes = (const tn_ffi_bytes_t*)attr->value;
  if (attr->type != TN_FFI_STRING) return false;
  out->data = bytes->data;
  out->size = bytes->size;
  return true;
}

TN__INLINE bool tn__as_dictionary(const tn_ffi_attr_t* attr, tn_dictionary_t* out) {
  if (attr->type != TN_FFI_DICTIONARY) return false;
  out->attrs = (const tn_ffi_attrs_t*)attr->value;
  return true;
}

TN__INLINE bool tn__as_address(const tn_ffi_attr_t* attr, tn_address_t* out) {
  int64_t address = 0;
  if (!tn__exact_int64_t(attr, &address)) return false;
  *out = (tn_address_t)(intptr_t)address;
  return true;
}

// Reads an entry of a dictionary: tn_get(call, dictionary, "name", type, &value), where the type is
// that of a scalar, or string, address, dictionary, array(float).
#define tn_get(call, from, name, type, out) TN__GET_##type((call)->tn, from, name, out)
#define tn_has(from, name) tn__has((from).attrs, name)
TN__UNUSED bool tn__has(const tn_ffi_attrs_t* attrs, const char* name) {
  tn_ffi_attr_t found;
  return tn__find(attrs, name, 0, NULL, &found);
}
#define TN__GETTER(getter, decode, ctype, text)                                              \
  TN__COLD tn_status_t getter(const tn_call_t* call, tn_dictionary_t from, const char* name, \
                              ctype* out) {                                                  \
    tn_ffi_attr_t found = {0, NULL};                                                         \
    if (tn__find(from.attrs, name, 0, NULL, &found) && decode(&found, out)) return TN_OK;    \
    return tn__refuse_attr(call, NULL, from.attrs, name, text);                              \
  }
#define TN__GETTERS(ctype, NAME)                             \
  TN__GETTER(TN__GET_##ctype, tn__as_##ctype, ctype, #ctype) \
  TN__GETTER(TN__GET_array_##ctype, tn__as_array_##ctype, tn_array_##ctype##_t, "array(" #ctype ")")
#define TN__GET_array(T) TN__GET_array_##T
TN__SCALARS(TN__GETTERS)
TN__GETTER(TN__GET_string, tn__as_string, tn_string_t, "string")
TN__GETTER(TN__GET_address, tn__as_address, tn_address_t, "address")
TN__GETTER(TN__GET_dictionary, tn__as_dictionary, tn_dictionary_t, "dictionary")

// One of the variadic arguments or results: tn_get_arg(call, call->xs, i, f32, &x); `any` accepts
// every dtype.
#define tn_get_arg(call, from, index, word, out) \
  tn__get_value((call)->tn, from, index, tn_element_##word, 1 ? (out) : (tn_arg_##word##_t*)NULL)
#define tn_get_ret(call, from, index, word, out) \
  tn__get_value((call)->tn, from, index, tn_element_##word, 1 ? (out) : (tn_ret_##word##_t*)NULL)

TN__UNUSED tn_status_t tn__get_value(const tn_call_t* call, tn_remaining_t from, int64_t index,
                                     tn_ffi_dtype_t dtype, void* out) {
  if (index < 0 || index >= from.count) {
    return tn__error(call, TN_FFI_OUT_OF_RANGE,
                     "remaining value %" PRId64 " does not exist; expected an index below %" PRId64,
                     index, from.count);
  }
  const tn_arg_any_t view = tn__remaining(from, index);
  if (dtype != TN_FFI_INVALID && view.dtype != dtype) {
    return tn__error(call, TN_FFI_INVALID_ARGUMENT,
                     "remaining value %" PRId64 ": wanted %s, found %s", index,
                     tn_ffi_dtype_name(dtype), tn_ffi_dtype_name(view.dtype));
  }
  memcpy(out, &view, sizeof view);
  return TN_OK;
}

// ---- Keywords of the lists
// A keyword is a macro for "~, 1, ..."; any other name remains one token, for which the macros that
// select a part substitute a default. A mistake therefore fails exactly one assertion, which names
// it (see TN__FIELD).

#define TN__CAT(a, b) TN__PASTE(a, b)
#define TN__PASTE(a, b) a##b
#define TN__PLAIN(...) __VA_ARGS__
#define TN__NONE(...)
#define TN__ONE(...) +1
#define TN__2ND(a, b, ...) b
#define TN__3RD(a, b, c, ...) c
#define TN__4TH(a, b, c, d, ...) d
#define TN__5TH(a, b, c, d, e, ...) e
#define TN__6TH(a, b, c, d, e, f, ...) f
#define TN__KNOWN(...) TN__2ND(__VA_ARGS__, 0, ~)

// Element types: ~, 1, suffix of the struct, (set, same dtype as), substitute.
#define TN__SUFFIX(...) TN__3RD(__VA_ARGS__, any, any, ~)
#define TN__DTYPES(...) TN__4TH(__VA_ARGS__, (0, NULL), (0, NULL), (0, NULL), ~)
#define TN__DTYPE_OTHER(...) \
  TN__5TH(__VA_ARGS__, (*tn_value), (*tn_value), (*tn_value), (*tn_value), ~)
#define TN__ELEMENT(word, NAME, number, ctype) tn_element_##word = number,
enum { TN_FFI_DTYPES(TN__ELEMENT) tn_element_any = 0, tn_element_none = 63 };
#define TN__BIT(word) (UINT64_C(1) << tn_element_##word)
#define TN__ANY (~TN__BIT(none))
#define TN__D_any ~, 1, any, (TN__ANY, NULL), (*tn_value)
#define TN__D_dtype_of(x) ~, 1, any, (TN__ANY, #x), tn_self->x
#define TN__D_of(...)                                                                           \
  ~, 1, any,                                                                                    \
      (TN__UNITE(__VA_ARGS__, none, none, none, none, none, none, none, none, none, none, none, \
                 none, ~),                                                                      \
       NULL),                                                                                   \
      (*tn_value)
#define TN__UNITE(a, b, c, d, e, f, g, h, i, j, k, l, ...)                                  \
  (TN__ANY & (TN__BIT(a) | TN__BIT(b) | TN__BIT(c) | TN__BIT(d) | TN__BIT(e) | TN__BIT(f) | \
              TN__BIT(g) | TN__BIT(h) | TN__BIT(i) | TN__BIT(j) | TN__BIT(k) | TN__BIT(l)))
#define TN__FIXED(word) ~, 1, word, (TN__BIT(word), NULL), (*tn_value)
#define TN__D_pred TN__FIXED(pred)
#define TN__D_s1 TN__FIXED(s1)
#define TN__D_s2 TN__FIXED(s2)
#define TN__D_s4 TN__FIXED(s4)
#define TN__D_s8 TN__FIXED(s8)
#define TN__D_s16 TN__FIXED(s16)
#define TN__D_s32 TN__FIXED(s32)
#define TN__D_s64 TN__FIXED(s64)
#define TN__D_u1 TN__FIXED(u1)
#define TN__D_u2 TN__FIXED(u2)
#define TN__D_u4 TN__FIXED(u4)
#define TN__D_u8 TN__FIXED(u8)
#define TN__D_u16 TN__FIXED(u16)
#define TN__D_u32 TN__FIXED(u32)
#define TN__D_u64 TN__FIXED(u64)
#define TN__D_f16 TN__FIXED(f16)
#define TN__D_bf16 TN__FIXED(bf16)
#define TN__D_f32 TN__FIXED(f32)
#define TN__D_f64 TN__FIXED(f64)
#define TN__D_c64 TN__FIXED(c64)
#define TN__D_c128 TN__FIXED(c128)
#define TN__D_token TN__FIXED(token)
#define TN__D_f4e2m1fn TN__FIXED(f4e2m1fn)
#define TN__D_f8e3m4 TN__FIXED(f8e3m4)
#define TN__D_f8e4m3 TN__FIXED(f8e4m3)
#define TN__D_f8e4m3fn TN__FIXED(f8e4m3fn)
#define TN__D_f8e4m3b11fnuz TN__FIXED(f8e4m3b11fnuz)
#define TN__D_f8e4m3fnuz TN__FIXED(f8e4m3fnuz)
#define TN__D_f8e5m2 TN__FIXED(f8e5m2)
#define TN__D_f8e5m2fnuz TN__FIXED(f8e5m2fnuz)
#define TN__D_f8e8m0fnu TN__FIXED(f8e8m0fnu)

// Shapes: ~, 1, number of values, (rank, flags, same shape as), substitute.
#define TN__MANY(...) TN__3RD(__VA_ARGS__, one, one, ~)
#define TN__SHAPE(...) TN__4TH(__VA_ARGS__, (0, 0, NULL), (0, 0, NULL), (0, 0, NULL), ~)
#define TN__SHAPE_OTHER(...) \
  TN__5TH(__VA_ARGS__, (*tn_value), (*tn_value), (*tn_value), (*tn_value), ~)
#define TN__S_any_rank ~, 1, one, (-1, 0, NULL), (*tn_value)
#define TN__S_rank(n) ~, 1, one, (n, 0, NULL), (*tn_value)
#define TN__S_like(x) ~, 1, one, (-1, TN_FFI_PARAM_LIKE, #x), tn_self->x
#define TN__S_shape_of(x) ~, 1, one, (-1, 0, #x), tn_self->x
#define TN__S_optional ~, 1, maybe, (-1, TN_FFI_PARAM_OPTIONAL, NULL), (*tn_value)
#define TN__S_remaining ~, 1, rest, (-1, TN_FFI_PARAM_REMAINING, NULL), (*tn_value)

// Attributes: ~, 1, C type, kind of default, expression that decodes tn_found into *tn_out, (set,
// same dtype as, rank, flags, same shape as, type in the ABI, fields, number of fields).
#define TN__CTYPE(...) TN__3RD(__VA_ARGS__, int, int, ~)
#define TN__DEFAULT(...) TN__4TH(__VA_ARGS__, unknown, unknown, unknown, ~)
#define TN__DECODER(...) TN__5TH(__VA_ARGS__, false, false, false, false, ~)
#define TN__ATTR(...) \
  TN__6TH(__VA_ARGS__, TN__NO_ATTR, TN__NO_ATTR, TN__NO_ATTR, TN__NO_ATTR, TN__NO_ATTR, ~)
#define TN__NO_ATTR (0, NULL, -1, 0, NULL, 0, NULL, 0)
#define TN__A(ctype, way, decoder, set, flags, wire, fields, count) \
  ~, 1, ctype, way, decoder, (set, NULL, -1, flags, NULL, wire, fields, count)
#define TN__NUMBER_ATTR(T, way)                                                               \
  TN__A(T, way,                                                                               \
        (tn__exact_##T(&tn_found, tn_out) || (tn_converts && tn__as_##T(&tn_found, tn_out))), \
        UINT64_C(1) << tn_element_##T, 0, TN_FFI_SCALAR, NULL, 0)
#define TN__A_bool TN__NUMBER_ATTR(bool, integer)
#define TN__A_int8_t TN__NUMBER_ATTR(int8_t, integer)
#define TN__A_int16_t TN__NUMBER_ATTR(int16_t, integer)
#define TN__A_int32_t TN__NUMBER_ATTR(int32_t, integer)
#define TN__A_int64_t TN__NUMBER_ATTR(int64_t, integer)
#define TN__A_uint8_t TN__NUMBER_ATTR(uint8_t, integer)
#define TN__A_uint16_t TN__NUMBER_ATTR(uint16_t, integer)
#define TN__A_uint32_t TN__NUMBER_ATTR(uint32_t, integer)
#define TN__A_uint64_t TN__NUMBER_ATTR(uint64_t, integer)
#define TN__A_float TN__NUMBER_ATTR(float, number)
#define TN__A_double TN__NUMBER_ATTR(double, number)
#define TN__A_address                                                         \
  TN__A(tn_address_t, value, tn__as_address(&tn_found, tn_out), TN__BIT(s64), \
        TN_FFI_PARAM_ADDRESS, TN_FFI_SCALAR, NULL, 0)
#define TN__A_string \
  TN__A(tn_string_t, text, tn__as_string(&tn_found, tn_out), 0, 0, TN_FFI_STRING, NULL, 0)
#define TN__A_array(T)                                                \
  TN__A(tn_array_##T##_t, empty, tn__as_array_##T(&tn_found, tn_out), \
        UINT64_C(1) << tn_element_##T, 0, TN_FFI_ARRAY, NULL, 0)
#define TN__A_dictionary                                                                        \
  TN__A(tn_dictionary_t, fields, tn__as_dictionary(&tn_found, tn_out), 0, 0, TN_FFI_DICTIONARY, \
        NULL, 0)
#define TN__A_all_attributes                                                                       \
  TN__A(tn_dictionary_t, fields, tn__as_dictionary(&tn_found, tn_out), 0, TN_FFI_PARAM_EVERYTHING, \
        TN_FFI_DICTIONARY, NULL, 0)
#define TN__A_enum_of(T, wire)                                                                     \
  TN__A(                                                                                           \
      T, integer,                                                                                  \
      (tn__exact_##wire(&tn_found, &tn_wire.as_##wire) && (*tn_out = (T)tn_wire.as_##wire, true)), \
      UINT64_C(1) << tn_element_##wire, TN_FFI_PARAM_ENUM, TN_FFI_SCALAR, NULL, 0)
#define TN__A_record(T)                                                          \
  TN__A(T, fields,                                                               \
        (tn_found.type == TN_FFI_DICTIONARY &&                                   \
         (tn_bad = T##_decode(tn_out, tn_call, &tn_here,                         \
                              (const tn_ffi_attrs_t*)tn_found.value)) == TN_OK), \
        0, 0, TN_FFI_DICTIONARY, T##_fields, sizeof T##_fields / sizeof *T##_fields - 1)
#define TN__A_decoded_by(T, function)                                                             \
  TN__A(T, value, (tn_found.type && (tn_bad = function(tn_call, &tn_found, tn_out)) == TN_OK), 0, \
        0, 0, NULL, 0)
typedef union tn__wire {
  bool as_bool;
  int8_t as_int8_t;
  int16_t as_int16_t;
  int32_t as_int32_t;
  int64_t as_int64_t;
  uint8_t as_uint8_t;
  uint16_t as_uint16_t;
  uint32_t as_uint32_t;
  uint64_t as_uint64_t;
} tn__wire_t;

// Defaults, by kind: the entry of the signature (TN__SAY: text, integer, number, string), and the
// assignment to the struct (TN__PUT). TN__WAY is the kind, or `required` for TN_REQUIRED.
#define TN_REQUIRED() ~, 1
#define TN_EMPTY 0
#define TN__WAY(way, ...) TN__CAT(TN__WAY_, TN__IS_REQUIRED(__VA_ARGS__, ~))(way)
#define TN__IS_REQUIRED(value, ...) TN__KNOWN(value())
#define TN__WAY_0(way) way
#define TN__WAY_1(way) required
// clang-format off
#define TN__SAY_required(...) NULL, 0, 0.0, {NULL, 0}
#define TN__SAY_unknown(...) NULL, 0, 0.0, {NULL, 0}
#define TN__SAY_integer(value, ...) #value, (int64_t)(value), 0.0, {NULL, 0}
#define TN__SAY_number(value, ...) #value, 0, (double)(value), {NULL, 0}
#define TN__SAY_text(value, ...) #value, 0, 0.0, {"" value, sizeof(value) - 1}
#define TN__SAY_value(value, ...) #value, 0, 0.0, {NULL, 0}
#define TN__SAY_empty(value, ...) "", (value), 0.0, {NULL, 0}
#define TN__SAY_fields(value, ...) "", (value), 0.0, {NULL, 0}
// clang-format on
#define TN__PUT_required(decoder, ...) return TN__REFUSE_ATTR();
#define TN__PUT_unknown(decoder, ...)
#define TN__PUT_integer(decoder, otherwise, ...) *tn_out = (otherwise);
#define TN__PUT_number(decoder, otherwise, ...) *tn_out = (otherwise);
#define TN__PUT_text(decoder, otherwise, ...) \
  tn_out->data = (otherwise), tn_out->size = sizeof(otherwise) - 1;
#define TN__PUT_value(decoder, otherwise, ...) *tn_out = (otherwise);
#define TN__PUT_empty(decoder, otherwise, ...) memset(tn_out, (otherwise), sizeof *tn_out);
#define TN__PUT_fields(decoder, otherwise, ...)    \
  tn_found.type = TN_FFI_DICTIONARY + (otherwise); \
  tn_found.value = &tn__no_attrs;                  \
  if (!(decoder)) return tn_bad;

// ---- Expansions of the lists

// The struct, with its assertions.
#define TN__FIELD_ARG(name, dtype, ...)                                               \
  TN__FIELD(arg, name, "ARG(" #name ", " #dtype ", " #__VA_ARGS__ ")", TN__D_##dtype, \
            TN__S_##__VA_ARGS__, ~)
#define TN__FIELD_RET(name, dtype, ...)                                               \
  TN__FIELD(ret, name, "RET(" #name ", " #dtype ", " #__VA_ARGS__ ")", TN__D_##dtype, \
            TN__S_##__VA_ARGS__, ~)
#define TN__FIELD(side, name, text, d, s, ...)                             \
  TN__STATIC_ASSERT(TN__KNOWN(d), text ": there is no such element type"); \
  TN__STATIC_ASSERT(TN__KNOWN(s), text ": there is no such shape");        \
  TN__FIELD_AS(TN__MANY(s), side, TN__SUFFIX(d), name)
#define TN__FIELD_AS(many, side, suffix, name) TN__FIELD_OF(many, side, suffix, name)
#define TN__FIELD_OF(many, side, suffix, name) TN__FIELD_##many(side, suffix, name)
#define TN__FIELD_one(side, suffix, name) tn_##side##_##suffix##_t name;
#define TN__FIELD_maybe(side, suffix, name) tn_##side##_##suffix##_t name;
#define TN__FIELD_rest(side, suffix, name) tn_remaining_t name;
#define TN__FIELD_ATTR(name, type, ...)                                                            \
  TN__STATIC_ASSERT(TN__KNOWN(TN__A_##type),                                                       \
                    "ATTR(" #name ", " #type ", ...): there is no such type of attributes");       \
  TN__STATIC_ASSERT(sizeof(#__VA_ARGS__) > 1,                                                      \
                    "ATTR(" #name ", " #type "): it has no default; TN_REQUIRED stands for none"); \
  TN__CTYPE(TN__A_##type) name;
#define TN__MEMBER_ATTR(name, type, ...) TN__CTYPE(TN__A_##type) name;
#define TN__COPY_ATTR(name, type, ...) tn_self->name = tn_attrs.name;
// Checks the order, as a number that is 1 if something follows the variadic values (9999 + 1 < 999
// || 0 + 1) or a required value follows an optional one.
#define TN__AFTER_REST(name, dtype, ...) TN__CAT(TN__AFTER_REST_, TN__MANY(TN__S_##__VA_ARGS__))
#define TN__AFTER_REST_one +1
#define TN__AFTER_REST_maybe +1
#define TN__AFTER_REST_rest +1 < 999 || 0
#define TN__AFTER_MAYBE(name, dtype, ...) TN__CAT(TN__AFTER_MAYBE_, TN__MANY(TN__S_##__VA_ARGS__))
#define TN__AFTER_MAYBE_one +1
#define TN__AFTER_MAYBE_maybe < 0 || 0
#define TN__AFTER_MAYBE_rest

// The signature.
#define TN__ROW_ARG(name, dtype, ...) \
  TN__ROW(#name, #dtype, TN_FFI_PARAM_ARG, TN__D_##dtype, TN__S_##__VA_ARGS__, NULL, ~)
#define TN__ROW_RET(name, dtype, ...) \
  TN__ROW(#name, #dtype, TN_FFI_PARAM_RET, TN__D_##dtype, TN__S_##__VA_ARGS__, NULL, ~)
#define TN__ROW(name, dtype, kind, d, s, doc, ...) \
  TN__ROW_AS(name, doc, dtype, kind, TN__DTYPES(d), TN__SHAPE(s))
#define TN__ROW_AS(name, doc, dtype, kind, d, s) \
  {name, doc, dtype, kind, TN__PLAIN d, TN__PLAIN s, 0, NULL, 0, NULL, 0, 0.0, {NULL, 0}},
#define TN__ROW_ATTR(name, type, ...)                                      \
  TN__ROW_ATTR_AS(                                                         \
      #name, TN__2ND(__VA_ARGS__, NULL, ~), #type, TN__ATTR(TN__A_##type), \
      TN__CAT(TN__SAY_, TN__WAY(TN__DEFAULT(TN__A_##type), __VA_ARGS__))(__VA_ARGS__, ~))
#define TN__ROW_ATTR_AS(name, doc, type, attr, ...) \
  {name, doc, type, TN_FFI_PARAM_ATTR, TN__PLAIN attr, __VA_ARGS__},
// clang-format off
#define TN__ROW_END {NULL, NULL, NULL, 0, 0, NULL, 0, 0, NULL, 0, NULL, 0, NULL, 0, 0.0, {NULL, 0}}
// clang-format on
#define TN__ROWS(rows) rows, sizeof rows / sizeof *rows - 1

// The decoder of attributes, for operations and structs.
#define TN__DECODE_ATTR(name, type, ...)                                                 \
  TN__DECODE_ATTR_AS(name, #name, TN__CTYPE(TN__A_##type), (TN__DECODER(TN__A_##type)),  \
                     TN__CAT(TN__PUT_, TN__WAY(TN__DEFAULT(TN__A_##type), __VA_ARGS__)), \
                     __VA_ARGS__)
#define TN__DECODE_ATTR_AS(name, text, ctype, decoder, put, ...)        \
  {                                                                     \
    const tn__path_t tn_here = {tn_path, text};                         \
    tn_ffi_attr_t tn_found = {0, NULL};                                 \
    ctype* const tn_out = &tn_self->name;                               \
    (void)tn_here, (void)tn_out;                                        \
    if (tn_row->flags & TN_FFI_PARAM_EVERYTHING) {                      \
      tn_found.type = TN_FFI_DICTIONARY, tn_found.value = tn_attrs;     \
      tn_seen = tn_attrs->count - 1, tn_open = true;                    \
    } else {                                                            \
      tn__find(tn_attrs, text, tn_attr, &tn_hints[tn_attr], &tn_found); \
    }                                                                   \
    if (TN__LIKELY(decoder)) {                                          \
      ++tn_seen;                                                        \
    } else if (tn_found.type) {                                         \
      return tn_bad ? tn_bad : TN__REFUSE_ATTR();                       \
    } else {                                                            \
      put(decoder, __VA_ARGS__, ~)                                      \
    }                                                                   \
    ++tn_attr, ++tn_row;                                                \
  }
#define TN__REFUSE_ATTR() \
  tn__refuse_attr(tn_call, tn_path, tn_attrs, tn_row->name, tn_row->type_text)
#define TN__NEXT_ROW(...) ++tn_row;
#define TN__DECODE_ATTRS(rows, statements)                                        \
  enum { tn_converts = 1 };                                                       \
  const tn_ffi_param_t* tn_row = rows;                                            \
  int64_t tn_attr = 0, tn_seen = 0;                                               \
  tn_status_t tn_bad = TN_OK;                                                     \
  tn__wire_t tn_wire;                                                             \
  bool tn_open = false;                                                           \
  (void)tn_self, (void)tn_row, (void)tn_attr, (void)tn_bad, (void)tn_wire;        \
  statements if (TN__LIKELY(tn_open || tn_seen == tn_attrs->count)) return TN_OK; \
  return tn__refuse_unknown(tn_call, tn_path, tn_attrs, TN__ROWS(rows))

// The common case, in registers: scalars and the like, all given, at their last positions.
#define TN__QUICK_ATTR(name, type, ...)                                                \
  TN__QUICK_ATTR_AS(name, #name, TN__CTYPE(TN__A_##type), (TN__DECODER(TN__A_##type)), \
                    TN__CAT(TN__QUICK_, TN__DEFAULT(TN__A_##type)))
#define TN__QUICK_ATTR_AS(name, text, ctype, decoder, quick) quick(name, text, ctype, decoder)
#define TN__QUICK_unknown(name, text, ctype, decoder) return false;
#define TN__QUICK_fields(name, text, ctype, decoder) return false;
#define TN__QUICK_value(name, text, ctype, decoder) return false;
#define TN__QUICK_integer(name, text, ctype, decoder)                                      \
  {                                                                                        \
    const int64_t tn_at = tn_attr + __atomic_load_n(&tn_hints[tn_attr], __ATOMIC_RELAXED); \
    ctype* const tn_out = &tn_self->name;                                                  \
    if (!TN__LIKELY((uint64_t)tn_at < (uint64_t)tn_count)) return false;                   \
    if (!tn__is_named(tn_attrs, tn_at, text, sizeof text - 1)) return false;               \
    const tn_ffi_attr_t tn_found = {tn_attrs->types[tn_at], tn_attrs->values[tn_at]};      \
    if (!TN__LIKELY(decoder)) return false;                                                \
    ++tn_attr;                                                                             \
  }
#define TN__QUICK_number TN__QUICK_integer
#define TN__QUICK_text TN__QUICK_integer
#define TN__QUICK_empty TN__QUICK_integer

// The decoder of arguments and results: checks their number, reads them, and, once all are present,
// checks them against each other.
#define TN__LEAST(name, dtype, ...) TN__CAT(TN__LEAST_, TN__MANY(TN__S_##__VA_ARGS__))
#define TN__LEAST_one +1
#define TN__LEAST_maybe
#define TN__LEAST_rest
#define TN__MOST(name, dtype, ...) TN__CAT(TN__MOST_, TN__MANY(TN__S_##__VA_ARGS__))
#define TN__MOST_one +1
#define TN__MOST_maybe +1
#define TN__MOST_rest +(INT64_C(1) << 62)
#define TN__TYPE_ARG(name, dtype, ...) TN__TYPE(TN__MANY(TN__S_##__VA_ARGS__), tn_args, tn_arg)
#define TN__TYPE_RET(name, dtype, ...) TN__TYPE(TN__MANY(TN__S_##__VA_ARGS__), tn_rets, tn_ret)
#define TN__TYPE(many, source, index) TN__CAT(TN__TYPE_, many)(source, index)
#define TN__TYPE_one(source, index) \
  tn_types |= tn__types_at(source->types, index, least_##index), ++index;
#define TN__TYPE_maybe(source, index) \
  if (index < source->count) TN__TYPE_one(source, index)
#define TN__TYPE_rest(source, index) \
  while (index < source->count) TN__TYPE_one(source, index)
#define TN__TAKE_ARG(name, dtype, ...) \
  TN__TAKE(TN__MANY(TN__S_##__VA_ARGS__), name, tn_args, tn_arg)
#define TN__TAKE_RET(name, dtype, ...) \
  TN__TAKE(TN__MANY(TN__S_##__VA_ARGS__), name, tn_rets, tn_ret)
#define TN__TAKE(many, name, source, index) TN__TAKE_AS(many, name, source, index)
#define TN__TAKE_AS(many, name, source, index) TN__TAKE_##many(name, source, index)
#define TN__TAKE_one(name, source, index)                                                   \
  {                                                                                         \
    const tn_ffi_buffer_t* const tn_buffer = (const tn_ffi_buffer_t*)source->values[index]; \
    const tn_arg_any_t tn_view = {tn_buffer->data, tn_buffer->dims, tn_buffer->rank,        \
                                  tn_buffer->dtype};                                        \
    if (TN__UNLIKELY(tn__misfit(tn_row, tn_buffer))) return tn__refuse_values(tn_call);     \
    memcpy(&tn_self->name, &tn_view, sizeof tn_view);                                       \
  }                                                                                         \
  ++index, ++tn_row;
#define TN__TAKE_maybe(name, source, index)        \
  memset(&tn_self->name, 0, sizeof tn_self->name); \
  if (index < source->count) {                     \
    TN__TAKE_one(name, source, index)              \
  } else {                                         \
    ++tn_row;                                      \
  }
#define TN__TAKE_rest(name, source, index)                                         \
  tn_self->name.values = source;                                                   \
  tn_self->name.first = index;                                                     \
  tn_self->name.count = source->count - index;                                     \
  for (; index < source->count; ++index)                                           \
    tn_wrong |= tn__misfit(tn_row, (const tn_ffi_buffer_t*)source->values[index]); \
  ++tn_row;
// Whether an operand or result may be a 16-bit float.
#define TN__NOTE_HALVES(...)             \
  tn_halves |= tn__takes_halves(tn_row); \
  ++tn_row;
TN__INLINE bool tn__takes_halves(const tn_ffi_param_t* row) {
  return row->dtypes != TN__ANY && (row->dtypes & (TN__BIT(f16) | TN__BIT(bf16))) != 0;
}
#define TN__RELATE(name, dtype, ...)                                                 \
  TN__RELATE_AS(TN__MANY(TN__S_##__VA_ARGS__), name, TN__DTYPE_OTHER(TN__D_##dtype), \
                TN__SHAPE_OTHER(TN__S_##__VA_ARGS__))
#define TN__RELATE_AS(many, name, d, s) TN__RELATE_OF(many, name, d, s)
#define TN__RELATE_OF(many, name, d, s) TN__RELATE_##many(name, d, s)++ tn_row;
#define TN__RELATE_one(name, d, s)                                                         \
  {                                                                                        \
    const tn__seen_t* const tn_value = tn__see(&tn_self->name.dims);                       \
    const tn__seen_t *const tn_d = tn__see(&(d).dims), *const tn_s = tn__see(&(s).dims);   \
    if (tn_row->same_dtype_as) tn_wrong |= tn_value->dtype != tn_d->dtype;                 \
    if (tn_row->flags & TN_FFI_PARAM_LIKE) tn_wrong |= tn_value->dtype != tn_s->dtype;     \
    if (tn_row->same_shape_as)                                                             \
      tn_wrong |= !tn__same_shape(tn_value->dims, tn_value->rank, tn_s->dims, tn_s->rank); \
  }
#define TN__RELATE_maybe(name, d, s) \
  if (tn_is_present(tn_self->name)) TN__RELATE_one(name, d, s)
#define TN__RELATE_rest(name, d, s)                                                            \
  for (int64_t tn_i = 0; tn_row->same_dtype_as && tn_i < tn_self->name.count; ++tn_i) {        \
    const tn_arg_any_t tn_one = tn__remaining(tn_self->name, tn_i), *const tn_value = &tn_one; \
    tn_wrong |= tn_value->dtype != (d).dtype;                                                  \
  }

// ---- Operations

// The kernel body follows: TN_OP(name, LIST, "doc") { ... return TN_OK; }
#define TN__HOST "Host"
#define TN_OP(op, LIST, doc) TN_OP_ON(TN__HOST, #op, 0, op, LIST, doc)

// The same for a platform ("CUDA" ...), a target name other than the function's, and traits.
#define TN_OP_ON(platform, target, traits, op, LIST, doc)                               \
  TN__DECLARE(op, LIST, )                                                               \
  TN__DESCRIBE(op, target, platform, doc, 4, traits, (NULL, NULL, NULL, op), NULL,      \
               TN__ROWS(op##_params))                                                   \
  TN__HANDLER(op, op, op##_body_chosen(&call), TN_FFI_EXECUTE, op##_decode(&call, &tn), \
              TN_FFI_API_MINOR_OLDEST, NULL)                                            \
  static tn_status_t op##_body(__attribute__((unused)) const struct op##_call* call)

#define TN__DESCRIBE(op, target, platform, doc, api_version, traits, bundle, function, ...) \
  TN__EXTERN_C TN__HIDDEN const tn_ffi_op_t op##_op;                                        \
  TN__EXTERN_C TN__HIDDEN __attribute__((weak)) const struct tn_op_def op##_definition;     \
  const tn_ffi_op_t op##_op = {sizeof(tn_ffi_op_t),                                         \
                               sizeof(tn_ffi_param_t),                                      \
                               target,                                                      \
                               platform,                                                    \
                               doc,                                                         \
                               api_version,                                                 \
                               traits,                                                      \
                               {TN__PLAIN bundle},                                          \
                               function,                                                    \
                               __VA_ARGS__,                                                 \
                               &op##_definition};

#define TN__DECLARE(op, LIST, state_field)                                                        \
  TN__EXTERN_C TN_EXPORT tn_status_t op(tn_ffi_call_frame_t* tn_frame);                           \
  struct op##_call {                                                                              \
    tn_call_t* tn;                                                                                \
    state_field LIST(TN__FIELD_ARG, TN__FIELD_ATTR, TN__FIELD_RET)                                \
        TN__STATIC_ASSERT((9999 LIST(TN__AFTER_REST, TN__NONE, TN__NONE)) != 1,                   \
                          #op ": an ARG follows the remaining ones");                             \
    TN__STATIC_ASSERT((9999 LIST(TN__NONE, TN__NONE, TN__AFTER_REST)) != 1,                       \
                      #op ": a RET follows the remaining ones");                                  \
    TN__STATIC_ASSERT((9999 LIST(TN__AFTER_MAYBE, TN__NONE, TN__NONE)) != 1,                      \
                      #op ": an ARG follows an optional one");                                    \
    TN__STATIC_ASSERT((9999 LIST(TN__NONE, TN__NONE, TN__AFTER_MAYBE)) != 1,                      \
                      #op ": a RET follows an optional one");                                     \
  };                                                                                              \
  static const tn_ffi_param_t op##_params[] = {LIST(TN__ROW_ARG, TN__ROW_ATTR, TN__ROW_RET)       \
                                                   TN__ROW_END};                                  \
  static tn_status_t op##_body(const struct op##_call* call);                                     \
  TN__FOR_AVX2 tn_status_t op##_body_avx2(const struct op##_call* call) {                         \
    return op##_body(call);                                                                       \
  }                                                                                               \
  TN__INLINE tn_status_t op##_body_chosen(const struct op##_call* call) {                         \
    const tn_ffi_param_t* tn_row = op##_params;                                                   \
    bool tn_halves = false;                                                                       \
    LIST(TN__NOTE_HALVES, TN__NEXT_ROW, TN__NOTE_HALVES)                                          \
    (void)tn_row;                                                                                 \
    return tn_halves && TN__HAS_AVX2() ? op##_body_avx2(call) : op##_body(call);                  \
  }                                                                                               \
  static signed char op##_hints[1 LIST(TN__NONE, TN__ONE, TN__NONE)];                             \
  struct op##_attrs {                                                                             \
    char tn_none;                                                                                 \
    LIST(TN__NONE, TN__MEMBER_ATTR, TN__NONE)                                                     \
  };                                                                                              \
  TN__APART tn_status_t op##_decode_attrs_slowly(struct op##_attrs* tn_self,                      \
                                                 const tn_call_t* tn_call) {                      \
    const tn__path_t* const tn_path = NULL;                                                       \
    const tn_ffi_attrs_t* const tn_attrs = &tn_call->frame->attrs;                                \
    signed char* const tn_hints = op##_hints;                                                     \
    (void)tn_hints;                                                                               \
    TN__DECODE_ATTRS(op##_params, LIST(TN__NEXT_ROW, TN__DECODE_ATTR, TN__NEXT_ROW));             \
  }                                                                                               \
  TN__INLINE bool op##_decode_attrs_quickly(struct op##_call* tn_self,                            \
                                            const tn_ffi_attrs_t* tn_attrs) {                     \
    enum { tn_converts = 0, tn_count = 0 LIST(TN__NONE, TN__ONE, TN__NONE) };                     \
    const signed char* const tn_hints = op##_hints;                                               \
    int64_t tn_attr = 0;                                                                          \
    tn__wire_t tn_wire;                                                                           \
    (void)tn_self, (void)tn_attr, (void)tn_hints, (void)tn_wire;                                  \
    if (!TN__LIKELY(tn_attrs->count == tn_count)) return false;                                   \
    LIST(TN__NONE, TN__QUICK_ATTR, TN__NONE)                                                      \
    return true;                                                                                  \
  }                                                                                               \
  TN__INLINE tn_status_t op##_decode_attrs(struct op##_call* tn_self, const tn_call_t* tn_call) { \
    if (TN__LIKELY(op##_decode_attrs_quickly(tn_self, &tn_call->frame->attrs))) return TN_OK;     \
    struct op##_attrs tn_attrs;                                                                   \
    const tn_status_t tn_status = op##_decode_attrs_slowly(&tn_attrs, tn_call);                   \
    if (tn_status != TN_OK) return tn_status;                                                     \
    LIST(TN__NONE, TN__COPY_ATTR, TN__NONE)                                                       \
    return TN_OK;                                                                                 \
  }                                                                                               \
  TN__INLINE tn_status_t op##_decode(struct op##_call* tn_self, const tn_call_t* tn_call) {       \
    const tn_ffi_values_t *const tn_args = &tn_call->frame->args, *const tn_rets =                \
                                                                      &tn_call->frame->rets;      \
    const int64_t tn_arg_count = tn_args->count, tn_ret_count = tn_rets->count;                   \
    const tn_ffi_param_t* tn_row = op##_params;                                                   \
    enum {                                                                                        \
      least_tn_arg = 0 LIST(TN__LEAST, TN__NONE, TN__NONE),                                       \
      least_tn_ret = 0 LIST(TN__NONE, TN__NONE, TN__LEAST)                                        \
    };                                                                                            \
    int64_t tn_arg = 0, tn_ret = 0;                                                               \
    uint64_t tn_types = 0;                                                                        \
    bool tn_wrong = false;                                                                        \
    if (TN__UNLIKELY((tn_arg_count < 0 LIST(TN__LEAST, TN__NONE, TN__NONE)) |                     \
                     (tn_arg_count > 0 LIST(TN__MOST, TN__NONE, TN__NONE)) |                      \
                     (tn_ret_count < 0 LIST(TN__NONE, TN__NONE, TN__LEAST)) |                     \
                     (tn_ret_count > 0 LIST(TN__NONE, TN__NONE, TN__MOST))))                      \
      return tn__refuse_count(tn_call);                                                           \
    LIST(TN__TYPE_ARG, TN__NONE, TN__TYPE_RET)                                                    \
    if (TN__UNLIKELY((tn_types | tn_types >> 32) & ~(uint32_t)TN_FFI_BUFFER))                     \
      return tn__refuse_values(tn_call);                                                          \
    tn_arg = tn_ret = 0;                                                                          \
    LIST(TN__TAKE_ARG, TN__NEXT_ROW, TN__TAKE_RET)                                                \
    if (TN__UNLIKELY(tn_wrong)) return tn__refuse_values(tn_call);                                \
    tn_row = op##_params;                                                                         \
    LIST(TN__RELATE, TN__NEXT_ROW, TN__RELATE)                                                    \
    if (TN__UNLIKELY(tn_wrong)) return tn__refuse_values(tn_call);                                \
    (void)tn_row, (void)tn_arg, (void)tn_ret;                                                     \
    return op##_decode_attrs(tn_self, tn_call);                                                   \
  }

#define TN__HANDLER(op, symbol, body, stage_number, decode, minor, state_type) \
  TN_EXPORT tn_status_t symbol(tn_ffi_call_frame_t* tn_frame) {                \
    tn_call_t tn = {&tn, tn_frame, &op##_op, NULL};                            \
    if (TN__UNLIKELY(tn_frame->extension_start != NULL) &&                     \
        tn_frame->extension_start->type == TN_FFI_METADATA)                    \
      return tn__answer(&tn, minor, state_type);                               \
    if (TN__UNLIKELY((tn_frame->struct_size < TN_FFI_CALL_FRAME_SIZE) |        \
                     (tn_frame->stage != stage_number)))                       \
      return tn__refuse_frame(&tn, stage_number);                              \
    struct op##_call call;                                                     \
    call.tn = &tn;                                                             \
    tn_status_t tn_result = decode;                                            \
    if (TN__LIKELY(tn_result == TN_OK)) {                                      \
      TN__RUN(tn_result, body)                                                 \
    }                                                                          \
    if (TN__UNLIKELY(tn.blocks != NULL)) tn__free_blocks(&tn);                 \
    return tn_result;                                                          \
  }

// Adds a function of the legacy custom-call ABI to the table; it is written as usual:
//   TN_UNTYPED(add, "out = a + b")
//   void add(void* out, const void** in) { ... }
// The other two are for functions that report a status, without and with the opaque bytes.
#define TN_UNTYPED(function, doc) TN__UNTYPED(function, doc, 1, (void* out, const void** in))
#define TN_UNTYPED_STATUS(function, doc) \
  TN__UNTYPED(function, doc, 2, (void* out, const void** in, struct XlaCustomCallStatus_* status))
#define TN_UNTYPED_OPAQUE(function, doc)                                           \
  TN__UNTYPED(function, doc, 3,                                                    \
              (void* out, const void** in, const char* opaque, size_t opaque_size, \
               struct XlaCustomCallStatus_* status))
#define TN__UNTYPED(function, doc, api_version, signature)                                 \
  TN__EXTERN_C TN_EXPORT void function signature;                                          \
  TN__DESCRIBE(function, #function, "Host", doc, api_version, 0, (NULL, NULL, NULL, NULL), \
               (tn_ffi_function_t)function, NULL, 0)
struct XlaCustomCallStatus_;

// A struct attribute, decoded from a dictionary:
//   #define RANGE(FIELD) FIELD(lo, int64_t, TN_REQUIRED) FIELD(hi, int64_t, 100)
//   TN_RECORD(range_t, RANGE)          also declares range_t; TN_RECORD_OF uses an existing struct
#define TN_RECORD(type, LIST) \
  typedef struct type {       \
    LIST(TN__FIELD_ATTR)      \
  } type;                     \
  TN_RECORD_OF(type, LIST)
#define TN_RECORD_OF(type, LIST)                                                  \
  static const tn_ffi_param_t type##_fields[] = {LIST(TN__ROW_ATTR) TN__ROW_END}; \
  TN__INLINE tn_status_t type##_decode(type* tn_self, const tn_call_t* tn_call,   \
                                       const tn__path_t* tn_path,                 \
                                       const tn_ffi_attrs_t* tn_attrs) {          \
    static signed char tn_hints[1 LIST(TN__ONE)];                                 \
    TN__DECODE_ATTRS(type##_fields, LIST(TN__DECODE_ATTR));                       \
  }

// The exported table of a library: up to 256 operations of this and other files.
#define TN_LIBRARY(...)                                                                       \
  TN__EACH(TN__LIST_DECLARE, __VA_ARGS__)                                                     \
  static const tn_ffi_op_t* const tn__library_ops[] = {TN__EACH(TN__LIST_NAME, __VA_ARGS__)}; \
  TN__EXTERN_C TN_EXPORT const tn_ffi_library_t tenon_library;                                \
  const tn_ffi_library_t tenon_library = {sizeof(tn_ffi_library_t), TN_FFI_LIBRARY_VERSION,   \
                                          sizeof tn__library_ops / sizeof *tn__library_ops,   \
                                          tn__library_ops};
#define TN__LIST_DECLARE(op) TN__EXTERN_C TN__HIDDEN const tn_ffi_op_t op##_op;
#define TN__LIST_NAME(op) &op##_op,
#define TN__EACH(m, ...) TN__SCAN_256(TN__STEP(m, __VA_ARGS__, TN__STOP, ~))
#define TN__STEP(m, name, ...) TN__CAT(TN__STEP_, TN__KNOWN(TN__LAST_##name))(m, name, __VA_ARGS__)
#define TN__STEP_0(m, name, ...) m(name) TN__STEP_AGAIN TN__NONE()()(m, __VA_ARGS__)
#define TN__STEP_1(m, name, ...)
#define TN__STEP_AGAIN() TN__STEP
#define TN__LAST_TN__STOP ~, 1
#define TN__SCAN_256(...) TN__SCAN_64(TN__SCAN_64(TN__SCAN_64(TN__SCAN_64(__VA_ARGS__))))
#define TN__SCAN_64(...) TN__SCAN_16(TN__SCAN_16(TN__SCAN_16(TN__SCAN_16(__VA_ARGS__))))
#define TN__SCAN_16(...) TN__SCAN_4(TN__SCAN_4(TN__SCAN_4(TN__SCAN_4(__VA_ARGS__))))
#define TN__SCAN_4(...) TN__PLAIN(TN__PLAIN(TN__PLAIN(TN__PLAIN(__VA_ARGS__))))

// ---- Floats without a C type

// The small formats: bits of exponent and mantissa, bias, and special values.
enum { TN__IEEE, TN__NAN_ALL_ONES, TN__NAN_MINUS_ZERO, TN__FINITE };
typedef struct tn__format {
  tn_ffi_dtype_t dtype;
  int32_t exponent, mantissa, bias, kind;
} tn__format_t;
TN__UNUSED tn__format_t tn__format_of(tn_ffi_dtype_t dtype) {
  static const tn__format_t formats[] = {{TN_FFI_F16, 5, 10, 15, TN__IEEE},
                                         {TN_FFI_BF16, 8, 7, 127, TN__IEEE},
                                         {TN_FFI_F8E5M2, 5, 2, 15, TN__IEEE},
                                         {TN_FFI_F8E4M3, 4, 3, 7, TN__IEEE},
                                         {TN_FFI_F8E3M4, 3, 4, 3, TN__IEEE},
                                         {TN_FFI_F8E4M3FN, 4, 3, 7, TN__NAN_ALL_ONES},
                                         {TN_FFI_F8E4M3B11FNUZ, 4, 3, 11, TN__NAN_MINUS_ZERO},
                                         {TN_FFI_F8E4M3FNUZ, 4, 3, 8, TN__NAN_MINUS_ZERO},
                                         {TN_FFI_F8E5M2FNUZ, 5, 2, 16, TN__NAN_MINUS_ZERO},
                                         {TN_FFI_F4E2M1FN, 2, 1, 1, TN__FINITE}};

  size_t i = 0;
  while (i + 1 < sizeof formats / sizeof *formats && formats[i].dtype != dtype) ++i;
  return formats[i];
}

TN__INLINE double tn__power_of_two(int32_t exponent) {
  const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

// Conversion of f16, bf16 and all smaller floats from and to their bits (f8e8m0fnu, which is
// 2^(bits - 127), can only be read). Rounds to nearest, ties to even; overflow gives infinity, or
// NaN if the format has no infinity, or the largest value if it has no NaN.
TN__UNUSED float tn_float_read(tn_ffi_dtype_t dtype, uint32_t bits) {
  if (dtype == TN_FFI_F8E8M0FNU)
    return bits == 255 ? __builtin_nanf("") : (float)tn__power_of_two((int32_t)bits - 127);
  const tn__format_t f = tn__format_of(dtype);
  const uint32_t mask = (1u << f.mantissa) - 1, mantissa = bits & mask,
                 top = (1u << f.exponent) - 1;
  const uint32_t exponent = bits >> f.mantissa & top;
  const bool negative = bits >> (f.exponent + f.mantissa) & 1;
  if (f.kind == TN__NAN_MINUS_ZERO && negative && !exponent && !mantissa) return __builtin_nanf("");
  if (f.kind == TN__NAN_ALL_ONES && exponent == top && mantissa == mask) return __builtin_nanf("");
  if (f.kind == TN__IEEE && exponent == top && mantissa) return __builtin_nanf("");
  if (f.kind == TN__IEEE && exponent == top) return negative ? -__builtin_inff() : __builtin_inff();
  const double value = (exponent ? mantissa + mask + 1 : mantissa) *
                       tn__power_of_two((exponent ? (int32_t)exponent : 1) - f.bias - f.mantissa);
  return (float)(negative ? -value : value);
}

TN__UNUSED uint32_t tn_float_write(tn_ffi_dtype_t dtype, float value) {
  const tn__format_t f = tn__format_of(dtype);
  const double magnitude = value < 0 ? -(double)value : (double)value;
  uint32_t sign;
  uint64_t bits;
  memcpy(&sign, &value, sizeof sign);
  memcpy(&bits, &magnitude, sizeof bits);
  sign = sign >> 31 << (f.exponent + f.mantissa);
  const uint32_t mask = (1u << f.mantissa) - 1, top = ((1u << f.exponent) - 1) << f.mantissa;
  const uint32_t largest = f.kind == TN__IEEE           ? top - 1
                           : f.kind == TN__NAN_ALL_ONES ? (top | mask) - 1
                                                        : top | mask;
  const uint32_t nan = f.kind == TN__IEEE           ? sign | top | (mask + 1) >> 1
                       : f.kind == TN__NAN_ALL_ONES ? sign | top | mask
                                                    : 1u << (f.exponent + f.mantissa);
  if (value != value) return nan;
  if (magnitude > 3.4028234663852886e38)
    return f.kind == TN__IEEE ? sign | top : f.kind == TN__FINITE ? sign | largest : nan;
  // In units of the last place: the bits of the result up to a carry, which is also correct.
  int32_t exponent = (int32_t)(bits >> 52 & 2047) - 1023;
  if (exponent < 1 - f.bias) exponent = 1 - f.bias;
  const double units = magnitude * tn__power_of_two(f.mantissa - exponent);
  uint32_t code = (uint32_t)units;
  const double rest = units - code;
  code += rest > 0.5 || (rest == 0.5 && (code & 1));
  code += (uint32_t)(exponent + f.bias - 1) << f.mantissa;
  if (code > largest)
    return f.kind == TN__IEEE ? sign | top : f.kind == TN__FINITE ? sign | largest : nan;
  return code || f.kind != TN__NAN_MINUS_ZERO ? sign | code : 0;
}

TN__INLINE float tn_bf16_to_float(tn_bf16_t value) {
  const uint32_t bits = (uint32_t)value.bits << 16;
  float wide;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

TN__INLINE tn_bf16_t tn_bf16_from_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const bool is_nan = (bits & 0x7fffffff) > 255u << 23;
  const tn_bf16_t narrow = {
      (uint16_t)(is_nan ? bits >> 16 | 64 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
  return narrow;
}

// Branchless, so that loops are vectorised; and without subnormal floats, which programs such as
// JAX set the processor to flush to zero. A subnormal half is the mantissa of a normal float whose
// leading bit is one too many.
TN__INLINE float tn_f16_to_float(tn_f16_t value) {
  const int32_t magnitude = (int32_t)(value.bits & 0x7fff) << 13;
  const int32_t subnormal = -(magnitude < 1 << 23), special = -(magnitude >= 31 << 23);
  const int32_t excess_bits = subnormal & 113 << 23;  // 2^-14
  uint32_t bits = (uint32_t)(magnitude + (112 << 23) + (subnormal & 1 << 23));
  float wide, excess;
  memcpy(&wide, &bits, sizeof wide);
  memcpy(&excess, &excess_bits, sizeof excess);
  wide -= excess;
  memcpy(&bits, &wide, sizeof bits);
  bits |= (uint32_t)(special & 255 << 23) | (uint32_t)(value.bits & 0x8000) << 16;
  memcpy(&wide, &bits, sizeof wide);
  return wide;
}

// Likewise. Adding a power of two that is 2^13 above the value's own rounds the value to ten bits
// of mantissa, or fewer for subnormal results.
TN__INLINE tn_f16_t tn_f16_from_float(float value) {
  const int32_t infinite = 255 << 23, least = 113 << 23, most = 143 << 23;  // 2^-14, 2^16
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  const int32_t magnitude = (int32_t)(bits & 0x7fffffff);
  const int32_t finite = magnitude < most ? magnitude : most;
  const int32_t exponent = finite & infinite;
  const int32_t anchor_bits = (exponent > least ? exponent : least) + (13 << 23);
  int32_t sum_bits;
  float sum, anchor;
  memcpy(&sum, &finite, sizeof sum);
  memcpy(&anchor, &anchor_bits, sizeof anchor);
  sum += anchor;
  memcpy(&sum_bits, &sum, sizeof sum_bits);
  // The sum exceeds the anchor by the value's exponent and mantissa, in units of 2^-24 or more; a
  // carry propagates into the exponent, and 2^16 becomes infinite.
  const int32_t half = sum_bits - anchor_bits + ((anchor_bits >> 13) - (126 << 10));
  const int32_t nan = -(magnitude > infinite) & 0x200;
  const tn_f16_t narrow = {(uint16_t)((bits >> 16 & 0x8000) | (uint32_t)(half | nan))};
  return narrow;
}

// ---- Execution-context services

#define TN__HAS(api, slot) ((api)->struct_size >= TN_FFI_END_OF(tn_ffi_api_t, slot))

#define tn_stream(call, out) tn__stream((call)->tn, out)                  // void*
#define tn_device_ordinal(call, out) tn__device_ordinal((call)->tn, out)  // int32_t
#define tn_run_id(call, out) tn__run_id((call)->tn, out)                  // int64_t
#define TN__ASK(function, slot, SIZE, ctype, field)                           \
  TN__UNUSED tn_status_t function(const tn_call_t* call, ctype* out) {        \
    tn_ffi_##slot##_t request = {SIZE, NULL, call->frame->context, 0};        \
    if (!TN__HAS(call->frame->api, slot))                                     \
      return tn__error(call, TN_FFI_UNIMPLEMENTED, "the host has no " #slot); \
    TN_TRY(call->frame->api->slot(&request));                                 \
    *out = request.field;                                                     \
    return TN_OK;                                                             \
  }
TN__ASK(tn__stream, stream_get, TN_FFI_STREAM_GET_SIZE, void*, stream)
TN__ASK(tn__device_ordinal, device_ordinal_get, TN_FFI_DEVICE_ORDINAL_GET_SIZE, int32_t,
        device_ordinal)
TN__ASK(tn__run_id, run_id_get, TN_FFI_RUN_ID_GET_SIZE, int64_t, run_id)

// The object that the caller of the program attached to the run under this type id.
#define tn_user_data(call, type_id, out) tn__user_data((call)->tn, type_id, out)
TN__UNUSED tn_status_t tn__user_data(const tn_call_t* call, tn_ffi_type_id_t type_id, void** out) {
  tn_ffi_context_get_t get = {TN_FFI_CONTEXT_GET_SIZE, NULL, call->frame->context, &type_id, NULL};
  TN_TRY(call->frame->api->context_get(&get));
  *out = get.data;
  return TN_OK;
}

typedef struct tn__block {
  struct tn__block* next;
  void* data;
  size_t size;
  bool from_host;
} tn__block_t;

TN__UNUSED void tn__free_block(const tn_call_t* call, void* data, size_t size) {
  tn_ffi_memory_free_t release = {TN_FFI_MEMORY_FREE_SIZE, NULL, call->frame->context, size, data};
  tn__drop_error(call->frame->api, call->frame->api->memory_free(&release));
}

TN__APART void tn__free_blocks(tn_call_t* call) {
  while (call->blocks) {
    tn__block_t* block = call->blocks;
    call->blocks = block->next;
    if (block->from_host) tn__free_block(call, block->data, block->size);
    free(block);
  }
}

// Memory on the operation's device until the handler returns; NULL if there is not enough. On the
// CPU it is aligned to 64 bytes, and allocated by malloc if the runtime has no memory for handlers.
#define tn_scratch(call, size) tn__scratch((call)->tn, size)
TN__UNUSED void* tn__scratch(tn_call_t* call, size_t size) {
  const bool on_cpu = !strcmp(call->op->platform, "Host");
  const size_t alignment = on_cpu ? 64 : 16;
  tn_ffi_memory_allocate_t allocate = {
      TN_FFI_MEMORY_ALLOCATE_SIZE, NULL, call->frame->context, size, alignment, NULL};
  tn__drop_error(call->frame->api, call->frame->api->memory_allocate(&allocate));
  const bool from_host = allocate.data != NULL;
  if (!from_host && (!on_cpu || size > SIZE_MAX / 4)) return NULL;
  tn__block_t* block = (tn__block_t*)malloc(sizeof *block + (from_host ? 0 : size + alignment));
  if (!block) {
    if (from_host) tn__free_block(call, allocate.data, size);
    return NULL;
  }
  block->next = call->blocks;
  block->data =
      from_host ? allocate.data
                : (void*)(((uintptr_t)(block + 1) + alignment - 1) & ~(uintptr_t)(alignment - 1));
  block->size = size;
  block->from_host = from_host;
  call->blocks = block;
  return block->data;
}

// The number of threads that tn_parallel_for can use, including the caller's; at least 1.
#define tn_thread_count(call) tn__thread_count((call)->tn)
TN__UNUSED int64_t tn__thread_count(const tn_call_t* call) {
  int64_t count = 1;
  tn_ffi_thread_count_t request = {TN_FFI_THREAD_COUNT_SIZE, NULL, call->frame->context, &count};
  tn__drop_error(call->frame->api, call->frame->api->thread_count(&request));
  return count < 1 ? 1 : count;
}

// A loop in progress. Its memory is shared by all threads that work on it, since a task may start
// after the end of the loop.
typedef struct tn__loop {
  void (*function)(void* user, int64_t begin, int64_t end);
  void* user;
  int64_t count, grain, next, done, owners;
} tn__loop_t;

TN__UNUSED void tn__loop_work(void* data) {
  tn__loop_t* loop = (tn__loop_t*)data;
  for (;;) {
    const int64_t begin = __atomic_fetch_add(&loop->next, loop->grain, __ATOMIC_RELAXED);
    if (begin >= loop->count) break;
    const int64_t end = loop->count - begin < loop->grain ? loop->count : begin + loop->grain;
    loop->function(loop->user, begin, end);
    __atomic_fetch_add(&loop->done, end - begin, __ATOMIC_RELEASE);
  }
}

TN__UNUSED void tn__loop_release(tn__loop_t* loop) {
  if (__atomic_sub_fetch(&loop->owners, 1, __ATOMIC_ACQ_REL) == 0) free(loop);
}

TN__UNUSED void tn__loop_task(void* data) {
  tn__loop_work(data);
  tn__loop_release((tn__loop_t*)data);
}

// Calls function(user, begin, end) on ranges of [0, count) of at most `grain` elements (0: chosen
// automatically), on the runtime's threads and the current one, and returns when all are complete.
// It completes even if no other thread is available, so that calls may be nested.
#define tn_parallel_for(call, count, grain, function, user) \
  tn__parallel_for((call)->tn, count, grain, function, user)
TN__UNUSED void tn__parallel_for(const tn_call_t* call, int64_t count, int64_t grain,
                                 void (*function)(void* user, int64_t begin, int64_t end),
                                 void* user) {
  const int64_t threads = count > 1 && count != grain ? tn__thread_count(call) : 1;
  if (grain < 1) grain = count / (4 * threads) + 1;
  const int64_t parts = count / grain + (count % grain != 0);
  tn__loop_t* loop = threads > 1 && parts > 1 ? (tn__loop_t*)malloc(sizeof *loop) : NULL;
  if (!loop) {
    if (count > 0) function(user, 0, count);
    return;
  }
  const tn__loop_t start = {function, user, count, grain, 0, 0, 1};
  *loop = start;
  for (int64_t i = 1; i < threads && i < parts; ++i) {
    tn_ffi_schedule_t schedule = {TN_FFI_SCHEDULE_SIZE, NULL, call->frame->context, tn__loop_task,
                                  loop};
    __atomic_add_fetch(&loop->owners, 1, __ATOMIC_RELAXED);
    const tn_status_t error = call->frame->api->schedule(&schedule);
    if (error == TN_OK) continue;
    tn__drop_error(call->frame->api, error);
    __atomic_sub_fetch(&loop->owners, 1, __ATOMIC_RELAXED);
    break;
  }
  tn__loop_work(loop);
  for (int64_t turn = 0; __atomic_load_n(&loop->done, __ATOMIC_ACQUIRE) != count; ++turn) {
    if (turn > 1000) TN__YIELD();
  }
  tn__loop_release(loop);
}

// Asynchronous calls: after tn_defer(call, &future) the handler returns TN_OK, and any thread calls
// tn_finish or tn_fail, once. Until then the runtime keeps the buffers and attributes of the frame,
// but `call` and its scratch memory are valid only until the handler returns.
typedef struct tn_future {
  const tn_ffi_api_t* api;
  tn_ffi_future_t* future;
} tn_future_t;
#define tn_defer(call, out) tn__defer((call)->tn, out)
TN__UNUSED tn_status_t tn__defer(const tn_call_t* call, tn_future_t* out) {
  tn_ffi_future_create_t create = {TN_FFI_FUTURE_CREATE_SIZE, NULL, NULL};
  out->api = call->frame->api;
  if (!TN__HAS(out->api, future_fail))
    return tn__error(call, TN_FFI_UNIMPLEMENTED, "the host has no futures");
  TN_TRY(out->api->future_create(&create));
  out->future = call->frame->future = create.future;
  return TN_OK;
}
TN__UNUSED void tn_finish(tn_future_t future) {
  tn_ffi_future_finish_t finish = {TN_FFI_FUTURE_FINISH_SIZE, NULL, future.future};
  tn__drop_error(future.api, future.api->future_finish(&finish));
}
#define tn_fail(future, CODE, ...) tn__fail(future, TN_FFI_##CODE, __VA_ARGS__)
TN__PRINTF(3, 4)
TN__UNUSED void tn__fail(tn_future_t future, int32_t code, const char* format, ...) {
  tn__text_t text = {0, ""};
  va_list values;
  va_start(values, format);
  tn__vprint(&text, format, values);
  va_end(values);
  tn_ffi_future_fail_t fail = {TN_FFI_FUTURE_FAIL_SIZE, NULL, future.future,
                               tn__create_error(future.api, code, text.data)};
  tn__drop_error(future.api, future.api->future_fail(&fail));
}

// ---- States
//   TN_STATE(counter_t, counter_destroy)                void counter_destroy(void* counter)
//   TN_STATEFUL_OP(count, COUNT, counter_t, "doc") { ... call->state ... }
//   TN_INSTANTIATE(count) { ... attributes of call ... *state = ...; return TN_OK; }
// The runtime then owns the state and destroys it with the compiled program. The type is registered
// with the runtime automatically. Such handlers are of version 0.3.

typedef struct tn_state_type {
  const char* name;
  tn_ffi_type_info_t info;
  char busy;
  struct {
    const tn_ffi_api_t* api;
    tn_ffi_type_id_t id;
  } hosts[8];  // each runtime has its own ids
} tn_state_type_t;
#define TN_STATE(type, destroy)           \
  static tn_state_type_t type##_state = { \
      #type, {TN_FFI_TYPE_INFO_SIZE, NULL, destroy}, 0, {{NULL, {0}}}};

// The type's id in the runtime of this call. The name that is registered is unique in the process.
TN__COLD tn_status_t tn__register_state(const tn_call_t* call, tn_state_type_t* type,
                                        tn_ffi_type_id_t** out_id) {
  const tn_ffi_api_t* const api = call->frame->api;
  tn_status_t status = TN_OK;
  while (__atomic_test_and_set(&type->busy, __ATOMIC_ACQUIRE)) TN__YIELD();
  size_t i = 0;
  while (i < 8 && type->hosts[i].api && type->hosts[i].api != api) ++i;
  if (i == 8) {
    status =
        tn__error(call, TN_FFI_RESOURCE_EXHAUSTED, "state %s: 8 hosts have it already", type->name);
  } else if (!type->hosts[i].api) {
    tn__text_t name = {0, ""};
    tn__print(&name, "%s@%p", type->name, (void*)type);
    const tn_ffi_bytes_t bytes = {name.data, name.size};
    tn_ffi_type_register_t request = {TN_FFI_TYPE_REGISTER_SIZE, NULL, bytes, &type->hosts[i].id,
                                      &type->info};
    status = api->type_register(&request);
    if (status == TN_OK) __atomic_store_n(&type->hosts[i].api, api, __ATOMIC_RELEASE);
  }
  __atomic_clear(&type->busy, __ATOMIC_RELEASE);
  if (status == TN_OK) *out_id = &type->hosts[i].id;
  return status;
}

TN__UNUSED tn_status_t tn__state_id(const tn_call_t* call, tn_state_type_t* type,
                                    tn_ffi_type_id_t** out_id) {
  if (TN__UNLIKELY(__atomic_load_n(&type->hosts[0].api, __ATOMIC_ACQUIRE) != call->frame->api)) {
    return tn__register_state(call, type, out_id);
  }
  *out_id = &type->hosts[0].id;
  return TN_OK;
}

TN__COLD void tn__answer_signature(const tn_call_t* call) {
  tn_ffi_extension_t* extension = call->frame->extension_start->next;
  while (extension && extension->type != TN_FFI_SIGNATURE) extension = extension->next;
  if (extension && extension->struct_size >= TN_FFI_SIGNATURE_EXTENSION_SIZE) {
    ((tn_ffi_signature_extension_t*)(void*)extension)->op = call->op;
  }
}

// Responds to a query for metadata.
TN__COLD tn_status_t tn__answer(const tn_call_t* call, int32_t minor, tn_state_type_t* state_type) {
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)call->frame->extension_start)->metadata;
  if (metadata->struct_size < TN_FFI_METADATA_SIZE) {
    return tn__error(call, TN_FFI_INVALID_ARGUMENT, "wanted metadata of %d bytes, found %zu",
                     TN_FFI_METADATA_SIZE, metadata->struct_size);
  }
  metadata->api_version.struct_size = TN_FFI_API_VERSION_SIZE;
  metadata->api_version.extension_start = NULL;
  metadata->api_version.major = TN_FFI_API_MAJOR;
  metadata->api_version.minor = minor;
  metadata->traits = call->op->traits;
  tn__answer_signature(call);
  // Only runtimes that accept this version have the field.
  if (!state_type || call->frame->api->api_version.minor < TN_FFI_API_MINOR_STATE) return TN_OK;
  tn_ffi_type_id_t* id = NULL;
  TN_TRY(tn__state_id(call, state_type, &id));
  metadata->state_type_id = *id;
  return TN_OK;
}

// The state of a stage: tn_get_state(call, INSTANTIATE, counter_t, &counter), and, in the kernel
// body of that stage, tn_set_state(call, counter_t, counter).
#define tn_get_state(call, STAGE, type, out) \
  tn__get_state((call)->tn, TN_FFI_##STAGE, &type##_state, 1 ? (out) : (type**)NULL)
#define tn_set_state(call, type, state) \
  tn__set_state((call)->tn, &type##_state, 1 ? (state) : (type*)NULL)
TN__UNUSED tn_status_t tn__get_state(const tn_call_t* call, int32_t stage, tn_state_type_t* type,
                                     void* out) {
  tn_ffi_state_get_t get = {TN_FFI_STATE_GET_SIZE, NULL, call->frame->context, stage, NULL, NULL};
  TN_TRY(tn__state_id(call, type, &get.type_id));
  TN_TRY(call->frame->api->state_get(&get));
  memcpy(out, &get.state, sizeof get.state);
  return TN_OK;
}
TN__UNUSED tn_status_t tn__set_state(const tn_call_t* call, tn_state_type_t* type, void* state) {
  tn_ffi_state_set_t set = {TN_FFI_STATE_SET_SIZE, NULL, call->frame->context,
                            call->frame->stage,    NULL, state};
  tn_status_t status = tn__state_id(call, type, &set.type_id);
  if (status == TN_OK) status = call->frame->api->state_set(&set);
  if (status != TN_OK && state) type->info.deleter(state);
  return status;
}

#define TN_STATEFUL_OP(op, LIST, type, doc) \
  TN__STATEFUL("Host", #op, 0, op, LIST, type, doc, (op##_instantiate, NULL, NULL, op))
#define TN_INSTANTIATE(op)                                                                       \
  TN__HANDLER(op, op##_instantiate, op##_create(&call), TN_FFI_INSTANTIATE,                      \
              op##_decode_attrs(&call, &tn), TN_FFI_API_MINOR_STATE, op##_state_type())          \
  static tn_status_t op##_instantiate_body(__attribute__((unused)) const struct op##_call* call, \
                                           op##_state_t** state)

// All stages: TN_INSTANTIATE(op), and TN_PREPARE(op) { ... }, TN_INITIALIZE(op) { ... }, in which
// arguments and results have addresses but no contents yet.
#define TN_STAGED_OP(platform, target, traits, op, LIST, type, doc)                  \
  TN__EXTERN_C TN_EXPORT tn_status_t op##_prepare(tn_ffi_call_frame_t* tn_frame);    \
  TN__EXTERN_C TN_EXPORT tn_status_t op##_initialize(tn_ffi_call_frame_t* tn_frame); \
  TN__STATEFUL(platform, target, traits, op, LIST, type, doc,                        \
               (op##_instantiate, op##_prepare, op##_initialize, op))
#define TN_PREPARE(op) TN__STAGE(op, op##_prepare, TN_FFI_PREPARE)
#define TN_INITIALIZE(op) TN__STAGE(op, op##_initialize, TN_FFI_INITIALIZE)
#define TN__STAGE(op, symbol, stage)                                                \
  static tn_status_t symbol##_body(const struct op##_call* call);                   \
  TN__HANDLER(op, symbol, symbol##_body(&call), stage, op##_decode_all(&call, &tn), \
              TN_FFI_API_MINOR_STATE, NULL)                                         \
  static tn_status_t symbol##_body(__attribute__((unused)) const struct op##_call* call)

#define TN__STATEFUL(platform, target, traits, op, LIST, type, doc, bundle)                 \
  TN__DECLARE(op, LIST, type* state;)                                                       \
  TN__EXTERN_C TN_EXPORT tn_status_t op##_instantiate(tn_ffi_call_frame_t* tn_frame);       \
  typedef type op##_state_t;                                                                \
  static tn_status_t op##_instantiate_body(const struct op##_call* call, type** state);     \
  TN__INLINE tn_state_type_t* op##_state_type(void) {                                       \
    return &type##_state;                                                                   \
  }                                                                                         \
  TN__INLINE tn_status_t op##_create(const struct op##_call* call) {                        \
    type* state = NULL;                                                                     \
    TN_TRY(op##_instantiate_body(call, &state));                                            \
    return tn_set_state(call, type, state);                                                 \
  }                                                                                         \
  TN__INLINE tn_status_t op##_decode_all(struct op##_call* call, const tn_call_t* tn) {     \
    TN_TRY(op##_decode(call, tn));                                                          \
    return tn_get_state(call, INSTANTIATE, type, &call->state);                             \
  }                                                                                         \
  TN__DESCRIBE(op, target, platform, doc, 4, traits, bundle, NULL, TN__ROWS(op##_params))   \
  TN__HANDLER(op, op, op##_body_chosen(&call), TN_FFI_EXECUTE, op##_decode_all(&call, &tn), \
              TN_FFI_API_MINOR_STATE, NULL)                                                 \
  static tn_status_t op##_body(__attribute__((unused)) const struct op##_call* call)

// ---- Types in opaque bytes
// XLA's ShapeProto, as written by tn_type_serialize of <tenon/tenon.h>, and in Python by
// jaxlib.xla_client.Shape.to_serialized_proto(). GPU kernels pass sizes in this way, because their
// operands are in device memory.

enum { TN_SHAPE_RANK_LIMIT = 64, TN_FFI_TUPLE = 13 };

// An array, a token or a tuple. The elements of a tuple follow it, nested ones in preorder.
typedef struct tn_shape {
  tn_ffi_dtype_t dtype;   // TN_FFI_F32 ..., TN_FFI_TOKEN, TN_FFI_TUPLE
  int64_t element_count;  // of a tuple
  int64_t rank;
  int64_t dims[TN_SHAPE_RANK_LIMIT];
  uint64_t dynamic;  // bit i: dims[i] is an upper bound, or INT64_MIN for none
  bool has_layout;
  int64_t minor_to_major[TN_SHAPE_RANK_LIMIT];
} tn_shape_t;

typedef struct tn__proto {
  const unsigned char *at, *end;
  bool is_bad;
} tn__proto_t;

TN__UNUSED uint64_t tn__proto_varint(tn__proto_t* proto) {
  uint64_t value = 0;
  for (int shift = 0; shift < 70 && proto->at < proto->end; shift += 7) {
    const unsigned char byte = *proto->at++;
    value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
    if (!(byte & 0x80)) return value;
  }
  proto->is_bad = true;
  return 0;
}

// The bytes of a length-delimited field; empty after an error.
TN__UNUSED tn__proto_t tn__proto_bytes(tn__proto_t* proto) {
  const uint64_t size = tn__proto_varint(proto);
  if (size > (uint64_t)(proto->end - proto->at)) proto->is_bad = true;
  tn__proto_t bytes = {proto->at, proto->at, proto->is_bad};
  if (!proto->is_bad) bytes.end = proto->at += size;
  return bytes;
}

// Skips a field; `key` is its number and, in the low bits, its wire type.
TN__UNUSED void tn__proto_skip(tn__proto_t* proto, uint64_t key) {
  const uint64_t wire = key & 7, size = wire == 1 ? 8 : 4;
  if (wire == 0) {
    tn__proto_varint(proto);
  } else if (wire == 2) {
    tn__proto_bytes(proto);
  } else if ((wire == 1 || wire == 5) && size <= (uint64_t)(proto->end - proto->at)) {
    proto->at += size;
  } else {
    proto->is_bad = true;
  }
}

// A repeated integer field: a single value, or a packed list.
TN__UNUSED void tn__proto_numbers(tn__proto_t* proto, uint64_t key, int64_t* values,
                                  int64_t* count) {
  const bool is_packed = (key & 7) == 2;
  tn__proto_t packed = {NULL, NULL, false};
  if (is_packed) packed = tn__proto_bytes(proto);
  tn__proto_t* const from = is_packed ? &packed : proto;
  if (!is_packed && (key & 7) != 0) proto->is_bad = true;
  while (!proto->is_bad && (!is_packed || packed.at < packed.end)) {
    const uint64_t value = tn__proto_varint(from);
    if (from->is_bad || *count == TN_SHAPE_RANK_LIMIT) {
      proto->is_bad = true;
      return;
    }
    memcpy(&values[(*count)++], &value, sizeof value);
    if (!is_packed) return;
  }
}

// Whether the dimensions, the flags of dynamic dimensions, and the layout are consistent.
TN__UNUSED bool tn__shape_is_good(tn_shape_t* part, const int64_t* varies, int64_t varies_count,
                                  int64_t layout_count) {
  uint64_t seen = 0;
  if (part->dtype == TN_FFI_TUPLE || part->dtype == TN_FFI_TOKEN) {
    return part->rank == 0 && varies_count == 0;
  }
  if (part->element_count || tn_ffi_dtype_size(part->dtype) == 0) return false;
  if (varies_count && varies_count != part->rank) return false;
  for (int64_t i = 0; i < part->rank; ++i) {
    const bool is_dynamic = varies_count && varies[i];
    if (is_dynamic) part->dynamic |= UINT64_C(1) << i;
    if (part->dims[i] < 0 && !(is_dynamic && part->dims[i] == INT64_MIN)) return false;
  }
  if (!part->has_layout || (layout_count == 0 && part->rank > 0)) {
    part->has_layout = part->rank == 0;
    return layout_count == 0;
  }
  if (layout_count != part->rank) return false;
  for (int64_t i = 0; i < part->rank; ++i) {
    const int64_t dimension = part->minor_to_major[i];
    if (dimension < 0 || dimension >= part->rank) return false;
    seen |= UINT64_C(1) << dimension;
  }
  return part->rank == 64 ? seen == UINT64_MAX : seen == (UINT64_C(1) << part->rank) - 1;
}

// Reads one type, and counts it and the types inside it. Writes only parts below `capacity`.
TN__UNUSED void tn__shape_read(tn__proto_t* proto, int depth, tn_shape_t* parts, int64_t capacity,
                               int64_t* count) {
  enum { ELEMENT_TYPE = 2, DIMENSIONS = 3, TUPLE_SHAPES = 4, LAYOUT = 5, IS_DYNAMIC = 6 };
  tn_shape_t part;
  int64_t varies[TN_SHAPE_RANK_LIMIT], varies_count = 0, layout_count = 0;
  const int64_t index = (*count)++;
  memset(&part, 0, sizeof part);
  while (!proto->is_bad && proto->at < proto->end) {
    const uint64_t key = tn__proto_varint(proto);
    if (key == (ELEMENT_TYPE << 3 | 0)) {
      const uint64_t dtype = tn__proto_varint(proto);
      part.dtype = dtype < 64 ? (tn_ffi_dtype_t)dtype : TN_FFI_INVALID;
    } else if (key >> 3 == DIMENSIONS) {
      tn__proto_numbers(proto, key, part.dims, &part.rank);
    } else if (key == (TUPLE_SHAPES << 3 | 2)) {
      tn__proto_t element = tn__proto_bytes(proto);
      proto->is_bad |= depth == TN_SHAPE_RANK_LIMIT;
      if (proto->is_bad) return;
      ++part.element_count;
      tn__shape_read(&element, depth + 1, parts, capacity, count);
      proto->is_bad |= element.is_bad;
    } else if (key == (LAYOUT << 3 | 2)) {
      tn__proto_t layout = tn__proto_bytes(proto);
      part.has_layout = true;
      while (!layout.is_bad && layout.at < layout.end) {
        const uint64_t layout_key = tn__proto_varint(&layout);
        if (layout_key >> 3 == 1) {
          tn__proto_numbers(&layout, layout_key, part.minor_to_major, &layout_count);
        } else {
          tn__proto_skip(&layout, layout_key);
        }
      }
      proto->is_bad |= layout.is_bad;
    } else if (key >> 3 == IS_DYNAMIC) {
      tn__proto_numbers(proto, key, varies, &varies_count);
    } else {
      tn__proto_skip(proto, key);
    }
  }
  proto->is_bad |= !tn__shape_is_good(&part, varies, varies_count, layout_count);
  if (index < capacity) parts[index] = part;
}

// Reads a serialised type. Returns the number of its parts, of which the first `capacity` are
// written to out_parts (may be NULL if capacity is 0), or -1 if the bytes are not a type.
TN__UNUSED int64_t tn_shape_parse(const void* bytes, size_t size, tn_shape_t* out_parts,
                                  int64_t capacity) {
  const unsigned char* const begin = (const unsigned char*)bytes;
  int64_t count = 0;
  if (size == 0) return -1;
  tn__proto_t proto = {begin, begin + size, false};
  tn__shape_read(&proto, 1, out_parts, capacity, &count);
  return proto.is_bad ? -1 : count;
}

#ifdef __cplusplus
}
#endif
#endif  // TENON_CUSTOM_H_
