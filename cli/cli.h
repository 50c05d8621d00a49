// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The command line: its tables, its parsed arguments, and what subcommands share.
#ifndef TENON_CLI_CLI_H_
#define TENON_CLI_CLI_H_

#include <stdbool.h>
#include <stdio.h>
#include <tenon/inspect.h>
#include <tenon/npy.h>
#include <tenon/tenon.h>

// Exit codes.
enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_INTERRUPTED = 130 };

typedef enum option_id {
#define TN_OPTION(name, ...) OPTION_##name,
#include "options.def"
#undef TN_OPTION
  OPTION_COUNT
} option_id_t;

typedef struct option {
  const char* name;
  char letter;
  const char* value;  // NULL: a flag
  bool repeats;
  const char* completes;
  const char* help;
} option_t;

enum { ARGUMENTS_LIMIT = 1 << 20 };

// What the user wrote, sorted. Strings are the process's own.
typedef struct arguments {
  const struct command* command;
  size_t count;
  const char** values;  // positional ones
  // Occurrences of each option, in order; flags have the value "".
  size_t option_counts[OPTION_COUNT];
  const char** option_values[OPTION_COUNT];
} arguments_t;

typedef struct command {
  const char* name;
  const char* arguments;
  size_t minimum, maximum;
  const char* completes;  // `file` or `none`
  uint32_t options;       // bit of each option_id_t
  const char* summary;
  const char* description;
  const char* examples;
  int (*run)(const arguments_t* arguments);
} command_t;

extern const option_t cli_options[OPTION_COUNT];
extern const command_t cli_commands[];
extern const size_t cli_command_count;

// --- arguments.c

// Reports mistakes on stderr and returns EXIT_USAGE; EXIT_FINE otherwise. Free with
// cli_free_arguments in both cases.
int cli_parse(const command_t* command, int count, char** words, arguments_t* out_arguments);
void cli_free_arguments(arguments_t* arguments);
static inline bool cli_has(const arguments_t* arguments, option_id_t option) {
  return arguments->option_counts[option] > 0;
}
static inline bool cli_takes(const command_t* command, option_id_t option) {
  return option < OPTION_COUNT && (command->options >> option & 1);
}
// The last value given; `fallback` when there is none.
const char* cli_value(const arguments_t* arguments, option_id_t option, const char* fallback);
// A word that an option takes: its place in the space-separated list that completes it. Otherwise
// reports the mistake and returns -1.
int cli_word(const arguments_t* arguments, option_id_t option, const char* fallback);
const command_t* cli_find_command(const char* name);
// Reports a mistake in how the command is used; returns EXIT_USAGE.
int cli_refuse(const command_t* command, const char* format, ...) TN_PRINTF(2, 3);

// --- op_types.c

// How a device takes elements of a type in an operation: those of its first array operand, of its
// result when it has no such operand.
typedef enum support {
  SUPPORT_REFUSED = 0,   // the operation means nothing for them: a program with it is not valid
  SUPPORT_COMPUTED,      // and so is every use of it that fits the device otherwise
  SUPPORT_NOT_COMPUTED,  // a valid program with it is refused when it is compiled
  SUPPORT_TYPELESS,      // the operation has no elements of its own: tokens, calls, numbers of
                         // processes
} support_t;
// Compiles a small program: some 50 microseconds.
support_t cli_op_supports(tn_device_t* device, const tn_op_info_t* op, tn_dtype_t dtype);

// --- limits.c

// Reports values of the options below that make no sense; returns an exit code.
int cli_check_limits(const arguments_t* arguments);
// Of --memory-limit and --threads.
tn_device_options_t cli_device_options(const arguments_t* arguments);
// Whether --arithmetic asks for strict arithmetic; `fallback`: without the option.
bool cli_is_strict(const arguments_t* arguments, const char* fallback);
// Of --function, --platform-index and --arithmetic.
tn_compile_options_t cli_compile_options(const arguments_t* arguments);
// For a run of a program: the time limit of --timeout, and a cancellation, a view, that the first
// Ctrl-C sets from then on until cli_end_runs.
tn_status_t cli_run_options(const arguments_t* arguments, tn_run_options_t* out_options);
void cli_end_runs(void);
// Whether a run was cancelled by Ctrl-C. The command ends soon then, with EXIT_INTERRUPTED.
bool cli_was_interrupted(void);

// --- environment.c

typedef struct variable {
  const char* name;
  const char* help;
} variable_t;
extern const variable_t cli_variables[];
extern const size_t cli_variable_count;
// Warns of variables that are nearly ones of Tenon's.
void cli_check_environment(void);

// --- help.c, man.c, completions.c

void cli_print_help(const command_t* command, FILE* file);  // NULL: of the whole
// Words of `text` in lines of at most `width` characters, each behind `indent` spaces but the
// first.
void cli_print_wrapped(FILE* file, const char* text, int indent, int width);
void cli_print_man(FILE* file);
int cli_print_completions(const char* shell, FILE* file);

// --- report.c

