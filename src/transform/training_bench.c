// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Training steps of small networks: how many a second, and the most memory that one takes. Prints a
// line of JSON for each network and way of running it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/detail/array_ops.h>
#include <tenon/detail/transform.h>

#include "base/linux/clock.h"

enum { PARAMETER_LIMIT = 24, STATE_LIMIT = 3 * PARAMETER_LIMIT, RANK_LIMIT = 4, RUN_COUNT = 5 };

typedef struct network network_t;
struct network {
  const char* name;
  tn_array_t* (*guess)(tn_scope_t* s, const network_t* network, tn_array_t* const* parameters);
  int64_t input_dims[RANK_LIMIT];  // the batch first
  size_t input_rank;
  int64_t class_count;
  size_t parameter_count;
  size_t ranks[PARAMETER_LIMIT];
  int64_t dims[PARAMETER_LIMIT][RANK_LIMIT];
  int step_count;
  tn_array_t *x, *labels;  // one row of probabilities for each sample
};

static void check(tn_status_t status) {
  if (!status) return;
  fprintf(stderr, "%s\n", tn_status_message(status));
  exit(1);
}

// --- networks

static tn_array_t* relu(tn_scope_t* s, tn_array_t* x) {
  return tn_array_maximum(s, x, tn_array_scalar(s, TN_DTYPE_F32, 0));
}

static tn_array_t* layer(tn_scope_t* s, tn_array_t* x, tn_array_t* const* parameters) {
  return tn_array_add(s, tn_array_matmul(s, x, parameters[0]), parameters[1]);
}

static tn_array_t* guess_dense(tn_scope_t* s, const network_t* network,
                               tn_array_t* const* parameters) {
  tn_array_t* x = network->x;
  for (size_t i = 0; i < network->parameter_count; i += 2) {
    x = layer(s, i ? relu(s, x) : x, parameters + i);
  }
  return x;
}

static tn_array_t* guess_convolutional(tn_scope_t* s, const network_t* network,
                                       tn_array_t* const* parameters) {
  static const int64_t strides[] = {2, 2}, padding[] = {1, 1}, ones[] = {1, 1};
  tn_array_t* x = network->x;
  for (size_t i = 0; i + 2 < network->parameter_count; i += 2) {
    x = tn_array_conv2d(s, x, parameters[i], strides, padding, ones, 1);
    x = relu(s, tn_array_add(s, x, parameters[i + 1]));
  }
  return layer(s, tn_array_flatten(s, x, 1, -1), parameters + network->parameter_count - 2);
}

// The cross entropy.
static tn_status_t loss(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* inputs,
                        size_t output_count, tn_array_t** out) {
  static const int64_t last = -1;
  const network_t* network = user;
  (void)input_count, (void)output_count;
  tn_array_t* logits = network->guess(s, network, inputs);
  tn_array_t* right =
      tn_array_sum(s, tn_array_multiply(s, logits, network->labels), 1, &last, false);
  tn_array_t* each = tn_array_subtract(s, tn_array_logsumexp(s, logits, 1, &last, false), right);
  out[0] = tn_array_mean(s, each, 0, NULL, false);
  return TN_OK;
}

// --- a step: gradients, then Adam

// decay * mean + (1 - decay) * value
static tn_array_t* follow(tn_scope_t* s, double decay, tn_array_t* mean, tn_array_t* value) {
  tn_array_t* old = tn_array_multiply(s, tn_array_scalar(s, TN_DTYPE_F32, decay), mean);
  tn_array_t* new = tn_array_multiply(s, tn_array_scalar(s, TN_DTYPE_F32, 1 - decay), value);
  return tn_array_add(s, old, new);
}

