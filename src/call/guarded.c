// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/guarded.h"

#include <stdio.h>

#include "base/integer.h"
#include "base/linux/pages.h"
#include "call/fault.h"
#include "call/operation.h"
#include "call/signature.h"
#include "call/site.h"
#include "kernel/target.h"

enum {
  GUARD_BYTES = 64 << 10,  // on either side of a value; a multiple of the page size of any system
  ALIGNMENT = 64,          // up to which that of a value's memory is kept
  // Bytes of a result at first, and those around an operand: NaN, which is seen in results.
  UNWRITTEN = 0xff,
  OUTSIDE = 0xfe,  // those around a result; another, since what is read there may be written here
};

typedef struct guarded_value {
  const char* name;
  size_t byte_size;  // from the first byte to the last, with the gaps of a view
  size_t before;     // how many of them precede element [0, 0, ...]: reversed dimensions
  size_t offset;     // of its pages
  size_t page_bytes;
} guarded_value_t;

// In the program's arena.
typedef struct guarded_state {
  const tn_kernel_t* kernel;
  tn_kernel_site_t site;  // as the kernel has prepared it
  const char *place, *title;
  size_t operand_count, value_count;
  guarded_value_t* values;  // operands, then results
  size_t byte_size;         // of all pages
} guarded_state_t;

// Of an activation. Behind it: the addresses of the values, what a fault needs to know of them, and
// the kernel's own memory.
typedef struct guarded_local {
  char* pages;
  tn_kernel_context_t context;
  tn_fault_call_t fault;
} guarded_local_t;

static size_t own_byte_size(const guarded_state_t* state) {
  return tn__align_up(
      sizeof(guarded_local_t) + state->value_count * (sizeof(tn_fault_value_t) + sizeof(void*)),
      ALIGNMENT);
}

static tn_fault_value_t* faults_of(guarded_local_t* local) {
  return (tn_fault_value_t*)(void*)(local + 1);
}

static void** addresses_of(const guarded_state_t* state, guarded_local_t* local) {
  return (void**)(void*)(faults_of(local) + state->value_count);
}

// --- when the program is compiled

static void measure(const tn_type_t* type, const tn_view_t* view, guarded_value_t* out) {
  out->byte_size = tn__type_is_tensor(type) ? tn__type_byte_size(type) : 0;
  if (!out->byte_size || !view || !view->strides) return;
  size_t behind = tn_dtype_byte_size(type->dtype);
  for (size_t d = 0; d < type->rank; ++d) {
    const int64_t span = (type->dims[d] - 1) * view->strides[d];
    if (span < 0) out->before += (size_t)-span;
    if (span > 0) behind += (size_t)span;
  }
  out->byte_size = out->before + behind;
}

// Reserves pages for the value, whatever the alignment of its memory is.
static tn_status_t place(guarded_state_t* state, guarded_value_t* value) {
  size_t end = 0;
  value->page_bytes = tn__align_up(value->byte_size + ALIGNMENT - 1, tn__pages_size());
  if (!__builtin_add_overflow(state->byte_size, GUARD_BYTES, &value->offset) &&
      !__builtin_add_overflow(value->offset, value->page_bytes, &end) &&
      !__builtin_add_overflow(end, GUARD_BYTES, &state->byte_size)) {
    return TN_OK;
  }
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                          "guarded calls: the operands and results exceed the address space");
}

// With names where the library gives any; NULL: none is known.
static const tn_ffi_op_t* find_signature(const tn_target_t* target) {
  if (target->op) return target->op;
  if (target->facts.op || !target->probed) return target->facts.op;
  return target->probed->op;
}

// The name in the signature; "" if there is none.
static const char* find_name(const tn_ffi_op_t* op, int32_t kind, size_t index) {
  size_t next = 0;
  for (size_t i = 0; op && i < op->param_count; ++i) {
    const tn_ffi_param_t* param = tn__op_param(op, i);
    if (param->kind != kind) continue;
    if (next++ == index || param->flags & TN_FFI_PARAM_REMAINING) return param->name;
  }
  return "";
}

