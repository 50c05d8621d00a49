#include "kernel/contraction/gemm.h"

#include <string.h>

#include "base/integer.h"
enum {
  ALIGNMENT = 64,
  // Rows and columns that are packed at a time: a few MiB of panels, whatever the shape.
  BLOCK_ROWS = 12 * 340,
  BLOCK_COLUMNS = 128 * 32,
  // Tiles of a piece of work, each way.
  PIECE_TILES = 4,
  SLOT_LIMIT = 16,
  // Products worth a thread's while, and those from which one matrix is cut up among threads.
  GRAIN_PRODUCTS = 1 << 16,
  SPLIT_PRODUCTS = 1 << 20,
  SMALL_PRODUCTS = 1 << 14,
  PACK_GRAIN = 16,  // panels
  SHORT_DEPTH = 16,
  SHORT_COLUMNS = 2048,  // of a piece of work
  TINY_PRODUCTS = 256,   // of a matrix that is not worth a loop over its rows
  THIN = 8,              // vectors
};

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
  return shape->columns <= THIN;
}

// Rows of the one operand have to be contiguous; the vectors of a single product may be packed.
static bool is_thin(const tn_gemm_shape_t* shape, int64_t batch) {
  if (shape->depth < TN_GEMM_DOTS_LANES) return false;
  const bool right = is_thin_on_the_right(shape);
  if (!right && shape->rows > THIN) return false;
  const int64_t matrix = right ? shape->lhs_depth_stride : shape->rhs_depth_stride;
  const int64_t vectors = right ? shape->rhs_depth_stride : shape->lhs_depth_stride;
  return matrix == 1 && (vectors == 1 || batch == 1);
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
    if (vector == 1 && (depth == 1 || row == 1)) return TN_GEMM_VECTOR;
  }
  if (product_count(shape) <= SMALL_PRODUCTS && shape->depth <= TN_GEMM_DEPTH && has_rows) {
    return TN_GEMM_SMALL;
  }
  if (shape->depth <= SHORT_DEPTH && has_rows) return TN_GEMM_SHORT;
  return is_thin(shape, batch) ? TN_GEMM_THIN : TN_GEMM_BLOCKED;
}

// What the packed loops see: a complex matrix is a real one of twice the size.
typedef struct extent {
  int64_t rows, columns, depth, parts;
} extent_t;

static extent_t packed_extent(const tn_gemm_t* gemm) {
  const int64_t parts = gemm->is_complex ? 2 : 1;
  return (extent_t){gemm->shape.rows, gemm->shape.columns * parts, gemm->shape.depth * parts,
                    parts};
}

static size_t lhs_panels_byte_size(const tn_gemm_t* gemm, size_t scalar) {
  const extent_t extent = packed_extent(gemm);
  const int64_t rows = tn__least(extent.rows, BLOCK_ROWS),
                depth = tn__least(extent.depth, TN_GEMM_DEPTH);
  const int64_t tile = gemm->set->tile_rows;
  return tn__align_up((size_t)(tn__ceil_divide(rows, tile) * tile * depth) * scalar, ALIGNMENT);
}

static size_t rhs_panels_byte_size(const tn_gemm_t* gemm, size_t scalar) {
  const extent_t extent = packed_extent(gemm);
  const int64_t columns = tn__least(extent.columns, BLOCK_COLUMNS);
  const int64_t depth = tn__least(extent.depth, TN_GEMM_DEPTH), tile = gemm->set->tile_columns;
  return tn__align_up((size_t)(tn__ceil_divide(columns, tile) * tile * depth) * scalar, ALIGNMENT);
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
  gemm.batch = 1;
  for (size_t i = 0; i < shape->batch_loop_count; ++i) gemm.batch *= shape->batch_loops[i].count;
  gemm.form = choose_form(&gemm.shape, gemm.batch, is_complex);
  if (gemm.form == TN_GEMM_THIN) {
    const bool right = is_thin_on_the_right(&gemm.shape);
    gemm.packs_vectors = (right ? gemm.shape.rhs_depth_stride : gemm.shape.lhs_depth_stride) != 1;
    const int64_t vectors = right ? gemm.shape.columns : gemm.shape.rows;
    if (gemm.packs_vectors) {
      gemm.scratch_byte_size = (size_t)(vectors * gemm.shape.depth) * gemm.scalar_size;
    }
  }
  if (gemm.form == TN_GEMM_BLOCKED) {
    // Small matrices are done side by side, large ones one after another by all threads together.
    const bool split = product_count(shape) >= SPLIT_PRODUCTS;
    gemm.slots = split ? 1 : tn__least(gemm.batch, SLOT_LIMIT);
    gemm.slot_byte_size = lhs_panels_byte_size(&gemm, gemm.scalar_size) +
                          rhs_panels_byte_size(&gemm, gemm.scalar_size);
    gemm.scratch_byte_size = gemm.slot_byte_size * (size_t)gemm.slots;
  }
  return gemm;
}

