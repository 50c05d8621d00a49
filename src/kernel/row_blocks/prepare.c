// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Kernels of the chain's nodes, how many rows a block has, and where a thread keeps it.
#include "base/integer.h"
#include "kernel/common/site.h"
#include "kernel/fusion/state.h"
#include "kernel/node.h"
#include "kernel/row_blocks/state.h"

enum {
  BLOCK_BYTES = 192 << 10,  // of what is between: a part of the second-level cache
  FEWEST_BLOCKS = 8,        // so that threads end at about the same time
  MOST_TILES = 8,           // of a block, one below the other
};

static bool is_argument(const tn_region_t* region, const tn_value_t* value) {
  return !value->node && value->region == region;
}

static tn_status_t connect(const tn_kernel_site_t* site, const tn_node_t* node,
                           tn_row_node_t* out_node) {
  const tn_region_t* region = node->region;
  const tn_node_t* last = region->last;
  tn_view_t* views = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, node->operand_count, &out_node->arguments));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, node->operand_count, &views));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, node->result_count, &out_node->results));
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    const uint32_t argument = node->operands[i]->index;
    const bool is_outside = is_argument(region, node->operands[i]);
    out_node->arguments[i] = is_outside ? argument : TN_ROW_BLOCKS_NONE;
    if (is_outside && site->views) views[i] = site->views[argument];
  }
  out_node->views = views;
  for (uint32_t r = 0; r < node->result_count; ++r) {
    out_node->results[r] = TN_ROW_BLOCKS_NONE;
    for (uint32_t i = 0; i < last->operand_count; ++i) {
      if (last->operands[i] == &node->results[r]) out_node->results[r] = i;
    }
  }
  return TN_OK;
}

// Whether the region gives each of its results once, and a node's results are the region's or what
// `after` reads.
static bool are_results_fit(const tn_row_blocks_state_t* state, const tn_region_t* region) {
  const tn_row_chain_t* chain = &state->chain;
  uint32_t found = 0;
  for (uint32_t r = 0; r < chain->fusion->result_count; ++r) {
    const bool is_result = state->fusion.results[r] != TN_ROW_BLOCKS_NONE;
    found += is_result;
    if (!is_result && !(chain->after && r == chain->given)) return false;
  }
  found += state->before.results[0] != TN_ROW_BLOCKS_NONE;
  if (chain->after) {
    if (state->after.results[0] == TN_ROW_BLOCKS_NONE) return false;
    ++found;
  }
  return found == region->last->operand_count;
}

