/* Custom operations in plain C. Include this one file, link nothing, and get handlers of XLA's
 * typed FFI: JAX calls them, Tenon calls them, so does every host that speaks that ABI. C11 and
 * C++17.
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
 * The list declares the struct `call` points to, the decoder with its checks, the metadata and the
 * signature that tools read. `rms_norm` is an exported handler; TN_LIBRARY exports the table
 * `tenon_library`, once per shared library, naming operations of any of its files.
 *
 * ARG(name, dtype, shape[, "doc"])   RET(name, dtype, shape[, "doc"])
 *   dtype  pred s8 s16 s32 s64 u8 u16 u32 u64 f16 bf16 f32 f64 c64 c128 token, the types below a
 * byte (s4 u4 ...) and of 8-bit floats (f8e4m3fn ...); any; of(f32, f64); dtype_of(x) shape
 * any_rank; rank(2); like(x): shape and dtype of x; shape_of(x); optional: may be absent at the end
 * (see tn_is_present); remaining: all that follow (see tn_get_arg, tn_get_ret) field  tn_arg_f32_t,
 * tn_ret_f32_t: {data, dims, rank, dtype}; `data` is void* unless one dtype is named.
 * tn_remaining_t for `remaining`. ATTR(name, type, default[, "doc"]) type   bool, int8_t ...
 * uint64_t, float, double: the field has that type. Integers and floats of another width are taken
 * when the value is the same. string: tn_string_t; array(float): tn_array_float_t {data, count};
 * address: void*; dictionary: tn_dictionary_t (see tn_get); enum_of(type, int32_t): the author's
 * enum, which travels as that integer; record(type): the author's struct, see TN_RECORD;
 *          decoded_by(type, function): tn_status_t function(const tn_call_t*, const tn_attr_t*,
 * type*); all_attributes: the whole dictionary; attributes not listed are then allowed default  the
 * value when the caller gives none; TN_REQUIRED; TN_EMPTY for arrays, dictionaries and records
 * (whose fields then take their own defaults)
 *
 * In the body, `call` and any `const tn_call_t*` serve as the first argument of:
 *   return TN_ERROR(call, INVALID_ARGUMENT, "n is %d", n)   one of the 17 codes; printf-style
 *   TN_TRY(expression)                                      return what is not TN_OK
 *   tn_size(call->x) tn_rank(call->x) tn_last_dim(call->x) tn_dim(call->x, axis)
 * tn_byte_size(call->x) tn_scratch(call, bytes)          memory until the handler returns; NULL
 * when there is none tn_parallel_for(call, count, grain, function, user)     on the host's thread
 * pool tn_thread_count(call)  tn_stream(call, &stream)  tn_device_ordinal(call, &ordinal)
 *   tn_run_id(call, &id)   tn_user_data(call, &type_id, &data)
 *   tn_defer(call, &future), tn_finish(future), tn_finish_with_error(future, ...)  asynchronous ops
 * States, stages, other platforms and untyped functions: see TN_STATEFUL_OP, TN_OP_ON, TN_UNTYPED.
 *
 * Threads: a handler may be called from several threads at once. Nothing here locks or keeps
 * globals, except a byte of memory per attribute (where the caller last put it; a relaxed atomic).
 * Errors are objects of the host, made through the frame's own table; the host takes what is
 * returned.
 */

// ------------------------------------------------------------------------------------------------
// Part 1: the binary interface, as XLA lays it out, and Tenon's table of a library. The runtime
// uses these definitions as well; with TN_FFI_ABI_ONLY defined the header ends after this part.
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

// The host's error object: NULL is success. In Tenon it is the status of <tenon/status.h>,
// elsewhere whatever the host makes of it; a handler only creates and returns it.
typedef struct tn_status* tn_status_t;
#define TN_OK ((tn_status_t)0)

// Versions of the ABI: the oldest that hosts accept from a handler, which is what handlers made
// here say of themselves, and the newest that is described here.
enum { TN_FFI_API_MAJOR = 0, TN_FFI_API_MINOR_OLDEST = 1, TN_FFI_API_MINOR_NEWEST = 3 };

enum { TN_FFI_EXTENSION_METADATA = 1 };
enum { TN_FFI_BUFFER = 1 };  // the only type of argument and result
enum { TN_FFI_ARRAY = 1, TN_FFI_DICTIONARY = 2, TN_FFI_SCALAR = 3, TN_FFI_STRING = 4 };
enum { TN_FFI_INSTANTIATE = 0, TN_FFI_PREPARE = 1, TN_FFI_INITIALIZE = 2, TN_FFI_EXECUTE = 3 };
enum { TN_FFI_COMMAND_BUFFER_COMPATIBLE = 1 };  // traits

enum {
  TN_FFI_OK = 0,
  TN_FFI_CANCELLED = 1,
  TN_FFI_UNKNOWN = 2,
  TN_FFI_INVALID_ARGUMENT = 3,
  TN_FFI_DEADLINE_EXCEEDED = 4,
  TN_FFI_NOT_FOUND = 5,
  TN_FFI_ALREADY_EXISTS = 6,
  TN_FFI_PERMISSION_DENIED = 7,
  TN_FFI_RESOURCE_EXHAUSTED = 8,
  TN_FFI_FAILED_PRECONDITION = 9,
  TN_FFI_ABORTED = 10,
  TN_FFI_OUT_OF_RANGE = 11,
  TN_FFI_UNIMPLEMENTED = 12,
  TN_FFI_INTERNAL = 13,
  TN_FFI_UNAVAILABLE = 14,
  TN_FFI_DATA_LOSS = 15,
  TN_FFI_UNAUTHENTICATED = 16
};

// Element types: X(word in lists, NAME, number, C type). Types below a byte take a byte an element.
#define TN_FFI_DTYPES(X)                       \
  X(pred, PRED, 1, bool)                       \
  X(s8, S8, 2, int8_t)                         \
  X(s16, S16, 3, int16_t)                      \
  X(s32, S32, 4, int32_t)                      \
  X(s64, S64, 5, int64_t)                      \
  X(u8, U8, 6, uint8_t)                        \
  X(u16, U16, 7, uint16_t)                     \
  X(u32, U32, 8, uint32_t)                     \
  X(u64, U64, 9, uint64_t)                     \
  X(f16, F16, 10, tn_f16_t)                    \
  X(f32, F32, 11, float)                       \
  X(f64, F64, 12, double)                      \
  X(c64, C64, 15, tn_c64_t)                    \
  X(bf16, BF16, 16, tn_bf16_t)                 \
  X(token, TOKEN, 17, uint8_t)                 \
  X(c128, C128, 18, tn_c128_t)                 \
  X(f8e5m2, F8E5M2, 19, uint8_t)               \
  X(f8e4m3fn, F8E4M3FN, 20, uint8_t)           \
  X(s4, S4, 21, int8_t)                        \
  X(u4, U4, 22, uint8_t)                       \
  X(f8e4m3b11fnuz, F8E4M3B11FNUZ, 23, uint8_t) \
  X(f8e5m2fnuz, F8E5M2FNUZ, 24, uint8_t)       \
  X(f8e4m3fnuz, F8E4M3FNUZ, 25, uint8_t)       \
  X(s2, S2, 26, int8_t)                        \
  X(u2, U2, 27, uint8_t)                       \
  X(f8e4m3, F8E4M3, 28, uint8_t)               \
  X(f8e3m4, F8E3M4, 29, uint8_t)               \
  X(s1, S1, 30, int8_t)                        \
  X(u1, U1, 31, uint8_t)                       \
  X(f4e2m1fn, F4E2M1FN, 32, uint8_t)           \
  X(f8e8m0fnu, F8E8M0FNU, 33, uint8_t)

typedef int32_t tn_ffi_dtype_t;
enum {
  TN_FFI_INVALID = 0,
#define TN__NUMBER(word, NAME, number, ctype) TN_FFI_##NAME = number,
  TN_FFI_DTYPES(TN__NUMBER)
#undef TN__NUMBER
};

// A struct passed by pointer says its size first: the end of the last field that was there when the
// struct's version was fixed. TN_FFI_*_SIZE are these numbers; they are not always sizeof.
typedef struct tn_ffi_extension {
  size_t struct_size;
  int32_t type;  // TN_FFI_EXTENSION_*
  struct tn_ffi_extension* next;
} tn_ffi_extension_t;

#define TN__HEAD      \
  size_t struct_size; \
  tn_ffi_extension_t* extension_start;

typedef struct tn_ffi_context tn_ffi_context_t;    // the host's own
typedef struct tn_ffi_future tn_ffi_future_t;      // the host's own
typedef struct tn_ffi_internal tn_ffi_internal_t;  // the host's own
typedef struct tn_ffi_api tn_ffi_api_t;

typedef struct tn_ffi_api_version {
  TN__HEAD
  int32_t major;
  int32_t minor;
} tn_ffi_api_version_t;

typedef struct tn_ffi_bytes {  // not NUL-terminated; may hold NULs
  const char* data;
  size_t size;
} tn_ffi_bytes_t;

typedef struct tn_ffi_scalar {
  tn_ffi_dtype_t dtype;
  void* value;
} tn_ffi_scalar_t;

typedef struct tn_ffi_array {
  tn_ffi_dtype_t dtype;
  size_t count;
  void* data;
} tn_ffi_array_t;

typedef struct tn_ffi_type_id {
  int64_t id;  // 0: not registered
} tn_ffi_type_id_t;

typedef struct tn_ffi_type_info {
  TN__HEAD
  void (*deleter)(void* state);
} tn_ffi_type_info_t;

typedef struct tn_ffi_buffer {
  TN__HEAD
  tn_ffi_dtype_t dtype;
  void* data;
  int64_t rank;
  int64_t* dims;
} tn_ffi_buffer_t;

typedef struct tn_ffi_values {  // arguments, and results
  TN__HEAD
  int64_t count;
  int32_t* types;  // TN_FFI_BUFFER
  void** values;   // tn_ffi_buffer_t*
} tn_ffi_values_t;

typedef struct tn_ffi_attrs {  // sorted by name, byte by byte, nested ones too
  TN__HEAD
  int64_t count;
  int32_t* types;  // TN_FFI_ARRAY ...
  tn_ffi_bytes_t** names;
  void** values;  // tn_ffi_array_t*, tn_ffi_attrs_t*, tn_ffi_scalar_t*, tn_ffi_bytes_t*
} tn_ffi_attrs_t;

