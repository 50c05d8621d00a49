// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Reductions: an item folds a part of a row, and what comes of the parts is folded again, in the
// order of the elements. Where items of a group read together (tn_compile_target_t.has_lanes),
// those that are neighbours have parts of neighbouring rows; a row whose elements are neighbours is
// folded by lanes of one group, if the operation takes them in any order.
#include <string.h>

#include "base/integer.h"
#include "base/type.h"
#include "kernel/body_shape.h"
#include "kernel/gpu/fold.h"
#include "kernel/gpu/region.h"
#include "kernel/target.h"

enum {
  LONGEST = 1024,  // part of an item
  SHORTEST = 32,
  ENOUGH_ITEMS = 1 << 16,  // to fill a device
  ENOUGH_LANES = 1 << 18,
  ENOUGH_GROUPS = 1 << 10,
  LONGEST_OF_GROUP = 64 * TN_GPU_GROUP_SIZE,
  LEVEL_LIMIT = 16,
};

const tn_op_t* tn__gpu_fold_operation(const tn_region_t* region) {
  tn_arena_t arena;
  tn_arena_room_t room;
  tn_body_shape_t body = {.binary = NULL};
  tn__arena_init_in(&arena, tn_allocator_system(), &room);
  tn_status_release(tn__body_shape(region, &arena, &body));
  tn__arena_deinit(&arena);
  return body.binary;
}

tn_status_t tn__gpu_add_fold(tn_gpu_source_t* source, const tn_op_use_t* use) {
  const tn_region_t* region = use->regions[0].region;
  const tn_dtype_t dtype = region->arguments[0].type->dtype;
  const tn_op_t* op = tn__gpu_fold_operation(region);
  const char* expression = op ? tn__gpu_scalar_expression(op, dtype) : NULL;
  if (!expression || tn_dtype_kind(dtype) == TN_KIND_COMPLEX)
    return tn__gpu_add_region(source, region, "tn_fold");
  // Sums of narrow floats are not rounded on the way.
  tn__gpu_add_words(source, dtype);
  tn__gpu_add(&source->functions, "TN_FN void tn_fold(T a, T b, T* to) {\n  *to = (T)(%s)%s;\n}\n",
              expression, dtype == TN_DTYPE_PRED ? " != 0" : "");
  return TN_OK;
}

bool tn__gpu_folds(const tn_op_use_t* use) {
  const size_t count = use->result_count;
  if (use->region_count != 1 || count == 0 || count > TN_GPU_MOST_FOLDED ||
      use->operand_count != 2 * count || !tn__gpu_know_types(use)) {
    return false;
  }
  const tn_region_t* region = use->regions[0].region;
  if (!tn__gpu_region_is_elementwise(region) || region->argument_count != 2 * count) return false;
  for (size_t k = 0; k < 2 * count; ++k) {
    const tn_dtype_t dtype = region->arguments[k].type->dtype;
    if (dtype != use->operand_types[k]->dtype || dtype != use->result_types[k % count]->dtype ||
        dtype != region->last->operands[k % count]->type->dtype) {
      return false;
    }
  }
  return true;
}

bool tn__gpu_reduce_takes_view(const tn_op_use_t* use, size_t operand, const tn_view_t* view) {
  return operand < use->result_count && tn__gpu_takes_view(use, operand, view);
}

// --- stages

// Dimensions that a stage keeps, or folds.
typedef struct loops {
  size_t count;
  int64_t dims[TN_GPU_MOST_DIMS];
  int64_t strides[TN_GPU_MOST_FOLDED][TN_GPU_MOST_DIMS];  // by operand
} loops_t;

// What a stage reads: rows, each of which it folds to `part_count` values.
typedef struct rows {
  loops_t kept, folded;
  int64_t count, length;
  bool is_first;                             // else values that the stage before has left
  int64_t byte_offsets[TN_GPU_MOST_FOLDED];  // there
} rows_t;

