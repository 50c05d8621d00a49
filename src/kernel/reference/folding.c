// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations that hand elements to a computation in a region.
#include "kernel/reference/kernels.h"

// The operands are `count` arrays and, behind them, `count` others.
static size_t folded_count(const tn_kernel_call_t* call) {
  return tn__reference_use(call)->operand_count / 2;
}

bool tn__reference_fold_supports(const tn_op_use_t* use) {
  return use->operand_count <= 2 * TN_REFERENCE_FOLDED;
}

static tn_number_t load(const tn_kernel_call_t* call, size_t operand, int64_t index) {
  return tn__number_at(tn__reference_operand(call, operand)->dtype, call->operands[operand], index);
}

static void store(const tn_kernel_call_t* call, size_t result, int64_t index, tn_number_t number) {
  tn__number_put(tn__reference_result(call, result)->dtype, number, call->results[result], index);
}

// --- map

tn_status_t tn__reference_map_run(const tn_kernel_call_t* call) {
  const size_t count = tn__reference_use(call)->operand_count;
  for (int64_t i = 0; i < tn__type_size(tn__reference_result(call, 0)); ++i) {
    tn_number_t arguments[2 * TN_REFERENCE_FOLDED], result;
    for (size_t k = 0; k < count; ++k) arguments[k] = load(call, k, i);
    TN_RETURN_IF_ERROR(tn__reference_run_body(call, 0, count, arguments, 1, &result));
    store(call, 0, i, result);
  }
  return TN_OK;
}

// --- fusion: its region, once, one operation after the other

tn_status_t tn__reference_fusion_run(const tn_kernel_call_t* call) {
  const tn_op_use_t* use = tn__reference_use(call);
  const tn_body_t* body = &call->bodies[0];
  for (size_t k = 0; k < use->operand_count; ++k) {
    const size_t length = tn__type_byte_size(use->operand_types[k]);
    if (length) memcpy(body->arguments[k], call->operands[k], length);
  }
  TN_RETURN_IF_ERROR(body->run(body));
  for (size_t k = 0; k < use->result_count; ++k) {
    const size_t length = tn__type_byte_size(use->result_types[k]);
    if (length) memcpy(call->results[k], body->results[k], length);
  }
  return TN_OK;
}

// --- reduce

static void load_initial(const tn_kernel_call_t* call, tn_number_t* out_numbers) {
  const size_t count = folded_count(call);
  for (size_t k = 0; k < count; ++k) out_numbers[k] = load(call, count + k, 0);
}

static tn_status_t fold_element(const tn_kernel_call_t* call, int64_t index,
                                tn_number_t* accumulated) {
  tn_number_t elements[TN_REFERENCE_FOLDED];
  for (size_t k = 0; k < folded_count(call); ++k) elements[k] = load(call, k, index);
  return tn__reference_fold(call, 0, folded_count(call), accumulated, elements);
}

tn_status_t tn__reference_reduce_run(const tn_kernel_call_t* call) {
  const tn_type_t *operand = tn__reference_operand(call, 0),
                  *result = tn__reference_result(call, 0);
  tn_reference_list_t dimensions;
  int64_t folded_dims[TN_MAX_RANK], folded_size = 1;
  TN_RETURN_IF_ERROR(
      tn__reference_list(&tn__reference_use(call)->attrs, "dimensions", 0, 0, &dimensions));
  for (size_t k = 0; k < dimensions.count; ++k) {
    folded_dims[k] = operand->dims[dimensions.values[k]];
    folded_size *= folded_dims[k];
  }
  for (int64_t i = 0; i < tn__type_size(result); ++i) {
    int64_t kept[TN_MAX_RANK], folded[TN_MAX_RANK], place[TN_MAX_RANK];
    tn_number_t accumulated[TN_REFERENCE_FOLDED];
    load_initial(call, accumulated);
    tn__reference_split(result->rank, result->dims, i, kept);
    for (int64_t f = 0; f < folded_size; ++f) {
      size_t next_kept = 0;
      tn__reference_split(dimensions.count, folded_dims, f, folded);
      for (size_t d = 0; d < operand->rank; ++d) {
        const int64_t k = tn__reference_index_in(&dimensions, (int64_t)d);
        place[d] = k >= 0 ? folded[k] : kept[next_kept++];
      }
      const int64_t index = tn__reference_join(operand->rank, operand->dims, place);
      TN_RETURN_IF_ERROR(fold_element(call, index, accumulated));
    }
    for (size_t k = 0; k < folded_count(call); ++k) store(call, k, i, accumulated[k]);
  }
  return TN_OK;
}

