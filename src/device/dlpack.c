// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// DLPack tensors in and out. The format: https://dmlc.github.io/dlpack/latest/c_api.html
#include "device/dlpack.h"

#include "base/type.h"
#include "device/buffer.h"

enum { CPU = 1, CUDA_HOST = 3, ROCM_HOST = 11, MAJOR = 1, MINOR = 1 };

// --- element types

typedef struct dtype_row {
  tn_dtype_t dtype;
  uint8_t code, bits;
} dtype_row_t;

static const dtype_row_t dtypes[] = {
    {TN_DTYPE_PRED, 6, 8},        {TN_DTYPE_S8, 0, 8},          {TN_DTYPE_S16, 0, 16},
    {TN_DTYPE_S32, 0, 32},        {TN_DTYPE_S64, 0, 64},        {TN_DTYPE_U8, 1, 8},
    {TN_DTYPE_U16, 1, 16},        {TN_DTYPE_U32, 1, 32},        {TN_DTYPE_U64, 1, 64},
    {TN_DTYPE_F16, 2, 16},        {TN_DTYPE_F32, 2, 32},        {TN_DTYPE_F64, 2, 64},
    {TN_DTYPE_BF16, 4, 16},       {TN_DTYPE_C64, 5, 64},        {TN_DTYPE_C128, 5, 128},
    {TN_DTYPE_F8E3M4, 7, 8},      {TN_DTYPE_F8E4M3, 8, 8},      {TN_DTYPE_F8E4M3B11FNUZ, 9, 8},
    {TN_DTYPE_F8E4M3FN, 10, 8},   {TN_DTYPE_F8E4M3FNUZ, 11, 8}, {TN_DTYPE_F8E5M2, 12, 8},
    {TN_DTYPE_F8E5M2FNUZ, 13, 8}, {TN_DTYPE_F8E8M0FNU, 14, 8},  {TN_DTYPE_F6E2M3FN, 15, 6},
    {TN_DTYPE_F6E3M2FN, 16, 6},   {TN_DTYPE_F4E2M1FN, 17, 4},   {TN_DTYPE_S4, 0, 4},
    {TN_DTYPE_U4, 1, 4},          {TN_DTYPE_S2, 0, 2},          {TN_DTYPE_U2, 1, 2},
    {TN_DTYPE_S1, 0, 1},          {TN_DTYPE_U1, 1, 1},
};
enum { DTYPE_COUNT = sizeof dtypes / sizeof *dtypes };

static tn_status_t read_dtype(const tn_dl_dtype_t* given, uint64_t flags, tn_dtype_t* out_dtype) {
  const dtype_row_t* row = dtypes;
  while (row < dtypes + DTYPE_COUNT && (row->code != given->code || row->bits != given->bits)) {
    ++row;
  }
  if (row == dtypes + DTYPE_COUNT || given->lanes != 1) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "the DLPack tensor has elements of code %u, %u bits and %u lanes, for "
                            "which there is no type",
                            given->code, given->bits, given->lanes);
  }
  if (row->bits < 8 && !(flags & TN_DL_IS_PADDED)) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "the DLPack tensor has packed elements of %u bits; expected a byte for "
                            "each, and the flag for that",
                            given->bits);
  }
  *out_dtype = row->dtype;
  return TN_OK;
}

static const dtype_row_t* row_of(tn_dtype_t dtype) {
  for (size_t i = 0; i < DTYPE_COUNT; ++i) {
    if (dtypes[i].dtype == dtype) return &dtypes[i];
  }
  return NULL;
}

// --- tensors that come in

static const char* device_name(int32_t type) {
  static const char* const names[] = {
      [2] = "CUDA",    [4] = "OpenCL",  [7] = "Vulkan",   [8] = "Metal",
      [9] = "VPI",     [10] = "ROCm",   [12] = "other",   [13] = "CUDA managed",
      [14] = "oneAPI", [15] = "WebGPU", [16] = "Hexagon", [17] = "MAIA",
  };
  const bool is_known = type >= 0 && (size_t)type < sizeof names / sizeof *names && names[type];
  return is_known ? names[type] : "unknown";
}

