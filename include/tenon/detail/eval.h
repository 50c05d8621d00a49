// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Strided kernels: an operation that receives its operands as strided views and may allocate its
// outputs itself, reuse the memory of an operand, or split its work into tasks.
//
//   #include <tenon/kernel.h>
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
// The signature list, the attributes and the errors are those of TN_OP (<tenon/custom.h>). Lazy
// arrays pass views (transposed, sliced, broadcast) without a copy. Runtimes without strides, such
// as JAX, call the handler `roll`, which TN_EVAL_OP defines as well: it calls the same function
// with dense arrays. One definition therefore serves every caller.
//
// In the kernel body `call` has the attributes; of call->x only the shape and dtype are valid.
// tn_eval_for_rows is the usual loop; <tenon/kernel.h> has others.
//
// Services of an eval. All are called through the table eval->api, so that a library needs no
// symbol of Tenon:
//   tn_eval_dispatch(eval, function, payload, size)    enqueues a task to run after the eval
//   tn_eval_set_input_array(eval, x)  ..._set_output_array(eval, y)    check that they have memory
//   tn_eval_add_temporary(eval, dtype, rank, dims, &t) an array that lives until the last task ends
//   tn_eval_for_rows(eval, n, arrays, written, f, user)    calls f on rows of contiguous elements,
//                                                      on several threads, whatever the strides are
//   tn_eval_parallel_for(eval, count, grain, f, user)  on the runtime's threads
//   TN_EVAL_ERROR(eval, INVALID_ARGUMENT, "n is %d", n)
//   tn_eval_map(eval, exp, f32, n, x, y)               tn_map for tasks and rows, without `call`
// and with TN_OP_ALLOCATES, once for each output:
//   tn_eval_allocate(eval, 0)                          allocates the output
//   tn_eval_donate(eval, 0, i)                         reuses operand i's memory (TN_DONATABLE)
//   tn_eval_share(eval, 0, i, offset, strides)         makes the output a view of operand i
//   tn_eval_set_data(eval, 0, data, strides, release, user)    uses memory of the kernel
//
// On a GPU an eval launches kernels, of a library of sources that use <tenon/gpu.h>.
// CMake's tenon_add_kernel_library puts one into the library of the operation; tenon_build_kernels
// writes a file, which TN_KERNEL_LIBRARY_FILE names; TN_KERNEL_LIBRARY makes one of a string.
//
//   extern const tn_kernel_library_t axpby_kernels;
//
//   TN_EVAL_GPU(axpby) {            // static tn_status_t axpby_eval_gpu(...)
//     const tn_strided_t *x = eval->operands[0], *y = eval->operands[1], *z = eval->outputs[0];
//     TN_TRY(tn_eval_set_kernel(eval, &axpby_kernels, "axpby_float32"));
//     TN_TRY(tn_eval_set_input_array(eval, x));
//     TN_TRY(tn_eval_set_input_array(eval, y));
//     TN_TRY(tn_eval_set_output_array(eval, z));
//     TN_TRY(tn_eval_set_bytes(eval, &call->alpha, sizeof call->alpha));
//     TN_TRY(tn_eval_set_bytes(eval, &call->beta, sizeof call->beta));
//     TN_TRY(tn_eval_set_bytes(eval, &z->element_count, sizeof z->element_count));
//     return tn_eval_dispatch_threads(eval, (int64_t[]){z->element_count, 1, 1}, NULL);
//   }
//   TN_DEFINE(axpby, .flags = TN_OP_ELEMENTWISE, .eval_gpu = axpby_eval_gpu)
//
// Setters bind the kernel's parameters in order. Kernels run in the order in which they are
// launched, after the operands have been computed; each sees what the earlier ones wrote. `data` is
// an address of the device, which the host must not read. The errors of a kernel that does not
// compile are the operation's.
//
// C11.
#ifndef TENON_DETAIL_EVAL_H_
#define TENON_DETAIL_EVAL_H_

