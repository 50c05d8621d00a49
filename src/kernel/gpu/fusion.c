// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Fusions: one launch computes what all members do. An item computes an element of each value; with
// a reduction at the end it computes those that it folds. Others with reductions: fusion_rows.c.
#include "kernel/fusion/fusion.h"

#include <stdio.h>

#include "ir/trace.h"
#include "kernel/fusion/state.h"
#include "kernel/gpu/fold.h"
#include "kernel/gpu/fusion.h"
#include "kernel/gpu/reads.h"
#include "kernel/gpu/region.h"
#include "kernel/placement.h"

enum {
  // Below, plain launches cost little more, and their kernels are those of other programs as well.
  FEWEST_ELEMENTS = 256,
  MOST_MEMBERS = 32,
  // Of fewer rows, parts fill a device better.
  FEWEST_ROWS = 1024,
  FEWEST_ROWS_OF_LANES = 64,
};

static bool is_member(const tn_node_t* node) {
  return !tn__op_makes_view(node->op) && !tn__op_has(node->op, TN_TERMINATOR) &&
         node->op != TN__OP(constant);
}

static bool is_fold(const tn_node_t* node) {
  return node->op == TN__OP(reduce);
}

static tn_status_t role_of(const tn_node_t* node, tn_arena_t* scratch, tn_fusion_role_t* out_role) {
  tn_op_use_t use;
  *out_role = TN_FUSION_OUTSIDE;
  if (!is_fold(node) && !tn__fusion_fits(node)) return TN_OK;
  TN_RETURN_IF_ERROR(tn__node_use(node, scratch, &use));
  if (is_fold(node)) {
    if (node->result_count == 1 && tn__gpu_folds(&use)) {
      const bool has_lanes = tn__node_target(node)->has_lanes;
      const int64_t fewest = has_lanes ? FEWEST_ROWS_OF_LANES : FEWEST_ROWS;
      *out_role = tn__gpu_folds_rows(&use) && tn__type_size(use.result_types[0]) >= fewest
                      ? TN_FUSION_ROWS
                      : TN_FUSION_LAST;
    }
  } else if (tn__gpu_map_supports(&use)) {
    *out_role = TN_FUSION_ELEMENTS;
  }
  return TN_OK;
}

const tn_fusion_rules_t tn__gpu_fusion_rules = {
    .fewest_elements = FEWEST_ELEMENTS,
    .most_members = MOST_MEMBERS,
    .role_of = role_of,
    .takes_view = tn__gpu_takes_view,
};

// --- what a region may be

typedef struct checker {
  const tn_region_t* region;
  const tn_type_t* shape;
  const tn_node_t* fold;
  size_t read_count;
  tn_arena_t* arena;
  bool fits;
} checker_t;

// Whether a member, or the fusion, may read the value: all its elements in order, or the one there
// is; of an operand, by any strides.
static tn_status_t check_read(checker_t* checker, tn_value_t* value) {
  tn_value_trace_t trace;
  const tn_arena_mark_t mark = tn__arena_mark(checker->arena);
  TN_RETURN_IF_ERROR(tn__value_trace(value, NULL, checker->arena, &trace));
  const tn_value_t* root = trace.root;
  const bool is_one = tn__type_size(root->type) == 1;
  checker->fits &= root->region == checker->region && (trace.is_view || is_one);
  if (!root->node) {
    ++checker->read_count;
  } else {
    checker->fits &= (is_member(root->node) && !trace.view.strides && !trace.view.byte_offset &&
                      tn__type_size(root->type) == tn__type_size(value->type)) ||
                     root->node->op == TN__OP(constant);
    checker->fits &= root->node != checker->fold;
  }
  tn__arena_rewind(checker->arena, mark);
  return TN_OK;
}

static tn_status_t check_member(checker_t* checker, const tn_node_t* node) {
  tn_fusion_role_t role = TN_FUSION_OUTSIDE;
  const tn_value_t* elements = is_fold(node) ? node->operands[0] : &node->results[0];
  const tn_arena_mark_t mark = tn__arena_mark(checker->arena);
  TN_RETURN_IF_ERROR(role_of(node, checker->arena, &role));
  tn__arena_rewind(checker->arena, mark);
  checker->fits &= role != TN_FUSION_OUTSIDE && node->result_count == 1 &&
                   tn__type_same_shape(elements->type, checker->shape) &&
                   !(is_fold(node) && checker->fold);
  for (uint32_t k = 0; k < node->operand_count && checker->fits; ++k) {
    TN_RETURN_IF_ERROR(check_read(checker, node->operands[k]));
  }
  if (is_fold(node)) {
    const tn_value_t* begin = tn__value_root(node->operands[1]);
    checker->fits &=
        tn__type_size(begin->type) == 1 && (!begin->node || begin->node->op == TN__OP(constant));
    checker->fold = node;
  }
  return TN_OK;
}

