// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <tenon/detail/call.h>

#include "base/allocator.h"
#include "base/process.h"
#include "base/spelling.h"
#include "call/handler.h"
#include "call/platform.h"
#include "call/signature.h"
#include "call/types.h"

// What a context has is guarded by the process's lock.
static const tn_registered_op_t* op_at(const tn_context_t* context, size_t index) {
  return tn__op_registered(context->registered.ops[index]);
}

// Where it is, or where it belongs.
static size_t position_of(const tn_context_t* context, tn_string_view_t name, bool* out_is_there) {
  size_t low = 0, high = context->registered.count;
  *out_is_there = false;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = tn__sv_compare(op_at(context, middle)->name, name);
    if (order == 0) *out_is_there = true;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// The operation of that name; NULL when there is none.
static const tn_registered_op_t* look_up(const tn_context_t* context, tn_string_view_t name) {
  bool is_there = false;
  const size_t at = position_of(context, name, &is_there);
  return is_there ? op_at(context, at) : NULL;
}

// The targets of `op`, which may be NULL, with `target` for its platform, or without any for
// `platform` if `target` is NULL. NULL in *out_op when none is left.
static tn_status_t change(const tn_registered_op_t* op, tn_target_t* target, const char* platform,
                          tn_registered_op_t** out_op) {
  const size_t old_count = op ? op->target_count : 0;
  void* memory = NULL;
  size_t count = 0;
  *out_op = NULL;
  if (!target && old_count <= 1) return TN_OK;
  TN_RETURN_IF_ERROR(
      tn__allocate_array(tn_allocator_system(), old_count + 1, sizeof(tn_target_t*), &memory));
  tn_target_t** targets = memory;
  for (size_t i = 0; i < old_count; ++i) {
    const int order = strcmp(op->targets[i]->platform, platform);
    if (target && order >= 0) {
      targets[count++] = target;
      target = NULL;
    }
    if (order != 0) targets[count++] = op->targets[i];
  }
  if (target) targets[count++] = target;
  tn_status_t status = count ? tn__registered_op_create(count, targets, out_op) : TN_OK;
  tn__free(tn_allocator_system(), targets, (old_count + 1) * sizeof *targets);
  return status;
}

// Puts a target in the place of that of its platform, or takes it away if `target` is NULL. What it
// was before is in *out_old, for the caller to release without the lock.
static tn_status_t replace(tn_context_t* context, tn_string_view_t name, tn_target_t* target,
                           const char* platform, const tn_op_t** out_old) {
  tn_op_list_t* list = &context->registered;
  bool is_there = false;
  tn_registered_op_t* op = NULL;
  const size_t at = position_of(context, name, &is_there);
  *out_old = NULL;
  TN_RETURN_IF_ERROR(change(is_there ? op_at(context, at) : NULL, target, platform, &op));
  if (!is_there) {
    tn_status_t status = tn__op_list_insert(list, at, &op->op);
    if (status) *out_old = &op->op;
    return status;
  }
  *out_old = list->ops[at];
  if (op) {
    list->ops[at] = &op->op;
  } else {
    tn__op_list_remove(list, at);
  }
  return TN_OK;
}

// What a definition wants of the handler that it belongs to.
static tn_status_t check_definition(const tn_target_spec_t* spec) {
  const tn_op_def_t* definition = spec->definition;
  const tn_ffi_bundle_t* bundle = &spec->bundle;
  if (!definition) return TN_OK;
  const bool has_eval =
      definition->struct_size > offsetof(tn_op_def_t, eval_cpu) && definition->eval_cpu;
  const bool is_elementwise = definition->flags & TN_OP_ELEMENTWISE;
  const char* problem = NULL;
  if ((has_eval || is_elementwise) && spec->versions != TN_TARGET_TYPED) {
    problem = is_elementwise ? "elementwise operations have handlers of the typed FFI (4)"
                             : "operations with an eval have handlers of the typed FFI (4) besides";
  } else if (has_eval && (bundle->instantiate || bundle->prepare || bundle->initialize)) {
    problem = "operations with an eval have no other stages";
  } else if (!has_eval && definition->flags & TN_OP_ALLOCATES) {
    problem = "TN_OP_ALLOCATES is for operations with an eval";
  }
  if (!problem) return TN_OK;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "custom call @%s: %s, and this has %s",
                          TN_NAME_TEXT(spec->name), problem, tn__versions_text(spec->versions));
}