// --- one matrix, blocked

typedef struct block_run {
  const tn_gemm_t* gemm;
  const char *lhs, *rhs;
  char* result;
  char *lhs_panels, *rhs_panels;
  // The block, in units of what the packed loops see.
  int64_t row, column, depth_begin;
  int64_t rows, columns, depth;
} block_run_t;

// Real and imaginary part of row r, term p are at depths 2p and 2p + 1.
static void pack_complex_rows(const block_run_t* run, int64_t first, int64_t rows, char* packed) {
  const tn_gemm_t* gemm = run->gemm;
  const tn_gemm_shape_t* shape = &gemm->shape;
  const size_t scalar = gemm->scalar_size;
  const int64_t side = gemm->set->tile_rows;
  memset(packed, 0, (size_t)(side * run->depth) * scalar);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t p = 0; p < run->depth; p += 2) {
      const int64_t index = (run->row + first + r) * shape->lhs_row_stride +
                            (run->depth_begin + p) / 2 * shape->lhs_depth_stride;
      const char* element = run->lhs + index * (int64_t)gemm->element_size;
      memcpy(packed + (size_t)(p * side + r) * scalar, element, scalar);
      memcpy(packed + (size_t)((p + 1) * side + r) * scalar, element + scalar, scalar);
    }
  }
}

static void negate(const tn_gemm_t* gemm, char* scalar) {
  if (gemm->scalar_size == sizeof(float)) {
    float value;
    memcpy(&value, scalar, sizeof value);
    value = -value;
    memcpy(scalar, &value, sizeof value);
  } else {
    double value;
    memcpy(&value, scalar, sizeof value);
    value = -value;
    memcpy(scalar, &value, sizeof value);
  }
}

// a + bi gives the terms (a, b) for a real left factor and (-b, a) for an imaginary one.
static void pack_complex_columns(const block_run_t* run, int64_t first, int64_t columns,
                                 char* packed) {
  const tn_gemm_t* gemm = run->gemm;
  const tn_gemm_shape_t* shape = &gemm->shape;
  const size_t scalar = gemm->scalar_size;
  const int64_t side = gemm->set->tile_columns;
  memset(packed, 0, (size_t)(side * run->depth) * scalar);
  for (int64_t p = 0; p < run->depth; p += 2) {
    for (int64_t c = 0; c < columns; c += 2) {
      const int64_t index = (run->depth_begin + p) / 2 * shape->rhs_depth_stride +
                            (run->column + first + c) / 2 * shape->rhs_column_stride;
      const char* element = run->rhs + index * (int64_t)gemm->element_size;
      char* real = packed + (size_t)(p * side + c) * scalar;
      char* imaginary = packed + (size_t)((p + 1) * side + c) * scalar;
      memcpy(real, element, 2 * scalar);
      memcpy(imaginary, element + scalar, scalar);
      negate(gemm, imaginary);
      memcpy(imaginary + scalar, element, scalar);
    }
  }
}

static tn_status_t pack_lhs(int64_t begin, int64_t end, void* user) {
  const block_run_t* run = user;
  const tn_gemm_t* gemm = run->gemm;
  const tn_gemm_shape_t* shape = &gemm->shape;
  const int64_t side = gemm->set->tile_rows;
  const size_t panel = (size_t)(side * run->depth) * gemm->scalar_size;
  if (gemm->is_complex) {
    for (int64_t i = begin; i < end; ++i) {
      pack_complex_rows(run, i * side, tn__least(side, run->rows - i * side),
                        run->lhs_panels + (size_t)i * panel);
    }
    return TN_OK;
  }
  const int64_t index = (run->row + begin * side) * shape->lhs_row_stride +
                        run->depth_begin * shape->lhs_depth_stride;
  gemm->set->pack_rows(tn__least((end - begin) * side, run->rows - begin * side), run->depth,
                       run->lhs + index * (int64_t)gemm->element_size, shape->lhs_row_stride,
                       shape->lhs_depth_stride, run->lhs_panels + (size_t)begin * panel);
  return TN_OK;
}

