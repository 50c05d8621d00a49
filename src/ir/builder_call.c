// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Custom calls of <tenon/builder.h>: options become the attributes that StableHLO has for them, and
// tenon.* ones for what it has not (literal, schedule).
#include "base/options.h"
#include "ir/builder.h"

enum { ATTR_LIMIT = 16 };

typedef struct attr_list {
  tn_builder_t* builder;
  tn_arena_t* arena;
  size_t count;
  tn_named_attr_t attrs[ATTR_LIMIT];
} attr_list_t;

static void put(attr_list_t* list, const char* name, const tn_attr_t* attr) {
  list->attrs[list->count++] = (tn_named_attr_t){tn__sv(name), attr};
}

static tn_status_t put_text(attr_list_t* list, const char* name, tn_attr_kind_t kind,
                            tn_string_view_t text) {
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__attr_text(list->arena, kind, text, &attr));
  put(list, name, attr);
  return TN_OK;
}

static tn_status_t put_dictionary(attr_list_t* list, const char* name, size_t count,
                                  const tn_attribute_t* attributes) {
  tn_attribute_t dictionary = {
      .name = name, .kind = TN_ATTRIBUTE_DICTIONARY, .count = count, .entries = attributes};
  tn_named_attr_t attr = tn__builder_attr(list->builder, &dictionary);
  if (attr.attr) put(list, name, attr.attr);
  return TN_OK;  // a failure is in the builder
}

static tn_status_t i64_list(tn_arena_t* arena, size_t count, const int64_t* values,
                            const char* name, tn_named_attr_t* out) {
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__attr_i64_array(arena, count, values, &attr));
  *out = (tn_named_attr_t){tn__sv(name), attr};
  return TN_OK;
}

static tn_status_t put_aliases(attr_list_t* list, const tn_custom_call_options_t* options) {
  const tn_attr_t* attr = NULL;
  const tn_attr_t** items = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(list->arena, options->alias_count, &items));
  for (size_t i = 0; i < options->alias_count; ++i) {
    const tn_output_operand_alias_t* alias = &options->aliases[i];
    if ((alias->output_path_length && !alias->output_path) ||
        (alias->operand_path_length && !alias->operand_path)) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "custom_call: a path of alias %zu is NULL",
                              i);
    }
    tn_named_attr_t fields[3];
    TN_RETURN_IF_ERROR(tn__attr_integer(list->arena, TN_DTYPE_S64, alias->operand, &attr));
    fields[0] = (tn_named_attr_t){TN_SV_LITERAL("operand_index"), attr};
    TN_RETURN_IF_ERROR(i64_list(list->arena, alias->output_path_length, alias->output_path,
                                "output_tuple_indices", &fields[1]));
    TN_RETURN_IF_ERROR(i64_list(list->arena, alias->operand_path_length, alias->operand_path,
                                "operand_tuple_indices", &fields[2]));
    TN_RETURN_IF_ERROR(tn__attr_dictionary(
        list->arena, TN_ATTR_STRUCT, TN_SV_LITERAL("output_operand_alias"), 3, fields, &items[i]));
  }
  TN_RETURN_IF_ERROR(tn__attr_array(list->arena, options->alias_count, items, &attr));
  put(list, "output_operand_aliases", attr);
  return TN_OK;
}

// dense<[1, 0]> : tensor<2xindex>
static tn_status_t make_layout(tn_arena_t* arena, const tn_type_t* type, const int64_t* layout,
                               const tn_attr_t** out_attr) {
  const tn_type_t* list_type = NULL;
  int64_t row_major[TN_MAX_RANK], rank = (int64_t)type->rank;
  for (int64_t i = 0; i < rank; ++i) row_major[i] = rank - 1 - i;
  if (!layout) layout = row_major;
  TN_RETURN_IF_ERROR(tn__type_tensor(arena, TN_DTYPE_INDEX, 1, &rank, &list_type));
  return tn__attr_elements(arena, list_type, rank == 1, layout, out_attr);
}

