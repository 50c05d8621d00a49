// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// One use of an operation from one line of text, for the tests of rules:
//
//   reduce(2x3xf32, f32) {f32, f32 -> f32} dimensions = [1] -> 2xf32
//
// Operand types, regions in braces, attributes, result types. Types are written as inside of
// tensor<...>; token and tuple<...>. What an attribute's value looks like
// follows from the operation's specification: 3, 1.5, true, unit, "text", @symbol, KEYWORD, lists
// in
// [...], structures and dictionaries in {field = value, ...}, <2xf32> for zeros of that type.
// After `!`, the value is what it looks like by itself: !3 an i64, !"text", !1.5 an f64, ![1, 2].
// Operations of other dialects than stablehlo are written with theirs.
#ifndef TENON_OPS_TESTING_USE_H_
#define TENON_OPS_TESTING_USE_H_

#include "base/testing.h"
#include "ops/op.h"

enum { TN_TEST_MANY = 80 };  // the longest list in a test

typedef struct tn_test_reader {
  const char *text, *at;
  tn_arena_t* arena;
} tn_test_reader_t;

static void tn__test_blanks(tn_test_reader_t* r) {
  while (*r->at == ' ' || *r->at == '\n') ++r->at;
}

static bool tn__test_take(tn_test_reader_t* r, const char* token) {
  tn__test_blanks(r);
  size_t length = strlen(token);
  if (strncmp(r->at, token, length) != 0) return false;
  r->at += length;
  return true;
}

static void tn__test_expect(tn_test_reader_t* r, const char* token) {
  if (!tn__test_take(r, token)) fail_msg("expected %s at \"%s\" of \"%s\"", token, r->at, r->text);
}

static tn_string_view_t tn__test_word(tn_test_reader_t* r) {
  tn__test_blanks(r);
  size_t length = strcspn(r->at, " \n()[]{},=<>\"");
  if (length == 0) fail_msg("expected a word at \"%s\" of \"%s\"", r->at, r->text);
  tn_string_view_t word = {r->at, length};
  r->at += length;
  return word;
}

static int64_t tn__test_integer(tn_test_reader_t* r) {
  tn__test_blanks(r);
  char* end = NULL;
  int64_t value = (int64_t)strtoll(r->at, &end, 10);
  if (end == r->at) fail_msg("expected an integer at \"%s\" of \"%s\"", r->at, r->text);
  r->at = end;
  return value;
}

static const tn_type_t* tn__test_type(tn_test_reader_t* r) {
  const tn_type_t* type = NULL;
  if (tn__test_take(r, "token")) return tn__type_token();
  if (tn__test_take(r, "tuple<")) {
    const tn_type_t* elements[TN_TEST_MANY];
    size_t count = 0;
    while (!tn__test_take(r, ">")) {
      if (count) tn__test_expect(r, ",");
      elements[count++] = tn__test_type(r);
    }
    TN_ASSERT_OK(tn__type_tuple(r->arena, count, elements, &type));
    return type;
  }
  int64_t dims[TN_MAX_RANK];
  size_t rank = 0;
  tn__test_blanks(r);
  while ((*r->at >= '0' && *r->at <= '9') || *r->at == '?') {
    if (*r->at == '?') {
      ++r->at;
      dims[rank++] = TN_DIM_DYNAMIC;
    } else {
      dims[rank++] = tn__test_integer(r);
    }
    tn__test_expect(r, "x");
  }
  tn_string_view_t name = tn__test_word(r);
  if (tn__sv_is(name, "complex")) {
    name.length = strlen("complex<f32>");
    r->at = name.data + name.length;
  }
  tn_dtype_t dtype = tn_dtype_from_name(name.data, name.length);
  if (dtype == TN_DTYPE_INVALID) fail_msg("no type %.*s in \"%s\"", TN_SV(name), r->text);
  TN_ASSERT_OK(tn__type_tensor(r->arena, dtype, rank, dims, &type));
  return type;
}

// Types up to `end` (not taken), into the arena.
static const tn_type_t* const* tn__test_types(tn_test_reader_t* r, const char* end,
                                              size_t* out_count) {
  void* memory = NULL;
  TN_ASSERT_OK(tn__arena_allocate_array(r->arena, TN_TEST_MANY, sizeof(tn_type_t*), &memory));
  const tn_type_t** types = memory;
  size_t count = 0;
  for (;;) {
    tn__test_blanks(r);
    if (*end ? strncmp(r->at, end, strlen(end)) == 0 : !*r->at) break;
    if (count) tn__test_expect(r, ",");
    types[count++] = tn__test_type(r);
  }
  *out_count = count;
  return types;
}

