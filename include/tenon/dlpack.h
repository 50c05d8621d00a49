// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Exchange of arrays by DLPack, the format that NumPy, JAX, PyTorch and others share.
//
// The structs below have the layout of DLPack 1.x (its `dlpack.h` names them DLTensor,
// DLManagedTensor and DLManagedTensorVersioned); a pointer to one may be cast to the other, so a
// program can include both headers.
#ifndef TENON_DLPACK_H_
#define TENON_DLPACK_H_

#include <tenon/detail/array.h>
#include <tenon/detail/program.h>

TN_EXTERN_C_BEGIN

typedef struct tn_dl_device {
  int32_t type;  // 1: CPU
  int32_t id;
} tn_dl_device_t;

typedef struct tn_dl_dtype {
  uint8_t code;  // 0: signed, 1: unsigned, 2: float, 4: bfloat, 5: complex, 6: boolean...
  uint8_t bits;
  uint16_t lanes;  // 1
} tn_dl_dtype_t;

typedef struct tn_dl_tensor {
  void* data;
  tn_dl_device_t device;
  int32_t rank;
  tn_dl_dtype_t dtype;
  int64_t* dims;
  int64_t* strides;  // in elements; NULL: row-major without gaps
  uint64_t byte_offset;
} tn_dl_tensor_t;

typedef struct tn_dl_managed {
  tn_dl_tensor_t tensor;
  void* user;
  void (*deleter)(struct tn_dl_managed* self);  // NULL: nothing to release
} tn_dl_managed_t;

enum {
  TN_DL_READ_ONLY = 1 << 0,
  TN_DL_IS_COPIED = 1 << 1,
  TN_DL_IS_PADDED = 1 << 2,  // elements of less than a byte take a byte each
};

typedef struct tn_dl_versioned {
  uint32_t major, minor;  // of DLPack: 1 and any
  void* user;
  void (*deleter)(struct tn_dl_versioned* self);
  uint64_t flags;
  tn_dl_tensor_t tensor;
} tn_dl_versioned_t;

// A buffer with the elements of a tensor in the host's memory, whatever its strides. Takes the
// tensor: its deleter is called once, when the memory is not needed any more, which is before the
// return after a copy or an error. Memory is used in place where tn_buffer_import does so, for
// tensors that are row-major without gaps, and must not be written until then. UNIMPLEMENTED for
// tensors of other devices, other versions, and elements that Tenon has no type for, such as packed
// ones of less than a byte; INVALID_ARGUMENT for what is not a tensor.
TN_API TN_MUST_USE tn_status_t tn_buffer_from_dlpack(tn_device_t* device, tn_dl_managed_t* tensor,
                                                     tn_buffer_t** out_buffer);
TN_API TN_MUST_USE tn_status_t tn_buffer_from_dlpack_versioned(tn_device_t* device,
                                                               tn_dl_versioned_t* tensor,
                                                               tn_buffer_t** out_buffer);

// Waits for the buffer and shows its elements where tn_buffer_map does, until the deleter is
// called, once and on any thread. The tensor must not be written: the versioned form says so
// (TN_DL_READ_ONLY). The other form cannot say that elements of less than a byte are padded:
// UNIMPLEMENTED. Errors as tn_buffer_map.
TN_API TN_MUST_USE tn_status_t tn_buffer_to_dlpack(tn_buffer_t* buffer,
                                                   tn_dl_managed_t** out_tensor);
TN_API TN_MUST_USE tn_status_t tn_buffer_to_dlpack_versioned(tn_buffer_t* buffer,
                                                             tn_dl_versioned_t** out_tensor);

// The same for the elements of an array, which is evaluated. Transposes, slices, reverses and other
// views are not copied: the tensor has their strides, which may be negative. Only elements that
// share memory with each other, as those of a broadcast, of tn_array_ones or of overlapping windows
// do, are made dense at the first call, and kept by the array. The tensor keeps the buffer that the
// elements are in, also after the array and its scope are released. Thread-safe for one array.
// Errors are those of the evaluation and of tn_buffer_map; FAILED_PRECONDITION for an input of a
// transform in progress, which has no elements.
TN_API TN_MUST_USE tn_status_t tn_array_to_dlpack(tn_array_t* array, tn_dl_managed_t** out_tensor);
TN_API TN_MUST_USE tn_status_t tn_array_to_dlpack_versioned(tn_array_t* array,
                                                            tn_dl_versioned_t** out_tensor);

// The elements of a tensor as the memory of an output (tn_run_options_t.output_memory). Does not
// take the tensor, which must live as long as the memory is used. INVALID_ARGUMENT when it cannot
// be written: it is read-only, or not row-major without gaps, its elements overlap each other among
// them. `flags` are those of the versioned form; otherwise 0.
TN_API TN_MUST_USE tn_status_t tn_output_memory_from_dlpack(const tn_dl_tensor_t* tensor,
                                                            uint64_t flags,
                                                            tn_output_memory_t* out_memory);

TN_EXTERN_C_END

#endif  // TENON_DLPACK_H_