// What a handler cannot be called for, or cannot say of itself yet.
static tn_status_t ask(tn_context_t* context, const tn_target_spec_t* spec,
                       tn_handler_facts_t* facts) {
  if (spec->versions & TN_TARGET_TYPED && !spec->bundle.execute) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "custom call @%s: there is no execute stage",
                            TN_NAME_TEXT(spec->name));
  }
  if (spec->versions & TN_TARGET_LEGACY && !spec->function && !spec->bundle.execute) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "custom call @%s: the function is NULL",
                            TN_NAME_TEXT(spec->name));
  }
  TN_RETURN_IF_ERROR(check_definition(spec));
  // A function that may be a legacy one cannot be queried.
  if (spec->versions != TN_TARGET_TYPED) return TN_OK;
  return tn_status_prefix(tn__handler_ask(context, spec, facts), "custom call @%s",
                          TN_NAME_TEXT(spec->name));
}

static const char* origin_of(const tn_target_t* target) {
  return target->library ? tn__library_path(target->library) : "this process";
}

// Whether `target` is of the library of `old`, which was rebuilt and is loaded again, or gives the
// same function other stages.
static bool is_update(const tn_target_t* old, const tn_target_t* target) {
  return old->library && target->library &&
         strcmp(tn__library_path(old->library), tn__library_path(target->library)) == 0 &&
         (!tn__library_same(old->library, target->library) || old->function == target->function);
}

static tn_status_t already_exists(const tn_target_t* old, tn_target_difference_t difference) {
  tn_status_t status = tn_status_create(
      TN_CODE_ALREADY_EXISTS,
      "custom call @%s: a different %s is already registered for platform "
      "%s, by %s",
      TN_NAME_TEXT(old->name),
      difference == TN_TARGET_OTHER_FUNCTION ? "function" : "definition of the function",
      old->platform, origin_of(old));
  return tn_status_note(status,
                        "to replace it, unregister it first (tn_target_unregister); to keep both, "
                        "register one under another name (LIB.so:NAME=SYMBOL)");
}

// Registers a target unless another function has its name on its platform. `*out_owns_user` says
// whether the definition's user data is the target's then: it is the caller's after an error, and
// the first registration's if both are the same.
static tn_status_t put(tn_context_t* context, tn_target_t* target, bool* out_owns_user) {
  const tn_op_t* replaced = NULL;
  tn_status_t status = TN_OK;
  tn__process_lock();
  const tn_registered_op_t* op = look_up(context, target->name);
  tn_target_t* old = op ? tn__op_target(&op->op, target->platform) : NULL;
  const bool is_new = !old || is_update(old, target);
  const tn_target_difference_t difference =
      is_new ? TN_TARGET_SAME : tn__target_difference(old, target);
  const bool is_owner = !is_new && !difference && old->definition.destroy;
  if (difference) {
    tn__target_retain(old);
  } else if (!is_owner) {
    status = replace(context, target->name, target, target->platform, &replaced);
  }
  tn__process_unlock();
  *out_owns_user = !difference && !is_owner && !status;
  if (difference) {
    status = already_exists(old, difference);
    tn__target_release(old);
  }
  tn__op_release(replaced);
  return status;
}

tn_status_t tn__registry_add(tn_context_t* context, const tn_target_spec_t* spec,
                             tn_register_mode_t mode) {
  context = tn__context_of(context);
  if (!spec->name.length) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "a custom call has no name");
  }
  const char* platform = tn__platform_name(spec->platform);
  tn_name_text_t given = tn__name_text(spec->platform);
  tn_handler_facts_t facts = {.minor = -1};
  tn_status_t unusable_reason =
      platform ? ask(context, spec, &facts)
               : tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                  "custom call @%s: there is no platform \"%s\"; expected one of "
                                  "%s",
                                  TN_NAME_TEXT(spec->name), given.text, tn__platform_list());
  if (unusable_reason && mode == TN_REGISTER_STRICT) return unusable_reason;
  tn_target_t* target = NULL;
  TN_RETURN_IF_ERROR(
      tn__target_create(spec, platform ? platform : given.text, &facts, unusable_reason, &target));
  bool owns_user = false;
  tn_status_t status = put(context, target, &owns_user);
  if (!owns_user) target->definition.destroy = NULL;
  tn__target_release(target);
  return status;
}

