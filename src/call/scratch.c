#include "call/scratch.h"

#include <stdlib.h>

struct tn_call_scratch {
  tn_call_scratch_t* next;
  void* data;
};

enum { LARGEST_ALIGNMENT = 4096 };

tn_status_t tn__scratch_allocate(tn_ffi_context_t* context, size_t byte_length, size_t alignment,
                                 void** out_data) {
  *out_data = NULL;
  if (alignment & (alignment - 1) || alignment > LARGEST_ALIGNMENT) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "scratch memory: the alignment is %zu; expected a power of two up to "
                            "%d",
                            alignment, LARGEST_ALIGNMENT);
  }
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
  tn_call_scratch_t* block = malloc(sizeof *block);
  void* data = NULL;
  if (!block || posix_memalign(&data, alignment, byte_length ? byte_length : 1)) {
    free(block);
    return tn_status_create(TN_CODE_RESOURCE_EXHAUSTED, "scratch memory: no %zu bytes are left",
                            byte_length);
  }
  *block = (tn_call_scratch_t){context->scratch, data};
  context->scratch = block;
  *out_data = data;
  return TN_OK;
}

tn_status_t tn__scratch_free(tn_ffi_context_t* context, const void* data) {
  if (!data) return TN_OK;
  for (tn_call_scratch_t** link = &context->scratch; *link; link = &(*link)->next) {
    tn_call_scratch_t* block = *link;
    if (block->data != data) continue;
    *link = block->next;
    free(block->data);
    free(block);
    return TN_OK;
  }
  return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                          "scratch memory: %p was not allocated by this call, or is freed already",
                          data);
}

void tn__scratch_free_all(tn_ffi_context_t* context) {
  while (context->scratch) {
    tn_call_scratch_t* block = context->scratch;
    context->scratch = block->next;
    free(block->data);
    free(block);
  }
}
