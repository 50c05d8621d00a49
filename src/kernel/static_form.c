// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/static_form.h"

#include "kernel/common/index.h"

static const tn_static_form_t forms[] = {
    {TN__OP(dynamic_iota), TN__OP(iota), 0, {NULL}},
    {TN__OP(dynamic_broadcast_in_dim), TN__OP(broadcast_in_dim), 1, {NULL}},
    {TN__OP(dynamic_reshape), TN__OP(reshape), 1, {NULL}},
    {TN__OP(dynamic_gather), TN__OP(gather), 2, {"slice_sizes"}},
    {TN__OP(dynamic_pad),
     TN__OP(pad),
     2,
     {"edge_padding_low", "edge_padding_high", "interior_padding"}},
    {TN__OP(dynamic_conv), TN__OP(convolution), 2, {"padding"}},
    {TN__OP(real_dynamic_slice), TN__OP(slice), 1, {"start_indices", "limit_indices", "strides"}},
    {TN__OP(set_dimension_size), TN__OP(slice), 1, {"limit_indices"}},
};

const tn_static_form_t* tn__static_form_of(const tn_op_t* op) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    if (forms[i].dynamic == op) return &forms[i];
  }
  return NULL;
}

tn_status_t tn__static_form_read(tn_arena_t* arena, const tn_type_t* type, const void* data,
                                 bool splat, const int64_t** out_values) {
  const size_t count = (size_t)tn__type_size(type), size = tn_dtype_byte_size(type->dtype);
  *out_values = NULL;
  int64_t* values = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, count, &values));
  for (size_t i = 0; i < count; ++i) {
    values[i] = tn__index_load(type->dtype, (const char*)data + (splat ? 0 : i * size));
  }
  *out_values = values;
  return TN_OK;
}

typedef struct attrs {
  size_t count;
  tn_named_attr_t* entries;
} attrs_t;

static void add(attrs_t* attrs, const char* name, const tn_attr_t* attr) {
  attrs->entries[attrs->count++] = (tn_named_attr_t){tn__sv(name), attr};
}

static tn_status_t add_list(attrs_t* attrs, tn_arena_t* arena, const char* name, size_t count,
                            const int64_t* values) {
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__attr_i64_array(arena, count, values, &attr));
  add(attrs, name, attr);
  return TN_OK;
}

// set_dimension_size to a size that the result's type states: the first so many along `dimension`.
static tn_status_t add_prefix(attrs_t* attrs, tn_arena_t* arena, const tn_op_use_t* use,
                              int64_t size) {
  const tn_type_t* operand = use->operand_types[0];
  int64_t starts[TN_MAX_RANK] = {0}, limits[TN_MAX_RANK], strides[TN_MAX_RANK];
  for (size_t i = 0; i < operand->rank; ++i) {
    limits[i] = operand->dims[i];
    strides[i] = 1;
  }
  limits[tn__attr_get_integer(&use->attrs, "dimension", 0)] = size;
  TN_RETURN_IF_ERROR(add_list(attrs, arena, "start_indices", operand->rank, starts));
  TN_RETURN_IF_ERROR(add_list(attrs, arena, "limit_indices", operand->rank, limits));
  return add_list(attrs, arena, "strides", operand->rank, strides);
}

static tn_status_t check_shape(const tn_op_use_t* use, const int64_t* values) {
  const tn_type_t* result = use->result_types[0];
  for (size_t i = 0; i < result->rank; ++i) {
    if (values[i] == result->dims[i]) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "%s: the shape operand has %lld for dimension %zu; expected %lld, as "
                            "in the result's type %s",
                            tn__op_short_name(use->op), (long long)values[i], i,
                            (long long)result->dims[i], TN_TYPE_TEXT(result));
  }
  return TN_OK;
}

static tn_status_t add_operand(attrs_t* attrs, tn_arena_t* arena, const char* name,
                               const tn_type_t* type, const int64_t* values) {
  if (type->rank == 1) {
    return add_list(attrs, arena, name, (size_t)tn__type_size(type), values);
  }
  const tn_type_t* wide = NULL;
  const tn_attr_t* attr = NULL;
  TN_RETURN_IF_ERROR(tn__type_tensor(arena, TN_DTYPE_S64, type->rank, type->dims, &wide));
  TN_RETURN_IF_ERROR(tn__attr_elements(arena, wide, false, values, &attr));
  add(attrs, name, attr);
  return TN_OK;
}

// Attributes that the static form does not know describe operands that it does not have.
static void add_shared(attrs_t* attrs, const tn_static_form_t* form, const tn_op_use_t* use) {
  for (const tn_attr_spec_t* spec = form->fixed->attrs; spec && spec->name; ++spec) {
    const tn_attr_t* attr = tn__attr_find(&use->attrs, spec->name);
    if (attr) add(attrs, spec->name, attr);
  }
}

static size_t attr_capacity(const tn_op_t* op) {
  size_t count = 0;
  while (op->attrs && op->attrs[count].name) ++count;
  return count;
}

tn_status_t tn__static_form_use(const tn_static_form_t* form, const tn_op_use_t* use,
                                const int64_t* const* values, tn_arena_t* arena,
                                tn_op_use_t* out_use) {
  attrs_t attrs = {0};
  const tn_attr_t* dictionary = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, attr_capacity(form->fixed), &attrs.entries));
  add_shared(&attrs, form, use);
  if (use->op == TN__OP(set_dimension_size)) {
    TN_RETURN_IF_ERROR(add_prefix(&attrs, arena, use, values[0][0]));
  } else if (!form->attrs[0]) {
    TN_RETURN_IF_ERROR(check_shape(use, values[0]));
  } else {
    for (size_t i = form->data_count; i < use->operand_count; ++i) {
      const size_t number = i - form->data_count;
      TN_RETURN_IF_ERROR(
          add_operand(&attrs, arena, form->attrs[number], use->operand_types[i], values[number]));
    }
  }
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                                         attrs.count, attrs.entries, &dictionary));
  *out_use = (tn_op_use_t){
      .op = form->fixed,
      .operand_count = form->data_count,
      .operand_types = use->operand_types,
      .result_count = use->result_count,
      .result_types = use->result_types,
      .attrs = dictionary->dictionary,
      .arena = arena,
  };
  tn_status_t status = tn__op_check(out_use);
  return status ? tn_status_prefix(status, "%s", tn__op_short_name(use->op)) : TN_OK;
}
