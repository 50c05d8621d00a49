// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// From a region to steps: which shape they go over, how members read, what they hand to each other.
#include "ir/trace.h"
#include "kernel/fusion/state.h"

#define NO_VALUE UINT32_MAX

enum { MOST_STEPS = 256 };  // of a region that is run by tiles

typedef struct builder {
  const tn_region_t* region;
  const tn_view_t* views;
  tn_arena_t *arena, scratch;
  tn_fusion_spec_t* spec;
  tn_fusion_read_t* reads;
  tn_fusion_value_t* values;
  tn_fusion_step_t* steps;
  uint32_t first_id;
  uint32_t* numbers;   // by id of a member's result, from first_id on: its value
  uint32_t* repeated;  // by value: the same for all elements; NO_VALUE: not read so yet
  bool fits;
} builder_t;

static bool is_member(const tn_node_t* node) {
  return !tn__op_makes_view(node->op) && !tn__op_has(node->op, TN_TERMINATOR);
}

// --- the shape

static void take_rows(builder_t* builder, const tn_type_t* rows) {
  tn_fusion_spec_t* spec = builder->spec;
  size_t rank = 0;
  const bool are_rows = tn__type_is_rows_of(rows, spec->shape, &rank);
  if (!are_rows || (spec->has_rows && rank != spec->row_rank)) builder->fits = false;
  if (are_rows && tn__type_size(rows) == tn__type_size(spec->shape)) builder->fits = false;
  spec->has_rows = true;
  spec->row_rank = rank;
}

// Whether operations are element-wise is asked here, and whether their kernels have parts when
// these are chosen.
static tn_status_t find_shape(builder_t* builder) {
  tn_fusion_spec_t* spec = builder->spec;
  size_t fold_count = 0;
  bool has_last = false;
  spec->shape = tn__fusion_shape(builder->region);
  builder->fits = spec->shape != NULL;
  TN_FOR_EACH_NODE (node, builder->region) {
    tn_fusion_role_t role = TN_FUSION_ELEMENTS;
    const bool is_fold = node->op == TN__OP(reduce);
    if (!is_member(node)) continue;
    if (is_fold) TN_RETURN_IF_ERROR(tn__fusion_role_of(node, &builder->scratch, &role));
    const bool fits = is_fold || tn__fusion_fits(node) || tn__fusion_looks_up(node);
    if (role == TN_FUSION_OUTSIDE || !fits) builder->fits = false;
    if (!builder->fits) return TN_OK;
    fold_count += is_fold;
    has_last |= role == TN_FUSION_LAST;
    if (role == TN_FUSION_ROWS) take_rows(builder, node->results[0].type);
    if (!is_fold && !tn__type_same_shape(node->results[0].type, spec->shape)) {
      take_rows(builder, node->results[0].type);
    }
  }
  if (has_last && (fold_count > 1 || spec->has_rows)) builder->fits = false;
  return TN_OK;
}

// --- values

static uint32_t add_value(builder_t* builder, size_t element_size, tn_fusion_space_t space) {
  const uint32_t value = (uint32_t)builder->spec->value_count++;
  builder->values[value] = (tn_fusion_value_t){.element_size = element_size, .space = space};
  builder->repeated[value] = NO_VALUE;
  return value;
}

static bool are_dense(const tn_type_t* type, size_t element_size, const int64_t* strides) {
  int64_t expected = (int64_t)element_size;
  for (size_t d = type->rank; d-- > 0;) {
    if (type->dims[d] != 1 && strides[d] != expected) return false;
    expected *= type->dims[d];
  }
  return true;
}

// The elements of rows, each for all elements of its row.
static bool repeats_rows(const tn_fusion_spec_t* spec, size_t element_size,
                         const int64_t* strides) {
  int64_t expected = (int64_t)element_size;
  for (size_t d = spec->shape->rank; d-- > 0;) {
    if (spec->shape->dims[d] == 1) continue;
    if (strides[d] != (d < spec->row_rank ? expected : 0)) return false;
    if (d < spec->row_rank) expected *= spec->shape->dims[d];
  }
  return true;
}

static tn_status_t repeat(builder_t* builder, uint32_t rows, uint32_t* out_value) {
  uint32_t* operand = NULL;
  *out_value = builder->repeated[rows];
  if (*out_value != NO_VALUE) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(builder->arena, &operand));
  *operand = rows;
  *out_value = add_value(builder, builder->values[rows].element_size, TN_FUSION_ALL);
  builder->repeated[rows] = *out_value;
  builder->steps[builder->spec->step_count++] = (tn_fusion_step_t){.kind = TN_FUSION_REPEAT,
                                                                   .operand_count = 1,
                                                                   .result_count = 1,
                                                                   .operands = operand,
                                                                   .first_result = *out_value};
  return TN_OK;
}

