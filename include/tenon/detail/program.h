// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Compiled programs and their runs.
#ifndef TENON_DETAIL_PROGRAM_H_
#define TENON_DETAIL_PROGRAM_H_

#include <tenon/detail/buffer.h>
#include <tenon/detail/call.h>
#include <tenon/detail/cancellation.h>
#include <tenon/detail/device.h>
#include <tenon/detail/module.h>
#include <tenon/stream.h>

TN_EXTERN_C_BEGIN

// Reference counted, immutable, thread-safe: any number of runs may be in progress at once.
typedef struct tn_program tn_program_t;

typedef struct tn_compile_options {
  size_t struct_size;               // sizeof(tn_compile_options_t)
  const char* function;             // of the module; NULL: `main`, else the only function
  const tn_allocator_t* allocator;  // NULL: the system's
  bool keep_all;                    // do not optimise: only passes that execution requires are run
  // The same, and the outputs are all arrays that operations of the function compute, in program
  // order: see tn_program_output_origin.
  bool keep_values;
  // For debugging: each custom call works on copies of its operands and results, on pages of their
  // own between inaccessible ones; operands are read-only, results begin as 0xff bytes. A write
  // outside of a result is an error of the run; where a page refuses the access, the standard error
  // names the call and the operand or result before SIGSEGV takes its course. On a GPU, that is so
  // for calls that the host computes; the GPU's own are waited for one by one, and with CUDA it is
  // checked whether handlers that say they are compatible with command buffers are. UNIMPLEMENTED
  // on the device reference.
  bool guard_calls;
  // For a function that jax.export wrote for several platforms, whose argument with the attribute
  // jax.global_constant = "_platform_index" chooses the branch of a platform: the program has this
  // value in its place, one input less, and nothing of the other platforms' branches, whose custom
  // calls are not looked up. The index is that of the platform in the list given to jax.export.
  // INVALID_ARGUMENT if no function has such an argument, OUT_OF_RANGE if it has fewer platforms.
  bool has_platform_index;
  uint32_t platform_index;
  // Arithmetic as the program writes it: each operation rounds its result, sums of products round
  // each product and each partial sum (no fused multiply-add), and reductions, windows and products
  // take their terms one by one in the order of their indices. So the bits are the same on
  // processors with and without fused multiply-add, and close to those of StableHLO's interpreter.
  // Slow: nothing is fused, and most operations are computed by reference kernels. For the
  // devices cpu and reference; UNIMPLEMENTED on others. Custom calls are computed as ever.
  bool strict_arithmetic;
} tn_compile_options_t;

// Compiles one function of a module for a device. `options` may be NULL. The module and the device
// are retained. Custom call targets are looked up now, in the registry (call.h); their libraries
// stay loaded as long as the program lives. A target that does not exist is an error of the runs
// that call it if the call is in a branch of `if` or `case` (see tn_program_warning). Other errors
// have a location in the module's text: NOT_FOUND for a function or target that does not exist,
// UNIMPLEMENTED for what the device does not support, INVALID_ARGUMENT otherwise.
//
// Arguments of a function may have dynamic dimensions (tensor<?x4xf32>, as jax.export writes for
// symbolic shapes). Their types then contain TN_DIM_DYNAMIC, and a run compiles the function for
// the sizes of its inputs; programs for the 32 most recently used sets of sizes are kept. Such a
// run also reports compile errors: sizes that contradict each other or an assertion of the program
// (INVALID_ARGUMENT), sizes that depend on the elements of arrays (UNIMPLEMENTED). Such a function
// has only tensors as inputs and outputs; tn_program_may_donate tells nothing of its inputs, which
// can be donated like others.
TN_API TN_MUST_USE tn_status_t tn_program_compile(tn_device_t* device, tn_module_t* module,
                                                  const tn_compile_options_t* options,
                                                  tn_program_t** out_program);
