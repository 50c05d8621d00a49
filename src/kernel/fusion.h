// Fusions: several element-wise operations of one shape, computed together, a tile of elements at a
// time, so that what they hand to each other stays in the cache.
//
// A fusion is an operation with a region (`tenon.fusion`; pass/fusion.c makes them). Its operands,
// the region's arguments and all its values have the fusion's shape, so that it says the same as
// its nodes did outside. Operands may be views, above all broadcasts. There may be one reduction of
// such a value among them: of what only that needs, nothing is ever stored. It is no operation of
// the table: no text has it.
#ifndef TENON_KERNEL_FUSION_H_
#define TENON_KERNEL_FUSION_H_

#include "ir/ir.h"
#include "kernel/kernel.h"

extern const tn_op_t tn__op_fusion;
extern const tn_kernel_t tn__kernel_fusion;

// One operation of the body, whose kernel has a `range`, or the reduction. Values are numbers:
// first the fusion's operands, then what the steps give, in order.
typedef struct tn_fusion_step {
  const tn_node_t* node;
  const tn_kernel_t* kernel;
  tn_kernel_site_t site;  // prepared
  uint32_t operand_count, result_count;
  const uint32_t* operands;
  uint32_t first_result;
} tn_fusion_step_t;

// Everything lives as long as the fusion's state.
typedef struct tn_fusion_spec {
  const tn_type_t* shape;
  size_t operand_count, result_count, value_count, step_count;
  const size_t* element_sizes;  // of the values
  const tn_view_t* views;       // of the operands; NULL: all are dense
  const uint32_t* results;      // the value that each result is
  const tn_fusion_step_t* steps;
  // What folds a value of the steps, its operand 0, as they compute it; its initial value is an
  // operand of the fusion, a scalar. NULL: there is none. Its kernel takes a source.
  const tn_fusion_step_t* reduction;
} tn_fusion_spec_t;

// Sets the site's state, what it may do in place, and how its state goes: with those of the steps.
// What the reduction needs of the run is the fusion's.
TN_MUST_USE tn_status_t tn__fusion_prepare(const tn_fusion_spec_t* spec, tn_kernel_site_t* site);

// What a prepared fusion is made of, and how many elements a tile has at most.
const tn_fusion_spec_t* tn__fusion_spec(const void* state);
int64_t tn__fusion_tile_length(const void* state);

// Whether operand `operand` can be read by tiles: elements that follow each other along the last
// dimension are neighbours or the same one.
bool tn__fusion_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view);

#endif  // TENON_KERNEL_FUSION_H_
