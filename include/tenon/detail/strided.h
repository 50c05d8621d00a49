// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Loop nests over strided arrays. Header-only; for kernels (<tenon/kernel.h>) and for other code
// that has an array with strides. Strides are in elements, may be 0 (broadcast) or negative, and
// have one entry for each dimension; offsets count elements from [0, 0, ...].
//
//   tn_loop_nest_t nest;  // one loop nest over z, x and y, which have one shape
//   tn_loop_nest_init(&nest, rank, dims, 3, (const int64_t*[]){z_strides, x_strides, y_strides});
//   TN_FOR_CHUNKS(&nest, piece, 0, nest.piece_count) {
//     float* z_at = z + piece.offsets[0];
//     const float *x_at = x + piece.offsets[1], *y_at = y + piece.offsets[2];
//     for (int64_t i = 0; i < piece.count; ++i)
//       z_at[i * nest.strides[0]] = x_at[i * nest.strides[1]] + y_at[i * nest.strides[2]];
//   }
//
// Any range of chunks can be traversed separately, so threads can divide the chunks among them.
// Elements are read in place; tn_eval_for_rows (<tenon/kernel.h>) packs non-contiguous operands
// first, which is several times faster. C11 and C++17; needs no library.
#ifndef TENON_DETAIL_STRIDED_H_
#define TENON_DETAIL_STRIDED_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  TN_LOOP_NEST_ARRAY_LIMIT = 8,  // arrays of one nest
  TN_NEST_RANK_LIMIT = 64,       // dimensions: TN_MAX_RANK
  TN_NEST_TILE = 64,             // rows and columns of a tile
};

// --- one array

// The number of elements of a valid shape; a scalar has one.
static inline int64_t tn_element_count(size_t rank, const int64_t* dims) {
  int64_t count = 1;
  for (size_t i = 0; i < rank; ++i) count *= dims[i];
  return count;
}

// The offset of the element with the row-major index `elem`, which must be in range.
static inline int64_t tn_elem_to_loc(int64_t elem, size_t rank, const int64_t* dims,
                                     const int64_t* strides) {
  int64_t location = 0;
  for (size_t i = rank; i-- > 0;) {
    location += elem % dims[i] * strides[i];
    elem /= dims[i];
  }
  return location;
}

// The strides of a dense row-major array.
static inline void tn_row_major_strides(size_t rank, const int64_t* dims, int64_t* out_strides) {
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0;) {
    out_strides[i] = stride;
    stride *= dims[i] > 0 ? dims[i] : 1;
  }
}

// Whether the elements are dense in row-major or column-major order. Strides of dimensions of size
// 1 are ignored; an array without elements is both.
static inline bool tn_is_row_contiguous(size_t rank, const int64_t* dims, const int64_t* strides) {
  int64_t stride = 1;
  if (tn_element_count(rank, dims) == 0) return true;
  for (size_t i = rank; i-- > 0;) {
    if (dims[i] != 1 && strides[i] != stride) return false;
    stride *= dims[i];
  }
  return true;
}
static inline bool tn_is_column_contiguous(size_t rank, const int64_t* dims,
                                           const int64_t* strides) {
  int64_t stride = 1;
  if (tn_element_count(rank, dims) == 0) return true;
  for (size_t i = 0; i < rank; ++i) {
    if (dims[i] != 1 && strides[i] != stride) return false;
    stride *= dims[i];
  }
  return true;
}

// --- several arrays of one shape

// Whether items `outer` and `inner` of the lists can be merged into one dimension in every array.
static inline bool tn__dims_merge(size_t outer, size_t inner, const int64_t* dims,
                                  size_t array_count, int64_t* const* strides) {
  for (size_t k = 0; k < array_count; ++k) {
    if (strides[k][outer] != strides[k][inner] * dims[inner]) return false;
  }
  return true;
}

// tn_collapse_contiguous_dims for lists of structs: consecutive dimensions are `pitch` items apart.
static inline size_t tn__collapse_dims(size_t rank, size_t pitch, int64_t* dims, size_t array_count,
                                       int64_t* const* strides) {
  size_t count = 0;
  for (size_t d = 0; d < rank; ++d) {
    const size_t from = d * pitch, last = count ? (count - 1) * pitch : 0;
    if (dims[from] == 1) continue;
    const bool merges = count && tn__dims_merge(last, from, dims, array_count, strides);
    const size_t to = merges ? last : count++ * pitch;
    dims[to] = dims[from] * (merges ? dims[to] : 1);
    for (size_t k = 0; k < array_count; ++k) strides[k][to] = strides[k][from];
  }
  return count;
}

