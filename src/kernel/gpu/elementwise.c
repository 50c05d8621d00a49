// A result for each element of the operands, which may be views, or scalars.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/type.h"
#include "kernel/gpu/gpu.h"

// How an operand is read.
typedef enum read {
  READ_DENSE,
  READ_SCALAR,
  READ_STRIDED,
} read_t;

// The struct that the kernel takes, as a list: the number of elements, then if an operand is
// strided the dimensions, and for each such operand its strides, in elements.
enum { MOST_NUMBERS = 1 + TN_GPU_MOST_DIMS * (1 + TN_GPU_MOST_OPERANDS) };

typedef struct state {
  tn_device_code_t code;
  size_t operand_count, number_count;
  int64_t byte_offset;  // of the first operand, of views
  int64_t numbers[MOST_NUMBERS];
} state_t;

static const tn_gpu_dtype_t* dtype_of(const tn_type_t* type) {
  return type->kind == TN_TYPE_TENSOR ? tn__gpu_dtype(type->dtype) : NULL;
}

static bool have_dtypes(const tn_op_use_t* use) {
  if (use->operand_count > TN_GPU_MOST_OPERANDS || use->result_count != 1) return false;
  for (size_t i = 0; i < use->operand_count; ++i) {
    if (!dtype_of(use->operand_types[i])) return false;
  }
  return dtype_of(use->result_types[0]);
}

bool tn__gpu_map_supports(const tn_op_use_t* use) {
  return have_dtypes(use) && tn__gpu_expression(use);
}

bool tn__gpu_view_supports(const tn_op_use_t* use) {
  return have_dtypes(use) && use->result_types[0]->rank <= TN_GPU_MOST_DIMS;
}

bool tn__gpu_map_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  const tn_type_t* type = use->operand_types[operand];
  const int64_t size = (int64_t)tn_dtype_byte_size(type->dtype);
  if (type->rank > TN_GPU_MOST_DIMS || view->byte_offset % size) return false;
  for (size_t d = 0; view->strides && d < type->rank; ++d) {
    if (view->strides[d] % size) return false;
  }
  return true;
}

// --- source

typedef struct text {
  char bytes[4096];
  size_t length;
} text_t;

__attribute__((format(printf, 2, 3))) static void add(text_t* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const size_t room = sizeof text->bytes - text->length;
  const int length = vsnprintf(text->bytes + text->length, room, format, arguments);
  va_end(arguments);
  if (length > 0) text->length += (size_t)length < room ? (size_t)length : room - 1;
}

// The operation, as a function of values. Its words are about T.
static void add_function(text_t* text, const tn_op_use_t* use, const char* expression) {
  static const char names[] = "abc";
  const tn_dtype_t result = use->result_types[0]->dtype;
  const tn_type_t* first = use->operand_count ? use->operand_types[0] : use->result_types[0];
  const tn_gpu_dtype_t* words = tn__gpu_dtype(first->dtype);
  add(text, "#define T %s\n#define UNSIGNED %s\n#define SIGNED %s\n#define BITS %d\n", words->value,
      words->unsigned_value, words->signed_value, words->bits);
  add(text, "TN_FN %s tn_value(", tn__gpu_dtype(result)->value);
  for (size_t i = 0; i < use->operand_count; ++i) {
    const tn_gpu_dtype_t* dtype = tn__gpu_dtype(use->operand_types[i]->dtype);
    add(text, "%s%s %c", i ? ", " : "", dtype->value, names[i]);
  }
  const bool is_truth = result == TN_DTYPE_PRED;
  add(text, ") {\n  return (%s)(%s)%s;\n}\n", tn__gpu_dtype(result)->value, expression,
      is_truth ? " != 0" : "");
}

static void add_parameters(text_t* text, const tn_op_use_t* use) {
  for (size_t i = 0; i < use->operand_count; ++i) {
    const tn_gpu_dtype_t* dtype = tn__gpu_dtype(use->operand_types[i]->dtype);
    add(text, "TN_GLOBAL const %s* x%zu, ", dtype->memory, i);
  }
  add(text, "TN_GLOBAL %s* y, tn_numbers_t numbers",
      tn__gpu_dtype(use->result_types[0]->dtype)->memory);
}

// The place of element `i` in each strided operand.
static void add_places(text_t* text, size_t operand_count, const read_t* reads, size_t rank) {
  size_t strided_count = 0;
  for (size_t k = 0; k < operand_count; ++k) {
    if (reads[k] == READ_STRIDED) add(text, "  long at%zu = 0;\n", k);
    strided_count += reads[k] == READ_STRIDED;
  }
  if (strided_count == 0) return;
  add(text, "  ulong rest = i;\n");
  for (size_t d = rank; d-- > 0;) {
    add(text,
        "  {\n    const long c = rest %% (ulong)numbers.n[%zu];\n    rest /= "
        "(ulong)numbers.n[%zu];\n",
        1 + d, 1 + d);
    for (size_t k = 0, next = 1; k < operand_count; ++k) {
      if (reads[k] != READ_STRIDED) continue;
      add(text, "    at%zu += c * numbers.n[%zu];\n", k, 1 + next++ * rank + d);
    }
    add(text, "  }\n");
  }
}

