// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/lib/onednn.h"

#ifdef TENON_ONEDNN
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/pool.h"

static tn_onednn_t library;
static const char* failure;  // NULL once it is loaded
static char version_text[64];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char* set_up(void) {
  const dnnl_version_t* version = library.dnnl_version();
  if (version->major != DNNL_VERSION_MAJOR) return "it has another version than its header";
  if (library.dnnl_engine_create(&library.engine, dnnl_cpu, 0) != dnnl_success ||
      library.dnnl_primitive_attr_create(&library.attr) != dnnl_success ||
      library.dnnl_primitive_attr_set_scratchpad_mode(library.attr, dnnl_scratchpad_mode_user) !=
          dnnl_success) {
    return "it cannot be started";
  }
  snprintf(version_text, sizeof version_text, "oneDNN %d.%d.%d, instruction sets 0x%x",
           version->major, version->minor, version->patch,
           (unsigned)library.dnnl_get_effective_cpu_isa());
  return NULL;
}

static void load(void) {
  const tn_kernel_symbol_t symbols[] = {
#define SYMBOL(name) {#name, &library.name},
      TN_ONEDNN_FUNCTIONS(SYMBOL)
#undef SYMBOL
  };
  void* handle;
  failure =
      tn__kernel_library_load(TN_KERNEL_ONEDNN, sizeof symbols / sizeof *symbols, symbols, &handle);
  if (failure) return;
  // Its own dependencies are searched as well.
  void* set = dlsym(handle, "omp_set_num_threads");
  void* get = dlsym(handle, "omp_get_max_threads");
  if (set && get) {
    memcpy(&library.omp_set_num_threads, &set, sizeof set);
    memcpy(&library.omp_get_max_threads, &get, sizeof get);
  }
  failure = set_up();
}

const tn_onednn_t* tn__onednn(const char** out_reason) {
  pthread_once(&once, load);
  if (out_reason) *out_reason = failure;
  return failure ? NULL : &library;
}

const char* tn__onednn_version(const char** out_reason) {
  return tn__onednn(out_reason) ? version_text : NULL;
}

int tn__onednn_begin(const tn_onednn_t* dnn) {
  if (!dnn->omp_get_max_threads) return 1;
  const int threads = dnn->omp_get_max_threads();
  if (threads != 1) dnn->omp_set_num_threads(1);
  return threads;
}

void tn__onednn_end(const tn_onednn_t* dnn, int threads) {
  if (threads != 1) dnn->omp_set_num_threads(threads);
}

tn_status_t tn__onednn_open(const tn_onednn_t* dnn, tn_onednn_session_t* out_session) {
  *out_session = (tn_onednn_session_t){.dnn = dnn};
  TN_RETURN_IF_ERROR(tn__onednn_status(
      dnn, dnn->dnnl_stream_create(&out_session->stream, dnn->engine, dnnl_stream_default_flags),
      "no stream"));
  out_session->threads = tn__onednn_begin(dnn);
  return TN_OK;
}

void tn__onednn_close(tn_onednn_session_t* session) {
  tn__onednn_end(session->dnn, session->threads);
  session->dnn->dnnl_stream_destroy(session->stream);
}

int64_t tn__onednn_slots(const tn_compile_target_t* target, int64_t parts) {
  enum { SLOTS_PER_THREAD = 2, SLOT_LIMIT = 32 };
  tn_cores_t cores;
  int64_t slots = target->thread_count;
  if (!slots) {
    tn__cores_init(&cores);
    slots = cores.count;
  }
  slots *= SLOTS_PER_THREAD;
  if (slots > SLOT_LIMIT) slots = SLOT_LIMIT;
  return slots < parts ? slots : parts;
}

tn_status_t tn__onednn_status(const tn_onednn_t* dnn, dnnl_status_t status, const char* what) {
  if (status == dnnl_success) return TN_OK;
  // What it finds invalid (strides that overlap for it) is what it does not support.
  const bool is_refusal = status == dnnl_unimplemented || status == dnnl_invalid_arguments;
  const tn_code_t code = status == dnnl_out_of_memory ? TN_CODE_RESOURCE_EXHAUSTED
                         : is_refusal                 ? TN_CODE_UNIMPLEMENTED
                                                      : TN_CODE_INTERNAL;
  return tn_status_create(code, "onednn: %s: %s", what, dnn->dnnl_status2str(status));
}