// Removes dimensions of size 1 and merges adjacent dimensions where the strides of all arrays allow
// it: shortens `dims` and each list of strides. Returns the new rank.
static inline size_t tn_collapse_contiguous_dims(size_t rank, int64_t* dims, size_t array_count,
                                                 int64_t* const* strides) {
  return tn__collapse_dims(rank, 1, dims, array_count, strides);
}

// --- a loop nest over several arrays

// Dimensions of size 1 are removed, adjacent dimensions are merged where every array allows it, and
// loops are ordered by the memory order of the first array, then the second, and so on: list
// written arrays first. The innermost loop is divided into chunks. If another array is contiguous
// along the next loop instead, the two innermost loops are tiled, so that its cache lines are
// reused before they are evicted.
typedef struct tn_nest {
  size_t array_count;
  int64_t element_count;
  int64_t row_length;                         // elements of the innermost loop
  int64_t strides[TN_LOOP_NEST_ARRAY_LIMIT];  // of each array along the innermost loop
  size_t loop_count;                          // loops around it, outermost first
  int64_t loop_counts[TN_NEST_RANK_LIMIT];
  int64_t loop_strides[TN_LOOP_NEST_ARRAY_LIMIT][TN_NEST_RANK_LIMIT];
  int64_t rows_per_tile;  // 0: not tiled
  int64_t piece_length;   // the largest number of elements of a chunk
  int64_t pieces_per_row, piece_count;
} tn_loop_nest_t;

// A chunk: `count` elements of a row, of which the first is at offsets[k] of array k.
typedef struct tn_piece {
  int64_t index;
  int64_t count;
  int64_t offsets[TN_LOOP_NEST_ARRAY_LIMIT];
  int64_t rows_left;  // of the tile, below this row
  int64_t column;     // from here on: the position in the nest
  int64_t at[TN_NEST_RANK_LIMIT];
} tn_chunk_t;

static inline int64_t tn__magnitude(int64_t stride) {
  return stride < 0 ? -stride : stride;
}

// Whether loop `a` is outside of loop `b`: decided by the first array whose strides differ.
static inline bool tn__goes_around(const tn_loop_nest_t* nest, size_t a, size_t b) {
  for (size_t k = 0; k < nest->array_count; ++k) {
    const int64_t x = tn__magnitude(nest->loop_strides[k][a]),
                  y = tn__magnitude(nest->loop_strides[k][b]);
    if (x && y && x != y) return x > y;
  }
  return true;
}

static inline void tn__nest_swap(tn_loop_nest_t* nest, size_t a, size_t b) {
  const int64_t count = nest->loop_counts[a];
  nest->loop_counts[a] = nest->loop_counts[b];
  nest->loop_counts[b] = count;
  for (size_t k = 0; k < nest->array_count; ++k) {
    const int64_t stride = nest->loop_strides[k][a];
    nest->loop_strides[k][a] = nest->loop_strides[k][b];
    nest->loop_strides[k][b] = stride;
  }
}

// Sets the largest number of elements of a chunk, the unit of work for a thread.
static inline void tn_loop_nest_set_chunk_length(tn_loop_nest_t* nest, int64_t piece_length) {
  const bool is_empty = nest->element_count == 0;
  if (nest->rows_per_tile && piece_length > TN_NEST_TILE) piece_length = TN_NEST_TILE;
  nest->piece_length = piece_length > 0 ? piece_length : 1;
  nest->pieces_per_row = is_empty ? 0 : (nest->row_length - 1) / nest->piece_length + 1;
  nest->piece_count = nest->pieces_per_row;
  for (size_t l = 0; l < nest->loop_count; ++l) nest->piece_count *= nest->loop_counts[l];
}

// Whether some array is contiguous along the last outer loop rather than along the row.
static inline bool tn__nest_is_turned(const tn_loop_nest_t* nest) {
  for (size_t k = 0; nest->loop_count && k < nest->array_count; ++k) {
    const int64_t down = tn__magnitude(nest->loop_strides[k][nest->loop_count - 1]);
    if (down && down < tn__magnitude(nest->strides[k])) return true;
  }
  return false;
}

