// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Attributes against their specifications: enums.def, structs.def and the columns of ops.def.
#include "base/writer.h"
#include "ops/spec.h"

// --- enumerations and structures

static const struct {
  const char *of, *name;
  int number;
} enumerators[] = {
#define TN_ENUM(enumeration, enumerator, value) {#enumeration, #enumerator, value},
#include "ops/enums.def"
#undef TN_ENUM
};
enum { ENUMERATOR_COUNT = sizeof enumerators / sizeof *enumerators };

int tn__enum_value(const char* enum_name, tn_string_view_t enumerator) {
  for (size_t i = 0; i < ENUMERATOR_COUNT; ++i) {
    if (!strcmp(enumerators[i].of, enum_name) && tn__sv_is(enumerator, enumerators[i].name)) {
      return enumerators[i].number;
    }
  }
  return -1;
}

const char* tn__enum_name(const char* enum_name, int value) {
  for (size_t i = 0; i < ENUMERATOR_COUNT; ++i) {
    if (!strcmp(enumerators[i].of, enum_name) && enumerators[i].number == value) {
      return enumerators[i].name;
    }
  }
  return NULL;
}

int tn__attr_get_enum(const tn_attr_dictionary_t* dictionary, const char* name, int fallback) {
  const tn_attr_t* attr = tn__attr_find(dictionary, name);
  if (!attr || attr->kind != TN_ATTR_ENUM) return fallback;
  for (size_t i = 0; i < ENUMERATOR_COUNT; ++i) {
    if (tn__sv_is(attr->name, enumerators[i].of) && tn__sv_is(attr->string, enumerators[i].name)) {
      return enumerators[i].number;
    }
  }
  return fallback;
}

static const struct {
  const char* name;
  const tn_attr_spec_t* fields;
} structs[] = {
#define TN_STRUCT(struct_name, ...) {#struct_name, TN_ATTRS(__VA_ARGS__)},
#include "ops/structs.def"
#undef TN_STRUCT
};

const tn_attr_spec_t* tn__struct_fields(tn_string_view_t struct_name) {
  for (size_t i = 0; i < sizeof structs / sizeof *structs; ++i) {
    if (tn__sv_is(struct_name, structs[i].name)) return structs[i].fields;
  }
  return NULL;
}

// --- one attribute

const char* tn__attr_wanted(tn_attr_type_t type) {
  switch (type) {
    case TN_ATTR_TYPE_ANY: return "an attribute";
    case TN_ATTR_TYPE_BOOL: return "true or false";
    case TN_ATTR_TYPE_UNIT: return "no value";
    case TN_ATTR_TYPE_I32: return "an integer of type i32";
    case TN_ATTR_TYPE_I64: return "an integer of type i64";
    case TN_ATTR_TYPE_U64: return "an integer of type ui64";
    case TN_ATTR_TYPE_F32: return "a float of type f32";
    case TN_ATTR_TYPE_F64: return "a float of type f64";
    case TN_ATTR_TYPE_STRING: return "a string";
    case TN_ATTR_TYPE_SYMBOL: return "a symbol";
    case TN_ATTR_TYPE_SYMBOL_LIST: return "a list of symbols";
    case TN_ATTR_TYPE_I64_LIST: return "a list of i64";
    case TN_ATTR_TYPE_BOOL_LIST: return "a list of booleans";
    case TN_ATTR_TYPE_I64_PAIRS: return "dense<...> of type tensor<Nx2xi64>";
    case TN_ATTR_TYPE_ELEMENTS: return "dense<...>";
    case TN_ATTR_TYPE_ENUM: return "an enumerator";
    case TN_ATTR_TYPE_ENUM_LIST: return "a list of enumerators";
    case TN_ATTR_TYPE_STRUCT: return "a structure";
    case TN_ATTR_TYPE_STRUCT_LIST: return "a list of structures";
    case TN_ATTR_TYPE_LAYOUT_LIST: return "a list of dense<...> of type tensor<Nxindex>";
    case TN_ATTR_TYPE_DICTIONARY: return "a dictionary";
    case TN_ATTR_TYPE_TYPE: return "a type";
  }
  return "an attribute";
}

