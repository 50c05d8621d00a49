// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The work is cut into units: rows (or pieces of long ones), and rows of a block of columns. Units
// are taken together in groups; each group of each output gives a partial result, and a second pass
// combines these. Columns are what is kept innermost; where that is short, or nothing, they take in
// short folded dimensions and the kept ones around these, and what a block of them has summed is
// folded further in the end. Groups depend on the shape alone: there is one, unless there is too
// little else to do side by side.
#include "kernel/reduction/reduction.h"

#include "base/integer.h"
#include "kernel/common/merge.h"

#include <string.h>

enum {
  CASCADE_WIDTH = 64,     // values that are folded into one of the next level
  CASCADE_LEVELS = 8,     // 64^8 values are more than there is memory
  CARRIER_LIMIT = 16,     // bytes of the largest carrier
  BLOCK_BYTES = 4 << 10,  // of a block of columns
  COLUMN_LEVELS = 4,      // of blocks; the last one is summed in order
  NARROW_BYTES = 256,     // narrower rows of columns are taken several at a time
  WIDE_BLOCK = 256,       // columns that need no more of them beside them
  SHORT_ROW = 256,        // rows up to this length can be columns
  THIN_WIDTH = 32,        // rows up to this length always are; so few are folded one by one
  PIECE = 64 << 10,       // elements of a row, or of a group, that are worth a thread's while
  ENOUGH_OUTPUTS = 64,    // so many are spread over the threads without groups
  GROUP_LIMIT = 256,      // of one output
  GRAIN = 16 << 10,       // elements
  READ_ELEMENTS = 4096,   // that a source is asked for at a time, or as many as there are together
  FEWEST_READ = 256,
};

// --- planning

tn_dtype_t tn__reduction_carrier(tn_dtype_t dtype) {
  const uint32_t bits = tn_dtype_bit_width(dtype);
  switch (tn_dtype_kind(dtype)) {
    case TN_KIND_FLOAT: return bits < 32 ? TN_DTYPE_F32 : dtype;
    // Wrapping, order and bits survive in more of them.
    case TN_KIND_SIGNED: return bits < 8 ? TN_DTYPE_S32 : dtype;
    case TN_KIND_UNSIGNED: return bits < 8 ? TN_DTYPE_U32 : dtype;
    default: return dtype;
  }
}

bool tn__reduction_supports(const char* op, tn_dtype_t result) {
  static const char* const names[] = {"add", "multiply", "maximum", "minimum", "and", "or", "xor"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    tn_binary_t binary;
    if (strcmp(op, names[i]) == 0)
      return tn__binary_find(op, tn__reduction_carrier(result), &binary);
  }
  return false;
}

tn_status_t tn__reduction_axes(tn_arena_t* arena, const tn_type_t* operand, const int64_t* strides,
                               const bool* is_folded, tn_axes_t* out_kept, tn_axes_t* out_folded) {
  tn_axis_t *kept, *folded;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, operand->rank, &kept));
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, operand->rank, &folded));
  *out_kept = (tn_axes_t){.axes = kept, .size = 1};
  *out_folded = (tn_axes_t){.axes = folded, .size = 1};
  for (size_t i = 0; i < operand->rank; ++i) {
    tn_axes_t* list = is_folded[i] ? out_folded : out_kept;
    (is_folded[i] ? folded : kept)[list->count++] = (tn_axis_t){operand->dims[i], strides[i]};
    list->size *= operand->dims[i];
  }
  out_kept->count = TN_MERGE_LOOPS(out_kept->count, kept, 1);
  out_folded->count = TN_MERGE_LOOPS(out_folded->count, folded, 1);
  return TN_OK;
}

bool tn__reduction_takes_strides(const tn_type_t* operand, const int64_t* strides,
                                 const bool* is_folded) {
  int64_t width = 1, expected = (int64_t)tn_dtype_byte_size(operand->dtype);
  bool is_row = true, is_all = true, inner_is_folded = true;
  for (size_t d = operand->rank; d-- > 0;) {
    if (operand->dims[d] == 1) continue;
    // Neighbours of a kind are one loop, and have to stay one.
    const bool goes_on = is_folded[d] == inner_is_folded;
    if (goes_on ? strides[d] != expected : strides[d] < expected) return false;
    is_row = is_row && is_folded[d];
    if (is_row) width *= operand->dims[d];
    is_all = is_all && is_row == is_folded[d];
    inner_is_folded = is_folded[d];
    expected = strides[d] * operand->dims[d];
  }
  return width > (is_all ? THIN_WIDTH : SHORT_ROW);
}