// strides[k] are those of array k. Returns false, with no chunks, for more than
// TN_LOOP_NEST_ARRAY_LIMIT arrays or TN_NEST_RANK_LIMIT dimensions.
static inline bool tn_loop_nest_init(tn_loop_nest_t* nest, size_t rank, const int64_t* dims,
                                     size_t array_count, const int64_t* const* strides) {
  const bool fits = rank <= TN_NEST_RANK_LIMIT && array_count <= TN_LOOP_NEST_ARRAY_LIMIT;
  int64_t* lists[TN_LOOP_NEST_ARRAY_LIMIT];
  nest->array_count = fits ? array_count : 0;
  nest->element_count = fits ? tn_element_count(rank, dims) : 0;
  nest->loop_count = 0;
  nest->row_length = 1;
  for (size_t k = 0; k < nest->array_count; ++k) nest->strides[k] = 0;
  for (size_t d = 0; fits && d < rank; ++d) {
    if (dims[d] == 1) continue;
    nest->loop_counts[nest->loop_count] = dims[d];
    for (size_t k = 0; k < nest->array_count; ++k) {
      nest->loop_strides[k][nest->loop_count] = strides[k][d];
    }
    for (size_t i = nest->loop_count++; i > 0 && !tn__goes_around(nest, i - 1, i); --i) {
      tn__nest_swap(nest, i - 1, i);
    }
  }
  for (size_t k = 0; k < nest->array_count; ++k) lists[k] = nest->loop_strides[k];
  nest->loop_count =
      tn_collapse_contiguous_dims(nest->loop_count, nest->loop_counts, nest->array_count, lists);
  if (nest->loop_count) {
    const size_t last = --nest->loop_count;
    nest->row_length = nest->loop_counts[last];
    for (size_t k = 0; k < nest->array_count; ++k) {
      nest->strides[k] = nest->loop_strides[k][last];
    }
  }
  nest->rows_per_tile = tn__nest_is_turned(nest) ? TN_NEST_TILE : 0;
  tn_loop_nest_set_chunk_length(nest, INT64_MAX);
  return fits;
}

static inline void tn__chunk_measure(const tn_loop_nest_t* nest, tn_chunk_t* piece) {
  const int64_t left = nest->row_length - piece->column;
  piece->count = left < nest->piece_length ? left : nest->piece_length;
}

// The chunk at `index`, from 0 to nest->piece_count; at nest->piece_count an empty chunk.
static inline tn_chunk_t tn_chunk_at(const tn_loop_nest_t* nest, int64_t index) {
  tn_chunk_t piece;
  piece.index = index;
  piece.count = piece.column = piece.rows_left = 0;
  for (size_t k = 0; k < nest->array_count; ++k) piece.offsets[k] = 0;
  if (index >= nest->piece_count) return piece;
  size_t loop_count = nest->loop_count;
  if (nest->rows_per_tile) {
    const int64_t rows = nest->loop_counts[--loop_count];
    const int64_t in_plane = index % (rows * nest->pieces_per_row);
    const int64_t top =
        in_plane / (nest->rows_per_tile * nest->pieces_per_row) * nest->rows_per_tile;
    const int64_t height = rows - top < nest->rows_per_tile ? rows - top : nest->rows_per_tile;
    const int64_t in_tiles = in_plane - top * nest->pieces_per_row;
    index /= rows * nest->pieces_per_row;
    piece.column = in_tiles / height * nest->piece_length;
    piece.at[loop_count] = top + in_tiles % height;
    piece.rows_left = height - 1 - in_tiles % height;
  } else {
    piece.column = index % nest->pieces_per_row * nest->piece_length;
    index /= nest->pieces_per_row;
  }
  for (size_t l = loop_count; l-- > 0;) {
    piece.at[l] = index % nest->loop_counts[l];
    index /= nest->loop_counts[l];
  }
  for (size_t k = 0; k < nest->array_count; ++k) {
    piece.offsets[k] = piece.column * nest->strides[k];
    for (size_t l = 0; l < nest->loop_count; ++l) {
      piece.offsets[k] += piece.at[l] * nest->loop_strides[k][l];
    }
  }
  tn__chunk_measure(nest, &piece);
  return piece;
}

