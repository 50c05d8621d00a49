// The result starts as the initial value everywhere. Every element of the source goes to the
// element of its window that was selected; padding is never selected.
#include "kernel/ref/select_and_scatter.h"

#include "base/pool.h"
#include "kernel/ref/binary.h"
#include "kernel/ref/body.h"
#include "kernel/ref/site.h"
#include "kernel/ref/sliding.h"
#include "kernel/ref/strided.h"

enum { SELECT, SCATTER };  // the regions

typedef struct select_and_scatter {
  tn_sliding_t window;
  int64_t strides[TN_MAX_RANK];  // of the operand, elements
  int64_t operand_count, window_count;
  int64_t slices, slice_operand, slice_source;  // parts that do not touch each other; their sizes
  size_t operand_size, source_size, result_size;
  tn_element_path_t operand, source, init;  // to the dtypes of the bodies' arguments
  bool is_known;                            // both bodies; else they are run
  tn_map_t select;                          // a comparison
  tn_binary_t scatter;
} select_and_scatter_t;

static int enum_of(const tn_attr_dictionary_t* attrs, const char* attr_name,
                   const char* enum_name) {
  const tn_attr_t* attr = attrs ? tn__attr_find(attrs, attr_name) : NULL;
  return attr && attr->kind == TN_ATTR_ENUM ? tn__enum_value(enum_name, attr->string) : -1;
}

static bool find_known(const tn_kernel_site_t* site, select_and_scatter_t* state) {
  const tn_dtype_t dtype = tn__site_result(site, 0)->dtype;
  const tn_body_shape_t *select = &site->bodies[SELECT], *scatter = &site->bodies[SCATTER];
  for (size_t i = 0; i < 3; ++i) {
    if (tn__site_operand(site, i)->dtype != dtype) return false;
  }
  if (select->binary != TN__OP(compare) || !scatter->binary) return false;
  const int direction =
      enum_of(select->binary_attrs, "comparison_direction", "comparison_direction");
  const bool total = enum_of(select->binary_attrs, "compare_type", "comparison_type") ==
                     tn__enum_value("comparison_type", tn__sv("TOTALORDER"));
  return direction >= 0 &&
         tn__map_compare((tn_direction_t)direction, total, dtype, &state->select) &&
         tn__binary_find(tn__op_short_name(scatter->binary), dtype, &state->scatter);
}

tn_status_t tn__ref_select_and_scatter_prepare(tn_kernel_site_t* site) {
  const tn_type_t *operand = tn__site_operand(site, 0), *source = tn__site_operand(site, 1);
  const tn_dtype_t result = tn__site_result(site, 0)->dtype;
  select_and_scatter_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  TN_RETURN_IF_ERROR(tn__sliding_read(site, operand, source, &state->window));
  tn__dense_strides(operand->rank, operand->dims, 1, state->strides);
  state->operand_count = tn__type_size(operand);
  state->operand_size = tn_dtype_size(operand->dtype);
  state->source_size = tn_dtype_size(source->dtype);
  state->result_size = tn_dtype_size(result);
  // The select body compares elements of the operand; the scatter body takes results.
  state->operand = tn__element_path(operand->dtype, operand->dtype);
  state->source = tn__element_path(source->dtype, result);
  state->init = tn__element_path(tn__site_operand(site, 2)->dtype, result);
  state->window_count = 1;
  state->slices = 1;
  bool separate = true;
  for (size_t i = 0; i < state->window.rank; ++i) {
    const tn_sliding_dim_t* dim = &state->window.dims[i];
    state->window_count *= dim->size;
    separate = separate && tn__sliding_is_trivial(dim);
    if (separate) state->slices *= dim->output;
  }
  if (state->slices) {
    state->slice_operand = state->operand_count / state->slices;
    state->slice_source = tn__type_size(source) / state->slices;
  }
  state->is_known = find_known(site, state);
  return TN_OK;
}

// --- one window

