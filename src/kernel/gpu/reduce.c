// Reductions by one operation: an item folds up to LONGEST elements, and what comes of them is
// folded again, in the order of the elements.
#include <string.h>

#include "base/type.h"
#include "kernel/body_shape.h"
#include "kernel/gpu/source.h"

enum { LONGEST = 1024 };

// The operation of the region, of its two arguments; NULL: it is another.
static const tn_op_t* operation_of(const tn_op_use_t* use) {
  tn_arena_t arena;
  tn_body_shape_t body = {.binary = NULL};
  if (use->region_count != 1 || !use->regions[0].region) return NULL;
  tn__arena_init(&arena, tn_allocator_system());
  tn_status_release(tn__body_shape(use->regions[0].region, &arena, &body));
  tn__arena_deinit(&arena);
  return body.binary;
}

bool tn__gpu_reduce_supports(const tn_op_use_t* use) {
  if (use->operand_count != 2 || !tn__gpu_have_dtypes(use)) return false;
  const tn_dtype_t dtype = use->operand_types[0]->dtype;
  const tn_op_t* op = operation_of(use);
  return op && dtype == use->result_types[0]->dtype && dtype == use->operand_types[1]->dtype &&
         tn__gpu_scalar_expression(op, dtype);
}

bool tn__gpu_takes_first_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  return operand == 0 && tn__gpu_takes_view(use, operand, view);
}

// What a stage reads: rows, each of which it folds to `part_count` values.
typedef struct rows {
  size_t kept_count, folded_count;
  int64_t kept_dims[TN_GPU_MOST_DIMS], kept_strides[TN_GPU_MOST_DIMS];
  int64_t folded_dims[TN_GPU_MOST_DIMS], folded_strides[TN_GPU_MOST_DIMS];
  int64_t count, length;
  bool is_operand;      // else values that the stage before has left in the scratch memory
  int64_t byte_offset;  // there
} rows_t;

static tn_status_t rows_of(const tn_kernel_site_t* site, rows_t* out) {
  const tn_op_use_t* use = site->use;
  const tn_type_t* operand = use->operand_types[0];
  int64_t strides[TN_MAX_RANK];
  tn_i64_list_t folded;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&use->attrs, "dimensions", site->arena, &folded));
  tn__gpu_element_strides(site->views ? &site->views[0] : NULL, operand, strides);
  *out = (rows_t){.count = 1, .length = 1, .is_operand = true};
  for (size_t d = 0; d < operand->rank; ++d) {
    bool is_folded = false;
    for (size_t k = 0; k < folded.count; ++k) is_folded |= folded.values[k] == (int64_t)d;
    if (is_folded) {
      out->folded_dims[out->folded_count] = operand->dims[d];
      out->folded_strides[out->folded_count++] = strides[d];
      out->length *= operand->dims[d];
    } else {
      out->kept_dims[out->kept_count] = operand->dims[d];
      out->kept_strides[out->kept_count++] = strides[d];
      out->count *= operand->dims[d];
    }
  }
  return TN_OK;
}

// Writes `at` of element j of a row: its place from the row's first.
static void add_place(tn_gpu_source_t* source, const rows_t* rows) {
  tn_gpu_text_t* body = &source->body;
  tn__gpu_add(body, "    long at = start, rest = j;\n");
  for (size_t d = rows->folded_count; d-- > 0;) {
    const size_t dim = tn__gpu_add_number(source, rows->folded_dims[d]);
    const size_t stride = tn__gpu_add_number(source, rows->folded_strides[d]);
    if (d) {
      tn__gpu_add(body, "    at += rest %% n(%zu) * n(%zu);\n    rest /= n(%zu);\n", dim, stride,
                  dim);
    } else {
      tn__gpu_add(body, "    at += rest * n(%zu);\n", stride);
    }
  }
}

