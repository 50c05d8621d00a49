// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// decompose: expresses operations by others: the deprecated einsum and torch_index_select, and
// constants of chlo.
#include "ops/einsum.h"
#include "pass/passes.h"

// --- one operation after another, before the node that they replace

typedef struct decomposer {
  tn_node_t* node;
  tn_arena_t* arena;  // the module's
} decomposer_t;

// An operand of a sum on its way: its dimensions have the labels of its term.
typedef struct summand {
  tn_value_t* value;
  tn_einsum_term_t term;
} summand_t;

static tn_status_t become(const decomposer_t* s, tn_value_t** value, const tn_op_t* op,
                          const tn_pass_attrs_t* attrs, tn_dtype_t dtype, size_t rank,
                          const int64_t* dims) {
  const tn_type_t* type = NULL;
  TN_RETURN_IF_ERROR(tn__type_tensor(s->arena, dtype, rank, dims, &type));
  return tn__pass_insert(s->node, op, 1, value, attrs, type, value);
}

static tn_status_t transpose_value(const decomposer_t* s, tn_value_t** value,
                                   const int64_t* permutation) {
  const tn_type_t* type = (*value)->type;
  tn_pass_attrs_t attrs = {.arena = s->arena};
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < type->rank; ++i) dims[i] = type->dims[permutation[i]];
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "permutation", type->rank, permutation));
  return become(s, value, TN__OP(transpose), &attrs, type->dtype, type->rank, dims);
}

static tn_status_t reshape(const decomposer_t* s, tn_value_t** value, size_t rank,
                           const int64_t* dims) {
  return become(s, value, TN__OP(reshape), NULL, (*value)->type->dtype, rank, dims);
}

static tn_status_t convert(const decomposer_t* s, tn_value_t** value, tn_dtype_t dtype) {
  const tn_type_t* type = (*value)->type;
  if (type->dtype == dtype) return TN_OK;
  return become(s, value, TN__OP(convert), NULL, dtype, type->rank, type->dims);
}

// Every `stride`-th element of the first dimension.
static tn_status_t take_every(const decomposer_t* s, tn_value_t** value, int64_t stride,
                              int64_t count) {
  const tn_type_t* type = (*value)->type;
  tn_pass_attrs_t attrs = {.arena = s->arena};
  int64_t starts[TN_MAX_RANK] = {0}, strides[TN_MAX_RANK], dims[TN_MAX_RANK];
  for (size_t i = 0; i < type->rank; ++i) {
    dims[i] = i ? type->dims[i] : count;
    strides[i] = i ? 1 : stride;
  }
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "start_indices", type->rank, starts));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "limit_indices", type->rank, type->dims));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "strides", type->rank, strides));
  return become(s, value, TN__OP(slice), &attrs, type->dtype, type->rank, dims);
}

static tn_status_t make_zero(const decomposer_t* s, tn_dtype_t dtype, tn_value_t** out_zero) {
  static const uint64_t zero[2] = {0, 0};
  const tn_attr_t* value = NULL;
  tn_pass_attrs_t attrs = {.arena = s->arena};
  TN_RETURN_IF_ERROR(tn__attr_elements(s->arena, tn__type_scalar(dtype), false, zero, &value));
  tn__pass_add_attr(&attrs, "value", value);
  return tn__pass_insert(s->node, TN__OP(constant), 0, NULL, &attrs, tn__type_scalar(dtype),
                         out_zero);
}

static tn_status_t sum(const decomposer_t* s, tn_value_t** value, size_t count,
                       const int64_t* dimensions, size_t rank, const int64_t* dims) {
  const tn_type_t *from = (*value)->type, *to = NULL;
  tn_value_t* zero = NULL;
  TN_RETURN_IF_ERROR(make_zero(s, from->dtype, &zero));
  TN_RETURN_IF_ERROR(tn__type_tensor(s->arena, from->dtype, rank, dims, &to));
  return tn__pass_insert_reduce(s->node, TN__OP(add), *value, zero, count, dimensions, to, value);
}

// --- einsum