static tn_status_t pack_rhs(int64_t begin, int64_t end, void* user) {
  const block_run_t* run = user;
  const tn_gemm_t* gemm = run->gemm;
  const tn_gemm_shape_t* shape = &gemm->shape;
  const int64_t side = gemm->set->tile_columns;
  const size_t panel = (size_t)(side * run->depth) * gemm->scalar_size;
  if (gemm->is_complex) {
    for (int64_t i = begin; i < end; ++i) {
      pack_complex_columns(run, i * side, tn__least(side, run->columns - i * side),
                           run->rhs_panels + (size_t)i * panel);
    }
    return TN_OK;
  }
  const int64_t index = (run->column + begin * side) * shape->rhs_column_stride +
                        run->depth_begin * shape->rhs_depth_stride;
  gemm->set->pack_columns(tn__least((end - begin) * side, run->columns - begin * side), run->depth,
                          run->rhs + index * (int64_t)gemm->element_size, shape->rhs_column_stride,
                          shape->rhs_depth_stride, run->rhs_panels + (size_t)begin * panel);
  return TN_OK;
}

// One tile; at the edges of the result by way of a whole one.
static void compute_tile(const block_run_t* run, int64_t row, int64_t column, int64_t rows,
                         int64_t columns, const char* lhs, const char* rhs) {
  const tn_gemm_t* gemm = run->gemm;
  const tn_gemm_set_t* set = gemm->set;
  const size_t scalar = gemm->scalar_size;
  const int64_t stride = packed_extent(gemm).columns;
  const bool add = run->depth_begin > 0;
  char* place = run->result + (size_t)((run->row + row) * stride + run->column + column) * scalar;
  if (rows == set->tile_rows && columns == set->tile_columns) {
    set->tile(run->depth, lhs, rhs, place, stride, add);
    return;
  }
  double whole[TN_GEMM_TILE_LIMIT];
  char* tile = (char*)whole;
  const size_t tile_row = (size_t)set->tile_columns * scalar;
  for (int64_t r = 0; add && r < rows; ++r) {
    memcpy(tile + (size_t)r * tile_row, place + (size_t)(r * stride) * scalar,
           (size_t)columns * scalar);
  }
  // Only what was copied in is copied out; the rest may be anything.
  set->tile(run->depth, lhs, rhs, tile, set->tile_columns, add);
  for (int64_t r = 0; r < rows; ++r) {
    memcpy(place + (size_t)(r * stride) * scalar, tile + (size_t)r * tile_row,
           (size_t)columns * scalar);
  }
}

// Pieces of PIECE_TILES x PIECE_TILES tiles, down the columns of pieces.
static tn_status_t compute_pieces(int64_t begin, int64_t end, void* user) {
  const block_run_t* run = user;
  const tn_gemm_set_t* set = run->gemm->set;
  const int64_t piece_rows = set->tile_rows * PIECE_TILES;
  const int64_t piece_columns = set->tile_columns * PIECE_TILES;
  const int64_t down = tn__ceil_divide(run->rows, piece_rows);
  for (int64_t piece = begin; piece < end; ++piece) {
    const int64_t row = piece % down * piece_rows, column = piece / down * piece_columns;
    const int64_t row_end = tn__least(row + piece_rows, run->rows);
    const int64_t column_end = tn__least(column + piece_columns, run->columns);
    for (int64_t j = column; j < column_end; j += set->tile_columns) {
      const char* rhs = run->rhs_panels + (size_t)(j * run->depth) * run->gemm->scalar_size;
      for (int64_t i = row; i < row_end; i += set->tile_rows) {
        const char* lhs = run->lhs_panels + (size_t)(i * run->depth) * run->gemm->scalar_size;
        compute_tile(run, i, j, tn__least(set->tile_rows, row_end - i),
                     tn__least(set->tile_columns, column_end - j), lhs, rhs);
      }
    }
  }
  return TN_OK;
}

