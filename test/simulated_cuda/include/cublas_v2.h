// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The part of cuBLAS that examples call, where there is no toolkit with its <cublas_v2.h>.
#ifndef SIMULATED_CUDA_INCLUDE_CUBLAS_V2_H_
#define SIMULATED_CUDA_INCLUDE_CUBLAS_V2_H_

typedef enum { CUBLAS_STATUS_SUCCESS = 0 } cublasStatus_t;  // and all errors
typedef enum { CUBLAS_OP_N = 0 } cublasOperation_t;
typedef enum { CUBLAS_COMPUTE_32F = 68 } cublasComputeType_t;
typedef enum { CUBLAS_GEMM_DEFAULT = -1 } cublasGemmAlgo_t;
typedef enum { CUDA_R_32F = 0 } cudaDataType;
typedef struct cublasContext* cublasHandle_t;
typedef struct CUstream_st* cudaStream_t;

#define cublasCreate cublasCreate_v2
#define cublasSetStream cublasSetStream_v2
cublasStatus_t cublasCreate(cublasHandle_t* out_handle);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
const char* cublasGetStatusName(cublasStatus_t status);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t a_form,
                            cublasOperation_t b_form, int rows, int columns, int depth,
                            const void* alpha, const void* a, cudaDataType a_type, int a_stride,
                            const void* b, cudaDataType b_type, int b_stride, const void* beta,
                            void* c, cudaDataType c_type, int c_stride,
                            cublasComputeType_t compute_type, cublasGemmAlgo_t algorithm);

#endif  // SIMULATED_CUDA_INCLUDE_CUBLAS_V2_H_
