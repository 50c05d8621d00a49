// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Calls: of functions registered from outside, of named compositions, of the module's functions.
#include <stdlib.h>

#include "ops/rules.h"

// --- layouts

static tn_status_t check_layout(const tn_op_use_t* use, const char* what, size_t index,
                                const tn_type_t* type, const tn_attr_t* layout) {
  const tn_named_attr_t entry = {TN_SV_LITERAL("layout"), layout};
  const tn_attr_dictionary_t dictionary = {1, &entry};
  tn_i64_list_t order;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &dictionary, "layout", &order));
  TN_CONSTRAINT(use, NULL, type->kind != TN_TYPE_TUPLE,
                "%s %zu has type %s; expected no layout for a tuple", what, index,
                TN_TYPE_TEXT(type));
  size_t rank = tn__type_is_tensor(type) ? type->rank : 0;
  uint64_t set = 0;
  bool is_permutation = order.count == rank;
  for (size_t i = 0; is_permutation && i < rank; ++i) {
    int64_t dimension = order.values[i];
    is_permutation =
        dimension >= 0 && dimension < (int64_t)rank && !tn__set_has(set, (size_t)dimension);
    if (is_permutation) set |= (uint64_t)1 << dimension;
  }
  TN_CONSTRAINT(use, NULL, is_permutation,
                "%s %zu has layout %s; expected an order of the dimensions of %s", what, index,
                TN_LIST_TEXT(order), TN_TYPE_TEXT(type));
  return TN_OK;
}

static tn_status_t check_layouts(const tn_op_use_t* use, const char* what, const char* name,
                                 size_t count, const tn_type_t* const* types) {
  const tn_attr_t* layouts = tn__attr_find(&use->attrs, name);
  TN_CONSTRAINT(use, NULL, layouts->array.count == count,
                "%s has %zu entries; expected %zu, one for each %s", name, layouts->array.count,
                count, what);
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(check_layout(use, what, i, types[i], layouts->array.items[i]));
  }
  return TN_OK;
}

static tn_status_t check_all_layouts(const tn_op_use_t* use) {
  bool of_operands = tn__attr_find(&use->attrs, "operand_layouts") != NULL;
  bool of_results = tn__attr_find(&use->attrs, "result_layouts") != NULL;
  TN_CONSTRAINT(use, NULL, of_operands == of_results, "%s is given without %s; expected both",
                of_operands ? "operand_layouts" : "result_layouts",
                of_operands ? "result_layouts" : "operand_layouts");
  if (!of_operands) return TN_OK;
  TN_RETURN_IF_ERROR(
      check_layouts(use, "operand", "operand_layouts", use->operand_count, use->operand_types));
  // One tuple stands for its elements.
  if (use->result_count == 1 && use->result_types[0]->kind == TN_TYPE_TUPLE) {
    const tn_type_t* only = use->result_types[0];
    return check_layouts(use, "result", "result_layouts", only->element_count, only->elements);
  }
  return check_layouts(use, "result", "result_layouts", use->result_count, use->result_types);
}

// --- aliases

// The element that the indices lead to, from `type` on or, with `many`, from a list of types on;
// NULL when they lead nowhere.
static const tn_type_t* element_at(const tn_type_t* type, size_t count,
                                   const tn_type_t* const* many, tn_i64_list_t indices) {
  for (size_t i = 0; i < indices.count; ++i) {
    if (type) {
      if (type->kind != TN_TYPE_TUPLE) return NULL;
      count = type->element_count;
      many = type->elements;
    }
    if (indices.values[i] < 0 || indices.values[i] >= (int64_t)count) return NULL;
    type = many[indices.values[i]];
  }
  return type;
}

typedef struct alias {
  size_t number;  // among the aliases
  int64_t operand;
  tn_i64_list_t operand_indices, output_indices;
} alias_t;