#include <tenon/custom.h>
#include <tenon/detail/strided.h>
#include <tenon/gpu.h>
#include <tenon/operation.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tn_strided_flag {
  TN_ROW_CONTIGUOUS = 1 << 0,     // dense and row-major
  TN_COLUMN_CONTIGUOUS = 1 << 1,  // dense and column-major
  TN_DONATABLE = 1 << 2,          // an operand whose memory output 0 may reuse; see `donates`
} tn_strided_flag_t;

// An operand, output or temporary of an eval. `dims` and `strides` live as long as the struct.
typedef struct tn_strided {
  size_t struct_size;
  tn_ffi_dtype_t dtype;
  uint32_t flags;  // TN_ROW_CONTIGUOUS ...
  size_t rank;
  const int64_t* dims;
  const int64_t* strides;  // in elements; may be 0 or negative
  int64_t element_count;
  void* data;  // element [0, 0, ...]; NULL: not allocated yet, or no elements
} tn_strided_t;

// Kernels of GPUs as source (<tenon/gpu.h>), in a variable that lives as long as the operation is
// registered. A device compiles it once, when one of its kernels is first launched. Without source
// it is the file NAME.kernels in the folder of the binary (the program or shared library) that has
// the variable.
typedef struct tn_kernel_library {
  size_t struct_size;
  const char* name;    // for messages, and of the file
  const char* source;  // ends with NUL; NULL: a file
} tn_kernel_library_t;
#define TN_KERNEL_LIBRARY(name, source) \
  { sizeof(tn_kernel_library_t), (name), (source) }
#define TN_KERNEL_LIBRARY_FILE(name) TN_KERNEL_LIBRARY(name, NULL)
// C between the parentheses as source, after macros have been replaced; it has no directives.
#define TN_GPU_SOURCE(...) TN__GPU_TEXT(__VA_ARGS__)
#define TN__GPU_TEXT(...) #__VA_ARGS__ "\n"

// An enqueued task. `payload` is the copy of the task argument.
typedef tn_status_t (*tn_eval_work_fn)(const tn_eval_call_t* eval, void* payload);
// A range of a parallel loop: [begin, end).
typedef tn_status_t (*tn_eval_loop_fn)(void* user, int64_t begin, int64_t end);
// `count` contiguous elements of each array, starting at rows[k].
typedef tn_status_t (*tn_eval_row_fn)(void* user, int64_t count, void* const* rows);