const tn_op_t* tn__registry_find(tn_context_t* context, tn_string_view_t name) {
  tn__process_lock();
  const tn_registered_op_t* op = look_up(tn__context_of(context), name);
  const tn_op_t* found = op ? tn__op_retain(&op->op) : NULL;
  tn__process_unlock();
  return found;
}

// --- a look at all of it

typedef struct snapshot {
  size_t count;
  tn_target_t** targets;  // retained
} snapshot_t;

static tn_status_t take_snapshot(tn_context_t* context, snapshot_t* out) {
  *out = (snapshot_t){0};
  context = tn__context_of(context);
  const tn_op_list_t* registered = &context->registered;
  size_t count = 0;
  tn_status_t status = TN_OK;
  tn__process_lock();
  for (size_t i = 0; i < registered->count; ++i) count += op_at(context, i)->target_count;
  if (count) out->targets = malloc(count * sizeof *out->targets);
  if (count && !out->targets) status = tn__status_out_of_memory();
  for (size_t i = 0; i < registered->count && out->targets; ++i) {
    const tn_registered_op_t* op = op_at(context, i);
    for (size_t t = 0; t < op->target_count; ++t) {
      out->targets[out->count++] = tn__target_retain(op->targets[t]);
    }
  }
  tn__process_unlock();
  return status;
}

static void drop_snapshot(snapshot_t* snapshot) {
  for (size_t i = 0; i < snapshot->count; ++i) tn__target_release(snapshot->targets[i]);
  free(snapshot->targets);
}

// --- registrations of a library's initialisers

static bool is_from_start(const tn_target_t* target, const tn_library_t* library) {
  return target->is_from_start &&
         (target->library == library || tn__library_same(target->library, library));
}

static bool has_target(const tn_context_t* context, const tn_target_t* target) {
  const tn_registered_op_t* op = look_up(context, target->name);
  const tn_target_t* found = op ? tn__op_target(&op->op, target->platform) : NULL;
  return found && !tn__target_difference(found, target);
}

// A target of the library in `from` that `lacking` (NULL: none) does not have. NULL: there is none.
static tn_target_t* find_from_start(const tn_context_t* from, const tn_context_t* lacking,
                                    const tn_library_t* library) {
  for (size_t i = 0; i < from->registered.count; ++i) {
    const tn_registered_op_t* op = op_at(from, i);
    for (size_t t = 0; t < op->target_count; ++t) {
      tn_target_t* target = op->targets[t];
      if (is_from_start(target, library) && !(lacking && has_target(lacking, target))) {
        return target;
      }
    }
  }
  return NULL;
}

tn_status_t tn__registry_add_from_start(tn_context_t* context, const tn_library_t* library,
                                        bool* out_has) {
  context = tn__context_of(context);
  *out_has = false;
  for (tn_target_t* target = NULL;; tn__target_release(target)) {
    tn__process_lock();
    target = NULL;
    for (const tn_context_t* from = tn_context_default(); from && !target; from = from->next) {
      if (from != context) target = find_from_start(from, context, library);
    }
    tn__target_retain(target);
    *out_has = find_from_start(context, NULL, library) != NULL;
    tn__process_unlock();
    if (!target) return TN_OK;
    bool owns_user = false;  // it has no definition
    tn_status_t status = put(context, target, &owns_user);
    if (status) {
      tn__target_release(target);
      return status;
    }
  }
}

void tn__registry_remove_from_start(tn_context_t* context, const tn_library_t* library) {
  const tn_op_t* old = NULL;
  context = tn__context_of(context);
  do {
    tn_status_t status = TN_OK;
    old = NULL;
    tn__process_lock();
    const tn_target_t* target = find_from_start(context, NULL, library);
    if (target) status = replace(context, target->name, NULL, target->platform, &old);
    tn__process_unlock();
    tn_status_release(status);
    tn__op_release(old);
  } while (old);
}

