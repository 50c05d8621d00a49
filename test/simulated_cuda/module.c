// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Modules, and launches of their kernels. Where SIMULATED_CUDA_KEEP names a folder, the source of
// each module is kept there.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"

enum { MOST_THREADS = 1024 };  // of a block

static tn_cu_module_t modules;  // under sim_mutex

// A file that is gone once it is loaded.
static void* load(const void* bytes, size_t byte_size) {
  char path[] = "/tmp/simulated_cuda_XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return NULL;
  const bool is_written = write(file, bytes, byte_size) == (ssize_t)byte_size;
  close(file);
  void* library = is_written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) fprintf(stderr, "simulated CUDA: %s\n", is_written ? dlerror() : "no room");
  unlink(path);
  return library;
}

// A binary runs where the major version is the same and the minor one no smaller; PTX on all that
// came later.
static int32_t check(const sim_binary_t* binary) {
  const uint32_t here = sim_architecture(), there = binary->architecture;
  if (strcmp(binary->magic, SIM_PTX) == 0) return there <= here ? SIM_SUCCESS : SIM_INVALID_PTX;
  if (strcmp(binary->magic, SIM_CUBIN) != 0) return SIM_INVALID_IMAGE;
  return there / 10 == here / 10 && there <= here ? SIM_SUCCESS : SIM_NO_BINARY_FOR_GPU;
}

// For tests that give it to the real compiler.
static void keep_source(const sim_binary_t* binary) {
  const char* source = (const char*)(binary + 1) + binary->byte_size;
  const char* folder = getenv("SIMULATED_CUDA_KEEP");
  char path[512];
  uint64_t hash = UINT64_C(14695981039346656037);
  if (!folder || !*folder) return;
  for (const char* c = source; *c; ++c) hash = (hash ^ (uint8_t)*c) * UINT64_C(1099511628211);
  snprintf(path, sizeof path, "%s/%016llx.cu", folder, (unsigned long long)hash);
  FILE* file = fopen(path, "w");
  if (!file) abort();
  fputs(source, file);
  fclose(file);
}

static int32_t add_module(const sim_binary_t* binary, tn_cu_context_t context,
                          tn_cu_module_t* out_module) {
  const int32_t error = check(binary);
  if (error) return error;
  tn_cu_module_t module = calloc(1, sizeof *module);
  if (!module) return SIM_OUT_OF_MEMORY;
  module->context = context;
  module->library = load(binary + 1, binary->byte_size);
  if (!module->library) {
    free(module);
    return SIM_INVALID_IMAGE;
  }
  keep_source(binary);
  pthread_mutex_lock(&sim_mutex);
  module->next = modules;
  modules = module;
  pthread_mutex_unlock(&sim_mutex);
  *out_module = module;
  return SIM_SUCCESS;
}

int32_t cuModuleLoadDataEx(tn_cu_module_t* out_module, const void* image, uint32_t option_count,
                           const int32_t* options, void** values) {
  tn_cu_context_t context = NULL;
  int32_t error = sim_context(&context);
  (void)options;
  (void)values;
  if (!error && option_count) error = SIM_INVALID_VALUE;
  if (!error) error = add_module(image, context, out_module);
  if (!error) sim_count(context, 1);
  return error;
}

// Libraries need no context.
int32_t cuLibraryLoadData(tn_cu_module_t* out_library, const void* image, int32_t* jit_options,
                          void** jit_values, uint32_t jit_count, int32_t* options, void** values,
                          uint32_t count) {
  (void)jit_options, (void)jit_values, (void)options, (void)values;
  return jit_count || count ? SIM_INVALID_VALUE : add_module(image, NULL, out_library);
}

// Under sim_mutex.
static tn_cu_module_t* find(tn_cu_module_t module, tn_cu_context_t context) {
  tn_cu_module_t* place = &modules;
  while (*place && *place != module) place = &(*place)->next;
  return *place && (!module->context || module->context == context) ? place : NULL;
}

int32_t cuModuleUnload(tn_cu_module_t module) {
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context_to_wait(&context);
  if (error) return error;
  sim_wait_for_all(context);
  pthread_mutex_lock(&sim_mutex);
  tn_cu_module_t* place = find(module, context);
  if (place) *place = module->next;
  pthread_mutex_unlock(&sim_mutex);
  if (!place) return SIM_INVALID_HANDLE;
  while (module->functions) {
    tn_cu_function_t it = module->functions;
    module->functions = it->next;
    free(it);
  }
  dlclose(module->library);
  free(module);
  sim_count(context, -1);
  return SIM_SUCCESS;
}

static int32_t find_function(tn_cu_module_t module, tn_cu_context_t context, const char* name,
                             tn_cu_function_t* out_function) {
  char symbol[256];
  pthread_mutex_lock(&sim_mutex);
  const bool is_one = find(module, context);
  pthread_mutex_unlock(&sim_mutex);
  if (!is_one) return SIM_INVALID_HANDLE;
  snprintf(symbol, sizeof symbol, "sim_kernel_%s", name);
  const sim_kernel_t* kernel = dlsym(module->library, symbol);
  if (!kernel) return SIM_NOT_FOUND;
  tn_cu_function_t function = calloc(1, sizeof *function);
  if (!function) return SIM_OUT_OF_MEMORY;
  pthread_mutex_lock(&sim_mutex);
  *function = (struct tn_cu_function_object){module->functions, kernel, module};
  module->functions = function;
  pthread_mutex_unlock(&sim_mutex);
  *out_function = function;
  return SIM_SUCCESS;
}

