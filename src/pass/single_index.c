// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// single-index: a gather of single elements becomes one from a list, by one index each
// (tn__node_looks_up), which can be a member of a fusion: neither its indices nor its elements are
// stored then. A scatter of single elements by several indices writes to a list by one. JAX's
// x[i, j], x.at[i, j] and searchsorted have them.
//
// Batching dimensions, which take_along_axis has, stay: to add where each batch begins costs more
// than to store its indices.
#include <tenon/detail/strided.h>

#include "kernel/target.h"
#include "pass/passes.h"

// Gathers and scatters call the same things by different names.
static const struct names {
  const char *numbers, *index_map, *window_dims, *batching_dims;
} gather_names = {"dimension_numbers", "start_index_map", "offset_dims", "operand_batching_dims"},
  scatter_names = {"scatter_dimension_numbers", "scatter_dims_to_operand_dims",
                   "update_window_dims", "input_batching_dims"};

typedef struct site {
  tn_node_t* node;
  tn_arena_t* arena;
  bool is_scatter;
  const struct names* names;
  tn_i64_list_t index_map, window_dims, batching_dims;
  int64_t vector_dim;
  const tn_type_t* table;    // where elements are
  const tn_type_t* windows;  // of what is gathered, or scattered
  const tn_type_t* places;   // of s32: the shape of all index vectors
  int64_t strides[TN_MAX_RANK];
  tn_value_t* place;   // of each element in the list; NULL: 0
  tn_value_t* inside;  // of a scatter: whether it is one; NULL: always
} site_t;

static tn_status_t read_site(tn_node_t* node, tn_arena_t* scratch, site_t* out) {
  const bool is_scatter = node->op == TN__OP(scatter);
  const struct names* names = is_scatter ? &scatter_names : &gather_names;
  *out = (site_t){.node = node,
                  .arena = &node->region->function->module->arena,
                  .is_scatter = is_scatter,
                  .names = names,
                  .table = node->operands[0]->type,
                  .windows = is_scatter ? node->operands[node->operand_count - 1]->type
                                        : node->results[0].type};
  const tn_attr_dictionary_t* fields = &tn__attr_find(&node->attrs, names->numbers)->dictionary;
  out->vector_dim = tn__attr_get_integer(fields, "index_vector_dim", 0);
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(fields, names->index_map, scratch, &out->index_map));
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(fields, names->window_dims, scratch, &out->window_dims));
  return tn__attr_get_i64_list(fields, names->batching_dims, scratch, &out->batching_dims);
}

// Whether dimension `d` of the windows is of one of them.
static bool is_window_dim(const site_t* site, size_t d) {
  for (size_t k = 0; k < site->window_dims.count; ++k) {
    if (site->window_dims.values[k] == (int64_t)d) return true;
  }
  return false;
}

static bool is_fit(const site_t* site, int64_t fewest) {
  const tn_node_t* node = site->node;
  const tn_type_t* indices = node->operands[1]->type;
  if (site->is_scatter && (node->operand_count != 3 || site->index_map.count < 2)) return false;
  if (!tn__type_is_static(site->table) || !tn__type_is_static(indices) ||
      !tn__type_is_static(site->windows) || site->batching_dims.count ||
      tn__type_size(site->windows) < fewest || tn__type_size(site->table) == 0 ||
      tn__type_size(site->table) > INT32_MAX || tn_dtype_bit_width(indices->dtype) < 8) {
    return false;
  }
  for (size_t d = 0; d < site->windows->rank; ++d) {
    if (is_window_dim(site, d) && site->windows->dims[d] != 1) return false;
  }
  return true;
}

// --- indices

static tn_status_t insert_splat(const site_t* site, tn_dtype_t dtype, int64_t number,
                                tn_value_t** out_value) {
  tn_pass_attrs_t constant = {.arena = site->arena}, broadcast = constant;
  const tn_type_t *type = NULL, *scalar = tn__type_scalar(dtype);
  const tn_attr_t* element = NULL;
  tn_value_t* value = NULL;
  TN_RETURN_IF_ERROR(
      tn__type_tensor(site->arena, dtype, site->places->rank, site->places->dims, &type));
  TN_RETURN_IF_ERROR(tn__attr_elements(site->arena, scalar, false, &number, &element));
  tn__pass_add_attr(&constant, "value", element);
  TN_RETURN_IF_ERROR(
      tn__pass_insert(site->node, TN__OP(constant), 0, NULL, &constant, scalar, &value));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&broadcast, "broadcast_dimensions", 0, NULL));
  return tn__pass_insert(site->node, TN__OP(broadcast_in_dim), 1, &value, &broadcast, type,
                         out_value);
}

