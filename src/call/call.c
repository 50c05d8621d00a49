// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The path of a custom call through the component: to its operation, and from there to a kernel.
#include "call/call.h"

#include "call/guarded.h"
#include "call/narrow.h"
#include "call/operation.h"
#include "call/registry.h"
#include "call/site.h"
#include "kernel/target.h"

void tn__call_cache_init(tn_call_cache_t* cache, const tn_allocator_t* allocator) {
  *cache = (tn_call_cache_t){0};
  tn__names_init(&cache->attributes.large, allocator);
}

void tn__call_cache_deinit(tn_call_cache_t* cache) {
  tn__names_deinit(&cache->attributes.large);
}

// --- to the operation

// Tenon's own have rules beyond those of any custom call.
static tn_status_t check_own(const tn_node_t* node, const tn_op_t* op) {
  const tn_allocator_t* allocator = node->region->function->module->allocator;
  tn_arena_t scratch;
  tn_op_use_t use;
  if (op->owner || !op->verify) return TN_OK;
  tn__arena_init(&scratch, allocator);
  tn_status_t status = tn__node_use(node, &scratch, &use);
  use.op = op;
  if (!status) status = op->verify(&use);
  tn__arena_deinit(&scratch);
  return status;
}

static tn_status_t find_op(tn_module_t* module, tn_string_view_t name, tn_names_t* ops,
                           const tn_op_t** out_op) {
  const tn_name_entry_t* known = tn__names_find(ops, name);
  if (known) {
    *out_op = known->pointer;
    return TN_OK;
  }
  tn_context_t* context = module->target ? module->target->context : NULL;
  TN_RETURN_IF_ERROR(tn__call_find_any(context, name, out_op));
  tn_status_t status = tn__module_keep_op(module, *out_op);
  tn__op_release(*out_op);
  return status ? status : tn__names_add(ops, name, 0, (void*)(uintptr_t)*out_op);
}

static tn_status_t resolve(tn_node_t* node, tn_names_t* ops) {
  const tn_string_view_t name = tn__attr_get_string(&node->attrs, "call_target_name");
  const tn_op_t* op = NULL;
  TN_RETURN_IF_ERROR(find_op(node->region->function->module, name, ops, &op));
  TN_RETURN_IF_ERROR(check_own(node, op));
  node->op = op;
  return TN_OK;
}

tn_status_t tn__call_resolve(tn_node_t* node, tn_names_t* ops) {
  const tn_registered_op_t* registered = tn__op_registered(node->op);
  const bool named_nothing = registered && !registered->target_count;
  if (node->op != TN__OP(custom_call) && !named_nothing) return TN_OK;
  tn_status_t status = resolve(node, ops);
  return status ? tn__node_locate(node, status) : TN_OK;
}

// --- to the kernel

static tn_status_t check_version(const tn_call_site_t* call, const tn_target_t* target) {
  if (target->versions >> call->version & 1) return TN_OK;
  tn_status_t status =
      tn_status_create(TN_CODE_INVALID_ARGUMENT, "it is called with %s, but registered for %s",
                       tn__versions_text(1u << call->version), tn__versions_text(target->versions));
  const char* from = target->library ? tn__library_path(target->library) : "this process";
  return tn_status_note(status, "@%s comes from %s", TN_NAME_TEXT(target->name), from);
}

// What is registered for the platform; else what has an eval for GPUs, as the host's.
static tn_target_t* find_target(const tn_op_t* op, const tn_compile_target_t* on) {
  tn_target_t* target = tn__op_target(op, on->platform);
  if (target || !on->has_encoder) return target;
  target = tn__op_target(op, tn__compile_target_host.platform);
  return target && tn__target_has_eval_gpu(target) ? target : NULL;
}

static tn_status_t prepare(tn_kernel_site_t* site,
                           tn_status_t (*prepare_kind)(const tn_call_site_t* call,
                                                       tn_target_t* target)) {
  tn_call_site_t call;
  TN_RETURN_IF_ERROR(tn__call_site_read(site, &call));
  tn_target_t* target = find_target(site->use->op, site->target);
  if (!target) return tn__registry_miss(site->target->context, call.name, site->target->platform);
  if (target->unusable_reason) return tn__target_unusable_reason(target);
  tn_status_t status = check_version(&call, target);
  if (!status) status = prepare_kind(&call, target);
  return tn_status_prefix(status, "custom call @%s", TN_NAME_TEXT(call.name));
}

