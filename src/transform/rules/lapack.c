// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Rules of LAPACK's routines, as tn__lapack calls them: with every matrix transposed.
#include <string.h>

#include "call/operation.h"
#include "transform/rules/matrix.h"

typedef struct tn_routine {
  const tn_rule_t* rule;
  tn_array_t* const* results;
} tn_routine_t;

static bool is_lapack(const tn_rule_t* rule) {
  return strncmp(rule->name, "lapack_", strlen("lapack_")) == 0;
}

static bool is_routine(const tn_rule_t* rule, const char* name) {
  enum { PREFIX = sizeof "lapack_d" - 1, SUFFIX = sizeof "_ffi" - 1 };
  const size_t length = strlen(name);
  return strlen(rule->name) == PREFIX + length + SUFFIX && is_lapack(rule) &&
         memcmp(rule->name + PREFIX, name, length) == 0;
}

static int64_t letter_of(const tn_rule_t* rule, const char* name) {
  const tn_attr_t* letter = tn__rule_attribute(rule, name);
  return letter ? letter->integer : 0;
}

static tn_array_t* multiply_all(tn_scope_t* scope, tn_array_t* a, tn_array_t* b, tn_array_t* c) {
  return tn_array_matmul(scope, tn_array_matmul(scope, a, b), c);
}

// A matrix that LAPACK has column by column, under the shape of the matrix; and back.
static tn_array_t* from_columns(tn_scope_t* scope, tn_array_t* x) {
  int64_t dims[TN_MAX_RANK];
  memcpy(dims, x->dims, x->rank * sizeof *dims);
  dims[x->rank - 1] = x->dims[x->rank - 2];
  dims[x->rank - 2] = x->dims[x->rank - 1];
  return tn_array_matrix_transpose(scope, tn_array_reshape(scope, x, x->rank, dims));
}

static tn_array_t* to_columns(tn_scope_t* scope, tn_array_t* x) {
  return tn_array_reshape(scope, tn_array_matrix_transpose(scope, x), x->rank, x->dims);
}

// The matrix in one corner of a larger one of zeros.
static tn_array_t* in_corner(tn_scope_t* scope, tn_array_t* x, int64_t size, bool is_last) {
  int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
  for (size_t d = x->rank - 2; d < x->rank; ++d)
    *(is_last ? &low[d] : &high[d]) = size - x->dims[d];
  return tn_array_pad(scope, x, low, high, TN_PAD_CONSTANT, NULL);
}

// From P A = L U follows L^-1 P dA U^-1 = L^-1 dL + dU U^-1: a triangle below the diagonal, and one
// from it on. Of matrices that are not square the longer factor is made square by a unit matrix in
// the last corner.
static tn_status_t change_lu(void* user, tn_scope_t* scope, size_t input_count,
                             tn_array_t* const* inputs, size_t output_count,
                             tn_array_t** out_outputs) {
  static const tn_triangle_t lower = {.is_left = true, .is_lower = true, .is_unit = true};
  static const tn_triangle_t upper = {.is_left = false, .is_lower = false};
  static const int64_t last[] = {-1};
  const tn_routine_t* r = user;
  (void)input_count, (void)output_count;
  tn_array_t *factors = from_columns(scope, r->results[0]), *left = factors, *right = factors;
  const int64_t height = factors->dims[factors->rank - 2], width = factors->dims[factors->rank - 1];
  tn_array_t* rows = tn__rows_of_pivots(scope, factors, r->results[1]);
  rows = tn_array_expand_dims(scope, rows, 1, last);
  tn_array_t* change = from_columns(scope, inputs[0]);
  change = tn_array_take_along_axis(scope, change, rows, -2);
  if (height > width) {
    left = in_corner(scope, factors, height, false);
    right = tn__leading_block(scope, factors, width, width);
  } else if (height < width) {
    tn_array_t* unit = tn_array_identity(scope, factors->dtype, width - height);
    left = tn__leading_block(scope, factors, height, height);
    right = tn_array_add(scope, in_corner(scope, factors, width, false),
                         in_corner(scope, unit, width, true));
  }
  change = tn__solve_triangle(scope, left, change, lower);
  change = tn__solve_triangle(scope, right, change, upper);
  tn_array_t* below = tn_array_tril(scope, change, -1);
  tn_array_t* above = tn_array_triu(scope, change, 0);
  below = tn_array_add(scope, below, tn_array_matmul(scope, tn_array_tril(scope, left, -1), below));
  above = tn_array_matmul(scope, above, tn_array_triu(scope, right, 0));
  out_outputs[0] = to_columns(scope, tn_array_add(scope, below, above));
  return TN_OK;
}