// Takes the innermost axis out of the list.
static tn_axis_t pop_axis(tn_axes_t* axes) {
  const tn_axis_t last = axes->axes[--axes->count];
  axes->size /= last.count;
  return last;
}

// Takes dimensions into the columns: the innermost folded one and the kept one around it, as long
// as they are neighbours, short, and worth it.
static void widen_columns(tn_reduction_t* r, int64_t most) {
  while (r->width < WIDE_BLOCK && r->folded.count && r->kept.count) {
    // Lists that are not empty are somewhere. NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    const tn_axis_t folded = r->folded.axes[r->folded.count - 1];
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    const tn_axis_t kept = r->kept.axes[r->kept.count - 1];
    const bool is_dense = folded.stride == r->width * (int64_t)r->operand_size &&
                          kept.stride == folded.stride * folded.count;
    if (!is_dense || folded.count > most / r->width) return;
    r->steps[r->step_count++] = (tn_reduction_step_t){folded.count, r->width, folded.count};
    r->width *= pop_axis(&r->folded).count * pop_axis(&r->kept).count;
    r->columns_per_result *= folded.count;
  }
}

// Into blocks of whole pieces of the outermost dimension, and says how these are folded: many of
// them side by side, element by element, few in halves.
static void cut_columns(tn_reduction_t* r, int64_t most) {
  int64_t piece = 1;
  for (size_t i = 0; i < r->step_count; ++i) piece = r->steps[i].count * r->steps[i].inner;
  r->block_width = tn__least(r->width, most / piece * piece);
  r->block_count = tn__ceil_divide(r->width, r->block_width);
  int64_t elements = r->block_width;
  for (size_t i = r->step_count; i-- > 0;) {
    tn_reduction_step_t* step = &r->steps[i];
    const int64_t piece_count = elements / (step->count * step->inner);
    while (step->left % 2 == 0) step->left /= 2;
    while (step->left > 1 && (step->left > piece_count || step->left > THIN_WIDTH)) {
      step->left -= step->left / 2;
    }
    elements /= step->count;
  }
}

static void cut_units(tn_reduction_t* r, int64_t unit_elements, int64_t side_by_side) {
  r->units_per_group = r->unit_count;
  if (side_by_side < ENOUGH_OUTPUTS) {
    const int64_t piece = unit_elements < PIECE ? PIECE / unit_elements : 1;
    r->units_per_group = piece;
    if (tn__ceil_divide(r->unit_count, piece) > GROUP_LIMIT) {
      r->units_per_group = tn__ceil_divide(r->unit_count, GROUP_LIMIT);
    }
  }
  r->group_count = tn__ceil_divide(r->unit_count, r->units_per_group);
  if (r->group_count > 1) {
    r->scratch_byte_size = (size_t)(r->group_count * r->output_count) * r->carrier_size;
  }
  const int64_t task_elements = tn__least(r->units_per_group, r->unit_count) * unit_elements;
  r->grain = task_elements < GRAIN ? GRAIN / task_elements : 1;
}

static bool loads_nothing(const tn_reduction_t* r) {
  return r->load.from == r->load.to;
}

// The loops of sums of its elements as they are; NULL: it is none.
static const tn_loops_t* loops_of_sum(const tn_reduction_t* r) {
  const tn_loops_t* loops = tn__loops(tn__native(r->binary.dtype));
  return loads_nothing(r) && r->binary.fold == loops->fold[TN_BINARY_add] ? loops : NULL;
}

