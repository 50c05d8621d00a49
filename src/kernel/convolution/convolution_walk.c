// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A result is a sum over loops: the features of the input, and the elements of a window. A row of
// results, the features of one window, begins at a place of the input; from there each term is a
// fixed distance away. What is in the padding would be no element: so where windows reach into
// it, the input is copied into the middle of zeros.
//
// Where the base is dilated, windows meet elements and holes. Those that begin at the same distance
// from an element meet the same elements of the kernel; they are a phase, and within it the windows
// are ordinary ones, which never see a hole.
//
// Sums run over blocks of at most TN_GEMM_DEPTH terms, as in gemm.h.
#include "kernel/convolution/convolution_walk.h"

#include "base/integer.h"
#include "kernel/common/merge.h"
#include "kernel/common/site.h"
#include "kernel/common/strided.h"
#include "kernel/contraction/product.h"

enum {
  LOOP_LIMIT = 8,  // a group, input and output features, and spatial dimensions
  PHASE_LIMIT = 1 << 16,
  SMALL_WINDOW = 64,  // elements
  PADDED_RATIO = 4,   // elements with zeros around them to those without, and so many free
  PADDED_FREE = 64 << 10,
  ROW_LIMIT = 1024,           // rows of a unit
  ROWS_SHORT = 192,           // where the kernel's elements stay in the cache
  KERNEL_CACHED = 256 << 10,  // bytes
  UNITS_PER_THREAD = 4,
  GRAIN_PRODUCTS = 1 << 16,
};

// `other`: strides of the kernel for terms, of the result for rows. In elements.
typedef struct walk_loop {
  int64_t count, input, other;
} walk_loop_t;

typedef struct loops {
  size_t count;
  walk_loop_t at[LOOP_LIMIT];  // outermost first
} loops_t;

typedef struct phase {
  loops_t terms, rows;
  int64_t term_count, row_count;
  int64_t block_runs;  // of the innermost loop of the terms, in a block
  int64_t input_offset, kernel_offset, result_offset;  // elements
} phase_t;

// An operand of the traversal: converted, then copied to its place.
typedef struct arrangement {
  bool is_converted, is_filled, is_moved;
  tn_conversion_t conversion;
  tn_strided_copy_t move;
  int64_t count, place_count;             // elements: of the operand, and of its place
  int64_t source_offset, place_offset;    // bytes
  size_t converted_offset, moved_offset;  // scratch
} arrangement_t;

struct tn_convolution_walk {
  const tn_gemm_set_t* set;
  size_t size;  // of an element
  arrangement_t input, kernel;
  int64_t groups, features;
  int64_t group_input, group_kernel, group_result;  // elements from one group to the next
  int64_t kernel_row;                               // elements from one row of features to the next
  int64_t kernel_byte_size, row_count;
  double product_count;
  size_t phase_count;
  phase_t* phases;
  bool result_is_moved, result_is_converted;
  tn_conversion_t result_conversion;
  tn_strided_copy_t result_move;
  int64_t result_count;
  size_t result_offset, ordered_offset;  // scratch: of the sums; of them in the result's dtype
};

// --- phases

// One dimension of the windows of a phase.
typedef struct span {
  int64_t taps, first_tap, tap_step;  // elements of the kernel that meet elements of the input
  int64_t first_element, element_step;
  int64_t windows, window_step;  // in elements of the input
} span_t;

