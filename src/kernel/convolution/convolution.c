// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Most convolutions of real numbers are direct (convolution_walk.c). Of the others, complex ones
// and those with one feature to a group among them, the input goes into the order [batch,
// spatial..., feature], the kernel into [group, spatial..., input feature, output feature], both in
// what sums are made in. Then, for blocks of windows of one batch element and group, the windows'
// elements are laid out as rows of a matrix, which times the kernel's gives the results, in the
// order [batch, group, spatial..., feature].
//
// Groups of one feature each (depthwise convolutions of floats) have no matrices: there the
// features stay innermost in all three, and a row of them is a sum of products of rows.
#include "kernel/convolution/convolution.h"

#include "base/integer.h"
#include "kernel/common/site.h"
#include "kernel/common/sliding.h"
#include "kernel/common/strided.h"
#include "kernel/contraction/product.h"
#include "kernel/convolution/convolution_walk.h"

enum {
  SLOT_LIMIT = 16,
  BLOCK_ELEMENTS = 96 << 10,  // of the matrix of windows: it stays in the cache
  BLOCK_LEAST = 48,           // windows
  BLOCK_MOST = 4 << 10,
  DEPTHWISE_GRAIN = 16 << 10,  // products
};

// An array on its way into or out of its order.
typedef struct path {
  bool is_moved, is_converted;
  tn_strided_copy_t move;
  int64_t source_offset;  // bytes
  tn_conversion_t conversion;
  size_t moved_offset, converted_offset;  // in scratch
  int64_t count;
} path_t;

// target[i] += a[i] * b[i]
typedef void (*multiply_add_fn)(const void* a, const void* b, void* target, int64_t count);

typedef struct convolution {
  int64_t result_count;
  tn_convolution_walk_t* walk;   // computes it without matrices; else NULL
  multiply_add_fn multiply_add;  // depthwise; else NULL
  path_t input, kernel, result;
  tn_sliding_t spatial;
  size_t carrier_size;
  int64_t batch, groups;                             // of the result
  int64_t input_features, depth_features, features;  // of the input, and of a group: in, out
  int64_t batch_per_group;             // > 0: group g has this part of the input's batch
  int64_t input_strides[TN_MAX_RANK];  // spatial ones, elements
  int64_t input_batch_stride;
  int64_t windows;          // of one batch element
  int64_t window_elements;  // spatial ones
  int64_t block, blocks;    // windows in a block; blocks of one batch element and group
  tn_gemm_t whole, rest;    // products of whole blocks, and of the last one
  size_t result_offset, slot_offset, slot_byte_size, gemm_offset;  // scratch; in a slot: gemm
  int64_t slots;
} convolution_t;

static void multiply_add_f32(const void* a, const void* b, void* target, int64_t count) {
  const float* restrict x = a, * restrict y = b;
  float* restrict sums = target;
  for (int64_t i = 0; i < count; ++i) sums[i] += x[i] * y[i];
}
static void multiply_add_f64(const void* a, const void* b, void* target, int64_t count) {
  const double* restrict x = a, * restrict y = b;
  double* restrict sums = target;
  for (int64_t i = 0; i < count; ++i) sums[i] += x[i] * y[i];
}

// --- preparing

typedef tn_convolution_layout_t layout_t;

static tn_status_t read_layout(const tn_kernel_site_t* site, const char* first, const char* second,
                               const char* spatial, layout_t* out) {
  const tn_attr_t* attr = tn__attr_find(&site->use->attrs, "dimension_numbers");
  if (!attr || attr->kind != TN_ATTR_STRUCT) {
    return tn_status_create(TN_CODE_INTERNAL, "convolution: no dimension_numbers");
  }
  out->first = tn__attr_get_integer(&attr->dictionary, first, 0);
  out->second = tn__attr_get_integer(&attr->dictionary, second, 0);
  return tn__attr_get_i64_list(&attr->dictionary, spatial, site->arena, &out->spatial);
}

