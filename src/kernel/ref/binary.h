// Binary operations on arrays of one dtype, for whoever needs them outside of an instruction:
// bodies of reductions, scans and scatters that are a single operation.
#ifndef TENON_KERNEL_REF_BINARY_H_
#define TENON_KERNEL_REF_BINARY_H_

#include <tenon/dtype.h>

// out[i] = a[i] op b[i]. `out` may be `a` or `b` itself; other overlap is not allowed.
typedef void (*tn_binary_fn)(const void* a, const void* b, void* out, size_t count);

// An operation ready to be applied to elements of `dtype` as they lie in memory. A plain value;
// immutable, thread-safe.
typedef struct tn_binary {
  tn_dtype_t dtype;
  tn_dtype_t compute;  // what elements are converted to; == dtype for native ones
  tn_binary_fn map;    // over `compute`
} tn_binary_t;

// `op` without dialect: "add", "maximum", ... False when it is no binary operation of elements of
// this dtype with a result of the same dtype.
bool tn__binary_find(const char* op, tn_dtype_t dtype, tn_binary_t* out_binary);

// out[i] = a[i] op b[i]; each result is rounded to the dtype. `out` may be `a` or `b` itself.
void tn__binary_map(const tn_binary_t* binary, const void* a, const void* b, void* out,
                    size_t count);

// *accumulator = the combination of *accumulator and values[0 .. count). The order of combination
// depends on `count` alone: in index order up to 32 values; beyond that in lanes and halves when
// the operation is associative up to rounding (add, multiply, maximum, minimum, and, or, xor).
void tn__binary_fold(const tn_binary_t* binary, void* accumulator, const void* values,
                     size_t count);

// The function behind a native dtype (no conversion around it): NULL when there is none.
static inline tn_binary_fn tn__binary_native(const tn_binary_t* binary) {
  return binary->dtype == binary->compute ? binary->map : (tn_binary_fn)0;
}

#endif  // TENON_KERNEL_REF_BINARY_H_
