// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/check.h"

#include <stdio.h>

#include "base/float_format.h"
#include "base/type.h"
#include "call/attributes.h"
#include "call/line.h"
#include "call/signature.h"
#include "ops/rule.h"

typedef struct checker {
  const tn_ffi_op_t* op;
  bool is_probed;
  tn_arena_t* arena;
  size_t counts[3];  // by kind of parameter: leaves
  const tn_type_t* const* types[3];
} checker_t;

static const char* word(int32_t kind) {
  return kind == TN_FFI_PARAM_ARG ? "operand" : "result";
}

// --- operands and results

tn_status_t tn__call_check_count(const tn_ffi_op_t* op, int32_t kind, size_t found) {
  size_t minimum = 0, maximum = 0;
  bool has_rest = false;
  for (size_t i = 0; i < op->param_count; ++i) {
    const tn_ffi_param_t* param = tn__op_param(op, i);
    if (param->kind != kind) continue;
    const bool is_rest = param->flags & TN_FFI_PARAM_REMAINING;
    has_rest |= is_rest;
    maximum += !is_rest;
    minimum += !is_rest && !(param->flags & TN_FFI_PARAM_OPTIONAL);
  }
  return tn__op_check_count(word(kind), found, minimum, has_rest ? SIZE_MAX : maximum);
}

// The dtype that messages and sets speak of.
static tn_ffi_dtype_t dtype_of(const tn_type_t* type) {
  return type->kind == TN_TYPE_TOKEN ? TN_FFI_TOKEN : tn__ffi_dtype(type->dtype);
}

// Leaf of the parameter `name`, an operand or a result; NULL when it was left out.
static const tn_type_t* find_leaf(const checker_t* checker, const char* name) {
  size_t next[3] = {0};
  for (size_t i = 0; i < checker->op->param_count; ++i) {
    const tn_ffi_param_t* param = tn__op_param(checker->op, i);
    if (param->kind == TN_FFI_PARAM_ATTR) continue;
    size_t index = next[param->kind]++;
    if (strcmp(param->name, name) != 0) continue;
    return index < checker->counts[param->kind] ? checker->types[param->kind][index] : NULL;
  }
  return NULL;
}

static tn_status_t check_value(const checker_t* checker, const tn_ffi_param_t* param,
                               size_t index) {
  const tn_type_t* type = checker->types[param->kind][index];
  tn_ffi_dtype_t dtype = dtype_of(type);
  const char* what = NULL;
  char wanted[256] = "";
  const tn_type_t* shape = param->same_shape_as ? find_leaf(checker, param->same_shape_as) : NULL;
  const tn_type_t* element = param->same_dtype_as ? find_leaf(checker, param->same_dtype_as) : NULL;
  if (param->flags & TN_FFI_PARAM_LIKE && shape) element = shape;
  size_t rank = tn__type_is_tensor(type) ? type->rank : 0;
  if (!param->dtypes) return TN_OK;  // unresolved
  if (dtype >= 64 || !(param->dtypes >> dtype & 1)) {
    snprintf(wanted, sizeof wanted, "elements of %s", TN_DTYPES_TEXT(param->dtypes));
  } else if (param->rank >= 0 && (int64_t)rank != param->rank) {
    snprintf(wanted, sizeof wanted, "rank %lld", (long long)param->rank);
  } else if (element && dtype_of(element) != dtype) {
    what = element == shape ? param->same_shape_as : param->same_dtype_as;
    snprintf(wanted, sizeof wanted, "elements like those of %s, which has type %s", what,
             TN_TYPE_TEXT(element));
  } else if (shape && tn__type_is_tensor(shape) && tn__type_is_tensor(type) &&
             !tn__shapes_agree(shape, type)) {
    snprintf(wanted, sizeof wanted, "the shape of %s, which has type %s", param->same_shape_as,
             TN_TYPE_TEXT(shape));
  } else {
    return TN_OK;
  }
  bool is_named = *param->name;
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s %zu%s%s%s has type %s; expected %s",
                          word(param->kind), index, is_named ? " (" : "", param->name,
                          is_named ? ")" : "", TN_TYPE_TEXT(type), wanted);
}

static tn_status_t check_values(const checker_t* checker, int32_t kind) {
  TN_RETURN_IF_ERROR(tn__call_check_count(checker->op, kind, checker->counts[kind]));
  size_t next = 0;
  for (size_t i = 0; i < checker->op->param_count; ++i) {
    const tn_ffi_param_t* param = tn__op_param(checker->op, i);
    if (param->kind != kind) continue;
    size_t end = param->flags & TN_FFI_PARAM_REMAINING ? checker->counts[kind] : next + 1;
    for (; next < end && next < checker->counts[kind]; ++next) {
      TN_RETURN_IF_ERROR(check_value(checker, param, next));
    }
  }
  return TN_OK;
}

