// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/fitted.h"

#include <math.h>

#include "base/float_format.h"
#include "call/check.h"
#include "call/signature.h"

tn_fitted_t* tn__fitted_retain(tn_fitted_t* fitted) {
  if (fitted) atomic_fetch_add_explicit(&fitted->references, 1, memory_order_relaxed);
  return fitted;
}

void tn__fitted_release(tn_fitted_t* fitted) {
  if (!fitted || atomic_fetch_sub(&fitted->references, 1) != 1) return;
  tn__arena_deinit(&fitted->arena);
  tn__free(tn_allocator_system(), fitted, sizeof *fitted);
}

// --- fitting

static const tn_ffi_param_t* find_attribute(const tn_ffi_op_t* op, const char* name) {
  for (size_t i = 0; op && i < op->param_count; ++i) {
    const tn_ffi_param_t* param = tn__op_param(op, i);
    if (param->kind == TN_FFI_PARAM_ATTR && strcmp(param->name, name) == 0) return param;
  }
  return NULL;
}

static bool holds(tn_dtype_t dtype, int64_t integer) {
  uint64_t element = 0;
  tn__float_store(dtype, (double)integer, &element);
  const double stored = tn__float_load(dtype, &element);
  // 2^63 is the first that is beyond; comparing it as a double is exact.
  return stored >= -0x1p63 && stored < 0x1p63 && (int64_t)stored == integer;
}

// Numbers of callers in C have the width that was declared: floats are rounded to it, integers are
// kept.
static tn_status_t as_declared(const tn_attribute_t* given, const tn_ffi_param_t* param,
                               tn_attribute_t* out) {
  *out = *given;
  if (!param || param->attr_type != TN_FFI_SCALAR) return TN_OK;
  const tn_dtype_t dtype = tn__dtypes_only(param->dtypes);
  const tn_kind_t kind = tn_dtype_kind(dtype);
  if (kind == TN_KIND_FLOAT && given->kind == TN_ATTRIBUTE_INTEGER) {
    if (!holds(dtype, given->integer)) {
      return tn_status_create(
          TN_CODE_INVALID_ARGUMENT,
          "attribute \"%s\": expected a value that %s represents exactly; found "
          "the integer %lld",
          given->name, tn_dtype_name(dtype), (long long)given->integer);
    }
    out->kind = TN_ATTRIBUTE_FLOAT;
    out->real = (double)given->integer;
  }
  const bool fits = kind == TN_KIND_FLOAT
                        ? out->kind == TN_ATTRIBUTE_FLOAT
                        : kind & TN_KIND_INTEGER && out->kind == TN_ATTRIBUTE_INTEGER;
  if (fits) out->dtype = dtype;
  return TN_OK;
}

static tn_status_t check_given(size_t count, const tn_attribute_t* given) {
  if (count && !given) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "the list of attributes is NULL");
  }
  for (size_t i = 0; i < count; ++i) {
    if (given[i].name) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute %zu has no name", i);
  }
  return TN_OK;
}

static tn_status_t check_untyped(size_t count, const tn_attribute_t* given, int32_t version) {
  const bool takes_opaque = version == TN_API_VERSION_STATUS_RETURNING_UNIFIED;
  for (size_t i = 0; i < count; ++i) {
    const bool is_opaque =
        strcmp(given[i].name, TN_OPAQUE) == 0 && given[i].kind == TN_ATTRIBUTE_STRING;
    if (is_opaque && takes_opaque) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "an untyped function has no attribute \"%s\"; expected %s",
                            given[i].name, takes_opaque ? "at most \"opaque\", a string" : "none");
  }
  return TN_OK;
}

// By the check that compiling makes; without a signature as they are.
static tn_status_t fit(tn_fitted_t* fitted, const tn_op_t* op, size_t count,
                       const tn_attribute_t* given) {
  const int32_t version = tn__op_call_version(op, count);
  const bool is_typed = version == TN_API_VERSION_TYPED_FFI;
  const tn_ffi_op_t* signature = is_typed && fitted->target ? fitted->target->op : NULL;
  tn_attribute_t *attributes = NULL, *list = NULL;
  const tn_attr_t* dictionary = NULL;
  bool is_complete = true;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&fitted->arena, count, &attributes));
  for (size_t i = 0; i < count; ++i) {
    const tn_ffi_param_t* param = find_attribute(signature, given[i].name);
    TN_RETURN_IF_ERROR(as_declared(&given[i], param, &attributes[i]));
    TN_RETURN_IF_ERROR(tn__attribute_check(&attributes[i]));
  }
  if (!is_typed) TN_RETURN_IF_ERROR(check_untyped(count, attributes, version));
  TN_RETURN_IF_ERROR(tn__attribute_dictionary(count, attributes, &fitted->arena, &dictionary));
  fitted->dictionary = dictionary->dictionary;
  if (signature) {
    TN_RETURN_IF_ERROR(tn__call_fit_attributes(signature, false, &dictionary->dictionary,
                                               &fitted->arena, &fitted->dictionary));
  }
  TN_RETURN_IF_ERROR(tn__attribute_list(&fitted->dictionary, &fitted->arena, &list, &is_complete));
  fitted->list = list;
  return TN_OK;
}

