// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Arrays of one graph as operands in another. Two graphs share no lock, so nothing of the other one
// becomes part of this one but its values, which never change.
#include "device/device.h"
#include "lazy/eval.h"

// Whether a transform that is under way in the array's graph needs the steps that it is made of.
static bool is_being_traced(const tn_array_t* array) {
  tn_evaluator_t* evaluator = array->evaluator;
  if (!(array->flags & TN_ARRAY_TRACED)) return false;
  pthread_mutex_lock(&evaluator->mutex);
  const bool is_traced = array->step && atomic_load(&evaluator->transform_count);
  pthread_mutex_unlock(&evaluator->mutex);
  return is_traced;
}

static tn_status_t enter_root(tn_evaluator_t* evaluator, tn_array_t* root, tn_array_t** out_own) {
  TN_RETURN_IF_ERROR(tn__evaluate(1, &root, false, NULL));
  TN_RETURN_IF_ERROR(tn_array_status(root));
  *out_own = tn__array_create_ready(evaluator, root->buffer);
  return *out_own ? TN_OK : tn__status_out_of_memory();
}

// The same view of another root.
static tn_status_t copy_view(tn_evaluator_t* evaluator, const tn_array_t* view, tn_array_t* root,
                             tn_array_t** out_view) {
  const tn_array_type_t type = {view->dtype, view->rank, view->dims};
  const tn_step_spec_t spec = {
      .op = view->step->op,
      .operand_count = 1,
      .operands = &root,
      .attributes = view->step->attributes,
      .result_count = 1,
      .result_types = &type,
  };
  tn_step_t* step = NULL;
  TN_RETURN_IF_ERROR(tn__step_create(evaluator, NULL, &spec, &step));
  *out_view = tn__view_create(step, &type, view->strides, view->byte_offset);
  tn__step_release(step);
  return *out_view ? TN_OK : tn__status_out_of_memory();
}

// Views are copied from the outermost one to the root, each in the place of its operand.
tn_status_t tn__array_enter(tn_evaluator_t* evaluator, tn_array_t* array, tn_array_t** out_own) {
  tn_array_t *root = tn__array_root(array), *view = NULL;
  tn_array_t** place = out_own;
  *out_own = NULL;
  if (is_being_traced(array)) {
    return tn_status_create(
        TN_CODE_FAILED_PRECONDITION,
        "an operand of shape %s depends on an input of a transform that is under way in another "
        "scope (on %s) than the operation's (on %s); call operations in the scope that the "
        "transform gives to the function",
        TN_SHAPE_TEXT(array->rank, array->dims), tn_device_name(array->evaluator->device),
        tn_device_name(evaluator->device));
  }
  tn_status_t status = enter_root(evaluator, root, out_own);
  for (; array != root && !status; array = array->step->operands[0]) {
    status = copy_view(evaluator, array, *place, &view);
    if (status) break;
    tn_array_release(*place);  // the view holds it
    *place = view;
    place = &view->step->operands[0];
  }
  if (!status) return TN_OK;
  tn_array_release(*out_own);
  *out_own = NULL;
  return status;
}
