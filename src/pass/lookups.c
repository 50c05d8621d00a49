// look-up: a gather of single elements becomes one from a list, by one index each
// (tn__node_looks_up), which can be a member of a fusion: neither its indices nor its elements are
// stored then. JAX's x[i, j] and searchsorted have them. One with batching dimensions, as
// take_along_axis has, stays: to add where each batch begins costs more than to store its indices.
#include <tenon/detail/strided.h>

#include "kernel/target.h"
#include "pass/passes.h"

typedef struct numbers {
  tn_i64_list_t offset_dims, batching, start_map, slice_sizes;
  int64_t vector_dim;
} numbers_t;

// What is made before the gather.
typedef struct lookup {
  tn_node_t* node;
  tn_arena_t* arena;
  numbers_t numbers;
  const tn_type_t* table;
  const tn_type_t* places;  // of s32: the shape of all indices, one for each element
  int64_t strides[TN_MAX_RANK];
  tn_value_t* place;  // NULL: 0
} lookup_t;

static tn_status_t read_numbers(const tn_node_t* node, tn_arena_t* scratch, numbers_t* out) {
  const tn_attr_t* attr = tn__attr_find(&node->attrs, "dimension_numbers");
  const tn_attr_dictionary_t* fields = &attr->dictionary;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(fields, "offset_dims", scratch, &out->offset_dims));
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(fields, "operand_batching_dims", scratch, &out->batching));
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(fields, "start_index_map", scratch, &out->start_map));
  out->vector_dim = tn__attr_get_integer(fields, "index_vector_dim", 0);
  return tn__attr_get_i64_list(&node->attrs, "slice_sizes", scratch, &out->slice_sizes);
}

static bool is_fit(const tn_node_t* node, const numbers_t* numbers, int64_t fewest) {
  const tn_type_t *table = node->operands[0]->type, *indices = node->operands[1]->type;
  const tn_type_t* result = node->results[0].type;
  if (!tn__type_is_static(table) || !tn__type_is_static(indices) || !tn__type_is_static(result) ||
      numbers->batching.count || tn__type_size(result) < fewest ||
      tn__type_size(table) > INT32_MAX || tn_dtype_bit_width(indices->dtype) < 8) {
    return false;
  }
  for (size_t d = 0; d < numbers->slice_sizes.count; ++d) {
    if (numbers->slice_sizes.values[d] != 1) return false;
  }
  return true;
}

// op(value, number)
static tn_status_t insert_with(const lookup_t* lookup, const tn_op_t* op, int64_t number,
                               tn_value_t** value) {
  tn_pass_attrs_t constant = {.arena = lookup->arena}, broadcast = constant;
  const tn_type_t *type = (*value)->type, *scalar = tn__type_scalar(type->dtype);
  const tn_attr_t* element = NULL;
  tn_value_t *pair[2] = {*value, NULL}, *number_value = NULL;
  TN_RETURN_IF_ERROR(tn__attr_elements(lookup->arena, scalar, false, &number, &element));
  tn__pass_add_attr(&constant, "value", element);
  TN_RETURN_IF_ERROR(
      tn__pass_insert(lookup->node, TN__OP(constant), 0, NULL, &constant, scalar, &number_value));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&broadcast, "broadcast_dimensions", 0, NULL));
  TN_RETURN_IF_ERROR(tn__pass_insert(lookup->node, TN__OP(broadcast_in_dim), 1, &number_value,
                                     &broadcast, type, &pair[1]));
  return tn__pass_insert(lookup->node, op, 2, pair, NULL, type, value);
}

static tn_status_t insert_sum(const lookup_t* lookup, tn_value_t* term, tn_value_t** sum) {
  tn_value_t* pair[] = {*sum, term};
  if (*sum == NULL) {
    *sum = term;
    return TN_OK;
  }
  return tn__pass_insert(lookup->node, TN__OP(add), 2, pair, NULL, term->type, sum);
}