int32_t cuFuncGetAttribute(int32_t* out_value, int32_t attribute, tn_cu_function_t function) {
  enum { MOST_THREADS_OF_BLOCK = 0 };
  if (!function || attribute != MOST_THREADS_OF_BLOCK) return SIM_INVALID_VALUE;
  *out_value = MOST_THREADS;
  return SIM_SUCCESS;
}

int32_t cuModuleGetFunction(tn_cu_function_t* out_function, tn_cu_module_t module,
                            const char* name) {
  tn_cu_context_t context = NULL;
  const int32_t error = sim_context(&context);
  return error ? error : find_function(module, context, name, out_function);
}

int32_t cuLibraryGetKernel(tn_cu_function_t* out_kernel, tn_cu_module_t library, const char* name) {
  return find_function(library, NULL, name, out_kernel);
}

int32_t cuFuncGetParamInfo(tn_cu_function_t function, size_t index, size_t* out_offset,
                           size_t* out_byte_size) {
  const sim_kernel_t* kernel = function->kernel;
  if (index >= kernel->parameter_count) return SIM_INVALID_VALUE;
  *out_offset = 0;
  *out_byte_size = kernel->parameter_sizes[index];
  return SIM_SUCCESS;
}

// --- launches

typedef struct launch {
  const sim_kernel_t* kernel;
  sim_dims_t grid, block;
  void** parameters;
} launch_t;

// What is no memory of the device is an error that the context does not survive; NULL is not read.
static void* translate(sim_block_t* block, void* address) {
  void* found = address ? sim_find_bytes((uintptr_t)address, 0) : NULL;
  if (address && !found) block->has_failed = true;
  return found;
}

static void run(tn_cu_context_t context, void* user) {
  const launch_t* launch = user;
  const sim_dims_t grid = launch->grid, dims = launch->block;
  bool goes_on = !sim_context_error(context);
  for (uint64_t i = 0; goes_on && i < (uint64_t)grid.x * grid.y * grid.z; ++i) {
    sim_block_t block = {
        .block_index = {(uint32_t)(i % grid.x), (uint32_t)(i / grid.x % grid.y),
                        (uint32_t)(i / grid.x / grid.y)},
        .block_dims = dims,
        .grid_dims = grid,
        .thread_count = dims.x * dims.y * dims.z,
        .translate = translate,
    };
    sim_run_block(launch->kernel, &block, launch->parameters);
    goes_on = !block.has_failed;
    if (block.has_failed) sim_set_error(context, SIM_ILLEGAL_ADDRESS);
  }
}

static bool is_too_large(sim_dims_t grid, sim_dims_t block, uint32_t shared_byte_size) {
  const bool is_empty = !grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z;
  return is_empty || grid.x > INT32_MAX || grid.y > UINT16_MAX || grid.z > UINT16_MAX ||
         block.x > MOST_THREADS || block.y > MOST_THREADS || block.z > 64 ||
         (uint64_t)block.x * block.y * block.z > MOST_THREADS || shared_byte_size > 48 << 10;
}

// With the values of the parameters, which are read now.
static launch_t* copy_launch(const sim_kernel_t* kernel, void** parameters) {
  size_t byte_size = 0, offset = 0;
  for (uint32_t i = 0; i < kernel->parameter_count; ++i) {
    byte_size += (kernel->parameter_sizes[i] + 15u) / 16 * 16;
  }
  if (byte_size > 4096) sim_abort("a kernel has more than 4 KiB of parameters");
  const size_t list = kernel->parameter_count * sizeof(void*);
  launch_t* launch = calloc(1, sizeof *launch + (list + 15) / 16 * 16 + byte_size);
  if (!launch) return NULL;
  launch->kernel = kernel;
  launch->parameters = (void**)(launch + 1);
  char* values = (char*)(launch + 1) + (list + 15) / 16 * 16;
  for (uint32_t i = 0; i < kernel->parameter_count; ++i) {
    launch->parameters[i] = values + offset;
    memcpy(values + offset, parameters[i], kernel->parameter_sizes[i]);
    offset += (kernel->parameter_sizes[i] + 15u) / 16 * 16;
  }
  return launch;
}

int32_t cuLaunchKernel(tn_cu_function_t function, uint32_t grid_x, uint32_t grid_y, uint32_t grid_z,
                       uint32_t block_x, uint32_t block_y, uint32_t block_z,
                       uint32_t shared_byte_size, tn_cu_stream_t stream, void** parameters,
                       void** extra) {
  const sim_dims_t grid = {grid_x, grid_y, grid_z}, block = {block_x, block_y, block_z};
  tn_cu_context_t context = NULL;
  int32_t error = sim_context(&context);
  if (error) return error;
  pthread_mutex_lock(&sim_mutex);
  const bool is_one = function && find(function->module, context);
  pthread_mutex_unlock(&sim_mutex);
  if (!is_one) return SIM_INVALID_HANDLE;
  if (extra || !parameters || is_too_large(grid, block, shared_byte_size)) {
    return SIM_INVALID_VALUE;
  }
  launch_t* launch = copy_launch(function->kernel, parameters);
  if (!launch) return SIM_OUT_OF_MEMORY;
  launch->grid = grid;
  launch->block = block;
  error = sim_enqueue(stream, context, &(sim_work_t){run, free, launch});
  if (error) free(launch);
  return error;
}