tn_status_t tn__convolution_layouts(const tn_kernel_site_t* site, layout_t* out_input,
                                    layout_t* out_kernel, layout_t* out_output) {
  TN_RETURN_IF_ERROR(read_layout(site, "input_batch_dimension", "input_feature_dimension",
                                 "input_spatial_dimensions", out_input));
  TN_RETURN_IF_ERROR(read_layout(site, "kernel_input_feature_dimension",
                                 "kernel_output_feature_dimension", "kernel_spatial_dimensions",
                                 out_kernel));
  return read_layout(site, "output_batch_dimension", "output_feature_dimension",
                     "output_spatial_dimensions", out_output);
}

static bool is_dense(size_t rank, const int64_t* dims, const int64_t* strides,
                     size_t element_size) {
  int64_t stride = (int64_t)element_size;
  for (size_t i = rank; i-- > 0;) {
    if (dims[i] != 1 && strides[i] != stride) return false;
    stride *= dims[i];
  }
  return true;
}

// An operand with these dimensions and strides (bytes) becomes dense, of dtype `carrier`.
static tn_status_t plan_input(tn_kernel_site_t* site, tn_dtype_t dtype, tn_dtype_t carrier,
                              size_t rank, const int64_t* dims, const int64_t* strides,
                              path_t* path) {
  const size_t size = tn_dtype_byte_size(dtype);
  path->count = 1;
  for (size_t i = 0; i < rank; ++i) path->count *= dims[i];
  if (path->count == 0) return TN_OK;
  path->is_moved = !is_dense(rank, dims, strides, size);
  if (path->is_moved) {
    int64_t target_strides[TN_MAX_RANK + 1];
    tn__dense_strides(rank, dims, size, target_strides);
    path->moved_offset = tn__site_reserve(site, (size_t)path->count * size);
    TN_RETURN_IF_ERROR(tn__strided_copy_prepare(site->arena, size, rank, dims, target_strides,
                                                strides, &path->move));
  }
  path->is_converted = tn__product_converts(dtype, carrier);
  if (path->is_converted) {
    path->conversion = tn__conversion(dtype, carrier);
    path->converted_offset =
        tn__site_reserve(site, (size_t)path->count * tn_dtype_byte_size(carrier));
  }
  return TN_OK;
}

static tn_status_t plan_lhs(tn_kernel_site_t* site, const layout_t* layout, tn_dtype_t carrier,
                            convolution_t* state) {
  const tn_type_t* type = tn__site_operand(site, 0);
  int64_t strides[TN_MAX_RANK], dims[TN_MAX_RANK], ordered[TN_MAX_RANK];
  tn__dense_strides(type->rank, type->dims, tn_dtype_byte_size(type->dtype), strides);
  const size_t last = type->rank - 1;
  dims[0] = type->dims[layout->first];
  ordered[0] = strides[layout->first];
  for (size_t i = 0; i < layout->spatial.count; ++i) {
    dims[i + 1] = type->dims[layout->spatial.values[i]];
    ordered[i + 1] = strides[layout->spatial.values[i]];
  }
  dims[last] = type->dims[layout->second];
  ordered[last] = strides[layout->second];
  state->input_features = dims[last];
  int64_t stride = dims[last];
  for (size_t i = layout->spatial.count; i-- > 0;) {
    state->input_strides[i] = stride;
    stride *= dims[i + 1];
  }
  state->input_batch_stride = stride;
  return plan_input(site, type->dtype, carrier, type->rank, dims, ordered, &state->input);
}

// Takes the dimension `from` to the place `to` behind it.
static void move_to(int64_t* dims, int64_t* strides, size_t from, size_t to) {
  const int64_t dim = dims[from], stride = strides[from];
  for (size_t i = from; i < to; ++i) {
    dims[i] = dims[i + 1];
    strides[i] = strides[i + 1];
  }
  dims[to] = dim;
  strides[to] = stride;
}