// --- windows

typedef struct window {
  size_t rank;
  tn_reference_list_t sizes, strides, base_dilations, dilations, padding;
  int64_t count;  // of elements of a window
} window_t;

static tn_status_t read_window(const tn_kernel_call_t* call, window_t* out) {
  const tn_attr_dictionary_t* attrs = &tn__reference_use(call)->attrs;
  const size_t rank = tn__reference_operand(call, 0)->rank;
  out->rank = rank;
  out->count = 1;
  TN_RETURN_IF_ERROR(tn__reference_list(attrs, "window_dimensions", rank, 1, &out->sizes));
  TN_RETURN_IF_ERROR(tn__reference_list(attrs, "window_strides", rank, 1, &out->strides));
  TN_RETURN_IF_ERROR(tn__reference_list(attrs, "base_dilations", rank, 1, &out->base_dilations));
  TN_RETURN_IF_ERROR(tn__reference_list(attrs, "window_dilations", rank, 1, &out->dilations));
  TN_RETURN_IF_ERROR(tn__reference_list(attrs, "padding", 2 * rank, 0, &out->padding));
  for (size_t d = 0; d < rank; ++d) out->count *= out->sizes.values[d];
  return TN_OK;
}

// The element of operand 0 that is number `inside` of the window at `at`; -1: padding or a hole.
static int64_t window_element(const tn_kernel_call_t* call, const window_t* window,
                              const int64_t* at, int64_t inside) {
  const tn_type_t* operand = tn__reference_operand(call, 0);
  int64_t offsets[TN_MAX_RANK], place[TN_MAX_RANK];
  tn__reference_split(window->rank, window->sizes.values, inside, offsets);
  for (size_t d = 0; d < window->rank; ++d) {
    const int64_t base = at[d] * window->strides.values[d] +
                         offsets[d] * window->dilations.values[d] - window->padding.values[2 * d];
    if (base % window->base_dilations.values[d] != 0) return -1;
    place[d] = base / window->base_dilations.values[d];
  }
  return tn__reference_join(operand->rank, operand->dims, place);
}

// Padding and holes count as elements with the initial value.
tn_status_t tn__reference_reduce_window_run(const tn_kernel_call_t* call) {
  const tn_type_t* result = tn__reference_result(call, 0);
  const size_t count = folded_count(call);
  window_t window;
  TN_RETURN_IF_ERROR(read_window(call, &window));
  for (int64_t i = 0; i < tn__type_size(result); ++i) {
    int64_t at[TN_MAX_RANK];
    tn_number_t accumulated[TN_REFERENCE_FOLDED], initial[TN_REFERENCE_FOLDED];
    load_initial(call, initial);
    memcpy(accumulated, initial, sizeof initial);
    tn__reference_split(result->rank, result->dims, i, at);
    for (int64_t w = 0; w < window.count; ++w) {
      const int64_t element = window_element(call, &window, at, w);
      TN_RETURN_IF_ERROR(element < 0 ? tn__reference_fold(call, 0, count, accumulated, initial)
                                     : fold_element(call, element, accumulated));
    }
    for (size_t k = 0; k < count; ++k) store(call, k, i, accumulated[k]);
  }
  return TN_OK;
}

// Each element of the source goes to that of its window which no other is selected before.
tn_status_t tn__reference_select_and_scatter_run(const tn_kernel_call_t* call) {
  enum { SELECT, SCATTER };
  const tn_type_t *source = tn__reference_operand(call, 1), *result = tn__reference_result(call, 0);
  window_t window;
  TN_RETURN_IF_ERROR(read_window(call, &window));
  for (int64_t i = 0; i < tn__type_size(result); ++i) store(call, 0, i, load(call, 2, 0));
  for (int64_t s = 0; s < tn__type_size(source); ++s) {
    int64_t at[TN_MAX_RANK], selected = -1;
    tn__reference_split(source->rank, source->dims, s, at);
    for (int64_t w = 0; w < window.count; ++w) {
      const int64_t element = window_element(call, &window, at, w);
      tn_number_t stays = tn__number_integer(0);
      if (element < 0) continue;
      if (selected >= 0) {
        const tn_number_t pair[] = {load(call, 0, selected), load(call, 0, element)};
        TN_RETURN_IF_ERROR(tn__reference_run_body(call, SELECT, 2, pair, 1, &stays));
      }
      if (!stays.integer) selected = element;
    }
    if (selected < 0) continue;
    const tn_number_t pair[] = {tn__number_at(result->dtype, call->results[0], selected),
                                load(call, 1, s)};
    tn_number_t sum;
    TN_RETURN_IF_ERROR(tn__reference_run_body(call, SCATTER, 2, pair, 1, &sum));
    store(call, 0, selected, sum);
  }
  return TN_OK;
}