// 1 / (w_j - w_i), zeros on the diagonal.
static tn_array_t* reciprocal_gaps(tn_scope_t* scope, tn_array_t* values) {
  static const int64_t row[] = {-2}, column[] = {-1};
  const int64_t size = values->dims[values->rank - 1];
  tn_array_t* gaps = tn_array_subtract(scope, tn_array_expand_dims(scope, values, 1, row),
                                       tn_array_expand_dims(scope, values, 1, column));
  tn_array_t* unit = tn_array_identity(scope, values->dtype, size);
  tn_array_t* one = tn_array_scalar(scope, values->dtype, 1);
  return tn_array_multiply(scope, tn_array_subtract(scope, one, unit),
                           tn_array_reciprocal(scope, tn_array_add(scope, gaps, unit)));
}

// Of a Hermitian matrix of which one triangle is read. The vectors turn towards each other the
// faster the closer their values are.
static tn_status_t change_eigen(void* user, tn_scope_t* scope, size_t input_count,
                                tn_array_t* const* inputs, size_t output_count,
                                tn_array_t** out_outputs) {
  const tn_routine_t* r = user;
  const bool is_upper = letter_of(r->rule, "uplo") == 'U';
  tn_array_t *values = r->results[1], *vectors = NULL;
  (void)input_count, (void)output_count;
  if (letter_of(r->rule, "mode") == 'V') {
    vectors = tn_array_matrix_transpose(scope, r->results[0]);
  } else {
    tn_array_t* x = tn_array_matrix_transpose(scope, r->rule->operands[0]);
    tn_array_linalg_eigh(scope, x, is_upper, &values, &vectors);
  }
  tn_array_t* change = tn_array_matrix_transpose(scope, inputs[0]);
  if (is_upper) change = tn__adjoint(scope, change);
  change = tn_array_multiply(scope, change, tn__triangle_halves(scope, change));
  change = tn_array_add(scope, change, tn__adjoint(scope, change));
  change = multiply_all(scope, tn__adjoint(scope, vectors), change, vectors);
  tn_array_t* gaps = tn_array_astype(scope, reciprocal_gaps(scope, values), change->dtype);
  tn_array_t* turning = tn_array_matmul(scope, vectors, tn_array_multiply(scope, change, gaps));
  out_outputs[0] = tn_array_matrix_transpose(scope, turning);
  out_outputs[1] = tn_array_real(scope, tn_array_diagonal(scope, change, 0, -2, -1));
  return TN_OK;
}

// a x = b of complex numbers, as a system of their parts.
static tn_array_t* solve_complex(tn_scope_t* scope, tn_array_t* a, tn_array_t* b) {
  const int64_t size = a->dims[a->rank - 1];
  tn_array_t *real = tn_array_real(scope, a), *imaginary = tn_array_imag(scope, a);
  tn_array_t* top[] = {real, tn_array_negative(scope, imaginary)};
  tn_array_t* bottom[] = {imaginary, real};
  tn_array_t* whole[] = {tn_array_concatenate(scope, 2, top, -1),
                         tn_array_concatenate(scope, 2, bottom, -1)};
  tn_array_t* right[] = {tn_array_real(scope, b), tn_array_imag(scope, b)};
  tn_array_t* x = tn_array_linalg_solve(scope, tn_array_concatenate(scope, 2, whole, -2),
                                        tn_array_concatenate(scope, 2, right, -2));
  const tn_index_t first[] = {TN_ELLIPSIS, TN_SLICE(0, size), TN_ALL};
  const tn_index_t second[] = {TN_ELLIPSIS, TN_SLICE(size, 2 * size), TN_ALL};
  tn_array_t* parts[] = {tn_array_index(scope, x, 3, first), tn_array_index(scope, x, 3, second)};
  return tn__apply(scope, TN__OP(complex), 2, parts, b->dtype, b->rank, b->dims);
}