static tn_status_t plan_rhs(tn_kernel_site_t* site, const layout_t* layout, tn_dtype_t carrier,
                            convolution_t* state) {
  const tn_type_t* type = tn__site_operand(site, 1);
  tn_i64_list_t reversal;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&site->use->attrs, "window_reversal", site->arena, &reversal));
  int64_t strides[TN_MAX_RANK], dims[TN_MAX_RANK + 1], ordered[TN_MAX_RANK + 1];
  tn__dense_strides(type->rank, type->dims, tn_dtype_byte_size(type->dtype), strides);
  const size_t spatial = layout->spatial.count;
  dims[0] = state->groups;
  ordered[0] = state->features * strides[layout->second];
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t dim = layout->spatial.values[i];
    dims[i + 1] = type->dims[dim];
    ordered[i + 1] = strides[dim];
    if (!reversal.present || !reversal.values[i] || tn__type_size(type) == 0) continue;
    state->kernel.source_offset += (type->dims[dim] - 1) * strides[dim];
    ordered[i + 1] = -strides[dim];
  }
  dims[spatial + 1] = state->depth_features;
  ordered[spatial + 1] = strides[layout->first];
  dims[spatial + 2] = state->features;
  ordered[spatial + 2] = strides[layout->second];
  if (state->multiply_add) move_to(dims, ordered, 0, spatial + 2);
  return plan_input(site, type->dtype, carrier, spatial + 3, dims, ordered, &state->kernel);
}

static tn_status_t plan_result(tn_kernel_site_t* site, const layout_t* layout, tn_dtype_t carrier,
                               convolution_t* state) {
  const tn_type_t* type = tn__site_result(site, 0);
  const size_t size = tn_dtype_byte_size(type->dtype), spatial = layout->spatial.count;
  int64_t strides[TN_MAX_RANK], dims[TN_MAX_RANK + 1], ordered[TN_MAX_RANK + 1];
  tn__dense_strides(type->rank, type->dims, size, strides);
  dims[0] = state->batch;
  ordered[0] = strides[layout->first];
  dims[1] = state->groups;
  ordered[1] = state->features * strides[layout->second];
  for (size_t i = 0; i < spatial; ++i) {
    dims[i + 2] = type->dims[layout->spatial.values[i]];
    ordered[i + 2] = strides[layout->spatial.values[i]];
  }
  dims[spatial + 2] = state->features;
  ordered[spatial + 2] = strides[layout->second];
  if (state->multiply_add) move_to(dims, ordered, 1, spatial + 2);
  path_t* path = &state->result;
  path->count = tn__type_size(type);
  path->is_moved = !is_dense(spatial + 3, dims, ordered, size);
  path->is_converted = tn__product_converts(carrier, type->dtype);
  if (path->is_converted) path->conversion = tn__conversion(carrier, type->dtype);
  if (path->is_moved || path->is_converted) {
    path->converted_offset = tn__site_reserve(site, (size_t)path->count * state->carrier_size);
  }
  if (!path->is_moved) return TN_OK;
  if (path->is_converted) path->moved_offset = tn__site_reserve(site, (size_t)path->count * size);
  int64_t source_strides[TN_MAX_RANK + 1];
  tn__dense_strides(spatial + 3, dims, size, source_strides);
  return tn__strided_copy_prepare(site->arena, size, spatial + 3, dims, ordered, source_strides,
                                  &path->move);
}

static void plan_products(tn_kernel_site_t* site, tn_dtype_t carrier, convolution_t* state) {
  const int64_t depth = state->window_elements * state->depth_features;
  int64_t block = BLOCK_ELEMENTS / (depth ? depth : 1);
  if (block < BLOCK_LEAST) block = BLOCK_LEAST;
  if (block > BLOCK_MOST) block = BLOCK_MOST;
  if (block > state->windows) block = state->windows;
  state->block = block;
  state->blocks = tn__ceil_divide(state->windows, block);
  tn_gemm_shape_t shape = {
      .type = tn__product_type(carrier),
      .rows = block,
      .columns = state->features,
      .depth = depth,
      .lhs_row_stride = depth,
      .lhs_depth_stride = 1,
      .rhs_depth_stride = state->features,
      .rhs_column_stride = 1,
  };
  state->whole = tn__gemm_plan(&shape);
  shape.rows = state->windows - (state->blocks - 1) * block;
  state->rest = tn__gemm_plan(&shape);
  size_t gemm_length = state->whole.scratch_byte_size;
  if (state->rest.scratch_byte_size > gemm_length) gemm_length = state->rest.scratch_byte_size;
  state->gemm_offset = ((size_t)(block * depth) * state->carrier_size + 63) / 64 * 64;
  state->slot_byte_size = (state->gemm_offset + gemm_length + 63) / 64 * 64;
  const int64_t units = state->batch * state->groups * state->blocks;
  state->slots = units < SLOT_LIMIT ? units : SLOT_LIMIT;
  state->slot_offset = tn__site_reserve(site, state->slot_byte_size * (size_t)state->slots);
}