static bool has(const tn_einsum_term_t* term, int label, size_t* out_position) {
  for (size_t i = 0; i < term->rank; ++i) {
    if (term->labels[i] != label) continue;
    if (out_position) *out_position = i;
    return true;
  }
  return false;
}

// Two dimensions of one label become one: the diagonal of an n by n matrix is every n+1-th of its
// elements.
static tn_status_t take_diagonal(const decomposer_t* s, summand_t* x, size_t first, size_t second) {
  const int64_t size = x->value->type->dims[first];
  tn_einsum_term_t term = {.rank = 1, .labels = {x->term.labels[first]}};
  int64_t permutation[TN_MAX_RANK] = {(int64_t)first, (int64_t)second}, dims[TN_MAX_RANK];
  dims[0] = size * size;
  for (size_t i = 0; i < x->term.rank; ++i) {
    if (i == first || i == second) continue;
    permutation[term.rank + 1] = (int64_t)i;
    dims[term.rank] = x->value->type->dims[i];
    term.labels[term.rank++] = x->term.labels[i];
  }
  x->term = term;
  TN_RETURN_IF_ERROR(transpose_value(s, &x->value, permutation));
  TN_RETURN_IF_ERROR(reshape(s, &x->value, term.rank, dims));
  return take_every(s, &x->value, size + 1, size);
}

static tn_status_t take_diagonals(const decomposer_t* s, summand_t* x) {
  for (size_t i = 0; i < x->term.rank; ++i) {
    for (size_t k = i + 1; k < x->term.rank; ++k) {
      if (x->term.labels[i] != x->term.labels[k]) continue;
      TN_RETURN_IF_ERROR(take_diagonal(s, x, i, k));
      i = 0;
      k = 0;
    }
  }
  return TN_OK;
}

// Dimensions of size 1 that broadcast to another size belong to the other operand alone.
static tn_status_t drop_ones(const decomposer_t* s, const tn_einsum_t* einsum, summand_t* x) {
  tn_einsum_term_t term = {0};
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < x->term.rank; ++i) {
    const int64_t size = x->value->type->dims[i];
    if (size == 1 && einsum->sizes[x->term.labels[i]] != 1) continue;
    dims[term.rank] = size;
    term.labels[term.rank++] = x->term.labels[i];
  }
  if (term.rank == x->term.rank) return TN_OK;
  x->term = term;
  return reshape(s, &x->value, term.rank, dims);
}

// Sums over what neither the other operand nor the result has.
static tn_status_t sum_own(const decomposer_t* s, const tn_einsum_t* einsum,
                           const tn_einsum_term_t* other, tn_dtype_t dtype, summand_t* x) {
  tn_einsum_term_t term = {0};
  int64_t dims[TN_MAX_RANK], dimensions[TN_MAX_RANK];
  size_t count = 0;
  for (size_t i = 0; i < x->term.rank; ++i) {
    const int label = x->term.labels[i];
    if (has(&einsum->result, label, NULL) || (other && has(other, label, NULL))) {
      dims[term.rank] = x->value->type->dims[i];
      term.labels[term.rank++] = label;
    } else {
      dimensions[count++] = (int64_t)i;
    }
  }
  if (count == 0) return TN_OK;
  x->term = term;
  TN_RETURN_IF_ERROR(convert(s, &x->value, dtype));
  return sum(s, &x->value, count, dimensions, term.rank, dims);
}