// The program for the sizes of these inputs, which the caller releases: what a run with them runs.
// Its types have no dynamic dimensions. A program without such dimensions is its own. Errors as of
// tn_program_run.
TN_API TN_MUST_USE tn_status_t tn_program_specialise(tn_program_t* program, size_t input_count,
                                                     tn_buffer_t* const* inputs,
                                                     tn_program_t** out_program);
TN_API tn_program_t* tn_program_retain(tn_program_t* program);
TN_API void tn_program_release(tn_program_t* program);

// The inputs and outputs of a program are leaves: a tuple counts as the arrays inside it, in
// preorder. Types are views that live as long as the program;
// NULL if the index is out of range.
TN_API size_t tn_program_input_count(const tn_program_t* program);
TN_API const tn_type_t* tn_program_input_type(const tn_program_t* program, size_t index);
TN_API size_t tn_program_output_count(const tn_program_t* program);
TN_API const tn_type_t* tn_program_output_type(const tn_program_t* program, size_t index);
// The name of an input or output: from the location that jax.export writes (params['w'] is
// "params.w"), else that of the value in the text; of an output its jax.result_info ("result.y").
// "" if there is none.
TN_API const char* tn_program_input_name(const tn_program_t* program, size_t index);
TN_API const char* tn_program_output_name(const tn_program_t* program, size_t index);
// The index of the input or output with a name, in either spelling (params['w'], params.w), or
// "arg0", "result0" and so on for those without one. A NOT_FOUND error suggests the nearest name in
// a note; INVALID_ARGUMENT if the name is ambiguous.
TN_API TN_MUST_USE tn_status_t tn_program_find_input(const tn_program_t* program, const char* name,
                                                     size_t* out_index);
TN_API TN_MUST_USE tn_status_t tn_program_find_output(const tn_program_t* program, const char* name,
                                                      size_t* out_index);
// Reads inputs from a .npz or safetensors file: each that is NULL in `inputs`, which has one for
// each input of the program, and whose name the file has, as tn_program_find_input would find it.
// What else is in the file is not read. The caller owns the buffers. After an error `inputs` is as
// it was: NOT_FOUND if the file has no name of an input, INVALID_ARGUMENT for an array of another
// type than the input's, and those of tn_archive_open.
TN_API TN_MUST_USE tn_status_t tn_program_read_inputs(const tn_program_t* program, const char* path,
                                                      size_t input_count, tn_buffer_t** inputs);
// Whether a run can reuse the memory of this input if it is donated: the program marks it (JAX:
// donate_argnums) and an output aliases it. Others may be donated too; their memory is freed. False
// where sizes are unknown: they decide it when the program runs.
TN_API bool tn_program_may_donate(const tn_program_t* program, size_t index);

// The origin of an output of a program that keeps all values. Strings are views that live as long
// as the program; for other programs "", "" and 0.
typedef struct tn_output_origin {
  size_t struct_size;     // set by the caller
  const char* operation;  // "add"
  const char* name;       // of the value in the text, without "%"; "" if none
  uint32_t line;          // 1-based; 0: unknown
} tn_output_origin_t;
TN_API void tn_program_output_origin(const tn_program_t* program, size_t index,
                                     tn_output_origin_t* origin);

// Warnings about the program, such as an unknown attribute (the first 16 of these). Whether there
// is one at `index`: *out_warning is then a status with its location, which the caller releases,
// and otherwise NULL.
TN_API bool tn_program_warning(const tn_program_t* program, size_t index, tn_status_t* out_warning);

// Statistics of the memory plan and of compilation. No tag: in C++ the function would hide it.
typedef struct {
  size_t struct_size;  // set by the caller
  size_t instruction_count;
  size_t plan_byte_size;         // temporaries of one run: the peak of the memory plan
  size_t lower_bound_byte_size;  // the largest total of temporaries that are live at once
  size_t total_byte_size;        // of all values, without reuse of memory
  size_t constant_byte_size;
  uint64_t compile_ns;
} tn_program_statistics_t;
TN_API void tn_program_statistics(const tn_program_t* program, tn_program_statistics_t* statistics);