static bool is_same_read(const builder_t* builder, const tn_fusion_read_t* a,
                         const tn_fusion_read_t* b, tn_fusion_space_t space) {
  if (a->operand != b->operand || builder->values[a->value].space != space) return false;
  if (a->is_dense || b->is_dense) return a->is_dense == b->is_dense;
  return a->byte_offset == b->byte_offset && tn__type_same_shape(a->type, b->type) &&
         memcmp(a->strides, b->strides, a->type->rank * sizeof *a->strides) == 0;
}

static tn_status_t read_operand(builder_t* builder, const tn_value_t* argument,
                                tn_fusion_space_t space, const tn_type_t* type,
                                const tn_view_t* view, uint32_t* out_value) {
  tn_fusion_spec_t* spec = builder->spec;
  const size_t size = tn_dtype_byte_size(argument->type->dtype);
  tn_fusion_read_t read = {
      .operand = argument->index,
      .is_dense = space == TN_FUSION_ONE ||
                  (view->byte_offset == 0 && are_dense(type, size, view->strides)),
      .type = type,
      .byte_offset = view->byte_offset,
      .strides = view->strides};
  builder->fits &= space != TN_FUSION_ALL || tn__fusion_takes_strides(type, size, view->strides);
  builder->fits &= space != TN_FUSION_LIST || read.is_dense;
  for (size_t i = 0; i < spec->read_count; ++i) {
    *out_value = builder->reads[i].value;
    if (is_same_read(builder, &builder->reads[i], &read, space)) return TN_OK;
  }
  int64_t* kept = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(builder->arena, type->rank, &kept));
  if (type->rank) memcpy(kept, view->strides, type->rank * sizeof *kept);
  *out_value = read.value = add_value(builder, size, space);
  builder->values[read.value].is_read = true;
  read.strides = kept;
  builder->reads[spec->read_count++] = read;
  return TN_OK;
}

// What a member of `type` reads when it reads `value`: all of it, or a scalar again and again.
static tn_status_t read_value(builder_t* builder, tn_value_t* value, tn_fusion_space_t space,
                              const tn_type_t* type, uint32_t* out_value) {
  tn_value_trace_t trace;
  int64_t strides[TN_MAX_RANK];
  *out_value = 0;
  TN_RETURN_IF_ERROR(tn__value_trace(value, builder->views, &builder->scratch, &trace));
  builder->fits &= trace.is_view;
  if (!builder->fits) return TN_OK;
  if (value->type->rank) {
    tn__view_strides(&trace.view, value->type, strides);
  } else {
    memset(strides, 0, type->rank * sizeof *strides);
  }
  const tn_view_t view = {trace.view.byte_offset, strides};
  const tn_node_t* maker = trace.root->node;
  if (!maker) return read_operand(builder, trace.root, space, type, &view, out_value);
  builder->fits &= is_member(maker) && view.byte_offset == 0;
  if (!builder->fits) return TN_OK;
  const uint32_t number = builder->numbers[trace.root->id - builder->first_id];
  const tn_fusion_value_t* made = &builder->values[number];
  *out_value = number;
  if (made->space == space) {
    builder->fits &= are_dense(type, made->element_size, strides);
    return TN_OK;
  }
  builder->fits &= made->space == TN_FUSION_ROW && space == TN_FUSION_ALL &&
                   repeats_rows(builder->spec, made->element_size, strides);
  return builder->fits ? repeat(builder, number, out_value) : TN_OK;
}

// --- steps

static tn_fusion_space_t space_of(const builder_t* builder, const tn_type_t* type) {
  return tn__type_same_shape(type, builder->spec->shape) ? TN_FUSION_ALL : TN_FUSION_ROW;
}

static tn_status_t add_member(builder_t* builder, const tn_node_t* node) {
  tn_fusion_spec_t* spec = builder->spec;
  const bool is_fold = node->op == TN__OP(reduce);
  const tn_type_t* shape = is_fold ? spec->shape : node->results[0].type;
  tn_fusion_step_t step = {.kind = is_fold ? TN_FUSION_FOLD : TN_FUSION_MAP,
                           .node = node,
                           .operand_count = node->operand_count,
                           .result_count = node->result_count};
  uint32_t* operands = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(builder->arena, node->operand_count, &operands));
  step.operands = operands;
  for (uint32_t i = 0; i < node->operand_count && builder->fits; ++i) {
    tn_fusion_space_t space = space_of(builder, shape);
    if (is_fold && i == 1) space = TN_FUSION_ONE;
    if (tn__node_reads_all(node, i)) space = TN_FUSION_LIST;
    const bool is_own = space == TN_FUSION_ONE || space == TN_FUSION_LIST;
    const tn_type_t* type = is_own ? node->operands[i]->type : shape;
    TN_RETURN_IF_ERROR(read_value(builder, node->operands[i], space, type, &operands[i]));
  }
  const tn_fusion_space_t space = is_fold ? TN_FUSION_ROW : space_of(builder, shape);
  for (uint32_t i = 0; i < node->result_count; ++i) {
    const uint32_t value =
        add_value(builder, tn_dtype_byte_size(node->results[i].type->dtype), space);
    if (i == 0) step.first_result = value;
    builder->numbers[node->results[i].id - builder->first_id] = value;
  }
  if (is_fold && !spec->has_rows) {
    tn_fusion_step_t* last = NULL;
    TN_RETURN_IF_ERROR(TN_ARENA_NEW(builder->arena, &last));
    *last = step;
    spec->last = last;
  } else {
    builder->steps[spec->step_count++] = step;
  }
  return TN_OK;
}

