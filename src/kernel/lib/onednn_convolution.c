// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Parts of the batch, or of the result's features where there is little of a batch, are computed
// apart; the shape alone says how it is cut. The library has layouts of its own, in which it is
// quick: each part is copied into them and back, while it is in the cache.
//
// Small f32 windows go by Winograd's algorithm, which does a third of the multiplications and is
// half as accurate as direct sums. It mixes an infinity or a NaN into results that have nothing to
// do with it; a part in which one turns up is computed again, directly. A precision_config above
// DEFAULT asks for direct sums as well.
#include "kernel/lib/onednn_convolution.h"

#include "kernel/lib/onednn.h"

#ifdef TENON_ONEDNN
#include "base/integer.h"
#include "base/pool.h"
#include "kernel/common/site.h"
#include "kernel/common/sliding.h"
#include "kernel/common/strided.h"
#include "kernel/convolution/convolution.h"

enum {
  LEAST_PRODUCTS = 1 << 19,
  // In f32 without AVX-512: below it, copying into the library's layouts costs what its sums gain.
  LEAST_AVX2_PRODUCTS = 1 << 29,
  // Elements of a feature of an image, from which Winograd's algorithm is faster than our sums in
  // place: it transforms the weights for each part.
  LEAST_PIXELS = 200,
  BATCH_PARTS = 16,   // at most
  FEATURE_BATCH = 4,  // smaller batches are cut by features
  FEATURE_PART = 64,
  LAST_BATCH = 1,  // which of the four primitives
  LAST_FEATURES = 2,
};

// One algorithm for parts of one size. What is copied has a primitive for it.
typedef struct part {
  tn_onednn_primitive_t convolution, source, weights, result;
  size_t weights_offset;  // in scratch, for weights that are copied once
} part_t;

typedef struct convolution {
  const tn_onednn_t* dnn;
  const void* reference;  // state of our own kernel, where the library cannot; else NULL
  // Of the arrays, in the library's order of dimensions: batch, feature, spatial...; group, output
  // feature, input feature, spatial...; strides in elements.
  int rank, weights_rank;
  dnnl_dims_t source_dims, source_strides, weights_dims, weights_strides;
  dnnl_dims_t result_dims, result_strides;
  dnnl_dims_t strides, dilations, low, high;
  dnnl_data_type_t source_type, weights_type, result_type;
  size_t element_size, result_size;
  bool is_moved;  // the weights are put in order first
  tn_strided_copy_t move;
  int64_t move_source;  // bytes
  size_t moved_offset;  // scratch
  int64_t batch_part, batch_parts, feature_part, feature_parts;
  bool has_winograd;
  part_t winograd[4], direct[4];
  int64_t slots;
  size_t slot_offset, slot_length;  // in a slot: source, weights, result, the library's own
  size_t source_length, weights_length, result_length;
} convolution_t;

// --- which

static bool is_known(const tn_op_use_t* use) {
  const tn_dtype_t lhs = use->operand_types[0]->dtype, rhs = use->operand_types[1]->dtype;
  const tn_dtype_t result = use->result_types[0]->dtype;
  if (lhs != rhs) return false;
  return (lhs == TN_DTYPE_F32 && result == TN_DTYPE_F32) ||
         (lhs == TN_DTYPE_BF16 && (result == TN_DTYPE_BF16 || result == TN_DTYPE_F32));
}

// The windows as the library takes them; false when it cannot.
static bool read_window(const tn_sliding_dim_t* dim, int64_t* out_high) {
  const int64_t extent = (dim->size - 1) * dim->dilation + 1;
  int64_t high = (dim->output - 1) * dim->stride + extent - dim->input - dim->low;
  if (high < 0) high = 0;  // elements at the end that no window reaches
  *out_high = high;
  return dim->base_dilation == 1 && dim->low >= 0 &&
         (dim->input + dim->low + high - extent) / dim->stride + 1 == dim->output;
}