// --- scatter

enum { WINDOW_DIMS, INSERTED, BATCHING, INDEX_BATCHING, TO_OPERAND, LIST_COUNT };

typedef struct scatter {
  const tn_kernel_call_t* call;
  size_t count;  // of inputs; the indices are behind them, then the updates
  tn_reference_list_t lists[LIST_COUNT];
  size_t vector_dim;
} scatter_t;

// The element of the inputs that an update at these coordinates changes; -1: none.
static int64_t updated_element(const scatter_t* scatter, const int64_t* at) {
  const tn_type_t *input = tn__reference_operand(scatter->call, 0),
                  *indices = tn__reference_operand(scatter->call, scatter->count),
                  *updates = tn__reference_operand(scatter->call, scatter->count + 1);
  const tn_reference_list_t* lists = scatter->lists;
  int64_t index_place[TN_MAX_RANK] = {0}, place[TN_MAX_RANK] = {0};
  size_t index_dim = 0;
  for (size_t d = 0; d < updates->rank; ++d) {
    if (tn__reference_index_in(&lists[WINDOW_DIMS], (int64_t)d) >= 0) continue;
    if (index_dim == scatter->vector_dim) ++index_dim;
    index_place[index_dim++] = at[d];
  }
  for (size_t k = 0; k < lists[TO_OPERAND].count; ++k) {
    if (scatter->vector_dim < indices->rank) index_place[scatter->vector_dim] = (int64_t)k;
    const tn_wide_t start = load(scatter->call, scatter->count,
                                 tn__reference_join(indices->rank, indices->dims, index_place))
                                .integer;
    const int64_t d = lists[TO_OPERAND].values[k];
    if (start < -input->dims[d] - INT32_MAX || start > input->dims[d]) return -1;
    place[d] = (int64_t)start;
  }
  for (size_t k = 0; k < lists[BATCHING].count; ++k) {
    place[lists[BATCHING].values[k]] = index_place[lists[INDEX_BATCHING].values[k]];
  }
  size_t window_dim = 0;
  for (size_t d = 0; d < input->rank; ++d) {
    if (tn__reference_index_in(&lists[INSERTED], (int64_t)d) >= 0) continue;
    if (tn__reference_index_in(&lists[BATCHING], (int64_t)d) >= 0) continue;
    place[d] += at[lists[WINDOW_DIMS].values[window_dim++]];
  }
  return tn__reference_join(input->rank, input->dims, place);
}

static tn_status_t update(const scatter_t* scatter, int64_t from, int64_t to) {
  const tn_kernel_call_t* call = scatter->call;
  const size_t count = scatter->count;
  tn_number_t arguments[2 * TN_REFERENCE_FOLDED], results[TN_REFERENCE_FOLDED];
  for (size_t k = 0; k < count; ++k) {
    arguments[k] = tn__number_at(tn__reference_result(call, k)->dtype, call->results[k], to);
    arguments[count + k] = load(call, count + 1 + k, from);
  }
  TN_RETURN_IF_ERROR(tn__reference_run_body(call, 0, 2 * count, arguments, count, results));
  for (size_t k = 0; k < count; ++k) store(call, k, to, results[k]);
  return TN_OK;
}