// *value becomes op(*value, number).
static tn_status_t insert_with(const site_t* site, const tn_op_t* op, int64_t number,
                               tn_value_t** value) {
  tn_value_t* pair[2] = {*value, NULL};
  const tn_type_t* type = pair[0]->type;
  TN_RETURN_IF_ERROR(insert_splat(site, type->dtype, number, &pair[1]));
  return tn__pass_insert(site->node, op, 2, pair, NULL, type, value);
}

// *all becomes op(*all, value), or `value` if it is the first.
static tn_status_t insert_next(const site_t* site, const tn_op_t* op, tn_value_t* value,
                               tn_value_t** all) {
  tn_value_t* pair[] = {*all, value};
  if (*all) return tn__pass_insert(site->node, op, 2, pair, NULL, value->type, all);
  *all = value;
  return TN_OK;
}

static tn_status_t insert_slice(const site_t* site, tn_value_t* value, size_t dimension,
                                int64_t index, tn_value_t** out_value) {
  const tn_type_t *from = value->type, *type = NULL;
  int64_t starts[TN_MAX_RANK], limits[TN_MAX_RANK], strides[TN_MAX_RANK], dims[TN_MAX_RANK];
  tn_pass_attrs_t attrs = {.arena = site->arena};
  for (size_t d = 0; d < from->rank; ++d) {
    starts[d] = d == dimension ? index : 0;
    limits[d] = d == dimension ? index + 1 : from->dims[d];
    dims[d] = limits[d] - starts[d];
    strides[d] = 1;
  }
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "start_indices", from->rank, starts));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "limit_indices", from->rank, limits));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "strides", from->rank, strides));
  TN_RETURN_IF_ERROR(tn__type_tensor(site->arena, from->dtype, from->rank, dims, &type));
  return tn__pass_insert(site->node, TN__OP(slice), 1, &value, &attrs, type, out_value);
}

// Component `component` of all index vectors, as they are.
static tn_status_t insert_component(const site_t* site, size_t component, tn_value_t** out_value) {
  tn_value_t* value = tn__value_resolve(site->node->operands[1]);
  const tn_type_t *indices = value->type, *type = NULL;
  const size_t along = (size_t)site->vector_dim;
  const tn_node_t* maker = value->node;
  TN_RETURN_IF_ERROR(
      tn__type_tensor(site->arena, indices->dtype, site->places->rank, site->places->dims, &type));
  if (along < indices->rank && indices->dims[along] > 1) {
    const bool is_joined = maker && maker->op == TN__OP(concatenate) &&
                           maker->operand_count == (size_t)indices->dims[along] &&
                           tn__attr_get_integer(&maker->attrs, "dimension", -1) == (int64_t)along;
    if (is_joined) {
      value = tn__value_resolve(maker->operands[component]);
    } else {
      TN_RETURN_IF_ERROR(insert_slice(site, value, along, (int64_t)component, &value));
    }
  }
  return tn__pass_insert_reshape(site->node, value, type, out_value);
}

// The largest value of an integer type, or `limit` if that is less.
static int64_t limit_of(tn_dtype_t dtype, int64_t limit) {
  const uint32_t bits = tn_dtype_bit_width(dtype) - (tn_dtype_kind(dtype) != TN_KIND_UNSIGNED);
  const int64_t largest = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
  return largest < limit ? largest : limit;
}

// A start outside of the table is the nearest one inside.
static tn_status_t clamp_component(const site_t* site, int64_t limit, tn_value_t** value) {
  if (tn_dtype_kind((*value)->type->dtype) != TN_KIND_UNSIGNED) {
    TN_RETURN_IF_ERROR(insert_with(site, TN__OP(maximum), 0, value));
  }
  return insert_with(site, TN__OP(minimum), limit, value);
}

