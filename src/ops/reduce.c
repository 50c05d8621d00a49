// Operations that run a computation over the elements of dimensions: reduce, map, sort.
#include "ops/rules.h"

// Element types that regions of one use take; results have them, too.
static tn_status_t allocate_dtypes(const tn_op_use_t* use, size_t count, tn_dtype_t** out_dtypes) {
  void* memory = NULL;
  TN_RETURN_IF_ERROR(tn__arena_allocate_array(use->arena, count, sizeof **out_dtypes, &memory));
  *out_dtypes = memory;
  return TN_OK;
}

tn_status_t tn__infer_reduce(const tn_op_use_t* use, tn_op_results_t* results) {
  TN_CONSTRAINT(use, "C3", use->operand_count % 2 == 0,  // reduce_c3
                "has %zu operands; expected as many init values as inputs", use->operand_count);
  size_t count = use->operand_count / 2;
  const tn_type_t *const *inputs = use->operand_types, *const *inits = use->operand_types + count;
  TN_RETURN_IF_ERROR(tn__rule_tensors(use, 0, count, "I1", "input"));
  for (size_t i = 0; i < count; ++i) {
    TN_CONSTRAINT(use, "I2", tn__is_scalar_of(inits[i], TN__ANY),
                  "init value %zu has type %s; expected a scalar", i, TN_TYPE_TEXT(inits[i]));
    TN_CONSTRAINT(use, "C1", tn__shapes_agree(inputs[i], inputs[0]),  // reduce_c1
                  "input %zu has shape %s; expected %s", i,
                  TN_SHAPE_TEXT(inputs[i]->rank, inputs[i]->dims),
                  TN_SHAPE_TEXT(inputs[0]->rank, inputs[0]->dims));
    TN_CONSTRAINT(use, "C2", inputs[i]->dtype == inits[i]->dtype,  // reduce_c2
                  "init value %zu has type %s; expected tensor<%s>", i, TN_TYPE_TEXT(inits[i]),
                  tn_dtype_name(inputs[i]->dtype));
  }
  tn_i64_list_t dimensions;
  TN_RETURN_IF_ERROR(tn__rule_list(use, &use->attrs, "dimensions", &dimensions));
  uint64_t set = 0;  // reduce_c4, reduce_c5
  TN_RETURN_IF_ERROR(
      tn__rule_dims(use, "C4", "C5", "dimensions", dimensions, inputs[0]->rank, &set));
  tn_dtype_t* dtypes = NULL;
  TN_RETURN_IF_ERROR(allocate_dtypes(use, count, &dtypes));
  TN_RETURN_IF_ERROR(  // reduce_c6
      tn__rule_folding(use, 0, "C6", "body", count, inputs, dtypes));
  int64_t dims[TN_MAX_RANK];
  size_t rank = 0;
  for (size_t i = 0; i < inputs[0]->rank; ++i) {
    if (!tn__set_has(set, i)) dims[rank++] = inputs[0]->dims[i];
  }
  for (size_t i = 0; i < count; ++i) {  // reduce_c7, reduce_c8
    TN_RETURN_IF_ERROR(tn__give_tensor(use, results, "C7", dtypes[i], rank, dims));
  }
  return TN_OK;
}
