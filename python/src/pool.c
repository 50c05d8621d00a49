// Memory of one call.

#include "core.h"

struct core_block {
  core_block_t* before;
  _Alignas(16) char bytes[];
};

void* core_allocate(core_pool_t* pool, size_t count, size_t size) {
  core_block_t* block = NULL;
  if (!size || count <= (SIZE_MAX / 2) / size) {
    block = PyMem_Calloc(1, sizeof *block + count * size);
  }
  if (!block) {
    PyErr_NoMemory();
    return NULL;
  }
  block->before = pool->last;
  pool->last = block;
  return block->bytes;
}

void core_free(core_pool_t* pool) {
  while (pool->last) {
    core_block_t* block = pool->last;
    pool->last = block->before;
    PyMem_Free(block);
  }
}