static tn_status_t check(checker_t* checker) {
  const tn_node_t* last = checker->region->last;
  size_t count = 0;
  checker->shape = tn__fusion_shape(checker->region);
  checker->fits = checker->shape && checker->shape->rank <= TN_GPU_MOST_DIMS;
  TN_FOR_EACH_NODE (node, checker->region) {
    if (!checker->fits || ++count >= TN_GPU_FUNCTION_LIMIT) return TN_OK;
    if (is_member(node)) TN_RETURN_IF_ERROR(check_member(checker, node));
  }
  for (uint32_t r = 0; r < last->operand_count && checker->fits; ++r) {
    const tn_value_t* root = tn__value_root(last->operands[r]);
    checker->fits &= root->node && is_member(root->node);
    if (checker->fits && root->node != checker->fold) {
      TN_RETURN_IF_ERROR(check_read(checker, last->operands[r]));
    }
  }
  checker->fits &= checker->read_count + last->operand_count < TN_GPU_MOST_ADDRESSES;
  return TN_OK;
}

bool tn__gpu_fusion_supports(const tn_op_use_t* use) {
  tn_arena_t arena;
  tn_arena_room_t room;
  checker_t checker = {.region = use->regions[0].region, .arena = &arena};
  if (!checker.region || !tn__gpu_know_types(use)) return false;
  tn__arena_init_in(&arena, tn_allocator_system(), &room);
  tn_status_t status = tn__gpu_region_has_rows(checker.region)
                           ? tn__gpu_rows_fit(checker.region, &arena, &checker.fits)
                           : check(&checker);
  const bool fits = !status && checker.fits;
  tn_status_release(status);
  tn__arena_deinit(&arena);
  return fits;
}

// Through a reshape, an operand is read where it is dense.
bool tn__gpu_fusion_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  const tn_region_t* region = use->regions[0].region;
  if (!tn__gpu_takes_view(use, operand, view)) return false;
  TN_FOR_EACH_NODE (node, region) {
    if (node->op == TN__OP(reshape) &&
        tn__value_root(node->operands[0]) == &region->arguments[operand]) {
      return false;
    }
    if (is_fold(node) && tn__value_root(node->operands[1]) == &region->arguments[operand]) {
      return false;
    }
  }
  return true;
}

// --- source

typedef struct fusion {
  const tn_kernel_site_t* site;
  const tn_region_t* region;
  const tn_node_t* fold;
  tn_gpu_reads_t reads;
  tn_arena_t scratch;
} fusion_t;

static tn_status_t name_read(tn_gpu_members_t* members, tn_value_t* value, char* out_name) {
  fusion_t* fusion = members->user;
  tn_value_trace_t trace;
  TN_RETURN_IF_ERROR(tn__value_trace(value, fusion->site->views, members->arena, &trace));
  const tn_value_t* root = trace.root;
  const tn_node_t* node = fusion->site->node;
  if (node && tn__gpu_name_constant(members, node->operands[root->index], out_name)) return TN_OK;
  static const int64_t same[TN_GPU_MOST_DIMS];
  const int64_t offset = tn__type_size(root->type) == 1 ? 0 : trace.view.byte_offset;
  const tn_view_t one = {offset, same};
  const bool is_one = value->type->rank == 0 || tn__type_size(root->type) == 1;
  const size_t read =
      tn__gpu_add_read(&fusion->reads, root->index, root->type->dtype, is_one ? &one : &trace.view);
  snprintf(out_name, TN_GPU_NAME_SIZE, "r%zu", read);
  return TN_OK;
}

