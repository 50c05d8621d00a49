// Compiled programs and their runs.
#ifndef TENON_PROGRAM_H_
#define TENON_PROGRAM_H_

#include <tenon/buffer.h>
#include <tenon/call.h>
#include <tenon/cancellation.h>
#include <tenon/device.h>
#include <tenon/module.h>
#include <tenon/stream.h>

TN_EXTERN_C_BEGIN

// Reference counted, immutable, thread-safe: any number of runs may be under way at once.
typedef struct tn_program tn_program_t;

typedef struct tn_compile_options {
  size_t struct_size;               // sizeof(tn_compile_options_t)
  const char* function;             // which function of the module; NULL: `main`, else the only one
  const tn_allocator_t* allocator;  // NULL: the system's
  bool keep_all;  // leave the module as it is: no pass runs but those that running needs
  // The same, and the results are all arrays that operations of the function compute, in their
  // order: see tn_program_result_origin.
  bool keep_values;
} tn_compile_options_t;

// Compiles one function of a module for a device. `options` may be NULL. The module and the device
// are retained. Custom call targets are looked up now, in the registry (call.h); their libraries
// stay loaded as long as the program lives. Errors carry the place in the module's text: NOT_FOUND
// for a function or target that does not exist, UNIMPLEMENTED for what the device cannot do,
// INVALID_ARGUMENT for the rest.
//
// A function may leave dimensions of its arguments open (tensor<?x4xf32>, as jax.export writes it
// for symbolic shapes). Its types then have TN_DIM_DYNAMIC, and a run compiles it for the sizes of
// its arguments, unless it has been run with these before: programs for the last 32 sets of sizes
// are kept. So the errors of compiling come out of that run: sizes that contradict each other or
// what the program asserts of them (INVALID_ARGUMENT), sizes that depend on the elements of arrays
// (UNIMPLEMENTED). Such a function takes and gives tensors alone; no argument of it is donated.
TN_API TN_MUST_USE tn_status_t tn_program_compile(tn_device_t* device, tn_module_t* module,
                                                  const tn_compile_options_t* options,
                                                  tn_program_t** out_program);
TN_API tn_program_t* tn_program_retain(tn_program_t* program);
TN_API void tn_program_release(tn_program_t* program);

// Arguments and results are leaves: a tuple counts as the arrays inside it, in preorder. Types are
// views that live as long as the program; NULL when out of range.
TN_API size_t tn_program_argument_count(const tn_program_t* program);
TN_API const tn_type_t* tn_program_argument_type(const tn_program_t* program, size_t index);
// What a program's author calls an argument or result: of the location that jax.export writes
// (params['w'] is "params.w"), else of the value in the text; of a result its jax.result_info
// ("result.y"). "" if there is none.
TN_API const char* tn_program_argument_name(const tn_program_t* program, size_t index);
TN_API const char* tn_program_result_name(const tn_program_t* program, size_t index);
// The index of an argument or result by its name, in either spelling (params['w'], params.w), or
// "arg0", "result0" and so on where it has none. NOT_FOUND has the nearest name as a note;
// INVALID_ARGUMENT when several have the name.
TN_API TN_MUST_USE tn_status_t tn_program_find_input(const tn_program_t* program, const char* name,
                                                     size_t* out_index);
TN_API TN_MUST_USE tn_status_t tn_program_find_output(const tn_program_t* program, const char* name,
                                                      size_t* out_index);
// Whether a run can use the memory of this argument when it is donated: the program marks it (JAX:
// donate_argnums) and a result takes its place. Others may be donated too; their memory is freed.
TN_API bool tn_program_may_donate(const tn_program_t* program, size_t index);
TN_API size_t tn_program_result_count(const tn_program_t* program);
TN_API const tn_type_t* tn_program_result_type(const tn_program_t* program, size_t index);

// Where a result of a program that keeps all values comes from. Views that live as long as the
// program; of other programs "", "" and 0.
typedef struct tn_result_origin {
  size_t struct_size;     // set by the caller
  const char* operation;  // "add"
  const char* name;       // of the value in the text, without "%"; "" if none
  uint32_t line;          // 1-based; 0: unknown
} tn_result_origin_t;
TN_API void tn_program_result_origin(const tn_program_t* program, size_t index,
                                     tn_result_origin_t* origin);

// What is odd about the program and was not refused, such as an unknown attribute (of these the
// first 16): for each an error with its place, which the caller releases; NULL behind the last.
TN_API TN_MUST_USE tn_status_t tn_program_warning(const tn_program_t* program, size_t index);

// Figures of the plan and of compiling.
typedef struct tn_program_statistics {
  size_t struct_size;  // set by the caller
  size_t instruction_count;
  size_t plan_byte_length;         // what the temporaries of one run take: the plan's peak
  size_t lower_bound_byte_length;  // the largest total of temporaries that are live at once
  size_t total_byte_length;        // all values, had each its own place
  size_t constant_byte_length;
  uint64_t compile_ns;
} tn_program_statistics_t;
TN_API void tn_program_statistics(const tn_program_t* program, tn_program_statistics_t* statistics);

