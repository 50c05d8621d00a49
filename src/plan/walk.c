// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// From nodes to steps: which kernels there are, in which order, and from when to when every leaf is
// needed.
//
// Positions count upward through the function; a step's regions are between its `begin` and its
// `position`. Even numbers are steps and ends of regions, the odd number before a step is for
// copies that the assignment may put there.
#include "kernel/placement.h"
#include "plan/planner.h"

static tn_status_t walk_region(planner_t* planner, tn_region_t* region, block_t* block);

bool tn__plan_repeats(const tn_node_t* node) {
  return node->op != TN__OP(if) && node->op != TN__OP(case);
}

static uint32_t* leaves_of(const planner_t* planner, const tn_value_t* value) {
  return &planner->leaf_lists[planner->value_leaves[value->id]];
}

static tn_status_t add_leaf(planner_t* planner, leaf_t leaf, uint32_t* out_leaf) {
  void* leaves = planner->leaves;
  TN_RETURN_IF_ERROR(tn__grow(planner->allocator, &leaves, &planner->leaf_capacity,
                              planner->leaf_count + 1, sizeof *planner->leaves));
  planner->leaves = leaves;
  *out_leaf = (uint32_t)planner->leaf_count++;
  planner->leaves[*out_leaf] = leaf;
  return TN_OK;
}

static tn_status_t check_static(const tn_node_t* node, const tn_value_t* value) {
  const bool is_future = value->type->kind == TN_TYPE_FUTURE;
  if (tn__type_is_static(value->type) && !is_future) return TN_OK;
  const char* wanted = is_future ? "futures are waited for where they begin"
                                 : "dimensions must be known when a program is compiled (JAX: "
                                   "export for concrete shapes)";
  if (node) {
    return tn__node_locate(
        node, tn_status_create(TN_CODE_UNIMPLEMENTED, "%s: a value has the type %s; %s",
                               tn__op_short_name(node->op), TN_TYPE_TEXT(value->type), wanted));
  }
  return tn__function_locate(
      value->region->function,
      tn_status_create(TN_CODE_UNIMPLEMENTED, "argument %u has the type %s; %s",
                       (unsigned)value->index, TN_TYPE_TEXT(value->type), wanted));
}

typedef struct leaf_maker {
  planner_t* planner;
  leaf_t model;
  uint32_t* out;
  size_t count;
  tn_status_t status;
} leaf_maker_t;

static void make_leaf(void* user, const tn_type_t* type) {
  leaf_maker_t* maker = user;
  if (maker->status) return;
  maker->model.type = type;
  maker->status = add_leaf(maker->planner, maker->model, &maker->out[maker->count++]);
}

// Fresh leaves for a value.
TN_APART static tn_status_t define(planner_t* planner, const tn_value_t* value, uint32_t position,
                                   bool is_step_result) {
  TN_RETURN_IF_ERROR(check_static(value->node, value));
  leaf_maker_t maker = {
      .planner = planner,
      .model = {.value = value,
                .region = value->region,
                .definition = position,
                .first_use = NO_POSITION,
                .last_use = position,
                .buffer = NO_BUFFER,
                .preferred = NO_BUFFER,
                .is_step_result = is_step_result},
      .out = &planner->leaf_lists[planner->leaf_list_count],
  };
  planner->value_leaves[value->id] = (uint32_t)planner->leaf_list_count;
  planner->leaf_list_count += tn_type_leaf_count(value->type);
  tn__type_for_each_leaf(value->type, make_leaf, &maker);
  return maker.status;
}

// The leaves of several values, one after the other.
TN_APART static tn_status_t gather_leaves(planner_t* planner, size_t value_count,
                                          const tn_value_t* const* values, uint32_t** out_leaves,
                                          size_t* out_count) {
  size_t count = 0;
  for (size_t i = 0; i < value_count; ++i) count += tn_type_leaf_count(values[i]->type);
  *out_leaves = NULL;
  uint32_t* leaves = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, count, &leaves));
  size_t filled = 0;
  for (size_t i = 0; i < value_count; ++i) {
    size_t n = tn_type_leaf_count(values[i]->type);
    const uint32_t* source = leaves_of(planner, values[i]);
    for (size_t k = 0; k < n; ++k) leaves[filled++] = source[k];
  }
  *out_leaves = leaves;
  *out_count = count;
  return TN_OK;
}

