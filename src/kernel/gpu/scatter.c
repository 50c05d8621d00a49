// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// scatter, in one of three ways, in each of which elements get their updates in order:
//   - few windows: an item for each element of the result looks at every window;
//   - windows that never meet: an item for each element of the updates;
//   - windows that are the same or apart: they are ordered by where they are, and an item folds
//   what
//     goes to one element.
#include "base/type.h"
#include "kernel/gpu/fold.h"
#include "kernel/gpu/order.h"
#include "kernel/gpu/region.h"
#include "kernel/gpu/windows.h"

enum {
  FEW_WINDOWS = 16,
  FEW_LOOKS = 1 << 20,   // elements of the result times windows
  MOST_LOOKS = 1 << 30,  // else the host does it
};

static int64_t window_count(const tn_gpu_windows_t* windows) {
  int64_t count = 1;
  for (size_t d = 0; d < windows->windows->rank; ++d) {
    if (windows->index_dims[d] >= 0) count *= windows->windows->dims[d];
  }
  return count;
}

static int64_t looks(const tn_gpu_windows_t* windows) {
  int64_t product = 0;
  if (__builtin_mul_overflow(tn__type_size(windows->array), window_count(windows), &product)) {
    return INT64_MAX;
  }
  return product;
}

// Whether two windows are the same or have no element in common: in each dimension they are one
// element or all.
static bool are_apart(const tn_gpu_windows_t* windows) {
  for (size_t d = 0; d < windows->array->rank; ++d) {
    const bool is_all = windows->counts[d] == windows->array->dims[d] && windows->parts[d] < 0;
    if (windows->counts[d] != 1 && !is_all) return false;
  }
  return true;
}

static bool are_unique(const tn_op_use_t* use) {
  return tn__attr_get_bool(&use->attrs, "unique_indices", false);
}

static bool are_few(const tn_gpu_windows_t* windows) {
  return window_count(windows) <= FEW_WINDOWS || looks(windows) <= FEW_LOOKS;
}

bool tn__gpu_scatter_supports(const tn_op_use_t* use) {
  const size_t count = use->result_count;
  tn_arena_t arena;
  tn_arena_room_t room;
  tn_gpu_windows_t windows;
  if (use->region_count != 1 || count == 0 || count > TN_GPU_MOST_FOLDED ||
      use->operand_count != 2 * count + 1 || !tn__gpu_know_types(use)) {
    return false;
  }
  const tn_region_t* region = use->regions[0].region;
  if (!tn__gpu_region_is_elementwise(region) || region->argument_count != 2 * count) return false;
  for (size_t k = 0; k < count; ++k) {
    const tn_dtype_t dtype = use->result_types[k]->dtype;
    if (dtype != use->operand_types[k]->dtype ||
        dtype != use->operand_types[count + 1 + k]->dtype ||
        dtype != region->arguments[k].type->dtype ||
        dtype != region->arguments[count + k].type->dtype ||
        dtype != region->last->operands[k]->type->dtype) {
      return false;
    }
  }
  tn__arena_init_in(&arena, tn_allocator_system(), &room);
  tn_status_t status = tn__gpu_windows_of_scatter(use, &arena, &windows);
  const bool fits =
      !status && (are_unique(use) || are_apart(&windows) || looks(&windows) <= MOST_LOOKS);
  tn_status_release(status);
  tn__arena_deinit(&arena);
  return fits;
}

typedef struct scatter {
  tn_kernel_site_t* site;
  const tn_op_use_t* use;
  size_t count;  // of arrays
  tn_gpu_windows_t windows;
  int64_t strides[TN_MAX_RANK], index_strides[TN_MAX_RANK], update_strides[TN_MAX_RANK];
  int64_t key_offset;  // of the keys in the scratch memory
  tn_gpu_order_t order;
} scatter_t;

static void set_strides(const tn_type_t* type, int64_t* strides) {
  tn__dense_strides(type->rank, type->dims, 1, strides);
}

static const tn_gpu_dtype_t* dtype_of(const scatter_t* scatter, size_t k) {
  return tn__gpu_dtype(scatter->use->result_types[k]->dtype);
}

static size_t add_indices(tn_gpu_source_t* source, const scatter_t* scatter) {
  return tn__gpu_add_address(source, (int32_t)scatter->count, 0,
                             tn__gpu_dtype(scatter->windows.indices->dtype)->memory);
}