typedef struct tn_ffi_call_frame {
  TN__HEAD
  const tn_ffi_api_t* api;
  tn_ffi_context_t* context;
  int32_t stage;
  tn_ffi_values_t args;
  tn_ffi_values_t rets;
  tn_ffi_attrs_t attrs;
  tn_ffi_future_t* future;  // out; beyond struct_size
} tn_ffi_call_frame_t;

typedef tn_status_t (*tn_ffi_handler_t)(tn_ffi_call_frame_t* frame);
typedef void (*tn_ffi_function_t)(void);

typedef struct tn_ffi_bundle {
  tn_ffi_handler_t instantiate, prepare, initialize, execute;
} tn_ffi_bundle_t;

typedef struct tn_ffi_metadata {
  size_t struct_size;
  tn_ffi_api_version_t api_version;
  uint32_t traits;
  tn_ffi_type_id_t state_type_id;  // beyond struct_size; of the instantiate handler
} tn_ffi_metadata_t;

typedef struct tn_ffi_metadata_extension {
  tn_ffi_extension_t extension;
  tn_ffi_metadata_t* metadata;
} tn_ffi_metadata_extension_t;

// What the functions of the table take.
typedef struct tn_ffi_error_create {
  TN__HEAD
  const char* message;
  int32_t code;
} tn_ffi_error_create_t;
typedef struct tn_ffi_error_get_message {
  TN__HEAD
  tn_status_t error;
  const char* message;  // out; lives as long as the error
} tn_ffi_error_get_message_t;
typedef struct tn_ffi_error_destroy {
  TN__HEAD
  tn_status_t error;
} tn_ffi_error_destroy_t;
typedef struct tn_ffi_handler_register {
  TN__HEAD
  tn_ffi_bytes_t name;
  tn_ffi_bytes_t platform;
  tn_ffi_bundle_t bundle;
  uint32_t traits;
} tn_ffi_handler_register_t;
typedef struct tn_ffi_type_register {
  TN__HEAD
  tn_ffi_bytes_t name;
  tn_ffi_type_id_t* type_id;            // in, out
  const tn_ffi_type_info_t* type_info;  // beyond struct_size
} tn_ffi_type_register_t;
typedef struct tn_ffi_context_get {
  TN__HEAD
  tn_ffi_context_t* context;
  tn_ffi_type_id_t* type_id;
  void* data;  // out
} tn_ffi_context_get_t;
typedef struct tn_ffi_state_access {  // State_Set, State_Get
  TN__HEAD
  tn_ffi_context_t* context;
  int32_t stage;
  tn_ffi_type_id_t* type_id;
  void* state;  // in, out
} tn_ffi_state_access_t;
typedef struct tn_ffi_stream_get {
  TN__HEAD
  tn_ffi_context_t* context;
  void* stream;  // out
} tn_ffi_stream_get_t;
typedef struct tn_ffi_memory_allocate {
  TN__HEAD
  tn_ffi_context_t* context;
  size_t size;
  size_t alignment;
  void* data;  // out
} tn_ffi_memory_allocate_t;
typedef struct tn_ffi_memory_free {
  TN__HEAD
  tn_ffi_context_t* context;
  size_t size;
  void* data;
} tn_ffi_memory_free_t;
typedef struct tn_ffi_schedule {
  TN__HEAD
  tn_ffi_context_t* context;
  void (*task)(void* data);
  void* data;
} tn_ffi_schedule_t;
typedef struct tn_ffi_thread_count {
  TN__HEAD
  tn_ffi_context_t* context;
  int64_t* count;  // written through
} tn_ffi_thread_count_t;
typedef struct tn_ffi_future_create {
  TN__HEAD
  tn_ffi_future_t* future;  // out; beyond struct_size
} tn_ffi_future_create_t;
typedef struct tn_ffi_future_set_available {
  TN__HEAD
  tn_ffi_future_t* future;
} tn_ffi_future_set_available_t;
typedef struct tn_ffi_future_set_error {
  TN__HEAD
  tn_ffi_future_t* future;
  tn_status_t error;  // taken
} tn_ffi_future_set_error_t;
typedef struct tn_ffi_run_id_get {
  TN__HEAD
  tn_ffi_context_t* context;
  int64_t run_id;  // out
} tn_ffi_run_id_get_t;
typedef struct tn_ffi_device_ordinal_get {
  TN__HEAD
  tn_ffi_context_t* context;
  int32_t device_ordinal;  // out
} tn_ffi_device_ordinal_get_t;

// The host's functions. Older hosts have fewer: a slot exists if struct_size reaches behind it.
struct tn_ffi_api {
  TN__HEAD
  tn_ffi_api_version_t api_version;
  tn_ffi_internal_t* internal;
  tn_status_t (*error_create)(tn_ffi_error_create_t*);
  void (*error_get_message)(tn_ffi_error_get_message_t*);
  void (*error_destroy)(tn_ffi_error_destroy_t*);
  tn_status_t (*handler_register)(tn_ffi_handler_register_t*);
  tn_status_t (*stream_get)(tn_ffi_stream_get_t*);
  tn_status_t (*type_register)(tn_ffi_type_register_t*);
  tn_status_t (*context_get)(tn_ffi_context_get_t*);
  tn_status_t (*state_set)(tn_ffi_state_access_t*);
  tn_status_t (*state_get)(tn_ffi_state_access_t*);
  tn_status_t (*memory_allocate)(tn_ffi_memory_allocate_t*);
  tn_status_t (*memory_free)(tn_ffi_memory_free_t*);
  tn_status_t (*thread_pool_schedule)(tn_ffi_schedule_t*);
  tn_status_t (*thread_pool_thread_count)(tn_ffi_thread_count_t*);
  tn_status_t (*future_create)(tn_ffi_future_create_t*);
  tn_status_t (*future_set_available)(tn_ffi_future_set_available_t*);
  tn_status_t (*future_set_error)(tn_ffi_future_set_error_t*);
  tn_status_t (*run_id_get)(tn_ffi_run_id_get_t*);
  tn_status_t (*device_ordinal_get)(tn_ffi_device_ordinal_get_t*);
};

// The struct_size of each, and the offset at which its last field must therefore lie.
#define TN_FFI_END_OF(type, field) (offsetof(type, field) + sizeof(((type*)0)->field))
#define TN_FFI_STRUCTS(X)                                                \
  X(EXTENSION, tn_ffi_extension_t, next, 24)                             \
  X(API_VERSION, tn_ffi_api_version_t, minor, 24)                        \
  X(TYPE_INFO, tn_ffi_type_info_t, deleter, 24)                          \
  X(BUFFER, tn_ffi_buffer_t, dims, 48)                                   \
  X(VALUES, tn_ffi_values_t, values, 40)                                 \
  X(ATTRS, tn_ffi_attrs_t, values, 48)                                   \
  X(CALL_FRAME, tn_ffi_call_frame_t, attrs, 168)                         \
  X(METADATA, tn_ffi_metadata_t, traits, 36)                             \
  X(METADATA_EXTENSION, tn_ffi_metadata_extension_t, metadata, 32)       \
  X(ERROR_CREATE, tn_ffi_error_create_t, code, 28)                       \
  X(ERROR_GET_MESSAGE, tn_ffi_error_get_message_t, message, 32)          \
  X(ERROR_DESTROY, tn_ffi_error_destroy_t, error, 24)                    \
  X(HANDLER_REGISTER, tn_ffi_handler_register_t, traits, 84)             \
  X(TYPE_REGISTER, tn_ffi_type_register_t, type_id, 40)                  \
  X(CONTEXT_GET, tn_ffi_context_get_t, data, 40)                         \
  X(STATE_ACCESS, tn_ffi_state_access_t, state, 48)                      \
  X(STREAM_GET, tn_ffi_stream_get_t, stream, 32)                         \
  X(MEMORY_ALLOCATE, tn_ffi_memory_allocate_t, data, 48)                 \
  X(MEMORY_FREE, tn_ffi_memory_free_t, data, 40)                         \
  X(SCHEDULE, tn_ffi_schedule_t, data, 40)                               \
  X(THREAD_COUNT, tn_ffi_thread_count_t, count, 32)                      \
  X(FUTURE_CREATE, tn_ffi_future_create_t, extension_start, 16)          \
  X(FUTURE_SET_AVAILABLE, tn_ffi_future_set_available_t, future, 24)     \
  X(FUTURE_SET_ERROR, tn_ffi_future_set_error_t, error, 32)              \
  X(RUN_ID_GET, tn_ffi_run_id_get_t, run_id, 32)                         \
  X(DEVICE_ORDINAL_GET, tn_ffi_device_ordinal_get_t, device_ordinal, 28) \
  X(API, tn_ffi_api_t, device_ordinal_get, 192)