static int compare_lists(tn_i64_list_t a, tn_i64_list_t b) {
  if (a.count != b.count) return a.count < b.count ? -1 : 1;
  for (size_t i = 0; i < a.count; ++i) {
    if (a.values[i] != b.values[i]) return a.values[i] < b.values[i] ? -1 : 1;
  }
  return 0;
}

static int compare_operands(const alias_t* a, const alias_t* b) {
  if (a->operand != b->operand) return a->operand < b->operand ? -1 : 1;
  return compare_lists(a->operand_indices, b->operand_indices);
}

static int compare_outputs(const alias_t* a, const alias_t* b) {
  return compare_lists(a->output_indices, b->output_indices);
}

static int in_order(int order, const alias_t* a, const alias_t* b) {
  return order ? order : (a->number > b->number) - (a->number < b->number);
}

static int by_operand(const void* a, const void* b) {
  return in_order(compare_operands(a, b), a, b);
}

static int by_output(const void* a, const void* b) {
  return in_order(compare_outputs(a, b), a, b);
}

static tn_status_t read_alias(const tn_op_use_t* use, size_t index, const tn_attr_t* attr,
                              alias_t* out_alias) {
  const tn_attr_dictionary_t* fields = &attr->dictionary;
  out_alias->number = index;
  out_alias->operand = tn__attr_get_integer(fields, "operand_index", 0);
  TN_RETURN_IF_ERROR(
      tn__rule_list(use, fields, "operand_tuple_indices", &out_alias->operand_indices));
  TN_RETURN_IF_ERROR(
      tn__rule_list(use, fields, "output_tuple_indices", &out_alias->output_indices));
  TN_CONSTRAINT(use, NULL,
                out_alias->operand >= 0 && out_alias->operand < (int64_t)use->operand_count,
                "alias %zu names operand %lld; expected one of the %zu operands", index,
                (long long)out_alias->operand, use->operand_count);
  const tn_type_t* operand =
      element_at(use->operand_types[out_alias->operand], 0, NULL, out_alias->operand_indices);
  TN_CONSTRAINT(use, NULL, operand, "alias %zu: operand %lld of type %s has no element %s", index,
                (long long)out_alias->operand, TN_TYPE_TEXT(use->operand_types[out_alias->operand]),
                TN_LIST_TEXT(out_alias->operand_indices));
  // One result is named from itself on; several are named as if they were a tuple.
  const tn_type_t* output =
      element_at(use->result_count == 1 ? use->result_types[0] : NULL, use->result_count,
                 use->result_types, out_alias->output_indices);
  TN_CONSTRAINT(use, NULL, output, "alias %zu: the results have no element %s", index,
                TN_LIST_TEXT(out_alias->output_indices));
  TN_CONSTRAINT(use, NULL, tn__types_agree(operand, output),
                "alias %zu: operand %lld has type %s, its result %s; expected equal types", index,
                (long long)out_alias->operand, TN_TYPE_TEXT(operand), TN_TYPE_TEXT(output));
  return TN_OK;
}

static tn_status_t check_aliases(const tn_op_use_t* use) {
  const tn_attr_t* attr = tn__attr_find(&use->attrs, "output_operand_aliases");
  size_t count = attr ? attr->array.count : 0;
  alias_t* aliases = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(use->arena, count, &aliases));
  for (size_t i = 0; i < count; ++i) {
    TN_RETURN_IF_ERROR(read_alias(use, i, attr->array.items[i], &aliases[i]));
  }
  if (count) qsort(aliases, count, sizeof *aliases, by_operand);
  for (size_t i = 1; i < count; ++i) {
    TN_CONSTRAINT(use, NULL, compare_operands(&aliases[i - 1], &aliases[i]) != 0,
                  "aliases %zu and %zu name the same operand", aliases[i - 1].number,
                  aliases[i].number);
  }
  if (count) qsort(aliases, count, sizeof *aliases, by_output);
  for (size_t i = 1; i < count; ++i) {
    TN_CONSTRAINT(use, NULL, compare_outputs(&aliases[i - 1], &aliases[i]) != 0,
                  "aliases %zu and %zu name the same result", aliases[i - 1].number,
                  aliases[i].number);
  }
  return TN_OK;
}