static const tn_attr_t* tn__test_value(tn_test_reader_t* r, const tn_attr_spec_t* spec);

static const tn_attr_t* tn__test_dictionary(tn_test_reader_t* r, tn_attr_kind_t kind,
                                            const char* name) {
  const tn_attr_spec_t* fields = kind == TN_ATTR_STRUCT ? tn__struct_fields(tn__sv(name)) : NULL;
  tn_named_attr_t entries[TN_TEST_MANY];
  size_t count = 0;
  tn__test_expect(r, "{");
  while (!tn__test_take(r, "}")) {
    if (count) tn__test_expect(r, ",");
    tn_string_view_t field_name = tn__test_word(r);
    const tn_attr_spec_t* field = fields;
    while (field && field->name && !tn__sv_is(field_name, field->name)) ++field;
    tn__test_expect(r, "=");
    entries[count++] =
        (tn_named_attr_t){field_name, tn__test_value(r, field && field->name ? field : NULL)};
  }
  const tn_attr_t* attr = NULL;
  TN_ASSERT_OK(tn__attr_dictionary(r->arena, kind, tn__sv(name), count, entries, &attr));
  return attr;
}

// [a, b], each read as `item` says.
static const tn_attr_t* tn__test_array(tn_test_reader_t* r, const tn_attr_spec_t* item) {
  const tn_attr_t* items[TN_TEST_MANY];
  size_t count = 0;
  tn__test_expect(r, "[");
  while (!tn__test_take(r, "]")) {
    if (count) tn__test_expect(r, ",");
    items[count++] = tn__test_value(r, item);
  }
  const tn_attr_t* attr = NULL;
  TN_ASSERT_OK(tn__attr_array(r->arena, count, items, &attr));
  return attr;
}

static size_t tn__test_integers(tn_test_reader_t* r, int64_t* values) {
  size_t count = 0;
  tn__test_expect(r, "[");
  while (!tn__test_take(r, "]")) {
    if (count) tn__test_expect(r, ",");
    values[count++] = tn__test_integer(r);
  }
  return count;
}

static const tn_attr_t* tn__test_elements(tn_test_reader_t* r, tn_dtype_t dtype, size_t rank,
                                          const int64_t* dims, const void* data) {
  const tn_type_t* type = NULL;
  const tn_attr_t* attr = NULL;
  TN_ASSERT_OK(tn__type_tensor(r->arena, dtype, rank, dims, &type));
  TN_ASSERT_OK(tn__attr_elements(r->arena, type, false, data, &attr));
  return attr;
}

// What the value looks like when no specification says more.
static tn_attr_type_t tn__test_guess(tn_test_reader_t* r) {
  tn__test_blanks(r);
  if (*r->at == '"') return TN_ATTR_TYPE_STRING;
  if (*r->at == '@') return TN_ATTR_TYPE_SYMBOL;
  if (*r->at == '{') return TN_ATTR_TYPE_DICTIONARY;
  if (*r->at == '<') return TN_ATTR_TYPE_ELEMENTS;
  if (strncmp(r->at, "[[", 2) == 0) return TN_ATTR_TYPE_I64_PAIRS;
  if (*r->at == '[') return TN_ATTR_TYPE_I64_LIST;
  if (*r->at == 't' || *r->at == 'f') return TN_ATTR_TYPE_BOOL;
  if (*r->at == 'u') return TN_ATTR_TYPE_UNIT;
  size_t digits = strspn(r->at, "-0123456789");
  return r->at[digits] == '.' ? TN_ATTR_TYPE_F64 : TN_ATTR_TYPE_I64;
}