enum {
#define TN__SIZE(NAME, type, last, size) TN_FFI_##NAME##_SIZE = size,
  TN_FFI_STRUCTS(TN__SIZE)
#undef TN__SIZE
};
#define TN__CHECK(NAME, type, last, size) \
  TN__STATIC_ASSERT(TN_FFI_END_OF(type, last) == (size), #type " does not have the ABI's layout");
TN_FFI_STRUCTS(TN__CHECK)
#undef TN__CHECK
TN__STATIC_ASSERT(offsetof(tn_ffi_call_frame_t, args) == 40, "call frame");
TN__STATIC_ASSERT(offsetof(tn_ffi_call_frame_t, rets) == 80, "call frame");
TN__STATIC_ASSERT(offsetof(tn_ffi_call_frame_t, future) == 168, "call frame");
TN__STATIC_ASSERT(offsetof(tn_ffi_metadata_t, state_type_id) == 40, "metadata");
TN__STATIC_ASSERT(offsetof(tn_ffi_type_register_t, type_info) == 40, "type registration");
TN__STATIC_ASSERT(offsetof(tn_ffi_api_t, error_create) == 48, "function table");

// Signatures: what an operation takes and gives, for runtimes, tools and documentation.
enum { TN_FFI_PARAM_ARG = 0, TN_FFI_PARAM_ATTR = 1, TN_FFI_PARAM_RET = 2 };
enum {                          // flags
  TN_FFI_PARAM_REMAINING = 1,   // ARG, RET: this and all that follow
  TN_FFI_PARAM_OPTIONAL = 2,    // ARG, RET: may be absent
  TN_FFI_PARAM_LIKE = 4,        // ARG, RET: the dtype is that of `same_shape_as` too
  TN_FFI_PARAM_ENUM = 8,        // ATTR: a scalar that names one of several things
  TN_FFI_PARAM_ADDRESS = 16,    // ATTR: an s64 scalar that holds an address
  TN_FFI_PARAM_EVERYTHING = 32  // ATTR: no single attribute but the whole dictionary
};

typedef struct tn_ffi_param {
  const char* name;
  const char* doc;        // or NULL
  const char* type_text;  // as the author wrote it: "float", "of(f32, f64)"
  int32_t kind;           // TN_FFI_PARAM_ARG ...
  // ARG and RET; `dtypes` also of scalars and arrays
  uint64_t dtypes;            // bit TN_FFI_F32 is set when f32 is accepted; 0: not constrained
  const char* same_dtype_as;  // the other parameter's name or NULL
  int64_t rank;               // -1: any
  uint32_t flags;
  const char* same_shape_as;  // the other parameter's name or NULL
  // ATTR
  int32_t attr_type;                  // TN_FFI_SCALAR ...; 0: the author decodes it
  const struct tn_ffi_param* fields;  // of a record, else NULL
  size_t field_count;
  const char* default_text;       // as the author wrote it; NULL when required
  int64_t default_integer;        // of a bool, integer, enum
  double default_number;          // of a float, double
  tn_ffi_bytes_t default_string;  // of a string
} tn_ffi_param_t;

typedef struct tn_ffi_op {
  size_t struct_size;
  size_t param_size;  // distance of two params
  const char* name;   // the custom call's target
  const char* platform;
  const char* doc;
  int32_t api_version;         // as in StableHLO: 4 typed, 1 to 3 untyped
  uint32_t traits;             // TN_FFI_COMMAND_BUFFER_COMPATIBLE
  tn_ffi_bundle_t bundle;      // typed; all NULL otherwise
  tn_ffi_function_t function;  // untyped; NULL otherwise
  const tn_ffi_param_t* params;
  size_t param_count;
} tn_ffi_op_t;

// The exported table, found by its name.
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

// ------------------------------------------------------------------------------------------------
// Part 2: writing operations.
#if !defined(TENON_CUSTOM_H_) && !defined(TN_FFI_ABI_ONLY)
#define TENON_CUSTOM_H_

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(__STDC_NO_THREADS__) && defined(__has_include)
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

#define TN_EXPORT __attribute__((visibility("default")))
#define TN__HIDDEN __attribute__((visibility("hidden")))
#define TN__COLD __attribute__((cold, noinline, unused)) static
#define TN__INLINE __attribute__((always_inline, unused)) static inline
#define TN__LIKELY(condition) __builtin_expect(!!(condition), 1)

// ---- what a body reads

typedef struct tn_f16 {
  uint16_t bits;
} tn_f16_t;
typedef struct tn_bf16 {
  uint16_t bits;
} tn_bf16_t;
typedef struct tn_c64 {
  float real, imaginary;
} tn_c64_t;
typedef struct tn_c128 {
  double real, imaginary;
} tn_c128_t;

// Buffers: dense, in the order of `dims`. All have this layout; what differs is the type of `data`.
typedef struct tn_arg_any {
  const void* data;
  const int64_t* dims;
  int64_t rank;
  tn_ffi_dtype_t dtype;
} tn_arg_any_t;
typedef struct tn_ret_any {
  void* data;
  const int64_t* dims;
  int64_t rank;
  tn_ffi_dtype_t dtype;
} tn_ret_any_t;
#define TN__BUFFERS(word, NAME, number, ctype) \
  typedef struct tn_arg_##word {               \
    const ctype* data;                         \
    const int64_t* dims;                       \
    int64_t rank;                              \
    tn_ffi_dtype_t dtype;                      \
  } tn_arg_##word##_t;                         \
  typedef struct tn_ret_##word {               \
    ctype* data;                               \
    const int64_t* dims;                       \
    int64_t rank;                              \
    tn_ffi_dtype_t dtype;                      \
  } tn_ret_##word##_t;
TN_FFI_DTYPES(TN__BUFFERS)

typedef struct tn_remaining {
  const tn_ffi_values_t* values;
  int64_t first, count;
} tn_remaining_t;
typedef struct tn_string {
  const char* data;
  size_t size;
} tn_string_t;
typedef struct tn_dictionary {
  const tn_ffi_attrs_t* attrs;
} tn_dictionary_t;
typedef struct tn_attr {
  int32_t type;
  const void* value;
} tn_attr_t;  // TN_FFI_SCALAR ..., its payload

// The call under way: first member of every body's struct, whose `tn` is its address, as it is
// here.
typedef struct tn_call {
  struct tn_call* tn;
  tn_ffi_call_frame_t* frame;
  const tn_ffi_op_t* op;
  struct tn__block* blocks;  // scratch memory to give back
} tn_call_t;

TN__INLINE int64_t tn__product(const int64_t* dims, int64_t rank) {
  int64_t size = 1;
  for (int64_t i = 0; i < rank; ++i) size *= dims[i];
  return size;
}
#define tn_rank(buffer) ((buffer).rank)
#define tn_size(buffer) tn__product((buffer).dims, (buffer).rank)
#define tn_dim(buffer, axis) ((buffer).dims[axis])
#define tn_last_dim(buffer) ((buffer).rank ? (buffer).dims[(buffer).rank - 1] : (int64_t)1)
#define tn_is_present(buffer) ((buffer).dtype != TN_FFI_INVALID)
#define tn_byte_size(buffer) ((size_t)tn_size(buffer) * tn_ffi_dtype_size((buffer).dtype))

TN__COLD const char* tn_ffi_dtype_name(tn_ffi_dtype_t dtype) {
  switch (dtype) {
#define TN__NAME(word, NAME, number, ctype) \
  case TN_FFI_##NAME: return #word;
    TN_FFI_DTYPES(TN__NAME)
    default: return "no dtype";
  }
}

// Bytes an element takes in memory.
TN__INLINE size_t tn_ffi_dtype_size(tn_ffi_dtype_t dtype) {
  switch (dtype) {
#define TN__BYTES(word, NAME, number, ctype) \
  case TN_FFI_##NAME: return number == TN_FFI_TOKEN ? 0 : sizeof(ctype);
    TN_FFI_DTYPES(TN__BYTES)
    default: return 0;
  }
}

// ---- errors

#define TN_ERROR(call, CODE, ...) tn_call_error((call)->tn, TN_FFI_##CODE, __VA_ARGS__)
#define TN_TRY(expression)                                     \
  do {                                                         \
    const tn_status_t tn_try_ = (expression);                  \
    if (__builtin_expect(tn_try_ != TN_OK, 0)) return tn_try_; \
  } while (0)

TN__COLD tn_status_t tn__create_error(const tn_ffi_api_t* api, int32_t code, const char* message) {
  tn_ffi_error_create_t create = {TN_FFI_ERROR_CREATE_SIZE, NULL, message,
                                  code == TN_FFI_OK ? (int32_t)TN_FFI_INTERNAL : code};
  return api->error_create(&create);
}

TN__COLD void tn__drop_error(const tn_ffi_api_t* api, tn_status_t error) {
  tn_ffi_error_destroy_t destroy = {TN_FFI_ERROR_DESTROY_SIZE, NULL, error};
  if (error != TN_OK) api->error_destroy(&destroy);
}

// A message in the making; what does not fit is cut off.
typedef struct tn__text {
  size_t size;
  char data[1024];
} tn__text_t;

__attribute__((format(printf, 2, 0))) TN__COLD void tn__vprint(tn__text_t* text, const char* format,
                                                               va_list values) {
  const int length =
      vsnprintf(text->data + text->size, sizeof text->data - text->size, format, values);
  const size_t room = sizeof text->data - 1 - text->size;
  if (length > 0) text->size += (size_t)length < room ? (size_t)length : room;
}

__attribute__((format(printf, 2, 3))) TN__COLD void tn__print(tn__text_t* text, const char* format,
                                                              ...) {
  va_list values;
  va_start(values, format);
  tn__vprint(text, format, values);
  va_end(values);
}

// Makes an error whose message begins with the operation's name.
__attribute__((format(printf, 3, 4))) TN__COLD tn_status_t tn_call_error(const tn_call_t* call,
                                                                         int32_t code,
                                                                         const char* format, ...) {
  tn__text_t text = {0, ""};
  va_list values;
  tn__print(&text, "%s: ", call->op->name);
  va_start(values, format);
  tn__vprint(&text, format, values);
  va_end(values);
  return tn__create_error(call->frame->api, code, text.data);
}

// ---- refusals: what the decoders below say when something does not match the list

TN__COLD void tn__print_type(tn__text_t* text, const int64_t* dims, int64_t rank,
                             tn_ffi_dtype_t dtype) {
  for (int64_t i = 0; i < rank; ++i) tn__print(text, "%" PRId64 "x", dims[i]);
  tn__print(text, "%s", tn_ffi_dtype_name(dtype));
}

TN__COLD void tn__print_dtypes(tn__text_t* text, uint64_t dtypes) {
  const char* before = "";
  for (int32_t dtype = 1; dtype < 64; ++dtype) {
    if (!(dtypes >> dtype & 1)) continue;
    const bool last = dtypes >> dtype == 1;
    tn__print(text, "%s%s", *before && last ? " or " : before, tn_ffi_dtype_name(dtype));
    before = ", ";
  }
}

TN__COLD tn_status_t tn__refuse_count(const tn_call_t* call, int32_t kind, int64_t found) {
  const char* noun = kind == TN_FFI_PARAM_ARG ? "argument" : "result";
  tn__text_t names = {0, ""};
  int64_t wanted = 0;
  bool more = false, fewer = false;
  for (size_t i = 0; i < call->op->param_count; ++i) {
    const tn_ffi_param_t* param = &call->op->params[i];
    if (param->kind != kind) continue;
    tn__print(&names, "%s%s", names.size ? ", " : "", param->name);
    if (param->flags & TN_FFI_PARAM_REMAINING) {
      more = true;
      continue;
    }
    if (param->flags & TN_FFI_PARAM_OPTIONAL) fewer = true;
    ++wanted;
  }
  return tn_call_error(
      call, TN_FFI_INVALID_ARGUMENT, "wanted %s%" PRId64 " %s%s (%s), found %" PRId64,
      more    ? "at least "
      : fewer ? "at most "
              : "",
      wanted, noun, wanted == 1 ? "" : "s", names.size ? names.data : "none", found);
}