// The functions that an eval may call, on the thread of the eval or of its tasks unless stated
// otherwise. The table is append-only: struct_size tells how much of it an older runtime has.
typedef struct tn_eval_api {
  size_t struct_size;
  // Outputs of operations with TN_OP_ALLOCATES: each is given memory once, by the eval or by one of
  // its tasks; an output without memory at the end is an error. FAILED_PRECONDITION for a second
  // time, or without the flag.
  tn_status_t (*allocate)(const tn_eval_call_t* eval, size_t output);  // dense
  tn_status_t (*donate)(const tn_eval_call_t* eval, size_t output, size_t operand);
  // The output's element [i, j, ...] is operand->data[offset + i * strides[0] + ...]. The elements
  // are copied after the last task where the output cannot alias them (a compiled program assigns
  // every value an offset before it runs). OUT_OF_RANGE if an element is outside the operand.
  tn_status_t (*share)(const tn_eval_call_t* eval, size_t output, size_t operand, int64_t offset,
                       const int64_t* strides);
  // `strides` NULL: dense. The elements are copied after the last task; then `release`, which may
  // be NULL, is called with `user`, also after an error of this function.
  tn_status_t (*set_data)(const tn_eval_call_t* eval, size_t output, void* data,
                          const int64_t* strides, void (*release)(void* user), void* user);
  // Declares what the next task reads and writes. FAILED_PRECONDITION for an array without memory.
  tn_status_t (*set_input_array)(const tn_eval_call_t* eval, const tn_strided_t* array);
  tn_status_t (*set_output_array)(const tn_eval_call_t* eval, const tn_strided_t* array);
  // Enqueues a task and copies its payload. Tasks run after the eval has returned, one at a time,
  // in this order, on the same thread; operands, outputs and temporaries live until the last
  // completes. A task may enqueue others. The error of a task is the operation's, and later tasks
  // do not run.
  tn_status_t (*dispatch)(const tn_eval_call_t* eval, tn_eval_work_fn work, const void* payload,
                          size_t byte_size);
  // An allocated dense array, aligned to 64 bytes, that lives until the last task completes.
  tn_status_t (*add_temporary)(const tn_eval_call_t* eval, tn_ffi_dtype_t dtype, size_t rank,
                               const int64_t* dims, tn_strided_t** out_array);
  // As tn_parallel_for. If several ranges fail, one of their errors is returned. Thread-safe.
  tn_status_t (*parallel_for)(const tn_eval_call_t* eval, int64_t count, int64_t grain,
                              tn_eval_loop_fn function, void* user);
  // Thread-safe.
  tn_status_t (*error)(const tn_eval_call_t* eval, int32_t code, const char* message);
  // Calls `function` on all elements of arrays of one shape, at most TN_LOOP_NEST_ARRAY_LIMIT, row
  // by row and on several threads. The runtime chooses the rows and their order; arrays that are
  // not contiguous along a row are packed into cache-sized blocks. The function writes all elements
  // of the first `written_count` arrays and reads the others. A written array may overlap another
  // only if both are the same. Only dtype, rank, dims, strides and data of the arrays are used. If
  // several rows fail, one of their errors is returned. Thread-safe.
  tn_status_t (*for_rows)(const tn_eval_call_t* eval, size_t array_count,
                          const tn_strided_t* const* arrays, size_t written_count,
                          tn_eval_row_fn function, void* user);

  // Of an eval_gpu; FAILED_PRECONDITION in others. There, set_input_array and set_output_array also
  // set the next parameter of the kernel, to the address of the array's first element; allocate,
  // donate and add_temporary give memory of the device, and share, set_data and for_rows are
  // UNIMPLEMENTED.

  // Chooses the kernel `name` of `library`, without parameters yet.
  tn_status_t (*set_kernel)(const tn_eval_call_t* eval, const tn_kernel_library_t* library,
                            const char* name);
  // Sets the kernel's next parameter to a value, a number or a struct, of exactly its size: at most
  // 1,024 bytes in all.
  tn_status_t (*set_bytes)(const tn_eval_call_t* eval, const void* value, size_t byte_size);
  // The same for sizes or strides: a tn_dims. At most 8.
  tn_status_t (*set_vector_bytes)(const tn_eval_call_t* eval, const int64_t* values, size_t count);
  // Launches as many groups as have at least so many threads (items) along x, y and z; or groups.
  // `group` is the size of a group along x, y and z, 1,024 threads at most; NULL: 256, 1, 1.
  // Nothing is launched where a number is 0. The parameters stay, for another launch.
  tn_status_t (*dispatch_threads)(const tn_eval_call_t* eval, const int64_t* grid,
                                  const int64_t* group);
  tn_status_t (*dispatch_threadgroups)(const tn_eval_call_t* eval, const int64_t* grid,
                                       const int64_t* group);
  // The most threads that a group of the chosen kernel has on this device, which compiles it.
  tn_status_t (*greatest_group_size)(const tn_eval_call_t* eval, int64_t* out_size);
} tn_eval_api_t;

// One use of the operation. Valid until the last task completes.
struct tn_eval_call {
  size_t struct_size;
  const tn_eval_api_t* api;
  tn_ffi_call_frame_t* frame;  // attributes and shapes as in handlers
  size_t operand_count;
  const tn_strided_t* const* operands;
  size_t output_count;
  const tn_strided_t* const* outputs;
};

// --- shorthands for the table

// clang-format off
#define tn_eval_allocate(eval, output) ((eval)->api->allocate((eval), (output)))
#define tn_eval_donate(eval, output, operand) ((eval)->api->donate((eval), (output), (operand)))
#define tn_eval_share(eval, output, operand, offset, strides) \
  ((eval)->api->share((eval), (output), (operand), (offset), (strides)))
