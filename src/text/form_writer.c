// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Writes operations whose pretty form follows no pattern.
#include <stdio.h>

#include "text/printer.h"

static const tn_attr_t* find(const tn_node_t* node, const char* name, tn_attr_kind_t kind) {
  const tn_attr_t* attr = tn__attr_find(&node->attrs, name);
  return attr && attr->kind == kind ? attr : NULL;
}

// As find, a list of 64-bit integers.
static const tn_attr_t* find_list(const tn_node_t* node, const char* name) {
  const tn_attr_t* attr = find(node, name, TN_ATTR_DENSE_ARRAY);
  return attr && attr->dtype == TN_DTYPE_S64 ? attr : NULL;
}

// Present, or present in another kind than the pretty form has.
static bool has_odd(const tn_node_t* node, const char* name, tn_attr_kind_t kind) {
  const tn_attr_t* attr = tn__attr_find(&node->attrs, name);
  return attr && attr->kind != kind;
}

static const tn_type_t* operand_type(const tn_node_t* node, uint32_t index) {
  return tn__value_resolve(node->operands[index])->type;
}

static void put_operand(tn_printer_t* printer, const tn_node_t* node, uint32_t index) {
  tn__put_value(printer, tn__value_resolve(node->operands[index]));
}

#define OTHER_ATTRS(...)                                                 \
  tn__put_other_attrs(printer, node, (const char* const[]){__VA_ARGS__}, \
                      sizeof((const char* const[]){__VA_ARGS__}) / sizeof(char*))

// --- constants

static bool put_constant(tn_printer_t* printer, const tn_node_t* node) {
  const tn_attr_t* value = find(node, "value", TN_ATTR_ELEMENTS);
  if (!value || node->operand_count || node->result_count != 1) return false;
  if (!tn_type_equal(value->elements.type, node->results[0].type)) return false;
  tn__put_text(printer, node->op->name);
  OTHER_ATTRS("value");
  tn__put(printer, " ", 1);
  tn__put_attr(printer, value);
  return true;
}

static bool put_check_const(tn_printer_t* printer, const tn_node_t* node) {
  const tn_attr_t* value = find(node, "value", TN_ATTR_ELEMENTS);
  if (!value || node->operand_count != 1 || node->result_count) return false;
  tn__put_text(printer, node->op->name);
  tn__put(printer, " ", 1);
  tn__put_operands(printer, node);
  tn__put(printer, ", ", 2);
  tn__put_attr(printer, value);
  OTHER_ATTRS("value");
  return true;
}

// --- small ones

static bool put_reduce_precision(tn_printer_t* printer, const tn_node_t* node) {
  const tn_attr_t* exponent = find(node, "exponent_bits", TN_ATTR_INTEGER);
  const tn_attr_t* mantissa = find(node, "mantissa_bits", TN_ATTR_INTEGER);
  if (!exponent || !mantissa || exponent->integer < 0 || mantissa->integer < 0) return false;
  if (node->operand_count != 1 || node->result_count != 1) return false;
  tn__put_text(printer, "stablehlo.reduce_precision ");
  tn__put_operands(printer, node);
  tn__put_text(printer, ", format = e");
  tn__put_integer(printer, exponent->integer);
  tn__put(printer, "m", 1);
  tn__put_integer(printer, mantissa->integer);
  OTHER_ATTRS("exponent_bits", "mantissa_bits");
  tn__put_types(printer, node, "SAME");
  return true;
}