typedef enum tn_program_stage {
  TN_STAGE_IR = 0,       // as it was read
  TN_STAGE_PASS = 1,     // after the passes: StableHLO, and tenon.fusion
  TN_STAGE_PLAN = 2,     // buffers and their lives
  TN_STAGE_PROGRAM = 3,  // instructions and their kernels
} tn_program_stage_t;
typedef enum tn_program_format {
  TN_FORMAT_TEXT = 0,
  TN_FORMAT_JSON = 1,
  TN_FORMAT_DOT = 2,  // IR, PASS: Graphviz
  TN_FORMAT_SVG = 3,  // PLAN: bytes over time
} tn_program_format_t;
// Prints a stage through `write`, as tn_module_print does. UNIMPLEMENTED for pairs that make no
// sense.
//
// JSON has the whole graph. IR, PASS: {module, attributes, functions: [{name, visibility, arguments
// and results (types), their attributes, body}]}; a body or region is {arguments: [{id, name,
// type}], operations: [{operation, line, operands: [id], results: [{id, name, type}], attributes,
// regions}]}; ids are those of values of the function, attributes and types are text as
// tn_module_print writes it. PLAN: {function, buffers: [{id, kind, ...}], arguments, results,
// steps, callees}; operands, results and scratch are ids of buffers. PROGRAM: {units: [{id,
// function, block, buffers}], blocks, instructions}; the offset of a temporary counts from that of
// its unit. A custom call has a target. Names, and what does not apply, are left out.
TN_API TN_MUST_USE tn_status_t
tn_program_print(const tn_program_t* program, tn_program_stage_t stage, tn_program_format_t format,
                 tn_status_t (*write)(void* user, const char* text, size_t length), void* user);

// One instruction of a run, after it. Strings and the event itself live as long as the call.
typedef struct tn_run_event {
  size_t struct_size;  // of the library
  int64_t run_id;
  uint32_t instruction;  // its number, as TN_STAGE_PROGRAM prints it
  uint32_t depth;  // how many of the run's instructions it is inside of: loops, branches, calls
  bool is_asynchronous;   // a call whose handler returned a future: until the run found it complete
  const char* operation;  // "add"
  const char* target;     // of a custom call, or the function that is called; "" for others
  size_t target_length;
  const char* kernel;        // "cpu.add"; "" for a call of a function
  const char* file;          // "" and 0: unknown
  uint32_t line, column;     // 1-based
  int64_t begin_ns, end_ns;  // of CLOCK_MONOTONIC
  // All bytes of the operands and results, each once.
  uint64_t read_byte_length, written_byte_length;
} tn_run_event_t;

// Called after each instruction, inner ones before the loop, branch or call that they are part of,
// on the thread that runs the program; of one run never by two at once. What a kernel does with its
// own regions and threads is the kernel's time. Must not wait for the run.
typedef void (*tn_run_observer_fn)(void* user, const tn_run_event_t* event);

// Where a result is to be written, in the host's memory. Results must not overlap each other or an
// argument. On the CPU memory that is 64-byte aligned is written directly, also while the run is
// under way; otherwise the result is copied there at the end.
typedef struct tn_result_memory {
  void* data;          // aligned for the elements; NULL: the result gets memory of its own
  size_t byte_length;  // as much as the result takes, or more
  tn_dtype_t dtype;    // what the caller expects the result to be; TN_DTYPE_INVALID: not checked
  size_t rank;
  const int64_t* dims;
} tn_result_memory_t;

typedef struct tn_run_options {
  size_t struct_size;   // sizeof(tn_run_options_t)
  tn_stream_t* stream;  // NULL: run on the calling thread, complete when the call returns
  const bool* donated;  // by argument leaf: the run may overwrite and take this buffer; NULL: none.
                        // A donated buffer must have no other user, and is empty after the call.
  int64_t run_id;       // what handlers see, and what rng draws from; 0: a fresh number
  size_t user_data_count;
  const tn_user_data_t* user_data;  // for handlers that ask for its type; the list is copied, the
                                    // data must live until the run is over
  bool nested_results;              // results that are tuples come as one tuple buffer each
  int64_t timeout_ns;  // from the call to the end of the run, waiting for the stream included; then
                       // it ends with DEADLINE_EXCEEDED; 0: no limit
  tn_cancellation_t* cancellation;  // ends the run with CANCELLED; retained until the run is over;
                                    // NULL: nothing does
  // Told of each instruction; NULL: none. A device that is not the host then computes one
  // instruction at a time.
  tn_run_observer_fn observe;
  void* observe_user;
  // By result leaf: the caller's memory, which must live until the run is over and the buffers of
  // the results are released; NULL: none. After an error of the run its contents are undefined;
  // after one that the call returns before the run has begun they are as they were. The list is
  // copied.
  size_t result_memory_count;
  const tn_result_memory_t* result_memory;
} tn_run_options_t;

// Runs a program. `arguments` are the leaves in order, or one buffer for each argument of the
// function, where tuples are tuple buffers (tn_buffer_create_tuple). They are checked against the
// program's types and retained until the run is over. Tokens are no buffers: an argument that is
// one may be NULL, and a result that is one is NULL. On success out_results[0 .. result_count) are
// new buffers that the caller releases, all on the program's device: the leaves in order, unless
// nested_results asks for one for each result of the function. With a stream the call returns at
// once and the buffers become ready when the run is over; its error comes out wherever they or the
// stream are waited for. After an error out_results holds NULLs, and donated buffers are as they
// were unless the run had begun. Donating is a right, not a duty: memory that somebody else holds,
// that was imported, or that belongs to an alias is left alone. Thread-safe.
//
// A time limit or a cancellation takes effect between two operations, at each iteration of a loop,
// and while a future of a handler is waited for; one operation or handler under way is not
// interrupted, and is an error when it ends. The error names the operation that would have been
// next, if there is one. On a stream it is an error
// like any other: it poisons what was enqueued behind, is reported by a wait, and the stream goes
// on. A handler whose future was given up keeps what it was given until it completes the future.
TN_API TN_MUST_USE tn_status_t tn_program_run(tn_program_t* program,
                                              const tn_run_options_t* options,
                                              size_t argument_count, tn_buffer_t* const* arguments,
                                              size_t result_count, tn_buffer_t** out_results);

TN_EXTERN_C_END

#endif  // TENON_PROGRAM_H_
