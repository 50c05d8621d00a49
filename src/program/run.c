// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Runs of a program: arguments in, new buffers out, now or in a stream's turn.
#include "program/run.h"

#include <inttypes.h>

#include "base/linux/clock.h"
#include "base/options.h"
#include "base/process.h"
#include "device/event.h"
#include "program/dynamic.h"

static tn_status_t check_options(const tn_program_t* program, const tn_run_options_t* options,
                                 size_t result_count) {
  if (options->timeout_ns < 0) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "tn_run_options_t: timeout_ns is %" PRId64 "; expected 0 or more",
                            options->timeout_ns);
  }
  size_t wanted = tn__run_result_count(program, options->nested_outputs);
  if (result_count != wanted) {
    return tn_status_create(TN_CODE_INVALID_ARGUMENT,
                            "the program gives %zu result%s; there is room for %zu", wanted,
                            wanted == 1 ? "" : "s", result_count);
  }
  if (options->stream && tn_stream_device(options->stream) != program->device) {
    tn_status_t status = tn_status_create(TN_CODE_INVALID_ARGUMENT,
                                          "the stream belongs to another device than the program");
    return tn__device_explain(status, tn_stream_device(options->stream), program->device);
  }
  return TN_OK;
}

// What a run that could not begin for want of memory needs. Takes and returns `status`.
__attribute__((returns_nonnull)) static tn_status_t explain_memory(const tn_program_t* program,
                                                                   tn_status_t status) {
  if (tn_status_code(status) != TN_CODE_RESOURCE_EXHAUSTED) return status;
  tn_memory_statistics_t memory = {.struct_size = sizeof memory};
  uint64_t result_byte_size = 0;
  for (size_t i = 0; i < tn_program_output_count(program); ++i) {
    const tn_type_t* type = tn_program_output_type(program, i);
    if (tn_type_kind(type) == TN_TYPE_TENSOR) result_byte_size += tn__type_byte_size(type);
  }
  tn_device_memory_statistics(program->device, &memory);
  return tn_status_note(status,
                        "the program needs %" PRIu64
                        " bytes for results and %zu for temporaries; "
                        "the device has %" PRIu64 " in use, and its limit is %" PRIu64,
                        result_byte_size, program->arena_byte_size, memory.in_use_byte_size,
                        memory.limit_byte_size);
}

// --- beginning and ending

static void destroy(tn_call_lifetime_t* lifetime) {
  tn_run_t* run = (tn_run_t*)(void*)lifetime;  // its first member
  tn_program_t* program = run->program;
  tn_device_t* device = program->device;
  tn__activation_give(run->activation);
  for (size_t i = 0; i < run->argument_count; ++i) {
    tn_run_argument_t* argument = &run->arguments[i];
    if (argument->is_held) tn__buffer_unhold(argument->buffer);
    if (argument->is_spent) device->vtable->free(device, argument->memory);
    tn_buffer_release(argument->buffer);
  }
  for (size_t i = 0; i < run->result_count; ++i) {
    const tn_run_result_t* result = &run->results[i];
    if (result->is_owned && !result->is_wrapped) device->vtable->free(device, result->memory);
    if (result->is_owned && result->is_wrapped) device->vtable->unwrap_host(device, result->memory);
    tn_buffer_release(run->results[i].buffer);
  }
  tn_cancellation_release(run->interrupt.cancellation);
  tn_event_release(run->ready);
  tn__free(program->allocator, run, run->byte_size);
  tn_program_release(program);
}