static bool put_slice(tn_printer_t* printer, const tn_node_t* node) {
  const tn_attr_t* start = find_list(node, "start_indices");
  const tn_attr_t* limit = find_list(node, "limit_indices");
  const tn_attr_t* stride = find_list(node, "strides");
  if (!start || !limit || !stride || node->operand_count != 1) return false;
  int64_t count = start->dense_array.count;
  if (limit->dense_array.count != count || stride->dense_array.count != count) return false;
  tn__put_text(printer, "stablehlo.slice ");
  tn__put_operands(printer, node);
  tn__put(printer, " [", 2);
  for (int64_t i = 0; i < count; ++i) {
    int64_t step = ((const int64_t*)stride->dense_array.data)[i];
    if (i) tn__put(printer, ", ", 2);
    tn__put_integer(printer, ((const int64_t*)start->dense_array.data)[i]);
    tn__put(printer, ":", 1);
    tn__put_integer(printer, ((const int64_t*)limit->dense_array.data)[i]);
    if (step == 1) continue;
    tn__put(printer, ":", 1);
    tn__put_integer(printer, step);
  }
  tn__put(printer, "]", 1);
  OTHER_ATTRS("start_indices", "limit_indices", "strides");
  tn__put_types(printer, node, "FT");
  return true;
}

static bool put_optimization_barrier(tn_printer_t* printer, const tn_node_t* node) {
  if (node->operand_count != node->result_count) return false;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (!tn_type_equal(operand_type(node, i), node->results[i].type)) return false;
  }
  tn__put_text(printer, "stablehlo.optimization_barrier");
  if (node->operand_count == 0) {
    tn__put(printer, "()", 2);
    tn__put_other_attrs(printer, node, NULL, 0);
    return true;
  }
  tn__put_other_attrs(printer, node, NULL, 0);
  tn__put(printer, " ", 1);
  tn__put_operands(printer, node);
  tn__put_types(printer, node, "TYPES");
  return true;
}

// --- dot_general

static void put_pair(tn_printer_t* printer, const tn_attr_t* numbers, const char* label,
                     const char* left, const char* right, bool even_if_empty) {
  const tn_attr_t* lists[2] = {tn__attr_find(&numbers->dictionary, left),
                               tn__attr_find(&numbers->dictionary, right)};
  if (!lists[0] && !lists[1] && !even_if_empty) return;
  tn__put_text(printer, label);
  for (int i = 0; i < 2; ++i) {
    if (i) tn__put(printer, " x ", 3);
    if (lists[i]) {
      tn__put_i64_list(printer, lists[i]);
    } else {
      tn__put(printer, "[]", 2);
    }
  }
}

static bool put_dot_general(tn_printer_t* printer, const tn_node_t* node) {
  const tn_attr_t* numbers = find(node, "dot_dimension_numbers", TN_ATTR_STRUCT);
  const tn_attr_t* precision = find(node, "precision_config", TN_ATTR_ARRAY);
  const tn_attr_t* algorithm = find(node, "algorithm", TN_ATTR_STRUCT);
  if (!numbers || has_odd(node, "precision_config", TN_ATTR_ARRAY) ||
      has_odd(node, "algorithm", TN_ATTR_STRUCT) || node->operand_count != 2) {
    return false;
  }
  tn__put_text(printer, "stablehlo.dot_general ");
  tn__put_operands(printer, node);
  put_pair(printer, numbers, ", batching_dims = ", "lhs_batching_dimensions",
           "rhs_batching_dimensions", false);
  put_pair(printer, numbers, ", contracting_dims = ", "lhs_contracting_dimensions",
           "rhs_contracting_dimensions", true);
  if (precision) {
    tn__put_text(printer, ", precision = ");
    tn__put_natural_attr(printer, precision);
  }
  if (algorithm) {
    tn__put_text(printer, ", algorithm = ");
    tn__put_natural_attr(printer, algorithm);
  }
  OTHER_ATTRS("dot_dimension_numbers", "precision_config", "algorithm");
  tn__put_types(printer, node, "FT");
  return true;
}

// --- convolution

static void put_padding(tn_printer_t* printer, const tn_attr_t* padding) {
  const int64_t* values = padding->elements.data;
  int64_t pairs = padding->elements.type->dims[0];
  tn__put(printer, "[", 1);
  for (int64_t i = 0; i < pairs; ++i) {
    bool splat = padding->elements.splat;
    tn__put_text(printer, i ? ", [" : "[");
    tn__put_integer(printer, values[splat ? 0 : 2 * i]);
    tn__put(printer, ", ", 2);
    tn__put_integer(printer, values[splat ? 0 : 2 * i + 1]);
    tn__put(printer, "]", 1);
  }
  tn__put(printer, "]", 1);
}