// The names on the platform, or those that the text has room for.
static tn_status_t note_names(tn_status_t status, const snapshot_t* snapshot,
                              const char* platform) {
  char names[160];
  size_t length = 0;
  for (size_t i = 0; i < snapshot->count && length < sizeof names; ++i) {
    const tn_target_t* target = snapshot->targets[i];
    if (strcmp(target->platform, platform) != 0) continue;
    int written = snprintf(names + length, sizeof names - length, "%s@%s", length ? ", " : "",
                           TN_NAME_TEXT(target->name));
    if (written < 0) return status;
    length += (size_t)written;
  }
  return tn_status_note(status, "registered for platform %s: %s%s", platform, names,
                        length < sizeof names ? "" : "...");
}

tn_status_t tn__registry_miss(tn_context_t* context, tn_string_view_t name, const char* platform) {
  enum { MOST_NAMES = 3 };
  tn_status_t status =
      tn_status_create(TN_CODE_NOT_FOUND, "custom call @%s: nothing is registered for platform %s",
                       TN_NAME_TEXT(name), platform);
  snapshot_t snapshot;
  const char* exported = tn__call_exported_platform(name);
  if (tn__sv_is(name, "tf.call_tf_function")) {
    status = tn_status_note(status,
                            "it calls a function of TensorFlow, which the program does not "
                            "hold");
  }
  if (exported) {
    status = tn_status_note(status,
                            "jax.export writes @%s for platform %s; export the program for cpu, "
                            "with platforms=[\"cpu\"]",
                            TN_NAME_TEXT(name), exported);
  }
  tn_status_release(take_snapshot(context, &snapshot));  // without memory: no notes
  size_t on_platform = 0, near_count = 0;
  for (size_t i = 0; i < snapshot.count; ++i) {
    const tn_target_t* target = snapshot.targets[i];
    if (strcmp(target->platform, platform) == 0) ++on_platform;
    if (!tn__sv_equal(target->name, name)) continue;
    status =
        tn_status_note(status, "@%s is registered for platform %s, %s, from %s", TN_NAME_TEXT(name),
                       target->platform, tn__versions_text(target->versions), origin_of(target));
    if (target->unusable_reason)
      status = tn_status_note(status, "%s", tn_status_message(target->unusable_reason));
  }
  for (size_t distance = 1; distance <= 3 && near_count < MOST_NAMES; ++distance) {
    for (size_t i = 0; i < snapshot.count && near_count < MOST_NAMES; ++i) {
      const tn_target_t* target = snapshot.targets[i];
      if (tn__spelling_distance(name, target->name) != distance ||
          !tn__spelling_is_near(name, distance)) {
        continue;
      }
      status = tn_status_note(status, "did you mean @%s (platform %s, %s, from %s)?",
                              TN_NAME_TEXT(target->name), target->platform,
                              tn__versions_text(target->versions), origin_of(target));
      ++near_count;
    }
  }
  if (on_platform && !near_count) status = note_names(status, &snapshot, platform);
  if (!on_platform) {
    status = tn_status_note(status,
                            "no custom calls are registered for platform %s; load a library with "
                            "tn_library_load (tenon --load LIB.so)",
                            platform);
  }
  drop_snapshot(&snapshot);
  return status;
}

enum { DEFINITION_CAPACITY = 80 };

// "elementwise, jvp, vjp"; NULL when there is no definition.
static const char* describe_definition(const tn_op_def_t* definition,
                                       char out[DEFINITION_CAPACITY]) {
  const struct {
    const char* name;
    bool is_there;
  } parts[] = {
      {"elementwise", definition->flags & TN_OP_ELEMENTWISE},
      {"sees strides", definition->eval_cpu != NULL},
      {"GPU kernels", definition->eval_gpu != NULL},
      {"infer", definition->infer != NULL},
      {"jvp", definition->jvp != NULL},
      {"vjp", definition->vjp != NULL},
      {"vmap", definition->vmap != NULL},
      {"print", definition->print != NULL},
      {"equal", definition->equal != NULL},
  };
  size_t length = 0;
  if (!definition->struct_size) return NULL;
  out[0] = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (!parts[i].is_there) continue;
    length += (size_t)snprintf(out + length, DEFINITION_CAPACITY - length, "%s%s",
                               length ? ", " : "", parts[i].name);
  }
  return length ? out : "no rules";
}

