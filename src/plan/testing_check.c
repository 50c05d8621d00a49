// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// tn__testing_plan_check: a run with names of values in the place of bytes.
#include "plan/testing_plan.h"

enum { NOTHING = 0, SCRATCH = 1, FIRST_NAME = 2, PLACE_LIMIT = 4096 };

typedef struct checker {
  const tn_plan_t* plan;
  size_t* first_leaves;  // by value id: where its names begin in `names`
  uint32_t* names;       // of the leaves of all values
  uint32_t* roots;       // by value id: of a view, the name of what has its elements
  size_t name_count;
  uint32_t next_name;
  uint32_t* contents;  // by buffer
} checker_t;

typedef struct places {
  size_t count;
  uint32_t names[PLACE_LIMIT];
} places_t;

// --- names of values

static size_t leaf_count_of(const tn_value_t* value) {
  return tn_type_leaf_count(value->type);
}

static uint32_t* names_of(const checker_t* checker, const tn_value_t* value) {
  return checker->names + checker->first_leaves[value->id];
}

static void give_room(checker_t* checker, const tn_value_t* value) {
  checker->first_leaves[value->id] = checker->name_count;
  checker->name_count += leaf_count_of(value);
}

static void give_room_in(checker_t* checker, const tn_region_t* region) {
  for (uint32_t i = 0; i < region->argument_count; ++i) give_room(checker, &region->arguments[i]);
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->result_count; ++i) give_room(checker, &node->results[i]);
    for (uint32_t i = 0; i < node->region_count; ++i) give_room_in(checker, node->regions[i]);
  }
}

static void name_anew(checker_t* checker, const tn_value_t* value) {
  for (size_t i = 0; i < leaf_count_of(value); ++i) {
    names_of(checker, value)[i] = checker->next_name++;
  }
}

static void list_names(const checker_t* checker, size_t count, tn_value_t* const* values,
                       places_t* out) {
  out->count = 0;
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < leaf_count_of(values[i]); ++k) {
      assert_true(out->count < PLACE_LIMIT);
      out->names[out->count++] = names_of(checker, values[i])[k];
    }
  }
}

static void list_values(const checker_t* checker, size_t count, tn_value_t* values, places_t* out) {
  out->count = 0;
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < leaf_count_of(&values[i]); ++k) {
      assert_true(out->count < PLACE_LIMIT);
      out->names[out->count++] = names_of(checker, &values[i])[k];
    }
  }
}

// --- memory

static bool overlap(const checker_t* checker, uint32_t a, uint32_t b) {
  if (a == b) return true;
  const tn_plan_buffer_t *x = &checker->plan->buffers[a], *y = &checker->plan->buffers[b];
  return x->kind == TN_PLAN_TEMPORARY && y->kind == TN_PLAN_TEMPORARY && x->byte_size &&
         y->byte_size && x->offset < y->offset + y->byte_size &&
         y->offset < x->offset + x->byte_size;
}

static void store(checker_t* checker, uint32_t buffer, uint32_t name, const char* who) {
  const tn_plan_buffer_t* place = &checker->plan->buffers[buffer];
  if (place->kind == TN_PLAN_PARAMETER || place->kind == TN_PLAN_CONSTANT) {
    fail_msg("%s writes to b%u, which must not change", who, buffer);
  }
  if (place->kind == TN_PLAN_TEMPORARY &&
      place->offset + place->byte_size > checker->plan->arena_byte_size) {
    fail_msg("b%u lies outside of the arena", buffer);
  }
  for (uint32_t i = 0; i < checker->plan->buffer_count; ++i) {
    if (overlap(checker, i, buffer)) checker->contents[i] = NOTHING;
  }
  checker->contents[buffer] = name;
}

static void expect(const checker_t* checker, uint32_t buffer, uint32_t name, const char* who,
                   const char* what, size_t index) {
  if (checker->plan->buffers[buffer].byte_size == 0) return;
  if (checker->contents[buffer] != name) {
    fail_msg("%s: %s %zu should be in b%u (value %u); value %u is there", who, what, index, buffer,
             name, checker->contents[buffer]);
  }
}

static void expect_all(const checker_t* checker, const uint32_t* buffers, const places_t* places,
                       const char* who, const char* what) {
  for (size_t i = 0; i < places->count; ++i) {
    expect(checker, buffers[i], places->names[i], who, what, i);
  }
}

// --- views

static bool makes_view(const tn_node_t* node) {
  return node->op == TN__OP(transpose) || node->op == TN__OP(slice) ||
         node->op == TN__OP(reverse) || node->op == TN__OP(broadcast) ||
         node->op == TN__OP(broadcast_in_dim);
}