// What pass/layouts.c and the planner see to.
static tn_status_t check_layouts(const tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  for (size_t i = 0; i < use->operand_count; ++i) {
    tn_view_t stated;
    TN_RETURN_IF_ERROR(
        tn__view_of_layout(use, "operand_layouts", i, use->operand_types[i], &stated));
    if (!stated.strides || (site->views && site->views[i].strides)) continue;
    return tn_status_create(TN_CODE_INTERNAL, "custom call: operand %zu is not in its layout", i);
  }
  return TN_OK;
}

static tn_status_t prepare_typed(tn_kernel_site_t* site) {
  TN_RETURN_IF_ERROR(check_layouts(site));
  return prepare(site, tn__typed_prepare);
}
static tn_status_t prepare_elementwise(tn_kernel_site_t* site) {
  return prepare(site, tn__elementwise_prepare);
}
static tn_status_t prepare_strided(tn_kernel_site_t* site) {
  return prepare(site, tn__strided_prepare);
}
static tn_status_t prepare_legacy(tn_kernel_site_t* site) {
  TN_RETURN_IF_ERROR(check_layouts(site));
  return prepare(site, tn__legacy_prepare);
}

// Results that are the memory of operands are the whole of it.
static bool has_aliases(const tn_op_use_t* use) {
  const tn_attr_t* aliases = tn__attr_find(&use->attrs, "output_operand_aliases");
  return aliases && aliases->array.count;
}

static bool takes_any_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  (void)operand, (void)view;
  return !has_aliases(use);
}

// Handlers know of no strides but those of the layout that the call states.
static bool takes_layout(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  const tn_type_t* type = use->operand_types[operand];
  tn_view_t stated;
  tn_status_t status = tn__view_of_layout(use, "operand_layouts", operand, type, &stated);
  bool is_same = !status && stated.strides && view->byte_offset == 0;
  for (size_t d = 0; is_same && d < type->rank; ++d) {
    is_same = type->dims[d] == 1 || stated.strides[d] == view->strides[d];
  }
  tn_status_release(status);
  return is_same;
}

#define TN_HANDLER_KERNEL(kernel, prepare_kernel, run_kernel, pends)                              \
  {                                                                                               \
    .op = "custom_call", .name = "call." kernel, .takes_view = takes_layout, .has_layouts = true, \
    .prepare = prepare_kernel, .run = run_kernel, .may_pend = pends, .varies = true               \
  }
static const tn_kernel_t typed = TN_HANDLER_KERNEL("typed", prepare_typed, tn__typed_run, true);
// Which says that it is compatible with command buffers.
static const tn_kernel_t typed_constant = {.op = "custom_call",
                                           .name = "call.typed",
                                           .takes_view = takes_layout,
                                           .has_layouts = true,
                                           .prepare = prepare_typed,
                                           .run = tn__typed_run,
                                           .may_pend = true};
static const tn_kernel_t typed_with_stages =
    TN_HANDLER_KERNEL("typed", prepare_typed, tn__typed_run_stages, true);
static const tn_kernel_t typed_captured =
    TN_HANDLER_KERNEL("captured", prepare_typed, tn__typed_run_captured, false);
static const tn_kernel_t legacy[] = {
    TN_HANDLER_KERNEL("original", prepare_legacy, tn__legacy_run_original, false),
    TN_HANDLER_KERNEL("status", prepare_legacy, tn__legacy_run_status, false),
    TN_HANDLER_KERNEL("status_unified", prepare_legacy, tn__legacy_run_opaque, false),
};
// On devices other than the host.
static const tn_kernel_t legacy_stream[] = {
    TN_HANDLER_KERNEL("stream", prepare_legacy, tn__legacy_run_stream, false),
    TN_HANDLER_KERNEL("stream_status", prepare_legacy, tn__legacy_run_stream_status, false),
    TN_HANDLER_KERNEL("stream_status", prepare_legacy, tn__legacy_run_stream_status, false),
};
#undef TN_HANDLER_KERNEL
static const tn_kernel_t elementwise = {.op = "custom_call",
                                        .name = "call.elementwise",
                                        .takes_view = takes_any_view,
                                        .prepare = prepare_elementwise,
                                        .run = tn__elementwise_run,
                                        .range = tn__elementwise_run_range};
