// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/site.h"

#include "call/attributes.h"

typedef struct leaf_list {
  const tn_type_t** types;
  size_t count;
} leaf_list_t;

static void add_leaf(void* user, const tn_type_t* leaf) {
  leaf_list_t* list = user;
  list->types[list->count++] = leaf;
}

static tn_status_t flatten(tn_arena_t* arena, size_t count, const tn_type_t* const* types,
                           const tn_type_t*** out_types, size_t* out_count) {
  size_t leaf_count = 0;
  for (size_t i = 0; i < count; ++i) leaf_count += tn_type_leaf_count(types[i]);
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(arena, leaf_count, sizeof(tn_type_t*), &memory));
  leaf_list_t list = {memory, 0};
  for (size_t i = 0; i < count; ++i) tn__type_for_each_leaf(types[i], add_leaf, &list);
  *out_types = list.types;
  *out_count = list.count;
  return TN_OK;
}

// JAX writes typed calls as version 1 with the dictionary beside an empty string.
static const tn_attr_t* dictionary_beside(const tn_op_use_t* use) {
  const tn_attr_t* beside = tn__attr_find(&use->attrs, "mhlo.backend_config");
  return beside && beside->kind == TN_ATTR_DICTIONARY ? beside : NULL;
}

int32_t tn__call_version(const tn_op_use_t* use) {
  const int32_t version = (int32_t)tn__attr_get_integer(&use->attrs, "api_version", 1);
  return dictionary_beside(use) ? 4 : version ? version : 1;
}

// Which kind of call it is, and its configuration.
static tn_status_t read_config(const tn_op_use_t* use, tn_call_site_t* call) {
  const tn_attr_t* beside = dictionary_beside(use);
  const tn_attr_t* config = beside ? beside : tn__attr_find(&use->attrs, "backend_config");
  call->version = tn__call_version(use);
  if (config && config->kind == TN_ATTR_STRING) call->opaque = config->string;
  if (config && config->kind == TN_ATTR_DICTIONARY) call->attrs = config->dictionary;
  if (call->version == 4 && call->opaque.length) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "backend_config is a string; a typed call takes a dictionary");
  }
  return TN_OK;
}

tn_status_t tn__call_site_read(tn_kernel_site_t* site, tn_call_site_t* out_call) {
  const tn_op_use_t* use = site->use;
  *out_call = (tn_call_site_t){.site = site};
  out_call->name = tn__attr_get_string(&use->attrs, "call_target_name");
  tn_status_t status = read_config(use, out_call);
  if (!status) {
    status = flatten(site->arena, use->operand_count, use->operand_types, &out_call->operands,
                     &out_call->operand_count);
  }
  if (!status) {
    status = flatten(site->arena, use->result_count, use->result_types, &out_call->results,
                     &out_call->result_count);
  }
  return tn_status_prefix(status, "custom call @%s", TN_NAME_TEXT(out_call->name));
}

tn_status_t tn__call_attributes_build(const tn_call_site_t* call, const tn_attr_dictionary_t* attrs,
                                      tn_ffi_attrs_t* out) {
  tn_call_cache_t* calls = call->site->calls;
  return tn__attributes_build(call->site->arena, calls ? &calls->attributes : NULL, attrs, out);
}