// Writes b0, b1...: the coordinates of window `rest`, which it uses up, and `up`, its first update.
static void add_window(tn_gpu_source_t* source, const scatter_t* scatter) {
  const tn_gpu_windows_t* windows = &scatter->windows;
  tn_gpu_text_t* body = &source->body;
  tn__gpu_add(body, "  long up = 0;\n");
  for (size_t d = windows->windows->rank; d-- > 0;) {
    if (windows->index_dims[d] < 0) continue;
    const size_t dim = tn__gpu_add_number(source, windows->windows->dims[d]);
    const size_t stride = tn__gpu_add_number(source, scatter->update_strides[d]);
    tn__gpu_add(body, "  const long b%zu = rest %% n(%zu);\n  rest /= n(%zu);\n", d, dim, dim);
    tn__gpu_add(body, "  up += b%zu * n(%zu);\n", d, stride);
  }
}

// Writes v0, v1...: tn_fold of them and of the updates at `up`.
static void add_fold(tn_gpu_source_t* source, const scatter_t* scatter, const size_t* updates) {
  tn_gpu_text_t* body = &source->body;
  tn__gpu_add(body, "tn_fold(");
  for (size_t k = 0; k < scatter->count; ++k) tn__gpu_add(body, "v%zu, ", k);
  for (size_t k = 0; k < scatter->count; ++k) {
    tn__gpu_add(body, "LOAD%s(x%zu, up), ", dtype_of(scatter, k)->suffix, updates[k]);
  }
  for (size_t k = 0; k < scatter->count; ++k) tn__gpu_add(body, "%s&v%zu", k ? ", " : "", k);
  tn__gpu_add(body, ");\n");
}

static void add_updates(tn_gpu_source_t* source, const scatter_t* scatter, size_t* out_updates) {
  for (size_t k = 0; k < scatter->count; ++k) {
    out_updates[k] = tn__gpu_add_address(source, (int32_t)(scatter->count + 1 + k), 0,
                                         dtype_of(scatter, k)->memory);
  }
}

// Writes v0, v1..., the elements at `at` of what addresses `name` have, and stores them there.
static void add_values(tn_gpu_source_t* source, const scatter_t* scatter, const char* name,
                       const size_t* addresses, const char* at) {
  for (size_t k = 0; k < scatter->count; ++k) {
    const tn_gpu_dtype_t* dtype = dtype_of(scatter, k);
    tn__gpu_add(&source->body, "  %s v%zu = LOAD%s(%s%zu, %s);\n", dtype->value, k, dtype->suffix,
                name, addresses[k], at);
  }
}

static void add_stores(tn_gpu_source_t* source, const scatter_t* scatter, const size_t* outputs,
                       const char* at) {
  for (size_t k = 0; k < scatter->count; ++k) {
    tn__gpu_add(&source->body, "  STORE%s(y%zu, %s, v%zu);\n", dtype_of(scatter, k)->suffix,
                outputs[k], at, k);
  }
}

static void add_results(tn_gpu_source_t* source, const scatter_t* scatter, size_t* out_outputs) {
  for (size_t k = 0; k < scatter->count; ++k) {
    out_outputs[k] = tn__gpu_add_output(source, TN_GPU_RESULT(k), 0, dtype_of(scatter, k)->memory);
  }
}

static tn_status_t begin(tn_gpu_source_t* source, const scatter_t* scatter, int64_t item_count) {
  tn__gpu_begin(source, scatter->site->arena, item_count);
  return tn__gpu_add_region(source, scatter->use->regions[0].region, "tn_fold");
}

// --- few windows

static tn_status_t prepare_looks(const scatter_t* scatter) {
  const tn_gpu_windows_t* windows = &scatter->windows;
  const tn_type_t* array = windows->array;
  size_t inputs[TN_GPU_MOST_FOLDED], outputs[TN_GPU_MOST_FOLDED], updates[TN_GPU_MOST_FOLDED];
  tn_gpu_source_t source;
  tn_gpu_text_t* body = &source.body;
  TN_RETURN_IF_ERROR(begin(&source, scatter, tn__type_size(array)));
  for (size_t k = 0; k < scatter->count; ++k) {
    inputs[k] = tn__gpu_add_address(&source, (int32_t)k, 0, dtype_of(scatter, k)->memory);
  }
  add_updates(&source, scatter, updates);
  const size_t x = add_indices(&source, scatter);
  add_results(&source, scatter, outputs);
  tn__gpu_add_coordinates(&source, "i", array->rank, array->dims);
  add_values(&source, scatter, "x", inputs, "i");
  const size_t count = tn__gpu_add_number(&source, window_count(windows));
  tn__gpu_add(body, "  for (long w = 0; w < n(%zu); ++w) {\n  long rest = w;\n", count);
  add_window(&source, scatter);
  tn__gpu_add_window_starts(&source, windows, "b", x, scatter->index_strides);
  tn__gpu_add(body, "  int is_inside = 1;\n");
  for (size_t d = 0; d < array->rank; ++d) {
    const size_t extent = tn__gpu_add_number(&source, windows->counts[d]);
    tn__gpu_add(body, "  is_inside &= c%zu >= s%zu && c%zu < s%zu + n(%zu);\n", d, d, d, d, extent);
    if (windows->window_dims[d] < 0 || windows->is_batching[d]) continue;
    const size_t stride =
        tn__gpu_add_number(&source, scatter->update_strides[windows->window_dims[d]]);
    tn__gpu_add(body, "  up += (c%zu - s%zu) * n(%zu);\n", d, d, stride);
  }
  tn__gpu_add(body, "  if (is_inside) ");
  add_fold(&source, scatter, updates);
  tn__gpu_add(body, "  }\n");
  add_stores(&source, scatter, outputs, "i");
  return tn__gpu_finish_one(scatter->site, &source);
}