// f32 windows of 3x3 that go by single steps.
static bool has_winograd_windows(const tn_op_use_t* use, const tn_sliding_t* sliding) {
  bool has = use->operand_types[0]->dtype == TN_DTYPE_F32 && sliding->rank == 2;
  for (size_t i = 0; has && i < 2; ++i) {
    has = sliding->dims[i].size == 3 && sliding->dims[i].stride == 1 &&
          sliding->dims[i].dilation == 1;
  }
  return has;
}

// `out_products`: multiplications.
static const char* decline(const tn_op_use_t* use, double* out_products) {
  const char* reason = NULL;
  tn_convolution_layout_t input, kernel, output;
  tn_sliding_t sliding;
  const tn_type_t *lhs = use->operand_types[0], *rhs = use->operand_types[1];
  const tn_type_t* result = use->result_types[0];
  const tn_kernel_site_t site = {.use = use, .arena = use->arena};
  if (!is_known(use)) return "onednn has no such element types";
  if (lhs->rank < 3 || lhs->rank > 5) return "onednn has windows of one to three dimensions";
  if (tn__attr_get_integer(&use->attrs, "batch_group_count", 1) != 1) {
    return "onednn has no groups of the batch";
  }
  tn_status_t status = tn__convolution_layouts(&site, &input, &kernel, &output);
  if (!status) {
    status = tn__sliding_read_spatial(&site, lhs, &input.spatial, rhs, &kernel.spatial, result,
                                      &output.spatial, &sliding);
  }
  if (status) {
    tn_status_release(status);
    return "the dimensions cannot be read";
  }
  double products = (double)tn__type_size(result) * (double)rhs->dims[kernel.first];
  for (size_t i = 0; i < sliding.rank; ++i) products *= (double)sliding.dims[i].size;
  *out_products = products;
  if (products < LEAST_PRODUCTS) return "too small for onednn";
  if (has_winograd_windows(use, &sliding) &&
      sliding.dims[0].output * sliding.dims[1].output < LEAST_PIXELS) {
    return "images too small for onednn";
  }
  for (size_t i = 0; i < sliding.rank; ++i) {
    int64_t high;
    if (!read_window(&sliding.dims[i], &high)) return "onednn has no such padding or dilation";
  }
  const tn_onednn_t* dnn = tn__onednn(&reason);
  if (!dnn) return reason;
  const int isa = dnnl_cpu_isa_avx512_core_bf16;
  if (lhs->dtype == TN_DTYPE_BF16 && ((int)dnn->dnnl_get_effective_cpu_isa() & isa) != isa) {
    return "the processor has no instructions for onednn's products of this type";
  }
  return NULL;
}

const char* tn__onednn_convolution_decline(const tn_op_use_t* use) {
  double products;
  return decline(use, &products);
}

const char* tn__onednn_convolution_refuse(const tn_op_use_t* use) {
  double products;
  const char* reason = decline(use, &products);
  if (reason) return reason;
  const tn_onednn_t* dnn = tn__onednn(&reason);
  const bool has_avx512 = ((int)dnn->dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) ==
                          dnnl_cpu_isa_avx512_core;
  const bool is_f32 = use->operand_types[0]->dtype == TN_DTYPE_F32;
  return is_f32 && !has_avx512 && products < LEAST_AVX2_PRODUCTS
             ? "too small for onednn without AVX-512"
             : NULL;
}

// --- preparing

static dnnl_data_type_t type_of(tn_dtype_t dtype) {
  return dtype == TN_DTYPE_BF16 ? dnnl_bf16 : dnnl_f32;
}

// Two dimensions and the spatial ones, of a dense array.
static void order(const tn_type_t* type, int64_t first, int64_t second,
                  const tn_i64_list_t* spatial, dnnl_dim_t* dims, dnnl_dim_t* strides) {
  int64_t dense[TN_MAX_RANK];
  tn__dense_strides(type->rank, type->dims, 1, dense);
  dims[0] = type->dims[first], strides[0] = dense[first];
  dims[1] = type->dims[second], strides[1] = dense[second];
  for (size_t i = 0; i < spatial->count; ++i) {
    dims[i + 2] = type->dims[spatial->values[i]];
    strides[i + 2] = dense[spatial->values[i]];
  }
}

