// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Products of matrices: an item for each element of the result.
#include <string.h>

#include "base/type.h"
#include "kernel/gpu/dot.h"

static tn_status_t read_numbers(const tn_op_use_t* use, tn_arena_t* arena, tn_gpu_dot_t* out) {
  static const int64_t first[] = {0};
  if (use->op == TN__OP(dot)) {  // the last dimension of lhs, the first one of rhs
    int64_t* last = NULL;
    TN_RETURN_IF_ERROR(TN_ARENA_NEW(arena, &last));
    *last = (int64_t)use->operand_types[0]->rank - 1;
    out->contracting[0] = (tn_i64_list_t){.present = true, .count = 1, .values = last};
    out->contracting[1] = (tn_i64_list_t){.present = true, .count = 1, .values = first};
    return TN_OK;
  }
  const tn_attr_dictionary_t* numbers =
      &tn__attr_find(&use->attrs, "dot_dimension_numbers")->dictionary;
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(numbers, "lhs_batching_dimensions", arena, &out->batching[0]));
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(numbers, "rhs_batching_dimensions", arena, &out->batching[1]));
  TN_RETURN_IF_ERROR(
      tn__attr_get_i64_list(numbers, "lhs_contracting_dimensions", arena, &out->contracting[0]));
  return tn__attr_get_i64_list(numbers, "rhs_contracting_dimensions", arena, &out->contracting[1]);
}

tn_status_t tn__gpu_dot_read(const tn_op_use_t* use, const tn_view_t* views, tn_arena_t* arena,
                             tn_gpu_dot_t* out_dot) {
  *out_dot = (tn_gpu_dot_t){.use = use};
  TN_RETURN_IF_ERROR(read_numbers(use, arena, out_dot));
  for (size_t side = 0; side < 2; ++side) {
    tn__gpu_element_strides(views ? &views[side] : NULL, use->operand_types[side],
                            out_dot->strides[side]);
  }
  return TN_OK;
}

// -1: it is not in the list.
static int64_t index_in(const tn_i64_list_t* list, size_t dimension) {
  for (size_t k = 0; k < list->count; ++k) {
    if (list->values[k] == (int64_t)dimension) return (int64_t)k;
  }
  return -1;
}

bool tn__gpu_dot_supports(const tn_op_use_t* use) {
  const bool is_complex = tn_dtype_kind(use->result_types[0]->dtype) == TN_KIND_COMPLEX;
  for (size_t side = 0; side < 2; ++side) {
    const tn_kind_t kind = tn_dtype_kind(use->operand_types[side]->dtype);
    if ((kind == TN_KIND_COMPLEX) != is_complex) return false;
  }
  return tn__gpu_have_dtypes(use) && use->result_types[0]->dtype != TN_DTYPE_PRED;
}

// --- axes

// Joins the dimension to the last one, where both sides go on with it as in one.
static void add_dim(tn_gpu_axis_t* axis, int64_t dim, int64_t lhs_stride, int64_t rhs_stride) {
  axis->size *= dim;
  if (dim == 1) return;
  const size_t last = axis->count - 1;
  if (axis->count && axis->strides[0][last] == lhs_stride * dim &&
      axis->strides[1][last] == rhs_stride * dim) {
    axis->dims[last] *= dim;
  } else {
    axis->dims[axis->count++] = dim;
  }
  axis->strides[0][axis->count - 1] = lhs_stride;
  axis->strides[1][axis->count - 1] = rhs_stride;
}

// Dimension k of both lists.
static void add_dims(tn_gpu_axis_t* axis, const tn_gpu_dot_t* dot, const tn_i64_list_t* lists,
                     size_t lhs, size_t rhs) {
  for (size_t k = 0; k < lists[0].count; ++k) {
    add_dim(axis, dot->use->operand_types[0]->dims[lists[0].values[k]],
            dot->strides[lhs][lists[lhs].values[k]], dot->strides[rhs][lists[rhs].values[k]]);
  }
}

tn_gpu_axes_t tn__gpu_dot_axes(const tn_gpu_dot_t* dot, size_t lhs, size_t rhs) {
  tn_gpu_axes_t axes = {
      .batch = {.size = 1}, .free = {{.size = 1}, {.size = 1}}, .depth = {.size = 1}};
  add_dims(&axes.batch, dot, dot->batching, lhs, rhs);
  add_dims(&axes.depth, dot, dot->contracting, lhs, rhs);
  for (size_t side = 0; side < 2; ++side) {
    const tn_type_t* type = dot->use->operand_types[side];
    for (size_t d = 0; d < type->rank; ++d) {
      if (index_in(&dot->batching[side], d) >= 0 || index_in(&dot->contracting[side], d) >= 0) {
        continue;
      }
      const int64_t stride = dot->strides[side][d];
      add_dim(&axes.free[side], type->dims[d], side ? 0 : stride, side ? stride : 0);
    }
  }
  return axes;
}

