// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The operations of mlx.core.fast: building blocks of neural networks, composed of other
// operations.
#ifndef TENON_DETAIL_ARRAY_FAST_H_
#define TENON_DETAIL_ARRAY_FAST_H_

#include <tenon/detail/array.h>

TN_EXTERN_C_BEGIN

// x / sqrt(mean(x * x) + eps) * weight over the last axis, computed in float32. `weight` is 1-D, or
// NULL for no scaling.
TN_API tn_array_t* tn_array_rms_norm(tn_scope_t* scope, tn_array_t* x,
                                     tn_array_t* weight TN_DEFAULT(NULL),
                                     double eps TN_DEFAULT(1e-5));
// (x - mean) / sqrt(variance + eps) * weight + bias over the last axis, computed in float32.
// `weight` and `bias` may be NULL.
TN_API tn_array_t* tn_array_layer_norm(tn_scope_t* scope, tn_array_t* x,
                                       tn_array_t* weight TN_DEFAULT(NULL),
                                       tn_array_t* bias TN_DEFAULT(NULL),
                                       double eps TN_DEFAULT(1e-5));
// Rotary position embedding of a [batch, ..., length, features]: rotates the first `dims` features
// by (position + offset) * scale / frequency. `freqs`: dims / 2 frequencies; NULL: base^(2 i /
// dims). `offset`: an integer scalar, or one for each batch element. traditional: rotates pairs of
// adjacent features instead of pairs from the first and second half.
TN_API tn_array_t* tn_array_rope(tn_scope_t* scope, tn_array_t* a, int64_t dims,
                                 bool traditional TN_DEFAULT(false), double base TN_DEFAULT(10000),
                                 double scale TN_DEFAULT(1), tn_array_t* offset,
                                 tn_array_t* freqs TN_DEFAULT(NULL))
    TN_ORDER(a, dims, offset, traditional, base, scale, freqs);

typedef struct tn_attention {
  size_t struct_size;  // sizeof(tn_attention_t)
  double scale;        // of the queries
  // Boolean, or added to the scores; broadcasts to [batch, heads, queries, keys].
  tn_array_t* mask TN_DEFAULT(NULL);
  // Queries attend to keys at or before their position; the last query is aligned with the last
  // key.
  bool causal TN_DEFAULT(false);
  // Attention sinks, one for each head; NULL: none.
  tn_array_t* sinks TN_DEFAULT(NULL);
} tn_attention_t;
// softmax(scale * q @ k^T) @ v, for queries, keys and values [batch, heads, length, features]. The
// number of query heads is a multiple of that of keys and values (grouped-query attention). The
// softmax is computed in float32.
TN_API tn_array_t* tn_array_scaled_dot_product_attention(tn_scope_t* scope, tn_array_t* q,
                                                         tn_array_t* k, tn_array_t* v,
                                                         const tn_attention_t* options);
// Gated delta rule: with a state S for each value head, initially `initial_state` (NULL: zeros),
// each time step computes S = gamma * S; S += beta * (v - S k) k^T; the output is S q. q and k are
// [batch, time, key heads, key size], v is [batch, time, value heads, value size], where the number
// of value heads is a multiple of that of key heads; gamma and beta broadcast to [batch, time,
// value heads]; the state is [batch, value heads, value size, key size]. `mask` is boolean [batch,
// time] or NULL: at masked-out time steps the state is unchanged and the output is 0. Computed in
// float32; the outputs have the promoted dtype of q, k and v, the final state is float32. Adds
// about twenty nodes to the graph for each time step.
TN_API void tn_array_gated_delta_update(tn_scope_t* scope, tn_array_t* q, tn_array_t* k,
                                        tn_array_t* v, tn_array_t* gamma, tn_array_t* beta,
                                        tn_array_t* initial_state TN_DEFAULT(NULL),
                                        tn_array_t* mask TN_DEFAULT(NULL), tn_array_t** out_outputs,
                                        tn_array_t** out_state);
// logsumexp(logits) - logits[target] over the last axis, float32. The shape of the targets is that
// of the logits without the last axis.
TN_API tn_array_t* tn_array_cross_entropy(tn_scope_t* scope, tn_array_t* logits,
                                          tn_array_t* targets);

TN_EXTERN_C_END

#endif  // TENON_DETAIL_ARRAY_FAST_H_