tn_status_t tn__reduction_plan(tn_arena_t* arena, const char* op, const tn_type_t* operand,
                               const int64_t* strides, tn_dtype_t init, tn_dtype_t result,
                               const bool* is_folded, tn_reduction_t* out_reduction) {
  const tn_dtype_t carrier = tn__reduction_carrier(result);
  tn_reduction_t r = {
      // By way of the result's dtype this would round the same: carriers hold its values exactly.
      .load = tn__conversion(operand->dtype, carrier),
      .load_init = tn__conversion(init, carrier),
      .store = tn__conversion(carrier, result),
      .carrier_size = tn_dtype_byte_size(carrier),
      .operand_size = tn_dtype_byte_size(operand->dtype),
      .result_size = tn_dtype_byte_size(result),
  };
  *out_reduction = r;
  if (!tn__binary_find(op, carrier, &r.binary)) {
    return tn_status_create(TN_CODE_INTERNAL, "reduce: no %s of %s", op, tn_dtype_name(carrier));
  }
  TN_RETURN_IF_ERROR(tn__reduction_axes(arena, operand, strides, is_folded, &r.kept, &r.folded));
  r.output_count = r.kept.size;
  if (r.output_count == 0) {
    r.form = TN_REDUCTION_NOTHING;
  } else if (r.folded.size == 0) {
    r.form = TN_REDUCTION_INIT;
    r.grain = GRAIN;
  } else {
    const tn_axis_t* folded = r.folded.count ? &r.folded.axes[r.folded.count - 1] : NULL;
    const tn_axis_t* kept = r.kept.count ? &r.kept.axes[r.kept.count - 1] : NULL;
    const int64_t most = BLOCK_BYTES / (int64_t)r.carrier_size;
    const bool columns = kept && (!folded || kept->stride < folded->stride);
    r.width = columns ? pop_axis(&r.kept).count : 1;
    r.columns_per_result = 1;
    if (columns || (folded && folded->count <= (r.folded.count > 1 ? SHORT_ROW : THIN_WIDTH))) {
      widen_columns(&r, most);
    }
    if (columns || r.step_count) {
      r.form = TN_REDUCTION_COLUMNS;
      if (loops_of_sum(&r)) r.add_rows = loops_of_sum(&r)->add_rows;
      cut_columns(&r, most);
      r.unit_count = r.folded.size;
      cut_units(&r, r.block_width, r.kept.size * r.block_count);
    } else {
      r.form = TN_REDUCTION_ROWS;
      if (folded) r.width = pop_axis(&r.folded).count;
      r.block_width = tn__least(r.width, PIECE);
      r.block_count = tn__ceil_divide(r.width, r.block_width);
      r.unit_count = r.folded.size * r.block_count;
      cut_units(&r, r.block_width, r.output_count);
    }
  }
  *out_reduction = r;
  return TN_OK;
}

// --- common to all forms

typedef struct reduction_run {
  const tn_reduction_t* r;
  const char* operand;
  const tn_kernel_source_t* source;  // of what the operand would have; NULL: it has it
  char* result;
  char* partials;            // [group][output], of the carrier; NULL: there is one group
  char init[CARRIER_LIMIT];  // of the carrier
} reduction_run_t;

static inline __attribute__((always_inline)) void pick_by(int64_t step, size_t size,
                                                          const char* restrict source,
                                                          char* restrict target, int64_t count) {
  switch (size) {
#define CASE(width)                                                 \
  case width:                                                       \
    for (int64_t i = 0; i < count; ++i) {                           \
      memcpy(target + i * width, source + i * step * width, width); \
    }                                                               \
    break;
    TN_ELEMENT_SIZES(CASE)
#undef CASE
    default:
      for (int64_t i = 0; i < count; ++i) {
        memcpy(target + (size_t)i * size, source + (size_t)(i * step) * size, size);
      }
  }
}

// Every `step`-th element, from `source` on.
static void pick(size_t size, const char* source, int64_t step, char* target, int64_t count) {
  if (step == 2) {
    pick_by(2, size, source, target, count);
  } else {
    pick_by(step, size, source, target, count);
  }
}

// result[first ...] = init op values[...]
static void finish(const reduction_run_t* run, int64_t first, const char* values, int64_t count) {
  const tn_reduction_t* r = run->r;
  char sums[BLOCK_BYTES];
  const int64_t most = BLOCK_BYTES / (int64_t)r->carrier_size;
  for (int64_t begin = 0; begin < count; begin += most) {
    const int64_t length = tn__least(most, count - begin);
    pick(r->carrier_size, run->init, 0, sums, length);
    tn__binary_map(&r->binary, sums, values + (size_t)begin * r->carrier_size, sums,
                   (size_t)length);
    r->store.run(&r->store, sums, run->result + (size_t)(first + begin) * r->result_size,
                 (size_t)length);
  }
}