// --- custom_call

// What XLA's builder says of a call and StableHLO has no words for.
static tn_status_t check_schedule(const tn_op_use_t* use) {
  const tn_attr_t* schedule = tn__attr_find(&use->attrs, "tenon.schedule");
  const tn_attr_t* literal = tn__attr_find(&use->attrs, "tenon.literal");
  bool is_word = !schedule ||
                 (schedule->kind == TN_ATTR_STRING &&
                  (tn__sv_is(schedule->string, "none") || tn__sv_is(schedule->string, "earliest") ||
                   tn__sv_is(schedule->string, "latest")));
  TN_CONSTRAINT(use, NULL, is_word,
                "tenon.schedule is not a schedule; expected \"none\", \"earliest\" or \"latest\"");
  TN_CONSTRAINT(use, NULL, !literal || literal->kind == TN_ATTR_ELEMENTS,
                "tenon.literal is %s; expected dense elements", tn__attr_kind_name(literal->kind));
  return TN_OK;
}

tn_status_t tn__verify_custom_call(const tn_op_use_t* use) {
  enum { ORIGINAL = 1, TYPED_FFI = 4 };
  int64_t version = tn__attr_get_integer(&use->attrs, "api_version", ORIGINAL);
  TN_CONSTRAINT(use, NULL, version >= 0 && version <= TYPED_FFI,
                "api_version is %lld; expected 0 to %d", (long long)version, TYPED_FFI);
  const tn_attr_t* config = tn__attr_find(&use->attrs, "backend_config");
  tn_attr_kind_t wanted = version == TYPED_FFI ? TN_ATTR_DICTIONARY : TN_ATTR_STRING;
  // A typed call may have its dictionary as a string, which is read when it is compiled.
  TN_CONSTRAINT(use, NULL, !config || config->kind == wanted || config->kind == TN_ATTR_STRING,
                "backend_config is %s; expected %s with api_version %lld%s",
                tn__attr_kind_name(config->kind), tn__attr_kind_name(wanted), (long long)version,
                config->kind == TN_ATTR_DICTIONARY
                    ? " (typed calls, which take dictionaries, say api_version = 4 : i32)"
                    : "");
  TN_RETURN_IF_ERROR(check_all_layouts(use));
  TN_RETURN_IF_ERROR(check_schedule(use));
  return check_aliases(use);
}

// --- composite, call

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// "my_namespace.my_op", with any number of parts from two on.
static bool is_namespaced(tn_string_view_t name) {
  if (!name.length || !is_letter(name.data[0])) return false;
  bool has_dot = false;
  for (size_t i = 1; i < name.length; ++i) {
    bool is_dot = name.data[i] == '.';
    if (is_dot ? !is_word(name.data[i - 1]) : !is_word(name.data[i])) return false;
    has_dot |= is_dot;
  }
  return has_dot && name.data[name.length - 1] != '.';
}

// C2 to C4 speak of the decomposition, a function of the module: ir/ compares its signature, as
// with that of func.call.
tn_status_t tn__verify_composite(const tn_op_use_t* use) {
  tn_string_view_t name = tn__attr_get_string(&use->attrs, "name");
  TN_CONSTRAINT(use, "C1", is_namespaced(name),  // composite_c1
                "name is \"%.*s\"; expected a namespace, a dot and a name", TN_SV(name));
  return TN_OK;
}

tn_status_t tn__verify_call(const tn_op_use_t* use) {
  tn_string_view_t callee = tn__attr_get_string(&use->attrs, "callee");
  TN_CONSTRAINT(use, NULL, callee.length > 0, "callee has no name");
  return TN_OK;
}