static bool wants_winograd(const tn_op_use_t* use, const convolution_t* state) {
  if (state->source_type != dnnl_f32 || state->rank != 4 || state->weights_rank != 4) return false;
  for (int i = 0; i < 2; ++i) {
    if (state->weights_dims[i + 2] != 3 || state->strides[i] != 1 || state->dilations[i] != 0) {
      return false;
    }
  }
  const tn_attr_t* precision = tn__attr_find(&use->attrs, "precision_config");
  for (size_t i = 0; precision && precision->kind == TN_ATTR_ARRAY && i < precision->array.count;
       ++i) {
    if (!tn__sv_is(precision->array.items[i]->string, "DEFAULT")) return false;
  }
  return true;
}

// Windows that are reversed have negative strides, which the library does not take; and for
// Winograd's algorithm it takes no order but its own.
static tn_status_t plan_order(tn_kernel_site_t* site, size_t spatial, convolution_t* state) {
  const size_t rank = (size_t)state->weights_rank, first = rank - spatial;
  int64_t dims[TN_MAX_RANK + 1], source[TN_MAX_RANK + 1], dense[TN_MAX_RANK + 1];
  tn_i64_list_t reversal;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&site->use->attrs, "window_reversal", site->arena, &reversal));
  state->is_moved = wants_winograd(site->use, state);
  for (size_t i = 0; reversal.present && i < spatial; ++i) {
    if (reversal.values[i]) state->is_moved = true;
  }
  if (!state->is_moved) return TN_OK;
  const int64_t size = (int64_t)state->element_size;
  size_t count = 1;
  for (size_t i = 0; i < rank; ++i) {
    dims[i] = state->weights_dims[i];
    source[i] = state->weights_strides[i] * size;
    count *= (size_t)dims[i];
    if (i < first || !reversal.present || !reversal.values[i - first]) continue;
    state->move_source += (dims[i] - 1) * source[i];
    source[i] = -source[i];
  }
  tn__dense_strides(rank, dims, state->element_size, dense);
  for (size_t i = 0; i < rank; ++i) state->weights_strides[i] = dense[i] / size;
  state->moved_offset = site->scratch_byte_size;
  site->scratch_byte_size += tn__align_up(count * state->element_size, TN_LINE_BYTES);
  return tn__strided_copy_prepare(site->arena, state->element_size, rank, dims, dense, source,
                                  &state->move);
}

static tn_status_t read_site(tn_kernel_site_t* site, convolution_t* state) {
  const tn_type_t *lhs = tn__site_operand(site, 0), *rhs = tn__site_operand(site, 1);
  const tn_type_t* result = tn__site_result(site, 0);
  tn_convolution_layout_t input, kernel, output;
  tn_sliding_t sliding;
  TN_RETURN_IF_ERROR(tn__convolution_layouts(site, &input, &kernel, &output));
  TN_RETURN_IF_ERROR(tn__sliding_read_spatial(site, lhs, &input.spatial, rhs, &kernel.spatial,
                                              result, &output.spatial, &sliding));
  for (size_t i = 0; i < sliding.rank; ++i) {
    state->strides[i] = sliding.dims[i].stride;
    state->dilations[i] = sliding.dims[i].dilation - 1;
    state->low[i] = sliding.dims[i].low;
    read_window(&sliding.dims[i], &state->high[i]);
  }
  state->rank = (int)lhs->rank;
  state->source_type = type_of(lhs->dtype);
  state->weights_type = type_of(rhs->dtype);
  state->result_type = type_of(result->dtype);
  state->element_size = tn_dtype_byte_size(lhs->dtype);
  state->result_size = tn_dtype_byte_size(result->dtype);
  order(lhs, input.first, input.second, &input.spatial, state->source_dims, state->source_strides);
  order(result, output.first, output.second, &output.spatial, state->result_dims,
        state->result_strides);
  const int64_t groups = tn__attr_get_integer(&site->use->attrs, "feature_group_count", 1);
  dnnl_dim_t *dims = state->weights_dims, *strides = state->weights_strides;
  state->weights_rank = state->rank + (groups > 1);
  if (groups > 1) ++dims, ++strides;
  order(rhs, kernel.second, kernel.first, &kernel.spatial, dims, strides);
  if (groups > 1) {
    dims[0] /= groups;
    state->weights_dims[0] = groups;
    state->weights_strides[0] = strides[0] * dims[0];
  }
  return plan_order(site, sliding.rank, state);
}

