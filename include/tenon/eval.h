// Kernels that see arrays where they lie: operands by their strides, outputs that they may allocate
// themselves or take over from an operand, work that is done in steps.
//
//   #include <tenon/eval.h>
//
//   TN_EVAL_OP(roll, ROLL, "y[i] = x[i - shift]") {       // static tn_status_t roll_eval(...)
//     const tn_strided_t *x = eval->operands[0], *y = eval->outputs[0];
//     ... x->data, x->dims, x->strides, call->shift ...
//     return TN_OK;
//   }
//
//   TN_DEFINE(roll, .eval_cpu = roll_eval)
//   TN_LIBRARY(roll)
//
// The list, the attributes and the errors are those of TN_OP (<tenon/custom.h>). Lazy arrays hand
// over views (transposed, sliced, broadcast) as they are. Hosts that know nothing of strides, JAX
// among them, call the handler `roll`, which TN_EVAL_OP makes as well: it calls the same function
// with dense arrays. So there is one definition for every door.
//
// In the body `call` has the attributes; of call->x only the shape and dtype may be looked at.
// tn_eval_for_rows is the loop; <tenon/strided.h> has others.
//
// What an eval may ask for, all by way of the table eval->api, so that a library needs no symbol of
// Tenon's:
//   tn_eval_dispatch(eval, function, payload, size)    work for when the eval has returned
//   tn_eval_set_input_array(eval, x)  ..._set_output_array(eval, y)    checks that they have memory
//   tn_eval_add_temporary(eval, dtype, rank, dims, &t) an array until the last work is done
//   tn_eval_for_rows(eval, n, arrays, written, f, user)    f gets rows of dense elements, on the
//                                                      host's threads, whatever the strides are
//   tn_eval_parallel_for(eval, count, grain, f, user)  on the host's threads
//   TN_EVAL_ERROR(eval, INVALID_ARGUMENT, "n is %d", n)
// and with TN_OP_ALLOCATES, once for each output:
//   tn_eval_allocate(eval, 0)                          memory of its own
//   tn_eval_donate(eval, 0, i)                         the memory of operand i (TN_DONATABLE)
//   tn_eval_share(eval, 0, i, offset, strides)         the elements of operand i, in other places
//   tn_eval_set_data(eval, 0, data, strides, release, user)    memory of the author's
//
// C11.
#ifndef TENON_EVAL_H_
#define TENON_EVAL_H_

#include <tenon/custom.h>
#include <tenon/operation.h>
#include <tenon/strided.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tn_strided_flag {
  TN_ROW_CONTIGUOUS = 1 << 0,     // dense, the last dimension fastest
  TN_COLUMN_CONTIGUOUS = 1 << 1,  // dense, the first dimension fastest
  TN_DONATABLE = 1 << 2,          // an operand whose memory output 0 may have; see `donates`
} tn_strided_flag_t;

// An operand or an output of an eval, or a temporary. Its dims and strides live as long as it does.
typedef struct tn_strided {
  size_t struct_size;
  tn_ffi_dtype_t dtype;
  uint32_t flags;  // TN_ROW_CONTIGUOUS ...
  size_t rank;
  const int64_t* dims;
  const int64_t* strides;  // in elements; 0 and negative ones among them
  int64_t element_count;
  void* data;  // element [0, 0, ...]; NULL: it has no memory yet, or no elements
} tn_strided_t;

// A piece of work that was dispatched. `payload` is the copy.
typedef tn_status_t (*tn_eval_work_fn)(const tn_eval_call_t* eval, void* payload);
// Part of a parallel loop: [begin, end).
typedef tn_status_t (*tn_eval_loop_fn)(void* user, int64_t begin, int64_t end);
// `count` elements of each array, which lie one behind the other from rows[k] on.
typedef tn_status_t (*tn_eval_row_fn)(void* user, int64_t count, void* const* rows);

