// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations of a module as steps. Those that transforms have rules for are brought into the form
// in which operations on arrays make them, since that is what the rules know.
#include <math.h>

#include "array/common.h"
#include "array/definition.h"
#include "array/views.h"
#include "call/operation.h"
#include "call/registry.h"
#include "import/import.h"
#include "ir/builder.h"
#include "lazy/body.h"

typedef struct tn_planner {
  tn_module_piece_t* piece;
  tn_scope_t* scope;
  tn_arena_t* arena;
} tn_planner_t;

static const tn_attr_t* attribute_of(const tn_module_piece_t* piece, const char* name) {
  return tn__attr_find(&piece->attributes, name);
}

static const int64_t* list_of(const tn_module_piece_t* piece, const char* name) {
  size_t count = 0;
  return tn__attr_get_elements(&piece->attributes, name, &count);
}

static const int64_t* dims_of(const tn_module_piece_t* piece) {
  return piece->result_types[0].dims;
}

static size_t rank_of(const tn_module_piece_t* piece) {
  return piece->result_types[0].rank;
}

// --- as they are

static void apply_plain(tn_scope_t* scope, const tn_module_piece_t* piece, tn_array_t** operands,
                        tn_array_t** out_results) {
  const tn_step_spec_t spec = {
      .op = piece->node->op,
      .excerpt = piece->excerpt,
      .operand_count =
          piece->node->operand_count + (piece->excerpt ? piece->excerpt->captured.count : 0),
      .operands = operands,
      .attributes = piece->attributes,
      .body = piece->body,
      .result_count = piece->node->result_count,
      .result_types = piece->result_types,
  };
  tn__step_add(scope, &spec, out_results);
}

static tn_status_t make_excerpt(const tn_planner_t* planner, tn_excerpt_t** out_excerpt) {
  void* memory = NULL;
  const tn_node_t* node = planner->piece->node;
  TN_RETURN_IF_ERROR(tn__arena_allocate(planner->arena, sizeof(tn_excerpt_t), &memory));
  tn_excerpt_t* excerpt = *out_excerpt = memory;
  excerpt->module = node->region->function->module;
  excerpt->node = node;
  excerpt->name = node->op->name;
  return tn__node_captured(node, planner->arena, &excerpt->captured);
}

static tn_status_t plan_excerpt(const tn_planner_t* planner) {
  tn_excerpt_t* excerpt = NULL;
  tn_module_piece_t* piece = planner->piece;
  TN_RETURN_IF_ERROR(make_excerpt(planner, &excerpt));
  piece->attributes = (tn_attr_dictionary_t){0};
  piece->excerpt = excerpt;
  piece->apply = apply_plain;
  return TN_OK;
}

// Attributes as they are, and the region that the node has: what rules need that only change
// dimensions.
static tn_status_t plan_region(const tn_planner_t* planner) {
  tn_module_piece_t* piece = planner->piece;
  const tn_node_t* node = piece->node;
  tn_captured_values_t captured;
  if (node->region_count != 1 || !node->regions[0]->last) return TN_OK;
  TN_RETURN_IF_ERROR(tn__node_captured(node, planner->arena, &captured));
  if (captured.count) return TN_OK;
  piece->body = node->regions[0];
  piece->apply = apply_plain;
  return TN_OK;
}

// --- constants

static void apply_constant(tn_scope_t* scope, const tn_module_piece_t* piece, tn_array_t** operands,
                           tn_array_t** out_results) {
  (void)operands;
  out_results[0] =
      piece->constant->rank == rank_of(piece)
          ? piece->constant
          : tn__view_broadcast(scope, piece->constant, NULL, rank_of(piece), dims_of(piece));
}

static tn_status_t keep_constant(tn_module_piece_t* piece, tn_array_t* constant) {
  TN_RETURN_IF_ERROR(tn_array_status(constant));
  piece->constant = tn_array_retain(constant);
  return TN_OK;
}