typedef struct layout_maker {
  tn_arena_t* arena;
  const int64_t* const* layouts;
  const tn_attr_t** items;
  size_t count;
  tn_status_t status;
} layout_maker_t;

static void add_layout(void* user, const tn_type_t* leaf) {
  layout_maker_t* maker = user;
  if (maker->status) return;
  size_t i = maker->count++;
  maker->status = make_layout(maker->arena, leaf, maker->layouts[i], &maker->items[i]);
}

static tn_status_t put_layouts(attr_list_t* list, const char* name, size_t type_count,
                               const tn_type_t* const* types, const int64_t* const* layouts) {
  size_t count = 0;
  void* memory = NULL;
  for (size_t i = 0; i < type_count; ++i) count += tn_type_leaf_count(types[i]);
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(list->arena, count, sizeof(tn_attr_t*), &memory));
  layout_maker_t maker = {list->arena, layouts, memory, 0, TN_OK};
  for (size_t i = 0; i < type_count; ++i) tn__type_for_each_leaf(types[i], add_layout, &maker);
  TN_RETURN_IF_ERROR(maker.status);
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__attr_array(list->arena, count, maker.items, &attr));
  put(list, name, attr);
  return TN_OK;
}

static tn_status_t put_computations(attr_list_t* list, const tn_custom_call_options_t* options) {
  const tn_attr_t* attr = NULL;
  const tn_attr_t** items = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(list->arena, options->called_computation_count, &items));
  for (size_t i = 0; i < options->called_computation_count; ++i) {
    if (!options->called_computations[i]) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "custom_call: the name of called computation %zu is NULL", i);
    }
    TN_RETURN_IF_ERROR(tn__attr_text(list->arena, TN_ATTR_SYMBOL,
                                     tn__sv(options->called_computations[i]), &items[i]));
  }
  TN_RETURN_IF_ERROR(tn__attr_array(list->arena, options->called_computation_count, items, &attr));
  put(list, "called_computations", attr);
  return TN_OK;
}

static tn_status_t put_schedule(attr_list_t* list, tn_custom_call_schedule_t schedule) {
  static const char* const names[] = {"none", "latest", "earliest"};
  if ((unsigned)schedule >= sizeof names / sizeof *names) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "custom_call: %d is not a schedule",
                            (int)schedule);
  }
  return put_text(list, "tenon.schedule", TN_ATTR_STRING, tn__sv(names[schedule]));
}

static tn_status_t put_opaque(attr_list_t* list, const tn_custom_call_options_t* options) {
  if (options->opaque_length && !options->opaque) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "custom_call: the opaque string is NULL; expected %zu bytes",
                            options->opaque_length);
  }
  return put_text(list, "backend_config", TN_ATTR_STRING,
                  (tn_string_view_t){options->opaque, options->opaque_length});
}

// A typed call has a dictionary, the others a string.
static tn_status_t put_config(attr_list_t* list, const tn_custom_call_options_t* options) {
  if (options->api_version != TN_API_VERSION_TYPED_FFI) {
    if (options->attribute_count) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "custom_call: attributes need the api version TYPED_FFI; this one is "
                              "%d, whose configuration is the opaque string",
                              (int)options->api_version);
    }
    return put_opaque(list, options);
  }
  if (options->opaque_length && options->attribute_count) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "custom_call: a typed call has either attributes or an opaque string, "
                            "which says them in text");
  }
  if (options->opaque_length) return put_opaque(list, options);
  return put_dictionary(list, "backend_config", options->attribute_count, options->attributes);
}