static tn_status_t make_dot(const decomposer_t* s, const tn_einsum_t* einsum, const summand_t* lhs,
                            const summand_t* rhs, tn_dtype_t dtype, summand_t* out_product) {
  static const char* const names[] = {"lhs_batching_dimensions", "rhs_batching_dimensions",
                                      "lhs_contracting_dimensions", "rhs_contracting_dimensions"};
  int64_t lists[4][TN_MAX_RANK], dims[2 * TN_MAX_RANK];
  int labels[2 * TN_MAX_RANK];
  size_t counts[4] = {0}, rank = 0;
  for (size_t i = 0; i < lhs->term.rank; ++i) {
    size_t at = 0;
    if (!has(&rhs->term, lhs->term.labels[i], &at)) continue;
    const size_t kind = has(&einsum->result, lhs->term.labels[i], NULL) ? 0 : 2;
    lists[kind][counts[kind]++] = (int64_t)i;
    lists[kind + 1][counts[kind + 1]++] = (int64_t)at;
    if (kind) continue;
    dims[rank] = lhs->value->type->dims[i];
    labels[rank++] = lhs->term.labels[i];
  }
  const summand_t* const sides[] = {lhs, rhs};
  for (size_t side = 0; side < 2; ++side) {
    for (size_t i = 0; i < sides[side]->term.rank; ++i) {
      if (has(&sides[1 - side]->term, sides[side]->term.labels[i], NULL)) continue;
      dims[rank] = sides[side]->value->type->dims[i];
      labels[rank++] = sides[side]->term.labels[i];
    }
  }
  // All labels are the result's, whose rank the rule has checked.
  out_product->term.rank = rank;
  memcpy(out_product->term.labels, labels, rank * sizeof *labels);
  tn_pass_attrs_t numbers = {.arena = s->arena}, attrs = {.arena = s->arena};
  const tn_attr_t* dot = NULL;
  const tn_type_t* type = NULL;
  for (size_t i = 0; i < 4; ++i) {
    TN_RETURN_IF_ERROR(tn__pass_add_list(&numbers, names[i], counts[i], lists[i]));
  }
  TN_RETURN_IF_ERROR(tn__attr_dictionary(s->arena, TN_ATTR_STRUCT, tn__sv("dot"), numbers.count,
                                         numbers.entries, &dot));
  tn__pass_add_attr(&attrs, "dot_dimension_numbers", dot);
  TN_RETURN_IF_ERROR(tn__type_tensor(s->arena, dtype, rank, dims, &type));
  tn_value_t* operands[] = {lhs->value, rhs->value};
  return tn__pass_insert(s->node, TN__OP(dot_general), 2, operands, &attrs, type,
                         &out_product->value);
}

TN_APART static tn_status_t decompose_einsum(const decomposer_t* s, tn_arena_t* scratch) {
  const tn_node_t* node = s->node;
  tn_op_use_t use;
  tn_einsum_t einsum;
  TN_RETURN_IF_ERROR(tn__node_use(node, scratch, &use));
  TN_RETURN_IF_ERROR(tn__einsum_read(&use, &einsum));
  const tn_dtype_t dtype = node->results[0].type->dtype;
  summand_t terms[2], product;
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    terms[i] = (summand_t){tn__value_resolve(node->operands[i]), einsum.operands[i]};
    TN_RETURN_IF_ERROR(take_diagonals(s, &terms[i]));
    TN_RETURN_IF_ERROR(drop_ones(s, &einsum, &terms[i]));
  }
  product = terms[0];
  if (node->operand_count == 2) {
    TN_RETURN_IF_ERROR(sum_own(s, &einsum, &terms[1].term, dtype, &terms[0]));
    TN_RETURN_IF_ERROR(sum_own(s, &einsum, &terms[0].term, dtype, &terms[1]));
    TN_RETURN_IF_ERROR(make_dot(s, &einsum, &terms[0], &terms[1], dtype, &product));
  } else {
    TN_RETURN_IF_ERROR(sum_own(s, &einsum, NULL, dtype, &product));
    TN_RETURN_IF_ERROR(convert(s, &product.value, dtype));
  }
  int64_t permutation[TN_MAX_RANK] = {0};
  for (size_t i = 0; i < einsum.result.rank; ++i) {
    size_t at = 0;
    has(&product.term, einsum.result.labels[i], &at);
    permutation[i] = (int64_t)at;
  }
  TN_RETURN_IF_ERROR(transpose_value(s, &product.value, permutation));
  node->results[0].replacement = product.value;
  return TN_OK;
}

// --- torch_index_select