static tn_status_t run_blocked(const tn_gemm_t* gemm, tn_pool_t* pool, const char* lhs,
                               const char* rhs, char* result, char* slot) {
  const extent_t extent = packed_extent(gemm);
  const tn_gemm_set_t* set = gemm->set;
  block_run_t run = {
      .gemm = gemm,
      .lhs = lhs,
      .rhs = rhs,
      .result = result,
      .lhs_panels = slot,
      .rhs_panels = slot + lhs_panels_byte_size(gemm, gemm->scalar_size),
  };
  for (run.column = 0; run.column < extent.columns; run.column += BLOCK_COLUMNS) {
    run.columns = tn__least(BLOCK_COLUMNS, extent.columns - run.column);
    for (run.depth_begin = 0; run.depth_begin < extent.depth; run.depth_begin += TN_GEMM_DEPTH) {
      run.depth = tn__least(TN_GEMM_DEPTH, extent.depth - run.depth_begin);
      TN_RETURN_IF_ERROR(tn__pool_parallel_for(
          pool, tn__ceil_divide(run.columns, set->tile_columns), PACK_GRAIN, pack_rhs, &run));
      for (run.row = 0; run.row < extent.rows; run.row += BLOCK_ROWS) {
        run.rows = tn__least(BLOCK_ROWS, extent.rows - run.row);
        TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, tn__ceil_divide(run.rows, set->tile_rows),
                                                 PACK_GRAIN, pack_lhs, &run));
        const int64_t pieces = tn__ceil_divide(run.rows, set->tile_rows * PIECE_TILES) *
                               tn__ceil_divide(run.columns, set->tile_columns * PIECE_TILES);
        TN_RETURN_IF_ERROR(tn__pool_parallel_for(pool, pieces, 1, compute_pieces, &run));
      }
    }
  }
  return TN_OK;
}

// --- some rows, with the right operand packed before

// Blocks of terms, one behind the other, each with all columns.
static size_t packed_matrix_byte_size(const tn_gemm_t* gemm, int64_t depth) {
  const int64_t tile = gemm->set->tile_columns;
  const int64_t columns = tn__ceil_divide(packed_extent(gemm).columns, tile) * tile;
  return tn__align_up((size_t)(columns * depth) * gemm->scalar_size, ALIGNMENT);
}

static char* panels_of(const tn_gemm_t* gemm, const void* packed, int64_t matrix, int64_t depth) {
  return (char*)(uintptr_t)packed +
         (size_t)matrix * packed_matrix_byte_size(gemm, packed_extent(gemm).depth) +
         packed_matrix_byte_size(gemm, depth);
}

size_t tn__gemm_packed_byte_size(const tn_gemm_t* gemm) {
  return (size_t)gemm->batch * packed_matrix_byte_size(gemm, packed_extent(gemm).depth);
}

typedef struct pack_run {
  const tn_gemm_t* gemm;
  const char* rhs;
  char* packed;
} pack_run_t;

static tn_status_t pack_blocks(int64_t begin, int64_t end, void* user) {
  const pack_run_t* pack = user;
  const tn_gemm_t* gemm = pack->gemm;
  const extent_t extent = packed_extent(gemm);
  const int64_t blocks = tn__ceil_divide(extent.depth, TN_GEMM_DEPTH);
  for (int64_t i = begin; i < end; ++i) {
    int64_t lhs, rhs;
    block_run_t run = {
        .gemm = gemm, .columns = extent.columns, .depth_begin = i % blocks * TN_GEMM_DEPTH};
    tn__gemm_batch_offsets(&gemm->shape, i / blocks, &lhs, &rhs);
    run.depth = tn__least(TN_GEMM_DEPTH, extent.depth - run.depth_begin);
    run.rhs = pack->rhs + rhs * (int64_t)gemm->element_size;
    run.rhs_panels = panels_of(gemm, pack->packed, i / blocks, run.depth_begin);
    const int64_t panels = tn__ceil_divide(extent.columns, gemm->set->tile_columns);
    TN_RETURN_IF_ERROR(pack_rhs(0, panels, &run));
  }
  return TN_OK;
}

tn_status_t tn__gemm_pack(const tn_gemm_t* gemm, tn_pool_t* pool, const void* rhs, void* packed) {
  pack_run_t pack = {gemm, rhs, packed};
  const int64_t blocks = tn__ceil_divide(packed_extent(gemm).depth, TN_GEMM_DEPTH);
  return tn__pool_parallel_for(pool, gemm->batch * blocks, 1, pack_blocks, &pack);
}