typedef enum tn_program_stage {
  TN_STAGE_IR = 0,       // as parsed
  TN_STAGE_PASS = 1,     // after the passes: StableHLO, tenon.fusion, tenon.row_blocks
  TN_STAGE_PLAN = 2,     // buffers and their live ranges
  TN_STAGE_PROGRAM = 3,  // instructions and their kernels
} tn_program_stage_t;
typedef enum tn_program_format {
  TN_FORMAT_TEXT = 0,
  TN_FORMAT_JSON = 1,
  TN_FORMAT_DOT = 2,  // IR, PASS: Graphviz
  TN_FORMAT_SVG = 3,  // PLAN: bytes over time
} tn_program_format_t;
// Prints a stage through `write`, as tn_module_print does. UNIMPLEMENTED for combinations of stage
// and format that are not supported.
//
// JSON has the whole graph. IR, PASS: {module, attributes, functions: [{name, visibility, arguments
// and results (types), their attributes, body}]}; a body or region is {arguments: [{id, name,
// type}], operations: [{operation, line, operands: [id], results: [{id, name, type}], attributes,
// regions}]}; ids are those of values of the function, attributes and types are text as
// tn_module_print writes it. PLAN: {function, buffers: [{id, kind, ...}], arguments, results,
// steps, callees}; operands, results and scratch are ids of buffers. PROGRAM: {functions: [{id,
// name, block, buffers}], blocks, instructions}; offsets of temporaries are relative to their
// function. Custom calls have a target. Names and fields that do not apply are omitted.
TN_API TN_MUST_USE tn_status_t tn_program_print(const tn_program_t* program,
                                                tn_program_stage_t stage,
                                                tn_program_format_t format, tn_write_fn write,
                                                void* user);

// One instruction of a run, once it is complete. The event and its strings live as long as the
// call.
typedef struct tn_run_event {
  size_t struct_size;  // of the library
  int64_t run_id;
  uint32_t instruction;   // its index, as TN_STAGE_PROGRAM prints it
  uint32_t depth;         // the number of enclosing instructions: loops, branches, calls
  bool is_asynchronous;   // a call whose handler returned a future: until the run found it complete
  const char* operation;  // "add"
  const char* target;     // of a custom call, or the function that is called; "" for others
  size_t target_length;
  const char* kernel;        // "cpu.add"; "" for a call of a function
  const char* file;          // "" and 0: unknown
  uint32_t line, column;     // 1-based
  int64_t begin_ns, end_ns;  // of CLOCK_MONOTONIC
  // The size of all operands and results, each counted once.
  uint64_t read_byte_size, written_byte_size;
  const char* types;    // of operands and results: "(tensor<4xf32>) -> (tensor<f32>)", cut off when
                        // they are many; "": a copy
  const char* members;  // of a fusion or row blocks, in order, custom calls by their targets: "add,
                        // swish"; "" for others
  // Multiplications and additions of products of matrices and of convolutions, by their definition;
  // of row blocks those of all members. 0: of others.
  uint64_t operation_count;
} tn_run_event_t;

// Writes what is known of the event but its name and times as a JSON object: the `args` of the
// Trace Event Format.
TN_API TN_MUST_USE tn_status_t tn_run_event_write_json(const tn_run_event_t* event,
                                                       tn_write_fn write, void* user);

// Called after each instruction, inner ones before the loop, branch or call that contains them, on
// the thread that runs the program; never concurrently for one run. The regions and threads of a
// kernel count as the kernel's time. Must not wait for the run.
typedef void (*tn_run_observer_fn)(void* user, const tn_run_event_t* event);

// An observer of all runs of a context whose options name none, those of lazy arrays included:
// called as above, and concurrently for different runs. NULL: none, the default. Not copied: it
// must live until another one is set and the runs that have begun are complete. Passed by address
// and a part of others: it will not grow.
typedef struct tn_run_observer {
  tn_run_observer_fn observe;
  void* user;
} tn_run_observer_t;
TN_API void tn_context_set_run_observer(tn_context_t* context, const tn_run_observer_t* observer);