static bool is_elements(const tn_attr_t* attr, tn_dtype_t dtype, size_t rank) {
  return attr->kind == TN_ATTR_ELEMENTS && attr->elements.type->dtype == dtype &&
         attr->elements.type->rank == rank;
}

static bool is_list_of(const tn_attr_t* attr, tn_attr_kind_t kind) {
  if (attr->kind != TN_ATTR_ARRAY) return false;
  for (size_t i = 0; i < attr->array.count; ++i) {
    if (attr->array.items[i]->kind != kind) return false;
  }
  return true;
}

// array<dtype: ...>, as older text dense<...> : tensor<Nxdtype>, or [...] of single ones.
static bool is_flat_list(const tn_attr_t* attr, tn_dtype_t dtype, tn_attr_kind_t item) {
  return (attr->kind == TN_ATTR_DENSE_ARRAY && attr->dtype == dtype) ||
         is_elements(attr, dtype, 1) || is_list_of(attr, item);
}

static bool is_layout_list(const tn_attr_t* attr) {
  if (!is_list_of(attr, TN_ATTR_ELEMENTS)) return false;
  for (size_t i = 0; i < attr->array.count; ++i) {
    if (!is_elements(attr->array.items[i], TN_DTYPE_INDEX, 1)) return false;
  }
  return true;
}

// Whether the attribute has the form that the type asks for; contents of enumerations and
// structures are looked at later.
static bool has_form(const tn_attr_t* attr, tn_attr_type_t type) {
  switch (type) {
    case TN_ATTR_TYPE_ANY: return true;
    case TN_ATTR_TYPE_BOOL: return attr->kind == TN_ATTR_BOOL;
    case TN_ATTR_TYPE_UNIT: return attr->kind == TN_ATTR_UNIT;
    case TN_ATTR_TYPE_I32: return attr->kind == TN_ATTR_INTEGER && attr->dtype == TN_DTYPE_S32;
    case TN_ATTR_TYPE_I64: return attr->kind == TN_ATTR_INTEGER && attr->dtype == TN_DTYPE_S64;
    case TN_ATTR_TYPE_U64: return attr->kind == TN_ATTR_INTEGER && attr->dtype == TN_DTYPE_U64;
    case TN_ATTR_TYPE_F32: return attr->kind == TN_ATTR_FLOAT && attr->dtype == TN_DTYPE_F32;
    case TN_ATTR_TYPE_F64: return attr->kind == TN_ATTR_FLOAT && attr->dtype == TN_DTYPE_F64;
    case TN_ATTR_TYPE_STRING: return attr->kind == TN_ATTR_STRING;
    case TN_ATTR_TYPE_SYMBOL: return attr->kind == TN_ATTR_SYMBOL;
    case TN_ATTR_TYPE_SYMBOL_LIST: return is_list_of(attr, TN_ATTR_SYMBOL);
    case TN_ATTR_TYPE_I64_LIST: return is_flat_list(attr, TN_DTYPE_S64, TN_ATTR_INTEGER);
    case TN_ATTR_TYPE_BOOL_LIST: return is_flat_list(attr, TN_DTYPE_PRED, TN_ATTR_BOOL);
    case TN_ATTR_TYPE_I64_PAIRS:
      return is_elements(attr, TN_DTYPE_S64, 2) && attr->elements.type->dims[1] == 2;
    case TN_ATTR_TYPE_ELEMENTS: return attr->kind == TN_ATTR_ELEMENTS;
    case TN_ATTR_TYPE_ENUM: return attr->kind == TN_ATTR_ENUM;
    case TN_ATTR_TYPE_ENUM_LIST: return is_list_of(attr, TN_ATTR_ENUM);
    case TN_ATTR_TYPE_STRUCT: return attr->kind == TN_ATTR_STRUCT;
    case TN_ATTR_TYPE_STRUCT_LIST: return is_list_of(attr, TN_ATTR_STRUCT);
    case TN_ATTR_TYPE_LAYOUT_LIST: return is_layout_list(attr);
    case TN_ATTR_TYPE_DICTIONARY: return attr->kind == TN_ATTR_DICTIONARY;
    case TN_ATTR_TYPE_TYPE:
      // tf32 is the one type that no value has: the reader keeps it as text.
      return attr->kind == TN_ATTR_TYPE ||
             (attr->kind == TN_ATTR_OPAQUE && tn__sv_is(attr->string, "tf32"));
  }
  return false;
}