static bool window_fits(const tn_node_t* node) {
  static const char* const lists[] = {"window_strides", "lhs_dilation", "rhs_dilation"};
  const tn_attr_t* padding = tn__attr_find(&node->attrs, "padding");
  const tn_attr_t* reversal = tn__attr_find(&node->attrs, "window_reversal");
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
    if (tn__attr_find(&node->attrs, lists[i]) && !find_list(node, lists[i])) return false;
  }
  if (padding) {
    if (padding->kind != TN_ATTR_ELEMENTS) return false;
    const tn_type_t* type = padding->elements.type;
    if (type->rank != 2 || type->dims[1] != 2 || type->dtype != TN_DTYPE_S64) return false;
  }
  return !reversal || (reversal->kind == TN_ATTR_DENSE_ARRAY && reversal->dtype == TN_DTYPE_PRED);
}

static bool put_convolution(tn_printer_t* printer, const tn_node_t* node) {
  static const struct {
    const char *name, *label;
  } entries[] = {{"window_strides", "stride"},
                 {"padding", "pad"},
                 {"lhs_dilation", "lhs_dilate"},
                 {"rhs_dilation", "rhs_dilate"},
                 {"window_reversal", "reverse"}};
  const tn_attr_t* numbers = find(node, "dimension_numbers", TN_ATTR_STRUCT);
  if (!numbers || !tn__convolution_numbers_are_plain(numbers) || node->operand_count != 2) {
    return false;
  }
  if (!window_fits(node)) return false;
  tn__put_text(printer, "stablehlo.convolution(");
  tn__put_operands(printer, node);
  tn__put_text(printer, ") dim_numbers = ");
  tn__put_convolution_numbers(printer, numbers);
  tn__put_text(printer, ", window = {");
  bool first = true;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i) {
    const tn_attr_t* attr = tn__attr_find(&node->attrs, entries[i].name);
    if (!attr) continue;
    if (!first) tn__put(printer, ", ", 2);
    first = false;
    tn__put_text(printer, entries[i].label);
    tn__put(printer, " = ", 3);
    if (attr->kind == TN_ATTR_ELEMENTS) {
      put_padding(printer, attr);
    } else {
      tn__put_natural_attr(printer, attr);
    }
  }
  tn__put(printer, "}", 1);
  OTHER_ATTRS("dimension_numbers", "window_strides", "padding", "lhs_dilation", "rhs_dilation",
              "window_reversal");
  tn__put_types(printer, node, "FT");
  return true;
}

// --- calls

static bool put_custom_call(tn_printer_t* printer, const tn_node_t* node) {
  const tn_attr_t* target = find(node, "call_target_name", TN_ATTR_STRING);
  if (!target || node->region_count) return false;
  tn__put_text(printer, "stablehlo.custom_call ");
  tn__put_symbol(printer, target->string);
  tn__put(printer, "(", 1);
  tn__put_operands(printer, node);
  tn__put(printer, ")", 1);
  OTHER_ATTRS("call_target_name");
  tn__put_types(printer, node, "FT");
  return true;
}

static bool put_composite(tn_printer_t* printer, const tn_node_t* node) {
  const tn_attr_t* name = find(node, "name", TN_ATTR_STRING);
  if (!name) return false;
  tn__put_text(printer, "stablehlo.composite ");
  tn__put_string(printer, name->string);
  if (node->operand_count) tn__put(printer, " ", 1);
  tn__put_operands(printer, node);
  if (node->region_count) {
    tn__put(printer, " ", 1);
    tn__put_region_list(printer, node);
  }
  OTHER_ATTRS("name");
  tn__put_types(printer, node, "FT");
  return true;
}

