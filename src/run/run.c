// Runs of a program: arguments in, new buffers out, now or in a stream's turn.
#include "device/buffer.h"
#include "run/activation.h"

// One run under way. It holds its arguments, and owns its results' memory until the buffers do.
typedef struct argument {
  tn_buffer_t* buffer;  // retained; NULL for tokens
  bool is_held;         // else its memory was taken
  void* data;
} argument_t;

typedef struct result {
  tn_memory_t memory;
  bool is_owned;        // the memory has to be freed
  bool is_inherited;    // it is a donated argument's
  tn_buffer_t* buffer;  // retained while the work is not done
} result_t;

typedef struct run {
  tn_program_t* program;  // retained
  tn_activation_t* activation;
  size_t argument_count, result_count;
  argument_t* arguments;
  result_t* results;
  tn_memory_t* spent;  // donated memory that no result took over; freed at the end
  size_t spent_count;
  size_t block_size;  // of this piece of memory
} run_t;

// --- checks

static tn_status_t check_argument(const tn_program_t* program, size_t index,
                                  const tn_buffer_t* buffer) {
  const tn_type_t* type = tn_program_argument_type(program, index);
  const char* name = tn_program_argument_name(program, index);
  const char* space = *name ? " " : "";
  if (type->kind == TN_TYPE_TOKEN) return TN_OK;
  if (!buffer) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "argument %zu%s%s is NULL; expected %s",
                            index, space, name, TN_TYPE_TEXT(type));
  }
  if (!tn_type_equal(tn_buffer_type(buffer), type)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "argument %zu%s%s is %s; expected %s", index,
                            space, name, TN_TYPE_TEXT(tn_buffer_type(buffer)), TN_TYPE_TEXT(type));
  }
  if (tn_buffer_device(buffer) != program->device) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "argument %zu%s%s lies on the device %s, which is not the one that the "
                            "program was compiled for",
                            index, space, name, tn_device_name(tn_buffer_device(buffer)));
  }
  return TN_OK;
}

static tn_status_t check(const tn_program_t* program, const tn_run_options_t* options,
                         size_t argument_count, tn_buffer_t* const* arguments,
                         size_t result_count) {
  if (options->struct_size < sizeof *options) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "tn_run_options_t: struct_size is %zu; expected at least %zu",
                            options->struct_size, sizeof *options);
  }
  if (argument_count != tn_program_argument_count(program)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT, "the program takes %zu arguments; found %zu",
                            tn_program_argument_count(program), argument_count);
  }
  if (result_count != tn_program_result_count(program)) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the program gives %zu results; there is room for %zu",
                            tn_program_result_count(program), result_count);
  }
  if (options->stream && tn_stream_device(options->stream) != program->device) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the stream belongs to another device than the program");
  }
  for (size_t i = 0; i < argument_count; ++i) {
    TN_RETURN_IF_ERROR(check_argument(program, i, arguments[i]));
  }
  return TN_OK;
}

// --- preparing and ending

static tn_status_t create(tn_program_t* program, size_t argument_count, size_t result_count,
                          run_t** out_run) {
  size_t size = sizeof(run_t) + argument_count * (sizeof(argument_t) + sizeof(tn_memory_t)) +
                result_count * sizeof(result_t);
  void* memory = NULL;
  *out_run = NULL;
  TN_RETURN_IF_ERROR(tn__allocate(program->allocator, size, &memory));
  run_t* run = memory;
  run->block_size = size;
  run->program = tn_program_retain(program);
  run->argument_count = argument_count;
  run->result_count = result_count;
  run->arguments = (argument_t*)(run + 1);
  run->results = (result_t*)(run->arguments + argument_count);
  run->spent = (tn_memory_t*)(run->results + result_count);
  *out_run = run;
  return TN_OK;
}

static void destroy(run_t* run) {
  tn_program_t* program = run->program;
  tn_device_t* device = program->device;
  if (run->activation) tn__activation_give(run->activation);
  for (size_t i = 0; i < run->argument_count; ++i) {
    if (run->arguments[i].is_held) tn__buffer_unhold(run->arguments[i].buffer);
    tn_buffer_release(run->arguments[i].buffer);
  }
  for (size_t i = 0; i < run->result_count; ++i) {
    if (run->results[i].is_owned) device->vtable->free(device, run->results[i].memory);
    tn_buffer_release(run->results[i].buffer);
  }
  for (size_t i = 0; i < run->spent_count; ++i) device->vtable->free(device, run->spent[i]);
  tn__free(program->allocator, run, run->block_size);
  tn_program_release(program);
}

