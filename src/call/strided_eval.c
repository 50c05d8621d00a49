#include <tenon/eval.h>

#include "call/strided.h"

struct tn_strided_eval {
  tn__eval_state_t state;
  tn_eval_fn function;
  const tn_call_view_t* views;  // NULL: all operands are dense
};

size_t tn__strided_eval_byte_length(size_t operand_count, size_t result_count,
                                    const tn_ffi_buffer_t* buffers) {
  size_t byte_length = sizeof(tn_strided_eval_t);
  // One value at a time, since there is no frame yet.
  for (size_t i = 0; i < operand_count + result_count; ++i) {
    void* value = (void*)(uintptr_t)&buffers[i];
    tn_ffi_call_frame_t frame = {0};
    *(i < operand_count ? &frame.args : &frame.rets) =
        (tn_ffi_values_t){.count = 1, .values = &value};
    byte_length += tn__eval_byte_length(&frame);
  }
  return byte_length;
}

void tn__strided_eval_init(tn_strided_eval_t* eval, tn_ffi_call_frame_t* frame,
                           const tn_ffi_op_t* op, const tn_op_def_t* definition,
                           const tn_call_view_t* views) {
  tn__eval_init(&eval->state, eval + 1, frame, op, definition->flags, definition->donates);
  eval->function = definition->eval_cpu;
  eval->views = views;
  for (size_t i = 0; views && i < eval->state.eval.operand_count; ++i) {
    tn_strided_t* array = eval->state.arrays[i];
    const int64_t element_size = (int64_t)tn_ffi_dtype_size(array->dtype);
    int64_t* strides = (int64_t*)(uintptr_t)array->strides;  // in the memory behind
    for (size_t d = 0; d < array->rank; ++d) strides[d] = views[i].strides[d] / element_size;
    tn__eval_measure(array);
  }
}

tn_status_t tn__strided_eval_run(tn_strided_eval_t* eval, const void* const* operands) {
  for (size_t i = 0; i < eval->state.eval.operand_count; ++i) {
    const int64_t byte_offset = eval->views ? eval->views[i].byte_offset : 0;
    eval->state.arrays[i]->data = (char*)(uintptr_t)operands[i] + byte_offset;
  }
  return tn__eval_run(&eval->state, eval->function);
}

void tn__strided_eval_end(tn_strided_eval_t* eval) {
  tn__eval_end(&eval->state);
}

bool tn__call_view_is_dense(const tn_call_view_t* view, size_t rank, const int64_t* dims,
                            size_t element_size) {
  int64_t strides[TN_NEST_RANK_LIMIT];
  for (size_t d = 0; d < rank; ++d) strides[d] = view->strides[d] / (int64_t)element_size;
  return view->byte_offset == 0 && tn_is_row_contiguous(rank, dims, strides);
}
