// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// y[i] = x[i - shift] along an axis, round and round: an operation that reads its operand where it
// lies, so that nothing is copied before it of a transposed, sliced or broadcast array.
//   cc -O3 -shared -fPIC -I <tenon>/include roll.c -o libroll.so
#include <tenon/kernel.h>

#define ROLL(ARG, ATTR, RET)                          \
  ARG(x, of(f32, s32, u32), any_rank)                 \
  ATTR(shift, int64_t, 1, "how far; may be negative") \
  ATTR(axis, int64_t, -1, "negative: from the end")   \
  RET(y, dtype_of(x), shape_of(x))

// The elements of a row are contiguous, whatever the strides of the arrays are.
static tn_status_t copy_row(void* user, int64_t count, void* const* rows) {
  (void)user;
  memcpy(rows[0], rows[1], (size_t)count * sizeof(uint32_t));
  return TN_OK;
}

// A part of an array with the shape `dims`, from `begin` along the axis.
static tn_strided_t part_of(const tn_strided_t* array, const int64_t* dims, size_t axis,
                            int64_t begin) {
  tn_strided_t part = *array;
  part.dims = dims;
  part.data = (uint32_t*)array->data + begin * array->strides[axis];
  return part;
}

// Copies `count` indices along the axis, from `source` to `target`, on all threads.
static tn_status_t copy_part(const tn_eval_call_t* eval, size_t axis, int64_t target,
                             int64_t source, int64_t count) {
  int64_t dims[TN_NEST_RANK_LIMIT];
  for (size_t i = 0; i < eval->outputs[0]->rank; ++i) dims[i] = eval->outputs[0]->dims[i];
  dims[axis] = count;
  const tn_strided_t y = part_of(eval->outputs[0], dims, axis, target),
                     x = part_of(eval->operands[0], dims, axis, source);
  return tn_eval_for_rows(eval, 2, (const tn_strided_t*[]){&y, &x}, 1, copy_row, NULL);
}

TN_EVAL_OP(roll, ROLL, "y[i] = x[i - shift] along an axis") {
  const tn_strided_t* x = eval->operands[0];
  const int64_t rank = (int64_t)x->rank, axis = call->axis < 0 ? call->axis + rank : call->axis;
  if (axis < 0 || axis >= rank) {
    return TN_ERROR(call, INVALID_ARGUMENT, "axis %d of an array with %d", (int)call->axis,
                    (int)rank);
  }
  const int64_t n = x->dims[axis], shift = n ? (call->shift % n + n) % n : 0;
  TN_TRY(copy_part(eval, (size_t)axis, shift, 0, n - shift));
  return copy_part(eval, (size_t)axis, 0, n - shift, shift);
}

// Applies the operation again. An axis that is counted from the end stays the same with a leading
// batch axis.
static tn_array_t* rolled(const tn_rule_t* rule, tn_array_t* x, double direction) {
  const double axis = tn_rule_attribute(rule, "axis");
  const double rank = (double)rule->api->rank(rule->operands[0]);
  const double own_rank = rule->result_count ? (double)rule->result_types[0].rank : rank;
  const tn_attribute_t attributes[] = {
      {.name = "shift",
       .kind = TN_ATTRIBUTE_INTEGER,
       .dtype = TN_DTYPE_S64,
       .integer = (int64_t)(direction * tn_rule_attribute(rule, "shift"))},
      {.name = "axis",
       .kind = TN_ATTRIBUTE_INTEGER,
       .dtype = TN_DTYPE_S64,
       .integer = (int64_t)(axis < 0 ? axis : axis - own_rank)},
  };
  const tn_application_t application = {sizeof application, rule->name, 1,   &x, 2,
                                        attributes,         1,          NULL};
  tn_array_t* y = NULL;
  rule->api->apply(rule->scope, &application, &y);
  return y;
}

static tn_status_t roll_jvp(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  call->out_tangents[0] = rolled(rule, call->tangents[0], 1);
  return TN_OK;
}

static tn_status_t roll_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  call->out_cotangents[0] = rolled(rule, call->cotangents[0], -1);
  return TN_OK;
}

// Moves the batch to axis 0, which is a view.
static tn_status_t roll_vmap(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  int64_t axes[TN_MAX_RANK] = {call->axes[0]};
  for (int64_t i = 0, next = 1; i < (int64_t)rule->api->rank(rule->operands[0]); ++i) {
    if (i != call->axes[0]) axes[next++] = i;
  }
  call->out_results[0] =
      rolled(rule, rule->api->transpose(rule->scope, rule->operands[0], axes), 1);
  call->out_axes[0] = 0;
  return TN_OK;
}

TN_DEFINE(roll, .eval_cpu = roll_eval, .jvp = roll_jvp, .vjp = roll_vjp, .vmap = roll_vmap)
TN_LIBRARY(roll)