static bool show(const tn_target_t* target, tn_target_visit_fn visit, void* user,
                 tn_status_t* status) {
  tn_signature_t signature = {0};
  const tn_probed_t* probed = target->probed;
  const tn_ffi_op_t* op = target->op ? target->op : probed ? probed->op : NULL;
  *status = op ? tn__signature_init(&signature, op, target->name) : TN_OK;
  if (*status) return false;
  int32_t version = 0;
  for (int32_t v = 1; v < TN_API_VERSION_LIMIT; ++v) {
    if (target->versions == 1u << v) version = v;
  }
  char definition[DEFINITION_CAPACITY];
  const tn_target_info_t info = {
      .struct_size = sizeof info,
      .name = target->name.data,
      .name_length = target->name.length,
      .platform = target->platform,
      .api_version = version,
      .handler_minor = target->facts.minor,
      .has_instantiate = target->bundle.instantiate != NULL,
      .has_prepare = target->bundle.prepare != NULL,
      .has_initialize = target->bundle.initialize != NULL,
      .library = target->library ? tn__library_path(target->library) : NULL,
      .doc = target->op ? target->op->doc : NULL,
      .signature = signature.text,
      .parameter_count = signature.parameter_count,
      .parameters = signature.parameters,
      .unusable_reason =
          target->unusable_reason ? tn_status_message(target->unusable_reason) : NULL,
      .traits = target->facts.traits,
      .state_type = tn__type_name(target->facts.state_type_id),
      .is_declared = target->op != NULL,
      .is_probed = probed != NULL,
      .is_confined = probed && probed->is_confined,
      .stage_signatures = probed && *probed->stages ? probed->stages : NULL,
      .required_services = probed && *probed->required_services ? probed->required_services : NULL,
      .unresolved = probed && *probed->unresolved ? probed->unresolved : NULL,
      .definition = describe_definition(&target->definition, definition),
  };
  bool more = visit(user, &info);
  tn__signature_deinit(&signature);
  return more;
}

tn_status_t tn_context_enumerate_targets(tn_context_t* context, tn_target_visit_fn visit,
                                         void* user) {
  snapshot_t snapshot;
  TN_RETURN_IF_NULL(visit);
  tn_status_t status = take_snapshot(context, &snapshot);
  for (size_t i = 0; i < snapshot.count; ++i) {
    if (!show(snapshot.targets[i], visit, user, &status)) break;
  }
  drop_snapshot(&snapshot);
  return status;
}

// --- inferred signatures

tn_status_t tn__registry_set_probed(tn_context_t* context, const tn_target_t* target,
                                    tn_probed_t* probed) {
  tn_target_t* probed_target = NULL;
  const tn_op_t* old = NULL;
  context = tn__context_of(context);
  TN_RETURN_IF_ERROR(tn__target_create_probed(target, probed, &probed_target));
  tn__process_lock();
  const tn_registered_op_t* op = look_up(context, target->name);
  const bool is_there = op && tn__op_target(&op->op, target->platform) == target;
  tn_status_t status =
      is_there ? replace(context, target->name, probed_target, target->platform, &old) : TN_OK;
  tn__process_unlock();
  tn__target_release(probed_target);
  tn__op_release(old);
  return status;
}

// --- public functions

static tn_status_t add_strictly(tn_context_t* context, const char* name, const char* platform,
                                uint32_t versions, tn_ffi_bundle_t bundle,
                                tn_ffi_function_t function) {
  const tn_target_spec_t spec = {
      .name = tn__sv(name),
      .platform = tn__sv(platform),
      .versions = versions,
      .bundle = bundle,
      .function = function,
      .library = tn__library_loading(),
  };
  return tn__registry_add(context, &spec, TN_REGISTER_STRICT);
}

tn_status_t tn_context_register_target(tn_context_t* context, const char* name,
                                       const char* platform, tn_target_function_t function,
                                       tn_api_version_t api_version) {
  TN_RETURN_IF_NULL(name);
  TN_RETURN_IF_NULL(platform);
  TN_RETURN_IF_NULL(function);
  if ((unsigned)api_version >= TN_API_VERSION_LIMIT) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "custom call @%s: %d is not an api version",
                            TN_NAME_TEXT(tn__sv(name)), (int)api_version);
  }
  if (api_version == TN_API_VERSION_TYPED_FFI) {
    return add_strictly(context, name, platform, TN_TARGET_TYPED,
                        (tn_ffi_bundle_t){.execute = (tn_ffi_handler_t)function}, NULL);
  }
  uint32_t versions = api_version ? 1u << api_version : (uint32_t)TN_TARGET_LEGACY;
  return add_strictly(context, name, platform, versions, (tn_ffi_bundle_t){0}, function);
}