tn_status_t tn__reference_scatter_run(const tn_kernel_call_t* call) {
  static const char* const names[] = {"update_window_dims", "inserted_window_dims",
                                      "input_batching_dims", "scatter_indices_batching_dims",
                                      "scatter_dims_to_operand_dims"};
  const tn_op_use_t* use = tn__reference_use(call);
  const tn_attr_dictionary_t* numbers = tn__reference_struct(use, "scatter_dimension_numbers");
  scatter_t scatter = {.call = call,
                       .count = (use->operand_count - 1) / 2,
                       .vector_dim = (size_t)tn__attr_get_integer(numbers, "index_vector_dim", 0)};
  for (size_t i = 0; i < LIST_COUNT; ++i) {
    TN_RETURN_IF_ERROR(tn__reference_list(numbers, names[i], 0, 0, &scatter.lists[i]));
  }
  for (size_t k = 0; k < scatter.count; ++k) {
    for (int64_t i = 0; i < tn__type_size(use->operand_types[k]); ++i) {
      store(call, k, i, load(call, k, i));
    }
  }
  const tn_type_t* updates = use->operand_types[scatter.count + 1];
  for (int64_t i = 0; i < tn__type_size(updates); ++i) {
    int64_t at[TN_MAX_RANK];
    tn__reference_split(updates->rank, updates->dims, i, at);
    const int64_t element = updated_element(&scatter, at);
    if (element >= 0) TN_RETURN_IF_ERROR(update(&scatter, i, element));
  }
  return TN_OK;
}

// --- sort

typedef struct line {
  const tn_kernel_call_t* call;
  int64_t first, step;  // of its elements, in all operands
} line_t;

static tn_status_t comes_before(const line_t* line, int64_t a, int64_t b, bool* out_answer) {
  const size_t count = tn__reference_use(line->call)->operand_count;
  tn_number_t arguments[4 * TN_REFERENCE_FOLDED], answer;
  for (size_t k = 0; k < count; ++k) {
    arguments[2 * k] = load(line->call, k, line->first + a * line->step);
    arguments[2 * k + 1] = load(line->call, k, line->first + b * line->step);
  }
  TN_RETURN_IF_ERROR(tn__reference_run_body(line->call, 0, 2 * count, arguments, 1, &answer));
  *out_answer = answer.integer != 0;
  return TN_OK;
}

// `order`: numbers of elements, sorted; `spare` is as long. Stable.
static tn_status_t merge_sort(const line_t* line, int64_t length, int64_t* order, int64_t* spare) {
  if (length < 2) return TN_OK;
  const int64_t half = length / 2;
  TN_RETURN_IF_ERROR(merge_sort(line, half, order, spare));
  TN_RETURN_IF_ERROR(merge_sort(line, length - half, order + half, spare));
  memcpy(spare, order, (size_t)half * sizeof *order);
  int64_t left = 0, right = half;
  for (int64_t i = 0; left < half; ++i) {
    bool takes_right = false;
    if (right < length) {
      TN_RETURN_IF_ERROR(comes_before(line, order[right], spare[left], &takes_right));
    }
    order[i] = takes_right ? order[right++] : spare[left++];
  }
  return TN_OK;
}

static tn_status_t sort_line(const line_t* line, int64_t length, int64_t* order) {
  for (int64_t i = 0; i < length; ++i) order[i] = i;
  TN_RETURN_IF_ERROR(merge_sort(line, length, order, order + length));
  for (size_t k = 0; k < tn__reference_use(line->call)->operand_count; ++k) {
    for (int64_t i = 0; i < length; ++i) {
      store(line->call, k, line->first + i * line->step,
            load(line->call, k, line->first + order[i] * line->step));
    }
  }
  return TN_OK;
}

tn_status_t tn__reference_sort_run(const tn_kernel_call_t* call) {
  tn_status_t status = TN_OK;
  const tn_type_t* type = tn__reference_operand(call, 0);
  int64_t dimension = tn__attr_get_integer(&tn__reference_use(call)->attrs, "dimension", -1);
  if (dimension < 0) dimension += (int64_t)type->rank;
  const int64_t length = type->rank ? type->dims[dimension] : 1;
  void* memory = NULL;
  const size_t byte_size = 2 * (size_t)length * sizeof(int64_t);
  TN_RETURN_IF_ERROR(tn__allocate(tn_allocator_system(), byte_size, &memory));
  line_t line = {.call = call, .step = 1};
  for (size_t d = (size_t)dimension + 1; d < type->rank; ++d) line.step *= type->dims[d];
  for (int64_t i = 0; !status && i < tn__type_size(type); ++i) {
    const bool begins_line = i / line.step % length == 0;
    line.first = i;
    if (begins_line) status = sort_line(&line, length, memory);
  }
  tn__free(tn_allocator_system(), memory, byte_size);
  return status;
}
