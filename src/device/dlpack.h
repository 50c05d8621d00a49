// What a DLPack tensor is in Tenon's terms.
#ifndef TENON_DEVICE_DLPACK_H_
#define TENON_DEVICE_DLPACK_H_

#include <tenon/dlpack.h>

typedef struct tn_dlpack_view {
  tn_dtype_t dtype;
  char* data;     // of element [0, 0, ...]; NULL: there are no elements
  bool is_dense;  // row-major without gaps
} tn_dlpack_view_t;

// Checks all that the tensor says of itself.
TN_MUST_USE tn_status_t tn__dlpack_view(const tn_dl_tensor_t* tensor, uint64_t flags,
                                        tn_dlpack_view_t* out_view);

#endif  // TENON_DEVICE_DLPACK_H_
