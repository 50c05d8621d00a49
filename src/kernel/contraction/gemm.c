// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/contraction/gemm.h"

#include <string.h>

#include "base/integer.h"
#include "kernel/contraction/gemm_blocked.h"

enum {
  SLOT_LIMIT = 16,
  // Products worth a thread's while, and those from which one matrix is cut up among threads.
  GRAIN_PRODUCTS = 1 << 16,
  SPLIT_PRODUCTS = 1 << 20,
  SMALL_PRODUCTS = 1 << 14,
  SHORT_DEPTH = 16,
  SHORT_COLUMNS = 2048,  // of a piece of work
  TINY_PRODUCTS = 256,   // of a matrix that is not worth a loop over its rows
  PAGE_BYTES = 4096,
  ROWS_TOGETHER = 12,  // a multiple of the rows that loops take at a time
  // What is converted at a time.
  LOAD_BYTES = 32 << 10,
  LOAD_ELEMENTS = 256,
  LOADED_TERMS = 4,  // of TN_GEMM_SUM_WIDTH sums: as many as are added at a time
};
_Static_assert(LOAD_BYTES == TN_GEMM_DOT_TERMS * sizeof(double), "a block of one row");

// --- planning

static tn_gemm_scalar_t scalar_of(tn_gemm_type_t type) {
  if (type == TN_GEMM_C64) return TN_GEMM_SCALAR_F32;
  if (type == TN_GEMM_C128) return TN_GEMM_SCALAR_F64;
  return (tn_gemm_scalar_t)type;
}

static size_t scalar_size(tn_gemm_scalar_t scalar) {
  static const size_t sizes[] = {
#define SIZE(name, type) sizeof(type),
      TN_GEMM_SCALARS(SIZE)
#undef SIZE
  };
  return sizes[scalar];
}

static double product_count(const tn_gemm_shape_t* shape) {
  return (double)shape->rows * (double)shape->columns * (double)shape->depth;
}

// A stride that is never taken may as well be 1.
static void tidy_strides(tn_gemm_shape_t* shape) {
  if (shape->rows == 1) shape->lhs_row_stride = 1;
  if (shape->columns == 1) shape->rhs_column_stride = 1;
  if (shape->depth == 1) shape->lhs_depth_stride = shape->rhs_depth_stride = 1;
}

// Whether it is the right operand that is a few vectors; else it is the left one.
static bool is_thin_on_the_right(const tn_gemm_shape_t* shape) {
  return shape->rows == 1 ? shape->columns == 1 : shape->columns <= TN_GEMM_FEW_VECTORS;
}

// VECTOR, THIN: the operand whose lines are a few vectors, and the matrix whose lines, its rows,
// they are multiplied with.
typedef struct thin {
  bool right;
  const tn_gemm_side_t *vectors, *rows;
} thin_t;

static thin_t thin_of(const tn_gemm_t* gemm) {
  const bool right = is_thin_on_the_right(&gemm->shape);
  return (thin_t){right, right ? &gemm->rhs : &gemm->lhs, right ? &gemm->lhs : &gemm->rhs};
}

// Rows of the one operand have to be contiguous; the vectors of a single product may be packed.
static bool is_thin(const tn_gemm_shape_t* shape, int64_t batch) {
  if (shape->depth < TN_GEMM_DOTS_LANES) return false;
  const bool right = is_thin_on_the_right(shape);
  if (!right && shape->rows > TN_GEMM_FEW_VECTORS) return false;
  const int64_t matrix = right ? shape->lhs_depth_stride : shape->rhs_depth_stride;
  const int64_t vectors = right ? shape->rhs_depth_stride : shape->lhs_depth_stride;
  return matrix == 1 && (vectors == 1 || batch == 1);
}

// Whether several rows at a time are multiplied with one vector: short rows, which leave little for
// many partial sums, and those of a page and more, since processors ask memory for what follows in
// a page only. Between these one row after the other is one long piece of memory.
static bool pays_together(const tn_gemm_shape_t* shape, bool right) {
  const int64_t rows = right ? shape->rows : shape->columns, depth = shape->depth;
  if ((right ? &shape->lhs_load : &shape->rhs_load)->run || rows < ROWS_TOGETHER) return false;
  const int64_t byte_size = depth * (int64_t)scalar_size(scalar_of(shape->type));
  return byte_size >= PAGE_BYTES || (depth >= TN_GEMM_LANES && depth < 2 * TN_GEMM_LANES);
}

