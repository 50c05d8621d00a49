// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Graphs of CUDA: what a stream was given while it was captured.
#include "device/cuda/cuda_device.h"

typedef struct cuda_graph {
  tn_cu_graph_exec_t exec;
  tn_queue_memory_t memory;  // that its work uses
} cuda_graph_t;

static tn_discrete_queue_t* queue_of(tn_encoder_t* encoder) {
  return (tn_discrete_queue_t*)(void*)encoder;  // its first member
}

static tn_cuda_device_t* cuda_of(tn_encoder_t* encoder) {
  return (tn_cuda_device_t*)queue_of(encoder)->memory.device;
}

// The queue's memory is kept apart meanwhile.
static tn_status_t begin_capture(tn_encoder_t* encoder) {
  tn_discrete_queue_t* queue = queue_of(encoder);
  tn_cuda_device_t* device = cuda_of(encoder);
  TN_RETURN_IF_ERROR(tn__cuda_enter(device));
  tn_status_t status =
      TN_CUDA_CHECK(device, StreamBeginCapture, encoder->stream, TN_CU_CAPTURE_THREAD_LOCAL);
  tn__cuda_leave(device);
  if (status) return status;
  queue->earlier = queue->memory;
  queue->memory = (tn_queue_memory_t){.device = &device->discrete.base};
  return TN_OK;
}

static tn_status_t end(tn_encoder_t* encoder, tn_cu_graph_exec_t* out_exec) {
  tn_cuda_device_t* device = cuda_of(encoder);
  tn_cu_graph_t graph = NULL;
  TN_RETURN_IF_ERROR(TN_CUDA_CHECK(device, StreamEndCapture, encoder->stream, &graph));
  tn_status_t status = TN_CUDA_CHECK(device, GraphInstantiateWithFlags, out_exec, graph, 0);
  device->cuda->GraphDestroy(graph);
  return status;
}

static tn_status_t end_capture(tn_encoder_t* encoder, void** out_graph) {
  tn_discrete_queue_t* queue = queue_of(encoder);
  tn_cuda_device_t* device = cuda_of(encoder);
  const tn_allocator_t* allocator = device->discrete.base.allocator;
  tn_queue_memory_t memory = queue->memory;
  tn_cu_graph_exec_t exec = NULL;
  void* storage = NULL;
  *out_graph = NULL;
  queue->memory = queue->earlier;
  tn_status_t status = tn__cuda_enter(device);
  if (!status) {
    status = end(encoder, &exec);
    if (!status) status = tn__allocate(allocator, sizeof(cuda_graph_t), &storage);
    if (status && exec) device->cuda->GraphExecDestroy(exec);
    tn__cuda_leave(device);
  }
  if (status) {
    tn__queue_memory_deinit(&memory);
    return status;
  }
  *(cuda_graph_t*)storage = (cuda_graph_t){exec, memory};
  *out_graph = storage;
  return TN_OK;
}

static tn_status_t launch_graph(tn_encoder_t* encoder, void* graph) {
  tn_cuda_device_t* device = cuda_of(encoder);
  const cuda_graph_t* it = graph;
  TN_RETURN_IF_ERROR(tn__cuda_enter(device));
  tn_status_t status = TN_CUDA_CHECK(device, GraphLaunch, it->exec, encoder->stream);
  tn__cuda_leave(device);
  return status;
}

static void destroy_graph(tn_encoder_t* encoder, void* graph) {
  tn_cuda_device_t* device = cuda_of(encoder);
  cuda_graph_t* it = graph;
  if (tn__cuda_enter_to_free(device)) {
    device->cuda->GraphExecDestroy(it->exec);
    tn__cuda_leave(device);
  }
  tn__queue_memory_deinit(&it->memory);
  tn__free(device->discrete.base.allocator, it, sizeof *it);
}

void tn__cuda_add_graphs(tn_encoder_t* encoder) {
  if (!cuda_of(encoder)->cuda->GraphInstantiateWithFlags) return;
  encoder->begin_capture = begin_capture;
  encoder->end_capture = end_capture;
  encoder->launch_graph = launch_graph;
  encoder->destroy_graph = destroy_graph;
}
