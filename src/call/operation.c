// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/operation.h"

#include <stddef.h>

#include "base/allocator.h"
#include "base/process.h"
#include "call/fitted.h"
#include "call/handler.h"
#include "call/lapack/lapack.h"
#include "call/registry.h"
#include "call/site.h"
#include "kernel/target.h"

static tn_registered_op_t* registered_of(tn_op_owner_t* owner) {
  return (tn_registered_op_t*)(void*)((char*)owner - offsetof(tn_registered_op_t, owner));
}

static void destroy(tn_op_owner_t* owner) {
  tn_registered_op_t* registered = registered_of(owner);
  tn__fitted_release(atomic_load(&registered->latest));
  for (size_t i = 0; i < registered->target_count; ++i) tn__target_release(registered->targets[i]);
  tn__free(tn_allocator_system(), registered, registered->byte_size);
}

static tn_status_t create(tn_string_view_t name, size_t target_count, tn_target_t* const* targets,
                          tn_registered_op_t** out_registered) {
  void* memory = NULL;
  const tn_name_text_t shown = tn__name_text(name);
  const size_t head = sizeof(tn_registered_op_t) + target_count * sizeof(tn_target_t*);
  const size_t byte_size = head + name.length + 1 + strlen(shown.text) + 1;
  *out_registered = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(tn_allocator_system(), byte_size, &memory));
  tn_registered_op_t* registered = memory;
  char* text = (char*)memory + head;
  if (name.length) memcpy(text, name.data, name.length);
  memcpy(text + name.length + 1, shown.text, strlen(shown.text));
  registered->owner.destroy = destroy;
  atomic_init(&registered->owner.references, 1);
  atomic_init(&registered->latest, NULL);
  registered->name = (tn_string_view_t){text, name.length};
  registered->byte_size = byte_size;
  registered->target_count = target_count;
  for (size_t i = 0; i < target_count; ++i) {
    registered->targets[i] = tn__target_retain(targets[i]);
  }
  registered->op = *TN__OP(custom_call);
  registered->op.name = text + name.length + 1;
  registered->op.traits = TN_FOREIGN;
  registered->op.owner = &registered->owner;
  registered->op.find_kernel = tn__call_kernel;
  const tn_op_def_t* definition = tn__op_definition(&registered->op);
  if (definition && definition->flags & TN_OP_ELEMENTWISE) registered->op.traits |= TN_ELEMENTWISE;
  *out_registered = registered;
  return TN_OK;
}

tn_status_t tn__registered_op_create(size_t target_count, tn_target_t* const* targets,
                                     tn_registered_op_t** out_registered) {
  return create(targets[0]->name, target_count, targets, out_registered);
}

const tn_registered_op_t* tn__op_registered(const tn_op_t* op) {
  return op && op->owner ? (const tn_registered_op_t*)(const void*)op : NULL;
}

tn_fitted_slot_t* tn__op_fitted_slot(const tn_op_t* op) {
  return op->owner ? &registered_of(op->owner)->latest : NULL;
}

tn_string_view_t tn__op_called_name(const tn_op_t* op) {
  const tn_registered_op_t* registered = tn__op_registered(op);
  return registered ? registered->name : tn__sv(op->name);
}

tn_target_t* tn__op_target(const tn_op_t* op, const char* platform) {
  const tn_registered_op_t* registered = tn__op_registered(op);
  for (size_t i = 0; registered && i < registered->target_count; ++i) {
    if (strcmp(registered->targets[i]->platform, platform) == 0) return registered->targets[i];
  }
  return NULL;
}

tn_target_t* tn__op_target_for(const tn_op_t* op, const char* platform) {
  tn_target_t* target = tn__op_target(op, platform);
  return target ? target : tn__op_target(op, tn__compile_target_host.platform);
}