static tn_status_t name_value(tn_arena_t* arena, const tn_ffi_op_t* op, bool is_operand,
                              size_t index, guarded_value_t* value) {
  char text[128];
  tn_string_view_t copy;
  const char* name = find_name(op, is_operand ? TN_FFI_PARAM_ARG : TN_FFI_PARAM_RET, index);
  snprintf(text, sizeof text, "%s %zu%s%.80s%s", is_operand ? "operand" : "result", index,
           *name ? " (" : "", name, *name ? ")" : "");
  TN_RETURN_IF_ERROR(tn__arena_copy_string(arena, tn__sv(text), &copy));
  value->name = copy.data;
  return TN_OK;
}

static tn_status_t list_values(const tn_call_site_t* call, const tn_ffi_op_t* op,
                               guarded_state_t* state) {
  tn_arena_t* arena = call->site->arena;
  state->operand_count = call->operand_count;
  state->value_count = call->operand_count + call->result_count;
  TN_RETURN_IF_ERROR(TN_ARENA_ARRAY(arena, state->value_count, &state->values));
  for (size_t i = 0; i < state->value_count; ++i) {
    const bool is_operand = i < call->operand_count;
    const tn_view_t* views = is_operand ? call->site->views : NULL;
    const size_t index = is_operand ? i : i - call->operand_count;
    const tn_type_t* type = is_operand ? call->operands[index] : call->results[index];
    measure(type, views ? &views[i] : NULL, &state->values[i]);
    TN_RETURN_IF_ERROR(name_value(arena, op, is_operand, index, &state->values[i]));
    TN_RETURN_IF_ERROR(place(state, &state->values[i]));
  }
  return TN_OK;
}

// The texts of the message about a fault: a signal handler formats nothing.
static tn_status_t name_call(const tn_call_site_t* call, guarded_state_t* state) {
  const tn_node_t* node = call->site->node;
  const tn_source_t* source = node ? tn__module_source(node->region->function->module) : NULL;
  char place[512] = "", title[sizeof(tn_name_text_t) + 16];
  tn_string_view_t copy;
  if (source && node->location.line) {
    snprintf(place, sizeof place, "%s:%u:%u: ", source->name, node->location.line,
             node->location.column);
  }
  snprintf(title, sizeof title, "custom call @%s", TN_NAME_TEXT(call->name));
  TN_RETURN_IF_ERROR(tn__arena_copy_string(call->site->arena, tn__sv(place), &copy));
  state->place = copy.data;
  TN_RETURN_IF_ERROR(tn__arena_copy_string(call->site->arena, tn__sv(title), &copy));
  state->title = copy.data;
  return TN_OK;
}

static void clear_state(void* user) {
  guarded_state_t* state = user;
  if (state->site.state_deinit) state->site.state_deinit(state->site.state);
  tn__fault_unwatch();
}

static tn_status_t init_local(const tn_kernel_call_t* call);
static void deinit_local(const tn_kernel_call_t* call);

tn_status_t tn__guarded_prepare(tn_kernel_site_t* site) {
  guarded_state_t* state = NULL;
  tn_call_site_t call;
  const tn_kernel_t* kernel = tn__call_plain_kernel(site->target, site->use);
  TN_RETURN_IF_ERROR(kernel->prepare(site));
  TN_RETURN_IF_ERROR(TN_ARENA_NEW(site->arena, &state));
  TN_RETURN_IF_ERROR(tn__call_site_read(site, &call));
  const tn_target_t* target = tn__op_target(site->use->op, site->target->platform);
  TN_RETURN_IF_ERROR(list_values(&call, find_signature(target), state));
  TN_RETURN_IF_ERROR(name_call(&call, state));
  state->kernel = kernel;
  state->site = *site;
  site->state = state;
  site->state_deinit = clear_state;
  site->local_byte_size = own_byte_size(state) + state->site.local_byte_size;
  site->local_share = NULL;
  site->local_init = init_local;
  site->local_deinit = deinit_local;
  tn__fault_watch();
  return TN_OK;
}

