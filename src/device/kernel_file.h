// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Kernel libraries that are files beside the binary that names them, as CMake's tenon_build_kernels
// writes them: NAME.kernels is source (<tenon/gpu.h>); NAME.fatbin, where it is there, what nvcc
// made of it.
#ifndef TENON_DEVICE_KERNEL_FILE_H_
#define TENON_DEVICE_KERNEL_FILE_H_

#include <stddef.h>

#include "base/status.h"

#define TN_KERNEL_FILE_SOURCE ".kernels"
#define TN_KERNEL_FILE_CUDA ".fatbin"

// Without an ending, in the folder of the binary that `address` belongs to. malloc'ed.
TN_MUST_USE tn_status_t tn__kernel_file_path(const void* address, const char* name,
                                             char** out_path);
// NOT_FOUND where there is no such file. The bytes are malloc'ed; a NUL is behind them.
TN_MUST_USE tn_status_t tn__kernel_file_read(const char* path, const char* ending, char** out_bytes,
                                             size_t* out_size);

#endif  // TENON_DEVICE_KERNEL_FILE_H_
