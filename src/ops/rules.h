// The rules that rows of ops.def name; each is defined in the file of its family.
#ifndef TENON_OPS_RULES_H_
#define TENON_OPS_RULES_H_

#include "ops/rule.h"

typedef tn_status_t tn_infer_rule_t(const tn_op_use_t* use, tn_op_results_t* results);
typedef tn_status_t tn_verify_rule_t(const tn_op_use_t* use);

// elementwise.c
tn_infer_rule_t tn__infer_any, tn__infer_number, tn__infer_signed_number, tn__infer_integer,
    tn__infer_bool_or_integer, tn__infer_float, tn__infer_float_or_complex,
    tn__infer_reduce_precision, tn__infer_abs, tn__infer_real, tn__infer_imag, tn__infer_is_finite,
    tn__infer_complex, tn__infer_compare, tn__infer_clamp, tn__infer_select;
tn_verify_rule_t tn__verify_convert, tn__verify_uniform_quantize, tn__verify_uniform_dequantize;

// shape.c
tn_infer_rule_t tn__infer_constant, tn__infer_broadcast, tn__infer_transpose, tn__infer_reverse,
    tn__infer_get_dimension_size;
tn_verify_rule_t tn__verify_iota, tn__verify_dynamic_iota, tn__verify_broadcast_in_dim,
    tn__verify_dynamic_broadcast_in_dim, tn__verify_reshape, tn__verify_dynamic_reshape,
    tn__verify_bitcast_convert, tn__verify_set_dimension_size;

// slice.c
tn_infer_rule_t tn__infer_slice, tn__infer_dynamic_slice, tn__infer_dynamic_update_slice,
    tn__infer_concatenate, tn__infer_pad;
tn_verify_rule_t tn__verify_real_dynamic_slice, tn__verify_dynamic_pad;

// contract.c
tn_infer_rule_t tn__infer_dot_general, tn__infer_dot;

// reduce.c
tn_infer_rule_t tn__infer_reduce;

// gather.c
tn_infer_rule_t tn__infer_gather;

// control.c
tn_infer_rule_t tn__infer_if, tn__infer_case, tn__infer_while, tn__infer_nothing, tn__infer_tuple,
    tn__infer_get_tuple_element, tn__infer_optimization_barrier, tn__infer_after_all,
    tn__infer_token, tn__infer_process_id;

// call.c
tn_verify_rule_t tn__verify_custom_call, tn__verify_composite, tn__verify_call;

// check.c
tn_verify_rule_t tn__verify_expect_eq, tn__verify_expect_eq_const, tn__verify_expect_almost_eq,
    tn__verify_expect_almost_eq_const, tn__verify_expect_close;

#endif  // TENON_OPS_RULES_H_
