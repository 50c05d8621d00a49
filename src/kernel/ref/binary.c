#include "kernel/ref/binary.h"

#include <string.h>

static tn_fold_fn find_fold(const tn_binary_t* binary, const char* op) {
  if (!tn__binary_native(binary)) return NULL;
  const tn_loops_t* loops = tn__loops(tn__native(binary->dtype));
#define TN_BINARY(name, carrier, cost) \
  if (strcmp(op, #name) == 0) return loops->fold[TN_BINARY_##name];
#include "kernel/ref/binary.def"
#undef TN_BINARY
  return NULL;
}

bool tn__binary_find(const char* op, tn_dtype_t dtype, tn_binary_t* out_binary) {
  tn_binary_t binary = {.dtype = dtype};
  if (strcmp(op, "complex") == 0) return false;  // gives another dtype
  if (!tn__map_binary(op, dtype, dtype, &binary.map)) return false;
  binary.fold = find_fold(&binary, op);
  *out_binary = binary;
  return true;
}

void tn__binary_map(const tn_binary_t* binary, const void* a, const void* b, void* out,
                    size_t count) {
  tn__map_run(&binary->map, a, b, out, count);
}

// Loads a chunk at a time; what is accumulated is rounded by a round trip through memory.
static void fold_rounding(const tn_binary_t* binary, void* accumulator, const char* values,
                          size_t count) {
  const tn_map_t* map = &binary->map;
  size_t size = tn_dtype_size(binary->dtype), carrier_size = tn_dtype_size(map->load.to);
  int64_t chunk[TN_CHUNK], total, sum;
  map->load.run(&map->load, accumulator, &total, 1);
  for (size_t begin = 0; begin < count; begin += TN_CHUNK) {
    size_t length = count - begin < TN_CHUNK ? count - begin : TN_CHUNK;
    map->load.run(&map->load, values + begin * size, chunk, length);
    for (size_t i = 0; i < length; ++i) {
      map->binary(&total, (const char*)chunk + i * carrier_size, &sum, 1);
      map->store.run(&map->store, &sum, accumulator, 1);
      map->load.run(&map->load, accumulator, &total, 1);
    }
  }
}

static void fold_native(const tn_binary_t* binary, void* accumulator, const char* values,
                        size_t count) {
  size_t size = tn_dtype_size(binary->dtype);
  for (size_t i = 0; i < count; ++i) {
    binary->map.binary(accumulator, values + i * size, accumulator, 1);
  }
}

void tn__binary_fold(const tn_binary_t* binary, void* accumulator, const void* values,
                     size_t count) {
  if (binary->fold) {
    binary->fold(accumulator, values, count);
  } else if (tn__binary_native(binary)) {
    fold_native(binary, accumulator, values, count);
  } else {
    fold_rounding(binary, accumulator, values, count);
  }
}