// Takes the description.
static tn_status_t finish(const tn_onednn_t* dnn, dnnl_primitive_desc_t description,
                          bool has_weights, tn_onednn_primitive_t* out_primitive) {
  tn_onednn_primitive_t made = {.has_weights = has_weights};
  made.source = *dnn->dnnl_primitive_desc_query_md(description, dnnl_query_src_md, 0);
  made.result = *dnn->dnnl_primitive_desc_query_md(description, dnnl_query_dst_md, 0);
  made.scratch = *dnn->dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
  if (has_weights) {
    made.weights = *dnn->dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0);
  }
  made.scratch_byte_size = dnn->dnnl_memory_desc_get_size(&made.scratch);
  const dnnl_status_t status = dnn->dnnl_primitive_create(&made.primitive, description);
  dnn->dnnl_primitive_desc_destroy(description);
  TN_RETURN_IF_ERROR(tn__onednn_status(dnn, status, "a primitive cannot be made"));
  *out_primitive = made;
  return TN_OK;
}

tn_status_t tn__onednn_create(const tn_onednn_t* dnn, const void* description,
                              tn_onednn_primitive_t* out_primitive) {
  dnnl_primitive_desc_t made;
  const char* name = NULL;
  TN_RETURN_IF_ERROR(tn__onednn_status(
      dnn, dnn->dnnl_primitive_desc_create(&made, description, dnn->attr, dnn->engine, NULL),
      "no implementation"));
  if (dnn->dnnl_primitive_desc_query(made, dnnl_query_impl_info_str, 0, &name) != dnnl_success ||
      strncmp(name, "ref", 3) == 0) {
    dnn->dnnl_primitive_desc_destroy(made);
    return tn_status_create(TN_CODE_UNIMPLEMENTED, "onednn: only plain loops");
  }
  return finish(dnn, made, true, out_primitive);
}

tn_status_t tn__onednn_create_reorder(const tn_onednn_t* dnn, const dnnl_memory_desc_t* source,
                                      const dnnl_memory_desc_t* result,
                                      tn_onednn_primitive_t* out_primitive) {
  dnnl_primitive_desc_t made;
  TN_RETURN_IF_ERROR(
      tn__onednn_status(dnn,
                        dnn->dnnl_reorder_primitive_desc_create(&made, source, dnn->engine, result,
                                                                dnn->engine, dnn->attr),
                        "no copy between these layouts"));
  return finish(dnn, made, false, out_primitive);
}

void tn__onednn_destroy(const tn_onednn_t* dnn, tn_onednn_primitive_t* primitive) {
  if (primitive->primitive) dnn->dnnl_primitive_destroy(primitive->primitive);
  primitive->primitive = NULL;
}

tn_status_t tn__onednn_execute(const tn_onednn_t* dnn, const tn_onednn_primitive_t* primitive,
                               dnnl_stream_t stream, const void* source, const void* weights,
                               void* result, void* scratch) {
  const struct {
    int arg;
    const dnnl_memory_desc_t* layout;
    const void* data;
  } all[] = {
      {DNNL_ARG_SRC, &primitive->source, source},
      {DNNL_ARG_DST, &primitive->result, result},
      {DNNL_ARG_SCRATCHPAD, &primitive->scratch, scratch},
      {DNNL_ARG_WEIGHTS, &primitive->weights, weights},
  };
  const int count = primitive->has_weights ? 4 : 3;
  dnnl_exec_arg_t args[4] = {{0}};
  int made = 0;
  dnnl_status_t status = dnnl_success;
  for (; made < count && status == dnnl_success; ++made) {
    args[made].arg = all[made].arg;
    status = dnn->dnnl_memory_create(&args[made].memory, all[made].layout, dnn->engine,
                                     (void*)(uintptr_t)all[made].data);
  }
  if (status == dnnl_success) {
    status = dnn->dnnl_primitive_execute(primitive->primitive, stream, count, args);
  } else {
    --made;
  }
  while (made-- > 0) dnn->dnnl_memory_destroy(args[made].memory);
  return tn__onednn_status(dnn, status, "cannot run");
}

#else

const char* tn__onednn_version(const char** out_reason) {
  *out_reason = tn__kernel_library_refusal(TN_KERNEL_ONEDNN, 0);
  return NULL;
}

#endif
