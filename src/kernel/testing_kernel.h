// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// For tests of kernels: one use of an operation, prepared and run without a program around it.
#ifndef TENON_KERNEL_TESTING_KERNEL_H_
#define TENON_KERNEL_TESTING_KERNEL_H_

#include "base/pool.h"
#include "base/testing.h"
#include "kernel/kernel.h"
#include "kernel/lib/library.h"
#include "kernel/target.h"

enum { TN_CASE_LIMIT = 16, TN_CASE_ALIGNMENT = 64 };

// The dimensions after the rank: TN_DIMS(2, 3).
#define TN_DIMS(...)                                                      \
  sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]) { \
    __VA_ARGS__                                                           \
  }
#define TN_SCALAR 0, NULL

// Zero-initialised, then begun with tn__case_begin and ended with tn__case_end.
typedef struct tn_case {
  tn_arena_t arena;
  tn_compile_target_t target;  // the host's
  const tn_op_t* op;
  size_t operand_count, result_count, attr_count, body_count;
  const tn_type_t* operand_types[TN_CASE_LIMIT];
  const void* operands[TN_CASE_LIMIT];
  const tn_type_t* result_types[TN_CASE_LIMIT];
  void* results[TN_CASE_LIMIT];
  tn_named_attr_t attrs[TN_CASE_LIMIT];
  tn_body_shape_t body_shapes[TN_CASE_LIMIT];
  tn_body_t bodies[TN_CASE_LIMIT];
  bool in_place;    // result 0 is where operand 0 is
  tn_pool_t* pool;  // NULL: loops run on the test's thread
  bool may_use_libraries;
  const tn_kernel_t* wanted;  // runs unless it refuses; NULL: the first one that does not
  const tn_kernel_t* kernel;  // out: the one that ran
  tn_kernel_random_t random;
} tn_case_t;

static inline void tn__case_begin(tn_case_t* c, const char* op) {
  memset(c, 0, sizeof *c);
  tn__arena_init(&c->arena, tn_allocator_system());
  c->op = tn__op_find(tn__sv(op));
  if (!c->op) fail_msg("no operation %s", op);
}

static inline void tn__case_end(tn_case_t* c) {
  tn__arena_deinit(&c->arena);
}

static inline const tn_type_t* tn__case_type(tn_case_t* c, tn_dtype_t dtype, size_t rank,
                                             const int64_t* dims) {
  const tn_type_t* type;
  TN_ASSERT_OK(tn__type_tensor(&c->arena, dtype, rank, dims, &type));
  return type;
}

// `data` is copied, so that a kernel that reads past its end is caught by the sanitizers.
static inline void tn__case_operand(tn_case_t* c, tn_dtype_t dtype, size_t rank,
                                    const int64_t* dims, const void* data) {
  const tn_type_t* type = tn__case_type(c, dtype, rank, dims);
  const size_t length = tn__type_byte_size(type);
  void* copy;
  TN_ASSERT_OK(tn__arena_allocate_aligned(&c->arena, length, TN_CASE_ALIGNMENT, &copy));
  if (length && data) memcpy(copy, data, length);
  c->operand_types[c->operand_count] = type;
  c->operands[c->operand_count++] = copy;
}

static inline void tn__case_result(tn_case_t* c, tn_dtype_t dtype, size_t rank,
                                   const int64_t* dims) {
  const tn_type_t* type = tn__case_type(c, dtype, rank, dims);
  const size_t length = tn__type_byte_size(type);
  void* data;
  TN_ASSERT_OK(tn__arena_allocate_aligned(&c->arena, length, TN_CASE_ALIGNMENT, &data));
  memset(data, 0xA5, length);
  c->result_types[c->result_count] = type;
  c->results[c->result_count++] = data;
}

static inline void tn__case_attr(tn_case_t* c, const char* name, const tn_attr_t* attr) {
  c->attrs[c->attr_count++] = (tn_named_attr_t){tn__sv(name), attr};
}
static inline void tn__case_list(tn_case_t* c, const char* name, size_t count,
                                 const int64_t* values) {
  const tn_attr_t* attr;
  TN_ASSERT_OK(tn__attr_i64_array(&c->arena, count, values, &attr));
  tn__case_attr(c, name, attr);
}
static inline void tn__case_integer(tn_case_t* c, const char* name, int64_t value) {
  const tn_attr_t* attr;
  TN_ASSERT_OK(tn__attr_integer(&c->arena, TN_DTYPE_S64, value, &attr));
  tn__case_attr(c, name, attr);
}
static inline void tn__case_float(tn_case_t* c, const char* name, double value) {
  const tn_attr_t* attr;
  TN_ASSERT_OK(tn__attr_float(&c->arena, TN_DTYPE_F64, value, &attr));
  tn__case_attr(c, name, attr);
}
static inline void tn__case_bool(tn_case_t* c, const char* name, bool value) {
  const tn_attr_t* attr;
  TN_ASSERT_OK(tn__attr_bool(&c->arena, value, &attr));
  tn__case_attr(c, name, attr);
}
static inline void tn__case_enum(tn_case_t* c, const char* name, const char* of,
                                 const char* value) {
  const tn_attr_t* attr;
  TN_ASSERT_OK(tn__attr_enum(&c->arena, of, tn__sv(value), &attr));
  tn__case_attr(c, name, attr);
}
// Pairs of numbers, as padding is given.
static inline void tn__case_pairs(tn_case_t* c, const char* name, size_t pair_count,
                                  const int64_t* values) {
  const tn_attr_t* attr;
  TN_ASSERT_OK(tn__attr_elements(&c->arena,
                                 tn__case_type(c, TN_DTYPE_S64, TN_DIMS((int64_t)pair_count, 2)),
                                 false, values, &attr));
  tn__case_attr(c, name, attr);
}