// A result is what a member computes, once, and in its order.
static tn_status_t list_results(builder_t* builder) {
  tn_fusion_spec_t* spec = builder->spec;
  const tn_node_t* last = builder->region->last;
  uint32_t* results = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(builder->arena, last->operand_count, &results));
  spec->results = results;
  spec->result_count = last->operand_count;
  for (uint32_t r = 0; r < last->operand_count && builder->fits; ++r) {
    tn_value_trace_t trace;
    TN_RETURN_IF_ERROR(
        tn__value_trace(last->operands[r], builder->views, &builder->scratch, &trace));
    builder->fits &= trace.is_view && trace.root->node && is_member(trace.root->node) &&
                     trace.view.byte_offset == 0 && !trace.view.strides &&
                     tn__type_size(trace.root->type) == tn__type_size(last->operands[r]->type);
    if (!builder->fits) return TN_OK;
    results[r] = builder->numbers[trace.root->id - builder->first_id];
    for (uint32_t k = 0; k < r; ++k) builder->fits &= results[k] != results[r];
  }
  return TN_OK;
}

// A reduction at the end folds what a step gives, and no member reads what it gives.
static bool is_last_alone(const tn_fusion_spec_t* spec) {
  if (spec->values[spec->last->operands[0]].is_read) return false;
  for (size_t s = 0; s < spec->step_count; ++s) {
    for (uint32_t i = 0; i < spec->steps[s].operand_count; ++i) {
      if (spec->steps[s].operands[i] == spec->last->first_result) return false;
    }
  }
  return true;
}

typedef struct counts {
  size_t members, operands, results, ids;
  size_t rows;  // results for rows, which may be repeated
} counts_t;

static counts_t count(const builder_t* builder) {
  counts_t counts = {0};
  TN_FOR_EACH_NODE (node, builder->region) {
    if (!is_member(node)) continue;
    const bool is_all = tn__type_same_shape(node->results[0].type, builder->spec->shape);
    ++counts.members;
    counts.operands += node->operand_count;
    counts.results += node->result_count;
    counts.rows += is_all ? 0 : node->result_count;
    counts.ids = node->results[node->result_count - 1].id - builder->first_id + 1;
  }
  return counts;
}

static tn_status_t make_lists(builder_t* builder) {
  const counts_t n = count(builder);
  if (n.members > MOST_STEPS) builder->fits = false;
  if (!builder->fits) return TN_OK;
  tn_arena_t* arena = builder->arena;
  const size_t values = n.operands + n.results + n.rows;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, values, &builder->values));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, n.members + n.rows, &builder->steps));
  arena = &builder->scratch;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, n.operands, &builder->reads));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, values, &builder->repeated));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, n.ids, &builder->numbers));
  builder->spec->values = builder->values;
  builder->spec->steps = builder->steps;
  return TN_OK;
}

// As many as there are: most operands of members are what others give.
static tn_status_t keep_reads(builder_t* builder) {
  const size_t count = builder->spec->read_count;
  tn_fusion_read_t* kept = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(builder->arena, count, &kept));
  if (count) memcpy(kept, builder->reads, count * sizeof *kept);
  builder->spec->reads = kept;
  return TN_OK;
}

static tn_status_t build(builder_t* builder) {
  const tn_region_t* region = builder->region;
  TN_RETURN_IF_ERROR(find_shape(builder));
  if (!builder->fits) return TN_OK;
  builder->first_id = region->arguments[0].id;
  TN_RETURN_IF_ERROR(make_lists(builder));
  TN_FOR_EACH_NODE (node, region) {
    if (builder->fits && is_member(node)) TN_RETURN_IF_ERROR(add_member(builder, node));
  }
  if (builder->fits) TN_RETURN_IF_ERROR(list_results(builder));
  if (builder->spec->last) builder->fits &= is_last_alone(builder->spec);
  return builder->fits ? keep_reads(builder) : TN_OK;
}

tn_status_t tn__fusion_read_region(const tn_region_t* region, const tn_view_t* views,
                                   tn_arena_t* arena, tn_fusion_spec_t* out_spec, bool* out_fits) {
  builder_t builder = {.region = region, .views = views, .arena = arena, .spec = out_spec};
  *out_spec = (tn_fusion_spec_t){.operand_count = region->argument_count};
  *out_fits = false;
  if (region->argument_count == 0) return TN_OK;
  tn__arena_init(&builder.scratch, arena->allocator);
  tn_status_t status = build(&builder);
  tn__arena_deinit(&builder.scratch);
  *out_fits = !status && builder.fits;
  return status;
}
