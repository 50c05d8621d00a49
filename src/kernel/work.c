#include "kernel/work.h"

static const tn_attr_dictionary_t* numbers_of(const tn_node_t* node, const char* name) {
  const tn_attr_t* attr = tn__attr_find(&node->attrs, name);
  return attr && attr->kind == TN_ATTR_STRUCT ? &attr->dictionary : NULL;
}

// Terms of each sum of a dot_general.
static int64_t contracted_size(const tn_node_t* node) {
  const tn_type_t* lhs = node->operands[0]->type;
  const tn_attr_dictionary_t* numbers = numbers_of(node, "dot_dimension_numbers");
  tn_i64_list_t dims = {0};
  tn_arena_t arena;
  int64_t size = 1;
  tn__arena_init(&arena, NULL);
  if (numbers) {
    tn_status_release(tn__attr_get_i64_list(numbers, "lhs_contracting_dimensions", &arena, &dims));
  }
  for (size_t i = 0; i < dims.count; ++i) size *= lhs->dims[dims.values[i]];
  tn__arena_deinit(&arena);
  return size;
}

static int64_t window_size(const tn_node_t* node) {
  const tn_type_t* kernel = node->operands[1]->type;
  const tn_attr_dictionary_t* numbers = numbers_of(node, "dimension_numbers");
  if (!numbers || tn__type_size(kernel) == 0) return 0;
  const int64_t features = tn__attr_get_integer(numbers, "kernel_output_feature_dimension", 0);
  return tn__type_size(kernel) / kernel->dims[features];
}

uint64_t tn__node_work(const tn_node_t* node) {
  int64_t terms = 0;
  if (node->op == TN__OP(dot_general)) {
    terms = contracted_size(node);
  } else if (node->op == TN__OP(dot)) {
    const tn_type_t* lhs = node->operands[0]->type;
    terms = lhs->rank ? lhs->dims[lhs->rank - 1] : 1;
  } else if (node->op == TN__OP(convolution)) {
    terms = window_size(node);
  }
  return terms ? 2 * (uint64_t)terms * (uint64_t)tn__type_size(node->results[0].type) : 0;
}
