// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// reduce_window: an item for each window. Windows that hold all elements up to their own are
// cumulative: chunks of a line are folded, then, the same way, what comes of these, and at last
// each chunk is gone through from what is before it.
#include "base/type.h"
#include "kernel/gpu/fold.h"
#include "kernel/gpu/sliding.h"

enum { CHUNK = 32, MOST_LEVELS = 16 };

static const tn_gpu_dtype_t* dtype_of(const tn_kernel_site_t* site, size_t k) {
  return tn__gpu_dtype(site->use->result_types[k]->dtype);
}

// Writes b0, b1...: what windows begin with.
static void add_begins(tn_gpu_source_t* source, const tn_kernel_site_t* site) {
  const size_t count = site->use->result_count;
  for (size_t k = 0; k < count; ++k) {
    const tn_gpu_dtype_t* dtype = dtype_of(site, k);
    const size_t x = tn__gpu_add_address(source, (int32_t)(count + k), 0, dtype->memory);
    tn__gpu_add(&source->body, "  const %s b%zu = LOAD%s(x%zu, 0);\n", dtype->value, k,
                dtype->suffix, x);
  }
}

// --- windows

// `is_else`: only where what padding adds to a cumulative window counts.
static tn_status_t write_windows(tn_gpu_source_t* source, const tn_kernel_site_t* site,
                                 const tn_sliding_t* window, bool is_else) {
  const tn_type_t *operand = site->use->operand_types[0], *result = site->use->result_types[0];
  const size_t count = site->use->result_count;
  int64_t strides[TN_MAX_RANK];
  tn_gpu_text_t* body = &source->body;
  tn__dense_strides(operand->rank, operand->dims, 1, strides);
  tn__gpu_begin(source, site->arena, tn__type_size(result));
  TN_RETURN_IF_ERROR(tn__gpu_add_fold(source, site->use));
  add_begins(source, site);
  for (size_t k = 0; k < count; ++k) {
    tn__gpu_add(body, "  %s s%zu = b%zu;\n", dtype_of(site, k)->value, k, k);
  }
  if (is_else) {
    tn__gpu_add(body, "  ");
    tn__gpu_add_fold_call(body, count, "b", "b");
    tn__gpu_add(body, "  if (");
    for (size_t k = 0; k < count; ++k) {
      const bool is_complex = tn_dtype_kind(site->use->result_types[k]->dtype) == TN_KIND_COMPLEX;
      if (is_complex) tn__gpu_add_helpers(source, "C_EQUAL");
      tn__gpu_add(body, is_complex ? "%sC_EQUAL(s%zu, b%zu)" : "%ss%zu == b%zu", k ? " && " : "", k,
                  k);
    }
    tn__gpu_add(body, ") return;\n");
    for (size_t k = 0; k < count; ++k) tn__gpu_add(body, "  s%zu = b%zu;\n", k, k);
  }
  tn__gpu_add_coordinates(source, "i", result->rank, result->dims);
  const size_t size = tn__gpu_add_number(source, tn__gpu_sliding_size(window));
  tn__gpu_add(body, "  for (long w = 0; w < n(%zu); ++w) {\n", size);
  tn__gpu_add_sliding(source, window, "c", strides);
  for (size_t k = 0; k < count; ++k) {
    const tn_gpu_dtype_t* dtype = dtype_of(site, k);
    const size_t x = tn__gpu_add_address(source, (int32_t)k, 0, dtype->memory);
    tn__gpu_add(body, "    %s e%zu = b%zu;\n    if (is_inside) e%zu = LOAD%s(x%zu, at);\n",
                dtype->value, k, k, k, dtype->suffix, x);
  }
  tn__gpu_add(body, "    ");
  tn__gpu_add_fold_call(body, count, "s", "e");
  tn__gpu_add(body, "  }\n");
  for (size_t k = 0; k < count; ++k) {
    const size_t y = tn__gpu_add_output(source, TN_GPU_RESULT(k), 0, dtype_of(site, k)->memory);
    tn__gpu_add(body, "  STORE%s(y%zu, i, s%zu);\n", dtype_of(site, k)->suffix, y, k);
  }
  return TN_OK;
}

// --- cumulative windows