TN__COLD void tn__print_place(tn__text_t* text, const tn_ffi_param_t* param, int64_t offset) {
  tn__print(text, "%s %s", param->kind == TN_FFI_PARAM_ARG ? "argument" : "result", param->name);
  if (param->flags & TN_FFI_PARAM_REMAINING) tn__print(text, "[%" PRId64 "]", offset);
}

// Value `index` is not what its parameter wants; `offset` counts from the first of the remaining.
TN__COLD tn_status_t tn__refuse_value(const tn_call_t* call, const tn_ffi_param_t* param,
                                      const tn_ffi_values_t* values, int64_t index,
                                      int64_t offset) {
  tn__text_t text = {0, ""};
  tn__print_place(&text, param, offset);
  if (values->types[index] != TN_FFI_BUFFER) {
    return tn_call_error(call, TN_FFI_INVALID_ARGUMENT, "%s: wanted a buffer, found type %d",
                         text.data, (int)values->types[index]);
  }
  const tn_ffi_buffer_t* buffer = (const tn_ffi_buffer_t*)values->values[index];
  tn__print(&text, ": wanted ");
  if (buffer->dtype < 0 || buffer->dtype > 63 || !(param->dtypes >> buffer->dtype & 1)) {
    tn__print_dtypes(&text, param->dtypes);
    tn__print(&text, ", found %s", tn_ffi_dtype_name(buffer->dtype));
  } else {
    tn__print(&text, "rank %" PRId64 ", found rank %" PRId64, param->rank, buffer->rank);
  }
  tn__print(&text, " (");
  tn__print_type(&text, buffer->dims, buffer->rank, buffer->dtype);
  return tn_call_error(call, TN_FFI_INVALID_ARGUMENT, "%s)", text.data);
}

// A value differs from another one whose shape or dtype it should have.
TN__COLD tn_status_t tn__refuse_relation(const tn_call_t* call, const tn_ffi_param_t* param,
                                         int64_t offset, tn_arg_any_t found, const char* what,
                                         const char* other, tn_arg_any_t wanted) {
  tn__text_t text = {0, ""};
  tn__print_place(&text, param, offset);
  tn__print(&text, ": wanted the %s of %s (", what, other);
  tn__print_type(&text, wanted.dims, wanted.rank, wanted.dtype);
  tn__print(&text, "), found ");
  tn__print_type(&text, found.dims, found.rank, found.dtype);
  return tn_call_error(call, TN_FFI_INVALID_ARGUMENT, "%s", text.data);
}

// Where an attribute is: a field of a record in an attribute of the call.
typedef struct tn__path {
  const struct tn__path* parent;
  const char* name;
} tn__path_t;

TN__COLD void tn__print_path(tn__text_t* text, const tn__path_t* path, const char* name) {
  if (path) tn__print_path(text, path->parent, path->name);
  tn__print(text, path ? ".%s" : "attribute %s", name);
}

TN__COLD void tn__print_attr(tn__text_t* text, const tn_attr_t* attr) {
  if (attr->type == TN_FFI_SCALAR) {
    const tn_ffi_scalar_t* scalar = (const tn_ffi_scalar_t*)attr->value;
    tn__print(text, "%s", tn_ffi_dtype_name(scalar->dtype));
    double number = 0;
    if (scalar->dtype == TN_FFI_F64)
      memcpy(&number, scalar->value, sizeof number), tn__print(text, " %.17g", number);
    int64_t integer = 0;
    if (scalar->dtype == TN_FFI_S64)
      memcpy(&integer, scalar->value, sizeof integer), tn__print(text, " %" PRId64, integer);
  } else if (attr->type == TN_FFI_ARRAY) {
    const tn_ffi_array_t* array = (const tn_ffi_array_t*)attr->value;
    tn__print(text, "an array of %zu %s", array->count, tn_ffi_dtype_name(array->dtype));
  } else if (attr->type == TN_FFI_STRING) {
    const tn_ffi_bytes_t* bytes = (const tn_ffi_bytes_t*)attr->value;
    tn__print(text, "the string \"%.*s\"", (int)(bytes->size < 40 ? bytes->size : 40), bytes->data);
  } else {
    tn__print(text, attr->type == TN_FFI_DICTIONARY ? "a dictionary" : "a thing of type %d",
              (int)attr->type);
  }
}

// `dtype`: what a scalar was to be, for the hint; else 0.
TN__COLD tn_status_t tn__refuse_attr(const tn_call_t* call, const tn__path_t* path,
                                     const char* name, const char* wanted, const tn_attr_t* found) {
  tn__text_t text = {0, ""};
  tn__print_path(&text, path, name);
  if (!found)
    return tn_call_error(call, TN_FFI_INVALID_ARGUMENT, "%s is missing (%s)", text.data, wanted);
  tn__print(&text, ": wanted %s, found ", wanted);
  tn__print_attr(&text, found);
  if (found->type == TN_FFI_SCALAR &&
      strstr("bool int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t float double",
             wanted)) {
    tn__print(&text, ", which is no %s exactly", wanted);
  }
  return tn_call_error(call, TN_FFI_INVALID_ARGUMENT, "%s", text.data);
}

// The number of letters to change, insert or drop, as far as it matters for a suggestion.
TN__COLD size_t tn__distance(const char* a, size_t a_size, const char* b, size_t b_size) {
  size_t row[64];
  if (a_size > 60 || b_size > 60) return 99;
  for (size_t j = 0; j <= b_size; ++j) row[j] = j;
  for (size_t i = 1; i <= a_size; ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_size; ++j) {
      const size_t change = diagonal + (a[i - 1] != b[j - 1]);
      const size_t drop = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      diagonal = row[j];
      row[j] = change < drop ? change : drop;
    }
  }
  return row[b_size];
}

// The caller gave attributes that are not in the list: names the first of them.
TN__COLD tn_status_t tn__refuse_unknown(const tn_call_t* call, const tn__path_t* path,
                                        const tn_ffi_attrs_t* attrs, const tn_ffi_param_t* params,
                                        size_t count) {
  tn__text_t names = {0, ""}, text = {0, ""};
  for (int64_t i = 0; i < attrs->count; ++i) {
    const tn_ffi_bytes_t* name = attrs->names[i];
    const char* near = NULL;
    size_t nearest = 3;
    bool known = false;
    names.size = 0;
    for (size_t k = 0; k < count; ++k) {
      if (params[k].kind != TN_FFI_PARAM_ATTR) continue;
      const size_t size = strlen(params[k].name),
                   distance = tn__distance(name->data, name->size, params[k].name, size);
      known = known || (size == name->size && !memcmp(name->data, params[k].name, size));
      if (distance < nearest && distance < size) nearest = distance, near = params[k].name;
      tn__print(&names, "%s%s", names.size ? ", " : "", params[k].name);
    }
    if (known) continue;
    char spelled[64];
    snprintf(spelled, sizeof spelled, "%.*s", (int)(name->size < 60 ? name->size : 60), name->data);
    tn__print_path(&text, path, spelled);
    if (near)
      return tn_call_error(call, TN_FFI_INVALID_ARGUMENT, "%s is unknown; did you mean %s?",
                           text.data, near);
    return tn_call_error(call, TN_FFI_INVALID_ARGUMENT, "%s is unknown; there %s", text.data,
                         names.size ? names.data : "are none");
  }
  return tn_call_error(call, TN_FFI_INVALID_ARGUMENT, "an attribute is given twice");
}

// A host always makes an error object: by that the compiler, and who reads its warnings, know that
// a refusal ends the call.
TN__INLINE tn_status_t tn__refused(tn_status_t error) {
  if (error == TN_OK) __builtin_unreachable();
  return error;
}
#define tn__refuse_count(...) tn__refused(tn__refuse_count(__VA_ARGS__))
#define tn__refuse_value(...) tn__refused(tn__refuse_value(__VA_ARGS__))
#define tn__refuse_relation(...) tn__refused(tn__refuse_relation(__VA_ARGS__))
#define tn__refuse_attr(...) tn__refused(tn__refuse_attr(__VA_ARGS__))
#define tn__refuse_unknown(...) tn__refused(tn__refuse_unknown(__VA_ARGS__))

// ---- decoding

TN__INLINE bool tn__take(const tn_ffi_values_t* values, int64_t index, const tn_ffi_param_t* param,
                         tn_arg_any_t* out) {
  if (values->types[index] != TN_FFI_BUFFER) return false;
  const tn_ffi_buffer_t* buffer = (const tn_ffi_buffer_t*)values->values[index];
  const tn_ffi_dtype_t dtype = buffer->dtype;
  out->data = buffer->data;
  out->dims = buffer->dims;
  out->rank = buffer->rank;
  out->dtype = dtype;
  return (uint32_t)dtype < 64 && (param->dtypes >> dtype & 1) &&
         (param->rank < 0 || param->rank == buffer->rank);
}

TN__INLINE bool tn__same_shape(tn_arg_any_t a, tn_arg_any_t b) {
  bool same = a.rank == b.rank;
  for (int64_t i = 0; same && i < a.rank; ++i) same = a.dims[i] == b.dims[i];
  return same;
}

TN__INLINE bool tn__named(const tn_ffi_attrs_t* attrs, int64_t index, const char* name,
                          size_t size) {
  return attrs->names[index]->size == size && !memcmp(attrs->names[index]->data, name, size);
}

// Attributes come sorted, but where a name lies depends on which others the caller gives. The place
// found last is remembered as the distance from `guess`; otherwise all are looked at.
TN__COLD int64_t tn__search(const tn_ffi_attrs_t* attrs, int64_t guess, unsigned char* hint,
                            const char* name, size_t size) {
  for (int64_t i = 0; i < attrs->count; ++i) {
    if (!tn__named(attrs, i, name, size)) continue;
    __atomic_store_n(hint, (unsigned char)(i - guess), __ATOMIC_RELAXED);
    return i;
  }
  return -1;
}

TN__INLINE int64_t tn__locate(const tn_ffi_attrs_t* attrs, int64_t guess, unsigned char* hint,
                              const char* name, size_t size) {
  const int64_t at = guess + (signed char)__atomic_load_n(hint, __ATOMIC_RELAXED);
  if (TN__LIKELY((uint64_t)at < (uint64_t)attrs->count && tn__named(attrs, at, name, size)))
    return at;
  return attrs->count ? tn__search(attrs, guess, hint, name, size) : -1;
}

