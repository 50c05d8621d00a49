// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What the rules of operations are written with: errors that name their constraint, and the
// questions that many rules ask. A constraint is StableHLO's number, "C1", or its label of an
// input, "I1".
//
// Dimensions that are not known (`?`) agree with anything: a rule refuses what is wrong whatever
// they turn out to be.
#ifndef TENON_OPS_RULE_H_
#define TENON_OPS_RULE_H_

#include "ops/op.h"

// "clamp (C1): ...". `constraint` NULL: "clamp: ...".
__attribute__((returns_nonnull)) tn_status_t tn__rule_error(const tn_op_use_t* use,
                                                            const char* constraint,
                                                            const char* format, ...)
    TN_PRINTF(3, 4);

// Returns the error unless the condition holds.
#define TN_CONSTRAINT(use, constraint, condition, ...)                         \
  do {                                                                         \
    if (!(condition)) return tn__rule_error((use), (constraint), __VA_ARGS__); \
  } while (0)

// --- types

enum {
  TN__BOOL_OR_INTEGER = TN_KIND_BOOL | TN_KIND_INTEGER,
  TN__FLOAT_OR_COMPLEX = TN_KIND_FLOAT | TN_KIND_COMPLEX,
  TN__NUMBER = TN_KIND_INTEGER | TN_KIND_FLOAT | TN_KIND_COMPLEX,
  TN__ANY_KIND = TN__NUMBER | TN_KIND_BOOL,
};

static inline bool tn__dims_agree(int64_t a, int64_t b) {
  return a == b || a == TN_DIM_DYNAMIC || b == TN_DIM_DYNAMIC;
}
bool tn__shapes_agree(const tn_type_t* a, const tn_type_t* b);  // tensors, whatever the dtypes
bool tn__types_agree(const tn_type_t* a, const tn_type_t* b);
bool tn__is_scalar_of(const tn_type_t* type, uint32_t kinds);
// complex<f32> for f32, and back; INVALID when there is none.
tn_dtype_t tn__dtype_complex_of(tn_dtype_t dtype);
tn_dtype_t tn__dtype_real_of(tn_dtype_t dtype);
// Whether a computation may take elements of type `from` as `to`: the same kind, no narrower.
bool tn__dtype_promotes(tn_dtype_t from, tn_dtype_t to);

// A value of the use is a tensor whose elements are of these kinds; `role` is what the
// specification calls it ("lhs").
TN_MUST_USE tn_status_t tn__rule_operand(const tn_op_use_t* use, size_t index,
                                         const char* constraint, const char* role, uint32_t kinds);
TN_MUST_USE tn_status_t tn__rule_result(const tn_op_use_t* use, size_t index,
                                        const char* constraint, const char* role, uint32_t kinds);
TN_MUST_USE tn_status_t tn__rule_tensor(const tn_op_use_t* use, const tn_type_t* type,
                                        const char* constraint, const char* role, uint32_t kinds);
// Each operand from `first` on is a tensor.
TN_MUST_USE tn_status_t tn__rule_tensors(const tn_op_use_t* use, size_t first, size_t count,
                                         const char* constraint, const char* role);

// --- lists of dimensions

// The integer list `name` of `dictionary` (of the use, or of a structure among its attributes).
TN_MUST_USE tn_status_t tn__rule_list(const tn_op_use_t* use,
                                      const tn_attr_dictionary_t* dictionary, const char* name,
                                      tn_i64_list_t* out_list);
// The fields of the structure `name`; no fields when it is absent.
const tn_attr_dictionary_t* tn__rule_struct(const tn_op_use_t* use, const char* name);

// Sets of dimensions have a bit for each: ranks end at 64.
_Static_assert(TN_MAX_RANK <= 64, "a set of dimensions is 64 bits");
static inline bool tn__set_has(uint64_t set, size_t dimension) {
  return (set >> dimension) & 1;
}
// Each entry is in 0..rank-1 (else `in_range` is broken) and none is there twice or already in
// `*set` (else `unique` is broken); adds them to `*set`. `rank` <= TN_MAX_RANK.
TN_MUST_USE tn_status_t tn__rule_dims(const tn_op_use_t* use, const char* in_range,
                                      const char* unique, const char* name, tn_i64_list_t list,
                                      size_t rank, uint64_t* set);
// The same for one dimension.
TN_MUST_USE tn_status_t tn__rule_dim(const tn_op_use_t* use, const char* in_range,
                                     const char* unique, const char* name, int64_t dimension,
                                     size_t rank, uint64_t* set);
TN_MUST_USE tn_status_t tn__rule_sorted(const tn_op_use_t* use, const char* constraint,
                                        const char* name, tn_i64_list_t list);
// Has `count` entries, each at least `minimum`.
TN_MUST_USE tn_status_t tn__rule_count(const tn_op_use_t* use, const char* constraint,
                                       const char* name, tn_i64_list_t list, size_t count);
TN_MUST_USE tn_status_t tn__rule_at_least(const tn_op_use_t* use, const char* constraint,
                                          const char* name, tn_i64_list_t list, int64_t minimum);

// "[0, 2, 1]" for messages.
tn_type_text_t tn__list_text(tn_i64_list_t list);
#define TN_LIST_TEXT(list) tn__list_text(list).text

// --- regions

// The region takes `arguments` and gives `results`, all of them.
TN_MUST_USE tn_status_t tn__rule_region(const tn_op_use_t* use, size_t region,
                                        const char* constraint, const char* role,
                                        size_t argument_count, const tn_type_t* const* arguments,
                                        size_t result_count, const tn_type_t* const* results);
// What reduce and reduce_window fold: tensors of one shape, then as many initial values, each a
// scalar of the element type of its input. `*out_count` is the number of inputs.
TN_MUST_USE tn_status_t tn__rule_folded(const tn_op_use_t* use, const char* count_constraint,
                                        const char* shape_constraint, const char* dtype_constraint,
                                        size_t* out_count);
// A folding computation over `count` operands: (E0.., E0..) -> (E0..), all scalars, where the
// elements of operand i promote to Ei. `out_dtypes` takes the Ei.
TN_MUST_USE tn_status_t tn__rule_folding(const tn_op_use_t* use, size_t region,
                                         const char* constraint, const char* role, size_t count,
                                         const tn_type_t* const* operands, tn_dtype_t* out_dtypes);

// --- results

TN_MUST_USE tn_status_t tn__give(const tn_op_use_t* use, tn_op_results_t* results,
                                 const char* constraint, const tn_type_t* type);
TN_MUST_USE tn_status_t tn__give_tensor(const tn_op_use_t* use, tn_op_results_t* results,
                                        const char* constraint, tn_dtype_t dtype, size_t rank,
                                        const int64_t* dims);

#endif  // TENON_OPS_RULE_H_
