// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Which values have no storage of their own: views of others (ops/view.h).
//
// Every view is followed to the value that has the elements, its root. Then, from the last node to
// the first, every reader of a view is asked whether its kernel takes it; where one does not, or
// where the root would have to live on for it, the operation is planned as a step that stores the
// view's elements. A view that every reader takes is no step, and one that is stored is still read
// at its root by those that take it, where the root is the smaller one.
#include "kernel/placement.h"
#include "plan/planner.h"

// --- views of values

// Whose storage a value is in, as far as one can see without leaves.
static const tn_value_t* storage_of(const planner_t* planner, const tn_value_t* value) {
  for (;;) {
    const tn_node_t* node = value->node;
    const tn_value_t* same = planner->views[value->id].same;
    if (same) {
      value = same;
    } else if (node && (node->op == TN__OP(reshape) || node->op == TN__OP(optimization_barrier))) {
      value = node->operands[value->index];
    } else {
      return value;
    }
  }
}

static bool has_view_operation(const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    if (tn__op_has(node->op, TN_VIEW)) return true;
    for (uint32_t r = 0; r < node->region_count; ++r) {
      if (has_view_operation(node->regions[r])) return true;
    }
  }
  return false;
}

// A custom call writes its results in the layouts that it states.
static tn_status_t find_layout(planner_t* planner, const tn_node_t* call, uint32_t index,
                               const tn_value_t* value) {
  tn_node_choice_t choice;
  if (!tn__attr_find(&call->attrs, "result_layouts")) return TN_OK;
  TN_RETURN_IF_ERROR(tn__plan_find_kernel(planner, call, &choice));
  if (!choice.kernel || !choice.kernel->has_layouts) return TN_OK;
  return tn__view_of_layout(choice.use, "result_layouts", index, value->type,
                            &planner->views[value->id].view);
}

static tn_status_t find_layouts(planner_t* planner, const tn_node_t* node) {
  const tn_node_t* maker = node->operand_count ? node->operands[0]->node : NULL;
  if (node->op == TN__OP(get_tuple_element) && maker && tn__op_has(maker->op, TN_FOREIGN)) {
    const int64_t index = tn__attr_get_integer(&node->attrs, "index", 0);
    return find_layout(planner, maker, (uint32_t)index, &node->results[0]);
  }
  for (uint32_t i = 0; i < node->result_count && tn__op_has(node->op, TN_FOREIGN); ++i) {
    TN_RETURN_IF_ERROR(find_layout(planner, node, i, &node->results[i]));
  }
  return TN_OK;
}

static bool is_whole(const tn_view_t* view, const tn_value_t* value, const tn_value_t* root) {
  return !view->strides && view->byte_offset == 0 &&
         tn__type_byte_size(value->type) == tn__type_byte_size(root->type);
}

static tn_status_t find_view(const planner_t* planner, const tn_node_t* node) {
  tn_value_t* operand = node->operands[0];
  const value_view_t* from = &planner->views[operand->id];
  value_view_t* to = &planner->views[node->results[0].id];
  tn_op_use_t use;
  bool is_view = false;
  // The planner forwards a reshape of what has storage.
  if (!from->root && node->op == TN__OP(reshape)) return TN_OK;
  TN_RETURN_IF_ERROR(tn__node_use(node, planner->arena, &use));
  TN_RETURN_IF_ERROR(tn__view_of_result(&use, &from->view, &to->view, &is_view));
  if (!is_view) return TN_OK;
  const tn_value_t* root = from->root ? from->root : operand;
  if (is_whole(&to->view, &node->results[0], root)) {
    to->same = root;
    return TN_OK;
  }
  to->root = root;
  if (!from->root) {
    planner->views[storage_of(planner, operand)->id].viewed_byte_size +=
        tn__type_byte_size(node->results[0].type);
  }
  return TN_OK;
}

