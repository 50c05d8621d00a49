// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/handler.h"

#include <tenon/detail/call.h>

#include "call/api.h"
#include "call/guard.h"
#include "call/live.h"

// The handler's error as ours; takes it.
static tn_status_t take_error(tn_status_t error) {
  if (tn__error_take(error)) return error;
  return tn_status_create(TN_CODE_INTERNAL,
                          "the handler returned an error object that the frame's own table did not "
                          "make, or that was destroyed or returned before");
}

static tn_status_t finish(tn_string_view_t target, tn_ffi_call_frame_t* frame, int64_t timeout_ns,
                          tn_status_t error) {
  tn_ffi_future_t* future = frame->future;
  frame->future = NULL;
  tn_ffi_context_t* context = frame->context;
  tn_call_lifetime_t* lifetime = context ? tn__context_lifetime(context) : NULL;
  tn_status_t status = TN_OK;
  bool is_late = false;
  if (error) {
    is_late = tn__future_abandon(future, lifetime);
    status = take_error(error);
  } else if (future) {
    const tn_interrupt_t* interrupt = context ? tn__context_interrupt(context) : NULL;
    status = tn__future_wait(future, timeout_ns, interrupt, lifetime, &is_late);
  }
  if (context) context->is_late = is_late && lifetime;
  const char* code = tn_code_name(tn_status_code(status));
  if (!target.length) return tn_status_prefix(status, "%s", code);
  return tn_status_prefix(status, "custom call @%s: %s", TN_NAME_TEXT(target), code);
}

tn_status_t tn__handler_finish(tn_string_view_t target, tn_ffi_call_frame_t* frame,
                               tn_status_t error) {
  return finish(target, frame, tn__context_timeout_ns(frame->context), error);
}

static tn_status_t refuse_version(const tn_target_spec_t* spec,
                                  const tn_ffi_api_version_t* version) {
  bool is_new = version->major > TN_FFI_API_MAJOR || version->minor > TN_FFI_API_MINOR;
  tn_status_t status = tn_status_create(
      TN_CODE_INVALID_ARGUMENT,
      "the handler is built for version %d.%d of XLA's FFI; Tenon serves %d.%d to %d.%d",
      version->major, version->minor, TN_FFI_API_MAJOR, TN_FFI_API_MINOR_OLDEST, TN_FFI_API_MAJOR,
      TN_FFI_API_MINOR);
  return tn_status_note(status,
                        "build %s against %s headers of XLA's FFI, or against <tenon/custom.h>, "
                        "which asks for the oldest version that it can do with",
                        spec->library ? tn__library_path(spec->library) : "it",
                        is_new ? "older" : "newer");
}

static tn_status_t ask_one(const tn_context_t* context, const tn_target_spec_t* spec,
                           tn_ffi_handler_t handler, tn_ffi_metadata_t* metadata,
                           const tn_ffi_op_t** out_op) {
  *metadata = (tn_ffi_metadata_t){
      .struct_size = TN_FFI_METADATA_SIZE,
      .api_version = {.struct_size = TN_FFI_API_VERSION_SIZE, .major = -1, .minor = -1},
  };
  tn_ffi_signature_extension_t signature = {
      {TN_FFI_SIGNATURE_EXTENSION_SIZE, TN_FFI_SIGNATURE, NULL}, NULL};
  tn_ffi_metadata_extension_t extension = {
      {TN_FFI_METADATA_EXTENSION_SIZE, TN_FFI_METADATA, &signature.extension}, metadata};
  tn_ffi_call_frame_t frame = {
      .struct_size = TN_FFI_CALL_FRAME_SIZE,
      .extension_start = &extension.extension,
      .api = tn__call_api(),
      .stage = TN_FFI_EXECUTE,  // XLA asks so, whatever stage the handler is for
      .args.struct_size = TN_FFI_VALUES_SIZE,
      .rets.struct_size = TN_FFI_VALUES_SIZE,
      .attrs.struct_size = TN_FFI_ATTRS_SIZE,
  };
  tn_status_t error = tn__guard_handler(handler, &frame);
  TN_RETURN_IF_ERROR(
      finish((tn_string_view_t){0}, &frame, atomic_load(&context->call_timeout_ns), error));
  const tn_ffi_api_version_t* version = &metadata->api_version;
  if (version->major == -1 && version->minor == -1) {
    return tn_status_create(
        TN_CODE_INVALID_ARGUMENT,
        "the function does not report its version, as handlers of XLA's FFI do");
  }
  if (version->major != TN_FFI_API_MAJOR || version->minor < TN_FFI_API_MINOR_OLDEST ||
      version->minor > TN_FFI_API_MINOR) {
    return refuse_version(spec, version);
  }
  *out_op = tn__op_is_good(signature.op) ? signature.op : NULL;
  return TN_OK;
}

tn_status_t tn__handler_ask(tn_context_t* context, const tn_target_spec_t* spec,
                            tn_handler_facts_t* out_facts) {
  const tn_ffi_handler_t stages[] = {spec->bundle.execute, spec->bundle.prepare,
                                     spec->bundle.initialize, spec->bundle.instantiate};
  tn_handler_facts_t facts = {.minor = -1, .traits = spec->traits};
  for (size_t i = 0; i < sizeof stages / sizeof *stages; ++i) {
    if (!stages[i]) continue;
    tn_ffi_metadata_t metadata;
    const tn_ffi_op_t* op = NULL;
    TN_RETURN_IF_ERROR(ask_one(tn__context_of(context), spec, stages[i], &metadata, &op));
    if (i == 0) {
      facts.traits |= metadata.traits;
      facts.op = op;
    }
    if (metadata.api_version.minor > facts.minor) facts.minor = metadata.api_version.minor;
    // The last one asked is the one that sets it.
    facts.state_type_id = metadata.state_type_id.id;
    facts.instantiate_minor = metadata.api_version.minor;
  }
  if (!spec->bundle.instantiate) facts.state_type_id = 0;
  *out_facts = facts;
  return TN_OK;
}