// Writes all members, of element `index`, and stores the results. *out_folded is what the reduction
// reads.
static tn_status_t add_members(fusion_t* fusion, tn_gpu_source_t* source, const char* index,
                               char* out_folded) {
  const tn_node_t* last = fusion->region->last;
  tn_gpu_text_t text = {.arena = &fusion->scratch};
  tn_gpu_members_t members;
  char name[TN_GPU_NAME_SIZE];
  TN_RETURN_IF_ERROR(
      tn__gpu_members_begin(&members, source, &text, fusion->region, &fusion->scratch));
  members.name = name_read;
  members.user = fusion;
  tn__gpu_reads_begin(&fusion->reads, tn__fusion_shape(fusion->region));
  TN_FOR_EACH_NODE (node, fusion->region) {
    if (!is_member(node) || is_fold(node)) continue;
    TN_RETURN_IF_ERROR(tn__gpu_add_member(&members, node));
  }
  for (uint32_t r = 0; r < last->operand_count; ++r) {
    const tn_gpu_dtype_t* dtype = tn__gpu_dtype(last->operands[r]->type->dtype);
    if (tn__value_root(last->operands[r])->node == fusion->fold) continue;
    const size_t y = tn__gpu_add_output(source, TN_GPU_RESULT(r), 0, dtype->memory);
    TN_RETURN_IF_ERROR(tn__gpu_name_value(&members, last->operands[r], name));
    tn__gpu_add(&text, "  STORE%s(y%zu, %s, %s);\n", dtype->suffix, y, index, name);
  }
  if (fusion->fold) {
    TN_RETURN_IF_ERROR(tn__gpu_name_value(&members, fusion->fold->operands[0], out_folded));
  }
  tn__gpu_add_loads(source, &fusion->reads, index);
  source->body.has_failed |= text.has_failed;
  if (text.length && !text.has_failed) tn__gpu_add(&source->body, "%s", text.bytes);
  return TN_OK;
}

// --- without a reduction

// Result r may be in the storage of operands that are only read where it is written.
static tn_status_t set_in_place(tn_kernel_site_t* site, const tn_gpu_reads_t* reads) {
  const tn_op_use_t* use = site->use;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, use->result_count, &site->in_place));
  for (size_t r = 0; r < use->result_count; ++r) {
    for (size_t k = 0; k < use->operand_count && k < 32; ++k) {
      bool fits = tn_dtype_byte_size(use->operand_types[k]->dtype) ==
                  tn_dtype_byte_size(use->result_types[r]->dtype);
      for (size_t i = 0; i < reads->count && fits; ++i) {
        fits = reads->items[i].operand != (int32_t)k || !reads->items[i].is_strided;
      }
      if (fits) site->in_place[r] |= UINT32_C(1) << k;
    }
  }
  return TN_OK;
}

static tn_status_t prepare_map(tn_kernel_site_t* site, fusion_t* fusion) {
  tn_gpu_source_t source;
  tn__gpu_begin(&source, site->arena, tn__type_size(tn__fusion_shape(fusion->region)));
  source.is_elementwise = true;
  TN_RETURN_IF_ERROR(add_members(fusion, &source, "i", NULL));
  TN_RETURN_IF_ERROR(set_in_place(site, &fusion->reads));
  return tn__gpu_finish_one(site, &source);
}

// --- with one

static tn_status_t add_element(tn_gpu_source_t* source, void* user) {
  char folded[TN_GPU_NAME_SIZE];
  tn__gpu_add(&source->body, "  {\n");
  TN_RETURN_IF_ERROR(add_members(user, source, "at0", folded));
  tn__gpu_add(&source->body, "  e0 = %s;\n  }\n", folded);
  return TN_OK;
}

static tn_status_t prepare_fold(tn_kernel_site_t* site, fusion_t* fusion) {
  const tn_node_t* last = fusion->region->last;
  tn_op_use_t use;
  tn_gpu_fold_t fold = {.use = &use, .add_element = add_element, .user = fusion};
  tn_gpu_members_t members = {.values = NULL};
  const tn_value_t* begin = tn__value_root(fusion->fold->operands[1]);
  TN_RETURN_IF_ERROR(tn__node_use(fusion->fold, &fusion->scratch, &use));
  for (uint32_t r = 0; r < last->operand_count; ++r) {
    if (tn__value_root(last->operands[r])->node == fusion->fold) fold.first_result = r;
  }
  fold.begins[0] = begin->node ? -1 : (int32_t)begin->index;
  if (begin->node) {
    TN_RETURN_IF_ERROR(tn__gpu_name_value(&members, fusion->fold->operands[1], fold.literal));
  }
  // Results of members are written while operands are read again.
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, site->use->result_count, &site->in_place));
  return tn__gpu_fold_prepare(site, &fold);
}

tn_status_t tn__gpu_fusion_prepare(tn_kernel_site_t* site) {
  fusion_t fusion = {.site = site, .region = site->use->regions[0].region};
  TN_FOR_EACH_NODE (node, fusion.region) {
    if (is_fold(node)) fusion.fold = node;
  }
  site->holds_regions = true;
  if (tn__gpu_region_has_rows(fusion.region)) return tn__gpu_rows_prepare(site);
  tn__arena_init(&fusion.scratch, site->arena->allocator);
  tn_status_t status = fusion.fold ? prepare_fold(site, &fusion) : prepare_map(site, &fusion);
  tn__arena_deinit(&fusion.scratch);
  return status;
}