static void add_kernel(text_t* text, const tn_op_use_t* use, const read_t* reads, size_t rank,
                       size_t number_count) {
  const tn_gpu_dtype_t* result = tn__gpu_dtype(use->result_types[0]->dtype);
  add(text, "typedef struct { long n[%zu]; } tn_numbers_t;\nTN_KERNEL void %s(", number_count,
      TN_ENTRY);
  add_parameters(text, use);
  add(text, ") {\n  const ulong i = tn_item();\n  if (i >= (ulong)numbers.n[0]) return;\n");
  add_places(text, use->operand_count, reads, rank);
  add(text, "  STORE%s(y, i, tn_value(", result->suffix);
  for (size_t k = 0; k < use->operand_count; ++k) {
    char place[32] = "i";
    if (reads[k] == READ_SCALAR) place[0] = '0';
    if (reads[k] == READ_STRIDED) snprintf(place, sizeof place, "at%zu", k);
    add(text, "%sLOAD%s(x%zu, %s)", k ? ", " : "",
        tn__gpu_dtype(use->operand_types[k]->dtype)->suffix, k, place);
  }
  add(text, "));\n}\n");
}

// --- preparing

// Of one pass over all elements: dimensions, and the strides of the operands that need them.
typedef struct layout {
  size_t rank;
  int64_t dims[TN_GPU_MOST_DIMS];
  int64_t strides[TN_GPU_MOST_OPERANDS][TN_GPU_MOST_DIMS];  // in elements
  read_t reads[TN_GPU_MOST_OPERANDS];
} layout_t;

static void add_operand(layout_t* layout, size_t index, const tn_type_t* type,
                        const tn_view_t* view) {
  const size_t size = tn_dtype_byte_size(type->dtype);
  int64_t strides[TN_MAX_RANK] = {0};
  tn__view_strides(view, type, strides);
  if (tn__strides_are_dense(type, strides)) return;
  layout->reads[index] = READ_STRIDED;
  for (size_t d = 0; d < type->rank; ++d) {
    layout->strides[index][d] = strides[d] / (int64_t)size;
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
      if (layout->reads[k] != READ_STRIDED) continue;
      joins = strides[rank - 1] == strides[d] * dim;
    }
    if (!joins) layout->dims[rank++] = 1;
    layout->dims[rank - 1] *= dim;
    for (size_t k = 0; k < operand_count; ++k) {
      layout->strides[k][rank - 1] = layout->strides[k][d];
    }
  }
  layout->rank = rank;
}

static tn_status_t prepare(tn_kernel_site_t* site, layout_t* layout, const char* expression) {
  const tn_op_use_t* use = site->use;
  state_t* state = NULL;
  text_t text = {.length = 0};
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(site->arena, &state));
  collapse(layout, use->operand_count);
  state->operand_count = use->operand_count;
  state->numbers[state->number_count++] = tn__type_size(use->result_types[0]);
  bool is_strided = false;
  for (size_t k = 0; k < use->operand_count; ++k) is_strided |= layout->reads[k] == READ_STRIDED;
  for (size_t d = 0; is_strided && d < layout->rank; ++d) {
    state->numbers[state->number_count++] = layout->dims[d];
  }
  for (size_t k = 0; k < use->operand_count; ++k) {
    for (size_t d = 0; layout->reads[k] == READ_STRIDED && d < layout->rank; ++d) {
      state->numbers[state->number_count++] = layout->strides[k][d];
    }
  }
  add_function(&text, use, expression);
  add_kernel(&text, use, layout->reads, layout->rank, state->number_count);
  tn_string_view_t kept;
  TN_RETURN_IF_ERROR(
      tn__arena_copy_string(site->arena, (tn_string_view_t){text.bytes, text.length}, &kept));
  state->code = (tn_device_code_t){.text = kept.data, .operation = use->op->name};
  site->state = state;
  return TN_OK;
}

tn_status_t tn__gpu_map_prepare(tn_kernel_site_t* site) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  layout_t layout = {.rank = result->rank <= TN_GPU_MOST_DIMS ? result->rank : 0};
  memcpy(layout.dims, result->dims, layout.rank * sizeof *layout.dims);
  for (size_t k = 0; k < use->operand_count; ++k) {
    const tn_type_t* type = use->operand_types[k];
    if (type->rank == 0 && result->rank) {
      layout.reads[k] = READ_SCALAR;
    } else if (site->views) {
      add_operand(&layout, k, type, &site->views[k]);
    }
  }
  return prepare(site, &layout, tn__gpu_expression(use));
}

// The result is the operand, read as the operation says.
tn_status_t tn__gpu_view_prepare(tn_kernel_site_t* site) {
  static const tn_view_t dense;
  const tn_op_use_t* use = site->use;
  const tn_type_t* result = use->result_types[0];
  layout_t layout = {.rank = result->rank};
  memcpy(layout.dims, result->dims, layout.rank * sizeof *layout.dims);
  tn_view_t view = {0};
  bool is_view = tn__type_size(result) == 0;
  if (!is_view) TN_RETURN_IF_ERROR(tn__view_of_result(use, &dense, &view, &is_view));
  if (!is_view) {
    return tn_status_create(TN_CODE_INTERNAL, "%s is no view of its operand", use->op->name);
  }
  add_operand(&layout, 0, result, &view);
  TN_RETURN_IF_ERROR(prepare(site, &layout, "a"));
  ((state_t*)site->state)->byte_offset = view.byte_offset;
  return TN_OK;
}

tn_status_t tn__gpu_map_run(const tn_kernel_call_t* call) {
  const state_t* state = call->state;
  void* addresses[TN_GPU_MOST_OPERANDS + 1];
  for (size_t i = 0; i < state->operand_count; ++i) addresses[i] = (void*)call->operands[i];
  addresses[0] = (char*)addresses[0] + state->byte_offset;
  addresses[state->operand_count] = call->results[0];
  tn_encoder_t* encoder = call->context->encoder;
  return encoder->dispatch(encoder,
                           &(tn_dispatch_t){.code = &state->code,
                                            .item_count = (size_t)state->numbers[0],
                                            .address_count = state->operand_count + 1,
                                            .addresses = addresses,
                                            .bytes = state->numbers,
                                            .byte_size = state->number_count * sizeof(int64_t)});
}