size_t tn__gemm_rows_scratch(const tn_gemm_t* gemm, int64_t rows) {
  const int64_t side = gemm->set->tile_rows;
  const int64_t depth = tn__least(packed_extent(gemm).depth, TN_GEMM_DEPTH);
  return (size_t)(tn__ceil_divide(rows, side) * side * depth) * gemm->scalar_size;
}

void tn__gemm_rows(const tn_gemm_t* gemm, const void* packed, int64_t matrix, const void* lhs,
                   int64_t rows, void* result, void* scratch) {
  const extent_t extent = packed_extent(gemm);
  const tn_gemm_set_t* set = gemm->set;
  const int64_t pieces = tn__ceil_divide(rows, set->tile_rows * PIECE_TILES) *
                         tn__ceil_divide(extent.columns, set->tile_columns * PIECE_TILES);
  block_run_t run = {.gemm = gemm,
                     .lhs = lhs,
                     .result = result,
                     .lhs_panels = scratch,
                     .rows = rows,
                     .columns = extent.columns};
  for (; run.depth_begin < extent.depth; run.depth_begin += TN_GEMM_DEPTH) {
    run.depth = tn__least(TN_GEMM_DEPTH, extent.depth - run.depth_begin);
    run.rhs_panels = panels_of(gemm, packed, matrix, run.depth_begin);
    (void)pack_lhs(0, tn__ceil_divide(rows, set->tile_rows), &run);  // neither fails
    (void)compute_pieces(0, pieces, &run);
  }
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
  const int64_t size = (int64_t)run->gemm->element_size;
  char* result = run->result + index * shape->rows * shape->columns * size;
  int64_t lhs, rhs;
  tn__gemm_batch_offsets(shape, index, &lhs, &rhs);
  return (matrix_t){run->lhs + lhs * size, run->rhs + rhs * size, result};
}