// One group's results for outputs that follow each other.
static void deliver(const reduction_run_t* run, int64_t group, int64_t first, const char* values,
                    int64_t count) {
  const tn_reduction_t* r = run->r;
  if (!run->partials) {
    finish(run, first, values, count);
    return;
  }
  memcpy(run->partials + (size_t)(group * r->output_count + first) * r->carrier_size, values,
         (size_t)count * r->carrier_size);
}

// --- elements, from memory or from a source

typedef struct reader {
  const reduction_run_t* run;
  void* source;        // NULL: there is none
  int64_t begin, end;  // what `elements` has
  const char* elements;
} reader_t;

// Rows that are one after the other, in the order in which they are folded.
static bool has_straight_rows(const tn_reduction_t* r) {
  return r->kept.count <= 1 && r->folded.count == 0 && r->block_count == 1;
}

static bool has_adjacent_rows_of_columns(const tn_reduction_t* r) {
  return r->folded.count == 1 && r->folded.axes[0].stride == r->width * (int64_t)r->operand_size;
}

// Blocks of columns that are one after the other.
static bool has_straight_blocks(const tn_reduction_t* r) {
  return r->kept.count == 0 && r->folded.count == 0;
}

bool tn__reduction_reads_neighbours(const tn_reduction_t* r) {
  if (r->form == TN_REDUCTION_ROWS) return has_straight_rows(r) || r->block_width >= FEWEST_READ;
  if (r->form != TN_REDUCTION_COLUMNS) return true;
  return r->block_width >= FEWEST_READ || has_straight_blocks(r) ||
         (has_adjacent_rows_of_columns(r) && r->block_count == 1);
}

bool tn__reduction_has_rows(const tn_reduction_t* r) {
  if (r->form == TN_REDUCTION_COLUMNS) {
    return has_straight_blocks(r) && r->step_count == 1 && r->steps[0].inner == 1;
  }
  return r->form == TN_REDUCTION_ROWS && has_straight_rows(r) && r->group_count == 1 &&
         r->width > 1;
}

static tn_status_t open_reader(const reduction_run_t* run, reader_t* out_reader) {
  const tn_reduction_t* r = run->r;
  int64_t most = READ_ELEMENTS;
  *out_reader = (reader_t){.run = run};
  if (!run->source) return TN_OK;
  if (r->form == TN_REDUCTION_ROWS && most < r->block_width) most = r->block_width;
  return run->source->open(run->source, most, &out_reader->source);
}

static void close_reader(const reader_t* reader) {
  if (reader->source) reader->run->source->close(reader->source);
}

// `count` elements from byte `offset` of the operand on. Up to byte `limit` all of them are going
// to be read, one after the other, as many at a time: a source gives several portions at once.
static tn_status_t read_elements(reader_t* reader, int64_t offset, int64_t count, int64_t limit,
                                 const char** out_elements) {
  const reduction_run_t* run = reader->run;
  if (!reader->source) {
    *out_elements = run->operand + offset;
    return TN_OK;
  }
  const int64_t size = (int64_t)run->r->operand_size, first = offset / size;
  if (first < reader->begin || first >= reader->end) {
    const void* elements = NULL;
    const int64_t portions = count < READ_ELEMENTS ? READ_ELEMENTS / count : 1;
    const int64_t length = tn__least(limit / size - first, portions * count);
    TN_RETURN_IF_ERROR(run->source->read(reader->source, first, length, &elements));
    reader->begin = first;
    reader->end = first + length;
    reader->elements = elements;
  }
  *out_elements = reader->elements + (size_t)(first - reader->begin) * run->r->operand_size;
  return TN_OK;
}

// Elements that are there without reading more; NULL: they are not.
static const char* at_hand(const reader_t* reader, int64_t offset, int64_t count) {
  if (!reader->source) return reader->run->operand + offset;
  const int64_t size = (int64_t)reader->run->r->operand_size, first = offset / size;
  if (first < reader->begin || first + count > reader->end) return NULL;
  return reader->elements + (first - reader->begin) * size;
}

// --- rows