static tn_status_t check_enum(const tn_attr_spec_t* spec, const tn_attr_t* attr) {
  if (!tn__sv_is(attr->name, spec->of)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute \"%s\" is a %.*s; expected a %s",
                            spec->name, TN_SV(attr->name), spec->of);
  }
  if (tn__enum_value(spec->of, attr->string) < 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute \"%s\": there is no %s \"%.*s\"",
                            spec->name, spec->of, TN_SV(attr->string));
  }
  return TN_OK;
}

static tn_status_t check_struct(const tn_attr_spec_t* spec, const tn_attr_t* attr) {
  if (!tn__sv_is(attr->name, spec->of)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute \"%s\" is a %.*s; expected a %s",
                            spec->name, TN_SV(attr->name), spec->of);
  }
  const tn_attr_spec_t* fields = tn__struct_fields(attr->name);
  for (size_t i = 0; i < attr->dictionary.count; ++i) {
    const tn_named_attr_t* entry = &attr->dictionary.entries[i];
    const tn_attr_spec_t* field = fields;
    while (field->name && !tn__sv_is(entry->name, field->name)) ++field;
    if (!field->name) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "attribute \"%s\": a %s has no field \"%.*s\"", spec->name, spec->of,
                              TN_SV(entry->name));
    }
    TN_RETURN_IF_ERROR(
        tn_status_prefix(tn__attr_check(field, entry->attr), "attribute \"%s\"", spec->name));
  }
  return TN_OK;
}

// --- errors

tn_status_t tn__attr_missing(const char* name, const char* expected) {
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute \"%s\" is missing; expected %s",
                          name, expected);
}

tn_status_t tn__attr_misfit(const char* name, const tn_attr_t* found, const char* expected) {
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "attribute \"%s\" is %s; expected %s", name,
                          TN_ATTR_TEXT(found), expected);
}

tn_status_t tn__attr_unknown(const tn_spelling_t* search) {
  return tn__spelling_note(
      search, "",
      tn_status_create(TN_CODE_INVALID_ARGUMENT, "there is no attribute \"%s\"",
                       TN_NAME_TEXT(search->word)));
}

tn_status_t tn__attr_check(const tn_attr_spec_t* spec, const tn_attr_t* attr) {
  if (!has_form(attr, spec->type)) {
    return tn__attr_misfit(spec->name, attr, tn__attr_wanted(spec->type));
  }
  switch (spec->type) {
    case TN_ATTR_TYPE_ENUM: return check_enum(spec, attr);
    case TN_ATTR_TYPE_STRUCT: return check_struct(spec, attr);
    case TN_ATTR_TYPE_ENUM_LIST:
      for (size_t i = 0; i < attr->array.count; ++i) {
        TN_RETURN_IF_ERROR(check_enum(spec, attr->array.items[i]));
      }
      return TN_OK;
    case TN_ATTR_TYPE_STRUCT_LIST:
      for (size_t i = 0; i < attr->array.count; ++i) {
        TN_RETURN_IF_ERROR(check_struct(spec, attr->array.items[i]));
      }
      return TN_OK;
    default: return TN_OK;
  }
}