static tn_status_t find_views(planner_t* planner, const tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    TN_RETURN_IF_ERROR(find_layouts(planner, node));
    if (tn__op_makes_view(node->op)) TN_RETURN_IF_ERROR(find_view(planner, node));
    for (uint32_t r = 0; r < node->region_count && !tn__op_has(node->op, TN_ISOLATED); ++r) {
      TN_RETURN_IF_ERROR(find_views(planner, node->regions[r]));
    }
  }
  return TN_OK;
}

// --- readers

static bool has_tuple(const tn_node_t* node) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (node->operands[i]->type->kind == TN_TYPE_TUPLE) return true;
  }
  return false;
}

// What hands its operands on as they are, and what reads several arrays as one operand.
static bool needs_whole_operands(const tn_node_t* node) {
  return has_tuple(node) || tn__op_has(node->op, TN_TERMINATOR) ||
         tn__op_has(node->op, TN_FORWARDS) || tn__op_is_control(node->op) ||
         tn__op_is_transfer(node->op) || node->op == TN__OP_OF(func, call);
}

static bool is_smaller(const tn_value_t* a, const tn_value_t* b) {
  return tn__type_byte_size(a->type) < tn__type_byte_size(b->type);
}

static bool is_inside_loop(const tn_region_t* inside, const tn_region_t* outside) {
  for (const tn_region_t* region = inside; region != outside && region->parent;
       region = region->parent->region) {
    if (tn__plan_repeats(region->parent)) return true;
  }
  return false;
}

tn_status_t tn__plan_takes_view(planner_t* planner, const tn_node_t* node, uint32_t operand,
                                bool* out_takes) {
  const value_view_t* view = &planner->views[node->operands[operand]->id];
  tn_node_choice_t choice;
  *out_takes = false;
  if (planner->viewer != node) {
    planner->viewer = node;
    planner->viewer_needs_whole = needs_whole_operands(node);
  }
  if (planner->viewer_needs_whole) return TN_OK;
  if (!view->view.strides) {
    // Handlers from outside may count on the alignment of what the program owns, and on all of what
    // they write to in place of an operand.
    *out_takes = !tn__op_has(node->op, TN_FOREIGN) ||
                 (view->view.byte_offset % TN_PLAN_ALIGNMENT == 0 &&
                  !tn__attr_find(&node->attrs, "output_operand_aliases"));
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(tn__plan_find_kernel(planner, node, &choice));
  *out_takes = choice.kernel && choice.kernel->takes_view &&
               choice.kernel->takes_view(choice.use, operand, &view->view);
  return TN_OK;
}

// Arguments that a run may give away are overwritten like temporaries.
static bool is_kept_anyway(const planner_t* planner, const tn_value_t* storage) {
  const tn_function_t* function = planner->plan->function;
  if (storage->node) return storage->node->op == TN__OP(constant);
  if (storage->region->parent) return false;
  if (!planner->options->is_entry || !function->argument_attrs) return true;
  const tn_attr_dictionary_t* attrs = &function->argument_attrs[storage->index];
  return !tn__attr_find(attrs, "tf.aliasing_output") && !tn__attr_find(attrs, "jax.buffer_donor");
}

// Whether the root's storage would be kept longer for this reader than the view's elements are
// worth. Readers come last ones first; what views together are as large as is kept for them.
static bool keeps_too_much(const planner_t* planner, const tn_node_t* reader,
                           const tn_value_t* value) {
  const value_view_t* view = &planner->views[value->id];
  const tn_value_t* storage = storage_of(planner, view->root);
  const value_view_t* read = &planner->views[storage->id];
  return is_smaller(value, view->root) && read->last_read < reader->id &&
         read->viewed_byte_size < tn__type_byte_size(storage->type) &&
         !is_kept_anyway(planner, storage);
}

static void note_read(const planner_t* planner, const tn_node_t* reader, const tn_value_t* value) {
  value_view_t* read = &planner->views[storage_of(planner, value)->id];
  if (read->last_read < reader->id) read->last_read = reader->id;
}

static tn_status_t has_layouts(planner_t* planner, const tn_node_t* node, bool* out_has) {
  tn_node_choice_t choice;
  *out_has = false;
  if (!tn__op_has(node->op, TN_FOREIGN)) return TN_OK;
  TN_RETURN_IF_ERROR(tn__plan_find_kernel(planner, node, &choice));
  *out_has = choice.kernel && choice.kernel->has_layouts;
  return TN_OK;
}

static tn_status_t read_operand(planner_t* planner, const tn_node_t* node, uint32_t index) {
  const tn_value_t* operand = node->operands[index];
  value_view_t* view = &planner->views[operand->id];
  bool takes = false, is_layout = false;
  if (!view->root) {
    note_read(planner, node, operand);
    return TN_OK;
  }
  TN_RETURN_IF_ERROR(tn__plan_takes_view(planner, node, index, &takes));
  if (takes && view->view.strides) TN_RETURN_IF_ERROR(has_layouts(planner, node, &is_layout));
  // What a loop reads again and again is worth storing once, unless it becomes larger.
  const bool is_gathered_again = view->view.strides && !is_smaller(view->root, operand) &&
                                 !is_layout && is_inside_loop(node->region, operand->region);
  if (takes && !is_gathered_again && !keeps_too_much(planner, node, operand)) {
    note_read(planner, node, view->root);
  } else {
    view->reader = node;
  }
  return TN_OK;
}

// Last nodes first: whether a view is stored is known when its operation is reached.
static tn_status_t read_region(planner_t* planner, const tn_region_t* region) {
  for (const tn_node_t* node = region->last; node; node = node->previous) {
    const value_view_t* view =
        tn__op_makes_view(node->op) ? &planner->views[node->results[0].id] : NULL;
    for (uint32_t r = node->region_count; r-- > 0 && !tn__op_has(node->op, TN_ISOLATED);) {
      TN_RETURN_IF_ERROR(read_region(planner, node->regions[r]));
    }
    if (view && (view->same || (view->root && !view->reader))) continue;
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      TN_RETURN_IF_ERROR(tn__node_locate(node, read_operand(planner, node, i)));
    }
  }
  return TN_OK;
}

