// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Fusions with reductions of rows, such as a softmax, in one launch: an item goes through its row
// once for each reduction, and once more for what is stored of all elements. Where items of a group
// read together, the lanes of a part of a group share a row. What is computed of the elements is
// computed again each time, and not stored.
#include <stdio.h>
#include <string.h>

#include "base/integer.h"
#include "base/type.h"
#include "ir/trace.h"
#include "kernel/fusion/state.h"
#include "kernel/gpu/fold.h"
#include "kernel/gpu/fusion.h"
#include "kernel/gpu/reads.h"
#include "kernel/gpu/region.h"
#include "kernel/target.h"

enum {
  SHORTEST_ROW = 8,  // shorter ones save little
  LONGEST_ROW = 64 * TN_GPU_GROUP_SIZE,
  FEWEST_LANES = 32,
  ELEMENTS_OF_LANE = 4,
};

// What a node computes.
typedef enum part {
  NOTHING,   // a view, a constant, the end
  ELEMENTS,  // an element for each of the fusion
  ROWS,      // one for each row, of others of rows
  FOLDS,     // one for each row, of its elements
} part_t;

static part_t part_of(const tn_node_t* node, const tn_type_t* shape) {
  if (tn__op_makes_view(node->op) || tn__op_has(node->op, TN_TERMINATOR) ||
      node->op == TN__OP(constant)) {
    return NOTHING;
  }
  if (node->op == TN__OP(reduce)) return FOLDS;
  return tn__type_same_shape(node->results[0].type, shape) ? ELEMENTS : ROWS;
}

// --- which fit

bool tn__gpu_folds_rows(const tn_op_use_t* use) {
  const tn_type_t* type = use->operand_types[0];
  const tn_op_t* op = tn__gpu_fold_operation(use->regions[0].region);
  tn_i64_list_t folded;
  bool are_last = op && tn__op_has(op, TN_COMMUTATIVE) && use->result_count == 1 &&
                  tn_dtype_kind(type->dtype) != TN_KIND_COMPLEX &&
                  tn__gpu_scalar_expression(op, type->dtype);
  if (!are_last) return false;
  const tn_status_t status = tn__attr_get_i64_list(&use->attrs, "dimensions", use->arena, &folded);
  tn_status_release(status);
  if (status || folded.count == 0) return false;
  uint64_t dims = 0;
  for (size_t k = 0; k < folded.count; ++k) dims |= UINT64_C(1) << folded.values[k];
  for (size_t d = type->rank - folded.count; d < type->rank; ++d) are_last &= dims >> d & 1;
  const int64_t row_count = tn__type_size(use->result_types[0]);
  if (!are_last || row_count == 0) return false;
  const int64_t length = tn__type_size(type) / row_count;
  return length >= SHORTEST_ROW && length <= LONGEST_ROW;
}

static bool is_read_inside(const tn_region_t* region, const tn_node_t* fold) {
  TN_FOR_EACH_NODE (node, region) {
    if (tn__op_makes_view(node->op) || tn__op_has(node->op, TN_TERMINATOR)) continue;
    for (uint32_t k = 0; k < node->operand_count; ++k) {
      if (tn__value_root(node->operands[k])->node == fold) return true;
    }
  }
  return false;
}

bool tn__gpu_region_has_rows(const tn_region_t* region) {
  const tn_type_t* shape = tn__fusion_shape(region);
  size_t fold_count = 0;
  bool has_rows = false;
  TN_FOR_EACH_NODE (node, region) {
    const part_t part = shape ? part_of(node, shape) : NOTHING;
    fold_count += part == FOLDS;
    has_rows |= part == ROWS || (part == FOLDS && is_read_inside(region, node));
  }
  return fold_count > 1 || (fold_count == 1 && has_rows);
}

typedef struct checker {
  const tn_region_t* region;
  const tn_type_t* shape;
  tn_arena_t* arena;
  size_t row_rank;
  int64_t row_count;
  size_t read_count;
  bool fits;
} checker_t;