// Layouts that the library chooses, and those of the program.
typedef struct layouts {
  dnnl_memory_desc_t source, weights, result;
} layouts_t;

static tn_status_t describe(const convolution_t* state, int which, bool any, layouts_t* out) {
  const tn_onednn_t* dnn = state->dnn;
  dnnl_dims_t source, weights, result;
  memcpy(source, state->source_dims, sizeof source);
  memcpy(weights, state->weights_dims, sizeof weights);
  memcpy(result, state->result_dims, sizeof result);
  const int64_t last_batch = result[0] - (state->batch_parts - 1) * state->batch_part;
  const int64_t last_features = result[1] - (state->feature_parts - 1) * state->feature_part;
  source[0] = result[0] = which & LAST_BATCH ? last_batch : state->batch_part;
  result[1] = which & LAST_FEATURES ? last_features : state->feature_part;
  if (state->feature_parts > 1) weights[0] = result[1];
  const struct {
    dnnl_memory_desc_t* out;
    int rank;
    const dnnl_dim_t *dims, *strides;
    dnnl_data_type_t type;
  } all[] = {
      {&out->source, state->rank, source, state->source_strides, state->source_type},
      {&out->weights, state->weights_rank, weights, state->weights_strides, state->weights_type},
      {&out->result, state->rank, result, state->result_strides, state->result_type},
  };
  for (size_t i = 0; i < 3; ++i) {
    const dnnl_status_t status =
        any ? dnn->dnnl_memory_desc_init_by_tag(all[i].out, all[i].rank, all[i].dims, all[i].type,
                                                dnnl_format_tag_any)
            : dnn->dnnl_memory_desc_init_by_strides(all[i].out, all[i].rank, all[i].dims,
                                                    all[i].type, all[i].strides);
    TN_RETURN_IF_ERROR(tn__onednn_status(dnn, status, "no such layout"));
  }
  return TN_OK;
}

static tn_status_t make_copy(const tn_onednn_t* dnn, const dnnl_memory_desc_t* from,
                             const dnnl_memory_desc_t* to, tn_onednn_primitive_t* out_copy) {
  if (dnn->dnnl_memory_desc_equal(from, to)) return TN_OK;
  return tn__onednn_create_reorder(dnn, from, to, out_copy);
}

static tn_status_t make_part(const convolution_t* state, int which, dnnl_alg_kind_t algorithm,
                             part_t* part) {
  const tn_onednn_t* dnn = state->dnn;
  layouts_t any, own;
  dnnl_convolution_desc_t description;
  TN_RETURN_IF_ERROR(describe(state, which, true, &any));
  TN_RETURN_IF_ERROR(describe(state, which, false, &own));
  TN_RETURN_IF_ERROR(tn__onednn_status(
      dnn,
      dnn->dnnl_dilated_convolution_forward_desc_init(
          &description,
          algorithm == dnnl_convolution_winograd ? dnnl_forward_training : dnnl_forward_inference,
          algorithm, &any.source, &any.weights, NULL, &any.result, state->strides, state->dilations,
          state->low, state->high),
      "no such convolution"));
  TN_RETURN_IF_ERROR(tn__onednn_create(dnn, &description, &part->convolution));
  TN_RETURN_IF_ERROR(make_copy(dnn, &own.source, &part->convolution.source, &part->source));
  TN_RETURN_IF_ERROR(make_copy(dnn, &own.weights, &part->convolution.weights, &part->weights));
  return make_copy(dnn, &part->convolution.result, &own.result, &part->result);
}

static void destroy_parts(const convolution_t* state, part_t* parts) {
  for (size_t i = 0; i < 4; ++i) {
    tn__onednn_destroy(state->dnn, &parts[i].convolution);
    tn__onednn_destroy(state->dnn, &parts[i].source);
    tn__onednn_destroy(state->dnn, &parts[i].weights);
    tn__onednn_destroy(state->dnn, &parts[i].result);
  }
}