// Each of `changes`, of values in one order, where the value is in another order.
static tn_array_t* in_order_of(tn_scope_t* scope, tn_array_t* values, tn_array_t* others,
                               tn_array_t* changes) {
  static const int64_t row[] = {-2}, column[] = {-1};
  tn_array_t* gaps = tn_array_subtract(scope, tn_array_expand_dims(scope, values, 1, column),
                                       tn_array_expand_dims(scope, others, 1, row));
  tn_array_t* places = tn_array_argmin(scope, tn_array_abs(scope, gaps), -1, false);
  return tn_array_take_along_axis(scope, changes, places, -1);
}

// Of any square matrix. V^-1 dA V has the changes of the values on its diagonal, and beside it how
// much of each vector goes to each other one. Vectors keep their length, and do not turn in the
// plane of complex numbers.
static tn_status_t change_general_eigen(void* user, tn_scope_t* scope, size_t input_count,
                                        tn_array_t* const* inputs, size_t output_count,
                                        tn_array_t** out_outputs) {
  static const int64_t row[] = {-2};
  const tn_routine_t* r = user;
  const bool has_vectors = letter_of(r->rule, "compute_right") == 'V';
  const bool is_complex = output_count == 3;
  (void)input_count;
  tn_array_t *values = r->results[0], *vectors = NULL, *own_values = NULL;
  if (!is_complex) {
    const tn_array_t* left = r->results[2];
    values =
        tn__apply(scope, TN__OP(complex), 2, r->results, left->dtype, values->rank, values->dims);
  }
  if (has_vectors) {
    own_values = values;
    vectors = tn_array_matrix_transpose(scope, r->results[output_count - 1]);
  } else {
    tn_array_t* x = tn_array_matrix_transpose(scope, r->rule->operands[0]);
    tn_array_linalg_eig(scope, x, &own_values, &vectors);
  }
  tn_array_t* change = tn_array_matrix_transpose(scope, inputs[0]);
  change = tn_array_matmul(scope, tn_array_astype(scope, change, vectors->dtype), vectors);
  change = solve_complex(scope, vectors, change);
  tn_array_t* of_values = tn_array_diagonal(scope, change, 0, -2, -1);
  if (!has_vectors) of_values = in_order_of(scope, values, own_values, of_values);
  tn_array_t* gaps = reciprocal_gaps(scope, own_values);
  change = tn_array_matmul(scope, vectors, tn_array_multiply(scope, change, gaps));
  tn_array_t* along = tn_array_multiply(scope, tn_array_conjugate(scope, vectors), change);
  along = tn_array_multiply(scope, vectors, tn_array_sum(scope, along, 1, row, true));
  change = tn_array_subtract(scope, change, along);
  out_outputs[0] = is_complex ? of_values : tn_array_real(scope, of_values);
  if (!is_complex) out_outputs[1] = tn_array_imag(scope, of_values);
  out_outputs[output_count - 2] = tn__zeros_like(scope, r->results[output_count - 2]);
  out_outputs[output_count - 1] = has_vectors ? tn_array_matrix_transpose(scope, change)
                                              : tn__zeros_like(scope, r->results[output_count - 1]);
  return TN_OK;
}

// What turns each vector by itself, in the plane of complex numbers: nothing of real ones.
static tn_array_t* phases(tn_scope_t* scope, tn_array_t* change, tn_array_t* values) {
  tn_array_t* unit = tn_array_identity(scope, values->dtype, values->dims[values->rank - 1]);
  static const int64_t row[] = {-2};
  tn_array_t* halved = tn_array_divide(scope, unit, tn_array_expand_dims(scope, values, 1, row));
  halved = tn_array_multiply(scope, halved, tn__number_like(scope, halved, 0.5));
  tn_array_t* skew = tn_array_subtract(scope, change, tn__adjoint(scope, change));
  return tn_array_multiply(scope, skew, tn_array_astype(scope, halved, change->dtype));
}