static uint32_t root_name(const checker_t* checker, const tn_value_t* value) {
  const uint32_t root = checker->roots[value->id];
  return root ? root : names_of(checker, value)[0];
}

// A view, stored or not, has what its operand has; one that is not stored has that alone.
static void name_root(const checker_t* checker, const tn_node_t* node) {
  checker->roots[node->results[0].id] = root_name(checker, node->operands[0]);
  names_of(checker, &node->results[0])[0] = root_name(checker, node->operands[0]);
}

// A step may read the root in the place of what is stored.
static void use_roots(const checker_t* checker, const tn_plan_step_t* step, places_t* operands) {
  const tn_node_t* node = step->node;
  for (uint32_t i = 0; step->site.views && i < node->operand_count; ++i) {
    const uint32_t root = root_name(checker, node->operands[i]);
    if (checker->contents[step->operands[i]] == root) operands->names[i] = root;
  }
}

// --- steps

static void check_block(checker_t* checker, const tn_plan_block_t* block,
                        const tn_region_t* region);

static void forward(checker_t* checker, const tn_node_t* node) {
  const tn_value_t* result = &node->results[0];
  if (node->op == TN__OP(tuple)) {
    size_t next = 0;
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      for (size_t k = 0; k < leaf_count_of(node->operands[i]); ++k) {
        names_of(checker, result)[next++] = names_of(checker, node->operands[i])[k];
      }
    }
    return;
  }
  for (uint32_t i = 0; i < node->result_count; ++i) {
    size_t skipped = 0;
    if (node->op == TN__OP(get_tuple_element)) {
      int64_t index = tn__attr_get_integer(&node->attrs, "index", 0);
      for (int64_t k = 0; k < index; ++k) {
        skipped += tn_type_leaf_count(node->operands[0]->type->elements[k]);
      }
    }
    for (size_t k = 0; k < leaf_count_of(&node->results[i]); ++k) {
      names_of(checker, &node->results[i])[k] = names_of(checker, node->operands[i])[skipped + k];
    }
  }
}

static void name_arguments(checker_t* checker, const tn_region_t* region, places_t* out) {
  for (uint32_t i = 0; i < region->argument_count; ++i) name_anew(checker, &region->arguments[i]);
  list_values(checker, region->argument_count, region->arguments, out);
}

static void store_all(checker_t* checker, const uint32_t* buffers, const places_t* places,
                      const char* who) {
  for (size_t i = 0; i < places->count; ++i) {
    if (checker->plan->buffers[buffers[i]].byte_size) {
      store(checker, buffers[i], places->names[i], who);
    }
  }
}

static bool works_in_place(const tn_plan_step_t* step, size_t operand, size_t result) {
  const uint32_t* in_place = step->site.in_place;
  if (operand >= 32 || !step->kernel) return false;
  if (!in_place) return result == 0 && (step->kernel->in_place >> operand & 1);
  // A fusion may read what is there in another way as well.
  for (size_t o = 0; o < step->operand_count; ++o) {
    if (o != operand && step->operands[o] == step->operands[operand]) return false;
  }
  return in_place[result] >> operand & 1;
}

// What a step may do to itself: results over operands only where kernel or aliases allow it, and
// nothing over its scratch.
static void check_overlaps(const checker_t* checker, const tn_plan_step_t* step, const char* who) {
  const tn_plan_buffer_t* buffers = checker->plan->buffers;
  bool has_aliases = tn__attr_find(&step->node->attrs, "output_operand_aliases") != NULL;
  for (size_t r = 0; r < step->result_count; ++r) {
    if (buffers[step->results[r]].byte_size == 0) continue;
    for (size_t other = 0; other < r; ++other) {
      if (overlap(checker, step->results[r], step->results[other])) {
        fail_msg("%s: results %zu and %zu overlap", who, other, r);
      }
    }
    for (size_t o = 0; o < step->operand_count; ++o) {
      if (!overlap(checker, step->results[r], step->operands[o])) continue;
      bool is_exact = step->results[r] == step->operands[o];
      if (!is_exact || (!works_in_place(step, o, r) && !has_aliases)) {
        fail_msg("%s: result %zu lies over operand %zu", who, r, o);
      }
    }
  }
  if (step->scratch == UINT32_MAX) return;
  for (size_t r = 0; r < step->result_count; ++r) {
    if (overlap(checker, step->results[r], step->scratch)) fail_msg("%s: scratch", who);
  }
  for (size_t o = 0; o < step->operand_count; ++o) {
    if (overlap(checker, step->operands[o], step->scratch)) fail_msg("%s: scratch", who);
  }
}