// Dimensions that follow each other in memory are one.
static void add_dim(const tn_gpu_fold_t* fold, rows_t* rows, bool is_folded, size_t d,
                    int64_t const (*strides)[TN_MAX_RANK]) {
  loops_t* loops = is_folded ? &rows->folded : &rows->kept;
  const int64_t dim = fold->use->operand_types[0]->dims[d];
  bool joins = loops->count;
  for (size_t k = 0; k < fold->use->result_count && joins; ++k) {
    joins = loops->strides[k][loops->count - 1] == strides[k][d] * dim;
  }
  if (!joins) loops->dims[loops->count++] = 1;
  loops->dims[loops->count - 1] *= dim;
  for (size_t k = 0; k < fold->use->result_count; ++k) {
    loops->strides[k][loops->count - 1] = strides[k][d];
  }
  *(is_folded ? &rows->length : &rows->count) *= dim;
}

static tn_status_t rows_of(const tn_gpu_fold_t* fold, tn_arena_t* arena, rows_t* out) {
  const tn_op_use_t* use = fold->use;
  int64_t strides[TN_GPU_MOST_FOLDED][TN_MAX_RANK];
  tn_i64_list_t folded;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&use->attrs, "dimensions", arena, &folded));
  for (size_t k = 0; k < use->result_count; ++k) {
    tn__gpu_element_strides(fold->views ? &fold->views[k] : NULL, use->operand_types[k],
                            strides[k]);
  }
  *out = (rows_t){.count = 1, .length = 1, .is_first = true};
  for (size_t d = 0; d < use->operand_types[0]->rank; ++d) {
    bool is_folded = false;
    for (size_t k = 0; k < folded.count; ++k) is_folded |= folded.values[k] == (int64_t)d;
    add_dim(fold, out, is_folded, d, (int64_t const(*)[TN_MAX_RANK])strides);
  }
  return TN_OK;
}

// Adds to each `to`k what element `index` of the loops is away from the first.
static void add_places(tn_gpu_source_t* source, const loops_t* loops, size_t count,
                       const char* index, const char* to) {
  tn_gpu_text_t* body = &source->body;
  const char* type = tn__gpu_index_type(loops->count, loops->dims);
  if (loops->count == 0) return;
  tn__gpu_add(body, "    {\n      %s rest = (%s)%s;\n", type, type, index);
  for (size_t d = loops->count; d-- > 0;) {
    const size_t dim = tn__gpu_add_number(source, loops->dims[d]);
    for (size_t k = 0; k < count; ++k) {
      const size_t stride = tn__gpu_add_number(source, loops->strides[k][d]);
      if (d) {
        tn__gpu_add(body, "      %s%zu += rest %% (%s)n(%zu) * n(%zu);\n", to, k, type, dim,
                    stride);
      } else {
        tn__gpu_add(body, "      %s%zu += rest * n(%zu);\n", to, k, stride);
      }
    }
    if (d) tn__gpu_add(body, "      rest /= (%s)n(%zu);\n", type, dim);
  }
  tn__gpu_add(body, "    }\n");
}

// name0, name1... before `after`, `count` of them.
static void add_list(tn_gpu_text_t* text, const char* before, const char* name, size_t count,
                     const char* after) {
  tn__gpu_add(text, "%s", before);
  for (size_t k = 0; k < count; ++k) tn__gpu_add(text, "%s%s%zu", k ? ", " : "", name, k);
  tn__gpu_add(text, "%s", after);
}

void tn__gpu_add_fold_call(tn_gpu_text_t* text, size_t count, const char* left, const char* right) {
  add_list(text, "tn_fold(", left, count, ", ");
  add_list(text, "", right, count, ", ");
  add_list(text, "", "&s", count, ");\n");
}