static tn_status_t plan_constant(const tn_planner_t* planner) {
  tn_module_piece_t* piece = planner->piece;
  const tn_attr_t* value = tn__attr_find(&piece->node->attrs, "value");
  const tn_array_type_t* type = &piece->result_types[0];
  if (!value || value->kind != TN_ATTR_ELEMENTS) return TN_OK;
  piece->apply = apply_constant;
  if (value->elements.splat) {
    return keep_constant(piece,
                         tn_array_scalar_of(planner->scope, type->dtype, value->elements.data));
  }
  return keep_constant(piece, tn_array_from_host(planner->scope, type->dtype, type->rank,
                                                 type->dims, value->elements.data,
                                                 tn__type_byte_size(piece->node->results[0].type)));
}

// --- views

static void apply_broadcast(tn_scope_t* scope, const tn_module_piece_t* piece,
                            tn_array_t** operands, tn_array_t** out_results) {
  out_results[0] = tn__view_broadcast(scope, operands[0], list_of(piece, "broadcast_dimensions"),
                                      rank_of(piece), dims_of(piece));
}

static void apply_reshape(tn_scope_t* scope, const tn_module_piece_t* piece, tn_array_t** operands,
                          tn_array_t** out_results) {
  out_results[0] = tn_array_reshape(scope, operands[0], rank_of(piece), dims_of(piece));
}

static void apply_transpose(tn_scope_t* scope, const tn_module_piece_t* piece,
                            tn_array_t** operands, tn_array_t** out_results) {
  out_results[0] = tn_array_transpose(scope, operands[0], list_of(piece, "permutation"));
}

static void apply_reverse(tn_scope_t* scope, const tn_module_piece_t* piece, tn_array_t** operands,
                          tn_array_t** out_results) {
  size_t count = 0;
  const int64_t* dimensions = tn__attr_get_elements(&piece->attributes, "dimensions", &count);
  out_results[0] = tn__view_reverse(scope, operands[0], count, dimensions);
}

static void apply_slice(tn_scope_t* scope, const tn_module_piece_t* piece, tn_array_t** operands,
                        tn_array_t** out_results) {
  out_results[0] = tn__view_slice(scope, operands[0], list_of(piece, "start_indices"),
                                  list_of(piece, "limit_indices"), list_of(piece, "strides"));
}

// --- element by element

// Operands without dimensions stand for all places.
static void apply_spread(tn_scope_t* scope, const tn_module_piece_t* piece, tn_array_t** operands,
                         tn_array_t** out_results) {
  for (uint32_t i = 0; i < piece->node->operand_count; ++i) {
    operands[i] = tn_array_broadcast_to(scope, operands[i], rank_of(piece), dims_of(piece));
  }
  apply_plain(scope, piece, operands, out_results);
}

// --- folds

// What changes nothing when it is folded with others; false when that is not known of the operation
// and the dtype.
static bool make_neutral(const tn_op_t* op, tn_dtype_t dtype, unsigned char* out_element) {
  const bool is_known = op == TN__OP(add) || op == TN__OP(multiply) || op == TN__OP(maximum) ||
                        op == TN__OP(minimum) || op == TN__OP(and) || op == TN__OP(or);
  const tn_kind_t kind = tn_dtype_kind(dtype);
  const size_t size = tn_dtype_byte_size(dtype);
  if (!is_known || (kind != TN_KIND_BOOL && tn_dtype_bit_width(dtype) != 8 * size)) return false;
  const bool is_highest = op == TN__OP(minimum), is_lowest = op == TN__OP(maximum);
  memset(out_element, 0, 16);
  if (op == TN__OP(add) || op == TN__OP(or)) return true;
  if (op == TN__OP(multiply) || (kind == TN_KIND_BOOL && !is_lowest)) {
    tn_dtype_store(dtype, 1, (char*)out_element);
    return true;
  }
  if (kind == TN_KIND_BOOL) return true;
  if (kind == TN_KIND_FLOAT) {
    tn_dtype_store(dtype, is_lowest ? -(double)INFINITY : (double)INFINITY, (char*)out_element);
    return dtype == TN_DTYPE_F16 || dtype == TN_DTYPE_BF16 || dtype == TN_DTYPE_F32 ||
           dtype == TN_DTYPE_F64;
  }
  if (!(kind & TN_KIND_INTEGER)) return false;
  if (is_highest || op == TN__OP(and)) memset(out_element, 0xFF, size);
  if (kind == TN_KIND_SIGNED && is_highest) out_element[size - 1] = 0x7F;
  if (kind == TN_KIND_SIGNED && is_lowest) out_element[size - 1] = 0x80;
  return true;
}