static const tn_ffi_attrs_t tn__no_attrs = {TN_FFI_ATTRS_SIZE, NULL, 0, NULL, NULL, NULL};

// A scalar whose type is not the one wanted: taken when nothing is lost.
TN__COLD bool tn__convert(const tn_ffi_scalar_t* from, tn_ffi_dtype_t dtype, void* out) {
  if (from->dtype == TN_FFI_F32 && dtype == TN_FFI_F64) {
    float value;
    memcpy(&value, from->value, sizeof value);
    const double wide = value;
    memcpy(out, &wide, sizeof wide);
    return true;
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
  // Both are integers: the same number if the bits that are kept make it again, sign included.
  const bool from_signed = from->dtype <= TN_FFI_S64, to_signed = dtype <= TN_FFI_S64;
  const int from_shift = 64 - (8 << (from->dtype - (from_signed ? TN_FFI_S8 : TN_FFI_U8)));
  const int to_shift = 64 - (8 << (dtype - (to_signed ? TN_FFI_S8 : TN_FFI_U8)));
  uint64_t bits = 0;
  memcpy(&bits, from->value, tn_ffi_dtype_size(from->dtype));
  if (from_signed) bits = (uint64_t)((int64_t)(bits << from_shift) >> from_shift);
  const uint64_t kept = to_signed ? (uint64_t)((int64_t)(bits << to_shift) >> to_shift)
                                  : bits << to_shift >> to_shift;
  if (kept != bits || (from_signed && (int64_t)bits < 0) != (to_signed && (int64_t)kept < 0))
    return false;
  memcpy(out, &kept, tn_ffi_dtype_size(dtype));
  return true;
}

// Types of scalar attributes: X(C type, NAME of the dtype). Each gives tn_array_TYPE_t,
// tn__as_TYPE, tn__exact_TYPE (no conversion), tn__as_array_TYPE and the functions behind tn_get.
#define TN__SCALARS(X) \
  X(bool, PRED)        \
  X(int8_t, S8)        \
  X(int16_t, S16)      \
  X(int32_t, S32)      \
  X(int64_t, S64)      \
  X(uint8_t, U8) X(uint16_t, U16) X(uint32_t, U32) X(uint64_t, U64) X(float, F32) X(double, F64)
#define TN__SCALAR(ctype, NAME)                                                            \
  typedef struct tn_array_##ctype {                                                        \
    const ctype* data;                                                                     \
    int64_t count;                                                                         \
  } tn_array_##ctype##_t;                                                                  \
  TN__INLINE bool tn__exact_##ctype(const tn_attr_t* attr, ctype* out) {                   \
    const tn_ffi_scalar_t* scalar = (const tn_ffi_scalar_t*)attr->value;                   \
    if (attr->type != TN_FFI_SCALAR || scalar->dtype != TN_FFI_##NAME) return false;       \
    memcpy(out, scalar->value, sizeof *out);                                               \
    return true;                                                                           \
  }                                                                                        \
  TN__INLINE bool tn__as_##ctype(const tn_attr_t* attr, ctype* out) {                      \
    if (TN__LIKELY(tn__exact_##ctype(attr, out))) return true;                             \
    return attr->type == TN_FFI_SCALAR &&                                                  \
           tn__convert((const tn_ffi_scalar_t*)attr->value, TN_FFI_##NAME, out);           \
  }                                                                                        \
  TN__INLINE bool tn__as_array_##ctype(const tn_attr_t* attr, tn_array_##ctype##_t* out) { \
    const tn_ffi_array_t* array = (const tn_ffi_array_t*)attr->value;                      \
    if (attr->type != TN_FFI_ARRAY || array->dtype != TN_FFI_##NAME) return false;         \
    out->data = (const ctype*)array->data;                                                 \
    out->count = (int64_t)array->count;                                                    \
    return true;                                                                           \
  }
TN__SCALARS(TN__SCALAR)

typedef void* tn_address_t;
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

TN__INLINE bool tn__as_string(const tn_attr_t* attr, tn_string_t* out) {
  const tn_ffi_bytes_t* bytes = (const tn_ffi_bytes_t*)attr->value;
  if (attr->type != TN_FFI_STRING) return false;
  out->data = bytes->data;
  out->size = bytes->size;
  return true;
}

TN__INLINE bool tn__as_dictionary(const tn_attr_t* attr, tn_dictionary_t* out) {
  if (attr->type != TN_FFI_DICTIONARY) return false;
  out->attrs = (const tn_ffi_attrs_t*)attr->value;
  return true;
}

// Answers a host that asks what this handler is. True: it did, and nothing is to be run.
TN__INLINE bool tn__is_query(const tn_ffi_call_frame_t* frame) {
  return __builtin_expect(frame->extension_start != NULL, 0) &&
         frame->extension_start->type == TN_FFI_EXTENSION_METADATA;
}

TN__COLD tn_status_t tn__answer(const tn_ffi_call_frame_t* frame, uint32_t traits) {
  tn_ffi_metadata_t* metadata =
      ((tn_ffi_metadata_extension_t*)(void*)frame->extension_start)->metadata;
  if (metadata->struct_size < TN_FFI_METADATA_SIZE) {
    return tn__create_error(frame->api, TN_FFI_INVALID_ARGUMENT,
                            "the host's metadata struct is too small");
  }
  metadata->api_version.struct_size = TN_FFI_API_VERSION_SIZE;
  metadata->api_version.extension_start = NULL;
  metadata->api_version.major = TN_FFI_API_MAJOR;
  metadata->api_version.minor = TN_FFI_API_MINOR_OLDEST;
  metadata->traits = traits;
  return TN_OK;
}

TN__COLD tn_status_t tn__refuse_frame(const tn_call_t* call, int32_t stage) {
  static const char* const stages[] = {"instantiate", "prepare", "initialize", "execute"};
  if (call->frame->struct_size < TN_FFI_CALL_FRAME_SIZE) {
    return tn_call_error(call, TN_FFI_INVALID_ARGUMENT,
                         "wanted a call frame of %d bytes, found %zu", TN_FFI_CALL_FRAME_SIZE,
                         call->frame->struct_size);
  }
  return tn_call_error(
      call, TN_FFI_FAILED_PRECONDITION, "wanted stage %s, found %s", stages[stage],
      (uint32_t)call->frame->stage < 4 ? stages[call->frame->stage] : "one that does not exist");
}

// ---- the words of the lists
// A word is a macro that expands to "~, 1, ..."; a word that does not exist stays one token, for
// which the pickers below have a fallback, so that a mistake gives the one assertion with its name.

#define TN__CAT(a, b) TN__PASTE(a, b)
#define TN__PASTE(a, b) a##b
#define TN__2ND(a, b, ...) b
#define TN__3RD(a, b, c, ...) c
#define TN__4TH(a, b, c, d, ...) d
#define TN__5TH(a, b, c, d, e, ...) e
#define TN__6TH(a, b, c, d, e, f, ...) f
#define TN__7TH(a, b, c, d, e, f, g, ...) g
#define TN__KNOWN(...) TN__2ND(__VA_ARGS__, 0, ~)
#define TN__NONE(...)
#define TN__ONE(...) +1

// Element types: "~, 1, suffix, (set, same dtype as), the other".
#define TN__SUFFIX(...) TN__3RD(__VA_ARGS__, any, any, ~)
#define TN__SET(...) TN__4TH(__VA_ARGS__, TN__0_NULL, TN__0_NULL, TN__0_NULL, ~)
#define TN__DTYPE_OTHER(...) TN__5TH(__VA_ARGS__, tn_found, tn_found, tn_found, tn_found, ~)
#define TN__0_NULL (0, NULL)
#define TN__PLAIN(...) __VA_ARGS__
enum {
#define TN__ELEMENT(word, NAME, number, ctype) tn_element_##word = number,
  TN_FFI_DTYPES(TN__ELEMENT) tn_element_none = 63
};
#define TN__BIT(word) (UINT64_C(1) << tn_element_##word)
#define TN__ANY (~TN__BIT(none))
#define TN__FIXED(word) ~, 1, word, (TN__BIT(word), NULL), tn_found
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
#define TN__D_f8e4m3b11fnuz TN__FIXED(f8e4m3b11fnuz)
#define TN__D_f8e4m3fn TN__FIXED(f8e4m3fn)
#define TN__D_f8e4m3fnuz TN__FIXED(f8e4m3fnuz)
#define TN__D_f8e5m2 TN__FIXED(f8e5m2)
#define TN__D_f8e5m2fnuz TN__FIXED(f8e5m2fnuz)
#define TN__D_f8e8m0fnu TN__FIXED(f8e8m0fnu)
#define TN__D_any ~, 1, any, (TN__ANY, NULL), tn_found
#define TN__D_dtype_of(x) ~, 1, any, (TN__ANY, #x), tn_self->x
#define TN__D_of(...)                                                                           \
  ~, 1, any,                                                                                    \
      (TN__UNITE(__VA_ARGS__, none, none, none, none, none, none, none, none, none, none, none, \
                 none, ~),                                                                      \
       NULL),                                                                                   \
      tn_found
#define TN__UNITE(a, b, c, d, e, f, g, h, i, j, k, l, ...)                                     \
  ((TN__BIT(a) | TN__BIT(b) | TN__BIT(c) | TN__BIT(d) | TN__BIT(e) | TN__BIT(f) | TN__BIT(g) | \
    TN__BIT(h) | TN__BIT(i) | TN__BIT(j) | TN__BIT(k) | TN__BIT(l)) &                          \
   TN__ANY)

// Shapes: "~, 1, how many, (rank, flags, same shape as), the other".
#define TN__CLASS(...) TN__3RD(__VA_ARGS__, one, one, ~)
#define TN__SHAPE(...) TN__4TH(__VA_ARGS__, TN__0_0_NULL, TN__0_0_NULL, TN__0_0_NULL, ~)
#define TN__SHAPE_OTHER(...) TN__5TH(__VA_ARGS__, tn_found, tn_found, tn_found, tn_found, ~)
#define TN__0_0_NULL (0, 0, NULL)
#define TN__S_any_rank ~, 1, one, (-1, 0, NULL), tn_found
#define TN__S_rank(n) ~, 1, one, (n, 0, NULL), tn_found
#define TN__S_like(x) ~, 1, one, (-1, TN_FFI_PARAM_LIKE, #x), tn_self->x
#define TN__S_shape_of(x) ~, 1, one, (-1, 0, #x), tn_self->x
#define TN__S_optional ~, 1, maybe, (-1, TN_FFI_PARAM_OPTIONAL, NULL), tn_found
#define TN__S_remaining ~, 1, rest, (-1, TN_FFI_PARAM_REMAINING, NULL), tn_found

// Attributes: "~, 1, C type, kind of default, expression that decodes tn_found into *tn_out,
// (set, same dtype as, rank, flags, same shape as, wire type, fields, their number)".
#define TN__CTYPE(...) TN__3RD(__VA_ARGS__, int, int, ~)
#define TN__DEFAULT(...) TN__4TH(__VA_ARGS__, none, none, none, ~)
#define TN__DECODER(...) TN__5TH(__VA_ARGS__, false, false, false, false, ~)
#define TN__ATTR(...) \
  TN__6TH(__VA_ARGS__, TN__NO_ATTR, TN__NO_ATTR, TN__NO_ATTR, TN__NO_ATTR, TN__NO_ATTR, ~)
#define TN__NO_ATTR (0, NULL, -1, 0, NULL, 0, NULL, 0)
#define TN__A(ctype, way, decoder, set, flags, wire, fields, count) \
  ~, 1, ctype, way, decoder, (set, NULL, -1, flags, NULL, wire, fields, count)
#define TN__A_SCALAR(ctype, word, way) \
  TN__A(ctype, way, tn__as_##ctype(&tn_found, tn_out), TN__BIT(word), 0, TN_FFI_SCALAR, NULL, 0)
#define TN__A_bool TN__A_SCALAR(bool, pred, integer)
#define TN__BIT_bool TN__BIT(pred)
#define TN__A_int8_t TN__A_SCALAR(int8_t, s8, integer)
#define TN__BIT_int8_t TN__BIT(s8)
#define TN__A_int16_t TN__A_SCALAR(int16_t, s16, integer)
#define TN__BIT_int16_t TN__BIT(s16)
#define TN__A_int32_t TN__A_SCALAR(int32_t, s32, integer)
#define TN__BIT_int32_t TN__BIT(s32)
#define TN__A_int64_t TN__A_SCALAR(int64_t, s64, integer)
#define TN__BIT_int64_t TN__BIT(s64)
#define TN__A_uint8_t TN__A_SCALAR(uint8_t, u8, integer)
#define TN__BIT_uint8_t TN__BIT(u8)
#define TN__A_uint16_t TN__A_SCALAR(uint16_t, u16, integer)
#define TN__BIT_uint16_t TN__BIT(u16)
#define TN__A_uint32_t TN__A_SCALAR(uint32_t, u32, integer)
#define TN__BIT_uint32_t TN__BIT(u32)
#define TN__A_uint64_t TN__A_SCALAR(uint64_t, u64, integer)
#define TN__BIT_uint64_t TN__BIT(u64)
#define TN__A_float TN__A_SCALAR(float, f32, number)
#define TN__BIT_float TN__BIT(f32)
#define TN__A_double TN__A_SCALAR(double, f64, number)
#define TN__BIT_double TN__BIT(f64)
#define TN__A_string \
  TN__A(tn_string_t, text, tn__as_string(&tn_found, tn_out), 0, 0, TN_FFI_STRING, NULL, 0)
#define TN__A_array(T)                                                                             \
  TN__A(tn_array_##T##_t, none, tn__as_array_##T(&tn_found, tn_out), TN__BIT_##T, 0, TN_FFI_ARRAY, \
        NULL, 0)
#define TN__A_dictionary                                                                        \
  TN__A(tn_dictionary_t, fields, tn__as_dictionary(&tn_found, tn_out), 0, 0, TN_FFI_DICTIONARY, \
        NULL, 0)
#define TN__A_address                                                   \
  TN__A(tn_address_t, address,                                          \
        (tn__as_int64_t(&tn_found, &tn_wire.as_int64_t) &&              \
         (*tn_out = (tn_address_t)(intptr_t)tn_wire.as_int64_t, true)), \
        TN__BIT(s64), TN_FFI_PARAM_ADDRESS, TN_FFI_SCALAR, NULL, 0)
#define TN__A_enum_of(T, wire)                                                                     \
  TN__A(                                                                                           \
      T, integer,                                                                                  \
      (tn__exact_##wire(&tn_found, &tn_wire.as_##wire) && (*tn_out = (T)tn_wire.as_##wire, true)), \
      TN__BIT_##wire, TN_FFI_PARAM_ENUM, TN_FFI_SCALAR, NULL, 0)
#define TN__A_record(T)                                                          \
  TN__A(T, fields,                                                               \
        (tn_found.type == TN_FFI_DICTIONARY &&                                   \
         (tn_bad = T##_decode(tn_out, tn_call, &tn_here,                         \
                              (const tn_ffi_attrs_t*)tn_found.value)) == TN_OK), \
        0, 0, TN_FFI_DICTIONARY, T##_fields, sizeof T##_fields / sizeof *T##_fields - 1)
#define TN__A_decoded_by(T, function) \
  TN__A(T, value, ((tn_bad = function(tn_call, &tn_found, tn_out)) == TN_OK), 0, 0, 0, NULL, 0)
#define TN__A_all_attributes                                                                       \
  TN__A(tn_dictionary_t, fields, tn__as_dictionary(&tn_found, tn_out), 0, TN_FFI_PARAM_EVERYTHING, \
        TN_FFI_DICTIONARY, NULL, 0)

// Defaults: is it TN_REQUIRED; its place in the signature; putting it into the struct.
#define TN_REQUIRED() ~, 1
#define TN_EMPTY 0
#define TN__IF_GIVEN(way, ...) TN__CAT(TN__WAY_, TN__IS_REQUIRED(__VA_ARGS__, ~))(way)
#define TN__IS_REQUIRED(value, ...) TN__KNOWN(value())
#define TN__WAY_0(way) way
#define TN__WAY_1(way) required
#define TN__KEEP_required(...) \
  NULL, 0, 0.0, {              \
    NULL, 0                    \
  }
#define TN__KEEP_integer(value, ...) \
#value, (int64_t)(value), 0.0, {   \
    NULL, 0                          \
  }
#define TN__KEEP_number(value, ...) \
#value, 0, (double)(value), {     \
    NULL, 0                         \
  }
#define TN__KEEP_text(value, ...) \
#value, 0, 0.0, {               \
    "" value, sizeof(value) - 1   \
  }
#define TN__KEEP_none(value, ...) \
#value, 0, 0.0, {               \
    NULL, 0                       \
  }
#define TN__KEEP_fields(value, ...) \
#value, 0, 0.0, {                 \
    NULL, 0                         \
  }