static bool is_dense(const tn_dl_tensor_t* tensor, int64_t count) {
  int64_t stride = 1;
  for (int32_t d = tensor->rank; tensor->strides && count > 0 && d-- > 0;) {
    if (tensor->dims[d] == 1) continue;
    if (tensor->strides[d] != stride) return false;
    stride *= tensor->dims[d];
  }
  return true;
}

// How far elements are from the first one is a number that an address has room for.
static tn_status_t check_strides(const tn_dl_tensor_t* tensor, size_t size) {
  int64_t reach = 0;
  for (int32_t d = 0; tensor->strides && d < tensor->rank; ++d) {
    int64_t step = 0;
    if (tensor->dims[d] < 2) continue;
    if (__builtin_mul_overflow(tensor->strides[d], (int64_t)size, &step) || step == INT64_MIN ||
        __builtin_mul_overflow(step < 0 ? -step : step, tensor->dims[d] - 1, &step) ||
        __builtin_add_overflow(reach, step, &reach)) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                              "the DLPack tensor's stride %lld of dimension %d overflows",
                              (long long)tensor->strides[d], d);
    }
  }
  return TN_OK;
}

tn_status_t tn__dlpack_view(const tn_dl_tensor_t* tensor, uint64_t flags,
                            tn_dlpack_view_t* out_view) {
  *out_view = (tn_dlpack_view_t){0};
  const int32_t on = tensor->device.type;
  if (on != CPU && on != CUDA_HOST && on != ROCM_HOST) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "the DLPack tensor is on a device of type %d (%s); expected the CPU",
                            on, device_name(on));
  }
  if (tensor->rank < 0 || tensor->rank > TN_MAX_RANK || (tensor->rank && !tensor->dims)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the DLPack tensor has rank %d%s; expected 0 to %d dimensions",
                            tensor->rank, tensor->dims ? "" : " and no shape", TN_MAX_RANK);
  }
  TN_RETURN_IF_ERROR(read_dtype(&tensor->dtype, flags, &out_view->dtype));
  const size_t rank = (size_t)tensor->rank;
  for (size_t i = 0; i < rank; ++i) {
    if (tensor->dims[i] >= 0) continue;
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "dimension %zu of the DLPack tensor is %lld; expected 0 or more", i,
                            (long long)tensor->dims[i]);
  }
  TN_RETURN_IF_ERROR(
      tn_status_prefix(tn__type_check(out_view->dtype, rank, tensor->dims), "the DLPack tensor"));
  TN_RETURN_IF_ERROR(check_strides(tensor, tn_dtype_byte_size(out_view->dtype)));
  const tn_type_t type = {.kind = TN_TYPE_TENSOR, .rank = rank, .dims = tensor->dims};
  const int64_t count = tn__type_size(&type);
  if (count > 0 && !tensor->data) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "the data of the DLPack tensor is NULL");
  }
  out_view->data = count > 0 ? (char*)tensor->data + tensor->byte_offset : NULL;
  out_view->is_dense = is_dense(tensor, count);
  return TN_OK;
}

typedef struct gather {
  const tn_dl_tensor_t* tensor;
  const tn_dlpack_view_t* view;
} gather_t;

// Row by row, by an index of all dimensions but the last.
static tn_status_t gather(void* user, void* to) {
  const gather_t* gather = user;
  const tn_dl_tensor_t* tensor = gather->tensor;
  const ptrdiff_t size = (ptrdiff_t)tn_dtype_byte_size(gather->view->dtype);
  const int32_t last = tensor->rank - 1;  // a tensor that is not dense has a dimension
  const int64_t width = tensor->dims[last];
  const ptrdiff_t step = tensor->strides[last] * size;
  int64_t index[TN_MAX_RANK] = {0};
  const char* row = gather->view->data;
  for (char* out = to;;) {
    const char* from = row;
    for (int64_t i = 0; i < width; ++i, from += step, out += size) memcpy(out, from, (size_t)size);
    int32_t d = last - 1;
    for (; d >= 0; --d) {
      const ptrdiff_t stride = tensor->strides[d] * size;
      row += stride;
      if (++index[d] < tensor->dims[d]) break;
      row -= stride * tensor->dims[d];
      index[d] = 0;
    }
    if (d < 0) return TN_OK;
  }
}

