// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// A minimal server: one program, compiled once, that threads run concurrently, with an in-process
// kernel, inputs in the caller's memory, and a memory limit.
//   embedding score.mlir
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <tenon/custom.h>
#include <tenon/tenon.h>

enum { THREADS = 4, ROWS = 4, COLUMNS = 8 };

// --- an in-process kernel

#define SWISH(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)       \
  ATTR(beta, float, 1.0f)     \
  RET(y, f32, like(x))

TN_OP(swish, SWISH, "y = x * sigmoid(beta * x)") {
  const float* x = call->x.data;
  for (int64_t i = 0; i < tn_size(call->x); ++i)
    call->y.data[i] = x[i] / (1 + expf(-call->beta * x[i]));
  return TN_OK;
}
TN_DEFINE(swish, .flags = TN_OP_ELEMENTWISE)

// --- the model, shared by all threads

typedef struct model {
  tn_device_t* device;
  tn_program_t* program;
  tn_buffer_t* weights;
} model_t;

static tn_status_t load_model(const char* path, const float* weights, model_t* model) {
  const tn_device_options_t options = {
      .struct_size = sizeof options,
      .thread_count = 1,                   // the server's own threads are parallelism enough
      .memory_limit_byte_size = 64 << 20,  // of buffers and temporaries of this device
  };
  tn_module_t* module = NULL;
  tn_status_t status = tn_op_register(tn_definition_of(swish));
  if (!status) status = tn_device_create("cpu", &options, &model->device);
  if (!status) status = tn_module_parse_file(NULL, path, &module);
  if (!status) status = tn_program_compile(model->device, module, NULL, &model->program);
  tn_module_release(module);
  if (!status) {
    status = tn_buffer_create_from_host(model->device, TN_DTYPE_F32, 1, (int64_t[]){COLUMNS},
                                        weights, COLUMNS * sizeof *weights, &model->weights);
  }
  return status;
}

static void unload_model(model_t* model) {
  tn_buffer_release(model->weights);
  tn_program_release(model->program);
  tn_device_release(model->device);
}

// --- one request

static void free_memory(void* user, void* data) {
  (void)user;
  free(data);
}

// Takes `x`, which comes from aligned_alloc(64, ...): it is used where it is. The scores are
// written where the caller wants them.
static tn_status_t score(const model_t* model, float* x, float* scores) {
  tn_buffer_t* inputs[2] = {NULL, model->weights};
  tn_buffer_t* output = NULL;
  tn_status_t status =
      tn_buffer_import(model->device, TN_DTYPE_F32, 2, (int64_t[]){ROWS, COLUMNS}, x,
                       ROWS * COLUMNS * sizeof *x, free_memory, NULL, &inputs[0]);
  const tn_output_memory_t memory = {
      .data = scores,
      .byte_size = ROWS * sizeof *scores,
      .dtype = TN_DTYPE_F32,
      .rank = 1,
      .dims = (int64_t[]){ROWS},
  };
  const tn_run_options_t options = {
      .struct_size = sizeof options,
      .output_memory_count = 1,
      .output_memory = &memory,
  };
  if (!status) status = tn_program_run(model->program, 2, inputs, &options, 1, &output);
  tn_buffer_release(output);
  tn_buffer_release(inputs[0]);
  return status;
}

// --- threads

typedef struct request {
  const model_t* model;
  float scores[ROWS];
  tn_status_t status;
} request_t;

static void* serve(void* user) {
  request_t* request = user;
  float* x = aligned_alloc(64, ROWS * COLUMNS * sizeof *x);
  if (!x) return NULL;
  for (int i = 0; i < ROWS * COLUMNS; ++i) x[i] = (float)i / 8 - 2;
  request->status = score(request->model, x, request->scores);
  return NULL;
}

// The same on a stream: the call returns at once, and the results become ready later.
static tn_status_t score_on_stream(const model_t* model, tn_buffer_t* x, float* scores) {
  tn_stream_t* stream = NULL;
  tn_buffer_t* output = NULL;
  tn_status_t status = tn_stream_create(model->device, &stream);
  const tn_run_options_t options = {
      .struct_size = sizeof options,
      .stream = stream,
      .timeout_ns = 5000000000,  // five seconds, waiting for the stream included
  };
  tn_buffer_t* inputs[] = {x, model->weights};
  if (!status) status = tn_program_run(model->program, 2, inputs, &options, 1, &output);
  // ... other work of this thread ...
  if (!status) status = tn_buffer_to_host(output, scores, ROWS * sizeof *scores);  // waits
  tn_buffer_release(output);
  tn_stream_release(stream);
  return status;
}

static bool succeeded(tn_status_t status) {
  if (!status) return true;
  tn_status_print(status, stderr);
  tn_status_release(status);
  return false;
}

static bool serve_from_threads(const model_t* model, float* scores) {
  pthread_t threads[THREADS];
  request_t requests[THREADS];
  int count = 0;
  bool ok = true;
  for (; count < THREADS; ++count) {
    requests[count] = (request_t){.model = model};
    if (pthread_create(&threads[count], NULL, serve, &requests[count])) break;
  }
  for (int i = 0; i < count; ++i) {
    pthread_join(threads[i], NULL);
    ok = succeeded(requests[i].status) && ok;
    for (int row = 0; row < ROWS; ++row)
      ok = ok && requests[i].scores[row] == requests[0].scores[row];
  }
  for (int row = 0; row < ROWS; ++row) scores[row] = requests[0].scores[row];
  return ok && count == THREADS;
}

int main(int argc, char** argv) {
  const float weights[COLUMNS] = {1, -1, 0.5f, -0.5f, 2, -2, 0, 1};
  float scores[ROWS], again[ROWS], x[ROWS * COLUMNS];
  model_t model = {NULL, NULL, NULL};
  tn_buffer_t* input = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: embedding score.mlir\n");
    return 2;
  }
  bool ok = succeeded(load_model(argv[1], weights, &model)) && serve_from_threads(&model, scores);
  for (int i = 0; i < ROWS * COLUMNS; ++i) x[i] = (float)i / 8 - 2;
  ok = ok && succeeded(tn_buffer_create_from_host(model.device, TN_DTYPE_F32, 2,
                                                  (int64_t[]){ROWS, COLUMNS}, x, sizeof x, &input));
  ok = ok && succeeded(score_on_stream(&model, input, again));
  for (int row = 0; ok && row < ROWS; ++row) {
    printf("%.4f\n", (double)scores[row]);
    ok = scores[row] == again[row];
  }
  tn_buffer_release(input);
  unload_model(&model);
  return ok ? 0 : 1;
}
