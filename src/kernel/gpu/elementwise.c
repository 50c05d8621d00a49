// A result for each element of the operands, which may be views, or scalars.
#include <stdio.h>
#include <string.h>

#include "base/type.h"
#include "kernel/gpu/source.h"

enum { MOST_OPERANDS = 3 };

// How an operand is read.
typedef enum read {
  READ_DENSE,
  READ_SCALAR,
  READ_STRIDED,
} read_t;

bool tn__gpu_have_dtypes(const tn_op_use_t* use) {
  for (size_t i = 0; i < use->operand_count + use->result_count; ++i) {
    const tn_type_t* type =
        i < use->operand_count ? use->operand_types[i] : use->result_types[i - use->operand_count];
    if (type->kind != TN_TYPE_TENSOR || !tn__gpu_dtype(type->dtype)) return false;
    if (type->rank > TN_GPU_MOST_DIMS) return false;
  }
  return use->result_count == 1;
}

bool tn__gpu_map_supports(const tn_op_use_t* use) {
  return tn__gpu_have_dtypes(use) && use->operand_count <= MOST_OPERANDS && tn__gpu_expression(use);
}

bool tn__gpu_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  const tn_type_t* type = use->operand_types[operand];
  const int64_t size = (int64_t)tn_dtype_byte_size(type->dtype);
  if (view->byte_offset % size) return false;
  for (size_t d = 0; view->strides && d < type->rank; ++d) {
    if (view->strides[d] % size) return false;
  }
  return true;
}

bool tn__gpu_element_strides(const tn_view_t* view, const tn_type_t* type, int64_t* out_strides) {
  tn__view_strides(view, type, out_strides);
  const bool is_dense = tn__strides_are_dense(type, out_strides);
  for (size_t d = 0; d < type->rank; ++d) {
    out_strides[d] /= (int64_t)tn_dtype_byte_size(type->dtype);
  }
  return is_dense;
}

// --- the pass over all elements: dimensions, and the strides of the operands that need them

typedef struct layout {
  size_t rank;
  int64_t dims[TN_GPU_MOST_DIMS];
  int64_t strides[MOST_OPERANDS][TN_GPU_MOST_DIMS];  // in elements
  read_t reads[MOST_OPERANDS];
} layout_t;

static layout_t layout_of(const tn_type_t* type) {
  layout_t layout = {.rank = type->rank};
  if (type->rank) memcpy(layout.dims, type->dims, type->rank * sizeof *type->dims);
  return layout;
}

static void set_view(layout_t* layout, size_t operand, const tn_type_t* type,
                     const tn_view_t* view) {
  if (!tn__gpu_element_strides(view, type, layout->strides[operand])) {
    layout->reads[operand] = READ_STRIDED;
  }
}

// Leaves out dimensions of size 1, and joins those that every operand walks through as if they were
// one.
static void collapse(layout_t* layout, size_t operand_count) {
  size_t rank = 0;
  for (size_t d = 0; d < layout->rank; ++d) {
    const int64_t dim = layout->dims[d];
    bool joins = rank > 0;
    if (dim == 1) continue;
    for (size_t k = 0; k < operand_count && joins; ++k) {
      const int64_t* strides = layout->strides[k];
      if (layout->reads[k] == READ_STRIDED) joins = strides[rank - 1] == strides[d] * dim;
    }
    if (!joins) layout->dims[rank++] = 1;
    layout->dims[rank - 1] *= dim;
    for (size_t k = 0; k < operand_count; ++k) {
      layout->strides[k][rank - 1] = layout->strides[k][d];
    }
  }
  layout->rank = rank;
}

// --- source

// The operation, as a function of values.
static void add_function(tn_gpu_source_t* source, const tn_op_use_t* use, const char* expression) {
  const tn_dtype_t result = use->result_types[0]->dtype;
  tn__gpu_add_words(source, use->operand_types[0]->dtype);
  tn__gpu_add(&source->functions, "TN_FN %s tn_value(", tn__gpu_dtype(result)->value);
  for (size_t k = 0; k < use->operand_count; ++k) {
    tn__gpu_add(&source->functions, "%s%s %c", k ? ", " : "",
                tn__gpu_dtype(use->operand_types[k]->dtype)->value, (int)('a' + k));
  }
  tn__gpu_add(&source->functions, ") {\n  return (%s)(%s)%s;\n}\n", tn__gpu_dtype(result)->value,
              expression, result == TN_DTYPE_PRED ? " != 0" : "");
}