tn_status_t tn__cpu_convolution_prepare(tn_kernel_site_t* site) {
  const tn_type_t *lhs = tn__site_operand(site, 0), *rhs = tn__site_operand(site, 1);
  const tn_type_t* result = tn__site_result(site, 0);
  convolution_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->result_count = tn__type_size(result);
  if (state->result_count == 0) return TN_OK;
  layout_t input, kernel, output;
  TN_RETURN_IF_ERROR(tn__convolution_layouts(site, &input, &kernel, &output));
  const tn_attr_dictionary_t* attrs = &site->use->attrs;
  const int64_t feature_groups = tn__attr_get_integer(attrs, "feature_group_count", 1);
  const int64_t batch_groups = tn__attr_get_integer(attrs, "batch_group_count", 1);
  state->groups = feature_groups > 1 ? feature_groups : batch_groups;
  state->batch = result->dims[output.first];
  state->batch_per_group = batch_groups > 1 ? state->batch : 0;
  state->depth_features = rhs->dims[kernel.first];
  state->features = rhs->dims[kernel.second] / state->groups;
  TN_RETURN_IF_ERROR(tn__sliding_read_spatial(site, lhs, &input.spatial, rhs, &kernel.spatial,
                                              result, &output.spatial, &state->spatial));
  state->windows = 1;
  state->window_elements = 1;
  for (size_t i = 0; i < state->spatial.rank; ++i) {
    state->windows *= state->spatial.dims[i].output;
    state->window_elements *= state->spatial.dims[i].size;
  }
  const tn_dtype_t carrier = tn__product_carrier(lhs->dtype, rhs->dtype, result->dtype,
                                                 state->window_elements * state->depth_features);
  state->carrier_size = tn_dtype_byte_size(carrier);
  if (feature_groups > 1 && state->depth_features == 1 && state->features == 1 &&
      state->spatial.rank > 0) {
    if (carrier == TN_DTYPE_F32) state->multiply_add = multiply_add_f32;
    if (carrier == TN_DTYPE_F64) state->multiply_add = multiply_add_f64;
  }
  if (!state->multiply_add) {
    const tn_convolution_shape_t shape = {
        .input = input,
        .kernel = kernel,
        .output = output,
        .spatial = state->spatial,
        .carrier = carrier,
        .groups = state->groups,
        .batch_groups = batch_groups,
        .batch = state->batch,
        .depth_features = state->depth_features,
        .features = state->features,
    };
    TN_RETURN_IF_ERROR(tn__convolution_walk_plan(site, &shape, &state->walk));
    if (state->walk) return TN_OK;
  }
  TN_RETURN_IF_ERROR(plan_lhs(site, &input, carrier, state));
  TN_RETURN_IF_ERROR(plan_rhs(site, &kernel, carrier, state));
  TN_RETURN_IF_ERROR(plan_result(site, &output, carrier, state));
  if (!state->multiply_add) plan_products(site, carrier, state);
  return TN_OK;
}

// --- running

typedef struct convolution_run {
  const convolution_t* state;
  const char *input, *kernel;
  char* result;
  char* slots;
} convolution_run_t;