#define tn_eval_set_data(eval, output, data, strides, release, user) \
  ((eval)->api->set_data((eval), (output), (data), (strides), (release), (user)))
#define tn_eval_set_input_array(eval, array) ((eval)->api->set_input_array((eval), (array)))
#define tn_eval_set_output_array(eval, array) ((eval)->api->set_output_array((eval), (array)))
#define tn_eval_dispatch(eval, work, payload, byte_size) \
  ((eval)->api->dispatch((eval), (work), (payload), (byte_size)))
#define tn_eval_add_temporary(eval, dtype, rank, dims, out_array) \
  ((eval)->api->add_temporary((eval), (dtype), (rank), (dims), (out_array)))
#define tn_eval_parallel_for(eval, count, grain, function, user) \
  ((eval)->api->parallel_for((eval), (count), (grain), (function), (user)))
#define tn_eval_for_rows(eval, ...) ((eval)->api->for_rows((eval), __VA_ARGS__))
#define tn_eval_set_kernel(eval, library, name) ((eval)->api->set_kernel((eval), (library), (name)))
#define tn_eval_set_bytes(eval, value, byte_size) ((eval)->api->set_bytes((eval), (value), (byte_size)))
#define tn_eval_set_vector_bytes(eval, values, count) \
  ((eval)->api->set_vector_bytes((eval), (values), (count)))
#define tn_eval_dispatch_threads(eval, ...) ((eval)->api->dispatch_threads((eval), __VA_ARGS__))
#define tn_eval_dispatch_threadgroups(eval, ...) \
  ((eval)->api->dispatch_threadgroups((eval), __VA_ARGS__))
#define tn_eval_greatest_group_size(eval, out_size) \
  ((eval)->api->greatest_group_size((eval), (out_size)))
#define tn_eval_map(eval, function, dtype, ...) \
  (tn__each_##function##_##dtype)((eval)->frame->api, __VA_ARGS__)
#define TN_EVAL_ERROR(eval, CODE, ...)                                                             \
  __extension__({                                                                                  \
    TN__STATIC_ASSERT(TN__KNOWN(TN__CODE_##CODE), "TN_EVAL_ERROR(" #eval ", " #CODE TN__CODE_CHOICES); \
    tn__eval_error((eval), TN__CODE_NUMBER(TN__CODE_##CODE), __VA_ARGS__);                         \
  })
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

// --- definition

// The kernel body follows: TN_EVAL_OP(name, LIST, "doc") { ... eval ... call ... return TN_OK; }
#define TN_EVAL_OP(op, LIST, doc)                                 \
  TN__EXTERN_C TN__HIDDEN const tn_op_def_t op##_definition;      \
  static tn_status_t op##_eval(const tn_eval_call_t* eval);       \
  TN_OP(op, LIST, doc) {                                          \
    return tn__eval_dense(call->tn, &op##_definition, op##_eval); \
  }                                                               \
  TN__EVAL(op, op##_eval)

// The same for a GPU, of an operation that TN_OP or TN_EVAL_OP has defined before:
// TN_EVAL_GPU(name) { ... }
#define TN_EVAL_GPU(op) TN__EVAL(op, op##_eval_gpu)

#define TN__EVAL(op, function)                                                                  \
  static tn_status_t function##_body(const tn_eval_call_t* eval, const struct op##_call* call); \
  static tn_status_t function(const tn_eval_call_t* eval) {                                     \
    tn_call_t tn = {&tn, eval->frame, &op##_op, NULL};                                          \
    struct op##_call call;                                                                      \
    call.tn = &tn;                                                                              \
    tn_status_t status = op##_decode(&call, &tn);                                               \
    if (status == TN_OK) status = function##_body(eval, &call);                                 \
    if (tn.blocks) tn__free_blocks(&tn);                                                        \
    return status;                                                                              \
  }                                                                                             \
  static tn_status_t function##_body(const tn_eval_call_t* eval,                                \
                                     __attribute__((unused)) const struct op##_call* call)

#ifdef __cplusplus
}
#endif

#include <tenon/detail/eval_host.h>

#endif  // TENON_DETAIL_EVAL_H_