static tn_status_t copy_inputs(const scatter_t* scatter, tn_gpu_state_t* state) {
  for (size_t k = 0; k < scatter->count; ++k) {
    TN_RETURN_IF_ERROR(tn__gpu_finish_copy(scatter->site, state, k, k, k));
  }
  return TN_OK;
}

// --- windows that never meet

static tn_status_t prepare_unique(const scatter_t* scatter) {
  const tn_gpu_windows_t* windows = &scatter->windows;
  size_t outputs[TN_GPU_MOST_FOLDED], updates[TN_GPU_MOST_FOLDED];
  tn_gpu_source_t source;
  tn_gpu_state_t* state = NULL;
  TN_RETURN_IF_ERROR(tn__gpu_state_create(scatter->site, scatter->count + 1, &state));
  TN_RETURN_IF_ERROR(copy_inputs(scatter, state));
  TN_RETURN_IF_ERROR(begin(&source, scatter, tn__type_size(windows->windows)));
  add_updates(&source, scatter, updates);
  const size_t x = add_indices(&source, scatter);
  add_results(&source, scatter, outputs);
  tn__gpu_add_coordinates(&source, "i", windows->windows->rank, windows->windows->dims);
  tn__gpu_add_window_starts(&source, windows, "c", x, scatter->index_strides);
  tn__gpu_add(&source.body, "  const long up = i;\n  long at = 0;\n");
  for (size_t d = 0; d < windows->array->rank; ++d) {
    const size_t dim = tn__gpu_add_number(&source, windows->array->dims[d]);
    const size_t stride = tn__gpu_add_number(&source, scatter->strides[d]);
    tn__gpu_add(&source.body, "  {\n    const long o = s%zu", d);
    if (windows->window_dims[d] >= 0 && !windows->is_batching[d]) {
      tn__gpu_add(&source.body, " + c%lld", (long long)windows->window_dims[d]);
    }
    tn__gpu_add(&source.body,
                ";\n    if (o < 0 || o >= n(%zu)) return;\n    at += o * n(%zu);\n  }\n", dim,
                stride);
  }
  add_values(&source, scatter, "y", outputs, "at");
  tn__gpu_add(&source.body, "  ");
  add_fold(&source, scatter, updates);
  add_stores(&source, scatter, outputs, "at");
  return tn__gpu_finish(scatter->site, state, scatter->count, &source);
}

// --- windows that are the same or apart

// Leaves the first element of each window; -1: it is outside.
static void write_keys(tn_gpu_source_t* source, const scatter_t* scatter) {
  const tn_gpu_windows_t* windows = &scatter->windows;
  tn__gpu_begin(source, scatter->site->arena, window_count(windows));
  const size_t x = add_indices(source, scatter);
  tn__gpu_add_output(source, TN_GPU_SCRATCH, scatter->key_offset, "long");
  tn__gpu_add(&source->body, "  long rest = i;\n");
  add_window(source, scatter);
  tn__gpu_add_window_starts(source, windows, "b", x, scatter->index_strides);
  tn__gpu_add(&source->body, "  int is_inside = 1;\n  long key = 0;\n");
  for (size_t d = 0; d < windows->array->rank; ++d) {
    const size_t dim = tn__gpu_add_number(source, windows->array->dims[d]);
    const size_t stride = tn__gpu_add_number(source, scatter->strides[d]);
    tn__gpu_add(&source->body,
                "  is_inside &= s%zu >= 0 && s%zu < n(%zu);\n  key += s%zu * n(%zu);\n", d, d, dim,
                d, stride);
  }
  tn__gpu_add(&source->body, "  y0[i] = is_inside ? key : -1;\n");
}

static tn_status_t add_less(tn_gpu_source_t* source, void* user) {
  const scatter_t* scatter = user;
  const size_t x = tn__gpu_add_address(source, TN_GPU_SCRATCH, scatter->key_offset, "long");
  tn__gpu_add(&source->functions, "#define LESS(j, k) (x%zu[j] < x%zu[k])\n", x, x);
  return TN_OK;
}