// --- attributes

// The number as an integer of `dtype`; false when that cannot hold it.
static bool integer_fits(const tn_attr_t* attr, tn_dtype_t dtype) {
  uint32_t bits = tn_dtype_bit_width(dtype);
  bool from_unsigned = tn_dtype_kind(attr->dtype) == TN_KIND_UNSIGNED;
  bool to_unsigned = tn_dtype_kind(dtype) == TN_KIND_UNSIGNED;
  bool is_negative = !from_unsigned && attr->integer < 0;
  if (is_negative) {
    return !to_unsigned && (bits == 64 || attr->integer >= -(INT64_C(1) << (bits - 1)));
  }
  uint64_t limit = to_unsigned ? (bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1)
                               : (UINT64_C(1) << (bits - 1)) - 1;
  return (uint64_t)attr->integer <= limit;
}

// The same number with the declared dtype, where it is exact; *out stays NULL where it is not.
static tn_status_t narrow(tn_arena_t* arena, const tn_attr_t* attr, tn_dtype_t dtype,
                          const tn_attr_t** out) {
  tn_kind_t kind = tn_dtype_kind(dtype);
  if (attr->kind == TN_ATTR_INTEGER && kind & TN_KIND_INTEGER && integer_fits(attr, dtype)) {
    return tn__attr_integer(arena, dtype, attr->integer, out);
  }
  if (attr->kind == TN_ATTR_FLOAT && kind == TN_KIND_FLOAT) {
    uint64_t element = 0;
    tn__float_store(dtype, attr->real, &element);
    double kept = tn__float_load(dtype, &element);
    if (kept == attr->real || attr->real != attr->real) {
      return tn__attr_float(arena, dtype, attr->real, out);
    }
  }
  return TN_OK;
}

static bool is_array_of(const tn_attr_t* attr, tn_dtype_t dtype) {
  switch (attr->kind) {
    case TN_ATTR_DENSE_ARRAY: return attr->dtype == dtype || attr->dense_array.count == 0;
    case TN_ATTR_ELEMENTS:
      return attr->elements.type->dtype == dtype || tn__type_size(attr->elements.type) == 0;
    case TN_ATTR_ARRAY:
      for (size_t i = 0; i < attr->array.count; ++i) {
        const tn_attr_t* item = attr->array.items[i];
        bool is_it = item->kind == TN_ATTR_BOOL
                         ? dtype == TN_DTYPE_PRED
                         : (item->kind == TN_ATTR_INTEGER || item->kind == TN_ATTR_FLOAT) &&
                               item->dtype == dtype;
        if (!is_it) return false;
      }
      return true;
    default: return false;
  }
}

static tn_status_t check_fields(const checker_t* checker, const tn_ffi_param_t* record,
                                const tn_attr_dictionary_t* attrs, tn_attr_dictionary_t* out);

static const tn_attr_dictionary_t no_attrs = {0, NULL};

static tn_status_t resolve_record(const checker_t* checker, const tn_ffi_param_t* param,
                                  const tn_attr_dictionary_t* attrs, const tn_attr_t** out) {
  tn_attr_dictionary_t fields = {0, NULL};
  TN_RETURN_IF_ERROR(check_fields(checker, param, attrs, &fields));
  return tn__attr_dictionary(checker->arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                             fields.count, fields.entries, out);
}

// The attribute as the handler will get it; *out stays NULL when it does not fit.
static tn_status_t resolve(const checker_t* checker, const tn_ffi_param_t* param,
                           const tn_attr_t* attr, const tn_attr_t** out) {
  tn_dtype_t dtype = tn__dtypes_only(param->dtypes);
  switch (param->attr_type) {
    case TN_FFI_SCALAR:
      if (attr->kind == TN_ATTR_BOOL || attr->kind == TN_ATTR_UNIT) {
        if (dtype == TN_DTYPE_PRED) *out = attr;
        return TN_OK;
      }
      if (attr->kind != TN_ATTR_INTEGER && attr->kind != TN_ATTR_FLOAT) return TN_OK;
      if (attr->dtype == dtype) *out = attr;
      // An enumeration or an address has exactly one integer type, and an inferred scalar may be
      // one.
      if (*out || checker->is_probed || param->flags & (TN_FFI_PARAM_ENUM | TN_FFI_PARAM_ADDRESS))
        return TN_OK;
      return narrow(checker->arena, attr, dtype, out);
    case TN_FFI_STRING:
      if (attr->kind == TN_ATTR_STRING) *out = attr;
      return TN_OK;
    case TN_FFI_ARRAY:
      if (!is_array_of(attr, dtype)) return TN_OK;
      *out = attr;
      // An empty list has no dtype of its own.
      bool is_empty = attr->kind == TN_ATTR_ARRAY      ? attr->array.count == 0
                      : attr->kind == TN_ATTR_ELEMENTS ? tn__type_size(attr->elements.type) == 0
                                                       : attr->dense_array.count == 0;
      return is_empty ? tn__attr_dense_array(checker->arena, dtype, 0, "", out) : TN_OK;
    case TN_FFI_DICTIONARY:
      if (attr->kind != TN_ATTR_DICTIONARY) return TN_OK;
      if (param->fields) return resolve_record(checker, param, &attr->dictionary, out);
      *out = attr;
      return TN_OK;
    default: {  // the author decodes it, or numbers of these types
      bool is_number = attr->kind == TN_ATTR_INTEGER || attr->kind == TN_ATTR_FLOAT;
      if (!param->dtypes || !is_number || param->dtypes >> tn__ffi_dtype(attr->dtype) & 1)
        *out = attr;
      return TN_OK;
    }
  }
}