static tn_status_t add_elements(tn_gpu_source_t* source, const tn_gpu_fold_t* fold,
                                const rows_t* rows) {
  tn_gpu_text_t* body = &source->body;
  const bool is_made = rows->is_first && fold->add_element;
  for (size_t k = 0; k < fold->use->result_count; ++k) {
    const tn_gpu_dtype_t* dtype = tn__gpu_dtype(fold->use->result_types[k]->dtype);
    tn__gpu_add(body, "    %s e%zu;\n", dtype->value, k);
    if (is_made) return fold->add_element(source, fold->user);
    const size_t x =
        tn__gpu_add_address(source, rows->is_first ? (int32_t)k : TN_GPU_SCRATCH,
                            rows->byte_offsets[k], rows->is_first ? dtype->memory : dtype->value);
    tn__gpu_add(body, "    e%zu = LOAD%s(x%zu, at%zu);\n", k, rows->is_first ? dtype->suffix : "",
                x, k);
  }
  return TN_OK;
}

// How a stage goes through its rows.
typedef struct stage {
  int64_t lane_count;  // that fold a part together; 1: items alone
  int64_t chunk, part_count;
} stage_t;

// Writes `name`0, `name`1...: what rows begin with.
static void add_begins(tn_gpu_source_t* source, const tn_gpu_fold_t* fold, const char* name) {
  tn_gpu_text_t* body = &source->body;
  for (size_t k = 0; k < fold->use->result_count; ++k) {
    const tn_gpu_dtype_t* dtype = tn__gpu_dtype(fold->use->result_types[k]->dtype);
    if (fold->begins[k] < 0) {
      tn__gpu_add_helpers(source, fold->literal);
      tn__gpu_add(body, "  %s %s%zu = %s;\n", dtype->value, name, k, fold->literal);
      continue;
    }
    const size_t x = tn__gpu_add_address(source, fold->begins[k], 0, dtype->memory);
    tn__gpu_add(body, "  %s %s%zu = LOAD%s(x%zu, 0);\n", dtype->value, name, k, dtype->suffix, x);
  }
}

// Writes the values: to the results, or, for the stage that reads `next`, to the scratch memory.
static void add_stores(tn_gpu_source_t* source, const tn_gpu_fold_t* fold, const rows_t* next,
                       const char* condition) {
  for (size_t k = 0; k < fold->use->result_count; ++k) {
    const tn_gpu_dtype_t* dtype = tn__gpu_dtype(fold->use->result_types[k]->dtype);
    const size_t y =
        next ? tn__gpu_add_output(source, TN_GPU_SCRATCH, next->byte_offsets[k], dtype->value)
             : tn__gpu_add_output(source, TN_GPU_RESULT(fold->first_result + k), 0, dtype->memory);
    tn__gpu_add(&source->body, "  %sSTORE%s(y%zu, unit, s%zu);\n", condition,
                next ? "" : dtype->suffix, y, k);
  }
}

// Writes unit (a part of a row), row, and which elements of it the item folds: first, first +
// step...
static void add_unit(tn_gpu_source_t* source, const tn_gpu_fold_t* fold, const rows_t* rows,
                     const stage_t* stage) {
  tn_gpu_text_t* body = &source->body;
  const size_t count = tn__gpu_add_number(source, rows->count);
  const size_t length = tn__gpu_add_number(source, rows->length);
  const size_t chunk = tn__gpu_add_number(source, stage->chunk);
  if (stage->lane_count == 1) {
    tn__gpu_add(body, "  const long unit = i, place = 0, step = 1;\n  const int is_there = 1;\n");
  } else {
    const size_t units = tn__gpu_add_number(source, rows->count * stage->part_count);
    for (size_t k = 0; k < fold->use->result_count; ++k) {
      tn__gpu_add(body, "  TN_SHARED %s shared%zu[%d];\n",
                  tn__gpu_dtype(fold->use->result_types[k]->dtype)->value, k, TN_GPU_GROUP_SIZE);
    }
    tn__gpu_add(body,
                "  const long lane = tn_lane(0), step = %lld, place = lane %% step;\n"
                "  const long unit = (tn_group(0) * %d + lane) / step;\n"
                "  const int is_there = unit < n(%zu);\n",
                (long long)stage->lane_count, TN_GPU_GROUP_SIZE, units);
  }
  tn__gpu_add(body,
              "  const long row = unit %% n(%zu), begin = unit / n(%zu) * n(%zu);\n"
              "  const long first = begin + place;\n"
              "  const long end = is_there ? min(begin + n(%zu), n(%zu)) : begin;\n",
              count, count, chunk, chunk, length);
}

