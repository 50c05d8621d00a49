// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Operations with an eval: what it sees of lazy arrays, and what it may ask for.
#include <stdlib.h>
#include <tenon/detail/call.h>
#include <tenon/detail/eval.h>
#include <tenon/detail/program.h>
#include <tenon/detail/transform.h>

#include "base/testing_allocator.h"
#include "lazy/testing_lazy.h"

// The sum along the last axis, of operands of any layout.
#define LAST_SUMS(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)           \
  ATTR(scale, float, 1.0f)        \
  RET(y, f32, any_rank)

static int64_t seen_strides[8];  // in the eval that ran last
static uint32_t seen_flags;

typedef struct sums_work {
  const tn_strided_t *x, *y;
  float scale;
} sums_work_t;

static tn_status_t sum_rows(void* user, int64_t begin, int64_t end) {
  const sums_work_t* work = user;
  const tn_strided_t* x = work->x;
  const size_t outer = x->rank - 1;
  for (int64_t i = begin; i < end; ++i) {
    const float* row = (const float*)x->data + tn_elem_to_loc(i, outer, x->dims, x->strides);
    float sum = 0;
    for (int64_t j = 0; j < x->dims[outer]; ++j) sum += row[j * x->strides[outer]];
    ((float*)work->y->data)[i] = work->scale * sum;
  }
  return TN_OK;
}

static tn_status_t sum_work(const tn_eval_call_t* eval, void* payload) {
  const sums_work_t* work = payload;
  return tn_eval_parallel_for(eval, work->y->element_count, 16, sum_rows, payload);
}

TN_EVAL_OP(last_sums, LAST_SUMS, "y = scale * sum of x along the last axis") {
  const tn_strided_t *x = eval->operands[0], *y = eval->outputs[0];
  if (x->rank == 0) return TN_EVAL_ERROR(eval, INVALID_ARGUMENT, "x is a scalar");
  for (size_t i = 0; i < x->rank && i < 8; ++i) seen_strides[i] = x->strides[i];
  seen_flags = x->flags;
  sums_work_t work = {x, y, call->scale};
  TN_TRY(tn_eval_set_input_array(eval, x));
  TN_TRY(tn_eval_set_output_array(eval, y));
  TN_TRY(tn_eval_dispatch(eval, sum_work, &work, sizeof work));
  work.scale = -1;  // the payload was copied
  return TN_OK;
}

static tn_status_t infer_last_sums(const tn_rule_t* rule, int64_t (*dims)[TN_MAX_RANK],
                                   tn_array_type_t* types) {
  const size_t rank = rule->api->rank(rule->operands[0]);
  types[0] = (tn_array_type_t){TN_DTYPE_F32, rank ? rank - 1 : 0, dims[0]};
  for (size_t i = 0; i + 1 < rank; ++i) dims[0][i] = rule->api->dims(rule->operands[0])[i];
  return TN_OK;
}

// One axis more in front is a batch.
static tn_status_t vmap_last_sums(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  tn_array_t* x = rule->operands[0];
  const size_t rank = rule->api->rank(x);
  int64_t axes[TN_MAX_RANK] = {call->axes[0]};
  for (size_t i = 0, next = 1; i < rank; ++i) {
    if ((int64_t)i != call->axes[0]) axes[next++] = (int64_t)i;
  }
  x = rule->api->transpose(rule->scope, x, axes);
  call->out_results[0] = tn_rule_rebind(rule, &x);
  call->out_axes[0] = 0;
  return TN_OK;
}

// Each row's cotangent, all along it.
static tn_status_t vjp_last_sums(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  const tn_rule_api_t* api = rule->api;
  tn_array_t* x = rule->operands[0];
  tn_array_t* t = call->cotangents[0];
  int64_t dims[TN_MAX_RANK];
  const size_t rank = api->rank(x);
  for (size_t i = 0; i < rank; ++i) dims[i] = i + 1 < rank ? api->dims(x)[i] : 1;
  t = api->broadcast_to(rule->scope, api->reshape(rule->scope, t, rank, dims), rank, api->dims(x));
  call->out_cotangents[0] =
      tn_rule_multiply(rule, tn_rule_constant(rule, t, tn_rule_attribute(rule, "scale")), t);
  return TN_OK;
}

TN_DEFINE(last_sums, .eval_cpu = last_sums_eval, .infer = infer_last_sums, .vmap = vmap_last_sums,
          .vjp = vjp_last_sums)

// Copies of x, each with memory that it gets in another way.
typedef enum place_mode {
  PLACE_ALLOCATE,
  PLACE_SHARE,       // back to front
  PLACE_SHARE_WIDE,  // more than there is
  PLACE_SET_DATA,
  PLACE_TWICE,
  PLACE_NOTHING,
  PLACE_TOO_LATE,
  PLACE_NO_OUTPUT,
  PLACE_NO_OPERAND,
  PLACE_DONATE_ANYHOW,
} place_mode_t;