static void check_while(checker_t* checker, const tn_plan_step_t* step, places_t* operands) {
  const tn_plan_block_t *condition = &step->blocks[0], *body = &step->blocks[1];
  const tn_region_t* const* regions = (const tn_region_t* const*)step->node->regions;
  places_t* names = calloc(1, sizeof *names);
  assert_non_null(names);
  *names = *operands;
  for (int turn = 0; turn < 2; ++turn) {
    expect_all(checker, condition->arguments, names, "while", "carry");
    name_arguments(checker, regions[0], names);
    store_all(checker, condition->arguments, names, "while");
    check_block(checker, condition, regions[0]);
    expect_all(checker, body->arguments, names, "while after its condition", "carry");
    name_arguments(checker, regions[1], names);
    store_all(checker, body->arguments, names, "while");
    check_block(checker, body, regions[1]);
    // The next turn and the results find the carries where they were.
    list_names(checker, regions[1]->last->operand_count, regions[1]->last->operands, names);
    assert_memory_equal(condition->arguments, body->arguments, names->count * sizeof(uint32_t));
    assert_memory_equal(body->arguments, step->results, names->count * sizeof(uint32_t));
  }
  expect_all(checker, step->results, names, "while", "last value of carry");
  free(names);
}

static void check_branches(checker_t* checker, const tn_plan_step_t* step) {
  const tn_region_t* const* regions = (const tn_region_t* const*)step->node->regions;
  size_t size = checker->plan->buffer_count * sizeof(uint32_t);
  uint32_t *before = calloc(1, size + 1), *after = calloc(1, size + 1);
  places_t* names = calloc(1, sizeof *names);
  assert_true(before && after && names);
  memcpy(before, checker->contents, size);
  for (size_t b = 0; b < step->block_count; ++b) {
    memcpy(checker->contents, before, size);
    check_block(checker, &step->blocks[b], regions[b]);
    list_names(checker, regions[b]->last->operand_count, regions[b]->last->operands, names);
    expect_all(checker, step->results, names, "branch", "result");
    if (b == 0) memcpy(after, checker->contents, size);
    for (size_t i = 0; i < checker->plan->buffer_count; ++i) {
      if (after[i] != checker->contents[i]) after[i] = NOTHING;
    }
  }
  memcpy(checker->contents, after, size);
  free(before);
  free(after);
  free(names);
}

static void check_bodies(checker_t* checker, const tn_plan_step_t* step) {
  places_t* names = calloc(1, sizeof *names);
  assert_non_null(names);
  for (int turn = 0; turn < 2; ++turn) {
    for (size_t b = 0; b < step->block_count; ++b) {
      const tn_region_t* region = step->node->regions[b];
      name_arguments(checker, region, names);
      store_all(checker, step->blocks[b].arguments, names, "body");
      check_block(checker, &step->blocks[b], region);
      list_names(checker, region->last->operand_count, region->last->operands, names);
      expect_all(checker, step->blocks[b].results, names, "body", "result");
    }
  }
  free(names);
}

static void check_step(checker_t* checker, const tn_plan_step_t* step) {
  const tn_node_t* node = step->node;
  char who[96];
  snprintf(who, sizeof who, "%s at %u", tn__op_short_name(node->op), step->position);
  places_t* operands = calloc(2, sizeof *operands);
  assert_non_null(operands);
  places_t* results = operands + 1;
  list_names(checker, node->operand_count, node->operands, operands);
  assert_int_equal(operands->count, step->operand_count);
  use_roots(checker, step, operands);
  bool is_while = node->op == TN__OP(while);
  // The copies before a while have put its operands into the carries.
  if (!is_while) expect_all(checker, step->operands, operands, who, "operand");
  for (uint32_t i = 0; i < node->result_count; ++i) name_anew(checker, &node->results[i]);
  list_values(checker, node->result_count, node->results, results);
  assert_int_equal(results->count, step->result_count);
  if (is_while) {
    check_while(checker, step, operands);
  } else if (node->op == TN__OP(if) || node->op == TN__OP(case)) {
    check_branches(checker, step);
  } else {
    check_overlaps(checker, step, who);
    if (step->scratch != UINT32_MAX) store(checker, step->scratch, SCRATCH, who);
    store_all(checker, step->results, results, who);
    check_bodies(checker, step);
    if (step->scratch != UINT32_MAX) {
      assert_int_equal(checker->contents[step->scratch], SCRATCH);
    }
    // A kernel may read operands and write results at any time between its bodies.
    for (size_t o = 0; o < operands->count; ++o) {
      bool is_shared = false;
      for (size_t r = 0; r < step->result_count; ++r) {
        is_shared |= step->results[r] == step->operands[o];
      }
      if (!is_shared) expect(checker, step->operands[o], operands->names[o], who, "operand", o);
    }
    expect_all(checker, step->results, results, who, "result");
  }
  store_all(checker, step->results, results, who);
  free(operands);
}