// --- what the kernel sees

// The call as the kernel knows it.
static tn_kernel_call_t call_inside(const tn_kernel_call_t* call) {
  const guarded_state_t* state = call->state;
  guarded_local_t* local = call->local;
  void** addresses = addresses_of(state, local);
  tn_kernel_call_t inside = *call;
  inside.operands = (const void* const*)addresses;
  inside.results = addresses + state->operand_count;
  inside.state = state->site.state;
  inside.local = (char*)local + own_byte_size(state);
  inside.context = &local->context;
  return inside;
}

static tn_status_t refused(void) {
  return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED,
                          "guarded calls: the system has no pages left for operands and results");
}

static tn_status_t map_pages(const guarded_state_t* state, guarded_local_t* local) {
  local->pages = tn__pages_map(state->byte_size, GUARD_BYTES, TN_PAGES_UNRESERVED);
  if (!local->pages) return refused();
  bool is_done = tn__pages_protect(local->pages, state->byte_size, TN_PAGES_CLOSED);
  for (size_t i = 0; is_done && i < state->value_count; ++i) {
    const guarded_value_t* value = &state->values[i];
    is_done = tn__pages_protect(local->pages + value->offset, value->page_bytes, TN_PAGES_WRITE);
  }
  if (is_done) return TN_OK;
  tn__pages_unmap(local->pages, state->byte_size);
  return refused();
}

static tn_status_t init_local(const tn_kernel_call_t* call) {
  const guarded_state_t* state = call->state;
  guarded_local_t* local = call->local;
  if (state->value_count) TN_RETURN_IF_ERROR(map_pages(state, local));
  tn_fault_value_t* faults = faults_of(local);
  for (size_t i = 0; i < state->value_count; ++i) {
    const guarded_value_t* value = &state->values[i];
    const uintptr_t pages = (uintptr_t)local->pages + value->offset;
    faults[i] = (tn_fault_value_t){.name = value->name,
                                   .begin = pages - GUARD_BYTES,
                                   .end = pages + value->page_bytes + GUARD_BYTES,
                                   .byte_size = value->byte_size};
  }
  local->fault = (tn_fault_call_t){.place = state->place,
                                   .title = state->title,
                                   .value_count = state->value_count,
                                   .values = faults};
  const tn_kernel_call_t inside = call_inside(call);
  tn_status_t status = state->site.local_init ? state->site.local_init(&inside) : TN_OK;
  if (status && state->value_count) tn__pages_unmap(local->pages, state->byte_size);
  return status;
}

static void deinit_local(const tn_kernel_call_t* call) {
  const guarded_state_t* state = call->state;
  guarded_local_t* local = call->local;
  const tn_kernel_call_t inside = call_inside(call);
  if (state->site.local_deinit) state->site.local_deinit(&inside);
  if (state->value_count) tn__pages_unmap(local->pages, state->byte_size);
}

// --- when it runs

// Sets value `index` up at the end of its pages, aligned as at `original`, between bytes of
// `pattern`. Its address.
static char* enter(const guarded_state_t* state, guarded_local_t* local, size_t index,
                   const char* original, int pattern) {
  const guarded_value_t* value = &state->values[index];
  char* pages = local->pages + value->offset;
  char* end = pages + value->page_bytes;
  char* data = end - value->byte_size;
  data -= ((uintptr_t)data - (uintptr_t)original) % ALIGNMENT;
  char* behind = data + value->byte_size;
  memset(pages, pattern, (size_t)(data - pages));
  memset(behind, pattern, (size_t)(end - behind));
  faults_of(local)[index].data = (uintptr_t)data;
  addresses_of(state, local)[index] = data + value->before;
  return data;
}

static void enter_result(const guarded_state_t* state, guarded_local_t* local, size_t index,
                         const char* original) {
  memset(enter(state, local, index, original, OUTSIDE), UNWRITTEN, state->values[index].byte_size);
}