// Whether strides go through rows as they follow each other, and stay with each for all of it.
static bool repeats_rows(const checker_t* checker, const tn_view_t* view, const tn_type_t* type) {
  int64_t strides[TN_MAX_RANK];
  int64_t expected = (int64_t)tn_dtype_byte_size(type->dtype);
  tn__view_strides(view, type, strides);
  for (size_t d = checker->shape->rank; d-- > 0;) {
    const int64_t dim = checker->shape->dims[d];
    if (dim == 1) continue;
    if (strides[d] != (d < checker->row_rank ? expected : 0)) return false;
    if (d < checker->row_rank) expected *= dim;
  }
  return true;
}

static bool is_same(const tn_view_t* view, const tn_type_t* type) {
  return view->byte_offset == 0 && (!view->strides || tn__strides_are_dense(type, view->strides));
}

// What computes `reader` elements or rows may read elements as they are, and rows.
static tn_status_t check_read(checker_t* checker, part_t reader, tn_value_t* value) {
  tn_value_trace_t trace;
  const tn_arena_mark_t mark = tn__arena_mark(checker->arena);
  TN_RETURN_IF_ERROR(tn__value_trace(value, NULL, checker->arena, &trace));
  const tn_value_t* root = trace.root;
  const bool is_one = tn__type_size(root->type) == 1;
  checker->fits &= root->region == checker->region && (trace.is_view || is_one);
  if (!root->node) {
    ++checker->read_count;
  } else if (checker->fits && root->node->op != TN__OP(constant)) {
    const part_t part = part_of(root->node, checker->shape);
    const bool is_dense = is_same(&trace.view, value->type) &&
                          tn__type_size(root->type) == tn__type_size(value->type);
    const bool are_rows = part == ROWS || part == FOLDS;
    checker->fits = reader == ROWS ? are_rows && is_dense
                    : are_rows     ? value->type->rank == checker->shape->rank &&
                                     repeats_rows(checker, &trace.view, value->type)
                               : part == ELEMENTS && is_dense;
  }
  tn__arena_rewind(checker->arena, mark);
  return TN_OK;
}

static tn_status_t check_fold(checker_t* checker, const tn_node_t* node) {
  tn_op_use_t use;
  tn_i64_list_t folded;
  const tn_value_t* begin = tn__value_root(node->operands[1]);
  TN_RETURN_IF_ERROR(tn__node_use(node, checker->arena, &use));
  checker->fits &= node->result_count == 1 && tn__gpu_folds(&use) && tn__gpu_folds_rows(&use) &&
                   tn__type_same_shape(node->operands[0]->type, checker->shape) &&
                   tn__type_size(begin->type) == 1 &&
                   (!begin->node || begin->node->op == TN__OP(constant));
  if (!checker->fits) return TN_OK;
  TN_RETURN_IF_ERROR(tn__attr_get_i64_list(&use.attrs, "dimensions", checker->arena, &folded));
  const size_t row_rank = checker->shape->rank - folded.count;
  const bool is_first = checker->row_count == 0;
  checker->fits = is_first || row_rank == checker->row_rank;
  checker->row_rank = row_rank;
  checker->row_count = tn__type_size(node->results[0].type);
  ++checker->read_count;
  return checker->fits ? check_read(checker, ELEMENTS, node->operands[0]) : TN_OK;
}

static tn_status_t check_map(checker_t* checker, const tn_node_t* node, part_t part) {
  tn_op_use_t use;
  checker->fits &= node->result_count == 1 && tn__fusion_fits(node);
  if (!checker->fits) return TN_OK;
  TN_RETURN_IF_ERROR(tn__node_use(node, checker->arena, &use));
  checker->fits = tn__gpu_map_supports(&use);
  for (uint32_t k = 0; k < node->operand_count && checker->fits; ++k) {
    TN_RETURN_IF_ERROR(check_read(checker, part, node->operands[k]));
  }
  return TN_OK;
}