static void check_copy(checker_t* checker, const tn_plan_step_t* step) {
  const tn_plan_buffer_t* buffers = checker->plan->buffers;
  uint32_t from = step->operands[0], to = step->results[0];
  assert_true(buffers[from].byte_size == buffers[to].byte_size);
  if (checker->contents[from] == NOTHING) {
    fail_msg("the copy from b%u to b%u (%s) finds nothing", from, to, step->reason);
  }
  if (overlap(checker, from, to)) fail_msg("the copy from b%u to b%u overlaps", from, to);
  // An operand of a custom call that lives on is read from its copy.
  store(checker, to, checker->contents[from], "copy");
}

static void check_block(checker_t* checker, const tn_plan_block_t* block,
                        const tn_region_t* region) {
  const tn_plan_step_t* step = block->steps;
  const tn_plan_step_t* end = block->steps + block->step_count;
  TN_FOR_EACH_NODE (node, region) {
    if (tn__op_has(node->op, TN_TERMINATOR)) break;
    if (node->op == TN__OP(constant)) {
      names_of(checker, &node->results[0])[0] = checker->next_name++;
      for (size_t i = 0; i < checker->plan->buffer_count; ++i) {
        const tn_plan_buffer_t* buffer = &checker->plan->buffers[i];
        if (buffer->kind == TN_PLAN_CONSTANT && buffer->value == &node->results[0]) {
          checker->contents[i] = names_of(checker, &node->results[0])[0];
        }
      }
    } else if (tn__op_has(node->op, TN_FORWARDS)) {
      forward(checker, node);
      if (node->op == TN__OP(reshape)) {
        checker->roots[node->results[0].id] = checker->roots[node->operands[0]->id];
      }
    } else {
      if (makes_view(node)) {
        name_root(checker, node);
        const tn_plan_step_t* next = step;
        while (next < end && next->reason) ++next;
        if (next == end || next->node != node) continue;  // it is no step
      }
      while (step < end && step->reason) check_copy(checker, step++);
      assert_true(step < end);
      assert_ptr_equal(step->node, node);
      check_step(checker, step++);
    }
  }
  while (step < end) {
    assert_non_null(step->reason);
    check_copy(checker, step++);
  }
}

void tn__testing_plan_check(const tn_plan_t* plan) {
  const tn_region_t* body = plan->function->body;
  checker_t checker = {.plan = plan, .next_name = FIRST_NAME};
  checker.first_leaves = calloc(plan->function->value_count + 1, sizeof(size_t));
  checker.contents = calloc(plan->buffer_count + 1, sizeof(uint32_t));
  checker.roots = calloc(plan->function->value_count + 1, sizeof(uint32_t));
  assert_true(checker.first_leaves && checker.contents);
  give_room_in(&checker, body);
  checker.names = calloc(checker.name_count + 1, sizeof(uint32_t));
  places_t* names = calloc(1, sizeof *names);
  assert_true(checker.names && names);
  name_arguments(&checker, body, names);
  for (size_t i = 0; i < plan->buffer_count; ++i) {
    const tn_plan_buffer_t* buffer = &plan->buffers[i];
    if (buffer->kind == TN_PLAN_PARAMETER) checker.contents[i] = names->names[buffer->index];
    if (buffer->kind == TN_PLAN_RESULT && buffer->parameter != TN_PLAN_NONE) {
      checker.contents[i] = names->names[buffer->parameter];
    }
  }
  check_block(&checker, &plan->block, body);
  list_names(&checker, body->last->operand_count, body->last->operands, names);
  assert_int_equal(names->count, plan->result_leaf_count);
  for (size_t i = 0; i < plan->buffer_count; ++i) {
    const tn_plan_buffer_t* buffer = &plan->buffers[i];
    if (buffer->kind != TN_PLAN_RESULT) continue;
    expect(&checker, (uint32_t)i, names->names[buffer->index], "function", "result", buffer->index);
  }
  assert_true(plan->lower_bound_byte_size <= plan->arena_byte_size);
  free(names);
  free(checker.names);
  free(checker.contents);
  free(checker.roots);
  free(checker.first_leaves);
}
