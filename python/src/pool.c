// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory of one call.

#include <string.h>

#include "core.h"

struct core_block {
  core_block_t* before;
  _Alignas(16) char bytes[];
};

void core_pool_init(core_pool_t* pool) {
  pool->last = NULL;
  pool->kept = NULL;
  pool->used = 0;
}

void* core_allocate(core_pool_t* pool, size_t count, size_t size) {
  core_block_t* block = NULL;
  const bool is_possible = !size || count <= (SIZE_MAX / 2) / size;
  if (is_possible && count * size <= sizeof pool->room - pool->used) {
    void* memory = pool->room + pool->used;
    pool->used += (count * size + 15) & ~(size_t)15;
    return memset(memory, 0, count * size);
  }
  if (is_possible) block = PyMem_Calloc(1, sizeof *block + count * size);
  if (!block) {
    PyErr_NoMemory();
    return NULL;
  }
  block->before = pool->last;
  pool->last = block;
  return block->bytes;
}

bool core_keep(core_pool_t* pool, PyObject* object) {
  PyObject* kept = object ? PyTuple_Pack(2, object, pool->kept ? pool->kept : Py_None) : NULL;
  Py_XDECREF(object);
  if (!kept) return false;
  Py_XDECREF(pool->kept);
  pool->kept = kept;
  return true;
}

void core_free(core_pool_t* pool) {
  Py_CLEAR(pool->kept);
  while (pool->last) {
    core_block_t* block = pool->last;
    pool->last = block->before;
    PyMem_Free(block);
  }
}