static int64_t greatest_divisor(int64_t a, int64_t b) {
  while (b) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// Windows this far from each other meet the base alike.
static int64_t period_of(const tn_sliding_dim_t* dim) {
  return dim->base_dilation / greatest_divisor(dim->stride, dim->base_dilation);
}

// How many different windows there are in the dimension: its phases.
static int64_t phases_of(const tn_sliding_dim_t* dim) {
  return tn__least(period_of(dim), dim->output);
}

static span_t find_span(const tn_sliding_dim_t* dim, int64_t residue) {
  const int64_t base = dim->base_dilation, period = period_of(dim);
  span_t span = {
      .tap_step = 1,
      .windows = tn__ceil_divide(dim->output - residue, period),
      .window_step = period * dim->stride / base,
  };
  for (int64_t tap = 0; tap < dim->size; ++tap) {
    const int64_t place = residue * dim->stride + tap * dim->dilation - dim->low;
    if (place % base != 0) continue;
    if (span.taps == 0) {
      span.first_tap = tap;
      span.first_element = place / base;
    } else if (span.taps == 1) {
      span.tap_step = tap - span.first_tap;
      span.element_step = place / base - span.first_element;
    }
    ++span.taps;
  }
  return span;
}

// Widens [*low, *high) to the elements that the windows of the dimension reach.
static void find_reach(const tn_sliding_dim_t* dim, int64_t* low, int64_t* high) {
  const int64_t period = period_of(dim);
  for (int64_t residue = 0; residue < period && residue < dim->output; ++residue) {
    const span_t span = find_span(dim, residue);
    if (span.taps == 0) continue;
    const int64_t last = span.first_element + (span.taps - 1) * span.element_step +
                         (span.windows - 1) * span.window_step;
    if (span.first_element < *low) *low = span.first_element;
    if (last >= *high) *high = last + 1;
  }
}

// Keeps loops with more than one step; rows: those with the longest steps outermost.
static void tidy_loops(loops_t* loops, bool sorts) {
  size_t count = 0;
  for (size_t i = 0; i < loops->count; ++i) {
    const walk_loop_t loop = loops->at[i];
    if (loop.count == 1) continue;
    size_t at = count++;
    for (; sorts && at > 0 && loops->at[at - 1].input < loop.input; --at) {
      loops->at[at] = loops->at[at - 1];
    }
    loops->at[at] = loop;
  }
  if (count == 0) loops->at[count++] = (walk_loop_t){1, 0, 0};
  loops->count = count;
}

// The innermost two loops become one where one goes on where the other ends. Whether they do,
// blocks are the same: whole steps of the outer one if a block has room for it, else of the inner
// one.
static void plan_runs(phase_t* phase) {
  loops_t* loops = &phase->terms;
  const walk_loop_t inner = loops->at[loops->count - 1];
  phase->block_runs = inner.count < TN_GEMM_DEPTH ? TN_GEMM_DEPTH / inner.count : 1;
  if (loops->count == 1) return;
  walk_loop_t* outer = &loops->at[loops->count - 2];
  if (outer->count > phase->block_runs) return;
  phase->block_runs /= outer->count;
  const int64_t outer_count = outer->count;
  if (TN_MERGE_LOOPS(2, outer, 2) == 1) {
    --loops->count;
  } else {
    phase->block_runs *= outer_count;
  }
}

static int64_t steps_of(const loops_t* loops) {
  int64_t steps = 1;
  for (size_t i = 0; i < loops->count; ++i) steps *= loops->at[i].count;
  return steps;
}

// Strides in elements, of what is traversed.
typedef struct strides {
  int64_t input_batch, input_feature, input[TN_MAX_RANK];
  int64_t kernel_feature, kernel[TN_MAX_RANK];
  int64_t result_batch, result[TN_MAX_RANK];
  int64_t low[TN_MAX_RANK];  // elements of padding in front
} strides_t;

static void plan_phase(const tn_convolution_shape_t* shape, const strides_t* strides, int64_t index,
                       phase_t* phase) {
  const walk_loop_t features = {shape->depth_features, strides->input_feature,
                                strides->kernel_feature};
  // The order of a sum comes from sizes alone, so that operands in any order of dimensions have the
  // same result. Large windows are those of gradients, whose features are a batch of images.
  int64_t elements = 1;
  for (size_t i = 0; i < shape->spatial.rank; ++i) elements *= shape->spatial.dims[i].size;
  const bool is_small = elements <= SMALL_WINDOW;
  if (!is_small) phase->terms.at[phase->terms.count++] = features;
  phase->rows = (loops_t){1, {{shape->batch, strides->input_batch, strides->result_batch}}};
  for (size_t i = 0; i < shape->spatial.rank; ++i) {
    const tn_sliding_dim_t* dim = &shape->spatial.dims[i];
    const int64_t period = period_of(dim), residue = index % phases_of(dim);
    const span_t span = find_span(dim, residue);
    index /= phases_of(dim);
    phase->terms.at[phase->terms.count++] = (walk_loop_t){
        span.taps, span.element_step * strides->input[i], span.tap_step * strides->kernel[i]};
    phase->rows.at[phase->rows.count++] = (walk_loop_t){
        span.windows, span.window_step * strides->input[i], period * strides->result[i]};
    phase->input_offset += (span.first_element + strides->low[i]) * strides->input[i];
    phase->kernel_offset += span.first_tap * strides->kernel[i];
    phase->result_offset += residue * strides->result[i];
  }
  if (is_small) phase->terms.at[phase->terms.count++] = features;
  phase->term_count = steps_of(&phase->terms);
  phase->row_count = steps_of(&phase->rows);
  tidy_loops(&phase->terms, false);
  tidy_loops(&phase->rows, true);
  if (phase->term_count > 0) plan_runs(phase);
}

// --- offsets of operands and the result

static void dense_strides(size_t rank, const int64_t* dims, int64_t* strides) {
  tn__dense_strides(rank, dims, 1, strides);
}

static void plan_conversion(tn_kernel_site_t* site, const tn_type_t* type, tn_dtype_t carrier,
                            arrangement_t* arrangement) {
  arrangement->count = tn__type_size(type);
  arrangement->is_converted = tn__product_converts(type->dtype, carrier);
  if (!arrangement->is_converted) return;
  arrangement->conversion = tn__conversion(type->dtype, carrier);
  arrangement->converted_offset =
      tn__site_reserve(site, (size_t)arrangement->count * tn_dtype_byte_size(carrier));
}

// Copies from strides to strides, in elements, into a place of `place_count` of them.
static tn_status_t plan_move(tn_kernel_site_t* site, size_t size, size_t rank, const int64_t* dims,
                             const int64_t* target, const int64_t* source, int64_t place_count,
                             arrangement_t* arrangement) {
  int64_t target_bytes[LOOP_LIMIT], source_bytes[LOOP_LIMIT];
  for (size_t i = 0; i < rank; ++i) {
    target_bytes[i] = target[i] * (int64_t)size;
    source_bytes[i] = source[i] * (int64_t)size;
  }
  arrangement->is_moved = true;
  arrangement->place_count = place_count;
  arrangement->is_filled = place_count != arrangement->count;
  arrangement->moved_offset = tn__site_reserve(site, (size_t)place_count * size);
  return tn__strided_copy_prepare(site->arena, size, rank, dims, target_bytes, source_bytes,
                                  &arrangement->move);
}

// False when zeros around the input would take too much memory.
static bool pad_input(const tn_convolution_shape_t* shape, const tn_type_t* type, int64_t* dims,
                      int64_t* low) {
  double count = 1;
  memcpy(dims, type->dims, type->rank * sizeof *dims);
  for (size_t i = 0; i < shape->spatial.rank; ++i) {
    const tn_sliding_dim_t* dim = &shape->spatial.dims[i];
    int64_t first = 0, end = dim->input;
    find_reach(dim, &first, &end);
    low[i] = -first;
    dims[shape->input.spatial.values[i]] = end - first;
  }
  for (size_t i = 0; i < type->rank; ++i) count *= (double)dims[i];
  return count <= PADDED_RATIO * ((double)tn__type_size(type) + PADDED_FREE);
}

static tn_status_t plan_input(tn_kernel_site_t* site, const tn_convolution_shape_t* shape,
                              const int64_t* padded, strides_t* strides,
                              tn_convolution_walk_t* walk) {
  const tn_type_t* type = tn__site_operand(site, 0);
  int64_t source[TN_MAX_RANK], target[TN_MAX_RANK], count = 1, offset = 0;
  bool is_padded = false;
  dense_strides(type->rank, type->dims, source);
  dense_strides(type->rank, padded, target);
  for (size_t i = 0; i < type->rank; ++i) {
    if (padded[i] != type->dims[i]) is_padded = true;
    count *= padded[i];
  }
  strides->input_batch = target[shape->input.first];
  strides->input_feature = target[shape->input.second];
  for (size_t i = 0; i < shape->spatial.rank; ++i) {
    strides->input[i] = target[shape->input.spatial.values[i]];
    offset += strides->low[i] * strides->input[i];
  }
  walk->group_input = shape->batch_groups > 1 ? shape->batch * strides->input_batch
                                              : shape->depth_features * strides->input_feature;
  plan_conversion(site, type, shape->carrier, &walk->input);
  if (!is_padded) return TN_OK;
  walk->input.place_offset = offset * (int64_t)walk->size;
  return plan_move(site, walk->size, type->rank, type->dims, target, source, count, &walk->input);
}

// In the order group, spatial..., input feature or group, input feature, spatial..., whichever is
// more like what it is; output features last, and a whole number of vectors of them.
static tn_status_t plan_kernel(tn_kernel_site_t* site, const tn_convolution_shape_t* shape,
                               strides_t* strides, tn_convolution_walk_t* walk) {
  const tn_type_t* type = tn__site_operand(site, 1);
  const tn_convolution_layout_t* layout = &shape->kernel;
  const size_t spatial = shape->spatial.rank, rank = spatial + 3, last = rank - 1;
  int64_t dense[TN_MAX_RANK], dims[LOOP_LIMIT], source[LOOP_LIMIT], target[LOOP_LIMIT];
  int64_t padded[LOOP_LIMIT], offset = 0, count = 1;
  tn_i64_list_t reversal;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(&site->use->attrs, "window_reversal", site->arena, &reversal));
  dense_strides(type->rank, type->dims, dense);
  const bool feature_first = spatial && dense[layout->first] > dense[layout->spatial.values[0]];
  const size_t feature_at = feature_first ? 1 : 1 + spatial, spatial_at = feature_first ? 2 : 1;
  dims[0] = shape->groups, source[0] = shape->features * dense[layout->second];
  dims[feature_at] = shape->depth_features, source[feature_at] = dense[layout->first];
  dims[last] = shape->features, source[last] = dense[layout->second];
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t dim = layout->spatial.values[i];
    dims[spatial_at + i] = type->dims[dim];
    source[spatial_at + i] = dense[dim];
    if (!reversal.present || !reversal.values[i]) continue;
    offset += (type->dims[dim] - 1) * dense[dim];
    source[spatial_at + i] = -dense[dim];
  }
  const int64_t lanes = walk->set->lanes;
  memcpy(padded, dims, sizeof padded);
  padded[last] = tn__ceil_divide(shape->features, lanes) * lanes;
  dense_strides(rank, padded, target);
  bool is_moved = false;
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] != 1 && source[i] != target[i]) is_moved = true;
    count *= padded[i];
  }
  if (padded[last] != dims[last]) is_moved = true;
  walk->kernel_row = padded[last];
  walk->group_kernel = target[0];
  walk->kernel_byte_size = count * (int64_t)walk->size;
  strides->kernel_feature = target[feature_at];
  for (size_t i = 0; i < spatial; ++i) strides->kernel[i] = target[spatial_at + i];
  plan_conversion(site, type, shape->carrier, &walk->kernel);
  if (!is_moved || walk->kernel.count == 0) return TN_OK;
  walk->kernel.source_offset = offset * (int64_t)walk->size;
  return plan_move(site, walk->size, rank, dims, target, source, count, &walk->kernel);
}