#define PLACE(ARG, ATTR, RET) \
  ARG(x, f32, rank(1))        \
  ATTR(mode, int32_t, 0)      \
  RET(y, f32, like(x))

static void copy_array(const tn_strided_t* to, const tn_strided_t* from) {
  tn_loop_nest_t nest;
  tn_loop_nest_init(&nest, to->rank, to->dims, 2, (const int64_t*[]){to->strides, from->strides});
  TN_FOR_CHUNKS(&nest, piece, 0, nest.piece_count) {
    float* y = (float*)to->data + piece.offsets[0];
    const float* x = (const float*)from->data + piece.offsets[1];
    // Both have memory. NOLINTNEXTLINE(clang-analyzer-core.NullDereference)
    for (int64_t i = 0; i < piece.count; ++i) y[i * nest.strides[0]] = x[i * nest.strides[1]];
  }
}

// Whether it is an error, which is dropped.
static bool is_refused(const tn_eval_call_t* eval, tn_status_t status) {
  tn__drop_error(eval->frame->api, status);
  return status != TN_OK;
}

static int released;
static void release_data(void* user) {
  ++released;
  free(user);
}

TN_EVAL_OP(place, PLACE, "y = x") {
  const tn_strided_t *x = eval->operands[0], *y = eval->outputs[0];
  const int64_t n = x->element_count, back = -x->strides[0], step = 2;
  if (y->data) return TN_EVAL_ERROR(eval, INTERNAL, "the output has memory from the start");
  switch (call->mode) {
    case PLACE_ALLOCATE:
      TN_TRY(tn_eval_allocate(eval, 0));
      copy_array(y, x);
      return TN_OK;
    case PLACE_SHARE: return tn_eval_share(eval, 0, 0, (n - 1) * x->strides[0], &back);
    case PLACE_SHARE_WIDE: return tn_eval_share(eval, 0, 0, 0, &step);
    case PLACE_SET_DATA:
    case PLACE_TWICE: {
      float* data = malloc(2 * (size_t)n * sizeof *data + 1);
      if (!data) return TN_EVAL_ERROR(eval, RESOURCE_EXHAUSTED, "out of memory");
      TN_TRY(tn_eval_set_data(eval, 0, data, &step, release_data, data));
      copy_array(y, x);
      return call->mode == PLACE_TWICE ? tn_eval_set_data(eval, 0, NULL, NULL, NULL, NULL) : TN_OK;
    }
    case PLACE_TOO_LATE: return tn_eval_set_output_array(eval, y);
    case PLACE_NO_OUTPUT: return tn_eval_allocate(eval, 1);
    case PLACE_NO_OPERAND: return tn_eval_share(eval, 0, 1, 0, &step);
    case PLACE_DONATE_ANYHOW: return tn_eval_donate(eval, 0, 0);
    default: return TN_OK;
  }
}
TN_DEFINE(place, .flags = TN_OP_ALLOCATES, .eval_cpu = place_eval)

// x + y, in the memory of x if that can be had.
#define ADD_TO(ARG, ATTR, RET) \
  ARG(x, f32, any_rank)        \
  ARG(y, f32, shape_of(x))     \
  RET(z, f32, like(x))

static int donation_count;

static tn_status_t add_arrays(const tn_strided_t* z, const tn_strided_t* x, const tn_strided_t* y) {
  tn_loop_nest_t nest;
  tn_loop_nest_init(&nest, z->rank, z->dims, 3,
                    (const int64_t*[]){z->strides, x->strides, y->strides});
  TN_FOR_CHUNKS(&nest, piece, 0, nest.piece_count) {
    float* to = (float*)z->data + piece.offsets[0];
    const float* a = (const float*)x->data + piece.offsets[1];
    const float* b = (const float*)y->data + piece.offsets[2];
    for (int64_t i = 0; i < piece.count; ++i) {
      to[i * nest.strides[0]] = a[i * nest.strides[1]] + b[i * nest.strides[2]];
    }
  }
  return TN_OK;
}