// From now on errors are reported as JSON: {"error": {"code": ..., "message": ...}} in one line.
void cli_report_as_json(void);
bool cli_reports_json(void);
// Prints an error as clang does, on stderr, with colour on a terminal, and releases it. Returns
// EXIT_FAILED.
int cli_report(tn_status_t status);
// The same of a file that could not be read or written, which JSON names; NULL: of none.
int cli_report_of_file(tn_status_t status, const char* path);
// Prints it as a warning, but not among JSON. Takes it.
void cli_warn(tn_status_t status);
// A mistake that is no status, as JSON.
void cli_report_json_text(tn_code_t code, const char* message);
// The text of an error, from malloc; "out of memory" when there is none. Does not release it.
char* cli_status_text(tn_status_t status);
bool cli_has_colour(FILE* file);
// `code` (such as "1;31") switches a colour on and NULL off; "" without colours.
const char* cli_colour(FILE* file, const char* code);
double cli_now_ms(void);
// "1.5 MiB".
const char* cli_bytes_text(double bytes, char out[32]);
void cli_print_json_string(FILE* file, const char* text);
// To standard output; null for NULL.
void cli_print_json_member(const char* separator, const char* name, const char* text);

// --- targets.c: a custom call with all that is known of it

void cli_print_target(const tn_target_info_t* info);
void cli_print_target_json(const tn_target_info_t* info);

// --- progress.c

// Says on a terminal how far a long command has come; nothing elsewhere, and nothing at first.
void cli_progress(const char* format, ...) TN_PRINTF(1, 2);
// Takes the line away, before something else is printed.
void cli_progress_end(void);

// --- session.c: what most subcommands begin with

typedef struct session {
  tn_device_t* device;
  tn_module_t* module;
  tn_program_t* program;
  double read_ms, compile_ms;
} session_t;

// Loads the libraries that the options name, and probes their handlers if --probe is given.
tn_status_t cli_load_libraries(const arguments_t* arguments);
// Probes all handlers without signature metadata.
tn_status_t cli_probe_targets(void);
// The same, and creates the device.
tn_status_t cli_open(const arguments_t* arguments, session_t* session);
// The whole of a file ("-": the standard input) in memory from malloc, with a NUL behind it.
tn_status_t cli_read_file(const char* path, char** out_text, size_t* out_length);
tn_status_t cli_load_module(const char* path, session_t* session);
// Reads and compiles the file.
tn_status_t cli_load_program(const arguments_t* arguments, session_t* session);
// The error of a run. If a handler without signature metadata rejected its call, all such handlers
// are probed, and the error of a compilation with their signatures is returned instead, with the
// original one as a note. Takes `status`.
tn_status_t cli_explain(const arguments_t* arguments, const session_t* session, tn_status_t status);
void cli_close(session_t* session);

// --- buffers.c

// Writes `count` elements to memory of the host that has room for them.
typedef tn_status_t (*cli_elements_fn)(void* user, size_t count, void* data);
// An array whose elements `write` writes.
tn_status_t cli_make_buffer(tn_device_t* device, tn_dtype_t dtype, size_t rank, const int64_t* dims,
                            cli_elements_fn write, void* user, tn_buffer_t** out_buffer);
void cli_release_buffers(tn_buffer_t** buffers, size_t count);

// --- archives.c

typedef tn_status_t (*cli_read_fn)(tn_device_t* device, const char* path, const char* key,
                                   const tn_type_t* expected, tn_buffer_t** out_buffer);
typedef tn_status_t (*cli_write_fn)(const char* path, size_t count, const char* const* keys,
                                    tn_buffer_t* const* buffers);
typedef struct archive {
  char path[4096];
  const char* key;  // in the SPEC
  cli_read_fn read;
  cli_write_fn write;
} archive_t;
// Whether `spec` names one array of an archive.
bool cli_is_archive(const char* spec, archive_t* out_archive);
// Whether it names an archive, and none of its arrays.
bool cli_needs_key(const char* spec);

// --- specs.c

// Which value of --output or --expect goes to which output of the program: those of the form
// NAME=SPEC to the one of that name, the others in order; tokens take none. A list from
// malloc with an entry for each; NULL: none is given. Reports mistakes and returns their exit code.
int cli_assign_specs(const arguments_t* arguments, const tn_program_t* program, option_id_t option,
                     const char*** out_specs);
// Its two steps, also of --input, with an entry of `specs` for each leaf. `present` has what comes
// from files of all inputs, which are no specs of one then; NULL: there are no such files.
int cli_assign_named(const arguments_t* arguments, const tn_program_t* program, option_id_t option,
                     const char** specs);
int cli_assign_unnamed(const arguments_t* arguments, const tn_program_t* program,
                       option_id_t option, tn_buffer_t* const* present, const char** specs);

// --- inputs.c, literal.c, fill.c: one buffer for each input of the program

// From the --input options. Inputs without one get `fallback` ("random"); NULL: they are a
// mistake. Reports what is wrong and returns its exit code. The list has as many entries as the
// program has inputs; those of tokens are NULL.
int cli_make_inputs(const arguments_t* arguments, const session_t* session, const char* fallback,
                    tn_buffer_t*** out_inputs);