typedef struct scan {
  tn_kernel_site_t* site;
  int64_t outer, inner;
  bool is_reversed;
  size_t level_count;  // of level 0, the operand, and totals of chunks of the level before
  int64_t lengths[MOST_LEVELS + 1];
  int64_t offsets[MOST_LEVELS + 1][TN_GPU_MOST_FOLDED];  // in the scratch memory, but of level 0
} scan_t;

// Windows that hold all elements up to their own, or from it on, in one dimension.
static bool is_cumulative(const tn_sliding_t* window, scan_t* scan) {
  size_t found = TN_MAX_RANK;
  for (size_t d = 0; d < window->rank; ++d) {
    const tn_sliding_dim_t* dim = &window->dims[d];
    if (tn__sliding_is_trivial(dim)) continue;
    const bool fits = dim->size == dim->input && dim->input == dim->output && dim->stride == 1 &&
                      dim->dilation == 1 && dim->base_dilation == 1;
    if (found != TN_MAX_RANK || !fits) return false;
    if (dim->low != dim->size - 1 && dim->low != 0) return false;
    scan->is_reversed = dim->low == 0;
    found = d;
  }
  if (found == TN_MAX_RANK) return false;
  scan->outer = scan->inner = 1;
  for (size_t d = 0; d < window->rank; ++d) {
    if (d < found) scan->outer *= window->dims[d].output;
    if (d > found) scan->inner *= window->dims[d].output;
  }
  scan->lengths[0] = window->dims[found].output;
  return scan->lengths[0] > CHUNK;
}

static void plan_levels(scan_t* scan) {
  tn_kernel_site_t* site = scan->site;
  scan->level_count = 1;
  while (scan->lengths[scan->level_count - 1] > CHUNK) {
    const size_t level = scan->level_count++;
    scan->lengths[level] = (scan->lengths[level - 1] + CHUNK - 1) / CHUNK;
    for (size_t k = 0; k < site->use->result_count; ++k) {
      scan->offsets[level][k] = (int64_t)site->scratch_byte_size;
      site->scratch_byte_size +=
          (size_t)(scan->outer * scan->lengths[level] * scan->inner) * sizeof(int64_t);
    }
  }
}

// Writes the beginning of a launch whose items have a chunk each, and its loop over elements `at`
// up to where they are folded.
static tn_status_t begin_chunks(tn_gpu_source_t* source, const scan_t* scan, size_t level,
                                bool has_carry) {
  const tn_kernel_site_t* site = scan->site;
  const size_t count = site->use->result_count;
  const int64_t length = scan->lengths[level], chunks = (length + CHUNK - 1) / CHUNK;
  tn_gpu_text_t* body = &source->body;
  tn__gpu_begin(source, site->arena, scan->outer * chunks * scan->inner);
  TN_RETURN_IF_ERROR(tn__gpu_add_fold(source, site->use));
  const size_t n_length = tn__gpu_add_number(source, length);
  const size_t n_chunks = tn__gpu_add_number(source, chunks);
  const size_t n_inner = tn__gpu_add_number(source, scan->inner);
  tn__gpu_add(body,
              "  const long length = n(%zu), inner = n(%zu);\n"
              "  const long chunk = i / inner %% n(%zu);\n"
              "  const long base = i / inner / n(%zu) * length * inner + i %% inner;\n"
              "  const long first = chunk * %d, end = min(first + %d, length);\n"
              "  int is_empty = %s;\n",
              n_length, n_inner, n_chunks, n_chunks, CHUNK, CHUNK,
              level == 0 ? (has_carry ? "0" : "chunk != 0") : (has_carry ? "chunk == 0" : "1"));
  if (level == 0) add_begins(source, site);
  for (size_t k = 0; k < count; ++k) {
    const tn_gpu_dtype_t* dtype = dtype_of(site, k);
    tn__gpu_add(body, "  %s s%zu = {0};\n", dtype->value, k);
    if (level == 0) tn__gpu_add(body, "  s%zu = b%zu;\n", k, k);
    if (!has_carry) continue;
    const size_t x =
        tn__gpu_add_address(source, TN_GPU_SCRATCH, scan->offsets[level + 1][k], dtype->value);
    tn__gpu_add(body, "  if (chunk > 0) s%zu = x%zu[i - inner];\n", k, x);
  }
  tn__gpu_add(body,
              "  for (long j = first; j < end; ++j) {\n    const long at = base + %s * inner;\n",
              level == 0 && scan->is_reversed ? "(length - 1 - j)" : "j");
  for (size_t k = 0; k < count; ++k) {
    const tn_gpu_dtype_t* dtype = dtype_of(site, k);
    const size_t x = level == 0 ? tn__gpu_add_address(source, (int32_t)k, 0, dtype->memory)
                                : tn__gpu_add_address(source, TN_GPU_SCRATCH,
                                                      scan->offsets[level][k], dtype->value);
    tn__gpu_add(body, "    const %s e%zu = LOAD%s(x%zu, at);\n", dtype->value, k,
                level == 0 ? dtype->suffix : "", x);
  }
  tn__gpu_add(body, "    if (is_empty) {\n");
  for (size_t k = 0; k < count; ++k) tn__gpu_add(body, "      s%zu = e%zu;\n", k, k);
  tn__gpu_add(body, "    } else {\n      ");
  tn__gpu_add_fold_call(body, count, "s", "e");
  tn__gpu_add(body, "    }\n    is_empty = 0;\n");
  return TN_OK;
}