// The state is the parameters, then for each the mean of its gradients, and of their squares. One
// output more: the loss.
static tn_status_t step(void* user, tn_scope_t* s, size_t input_count, tn_array_t* const* state,
                        size_t output_count, tn_array_t** out) {
  network_t* network = user;
  const size_t count = network->parameter_count;
  const tn_closure_t function = {loss, network};
  tn_array_t* gradients[PARAMETER_LIMIT];
  size_t argnums[PARAMETER_LIMIT] = {0};
  (void)input_count, (void)output_count;
  for (size_t i = 0; i < count; ++i) argnums[i] = i;
  tn_status_t status =
      tn_value_and_grad(s, &function, count, state, count, argnums, 1, &out[3 * count], gradients);
  if (status) return status;
  tn_array_t* rate = tn_array_scalar(s, TN_DTYPE_F32, 1e-3);
  tn_array_t* epsilon = tn_array_scalar(s, TN_DTYPE_F32, 1e-8);
  for (size_t i = 0; i < count; ++i) {
    tn_array_t* mean = follow(s, 0.9, state[count + i], gradients[i]);
    tn_array_t* square = tn_array_multiply(s, gradients[i], gradients[i]);
    tn_array_t* variance = follow(s, 0.999, state[2 * count + i], square);
    tn_array_t* scale = tn_array_add(s, tn_array_sqrt(s, variance), epsilon);
    tn_array_t* change = tn_array_divide(s, tn_array_multiply(s, rate, mean), scale);
    out[i] = tn_array_subtract(s, state[i], change);
    out[count + i] = mean;
    out[2 * count + i] = variance;
  }
  return TN_OK;
}

static double take_step(tn_scope_t* s, network_t* network, tn_compiled_t* compiled,
                        tn_array_t** state) {
  const size_t count = 3 * network->parameter_count;
  tn_array_t* next[STATE_LIMIT + 1];
  double value = 0;
  check(compiled ? tn_compiled_call(compiled, s, count, state, count + 1, next)
                 : step(network, s, count, state, count + 1, next));
  for (size_t i = 0; i <= count; ++i) tn_array_retain(next[i]);
  for (size_t i = 0; i < count; ++i) tn_array_release(state[i]);
  tn_scope_clear(s);
  check(tn_array_eval(count + 1, next));
  check(tn_array_item(next[count], &value));
  tn_array_release(next[count]);
  for (size_t i = 0; i < count; ++i) state[i] = next[i];
  return value;
}

// --- measuring

// Numbers that look like noise, between -scale and scale.
static tn_array_t* noise(tn_scope_t* s, size_t rank, const int64_t* dims, double scale) {
  static uint32_t seed = 1;
  size_t size = 1;
  for (size_t i = 0; i < rank; ++i) size *= (size_t)dims[i];
  float* data = malloc(size * sizeof *data);
  if (!data) exit(1);
  for (size_t i = 0; i < size; ++i) {
    seed = seed * 1664525 + 1013904223;
    data[i] = (float)(scale * ((double)(seed >> 8) / (1 << 23) - 1));
  }
  tn_array_t* array = tn_array_from_host(s, TN_DTYPE_F32, rank, dims, data, size * sizeof *data);
  free(data);
  return tn_array_retain(array);
}

static void make_labels(tn_scope_t* s, network_t* network) {
  const int64_t dims[] = {network->input_dims[0], network->class_count};
  const size_t size = (size_t)(dims[0] * dims[1]);
  float* data = calloc(size, sizeof *data);
  if (!data) exit(1);
  for (int64_t i = 0; i < dims[0]; ++i) data[i * dims[1] + i % dims[1]] = 1;
  network->labels =
      tn_array_retain(tn_array_from_host(s, TN_DTYPE_F32, 2, dims, data, size * sizeof *data));
  free(data);
}