static void deinit(void* user) {
  convolution_t* state = user;
  destroy_parts(state, state->winograd);
  destroy_parts(state, state->direct);
}

static bool has_part(const convolution_t* state, int which) {
  return (which & LAST_BATCH || state->batch_parts > 1) &&
         (which & LAST_FEATURES || state->feature_parts > 1);
}

static tn_status_t make_parts(const convolution_t* state, dnnl_alg_kind_t algorithm,
                              part_t* parts) {
  for (int i = 0; i < 4; ++i) {
    if (has_part(state, i)) TN_RETURN_IF_ERROR(make_part(state, i, algorithm, &parts[i]));
  }
  return TN_OK;
}

static void widen(size_t* length, size_t other) {
  if (tn__align_up(other, TN_LINE_BYTES) > *length) *length = tn__align_up(other, TN_LINE_BYTES);
}

// Scratch memory for the copies of a part, and the library's own.
static void reserve(tn_kernel_site_t* site, convolution_t* state, part_t* parts, bool keeps_weights,
                    size_t* scratch_length) {
  for (int i = 0; i < 4; ++i) {
    part_t* part = &parts[i];
    if (!part->convolution.primitive) continue;
    const tn_onednn_t* dnn = state->dnn;
    const tn_onednn_primitive_t* all[] = {&part->convolution, &part->source, &part->weights,
                                          &part->result};
    for (size_t k = 0; k < 4; ++k) {
      if (all[k]->primitive) widen(scratch_length, all[k]->scratch_byte_size);
    }
    if (part->source.primitive) {
      widen(&state->source_length, dnn->dnnl_memory_desc_get_size(&part->convolution.source));
    }
    if (part->result.primitive) {
      widen(&state->result_length, dnn->dnnl_memory_desc_get_size(&part->convolution.result));
    }
    if (!part->weights.primitive) continue;
    const size_t length = dnn->dnnl_memory_desc_get_size(&part->convolution.weights);
    if (keeps_weights) {
      // Of each part of the features.
      const bool is_last = i & LAST_FEATURES;
      part->weights_offset = site->scratch_byte_size;
      site->scratch_byte_size +=
          tn__align_up(length, TN_LINE_BYTES) * (size_t)(is_last ? 1 : state->feature_parts - 1);
    } else {
      widen(&state->weights_length, length);
    }
  }
}

tn_status_t tn__onednn_convolution_prepare(tn_kernel_site_t* site) {
  const char* reason;
  convolution_t* state;
  TN_RETURN_IF_ERROR(tn__site_state(site, sizeof *state, (void**)&state));
  state->dnn = tn__onednn(&reason);
  if (!state->dnn) return tn_status_create(TN_CODE_UNAVAILABLE, "onednn: %s", reason);
  TN_RETURN_IF_ERROR(read_site(site, state));
  const int64_t batch = state->result_dims[0], features = state->result_dims[1];
  state->batch_part = tn__ceil_divide(batch, BATCH_PARTS);
  state->batch_parts = tn__ceil_divide(batch, state->batch_part);
  const bool cuts = batch < FEATURE_BATCH && state->rank == state->weights_rank;
  state->feature_part = cuts ? tn__least(features, FEATURE_PART) : features;
  state->feature_parts = tn__ceil_divide(features, state->feature_part);
  const int threads = tn__onednn_begin(state->dnn);
  tn_status_t status = make_parts(state, dnnl_convolution_direct, state->direct);
  if (!status && wants_winograd(site->use, state)) {
    const tn_status_t refusal = make_parts(state, dnnl_convolution_winograd, state->winograd);
    state->has_winograd = !refusal;
    if (refusal) destroy_parts(state, state->winograd);
    tn_status_release(refusal);
  }
  tn__onednn_end(state->dnn, threads);
  if (status) {
    deinit(state);
    const bool is_unknown = tn_status_code(status) == TN_CODE_UNIMPLEMENTED;
    if (!is_unknown) return status;
    tn_status_release(status);
    // The reference can do everything.
    site->scratch_byte_size = 0;
    TN_RETURN_IF_ERROR(tn__cpu_convolution_prepare(site));
    state->reference = site->state;
    site->state = state;
    return TN_OK;
  }
  size_t scratch_length = 0;
  reserve(site, state, state->direct, !state->has_winograd, &scratch_length);
  if (state->has_winograd) reserve(site, state, state->winograd, true, &scratch_length);
  state->slots = tn__onednn_slots(site->target, state->batch_parts * state->feature_parts);
  state->slot_length =
      state->source_length + state->weights_length + state->result_length + scratch_length;
  state->slot_offset = site->scratch_byte_size;
  site->scratch_byte_size += state->slot_length * (size_t)state->slots;
  site->state_deinit = deinit;
  return TN_OK;
}