static tn_gemm_form_t choose_form(const tn_gemm_shape_t* shape, int64_t batch, bool is_complex) {
  if (batch == 0 || shape->rows == 0 || shape->columns == 0) return TN_GEMM_NOTHING;
  if (shape->depth == 0) return TN_GEMM_ZERO;
  if (is_complex) return TN_GEMM_BLOCKED;
  const bool has_rows = shape->rhs_column_stride == 1;
  if (has_rows && batch > 1 && product_count(shape) <= TINY_PRODUCTS) return TN_GEMM_SMALL;
  if (shape->rows == 1 || shape->columns == 1) {
    const bool right = shape->columns == 1;
    const int64_t row = right ? shape->lhs_row_stride : shape->rhs_column_stride;
    const int64_t depth = right ? shape->lhs_depth_stride : shape->rhs_depth_stride;
    const int64_t vector = right ? shape->rhs_depth_stride : shape->lhs_depth_stride;
    if (vector == 1 && depth == 1 && pays_together(shape, right)) return TN_GEMM_THIN;
    if (vector == 1 && (depth == 1 || row == 1)) return TN_GEMM_VECTOR;
  }
  if (product_count(shape) <= SMALL_PRODUCTS && shape->depth <= TN_GEMM_DEPTH && has_rows) {
    return TN_GEMM_SMALL;
  }
  if (shape->depth <= SHORT_DEPTH && has_rows) return TN_GEMM_SHORT;
  return is_thin(shape, batch) ? TN_GEMM_THIN : TN_GEMM_BLOCKED;
}

bool tn__gemm_loads(const tn_gemm_shape_t* shape) {
  return shape->type != TN_GEMM_C64 && shape->type != TN_GEMM_C128 && shape->depth > SHORT_DEPTH &&
         product_count(shape) > SMALL_PRODUCTS;
}

// Whether 16 bits with a sign hold the operand's elements.
static bool is_narrow(const tn_conversion_t* load) {
  if (!load->run || !(tn_dtype_kind(load->from) & (TN_KIND_INTEGER | TN_KIND_BOOL))) return false;
  return tn_dtype_bit_width(load->from) <= 8 || load->from == TN_DTYPE_S16;
}

// Products of narrow integers are made and summed two at a time, where the processor does so.
static void take_pairs(tn_gemm_t* gemm) {
  const tn_gemm_set_t* pairs = tn__gemm_set(TN_GEMM_SCALAR_I16);
  if (gemm->shape.type != TN_GEMM_I32 || !pairs || !is_narrow(&gemm->lhs.load) ||
      !is_narrow(&gemm->rhs.load)) {
    return;
  }
  gemm->set = pairs;
  gemm->lhs.load = tn__conversion(gemm->lhs.load.from, TN_DTYPE_S16);
  gemm->rhs.load = tn__conversion(gemm->rhs.load.from, TN_DTYPE_S16);
}

static void find_sides(tn_gemm_t* gemm) {
  const tn_gemm_shape_t* shape = &gemm->shape;
  gemm->lhs = (tn_gemm_side_t){shape->rows, shape->lhs_row_stride, shape->lhs_depth_stride,
                               gemm->element_size, shape->lhs_load};
  gemm->rhs = (tn_gemm_side_t){shape->columns, shape->rhs_column_stride, shape->rhs_depth_stride,
                               gemm->element_size, shape->rhs_load};
  if (shape->lhs_load.run) gemm->lhs.size = tn_dtype_byte_size(shape->lhs_load.from);
  if (shape->rhs_load.run) gemm->rhs.size = tn_dtype_byte_size(shape->rhs_load.from);
}