// --- while

static bool arguments_are_operands(const tn_node_t* node, const tn_region_t* region) {
  if (region->argument_count != node->operand_count) return false;
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    if (!tn_type_equal(region->arguments[i].type, operand_type(node, i))) return false;
  }
  return true;
}

static bool put_while(tn_printer_t* printer, const tn_node_t* node) {
  if (node->region_count != 2 || node->result_count != node->operand_count ||
      !arguments_are_operands(node, node->regions[0]) ||
      !arguments_are_operands(node, node->regions[1])) {
    return false;
  }
  const tn_region_t *condition = node->regions[0], *body = node->regions[1];
  tn_name_scope_t scope = tn__printer_enter(printer);
  tn__put_text(printer, "stablehlo.while(");
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (i) tn__put(printer, ", ", 2);
    tn__printer_name(printer, &condition->arguments[i], "iterArg");
    tn__put_value(printer, &condition->arguments[i]);
    tn__put(printer, " = ", 3);
    put_operand(printer, node, i);
  }
  tn__put(printer, ")", 1);
  tn__put_types(printer, node, "TYPES");
  if (node->attrs.count) {
    tn__put_text(printer, " attributes ");
    tn__put_dictionary(printer, &node->attrs);
  }
  tn__put_line(printer);
  tn__put_text(printer, "cond ");
  tn__put_region(printer, condition);
  tn__printer_leave(printer, scope);
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    tn__printer_name_alike(printer, &body->arguments[i], &condition->arguments[i]);
  }
  tn__put_text(printer, " do ");
  tn__put_region(printer, body);
  tn__printer_leave(printer, scope);
  return true;
}

// --- reduce

// The operation, when the region only applies it to its two arguments and `applies` says so much.
static const tn_op_t* applied(const tn_node_t* node) {
  const tn_region_t* region = node->regions[0];
  const tn_node_t *first = region->first, *last = region->last;
  if (node->operand_count != 2 || !first || first->next != last || region->argument_count != 2) {
    return NULL;
  }
  const tn_op_t* op = first->op;
  bool fits = tn__op_has(op, TN_COMMUTATIVE) && strncmp(op->name, "stablehlo.", 10) == 0 &&
              first->attrs.count == 0 && first->operand_count == 2 && first->result_count == 1 &&
              tn__value_resolve(first->operands[0]) == &region->arguments[0] &&
              tn__value_resolve(first->operands[1]) == &region->arguments[1] &&
              last->op == TN__OP(return ) && last->attrs.count == 0 && last->operand_count == 1 &&
              tn__value_resolve(last->operands[0]) == &first->results[0];
  const tn_type_t* scalar = tn__type_scalar(tn_type_dtype(operand_type(node, 0)));
  fits = fits && scalar && tn_type_equal(region->arguments[0].type, scalar) &&
         tn_type_equal(region->arguments[1].type, scalar) &&
         tn_type_equal(first->results[0].type, scalar);
  return fits ? op : NULL;
}

// reducer(%a: T, %c: T) (%b: U, %d: U) {...}: group i has arguments i and i + N.
static void put_reducer(tn_printer_t* printer, const tn_region_t* region) {
  tn_name_scope_t scope = tn__printer_enter(printer);
  uint32_t groups = region->argument_count / 2;
  tn__put_line(printer);
  tn__put_text(printer, " reducer");
  for (uint32_t i = 0; i < groups; ++i) {
    tn__put_text(printer, i ? " (" : "(");
    for (uint32_t j = 0; j < 2; ++j) {
      const tn_value_t* argument = &region->arguments[i + j * groups];
      tn__printer_name(printer, argument, "arg");
      if (j) tn__put(printer, ", ", 2);
      tn__put_value(printer, argument);
      tn__put(printer, ": ", 2);
      tn__put_type(printer, argument->type);
    }
    tn__put(printer, ")", 1);
  }
  tn__put(printer, " ", 1);
  tn__put_region(printer, region);
  tn__printer_leave(printer, scope);
}