static const tn_attr_t* tn__test_value(tn_test_reader_t* r, const tn_attr_spec_t* spec) {
  bool raw = tn__test_take(r, "!") || !spec || spec->type == TN_ATTR_TYPE_ANY;
  tn_attr_type_t type = raw ? tn__test_guess(r) : spec->type;
  tn_arena_t* arena = r->arena;
  const tn_attr_t* attr = NULL;
  int64_t values[2 * TN_TEST_MANY];
  tn_attr_spec_t item = raw ? (tn_attr_spec_t){0} : *spec;
  switch (type) {
    case TN_ATTR_TYPE_ANY: break;
    case TN_ATTR_TYPE_UNIT:
      tn__test_expect(r, "unit");
      TN_ASSERT_OK(tn__attr_unit(arena, &attr));
      break;
    case TN_ATTR_TYPE_BOOL:
      TN_ASSERT_OK(tn__attr_bool(arena, tn__sv_is(tn__test_word(r), "true"), &attr));
      break;
    case TN_ATTR_TYPE_I32:
      TN_ASSERT_OK(tn__attr_integer(arena, TN_DTYPE_S32, tn__test_integer(r), &attr));
      break;
    case TN_ATTR_TYPE_I64:
      TN_ASSERT_OK(tn__attr_integer(arena, TN_DTYPE_S64, tn__test_integer(r), &attr));
      break;
    case TN_ATTR_TYPE_U64:
      TN_ASSERT_OK(tn__attr_integer(arena, TN_DTYPE_U64, tn__test_integer(r), &attr));
      break;
    case TN_ATTR_TYPE_F32:
    case TN_ATTR_TYPE_F64:
      TN_ASSERT_OK(tn__attr_float(arena, type == TN_ATTR_TYPE_F32 ? TN_DTYPE_F32 : TN_DTYPE_F64,
                                  strtod(tn__test_word(r).data, NULL), &attr));
      break;
    case TN_ATTR_TYPE_STRING: {
      tn__test_expect(r, "\"");
      size_t length = strcspn(r->at, "\"");
      tn_string_view_t text = {r->at, length};
      r->at += length + 1;
      TN_ASSERT_OK(tn__attr_text(arena, TN_ATTR_STRING, text, &attr));
      break;
    }
    case TN_ATTR_TYPE_SYMBOL: {
      tn__test_expect(r, "@");
      tn_string_view_t name = {r->at, strcspn(r->at, " ,]")};
      r->at += name.length;
      TN_ASSERT_OK(tn__attr_text(arena, TN_ATTR_SYMBOL, name, &attr));
      break;
    }
    case TN_ATTR_TYPE_ENUM:
      TN_ASSERT_OK(tn__attr_enum(arena, spec->of, tn__test_word(r), &attr));
      break;
    case TN_ATTR_TYPE_TYPE: {
      TN_ASSERT_OK(tn__attr_type(arena, tn__test_type(r), true, &attr));
      break;
    }
    case TN_ATTR_TYPE_STRUCT: return tn__test_dictionary(r, TN_ATTR_STRUCT, spec->of);
    case TN_ATTR_TYPE_DICTIONARY: return tn__test_dictionary(r, TN_ATTR_DICTIONARY, "");
    case TN_ATTR_TYPE_I64_LIST: {
      size_t count = tn__test_integers(r, values);
      TN_ASSERT_OK(tn__attr_i64_array(arena, count, values, &attr));
      break;
    }
    case TN_ATTR_TYPE_BOOL_LIST: item.type = TN_ATTR_TYPE_BOOL; return tn__test_array(r, &item);
    case TN_ATTR_TYPE_ENUM_LIST: item.type = TN_ATTR_TYPE_ENUM; return tn__test_array(r, &item);
    case TN_ATTR_TYPE_STRUCT_LIST: item.type = TN_ATTR_TYPE_STRUCT; return tn__test_array(r, &item);
    case TN_ATTR_TYPE_SYMBOL_LIST: item.type = TN_ATTR_TYPE_SYMBOL; return tn__test_array(r, &item);
    case TN_ATTR_TYPE_I64_PAIRS: {
      int64_t dims[2] = {0, 2};
      tn__test_expect(r, "[");
      while (!tn__test_take(r, "]")) {
        if (dims[0]) tn__test_expect(r, ",");
        dims[1] = (int64_t)tn__test_integers(r, values + dims[0] * dims[1]);
        ++dims[0];
      }
      return tn__test_elements(r, TN_DTYPE_S64, 2, dims, values);
    }
    case TN_ATTR_TYPE_LAYOUT_LIST: {
      const tn_attr_t* items[TN_TEST_MANY];
      size_t count = 0;
      tn__test_expect(r, "[");
      while (!tn__test_take(r, "]")) {
        if (count) tn__test_expect(r, ",");
        int64_t length = (int64_t)tn__test_integers(r, values);
        items[count++] = tn__test_elements(r, TN_DTYPE_INDEX, 1, &length, values);
      }
      TN_ASSERT_OK(tn__attr_array(arena, count, items, &attr));
      break;
    }
    case TN_ATTR_TYPE_ELEMENTS: {
      tn__test_expect(r, "<");
      const tn_type_t* value_type = tn__test_type(r);
      tn__test_expect(r, ">");
      static const char zeros[16];
      TN_ASSERT_OK(tn__attr_elements(arena, value_type, true, zeros, &attr));
      break;
    }
  }
  return attr;
}