// Rows of features go straight to their places when these are rows there as well.
static tn_status_t plan_result(tn_kernel_site_t* site, const tn_convolution_shape_t* shape,
                               strides_t* strides, tn_convolution_walk_t* walk) {
  const tn_type_t* type = tn__site_result(site, 0);
  const tn_convolution_layout_t* layout = &shape->output;
  const size_t spatial = shape->spatial.rank, rank = spatial + 3, last = rank - 1;
  const size_t result_size = tn_dtype_byte_size(type->dtype);
  int64_t dense[TN_MAX_RANK], dims[LOOP_LIMIT], target[LOOP_LIMIT], source[LOOP_LIMIT];
  dense_strides(type->rank, type->dims, dense);
  walk->result_count = tn__type_size(type);
  walk->result_is_converted = tn__product_converts(shape->carrier, type->dtype);
  walk->result_is_moved = dense[layout->second] != 1;
  dims[0] = shape->batch, target[0] = dense[layout->first];
  dims[1] = shape->groups, target[1] = shape->features * dense[layout->second];
  for (size_t i = 0; i < spatial; ++i) {
    dims[i + 2] = type->dims[layout->spatial.values[i]];
    target[i + 2] = dense[layout->spatial.values[i]];
  }
  dims[last] = shape->features, target[last] = dense[layout->second];
  dense_strides(rank, dims, source);
  const int64_t* own = walk->result_is_moved ? source : target;
  strides->result_batch = own[0];
  walk->group_result = own[1];
  for (size_t i = 0; i < spatial; ++i) strides->result[i] = own[i + 2];
  if (walk->result_is_moved || walk->result_is_converted) {
    walk->result_offset = tn__site_reserve(site, (size_t)walk->result_count * walk->size);
  }
  if (walk->result_is_converted) {
    walk->result_conversion = tn__conversion(shape->carrier, type->dtype);
  }
  if (!walk->result_is_moved) return TN_OK;
  if (walk->result_is_converted) {
    walk->ordered_offset = tn__site_reserve(site, (size_t)walk->result_count * result_size);
  }
  for (size_t i = 0; i < rank; ++i) {
    target[i] *= (int64_t)result_size;
    source[i] *= (int64_t)result_size;
  }
  return tn__strided_copy_prepare(site->arena, result_size, rank, dims, target, source,
                                  &walk->result_move);
}

