#include "call/call.h"

#include "call/handler.h"
#include "call/lapack/lapack.h"
#include "call/registry.h"
#include "call/site.h"
#include "kernel/target.h"

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

// A target that Tenon brings along; NULL when it is none. Errors name it.
static tn_status_t find_own(const tn_call_site_t* call, const char* platform,
                            tn_target_t** out_target) {
  const char* reason = NULL;
  *out_target = NULL;
  if (strcmp(platform, tn__compile_target_host.platform) != 0) return TN_OK;
  const tn_ffi_op_t* op = tn__lapack_find(call->name, &reason);
  if (reason) {
    return tn_status_note(tn__registry_miss(call->name, platform),
                          "Tenon has one of its own, which needs openblas: %s", reason);
  }
  if (!op) return TN_OK;
  const tn_target_spec_t spec = {
      .name = call->name,
      .platform = tn__sv(platform),
      .versions = TN_TARGET_TYPED,
      .bundle = op->bundle,
      .op = op,
  };
  tn_handler_facts_t facts = {.minor = -1};
  TN_RETURN_IF_ERROR(tn__handler_ask(&spec, &facts));
  return tn__target_create(&spec, platform, &facts, NULL, out_target);
}

void tn__call_cache_init(tn_call_cache_t* cache, const tn_allocator_t* allocator) {
  *cache = (tn_call_cache_t){0};
  tn__names_init(&cache->attributes.large, allocator);
}

void tn__call_cache_deinit(tn_call_cache_t* cache) {
  tn__names_deinit(&cache->attributes.large);
}

tn_status_t tn__call_prepare(const char* platform, tn_call_cache_t* cache, const tn_node_t* node,
                             tn_kernel_site_t* site, const tn_kernel_t** out_kernel) {
  *out_kernel = NULL;
  tn_call_site_t call;
  TN_RETURN_IF_ERROR(tn__call_site_read(site, &call));
  call.cache = cache;
  call.node = node;
  tn_target_t* target = tn__registry_find(call.name, platform);
  if (!target) {
    const tn_builtin_t* builtin = tn__builtin_find(call.name);
    if (builtin) {
      return tn_status_prefix(tn__builtin_prepare(&call, builtin, out_kernel), "custom call @%s",
                              TN_NAME_TEXT(call.name));
    }
    TN_RETURN_IF_ERROR(find_own(&call, platform, &target));
  }
  if (!target) return tn__registry_miss(call.name, platform);
  tn_status_t status = prepare_target(&call, target, out_kernel);
  tn__target_release(target);
  return status;
}