static tn_status_t create(tn_program_t* program, const tn_run_options_t* options,
                          const tn_interrupt_t* interrupt, tn_run_t** out_run) {
  tn_context_t* context = program->device->context;
  size_t argument_count = tn_program_input_count(program);
  size_t result_count = tn_program_output_count(program);
  size_t size = sizeof(tn_run_t) + argument_count * sizeof(tn_run_argument_t) +
                result_count * sizeof(tn_run_result_t);
  void* memory = NULL;
  *out_run = NULL;
  if (__builtin_add_overflow(size, options->user_data_count * sizeof(tn_user_data_t), &size)) {
    return tn__status_out_of_memory();
  }
  TN_RETURN_IF_ERROR(tn__allocate(program->allocator, size, &memory));
  tn_run_t* run = memory;
  run->byte_size = size;
  tn__lifetime_init(&run->lifetime, destroy);
  tn_status_t status = tn__activation_take(program, &run->activation);
  if (status) {
    tn__free(program->allocator, run, size);
    return status;
  }
  run->program = tn_program_retain(program);
  run->argument_count = argument_count;
  run->result_count = result_count;
  run->arguments = (tn_run_argument_t*)(run + 1);
  run->results = (tn_run_result_t*)(run->arguments + argument_count);
  run->user_data = (tn_user_data_t*)(run->results + result_count);
  if (options->user_data_count) {
    memcpy(run->user_data, options->user_data, options->user_data_count * sizeof(tn_user_data_t));
  }
  const bool is_interruptible = options->cancellation || options->timeout_ns > 0;
  run->interrupt = *interrupt;
  tn_cancellation_retain(interrupt->cancellation);
  run->activation->environment = (tn_call_environment_t){
      .run_id = options->run_id ? options->run_id : atomic_fetch_add(&context->next_run_id, 1),
      .timeout_ns = atomic_load(&context->call_timeout_ns),
      .device_ordinal = program->device->ordinal,
      .device = program->device->target->is_host ? program->device : NULL,
      .stream = options->stream,
      .user_data_count = options->user_data_count,
      .user_data = run->user_data,
      .interrupt = is_interruptible ? &run->interrupt : NULL,
      .lifetime = &run->lifetime,
  };
  run->activation->pool =
      tn__pool_for(program->device->pool, run->activation->environment.interrupt);
  const tn_run_observer_t* observer =
      (const tn_run_observer_t*)atomic_load_explicit(&context->run_observer, memory_order_acquire);
  if (options->observe) {
    run->observer = (tn_observer_t){.observe = options->observe, .user = options->observe_user};
  } else if (observer) {
    run->observer = (tn_observer_t){.observe = observer->observe, .user = observer->user};
  }
  run->activation->observer = run->observer.observe ? &run->observer : NULL;
  run->activation->random =
      (tn_kernel_random_t){.key = (uint64_t)run->activation->environment.run_id};
  *out_run = run;
  return TN_OK;
}

void tn_context_set_run_observer(tn_context_t* context, const tn_run_observer_t* observer) {
  atomic_store_explicit(&tn__context_of(context)->run_observer, (uintptr_t)observer,
                        memory_order_release);
}

static void end(tn_run_t* run) {
  tn__lifetime_release(&run->lifetime);
}

// --- the work

// Results that begin as an argument which was not donated, or was declined.
static tn_status_t copy_undonated(const tn_run_t* run) {
  tn_device_t* device = run->program->device;
  for (size_t i = 0; i < run->result_count; ++i) {
    uint32_t ancestor = run->program->ancestors[i];
    const tn_run_result_t* result = &run->results[i];
    if (ancestor == TN_PROGRAM_NONE || result->is_inherited || !result->buffer) continue;
    TN_RETURN_IF_ERROR(device->vtable->copy(device, NULL, result->memory,
                                            run->arguments[ancestor].memory,
                                            tn_buffer_byte_size(result->buffer)));
  }
  return TN_OK;
}

static tn_status_t execute(const tn_run_t* run) {
  TN_RETURN_IF_ERROR(copy_undonated(run));
  TN_RETURN_IF_ERROR(run->program->device->target->is_host
                         ? tn__activation_run(run->activation, 0)
                         : tn__activation_encode(run->activation, 0));
  if (run->has_output_memory) TN_RETURN_IF_ERROR(tn__run_copy_results(run));
  // The last operation may have taken too long.
  return tn__interrupt_check_done(run->activation->environment.interrupt);
}

static tn_event_t* ready_event(const tn_run_argument_t* argument) {
  return argument->buffer ? tn_buffer_ready_event(argument->buffer) : NULL;
}