tn_status_t tn__convolution_walk_plan(tn_kernel_site_t* site, const tn_convolution_shape_t* shape,
                                      tn_convolution_walk_t** out_walk) {
  const tn_type_t* input = tn__site_operand(site, 0);
  const tn_gemm_type_t type = tn__product_type(shape->carrier);
  strides_t strides = {0};
  int64_t padded[TN_MAX_RANK];
  *out_walk = NULL;
  if (type == TN_GEMM_C64 || type == TN_GEMM_C128 || shape->features == 1) return TN_OK;
  if (shape->spatial.rank + 3 > LOOP_LIMIT) return TN_OK;
  if (!pad_input(shape, input, padded, strides.low)) return TN_OK;
  int64_t phase_count = 1;
  for (size_t i = 0; i < shape->spatial.rank; ++i) {
    phase_count *= phases_of(&shape->spatial.dims[i]);
    if (phase_count > PHASE_LIMIT) return TN_OK;
  }
  tn_convolution_walk_t* walk = NULL;
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(site->arena, &walk));
  *walk = (tn_convolution_walk_t){
      .set = tn__gemm_set((tn_gemm_scalar_t)type),
      .size = tn_dtype_byte_size(shape->carrier),
      .groups = shape->groups,
      .features = shape->features,
      .phase_count = (size_t)phase_count,
  };
  TN_RETURN_IF_ERROR(plan_input(site, shape, padded, &strides, walk));
  TN_RETURN_IF_ERROR(plan_kernel(site, shape, &strides, walk));
  TN_RETURN_IF_ERROR(plan_result(site, shape, &strides, walk));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, walk->phase_count, &walk->phases));
  memset(walk->phases, 0, walk->phase_count * sizeof *walk->phases);
  for (size_t i = 0; i < walk->phase_count; ++i) {
    phase_t* phase = &walk->phases[i];
    plan_phase(shape, &strides, (int64_t)i, phase);
    walk->row_count += phase->row_count * walk->groups;
    walk->product_count += (double)phase->row_count * (double)phase->term_count *
                           (double)(walk->features * walk->groups);
  }
  *out_walk = walk;
  return TN_OK;
}

