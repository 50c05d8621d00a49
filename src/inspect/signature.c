// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What was found out about a handler, in the form of a declaration.
#include <stdio.h>
#include <tenon/inspect.h>

#include "base/allocator.h"
#include "base/arena.h"
#include "call/line.h"
#include "call/platform.h"
#include "call/registry.h"
#include "inspect/probe.h"
#include "inspect/scan.h"

typedef struct found {
  tn_probed_t probed;  // first
  tn_arena_t arena;
} found_t;

// --- types as text, in the words of <tenon/custom.h>

static const char* scalar_word(int dtype) {
  static const struct {
    int dtype;
    const char* word;
  } words[] = {
      {TN_FFI_PRED, "bool"},    {TN_FFI_S8, "int8_t"},    {TN_FFI_S16, "int16_t"},
      {TN_FFI_S32, "int32_t"},  {TN_FFI_S64, "int64_t"},  {TN_FFI_U8, "uint8_t"},
      {TN_FFI_U16, "uint16_t"}, {TN_FFI_U32, "uint32_t"}, {TN_FFI_U64, "uint64_t"},
      {TN_FFI_F32, "float"},    {TN_FFI_F64, "double"},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    if (words[i].dtype == dtype) return words[i].word;
  }
  return tn_dtype_name((tn_dtype_t)dtype);
}

static void print_dtypes(tn_line_t* line, uint64_t dtypes) {
  const char* between = "";
  for (int dtype = 1; dtype < 64; ++dtype) {
    if (!(dtypes >> dtype & 1)) continue;
    tn__line_print(line, "%s%s", between, scalar_word(dtype));
    between = " or ";
  }
}

static void print_type(tn_line_t* line, const tn_probe_t* probe, const tn_probe_attr_t* attr) {
  if (attr->answer != TN_PROBE_KNOWN) {
    tn__line_print(line, "unknown");
  } else if (attr->is_address) {
    tn__line_print(line, "address");
  } else if (attr->type == TN_FFI_STRING) {
    tn__line_print(line, "string");
  } else if (attr->type == TN_FFI_DICTIONARY && !attr->is_record) {
    tn__line_print(line, "dictionary");
  } else if (attr->type == TN_FFI_DICTIONARY) {
    for (int32_t i = 0; i < attr->field_count; ++i) {
      const tn_probe_attr_t* field = &probe->fields[attr->first_field + i];
      tn__line_print(line, "%s%s: ", i ? ", " : "{", field->name);
      print_type(line, probe, field);
    }
    tn__line_print(line, "}");
  } else if (attr->type == TN_FFI_ARRAY) {
    tn__line_print(line, "array(");
    print_dtypes(line, attr->dtypes);
    tn__line_print(line, ")");
  } else {
    print_dtypes(line, attr->dtypes);
    if (!attr->type) tn__line_print(line, ", perhaps others");
  }
}

// --- parameters

static tn_status_t copy(tn_arena_t* arena, const char* text, const char** out) {
  tn_string_view_t view;
  TN_RETURN_IF_ERROR(tn__arena_copy_string(arena, tn__sv(text), &view));
  *out = view.data;
  return TN_OK;
}

static tn_status_t make_params(tn_arena_t* arena, size_t count, tn_ffi_param_t** out) {
  return TN_ARENA_ARRAY(arena, count, out);
}

static tn_status_t make_attr(tn_arena_t* arena, const tn_probe_t* probe,
                             const tn_probe_attr_t* attr, tn_ffi_param_t* out) {
  tn_line_t line = {.length = 0};
  tn_ffi_param_t* fields = NULL;
  *out = (tn_ffi_param_t){.kind = TN_FFI_PARAM_ATTR, .rank = -1};
  if (attr->answer == TN_PROBE_KNOWN) {
    out->attr_type = attr->type;
    out->dtypes = attr->dtypes;
    // Whether a scalar stands for something cannot be seen.
    out->flags = attr->is_address ? TN_FFI_PARAM_ADDRESS : 0;
  }
  print_type(&line, probe, attr);
  TN_RETURN_IF_ERROR(copy(arena, attr->name_length ? attr->name : "?", &out->name));
  TN_RETURN_IF_ERROR(copy(arena, line.text, &out->type_text));
  if (attr->answer != TN_PROBE_KNOWN || !attr->is_record) return TN_OK;
  TN_RETURN_IF_ERROR(make_params(arena, (size_t)attr->field_count, &fields));
  for (int32_t i = 0; i < attr->field_count; ++i) {
    TN_RETURN_IF_ERROR(make_attr(arena, probe, &probe->fields[attr->first_field + i], &fields[i]));
  }
  out->fields = fields;
  out->field_count = (size_t)attr->field_count;
  return TN_OK;
}