TN_EVAL_OP(add_to, ADD_TO, "z = x + y") {
  if (eval->operands[0]->flags & TN_DONATABLE) {
    ++donation_count;
    TN_TRY(tn_eval_donate(eval, 0, 0));
    if (eval->outputs[0]->data != eval->operands[0]->data)
      return TN_EVAL_ERROR(eval, INTERNAL, "what was donated lies elsewhere");
    const int64_t none[TN_MAX_RANK] = {0};
    if (!is_refused(eval, tn_eval_donate(eval, 0, 0)) ||
        !is_refused(eval, tn_eval_share(eval, 0, 0, 0, none)))
      return TN_EVAL_ERROR(eval, INTERNAL, "memory is donated twice");
  } else {
    TN_TRY(tn_eval_allocate(eval, 0));
  }
  return add_arrays(eval->outputs[0], eval->operands[0], eval->operands[1]);
}
TN_DEFINE(add_to, .flags = TN_OP_ALLOCATES, .eval_cpu = add_to_eval, .donates = 1)

// The same where the output is there from the start.
TN_EVAL_OP(add_onto, ADD_TO, "z = x + y") {
  donation_count += eval->outputs[0]->data == eval->operands[0]->data;
  return add_arrays(eval->outputs[0], eval->operands[0], eval->operands[1]);
}
TN_DEFINE(add_onto, .eval_cpu = add_onto_eval, .donates = 1)

// Two steps by way of a temporary, and ways to go wrong in them.
#define TWO_STEPS(ARG, ATTR, RET)     \
  ARG(x, f32, rank(1))                \
  ATTR(fails_at, int64_t, -1)         \
  ATTR(temporary_length, int64_t, -1) \
  RET(y, f32, like(x))                \
  RET(z, f32, like(x))

typedef struct two_steps {
  const tn_strided_t* x;
  tn_strided_t* squares;
  const tn_eval_call_t* eval;
  int64_t fails_at;
} two_steps_t;

static int second_steps;

static tn_status_t square_part(void* user, int64_t begin, int64_t end) {
  const two_steps_t* work = user;
  const float* x = work->x->data;
  float* squares = work->squares->data;
  for (int64_t i = begin; i < end; ++i) {
    if (work->fails_at >= 0 && i >= work->fails_at)
      return TN_EVAL_ERROR(work->eval, OUT_OF_RANGE, "element %d is out of range", (int)i);
    squares[i] = x[i * work->x->strides[0]] * x[i * work->x->strides[0]];
  }
  return TN_OK;
}

static tn_status_t second_step(const tn_eval_call_t* eval, void* payload) {
  const two_steps_t* work = payload;
  const float* squares = work->squares->data;
  float *y = eval->outputs[0]->data, *z = eval->outputs[1]->data;
  ++second_steps;
  for (int64_t i = 0; i < work->squares->element_count; ++i) {
    y[i] = squares[i] + 1;
    z[i] = squares[i] - 1;
  }
  return TN_OK;
}

static tn_status_t first_step(const tn_eval_call_t* eval, void* payload) {
  two_steps_t* work = payload;
  // Not known before: the second step is dispatched by the first.
  TN_TRY(tn_eval_parallel_for(eval, work->x->element_count, 3, square_part, work));
  return tn_eval_dispatch(eval, second_step, work, sizeof *work);
}

TN_EVAL_OP(two_steps, TWO_STEPS, "y = x * x + 1, z = x * x - 1") {
  two_steps_t work = {.x = eval->operands[0], .eval = eval, .fails_at = call->fails_at};
  const int64_t length =
      call->temporary_length < 0 ? work.x->element_count : call->temporary_length;
  const int64_t bad = -1;
  if (!is_refused(eval, tn_eval_add_temporary(eval, TN_FFI_F32, 1, &bad, &work.squares)))
    return TN_EVAL_ERROR(eval, INTERNAL, "a negative size is taken");
  TN_TRY(tn_eval_add_temporary(eval, TN_FFI_F32, 1, &length, &work.squares));
  if ((uintptr_t)work.squares->data % 64) return TN_EVAL_ERROR(eval, INTERNAL, "not aligned");
  return tn_eval_dispatch(eval, first_step, &work, sizeof work);
}
TN_DEFINE(two_steps, .eval_cpu = two_steps_eval)

// Element by element, and by strides: promotion, shapes and batches come of the one, what it sees
// of the other.
static int eval_count;
TN_EVAL_OP(add_any, ADD_TO, "z = x + y") {
  ++eval_count;
  return add_arrays(eval->outputs[0], eval->operands[0], eval->operands[1]);
}
TN_DEFINE(add_any, .flags = TN_OP_ELEMENTWISE, .eval_cpu = add_any_eval)

static const tn_op_def_t* const definitions[] = {
    tn_definition_of(last_sums), tn_definition_of(place),     tn_definition_of(add_to),
    tn_definition_of(add_onto),  tn_definition_of(two_steps), tn_definition_of(add_any)};

static tn_scope_t* begin(void) {
  for (size_t i = 0; i < sizeof definitions / sizeof *definitions; ++i) {
    TN_ASSERT_OK(tn_op_register(definitions[i]));
  }
  return tn__testing_scope();
}