// Replaces the program by the one for the sizes of --input, if some of its own are dynamic. Reports
// mistakes as cli_make_inputs does.
int cli_fix_sizes(const arguments_t* arguments, session_t* session);

// What an --expect option says of output `index`, as a buffer of its type; otherwise the same.
int cli_make_expected_output(const arguments_t* arguments, const session_t* session, size_t index,
                             const char* spec, tn_buffer_t** out_buffer);

// Whether `spec` begins as a literal does: with dimensions and a dtype, in front of "=" or alone.
bool cli_is_literal(const char* spec);
// What follows "="; NULL: it is a type alone.
const char* cli_literal_elements(const char* spec);
// INVALID_ARGUMENT: it is none, or not of type `expected`.
tn_status_t cli_read_literal(tn_device_t* device, const char* spec, const tn_type_t* expected,
                             tn_buffer_t** out_buffer);

typedef enum fill {
  FILL_NONE,
  FILL_ZEROS,
  FILL_ONES,
  FILL_IOTA,    // 0, 1, 2... over all elements in order
  FILL_RANDOM,  // see cli/README.md
} fill_t;
// `stream` tells random arrays of one seed apart.
tn_status_t cli_fill(tn_device_t* device, const tn_type_t* type, fill_t fill, uint64_t seed,
                     uint64_t stream, tn_buffer_t** out_buffer);
tn_status_t cli_fill_array(tn_device_t* device, tn_dtype_t dtype, size_t rank, const int64_t* dims,
                           fill_t fill, uint64_t seed, uint64_t stream, tn_buffer_t** out_buffer);
// The same for a literal that has a fill in place of its elements.
tn_status_t cli_fill_literal(tn_device_t* device, const char* spec, const tn_type_t* expected,
                             fill_t fill, uint64_t seed, uint64_t stream, tn_buffer_t** out_buffer);

// --- outputs.c

typedef struct outputs {
  size_t count;
  tn_buffer_t** buffers;  // NULL: a token
  const char** files;     // NULL: printed
} outputs_t;
// Checks the --output options before anything runs, and lists their files; returns an exit code.
int cli_check_outputs(const arguments_t* arguments, const session_t* session,
                      const char*** out_files);
// Saves those outputs that have a file; prints the others.
tn_status_t cli_write_outputs(const session_t* session, const outputs_t* outputs);
// The same as JSON: an object with the member "outputs" that is still open.
tn_status_t cli_write_json_outputs(const session_t* session, const outputs_t* outputs);

// --- expect.c

// From the --expect options, before anything runs: a buffer for each output, in a list that has an
// entry for each; NULL: nothing is expected of it. Reports mistakes, of --tolerance too, and
// returns their exit code.
int cli_make_expected(const arguments_t* arguments, const session_t* session,
                      tn_buffer_t** out_expected);
// An error for the first output that differs from what is expected.
tn_status_t cli_compare_expected(const arguments_t* arguments, tn_buffer_t* const* outputs,
                                 tn_buffer_t* const* expected, size_t count);

// --- machine.c: what memory and multipliers give

// GB/s, read and written, of an operation on an array that no cache holds, on all threads; 0 if it
// cannot be measured.
double cli_measure_bandwidth(tn_device_t* device);
// GFLOP/s of products of square matrices of f32, the best of several sizes; 0 if there is none.
double cli_measure_products(tn_device_t* device);

// --- profile.c: the time of runs by instruction

// "custom_call @rms_norm"
const char* cli_event_name(const tn_run_event_t* event, char out[120]);

typedef struct profile profile_t;
tn_status_t cli_profile_create(profile_t** out_profile);
void cli_profile_destroy(profile_t* profile);
// A tn_run_observer_fn; `user` is the profile.
void cli_profile_observe(void* user, const tn_run_event_t* event);
// What is the most that could be reached; 0: not known.
typedef struct profile_limits {
  double gb_per_s, gflop_per_s;
} profile_limits_t;
// On the device; products only when the profile has any.
profile_limits_t cli_profile_limits(const profile_t* profile, tn_device_t* device);
// A table of what one of the runs takes on average, the longest first; or the elements of a list.
void cli_profile_print(profile_t* profile, size_t run_count, profile_limits_t limits, bool is_json);

// --- trace.c: a run as a file of trace events

typedef struct trace trace_t;
// Keeps `path`.
tn_status_t cli_trace_create(const char* path, trace_t** out_trace);
// A tn_run_observer_fn; `user` is the trace.
void cli_trace_observe(void* user, const tn_run_event_t* event);
// Adds the run as a whole, by cli_now_ms. Takes the trace.
tn_status_t cli_trace_close(trace_t* trace, double begin_ms, double end_ms);

#define TN_COMMAND(name, ...) int tn_command_##name(const arguments_t* arguments);
#include "commands.def"
#undef TN_COMMAND

#endif  // TENON_CLI_CLI_H_