// The outermost loop between `inside` and the region where the leaf is defined; NULL when there is
// none.
static const tn_node_t* enclosing_loop(const leaf_t* leaf, const tn_region_t* inside) {
  const tn_node_t* loop = NULL;
  for (const tn_region_t* region = inside; region != leaf->region && region->parent;
       region = region->parent->region) {
    if (tn__plan_repeats(region->parent)) loop = region->parent;
  }
  return loop;
}

// A use inside a loop is noted as a use by the loop's own step, whose end is not known yet: uses
// are settled when the walk leaves that step (settle_captures).
typedef struct capture {
  struct capture* next;
  uint32_t leaf;
} capture_t;

static tn_status_t use_leaf(planner_t* planner, uint32_t index, const tn_region_t* region,
                            uint32_t position) {
  leaf_t* leaf = &planner->leaves[index];
  const tn_node_t* loop = enclosing_loop(leaf, region);
  if (position < leaf->first_use) leaf->first_use = position;
  if (!loop) {
    if (position > leaf->last_use) leaf->last_use = position;
    return TN_OK;
  }
  capture_t* capture = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(&planner->scratch, &capture));
  *capture = (capture_t){.next = planner->captures[loop->id], .leaf = index};
  planner->captures[loop->id] = capture;
  return TN_OK;
}

static void settle_captures(planner_t* planner, const tn_node_t* node, uint32_t position) {
  for (capture_t* capture = planner->captures[node->id]; capture; capture = capture->next) {
    leaf_t* leaf = &planner->leaves[capture->leaf];
    if (position > leaf->last_use) leaf->last_use = position;
  }
}

// An operation whose results are its operands' leaves.
TN_APART static void forward(planner_t* planner, const tn_node_t* node) {
  const tn_value_t* result = node->results;
  if (node->op == TN__OP(get_tuple_element)) {
    const tn_value_t* tuple = node->operands[0];
    uint32_t index = (uint32_t)tn__attr_get_integer(&node->attrs, "index", 0);
    planner->value_leaves[result->id] =
        planner->value_leaves[tuple->id] + (uint32_t)tn__type_leaf_offset(tuple->type, index);
    return;
  }
  if (node->op == TN__OP(tuple)) {
    planner->value_leaves[result->id] = (uint32_t)planner->leaf_list_count;
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      const uint32_t* source = leaves_of(planner, node->operands[i]);
      size_t count = tn_type_leaf_count(node->operands[i]->type);
      for (size_t k = 0; k < count; ++k) {
        planner->leaf_lists[planner->leaf_list_count++] = source[k];
      }
    }
    return;
  }
  for (uint32_t i = 0; i < node->result_count; ++i) {
    planner->value_leaves[node->results[i].id] = planner->value_leaves[node->operands[i]->id];
  }
}

TN_APART static tn_status_t add_constant(planner_t* planner, const tn_node_t* node) {
  TN_RETURN_IF_ERROR(define(planner, &node->results[0], planner->position, false));
  const tn_attr_t* value = tn__attr_find(&node->attrs, "value");
  const tn_type_t* type = node->results[0].type;
  const void* data = value->elements.data;
  size_t byte_size = tn__type_byte_size(type);
  if (value->elements.splat && tn__type_size(type) != 1) {
    void* expanded = NULL;
    TN_RETURN_IF_ERROR(
        tn__arena_allocate_aligned(planner->arena, byte_size, TN_PLAN_ALIGNMENT, &expanded));
    size_t size = tn_dtype_byte_size(type->dtype);
    for (size_t i = 0; i < byte_size; i += size) {
      memcpy((char*)expanded + i, value->elements.data, size);
    }
    data = expanded;
  }
  tn_plan_t* plan = planner->plan;
  void* buffers = plan->buffers;
  TN_RETURN_IF_ERROR(tn__grow(planner->allocator, &buffers, &planner->buffer_capacity,
                              plan->buffer_count + 1, sizeof *plan->buffers));
  plan->buffers = buffers;
  uint32_t leaf = leaves_of(planner, &node->results[0])[0];
  planner->leaves[leaf].buffer = (uint32_t)plan->buffer_count;
  plan->buffers[plan->buffer_count++] = (tn_plan_buffer_t){
      .kind = tn__value_is_on_host(&node->results[0]) ? TN_PLAN_HOST_CONSTANT : TN_PLAN_CONSTANT,
      .byte_size = byte_size,
      .parameter = TN_PLAN_NONE,
      .data = data,
      .value = &node->results[0],
  };
  return TN_OK;
}