// What an eval may call: on the thread of the eval and of its work, unless it says otherwise. The
// list only grows at its end: an older host's table is shorter, which its struct_size tells.
typedef struct tn_eval_api {
  size_t struct_size;
  // Outputs of operations with TN_OP_ALLOCATES: each gets its memory once, while the eval runs or
  // in its work; one that is left without is an error. FAILED_PRECONDITION for a second time, or
  // without the flag.
  tn_status_t (*allocate)(const tn_eval_call_t* eval, size_t output);  // dense
  tn_status_t (*donate)(const tn_eval_call_t* eval, size_t output, size_t operand);
  // The output's element [i, j, ...] is where operand->data[offset + i * strides[0] + ...] is. What
  // cannot stay there (a program has the place of every value before it runs) is copied behind the
  // last work. OUT_OF_RANGE when that leaves the operand's elements.
  tn_status_t (*share)(const tn_eval_call_t* eval, size_t output, size_t operand, int64_t offset,
                       const int64_t* strides);
  // `strides` NULL: dense. Copied behind the last work; then `release`, which may be NULL, is
  // called with `user`, also after an error of this function.
  tn_status_t (*set_data)(const tn_eval_call_t* eval, size_t output, void* data,
                          const int64_t* strides, void (*release)(void* user), void* user);
  // What the work dispatched next reads and writes. FAILED_PRECONDITION for one without memory.
  tn_status_t (*set_input_array)(const tn_eval_call_t* eval, const tn_strided_t* array);
  tn_status_t (*set_output_array)(const tn_eval_call_t* eval, const tn_strided_t* array);
  // Copies the payload. The work is done when the eval has returned, one piece after the other, in
  // this order, on the same thread; operands, outputs and temporaries live until then. It may
  // dispatch more. Its error is the operation's, and what follows is not done.
  tn_status_t (*dispatch)(const tn_eval_call_t* eval, tn_eval_work_fn work, const void* payload,
                          size_t byte_length);
  // A dense array with memory, aligned to 64 bytes, until the last work is done.
  tn_status_t (*add_temporary)(const tn_eval_call_t* eval, tn_ffi_dtype_t dtype, size_t rank,
                               const int64_t* dims, tn_strided_t** out_array);
  // As tn_parallel_for does; the error is one of those that the parts return. For any thread.
  tn_status_t (*parallel_for)(const tn_eval_call_t* eval, int64_t count, int64_t grain,
                              tn_eval_loop_fn function, void* user);
  // For any thread.
  tn_status_t (*error)(const tn_eval_call_t* eval, int32_t code, const char* message);
  // All elements of arrays of one shape, at most TN_NEST_ARRAY_LIMIT, in rows, on several threads.
  // Which elements are in a row, and in which order, is the host's choice; what lies otherwise is
  // packed into blocks that stay in the cache. The function writes all elements of the first
  // `written_count` arrays, which no others overlap unless they are the same, and reads the rest.
  // Of an array only the dtype, rank, dims, strides and data count. The error is one of those that
  // the function returns. For any thread.
  tn_status_t (*for_rows)(const tn_eval_call_t* eval, size_t array_count,
                          const tn_strided_t* const* arrays, size_t written_count,
                          tn_eval_row_fn function, void* user);
} tn_eval_api_t;

// One use of the operation. Valid until the last work is done.
struct tn_eval_call {
  size_t struct_size;
  const tn_eval_api_t* api;
  tn_ffi_call_frame_t* frame;  // attributes and shapes as handlers see them
  size_t operand_count;
  const tn_strided_t* const* operands;
  size_t output_count;
  const tn_strided_t* const* outputs;
};

// --- the table, without the table

// clang-format off
#define tn_eval_allocate(eval, output) ((eval)->api->allocate((eval), (output)))
#define tn_eval_donate(eval, output, operand) ((eval)->api->donate((eval), (output), (operand)))
#define tn_eval_share(eval, output, operand, offset, strides) \
  ((eval)->api->share((eval), (output), (operand), (offset), (strides)))
#define tn_eval_set_data(eval, output, data, strides, release, user) \
  ((eval)->api->set_data((eval), (output), (data), (strides), (release), (user)))
#define tn_eval_set_input_array(eval, array) ((eval)->api->set_input_array((eval), (array)))
#define tn_eval_set_output_array(eval, array) ((eval)->api->set_output_array((eval), (array)))
#define tn_eval_dispatch(eval, work, payload, byte_length) \
  ((eval)->api->dispatch((eval), (work), (payload), (byte_length)))
#define tn_eval_add_temporary(eval, dtype, rank, dims, out_array) \
  ((eval)->api->add_temporary((eval), (dtype), (rank), (dims), (out_array)))
#define tn_eval_parallel_for(eval, count, grain, function, user) \
  ((eval)->api->parallel_for((eval), (count), (grain), (function), (user)))
#define tn_eval_for_rows(eval, ...) ((eval)->api->for_rows((eval), __VA_ARGS__))
#define TN_EVAL_ERROR(eval, CODE, ...) tn__eval_error((eval), TN_FFI_##CODE, __VA_ARGS__)
// clang-format on

TN__PRINTF(3, 4)
TN__COLD tn_status_t tn__eval_error(const tn_eval_call_t* eval, int32_t code, const char* format,
                                    ...) {
  tn__text_t text = {0, ""};
  va_list values;
  va_start(values, format);
  tn__vprint(&text, format, values);
  va_end(values);
  return eval->api->error(eval, code, text.data);
}

// --- the operation

// The body follows: TN_EVAL_OP(name, LIST, "doc") { ... eval ... call ... return TN_OK; }
#define TN_EVAL_OP(op, LIST, doc)                                                              \
  TN__EXTERN_C TN__HIDDEN const tn_op_def_t op##_definition;                                   \
  static tn_status_t op##_eval(const tn_eval_call_t* eval);                                    \
  TN_OP(op, LIST, doc) {                                                                       \
    return tn__eval_dense(call->tn, &op##_definition, op##_eval);                              \
  }                                                                                            \
  static tn_status_t op##_eval_body(const tn_eval_call_t* eval, const struct op##_call* call); \
  static tn_status_t op##_eval(const tn_eval_call_t* eval) {                                   \
    tn_call_t tn = {&tn, eval->frame, &op##_op, NULL};                                         \
    struct op##_call call;                                                                     \
    call.tn = &tn;                                                                             \
    tn_status_t status = op##_decode(&call, &tn);                                              \
    if (status == TN_OK) status = op##_eval_body(eval, &call);                                 \
    if (tn.blocks) tn__free_blocks(&tn);                                                       \
    return status;                                                                             \
  }                                                                                            \
  static tn_status_t op##_eval_body(const tn_eval_call_t* eval,                                \
                                    __attribute__((unused)) const struct op##_call* call)

#ifdef __cplusplus
}
#endif

#include <tenon/eval_host.h>

#endif  // TENON_EVAL_H_