// Whether the device makes the order between the event's work and the run: then the run waits for
// it in its turn, else the stream did before.
static bool is_ordered_by_device(const tn_run_t* run, const tn_event_t* event) {
  const tn_device_t* device = run->program->device;
  return device->vtable->queue_wait && tn__event_device(event) == device;
}

static bool copies_arguments(const tn_run_t* run) {
  for (size_t i = 0; i < run->result_count; ++i) {
    const bool is_copied = run->program->ancestors[i] != TN_PROGRAM_NONE &&
                           !run->results[i].is_inherited && run->results[i].buffer;
    if (is_copied) return true;
  }
  return false;
}

// Puts the run behind its arguments.
static tn_status_t follow_arguments(tn_run_t* run) {
  for (size_t i = 0; i < run->argument_count; ++i) {
    tn_event_t* ready = ready_event(&run->arguments[i]);
    if (tn__event_is_settled(ready) || !is_ordered_by_device(run, ready)) continue;
    TN_RETURN_IF_ERROR(tn__activation_wait(run->activation, ready, &run->arguments[i].is_launched));
  }
  return copies_arguments(run) ? tn__activation_finish(run->activation) : TN_OK;
}

// Their errors are the run's. Takes and returns `status`.
static tn_status_t check_arguments(const tn_run_t* run, tn_status_t status) {
  for (size_t i = 0; i < run->argument_count; ++i) {
    tn_failure_t* failure = NULL;
    if (!run->arguments[i].is_launched) continue;
    (void)tn__event_await(ready_event(&run->arguments[i]), INT64_MAX, &failure);
    if (!failure) continue;
    tn_status_release(status);
    return tn_status_retain(tn__failure_status(failure));
  }
  return status;
}

static tn_status_t execute_behind_arguments(tn_run_t* run) {
  tn_status_t status = follow_arguments(run);
  if (!status) {
    status = execute(run);
  } else {
    tn_status_release(tn__activation_finish(run->activation));
  }
  return check_arguments(run, status);
}

// In a stream's turn.
static tn_status_t work(void* user, tn_status_t poison) {
  tn_run_t* run = user;
  tn_status_t status = TN_OK;
  if (!poison) status = tn__interrupt_check(run->activation->environment.interrupt);
  if (!poison && !status) {
    run->activation->ready = run->ready;
    status = execute_behind_arguments(run);
    run->activation->ready = NULL;
  }
  end(run);
  return status;
}

static tn_status_t wait_for_arguments(const tn_run_t* run) {
  const tn_interrupt_t* interrupt = run->activation->environment.interrupt;
  for (size_t i = 0; i < run->argument_count; ++i) {
    tn_event_t* ready = ready_event(&run->arguments[i]);
    if (!ready) continue;
    TN_RETURN_IF_ERROR(tn__event_wait_until(ready, interrupt));
  }
  return TN_OK;
}

// `out_waits`: the run itself will wait for some.
static tn_status_t queue_waits(const tn_run_t* run, tn_stream_t* stream, bool* out_waits) {
  *out_waits = false;
  for (size_t i = 0; i < run->argument_count; ++i) {
    tn_event_t* ready = ready_event(&run->arguments[i]);
    if (tn__event_is_settled(ready)) continue;
    if (is_ordered_by_device(run, ready)) {
      *out_waits = true;
    } else {
      TN_RETURN_IF_ERROR(tn_stream_wait_event(stream, ready));
    }
  }
  return TN_OK;
}

// Takes the run. What fails before the work begins leaves donated arguments as they were; what
// fails later, those that no result is written to.
static tn_status_t run_now(tn_run_t* run, const tn_run_options_t* options,
                           tn_buffer_t** out_results) {
  tn_status_t status = wait_for_arguments(run);
  if (!status) status = tn__interrupt_check(run->activation->environment.interrupt);
  if (!status) status = tn__run_bind(run, options->donated, NULL);
  if (status) {
    status = explain_memory(run->program, status);
    tn__run_give_back(run);
  } else {
    status = execute(run);
    if (!status) status = tn__run_hand_out(run, options->nested_outputs, out_results);
    if (status) tn__run_give_back_unwritten(run);
  }
  end(run);
  return status;
}