// Of one element, whatever its shape was on the way.
static bool is_constant(const tn_value_t* value, const unsigned char* element) {
  const tn_node_t* node = value->node;
  while (node && (node->op == TN__OP(broadcast_in_dim) || node->op == TN__OP(reshape))) {
    node = node->operands[0]->node;
  }
  const tn_attr_t* constant =
      node && node->op == TN__OP(constant) ? tn__attr_find(&node->attrs, "value") : NULL;
  return constant && constant->kind == TN_ATTR_ELEMENTS &&
         memcmp(constant->elements.data, element, tn_dtype_byte_size(value->type->dtype)) == 0;
}

// From the neutral element on, which is what the rules assume.
static void apply_fold(tn_scope_t* scope, const tn_module_piece_t* piece, tn_array_t** operands,
                       tn_array_t** out_results) {
  operands[1] = piece->constant;
  apply_plain(scope, piece, operands, out_results);
}

// The same, and the initial value is folded in afterwards.
static void apply_fold_and_more(tn_scope_t* scope, const tn_module_piece_t* piece,
                                tn_array_t** operands, tn_array_t** out_results) {
  tn_array_t* initial = operands[1];
  apply_fold(scope, piece, operands, out_results);
  tn_array_t* both[] = {
      out_results[0],
      tn_array_broadcast_to(scope, initial, rank_of(piece), dims_of(piece)),
  };
  out_results[0] = tn__apply(scope, tn__body_op(piece->body), 2, both, piece->result_types[0].dtype,
                             rank_of(piece), dims_of(piece));
}

static tn_status_t plan_fold(const tn_planner_t* planner) {
  tn_module_piece_t* piece = planner->piece;
  const tn_node_t* node = piece->node;
  unsigned char neutral[16];
  if (node->region_count != 1 || !node->regions[0]->last) return TN_OK;
  if (node->operand_count != 2) return node->op == TN__OP(reduce) ? plan_region(planner) : TN_OK;
  const tn_op_t* op = tn__body_op(node->regions[0]);
  const tn_dtype_t dtype = piece->result_types[0].dtype;
  if (dtype != node->operands[0]->type->dtype || !make_neutral(op, dtype, neutral)) {
    return plan_region(planner);
  }
  const bool is_neutral = is_constant(node->operands[1], neutral);
  // Windows have the initial value once for each element of padding as well.
  const bool is_idempotent = op != TN__OP(add) && op != TN__OP(multiply);
  if (!is_neutral && node->op == TN__OP(reduce_window) && !is_idempotent) return TN_OK;
  piece->body = node->regions[0];
  piece->apply = is_neutral ? apply_fold : apply_fold_and_more;
  return keep_constant(piece, tn_array_scalar_of(planner->scope, dtype, neutral));
}

static tn_status_t plan_scatter(const tn_planner_t* planner) {
  return planner->piece->node->operand_count == 3 ? plan_region(planner) : TN_OK;
}

// --- products

// Operands in the dtype of the result: a product of narrow ones that is wider is that of wide ones.
static void apply_dot(tn_scope_t* scope, const tn_module_piece_t* piece, tn_array_t** operands,
                      tn_array_t** out_results) {
  for (size_t i = 0; i < 2; ++i) {
    operands[i] = tn_array_astype(scope, operands[i], piece->result_types[0].dtype);
  }
  apply_plain(scope, piece, operands, out_results);
}

static tn_status_t plan_dot(const tn_planner_t* planner) {
  const tn_node_t* node = planner->piece->node;
  const tn_dtype_t dtype = planner->piece->result_types[0].dtype;
  if (attribute_of(planner->piece, "algorithm")) return TN_OK;  // which rules would lose
  for (size_t i = 0; i < 2; ++i) {
    if (tn_promote_types(node->operands[i]->type->dtype, dtype) != dtype) return TN_OK;
  }
  planner->piece->apply = apply_dot;
  return TN_OK;
}