// How all vectors of one side turn: `inner` says it of those that have values, `outer` how much of
// them goes to the others, which answer by turning back.
static tn_array_t* turn_all(tn_scope_t* scope, tn_array_t* vectors, tn_array_t* inner,
                            tn_array_t* outer) {
  if (!outer) return tn_array_matmul(scope, vectors, inner);
  const size_t row = outer->rank - 2;
  int64_t low[TN_MAX_RANK] = {0}, high[TN_MAX_RANK] = {0};
  high[row] = outer->dims[row];
  tn_array_t* back = tn_array_negative(scope, tn__adjoint(scope, outer));
  back = tn_array_pad(scope, back, low, high, TN_PAD_CONSTANT, NULL);
  tn_array_t* forth[] = {inner, outer};
  tn_array_t* columns[] = {tn_array_concatenate(scope, 2, forth, -2), back};
  return tn_array_matmul(scope, vectors, tn_array_concatenate(scope, 2, columns, -1));
}

// Singular values and vectors. U* dA V says how much of each vector goes to each other one. Vectors
// of the longer side that have no value turn as little as they can.
static tn_status_t change_singular(void* user, tn_scope_t* scope, size_t input_count,
                                   tn_array_t* const* inputs, size_t output_count,
                                   tn_array_t** out_outputs) {
  static const int64_t row[] = {-2}, column[] = {-1};
  const tn_routine_t* r = user;
  (void)input_count;
  tn_array_t *values = r->results[1], *u = NULL, *v = NULL, *more_u = NULL, *more_v = NULL;
  if (letter_of(r->rule, "mode") == 'A') {
    u = from_columns(scope, r->results[2]);
    v = tn__adjoint(scope, from_columns(scope, r->results[3]));
  } else {
    tn_array_linalg_svd(scope, from_columns(scope, r->rule->operands[0]), &u, &values, &v);
    v = tn__adjoint(scope, v);
  }
  const int64_t side = values->dims[values->rank - 1];
  const int64_t height = u->dims[u->rank - 1], width = v->dims[v->rank - 1];
  tn_array_t* all = multiply_all(scope, tn__adjoint(scope, u), from_columns(scope, inputs[0]), v);
  tn_array_t* change = tn__leading_block(scope, all, side, side);
  out_outputs[0] = tn__zeros_like(scope, inputs[0]);
  out_outputs[1] = tn_array_real(scope, tn_array_diagonal(scope, change, 0, -2, -1));
  if (output_count == 2) return TN_OK;
  tn_array_t* gaps = reciprocal_gaps(scope, tn_array_square(scope, values));
  gaps = tn_array_astype(scope, gaps, change->dtype);
  tn_array_t* along = tn_array_astype(scope, values, change->dtype);
  tn_array_t* along_row = tn_array_expand_dims(scope, along, 1, row);
  tn_array_t* of_u = tn_array_multiply(scope, change, along_row);
  tn_array_t* of_v =
      tn_array_multiply(scope, change, tn_array_expand_dims(scope, along, 1, column));
  of_u = tn_array_multiply(scope, tn_array_add(scope, of_u, tn__adjoint(scope, of_u)), gaps);
  of_v = tn_array_multiply(scope, tn_array_add(scope, of_v, tn__adjoint(scope, of_v)), gaps);
  if (tn_issubdtype(change->dtype, TN_CATEGORY_COMPLEX_FLOATING)) {
    of_u = tn_array_add(scope, of_u, phases(scope, change, values));
  }
  if (height > side) {
    const tn_index_t items[] = {TN_ELLIPSIS, TN_SLICE(side, height), TN_ALL};
    more_u = tn_array_divide(scope, tn_array_index(scope, all, 3, items), along_row);
  } else if (width > side) {
    const tn_index_t items[] = {TN_ELLIPSIS, TN_SLICE(side, width)};
    more_v = tn__adjoint(scope, tn_array_index(scope, all, 2, items));
    more_v = tn_array_divide(scope, more_v, along_row);
  }
  out_outputs[2] = from_columns(scope, turn_all(scope, u, of_u, more_u));
  out_outputs[3] = from_columns(scope, tn__adjoint(scope, turn_all(scope, v, of_v, more_v)));
  return TN_OK;
}

