// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Writes operations by the .syntax of their row in ops.def.
#include "text/printer.h"

enum { MOST_NAMED = 16 };  // attributes that one syntax names

typedef struct form {
  tn_printer_t* printer;
  const tn_node_t* node;
  const char* named[MOST_NAMED];  // attributes that are written, or absent with their group
  size_t named_count;
  bool blank;  // owed before the next piece
} form_t;

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static tn_string_view_t take_word(const char** syntax) {
  const char* begin = *syntax;
  while (is_word(**syntax)) ++*syntax;
  return (tn_string_view_t){begin, (size_t)(*syntax - begin)};
}

static const tn_attr_spec_t* find_spec(const tn_op_t* op, tn_string_view_t name) {
  for (const tn_attr_spec_t* spec = op->attrs; spec && spec->name; ++spec) {
    if (tn__sv_is(name, spec->name)) return spec;
  }
  return NULL;
}

static void pay_blank(form_t* form) {
  if (form->blank) tn__put(form->printer, " ", 1);
  form->blank = false;
}

// --- whether the form says everything

// Whether every attribute that `syntax` names can be written there. Those in groups may be absent.
static bool attrs_fit(const tn_node_t* node, const char* syntax) {
  bool in_group = false;
  for (; *syntax && *syntax != ':'; ++syntax) {
    if (*syntax == '?') in_group = true;
    if (*syntax == ')') in_group = false;
    if (*syntax != '$') continue;
    const char* p = syntax + 1;
    const tn_attr_spec_t* spec = find_spec(node->op, take_word(&p));
    if (!spec) continue;  // an operand
    const tn_attr_t* attr = tn__attr_find(&node->attrs, spec->name);
    if (attr ? !tn__attr_is_natural(spec, attr) : !in_group) return false;
  }
  return true;
}

static const tn_type_t* operand_type(const tn_node_t* node, uint32_t index) {
  return tn__value_resolve(node->operands[index])->type;
}

// Whether operands from `first` on and all results have the type.
static bool all_have(const tn_node_t* node, uint32_t first, const tn_type_t* type) {
  for (uint32_t i = first; i < node->operand_count; ++i) {
    if (!tn_type_equal(operand_type(node, i), type)) return false;
  }
  for (uint32_t i = 0; i < node->result_count; ++i) {
    if (!tn_type_equal(node->results[i].type, type)) return false;
  }
  return true;
}

static bool is_tuple_of_operands(const tn_node_t* node) {
  const tn_type_t* type = node->result_count == 1 ? node->results[0].type : NULL;
  if (!type || type->kind != TN_TYPE_TUPLE || type->element_count != node->operand_count) {
    return false;
  }
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (!tn_type_equal(operand_type(node, i), type->elements[i])) return false;
  }
  return true;
}

static bool is_complex_of_operands(const tn_node_t* node) {
  const tn_type_t* type = node->result_count == 1 ? node->results[0].type : NULL;
  if (!type || tn_dtype_kind(tn_type_dtype(type)) != TN_KIND_COMPLEX) return false;
  tn_dtype_t part = type->dtype == TN_DTYPE_C64 ? TN_DTYPE_F32 : TN_DTYPE_F64;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const tn_type_t* operand = operand_type(node, i);
    if (tn_type_dtype(operand) != part || !tn__type_same_shape(operand, type)) return false;
  }
  return true;
}

// Whether the results are what a list of the operands' types says.
static bool results_repeat_operands(const tn_node_t* node) {
  if (node->op->results == 0) return node->result_count == 0;
  if (node->result_count != node->operand_count) return false;
  for (uint32_t i = 0; i < node->result_count; ++i) {
    if (!tn_type_equal(operand_type(node, i), node->results[i].type)) return false;
  }
  return true;
}

static bool counts_fit(const tn_node_t* node, const char* types) {
  const tn_op_t* op = node->op;
  if (op->operands != TN_VARIADIC && node->operand_count != (uint32_t)op->operands) return false;
  if (op->results != TN_VARIADIC && node->result_count != (uint32_t)op->results) return false;
  if (node->region_count) return false;
  if (strcmp(types, "RESULT") == 0) return node->operand_count == 0 && node->result_count == 1;
  if (strcmp(types, "TYPES") == 0) return results_repeat_operands(node);
  return true;
}

// --- the types