tn_gemm_t tn__gemm_plan(const tn_gemm_shape_t* shape) {
  const bool is_complex = shape->type == TN_GEMM_C64 || shape->type == TN_GEMM_C128;
  const tn_gemm_scalar_t scalar = scalar_of(shape->type);
  tn_gemm_t gemm = {
      .shape = *shape,
      .set = tn__gemm_set(scalar),
      .is_complex = is_complex,
      .scalar_size = scalar_size(scalar),
      .element_size = scalar_size(scalar) * (is_complex ? 2 : 1),
  };
  tidy_strides(&gemm.shape);
  find_sides(&gemm);
  gemm.batch = 1;
  for (size_t i = 0; i < shape->batch_loop_count; ++i) gemm.batch *= shape->batch_loops[i].count;
  gemm.form = choose_form(&gemm.shape, gemm.batch, is_complex);
  if (gemm.form == TN_GEMM_THIN || gemm.form == TN_GEMM_VECTOR) {
    const thin_t thin = thin_of(&gemm);
    gemm.packs_vectors = thin.vectors->load.run || thin.vectors->depth_stride != 1;
    if (gemm.packs_vectors) {
      gemm.scratch_byte_size =
          (size_t)(gemm.batch * thin.vectors->lines * gemm.shape.depth) * gemm.scalar_size;
    }
  }
  if (gemm.form == TN_GEMM_BLOCKED) {
    take_pairs(&gemm);
    // Small matrices are done side by side, large ones one after another by all threads together.
    const bool split = product_count(shape) >= SPLIT_PRODUCTS;
    gemm.slots = split ? 1 : tn__least(gemm.batch, SLOT_LIMIT);
    gemm.slot_byte_size = tn__gemm_blocked_scratch(&gemm);
    gemm.scratch_byte_size = gemm.slot_byte_size * (size_t)gemm.slots;
  }
  return gemm;
}

// --- all matrices

typedef struct gemm_run {
  const tn_gemm_t* gemm;
  const char *lhs, *rhs;
  char* result;
  char* scratch;
  int64_t width;   // SHORT, VECTOR, THIN: rows of a piece of work, or elements of the result
  int64_t pieces;  // of each matrix
} gemm_run_t;

typedef struct matrix {
  const char *lhs, *rhs;
  char* result;
} matrix_t;

void tn__gemm_batch_offsets(const tn_gemm_shape_t* shape, int64_t index, int64_t* out_lhs,
                            int64_t* out_rhs) {
  int64_t lhs = 0, rhs = 0;
  for (size_t i = shape->batch_loop_count; i-- > 0;) {
    const tn_gemm_batch_t* loop = &shape->batch_loops[i];
    const int64_t at = i ? index % loop->count : index;
    lhs += at * loop->lhs_stride;
    rhs += at * loop->rhs_stride;
    if (i) index /= loop->count;
  }
  *out_lhs = lhs;
  *out_rhs = rhs;
}

static matrix_t matrix_of(const gemm_run_t* run, int64_t index) {
  const tn_gemm_shape_t* shape = &run->gemm->shape;
  char* result =
      run->result + (size_t)(index * shape->rows * shape->columns) * run->gemm->element_size;
  int64_t lhs, rhs;
  tn__gemm_batch_offsets(shape, index, &lhs, &rhs);
  return (matrix_t){run->lhs + lhs * (int64_t)run->gemm->lhs.size,
                    run->rhs + rhs * (int64_t)run->gemm->rhs.size, result};
}

static tn_status_t run_slots(int64_t begin, int64_t end, void* user) {
  const gemm_run_t* run = user;
  const tn_gemm_t* gemm = run->gemm;
  for (int64_t slot = begin; slot < end; ++slot) {
    const int64_t share = tn__ceil_divide(gemm->batch, gemm->slots);
    const int64_t last = tn__least((slot + 1) * share, gemm->batch);
    for (int64_t i = slot * share; i < last; ++i) {
      const matrix_t m = matrix_of(run, i);
      TN_RETURN_IF_ERROR(tn__gemm_blocked_run(gemm, NULL, m.lhs, m.rhs, m.result,
                                              run->scratch + (size_t)slot * gemm->slot_byte_size));
    }
  }
  return TN_OK;
}

// Small products of `m` and what follows it along the innermost batch loop.
static tn_gemm_small_t small_products(const tn_gemm_shape_t* shape, const matrix_t* m) {
  const size_t loops = shape->batch_loop_count;
  const tn_gemm_batch_t* inner = loops ? &shape->batch_loops[loops - 1] : NULL;
  return (tn_gemm_small_t){
      .lhs = m->lhs,
      .rhs = m->rhs,
      .result = m->result,
      .lhs_matrix = inner ? inner->lhs_stride : 0,
      .lhs_row = shape->lhs_row_stride,
      .lhs_depth = shape->lhs_depth_stride,
      .rhs_matrix = inner ? inner->rhs_stride : 0,
      .rhs_depth = shape->rhs_depth_stride,
      .result_row = shape->columns,
  };
}

