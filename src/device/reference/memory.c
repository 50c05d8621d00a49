#include "device/reference/memory.h"

#include <inttypes.h>
#include <pthread.h>

// Bit 62 alone is set in no address of a process, on any processor that we know of.
#define FIRST_ADDRESS (UINT64_C(1) << 62)

enum { ALIGNMENT = 64, GAP = 4096 };

typedef struct block {
  uint64_t address;
  size_t byte_length;
  void* storage;  // of the allocator, `byte_length` + ALIGNMENT bytes
  char* bytes;
} block_t;

struct tn_reference_memory {
  const tn_allocator_t* allocator;
  pthread_mutex_t mutex;  // protects what follows
  block_t* blocks;        // by address
  size_t count, capacity;
  uint64_t next_address;
  size_t limit_byte_length;  // 0: none
  uint64_t in_use_byte_length, peak_byte_length, allocation_count, free_count;
};

tn_status_t tn__reference_memory_create(const tn_device_options_t* options,
                                        tn_reference_memory_t** out_memory) {
  void* storage = NULL;
  *out_memory = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(options->allocator, sizeof(tn_reference_memory_t), &storage));
  tn_reference_memory_t* memory = storage;
  memory->allocator = options->allocator;
  memory->next_address = FIRST_ADDRESS;
  memory->limit_byte_length = options->memory_limit_byte_length;
  pthread_mutex_init(&memory->mutex, NULL);
  *out_memory = memory;
  return TN_OK;
}

void tn__reference_memory_destroy(tn_reference_memory_t* memory) {
  if (!memory) return;
  pthread_mutex_destroy(&memory->mutex);
  tn__free(memory->allocator, memory->blocks, memory->capacity * sizeof(block_t));
  tn__free(memory->allocator, memory, sizeof *memory);
}

// --- blocks

// The last one that begins at `address` or before; `count` when none does. Under the lock.
static size_t find(const tn_reference_memory_t* memory, uint64_t address) {
  size_t low = 0, high = memory->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (memory->blocks[middle].address <= address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low ? low - 1 : memory->count;
}

static tn_status_t allocate_storage(const tn_reference_memory_t* memory, size_t byte_length,
                                    block_t* out_block) {
  size_t size = 0;
  if (__builtin_add_overflow(byte_length, ALIGNMENT, &size) || size > PTRDIFF_MAX) {
    return tn__status_out_of_memory();
  }
  *out_block = (block_t){.byte_length = byte_length};
  TN_RETURN_IF_ERROR(tn__allocate(memory->allocator, size, &out_block->storage));
  const uintptr_t start = (uintptr_t)out_block->storage;
  out_block->bytes = (char*)out_block->storage + (-start & (ALIGNMENT - 1));
  return TN_OK;
}

static void free_storage(const tn_reference_memory_t* memory, const block_t* block) {
  tn__free(memory->allocator, block->storage, block->byte_length + ALIGNMENT);
}

// Under the lock.
static tn_status_t add(tn_reference_memory_t* memory, size_t alignment, block_t* block) {
  const uint64_t in_use = memory->in_use_byte_length + block->byte_length;
  if (memory->limit_byte_length && in_use > memory->limit_byte_length) {
    return tn_status_create(
        TN_CODE_RESOURCE_EXHAUSTED,
        "device reference: no memory for %zu bytes; %" PRIu64 " are in use and the limit is %zu",
        block->byte_length, memory->in_use_byte_length, memory->limit_byte_length);
  }
  void* blocks = memory->blocks;
  TN_RETURN_IF_ERROR(tn__grow(memory->allocator, &blocks, &memory->capacity, memory->count + 1,
                              sizeof *memory->blocks));
  memory->blocks = blocks;
  block->address = (memory->next_address + alignment - 1) / alignment * alignment;
  memory->next_address = block->address + block->byte_length + GAP;
  memory->blocks[memory->count++] = *block;
  memory->in_use_byte_length = in_use;
  if (memory->peak_byte_length < in_use) memory->peak_byte_length = in_use;
  ++memory->allocation_count;
  return TN_OK;
}

tn_status_t tn__reference_memory_allocate(tn_reference_memory_t* memory, size_t byte_length,
                                          size_t alignment, void** out_address) {
  block_t block;
  *out_address = NULL;
  TN_RETURN_IF_ERROR(allocate_storage(memory, byte_length, &block));
  pthread_mutex_lock(&memory->mutex);
  tn_status_t status = add(memory, alignment > ALIGNMENT ? alignment : ALIGNMENT, &block);
  pthread_mutex_unlock(&memory->mutex);
  if (status) {
    free_storage(memory, &block);
    return status;
  }
  *out_address = (void*)(uintptr_t)block.address;
  return TN_OK;
}

void tn__reference_memory_free(tn_reference_memory_t* memory, void* address) {
  pthread_mutex_lock(&memory->mutex);
  const size_t index = find(memory, (uintptr_t)address);
  const block_t block = memory->blocks[index];
  --memory->count;
  memmove(&memory->blocks[index], &memory->blocks[index + 1],
          (memory->count - index) * sizeof block);
  memory->in_use_byte_length -= block.byte_length;
  ++memory->free_count;
  pthread_mutex_unlock(&memory->mutex);
  free_storage(memory, &block);
}

tn_status_t tn__reference_memory_find(tn_reference_memory_t* memory, const void* address,
                                      size_t byte_length, void** out_bytes) {
  const uint64_t first = (uintptr_t)address;
  *out_bytes = NULL;
  pthread_mutex_lock(&memory->mutex);
  const size_t index = find(memory, first);
  if (index < memory->count) {
    const block_t* block = &memory->blocks[index];
    const uint64_t offset = first - block->address;
    if (offset <= block->byte_length && byte_length <= block->byte_length - offset) {
      *out_bytes = block->bytes + offset;
    }
  }
  pthread_mutex_unlock(&memory->mutex);
  if (*out_bytes) return TN_OK;
  return tn_status_create(TN_CODE_INTERNAL,
                          "device reference: %zu bytes at %#" PRIx64
                          " lie in no allocation of the device",
                          byte_length, first);
}

// --- statistics

void tn__reference_memory_statistics(tn_reference_memory_t* memory,
                                     tn_memory_statistics_t* out_statistics) {
  pthread_mutex_lock(&memory->mutex);
  *out_statistics = (tn_memory_statistics_t){
      .struct_size = sizeof *out_statistics,
      .in_use_byte_length = memory->in_use_byte_length,
      .peak_byte_length = memory->peak_byte_length,
      .reserved_byte_length = memory->in_use_byte_length,
      .limit_byte_length = memory->limit_byte_length,
      .allocation_count = memory->allocation_count,
      .free_count = memory->free_count,
  };
  pthread_mutex_unlock(&memory->mutex);
}

void tn__reference_memory_reset_peak(tn_reference_memory_t* memory) {
  pthread_mutex_lock(&memory->mutex);
  memory->peak_byte_length = memory->in_use_byte_length;
  pthread_mutex_unlock(&memory->mutex);
}

void tn__reference_memory_set_limit(tn_reference_memory_t* memory, size_t byte_length) {
  pthread_mutex_lock(&memory->mutex);
  memory->limit_byte_length = byte_length;
  pthread_mutex_unlock(&memory->mutex);
}