// Partial results of one output, most of them folded already.
typedef struct cascade {
  size_t counts[CASCADE_LEVELS];
  char values[CASCADE_LEVELS][CASCADE_WIDTH * CARRIER_LIMIT];
} cascade_t;

static void fold_level(const tn_reduction_t* r, cascade_t* cascade, size_t level, char* out) {
  const char* values = cascade->values[level];
  memcpy(out, values, r->carrier_size);
  tn__binary_fold(&r->binary, out, values + r->carrier_size, cascade->counts[level] - 1);
  cascade->counts[level] = 0;
}

static void push(const tn_reduction_t* r, cascade_t* cascade, const char* value) {
  char carried[CARRIER_LIMIT];
  for (size_t level = 0; level < CASCADE_LEVELS; ++level) {
    const size_t at = cascade->counts[level]++;
    memcpy(cascade->values[level] + at * r->carrier_size, value, r->carrier_size);
    if (at + 1 < CASCADE_WIDTH) return;
    fold_level(r, cascade, level, carried);
    value = carried;
  }
}

// What is left, from the smallest blocks to the largest.
static void drain(const tn_reduction_t* r, cascade_t* cascade, char* out) {
  char sum[CARRIER_LIMIT];
  bool is_first = true;
  for (size_t level = 0; level < CASCADE_LEVELS; ++level) {
    if (cascade->counts[level] == 0) continue;
    fold_level(r, cascade, level, sum);
    if (is_first) {
      memcpy(out, sum, r->carrier_size);
    } else {
      tn__binary_map(&r->binary, sum, out, out, 1);
    }
    is_first = false;
  }
}

static void fold_row(const tn_reduction_t* r, cascade_t* cascade, const char* row, int64_t count) {
  char sum[CARRIER_LIMIT], chunk[TN_CHUNK * CARRIER_LIMIT];
  const bool direct = loads_nothing(r);
  const int64_t most = direct ? count : TN_CHUNK;
  for (int64_t begin = 0; begin < count; begin += most) {
    const int64_t length = tn__least(most, count - begin);
    const char* values = row + (size_t)begin * r->operand_size;
    if (!direct) {
      r->load.run(&r->load, values, chunk, (size_t)length);
      values = chunk;
    }
    if (r->fold_squares) {
      r->fold_squares(sum, values, (size_t)length);
    } else {
      memcpy(sum, values, r->carrier_size);
      tn__binary_fold(&r->binary, sum, values + r->carrier_size, (size_t)length - 1);
    }
    push(r, cascade, sum);
  }
}

static tn_status_t fold_rows(reader_t* reader, int64_t begin, int64_t end) {
  const reduction_run_t* run = reader->run;
  const tn_reduction_t* r = run->r;
  const int64_t size = (int64_t)r->operand_size;
  const bool is_straight = has_straight_rows(r);
  const int64_t most = BLOCK_BYTES / (int64_t)r->carrier_size;
  int64_t sum_count = 0;
  char sums[BLOCK_BYTES];
  cascade_t cascade;
  memset(cascade.counts, 0, sizeof cascade.counts);
  for (int64_t task = begin; task < end; ++task) {
    const int64_t output = task / r->group_count, group = task % r->group_count;
    const int64_t base = tn__axes_offset(&r->kept, output);
    const int64_t last = tn__least((group + 1) * r->units_per_group, r->unit_count);
    for (int64_t unit = group * r->units_per_group; unit < last; ++unit) {
      const int64_t at = unit % r->block_count * r->block_width;
      const int64_t count = tn__least(r->block_width, r->width - at);
      const int64_t offset = base + tn__axes_offset(&r->folded, unit / r->block_count) + at * size;
      const int64_t limit = is_straight ? end * r->width * size : offset + count * size;
      const char* row = NULL;
      TN_RETURN_IF_ERROR(read_elements(reader, offset, count, limit, &row));
      fold_row(r, &cascade, row, count);
    }
    drain(r, &cascade, sums + (size_t)sum_count++ * r->carrier_size);
    if (run->partials || sum_count == most || task + 1 == end) {
      deliver(run, group, output + 1 - sum_count, sums, sum_count);
      sum_count = 0;
    }
  }
  return TN_OK;
}

// --- columns