#define TN__KEEP_address(value, ...) \
#value, 0, 0.0, {                  \
    NULL, 0                          \
  }
#define TN__KEEP_value(value, ...) \
#value, 0, 0.0, {                \
    NULL, 0                        \
  }
#define TN__PUT_required(decoder, ...) \
  return tn__refuse_attr(tn_call, tn_path, tn_row->name, tn_row->type_text, NULL);
#define TN__PUT_integer(decoder, value, ...) *tn_out = (value);
#define TN__PUT_number(decoder, value, ...) *tn_out = (value);
#define TN__PUT_value(decoder, value, ...) *tn_out = (value);
#define TN__PUT_address(decoder, value, ...) *tn_out = (value);
#define TN__PUT_text(decoder, value, ...) tn_out->data = (value), tn_out->size = sizeof(value) - 1;
#define TN__PUT_none(decoder, value, ...) memset(tn_out, (value), sizeof *tn_out);
#define TN__PUT_fields(decoder, value, ...)    \
  tn_found.type = TN_FFI_DICTIONARY + (value); \
  tn_found.value = &tn__no_attrs;              \
  if (!(decoder))                              \
    return tn_bad ? tn_bad                     \
                  : tn__refuse_attr(tn_call, tn_path, tn_row->name, tn_row->type_text, NULL);

// ---- what the lists expand to