// --- running

typedef struct walk_run {
  const tn_convolution_walk_t* walk;
  const char *input, *kernel;
  char* result;
  int64_t unit_rows, group_units;  // rows in a unit; units of a group
  int64_t grain;                   // units worth a thread's while
} walk_run_t;

// Calls for the steps [first, first + count) of the loops, in order: where they are.
static void list_places(const walk_loop_t* loops, size_t loop_count, int64_t first, int64_t count,
                        int64_t* inputs, int64_t* others) {
  int64_t at[LOOP_LIMIT] = {0}, input = 0, other = 0;
  for (size_t i = loop_count; i-- > 0;) {
    at[i] = first % loops[i].count;
    first /= loops[i].count;
    input += at[i] * loops[i].input;
    other += at[i] * loops[i].other;
  }
  for (int64_t n = 0; n < count; ++n) {
    inputs[n] = input;
    others[n] = other;
    for (size_t i = loop_count; i-- > 0;) {
      input += loops[i].input;
      other += loops[i].other;
      if (++at[i] < loops[i].count) break;
      input -= at[i] * loops[i].input;
      other -= at[i] * loops[i].other;
      at[i] = 0;
    }
  }
}

typedef struct rows {
  int64_t count;
  const void* inputs[ROW_LIMIT];
  void* results[ROW_LIMIT];
} rows_t;