// What a parameter that was left out is; *out stays NULL when the handler itself knows.
static tn_status_t make_default(const checker_t* checker, const tn_ffi_param_t* param,
                                const tn_attr_t** out) {
  tn_dtype_t dtype = tn__dtypes_only(param->dtypes);
  tn_arena_t* arena = checker->arena;
  switch (param->attr_type) {
    case TN_FFI_SCALAR:
      if (param->flags & TN_FFI_PARAM_ADDRESS) return TN_OK;
      if (dtype == TN_DTYPE_PRED) return tn__attr_bool(arena, param->default_integer != 0, out);
      if (tn_dtype_kind(dtype) == TN_KIND_FLOAT) {
        return tn__attr_float(arena, dtype, param->default_number, out);
      }
      return tn__attr_integer(arena, dtype, param->default_integer, out);
    case TN_FFI_STRING:
      return tn__attr_text(
          arena, TN_ATTR_STRING,
          (tn_string_view_t){param->default_string.data, param->default_string.size}, out);
    case TN_FFI_ARRAY: return tn__attr_dense_array(arena, dtype, 0, "", out);
    case TN_FFI_DICTIONARY:
      if (param->fields) return resolve_record(checker, param, &no_attrs, out);
      return tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, 0, NULL, out);
    default: return TN_OK;
  }
}

// The attribute parameters of the operation, or the fields of a record.
static size_t field_count(const checker_t* checker, const tn_ffi_param_t* record) {
  return record ? record->field_count : checker->op->param_count;
}
static const tn_ffi_param_t* field_at(const checker_t* checker, const tn_ffi_param_t* record,
                                      size_t index) {
  const tn_ffi_param_t* param =
      record ? tn__param_field(checker->op, record, index) : tn__op_param(checker->op, index);
  return param->kind == TN_FFI_PARAM_ATTR ? param : NULL;
}

static const tn_ffi_param_t* find_field(const checker_t* checker, const tn_ffi_param_t* record,
                                        tn_string_view_t name) {
  for (size_t i = 0; i < field_count(checker, record); ++i) {
    const tn_ffi_param_t* param = field_at(checker, record, i);
    if (param && !(param->flags & TN_FFI_PARAM_EVERYTHING) && tn__sv_is(name, param->name)) {
      return param;
    }
  }
  return NULL;
}

static bool takes_everything(const checker_t* checker, const tn_ffi_param_t* record) {
  for (size_t i = 0; i < field_count(checker, record); ++i) {
    const tn_ffi_param_t* param = field_at(checker, record, i);
    if (param && param->flags & TN_FFI_PARAM_EVERYTHING) return true;
  }
  return false;
}

static tn_status_t refuse_unknown(const checker_t* checker, const tn_ffi_param_t* record,
                                  tn_string_view_t name) {
  tn_spelling_t search = {.word = name};
  tn_line_t names = {.length = 0};
  for (size_t i = 0; i < field_count(checker, record); ++i) {
    const tn_ffi_param_t* param = field_at(checker, record, i);
    if (!param) continue;
    (void)tn__spelling_consider(&search, tn__sv(param->name));
    tn__line_print(&names, "%s%s", names.length ? ", " : "", param->name);
  }
  tn_status_t status = tn__attr_unknown(&search);
  if (search.nearest.length) return status;
  return tn_status_note(status, "expected %s", names.length ? names.text : "no attributes");
}

static const tn_attr_t* find_attr(const tn_attr_dictionary_t* attrs, tn_string_view_t name) {
  for (size_t i = 0; i < attrs->count; ++i) {
    if (tn__sv_equal(attrs->entries[i].name, name)) return attrs->entries[i].attr;
  }
  return NULL;
}