static void* host_pointer(const run_t* run, tn_memory_t memory) {
  return run->program->device->vtable->host_pointer(run->program->device, memory);
}

// The result leaf that may begin in the storage of argument `index`; NULL: none.
static const tn_plan_buffer_t* heir_of(const tn_plan_t* plan, size_t index) {
  for (size_t i = 0; i < plan->buffer_count; ++i) {
    const tn_plan_buffer_t* buffer = &plan->buffers[i];
    if (buffer->kind == TN_PLAN_RESULT && buffer->parameter == (int64_t)index) return buffer;
  }
  return NULL;
}

// Takes or holds an argument. Memory that was taken goes to its heir, or is freed after the run.
static tn_status_t bind_argument(run_t* run, size_t index, tn_buffer_t* buffer, bool is_donated) {
  static const char nothing[1] = {0};  // what tokens point to
  const tn_program_unit_t* unit = &run->program->units[0];
  argument_t* argument = &run->arguments[index];
  tn_memory_t memory = {NULL, 0};
  if (!buffer) {
    tn__activation_bind(run->activation, &unit->parameters[index], nothing);
    return TN_OK;
  }
  argument->buffer = tn_buffer_retain(buffer);
  if (is_donated && tn__buffer_take_memory(buffer, &memory)) {
    const tn_plan_buffer_t* heir = heir_of(unit->plan, index);
    if (heir) {
      run->results[heir->index] =
          (result_t){.memory = memory, .is_owned = true, .is_inherited = true};
    } else {
      run->spent[run->spent_count++] = memory;
    }
  } else {
    TN_RETURN_IF_ERROR(tn__buffer_hold(buffer, &memory));
    argument->is_held = true;
  }
  argument->data = host_pointer(run, memory);
  tn__activation_bind(run->activation, &unit->parameters[index], argument->data);
  return TN_OK;
}

static tn_status_t bind(run_t* run, const tn_run_options_t* options,
                        tn_buffer_t* const* arguments) {
  const tn_program_unit_t* unit = &run->program->units[0];
  tn_device_t* device = run->program->device;
  // First what is only read: a buffer that is also donated under another number is then declined,
  // not lost.
  for (int donated = 0; donated <= 1; ++donated) {
    for (size_t i = 0; i < run->argument_count; ++i) {
      bool is_donated = options->donated && options->donated[i];
      if (is_donated == (donated == 1)) {
        TN_RETURN_IF_ERROR(bind_argument(run, i, arguments[i], is_donated));
      }
    }
  }
  for (size_t i = 0; i < run->result_count; ++i) {
    result_t* result = &run->results[i];
    if (!result->is_owned) {
      size_t byte_length = tn__type_byte_length(unit->plan->result_leaves[i]);
      TN_RETURN_IF_ERROR(device->vtable->allocate(device, byte_length, 0, &result->memory));
      result->is_owned = true;
    }
    tn__activation_bind(run->activation, &unit->results[i], host_pointer(run, result->memory));
  }
  return TN_OK;
}

// --- the run itself

// Results that begin as an argument which was not donated, or was declined.
static void copy_undonated(const run_t* run) {
  const tn_plan_t* plan = run->program->units[0].plan;
  for (size_t i = 0; i < plan->buffer_count; ++i) {
    const tn_plan_buffer_t* buffer = &plan->buffers[i];
    if (buffer->kind != TN_PLAN_RESULT || buffer->parameter == TN_PLAN_NONE) continue;
    const result_t* result = &run->results[buffer->index];
    if (result->is_inherited || buffer->byte_length == 0) continue;
    memcpy(host_pointer(run, result->memory), run->arguments[buffer->parameter].data,
           buffer->byte_length);
  }
}

static tn_status_t execute(const run_t* run) {
  copy_undonated(run);
  return tn__activation_run(run->activation, 0);
}

// In a stream's turn.
static tn_status_t work(void* user, tn_status_t poison) {
  run_t* run = user;
  tn_status_t status = poison ? TN_OK : execute(run);
  destroy(run);
  return status;
}

static tn_event_t* ready_event(const argument_t* argument) {
  return argument->buffer ? tn_buffer_ready_event(argument->buffer) : NULL;
}