// `release` gives the tensor back.
static tn_status_t take(tn_device_t* device, const tn_dl_tensor_t* tensor, uint64_t flags,
                        tn_buffer_release_fn release, void* user, tn_buffer_t** out_buffer) {
  tn_dlpack_view_t view;
  *out_buffer = NULL;
  tn_status_t status = tn__dlpack_view(tensor, flags, &view);
  const size_t rank = status ? 0 : (size_t)tensor->rank;
  if (!status && view.is_dense) {
    const tn_type_t type = {
        .kind = TN_TYPE_TENSOR, .dtype = view.dtype, .rank = rank, .dims = tensor->dims};
    return tn_buffer_import(device, view.dtype, rank, tensor->dims, view.data,
                            tn__type_byte_size(&type), release, user, out_buffer);
  }
  if (!status) {
    gather_t elements = {tensor, &view};
    status = tn__buffer_create_written(device, view.dtype, rank, tensor->dims, gather, &elements,
                                       out_buffer);
  }
  release(user, tensor->data);
  return status;
}

static void release_managed(void* user, void* data) {
  tn_dl_managed_t* tensor = user;
  (void)data;
  if (tensor->deleter) tensor->deleter(tensor);
}

static void release_versioned(void* user, void* data) {
  tn_dl_versioned_t* tensor = user;
  (void)data;
  if (tensor->deleter) tensor->deleter(tensor);
}

tn_status_t tn_buffer_from_dlpack(tn_device_t* device, tn_dl_managed_t* tensor,
                                  tn_buffer_t** out_buffer) {
  *out_buffer = NULL;
  TN_RETURN_IF_NULL(tensor);
  if (device) return take(device, &tensor->tensor, 0, release_managed, tensor, out_buffer);
  release_managed(tensor, NULL);
  return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: device is NULL", __func__);
}

tn_status_t tn_buffer_from_dlpack_versioned(tn_device_t* device, tn_dl_versioned_t* tensor,
                                            tn_buffer_t** out_buffer) {
  tn_status_t status = TN_OK;
  *out_buffer = NULL;
  TN_RETURN_IF_NULL(tensor);
  if (!device) {
    status = tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: device is NULL", __func__);
  } else if (tensor->major != MAJOR) {
    status =
        tn_status_create(TN_CODE_UNIMPLEMENTED, "the tensor is of DLPack %u.%u; expected version 1",
                         tensor->major, tensor->minor);
  } else {
    return take(device, &tensor->tensor, tensor->flags, release_versioned, tensor, out_buffer);
  }
  release_versioned(tensor, NULL);
  return status;
}

// --- tensors that go out

// Both forms, with the lists that they point to.
typedef struct loan {
  tn_dl_managed_t managed;
  tn_dl_versioned_t versioned;
  tn_buffer_t* buffer;  // retained and mapped
  size_t byte_size;
  int64_t lists[];
} loan_t;

static void end_loan(loan_t* loan) {
  tn_buffer_t* buffer = loan->buffer;
  tn__free(tn_buffer_device(buffer)->allocator, loan, loan->byte_size);
  tn_buffer_unmap(buffer);
  tn_buffer_release(buffer);
}

static void delete_managed(tn_dl_managed_t* self) {
  end_loan(self->user);
}
static void delete_versioned(tn_dl_versioned_t* self) {
  end_loan(self->user);
}