tn_status_t tn__gpu_rows_fit(const tn_region_t* region, tn_arena_t* scratch, bool* out_fits) {
  checker_t checker = {.region = region, .shape = tn__fusion_shape(region), .arena = scratch};
  const tn_node_t* last = region->last;
  size_t count = 0;
  *out_fits = false;
  checker.fits = checker.shape && checker.shape->rank <= TN_GPU_MOST_DIMS;
  if (!checker.fits) return TN_OK;
  // Rows are known by the reductions.
  TN_FOR_EACH_NODE (node, region) {
    if (part_of(node, checker.shape) != FOLDS || !checker.fits) continue;
    TN_RETURN_IF_ERROR(check_fold(&checker, node));
  }
  TN_FOR_EACH_NODE (node, region) {
    const part_t part = part_of(node, checker.shape);
    if (++count >= TN_GPU_FUNCTION_LIMIT) checker.fits = false;
    if (!checker.fits) return TN_OK;
    if (part == ROWS) checker.fits = tn__type_size(node->results[0].type) == checker.row_count;
    if (part == ROWS || part == ELEMENTS) TN_RETURN_IF_ERROR(check_map(&checker, node, part));
  }
  for (uint32_t r = 0; r < last->operand_count && checker.fits; ++r) {
    const tn_value_t* root = tn__value_root(last->operands[r]);
    checker.fits = root->node && part_of(root->node, checker.shape) != NOTHING &&
                   tn__type_size(root->type) == tn__type_size(last->operands[r]->type);
    const part_t part = checker.fits ? part_of(root->node, checker.shape) : NOTHING;
    if (checker.fits) {
      TN_RETURN_IF_ERROR(
          check_read(&checker, part == ELEMENTS ? ELEMENTS : ROWS, last->operands[r]));
    }
  }
  *out_fits = checker.fits && checker.read_count + last->operand_count < TN_GPU_MOST_ADDRESSES;
  return TN_OK;
}

// --- source

typedef struct writer {
  tn_kernel_site_t* site;
  const tn_region_t* region;
  const tn_type_t* shape;
  int64_t row_count, row_length, lane_count;
  tn_gpu_source_t source;
  tn_gpu_reads_t reads;  // of what is being written
  tn_arena_t scratch;
  size_t row_value_count;
  const tn_value_t** row_values;  // w0, w1...
  size_t needed_count;
  const tn_node_t** needed;  // of elements, by what is being written
  // By operand: bit 0, it is read by strides; bit 1, for rows.
  uint8_t* operand_reads;
} writer_t;

static bool is_needed(const writer_t* writer, const tn_node_t* node) {
  for (size_t k = 0; k < writer->needed_count; ++k) {
    if (writer->needed[k] == node) return true;
  }
  return false;
}

// The operation of elements that the value is of, if it is of one.
static void need(writer_t* writer, tn_value_t* value) {
  const tn_node_t* node = tn__value_root(value)->node;
  if (!node || part_of(node, writer->shape) != ELEMENTS || is_needed(writer, node)) return;
  writer->needed[writer->needed_count++] = node;
}

static void need_all(writer_t* writer) {
  for (size_t k = 0; k < writer->needed_count; ++k) {
    const tn_node_t* node = writer->needed[k];
    for (uint32_t o = 0; o < node->operand_count; ++o) need(writer, node->operands[o]);
  }
}

static tn_status_t name_read(tn_gpu_members_t* members, tn_value_t* value, char* out_name) {
  static const int64_t same[TN_GPU_MOST_DIMS];
  writer_t* writer = members->user;
  tn_value_trace_t trace;
  TN_RETURN_IF_ERROR(tn__value_trace(value, writer->site->views, members->arena, &trace));
  const tn_value_t* root = trace.root;
  const tn_node_t* node = writer->site->node;
  for (size_t k = 0; k < writer->row_value_count; ++k) {
    if (writer->row_values[k] != root) continue;
    snprintf(out_name, TN_GPU_NAME_SIZE, "w%zu", k);
    return TN_OK;
  }
  if (node && tn__gpu_name_constant(members, node->operands[root->index], out_name)) return TN_OK;
  const bool is_one = value->type->rank == 0 || tn__type_size(root->type) == 1;
  const tn_view_t one = {tn__type_size(root->type) == 1 ? 0 : trace.view.byte_offset, same};
  const size_t read =
      tn__gpu_add_read(&writer->reads, root->index, root->type->dtype, is_one ? &one : &trace.view);
  snprintf(out_name, TN_GPU_NAME_SIZE, "r%zu", read);
  return TN_OK;
}

