// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "inspect/probe.h"

#include <stdio.h>
#include <string.h>

#include "base/allocator.h"
#include "inspect/child.h"

typedef struct request {
  tn_ffi_handler_t handler;
  int32_t stage;
  tn_probe_t* probe;  // shared with the child
} request_t;

static void ask(void* user, tn_confinement_t confinement) {
  const request_t* request = user;
  request->probe->confinement = confinement;
  tn__probe_ask(request->handler, request->stage, request->probe);
  request->probe->is_over = true;
}

// --- what the child left, which code of others may have written over

static bool is_answer(tn_probe_answer_t answer) {
  return answer == TN_PROBE_UNKNOWN || answer == TN_PROBE_ANY || answer == TN_PROBE_KNOWN;
}

static bool is_list_sound(const tn_probe_values_t* list) {
  if (!is_answer(list->answer) || list->required < 0 || list->optional < 0 ||
      list->required > TN_PROBE_VALUE_LIMIT ||
      list->optional > TN_PROBE_VALUE_LIMIT - list->required) {
    return false;
  }
  for (int32_t i = 0; i < list->required + list->optional; ++i) {
    const tn_probe_value_t* value = &list->values[i];
    if (!is_answer(value->dtype_answer) || !is_answer(value->rank_answer)) return false;
    if (value->dtype < 0 || value->dtype >= 64 || value->rank < 0) return false;
  }
  return true;
}

static bool is_attr_sound(const tn_probe_attr_t* attr, int32_t field_count) {
  return is_answer(attr->answer) && attr->name_length >= 0 &&
         attr->name_length < TN_PROBE_NAME_LIMIT &&
         strnlen(attr->name, TN_PROBE_NAME_LIMIT) == (size_t)attr->name_length && attr->type >= 0 &&
         attr->type <= TN_FFI_STRING && attr->first_field >= 0 && attr->field_count >= 0 &&
         attr->first_field <= field_count && attr->field_count <= field_count - attr->first_field;
}

bool tn__probe_is_sound(const tn_probe_t* probe) {
  if (!is_list_sound(&probe->lists[0]) || !is_list_sound(&probe->lists[1]) ||
      !is_answer(probe->attrs_answer) || probe->attr_count < 0 ||
      probe->attr_count > TN_PROBE_ATTR_LIMIT || probe->field_count < 0 ||
      probe->field_count > TN_PROBE_FIELD_LIMIT) {
    return false;
  }
  for (int32_t i = 0; i < probe->attr_count; ++i) {
    if (!is_attr_sound(&probe->attrs[i], probe->field_count)) return false;
  }
  // Fields have no fields of their own.
  for (int32_t i = 0; i < probe->field_count; ++i) {
    if (!is_attr_sound(&probe->fields[i], 0)) return false;
  }
  return strnlen(probe->unresolved, sizeof probe->unresolved) < sizeof probe->unresolved;
}

static void settle(const tn_probe_t* left, const tn_child_end_t* end, tn_probe_t* out) {
  *out = *left;
  out->question[sizeof out->question - 1] = 0;
  if (!tn__probe_is_sound(out)) {
    tn_confinement_t confinement = out->confinement;
    memset(out, 0, sizeof *out);
    out->confinement = confinement == TN_CONFINED_BY_SECCOMP ? confinement : TN_CONFINED_BY_LIMITS;
    snprintf(out->unresolved, sizeof out->unresolved, "it overwrote the results of the probe");
  } else if (!out->is_over) {
    snprintf(out->unresolved, sizeof out->unresolved, "%s, in the probe call for %s",
             tn__child_end_text(end).text, out->question[0] ? out->question : "the frame check");
  }
}

tn_status_t tn__probe_handler(tn_ffi_handler_t handler, int32_t stage, int64_t timeout_ms,
                              tn_probe_t** out_probe) {
  void *memory = NULL, *shared = NULL;
  *out_probe = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(tn_allocator_system(), sizeof(tn_probe_t), &memory));
  tn_status_t status = tn__child_share(sizeof(tn_probe_t), &shared);
  request_t request = {handler, stage, shared};
  tn_child_end_t end;
  if (!status) status = tn__child_run(ask, &request, timeout_ms, &end);
  if (!status) {
    settle(shared, &end, memory);
    *out_probe = memory;
    memory = NULL;
  }
  tn__child_unshare(shared, sizeof(tn_probe_t));
  tn__probe_free(memory);
  return status;
}

void tn__probe_free(tn_probe_t* probe) {
  if (probe) tn__free(tn_allocator_system(), probe, sizeof *probe);
}