// Component `component` of all index vectors, as they are.
static tn_status_t insert_component(const lookup_t* lookup, size_t component,
                                    tn_value_t** out_value) {
  tn_value_t* indices = tn__value_resolve(lookup->node->operands[1]);
  const size_t rank = indices->type->rank, along = (size_t)lookup->numbers.vector_dim;
  const tn_type_t* type = NULL;
  const tn_node_t* maker = indices->node;
  *out_value = indices;
  TN_RETURN_IF_ERROR(tn__type_tensor(lookup->arena, indices->type->dtype, lookup->places->rank,
                                     lookup->places->dims, &type));
  if (along < rank && indices->type->dims[along] > 1) {
    const bool is_joined = maker && maker->op == TN__OP(concatenate) &&
                           maker->operand_count == (size_t)indices->type->dims[along] &&
                           tn__attr_get_integer(&maker->attrs, "dimension", -1) == (int64_t)along;
    if (is_joined) {
      *out_value = maker->operands[component];
    } else {
      int64_t lists[3][TN_MAX_RANK];
      const tn_type_t* part = NULL;
      tn_pass_attrs_t attrs = {.arena = lookup->arena};
      for (size_t d = 0; d < rank; ++d) {
        lists[0][d] = d == along ? (int64_t)component : 0;
        lists[1][d] = d == along ? (int64_t)component + 1 : indices->type->dims[d];
        lists[2][d] = 1;
      }
      TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "start_indices", rank, lists[0]));
      TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "limit_indices", rank, lists[1]));
      TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "strides", rank, lists[2]));
      for (size_t d = 0; d < rank; ++d) lists[1][d] -= lists[0][d];
      TN_RETURN_IF_ERROR(
          tn__type_tensor(lookup->arena, indices->type->dtype, rank, lists[1], &part));
      TN_RETURN_IF_ERROR(
          tn__pass_insert(lookup->node, TN__OP(slice), 1, &indices, &attrs, part, out_value));
    }
  }
  return tn__pass_insert_reshape(lookup->node, *out_value, type, out_value);
}

// The largest value of an integer type, or `limit` if that is less.
static int64_t limit_of(tn_dtype_t dtype, int64_t limit) {
  const uint32_t bits = tn_dtype_bit_width(dtype) - (tn_dtype_kind(dtype) != TN_KIND_UNSIGNED);
  const int64_t largest = bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
  return largest < limit ? largest : limit;
}

// A start outside of the table is the nearest one inside.
static tn_status_t add_component(lookup_t* lookup, size_t component) {
  const size_t d = (size_t)lookup->numbers.start_map.values[component];
  tn_value_t* value = NULL;
  if (lookup->table->dims[d] == 1) return TN_OK;
  TN_RETURN_IF_ERROR(insert_component(lookup, component, &value));
  const tn_dtype_t dtype = value->type->dtype;
  const int64_t limit = limit_of(dtype, lookup->table->dims[d] - 1);
  if (tn_dtype_kind(dtype) != TN_KIND_UNSIGNED) {
    TN_RETURN_IF_ERROR(insert_with(lookup, TN__OP(maximum), 0, &value));
  }
  TN_RETURN_IF_ERROR(insert_with(lookup, TN__OP(minimum), limit, &value));
  if (dtype != TN_DTYPE_S32) {
    TN_RETURN_IF_ERROR(
        tn__pass_insert(lookup->node, TN__OP(convert), 1, &value, NULL, lookup->places, &value));
  }
  if (lookup->strides[d] > 1) {
    TN_RETURN_IF_ERROR(insert_with(lookup, TN__OP(multiply), lookup->strides[d], &value));
  }
  return insert_sum(lookup, value, &lookup->place);
}

// Of a table with one dimension that is not 1 a start is the place, and clamped like it.
static tn_status_t find_place(lookup_t* lookup) {
  const tn_i64_list_t* map = &lookup->numbers.start_map;
  if (map->count == 1 && tn__type_size(lookup->table) == lookup->table->dims[map->values[0]]) {
    return insert_component(lookup, 0, &lookup->place);
  }
  for (size_t i = 0; i < map->count; ++i) TN_RETURN_IF_ERROR(add_component(lookup, i));
  return TN_OK;
}