// Numbers of the dimensions of one side: the first, those of space, the last, in this order.
static void read_side(const tn_module_piece_t* piece, const char* first, const char* middle,
                      const char* last, int64_t* out_axes) {
  const tn_attr_dictionary_t* numbers = &attribute_of(piece, "dimension_numbers")->dictionary;
  const size_t rank = rank_of(piece);
  size_t count = 0;
  const int64_t* spatial = tn__attr_get_elements(numbers, middle, &count);
  out_axes[0] = tn__attr_get_integer(numbers, first, 0);
  out_axes[rank - 1] = tn__attr_get_integer(numbers, last, 0);
  if (spatial) memcpy(out_axes + 1, spatial, (rank - 2) * sizeof *out_axes);
}

static void apply_convolution(tn_scope_t* scope, const tn_module_piece_t* piece,
                              tn_array_t** operands, tn_array_t** out_results) {
  int64_t axes[TN_MAX_RANK] = {0}, inverse[TN_MAX_RANK];
  int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
  const size_t rank = rank_of(piece);
  const int64_t* padding = list_of(piece, "padding");
  const tn_attr_t* reversal = attribute_of(piece, "window_reversal");
  for (size_t i = 0; padding && i + 2 < rank; ++i) {
    low[i] = padding[2 * i];
    high[i] = padding[2 * i + 1];
  }
  const tn_convolution_t options = {
      .struct_size = sizeof options,
      .stride = list_of(piece, "window_strides"),
      .padding_low = low,
      .padding_high = high,
      .kernel_dilation = list_of(piece, "rhs_dilation"),
      .input_dilation = list_of(piece, "lhs_dilation"),
      .groups = attribute_of(piece, "feature_group_count")->integer,
      .flip = reversal && reversal->dense_array.count && *(const bool*)reversal->dense_array.data,
  };
  read_side(piece, "input_batch_dimension", "input_spatial_dimensions", "input_feature_dimension",
            axes);
  tn_array_t* x = tn_array_transpose(scope, operands[0], axes);
  read_side(piece, "kernel_output_feature_dimension", "kernel_spatial_dimensions",
            "kernel_input_feature_dimension", axes);
  tn_array_t* kernel = tn_array_transpose(scope, operands[1], axes);
  read_side(piece, "output_batch_dimension", "output_spatial_dimensions",
            "output_feature_dimension", axes);
  for (size_t i = 0; i < rank; ++i) inverse[axes[i]] = (int64_t)i;
  out_results[0] =
      tn_array_transpose(scope, tn_array_conv_general(scope, x, kernel, &options), inverse);
}

static tn_status_t plan_convolution(const tn_planner_t* planner) {
  const tn_module_piece_t* piece = planner->piece;
  const tn_dtype_t dtype = piece->result_types[0].dtype;
  size_t reversal_count = 0;
  const bool* reversal =
      tn__attr_get_elements(&piece->attributes, "window_reversal", &reversal_count);
  bool is_usual = rank_of(piece) > 2 && attribute_of(piece, "batch_group_count")->integer == 1;
  for (size_t i = 0; i < 2; ++i) {
    if (piece->node->operands[i]->type->dtype != dtype) is_usual = false;
  }
  for (size_t i = 1; i < reversal_count; ++i) {
    if (reversal[i] != reversal[0]) is_usual = false;
  }
  // A kernel beyond the input gives nothing, which operations on arrays refuse.
  for (size_t i = 0; i < rank_of(piece); ++i) {
    if (dims_of(piece)[i] == 0) is_usual = false;
  }
  if (is_usual) planner->piece->apply = apply_convolution;
  return TN_OK;
}

// --- authors' operations

static void apply_called(tn_scope_t* scope, const tn_module_piece_t* piece, tn_array_t** operands,
                         tn_array_t** out_results) {
  const tn_application_t application = {
      .struct_size = sizeof application,
      .name = tn__op_called_name(piece->node->op).data,
      .operand_count = piece->node->operand_count,
      .operands = operands,
      .attribute_count = piece->given_count,
      .attributes = piece->given,
      .result_count = piece->node->result_count,
      .result_types = piece->result_types,
  };
  tn__apply_op(scope, piece->node->op, &application, out_results);
}