// All results of the rows, some of their terms.
static void add_terms(const tn_convolution_walk_t* walk, const rows_t* rows, const char* kernel,
                      const tn_gemm_walk_t* terms, bool add) {
  const tn_gemm_set_t* set = walk->set;
  void* places[TN_GEMM_TILE_LIMIT];
  for (int64_t column = 0; column < walk->features; column += set->tile_columns) {
    const int64_t columns = tn__least(set->tile_columns, walk->features - column);
    for (int64_t row = 0; row < rows->count; row += set->tile_rows) {
      const int64_t count = tn__least(set->tile_rows, rows->count - row);
      for (int64_t i = 0; i < count; ++i) {
        places[i] = (char*)rows->results[row + i] + (size_t)column * walk->size;
      }
      set->walk(terms, count, columns, rows->inputs + row, kernel + (size_t)column * walk->size,
                places, add);
    }
  }
}

static void sum_rows(const tn_convolution_walk_t* walk, const phase_t* phase, const rows_t* rows,
                     const char* kernel) {
  int64_t inputs[TN_GEMM_DEPTH], others[TN_GEMM_DEPTH];
  const loops_t* loops = &phase->terms;
  inputs[0] = others[0] = 0;
  if (phase->term_count == 0) {
    for (int64_t i = 0; i < rows->count; ++i) {
      memset(rows->results[i], 0, (size_t)walk->features * walk->size);
    }
    return;
  }
  const walk_loop_t inner = loops->at[loops->count - 1];
  const int64_t runs = phase->term_count / inner.count;
  tn_gemm_walk_t terms = {.lhs_offsets = inputs,
                          .rhs_offsets = others,
                          .lhs_step = inner.input,
                          .rhs_step = inner.other};
  for (int64_t run = 0; run < runs; run += phase->block_runs) {
    terms.run_count = tn__least(phase->block_runs, runs - run);
    list_places(loops->at, loops->count - 1, run, terms.run_count, inputs, others);
    for (int64_t p = 0; p < inner.count; p += TN_GEMM_DEPTH) {
      terms.length = tn__least(TN_GEMM_DEPTH, inner.count - p);
      add_terms(walk, rows, kernel, &terms, run > 0 || p > 0);
      inputs[0] += TN_GEMM_DEPTH * inner.input;
      others[0] += TN_GEMM_DEPTH * inner.other;
    }
  }
}

// A unit: some rows of a phase of a group.
typedef struct unit {
  int64_t group, number;  // among the units of the phase
  const phase_t* phase;
} unit_t;

// Goes on to the phase that has the unit, or to the next group.
static void find_phase(const walk_run_t* run, unit_t* unit) {
  const tn_convolution_walk_t* walk = run->walk;
  for (;;) {
    const int64_t units = tn__ceil_divide(unit->phase->row_count, run->unit_rows);
    if (unit->number < units) return;
    unit->number -= units;
    if (++unit->phase < walk->phases + walk->phase_count) continue;
    unit->phase = walk->phases;
    ++unit->group;
  }
}

static tn_status_t run_units(int64_t begin, int64_t end, void* user) {
  const walk_run_t* run = user;
  const tn_convolution_walk_t* walk = run->walk;
  unit_t unit = {begin / run->group_units, begin % run->group_units, walk->phases};
  rows_t rows;
  for (int64_t n = begin; n < end; ++n, ++unit.number) {
    find_phase(run, &unit);
    const int64_t group = unit.group, first = unit.number * run->unit_rows;
    const phase_t* phase = unit.phase;
    int64_t inputs[ROW_LIMIT], results[ROW_LIMIT];
    rows.count = tn__least(run->unit_rows, phase->row_count - first);
    list_places(phase->rows.at, phase->rows.count, first, rows.count, inputs, results);
    const int64_t input = group * walk->group_input + phase->input_offset;
    const int64_t result = group * walk->group_result + phase->result_offset;
    const int64_t size = (int64_t)walk->size;
    for (int64_t i = 0; i < rows.count; ++i) {
      rows.inputs[i] = run->input + (input + inputs[i]) * size;
      rows.results[i] = run->result + (result + results[i]) * size;
    }
    sum_rows(walk, phase, &rows,
             run->kernel + (group * walk->group_kernel + phase->kernel_offset) * size);
  }
  return TN_OK;
}