static tn_ffi_param_t make_value(int32_t kind, const tn_probe_value_t* value, uint32_t flags) {
  bool is_known = value && value->dtype_answer == TN_PROBE_KNOWN;
  bool is_any = !value || value->dtype_answer == TN_PROBE_ANY;
  return (tn_ffi_param_t){
      .name = "",
      .kind = kind,
      .dtypes = is_known ? UINT64_C(1) << value->dtype
                : is_any ? UINT64_MAX
                         : 0,
      .rank = value && value->rank_answer == TN_PROBE_KNOWN ? value->rank : -1,
      .flags = flags,
  };
}

// Operands, or results. An unknown number of them is any.
static size_t add_values(int32_t kind, const tn_probe_values_t* list, tn_ffi_param_t* out) {
  size_t count = 0;
  bool is_known = list->answer == TN_PROBE_KNOWN;
  for (int32_t i = 0; is_known && i < list->required + list->optional; ++i) {
    out[count++] =
        make_value(kind, &list->values[i], i < list->required ? 0 : TN_FFI_PARAM_OPTIONAL);
  }
  if (!is_known || list->has_rest) out[count++] = make_value(kind, NULL, TN_FFI_PARAM_REMAINING);
  return count;
}

static tn_status_t add_attrs(tn_arena_t* arena, const tn_probe_t* probe, tn_ffi_param_t* out,
                             size_t* out_count) {
  bool has_names = probe->attrs_answer == TN_PROBE_KNOWN;
  for (int32_t i = 0; i < probe->attr_count; ++i) has_names &= probe->attrs[i].name_length > 0;
  *out_count = has_names ? (size_t)probe->attr_count : 1;
  if (!has_names) {
    out[0] = (tn_ffi_param_t){.name = "",
                              .type_text = "any attributes",
                              .kind = TN_FFI_PARAM_ATTR,
                              .rank = -1,
                              .attr_type = TN_FFI_DICTIONARY,
                              .flags = TN_FFI_PARAM_EVERYTHING};
    return TN_OK;
  }
  for (int32_t i = 0; i < probe->attr_count; ++i) {
    TN_RETURN_IF_ERROR(make_attr(arena, probe, &probe->attrs[i], &out[i]));
  }
  return TN_OK;
}

static bool has_answers(const tn_probe_t* probe) {
  return probe->lists[0].answer || probe->lists[1].answer || probe->attrs_answer;
}

static tn_status_t make_op(tn_arena_t* arena, const tn_probe_t* probe, const tn_ffi_op_t** out) {
  size_t count = 0, attr_count = 0;
  tn_ffi_param_t* params = NULL;
  void* memory = NULL;
  size_t most = 3;  // the rest of each kind
  for (int kind = 0; kind < 2; ++kind) {
    most += (size_t)(probe->lists[kind].required + probe->lists[kind].optional);
  }
  TN_RETURN_IF_ERROR(make_params(arena, most + (size_t)probe->attr_count, &params));
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, sizeof(tn_ffi_op_t), &memory));
  count += add_values(TN_FFI_PARAM_ARG, &probe->lists[0], params);
  TN_RETURN_IF_ERROR(add_attrs(arena, probe, params + count, &attr_count));
  count += attr_count;
  count += add_values(TN_FFI_PARAM_RET, &probe->lists[1], params + count);
  tn_ffi_op_t* op = memory;
  *op = (tn_ffi_op_t){
      .struct_size = sizeof *op,
      .param_size = sizeof *params,
      .name = "",
      .platform = "",
      .api_version = 4,
      .params = params,
      .param_count = count,
  };
  *out = op;
  return TN_OK;
}

// --- all stages

static void print_services(tn_line_t* line, uint32_t context) {
  static const struct {
    uint32_t bit;
    const char* word;
  } words[] = {
      {TN_PROBE_STREAM, "stream"},
      {TN_PROBE_USER_DATA, "user data"},
      {TN_PROBE_STATE, "state"},
      {TN_PROBE_RUN_ID, "run id"},
      {TN_PROBE_DEVICE_ORDINAL, "device ordinal"},
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    if (!(context & words[i].bit)) continue;
    tn__line_print(line, "%s%s", line->length ? ", " : "", words[i].word);
  }
}

// "instantiate(start: int64_t)": the attributes are all that matters to the other stages.
static void print_stage(tn_line_t* line, int32_t stage, const tn_probe_t* probe) {
  tn__line_print(line, "%s%s(", line->length ? "; " : "", tn__stage_names[stage]);
  for (int32_t i = 0; i < probe->attr_count; ++i) {
    const char* name = probe->attrs[i].name;
    tn__line_print(line, "%s%s: ", i ? ", " : "", *name ? name : "?");
    print_type(line, probe, &probe->attrs[i]);
  }
  tn__line_print(line, "%s)",
                 probe->attrs_answer == TN_PROBE_ANY       ? "any attributes"
                 : probe->attrs_answer == TN_PROBE_UNKNOWN ? "?"
                                                           : "");
}

static void print_unresolved(tn_line_t* line, int32_t stage, const char* unresolved) {
  if (!*unresolved) return;
  tn__line_print(line, "%s%s: %s", line->length ? "; " : "", tn__stage_names[stage], unresolved);
}