static tn_status_t are_row_major(const tn_planner_t* planner, const char* name, bool* out_are) {
  const tn_attr_t* layouts = tn__attr_find(&planner->piece->node->attrs, name);
  if (!layouts) return TN_OK;
  for (size_t i = 0; i < layouts->array.count; ++i) {
    const tn_named_attr_t entry = {TN_SV_LITERAL("layout"), layouts->array.items[i]};
    const tn_attr_dictionary_t dictionary = {1, &entry};
    tn_i64_list_t order;
    TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&dictionary, "layout", planner->arena, &order));
    for (size_t k = 0; k < order.count; ++k) {
      if (order.values[k] != (int64_t)(order.count - 1 - k)) *out_are = false;
    }
  }
  return TN_OK;
}

// A typed call of an operation that its author defined, with nothing but its dictionary.
static tn_status_t plan_called(const tn_planner_t* planner) {
  tn_module_piece_t* piece = planner->piece;
  if (!tn__op_definition(piece->node->op)) return TN_OK;
  const tn_attr_dictionary_t* attrs = &piece->node->attrs;
  const tn_attr_t* config = tn__attr_find(attrs, "mhlo.backend_config");
  const tn_attr_t* aliases = tn__attr_find(attrs, "output_operand_aliases");
  const bool is_typed = config || tn__attr_get_integer(attrs, "api_version", 1) == 4;
  bool is_plain = is_typed && !(aliases && aliases->array.count);
  if (!config) config = tn__attr_find(attrs, "backend_config");
  TN_RETURN_IF_ERROR(are_row_major(planner, "operand_layouts", &is_plain));
  TN_RETURN_IF_ERROR(are_row_major(planner, "result_layouts", &is_plain));
  if (config && config->kind != TN_ATTR_DICTIONARY) is_plain = false;
  if (is_plain && config) {
    tn_attribute_t* given = NULL;
    TN_RETURN_IF_ERROR(tn__attribute_list(&config->dictionary, planner->arena, &given, &is_plain));
    piece->given = given;
  }
  if (!is_plain) return TN_OK;
  piece->given_count = config ? config->dictionary.count : 0;
  piece->apply = apply_called;
  return TN_OK;
}

// --- all of them

static tn_status_t plan_view(const tn_planner_t* planner) {
  static const struct {
    const tn_op_t* op;
    void (*apply)(tn_scope_t* scope, const tn_module_piece_t* piece, tn_array_t** operands,
                  tn_array_t** out_results);
  } views[] = {
      {TN__OP(broadcast_in_dim), apply_broadcast},
      {TN__OP(clamp), apply_spread},
      {TN__OP(reshape), apply_reshape},
      {TN__OP(reverse), apply_reverse},
      {TN__OP(select), apply_spread},
      {TN__OP(slice), apply_slice},
      {TN__OP(transpose), apply_transpose},
  };
  for (size_t i = 0; i < sizeof views / sizeof *views; ++i) {
    if (views[i].op == planner->piece->node->op) planner->piece->apply = views[i].apply;
  }
  return TN_OK;
}

static const tn_attr_spec_t* find_spec(const tn_op_t* op, tn_string_view_t name) {
  for (const tn_attr_spec_t* spec = op->attrs; spec && spec->name; ++spec) {
    if (tn__sv_is(name, spec->name)) return spec;
  }
  return NULL;
}

// Says how, not what.
static bool is_hint(const tn_attr_spec_t* spec) {
  return strcmp(spec->name, "precision_config") == 0 || strcmp(spec->name, "result_accuracy") == 0;
}

