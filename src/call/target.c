// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/target.h"

#include <stdio.h>

#include "base/allocator.h"

tn_status_t tn__target_create(const tn_target_spec_t* spec, const char* platform,
                              const tn_handler_facts_t* facts, tn_status_t unusable_reason,
                              tn_target_t** out_target) {
  *out_target = NULL;
  size_t platform_length = strlen(platform), byte_size = 0;
  void* memory = NULL;
  tn_status_t status = __builtin_add_overflow(sizeof(tn_target_t) + platform_length + 2,
                                              spec->name.length, &byte_size)
                           ? tn__status_out_of_memory()
                           : tn__allocate(tn_allocator_system(), byte_size, &memory);
  if (status) {
    tn_status_release(unusable_reason);
    return status;
  }
  tn_target_t* target = memory;
  char* name = target->text;
  char* platform_copy = target->text + spec->name.length + 1;
  memcpy(name, spec->name.data, spec->name.length);
  memcpy(platform_copy, platform, platform_length);
  atomic_init(&target->references, 1);
  target->name = (tn_string_view_t){name, spec->name.length};
  target->platform = platform_copy;
  target->versions = spec->versions;
  target->bundle = spec->bundle;
  target->function = spec->function ? spec->function : (tn_ffi_function_t)spec->bundle.execute;
  target->op = spec->op ? spec->op : facts->op;
  target->library = tn__library_retain(spec->library);
  if (spec->definition) {
    const size_t known = sizeof target->definition;
    const size_t given = spec->definition->struct_size;
    memcpy(&target->definition, spec->definition, given < known ? given : known);
  }
  target->facts = *facts;
  target->unusable_reason = unusable_reason;
  target->is_from_start = spec->library && spec->library == tn__library_loading();
  target->byte_size = byte_size;
  *out_target = target;
  return TN_OK;
}

tn_status_t tn__target_create_probed(const tn_target_t* target, tn_probed_t* probed,
                                     tn_target_t** out_target) {
  const tn_target_spec_t spec = {
      .name = target->name,
      .versions = TN_TARGET_TYPED,
      .bundle = target->bundle,
      .function = target->function,
      .op = target->op,
      .library = target->library,
  };
  tn_status_t status = tn__target_create(&spec, target->platform, &target->facts, NULL, out_target);
  if (status) {
    tn__probed_free(probed);
  } else {
    (*out_target)->probed = probed;
    (*out_target)->is_from_start = target->is_from_start;
  }
  return status;
}

static bool has_functions_of(const tn_target_t* a, const tn_target_t* b) {
  return a->function == b->function && a->bundle.instantiate == b->bundle.instantiate &&
         a->bundle.prepare == b->bundle.prepare && a->bundle.initialize == b->bundle.initialize &&
         a->bundle.execute == b->bundle.execute;
}

static bool is_same_definition(const tn_op_def_t* a, const tn_op_def_t* b) {
  return !a->struct_size == !b->struct_size && a->flags == b->flags && a->infer == b->infer &&
         a->jvp == b->jvp && a->vjp == b->vjp && a->vmap == b->vmap && a->print == b->print &&
         a->equal == b->equal && a->user == b->user && a->destroy == b->destroy &&
         a->eval_cpu == b->eval_cpu && a->donates == b->donates && a->eval_gpu == b->eval_gpu;
}

tn_target_difference_t tn__target_difference(const tn_target_t* a, const tn_target_t* b) {
  if (!has_functions_of(a, b)) return TN_TARGET_OTHER_FUNCTION;
  return is_same_definition(&a->definition, &b->definition) ? TN_TARGET_SAME
                                                            : TN_TARGET_OTHER_DEFINITION;
}

bool tn__op_is_good(const tn_ffi_op_t* op) {
  return op && op->struct_size >= offsetof(tn_ffi_op_t, definition) &&
         op->param_size >= offsetof(tn_ffi_param_t, dims) && op->name && op->platform &&
         op->api_version >= 1 && op->api_version < TN_API_VERSION_LIMIT;
}

static const tn_op_def_t* definition_of(const tn_ffi_op_t* op) {
  return op->struct_size > offsetof(tn_ffi_op_t, definition) ? op->definition : NULL;
}

tn_target_spec_t tn__target_spec_of(const tn_ffi_op_t* op) {
  return (tn_target_spec_t){
      .name = tn__sv(op->name),
      .platform = tn__sv(op->platform),
      .versions = 1u << op->api_version,
      .bundle = op->bundle,
      .function = op->function,
      .traits = op->traits,
      .op = op,
      .definition = definition_of(op),
  };
}

tn_target_t* tn__target_retain(tn_target_t* target) {
  if (target) atomic_fetch_add_explicit(&target->references, 1, memory_order_relaxed);
  return target;
}

void tn__target_release(tn_target_t* target) {
  if (!target || atomic_fetch_sub_explicit(&target->references, 1, memory_order_acq_rel) != 1) {
    return;
  }
  if (target->definition.destroy) target->definition.destroy(target->definition.user);
  tn__probed_free(target->probed);
  tn__library_release(target->library);
  tn_status_release(target->unusable_reason);
  tn__free(tn_allocator_system(), target, target->byte_size);
}

tn_status_t tn__target_unusable_reason(const tn_target_t* target) {
  return tn_status_create(tn_status_code(target->unusable_reason), "%s",
                          tn_status_message(target->unusable_reason));
}

const char* tn__versions_text(uint32_t versions) {
  switch (versions) {
    case 1 << 1: return "api version 1 (legacy)";
    case 1 << 2: return "api version 2 (legacy, with a status)";
    case 1 << 3: return "api version 3 (legacy, with an opaque string and a status)";
    case TN_TARGET_TYPED: return "api version 4 (typed FFI)";
    case TN_TARGET_LEGACY: return "the legacy api versions 1 to 3";
    default: return "any api version";
  }
}