static tn_status_t wait_for_arguments(const run_t* run) {
  for (size_t i = 0; i < run->argument_count; ++i) {
    tn_event_t* ready = ready_event(&run->arguments[i]);
    if (ready) TN_RETURN_IF_ERROR(tn_event_wait(ready, -1));
  }
  return TN_OK;
}

static tn_status_t queue_waits(const run_t* run, tn_stream_t* stream) {
  for (size_t i = 0; i < run->argument_count; ++i) {
    tn_event_t* ready = ready_event(&run->arguments[i]);
    if (ready && !tn_event_is_complete(ready)) {
      TN_RETURN_IF_ERROR(tn_stream_wait_event(stream, ready));
    }
  }
  return TN_OK;
}

// Hands the results' memory to buffers. Tokens are NULL.
static tn_status_t make_buffers(run_t* run, tn_event_t* ready, tn_buffer_t** out_results) {
  const tn_plan_t* plan = run->program->units[0].plan;
  for (size_t i = 0; i < run->result_count; ++i) {
    const tn_type_t* type = plan->result_leaves[i];
    result_t* result = &run->results[i];
    if (type->kind == TN_TYPE_TOKEN) continue;
    result->is_owned = false;
    TN_RETURN_IF_ERROR(tn__buffer_create_over(run->program->device, type->dtype, type->rank,
                                              type->dims, result->memory, ready, &out_results[i]));
  }
  return TN_OK;
}

static void release_results(size_t count, tn_buffer_t** results) {
  for (size_t i = 0; i < count; ++i) {
    tn_buffer_release(results[i]);
    results[i] = NULL;
  }
}

static tn_status_t run_now(run_t* run, tn_buffer_t** out_results) {
  size_t result_count = run->result_count;
  tn_status_t status = wait_for_arguments(run);
  if (!status) status = execute(run);
  if (!status) status = make_buffers(run, NULL, out_results);
  destroy(run);
  if (status) release_results(result_count, out_results);
  return status;
}

// The buffers exist before the work does, so that nothing can fail once it is enqueued; the run
// keeps them until it is over, whatever the caller does with his.
static tn_status_t run_on_stream(run_t* run, tn_stream_t* stream, tn_buffer_t** out_results) {
  tn_status_t status = TN_OK;
  tn_event_t* ready = NULL;
  size_t result_count = run->result_count;
  unsigned flags = run->program->is_small ? TN_STREAM_MAY_RUN_INLINE : 0;
  TN_DONE_IF_ERROR(tn_event_create(run->program->device, &ready));
  TN_DONE_IF_ERROR(queue_waits(run, stream));
  TN_DONE_IF_ERROR(make_buffers(run, ready, out_results));
  for (size_t i = 0; i < result_count; ++i) {
    run->results[i].buffer = tn_buffer_retain(out_results[i]);
  }
  TN_DONE_IF_ERROR(tn__stream_enqueue(stream, work, run, flags));
  run = NULL;
  TN_DONE_IF_ERROR(tn_stream_record_event(stream, ready));
done:
  if (run) destroy(run);
  if (status) release_results(result_count, out_results);
  tn_event_release(ready);
  return status;
}

tn_status_t tn_program_run(tn_program_t* program, const tn_run_options_t* options,
                           size_t argument_count, tn_buffer_t* const* arguments,
                           size_t result_count, tn_buffer_t** out_results) {
  static const tn_run_options_t defaults = {.struct_size = sizeof defaults};
  static atomic_llong next_run_id = 1;
  run_t* run = NULL;
  if (!options) options = &defaults;
  for (size_t i = 0; i < result_count; ++i) out_results[i] = NULL;
  TN_RETURN_IF_ERROR(check(program, options, argument_count, arguments, result_count));
  TN_RETURN_IF_ERROR(create(program, argument_count, result_count, &run));
  tn_status_t status = tn__activation_take(program, &run->activation);
  if (!status) {
    run->activation->environment = (tn_call_environment_t){
        .run_id = options->run_id ? options->run_id : atomic_fetch_add(&next_run_id, 1),
        .device = program->device,
        .stream = options->stream,
        .user_data_count = options->user_data_count,
        .user_data = options->user_data,
    };
    status = bind(run, options, arguments);
  }
  if (status) {
    destroy(run);
    return status;
  }
  return options->stream ? run_on_stream(run, options->stream, out_results)
                         : run_now(run, out_results);
}