void tn__put_types(tn_printer_t* printer, const tn_node_t* node, const char* form) {
  const tn_type_t* type = node->result_count    ? node->results[0].type
                          : node->operand_count ? operand_type(node, 0)
                                                : NULL;
  if (strcmp(form, "TYPES") == 0) {
    if (node->operand_count == 0) return;
    tn__put(printer, " : ", 3);
    tn__put_operand_types(printer, node);
    return;
  }
  tn__put(printer, " : ", 3);
  if (strcmp(form, "ARROW") == 0) {
    tn__put_operand_types(printer, node);
    tn__put(printer, " -> ", 4);
    tn__put_result_types(printer, node);
    return;
  }
  bool bare = type && ((strcmp(form, "SAME") == 0 && all_have(node, 0, type)) ||
                       strcmp(form, "RESULT") == 0 ||
                       (strcmp(form, "TUPLE") == 0 && is_tuple_of_operands(node)) ||
                       (strcmp(form, "COMPLEX") == 0 && is_complex_of_operands(node)));
  if (bare) {
    tn__put_type(printer, type);
  } else if (strcmp(form, "SELECT") == 0 && type && node->operand_count &&
             all_have(node, 1, type)) {
    tn__put_type(printer, operand_type(node, 0));
    tn__put(printer, ", ", 2);
    tn__put_type(printer, type);
  } else {
    tn__put_function_type(printer, node);
  }
}

// --- the part before the types

static void put_variable(form_t* form, const char** syntax, uint32_t* next_operand) {
  tn_string_view_t name = take_word(syntax);
  const tn_node_t* node = form->node;
  if (tn__sv_is(name, "operands")) {
    for (bool first = true; *next_operand < node->operand_count; ++*next_operand, first = false) {
      if (!first) tn__put(form->printer, ", ", 2);
      pay_blank(form);
      tn__put_value(form->printer, tn__value_resolve(node->operands[*next_operand]));
    }
    return;
  }
  pay_blank(form);
  if (name.data[0] >= '0' && name.data[0] <= '9') {
    tn__put_value(form->printer, tn__value_resolve(node->operands[(*next_operand)++]));
    return;
  }
  const tn_attr_spec_t* spec = find_spec(node->op, name);
  form->named[form->named_count++] = spec->name;
  tn__put_natural_attr(form->printer, tn__attr_find(&node->attrs, spec->name));
}

static bool group_is_present(const tn_node_t* node, const char* group) {
  const char* p = strchr(group, '$') + 1;
  const tn_attr_spec_t* spec = find_spec(node->op, take_word(&p));
  return spec && tn__attr_find(&node->attrs, spec->name);
}

static const char* put_parts(form_t* form, const char* syntax) {
  uint32_t next_operand = 0;
  bool in_group = false;
  while (*syntax && *syntax != ':') {
    char c = *syntax;
    if (c == ' ') {
      form->blank = true;
      ++syntax;
    } else if (c == '$') {
      ++syntax;
      put_variable(form, &syntax, &next_operand);
    } else if (c == '?') {
      syntax += 2;  // ?(
      in_group = group_is_present(form->node, syntax);
      if (!in_group) syntax = strchr(syntax, ')') + 1;
    } else if (c == ')' && in_group) {
      in_group = false;
      ++syntax;
    } else {
      if (c == ',') form->blank = false;
      pay_blank(form);
      tn__put(form->printer, &c, 1);
      ++syntax;
    }
  }
  return syntax;
}

// The name as the place has it: the function's own dialect needs none.
static void put_name(tn_printer_t* printer, const tn_op_t* op) {
  bool is_own = op == TN__OP_OF(func, return ) || op == TN__OP_OF(func, call);
  tn__put_text(printer, is_own && !printer->in_region ? tn__op_short_name(op) : op->name);
}

bool tn__put_pretty(tn_printer_t* printer, const tn_node_t* node) {
  const char* syntax = node->op->syntax;
  if (!syntax) return false;
  const char* types = strrchr(syntax, ':');
  types = types ? types + 1 : "";
  while (*types == ' ') ++types;
  if (!counts_fit(node, types) || !attrs_fit(node, syntax)) return false;
  form_t form = {.printer = printer, .node = node, .blank = true};
  put_name(printer, node->op);
  put_parts(&form, syntax);
  tn__put_other_attrs(printer, node, form.named, form.named_count);
  if (*types) tn__put_types(printer, node, types);
  return true;
}