// How many rows a unit has says who computes them, not how.
static void cut(const tn_convolution_walk_t* walk, int thread_count, walk_run_t* run) {
  const int64_t tile = walk->set->tile_rows;
  // A large kernel is read once by each unit.
  const bool is_cached = walk->kernel_byte_size <= KERNEL_CACHED;
  const int64_t limit = is_cached ? ROWS_SHORT : ROW_LIMIT;
  const int64_t per_thread = is_cached ? UNITS_PER_THREAD : 1;
  int64_t share = walk->row_count;
  if (thread_count > 1) share = tn__ceil_divide(share, thread_count * per_thread);
  share = tn__ceil_divide(share, tile) * tile;
  run->unit_rows = tn__least(share, limit / tile * tile);
  run->group_units = 0;
  for (size_t i = 0; i < walk->phase_count; ++i) {
    run->group_units += tn__ceil_divide(walk->phases[i].row_count, run->unit_rows);
  }
  const double units = (double)(walk->groups * run->group_units);
  run->grain = 1 + (int64_t)(GRAIN_PRODUCTS * units / (walk->product_count + 1));
}

static tn_status_t arrange(const arrangement_t* arrangement, const tn_kernel_call_t* call,
                           size_t index, size_t size, const char** out_data) {
  static const char zero[16];
  tn_pool_t* pool = call->context->pool;
  char* scratch = call->scratch;
  const char* data = call->operands[index];
  if (arrangement->is_converted) {
    char* converted = scratch + arrangement->converted_offset;
    TN_RETURN_IF_ERROR(
        tn__product_convert(&arrangement->conversion, pool, data, converted, arrangement->count));
    data = converted;
  }
  if (arrangement->is_moved) {
    char* moved = scratch + arrangement->moved_offset;
    if (arrangement->is_filled) {
      TN_RETURN_IF_ERROR(tn__fill(pool, moved, zero, size, arrangement->place_count));
    }
    TN_RETURN_IF_ERROR(tn__strided_copy_run(&arrangement->move, pool,
                                            moved + arrangement->place_offset,
                                            data + arrangement->source_offset));
    data = moved;
  }
  *out_data = data;
  return TN_OK;
}

tn_status_t tn__convolution_walk_run(const tn_convolution_walk_t* walk,
                                     const tn_kernel_call_t* call) {
  tn_pool_t* pool = call->context->pool;
  char* scratch = call->scratch;
  const bool is_direct = !walk->result_is_moved && !walk->result_is_converted;
  walk_run_t run = {.walk = walk,
                    .result = is_direct ? call->results[0] : scratch + walk->result_offset};
  TN_RETURN_IF_ERROR(arrange(&walk->input, call, 0, walk->size, &run.input));
  TN_RETURN_IF_ERROR(arrange(&walk->kernel, call, 1, walk->size, &run.kernel));
  cut(walk, tn__pool_thread_count(pool), &run);
  TN_RETURN_IF_ERROR(
      tn__pool_parallel_for(pool, walk->groups * run.group_units, run.grain, run_units, &run));
  if (is_direct) return TN_OK;
  const void* sums = run.result;
  if (walk->result_is_converted) {
    void* converted = walk->result_is_moved ? scratch + walk->ordered_offset : call->results[0];
    TN_RETURN_IF_ERROR(
        tn__product_convert(&walk->result_conversion, pool, sums, converted, walk->result_count));
    sums = converted;
  }
  if (!walk->result_is_moved) return TN_OK;
  return tn__strided_copy_run(&walk->result_move, pool, call->results[0], sums);
}