static void write_stage(tn_gpu_source_t* source, const tn_kernel_site_t* site, const rows_t* rows,
                        int64_t part_count, int64_t to) {
  const tn_dtype_t words = site->use->operand_types[0]->dtype;
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(words);
  const bool is_last = part_count == 1;
  const char* load = rows->is_operand ? dtype->suffix : "";
  tn_gpu_text_t* body = &source->body;
  tn__gpu_begin(source, rows->count * part_count);
  tn__gpu_add_address(source, rows->is_operand ? 0 : TN_GPU_SCRATCH, rows->byte_offset,
                      rows->is_operand ? dtype->memory : dtype->value);
  if (is_last) tn__gpu_add_address(source, 1, 0, dtype->memory);
  tn__gpu_add_address(source, is_last ? TN_GPU_RESULT : TN_GPU_SCRATCH, to,
                      is_last ? dtype->memory : dtype->value);
  tn__gpu_add_words(source, words);
  tn__gpu_add(&source->functions, "TN_FN T tn_fold(T a, T b) {\n  return (T)(%s)%s;\n}\n",
              tn__gpu_scalar_expression(site->bodies[0].binary, words),
              words == TN_DTYPE_PRED ? " != 0" : "");
  const size_t parts = tn__gpu_add_number(source, part_count);
  const size_t length = tn__gpu_add_number(source, rows->length);
  const size_t chunk = tn__gpu_add_number(source, is_last ? rows->length : LONGEST);
  tn__gpu_add(body, "  const long row = i / n(%zu), first = i %% n(%zu) * n(%zu);\n", parts, parts,
              chunk);
  tn__gpu_add(body, "  const long end = min(first + n(%zu), n(%zu));\n", chunk, length);
  tn__gpu_add(body, "  long start = 0, kept = row;\n");
  for (size_t d = rows->kept_count; d-- > 0;) {
    const size_t dim = tn__gpu_add_number(source, rows->kept_dims[d]);
    const size_t stride = tn__gpu_add_number(source, rows->kept_strides[d]);
    tn__gpu_add(body, "  start += kept %% n(%zu) * n(%zu);\n  kept /= n(%zu);\n", dim, stride, dim);
  }
  tn__gpu_add(body, "  T sum = 0;\n  for (long j = first; j < end; ++j) {\n");
  add_place(source, rows);
  tn__gpu_add(body, "    const T x = LOAD%s(x0, at);\n", load);
  tn__gpu_add(body, "    sum = j == first ? x : tn_fold(sum, x);\n  }\n");
  if (is_last) {
    tn__gpu_add(body, "  const T begin = LOAD%s(x1, 0);\n", dtype->suffix);
    tn__gpu_add(body, "  STORE%s(y, i, first < end ? tn_fold(begin, sum) : begin);\n",
                dtype->suffix);
  } else {
    tn__gpu_add(body, "  y[i] = sum;\n");
  }
}

static int64_t parts_of(int64_t length) {
  return length <= LONGEST ? 1 : (length + LONGEST - 1) / LONGEST;
}

tn_status_t tn__gpu_reduce_prepare(tn_kernel_site_t* site) {
  rows_t rows;
  tn_gpu_source_t source;
  tn_gpu_state_t* state = NULL;
  size_t stage_count = 1;
  TN_RETURN_IF_ERROR(rows_of(site, &rows));
  for (int64_t n = rows.length; n > LONGEST; n = parts_of(n)) ++stage_count;
  TN_RETURN_IF_ERROR(tn__gpu_state_create(site, stage_count, &state));
  for (size_t i = 0; i < stage_count; ++i) {
    const int64_t part_count = parts_of(rows.length), to = (int64_t)site->scratch_byte_size;
    const bool is_last = part_count == 1;
    write_stage(&source, site, &rows, part_count, is_last ? 0 : to);
    TN_RETURN_IF_ERROR(tn__gpu_finish(site, state, i, &source));
    if (is_last) break;
    site->scratch_byte_size += (size_t)(rows.count * part_count) * sizeof(int64_t);
    rows = (rows_t){.kept_count = 1,
                    .folded_count = 1,
                    .kept_dims = {rows.count},
                    .kept_strides = {part_count},
                    .folded_dims = {part_count},
                    .folded_strides = {1},
                    .count = rows.count,
                    .length = part_count,
                    .byte_offset = to};
  }
  site->holds_regions = true;
  return TN_OK;
}