static tn_status_t check_field(const checker_t* checker, const tn_ffi_param_t* param,
                               const tn_attr_t* attr, const tn_attr_t** out) {
  if (!attr && param->default_text) return make_default(checker, param, out);
  if (!attr) return tn__attr_missing(param->name, param->type_text);
  TN_RETURN_IF_ERROR(
      tn_status_prefix(resolve(checker, param, attr, out), "attribute \"%s\"", param->name));
  if (*out) return TN_OK;
  tn_dtype_t dtype = tn__dtypes_only(param->dtypes);
  bool is_number = attr->kind == TN_ATTR_FLOAT && tn_dtype_kind(dtype) == TN_KIND_FLOAT;
  tn_status_t status = tn__attr_misfit(param->name, attr, param->type_text);
  if (checker->is_probed) {
    return tn_status_note(status, "its handler declares nothing, and takes exactly that type");
  }
  if (param->attr_type != TN_FFI_SCALAR) return status;
  if (attr->kind == TN_ATTR_INTEGER && tn_dtype_kind(dtype) == TN_KIND_FLOAT) {
    return tn_status_note(status, "a number with a point is one: 1.0 : %s", tn_dtype_name(dtype));
  }
  if (!is_number) return status;
  return tn_status_note(status, "%s has no number that is equal; write it as %s",
                        tn_dtype_name(dtype), tn_dtype_name(dtype));
}

static tn_status_t check_fields(const checker_t* checker, const tn_ffi_param_t* record,
                                const tn_attr_dictionary_t* attrs, tn_attr_dictionary_t* out) {
  bool is_open = takes_everything(checker, record);
  size_t capacity = attrs->count + field_count(checker, record), count = 0;
  tn_named_attr_t* entries = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(checker->arena, capacity, &entries));
  for (size_t i = 0; i < attrs->count; ++i) {
    const tn_named_attr_t* entry = &attrs->entries[i];
    if (find_field(checker, record, entry->name)) continue;
    if (!is_open) return refuse_unknown(checker, record, entry->name);
    entries[count++] = *entry;
  }
  for (size_t i = 0; i < field_count(checker, record); ++i) {
    const tn_ffi_param_t* param = field_at(checker, record, i);
    if (!param || param->flags & TN_FFI_PARAM_EVERYTHING) continue;
    tn_string_view_t name = tn__sv(param->name);
    const tn_attr_t* attr = NULL;
    TN_RETURN_IF_ERROR(check_field(checker, param, find_attr(attrs, name), &attr));
    if (attr) entries[count++] = (tn_named_attr_t){name, attr};
  }
  const tn_attr_t* sorted = NULL;
  TN_RETURN_IF_ERROR(tn__attr_dictionary(checker->arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                                         count, entries, &sorted));
  *out = sorted->dictionary;
  return TN_OK;
}

tn_status_t tn__call_fit_attributes(const tn_ffi_op_t* op, bool is_probed,
                                    const tn_attr_dictionary_t* attrs, tn_arena_t* arena,
                                    tn_attr_dictionary_t* out_attrs) {
  const checker_t checker = {.op = op, .is_probed = is_probed, .arena = arena};
  return check_fields(&checker, NULL, attrs, out_attrs);
}

static tn_status_t check_types(const checker_t* checker) {
  TN_RETURN_IF_ERROR(check_values(checker, TN_FFI_PARAM_ARG));
  return check_values(checker, TN_FFI_PARAM_RET);
}

tn_status_t tn__call_check_types(const tn_ffi_op_t* op, size_t operand_count,
                                 const tn_type_t* const* operands, size_t result_count,
                                 const tn_type_t* const* results) {
  const checker_t checker = {.op = op,
                             .counts[TN_FFI_PARAM_ARG] = operand_count,
                             .types[TN_FFI_PARAM_ARG] = operands,
                             .counts[TN_FFI_PARAM_RET] = result_count,
                             .types[TN_FFI_PARAM_RET] = results};
  return check_types(&checker);
}

tn_status_t tn__call_check(const tn_ffi_op_t* op, bool is_probed, size_t operand_count,
                           const tn_type_t* const* operands, size_t result_count,
                           const tn_type_t* const* results, const tn_attr_dictionary_t* attrs,
                           tn_arena_t* arena, tn_attr_dictionary_t* out_attrs) {
  checker_t checker = {.op = op, .is_probed = is_probed, .arena = arena};
  checker.counts[TN_FFI_PARAM_ARG] = operand_count;
  checker.types[TN_FFI_PARAM_ARG] = operands;
  checker.counts[TN_FFI_PARAM_RET] = result_count;
  checker.types[TN_FFI_PARAM_RET] = results;
  TN_RETURN_IF_ERROR(check_types(&checker));
  return check_fields(&checker, NULL, attrs, out_attrs);
}