static tn_status_t insert_gather(const lookup_t* lookup, tn_value_t** out_value) {
  const tn_node_t* node = lookup->node;
  tn_arena_t* arena = lookup->arena;
  const int64_t size = tn__type_size(lookup->table), zero = 0, one = 1;
  const tn_type_t *list = NULL, *type = NULL;
  tn_value_t* operands[2] = {NULL, lookup->place};
  tn_pass_attrs_t fields = {.arena = arena}, attrs = fields;
  const tn_attr_t *numbers = NULL, *rank = NULL;
  TN_RETURN_IF_ERROR(tn__type_tensor(arena, lookup->table->dtype, 1, &size, &list));
  TN_RETURN_IF_ERROR(tn__type_tensor(arena, lookup->table->dtype, lookup->places->rank,
                                     lookup->places->dims, &type));
  TN_RETURN_IF_ERROR(tn__pass_insert_reshape(lookup->node, tn__value_resolve(node->operands[0]),
                                             list, &operands[0]));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&fields, "collapsed_slice_dims", 1, &zero));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&fields, "start_index_map", 1, &zero));
  TN_RETURN_IF_ERROR(tn__attr_integer(arena, TN_DTYPE_S64, (int64_t)lookup->places->rank, &rank));
  tn__pass_add_attr(&fields, "index_vector_dim", rank);
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_STRUCT,
                                         tn__attr_find(&node->attrs, "dimension_numbers")->name,
                                         fields.count, fields.entries, &numbers));
  tn__pass_add_attr(&attrs, "dimension_numbers", numbers);
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "slice_sizes", 1, &one));
  return tn__pass_insert(lookup->node, TN__OP(gather), 2, operands, &attrs, type, out_value);
}

TN_APART static tn_status_t look_up(tn_node_t* node, const numbers_t* numbers) {
  lookup_t lookup = {.node = node,
                     .arena = &node->region->function->module->arena,
                     .numbers = *numbers,
                     .table = tn__value_resolve(node->operands[0])->type};
  const tn_type_t* result = node->results[0].type;
  int64_t dims[TN_MAX_RANK];
  size_t rank = 0;
  for (size_t d = 0; d < result->rank; ++d) {
    bool is_offset = false;
    for (size_t k = 0; k < numbers->offset_dims.count; ++k) {
      is_offset |= numbers->offset_dims.values[k] == (int64_t)d;
    }
    if (!is_offset) dims[rank++] = result->dims[d];
  }
  TN_RETURN_IF_ERROR(tn__type_tensor(lookup.arena, TN_DTYPE_S32, rank, dims, &lookup.places));
  tn_row_major_strides(lookup.table->rank, lookup.table->dims, lookup.strides);
  TN_RETURN_IF_ERROR(find_place(&lookup));
  if (!lookup.place) return TN_OK;
  tn_value_t* value = NULL;
  TN_RETURN_IF_ERROR(insert_gather(&lookup, &value));
  TN_RETURN_IF_ERROR(tn__pass_insert_reshape(node, value, result, &value));
  node->results[0].replacement = value;
  tn__node_remove(node);
  return TN_OK;
}

static tn_status_t look_up_region(tn_region_t* region, int64_t fewest, tn_arena_t* scratch) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    numbers_t numbers;
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(look_up_region(node->regions[i], fewest, scratch));
    }
    if (node->op != TN__OP(gather) || tn__node_looks_up(node)) continue;
    TN_RETURN_IF_ERROR(read_numbers(node, scratch, &numbers));
    if (is_fit(node, &numbers, fewest)) TN_RETURN_IF_ERROR(look_up(node, &numbers));
  }
  return TN_OK;
}

static tn_status_t look_up_function(tn_function_t* function, tn_arena_t* scratch) {
  const int64_t fewest = tn__pass_fewest_fused(function->module->target);
  TN_RETURN_IF_ERROR(look_up_region(function->body, fewest, scratch));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_look_up(tn_module_t* module, tn_function_t* entry) {
  // Fusions of devices that launch their kernels hold no gathers.
  if (!module->target->fusion || !module->target->is_host) return TN_OK;
  return tn__pass_for_each_function(module, entry, look_up_function);
}