// A gather of slices that are one place of `dim`, all of the dimensions after the paired ones, and
// one place of these.
TN_APART static tn_status_t decompose_index_select(const decomposer_t* s) {
  tn_node_t* node = s->node;
  tn_value_t* operands[] = {tn__value_resolve(node->operands[0]),
                            tn__value_resolve(node->operands[1])};
  const tn_type_t *operand = operands[0]->type, *index = operands[1]->type;
  const int64_t dim = tn__attr_get_integer(&node->attrs, "dim", 0);
  const int64_t batch = tn__attr_get_integer(&node->attrs, "batch_dims", 0);
  const int64_t index_rank = (int64_t)index->rank;
  int64_t paired[TN_MAX_RANK], offsets[TN_MAX_RANK], sizes[TN_MAX_RANK];
  size_t offset_count = 0;
  for (int64_t i = 0; i < (int64_t)operand->rank; ++i) {
    sizes[i] = i < batch || i == dim ? 1 : operand->dims[i];
    if (i < batch) paired[i] = i;
    if (i >= batch && i != dim) offsets[offset_count++] = i < dim ? i : i - 1 + index_rank - batch;
  }
  tn_pass_attrs_t numbers = {.arena = s->arena}, attrs = {.arena = s->arena};
  const tn_attr_t *vector_dim = NULL, *gather = NULL;
  TN_RETURN_IF_ERROR(tn__pass_add_list(&numbers, "offset_dims", offset_count, offsets));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&numbers, "collapsed_slice_dims", 1, &dim));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&numbers, "operand_batching_dims", (size_t)batch, paired));
  TN_RETURN_IF_ERROR(
      tn__pass_add_list(&numbers, "start_indices_batching_dims", (size_t)batch, paired));
  TN_RETURN_IF_ERROR(tn__pass_add_list(&numbers, "start_index_map", 1, &dim));
  TN_RETURN_IF_ERROR(tn__attr_integer(s->arena, TN_DTYPE_S64, index_rank, &vector_dim));
  tn__pass_add_attr(&numbers, "index_vector_dim", vector_dim);
  TN_RETURN_IF_ERROR(tn__attr_dictionary(s->arena, TN_ATTR_STRUCT, tn__sv("gather"), numbers.count,
                                         numbers.entries, &gather));
  tn__pass_add_attr(&attrs, "dimension_numbers", gather);
  TN_RETURN_IF_ERROR(tn__pass_add_list(&attrs, "slice_sizes", operand->rank, sizes));
  return tn__pass_insert(node, TN__OP(gather), 2, operands, &attrs, node->results[0].type,
                         &node->results[0].replacement);
}

// --- all of them

// Others are an error when the program is planned.
static bool has_static_types(const tn_node_t* node) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (!tn__type_is_static(tn__value_resolve(node->operands[i])->type)) return false;
  }
  return node->result_count == 1 && tn__type_is_static(node->results[0].type);
}

static tn_status_t decompose_region(tn_region_t* region, tn_arena_t* scratch) {
  for (tn_node_t *node = region->first, *next = NULL; node; node = next) {
    next = node->next;
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(decompose_region(node->regions[i], scratch));
    }
    if (node->op == TN__OP_OF(chlo, constant)) node->op = TN__OP(constant);
    const decomposer_t s = {node, &node->region->function->module->arena};
    if (!has_static_types(node)) continue;
    if (node->op == TN__OP(einsum) || node->op == TN__OP(unary_einsum)) {
      TN_RETURN_IF_ERROR(decompose_einsum(&s, scratch));
    } else if (node->op == TN__OP(torch_index_select)) {
      TN_RETURN_IF_ERROR(decompose_index_select(&s));
    } else {
      continue;
    }
    node->results[0].replacement->name = node->results[0].name;
    tn__node_remove(node);
  }
  return TN_OK;
}

static tn_status_t decompose_function(tn_function_t* function, tn_arena_t* scratch) {
  TN_RETURN_IF_ERROR(decompose_region(function->body, scratch));
  tn__function_resolve(function);
  tn__function_number(function);
  return TN_OK;
}

tn_status_t tn__pass_decompose(tn_module_t* module, tn_function_t* entry) {
  return tn__pass_for_each_function(module, entry, decompose_function);
}
