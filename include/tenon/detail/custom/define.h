// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Definitions: operations, functions of the legacy ABI, struct attributes, the table of a library.
#ifndef TENON_DETAIL_CUSTOM_DEFINE_H_
#define TENON_DETAIL_CUSTOM_DEFINE_H_

#include <tenon/detail/custom/decode.h>

// The kernel body follows: TN_OP(name, LIST, "doc") { ... return TN_OK; }
#define TN__HOST "Host"
#define TN_OP(op, LIST, doc) TN_OP_ON(TN__HOST, #op, 0, op, LIST, doc)

// The same for a platform ("CUDA" ...), a target name other than the function's, and traits.
#define TN_OP_ON(platform, target, traits, op, LIST, doc)                               \
  TN__CHECK_LIST(TN__IS_LIST(LIST), op, LIST, )                                         \
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

// A list that does not expand to nothing, since it or an entry is misspelt or has other parameters,
// is replaced by an empty one: the compiler's own error is followed by one only.
#define TN__IS_LIST(LIST) TN__KNOWN(TN__LEFT(LIST(TN__ENTRY, TN__ENTRY, TN__ENTRY), ~))
#define TN__ENTRY(name, type, ...)
#define TN__LEFT(token, ...) TN__LEFT_OF(token)
#define TN__LEFT_OF(token) TN__LEFT_##token
#define TN__LEFT_ ~, 1
#define TN__CHECK_LIST(is_list, op, LIST, state_field) \
  TN__CHECK_LIST_AS(is_list, op, LIST, state_field)
#define TN__CHECK_LIST_AS(is_list, op, LIST, state_field)                                       \
  TN__STATIC_ASSERT(is_list, #op ": " #LIST " is not a signature list; expected #define " #LIST \
                                 "(ARG, ATTR, RET), with ARG(name, dtype, shape), ATTR(name, "  \
                                 "type, default), RET(name, dtype, shape)");                    \
  TN__DECLARE_AS(op, TN__LIST_##is_list(LIST), state_field)
#define TN__LIST_1(LIST) LIST
#define TN__LIST_0(LIST) TN__NO_LIST
#define TN__NO_LIST(ARG, ATTR, RET)
#define TN__DECLARE_AS(op, LIST, state_field) TN__DECLARE(op, LIST, state_field)

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
  static int32_t op##_dims[1 LIST(TN__DIMS_ROOM, TN__NONE, TN__DIMS_ROOM)];                       \
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
    __attribute__((unused)) int64_t tn_attr = 0;                                                  \
    tn__wire_t tn_wire;                                                                           \
    (void)tn_self, (void)tn_hints, (void)tn_wire;                                                 \
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
    const tn_status_t tn_status = op##_decode_attrs(tn_self, tn_call);                            \
    if (sizeof op##_dims > sizeof *op##_dims && TN__LIKELY(tn_status == TN_OK) &&                 \
        TN__UNLIKELY(!tn__named_dims_agree(tn_call, op##_dims)))                                  \
      return tn__refuse_values(tn_call);                                                          \
    return tn_status;                                                                             \
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
#define TN__UNTYPED(function, doc, api_version, signature) \
  TN__UNTYPED_AS("Host", #function, function, doc, api_version, signature)
// The same for a platform that is not the host, and a target name. `buffers` lists the operands and
// then the results, as addresses of the device; the leaves of tuples follow each other, and a token
// is NULL. The stream is the platform's: a CUstream, a cl_command_queue.
//   TN_UNTYPED_ON("OpenCL", "add", add_opencl, "out = a + b")
//   void add_opencl(void* stream, void** buffers, const char* opaque, size_t opaque_size) { ... }
#define TN_UNTYPED_ON(platform, target, function, doc) \
  TN__UNTYPED_AS(platform, target, function, doc, 1,   \
                 (void* stream, void** buffers, const char* opaque, size_t opaque_size))
#define TN_UNTYPED_STATUS_ON(platform, target, function, doc)                           \
  TN__UNTYPED_AS(platform, target, function, doc, 2,                                    \
                 (void* stream, void** buffers, const char* opaque, size_t opaque_size, \
                  struct XlaCustomCallStatus_* status))
#define TN__UNTYPED_AS(platform, target, function, doc, api_version, signature)           \
  TN__EXTERN_C TN_EXPORT void function signature;                                         \
  TN__DESCRIBE(function, target, platform, doc, api_version, 0, (NULL, NULL, NULL, NULL), \
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

// Of <tenon/operation.h>, which replaces it.
#ifndef TN_DEFINE
#define TN_DEFINE(op, ...) \
  TN__STATIC_ASSERT(0, "TN_DEFINE(" #op ", ...): expected #include <tenon/operation.h>");
#endif

// The exported table of a library: up to 256 operations of this and other files.
#define TN_LIBRARY(...)                                                                          \
  TN__EACH(TN__LIST_DECLARE, ~, __VA_ARGS__)                                                     \
  static const tn_ffi_op_t* const tn__library_ops[] = {TN__EACH(TN__LIST_NAME, ~, __VA_ARGS__)}; \
  TN__EXTERN_C TN_EXPORT const tn_ffi_library_t tenon_library;                                   \
  const tn_ffi_library_t tenon_library = {sizeof(tn_ffi_library_t), TN_FFI_LIBRARY_VERSION,      \
                                          sizeof tn__library_ops / sizeof *tn__library_ops,      \
                                          tn__library_ops};
#define TN__LIST_DECLARE(context, op) TN__EXTERN_C TN__HIDDEN const tn_ffi_op_t op##_op;
#define TN__LIST_NAME(context, op) &op##_op,

// m(context, name) for each of up to 256 names.
#define TN__EACH(m, context, ...) TN__SCAN_256(TN__STEP(m, context, __VA_ARGS__, TN__STOP, ~))
#define TN__STEP(m, context, name, ...) \
  TN__CAT(TN__STEP_, TN__KNOWN(TN__LAST_##name))(m, context, name, __VA_ARGS__)
#define TN__STEP_0(m, context, name, ...) \
  m(context, name) TN__STEP_AGAIN TN__NONE()()(m, context, __VA_ARGS__)
#define TN__STEP_1(m, context, name, ...)
#define TN__STEP_AGAIN() TN__STEP
#define TN__LAST_TN__STOP ~, 1
#define TN__SCAN_256(...) TN__SCAN_64(TN__SCAN_64(TN__SCAN_64(TN__SCAN_64(__VA_ARGS__))))
#define TN__SCAN_64(...) TN__SCAN_16(TN__SCAN_16(TN__SCAN_16(TN__SCAN_16(__VA_ARGS__))))
#define TN__SCAN_16(...) TN__SCAN_4(TN__SCAN_4(TN__SCAN_4(TN__SCAN_4(__VA_ARGS__))))
#define TN__SCAN_4(...) TN__PLAIN(TN__PLAIN(TN__PLAIN(TN__PLAIN(__VA_ARGS__))))

#endif  // TENON_DETAIL_CUSTOM_DEFINE_H_