// --- running

typedef struct convolution_run {
  const convolution_t* state;
  const char *source, *weights;
  char *result, *scratch;
} convolution_run_t;

static int which_part(const convolution_t* state, int64_t batch, int64_t feature) {
  return (batch + 1 == state->batch_parts ? LAST_BATCH : 0) |
         (feature + 1 == state->feature_parts ? LAST_FEATURES : 0);
}

static const char* weights_of(const convolution_run_t* run, int64_t feature) {
  const convolution_t* state = run->state;
  if (state->feature_parts == 1) return run->weights;
  return run->weights +
         feature * state->feature_part * state->weights_strides[0] * (int64_t)state->element_size;
}

static char* kept_weights(const convolution_run_t* run, const part_t* part, int which,
                          int64_t feature) {
  const convolution_t* state = run->state;
  const size_t length = tn__align_up(
      state->dnn->dnnl_memory_desc_get_size(&part->convolution.weights), TN_LINE_BYTES);
  return run->scratch + part->weights_offset +
         (which & LAST_FEATURES ? 0 : (size_t)feature * length);
}

static const part_t* first_choice(const convolution_t* state) {
  return state->has_winograd ? state->winograd : state->direct;
}

// Copies the weights of every part into its layout, of each size of part.
static tn_status_t copy_weights(const convolution_run_t* run, dnnl_stream_t stream) {
  const convolution_t* state = run->state;
  for (int64_t feature = 0; feature < state->feature_parts; ++feature) {
    for (int batch = 0; batch < 2; ++batch) {
      const int which = batch | (feature + 1 == state->feature_parts ? LAST_FEATURES : 0);
      const part_t* part = &first_choice(state)[which];
      if (!part->weights.primitive) continue;
      char* target = kept_weights(run, part, which, feature);
      TN_RETURN_IF_ERROR(tn__onednn_execute(
          state->dnn, &part->weights, stream, weights_of(run, feature), NULL, target,
          run->scratch + state->slot_offset + state->source_length + state->weights_length +
              state->result_length));
    }
  }
  return TN_OK;
}

static bool is_finite(const float* values, size_t count) {
  uint32_t all = 0;
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    all |= (bits & 0x7f800000u) == 0x7f800000u;
  }
  return !all;
}

// `out_is_finite` is NULL where it does not matter.
static tn_status_t run_part(const convolution_run_t* run, const part_t* parts, int64_t batch,
                            int64_t feature, dnnl_stream_t stream, char* slot,
                            bool* out_is_finite) {
  const convolution_t* state = run->state;
  const tn_onednn_t* dnn = state->dnn;
  const int which = which_part(state, batch, feature);
  const part_t* part = &parts[which];
  const char* source = run->source + batch * state->batch_part * state->source_strides[0] *
                                         (int64_t)state->element_size;
  char* result = run->result + (batch * state->batch_part * state->result_strides[0] +
                                feature * state->feature_part * state->result_strides[1]) *
                                   (int64_t)state->result_size;
  const char* weights = weights_of(run, feature);
  char* copied_weights = slot + state->source_length;
  char* copied_result = copied_weights + state->weights_length;
  char* scratch = copied_result + state->result_length;
  if (part->source.primitive) {
    TN_RETURN_IF_ERROR(tn__onednn_execute(dnn, &part->source, stream, source, NULL, slot, scratch));
    source = slot;
  }
  if (part->weights.primitive && parts == first_choice(state)) {
    weights = kept_weights(run, part, which, feature);
  } else if (part->weights.primitive) {
    TN_RETURN_IF_ERROR(
        tn__onednn_execute(dnn, &part->weights, stream, weights, NULL, copied_weights, scratch));
    weights = copied_weights;
  }
  char* target = part->result.primitive ? copied_result : result;
  TN_RETURN_IF_ERROR(
      tn__onednn_execute(dnn, &part->convolution, stream, source, weights, target, scratch));
  if (out_is_finite) {
    const size_t length = dnn->dnnl_memory_desc_get_size(&part->convolution.result);
    *out_is_finite = is_finite((const float*)(const void*)target, length / sizeof(float));
    if (!*out_is_finite) return TN_OK;
  }
  if (!part->result.primitive) return TN_OK;
  return tn__onednn_execute(dnn, &part->result, stream, target, NULL, result, scratch);
}

