#include "call/call.h"

#include "call/registry.h"
#include "call/site.h"

static tn_status_t check_version(const tn_call_site_t* call, const tn_target_t* target) {
  if (target->versions >> call->version & 1) return TN_OK;
  tn_status_t status =
      tn_status_create(TN_CODE_INVALID_ARGUMENT, "it is called with %s, but registered for %s",
                       tn__versions_text(1u << call->version), tn__versions_text(target->versions));
  const char* from = target->library ? tn__library_path(target->library) : "this process";
  return tn_status_note(status, "@%s comes from %s", TN_NAME_TEXT(target->name), from);
}

static tn_status_t prepare_target(const tn_call_site_t* call, tn_target_t* target,
                                  const tn_kernel_t** out_kernel) {
  if (target->refusal) return tn__target_refusal(target);
  tn_status_t status = check_version(call, target);
  if (!status) {
    status = call->version == 4 ? tn__typed_prepare(call, target, out_kernel)
                                : tn__untyped_prepare(call, target, out_kernel);
  }
  return tn_status_prefix(status, "custom call @%s", TN_NAME_TEXT(call->name));
}

tn_status_t tn__call_prepare(const char* platform, tn_call_cache_t* cache, const tn_node_t* node,
                             tn_kernel_site_t* site, const tn_kernel_t** out_kernel) {
  (void)node;
  *out_kernel = NULL;
  tn_call_site_t call;
  TN_RETURN_IF_ERROR(tn__call_site_read(site, &call));
  call.cache = cache;
  tn_target_t* target = tn__registry_find(call.name, platform);
  if (!target) {
    const tn_builtin_t* builtin = tn__builtin_find(call.name);
    if (!builtin) return tn__registry_miss(call.name, platform);
    return tn_status_prefix(tn__builtin_prepare(&call, builtin, out_kernel), "custom call @%s",
                            TN_NAME_TEXT(call.name));
  }
  tn_status_t status = prepare_target(&call, target, out_kernel);
  tn__target_release(target);
  return status;
}
