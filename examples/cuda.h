// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// From CUDA C++ text to a kernel, which several examples need: NVRTC compiles it for any GPU, and
// the driver for the one that it is first launched on.
#ifndef TENON_EXAMPLE_CUDA_H_
#define TENON_EXAMPLE_CUDA_H_

#include <cuda.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct cuda_kernel {
  const char *source, *name;
  pthread_mutex_t mutex;
  CUkernel kernel;  // NULL: not yet
} cuda_kernel_t;
#define CUDA_KERNEL(source, name) \
  { (source), (name), PTHREAD_MUTEX_INITIALIZER, NULL }

static inline CUresult cuda_compile(cuda_kernel_t* it) {
  static const char* const options[] = {"--gpu-architecture=compute_75"};
  nvrtcProgram program = NULL;
  CUlibrary library = NULL;
  size_t size = 0;
  char* code = NULL;
  bool is_compiled = !nvrtcCreateProgram(&program, it->source, it->name, 0, NULL, NULL) &&
                     !nvrtcCompileProgram(program, 1, options) && !nvrtcGetPTXSize(program, &size);
  if (is_compiled) code = malloc(size);
  is_compiled = code && !nvrtcGetPTX(program, code);
  nvrtcDestroyProgram(&program);
  CUresult error = is_compiled ? cuLibraryLoadData(&library, code, NULL, NULL, 0, NULL, NULL, 0)
                               : CUDA_ERROR_INVALID_SOURCE;
  free(code);
  return error ? error : cuLibraryGetKernel(&it->kernel, library, it->name);
}

// `groups` groups of `threads` threads; the stream's context is current, as in custom calls.
static inline CUresult cuda_launch(cuda_kernel_t* it, CUstream stream, unsigned groups,
                                   unsigned threads, void** parameters) {
  pthread_mutex_lock(&it->mutex);
  CUresult error = it->kernel ? CUDA_SUCCESS : cuda_compile(it);
  pthread_mutex_unlock(&it->mutex);
  if (error || !groups) return error;
  return cuLaunchKernel((CUfunction)it->kernel, groups, 1, 1, threads, 1, 1, 0, stream, parameters,
                        NULL);
}

static inline const char* cuda_error_name(CUresult error) {
  const char* name = NULL;
  return cuGetErrorName(error, &name) ? "an unknown error" : name;
}

#endif  // TENON_EXAMPLE_CUDA_H_
