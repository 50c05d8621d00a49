// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Memory of devices. Its addresses are of a range where nothing can be read; what they hold lies at
// the same place of another range, in pages that exist as long as their allocation.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "driver.h"

#define RANGE ((size_t)16 << 30)
enum { PAGE = 4096 };

typedef struct allocation {
  struct allocation* next;  // by address
  tn_cu_context_t context;
  size_t offset, byte_size, page_size;
} allocation_t;

static char *foreign, *bytes;  // the two ranges
static allocation_t* first;
static size_t last_end;  // of what was allocated last: freed addresses are not used again soon

static bool reserve(void) {
  if (bytes) return true;
  void* both = mmap(NULL, 2 * RANGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (both == MAP_FAILED) return false;
  foreign = both;
  bytes = foreign + RANGE;
  return true;
}

// The place where an allocation is linked, or NULL. A page stays free behind each.
static allocation_t** find_gap(size_t start, size_t page_size, size_t* out_offset) {
  size_t end = 0;
  for (allocation_t** place = &first;; place = &(*place)->next) {
    const size_t from = end > start ? end : start;
    const size_t to = *place ? (*place)->offset : RANGE;
    if (from + page_size + PAGE <= to) {
      *out_offset = from;
      return place;
    }
    if (!*place) return NULL;
    end = (*place)->offset + (*place)->page_size + PAGE;
  }
}

static size_t used_byte_size(tn_cu_context_t context) {
  size_t used = 0;
  for (allocation_t* it = first; it; it = it->next) {
    if (it->context == context) used += it->byte_size;
  }
  return used;
}

static int32_t allocate(tn_cu_context_t context, size_t byte_size, uint64_t* out_address) {
  enum { GIBIBYTE = 1 << 30 };  // cuDeviceTotalMem
  const size_t page_size = (byte_size + PAGE - 1) / PAGE * PAGE;
  size_t offset = 0;
  if (!reserve() || byte_size > GIBIBYTE || used_byte_size(context) + byte_size > GIBIBYTE) {
    return SIM_OUT_OF_MEMORY;
  }
  allocation_t** place = find_gap(last_end, page_size, &offset);
  if (!place) place = find_gap(0, page_size, &offset);
  allocation_t* it = place ? calloc(1, sizeof *it) : NULL;
  if (!it) return SIM_OUT_OF_MEMORY;
  if (mprotect(bytes + offset, page_size, PROT_READ | PROT_WRITE)) {
    free(it);
    return SIM_OUT_OF_MEMORY;
  }
  memset(bytes + offset, 0xAB, byte_size);
  *it = (allocation_t){*place, context, offset, byte_size, page_size};
  *place = it;
  last_end = offset + page_size + PAGE;
  *out_address = (uintptr_t)foreign + offset;
  return SIM_SUCCESS;
}

int32_t cuMemAlloc_v2(uint64_t* out_address, size_t byte_size) {
  tn_cu_context_t context = NULL;
  int32_t error = sim_context_to_wait(&context);
  if (error) return error;
  if (byte_size == 0) return SIM_INVALID_VALUE;
  pthread_mutex_lock(&sim_mutex);
  error = allocate(context, byte_size, out_address);
  pthread_mutex_unlock(&sim_mutex);
  if (!error) sim_count(context, 1);
  return error;
}

// Waits for what may use it, as CUDA does.
int32_t cuMemFree_v2(uint64_t address) {
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context_to_wait(&context);
  if (error || address == 0) return error;
  sim_wait_for_all(context);
  pthread_mutex_lock(&sim_mutex);
  allocation_t** place = &first;
  while (*place && (uintptr_t)foreign + (*place)->offset != address) place = &(*place)->next;
  allocation_t* it = *place;
  if (!it || it->context != context) sim_abort("memory is freed that is not allocated");
  *place = it->next;
  madvise(bytes + it->offset, it->page_size, MADV_DONTNEED);
  mprotect(bytes + it->offset, it->page_size, PROT_NONE);
  pthread_mutex_unlock(&sim_mutex);
  free(it);
  sim_count(context, -1);
  return SIM_SUCCESS;
}

bool sim_is_device_address(uint64_t address) {
  return foreign && address >= (uintptr_t)foreign && address < (uintptr_t)foreign + RANGE;
}

void* sim_find_bytes(uint64_t address, size_t byte_size) {
  void* found = NULL;
  pthread_mutex_lock(&sim_mutex);
  for (allocation_t* it = sim_is_device_address(address) ? first : NULL; it && !found;
       it = it->next) {
    const size_t offset = address - (uintptr_t)foreign;
    const bool is_inside = offset >= it->offset && offset - it->offset <= it->byte_size;
    if (is_inside && byte_size <= it->byte_size - (offset - it->offset)) found = bytes + offset;
  }
  pthread_mutex_unlock(&sim_mutex);
  return found;
}

// --- memory of the host that is pinned

typedef struct pinned {
  struct pinned* next;
  tn_cu_context_t context;
  void* data;
} pinned_t;

static pinned_t* first_pinned;

int32_t cuMemHostAlloc(void** out_data, size_t byte_size, uint32_t flags) {
  enum { PORTABLE = 1 };
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context_to_wait(&context);
  if (error) return error;
  if (byte_size == 0 || flags & ~(uint32_t)PORTABLE) return SIM_INVALID_VALUE;
  pinned_t* it = calloc(1, sizeof *it);
  if (!it || posix_memalign(&it->data, PAGE, byte_size)) {
    free(it);
    return SIM_OUT_OF_MEMORY;
  }
  memset(it->data, 0xAB, byte_size);
  it->context = context;
  pthread_mutex_lock(&sim_mutex);
  it->next = first_pinned;
  first_pinned = it;
  pthread_mutex_unlock(&sim_mutex);
  sim_count(context, 1);
  *out_data = it->data;
  return SIM_SUCCESS;
}

int32_t cuMemFreeHost(void* data) {
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context_to_wait(&context);
  if (error) return error;
  sim_wait_for_all(context);
  pthread_mutex_lock(&sim_mutex);
  pinned_t** place = &first_pinned;
  while (*place && (*place)->data != data) place = &(*place)->next;
  pinned_t* it = *place;
  if (!it || it->context != context) sim_abort("memory is freed that is not pinned");
  *place = it->next;
  pthread_mutex_unlock(&sim_mutex);
  free(it->data);
  free(it);
  sim_count(context, -1);
  return SIM_SUCCESS;
}

// --- copies

typedef struct copy {
  void* to;
  const void* from;
  size_t byte_size;
} copy_t;

static void copy_bytes(tn_cu_context_t context, void* user) {
  const copy_t* copy = user;
  if (!sim_context_error(context)) memmove(copy->to, copy->from, copy->byte_size);
}

// An address outside of the devices' range is the host's.
static bool find_side(uint64_t address, size_t byte_size, void** out_bytes) {
  *out_bytes = sim_is_device_address(address) ? sim_find_bytes(address, byte_size)
                                              : (void*)(uintptr_t)address;
  return *out_bytes;
}

int32_t cuMemcpyAsync(uint64_t to, uint64_t from, size_t byte_size, tn_cu_stream_t stream) {
  tn_cu_context_t context = NULL;
  void *to_bytes = NULL, *from_bytes = NULL;
  int32_t error = sim_context(&context);
  if (error) return error;
  if (!find_side(to, byte_size, &to_bytes) || !find_side(from, byte_size, &from_bytes)) {
    return SIM_INVALID_VALUE;
  }
  copy_t* copy = malloc(sizeof *copy);
  if (!copy) return SIM_OUT_OF_MEMORY;
  *copy = (copy_t){to_bytes, from_bytes, byte_size};
  error = sim_enqueue(stream, context, &(sim_work_t){copy_bytes, free, copy});
  if (error) free(copy);
  return error;
}