static tn_status_t insert_check(site_t* site, const char* direction, int64_t number,
                                tn_value_t* value) {
  tn_pass_attrs_t attrs = {.arena = site->arena};
  const tn_attr_t* attr = NULL;
  const tn_type_t* type = NULL;
  tn_value_t *pair[2] = {value, NULL}, *truth = NULL;
  TN_RETURN_IF_ERROR(
      tn__type_tensor(site->arena, TN_DTYPE_PRED, site->places->rank, site->places->dims, &type));
  TN_RETURN_IF_ERROR(insert_splat(site, value->type->dtype, number, &pair[1]));
  TN_RETURN_IF_ERROR(tn__attr_enum(site->arena, "comparison_direction", tn__sv(direction), &attr));
  tn__pass_add_attr(&attrs, "comparison_direction", attr);
  TN_RETURN_IF_ERROR(tn__pass_insert(site->node, TN__OP(compare), 2, pair, &attrs, type, &truth));
  return insert_next(site, TN__OP(and), truth, &site->inside);
}

// An update outside of the input is left out.
static tn_status_t check_component(site_t* site, int64_t limit, tn_value_t* value) {
  if (tn_dtype_kind(value->type->dtype) != TN_KIND_UNSIGNED) {
    TN_RETURN_IF_ERROR(insert_check(site, "GE", 0, value));
  }
  return insert_check(site, "LE", limit, value);
}

static tn_status_t add_component(site_t* site, size_t component) {
  const size_t d = (size_t)site->index_map.values[component];
  tn_value_t* value = NULL;
  if (site->table->dims[d] == 1 && !site->is_scatter) return TN_OK;
  TN_RETURN_IF_ERROR(insert_component(site, component, &value));
  const tn_dtype_t dtype = value->type->dtype;
  const int64_t limit = limit_of(dtype, site->table->dims[d] - 1);
  TN_RETURN_IF_ERROR(site->is_scatter ? check_component(site, limit, value)
                                      : clamp_component(site, limit, &value));
  if (dtype != TN_DTYPE_S32) {
    TN_RETURN_IF_ERROR(
        tn__pass_insert(site->node, TN__OP(convert), 1, &value, NULL, site->places, &value));
  }
  if (site->strides[d] > 1) {
    TN_RETURN_IF_ERROR(insert_with(site, TN__OP(multiply), site->strides[d], &value));
  }
  return insert_next(site, TN__OP(add), value, &site->place);
}

// Of a table with one dimension that is not 1 a start is the place, and clamped like it.
static tn_status_t find_place(site_t* site) {
  const tn_i64_list_t* map = &site->index_map;
  if (map->count == 1 && tn__type_size(site->table) == site->table->dims[map->values[0]]) {
    return insert_component(site, 0, &site->place);
  }
  for (size_t i = 0; i < map->count; ++i) TN_RETURN_IF_ERROR(add_component(site, i));
  if (!site->inside) return TN_OK;
  tn_value_t* operands[] = {site->inside, site->place, NULL};
  TN_RETURN_IF_ERROR(insert_splat(site, TN_DTYPE_S32, -1, &operands[2]));
  return tn__pass_insert(site->node, TN__OP(select), 3, operands, NULL, site->places, &site->place);
}

// --- the node

// The attributes, with the numbers of a list.
static tn_status_t make_attrs(const site_t* site, tn_attr_dictionary_t* out_attrs) {
  tn_arena_t* arena = site->arena;
  const int64_t zero = 0, one = 1;
  const tn_attr_dictionary_t* own = &site->node->attrs;
  const tn_attr_t* numbers = tn__attr_find(own, site->names->numbers);
  tn_pass_attrs_t fields = {.arena = arena}, attrs = fields;
  const tn_attr_t *rank = NULL, *made = NULL;
  const char* const removed_dims =
      site->is_scatter ? "inserted_window_dims" : "collapsed_slice_dims";
  TN_RETURN_IF_ERROR(tn__pass_add_list(&fields, removed_dims, 1, &zero));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&fields, site->names->index_map, 1, &zero));
  TN_RETURN_IF_ERROR(tn__attr_integer(arena, TN_DTYPE_S64, (int64_t)site->places->rank, &rank));
  tn__pass_add_attr(&fields, "index_vector_dim", rank);
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_STRUCT, numbers->name, fields.count,
                                         fields.entries, &made));
  tn__pass_add_attr(&attrs, site->names->numbers, made);
  if (site->is_scatter) {
    const tn_attr_t* unique = tn__attr_find(own, "unique_indices");
    if (unique) tn__pass_add_attr(&attrs, "unique_indices", unique);
  } else {
    TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "slice_sizes", 1, &one));
  }
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0},
                                         attrs.count, attrs.entries, &made));
  *out_attrs = made->dictionary;
  return TN_OK;
}

