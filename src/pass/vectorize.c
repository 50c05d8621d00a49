// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// vectorize-bodies: bodies of reductions that run as callbacks compute many outputs at a time.
//
// A reduction whose body is not one known operation (an argmax, say) calls it once for each
// element, and a call costs far more than the body's work on one number. When everything in the
// body is elementwise, it is rewritten for arrays: lane i of every value belongs to output i.
// The values of the body get the type tensor<Wx...>; the kernel sees from the type of the arguments
// how wide the body is. In each lane the order of the operations is what it was.
//
// After this pass a reduce is not valid StableHLO, so it runs late.
#include "kernel/target.h"
#include "pass/passes.h"

enum {
  MOST_LANES = 256,
  FEWEST_LANES = 4,  // below, nothing is gained
};

// Scalars from outside the body become arrays outside; this table maps them.
typedef struct vectorizer {
  tn_node_t* reduce;
  const tn_region_t* body;
  int64_t width;
} vectorizer_t;

static bool is_scalar(const tn_value_t* value) {
  return tn__type_is_tensor(value->type) && value->type->rank == 0;
}

TN_APART static bool can_vectorize(const tn_node_t* reduce) {
  const tn_region_t* body = reduce->regions[0];
  TN_FOR_EACH_NODE (node, body) {
    if (tn__op_has(node->op, TN_TERMINATOR)) continue;
    bool is_fit = node->op == TN__OP(constant) || tn__op_has(node->op, TN_PURE | TN_ELEMENTWISE);
    if (!is_fit || node->region_count || node->result_count != 1) return false;
    if (!is_scalar(&node->results[0])) return false;
    for (uint32_t i = 0; i < node->operand_count; ++i) {
      if (!is_scalar(node->operands[i])) return false;
    }
  }
  for (uint32_t i = 0; i < body->argument_count; ++i) {
    if (!is_scalar(&body->arguments[i])) return false;
  }
  return tn__type_is_static(reduce->results[0].type);
}

// add, maximum... have loops of their own.
TN_APART static bool has_own_loop(const tn_node_t* reduce) {
  const tn_node_t* first = reduce->regions[0]->first;
  return reduce->operand_count == 2 && first->next == reduce->regions[0]->last &&
         first->operand_count == 2;
}

static tn_status_t wide_type(const vectorizer_t* vectorizer, const tn_type_t* scalar,
                             const tn_type_t** out_type) {
  tn_arena_t* arena = &vectorizer->reduce->region->function->module->arena;
  return tn__type_tensor(arena, scalar->dtype, 1, &vectorizer->width, out_type);
}

static tn_status_t make_attrs(tn_arena_t* arena, const char* name, const tn_attr_t* attr,
                              tn_attr_dictionary_t* out_attrs) {
  tn_named_attr_t named = {tn__sv(name), attr};
  const tn_attr_t* dictionary = NULL;
  TN_RETURN_IF_ERROR(tn__attr_dictionary(arena, TN_ATTR_DICTIONARY, (tn_string_view_t){0}, 1,
                                         &named, &dictionary));
  *out_attrs = dictionary->dictionary;
  return TN_OK;
}

// A value from outside the body, broadcast before the reduction.
static tn_status_t vectorize_capture(const vectorizer_t* vectorizer, tn_value_t** value) {
  tn_arena_t* arena = &vectorizer->reduce->region->function->module->arena;
  const tn_type_t* type = NULL;
  const tn_attr_t* dimensions = NULL;
  tn_attr_dictionary_t attrs;
  tn_node_t* broadcast = NULL;
  TN_RETURN_IF_ERROR(wide_type(vectorizer, (*value)->type, &type));
  TN_RETURN_IF_ERROR(tn__attr_i64_array(arena, 0, NULL, &dimensions));
  TN_RETURN_IF_ERROR(make_attrs(arena, "broadcast_dimensions", dimensions, &attrs));
  TN_RETURN_IF_ERROR(tn__node_insert(vectorizer->reduce,
                                     &(tn_node_spec_t){.op = TN__OP(broadcast_in_dim),
                                                       .operand_count = 1,
                                                       .operands = value,
                                                       .result_count = 1,
                                                       .result_types = &type,
                                                       .attrs = attrs,
                                                       .location = vectorizer->reduce->location},
                                     &broadcast));
  *value = &broadcast->results[0];
  return TN_OK;
}

static tn_status_t vectorize_constant(const vectorizer_t* vectorizer, tn_node_t* constant) {
  tn_arena_t* arena = &vectorizer->reduce->region->function->module->arena;
  const tn_attr_t* value = tn__attr_find(&constant->attrs, "value");
  const tn_type_t* type = NULL;
  const tn_attr_t* splat = NULL;
  TN_RETURN_IF_ERROR(wide_type(vectorizer, constant->results[0].type, &type));
  TN_RETURN_IF_ERROR(tn__attr_elements(arena, type, true, value->elements.data, &splat));
  return make_attrs(arena, "value", splat, &constant->attrs);
}

static tn_status_t vectorize_operands(const vectorizer_t* vectorizer, tn_node_t* node) {
  for (uint32_t i = 0; i < node->operand_count; ++i) {
    if (node->operands[i]->region != vectorizer->body) {
      TN_RETURN_IF_ERROR(vectorize_capture(vectorizer, &node->operands[i]));
    }
  }
  return TN_OK;
}

TN_APART static tn_status_t vectorize(tn_node_t* reduce) {
  tn_region_t* body = reduce->regions[0];
  int64_t outputs = tn__type_size(reduce->results[0].type);
  vectorizer_t vectorizer = {reduce, body, outputs < MOST_LANES ? outputs : MOST_LANES};
  for (uint32_t i = 0; i < body->argument_count; ++i) {
    tn_value_t* argument = &body->arguments[i];
    TN_RETURN_IF_ERROR(wide_type(&vectorizer, argument->type, &argument->type));
  }
  TN_FOR_EACH_NODE (node, body) {
    TN_RETURN_IF_ERROR(vectorize_operands(&vectorizer, node));
    if (node->op == TN__OP(constant)) TN_RETURN_IF_ERROR(vectorize_constant(&vectorizer, node));
    for (uint32_t i = 0; i < node->result_count; ++i) {
      tn_value_t* result = &node->results[i];
      TN_RETURN_IF_ERROR(wide_type(&vectorizer, result->type, &result->type));
    }
  }
  return TN_OK;
}

static tn_status_t vectorize_region(tn_region_t* region) {
  TN_FOR_EACH_NODE (node, region) {
    for (uint32_t i = 0; i < node->region_count; ++i) {
      TN_RETURN_IF_ERROR(vectorize_region(node->regions[i]));
    }
    if (node->op != TN__OP(reduce) || has_own_loop(node) || !can_vectorize(node)) continue;
    if (tn__type_size(node->results[0].type) >= FEWEST_LANES) TN_RETURN_IF_ERROR(vectorize(node));
  }
  return TN_OK;
}

static tn_status_t vectorize_function(tn_function_t* function, tn_arena_t* scratch) {
  (void)scratch;
  TN_RETURN_IF_ERROR(vectorize_region(function->body));
  tn__function_number(function);
  return TN_OK;
}

// The host's reductions take such bodies.
tn_status_t tn__pass_vectorize_bodies(tn_module_t* module, tn_function_t* entry) {
  if (!module->target->is_host) return TN_OK;
  return tn__pass_for_each_function(module, entry, vectorize_function);
}