// The windows' elements along the innermost spatial dimension, for the window that begins at `row`
// of the input there.
static char* lay_out_row(const convolution_t* state, const char* row, int64_t output,
                         char* target) {
  const tn_sliding_dim_t* dim = &state->spatial.dims[state->spatial.rank - 1];
  const size_t size = (size_t)state->depth_features * state->carrier_size;
  const int64_t stride = state->input_features * (int64_t)state->carrier_size;
  if (dim->dilation == 1 && dim->base_dilation == 1 &&
      state->depth_features == state->input_features) {
    // What is inside is one piece.
    const int64_t start = output * dim->stride - dim->low;
    const int64_t first = start < 0 ? -start : 0;
    int64_t last = dim->input - start < dim->size ? dim->input - start : dim->size;
    if (first >= last) {
      memset(target, 0, (size_t)dim->size * size);
      return target + (size_t)dim->size * size;
    }
    memset(target, 0, (size_t)first * size);
    memcpy(target + (size_t)first * size, row + (start + first) * stride,
           (size_t)(last - first) * size);
    memset(target + (size_t)last * size, 0, (size_t)(dim->size - last) * size);
    return target + (size_t)dim->size * size;
  }
  for (int64_t at = 0; at < dim->size; ++at, target += size) {
    const int64_t element = tn__sliding_place(dim, output, at);
    if (element < 0) {
      memset(target, 0, size);
    } else {
      memcpy(target, row + element * stride, size);
    }
  }
  return target;
}

// One row of the matrix: all elements of window `window`.
static char* lay_out_window(const convolution_t* state, const char* input, int64_t window,
                            char* target) {
  const tn_sliding_t* spatial = &state->spatial;
  if (spatial->rank == 0) {
    const size_t size = (size_t)state->depth_features * state->carrier_size;
    if (size) memcpy(target, input, size);
    return target + size;
  }
  const size_t outer_rank = spatial->rank - 1;
  int64_t output[TN_MAX_RANK];
  for (size_t i = spatial->rank; i-- > 0;) {
    output[i] = window % spatial->dims[i].output;
    window /= spatial->dims[i].output;
  }
  const int64_t row_elements = spatial->dims[outer_rank].size;
  const int64_t rows = row_elements ? state->window_elements / row_elements : 0;
  const size_t row_length = (size_t)(row_elements * state->depth_features) * state->carrier_size;
  for (int64_t r = 0; r < rows; ++r) {
    int64_t rest = r, offset = 0;
    for (size_t i = outer_rank; i-- > 0 && offset >= 0;) {
      const int64_t at = rest % spatial->dims[i].size;
      rest /= spatial->dims[i].size;
      const int64_t element = tn__sliding_place(&spatial->dims[i], output[i], at);
      offset = element < 0 ? -1 : offset + element * state->input_strides[i];
    }
    if (offset < 0) {
      memset(target, 0, row_length);
      target += row_length;
    } else {
      target = lay_out_row(state, input + (size_t)offset * state->carrier_size, output[outer_rank],
                           target);
    }
  }
  return target;
}

static tn_status_t run_unit(const convolution_run_t* run, int64_t unit, char* slot) {
  const convolution_t* state = run->state;
  const int64_t block = unit % state->blocks, place = unit / state->blocks;
  const int64_t group = place % state->groups, batch = place / state->groups;
  const int64_t input_batch = state->batch_per_group * group + batch;
  const int64_t first_feature = state->batch_per_group ? 0 : group * state->depth_features;
  const char* input =
      run->input +
      (size_t)(input_batch * state->input_batch_stride + first_feature) * state->carrier_size;
  const int64_t depth = state->window_elements * state->depth_features;
  const char* kernel =
      run->kernel + (size_t)(group * depth * state->features) * state->carrier_size;
  const int64_t first = block * state->block;
  char* result = run->result +
                 (size_t)((place * state->windows + first) * state->features) * state->carrier_size;
  const tn_gemm_t* gemm = block + 1 < state->blocks ? &state->whole : &state->rest;
  char* row = slot;
  for (int64_t i = 0; i < gemm->shape.rows; ++i) {
    row = lay_out_window(state, input, first + i, row);
  }
  return tn__gemm_run(gemm, NULL, slot, kernel, result, slot + state->gemm_offset);
}

static tn_status_t run_slots(int64_t begin, int64_t end, void* user) {
  const convolution_run_t* run = user;
  const convolution_t* state = run->state;
  const int64_t units = state->batch * state->groups * state->blocks;
  for (int64_t slot = begin; slot < end; ++slot) {
    const int64_t last = units * (slot + 1) / state->slots;
    for (int64_t unit = units * slot / state->slots; unit < last; ++unit) {
      TN_RETURN_IF_ERROR(run_unit(run, unit, run->slots + (size_t)slot * state->slot_byte_size));
    }
  }
  return TN_OK;
}