static uint64_t memory_in_use(tn_scope_t* s, bool is_peak) {
  tn_memory_statistics_t statistics = {.struct_size = sizeof statistics};
  tn_device_memory_statistics(tn_scope_device(s), &statistics);
  return is_peak ? statistics.peak_byte_size : statistics.in_use_byte_size;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void bench(network_t* network, bool is_compiled) {
  tn_device_t* device = NULL;
  tn_scope_t* s = NULL;
  tn_compiled_t* compiled = NULL;
  tn_array_t* state[STATE_LIMIT];
  double rates[RUN_COUNT], first = 0, last = 0;
  const size_t count = network->parameter_count;
  const tn_closure_t function = {step, network};
  check(tn_device_create("cpu", NULL, &device));
  check(tn_scope_create(device, &s));
  network->x = noise(s, network->input_rank, network->input_dims, 1);
  make_labels(s, network);
  for (size_t i = 0; i < count; ++i) {
    state[i] = noise(s, network->ranks[i], network->dims[i], network->ranks[i] > 1 ? 0.1 : 0);
    for (size_t k = 1; k < 3; ++k) {
      state[k * count + i] =
          tn_array_retain(tn_array_zeros(s, TN_DTYPE_F32, network->ranks[i], network->dims[i]));
    }
  }
  check(tn_array_eval(3 * count, state));
  tn_scope_clear(s);
  if (is_compiled) check(tn_closure_compile(s, &function, NULL, &compiled));
  tn_device_reset_peak(device);
  first = take_step(s, network, compiled, state);
  const uint64_t first_peak = memory_in_use(s, true);
  for (int i = 0; i < 5; ++i) take_step(s, network, compiled, state);
  tn_device_reset_peak(device);
  const uint64_t held = memory_in_use(s, false);
  for (int run = 0; run < RUN_COUNT; ++run) {
    const int64_t start = tn__clock_ns();
    for (int i = 0; i < network->step_count; ++i) last = take_step(s, network, compiled, state);
    rates[run] = network->step_count / ((double)(tn__clock_ns() - start) * 1e-9);
  }
  qsort(rates, RUN_COUNT, sizeof *rates, compare);
  printf(
      "{\"network\": \"%s\", \"how\": \"%s\", \"steps_per_second\": %.1f, \"peak\": %llu, "
      "\"first_peak\": %llu, \"held\": %llu, \"grown\": %lld, \"first_loss\": %.5f, \"last_loss\": "
      "%.5f}\n",
      network->name, is_compiled ? "compiled" : "lazy", rates[RUN_COUNT / 2],
      (unsigned long long)memory_in_use(s, true), (unsigned long long)first_peak,
      (unsigned long long)held, (long long)(memory_in_use(s, false) - held), first, last);
  for (size_t i = 0; i < 3 * count; ++i) tn_array_release(state[i]);
  tn_array_release(network->x);
  tn_array_release(network->labels);
  tn_compiled_release(compiled);
  tn_scope_destroy(s);
  tn_device_release(device);
}

int main(int argc, char** argv) {
  static network_t dense = {.name = "dense",
                            .guess = guess_dense,
                            .input_dims = {256, 784},
                            .input_rank = 2,
                            .class_count = 10,
                            .parameter_count = 6,
                            .ranks = {2, 1, 2, 1, 2, 1},
                            .dims = {{784, 512}, {512}, {512, 512}, {512}, {512, 10}, {10}},
                            .step_count = 20};
  static network_t convolutional = {
      .name = "convolutional",
      .guess = guess_convolutional,
      .input_dims = {64, 28, 28, 1},
      .input_rank = 4,
      .class_count = 10,
      .parameter_count = 6,
      .ranks = {4, 1, 4, 1, 2, 1},
      .dims = {{16, 3, 3, 1}, {16}, {32, 3, 3, 16}, {32}, {7 * 7 * 32, 10}, {10}},
      .step_count = 20};
  static network_t small = {.name = "small",
                            .guess = guess_dense,
                            .input_dims = {16, 16},
                            .input_rank = 2,
                            .class_count = 16,
                            .parameter_count = 20,
                            .step_count = 200};
  for (size_t i = 0; i < small.parameter_count; ++i) {
    small.ranks[i] = i % 2 ? 1 : 2;
    small.dims[i][0] = small.dims[i][1] = 16;
  }
  network_t* networks[] = {&dense, &convolutional, &small};
  for (size_t i = 0; i < sizeof networks / sizeof *networks; ++i) {
    if (argc > 1 && strcmp(argv[1], networks[i]->name) != 0) continue;
    bench(networks[i], false);
    bench(networks[i], true);
  }
  return 0;
}
