// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/captured.h"

#include <stdlib.h>

#include "base/writer.h"
#include "kernel/encoder.h"

enum { FRESH_BYTE = 0xff };  // bytes of a result at first

// A result, and what it holds at three times, in memory of the host.
typedef struct result {
  void* address;
  size_t byte_size;
  unsigned char *first, *direct, *replayed;
} result_t;

// --- results

static bool overlaps(const void* a, size_t a_size, const void* b, size_t b_size) {
  return (uintptr_t)a < (uintptr_t)b + b_size && (uintptr_t)b < (uintptr_t)a + a_size;
}

// Computed in place: what it holds at first is an operand's.
static bool is_operands(const tn_captured_call_t* captured, const result_t* result) {
  for (size_t i = 0; i < captured->operand_count; ++i) {
    const tn_type_t* type = captured->types[i];
    if (!tn__type_is_tensor(type)) continue;
    const void* operand = captured->call->operands[i];
    if (overlaps(operand, tn__type_byte_size(type), result->address, result->byte_size))
      return true;
  }
  return false;
}

static tn_status_t take(const tn_captured_call_t* captured, tn_encoder_t* encoder,
                        result_t* results) {
  for (size_t i = 0; i < captured->result_count; ++i) {
    const tn_type_t* type = captured->types[captured->operand_count + i];
    result_t* it = &results[i];
    it->address = captured->call->results[i];
    it->byte_size = tn__type_is_tensor(type) ? tn__type_byte_size(type) : 0;
    it->first = malloc(3 * it->byte_size + 1);
    if (!it->first) return tn__status_out_of_memory();
    it->direct = it->first + it->byte_size;
    it->replayed = it->direct + it->byte_size;
    memset(it->first, FRESH_BYTE, it->byte_size);
    if (!is_operands(captured, it)) continue;
    TN_RETURN_IF_ERROR(encoder->copy(encoder, it->first, it->address, it->byte_size));
  }
  return encoder->wait(encoder);
}

static tn_status_t reset(const tn_captured_call_t* captured, tn_encoder_t* encoder,
                         const result_t* results) {
  for (size_t i = 0; i < captured->result_count; ++i) {
    const result_t* it = &results[i];
    TN_RETURN_IF_ERROR(encoder->copy(encoder, it->address, it->first, it->byte_size));
  }
  return encoder->wait(encoder);
}

static tn_status_t read_results(const tn_captured_call_t* captured, tn_encoder_t* encoder,
                                const result_t* results, bool is_replayed) {
  for (size_t i = 0; i < captured->result_count; ++i) {
    const result_t* it = &results[i];
    TN_RETURN_IF_ERROR(encoder->copy(encoder, is_replayed ? it->replayed : it->direct, it->address,
                                     it->byte_size));
  }
  return encoder->wait(encoder);
}

// --- the promise

static tn_status_t locate(const tn_captured_call_t* captured, tn_status_t status) {
  return tn_status_prefix(status, "custom call @%s", TN_NAME_TEXT(captured->name));
}

static tn_status_t note_promise(tn_status_t status) {
  return tn_status_note(
      status,
      "the handler says that it is compatible with command buffers: that it enqueues the same work "
      "on its stream in every call, and neither waits nor allocates");
}

static tn_status_t capture_call(const tn_captured_call_t* captured, tn_encoder_t* encoder,
                                void** out_graph) {
  *out_graph = NULL;
  TN_RETURN_IF_ERROR(encoder->begin_capture(encoder));
  tn_status_t status = captured->execute(captured->user);
  tn_status_t broken = encoder->end_capture(encoder, out_graph);
  if (broken) {
    tn_status_release(status);
    return note_promise(locate(captured, tn_status_prefix(broken, "it breaks a capture")));
  }
  if (!status) return TN_OK;
  encoder->destroy_graph(encoder, *out_graph);
  *out_graph = NULL;
  return note_promise(tn_status_note(status, "this was while its stream was captured"));
}

static tn_status_t compare(const tn_captured_call_t* captured, const result_t* results) {
  for (size_t i = 0; i < captured->result_count; ++i) {
    const result_t* it = &results[i];
    size_t at = 0;
    while (at < it->byte_size && it->direct[at] == it->replayed[at]) ++at;
    if (at == it->byte_size) continue;
    tn_status_t status =
        tn_status_create(TN_CODE_INTERNAL,
                         "result %zu differs between the call and the launch of what was captured "
                         "of it, from byte offset %zu of %zu on",
                         i, at, it->byte_size);
    return note_promise(locate(captured, status));
  }
  return TN_OK;
}

static tn_status_t replay(const tn_captured_call_t* captured, tn_encoder_t* encoder,
                          const result_t* results) {
  void* graph = NULL;
  TN_RETURN_IF_ERROR(capture_call(captured, encoder, &graph));
  tn_status_t status = encoder->launch_graph(encoder, graph);
  if (!status) status = read_results(captured, encoder, results, true);
  encoder->destroy_graph(encoder, graph);
  return status ? status : compare(captured, results);
}

tn_status_t tn__captured_run(const tn_captured_call_t* captured) {
  tn_encoder_t* encoder = captured->call->context->encoder;
  result_t* results = calloc(captured->result_count + 1, sizeof *results);
  if (!results) return tn__status_out_of_memory();
  tn_status_t status = take(captured, encoder, results);
  if (!status) status = reset(captured, encoder, results);
  if (!status) status = captured->execute(captured->user);
  if (!status) status = read_results(captured, encoder, results, false);
  if (!status) status = reset(captured, encoder, results);
  if (!status) status = replay(captured, encoder, results);
  for (size_t i = 0; i < captured->result_count; ++i) free(results[i].first);
  free(results);
  return status;
}
