// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// States: what an operation keeps from one call to the next, and the handlers of its stages.
#ifndef TENON_DETAIL_CUSTOM_STATE_H_
#define TENON_DETAIL_CUSTOM_STATE_H_

#include <tenon/detail/custom/define.h>

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
  } runtimes[8];  // each runtime has its own ids
} tn_state_type_t;
#define TN_STATE(type, destroy)              \
  static tn_state_type_t type##_state[1] = { \
      {#type, {TN_FFI_TYPE_INFO_SIZE, NULL, destroy}, 0, {{NULL, {0}}}}};
// Without TN_STATE this declares an array of unknown size, which fails the assertion; with it, the
// same variable once more.
#define TN__CHECK_STATE(type)                      \
  extern tn_state_type_t type##_state[];           \
  TN__STATIC_ASSERT(TN__IS_COMPLETE(type##_state), \
                    #type ": expected TN_STATE(" #type ", destroy) before its first use");
#ifdef __cplusplus
char (&tn__complete(tn_state_type_t (&)[1]))[2];
char (&tn__complete(...))[1];
#define TN__IS_COMPLETE(types) (sizeof tn__complete(types) == 2)
#else
#define TN__IS_COMPLETE(types) \
  (!__builtin_types_compatible_p(__typeof__(types), tn_state_type_t[2]))
#endif

// The type's id in the runtime of this call. The name that is registered is unique in the process.
TN__COLD tn_status_t tn__register_state(const tn_call_t* call, tn_state_type_t* type,
                                        tn_ffi_type_id_t** out_id) {
  const tn_ffi_api_t* const api = call->frame->api;
  tn_status_t status = TN_OK;
  while (__atomic_test_and_set(&type->busy, __ATOMIC_ACQUIRE)) TN__YIELD();
  size_t i = 0;
  while (i < 8 && type->runtimes[i].api && type->runtimes[i].api != api) ++i;
  if (i == 8) {
    status = tn__error(call, TN_FFI_RESOURCE_EXHAUSTED, "state %s: 8 runtimes have registered it",
                       type->name);
  } else if (!type->runtimes[i].api) {
    tn__text_t name = {0, ""};
    tn__print(&name, "%s@%p", type->name, (void*)type);
    const tn_ffi_bytes_t bytes = {name.data, name.size};
    tn_ffi_type_register_t request = {TN_FFI_TYPE_REGISTER_SIZE, NULL, bytes, &type->runtimes[i].id,
                                      &type->info};
    status = api->type_register(&request);
    if (status == TN_OK) __atomic_store_n(&type->runtimes[i].api, api, __ATOMIC_RELEASE);
  }
  __atomic_clear(&type->busy, __ATOMIC_RELEASE);
  if (status == TN_OK) *out_id = &type->runtimes[i].id;
  return status;
}

TN__UNUSED tn_status_t tn__state_id(const tn_call_t* call, tn_state_type_t* type,
                                    tn_ffi_type_id_t** out_id) {
  if (TN__UNLIKELY(__atomic_load_n(&type->runtimes[0].api, __ATOMIC_ACQUIRE) != call->frame->api)) {
    return tn__register_state(call, type, out_id);
  }
  *out_id = &type->runtimes[0].id;
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
    return tn__error(call, TN_FFI_INVALID_ARGUMENT, "expected metadata of %d bytes, found %zu",
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
  tn__get_state((call)->tn, TN_FFI_##STAGE, type##_state, 1 ? (out) : (type**)NULL)
#define tn_set_state(call, type, state) \
  tn__set_state((call)->tn, type##_state, 1 ? (state) : (type*)NULL)
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
  TN__CHECK_STATE(type)                                                                     \
  TN__CHECK_LIST(TN__IS_LIST(LIST), op, LIST, type* state;)                                 \
  TN__EXTERN_C TN_EXPORT tn_status_t op##_instantiate(tn_ffi_call_frame_t* tn_frame);       \
  typedef type op##_state_t;                                                                \
  static tn_status_t op##_instantiate_body(const struct op##_call* call, type** state);     \
  TN__INLINE tn_state_type_t* op##_state_type(void) {                                       \
    return type##_state;                                                                    \
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

#endif  // TENON_DETAIL_CUSTOM_STATE_H_
