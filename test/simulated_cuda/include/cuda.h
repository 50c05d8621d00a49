// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The part of CUDA's driver API that examples call, where there is no toolkit with its <cuda.h>.
#ifndef SIMULATED_CUDA_INCLUDE_CUDA_H_
#define SIMULATED_CUDA_INCLUDE_CUDA_H_

typedef enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_SOURCE = 300 } CUresult;  // and others
typedef int CUjit_option, CUlibraryOption;
typedef struct CUlib_st* CUlibrary;
typedef struct CUkern_st* CUkernel;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;

CUresult cuGetErrorName(CUresult error, const char** out_name);
CUresult cuLibraryLoadData(CUlibrary* out_library, const void* code, CUjit_option* jit_options,
                           void** jit_values, unsigned jit_count, CUlibraryOption* options,
                           void** values, unsigned count);
CUresult cuLibraryGetKernel(CUkernel* out_kernel, CUlibrary library, const char* name);
CUresult cuLaunchKernel(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z,
                        unsigned shared_byte_size, CUstream stream, void** parameters,
                        void** extra);

#endif  // SIMULATED_CUDA_INCLUDE_CUDA_H_