tn_status_t tn_context_register_stages(tn_context_t* context, const char* name,
                                       const char* platform, const tn_handler_stages_t* stages) {
  TN_RETURN_IF_NULL(name);
  TN_RETURN_IF_NULL(platform);
  TN_RETURN_IF_NULL(stages);
  tn_ffi_bundle_t bundle = {
      (tn_ffi_handler_t)stages->instantiate,
      (tn_ffi_handler_t)stages->prepare,
      (tn_ffi_handler_t)stages->initialize,
      (tn_ffi_handler_t)stages->execute,
  };
  return add_strictly(context, name, platform, TN_TARGET_TYPED, bundle, NULL);
}

// A program's own initialisers have no caller to return an error to: calls of the target get it.
static void put_unusable(const tn_target_spec_t* spec, tn_status_t unusable_reason) {
  const tn_handler_facts_t facts = {.minor = -1};
  const char* platform = tn__platform_name(spec->platform);
  const tn_op_t* old = NULL;
  tn_target_t* target = NULL;
  tn_context_t* context = tn_context_default();
  if (!platform) {
    tn_status_release(unusable_reason);  // no program can call it anyway
    return;
  }
  tn_status_t status = tn__target_create(spec, platform, &facts, unusable_reason, &target);
  if (!status) {
    tn__process_lock();
    status = replace(context, target->name, target, platform, &old);
    tn__process_unlock();
  }
  tn_status_release(status);
  tn__target_release(target);
  tn__op_release(old);
}

void tn__register_at_start(const char* name, const char* platform, tn_target_function_t function) {
  const tn_target_spec_t spec = {
      .name = tn__sv(name),
      .platform = tn__sv(platform),
      .versions = TN_TARGET_LEGACY,
      .function = function,
      .library = tn__library_loading(),
  };
  tn_status_t status = tn__registry_add(tn__library_context(), &spec, TN_REGISTER_LENIENT);
  if (tn_status_code(status) == TN_CODE_ALREADY_EXISTS && !spec.library) {
    put_unusable(&spec, status);
  } else {
    tn__library_set_error(spec.library, status);
  }
}

void tn_target_register_at_start(const char* name, const char* platform,
                                 tn_target_function_t function) {
  tn__register_at_start(name, platform, function);
}

tn_status_t tn_context_unregister_target(tn_context_t* context, const char* name,
                                         const char* platform) {
  TN_RETURN_IF_NULL(name);
  TN_RETURN_IF_NULL(platform);
  const char* known = tn__platform_name(tn__sv(platform));
  if (known) platform = known;  // what registered itself for another one is there as well
  const tn_op_t* old = NULL;
  context = tn__context_of(context);
  tn__process_lock();
  const tn_registered_op_t* op = look_up(context, tn__sv(name));
  const bool is_there = op && tn__op_target(&op->op, platform);
  tn_status_t status = is_there ? replace(context, tn__sv(name), NULL, platform, &old) : TN_OK;
  tn__process_unlock();
  tn__op_release(old);
  return is_there ? status : tn__registry_miss(context, tn__sv(name), platform);
}

void tn_context_set_call_timeout_ns(tn_context_t* context, int64_t timeout_ns) {
  atomic_store(&tn__context_of(context)->call_timeout_ns, timeout_ns);
}

// --- for the default context, or the one that a library is loaded for

tn_status_t tn_target_register(const char* name, const char* platform,
                               tn_target_function_t function, tn_api_version_t api_version) {
  return tn_context_register_target(tn__library_context(), name, platform, function, api_version);
}

tn_status_t tn_target_register_stages(const char* name, const char* platform,
                                      const tn_handler_stages_t* stages) {
  return tn_context_register_stages(tn__library_context(), name, platform, stages);
}

tn_status_t tn_target_unregister(const char* name, const char* platform) {
  return tn_context_unregister_target(NULL, name, platform);
}

tn_status_t tn_target_enumerate(tn_target_visit_fn visit, void* user) {
  return tn_context_enumerate_targets(NULL, visit, user);
}

void tn_call_set_timeout_ns(int64_t timeout_ns) {
  tn_context_set_call_timeout_ns(NULL, timeout_ns);
}