static void split(const tn_sliding_t* window, int64_t index, bool of_source, int64_t* out_indices) {
  for (size_t i = window->rank; i-- > 0;) {
    const int64_t count = of_source ? window->dims[i].output : window->dims[i].size;
    out_indices[i] = index % count;
    index /= count;
  }
}

// Whether the selected element stays, rather than the candidate taking its place.
static tn_status_t stays(const tn_kernel_call_t* call, const char* selected, const char* candidate,
                         bool* out_stays) {
  const select_and_scatter_t* state = call->state;
  if (state->is_known) {
    uint8_t result;
    tn__map_run(&state->select, selected, candidate, &result, 1);
    *out_stays = result != 0;
    return TN_OK;
  }
  const tn_body_t* body = &call->bodies[SELECT];
  tn__element_move(&state->operand, body->arguments[0], selected);
  tn__element_move(&state->operand, body->arguments[1], candidate);
  TN_RETURN_IF_ERROR(body->run(body));
  *out_stays = *(const uint8_t*)body->results[0] != 0;
  return TN_OK;
}

static tn_status_t select_element(const tn_kernel_call_t* call, const int64_t* source,
                                  int64_t* out_element) {
  const select_and_scatter_t* state = call->state;
  const tn_sliding_t* window = &state->window;
  const char* operand = call->operands[0];
  int64_t selected = -1;
  for (int64_t w = 0; w < state->window_count; ++w) {
    int64_t at[TN_MAX_RANK], element = 0;
    split(window, w, false, at);
    for (size_t i = 0; i < window->rank && element >= 0; ++i) {
      // split() has filled as many. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage)
      const int64_t place = tn__sliding_place(&window->dims[i], source[i], at[i]);
      element = place < 0 ? -1 : element + place * state->strides[i];
    }
    if (element < 0) continue;
    bool keeps = false;
    if (selected >= 0) {
      TN_RETURN_IF_ERROR(stays(call, operand + (size_t)selected * state->operand_size,
                               operand + (size_t)element * state->operand_size, &keeps));
    }
    if (!keeps) selected = element;
  }
  *out_element = selected;
  return TN_OK;
}

static tn_status_t combine(const tn_kernel_call_t* call, char* target, const char* source) {
  const select_and_scatter_t* state = call->state;
  if (state->is_known) {
    tn__binary_map(&state->scatter, target, source, target, 1);
    return TN_OK;
  }
  const tn_body_t* body = &call->bodies[SCATTER];
  tn__element_copy(state->result_size, body->arguments[0], target);
  tn__element_move(&state->source, body->arguments[1], source);
  TN_RETURN_IF_ERROR(body->run(body));
  tn__element_copy(state->result_size, target, body->results[0]);
  return TN_OK;
}

// --- slices

static tn_status_t run_slices(int64_t begin, int64_t end, void* user) {
  const tn_kernel_call_t* call = user;
  const select_and_scatter_t* state = call->state;
  char init[16];
  tn__element_move(&state->init, init, call->operands[2]);
  TN_RETURN_IF_ERROR(tn__fill(
      NULL, (char*)call->results[0] + (size_t)(begin * state->slice_operand) * state->result_size,
      init, state->result_size, (end - begin) * state->slice_operand));
  for (int64_t i = begin * state->slice_source; i < end * state->slice_source; ++i) {
    int64_t source[TN_MAX_RANK], element;
    split(&state->window, i, true, source);
    TN_RETURN_IF_ERROR(select_element(call, source, &element));
    if (element < 0) continue;
    TN_RETURN_IF_ERROR(combine(call, (char*)call->results[0] + (size_t)element * state->result_size,
                               (const char*)call->operands[1] + (size_t)i * state->source_size));
  }
  return TN_OK;
}

tn_status_t tn__ref_select_and_scatter_run(const tn_kernel_call_t* call) {
  const select_and_scatter_t* state = call->state;
  if (state->operand_count == 0) return TN_OK;
  tn_pool_t* pool = state->is_known ? call->context->pool : NULL;
  return tn__pool_parallel_for(pool, state->slices, 1, run_slices, (void*)(uintptr_t)call);
}