// --- the latest

// Numbers and texts are soon compared.
static bool is_simple(const tn_attribute_t* attribute) {
  enum { LONGEST = 64 };
  const tn_attribute_kind_t kind = attribute->kind;
  return kind == TN_ATTRIBUTE_BOOL || kind == TN_ATTRIBUTE_INTEGER || kind == TN_ATTRIBUTE_FLOAT ||
         (kind == TN_ATTRIBUTE_STRING && attribute->count <= LONGEST);
}

static bool is_same(const tn_attribute_t* a, const tn_attribute_t* b) {
  if (a->kind != b->kind || strcmp(a->name, b->name) != 0) return false;
  if (a->kind == TN_ATTRIBUTE_STRING) {
    return a->count == b->count && (!a->count || memcmp(a->data, b->data, a->count) == 0);
  }
  if (a->kind == TN_ATTRIBUTE_BOOL) return a->integer == b->integer;
  if (a->dtype != b->dtype) return false;
  if (a->kind == TN_ATTRIBUTE_INTEGER) return a->integer == b->integer;
  return a->real == b->real && signbit(a->real) == signbit(b->real);  // NaN is not worth it
}

static bool is_made_of(const tn_fitted_t* fitted, const tn_target_t* target, size_t count,
                       const tn_attribute_t* given) {
  if (fitted->target != target || fitted->given_count != count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!is_simple(&given[i]) || !is_same(&given[i], &fitted->given[i])) return false;
  }
  return true;
}

static tn_status_t keep_given(tn_fitted_t* fitted, size_t count, const tn_attribute_t* given) {
  tn_attribute_t* copies = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_COPY(&fitted->arena, count, given, &copies));
  for (size_t i = 0; i < count; ++i) {
    tn_string_view_t text;
    TN_RETURN_IF_ERROR(tn__arena_copy_string(&fitted->arena, tn__sv(given[i].name), &text));
    copies[i].name = text.data;
    if (given[i].kind != TN_ATTRIBUTE_STRING) continue;
    text = (tn_string_view_t){given[i].data, given[i].count};
    TN_RETURN_IF_ERROR(tn__arena_copy_string(&fitted->arena, text, &text));
    copies[i].data = text.data;
  }
  fitted->given = copies;
  fitted->given_count = count;
  return TN_OK;
}

static tn_status_t create(const tn_op_t* op, const tn_target_t* target, size_t count,
                          const tn_attribute_t* given, tn_fitted_t** out_fitted) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(tn_allocator_system(), sizeof(tn_fitted_t), &memory));
  tn_fitted_t* fitted = memory;
  bool are_simple = true;
  atomic_init(&fitted->references, 1);
  fitted->target = target;
  tn__arena_init(&fitted->arena, tn_allocator_system());
  tn_status_t status = fit(fitted, op, count, given);
  for (size_t i = 0; i < count && !status && are_simple; ++i) are_simple = is_simple(&given[i]);
  if (!status && are_simple) status = keep_given(fitted, count, given);
  if (status) {
    tn__fitted_release(fitted);
    return status;
  }
  *out_fitted = fitted;
  return TN_OK;
}

tn_status_t tn__op_fit(const tn_op_t* op, const tn_target_t* target, size_t count,
                       const tn_attribute_t* given, tn_fitted_t** out_fitted) {
  tn_fitted_slot_t* slot = tn__op_fitted_slot(op);
  // Who takes the latest puts it back, or what is newer.
  tn_fitted_t* latest = slot ? atomic_exchange(slot, NULL) : NULL;
  *out_fitted = NULL;
  tn_status_t status = check_given(count, given);
  if (!status && latest && is_made_of(latest, target, count, given)) {
    *out_fitted = tn__fitted_retain(latest);
  } else if (!status) {
    status = create(op, target, count, given, out_fitted);
    if (slot && !status && (*out_fitted)->given) {
      tn__fitted_release(latest);
      latest = tn__fitted_retain(*out_fitted);
    }
  }
  if (latest) tn__fitted_release(atomic_exchange(slot, latest));
  return status;
}