typedef tn_status_t (*change_fn)(void* user, tn_scope_t* scope, size_t input_count,
                                 tn_array_t* const* inputs, size_t output_count,
                                 tn_array_t** out_outputs);

// How the first *out_count results of a routine change; the others are integers. NULL: that is not
// known.
static change_fn find_change(const tn_rule_t* rule, size_t* out_count) {
  if (is_routine(rule, "syevd") || is_routine(rule, "heevd")) {
    *out_count = 2;
    return change_eigen;
  }
  if (is_routine(rule, "getrf")) {
    *out_count = 1;
    return change_lu;
  }
  if (is_routine(rule, "gesdd")) {
    *out_count = letter_of(rule, "mode") == 'A' ? 4 : 2;
    return change_singular;
  }
  if (is_routine(rule, "geev")) {
    *out_count = rule->result_count - 1;
    return change_general_eigen;
  }
  return NULL;
}

tn_status_t tn__jvp_custom_call(const tn_rule_t* rule, const tn_jvp_call_t* call) {
  tn_routine_t routine = {rule, call->outputs};
  size_t count = 0;
  const change_fn change = find_change(rule, &count);
  if (!change) return tn__step_no_rule(tn__rule_step(rule), "jvp");
  for (size_t i = 0; i < rule->result_count; ++i) call->out_tangents[i] = NULL;
  return change(&routine, rule->scope, 1, call->tangents, count, call->out_tangents);
}

tn_status_t tn__vjp_custom_call(const tn_rule_t* rule, const tn_vjp_call_t* call) {
  tn_routine_t routine = {rule, call->outputs};
  size_t count = 0;
  const tn_closure_t change = {find_change(rule, &count), &routine};
  if (!change.call) return tn__step_no_rule(tn__rule_step(rule), "vjp");
  tn_array_t* anywhere = tn__zeros_like(rule->scope, rule->operands[0]);
  return tn_vjp(rule->scope, &change, 1, &anywhere, count, call->cotangents, NULL,
                call->out_cotangents);
}

// The routines take any number of dimensions before the matrices, random words before the keys.
tn_status_t tn__vmap_custom_call(const tn_rule_t* rule, const tn_vmap_call_t* call) {
  const tn_step_t* step = tn__rule_step(rule);
  tn_array_t* operands[TN_LAPACK_LIMIT];
  tn_array_type_t types[TN_LAPACK_LIMIT];
  int64_t dims[TN_LAPACK_LIMIT][TN_MAX_RANK];
  if (!(is_lapack(rule) || step->op == tn__op_random_words) ||
      rule->operand_count > TN_LAPACK_LIMIT || rule->result_count > TN_LAPACK_LIMIT) {
    return tn__step_no_rule(step, "vmap");
  }
  for (size_t i = 0; i < rule->operand_count; ++i) operands[i] = tn__batched(rule, call, i);
  for (size_t i = 0; i < rule->result_count; ++i) {
    const tn_array_type_t* type = &rule->result_types[i];
    if (type->rank == TN_MAX_RANK) {
      return tn_status_create(TN_CODE_INVALID_ARGUMENT, "%s: no room for the batch", rule->name);
    }
    dims[i][0] = call->batch_size;
    if (type->rank) memcpy(dims[i] + 1, type->dims, type->rank * sizeof *type->dims);
    types[i] = (tn_array_type_t){type->dtype, type->rank + 1, dims[i]};
    call->out_axes[i] = 0;
  }
  const tn_step_spec_t spec = {
      .op = step->op,
      .operand_count = rule->operand_count,
      .operands = operands,
      .attributes = step->attributes,
      .result_count = rule->result_count,
      .result_types = types,
  };
  tn__step_add(rule->scope, &spec, call->out_results);
  return TN_OK;
}