// Host memory for an output, an element of a list: the struct will not grow. It must not overlap
// that of another output or of an input. On the CPU 64-byte aligned memory is written directly,
// also while the run is in progress; otherwise the output is copied to it at the end.
typedef struct tn_output_memory {
  void* data;        // aligned for the elements; NULL: the run allocates the output
  size_t byte_size;  // at least the size of the output
  tn_dtype_t dtype;  // the expected type of the output; TN_DTYPE_INVALID: not checked
  size_t rank;
  const int64_t* dims;
} tn_output_memory_t;

typedef struct tn_run_options {
  size_t struct_size;   // sizeof(tn_run_options_t)
  tn_stream_t* stream;  // NULL: run on the calling thread, complete when the call returns
  const bool* donated;  // by input: the run may take and overwrite this buffer; NULL: none. A
                        // donated buffer must have no other user, and is empty after the call.
  int64_t run_id;       // passed to handlers, and the seed of rng; 0: a new number
  size_t user_data_count;
  const tn_user_data_t* user_data;  // for handlers that request its type; the list is copied, the
                                    // data must live until the run is complete
  bool nested_outputs;              // return each tuple result as one tuple buffer
  int64_t timeout_ns;  // from the call to the end of the run, including the wait for the stream;
                       // the run then fails with DEADLINE_EXCEEDED; 0: no limit
  tn_cancellation_t* cancellation;  // ends the run with CANCELLED; retained until the run is
                                    // complete; NULL: none
  // Called for each instruction; NULL: none. Devices other than the CPU then compute one
  // instruction at a time.
  tn_run_observer_fn observe;
  void* observe_user;
  // By output: the caller's memory, which must live until the run is complete and the buffers
  // of the outputs are released; NULL: none. After an error of the run, a time limit and a
  // cancellation included, its contents are undefined: some outputs may have been written, none
  // outside of their memory. A custom call whose future was abandoned may still write there until
  // it completes the future. After an error that the call returns before the run has begun, the
  // contents are unchanged. The list is copied.
  size_t output_memory_count;
  const tn_output_memory_t* output_memory;
} tn_run_options_t;

// Runs a program. `inputs` are the leaves in order, or one buffer for each input of the
// function, where tuples are tuple buffers (tn_buffer_create_tuple). They are checked against the
// program's types and retained until the run is complete. `options` may be NULL. Tokens have no
// buffers: pass NULL for an input that is a token; an output that is one is NULL. On success
// out_outputs[0 .. output_count) are new buffers on the program's device, which the caller
// releases: the leaves in order, or with nested_outputs one for each result of the function. With a
// stream the call returns at once and the buffers become ready when the run is complete; an error
// is reported by every wait for them or for the stream. After an error out_outputs holds NULLs, and
// donated buffers are unchanged unless the run had begun and an output reuses their memory, or a
// stream did it. Donation is a permission: memory that has
// other users, was imported, or belongs to an alias is not reused. Thread-safe.
//
// Time limits and cancellation take effect while a program is compiled for new sizes, between two
// operations, at each iteration of a loop, between the parts of an operation that threads share,
// and while the run waits for a handler's future; a handler in progress is not interrupted, but the
// run fails when it ends. The error names the operation that was interrupted, or the next one. On a
// stream it is an error like any other: it poisons the work enqueued after the run, is reported by
// a wait, and the stream continues. A handler whose future was abandoned keeps its arguments until
// it completes the future.
TN_API TN_MUST_USE tn_status_t tn_program_run(tn_program_t* program, size_t input_count,
                                              tn_buffer_t* const* inputs,
                                              const tn_run_options_t* options, size_t output_count,
                                              tn_buffer_t** out_outputs);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_PROGRAM_H_