// What the lanes of a part have becomes one value, in the first one.
static void add_lanes(tn_gpu_source_t* source, const tn_gpu_fold_t* fold, const rows_t* rows) {
  const size_t count = fold->use->result_count;
  tn_gpu_text_t* body = &source->body;
  for (size_t k = 0; k < count; ++k) tn__gpu_add(body, "  shared%zu[lane] = s%zu;\n", k, k);
  tn__gpu_add(body,
              "  for (long width = step / 2; width > 0; width /= 2) {\n"
              "    tn_barrier();\n"
              "    if (place < width && first + width < end) {\n");
  for (size_t k = 0; k < count; ++k) {
    tn__gpu_add(body, "      const %s e%zu = shared%zu[lane + width];\n",
                tn__gpu_dtype(fold->use->result_types[k]->dtype)->value, k, k);
  }
  tn__gpu_add(body, "      ");
  tn__gpu_add_fold_call(body, count, "s", "e");
  for (size_t k = 0; k < count; ++k) tn__gpu_add(body, "      shared%zu[lane] = s%zu;\n", k, k);
  tn__gpu_add(body, "    }\n  }\n");
  if (!rows->is_first) return;
  add_begins(source, fold, "b");
  tn__gpu_add(body, "  if (first == 0) ");
  tn__gpu_add_fold_call(body, count, "b", "s");
}

// `next`: NULL when it is the last one.
static tn_status_t write_stage(tn_gpu_source_t* source, tn_arena_t* arena,
                               const tn_gpu_fold_t* fold, const rows_t* rows, const stage_t* stage,
                               const rows_t* next) {
  const tn_op_use_t* use = fold->use;
  const size_t count = use->result_count;
  const bool has_lanes = stage->lane_count > 1;
  tn_gpu_text_t* body = &source->body;
  tn__gpu_begin(source, arena, rows->count * stage->part_count * stage->lane_count);
  source->is_grouped = has_lanes;
  TN_RETURN_IF_ERROR(tn__gpu_add_fold(source, use));
  add_unit(source, fold, rows, stage);
  for (size_t k = 0; k < count; ++k) tn__gpu_add(body, "  long start%zu = 0;\n", k);
  add_places(source, &rows->kept, count, "row", "start");
  if (rows->is_first && !has_lanes) {
    add_begins(source, fold, "s");
  } else {
    for (size_t k = 0; k < count; ++k) {
      tn__gpu_add(body, "  %s s%zu = {0};\n", tn__gpu_dtype(use->result_types[k]->dtype)->value, k);
    }
  }
  tn__gpu_add(body, "  UNROLL\n  for (long j = first; j < end; j += step) {\n");
  for (size_t k = 0; k < count; ++k) tn__gpu_add(body, "    long at%zu = start%zu;\n", k, k);
  add_places(source, &rows->folded, count, "j", "at");
  TN_RETURN_IF_ERROR(add_elements(source, fold, rows));
  tn__gpu_add(body, "    if (%sj == first) {\n", rows->is_first && !has_lanes ? "first && " : "");
  for (size_t k = 0; k < count; ++k) tn__gpu_add(body, "      s%zu = e%zu;\n", k, k);
  tn__gpu_add(body, "    } else {\n      ");
  tn__gpu_add_fold_call(body, count, "s", "e");
  tn__gpu_add(body, "    }\n  }\n");
  if (has_lanes) add_lanes(source, fold, rows);
  add_stores(source, fold, next, has_lanes ? "if (place == 0 && is_there) " : "");
  return TN_OK;
}

// --- how many stages there are

static int64_t ceil_log(int64_t value) {
  int64_t power = 1;
  while (power < value) power *= 2;
  return power;
}