static tn_status_t run_small(int64_t begin, int64_t end, void* user) {
  const gemm_run_t* run = user;
  const tn_gemm_shape_t* shape = &run->gemm->shape;
  const size_t loops = shape->batch_loop_count;
  const int64_t inner = loops ? shape->batch_loops[loops - 1].count : 1;
  for (int64_t i = begin, count; i < end; i += count) {
    count = tn__least(inner - i % inner, end - i);
    const matrix_t m = matrix_of(run, i);
    const tn_gemm_small_t small = small_products(shape, &m);
    run->gemm->set->small(count, shape->rows, shape->columns, shape->depth, &small);
  }
  return TN_OK;
}

// Pieces of `height` rows and SHORT_COLUMNS columns.
static tn_status_t run_short(int64_t begin, int64_t end, void* user) {
  const gemm_run_t* run = user;
  const tn_gemm_shape_t* shape = &run->gemm->shape;
  const int64_t size = (int64_t)run->gemm->element_size;
  const int64_t across = tn__ceil_divide(shape->columns, SHORT_COLUMNS);
  for (int64_t piece = begin; piece < end; ++piece) {
    const matrix_t m = matrix_of(run, piece / run->pieces);
    const int64_t at = piece % run->pieces;
    const int64_t row = at / across * run->width, column = at % across * SHORT_COLUMNS;
    tn_gemm_small_t small = small_products(shape, &m);
    small.lhs = m.lhs + row * shape->lhs_row_stride * size;
    small.rhs = m.rhs + column * size;
    small.result = m.result + (row * shape->columns + column) * size;
    run->gemm->set->small(1, tn__least(run->width, shape->rows - row),
                          tn__least(SHORT_COLUMNS, shape->columns - column), shape->depth, &small);
  }
  return TN_OK;
}

static tn_status_t run_shorts(gemm_run_t* run, tn_pool_t* pool) {
  const tn_gemm_shape_t* shape = &run->gemm->shape;
  const int64_t columns = tn__least(shape->columns, SHORT_COLUMNS);
  run->width = GRAIN_PRODUCTS / (columns * shape->depth) / 4 * 4 + 4;
  run->pieces =
      tn__ceil_divide(shape->rows, run->width) * tn__ceil_divide(shape->columns, SHORT_COLUMNS);
  return tn__pool_parallel_for(pool, run->gemm->batch * run->pieces, 1, run_short, run);
}

// A vector, dense and of the type.
static void pack_vector(const thin_t* thin, int64_t depth, const char* source, char* target,
                        size_t scalar) {
  const size_t size = thin->vectors->size;
  const int64_t step = thin->vectors->depth_stride * (int64_t)size;
  char gathered[LOAD_ELEMENTS * sizeof(double)];
  for (int64_t p = 0, count; p < depth; p += count) {
    count = tn__least(LOAD_ELEMENTS, depth - p);
    char* to = target + (size_t)p * scalar;
    const char* from = source + p * step;
    if (step != (int64_t)size) {
      char* dense = thin->vectors->load.run ? gathered : to;
      for (int64_t i = 0; i < count; ++i) memcpy(dense + (size_t)i * size, from + i * step, size);
      from = dense;
    }
    if (thin->vectors->load.run)
      thin->vectors->load.run(&thin->vectors->load, from, to, (size_t)count);
  }
}

static tn_status_t pack_vectors(int64_t begin, int64_t end, void* user) {
  const gemm_run_t* run = user;
  const thin_t thin = thin_of(run->gemm);
  const int64_t depth = run->gemm->shape.depth;
  const size_t scalar = run->gemm->scalar_size;
  for (int64_t i = begin; i < end; ++i) {
    const matrix_t m = matrix_of(run, i / thin.vectors->lines);
    const int64_t at = i % thin.vectors->lines * thin.vectors->stride * (int64_t)thin.vectors->size;
    pack_vector(&thin, depth, (thin.right ? m.rhs : m.lhs) + at,
                run->scratch + (size_t)(i * depth) * scalar, scalar);
  }
  return TN_OK;
}

// The vectors of matrix `index`, and the stride between them.
static const char* vectors_of(const gemm_run_t* run, const thin_t* thin, const matrix_t* m,
                              int64_t index, int64_t* out_stride) {
  const int64_t depth = run->gemm->shape.depth;
  *out_stride = run->gemm->packs_vectors ? depth : thin->vectors->stride;
  if (!run->gemm->packs_vectors) return thin->right ? m->rhs : m->lhs;
  return run->scratch + (size_t)(index * thin->vectors->lines * depth) * run->gemm->scalar_size;
}