// An item for each window, in their order, and element of it; those of the first window that goes
// somewhere do what the others that go there do.
static tn_status_t write_runs(tn_gpu_source_t* source, const scatter_t* scatter) {
  const tn_gpu_windows_t* windows = &scatter->windows;
  const int64_t count = window_count(windows);
  size_t outputs[TN_GPU_MOST_FOLDED], updates[TN_GPU_MOST_FOLDED];
  tn_gpu_text_t* body = &source->body;
  TN_RETURN_IF_ERROR(begin(source, scatter, tn__type_size(windows->windows)));
  add_updates(source, scatter, updates);
  add_results(source, scatter, outputs);
  const size_t keys = tn__gpu_add_address(source, TN_GPU_SCRATCH, scatter->key_offset, "long");
  const size_t order =
      tn__gpu_add_address(source, TN_GPU_SCRATCH, scatter->order.byte_offset, "uint");
  const size_t size = tn__gpu_add_number(source, tn__type_size(windows->windows) / count);
  const size_t all = tn__gpu_add_number(source, count);
  tn__gpu_add(&source->functions, "#define KEY(r) x%zu[x%zu[r]]\n", keys, order);
  tn__gpu_add(body,
              "  const long first = i / n(%zu), key = KEY(first);\n"
              "  if (key < 0 || (first > 0 && KEY(first - 1) == key)) return;\n"
              "  long element = i %% n(%zu), at = key, inside = 0;\n",
              size, size);
  for (size_t d = windows->array->rank; d-- > 0;) {
    if (windows->window_dims[d] < 0 || windows->is_batching[d]) continue;
    const size_t dim = tn__gpu_add_number(source, windows->counts[d]);
    const size_t to = tn__gpu_add_number(source, scatter->strides[d]);
    const size_t from =
        tn__gpu_add_number(source, scatter->update_strides[windows->window_dims[d]]);
    tn__gpu_add(body,
                "  at += element %% n(%zu) * n(%zu);\n  inside += element %% n(%zu) * n(%zu);\n"
                "  element /= n(%zu);\n",
                dim, to, dim, from, dim);
  }
  add_values(source, scatter, "y", outputs, "at");
  tn__gpu_add(
      body, "  for (long r = first; r < n(%zu) && KEY(r) == key; ++r) {\n  long rest = x%zu[r];\n",
      all, order);
  add_window(source, scatter);
  tn__gpu_add(body, "  up += inside;\n  ");
  add_fold(source, scatter, updates);
  tn__gpu_add(body, "  }\n");
  add_stores(source, scatter, outputs, "at");
  return TN_OK;
}

static tn_status_t prepare_runs(scatter_t* scatter) {
  tn_gpu_source_t source;
  tn_gpu_state_t* state = NULL;
  const int64_t count = window_count(&scatter->windows);
  const size_t ordering = tn__gpu_order_launch_count(count), first = scatter->count;
  TN_RETURN_IF_ERROR(tn__gpu_state_create(scatter->site, first + ordering + 2, &state));
  TN_RETURN_IF_ERROR(copy_inputs(scatter, state));
  scatter->key_offset = (int64_t)scatter->site->scratch_byte_size;
  scatter->site->scratch_byte_size += (size_t)count * sizeof(int64_t);
  write_keys(&source, scatter);
  TN_RETURN_IF_ERROR(tn__gpu_finish(scatter->site, state, first, &source));
  scatter->order = (tn_gpu_order_t){
      .length = count, .inner = 1, .line_count = 1, .add_less = add_less, .user = scatter};
  TN_RETURN_IF_ERROR(tn__gpu_order_prepare(scatter->site, state, first + 1, &scatter->order));
  TN_RETURN_IF_ERROR(write_runs(&source, scatter));
  return tn__gpu_finish(scatter->site, state, first + 1 + ordering, &source);
}

tn_status_t tn__gpu_scatter_prepare(tn_kernel_site_t* site) {
  scatter_t scatter = {.site = site, .use = site->use, .count = site->use->result_count};
  TN_RETURN_IF_ERROR(tn__gpu_windows_of_scatter(site->use, site->arena, &scatter.windows));
  set_strides(scatter.windows.array, scatter.strides);
  set_strides(scatter.windows.indices, scatter.index_strides);
  set_strides(scatter.windows.windows, scatter.update_strides);
  site->holds_regions = true;
  if (are_few(&scatter.windows)) return prepare_looks(&scatter);
  if (are_unique(site->use)) return prepare_unique(&scatter);
  return are_apart(&scatter.windows) ? prepare_runs(&scatter) : prepare_looks(&scatter);
}