#define TN_EVAL_KERNEL(kernel, views)                                                             \
  {                                                                                               \
    .op = "custom_call", .name = "call." kernel, .takes_view = views, .prepare = prepare_strided, \
    .run = tn__strided_run, .varies = true                                                        \
  }
// Of views, and of dense operands alone.
static const tn_kernel_t strided[] = {TN_EVAL_KERNEL("strided", takes_any_view),
                                      TN_EVAL_KERNEL("strided", NULL)};
static const tn_kernel_t strided_gpu[] = {TN_EVAL_KERNEL("strided_gpu", takes_any_view),
                                          TN_EVAL_KERNEL("strided_gpu", NULL)};
#undef TN_EVAL_KERNEL
#define TN_GUARDED_KERNEL(views, layouts)                                                       \
  {                                                                                             \
    .op = "custom_call", .name = "call.guarded", .takes_view = views, .has_layouts = (layouts), \
    .prepare = tn__guarded_prepare, .run = tn__guarded_run                                      \
  }
static const tn_kernel_t guarded[] = {TN_GUARDED_KERNEL(takes_any_view, false),
                                      TN_GUARDED_KERNEL(NULL, false)};
static const tn_kernel_t guarded_handler = TN_GUARDED_KERNEL(takes_layout, true);
#undef TN_GUARDED_KERNEL
#define TN_NARROW_KERNEL(views, layouts)                                                       \
  {                                                                                            \
    .op = "custom_call", .name = "call.narrow", .takes_view = views, .has_layouts = (layouts), \
    .prepare = tn__narrow_prepare, .run = tn__narrow_run, .varies = true                       \
  }
static const tn_kernel_t narrow[] = {TN_NARROW_KERNEL(takes_any_view, false),
                                     TN_NARROW_KERNEL(NULL, false)};
static const tn_kernel_t narrow_handler = TN_NARROW_KERNEL(takes_layout, true);
#undef TN_NARROW_KERNEL

static bool is_compatible(const tn_target_t* target) {
  return target->facts.traits & TN_FFI_COMMAND_BUFFER_COMPATIBLE;
}

const tn_kernel_t* tn__call_own_kernel(const tn_compile_target_t* on, const tn_op_use_t* use) {
  const tn_target_t* target = find_target(use->op, on);
  const int32_t version = tn__call_version(use);
  if (!target && !on->is_host) return NULL;
  if (version >= 1 && version <= 3) {
    return on->is_host ? &legacy[version - 1] : &legacy_stream[version - 1];
  }
  const bool is_dense = target && target->definition.flags & TN_OP_ROW_CONTIGUOUS;
  if (on->has_encoder && tn__target_has_eval_gpu(target)) return &strided_gpu[is_dense];
  if (target && tn__target_is_elementwise(target)) return &elementwise;
  if (target && tn__target_is_strided(target)) return &strided[is_dense];
  const bool has_stages = target && (target->bundle.prepare || target->bundle.initialize);
  if (has_stages) return &typed_with_stages;
  return on->has_graphs && is_compatible(target) ? &typed_constant : &typed;
}

const tn_kernel_t* tn__call_plain_kernel(const tn_compile_target_t* on, const tn_op_use_t* use) {
  const tn_kernel_t* kernel = tn__call_own_kernel(on, use);
  // The elementwise ones write C's booleans.
  if (!kernel || !on->is_host || kernel == &elementwise || !tn__call_is_narrow(use)) return kernel;
  return kernel->has_layouts ? &narrow_handler : &narrow[!kernel->takes_view];
}

const tn_kernel_t* tn__call_kernel(const tn_compile_target_t* target, const tn_op_use_t* use) {
  const tn_kernel_t* kernel = tn__call_plain_kernel(target, use);
  if (!kernel || !target->guards_calls) return kernel;
  const bool is_typed = kernel->prepare == prepare_typed;
  if (target->has_graphs && is_typed && is_compatible(find_target(use->op, target))) {
    return &typed_captured;
  }
  // Guards are pages of the host's memory.
  if (!target->is_host) return kernel;
  return kernel->has_layouts ? &guarded_handler : &guarded[!kernel->takes_view];
}