static tn_array_t* last_sums_of(tn_scope_t* s, tn_array_t* x, float scale) {
  const tn_attribute_t attribute = {
      .name = "scale", .kind = TN_ATTRIBUTE_FLOAT, .dtype = TN_DTYPE_F32, .real = scale};
  return tn_op_apply_one(s, "last_sums", 1, &x, 1, &attribute);
}

static void operands_lie_where_they_lie(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
  TN_ASSERT_F32(last_sums_of(s, x, 2), TN_LIST(2), 6, 24);
  assert_true(seen_flags & TN_ROW_CONTIGUOUS);
  TN_ASSERT_F32(last_sums_of(s, tn_array_transpose(s, x, NULL), 1), TN_LIST(3), 3, 5, 7);
  assert_int_equal(seen_strides[0], 1);
  assert_int_equal(seen_strides[1], 3);
  assert_true(seen_flags & TN_COLUMN_CONTIGUOUS && !(seen_flags & TN_ROW_CONTIGUOUS));
  tn_array_t* back =
      tn_array_slice(s, x, (int64_t[]){0, -1}, (int64_t[]){2, -4}, (int64_t[]){1, -1});
  TN_ASSERT_F32(last_sums_of(s, back, 1), TN_LIST(2), 3, 12);
  assert_int_equal(seen_strides[1], -1);
  tn_array_t* column = tn_array_slice(s, x, (int64_t[]){0, 1}, (int64_t[]){2, 2}, NULL);
  tn_array_t* wide = tn_array_broadcast_to(s, column, TN_LIST(4, 2, 5));
  TN_ASSERT_F32(last_sums_of(s, wide, 1), TN_LIST(4, 2), 5, 20, 5, 20, 5, 20, 5, 20);
  assert_int_equal(seen_strides[0], 0);
  assert_int_equal(seen_strides[1], 3);
  assert_int_equal(seen_strides[2], 0);
  tn_array_t* rows = tn_array_slice(s, x, (int64_t[]){0, 0}, (int64_t[]){1, 3}, NULL);
  TN_ASSERT_F32(last_sums_of(s, rows, 1), TN_LIST(1), 3);
  tn_scope_destroy(s);
}

static void empty_arrays_and_scalars_are_arrays(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  TN_ASSERT_F32(last_sums_of(s, tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(2, 0)), 1), TN_LIST(2), 0,
                0);
  tn_array_t* none = last_sums_of(s, tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(0, 4)), 1);
  TN_ASSERT_OK(tn_array_eval(1, &none));
  tn_array_t* one = last_sums_of(s, tn_array_scalar(s, TN_DTYPE_F32, 1), 1);
  TN_ASSERT_REPORT("last_sums: x is a scalar", tn_array_eval(1, &one));
  TN_ASSERT_F32(last_sums_of(s, tn__testing_range(s, TN_LIST(3)), 1), TN_NO_DIMS, 3);
  tn_scope_destroy(s);
}

static tn_array_t* with_integer(tn_scope_t* s, const char* name, tn_array_t* x,
                                const char* attribute, int64_t value) {
  const tn_attribute_t attributes[] = {
      {.name = attribute, .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S64, .integer = value}};
  return tn_op_apply_one(s, name, 1, &x, 1, attributes);
}

static tn_status_t sums_of_sines(void* user, tn_scope_t* s, size_t input_count,
                                 tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* x = tn_array_transpose(s, tn_array_add(s, inputs[0], inputs[0]), NULL);
  out[0] = tn_array_negative(s, last_sums_of(s, x, 3));
  return TN_OK;
}

// In a graph that is met for the first time, in one that is met again, in a compiled function and
// in a program that another host could run.
static void every_door_gives_the_same(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  const tn_closure_t function = {sums_of_sines, NULL};
  tn_compiled_t* compiled = NULL;
  TN_ASSERT_OK(tn_closure_compile(s, &function, NULL, &compiled));
  for (int round = 0; round < 3; ++round) {
    tn_array_t* x = tn__testing_range(s, TN_LIST(2, 3));
    tn_array_t* y = NULL;
    TN_ASSERT_OK(sums_of_sines(NULL, s, 1, &x, 1, &y));
    TN_ASSERT_F32(y, TN_LIST(3), -18, -30, -42);
    TN_ASSERT_OK(tn_compiled_call(compiled, s, 1, &x, 1, &y));
    TN_ASSERT_F32(y, TN_LIST(3), -18, -30, -42);
    assert_int_equal(seen_strides[1], 3);  // a view in a program, too
  }
  tn_compiled_release(compiled);
  // The handler by itself, which is what JAX calls.
  TN_ASSERT_OK(tn_target_register("plain_sums", "Host", (tn_target_function_t)last_sums,
                                  TN_API_VERSION_TYPED_FFI));
  tn_array_t* x = tn_array_transpose(s, tn__testing_range(s, TN_LIST(2, 3)), NULL);
  const tn_array_type_t type = {TN_DTYPE_F32, TN_LIST(3)};
  const tn_application_t application = {sizeof application, "plain_sums", 1, &x, 0, NULL, 1, &type};
  tn_array_t* y = NULL;
  tn_op_apply(s, &application, &y);
  TN_ASSERT_F32(y, TN_LIST(3), 3, 5, 7);
  assert_int_equal(seen_strides[1], 1);  // which are dense
  tn_scope_destroy(s);
}