static tn_status_t run_slots(int64_t begin, int64_t end, void* user) {
  const convolution_run_t* run = user;
  const convolution_t* state = run->state;
  const int64_t parts = state->batch_parts * state->feature_parts;
  tn_onednn_session_t session;
  TN_RETURN_IF_ERROR(tn__onednn_open(state->dnn, &session));
  tn_status_t status = TN_OK;
  for (int64_t slot = begin; slot < end && !status; ++slot) {
    char* memory = run->scratch + state->slot_offset + (size_t)slot * state->slot_length;
    const int64_t last = parts * (slot + 1) / state->slots;
    for (int64_t i = parts * slot / state->slots; i < last && !status; ++i) {
      const int64_t batch = i / state->feature_parts, feature = i % state->feature_parts;
      bool is_finite_part = true;
      status = run_part(run, first_choice(state), batch, feature, session.stream, memory,
                        state->has_winograd ? &is_finite_part : NULL);
      if (!status && !is_finite_part) {
        status = run_part(run, state->direct, batch, feature, session.stream, memory, NULL);
      }
    }
  }
  tn__onednn_close(&session);
  return status;
}

static tn_status_t prepare_weights(const tn_kernel_call_t* call, convolution_run_t* run) {
  const convolution_t* state = run->state;
  if (state->is_moved) {
    char* ordered = run->scratch + state->moved_offset;
    TN_RETURN_IF_ERROR(tn__strided_copy_run(&state->move, call->context->pool, ordered,
                                            run->weights + state->move_source));
    run->weights = ordered;
  }
  tn_onednn_session_t session;
  TN_RETURN_IF_ERROR(tn__onednn_open(state->dnn, &session));
  const tn_status_t status = copy_weights(run, session.stream);
  tn__onednn_close(&session);
  return status;
}

tn_status_t tn__onednn_convolution_run(const tn_kernel_call_t* call) {
  const convolution_t* state = call->state;
  if (state->reference) {
    tn_kernel_call_t inner = *call;
    inner.state = state->reference;
    return tn__cpu_convolution_run(&inner);
  }
  convolution_run_t run = {state, call->operands[0], call->operands[1], call->results[0],
                           call->scratch};
  TN_RETURN_IF_ERROR(prepare_weights(call, &run));
  return tn__pool_parallel_for(call->context->pool, state->slots, 1, run_slots, &run);
}

#else

const char* tn__onednn_convolution_decline(const tn_op_use_t* use) {
  return tn__onednn_convolution_refuse(use);
}
const char* tn__onednn_convolution_refuse(const tn_op_use_t* use) {
  (void)use;
  return tn__kernel_library_refusal(TN_KERNEL_ONEDNN, 0);
}
tn_status_t tn__onednn_convolution_prepare(tn_kernel_site_t* site) {
  (void)site;
  return tn_status_create(TN_CODE_INTERNAL, "onednn is not there");
}
tn_status_t tn__onednn_convolution_run(const tn_kernel_call_t* call) {
  (void)call;
  return tn_status_create(TN_CODE_INTERNAL, "onednn is not there");
}

#endif
