// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/gpu/reads.h"

#include <string.h>

void tn__gpu_reads_begin(tn_gpu_reads_t* reads, const tn_type_t* shape) {
  reads->rank = shape->rank;
  reads->count = 0;
  reads->has_failed = false;
  if (shape->rank) memcpy(reads->dims, shape->dims, shape->rank * sizeof *shape->dims);
}

static bool is_dense(const tn_gpu_reads_t* reads, const int64_t* strides) {
  int64_t expected = 1;
  for (size_t d = reads->rank; d-- > 0;) {
    if (reads->dims[d] != 1 && strides[d] != expected) return false;
    expected *= reads->dims[d];
  }
  return true;
}

static bool is_alike(const tn_gpu_reads_t* reads, const tn_gpu_read_t* a, const tn_gpu_read_t* b) {
  return a->operand == b->operand && a->byte_offset == b->byte_offset &&
         a->is_strided == b->is_strided &&
         (!a->is_strided || memcmp(a->strides, b->strides, reads->rank * sizeof *a->strides) == 0);
}

size_t tn__gpu_add_read(tn_gpu_reads_t* reads, size_t operand, tn_dtype_t dtype,
                        const tn_view_t* view) {
  const int64_t size = (int64_t)tn_dtype_byte_size(dtype);
  tn_gpu_read_t read = {.operand = (int32_t)operand, .dtype = dtype};
  if (view) read.byte_offset = view->byte_offset;
  if (!view || view->strides) {
    for (size_t d = 0; view && d < reads->rank; ++d) read.strides[d] = view->strides[d] / size;
    read.is_strided = !is_dense(reads, read.strides);
  }
  for (size_t k = 0; k < reads->count; ++k) {
    if (is_alike(reads, &reads->items[k], &read)) return k;
  }
  if (reads->count == TN_GPU_MOST_ADDRESSES) {
    reads->has_failed = true;
    return 0;
  }
  reads->items[reads->count] = read;
  return reads->count++;
}

void tn__gpu_collapse_reads(tn_gpu_reads_t* reads) {
  size_t rank = 0;
  for (size_t d = 0; d < reads->rank; ++d) {
    const int64_t dim = reads->dims[d];
    bool joins = rank > 0;
    if (dim == 1) continue;
    for (size_t k = 0; k < reads->count && joins; ++k) {
      const tn_gpu_read_t* read = &reads->items[k];
      if (read->is_strided) joins = read->strides[rank - 1] == read->strides[d] * dim;
    }
    if (!joins) reads->dims[rank++] = 1;
    reads->dims[rank - 1] *= dim;
    for (size_t k = 0; k < reads->count; ++k) {
      reads->items[k].strides[rank - 1] = reads->items[k].strides[d];
    }
  }
  reads->rank = rank;
}

// One element for all.
static bool is_same(const tn_gpu_reads_t* reads, const tn_gpu_read_t* read) {
  for (size_t d = 0; d < reads->rank; ++d) {
    if (read->strides[d]) return false;
  }
  return true;
}

static void add_place(tn_gpu_source_t* source, const tn_gpu_reads_t* reads, size_t number) {
  const tn_gpu_read_t* read = &reads->items[number];
  tn__gpu_add(&source->body, "  const long p%zu = 0", number);
  for (size_t d = 0; d < reads->rank; ++d) {
    if (read->strides[d] == 0) continue;
    const size_t stride = tn__gpu_add_number(source, read->strides[d]);
    tn__gpu_add(&source->body, " + c%zu * n(%zu)", d, stride);
  }
  tn__gpu_add(&source->body, ";\n");
}

void tn__gpu_add_loads(tn_gpu_source_t* source, tn_gpu_reads_t* reads, const char* index) {
  bool has_places = false;
  source->has_failed |= reads->has_failed;
  tn__gpu_collapse_reads(reads);
  for (size_t k = 0; k < reads->count; ++k) {
    has_places |= reads->items[k].is_strided && !is_same(reads, &reads->items[k]);
  }
  if (has_places) tn__gpu_add_coordinates(source, index, reads->rank, reads->dims);
  for (size_t k = 0; k < reads->count; ++k) {
    const tn_gpu_read_t* read = &reads->items[k];
    const tn_gpu_dtype_t* dtype = tn__gpu_dtype(read->dtype);
    const bool has_place = read->is_strided && !is_same(reads, read);
    const size_t x = tn__gpu_add_address(source, read->operand, read->byte_offset, dtype->memory);
    if (has_place) add_place(source, reads, k);
    tn__gpu_add(&source->body, "  const %s r%zu = LOAD%s(x%zu, ", dtype->value, k, dtype->suffix,
                x);
    if (has_place) {
      tn__gpu_add(&source->body, "p%zu);\n", k);
    } else {
      tn__gpu_add(&source->body, "%s);\n", read->is_strided ? "0" : index);
    }
  }
}
