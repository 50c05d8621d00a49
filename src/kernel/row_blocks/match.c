// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Which nodes are a chain.
#include "kernel/common/site.h"
#include "kernel/contraction/product.h"
#include "kernel/fusion/state.h"
#include "kernel/row_blocks/state.h"

enum {
  FEWEST_BYTES = 2 << 20,  // of what is between: less is in the cache anyway
  FEWEST_ROWS = 32,
  FEWEST_COLUMNS = 16,
  // Each block reads the right operands of its matrices: they are in the cache, or few products are
  // saved by reading them once for all rows.
  CACHED_BYTES = 1 << 20,
  FEW_PRODUCTS = 128,  // for an element of what is between
};

// Of the last dimensions of a shape, from `rank` on.
static int64_t length_from(const tn_type_t* type, size_t rank) {
  int64_t length = 1;
  for (size_t d = rank; d < type->rank; ++d) length *= type->dims[d];
  return length;
}

// The fusion's operand that is `value`; NONE: none, or several.
static uint32_t find_operand(const tn_node_t* fusion, const tn_value_t* value) {
  uint32_t found = TN_ROW_BLOCKS_NONE;
  for (uint32_t i = 0; i < fusion->operand_count; ++i) {
    if (fusion->operands[i] != value) continue;
    if (found != TN_ROW_BLOCKS_NONE) return TN_ROW_BLOCKS_NONE;
    found = i;
  }
  return found;
}

// Whether blocks of rows of `shape`, each `row_length` elements, are whole rows of the fusion, and
// its members read operand `read` element by element.
static bool goes_by_rows(const tn_fusion_spec_t* spec, const tn_type_t* shape, int64_t row_length,
                         uint32_t read) {
  if (spec->last || !tn__type_same_shape(spec->shape, shape)) return false;
  if (spec->has_rows && row_length % length_from(shape, spec->row_rank) != 0) return false;
  for (size_t i = 0; i < spec->read_count; ++i) {
    const tn_fusion_read_t* way = &spec->reads[i];
    if (way->operand != read) continue;
    if (!way->is_dense || spec->values[way->value].space != TN_FUSION_ALL) return false;
  }
  return true;
}

static bool is_large_enough(const tn_dot_extent_t* extent) {
  return extent->rows >= FEWEST_ROWS && extent->columns >= FEWEST_COLUMNS && extent->depth > 0;
}

// Of a right operand as it is packed.
static double matrix_byte_size(const tn_dot_extent_t* extent, const tn_op_use_t* use) {
  const tn_dtype_t carrier =
      tn__product_carrier(use->operand_types[0]->dtype, use->operand_types[1]->dtype,
                          use->result_types[0]->dtype, extent->depth);
  return (double)extent->columns * (double)extent->depth * (double)tn_dtype_byte_size(carrier);
}

static tn_status_t read_after(tn_row_chain_t* chain, const tn_fusion_spec_t* spec,
                              tn_arena_t* arena, bool* out_fits) {
  tn_dot_extent_t extent;
  const tn_node_t* after = chain->after;
  const tn_value_t* value = after->operands[0];
  *out_fits = false;
  TN_RETURN_IF_ERROR(tn__node_use(after, arena, &chain->after_use));
  if (value->node != chain->fusion || after->operand_count != 2 ||
      !tn__dot_rows_fit(&chain->after_use)) {
    return TN_OK;
  }
  const tn_node_t* maker = after->operands[1]->node;
  if (maker == chain->fusion || maker == chain->before) return TN_OK;
  TN_RETURN_IF_ERROR(tn__dot_extent(&chain->after_use, &extent));
  chain->given = value->index;
  chain->given_length = extent.depth;
  const tn_fusion_value_t* given = &spec->values[spec->results[chain->given]];
  *out_fits = is_large_enough(&extent) && extent.is_lhs_ordered && given->space == TN_FUSION_ALL &&
              !given->is_read && chain->row_length % extent.depth == 0;
  return TN_OK;
}

tn_status_t tn__row_chain_read(const tn_node_t* before, const tn_node_t* fusion,
                               const tn_node_t* after, tn_arena_t* arena, tn_row_chain_t* out_chain,
                               bool* out_fits) {
  tn_row_chain_t* chain = out_chain;
  tn_dot_extent_t extent;
  tn_fusion_spec_t spec;
  bool fits = false;
  *out_fits = false;
  *chain = (tn_row_chain_t){.before = before, .fusion = fusion, .after = after};
  TN_RETURN_IF_ERROR(tn__node_use(before, arena, &chain->before_use));
  TN_RETURN_IF_ERROR(tn__node_use(fusion, arena, &chain->fusion_use));
  if (!tn__dot_rows_fit(&chain->before_use)) return TN_OK;
  TN_RETURN_IF_ERROR(tn__dot_extent(&chain->before_use, &extent));
  if (!is_large_enough(&extent)) return TN_OK;
  chain->row_count = extent.batch * extent.rows;
  chain->row_length = extent.columns;
  chain->read = find_operand(fusion, &before->results[0]);
  // What is in blocks is said by masks.
  if (chain->read >= 32 || fusion->result_count > 32) return TN_OK;
  TN_RETURN_IF_ERROR(tn__fusion_read_region(fusion->regions[0], NULL, arena, &spec, &fits));
  if (!fits || !goes_by_rows(&spec, before->results[0].type, chain->row_length, chain->read)) {
    return TN_OK;
  }
  if (after) return read_after(chain, &spec, arena, out_fits);
  *out_fits = true;
  return TN_OK;
}

tn_status_t tn__row_blocks_suit(const tn_node_t* before, const tn_node_t* fusion,
                                const tn_node_t* after, tn_arena_t* scratch, bool* out_suits) {
  tn_row_chain_t chain;
  tn_dot_extent_t extent;
  const tn_type_t* between = before->results[0].type;
  TN_RETURN_IF_ERROR(tn__row_chain_read(before, fusion, after, scratch, &chain, out_suits));
  if (!*out_suits) return TN_OK;
  TN_RETURN_IF_ERROR(tn__dot_extent(&chain.before_use, &extent));
  double bytes = matrix_byte_size(&extent, &chain.before_use);
  double packed = (double)extent.batch * bytes;
  bool is_cheap = bytes <= CACHED_BYTES || extent.depth <= FEW_PRODUCTS;
  if (after) {
    TN_RETURN_IF_ERROR(tn__dot_extent(&chain.after_use, &extent));
    bytes = matrix_byte_size(&extent, &chain.after_use);
    packed += (double)extent.batch * bytes;
    is_cheap &= bytes <= CACHED_BYTES || extent.columns <= FEW_PRODUCTS;
  }
  // Right operands are packed as a whole, which is to take less memory than it saves.
  const size_t saved = tn__type_byte_size(between);
  *out_suits = is_cheap && 2 * packed <= (double)saved && saved >= FEWEST_BYTES;
  return TN_OK;
}

bool tn__cpu_row_blocks_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  const tn_region_t* region = use->regions[0].region;
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; node->op == TN__OP_OF(tenon, fusion) && i < node->operand_count; ++i) {
      if (node->operands[i] != &region->arguments[operand]) continue;
      if (tn__fusion_looks_up_in(node->regions[0], i)) return false;
      if (!tn__cpu_fusion_takes_view(use, operand, view)) return false;
    }
  }
  return true;
}