static tn_status_t run_slots(int64_t begin, int64_t end, void* user) {
  const gemm_run_t* run = user;
  const tn_gemm_t* gemm = run->gemm;
  for (int64_t slot = begin; slot < end; ++slot) {
    const int64_t share = tn__ceil_divide(gemm->batch, gemm->slots);
    const int64_t last = tn__least((slot + 1) * share, gemm->batch);
    for (int64_t i = slot * share; i < last; ++i) {
      const matrix_t m = matrix_of(run, i);
      TN_RETURN_IF_ERROR(run_blocked(gemm, NULL, m.lhs, m.rhs, m.result,
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

// The vectors and the strides to their elements, and the rows that they are multiplied with.
typedef struct thin {
  bool right;
  int64_t vectors, vector_stride, rows, row_stride;
} thin_t;

static thin_t thin_of(const tn_gemm_shape_t* shape) {
  if (is_thin_on_the_right(shape)) {
    return (thin_t){true, shape->columns, shape->rhs_column_stride, shape->rows,
                    shape->lhs_row_stride};
  }
  return (thin_t){false, shape->rows, shape->lhs_row_stride, shape->columns,
                  shape->rhs_column_stride};
}

static tn_status_t run_thin(int64_t begin, int64_t end, void* user) {
  const gemm_run_t* run = user;
  const tn_gemm_t* gemm = run->gemm;
  const tn_gemm_shape_t* shape = &gemm->shape;
  const int64_t size = (int64_t)gemm->element_size;
  const thin_t thin = thin_of(shape);
  const int64_t result_row = thin.right ? shape->columns : 1;
  const int64_t result_vector = thin.right ? 1 : shape->columns;
  for (int64_t piece = begin; piece < end; ++piece) {
    const matrix_t m = matrix_of(run, piece / run->pieces);
    const int64_t first = piece % run->pieces * run->width;
    const char* vectors = thin.right ? m.rhs : m.lhs;
    gemm->set->dots(tn__least(run->width, thin.rows - first), thin.vectors, shape->depth,
                    (thin.right ? m.lhs : m.rhs) + first * thin.row_stride * size, thin.row_stride,
                    gemm->packs_vectors ? run->scratch : vectors,
                    gemm->packs_vectors ? shape->depth : thin.vector_stride,
                    m.result + first * result_row * size, result_row, result_vector);
  }
  return TN_OK;
}

static void pack_vectors(const gemm_run_t* run) {
  const tn_gemm_shape_t* shape = &run->gemm->shape;
  const size_t size = run->gemm->element_size;
  const thin_t thin = thin_of(shape);
  const int64_t depth_stride = thin.right ? shape->rhs_depth_stride : shape->lhs_depth_stride;
  const char* source = thin.right ? run->rhs : run->lhs;
  char* target = run->scratch;
  for (int64_t v = 0; v < thin.vectors; ++v) {
    for (int64_t p = 0; p < shape->depth; ++p, target += size) {
      memcpy(target, source + (v * thin.vector_stride + p * depth_stride) * (int64_t)size, size);
    }
  }
}

static tn_status_t run_thins(gemm_run_t* run, tn_pool_t* pool) {
  const tn_gemm_shape_t* shape = &run->gemm->shape;
  const thin_t thin = thin_of(shape);
  if (run->gemm->packs_vectors) pack_vectors(run);
  run->width = GRAIN_PRODUCTS / (thin.vectors * shape->depth) + 1;
  run->pieces = tn__ceil_divide(thin.rows, run->width);
  return tn__pool_parallel_for(pool, run->gemm->batch * run->pieces, 1, run_thin, run);
}

static tn_status_t run_vector(int64_t begin, int64_t end, void* user) {
  const gemm_run_t* run = user;
  const tn_gemm_t* gemm = run->gemm;
  const tn_gemm_shape_t* shape = &gemm->shape;
  const bool right = shape->columns == 1;
  const int64_t row_stride = right ? shape->lhs_row_stride : shape->rhs_column_stride;
  const int64_t depth_stride = right ? shape->lhs_depth_stride : shape->rhs_depth_stride;
  const int64_t count = right ? shape->rows : shape->columns;
  for (int64_t piece = begin; piece < end; ++piece) {
    const matrix_t m = matrix_of(run, piece / run->pieces);
    const int64_t first = piece % run->pieces * run->width;
    const int64_t width = tn__least(run->width, count - first);
    const char* matrix = (right ? m.lhs : m.rhs) + first * row_stride * (int64_t)gemm->element_size;
    const char* vector = right ? m.rhs : m.lhs;
    char* result = m.result + (size_t)first * gemm->element_size;
    if (depth_stride == 1) {
      gemm->set->dot_rows(width, shape->depth, matrix, row_stride, vector, result);
    } else {
      gemm->set->sum_rows(width, shape->depth, matrix, depth_stride, vector, result);
    }
  }
  return TN_OK;
}

static tn_status_t run_vectors(gemm_run_t* run, tn_pool_t* pool) {
  const tn_gemm_shape_t* shape = &run->gemm->shape;
  const bool right = shape->columns == 1;
  const int64_t count = right ? shape->rows : shape->columns;
  const int64_t depth_stride = right ? shape->lhs_depth_stride : shape->rhs_depth_stride;
  if (depth_stride == 1) {
    run->width = GRAIN_PRODUCTS / shape->depth + 1;
  } else {
    run->width = TN_GEMM_SUM_WIDTH;
    // A few pieces at least, of whole cache lines.
    while (run->width > TN_GEMM_LANES && run->width * 8 > count) run->width /= 2;
  }
  run->pieces = tn__ceil_divide(count, run->width);
  const int64_t grain = GRAIN_PRODUCTS / (run->width * shape->depth) + 1;
  return tn__pool_parallel_for(pool, run->gemm->batch * run->pieces, grain, run_vector, run);
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
    case TN_GEMM_VECTOR: return run_vectors(&run, pool);
    case TN_GEMM_THIN: return run_thins(&run, pool);
    case TN_GEMM_BLOCKED: break;
  }
  if (gemm->slots > 1) return tn__pool_parallel_for(pool, gemm->slots, 1, run_slots, &run);
  // One after another, each by as many threads as its size deserves.
  tn_pool_t* used = product_count(shape) >= SPLIT_PRODUCTS ? pool : NULL;
  for (int64_t i = 0; i < gemm->batch; ++i) {
    const matrix_t m = matrix_of(&run, i);
    TN_RETURN_IF_ERROR(run_blocked(gemm, used, m.lhs, m.rhs, m.result, scratch));
  }
  return TN_OK;
}