// The struct, with the assertions.
#define TN__FIELD_ARG(name, dtype, ...)                                               \
  TN__FIELD(arg, name, "ARG(" #name ", " #dtype ", " #__VA_ARGS__ ")", TN__D_##dtype, \
            TN__S_##__VA_ARGS__, ~)
#define TN__FIELD_RET(name, dtype, ...)                                               \
  TN__FIELD(ret, name, "RET(" #name ", " #dtype ", " #__VA_ARGS__ ")", TN__D_##dtype, \
            TN__S_##__VA_ARGS__, ~)
#define TN__FIELD(side, name, text, d, s, ...)                             \
  TN__STATIC_ASSERT(TN__KNOWN(d), text ": there is no such element type"); \
  TN__STATIC_ASSERT(TN__KNOWN(s), text ": there is no such shape");        \
  TN__FIELD_(TN__CLASS(s), side, TN__SUFFIX(d), name)
#define TN__FIELD_(class, side, suffix, name) TN__FIELD_AS(class, side, suffix, name)
#define TN__FIELD_AS(class, side, suffix, name) TN__FIELD_##class(side, suffix, name)
#define TN__FIELD_one(side, suffix, name) tn_##side##_##suffix##_t name;
#define TN__FIELD_maybe(side, suffix, name) tn_##side##_##suffix##_t name;
#define TN__FIELD_rest(side, suffix, name) tn_remaining_t name;
#define TN__FIELD_ATTR(name, type, ...)                                                  \
  TN__STATIC_ASSERT(TN__KNOWN(TN__A_##type),                                             \
                    "ATTR(" #name ", " #type ", ...): there is no such attribute type"); \
  TN__CTYPE(TN__A_##type) name;
// What may follow what: 1000000 +1 <1000||0 +1 is 1 if something follows the remaining ones.
#define TN__ORDER(name, dtype, ...) TN__CAT(TN__ORDER_, TN__CLASS(TN__S_##__VA_ARGS__))
#define TN__ORDER_one +1
#define TN__ORDER_maybe +1
#define TN__ORDER_rest +1 < 1000 || 0

// The signature.
#define TN__ROW_ARG(name, dtype, ...) \
  TN__ROW(#name, #dtype, TN_FFI_PARAM_ARG, TN__D_##dtype, TN__S_##__VA_ARGS__, NULL, ~)
#define TN__ROW_RET(name, dtype, ...) \
  TN__ROW(#name, #dtype, TN_FFI_PARAM_RET, TN__D_##dtype, TN__S_##__VA_ARGS__, NULL, ~)
#define TN__ROW(name, dtype, kind, d, s, doc, ...) \
  TN__ROW_(name, doc, dtype, kind, TN__SET(d), TN__SHAPE(s))
#define TN__ROW_(name, doc, dtype, kind, d, s) \
  {name, doc, dtype, kind, TN__PLAIN d, TN__PLAIN s, 0, NULL, 0, NULL, 0, 0.0, {NULL, 0}},
#define TN__ROW_ATTR(name, type, ...)                                      \
  TN__ROW_ATTR_(                                                           \
      #name, TN__2ND(__VA_ARGS__, NULL, ~), #type, TN__ATTR(TN__A_##type), \
      TN__CAT(TN__KEEP_, TN__IF_GIVEN(TN__DEFAULT(TN__A_##type), __VA_ARGS__))(__VA_ARGS__, ~))
#define TN__ROW_ATTR_(name, doc, type, attr, ...) \
  {name, doc, type, TN_FFI_PARAM_ATTR, TN__PLAIN attr, __VA_ARGS__},
#define TN__ROW_END                                                       \
  {                                                                       \
    NULL, NULL, NULL, 0, 0, NULL, 0, 0, NULL, 0, NULL, 0, NULL, 0, 0.0, { \
      NULL, 0                                                             \
    }                                                                     \
  }

// The decoder of attributes, for operations and records.
#define TN__DECODE_ATTR(name, type, ...)                                                    \
  TN__DECODE_ATTR_(name, #name, TN__CTYPE(TN__A_##type), (TN__DECODER(TN__A_##type)),       \
                   TN__CAT(TN__PUT_, TN__IF_GIVEN(TN__DEFAULT(TN__A_##type), __VA_ARGS__)), \
                   __VA_ARGS__)
#define TN__DECODE_ATTR_(name, text, ctype, decoder, put, ...)                                   \
  {                                                                                              \
    const tn__path_t tn_here = {tn_path, text};                                                  \
    ctype* const tn_out = &tn_self->name;                                                        \
    tn_attr_t tn_found = {TN_FFI_DICTIONARY, tn_attrs};                                          \
    if (tn_row->flags & TN_FFI_PARAM_EVERYTHING) {                                               \
      if (!decoder) return tn__refuse_attr(tn_call, tn_path, text, tn_row->type_text, NULL);     \
      tn_open = true;                                                                            \
    } else {                                                                                     \
      const int64_t tn_at =                                                                      \
          tn__locate(tn_attrs, tn_attr, &tn_hints[tn_attr], text, sizeof text - 1);              \
      if (TN__LIKELY(tn_at >= 0)) {                                                              \
        tn_found.type = tn_attrs->types[tn_at];                                                  \
        tn_found.value = tn_attrs->values[tn_at];                                                \
        ++tn_seen;                                                                               \
        if (!decoder)                                                                            \
          return tn_bad ? tn_bad                                                                 \
                        : tn__refuse_attr(tn_call, tn_path, text, tn_row->type_text, &tn_found); \
      } else {                                                                                   \
        put(decoder, __VA_ARGS__, ~)                                                             \
      }                                                                                          \
    }                                                                                            \
    (void)tn_here;                                                                               \
    ++tn_attr;                                                                                   \
    ++tn_row;                                                                                    \
  }
#define TN__NEXT_ROW(...) ++tn_row;
#define TN__DECODE_ATTRS(params, number, statements)                                       \
  static unsigned char tn_hints[1 number];                                                 \
  const tn_ffi_param_t* tn_row = params;                                                   \
  int64_t tn_attr = 0, tn_seen = 0;                                                        \
  bool tn_open = false;                                                                    \
  tn_status_t tn_bad = TN_OK;                                                              \
  tn__wire_t tn_wire;                                                                      \
  (void)tn_self, (void)tn_wire, (void)tn_row, (void)tn_hints, (void)tn_attr, (void)tn_bad; \
  statements if (TN__LIKELY(tn_open || tn_seen == tn_attrs->count)) return TN_OK;          \
  return tn__refuse_unknown(tn_call, tn_path, tn_attrs, params, sizeof params / sizeof *params - 1)

// The decoder of arguments and results: first all are taken, then what they have to do with each
// other.
#define TN__MIN(name, dtype, ...) TN__CAT(TN__MIN_, TN__CLASS(TN__S_##__VA_ARGS__))
#define TN__MIN_one +1
#define TN__MIN_maybe
#define TN__MIN_rest
#define TN__MAX(name, dtype, ...) TN__CAT(TN__MAX_, TN__CLASS(TN__S_##__VA_ARGS__))
#define TN__MAX_one +1
#define TN__MAX_maybe +1
#define TN__MAX_rest +(INT64_C(1) << 62)
#define TN__TAKE_ARG(name, dtype, ...) \
  TN__TAKE(TN__CLASS(TN__S_##__VA_ARGS__), name, &tn_call->frame->args, tn_arg)
#define TN__TAKE_RET(name, dtype, ...) \
  TN__TAKE(TN__CLASS(TN__S_##__VA_ARGS__), name, &tn_call->frame->rets, tn_ret)
#define TN__TAKE(class, name, source, index) TN__TAKE_AS(class, name, source, index)
#define TN__TAKE_AS(class, name, source, index) TN__TAKE_##class(name, source, index)
#define TN__TAKE_one(name, source, index)                       \
  if (!TN__LIKELY(tn__take(source, index, tn_row, &tn_any)))    \
    return tn__refuse_value(tn_call, tn_row, source, index, 0); \
  memcpy(&tn_self->name, &tn_any, sizeof tn_any);               \
  ++index, ++tn_row;
#define TN__TAKE_maybe(name, source, index)   \
  if (index < (source)->count) {              \
    TN__TAKE_one(name, source, index)         \
  } else {                                    \
    memset(&tn_self->name, 0, sizeof tn_any); \
    ++tn_row;                                 \
  }
#define TN__TAKE_rest(name, source, index)                                                  \
  tn_self->name.values = source;                                                            \
  tn_self->name.first = index;                                                              \
  tn_self->name.count = (source)->count - index;                                            \
  for (; index < (source)->count; ++index) {                                                \
    if (!tn__take(source, index, tn_row, &tn_any))                                          \
      return tn__refuse_value(tn_call, tn_row, source, index, index - tn_self->name.first); \
  }                                                                                         \
  ++tn_row;

#define TN__RELATE_BUFFER(name, dtype, ...)                                        \
  TN__RELATE(TN__CLASS(TN__S_##__VA_ARGS__), name, TN__DTYPE_OTHER(TN__D_##dtype), \
             TN__SHAPE_OTHER(TN__S_##__VA_ARGS__))
#define TN__RELATE(class, name, d, s) TN__RELATE_AS(class, name, d, s)
#define TN__RELATE_AS(class, name, d, s) TN__RELATE_##class(name, d, s)++ tn_row;
#define TN__VIEW(buffer) tn__view((buffer).dims, (buffer).rank, (buffer).dtype)
#define TN__RELATE_ONE(found, offset, d, s)                                  \
  {                                                                          \
    const tn_arg_any_t tn_found = found;                                     \
    if (tn_row->same_dtype_as && tn_found.dtype != (d).dtype)                \
      return tn__refuse_relation(tn_call, tn_row, offset, tn_found, "dtype", \
                                 tn_row->same_dtype_as, TN__VIEW(d));        \
    if (tn_row->same_shape_as && !tn__same_shape(tn_found, TN__VIEW(s)))     \
      return tn__refuse_relation(tn_call, tn_row, offset, tn_found, "shape", \
                                 tn_row->same_shape_as, TN__VIEW(s));        \
    if (tn_row->flags & TN_FFI_PARAM_LIKE && tn_found.dtype != (s).dtype)    \
      return tn__refuse_relation(tn_call, tn_row, offset, tn_found, "dtype", \
                                 tn_row->same_shape_as, TN__VIEW(s));        \
  }
#define TN__RELATE_one(name, d, s) TN__RELATE_ONE(TN__VIEW(tn_self->name), 0, d, s)
#define TN__RELATE_maybe(name, d, s) \
  if (tn_is_present(tn_self->name)) TN__RELATE_ONE(TN__VIEW(tn_self->name), 0, d, s)
#define TN__RELATE_rest(name, d, s)                                                   \
  for (int64_t tn_i = 0; tn_row->same_dtype_as && tn_i < tn_self->name.count; ++tn_i) \
  TN__RELATE_ONE(tn__remaining(tn_self->name, tn_i), tn_i, d, s)

TN__INLINE tn_arg_any_t tn__view(const int64_t* dims, int64_t rank, tn_ffi_dtype_t dtype) {
  const tn_arg_any_t view = {NULL, dims, rank, dtype};
  return view;
}

TN__INLINE tn_arg_any_t tn__remaining(tn_remaining_t remaining, int64_t index) {
  const tn_ffi_buffer_t* buffer =
      (const tn_ffi_buffer_t*)remaining.values->values[remaining.first + index];
  const tn_arg_any_t view = {buffer->data, buffer->dims, buffer->rank, buffer->dtype};
  return view;
}

// ---- operations

#define TN_OP(op, LIST, doc) TN_OP_ON("Host", 0, op, LIST, doc)

// The same for another platform ("CUDA", ...) and with traits (TN_FFI_COMMAND_BUFFER_COMPATIBLE).
#define TN_OP_ON(platform, traits, op, LIST, doc)                                               \
  TN__DECLARE(op, LIST)                                                                         \
  TN__DESCRIBE(op, platform, doc, 4, traits, {NULL TN__COMMA NULL TN__COMMA NULL TN__COMMA op}, \
               NULL, op##_params, sizeof op##_params / sizeof *op##_params - 1)                 \
  TN__HANDLER(op, op, op##_body, TN_FFI_EXECUTE, traits, op##_decode(&call, &tn))               \
  static tn_status_t op##_body(__attribute__((unused)) const struct op##_call* call)

#define TN__COMMA ,
#define TN__DESCRIBE(op, platform, doc, api_version, traits, bundle, function, params, \
                     param_count)                                                      \
  TN__EXTERN_C TN__HIDDEN const tn_ffi_op_t op##_op;                                   \
  const tn_ffi_op_t op##_op = {sizeof(tn_ffi_op_t),                                    \
                               sizeof(tn_ffi_param_t),                                 \
                               #op,                                                    \
                               platform,                                               \
                               doc,                                                    \
                               api_version,                                            \
                               traits,                                                 \
                               bundle,                                                 \
                               function,                                               \
                               params,                                                 \
                               param_count};

#define TN__DECLARE(op, LIST)                                                                     \
  TN__EXTERN_C TN_EXPORT tn_status_t op(tn_ffi_call_frame_t* tn_frame);                           \
  struct op##_call {                                                                              \
    tn_call_t* tn;                                                                                \
    LIST(TN__FIELD_ARG, TN__FIELD_ATTR, TN__FIELD_RET)                                            \
    TN__STATIC_ASSERT((1000000 LIST(TN__ORDER, TN__NONE, TN__NONE)) != 1,                         \
                      #op ": an ARG follows the remaining ones");                                 \
    TN__STATIC_ASSERT((1000000 LIST(TN__NONE, TN__NONE, TN__ORDER)) != 1,                         \
                      #op ": a RET follows the remaining ones");                                  \
  };                                                                                              \
  static const tn_ffi_param_t op##_params[] = {LIST(TN__ROW_ARG, TN__ROW_ATTR, TN__ROW_RET)       \
                                                   TN__ROW_END};                                  \
  static tn_status_t op##_body(const struct op##_call* call);                                     \
  TN__INLINE tn_status_t op##_decode_attrs(struct op##_call* tn_self, const tn_call_t* tn_call) { \
    const tn__path_t* const tn_path = NULL;                                                       \
    const tn_ffi_attrs_t* const tn_attrs = &tn_call->frame->attrs;                                \
    TN__DECODE_ATTRS(op##_params, LIST(TN__NONE, TN__ONE, TN__NONE),                              \
                     LIST(TN__NEXT_ROW, TN__DECODE_ATTR, TN__NEXT_ROW));                          \
  }                                                                                               \
  TN__INLINE tn_status_t op##_decode(struct op##_call* tn_self, const tn_call_t* tn_call) {       \
    const tn_ffi_param_t* tn_row = op##_params;                                                   \
    const int64_t tn_args = tn_call->frame->args.count, tn_rets = tn_call->frame->rets.count;     \
    int64_t tn_arg = 0, tn_ret = 0;                                                               \
    tn_arg_any_t tn_any = {NULL, NULL, 0, 0};                                                     \
    if (tn_args < 0 LIST(TN__MIN, TN__NONE, TN__NONE) ||                                          \
        tn_args > 0 LIST(TN__MAX, TN__NONE, TN__NONE))                                            \
      return tn__refuse_count(tn_call, TN_FFI_PARAM_ARG, tn_args);                                \
    if (tn_rets < 0 LIST(TN__NONE, TN__NONE, TN__MIN) ||                                          \
        tn_rets > 0 LIST(TN__NONE, TN__NONE, TN__MAX))                                            \
      return tn__refuse_count(tn_call, TN_FFI_PARAM_RET, tn_rets);                                \
    LIST(TN__TAKE_ARG, TN__NEXT_ROW, TN__TAKE_RET)                                                \
    tn_row = op##_params;                                                                         \
    LIST(TN__RELATE_BUFFER, TN__NEXT_ROW, TN__RELATE_BUFFER)                                      \
    (void)tn_row, (void)tn_arg, (void)tn_ret, (void)tn_any;                                       \
    return op##_decode_attrs(tn_self, tn_call);                                                   \
  }

#define TN__HANDLER(op, symbol, body, stage_number, traits, decode)                        \
  TN_EXPORT tn_status_t symbol(tn_ffi_call_frame_t* tn_frame) {                            \
    if (tn__is_query(tn_frame)) return tn__answer(tn_frame, traits);                       \
    tn_call_t tn = {&tn, tn_frame, &op##_op, NULL};                                        \
    if (tn_frame->struct_size < TN_FFI_CALL_FRAME_SIZE || tn_frame->stage != stage_number) \
      return tn__refuse_frame(&tn, stage_number);                                          \
    struct op##_call call;                                                                 \
    call.tn = &tn;                                                                         \
    tn_status_t status = decode;                                                           \
    if (TN__LIKELY(status == TN_OK)) status = body(&call);                                 \
    if (__builtin_expect(tn.blocks != NULL, 0)) tn__free_blocks(&tn);                      \
    return status;                                                                         \
  }

// Lists a function of the untyped convention, which the author writes as usual:
//   TN_UNTYPED(add, "out = a + b")
//   void add(void* out, const void** in) { ... }
#define TN_UNTYPED(function, doc) TN__UNTYPED(function, doc, 1, (void* out, const void** in))
// ... of those that report a status, without and with the opaque bytes.
#define TN_UNTYPED_STATUS(function, doc) \
  TN__UNTYPED(function, doc, 2, (void* out, const void** in, struct XlaCustomCallStatus_* status))
#define TN_UNTYPED_OPAQUE(function, doc)                                           \
  TN__UNTYPED(function, doc, 3,                                                    \
              (void* out, const void** in, const char* opaque, size_t opaque_size, \
               struct XlaCustomCallStatus_* status))
#define TN__UNTYPED(function, doc, api_version, signature)                                       \
  TN__EXTERN_C TN_EXPORT void function signature;                                                \
  TN__DESCRIBE(function, "Host", doc, api_version, 0,                                            \
               {NULL TN__COMMA NULL TN__COMMA NULL TN__COMMA NULL}, (tn_ffi_function_t)function, \
               NULL, 0)
struct XlaCustomCallStatus_;

// The exported table: names operations of this file or others of the library. Once per library.
#define TN_LIBRARY(...)                                                                       \
  TN__EACH(TN__LIST_DECLARE, __VA_ARGS__)                                                     \
  static const tn_ffi_op_t* const tn__library_ops[] = {TN__EACH(TN__LIST_NAME, __VA_ARGS__)}; \
  TN__EXTERN_C TN_EXPORT const tn_ffi_library_t tenon_library;                                \
  const tn_ffi_library_t tenon_library = {sizeof(tn_ffi_library_t), TN_FFI_LIBRARY_VERSION,   \
                                          sizeof tn__library_ops / sizeof *tn__library_ops,   \
                                          tn__library_ops};
#define TN__LIST_DECLARE(op) TN__EXTERN_C TN__HIDDEN const tn_ffi_op_t op##_op;
#define TN__LIST_NAME(op) &op##_op,

// For each of up to 256 names.
#define TN__EACH(m, ...) TN__SCAN_256(TN__STEP(m, __VA_ARGS__, TN__STOP, ~))
#define TN__STEP(m, name, ...) TN__CAT(TN__STEP_, TN__KNOWN(TN__LAST_##name))(m, name, __VA_ARGS__)
#define TN__STEP_0(m, name, ...) m(name) TN__STEP_AGAIN TN__NOTHING()()(m, __VA_ARGS__)
#define TN__STEP_1(m, name, ...)
#define TN__STEP_AGAIN() TN__STEP
#define TN__LAST_TN__STOP ~, 1
#define TN__NOTHING()
#define TN__SCAN_4(...) TN__SCAN(TN__SCAN(TN__SCAN(TN__SCAN(__VA_ARGS__))))
#define TN__SCAN_16(...) TN__SCAN_4(TN__SCAN_4(TN__SCAN_4(TN__SCAN_4(__VA_ARGS__))))
#define TN__SCAN_64(...) TN__SCAN_16(TN__SCAN_16(TN__SCAN_16(TN__SCAN_16(__VA_ARGS__))))
#define TN__SCAN_256(...) TN__SCAN_64(TN__SCAN_64(TN__SCAN_64(TN__SCAN_64(__VA_ARGS__))))
#define TN__SCAN(...) __VA_ARGS__

// The author's own struct, decoded from a dictionary:
//   #define RANGE(FIELD) FIELD(lo, int64_t, TN_REQUIRED) FIELD(hi, int64_t, 100)
//   TN_RECORD(range_t, RANGE)          declares range_t as well; TN_RECORD_OF takes one that exists
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
    TN__DECODE_ATTRS(type##_fields, LIST(TN__ONE), LIST(TN__DECODE_ATTR));        \
  }

// ---- what a body may ask of the host

typedef struct tn__block {
  struct tn__block* next;
  void* data;
  size_t size;
  bool from_host;
} tn__block_t;

TN__COLD void tn__free_blocks(tn_call_t* call) {
  while (call->blocks) {
    tn__block_t* block = call->blocks;
    call->blocks = block->next;
    tn_ffi_memory_free_t release = {TN_FFI_MEMORY_FREE_SIZE, NULL, call->frame->context,
                                    block->size, block->data};
    if (block->from_host) tn__drop_error(call->frame->api, call->frame->api->memory_free(&release));
    free(block);
  }
}

// Memory on the operation's device until the handler returns; NULL when there is none. On the CPU
// it is aligned to 64 bytes, and comes from malloc if the host has no allocator for handlers.
__attribute__((unused)) static void* tn_scratch_(tn_call_t* call, size_t size) {
  const bool on_host = !strcmp(call->op->platform, "Host");
  tn_ffi_memory_allocate_t allocate = {
      TN_FFI_MEMORY_ALLOCATE_SIZE,       NULL, call->frame->context, size,
      on_host ? (size_t)64 : (size_t)16, NULL};
  const tn_status_t error = call->frame->api->memory_allocate(&allocate);
  tn__drop_error(call->frame->api, error);
  const bool from_host = error == TN_OK && allocate.data;
  if (!from_host && (!on_host || size > SIZE_MAX / 2)) return NULL;
  tn__block_t* block = (tn__block_t*)malloc(sizeof *block + (from_host ? 0 : size + 64));
  if (!block) {
    tn_ffi_memory_free_t release = {TN_FFI_MEMORY_FREE_SIZE, NULL, call->frame->context, size,
                                    allocate.data};
    if (from_host) tn__drop_error(call->frame->api, call->frame->api->memory_free(&release));
    return NULL;
  }
  block->next = call->blocks;
  block->data = from_host ? allocate.data : (void*)(((uintptr_t)(block + 1) + 63) & ~(uintptr_t)63);
  block->size = size;
  block->from_host = from_host;
  call->blocks = block;
  return block->data;
}
#define tn_scratch(call, size) tn_scratch_((call)->tn, size)

#ifdef __cplusplus
}
#endif
#endif  // TENON_CUSTOM_H_