// Operands, of the first 32, whose storage no other one is in. `leaves`: of the operands.
static uint32_t find_single_operands(size_t count, const uint32_t* leaves) {
  uint32_t single = 0;
  for (size_t i = 0; i < count && i < 32; ++i) {
    bool is_single = true;
    for (size_t k = 0; k < count && is_single; ++k) is_single = i == k || leaves[i] != leaves[k];
    if (is_single) single |= UINT32_C(1) << i;
  }
  return single;
}

tn_status_t tn__plan_find_kernel(planner_t* planner, const tn_node_t* node,
                                 tn_node_choice_t* out_choice) {
  tn_node_choice_t* known = planner->choices ? &planner->choices[node->id] : NULL;
  if (known && known->use) {
    *out_choice = *known;
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(tn__node_choose(node, planner->arena, out_choice));
  if (known) *known = *out_choice;
  return TN_OK;
}

// What is in the place of the operand is not to be overwritten: the step reads it in another
// order.
static void keep_storage(step_t* step, uint32_t operand) {
  for (size_t i = 0; i < step->plan.operand_count && i < TN_PLAN_IN_PLACE_OPERANDS; ++i) {
    if (step->operands[i] == step->operands[operand]) {
      step->kept_operands |= UINT32_C(1) << i;
    }
  }
}

// Sets the step's operands: the leaves that it reads.
TN_APART static tn_status_t gather_operands(planner_t* planner, const tn_node_t* node, step_t* step,
                                            const tn_view_t** out_views) {
  *out_views = NULL;
  if (!planner->views) {
    return gather_leaves(planner, node->operand_count, (const tn_value_t* const*)node->operands,
                         &step->operands, &step->plan.operand_count);
  }
  const tn_value_t** roots = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, node->operand_count, &roots));
  for (uint32_t i = 0; i < node->operand_count; ++i) roots[i] = node->operands[i];
  TN_RETURN_IF_ERROR(tn__plan_read_views(planner, node, roots, out_views));
  TN_RETURN_IF_ERROR(gather_leaves(planner, node->operand_count, roots, &step->operands,
                                   &step->plan.operand_count));
  for (uint32_t i = 0; *out_views && i < node->operand_count; ++i) {
    if (roots[i] != node->operands[i]) keep_storage(step, i);
  }
  return TN_OK;
}

TN_APART static tn_status_t choose_kernel(planner_t* planner, const tn_node_t* node, step_t* step) {
  const tn_view_t* views = NULL;
  TN_RETURN_IF_ERROR(gather_operands(planner, node, step, &views));
  if (node->op == TN__OP_OF(func, call)) {
    tn_string_view_t name = tn__attr_get_string(&node->attrs, "callee");
    step->plan.site = (tn_kernel_site_t){.arena = planner->arena};
    step->plan.callee = tn__module_find_function(node->region->function->module, name);
    if (step->plan.callee && step->plan.callee->body) return TN_OK;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "call: @%.*s is only declared; there is nothing to run", TN_SV(name));
  }
  tn_node_choice_t choice;
  TN_RETURN_IF_ERROR(tn__plan_find_kernel(planner, node, &choice));
  step->plan.kernel = choice.kernel;
  step->plan.site = (tn_kernel_site_t){
      .views = views,
      .arena = planner->arena,
      .calls = planner->options->calls,
      .single_operands = find_single_operands(step->plan.operand_count, step->operands)};
  return tn__node_prepare(node, &choice, &step->plan.site);
}