// Asks all stages, each in a child of its own.
static tn_status_t ask_stages(found_t* found, const tn_ffi_bundle_t* bundle) {
  tn_probed_t* probed = &found->probed;
  tn_confinement_t confinement = TN_CONFINED_BY_LIMITS;
  const tn_ffi_handler_t stages[] = {bundle->instantiate, bundle->prepare, bundle->initialize,
                                     bundle->execute};
  tn_line_t texts = {.length = 0}, services = {.length = 0}, unresolved = {.length = 0};
  tn_probe_t* probe = NULL;
  uint32_t asked_for = 0;
  TN_RETURN_IF_ERROR(
      tn__probe_handler(bundle->execute, TN_FFI_EXECUTE, TN_PROBE_TIMEOUT_MS, &probe));
  confinement = probe->confinement;
  probed->is_confined = confinement == TN_CONFINED_BY_SECCOMP;
  probed->takes_any_attributes = probe->attrs_answer == TN_PROBE_ANY;
  asked_for |= probe->context;
  print_unresolved(&unresolved, TN_FFI_EXECUTE, probe->unresolved);
  tn_status_t status = has_answers(probe) ? make_op(&found->arena, probe, &probed->op) : TN_OK;
  tn__probe_free(probe);
  for (int32_t stage = 0; !status && stage < TN_FFI_EXECUTE; ++stage) {
    if (!stages[stage]) continue;
    // Many take no attributes, so that their own code is reached by asking.
    if (!probed->is_confined) {
      probed->takes_any_attributes = false;
      print_unresolved(&unresolved, stage, "not probed: the system has no seccomp to confine it");
      continue;
    }
    status = tn__probe_handler(stages[stage], stage, TN_PROBE_TIMEOUT_MS, &probe);
    if (status) break;
    asked_for |= probe->context;
    // A stage whose body was reached binds no attributes: nothing is unresolved.
    if (!probe->is_entered) print_unresolved(&unresolved, stage, probe->unresolved);
    if (probe->is_entered) probe->attrs_answer = TN_PROBE_ANY;
    print_stage(&texts, stage, probe);
    if (probe->attrs_answer != TN_PROBE_ANY) probed->takes_any_attributes = false;
    tn__probe_free(probe);
  }
  print_services(&services, asked_for);
  if (!status) status = copy(&found->arena, texts.text, &probed->stages);
  if (!status) status = copy(&found->arena, services.text, &probed->required_services);
  if (!status) status = copy(&found->arena, unresolved.text, &probed->unresolved);
  return status;
}

static void destroy(tn_probed_t* probed) {
  found_t* found = (found_t*)(void*)probed;
  tn__arena_deinit(&found->arena);
  tn__free(tn_allocator_system(), found, sizeof *found);
}

static tn_status_t find_out(const tn_ffi_bundle_t* bundle, tn_probed_t** out_probed) {
  void* memory = NULL;
  *out_probed = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(tn_allocator_system(), sizeof(found_t), &memory));
  found_t* found = memory;
  found->probed.destroy = destroy;
  tn__arena_init(&found->arena, tn_allocator_system());
  tn_status_t status = ask_stages(found, bundle);
  if (status) {
    destroy(&found->probed);
    return status;
  }
  *out_probed = &found->probed;
  return TN_OK;
}

// --- public functions

// Whether it can be asked: it is registered as a handler, or as any function and answers like one.
static tn_status_t check_handler(const tn_target_t* target) {
  bool is_handler = target->versions == TN_TARGET_TYPED;
  if (!is_handler && target->versions & TN_TARGET_TYPED) {
    TN_RETURN_IF_ERROR(tn__scan_function(target->bundle.execute, &is_handler));
  }
  if (is_handler) return TN_OK;
  return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                          "it is registered for %s%s; only handlers of api version 4 can be "
                          "probed",
                          tn__versions_text(target->versions),
                          target->versions & TN_TARGET_TYPED ? ", and is not a handler" : "");
}

static tn_status_t probe_target(tn_context_t* context, const tn_target_t* target) {
  tn_probed_t* probed = NULL;
  if (target->op || target->probed) return TN_OK;
  if (target->unusable_reason) return tn__target_unusable_reason(target);
  TN_RETURN_IF_ERROR(check_handler(target));
  TN_RETURN_IF_ERROR(find_out(&target->bundle, &probed));
  return tn__registry_set_probed(context, target, probed);
}

tn_status_t tn_target_probe(tn_context_t* context, const char* name, const char* platform) {
  TN_RETURN_IF_NULL(name);
  TN_RETURN_IF_NULL(platform);
  const char* known = tn__platform_name(tn__sv(platform));
  if (known) platform = known;
  const tn_op_t* op = tn__registry_find(context, tn__sv(name));
  const tn_target_t* target = tn__op_target(op, platform);
  tn_status_t status = target ? tn_status_prefix(probe_target(context, target), "custom call @%s",
                                                 TN_NAME_TEXT(target->name))
                              : tn__registry_miss(context, tn__sv(name), platform);
  tn__op_release(op);
  return status;
}