static tn_status_t begin_members(writer_t* writer, const tn_type_t* type, tn_gpu_text_t* text,
                                 tn_gpu_members_t* members) {
  *text = (tn_gpu_text_t){.arena = &writer->scratch};
  TN_RETURN_IF_ERROR(
      tn__gpu_members_begin(members, &writer->source, text, writer->region, &writer->scratch));
  members->name = name_read;
  members->user = writer;
  tn__gpu_reads_begin(&writer->reads, type);
  return TN_OK;
}

// What is read at `index`, and then the statements.
static void end_members(writer_t* writer, const tn_gpu_text_t* text, const char* index) {
  const bool is_row = *index != 'a';
  for (size_t k = 0; k < writer->reads.count; ++k) {
    const tn_gpu_read_t* read = &writer->reads.items[k];
    writer->operand_reads[read->operand] |= (uint8_t)(read->is_strided | is_row << 1);
  }
  tn__gpu_add_loads(&writer->source, &writer->reads, index);
  writer->source.body.has_failed |= text->has_failed;
  if (text->length && !text->has_failed) tn__gpu_add(&writer->source.body, "%s", text->bytes);
}

static tn_status_t add_needed(writer_t* writer, tn_gpu_members_t* members) {
  need_all(writer);
  TN_FOR_EACH_NODE (node, writer->region) {
    if (is_needed(writer, node)) TN_RETURN_IF_ERROR(tn__gpu_add_member(members, node));
  }
  return TN_OK;
}

static void add_loop(writer_t* writer) {
  tn__gpu_add(&writer->source.body,
              "  for (long j = place; j < length; j += step) {\n  const long at = start + j;\n");
}

static size_t add_row_value(writer_t* writer, const tn_node_t* node) {
  const tn_value_t* value = &node->results[0];
  const size_t number = writer->row_value_count++;
  writer->row_values[number] = value;
  tn__gpu_add(&writer->source.body, "  %s w%zu;\n  {\n", tn__gpu_dtype(value->type->dtype)->value,
              number);
  return number;
}

static tn_status_t add_row(writer_t* writer, const tn_node_t* node) {
  tn_gpu_text_t text;
  tn_gpu_members_t members;
  TN_RETURN_IF_ERROR(begin_members(writer, node->results[0].type, &text, &members));
  TN_RETURN_IF_ERROR(tn__gpu_add_member(&members, node));
  const size_t number = add_row_value(writer, node);
  tn__gpu_add(&text, "  w%zu = v0;\n  }\n", number);
  end_members(writer, &text, "row");
  return TN_OK;
}

// A function of two values, fold0, fold1..., by the number of what it gives.
static void add_function(writer_t* writer, const tn_node_t* node, size_t number) {
  const tn_dtype_t dtype = node->results[0].type->dtype;
  const char* expression =
      tn__gpu_scalar_expression(tn__gpu_fold_operation(node->regions[0]), dtype);
  tn__gpu_add_helpers(&writer->source, expression);
  tn__gpu_add_words(&writer->source, dtype);
  tn__gpu_add(&writer->source.functions, "TN_FN T fold%zu(T a, T b) {\n  return (T)(%s)%s;\n}\n",
              number, expression, dtype == TN_DTYPE_PRED ? " != 0" : "");
}

// Writes `begin`: what rows begin with.
static tn_status_t add_begin(writer_t* writer, const tn_node_t* node) {
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(node->results[0].type->dtype);
  tn_value_t* value = node->operands[1];
  tn_gpu_text_t text;
  tn_gpu_members_t members;
  char name[TN_GPU_NAME_SIZE];
  TN_RETURN_IF_ERROR(begin_members(writer, value->type, &text, &members));
  TN_RETURN_IF_ERROR(tn__gpu_name_value(&members, value, name));
  tn__gpu_add(&text, "  const %s begin = %s;\n", dtype->value, name);
  end_members(writer, &text, "0");
  return TN_OK;
}

// What lanes have of a row becomes one value, which all of them have then.
static void add_lanes(writer_t* writer, const tn_gpu_dtype_t* dtype, size_t number) {
  tn__gpu_add(&writer->source.body,
              "  shared_%s[lane] = s;\n"
              "  for (long width = step / 2; width > 0; width /= 2) {\n"
              "    tn_barrier();\n"
              "    if (place < width && place + width < length) {\n"
              "      s = fold%zu(s, shared_%s[lane + width]);\n"
              "      shared_%s[lane] = s;\n"
              "    }\n  }\n"
              "  tn_barrier();\n"
              "  s = fold%zu(begin, shared_%s[lane - place]);\n"
              "  tn_barrier();\n",
              dtype->value, number, dtype->value, dtype->value, number, dtype->value);
}