static tn_status_t sum_of_sums(void* user, tn_scope_t* s, size_t input_count,
                               tn_array_t* const* inputs, size_t output_count, tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  out[0] = tn_array_sum(s, last_sums_of(s, inputs[0], 3), 0, NULL, false);
  return TN_OK;
}

static void its_rules_are_used(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  const tn_closure_t function = {sum_of_sums, NULL};
  tn_array_t* x = tn_array_transpose(s, tn__testing_range(s, TN_LIST(2, 3)), NULL);
  tn_array_t *gradient = NULL, *y = NULL;
  TN_ASSERT_OK(tn_grad(s, &function, 1, &x, 1, NULL, &gradient));
  TN_ASSERT_F32(gradient, TN_LIST(3, 2), 3, 3, 3, 3, 3, 3);
  const int64_t axis = 1;
  tn_array_t* batch = tn__testing_range(s, TN_LIST(2, 3, 2));
  TN_ASSERT_OK(tn_vmap(s, &function, 1, &batch, &axis, 1, NULL, &y));
  TN_ASSERT_F32(y, TN_LIST(3), 3 * (0 + 1 + 6 + 7), 3 * (2 + 3 + 8 + 9), 3 * (4 + 5 + 10 + 11));
  tn_scope_destroy(s);
}

static void outputs_get_their_memory_from_the_eval(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  for (int round = 0; round < 2; ++round) {
    const int before = released;
    tn_array_t* x = tn__testing_range(s, TN_LIST(3));
    if (round) {
      x = tn_array_slice(s, tn__testing_range(s, TN_LIST(3)), (int64_t[]){-1}, (int64_t[]){-4},
                         (int64_t[]){-1});
      x = tn_array_subtract(s, tn_array_scalar(s, TN_DTYPE_F32, 2), x);
    }
    TN_ASSERT_F32(with_integer(s, "place", x, "mode", PLACE_ALLOCATE), TN_LIST(3), 0, 1, 2);
    TN_ASSERT_F32(with_integer(s, "place", x, "mode", PLACE_SHARE), TN_LIST(3), 2, 1, 0);
    TN_ASSERT_F32(with_integer(s, "place", x, "mode", PLACE_SET_DATA), TN_LIST(3), 0, 1, 2);
    assert_int_equal(released, before + 1);
    tn_array_t* shared = with_integer(s, "place", x, "mode", PLACE_SHARE);
    tn_array_t* again = with_integer(s, "place", shared, "mode", PLACE_SHARE);
    TN_ASSERT_F32(tn_array_add(s, again, x), TN_LIST(3), 0, 2, 4);
  }
  tn_array_t* empty = tn_array_zeros(s, TN_DTYPE_F32, TN_LIST(0));
  for (int mode = PLACE_ALLOCATE; mode <= PLACE_SET_DATA; ++mode) {
    if (mode == PLACE_SHARE_WIDE) continue;
    tn_array_t* y = with_integer(s, "place", empty, "mode", mode);
    TN_ASSERT_OK(tn_array_eval(1, &y));
  }
  tn_scope_destroy(s);
}

static void mistakes_with_memory_are_errors(void** state) {
  (void)state;
  static const struct {
    place_mode_t mode;
    const char* report;
  } cases[] = {
      {PLACE_SHARE_WIDE,
       "place: output 0 shares elements 0 to 4 of operand 0, which has those "
       "from 0 to 2"},
      {PLACE_TWICE, "place: output 0 gets memory a second time"},
      {PLACE_NOTHING, "place: output 0 was left without memory"},
      {PLACE_TOO_LATE, "place: an array has no memory yet: see tn_eval_allocate"},
      {PLACE_NO_OUTPUT, "place: there is no output 1"},
      {PLACE_NO_OPERAND, "place: there is no operand 1"},
      {PLACE_DONATE_ANYHOW,
       "place: output 0 cannot have the memory of operand 0, which is not donatable"},
  };
  tn_scope_t* s = begin();
  tn_array_t* x = tn__testing_range(s, TN_LIST(3));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const int before = released;
    tn_array_t* y = with_integer(s, "place", x, "mode", cases[i].mode);
    TN_ASSERT_REPORT(cases[i].report, tn_array_eval(1, &y));
    assert_int_equal(released, before + (cases[i].mode == PLACE_TWICE));
  }
  TN_ASSERT_F32(x, TN_LIST(3), 0, 1, 2);
  tn_scope_destroy(s);
}