static void add_places(tn_gpu_source_t* source, const layout_t* layout, size_t operand_count) {
  bool is_strided = false;
  for (size_t k = 0; k < operand_count; ++k) is_strided |= layout->reads[k] == READ_STRIDED;
  if (is_strided) tn__gpu_add_coordinates(source, layout->rank, layout->dims);
  for (size_t k = 0; k < operand_count; ++k) {
    if (layout->reads[k] != READ_STRIDED) continue;
    tn__gpu_add(&source->body, "  const long at%zu = 0", k);
    for (size_t d = 0; d < layout->rank; ++d) {
      const size_t stride = tn__gpu_add_number(source, layout->strides[k][d]);
      tn__gpu_add(&source->body, " + c%zu * n(%zu)", d, stride);
    }
    tn__gpu_add(&source->body, ";\n");
  }
}

static void add_store(tn_gpu_source_t* source, const tn_op_use_t* use, const layout_t* layout) {
  tn_gpu_text_t* body = &source->body;
  tn__gpu_add(body, "  STORE%s(y, i, tn_value(",
              tn__gpu_dtype(use->result_types[0]->dtype)->suffix);
  for (size_t k = 0; k < use->operand_count; ++k) {
    char place[32] = "i";
    if (layout->reads[k] == READ_SCALAR) place[0] = '0';
    if (layout->reads[k] == READ_STRIDED) snprintf(place, sizeof place, "at%zu", k);
    tn__gpu_add(body, "%sLOAD%s(x%zu, %s)", k ? ", " : "",
                tn__gpu_dtype(use->operand_types[k]->dtype)->suffix, k, place);
  }
  tn__gpu_add(body, "));\n");
}

static tn_status_t prepare(tn_kernel_site_t* site, layout_t* layout, int64_t byte_offset,
                           const char* expression) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  tn_gpu_state_t* state = NULL;
  tn_gpu_source_t source;
  collapse(layout, use->operand_count);
  tn__gpu_begin(&source, tn__type_size(result));
  for (size_t k = 0; k < use->operand_count; ++k) {
    tn__gpu_add_address(&source, (int32_t)k, byte_offset,
                        tn__gpu_dtype(use->operand_types[k]->dtype)->memory);
  }
  tn__gpu_add_address(&source, TN_GPU_RESULT, 0, tn__gpu_dtype(result->dtype)->memory);
  add_function(&source, use, expression);
  add_places(&source, layout, use->operand_count);
  add_store(&source, use, layout);
  TN_RETURN_IF_ERROR(tn__gpu_state_create(site, 1, &state));
  return tn__gpu_finish(site, state, 0, &source);
}

tn_status_t tn__gpu_map_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  layout_t layout = layout_of(use->result_types[0]);
  for (size_t k = 0; k < use->operand_count; ++k) {
    const tn_type_t* type = use->operand_types[k];
    if (type->rank == 0 && layout.rank) {
      layout.reads[k] = READ_SCALAR;
    } else if (site->views) {
      set_view(&layout, k, type, &site->views[k]);
    }
  }
  return prepare(site, &layout, 0, tn__gpu_expression(use));
}

// The result is the operand, read as the operation says.
tn_status_t tn__gpu_view_prepare(tn_kernel_site_t* site) {
  static const tn_view_t dense;
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  layout_t layout = layout_of(result);
  tn_view_t view = {0};
  bool is_view = tn__type_size(result) == 0;
  if (!is_view) TN_RETURN_IF_ERROR(tn__view_of_result(use, &dense, &view, &is_view));
  if (!is_view) {
    return tn_status_create(TN_CODE_INTERNAL, "%s is no view of its operand", use->op->name);
  }
  set_view(&layout, 0, result, &view);
  return prepare(site, &layout, view.byte_offset, "a");
}
