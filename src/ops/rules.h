// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

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

// einsum.c
tn_infer_rule_t tn__infer_einsum, tn__infer_unary_einsum;

// convolution.c
tn_infer_rule_t tn__infer_convolution;
tn_verify_rule_t tn__verify_dynamic_conv;

// window.c
tn_infer_rule_t tn__infer_reduce_window, tn__infer_select_and_scatter;

// reduce.c
tn_infer_rule_t tn__infer_reduce, tn__infer_map, tn__infer_sort;

// gather.c
tn_infer_rule_t tn__infer_gather, tn__infer_torch_index_select;
tn_verify_rule_t tn__verify_dynamic_gather;

// scatter.c
tn_infer_rule_t tn__infer_scatter;

// linalg.c
tn_infer_rule_t tn__infer_cholesky, tn__infer_triangular_solve, tn__infer_fft;

// norm.c
tn_infer_rule_t tn__infer_batch_norm_inference, tn__infer_batch_norm_training,
    tn__infer_batch_norm_grad;

// random.c
tn_verify_rule_t tn__verify_rng, tn__verify_rng_bit_generator;

// collective.c
tn_infer_rule_t tn__infer_all_reduce, tn__infer_all_to_all, tn__infer_collective_broadcast,
    tn__infer_collective_reduce, tn__infer_cross_replica_sum;
tn_verify_rule_t tn__verify_all_gather, tn__verify_reduce_scatter;

// transfer.c
tn_infer_rule_t tn__infer_collective_permute, tn__infer_send, tn__infer_outfeed,
    tn__infer_async_start, tn__infer_async_done;
tn_verify_rule_t tn__verify_recv, tn__verify_infeed;

// fusion.c
tn_infer_rule_t tn__infer_fusion;

// control.c
tn_infer_rule_t tn__infer_if, tn__infer_case, tn__infer_while, tn__infer_nothing, tn__infer_tuple,
    tn__infer_get_tuple_element, tn__infer_optimization_barrier, tn__infer_after_all,
    tn__infer_token, tn__infer_process_id;

// call.c
tn_verify_rule_t tn__verify_custom_call, tn__verify_composite, tn__verify_call;

// chlo.c
tn_infer_rule_t tn__infer_is_infinite, tn__infer_top_k, tn__infer_ragged_dot, tn__infer_scan;

// check.c
tn_verify_rule_t tn__verify_expect_eq, tn__verify_expect_eq_const, tn__verify_expect_almost_eq,
    tn__verify_expect_almost_eq_const, tn__verify_expect_close;

#endif  // TENON_OPS_RULES_H_