TN_APART static tn_status_t new_step(planner_t* planner, block_t* block, step_t** out_step) {
  void* steps = block->steps;
  TN_RETURN_IF_ERROR(tn__grow(planner->allocator, &steps, &block->step_capacity,
                              block->step_count + 1, sizeof *block->steps));
  block->steps = steps;
  *out_step = &block->steps[block->step_count++];
  **out_step = (step_t){.plan = {.scratch = NO_BUFFER}};
  return TN_OK;
}

static tn_status_t walk_step(planner_t* planner, tn_node_t* node, block_t* block) {
  step_t* step = NULL;
  TN_RETURN_IF_ERROR(new_step(planner, block, &step));
  step->plan.node = node;
  planner->position += 2;
  step->plan.begin = planner->position;
  bool is_while = node->op == TN__OP(while);
  TN_RETURN_IF_ERROR(choose_kernel(planner, node, step));
  bool has_regions = node->region_count > 0 && !step->plan.site.holds_regions;
  if (planner->views && tn__op_has(node->op, TN_VIEW)) {
    step->plan.reader = planner->views[node->results[0].id].reader;
  }
  for (uint32_t i = 0; i < node->result_count; ++i) {
    // A while's results hold the first iteration's values from the copies before it on.
    TN_RETURN_IF_ERROR(define(planner, &node->results[i],
                              is_while ? step->plan.begin - 1 : step->plan.begin, true));
  }
  if (has_regions) {
    block_t* blocks = NULL;
    TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, node->region_count, &blocks));
    step->blocks = blocks;
    step->plan.block_count = node->region_count;
    size_t index = (size_t)(step - block->steps);  // the block's steps may move meanwhile
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(walk_region(planner, node->regions[i], &blocks[i]));
    }
    step = &block->steps[index];
    planner->position += 2;
  }
  step->plan.position = planner->position;
  settle_captures(planner, node, step->plan.position);
  // A while reads its operands in the copies before it; if and case read their index before any
  // branch runs.
  uint32_t use_position = is_while                                 ? step->plan.begin - 1
                          : has_regions && !tn__plan_repeats(node) ? step->plan.begin
                                                                   : step->plan.position;
  for (size_t i = 0; i < step->plan.operand_count; ++i) {
    TN_RETURN_IF_ERROR(use_leaf(planner, step->operands[i], node->region, use_position));
  }
  size_t result_leaves = 0;
  for (uint32_t i = 0; i < node->result_count; ++i) {
    result_leaves += tn_type_leaf_count(node->results[i].type);
  }
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, result_leaves, &step->results));
  for (uint32_t i = 0; i < node->result_count; ++i) {
    const uint32_t* leaves = leaves_of(planner, &node->results[i]);
    size_t count = tn_type_leaf_count(node->results[i].type);
    for (size_t k = 0; k < count; ++k) {
      step->results[step->plan.result_count++] = leaves[k];
      // Even an unused result is written up to the end of the step.
      leaf_t* leaf = &planner->leaves[leaves[k]];
      if (leaf->last_use < step->plan.position) leaf->last_use = step->plan.position;
    }
  }
  return tn__op_has(node->op, TN_FOREIGN) ? tn__plan_read_aliases(planner, step) : TN_OK;
}

// Whether the node's elements are read where another value has them.
static bool is_only_view(const planner_t* planner, const tn_node_t* node) {
  if (!planner->views || !tn__op_makes_view(node->op)) return false;
  const value_view_t* view = &planner->views[node->results[0].id];
  if (view->same) {
    planner->value_leaves[node->results[0].id] = planner->value_leaves[view->same->id];
  }
  return view->same || (view->root && !view->reader);
}