// The region's nodes: a product, a fusion, and perhaps a product.
static tn_status_t read_region(tn_row_blocks_state_t* state, tn_kernel_site_t* site,
                               bool* out_fits) {
  const tn_region_t* region = site->use->regions[0].region;
  const tn_node_t *before = region->first, *fusion = before ? before->next : NULL;
  const tn_node_t* after = fusion && fusion->next != region->last ? fusion->next : NULL;
  *out_fits = false;
  if (!fusion || fusion == region->last || fusion->op != TN__OP_OF(tenon, fusion) ||
      (after && after->next != region->last)) {
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(
      tn__row_chain_read(before, fusion, after, site->arena, &state->chain, out_fits));
  if (!*out_fits) return TN_OK;
  TN_RETURN_IF_ERROR(connect(site, before, &state->before));
  TN_RETURN_IF_ERROR(connect(site, fusion, &state->fusion));
  if (after) TN_RETURN_IF_ERROR(connect(site, after, &state->after));
  *out_fits = are_results_fit(state, region);
  return TN_OK;
}

static tn_status_t prepare_product(const tn_node_t* node, const tn_op_use_t* use,
                                   const tn_row_node_t* connected, tn_kernel_site_t* site,
                                   tn_dot_rows_t* out_rows) {
  tn_kernel_site_t own = {.use = use,
                          .views = connected->views,
                          .arena = site->arena,
                          .target = site->target,
                          .node = node,
                          .scratch_byte_size = site->scratch_byte_size};
  TN_RETURN_IF_ERROR(tn__node_locate(node, tn__dot_rows_prepare(&own, out_rows)));
  site->scratch_byte_size = own.scratch_byte_size;
  return TN_OK;
}

static void clear_state(void* user) {
  const tn_row_blocks_state_t* state = user;
  if (state->fusion_state && state->fusion_state_deinit) {
    state->fusion_state_deinit(state->fusion_state);
  }
}

// *out_in_place: what `after` reads may be where what the fusion reads is.
static tn_status_t prepare_fusion(tn_row_blocks_state_t* state, tn_kernel_site_t* site,
                                  bool* out_in_place) {
  const tn_row_chain_t* chain = &state->chain;
  const bool is_block = state->before.results[0] == TN_ROW_BLOCKS_NONE;
  tn_kernel_site_t own = {.use = &chain->fusion_use,
                          .views = state->fusion.views,
                          .arena = site->arena,
                          .target = site->target,
                          .node = chain->fusion,
                          .calls = site->calls,
                          .single_operands = is_block ? UINT32_C(1) << chain->read : 0};
  tn_status_t status = tn__cpu_fusion_prepare_parts(&own);
  state->fusion_state = own.state;
  state->fusion_state_deinit = own.state_deinit;
  *out_in_place =
      is_block && chain->after && own.in_place && (own.in_place[chain->given] >> chain->read & 1);
  return tn__node_locate(chain->fusion, status);
}

static void plan_blocks(tn_row_blocks_state_t* state, bool is_in_place) {
  const tn_row_chain_t* chain = &state->chain;
  const tn_gemm_t *before = &state->before_rows.gemm, *after = &state->after_rows.gemm;
  const int64_t tile = before->set->tile_rows, matrix_rows = before->shape.rows;
  const bool keeps_read = state->before.results[0] == TN_ROW_BLOCKS_NONE;
  const bool keeps_given =
      chain->after && !is_in_place && state->fusion.results[chain->given] == TN_ROW_BLOCKS_NONE;
  const size_t read_bytes = (size_t)chain->row_length * state->before_rows.result_size;
  const size_t given_bytes = keeps_given ? (size_t)chain->row_length * after->lhs.size : 0;
  int64_t tiles = (int64_t)(BLOCK_BYTES / (read_bytes + given_bytes)) / tile;
  const int64_t most = tn__ceil_divide(chain->row_count, FEWEST_BLOCKS * tile);
  tiles = tn__least(tn__least(tiles, most), MOST_TILES);
  state->block_rows = tn__least(tiles > 1 ? tiles * tile : tile, matrix_rows);
  state->blocks_per_matrix = tn__ceil_divide(matrix_rows, state->block_rows);
  state->block_count = chain->row_count / matrix_rows * state->blocks_per_matrix;
  const size_t rows = (size_t)state->block_rows;
  size_t panels = tn__dot_rows_scratch(&state->before_rows, state->block_rows);
  if (chain->after) {
    const size_t other = tn__dot_rows_scratch(
        &state->after_rows, state->block_rows * (chain->row_length / chain->given_length));
    if (other > panels) panels = other;
  }
  state->given_offset = keeps_read ? tn__align_up(rows * read_bytes, TN_FUSION_ALIGNMENT) : 0;
  if (is_in_place) state->given_offset = 0;
  state->panels_offset = tn__align_up(keeps_read ? rows * read_bytes : 0, TN_FUSION_ALIGNMENT) +
                         tn__align_up(rows * given_bytes, TN_FUSION_ALIGNMENT);
  state->thread_byte_size = state->panels_offset + panels;
}

tn_status_t tn__cpu_row_blocks_prepare(tn_kernel_site_t* site) {
  void* memory = NULL;
  bool fits = false, is_in_place = false;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof(tn_row_blocks_state_t), &memory));
  tn_row_blocks_state_t* state = memory;
  TN_RETURN_IF_ERROR(read_region(state, site, &fits));
  state->use = site->use;
  state->views = site->views;
  state->runs_region = true;
  if (!fits) return TN_OK;
  site->state_deinit = clear_state;
  TN_RETURN_IF_ERROR(prepare_fusion(state, site, &is_in_place));
  if (!tn__fusion_runs_parts(state->fusion_state)) return TN_OK;
  const tn_row_chain_t* chain = &state->chain;
  TN_RETURN_IF_ERROR(prepare_product(chain->before, &chain->before_use, &state->before, site,
                                     &state->before_rows));
  if (chain->after) {
    TN_RETURN_IF_ERROR(
        prepare_product(chain->after, &chain->after_use, &state->after, site, &state->after_rows));
  }
  plan_blocks(state, is_in_place);
  state->runs_region = false;
  site->holds_regions = true;
  return TN_OK;
}