// Leaves what the chunks of a level are folded to, as the next level.
static tn_status_t write_totals(tn_gpu_source_t* source, const scan_t* scan, size_t level) {
  TN_RETURN_IF_ERROR(begin_chunks(source, scan, level, false));
  tn__gpu_add(&source->body, "  }\n");
  for (size_t k = 0; k < scan->site->use->result_count; ++k) {
    const size_t y = tn__gpu_add_output(source, TN_GPU_SCRATCH, scan->offsets[level + 1][k],
                                        dtype_of(scan->site, k)->value);
    tn__gpu_add(&source->body, "  y%zu[i] = s%zu;\n", y, k);
  }
  return TN_OK;
}

// Goes through the chunks of a level, from what is before each.
static tn_status_t write_scan(tn_gpu_source_t* source, const scan_t* scan, size_t level) {
  TN_RETURN_IF_ERROR(begin_chunks(source, scan, level, level + 1 < scan->level_count));
  for (size_t k = 0; k < scan->site->use->result_count; ++k) {
    const tn_gpu_dtype_t* dtype = dtype_of(scan->site, k);
    const size_t y = level == 0 ? tn__gpu_add_output(source, TN_GPU_RESULT(k), 0, dtype->memory)
                                : tn__gpu_add_output(source, TN_GPU_SCRATCH,
                                                     scan->offsets[level][k], dtype->value);
    tn__gpu_add(&source->body, "    STORE%s(y%zu, at, s%zu);\n", level == 0 ? dtype->suffix : "", y,
                k);
  }
  tn__gpu_add(&source->body, "  }\n");
  return TN_OK;
}

static tn_status_t prepare_scan(scan_t* scan, const tn_sliding_t* window) {
  tn_kernel_site_t* site = scan->site;
  tn_gpu_source_t source;
  tn_gpu_state_t* state = NULL;
  size_t launch = 0;
  plan_levels(scan);
  TN_RETURN_IF_ERROR(tn__gpu_state_create(site, 2 * scan->level_count, &state));
  for (size_t level = 0; level + 1 < scan->level_count; ++level) {
    TN_RETURN_IF_ERROR(write_totals(&source, scan, level));
    TN_RETURN_IF_ERROR(tn__gpu_finish(site, state, launch++, &source));
  }
  for (size_t level = scan->level_count; level-- > 0;) {
    TN_RETURN_IF_ERROR(write_scan(&source, scan, level));
    TN_RETURN_IF_ERROR(tn__gpu_finish(site, state, launch++, &source));
  }
  TN_RETURN_IF_ERROR(write_windows(&source, site, window, true));
  return tn__gpu_finish(site, state, launch, &source);
}

tn_status_t tn__gpu_reduce_window_prepare(tn_kernel_site_t* site) {
  const tn_type_t *operand = site->use->operand_types[0], *result = site->use->result_types[0];
  tn_sliding_t window;
  tn_gpu_source_t source;
  scan_t scan = {.site = site};
  TN_RETURN_IF_ERROR(tn__sliding_read(site, operand, result, &window));
  site->holds_regions = true;
  if (is_cumulative(&window, &scan)) return prepare_scan(&scan, &window);
  TN_RETURN_IF_ERROR(write_windows(&source, site, &window, false));
  return tn__gpu_finish_one(site, &source);
}