static tn_status_t walk_node(planner_t* planner, tn_node_t* node, block_t* block) {
  if (node->op == TN__OP(constant)) return add_constant(planner, node);
  if (is_only_view(planner, node)) return TN_OK;
  if (tn__op_has(node->op, TN_FORWARDS)) {
    forward(planner, node);
    return TN_OK;
  }
  tn_status_t status = walk_step(planner, node, block);
  return status ? tn__node_locate(node, status) : TN_OK;
}

static tn_status_t walk_region(planner_t* planner, tn_region_t* region, block_t* block) {
  block->region = region;
  planner->position += 2;
  block->begin = planner->position;
  size_t argument_leaves = 0;
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    TN_RETURN_IF_ERROR(define(planner, &region->arguments[i], block->begin, false));
    argument_leaves += tn_type_leaf_count(region->arguments[i].type);
  }
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, argument_leaves, &block->arguments));
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    const uint32_t* leaves = leaves_of(planner, &region->arguments[i]);
    size_t count = tn_type_leaf_count(region->arguments[i].type);
    for (size_t k = 0; k < count; ++k) block->arguments[block->argument_count++] = leaves[k];
  }
  TN_FOR_EACH_NODE (node, region) {
    if (!tn__op_has(node->op, TN_TERMINATOR)) TN_RETURN_IF_ERROR(walk_node(planner, node, block));
  }
  planner->position += 2;
  block->end = planner->position;
  const tn_node_t* last = region->last;
  TN_RETURN_IF_ERROR(gather_leaves(planner, last->operand_count,
                                   (const tn_value_t* const*)last->operands, &block->results,
                                   &block->result_count));
  for (size_t i = 0; i < block->result_count; ++i) {
    TN_RETURN_IF_ERROR(use_leaf(planner, block->results[i], region, block->end));
  }
  return TN_OK;
}

// A call may be pending until its results are needed. Until then its operands keep their storage,
// so that other steps need not wait for it; not operands that are larger than the results, which
// take memory meanwhile as well.
static void keep_operands(planner_t* planner, const step_t* step) {
  uint32_t first_use = NO_POSITION;
  size_t result_byte_size = 0;
  for (size_t i = 0; i < step->plan.result_count; ++i) {
    const leaf_t* leaf = &planner->leaves[step->results[i]];
    if (leaf->first_use < first_use) first_use = leaf->first_use;
    result_byte_size += tn__type_byte_size(leaf->type);
  }
  for (size_t i = 0; i < step->plan.operand_count && first_use != NO_POSITION; ++i) {
    leaf_t* leaf = &planner->leaves[step->operands[i]];
    if (tn__type_byte_size(leaf->type) > result_byte_size) continue;
    if (leaf->last_use < first_use - 1) leaf->last_use = first_use - 1;
  }
}

static void keep_operands_in(planner_t* planner, const block_t* block) {
  for (size_t i = 0; i < block->step_count; ++i) {
    const step_t* step = &block->steps[i];
    const tn_kernel_t* kernel = step->plan.kernel;
    if (kernel && kernel->may_pend && !step->alias_count) keep_operands(planner, step);
    for (size_t k = 0; k < step->plan.block_count; ++k) keep_operands_in(planner, &step->blocks[k]);
  }
}

static size_t count_leaves(const tn_region_t* region) {
  size_t count = 0;
  for (uint32_t i = 0; i < region->argument_count; ++i) {
    count += tn_type_leaf_count(region->arguments[i].type);
  }
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->result_count; ++i) {
      count += tn_type_leaf_count(node->results[i].type);
    }
    for (uint32_t i = 0; i < node->region_count; ++i) count += count_leaves(node->regions[i]);
  }
  return count;
}

tn_status_t tn__plan_walk(planner_t* planner, tn_function_t* function) {
  tn_arena_t* scratch = &planner->scratch;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, function->value_count, &planner->value_leaves));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, count_leaves(function->body), &planner->leaf_lists));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(scratch, function->node_count, &planner->captures));
  TN_RETURN_IF_ERROR(tn__plan_find_views(planner, function));
  TN_RETURN_IF_ERROR(walk_region(planner, function->body, &planner->block));
  keep_operands_in(planner, &planner->block);
  return TN_OK;
}