static bool reads_bf16(const tn_gemm_t* gemm, const thin_t* thin) {
  return thin->rows->load.run && thin->rows->load.from == TN_DTYPE_BF16 && gemm->set->bf16_dots;
}

// Where results of dot products go: that of row i and vector v to i * row + v * vector.
typedef struct places {
  char* data;
  int64_t row, vector;
} places_t;

// Rows of the type, or of bf16 as they are.
static void compute_dots(const tn_gemm_t* gemm, const thin_t* thin, int64_t rows, int64_t terms,
                         const char* matrix, int64_t row_stride, const char* vectors,
                         int64_t vector_stride, const places_t* places, bool add) {
  const tn_gemm_set_t* set = gemm->set;
  const bool is_bf16 = reads_bf16(gemm, thin);
  if (gemm->form == TN_GEMM_VECTOR) {
    (is_bf16 ? set->bf16_dot_rows : set->dot_rows)(rows, terms, matrix, row_stride, vectors,
                                                   places->data, add);
  } else {
    (is_bf16 ? set->bf16_dots : set->dots)(rows, thin->vectors->lines, terms, matrix, row_stride,
                                           vectors, vector_stride, places->data, places->row,
                                           places->vector, add);
  }
}

// Rows of neighbouring terms. Where they are converted first, one at a time: the next one's reads
// begin while this one is multiplied.
static void dot_lines(const tn_gemm_t* gemm, const thin_t* thin, int64_t rows, const char* matrix,
                      const char* vectors, int64_t vector_stride, places_t places) {
  const int64_t depth = gemm->shape.depth;
  const size_t scalar = gemm->scalar_size;
  if (!thin->rows->load.run || reads_bf16(gemm, thin)) {
    compute_dots(gemm, thin, rows, depth, matrix, thin->rows->stride, vectors, vector_stride,
                 &places, false);
    return;
  }
  _Alignas(64) char loaded[LOAD_BYTES];
  for (int64_t i = 0; i < rows; ++i) {
    const char* row = matrix + i * thin->rows->stride * (int64_t)thin->rows->size;
    for (int64_t p = 0; p < depth; p += TN_GEMM_DOT_TERMS) {
      const int64_t terms = tn__least(TN_GEMM_DOT_TERMS, depth - p);
      thin->rows->load.run(&thin->rows->load, row + (size_t)p * thin->rows->size, loaded,
                           (size_t)terms);
      compute_dots(gemm, thin, 1, terms, loaded, terms, vectors + (size_t)p * scalar, vector_stride,
                   &places, p > 0);
    }
    places.data += (size_t)places.row * scalar;
  }
}

// Rows that are neighbours: blocks of TN_GEMM_DEPTH terms are summed from zero, and the blocks'
// sums in order.
static void sum_lines(const tn_gemm_t* gemm, const thin_t* thin, int64_t rows, const char* matrix,
                      const char* vector, char* result) {
  const tn_gemm_set_t* set = gemm->set;
  const size_t scalar = gemm->scalar_size;
  const int64_t depth = gemm->shape.depth, stride = thin->rows->depth_stride;
  const bool is_bf16 = reads_bf16(gemm, thin), loads = thin->rows->load.run && !is_bf16;
  const int64_t most = loads ? LOADED_TERMS : TN_GEMM_DEPTH;
  _Alignas(64) char loaded[LOAD_BYTES], sums[TN_GEMM_SUM_WIDTH * sizeof(double)];
  for (int64_t block = 0; block < depth; block += TN_GEMM_DEPTH) {
    char* target = block ? sums : result;
    const int64_t end = tn__least(block + TN_GEMM_DEPTH, depth);
    for (int64_t p = block; p < end; p += most) {
      const int64_t terms = tn__least(most, end - p);
      const char* lines = matrix + p * stride * (int64_t)thin->rows->size;
      for (int64_t i = 0; loads && i < terms; ++i) {
        thin->rows->load.run(&thin->rows->load, lines + i * stride * (int64_t)thin->rows->size,
                             loaded + (size_t)(i * rows) * scalar, (size_t)rows);
      }
      (is_bf16 ? set->bf16_sum_rows : set->sum_rows)(
          rows, terms, loads ? loaded : lines, loads ? rows : stride, vector + (size_t)p * scalar,
          target, p > block);
    }
    if (block) set->add(rows, sums, result);
  }
}