// Moves the attributes that were added since there were `first` of them into one structure.
static inline void tn__case_struct(tn_case_t* c, const char* name, const char* of, size_t first) {
  const tn_attr_t* attr;
  TN_ASSERT_OK(tn__attr_dictionary(&c->arena, TN_ATTR_STRUCT, tn__sv(of), c->attr_count - first,
                                   &c->attrs[first], &attr));
  c->attr_count = first;
  tn__case_attr(c, name, attr);
}

// A region that is one binary operation, recognised.
static inline void tn__case_binary_body(tn_case_t* c, const char* op) {
  c->body_shapes[c->body_count].binary = tn__op_find(tn__sv(op));
  if (!c->body_shapes[c->body_count++].binary) fail_msg("no operation %s", op);
}
// A region that is run through its callback. The lists of pointers are the test's.
static inline void tn__case_callback_body(tn_case_t* c, void* const* arguments,
                                          void* const* results,
                                          tn_status_t (*run)(const tn_body_t* body)) {
  c->bodies[c->body_count++] = (tn_body_t){arguments, results, run, NULL};
}

// A region whose only argument it returns, by number, is recognised.
static inline void tn__case_forwarding_body(tn_case_t* c, uint32_t argument) {
  c->body_shapes[c->body_count++].forwarded = argument + 1;
}
// A comparator whose order is recognised. The keys are the test's.
static inline void tn__case_order_body(tn_case_t* c, size_t key_count, const tn_sort_key_t* keys) {
  c->body_shapes[c->body_count].key_count = key_count;
  c->body_shapes[c->body_count++].keys = keys;
}

// What is quick has the same bytes.
static inline void tn__case_check_quick(const tn_case_t* c, const tn_kernel_site_t* site,
                                        const tn_kernel_call_t* call) {
  for (size_t r = 0; r < c->result_count; ++r) {
    const size_t byte_size = tn__type_byte_size(c->result_types[r]);
    void* expected = malloc(byte_size + 1);
    assert_non_null(expected);
    if (byte_size) memcpy(expected, c->results[r], byte_size);
    if (byte_size) memset(c->results[r], 0xA5, byte_size);
    TN_ASSERT_OK(site->run_quick(call));
    if (byte_size) assert_memory_equal(c->results[r], expected, byte_size);
    free(expected);
  }
}

// Finds the kernel, prepares and runs it.
static inline tn_status_t tn__case_run(tn_case_t* c) {
  const tn_attr_t* attrs;
  TN_ASSERT_OK(tn__attr_dictionary(&c->arena, TN_ATTR_DICTIONARY, tn__sv(""), c->attr_count,
                                   c->attrs, &attrs));
  const tn_op_use_t use = {
      .op = c->op,
      .operand_count = c->operand_count,
      .operand_types = c->operand_types,
      .result_count = c->result_count,
      .result_types = c->result_types,
      .attrs = attrs->dictionary,
      .region_count = c->body_count,
      .arena = &c->arena,
  };
  c->target = tn__compile_target_host;
  if (!c->may_use_libraries) c->target.libraries = 0;
  const bool is_wanted = c->wanted && !c->wanted->refuse(&use);
  const tn_kernel_t* kernel = is_wanted ? c->wanted : tn__kernel_find(&c->target, &use);
  c->kernel = kernel;
  if (!kernel) fail_msg("no kernel for %s", c->op->name);
  tn_kernel_site_t site = {
      .use = &use, .bodies = c->body_shapes, .arena = &c->arena, .target = &c->target};
  if (kernel->prepare) TN_RETURN_IF_ERROR(kernel->prepare(&site));
  void *scratch, *local;
  TN_ASSERT_OK(
      tn__arena_allocate_aligned(&c->arena, site.scratch_byte_size, TN_CASE_ALIGNMENT, &scratch));
  TN_ASSERT_OK(
      tn__arena_allocate_aligned(&c->arena, site.local_byte_size, TN_CASE_ALIGNMENT, &local));
  memset(scratch, 0x5A, site.scratch_byte_size);
  if (c->in_place) {
    assert_true(kernel->in_place & 1);
    memcpy(c->results[0], c->operands[0], tn__type_byte_size(c->operand_types[0]));
    c->operands[0] = c->results[0];
  }
  const tn_kernel_context_t context = {.pool = c->pool, .random = &c->random};
  const tn_kernel_call_t call = {
      .operands = c->operands,
      .results = c->results,
      .state = site.state,
      .scratch = scratch,
      .local = local,
      .bodies = c->bodies,
      .context = &context,
  };
  if (site.local_init) TN_RETURN_IF_ERROR(site.local_init(&call));
  const tn_status_t status =
      site.run_quick && c->in_place ? site.run_quick(&call) : kernel->run(&call);
  if (!status && site.run_quick && !c->in_place) tn__case_check_quick(c, &site, &call);
  if (site.local_deinit) site.local_deinit(&call);
  if (site.state_deinit) site.state_deinit(site.state);
  return status;
}

// Result 0 has these bytes.
#define TN_ASSERT_RESULT(c, type, ...)                                          \
  do {                                                                          \
    const type wanted_[] = {__VA_ARGS__};                                       \
    assert_int_equal(tn__type_byte_size((c)->result_types[0]), sizeof wanted_); \
    assert_memory_equal((c)->results[0], wanted_, sizeof wanted_);              \
  } while (0)

#endif  // TENON_KERNEL_TESTING_KERNEL_H_