static bool put_reduce(tn_printer_t* printer, const tn_node_t* node) {
  const tn_attr_t* dimensions = find_list(node, "dimensions");
  uint32_t count = node->operand_count / 2;
  if (!dimensions || count == 0 || node->operand_count % 2 || node->region_count != 1 ||
      node->regions[0]->argument_count != node->operand_count) {
    return false;
  }
  const tn_op_t* op = applied(node);
  tn__put_text(printer, "stablehlo.reduce");
  for (uint32_t i = 0; i < count; ++i) {
    tn__put_text(printer, i ? ", (" : "(");
    put_operand(printer, node, i);
    tn__put_text(printer, " init: ");
    put_operand(printer, node, count + i);
    tn__put(printer, ")", 1);
  }
  if (op) {
    tn__put_text(printer, " applies ");
    tn__put_text(printer, op->name);
  }
  tn__put_text(printer, " across dimensions = ");
  tn__put_i64_list(printer, dimensions);
  OTHER_ATTRS("dimensions");
  tn__put_types(printer, node, "FT");
  if (!op) put_reducer(printer, node->regions[0]);
  return true;
}

// --- scan

static bool put_scan(tn_printer_t* printer, const tn_node_t* node) {
  static const char* const used[] = {"dimension", "operandSegmentSizes", "resultSegmentSizes"};
  const tn_attr_t* dimension = find(node, "dimension", TN_ATTR_INTEGER);
  const tn_attr_t* segments = find(node, "operandSegmentSizes", TN_ATTR_DENSE_ARRAY);
  if (!dimension || !segments || segments->dtype != TN_DTYPE_S32 ||
      segments->dense_array.count != 2 || node->region_count != 1) {
    return false;
  }
  const int32_t inputs = ((const int32_t*)segments->dense_array.data)[0];
  tn__put_text(printer, "chlo.scan(");
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if ((int64_t)i == inputs) tn__put_text(printer, ") inits (");
    if (i && (int64_t)i != inputs) tn__put(printer, ", ", 2);
    put_operand(printer, node, i);
  }
  if (inputs >= (int64_t)node->operand_count) tn__put_text(printer, ") inits (");
  tn__put_text(printer, ") dimension=");
  tn__put_integer(printer, dimension->integer);
  size_t other_count = node->attrs.count;
  for (size_t i = 0; i < sizeof used / sizeof *used; ++i) {
    if (tn__attr_find(&node->attrs, used[i])) --other_count;
  }
  if (other_count) tn__put_text(printer, " attributes");
  tn__put_other_attrs(printer, node, used, sizeof used / sizeof *used);
  tn__put(printer, " ", 1);
  tn__put_labelled_region(printer, node->regions[0]);
  tn__put_types(printer, node, "FT");
  return true;
}

// --- which operation has which

typedef bool (*form_t)(tn_printer_t* printer, const tn_node_t* node);

bool tn__put_form(tn_printer_t* printer, const tn_node_t* node) {
  static const struct {
    const char* op;
    form_t put;
  } forms[] = {
      {"stablehlo.constant", put_constant},
      {"chlo.constant", put_constant},
      {"check.expect_eq_const", put_check_const},
      {"check.expect_almost_eq_const", put_check_const},
      {"stablehlo.reduce_precision", put_reduce_precision},
      {"stablehlo.slice", put_slice},
      {"stablehlo.optimization_barrier", put_optimization_barrier},
      {"stablehlo.dot_general", put_dot_general},
      {"stablehlo.convolution", put_convolution},
      {"stablehlo.custom_call", put_custom_call},
      {"stablehlo.composite", put_composite},
      {"stablehlo.reduce", put_reduce},
      {"stablehlo.while", put_while},
      {"chlo.scan", put_scan},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    if (strcmp(tn__op_written(node->op)->name, forms[i].op) == 0)
      return forms[i].put(printer, node);
  }
  return false;
}