// Advances to the next chunk; after the last one to the empty chunk.
static inline void tn_chunk_next(const tn_loop_nest_t* nest, tn_chunk_t* piece) {
  if (nest->rows_per_tile && !piece->rows_left) {
    *piece = tn_chunk_at(nest, piece->index + 1);
    return;
  }
  ++piece->index;
  if (piece->rows_left) {
    const size_t last = nest->loop_count - 1;
    --piece->rows_left;
    ++piece->at[last];
    for (size_t k = 0; k < nest->array_count; ++k) {
      piece->offsets[k] += nest->loop_strides[k][last];
    }
    return;
  }
  if (piece->column + piece->count < nest->row_length) {
    for (size_t k = 0; k < nest->array_count; ++k) {
      piece->offsets[k] += piece->count * nest->strides[k];
    }
    piece->column += piece->count;
    tn__chunk_measure(nest, piece);
    return;
  }
  for (size_t k = 0; k < nest->array_count; ++k) {
    piece->offsets[k] -= piece->column * nest->strides[k];
  }
  piece->column = 0;
  for (size_t l = nest->loop_count; l-- > 0;) {
    const bool carries = ++piece->at[l] == nest->loop_counts[l];
    const int64_t steps = carries ? 1 - nest->loop_counts[l] : 1;
    for (size_t k = 0; k < nest->array_count; ++k) {
      piece->offsets[k] += steps * nest->loop_strides[k][l];
    }
    if (!carries) break;
    piece->at[l] = 0;
  }
  tn__chunk_measure(nest, piece);
}

// Loops over the chunks [begin, end); the loop body has `piece`.
#define TN_FOR_CHUNKS(nest, piece, begin, end)                               \
  for (tn_chunk_t piece = tn_chunk_at((nest), (begin)); piece.index < (end); \
       tn_chunk_next((nest), &piece))

// --- iteration over elements

// Visits the elements of one array in row-major order; `location` is the offset of the current one.
// For code that needs every element separately: where a loop over rows will do, a nest is faster.
typedef struct tn_contiguous_iterator {
  int64_t location;
  size_t rank;
  int64_t dims[TN_NEST_RANK_LIMIT];
  int64_t strides[TN_NEST_RANK_LIMIT];
  int64_t at[TN_NEST_RANK_LIMIT];
} tn_contiguous_iterator_t;

// Moves to the first element.
static inline void tn_contiguous_iterator_reset(tn_contiguous_iterator_t* iterator) {
  iterator->location = 0;
  for (size_t i = 0; i < iterator->rank; ++i) iterator->at[i] = 0;
}

// Merges adjacent dimensions where the strides allow it. At most TN_NEST_RANK_LIMIT dimensions.
static inline void tn_contiguous_iterator_init(tn_contiguous_iterator_t* iterator, size_t rank,
                                               const int64_t* dims, const int64_t* strides) {
  int64_t* const list = iterator->strides;
  for (size_t i = 0; i < rank; ++i) {
    iterator->dims[i] = dims[i];
    iterator->strides[i] = strides[i];
  }
  iterator->rank = tn_collapse_contiguous_dims(rank, iterator->dims, 1, &list);
  tn_contiguous_iterator_reset(iterator);
}

// Advances to the next element; after the last one to the first.
static inline void tn_contiguous_iterator_step(tn_contiguous_iterator_t* iterator) {
  for (size_t i = iterator->rank; i-- > 0;) {
    if (++iterator->at[i] < iterator->dims[i]) {
      iterator->location += iterator->strides[i];
      return;
    }
    iterator->at[i] = 0;
    iterator->location -= (iterator->dims[i] - 1) * iterator->strides[i];
  }
}

// Moves to the element with the row-major index `elem`, which must be in range.
static inline void tn_contiguous_iterator_seek(tn_contiguous_iterator_t* iterator, int64_t elem) {
  iterator->location = 0;
  for (size_t i = iterator->rank; i-- > 0;) {
    iterator->at[i] = elem % iterator->dims[i];
    iterator->location += iterator->at[i] * iterator->strides[i];
    elem /= iterator->dims[i];
  }
}

#endif  // TENON_DETAIL_STRIDED_H_