tn_status_t tn__plan_find_views(planner_t* planner, const tn_function_t* function) {
  if (!has_view_operation(function->body)) return TN_OK;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, function->value_count, &planner->views));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&planner->scratch, function->node_count, &planner->choices));
  TN_RETURN_IF_ERROR(find_views(planner, function->body));
  return read_region(planner, function->body);
}

// --- operands of steps

// The view by which the node reads its operand at the root; NULL: it reads what is stored.
static tn_status_t view_of_operand(planner_t* planner, const tn_node_t* node, uint32_t index,
                                   const value_view_t** out_view) {
  const value_view_t* view = &planner->views[node->operands[index]->id];
  bool takes = false;
  *out_view = NULL;
  if (!view->root) return TN_OK;
  if (view->reader && is_smaller(view->root, node->operands[index])) {
    TN_RETURN_IF_ERROR(tn__plan_takes_view(planner, node, index, &takes));
  }
  if (takes || !view->reader) *out_view = view;
  return TN_OK;
}

tn_status_t tn__plan_read_views(planner_t* planner, const tn_node_t* node, const tn_value_t** roots,
                                const tn_view_t** out_views) {
  tn_view_t* views = NULL;
  *out_views = NULL;
  for (uint32_t i = 0; planner->views && i < node->operand_count; ++i) {
    const value_view_t* view = NULL;
    void* memory = NULL;
    TN_RETURN_IF_ERROR(view_of_operand(planner, node, i, &view));
    if (!view) continue;
    if (!views) {
      TN_RETURN_IF_ERROR(tn__arena_allocate_array(planner->arena, node->operand_count,
                                                  sizeof(tn_view_t), &memory));
      *out_views = views = memory;
    }
    roots[i] = view->root;
    views[i] = view->view;
  }
  return TN_OK;
}