// The result whose memory has the operand's bytes: it is computed in place. 0: none, which is an
// operand's index.
static size_t find_shared(const tn_kernel_call_t* call, const guarded_value_t* operand,
                          const char* original) {
  const guarded_state_t* state = call->state;
  for (size_t i = state->operand_count; i < state->value_count; ++i) {
    const uintptr_t begin = (uintptr_t)call->results[i - state->operand_count];
    const uintptr_t offset = (uintptr_t)original - begin;  // wraps if it is elsewhere
    const size_t byte_size = state->values[i].byte_size;
    if (offset < byte_size && operand->byte_size <= byte_size - offset) return i;
  }
  return 0;
}

static tn_status_t enter_operand(const tn_kernel_call_t* call, size_t index) {
  const guarded_state_t* state = call->state;
  guarded_local_t* local = call->local;
  const guarded_value_t* value = &state->values[index];
  const char* original = (const char*)call->operands[index] - value->before;
  void** addresses = addresses_of(state, local);
  char* pages = local->pages + value->offset;
  const size_t shared = value->byte_size ? find_shared(call, value, original) : 0;
  if (shared) {
    char* result = addresses[shared];
    const char* before = call->results[shared - state->operand_count];
    memcpy(result, before, state->values[shared].byte_size);
    addresses[index] = result + ((const char*)call->operands[index] - before);
    faults_of(local)[index].data = (uintptr_t)pages;  // never used
    return TN_OK;
  }
  if (!tn__pages_protect(pages, value->page_bytes, TN_PAGES_WRITE)) return refused();
  char* data = enter(state, local, index, original, UNWRITTEN);
  if (value->byte_size) memcpy(data, original, value->byte_size);
  return tn__pages_protect(pages, value->page_bytes, TN_PAGES_READ) ? TN_OK : refused();
}

// Whether the pattern around a result is still there. Names the first of the bytes next to it that
// were written.
static tn_status_t check_result(const guarded_state_t* state, guarded_local_t* local,
                                size_t index) {
  const guarded_value_t* value = &state->values[index];
  const unsigned char* pages = (unsigned char*)local->pages + value->offset;
  const unsigned char *begin = addresses_of(state, local)[index], *end = pages + value->page_bytes;
  const unsigned char *behind = begin + value->byte_size, *before = begin;
  while (behind < end && *behind == OUTSIDE) ++behind;
  while (before > pages && before[-1] == OUTSIDE) --before;
  if (behind == end && before == pages) return TN_OK;
  while (before > pages && before[-1] != OUTSIDE) --before;
  const bool is_behind = behind < end;
  return tn_status_create(TN_CODE_INTERNAL, "%s: write %s %s: byte offset %td of %zu bytes",
                          state->title, is_behind ? "past the end of" : "before the beginning of",
                          value->name, (is_behind ? behind : before) - begin, value->byte_size);
}

tn_status_t tn__guarded_run(const tn_kernel_call_t* call) {
  const guarded_state_t* state = call->state;
  guarded_local_t* local = call->local;
  void* const* results = call->results;
  local->context = *call->context;
  local->context.pending = NULL;
  for (size_t i = state->operand_count; i < state->value_count; ++i) {
    enter_result(state, local, i, results[i - state->operand_count]);
  }
  for (size_t i = 0; i < state->operand_count; ++i) TN_RETURN_IF_ERROR(enter_operand(call, i));
  const tn_kernel_call_t inside = call_inside(call);
  tn__fault_begin(&local->fault);
  tn_status_t status = state->kernel->run(&inside);
  tn__fault_end(&local->fault);
  for (size_t i = state->operand_count; !status && i < state->value_count; ++i) {
    status = check_result(state, local, i);
  }
  for (size_t i = state->operand_count; !status && i < state->value_count; ++i) {
    const size_t byte_size = state->values[i].byte_size, result = i - state->operand_count;
    if (byte_size) memcpy(results[result], inside.results[result], byte_size);
  }
  return status;
}