static tn_status_t add_fold(writer_t* writer, const tn_node_t* node) {
  const tn_gpu_dtype_t* dtype = tn__gpu_dtype(node->results[0].type->dtype);
  const bool has_lanes = writer->lane_count > 1;
  tn_gpu_text_t* body = &writer->source.body;
  tn_gpu_text_t text;
  tn_gpu_members_t members;
  char name[TN_GPU_NAME_SIZE];
  const size_t number = add_row_value(writer, node);
  add_function(writer, node, number);
  TN_RETURN_IF_ERROR(add_begin(writer, node));
  tn__gpu_add(body, "  %s s = begin;\n", dtype->value);
  add_loop(writer);
  TN_RETURN_IF_ERROR(begin_members(writer, writer->shape, &text, &members));
  writer->needed_count = 0;
  need(writer, node->operands[0]);
  TN_RETURN_IF_ERROR(add_needed(writer, &members));
  TN_RETURN_IF_ERROR(tn__gpu_name_value(&members, node->operands[0], name));
  if (has_lanes) {
    tn__gpu_add(&text, "  s = j == place ? %s : fold%zu(s, %s);\n  }\n", name, number, name);
  } else {
    tn__gpu_add(&text, "  s = fold%zu(s, %s);\n  }\n", number, name);
  }
  end_members(writer, &text, "at");
  if (has_lanes) add_lanes(writer, dtype, number);
  tn__gpu_add(body, "  w%zu = AS%s(s);\n  }\n", number, dtype->suffix);
  return TN_OK;
}

static tn_status_t add_results(writer_t* writer) {
  const tn_node_t* last = writer->region->last;
  tn_gpu_text_t* body = &writer->source.body;
  tn_gpu_text_t text;
  tn_gpu_members_t members;
  char name[TN_GPU_NAME_SIZE];
  TN_RETURN_IF_ERROR(begin_members(writer, writer->shape, &text, &members));
  writer->needed_count = 0;
  for (uint32_t r = 0; r < last->operand_count; ++r) need(writer, last->operands[r]);
  const bool has_elements = writer->needed_count;
  TN_RETURN_IF_ERROR(add_needed(writer, &members));
  for (uint32_t r = 0; r < last->operand_count; ++r) {
    const tn_value_t* root = tn__value_root(last->operands[r]);
    const tn_gpu_dtype_t* dtype = tn__gpu_dtype(root->type->dtype);
    const size_t y = tn__gpu_add_output(&writer->source, TN_GPU_RESULT(r), 0, dtype->memory);
    TN_RETURN_IF_ERROR(tn__gpu_name_value(&members, last->operands[r], name));
    if (part_of(root->node, writer->shape) == ELEMENTS) {
      tn__gpu_add(&text, "  STORE%s(y%zu, at, %s);\n", dtype->suffix, y, name);
    } else {
      tn__gpu_add(body, "  if (is_there && place == 0) STORE%s(y%zu, row, %s);\n", dtype->suffix, y,
                  name);
    }
  }
  if (!has_elements) return TN_OK;
  add_loop(writer);
  tn__gpu_add(&text, "  }\n");
  end_members(writer, &text, "at");
  return TN_OK;
}

// Memory of the group for values of each type that is folded.
static void add_shared(writer_t* writer) {
  const char* known[16];
  size_t count = 0;
  TN_FOR_EACH_NODE (node, writer->region) {
    if (part_of(node, writer->shape) != FOLDS) continue;
    const char* type = tn__gpu_dtype(node->results[0].type->dtype)->value;
    bool is_known = false;
    for (size_t k = 0; k < count; ++k) is_known |= strcmp(known[k], type) == 0;
    if (is_known || count == sizeof known / sizeof *known) continue;
    known[count++] = type;
    tn__gpu_add(&writer->source.body, "  TN_SHARED %s shared_%s[%d];\n", type, type,
                TN_GPU_GROUP_SIZE);
  }
}