// Results [begin, end) of all batch elements together, each a row of features.
static tn_status_t run_depthwise(int64_t begin, int64_t end, void* user) {
  const convolution_run_t* run = user;
  const convolution_t* state = run->state;
  const tn_sliding_t* spatial = &state->spatial;
  const size_t row = (size_t)state->groups * state->carrier_size;
  for (int64_t place = begin; place < end; ++place) {
    int64_t output[TN_MAX_RANK], rest = place % state->windows;
    for (size_t i = spatial->rank; i-- > 0;) {
      output[i] = rest % spatial->dims[i].output;
      rest /= spatial->dims[i].output;
    }
    const int64_t base = place / state->windows * state->input_batch_stride;
    char* sums = run->result + (size_t)place * row;
    memset(sums, 0, row);
    for (int64_t w = 0; w < state->window_elements; ++w) {
      int64_t at = w, offset = base;
      for (size_t i = spatial->rank; i-- > 0 && offset >= 0;) {
        const int64_t element =
            tn__sliding_place(&spatial->dims[i], output[i], at % spatial->dims[i].size);
        at /= spatial->dims[i].size;
        offset = element < 0 ? -1 : offset + element * state->input_strides[i];
      }
      if (offset < 0) continue;
      state->multiply_add(run->input + (size_t)offset * state->carrier_size,
                          run->kernel + (size_t)w * row, sums, state->groups);
    }
  }
  return TN_OK;
}

static tn_status_t fetch(const path_t* path, const tn_kernel_call_t* call, size_t index,
                         const void** out_data) {
  tn_pool_t* pool = call->context->pool;
  char* scratch = call->scratch;
  const void* data = call->operands[index];
  if (path->is_moved) {
    TN_RETURN_IF_ERROR(tn__strided_copy_run(&path->move, pool, scratch + path->moved_offset,
                                            (const char*)data + path->source_offset));
    data = scratch + path->moved_offset;
  }
  if (path->is_converted) {
    TN_RETURN_IF_ERROR(tn__product_convert(&path->conversion, pool, data,
                                           scratch + path->converted_offset, path->count));
    data = scratch + path->converted_offset;
  }
  *out_data = data;
  return TN_OK;
}

tn_status_t tn__cpu_convolution_run(const tn_kernel_call_t* call) {
  const convolution_t* state = call->state;
  if (state->result_count == 0) return TN_OK;
  if (state->walk) return tn__convolution_walk_run(state->walk, call);
  tn_pool_t* pool = call->context->pool;
  char* scratch = call->scratch;
  const path_t* result = &state->result;
  const void *input, *kernel;
  TN_RETURN_IF_ERROR(fetch(&state->input, call, 0, &input));
  TN_RETURN_IF_ERROR(fetch(&state->kernel, call, 1, &kernel));
  const bool is_direct = !result->is_moved && !result->is_converted;
  convolution_run_t run = {
      .state = state,
      .input = input,
      .kernel = kernel,
      .result = is_direct ? call->results[0] : scratch + result->converted_offset,
      .slots = scratch ? scratch + state->slot_offset : NULL,
  };
  if (state->multiply_add) {
    const int64_t work = state->groups * state->window_elements;
    const int64_t grain = work < DEPTHWISE_GRAIN ? DEPTHWISE_GRAIN / (work ? work : 1) : 1;
    TN_RETURN_IF_ERROR(
        tn__pool_parallel_for(pool, state->batch * state->windows, grain, run_depthwise, &run));
  } else {
    TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, state->slots, 1, run_slots, &run));
  }
  if (is_direct) return TN_OK;
  const void* ordered = run.result;
  if (result->is_converted) {
    void* converted = result->is_moved ? scratch + result->moved_offset : call->results[0];
    TN_RETURN_IF_ERROR(
        tn__product_convert(&result->conversion, pool, ordered, converted, result->count));
    ordered = converted;
  }
  if (!result->is_moved) return TN_OK;
  return tn__strided_copy_run(&result->move, pool, call->results[0], ordered);
}