// Sums of a block of columns: every CASCADE_WIDTH rows one row of the next level.
typedef struct column_sums {
  int64_t counts[COLUMN_LEVELS];
  char values[COLUMN_LEVELS][BLOCK_BYTES];
} column_sums_t;

static void add_to_level(const tn_reduction_t* r, column_sums_t* sums, size_t level,
                         const char* row, int64_t width) {
  if (sums->counts[level]++ == 0) {
    memcpy(sums->values[level], row, (size_t)width * r->carrier_size);
  } else {
    tn__binary_map(&r->binary, sums->values[level], row, sums->values[level], (size_t)width);
  }
}

// What a level is full of goes to the next one.
static void carry(const tn_reduction_t* r, column_sums_t* sums, int64_t width) {
  for (size_t level = 0; level + 1 < COLUMN_LEVELS; ++level) {
    if (sums->counts[level] < CASCADE_WIDTH) return;
    sums->counts[level] = 0;
    add_to_level(r, sums, level + 1, sums->values[level], width);
  }
}

static void push_row(const tn_reduction_t* r, column_sums_t* sums, const char* row, int64_t width) {
  add_to_level(r, sums, 0, row, width);
  carry(r, sums, width);
}

// TN_ROWS_ADDED rows, in the order of push_row: rows that fill a level are taken one by one.
static void push_rows(const tn_reduction_t* r, column_sums_t* sums, const char* const* rows,
                      int64_t width) {
  if (sums->counts[0] == 0 || sums->counts[0] + TN_ROWS_ADDED > CASCADE_WIDTH) {
    for (int i = 0; i < TN_ROWS_ADDED; ++i) push_row(r, sums, rows[i], width);
    return;
  }
  r->add_rows(sums->values[0], (const void* const*)rows, (size_t)width);
  sums->counts[0] += TN_ROWS_ADDED;
  carry(r, sums, width);
}

// Leaves the sum in the lowest level that has one, and returns it.
static char* drain_rows(const tn_reduction_t* r, column_sums_t* sums, int64_t width) {
  char* total = NULL;
  for (size_t level = 0; level < COLUMN_LEVELS; ++level) {
    if (sums->counts[level] == 0) continue;
    sums->counts[level] = 0;
    char* values = sums->values[level];
    if (total) tn__binary_map(&r->binary, values, total, total, (size_t)width);
    if (!total) total = values;
  }
  return total;
}

// `count` elements that are together, as one row.
static void take_row(const tn_reduction_t* r, column_sums_t* sums, const char* row, int64_t count) {
  char loaded[BLOCK_BYTES];
  if (!loads_nothing(r)) {
    r->load.run(&r->load, row, loaded, (size_t)count);
    row = loaded;
  }
  push_row(r, sums, row, count);
}

// The row of unit `unit`, with those of the units behind it at hand if TN_ROWS_ADDED can be added
// together; each is `step` units. What is behind `limit` is not read ahead.
static tn_status_t take_rows(reader_t* reader, column_sums_t* sums, int64_t base, int64_t step,
                             int64_t last, int64_t width, int64_t limit, int64_t* unit) {
  const tn_reduction_t* r = reader->run->r;
  const int64_t offset = base + tn__axes_offset(&r->folded, *unit);
  const int64_t end = offset + width * (int64_t)r->operand_size;
  const char* rows[TN_ROWS_ADDED];
  TN_RETURN_IF_ERROR(read_elements(reader, offset, width, limit < end ? end : limit, &rows[0]));
  int64_t found = 1;
  if (r->add_rows && last - *unit >= TN_ROWS_ADDED * step) {
    for (; found < TN_ROWS_ADDED; ++found) {
      const int64_t next = base + tn__axes_offset(&r->folded, *unit + found * step);
      rows[found] = at_hand(reader, next, width);
      if (!rows[found]) break;
    }
  }
  if (found == TN_ROWS_ADDED) {
    push_rows(r, sums, rows, width);
  } else {
    take_row(r, sums, rows[0], width);
    found = 1;
  }
  *unit += found * step;
  return TN_OK;
}

