// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The part of NVRTC that examples call, where there is no toolkit with its <nvrtc.h>.
#ifndef SIMULATED_CUDA_INCLUDE_NVRTC_H_
#define SIMULATED_CUDA_INCLUDE_NVRTC_H_

#include <stddef.h>

typedef enum { NVRTC_SUCCESS = 0 } nvrtcResult;  // and all errors
typedef struct _nvrtcProgram* nvrtcProgram;

nvrtcResult nvrtcCreateProgram(nvrtcProgram* out_program, const char* source, const char* name,
                               int header_count, const char* const* headers,
                               const char* const* header_names);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char* const* options);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* out_byte_size);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* out_text);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program);

#endif  // SIMULATED_CUDA_INCLUDE_NVRTC_H_