static void memory_is_donated_when_nobody_else_needs_it(void** state) {
  (void)state;
  for (int i = 0; i < 2; ++i) {
    const char* name = i ? "add_onto" : "add_to";
    tn_scope_t* s = begin();
    for (int round = 0; round < 2; ++round) {  // step by step, then as a program
      tn_array_t* x = tn__testing_range(s, TN_LIST(2, 2));
      tn_array_t* sum = tn_array_retain(tn_array_add(s, x, x));
      for (int step = 0; step < 3; ++step) {
        tn_array_t* next =
            tn_array_retain(tn_op_apply_one(s, name, 2, (tn_array_t*[]){sum, x}, 0, NULL));
        tn_array_release(sum);
        sum = next;
      }
      tn_array_retain(x);
      tn_scope_clear(s);
      donation_count = 0;
      TN_ASSERT_OK(tn_array_eval(1, &sum));
      // What is made in a program is given up in it; what comes into it is too small.
      assert_int_equal(donation_count, round ? 3 : 0);
      TN_ASSERT_F32(sum, TN_LIST(2, 2), 0, 5, 10, 15);
      TN_ASSERT_F32(x, TN_LIST(2, 2), 0, 1, 2, 3);  // which is held
      tn_array_release(sum);
      tn_array_release(x);
    }
    tn_array_t* x = tn_array_retain(tn__testing_range(s, TN_LIST(2, 2)));
    tn_scope_clear(s);
    // Not what is an operand twice, nor what has other strides.
    tn_array_t* sum = tn_array_retain(
        tn_op_apply_one(s, name, 2,
                        (tn_array_t*[]){tn_op_apply_one(s, name, 2, (tn_array_t*[]){x, x}, 0, NULL),
                                        tn_array_transpose(s, x, NULL)},
                        0, NULL));
    tn_array_t* turned = tn_array_retain(tn_op_apply_one(
        s, name, 2, (tn_array_t*[]){tn_array_transpose(s, sum, NULL), sum}, 0, NULL));
    tn_array_release(x);
    tn_array_release(sum);
    tn_scope_clear(s);
    TN_ASSERT_F32(turned, TN_LIST(2, 2), 0, 9, 9, 18);
    tn_array_release(turned);
    tn_scope_destroy(s);
  }
}

// An input of a program is one that is donated to its run when it is large.
static void inputs_that_nobody_holds_are_donatable_when_they_are_large(void** state) {
  (void)state;
  const int64_t counts[] = {(1 << 14) - 1, 1 << 14};  // below 64 KB, and just there
  tn_scope_t* s = begin();
  for (int i = 0; i < 2; ++i) {
    for (int is_held = 0; is_held < 2; ++is_held) {
      tn_array_t* y = tn_array_retain(tn_array_ones(s, TN_DTYPE_F32, 1, &counts[i]));
      tn_array_t* x = tn_array_retain(tn_array_add(s, y, y));
      TN_ASSERT_OK(tn_array_eval(2, (tn_array_t*[]){x, y}));
      for (int op = 0; op < 2; ++op) {
        tn_array_t* sum = tn_array_retain(
            tn_op_apply_one(s, op ? "add_onto" : "add_to", 2, (tn_array_t*[]){x, y}, 0, NULL));
        tn_array_t* const before = x;
        tn_scope_clear(s);
        if (!is_held) tn_array_release(before);
        donation_count = 0;
        TN_ASSERT_OK(tn_array_eval(1, &sum));
        assert_int_equal(donation_count, i && !is_held);
        if (is_held) tn_array_release(before);
        x = sum;
      }
      tn_array_release(x);
      tn_array_release(y);
    }
  }
  tn_scope_destroy(s);
}

static void work_goes_through_temporaries(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* x = tn__testing_range(s, TN_LIST(20));
  tn_array_t* odd = tn_array_slice(s, x, (int64_t[]){1}, (int64_t[]){9}, (int64_t[]){2});
  const tn_application_t application = {sizeof application, "two_steps", 1, &odd, 0, NULL, 2, NULL};
  tn_array_t* results[2] = {NULL};
  tn_op_apply(s, &application, results);
  TN_ASSERT_F32(results[0], TN_LIST(4), 2, 10, 26, 50);
  TN_ASSERT_F32(results[1], TN_LIST(4), 0, 8, 24, 48);
  tn_scope_destroy(s);
}