// Narrow rows that are one after the other: several of them are a wide one, whose parts are added
// up in the end.
static tn_status_t fold_narrow_rows(reader_t* reader, column_sums_t* sums, int64_t base,
                                    int64_t unit, int64_t last, int64_t limit) {
  const tn_reduction_t* r = reader->run->r;
  const int64_t together = BLOCK_BYTES / ((int64_t)r->carrier_size * r->width);
  const int64_t wide = together * r->width;
  const size_t row_bytes = (size_t)r->width * r->carrier_size;
  if (last - unit >= together) {
    const int64_t whole = last - (last - unit) % together;
    while (unit < whole) {
      TN_RETURN_IF_ERROR(take_rows(reader, sums, base, together, whole, wide, limit, &unit));
    }
    char parts[BLOCK_BYTES];
    memcpy(parts, drain_rows(r, sums, wide), (size_t)wide * r->carrier_size);
    for (int64_t k = 0; k < together; ++k)
      push_row(r, sums, parts + (size_t)k * row_bytes, r->width);
  }
  const char* row = NULL;
  for (; unit < last; ++unit) {
    const int64_t offset = base + tn__axes_offset(&r->folded, unit);
    TN_RETURN_IF_ERROR(read_elements(reader, offset, r->width, limit, &row));
    take_row(r, sums, row, r->width);
  }
  return TN_OK;
}

// Folds what a block of columns has summed, where it is.
static void fold_block(const tn_reduction_t* r, char* values, int64_t count) {
  char picked[BLOCK_BYTES], sums[BLOCK_BYTES];
  for (size_t s = r->step_count; s-- > 0;) {
    const tn_reduction_step_t step = r->steps[s];
    const size_t size = (size_t)step.inner * r->carrier_size;
    int64_t pitch = step.count;
    count /= step.inner;
    for (; pitch % 2 == 0; pitch /= 2) {
      count /= 2;
      pick(size, values, 2, sums, count);
      pick(size, values + size, 2, picked, count);
      tn__binary_map(&r->binary, sums, picked, values, (size_t)(count * step.inner));
    }
    count /= pitch;
    for (int64_t left = pitch; left > step.left; left -= left / 2) {
      const int64_t half = left / 2;
      for (int64_t i = 0; i < count; ++i) {
        char* to = values + (size_t)(i * pitch) * size;
        const char* from = to + (size_t)(left - half) * size;
        tn__binary_map(&r->binary, to, from, to, (size_t)(half * step.inner));
      }
    }
    for (int64_t i = 0; pitch > 1 && i < step.left; ++i) {
      pick(size, values + (size_t)i * size, pitch, i ? picked : sums, count);
      if (i) tn__binary_map(&r->binary, sums, picked, sums, (size_t)(count * step.inner));
    }
    count *= step.inner;
    if (pitch > 1) memcpy(values, sums, (size_t)count * r->carrier_size);
  }
}

static tn_status_t fold_columns(reader_t* reader, int64_t begin, int64_t end) {
  const reduction_run_t* run = reader->run;
  const tn_reduction_t* r = run->r;
  const int64_t size = (int64_t)r->operand_size;
  column_sums_t sums;
  memset(sums.counts, 0, sizeof sums.counts);
  const bool adjacent = has_adjacent_rows_of_columns(r), is_straight = has_straight_blocks(r);
  for (int64_t task = begin; task < end; ++task) {
    const int64_t group = task % r->group_count, place = task / r->group_count;
    const int64_t outer = place / r->block_count;
    const int64_t column = place % r->block_count * r->block_width;
    const int64_t width = tn__least(r->block_width, r->width - column);
    const int64_t first = group * r->units_per_group;
    const int64_t last = tn__least(first + r->units_per_group, r->unit_count);
    const int64_t base = tn__axes_offset(&r->kept, outer) + column * size;
    int64_t limit = 0;
    if (adjacent && r->block_count == 1) limit = base + last * width * size;
    if (is_straight) limit = tn__least(end * r->block_width, r->width) * size;
    if (adjacent && r->width * (int64_t)r->carrier_size <= NARROW_BYTES) {
      TN_RETURN_IF_ERROR(fold_narrow_rows(reader, &sums, base, first, last, limit));
    } else {
      for (int64_t unit = first; unit < last;) {
        TN_RETURN_IF_ERROR(take_rows(reader, &sums, base, 1, last, width, limit, &unit));
      }
    }
    char* total = drain_rows(r, &sums, width);
    fold_block(r, total, width);
    deliver(run, group, (outer * r->width + column) / r->columns_per_result, total,
            width / r->columns_per_result);
  }
  return TN_OK;
}