// Writes row, where it starts, and which elements of it the item has: place, place + step...
static void add_place(writer_t* writer) {
  tn_gpu_source_t* source = &writer->source;
  tn_gpu_text_t* body = &source->body;
  const size_t rows = tn__gpu_add_number(source, writer->row_count);
  const size_t length = tn__gpu_add_number(source, writer->row_length);
  if (writer->lane_count == 1) {
    tn__gpu_add(body,
                "  const int is_there = 1;\n"
                "  const long row = i, place = 0, step = 1, length = n(%zu);\n",
                length);
  } else {
    add_shared(writer);
    tn__gpu_add(body,
                "  const long lane = tn_lane(0), step = %lld, place = lane %% step;\n"
                "  const long own = (tn_group(0) * %d + lane) / step;\n"
                "  const int is_there = own < n(%zu);\n"
                "  const long row = is_there ? own : n(%zu) - 1, length = is_there ? n(%zu) : 0;\n",
                (long long)writer->lane_count, TN_GPU_GROUP_SIZE, rows, rows, length);
  }
  tn__gpu_add(body, "  const long start = row * n(%zu);\n", length);
}

static void measure_rows(writer_t* writer, bool has_lanes) {
  TN_FOR_EACH_NODE (node, writer->region) {
    if (node->op == TN__OP(reduce)) writer->row_count = tn__type_size(node->results[0].type);
  }
  writer->row_length = writer->row_count ? tn__type_size(writer->shape) / writer->row_count : 0;
  writer->lane_count = has_lanes ? FEWEST_LANES : 1;
  while (has_lanes && writer->lane_count < TN_GPU_GROUP_SIZE &&
         writer->lane_count * ELEMENTS_OF_LANE < writer->row_length) {
    writer->lane_count *= 2;
  }
}

// Result r may be in the storage of operands that are only read where it is written: before it is,
// all lanes have read the row.
static tn_status_t set_in_place(const writer_t* writer) {
  tn_kernel_site_t* site = writer->site;
  const tn_op_use_t* use = site->use;
  const tn_node_t* last = writer->region->last;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(site->arena, use->result_count, &site->in_place));
  for (size_t r = 0; r < use->result_count; ++r) {
    const tn_node_t* node = tn__value_root(last->operands[r])->node;
    if (part_of(node, writer->shape) != ELEMENTS) continue;
    for (size_t k = 0; k < use->operand_count && k < 32; ++k) {
      const bool fits = tn_dtype_byte_size(use->operand_types[k]->dtype) ==
                        tn_dtype_byte_size(use->result_types[r]->dtype);
      if (fits && !writer->operand_reads[k]) site->in_place[r] |= UINT32_C(1) << k;
    }
  }
  return TN_OK;
}

static tn_status_t write_source(writer_t* writer) {
  tn_gpu_source_t* source = &writer->source;
  size_t count = 0;
  TN_FOR_EACH_NODE (node, writer->region) {
    ++count;
  }
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&writer->scratch, count, &writer->row_values));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(&writer->scratch, count, &writer->needed));
  TN_RETURN_IF_ERROR(
      TN_ARENA_ARRAY(&writer->scratch, writer->region->argument_count, &writer->operand_reads));
  tn__gpu_begin(source, writer->site->arena, writer->row_count * writer->lane_count);
  source->is_grouped = writer->lane_count > 1;
  add_place(writer);
  TN_FOR_EACH_NODE (node, writer->region) {
    const part_t part = part_of(node, writer->shape);
    if (part == ROWS) TN_RETURN_IF_ERROR(add_row(writer, node));
    if (part == FOLDS) TN_RETURN_IF_ERROR(add_fold(writer, node));
  }
  TN_RETURN_IF_ERROR(add_results(writer));
  TN_RETURN_IF_ERROR(set_in_place(writer));
  return tn__gpu_finish_one(writer->site, source);
}

tn_status_t tn__gpu_rows_prepare(tn_kernel_site_t* site) {
  const tn_region_t* region = site->use->regions[0].region;
  writer_t writer = {.site = site, .region = region, .shape = tn__fusion_shape(region)};
  measure_rows(&writer, site->target->has_lanes);
  tn__arena_init(&writer.scratch, site->arena->allocator);
  tn_status_t status = write_source(&writer);
  tn__arena_deinit(&writer.scratch);
  return status;
}