static tn_status_t run_thin(int64_t begin, int64_t end, void* user) {
  const gemm_run_t* run = user;
  const tn_gemm_t* gemm = run->gemm;
  const thin_t thin = thin_of(gemm);
  const int64_t result_row = thin.right ? gemm->shape.columns : 1;
  const int64_t result_vector = thin.right ? 1 : gemm->shape.columns;
  for (int64_t piece = begin; piece < end; ++piece) {
    const matrix_t m = matrix_of(run, piece / run->pieces);
    const int64_t first = piece % run->pieces * run->width;
    const int64_t rows = tn__least(run->width, thin.rows->lines - first);
    int64_t vector_stride;
    const char* vectors = vectors_of(run, &thin, &m, piece / run->pieces, &vector_stride);
    const char* matrix =
        (thin.right ? m.lhs : m.rhs) + first * thin.rows->stride * (int64_t)thin.rows->size;
    char* result = m.result + (size_t)(first * result_row) * gemm->element_size;
    if (thin.rows->depth_stride == 1) {
      dot_lines(gemm, &thin, rows, matrix, vectors, vector_stride,
                (places_t){result, result_row, result_vector});
    } else {
      sum_lines(gemm, &thin, rows, matrix, vectors, result);
    }
  }
  return TN_OK;
}

static tn_status_t run_thins(gemm_run_t* run, tn_pool_t* pool) {
  const tn_gemm_t* gemm = run->gemm;
  const thin_t thin = thin_of(gemm);
  const int64_t depth = gemm->shape.depth;
  if (gemm->packs_vectors) {
    TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, gemm->batch * thin.vectors->lines,
                                             GRAIN_PRODUCTS / depth + 1, pack_vectors, run));
  }
  if (thin.rows->depth_stride == 1) {
    run->width =
        (GRAIN_PRODUCTS / (thin.vectors->lines * depth) / ROWS_TOGETHER + 1) * ROWS_TOGETHER;
  } else {
    run->width = TN_GEMM_SUM_WIDTH;
    // A few pieces at least, of whole cache lines.
    while (run->width > TN_GEMM_LANES && run->width * 8 > thin.rows->lines) run->width /= 2;
  }
  run->pieces = tn__ceil_divide(thin.rows->lines, run->width);
  const int64_t grain = GRAIN_PRODUCTS / (run->width * thin.vectors->lines * depth) + 1;
  return tn__pool_parallel_for(pool, gemm->batch * run->pieces, grain, run_thin, run);
}

tn_status_t tn__gemm_run(const tn_gemm_t* gemm, tn_pool_t* pool, const void* lhs, const void* rhs,
                         void* result, void* scratch) {
  const tn_gemm_shape_t* shape = &gemm->shape;
  gemm_run_t run = {gemm, lhs, rhs, result, scratch, 0, 0};
  switch (gemm->form) {
    case TN_GEMM_NOTHING: return TN_OK;
    case TN_GEMM_ZERO:
      memset(result, 0, (size_t)(gemm->batch * shape->rows * shape->columns) * gemm->element_size);
      return TN_OK;
    case TN_GEMM_SMALL: {
      const int64_t grain = GRAIN_PRODUCTS / (shape->rows * shape->columns * shape->depth) + 1;
      return tn__pool_parallel_for(pool, gemm->batch, grain, run_small, &run);
    }
    case TN_GEMM_SHORT: return run_shorts(&run, pool);
    case TN_GEMM_VECTOR:
    case TN_GEMM_THIN: return run_thins(&run, pool);
    case TN_GEMM_BLOCKED: break;
  }
  if (gemm->slots > 1) return tn__pool_parallel_for(pool, gemm->slots, 1, run_slots, &run);
  // One after another, each by as many threads as its size deserves.
  tn_pool_t* used = product_count(shape) >= SPLIT_PRODUCTS ? pool : NULL;
  for (int64_t i = 0; i < gemm->batch; ++i) {
    const matrix_t m = matrix_of(&run, i);
    TN_RETURN_IF_ERROR(tn__gemm_blocked_run(gemm, used, m.lhs, m.rhs, m.result, scratch));
  }
  return TN_OK;
}