static void tn__test_read_use(const char* text, tn_arena_t* arena, tn_op_use_t* out_use) {
  tn_test_reader_t reader = {text, text, arena}, *r = &reader;
  tn_op_use_t use = {.arena = arena};
  tn_string_view_t name = tn__test_word(r);
  char full[128];
  snprintf(full, sizeof full, "%s%.*s", memchr(name.data, '.', name.length) ? "" : "stablehlo.",
           TN_SV(name));
  use.op = tn__op_find(tn__sv(full));
  if (!use.op) fail_msg("no operation %s", full);
  tn__test_expect(r, "(");
  use.operand_types = tn__test_types(r, ")", &use.operand_count);
  tn__test_expect(r, ")");
  void* memory = NULL;
  TN_ASSERT_OK(
      tn__arena_allocate_array(arena, TN_TEST_MANY, sizeof(tn_region_signature_t), &memory));
  tn_region_signature_t* regions = memory;
  while (tn__test_take(r, "{")) {
    tn_region_signature_t* region = &regions[use.region_count++];
    region->argument_types = tn__test_types(r, "->", &region->argument_count);
    tn__test_expect(r, "->");
    region->result_types = tn__test_types(r, "}", &region->result_count);
    tn__test_expect(r, "}");
  }
  use.regions = regions;
  tn_named_attr_t entries[TN_TEST_MANY];
  size_t count = 0;
  while (!tn__test_take(r, "->")) {
    if (count) tn__test_take(r, ",");
    tn_string_view_t attr_name = tn__test_word(r);
    const tn_attr_spec_t* spec = use.op->attrs;
    while (spec && spec->name && !tn__sv_is(attr_name, spec->name)) ++spec;
    tn__test_expect(r, "=");
    entries[count++] =
        (tn_named_attr_t){attr_name, tn__test_value(r, spec && spec->name ? spec : NULL)};
  }
  const tn_attr_t* attrs = NULL;
  TN_ASSERT_OK(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){NULL, 0}, count,
                                   entries, &attrs));
  use.attrs = attrs->dictionary;
  use.result_types = tn__test_types(r, "", &use.result_count);
  *out_use = use;
}

typedef struct tn_rule_case {
  const char* use;
  const char* report;  // part of the message that refuses it
} tn_rule_case_t;

// Each use passes; what can be inferred is inferred without the stated results, too.
static inline void tn__test_accepts(size_t count, const char* const* uses) {
  for (size_t i = 0; i < count; ++i) {
    tn_arena_t arena;
    tn__arena_init(&arena, tn_allocator_system());
    tn_op_use_t use;
    tn__test_read_use(uses[i], &arena, &use);
    tn_status_t status = tn__op_check(&use);
    if (status) fail_msg("\"%s\" is refused: %s", uses[i], tn_status_message(status));
    if (use.op->infer) {
      const tn_type_t* types[TN_TEST_MANY];
      size_t inferred = 0;
      tn_op_use_t unstated = use;
      unstated.result_count = 0;
      unstated.result_types = NULL;
      TN_ASSERT_OK(tn__op_infer(&unstated, TN_TEST_MANY, types, &inferred));
      assert_int_equal(inferred, use.result_count);
    }
    tn__arena_deinit(&arena);
  }
}

static inline void tn__test_refuses(size_t count, const tn_rule_case_t* cases) {
  for (size_t i = 0; i < count; ++i) {
    tn_arena_t arena;
    tn__arena_init(&arena, tn_allocator_system());
    tn_op_use_t use;
    tn__test_read_use(cases[i].use, &arena, &use);
    tn_status_t status = tn__op_check(&use);
    if (!status) fail_msg("\"%s\" passes; expected \"%s\"", cases[i].use, cases[i].report);
    char report[2048];
    tn_status_format(status, report, sizeof report);
    if (!strstr(report, cases[i].report)) {
      fail_msg("\"%s\": expected \"%s\" in \"%s\"", cases[i].use, cases[i].report, report);
    }
    tn_status_release(status);
    tn__arena_deinit(&arena);
  }
}

#define TN_TEST_ACCEPTS(uses) tn__test_accepts(sizeof(uses) / sizeof *(uses), (uses))
#define TN_TEST_REFUSES(cases) tn__test_refuses(sizeof(cases) / sizeof *(cases), (cases))

#endif  // TENON_OPS_TESTING_USE_H_