// A list in the one form that rules read: dense, with all elements, whichever way it was written.
static tn_status_t write_out(tn_arena_t* arena, const tn_attr_spec_t* spec,
                             tn_named_attr_t* entry) {
  const tn_attr_dictionary_t alone = {1, entry};
  const tn_attr_t* attr = entry->attr;
  tn_i64_list_t list;
  void* memory = NULL;
  const bool is_pairs = spec->type == TN_ATTR_TYPE_I64_PAIRS && attr->kind == TN_ATTR_ELEMENTS &&
                        attr->elements.splat;
  const bool is_list =
      (spec->type == TN_ATTR_TYPE_I64_LIST || spec->type == TN_ATTR_TYPE_BOOL_LIST) &&
      attr->kind != TN_ATTR_DENSE_ARRAY;
  if (!is_pairs && !is_list) return TN_OK;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&alone, spec->name, arena, &list));
  if (is_pairs) {
    return tn__attr_elements(arena, attr->elements.type, false, list.values, &entry->attr);
  }
  if (spec->type == TN_ATTR_TYPE_I64_LIST) {
    return tn__attr_i64_array(arena, list.count, list.values, &entry->attr);
  }
  TN_RETURN_IF_ERROR(tn__arena_allocate(arena, list.count, &memory));
  bool* values = memory;
  for (size_t i = 0; i < list.count; ++i) values[i] = list.values[i] != 0;
  return tn__attr_dense_array(arena, TN_DTYPE_PRED, (int64_t)list.count, values, &entry->attr);
}

// Those that the operation specifies, without hints for compilers.
static tn_status_t read_attributes(const tn_planner_t* planner) {
  const tn_node_t* node = planner->piece->node;
  tn_named_attr_t* entries = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(planner->arena, node->attrs.count, &entries));
  size_t count = 0;
  for (size_t i = 0; i < node->attrs.count; ++i) {
    const tn_attr_spec_t* spec = find_spec(node->op, node->attrs.entries[i].name);
    if (!spec || is_hint(spec)) continue;
    entries[count] = node->attrs.entries[i];
    TN_RETURN_IF_ERROR(write_out(planner->arena, spec, &entries[count++]));
  }
  planner->piece->attributes = (tn_attr_dictionary_t){count, entries};
  return TN_OK;
}

static tn_status_t plan(const tn_planner_t* planner) {
  static const struct {
    const tn_op_t* op;
    tn_status_t (*plan)(const tn_planner_t* planner);
  } plans[] = {
      {TN__OP(constant), plan_constant},  {TN__OP(convolution), plan_convolution},
      {TN__OP(dot_general), plan_dot},    {TN__OP(reduce), plan_fold},
      {TN__OP(reduce_window), plan_fold}, {TN__OP(scatter), plan_scatter},
      {TN__OP(sort), plan_region},
  };
  tn_module_piece_t* piece = planner->piece;
  const tn_node_t* node = piece->node;
  if (tn__op_is_called(node->op)) return plan_called(planner);
  TN_RETURN_IF_ERROR(read_attributes(planner));
  for (size_t i = 0; i < sizeof plans / sizeof *plans; ++i) {
    if (plans[i].op == node->op) return plans[i].plan(planner);
  }
  if (node->region_count) return TN_OK;
  piece->apply = apply_plain;
  return plan_view(planner);
}

static tn_status_t read_types(const tn_planner_t* planner) {
  const tn_node_t* node = planner->piece->node;
  TN_RETURN_IF_ERROR(
      TN_ARENA_ARRAY(planner->arena, node->result_count, &planner->piece->result_types));
  for (uint32_t i = 0; i < node->result_count; ++i) {
    const tn_type_t* type = node->results[i].type;
    if (!tn__type_is_tensor(type) || !tn__type_is_static(type)) {
      return tn_status_create(TN_CODE_UNIMPLEMENTED,
                              "%s: a result is a %s; arrays are tensors of a fixed shape",
                              node->op->name, TN_TYPE_TEXT(type));
    }
    planner->piece->result_types[i] = (tn_array_type_t){type->dtype, type->rank, type->dims};
  }
  return TN_OK;
}

tn_status_t tn__piece_init(tn_module_piece_t* piece, tn_scope_t* scope, const tn_node_t* node,
                           tn_arena_t* arena) {
  const tn_planner_t planner = {piece, scope, arena};
  *piece = (tn_module_piece_t){.node = node};
  if (node->op == TN__OP_OF(func, call)) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "the calls of the function make it larger than can be imported");
  }
  TN_RETURN_IF_ERROR(read_types(&planner));
  TN_RETURN_IF_ERROR(plan(&planner));
  return piece->apply ? TN_OK : plan_excerpt(&planner);
}

void tn__piece_deinit(tn_module_piece_t* piece) {
  tn_array_release(piece->constant);
}