// Whether lanes of a group fold a row together.
static bool fit_lanes(const tn_gpu_fold_t* fold, const rows_t* rows) {
  const tn_op_t* op = tn__gpu_fold_operation(fold->use->regions[0].region);
  const size_t last = rows->folded.count - 1;
  return op && tn__op_has(op, TN_COMMUTATIVE) && rows->folded.count &&
         rows->folded.strides[0][last] == 1 && rows->folded.dims[last] >= SHORTEST;
}

static stage_t stage_of(const tn_gpu_fold_t* fold, const rows_t* rows, bool has_lanes) {
  stage_t stage = {.lane_count = 1, .chunk = LONGEST, .part_count = 1};
  int64_t least = LONGEST, enough = ENOUGH_ITEMS;
  if (has_lanes && fit_lanes(fold, rows)) {
    const int64_t lanes = ceil_log(tn__ceil_divide(rows->length, 4));
    stage.lane_count = lanes < SHORTEST            ? SHORTEST
                       : lanes > TN_GPU_GROUP_SIZE ? TN_GPU_GROUP_SIZE
                                                   : lanes;
    stage.chunk = LONGEST_OF_GROUP;
    enough = ENOUGH_GROUPS;
  } else if (has_lanes) {
    least = SHORTEST;
    enough = ENOUGH_LANES;
  }
  while (stage.chunk > least && rows->count * tn__ceil_divide(rows->length, stage.chunk) < enough) {
    stage.chunk /= 2;
  }
  if (stage.chunk < rows->length) stage.part_count = tn__ceil_divide(rows->length, stage.chunk);
  return stage;
}

// What the stage reads that follows one over `rows`.
static rows_t rows_behind(const rows_t* rows, size_t operand_count, int64_t part_count,
                          size_t* scratch_byte_size) {
  rows_t next = {.kept = {.count = 1, .dims = {rows->count}},
                 .folded = {.count = 1, .dims = {part_count}},
                 .count = rows->count,
                 .length = part_count};
  for (size_t k = 0; k < operand_count; ++k) {
    next.kept.strides[k][0] = 1;
    next.folded.strides[k][0] = rows->count;
    next.byte_offsets[k] = (int64_t)*scratch_byte_size;
    *scratch_byte_size += (size_t)(rows->count * part_count) * sizeof(int64_t);
  }
  return next;
}

tn_status_t tn__gpu_fold_prepare(tn_kernel_site_t* site, const tn_gpu_fold_t* fold) {
  rows_t rows[LEVEL_LIMIT];
  stage_t stages[LEVEL_LIMIT];
  tn_gpu_source_t source;
  tn_gpu_state_t* state = NULL;
  size_t count = 0;
  TN_RETURN_IF_ERROR(rows_of(fold, site->arena, &rows[0]));
  for (;; ++count) {
    stages[count] = stage_of(fold, &rows[count], site->target->has_lanes);
    if (stages[count].part_count == 1) break;
    rows[count + 1] = rows_behind(&rows[count], fold->use->result_count, stages[count].part_count,
                                  &site->scratch_byte_size);
  }
  TN_RETURN_IF_ERROR(tn__gpu_state_create(site, count + 1, &state));
  for (size_t i = 0; i <= count; ++i) {
    const rows_t* next = i < count ? &rows[i + 1] : NULL;
    TN_RETURN_IF_ERROR(write_stage(&source, site->arena, fold, &rows[i], &stages[i], next));
    TN_RETURN_IF_ERROR(tn__gpu_finish(site, state, i, &source));
  }
  site->holds_regions = true;
  return TN_OK;
}

tn_status_t tn__gpu_reduce_prepare(tn_kernel_site_t* site) {
  tn_gpu_fold_t fold = {.use = site->use, .views = site->views};
  for (size_t k = 0; k < site->use->result_count; ++k) {
    fold.begins[k] = (int32_t)(site->use->result_count + k);
  }
  return tn__gpu_fold_prepare(site, &fold);
}