int32_t tn__op_call_version(const tn_op_t* op, bool has_attributes) {
  const tn_registered_op_t* registered = tn__op_registered(op);
  const bool has_target = registered && registered->target_count;
  const uint32_t versions = has_target ? registered->targets[0]->versions : TN_TARGET_TYPED;
  if (versions & TN_TARGET_TYPED) return TN_API_VERSION_TYPED_FFI;
  int32_t version =
      has_attributes ? TN_API_VERSION_STATUS_RETURNING_UNIFIED : TN_API_VERSION_ORIGINAL;
  while (version < TN_API_VERSION_TYPED_FFI && !(versions >> version & 1)) ++version;
  return version;
}

const tn_op_def_t* tn__op_definition(const tn_op_t* op) {
  const tn_registered_op_t* registered = tn__op_registered(op);
  const tn_target_t* hosts = tn__op_target(op, tn__compile_target_host.platform);
  if (hosts && hosts->definition.struct_size) return &hosts->definition;
  for (size_t i = 0; registered && i < registered->target_count; ++i) {
    const tn_op_def_t* definition = &registered->targets[i]->definition;
    if (definition->struct_size) return definition;
  }
  return NULL;
}

// --- custom calls

// LAPACK's routines, which the host computes. A context keeps those that were asked for: a name is
// one operation.

// The routine that is kept; `made`, which may be NULL, if there is none yet.
static tn_status_t keep_routine(tn_context_t* context, tn_string_view_t name,
                                tn_registered_op_t* made, const tn_op_t** out_kept) {
  tn_op_list_t* routines = &context->routines;
  tn_status_t status = TN_OK;
  *out_kept = NULL;
  tn__process_lock();
  for (size_t i = 0; i < routines->count && !*out_kept; ++i) {
    if (tn__sv_equal(tn__op_called_name(routines->ops[i]), name)) *out_kept = routines->ops[i];
  }
  if (!*out_kept && made) {
    status = tn__op_list_insert(routines, routines->count, &made->op);
    if (!status) *out_kept = tn__op_retain(&made->op);
  }
  tn__op_retain(*out_kept);
  tn__process_unlock();
  return status;
}

static tn_status_t make_routine(tn_string_view_t name, const tn_ffi_op_t* op,
                                tn_registered_op_t** out_routine) {
  const tn_target_spec_t spec = {
      .name = name,
      .versions = TN_TARGET_TYPED,
      .bundle = op->bundle,
      .op = op,
  };
  tn_handler_facts_t facts = {.minor = -1};
  tn_target_t* target = NULL;
  TN_RETURN_IF_ERROR(tn__handler_ask(NULL, &spec, &facts));
  TN_RETURN_IF_ERROR(
      tn__target_create(&spec, tn__compile_target_host.platform, &facts, NULL, &target));
  tn_status_t status = create(name, 1, &target, out_routine);
  tn__target_release(target);
  return status;
}

static tn_status_t find_lapack(tn_context_t* context, tn_string_view_t name,
                               const tn_op_t** out_op) {
  tn_registered_op_t* made = NULL;
  const tn_ffi_op_t* op = tn__lapack_find(name);
  if (!op) return TN_OK;
  TN_RETURN_IF_ERROR(keep_routine(context, name, NULL, out_op));
  if (*out_op) return TN_OK;
  TN_RETURN_IF_ERROR(make_routine(name, op, &made));
  tn_status_t status = keep_routine(context, name, made, out_op);
  tn__op_release(&made->op);
  return status;
}

tn_status_t tn__call_find(tn_context_t* context, tn_string_view_t name, const tn_op_t** out_op) {
  context = tn__context_of(context);
  *out_op = tn__registry_find(context, name);
  if (!*out_op) *out_op = tn__builtin_find(name);
  return *out_op ? TN_OK : find_lapack(context, name, out_op);
}

tn_status_t tn__call_find_any(tn_context_t* context, tn_string_view_t name,
                              const tn_op_t** out_op) {
  tn_registered_op_t* nothing = NULL;
  TN_RETURN_IF_ERROR(tn__call_find(context, name, out_op));
  if (*out_op) return TN_OK;
  TN_RETURN_IF_ERROR(create(name, 0, NULL, &nothing));
  *out_op = &nothing->op;
  return TN_OK;
}