static void errors_of_dispatched_work_reach_the_arrays(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  tn_array_t* x = tn__testing_range(s, TN_LIST(200));
  const tn_attribute_t fails_at = {
      .name = "fails_at", .kind = TN_ATTRIBUTE_INTEGER, .dtype = TN_DTYPE_S64, .integer = 150};
  const tn_attribute_t huge = {.name = "temporary_length",
                               .kind = TN_ATTRIBUTE_INTEGER,
                               .dtype = TN_DTYPE_S64,
                               .integer = INT64_C(1) << 61};
  tn_array_t* results[2] = {NULL};
  const tn_application_t failing = {sizeof failing, "two_steps", 1, &x, 1, &fails_at, 2, NULL};
  second_steps = 0;
  tn_op_apply(s, &failing, results);
  tn_array_t* after = tn_array_exp(s, results[1]);
  TN_ASSERT_REPORT("is out of range", tn_array_eval(1, &after));
  TN_ASSERT_REPORT("two_steps: element", tn_array_status(results[0]));
  assert_int_equal(second_steps, 0);
  const tn_application_t large = {sizeof large, "two_steps", 1, &x, 1, &huge, 2, NULL};
  tn_op_apply(s, &large, results);
  TN_ASSERT_REPORT("two_steps: out of memory", tn_array_eval(1, results));
  // In a stream's turn the error waits for who asks.
  tn_op_apply(s, &failing, results);
  TN_ASSERT_OK(tn_array_async_eval(2, results));
  float data[200];
  TN_ASSERT_REPORT("is out of range", tn_array_to_host(results[0], data, sizeof data));
  tn_status_release(tn_scope_synchronize(s));
  TN_ASSERT_F32(last_sums_of(s, tn__testing_range(s, TN_LIST(1, 2)), 1), TN_LIST(1), 1);
  tn_scope_destroy(s);
}

static void definitions_are_checked(void** state) {
  (void)state;
  tn_op_def_t bad = *tn_definition_of(last_sums);
  bad.eval_cpu = NULL;
  bad.flags = TN_OP_ALLOCATES;
  TN_ASSERT_REPORT("custom call @last_sums: TN_OP_ALLOCATES is for operations with an eval",
                   tn_op_register(&bad));
  // One of a library that was built before there were evals.
  tn_op_def_t old = *tn_definition_of(last_sums);
  old.struct_size = offsetof(tn_op_def_t, eval_cpu);
  TN_ASSERT_CODE(ALREADY_EXISTS, tn_op_register(&old));
  TN_ASSERT_OK(tn_target_unregister("last_sums", "Host"));
  TN_ASSERT_OK(tn_op_register(&old));
  tn_scope_t* s = tn__testing_scope();
  seen_strides[1] = 0;
  tn_array_t* x = tn_array_transpose(s, tn__testing_range(s, TN_LIST(2, 3)), NULL);
  TN_ASSERT_F32(last_sums_of(s, x, 1), TN_LIST(3), 3, 5, 7);
  assert_int_equal(seen_strides[1], 1);  // by its handler
  tn_scope_destroy(s);
  // And one that was built for a Tenon to come.
  struct {
    tn_op_def_t known;
    void* unknown[4];
  } later = {.known = *tn_definition_of(last_sums), .unknown = {&later}};
  later.known.struct_size = sizeof later;
  TN_ASSERT_OK(tn_target_unregister("last_sums", "Host"));
  TN_ASSERT_OK(tn_op_register(&later.known));
  old.struct_size = offsetof(tn_op_def_t, destroy);
  TN_ASSERT_REPORT("struct_size is too small", tn_op_register(&old));
}

// Of the memory of temporaries, malloc's is as good as the device's: only the others are swept.
static tn_status_t apply_all(const tn_allocator_t* allocator, void* context) {
  const tn_device_options_t options = {
      .struct_size = sizeof options, .allocator = allocator, .thread_count = 1};
  tn_device_t* device = NULL;
  tn_scope_t* s = NULL;
  (void)context;
  tn_status_t status = tn_device_create("cpu", &options, &device);
  if (!status) status = tn_scope_create(device, &s);
  if (!status) {
    tn_array_t* x = tn__testing_range(s, TN_LIST(4));
    tn_array_t* results[] = {last_sums_of(s, tn_array_transpose(s, x, NULL), 1),
                             with_integer(s, "place", x, "mode", PLACE_SHARE),
                             with_integer(s, "place", x, "mode", PLACE_ALLOCATE)};
    status = tn_array_eval(3, results);
  }
  tn_scope_destroy(s);
  tn_device_release(device);
  return status;
}