// --- the kernel

// Writes a0 or a1: where the products of element `i` begin in a side. `next` is the first dimension
// of the result that the side has for itself, and then the one behind its last.
static void add_start(tn_gpu_source_t* source, const tn_gpu_dot_t* sides, size_t side,
                      const tn_type_t* type, const int64_t* strides, size_t* next) {
  tn__gpu_add(&source->body, "  long a%zu = 0", side);
  for (size_t d = 0; d < type->rank; ++d) {
    const int64_t batch = index_in(&sides->batching[side], d);
    if (index_in(&sides->contracting[side], d) >= 0) continue;
    const size_t stride = tn__gpu_add_number(source, strides[d]);
    tn__gpu_add(&source->body, " + c%zu * n(%zu)", batch >= 0 ? (size_t)batch : (*next)++, stride);
  }
  tn__gpu_add(&source->body, ";\n");
}

// Loops over the contracted dimensions, the outermost first; each moves a0 and a1.
static void add_loops(tn_gpu_source_t* source, const tn_gpu_dot_t* sides, const tn_type_t* lhs,
                      const int64_t* const* strides) {
  tn_gpu_text_t* body = &source->body;
  const size_t count = sides->contracting[0].count;
  size_t steps[2][TN_GPU_MOST_DIMS], dims[TN_GPU_MOST_DIMS];
  for (size_t k = 0; k < count; ++k) {
    dims[k] = tn__gpu_add_number(source, lhs->dims[sides->contracting[0].values[k]]);
    for (size_t side = 0; side < 2; ++side) {
      steps[side][k] =
          tn__gpu_add_number(source, strides[side][sides->contracting[side].values[k]]);
    }
    tn__gpu_add(body, "  const long a0_%zu = a0, a1_%zu = a1;\n", k, k);
    tn__gpu_add(body, "  for (long k%zu = 0; k%zu < n(%zu); ++k%zu) {\n", k, k, dims[k], k);
    tn__gpu_add(body, "  a0 = a0_%zu + k%zu * n(%zu);\n  a1 = a1_%zu + k%zu * n(%zu);\n", k, k,
                steps[0][k], k, k, steps[1][k]);
  }
}

// Adds the product of what a0 and a1 say.
static void add_product(tn_gpu_source_t* source, const tn_op_use_t* use) {
  const tn_kind_t kind = tn_dtype_kind(use->result_types[0]->dtype);
  const bool is_complex = kind == TN_KIND_COMPLEX;
  if (is_complex) tn__gpu_add_helpers(source, "CMULTIPLY(");
  for (size_t side = 0; side < 2; ++side) {
    tn__gpu_add(&source->body, "  const T %c = %sLOAD%s(x%zu, a%zu);\n", side ? 'v' : 'u',
                is_complex ? "" : "(T)", tn__gpu_dtype(use->operand_types[side]->dtype)->suffix,
                side, side);
  }
  if (is_complex) {
    tn__gpu_add(&source->body,
                "  const T product = CMULTIPLY(u, v);\n"
                "  sum = C_add(sum, product);\n");
  } else if (kind == TN_KIND_FLOAT) {
    tn__gpu_add(&source->body, "  sum = fma(u, v, sum);\n");
  } else {
    tn__gpu_add(&source->body, "  sum = (T)(WIDE(sum) + WIDE(u) * WIDE(v));\n");
  }
}

tn_status_t tn__gpu_dot_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(result->dtype);
  tn_gpu_dot_t sides;
  tn_gpu_source_t source;
  TN_RETURN_IF_ERROR(tn__gpu_dot_read(use, site->views, site->arena, &sides));
  if (tn__gpu_dot_has_tiles(&sides)) return tn__gpu_tiled_dot_prepare(site, &sides);
  tn__gpu_begin(&source, site->arena, tn__type_size(result));
  for (size_t side = 0; side < 2; ++side) {
    const tn_type_t* type = use->operand_types[side];
    tn__gpu_add_address(&source, (int32_t)side, 0, tn__gpu_dtype(type->dtype)->memory);
  }
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, dtype->memory);
  tn__gpu_add_words(&source, result->dtype);
  tn__gpu_add_coordinates(&source, "i", result->rank, result->dims);
  size_t next = sides.batching[0].count;
  for (size_t side = 0; side < 2; ++side) {
    add_start(&source, &sides, side, use->operand_types[side], sides.strides[side], &next);
  }
  tn__gpu_add(&source.body, "  T sum = {0};\n");
  add_loops(&source, &sides, use->operand_types[0],
            (const int64_t* const[]){sides.strides[0], sides.strides[1]});
  add_product(&source, use);
  for (size_t k = 0; k < sides.contracting[0].count; ++k) tn__gpu_add(&source.body, "  }\n");
  tn__gpu_add(&source.body, "  STORE%s(y0, i, sum);\n", dtype->suffix);
  return tn__gpu_finish_one(site, &source);
}