static tn_status_t insert_node(const site_t* site, tn_node_t** out_node) {
  tn_node_t* node = site->node;
  const int64_t size = tn__type_size(site->table);
  const tn_type_t *list = NULL, *elements = NULL;
  tn_attr_dictionary_t attrs = {0};
  tn_value_t* operands[3] = {NULL, site->place, NULL};
  TN_RETURN_IF_ERROR(tn__type_tensor(site->arena, site->table->dtype, 1, &size, &list));
  TN_RETURN_IF_ERROR(tn__type_tensor(site->arena, site->windows->dtype, site->places->rank,
                                     site->places->dims, &elements));
  TN_RETURN_IF_ERROR(
      tn__pass_insert_reshape(node, tn__value_resolve(node->operands[0]), list, &operands[0]));
  if (site->is_scatter) {
    TN_RETURN_IF_ERROR(tn__pass_insert_reshape(node, tn__value_resolve(node->operands[2]), elements,
                                               &operands[2]));
  }
  TN_RETURN_IF_ERROR(make_attrs(site, &attrs));
  return tn__node_insert(node,
                         &(tn_node_spec_t){.op = node->op,
                                           .operand_count = node->operand_count,
                                           .operands = operands,
                                           .result_count = 1,
                                           .result_types = site->is_scatter ? &list : &elements,
                                           .attrs = attrs,
                                           .region_count = node->region_count,
                                           .regions = node->regions,
                                           .location = node->location},
                         out_node);
}

static tn_status_t rewrite(site_t* site) {
  tn_node_t *node = site->node, *made = NULL;
  tn_value_t* result = NULL;
  int64_t dims[TN_MAX_RANK];
  size_t rank = 0;
  for (size_t d = 0; d < site->windows->rank; ++d) {
    if (!is_window_dim(site, d)) dims[rank++] = site->windows->dims[d];
  }
  TN_RETURN_IF_ERROR(tn__type_tensor(site->arena, TN_DTYPE_S32, rank, dims, &site->places));
  tn_row_major_strides(site->table->rank, site->table->dims, site->strides);
  TN_RETURN_IF_ERROR(find_place(site));
  if (!site->place) return TN_OK;
  TN_RETURN_IF_ERROR(insert_node(site, &made));
  made->results[0].name = node->results[0].name;
  TN_RETURN_IF_ERROR(
      tn__pass_insert_reshape(node, &made->results[0], node->results[0].type, &result));
  node->results[0].replacement = result;
  tn__node_remove(node);
  return TN_OK;
}

TN_APART static tn_status_t rewrite_node(tn_node_t* node, int64_t fewest, tn_arena_t* scratch) {
  site_t site;
  TN_RETURN_IF_ERROR(read_site(node, scratch, &site));
  return is_fit(&site, fewest) ? rewrite(&site) : TN_OK;
}

static tn_status_t rewrite_region(tn_region_t* region, int64_t fewest, tn_arena_t* scratch) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(rewrite_region(node->regions[i], fewest, scratch));
    }
    if (node->op == TN__OP(scatter) || (node->op == TN__OP(gather) && !tn__node_looks_up(node))) {
      TN_RETURN_IF_ERROR(rewrite_node(node, fewest, scratch));
    }
  }
  return TN_OK;
}

static tn_status_t rewrite_function(tn_function_t* function, tn_arena_t* scratch) {
  const int64_t fewest = tn__pass_fewest_fused(function->module->target);
  TN_RETURN_IF_ERROR(rewrite_region(function->body, fewest, scratch));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_index_singly(tn_module_t* module, tn_function_t* entry) {
  // Fusions of devices that launch their kernels hold no gathers.
  if (!module->target->fusion || !module->target->is_host) return TN_OK;
  return tn__pass_for_each_function(module, entry, rewrite_function);
}