static void every_allocation_may_fail(void** state) {
  (void)state;
  tn_scope_destroy(begin());
  tn__testing_sweep_allocations(apply_all, NULL);
}

static void temporaries_without_memory_are_errors(void** state) {
  (void)state;
  bool is_done = false;
  for (size_t number = 1; !is_done; ++number) {
    tn_scope_t* s = begin();
    tn_array_t* x = tn__testing_range(s, TN_LIST(20));
    const tn_application_t application = {sizeof application, "two_steps", 1, &x, 0, NULL, 2, NULL};
    tn_array_t* results[2] = {NULL};
    tn_op_apply(s, &application, results);
    tn__testing_refuse_allocations(number, true);
    tn_status_t status = tn_array_eval(2, results);
    is_done = tn__testing_refused_allocation_count() == 0;
    tn__testing_refuse_allocations(0, false);
    if (status) assert_int_equal(tn_status_code(status), TN_CODE_RESOURCE_EXHAUSTED);
    assert_true(!is_done || !status);
    tn_status_release(status);
    tn_scope_destroy(s);
  }
}

static tn_status_t add_in_a_chain(void* user, tn_scope_t* s, size_t input_count,
                                  tn_array_t* const* inputs, size_t output_count,
                                  tn_array_t** out) {
  (void)user, (void)input_count, (void)output_count;
  tn_array_t* twice = tn_array_add(s, inputs[0], inputs[0]);
  out[0] = tn_array_negative(
      s, tn_op_apply_one(s, "add_any", 2, (tn_array_t*[]){tn_array_negative(s, twice), inputs[1]},
                         0, NULL));
  return TN_OK;
}

static void an_eval_may_be_element_wise(void** state) {
  (void)state;
  tn_scope_t* s = begin();
  const tn_closure_t function = {add_in_a_chain, NULL};
  tn_compiled_t* compiled = NULL;
  TN_ASSERT_OK(tn_closure_compile(s, &function, NULL, &compiled));
  for (int round = 0; round < 3; ++round) {
    eval_count = 0;
    tn_array_t* x = tn_array_transpose(s, tn__testing_range(s, TN_LIST(2, 3)), NULL);
    tn_array_t* row = tn_array_from_host(s, TN_DTYPE_S32, TN_LIST(2), (int32_t[]){10, 20}, 8);
    tn_array_t* z = tn_op_apply_one(s, "add_any", 2, (tn_array_t*[]){x, row}, 0, NULL);
    TN_ASSERT_F32(z, TN_LIST(3, 2), 10, 23, 11, 24, 12, 25);
    tn_array_t* inputs[] = {x, row};
    TN_ASSERT_OK(add_in_a_chain(NULL, s, 2, inputs, 1, &z));
    TN_ASSERT_F32(z, TN_LIST(3, 2), -10, -14, -8, -12, -6, -10);
    TN_ASSERT_OK(tn_compiled_call(compiled, s, 2, inputs, 1, &z));
    TN_ASSERT_F32(z, TN_LIST(3, 2), -10, -14, -8, -12, -6, -10);
    inputs[0] = tn__testing_range(s, TN_LIST(1, 2));
    TN_ASSERT_OK(tn_compiled_call(compiled, s, 2, inputs, 1, &z));
    TN_ASSERT_F32(z, TN_LIST(1, 2), -10, -18);
    assert_int_equal(eval_count, 4);
    const int64_t axes[] = {1, 0};
    inputs[0] = x;
    TN_ASSERT_OK(tn_vmap(s, &function, 2, inputs, axes, 1, NULL, &z));
    TN_ASSERT_F32(z, TN_LIST(2, 3), -10, -8, -6, -14, -12, -10);
  }
  assert_int_equal(tn_compiled_trace_count(compiled), 2);
  tn_compiled_release(compiled);
  tn_scope_destroy(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operands_lie_where_they_lie),
      cmocka_unit_test(empty_arrays_and_scalars_are_arrays),
      cmocka_unit_test(every_door_gives_the_same),
      cmocka_unit_test(its_rules_are_used),
      cmocka_unit_test(outputs_get_their_memory_from_the_eval),
      cmocka_unit_test(mistakes_with_memory_are_errors),
      cmocka_unit_test(memory_is_donated_when_nobody_else_needs_it),
      cmocka_unit_test(inputs_that_nobody_holds_are_donatable_when_they_are_large),
      cmocka_unit_test(work_goes_through_temporaries),
      cmocka_unit_test(errors_of_dispatched_work_reach_the_arrays),
      cmocka_unit_test(definitions_are_checked),
      cmocka_unit_test(an_eval_may_be_element_wise),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(temporaries_without_memory_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