static tn_status_t lend(tn_buffer_t* buffer, const tn_dlpack_layout_t* layout, loan_t** out_loan) {
  const void* data = NULL;
  void* memory = NULL;
  *out_loan = NULL;
  TN_RETURN_IF_ERROR(tn_buffer_map(buffer, &data));
  const size_t rank = layout->rank;
  const size_t byte_size = sizeof(loan_t) + 2 * rank * sizeof(int64_t);
  const dtype_row_t* row = row_of(layout->dtype);
  tn_status_t status = row ? tn__allocate(tn_buffer_device(buffer)->allocator, byte_size, &memory)
                           : tn_status_create(TN_CODE_UNIMPLEMENTED, "DLPack has no elements %s",
                                              tn_dtype_name(layout->dtype));
  if (status) {
    tn_buffer_unmap(buffer);
    return status;
  }
  loan_t* loan = memory;
  int64_t *dims = loan->lists, *strides = loan->lists + rank;
  for (size_t d = 0; d < rank; ++d) {
    dims[d] = layout->dims[d];
    strides[d] = layout->strides[d];
  }
  const tn_dl_tensor_t tensor = {.data = (char*)data + layout->byte_offset,
                                 .device = {CPU, 0},
                                 .rank = (int32_t)rank,
                                 .dtype = {row->code, row->bits, 1},
                                 .dims = dims,
                                 .strides = strides};
  loan->buffer = tn_buffer_retain(buffer);
  loan->byte_size = byte_size;
  loan->managed = (tn_dl_managed_t){tensor, loan, delete_managed};
  loan->versioned = (tn_dl_versioned_t){
      MAJOR, MINOR, loan, delete_versioned, TN_DL_READ_ONLY | (row->bits < 8 ? TN_DL_IS_PADDED : 0),
      tensor};
  *out_loan = loan;
  return TN_OK;
}

tn_status_t tn__dlpack_lend(tn_buffer_t* buffer, const tn_dlpack_layout_t* layout,
                            tn_dl_managed_t** out_tensor) {
  loan_t* loan = NULL;
  const dtype_row_t* row = row_of(layout->dtype);
  if (row && row->bits < 8) {
    return tn_status_create(TN_CODE_UNIMPLEMENTED,
                            "a DLPack tensor without a version has no elements %s",
                            tn_dtype_name(row->dtype));
  }
  TN_RETURN_IF_ERROR(lend(buffer, layout, &loan));
  *out_tensor = &loan->managed;
  return TN_OK;
}

tn_status_t tn__dlpack_lend_versioned(tn_buffer_t* buffer, const tn_dlpack_layout_t* layout,
                                      tn_dl_versioned_t** out_tensor) {
  loan_t* loan = NULL;
  TN_RETURN_IF_ERROR(lend(buffer, layout, &loan));
  *out_tensor = &loan->versioned;
  return TN_OK;
}

// Row-major, with strides in `strides`.
static tn_dlpack_layout_t layout_of(const tn_buffer_t* buffer, int64_t strides[TN_MAX_RANK]) {
  const tn_dlpack_layout_t layout = {.dtype = tn_buffer_dtype(buffer),
                                     .rank = tn_buffer_rank(buffer),
                                     .dims = tn_buffer_dims(buffer),
                                     .strides = strides};
  int64_t stride = 1;
  for (size_t d = layout.rank; d-- > 0;) {
    strides[d] = stride;
    stride *= layout.dims[d] > 1 ? layout.dims[d] : 1;
  }
  return layout;
}

tn_status_t tn_buffer_to_dlpack(tn_buffer_t* buffer, tn_dl_managed_t** out_tensor) {
  int64_t strides[TN_MAX_RANK];
  *out_tensor = NULL;
  TN_RETURN_IF_NULL(buffer);
  const tn_dlpack_layout_t layout = layout_of(buffer, strides);
  return tn__dlpack_lend(buffer, &layout, out_tensor);
}

tn_status_t tn_buffer_to_dlpack_versioned(tn_buffer_t* buffer, tn_dl_versioned_t** out_tensor) {
  int64_t strides[TN_MAX_RANK];
  *out_tensor = NULL;
  TN_RETURN_IF_NULL(buffer);
  const tn_dlpack_layout_t layout = layout_of(buffer, strides);
  return tn__dlpack_lend_versioned(buffer, &layout, out_tensor);
}