static void release_results(size_t count, tn_buffer_t** results) {
  for (size_t i = 0; i < count; ++i) {
    tn_buffer_release(results[i]);
    results[i] = NULL;
  }
}

// The same for later. All that can fail comes before the work is enqueued but one thing: the event
// behind it; without that the results are given up, and the work is done for nothing.
static tn_status_t run_on_stream(tn_run_t* run, const tn_run_options_t* options,
                                 tn_buffer_t** out_results) {
  tn_status_t status = TN_OK;
  tn_event_t* ready = NULL;
  tn_stream_t* stream = options->stream;
  size_t result_count = tn__run_result_count(run->program, options->nested_outputs);
  bool waits = false;
  TN_DONE_IF_ERROR(tn_event_create(run->program->device, &ready));
  run->ready = tn_event_retain(ready);
  TN_DONE_IF_ERROR(queue_waits(run, stream, &waits));
  const unsigned flags = run->program->is_small && !waits ? TN_STREAM_MAY_RUN_INLINE : 0;
  TN_DONE_IF_ERROR(tn__run_bind(run, options->donated, ready));
  TN_DONE_IF_ERROR(tn__run_hand_out(run, options->nested_outputs, out_results));
  TN_DONE_IF_ERROR(tn__stream_enqueue(stream, work, run, flags));
  run = NULL;
  TN_DONE_IF_ERROR(tn_stream_record_event(stream, ready));
done:
  if (status) release_results(result_count, out_results);
  if (run) {
    status = explain_memory(run->program, status);
    tn__run_give_back(run);
    end(run);
  }
  tn_event_release(ready);
  return status;
}

// A program of known sizes.
static tn_status_t run_static(tn_program_t* program, const tn_run_options_t* options,
                              const tn_interrupt_t* interrupt, size_t input_count,
                              tn_buffer_t* const* inputs, tn_buffer_t** out_outputs) {
  tn_run_t* run = NULL;
  tn_status_t status = create(program, options, interrupt, &run);
  if (status) return explain_memory(program, status);
  if (options->output_memory) status = tn__run_take_output_memory(run, options);
  if (!status) status = tn__run_take_arguments(run, input_count, inputs);
  if (status) {
    end(run);
    return status;
  }
  return options->stream ? run_on_stream(run, options, out_outputs)
                         : run_now(run, options, out_outputs);
}

tn_status_t tn_program_run(tn_program_t* program, size_t input_count, tn_buffer_t* const* inputs,
                           const tn_run_options_t* options, size_t output_count,
                           tn_buffer_t** out_outputs) {
  tn_run_options_t copy;
  tn_program_t* variant = NULL;
  tn_status_t status;
  if (output_count) TN_RETURN_IF_NULL(out_outputs);
  for (size_t i = 0; i < output_count; ++i) out_outputs[i] = NULL;
  TN_RETURN_IF_NULL(program);
  TN_RETURN_IF_ERROR(tn__process_check());
  if (input_count) TN_RETURN_IF_NULL(inputs);
  options = TN_OPTIONS_READ(tn_run_options_t, options, &copy, &status);
  TN_RETURN_IF_ERROR(status);
  TN_RETURN_IF_ERROR(check_options(program, options, output_count));
  const tn_interrupt_t interrupt = {
      .cancellation = options->cancellation,
      .timeout_ns = options->timeout_ns,
      .deadline_ns = tn__clock_deadline_ns(options->timeout_ns ? options->timeout_ns : -1),
  };
  if (!program->dynamic) {
    return run_static(program, options, &interrupt, input_count, inputs, out_outputs);
  }
  TN_RETURN_IF_ERROR(tn__dynamic_specialise(program, input_count, inputs, &interrupt, &variant));
  status = run_static(variant, options, &interrupt, input_count, inputs, out_outputs);
  tn_program_release(variant);
  return status;
}
