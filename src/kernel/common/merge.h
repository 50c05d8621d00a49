// When two loops over strided arrays are one. Loops are structures of int64_t: how often they go
// round, then how far each array goes on with every step. For lists of dimensions and strides there
// is tn_collapse_contiguous_dims (<tenon/strided.h>).
#ifndef TENON_KERNEL_COMMON_MERGE_H_
#define TENON_KERNEL_COMMON_MERGE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Makes `outer` both, if one step of it is where `inner` ends, in each of `array_count` arrays.
static inline bool tn__merge_loops(void* outer, const void* inner, size_t array_count) {
  int64_t* a = outer;
  const int64_t* b = inner;
  for (size_t i = 1; i <= array_count; ++i) {
    if (a[i] != b[i] * b[0]) return false;
  }
  a[0] *= b[0];
  for (size_t i = 1; i <= array_count; ++i) a[i] = b[i];
  return true;
}

#endif  // TENON_KERNEL_COMMON_MERGE_H_