static tn_status_t run_form(int64_t begin, int64_t end, void* user) {
  const reduction_run_t* run = user;
  reader_t reader;
  TN_RETURN_IF_ERROR(open_reader(run, &reader));
  tn_status_t status = TN_OK;
  switch (run->r->form) {
    case TN_REDUCTION_ROWS: status = fold_rows(&reader, begin, end); break;
    default: status = fold_columns(&reader, begin, end); break;
  }
  close_reader(&reader);
  return status;
}

// --- the second pass, and nothing to fold

static tn_status_t combine_groups(int64_t begin, int64_t end, void* user) {
  const reduction_run_t* run = user;
  const tn_reduction_t* r = run->r;
  const int64_t most = BLOCK_BYTES / (int64_t)r->carrier_size;
  column_sums_t sums;
  memset(sums.counts, 0, sizeof sums.counts);
  for (; begin < end; begin += most) {
    const int64_t count = tn__least(most, end - begin);
    for (int64_t group = 0; group < r->group_count; ++group) {
      push_row(r, &sums,
               run->partials + (size_t)(group * r->output_count + begin) * r->carrier_size, count);
    }
    finish(run, begin, drain_rows(r, &sums, count), count);
  }
  return TN_OK;
}

static tn_status_t fill_init(int64_t begin, int64_t end, void* user) {
  const reduction_run_t* run = user;
  const tn_reduction_t* r = run->r;
  for (int64_t i = begin; i < end; ++i) {
    r->store.run(&r->store, run->init, run->result + (size_t)i * r->result_size, 1);
  }
  return TN_OK;
}

static tn_status_t run_all(reduction_run_t* run, tn_pool_t* pool, const void* init) {
  const tn_reduction_t* r = run->r;
  int64_t task_count = r->output_count;
  if (r->form == TN_REDUCTION_NOTHING) return TN_OK;
  r->load_init.run(&r->load_init, init, run->init, 1);
  if (r->form == TN_REDUCTION_INIT) {
    return tn__pool_parallel_for(pool, task_count, r->grain, fill_init, run);
  }
  if (r->form == TN_REDUCTION_ROWS) task_count *= r->group_count;
  if (r->form == TN_REDUCTION_COLUMNS) task_count = r->kept.size * r->block_count * r->group_count;
  TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, task_count, r->grain, run_form, run));
  if (!run->partials) return TN_OK;
  return tn__pool_parallel_for(pool, r->output_count, GRAIN / r->group_count + 1, combine_groups,
                               run);
}

tn_status_t tn__reduction_run(const tn_reduction_t* r, tn_pool_t* pool, const void* operand,
                              const void* init, void* result, void* scratch) {
  reduction_run_t run = {
      .r = r,
      .operand = operand,
      .result = result,
      .partials = r->scratch_byte_size ? scratch : NULL,
  };
  return run_all(&run, pool, init);
}

tn_status_t tn__reduction_run_from(const tn_reduction_t* r, tn_pool_t* pool,
                                   const tn_kernel_source_t* source, const void* init, void* result,
                                   void* scratch) {
  reduction_run_t run = {
      .r = r,
      .source = source,
      .result = result,
      .partials = r->scratch_byte_size ? scratch : NULL,
  };
  return run_all(&run, pool, init);
}

bool tn__reduction_fold_squares(tn_reduction_t* r) {
  const tn_loops_t* loops = loops_of_sum(r);
  if (r->form != TN_REDUCTION_ROWS || !loops || !loops->fold_squares) return false;
  r->fold_squares = loops->fold_squares;
  return true;
}

tn_status_t tn__reduction_run_rows(const tn_reduction_t* r, const void* rows, int64_t count,
                                   const void* init, void* results) {
  tn_reduction_t part = *r;
  reduction_run_t run = {.r = &part, .operand = rows, .result = results};
  r->load_init.run(&r->load_init, init, run.init, 1);
  if (r->form != TN_REDUCTION_COLUMNS) return run_form(0, count, &run);
  part.width = count * r->columns_per_result;
  return run_form(0, tn__ceil_divide(part.width, r->block_width), &run);
}
