// What an eval (<tenon/eval.h>) is run with. Apart from strided.c, since the macros for authors and
// those of the table of operations have names in common.
#ifndef TENON_CALL_STRIDED_H_
#define TENON_CALL_STRIDED_H_

#include <tenon/operation.h>

#include "call/abi.h"

// Where the elements of an operand are: `strides` in bytes, and element [0, 0, ...] behind
// `byte_offset` bytes.
typedef struct tn_call_view {
  int64_t byte_offset;
  const int64_t* strides;
} tn_call_view_t;

// Of one activation, in memory of the caller's that has this length.
typedef struct tn_strided_eval tn_strided_eval_t;
size_t tn__strided_eval_byte_length(size_t operand_count, size_t result_count,
                                    const tn_ffi_buffer_t* buffers);

// The frame has its buffers, without data, and stays where it is. `views` NULL: all operands are
// dense.
void tn__strided_eval_init(tn_strided_eval_t* eval, tn_ffi_call_frame_t* frame,
                           const tn_ffi_op_t* op, const tn_op_def_t* definition,
                           const tn_call_view_t* views);
// The buffers of the frame's results have their data. The error is the author's.
TN_MUST_USE tn_status_t tn__strided_eval_run(tn_strided_eval_t* eval, const void* const* operands);

// After an exception that left the eval.
void tn__strided_eval_end(tn_strided_eval_t* eval);

// Whether the view is what dense elements at the operand's beginning would be.
bool tn__call_view_is_dense(const tn_call_view_t* view, size_t rank, const int64_t* dims,
                            size_t element_size);

#endif  // TENON_CALL_STRIDED_H_