static tn_status_t put_options(attr_list_t* list, const char* target,
                               const tn_custom_call_options_t* options, size_t operand_count,
                               const tn_type_t* const* operand_types,
                               const tn_type_t* const* result_type) {
  const tn_attr_t* attr = NULL;
  if ((unsigned)options->api_version > TN_API_VERSION_TYPED_FFI) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "custom_call: %d is not an api version",
                            (int)options->api_version);
  }
  TN_RETURN_IF_ERROR(put_text(list, "call_target_name", TN_ATTR_STRING, tn__sv(target)));
  int version = options->api_version ? (int)options->api_version : TN_API_VERSION_ORIGINAL;
  TN_RETURN_IF_ERROR(tn__attr_integer(list->arena, TN_DTYPE_S32, version, &attr));
  put(list, "api_version", attr);
  TN_RETURN_IF_ERROR(put_config(list, options));
  if (options->has_side_effect) {
    TN_RETURN_IF_ERROR(tn__attr_bool(list->arena, true, &attr));
    put(list, "has_side_effect", attr);
  }
  if (options->alias_count) TN_RETURN_IF_ERROR(put_aliases(list, options));
  if (options->called_computation_count) TN_RETURN_IF_ERROR(put_computations(list, options));
  if (!options->operand_layouts != !options->result_layouts) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "custom_call: operand and result layouts come together");
  }
  if (options->operand_layouts) {
    TN_RETURN_IF_ERROR(put_layouts(list, "operand_layouts", operand_count, operand_types,
                                   options->operand_layouts));
    TN_RETURN_IF_ERROR(
        put_layouts(list, "result_layouts", 1, result_type, options->result_layouts));
  }
  if (options->schedule) TN_RETURN_IF_ERROR(put_schedule(list, options->schedule));
  if (options->literal_type) {
    if (options->literal_type->kind != TN_TYPE_TENSOR || !options->literal_data) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "custom_call: a literal needs a tensor type and its elements");
    }
    const tn_type_t* type = NULL;
    TN_RETURN_IF_ERROR(tn__type_copy(list->arena, options->literal_type, &type));
    TN_RETURN_IF_ERROR(tn__attr_elements(list->arena, type, false, options->literal_data, &attr));
    put(list, "tenon.literal", attr);
  }
  return TN_OK;
}

tn_value_t* tn_builder_custom_call(tn_builder_t* builder, const char* target, size_t operand_count,
                                   tn_value_t* const* operands, const tn_type_t* result_type,
                                   const tn_custom_call_options_t* options) {
  tn_custom_call_options_t copy;
  tn_status_t status;
  if (!tn__builder_is_good(builder)) return NULL;
  options = TN_OPTIONS_READ(tn_custom_call_options_t, options, &copy, &status);
  if (!status && (!target || !*target || !result_type)) {
    status =
        tn_status_create(TN_CODE_INVALID_ARGUMENT, "custom_call: %s",
                         target && *target ? "the result type is NULL" : "the target has no name");
  }
  if (status) {
    tn__builder_fail(builder, status);
    return NULL;
  }
  result_type = tn__builder_type(builder, result_type);
  if (!result_type ||
      !tn__builder_has_list(builder, "custom_call", "list of operands", operand_count, operands) ||
      !tn__builder_has_list(builder, "custom_call", "list of aliases", options->alias_count,
                            options->aliases) ||
      !tn__builder_has_list(builder, "custom_call", "list of called computations",
                            options->called_computation_count, options->called_computations)) {
    return NULL;
  }
  attr_list_t list = {.builder = builder, .arena = tn__builder_arena(builder)};
  const tn_type_t** types = NULL;
  status = TN_ARENA_ARRAY(list.arena, operand_count, &types);
  for (size_t i = 0; !status && i < operand_count; ++i) {
    types[i] = tn__builder_operand_type(builder, "custom_call", operands[i], i);
    if (!types[i]) return NULL;
  }
  if (!status) status = put_options(&list, target, options, operand_count, types, &result_type);
  if (status) {
    tn__builder_fail(builder, status);
    return NULL;
  }
  tn_node_t* node = tn__builder_add(builder, "custom_call", operand_count, operands, list.count,
                                    list.attrs, 0, NULL, 1, &result_type);
  return node ? &node->results[0] : NULL;
}
