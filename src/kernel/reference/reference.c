// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/reference/reference.h"

#include "kernel/reference/scalar.h"

tn_status_t tn__reference_prepare(tn_kernel_site_t* site) {
  tn_reference_use_t* state = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(site->arena, &state));
  *state = (tn_reference_use_t){.use = site->use, .bodies = site->bodies};
  site->state = state;
  return TN_OK;
}

tn_status_t tn__reference_prepare_strict(tn_kernel_site_t* site) {
  TN_RETURN_IF_ERROR(tn__reference_prepare(site));
  ((tn_reference_use_t*)site->state)->is_strict = true;
  return TN_OK;
}

// --- attributes

tn_status_t tn__reference_list(const tn_attr_dictionary_t* attrs, const char* name, size_t count,
                               int64_t fallback, tn_reference_list_t* out_list) {
  tn_i64_list_t list;
  tn_arena_t arena;
  tn__arena_init(&arena, tn_allocator_system());
  tn_status_t status = tn__attr_get_i64_list(attrs, name, &arena, &list);
  out_list->count = status ? 0 : list.present ? list.count : count;
  if (!status && out_list->count > 2 * TN_MAX_RANK) {
    status = tn_status_create(TN_CODE_INTERNAL, "%s has %zu entries", name, out_list->count);
    out_list->count = 0;
  }
  for (size_t i = 0; i < out_list->count; ++i) {
    out_list->values[i] = list.present ? list.values[i] : fallback;
  }
  tn__arena_deinit(&arena);
  return status;
}

const tn_attr_dictionary_t* tn__reference_struct(const tn_op_use_t* use, const char* name) {
  static const tn_attr_dictionary_t none;
  const tn_attr_t* attr = tn__attr_find(&use->attrs, name);
  return attr && attr->kind == TN_ATTR_STRUCT ? &attr->dictionary : &none;
}

int tn__reference_enum(const tn_attr_dictionary_t* attrs, const char* name, const char* enumeration,
                       int fallback) {
  const tn_attr_t* attr = tn__attr_find(attrs, name);
  return attr && attr->kind == TN_ATTR_ENUM ? tn__enum_value(enumeration, attr->string) : fallback;
}

int64_t tn__reference_index_in(const tn_reference_list_t* list, int64_t value) {
  for (size_t i = 0; i < list->count; ++i) {
    if (list->values[i] == value) return (int64_t)i;
  }
  return -1;
}

// --- indices

void tn__reference_split(size_t rank, const int64_t* dims, int64_t index,
                         int64_t* out_coordinates) {
  for (size_t d = rank; d-- > 0;) {
    out_coordinates[d] = index % dims[d];
    index /= dims[d];
  }
}

int64_t tn__reference_join(size_t rank, const int64_t* dims, const int64_t* coordinates) {
  int64_t index = 0;
  for (size_t d = 0; d < rank; ++d) {
    if (coordinates[d] < 0 || coordinates[d] >= dims[d]) return -1;
    index = index * dims[d] + coordinates[d];
  }
  return index;
}

// --- bodies

static const tn_region_signature_t* signature_of(const tn_kernel_call_t* call, size_t region) {
  return &tn__reference_use(call)->regions[region];
}

tn_dtype_t tn__reference_body_dtype(const tn_kernel_call_t* call, size_t region, size_t index) {
  return signature_of(call, region)->argument_types[index]->dtype;
}

tn_status_t tn__reference_run_body(const tn_kernel_call_t* call, size_t region,
                                   size_t argument_count, const tn_number_t* arguments,
                                   size_t result_count, tn_number_t* out_results) {
  const tn_region_signature_t* signature = signature_of(call, region);
  const tn_body_t* body = &call->bodies[region];
  for (size_t i = 0; i < argument_count; ++i) {
    tn__number_store(signature->argument_types[i]->dtype, arguments[i], body->arguments[i]);
  }
  TN_RETURN_IF_ERROR(body->run(body));
  for (size_t i = 0; i < result_count; ++i) {
    out_results[i] = tn__number_load(signature->result_types[i]->dtype, body->results[i]);
  }
  return TN_OK;
}

tn_status_t tn__reference_fold(const tn_kernel_call_t* call, size_t region, size_t count,
                               tn_number_t* accumulated, const tn_number_t* elements) {
  const tn_op_t* binary = ((const tn_reference_use_t*)call->state)->bodies[region].binary;
  const tn_dtype_t dtype = tn__reference_body_dtype(call, region, 0);
  const tn_scalar_fn known = binary ? tn__scalar_find(binary, dtype) : NULL;
  tn_number_t arguments[2 * TN_REFERENCE_FOLDED];
  if (known) {
    const tn_number_t operands[] = {accumulated[0], elements[0]};
    accumulated[0] = known(operands, tn_dtype_bit_width(dtype));
    if (((const tn_reference_use_t*)call->state)->is_strict) {
      uint64_t element[2];
      tn__number_store(dtype, accumulated[0], element);
      accumulated[0] = tn__number_load(dtype, element);
    }
    return TN_OK;
  }
  memcpy(arguments, accumulated, count * sizeof *arguments);
  memcpy(arguments + count, elements, count * sizeof *arguments);
  return tn__reference_run_body(call, region, 2 * count, arguments, count, accumulated);
}
