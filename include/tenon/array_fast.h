// The operations of mlx.core.fast: parts of networks, composed of other operations.
#ifndef TENON_ARRAY_FAST_H_
#define TENON_ARRAY_FAST_H_

#include <tenon/array.h>

TN_EXTERN_C_BEGIN

// x / sqrt(mean(x * x) + eps) over the last axis, times weight. Computed in float32. `weight` has
// one dimension; NULL: none.
TN_API tn_array_t* tn_array_rms_norm(tn_scope_t* scope, tn_array_t* x, tn_array_t* weight,
                                     double eps);
// (x - mean) / sqrt(variance + eps) over the last axis, times weight, plus bias. Computed in
// float32. NULL: none.
TN_API tn_array_t* tn_array_layer_norm(tn_scope_t* scope, tn_array_t* x, tn_array_t* weight,
                                       tn_array_t* bias, double eps);
// Rotary positions of x [batch, ..., length, features]: the first `dims` features are turned by
// (position + offset) * scale / frequency. `freqs`: dims / 2 of them; NULL: base^(2 i / dims).
// `offset`: an integer, or one for each of the batch. traditional: neighbours are turned together,
// and not the first half with the second.
TN_API tn_array_t* tn_array_rope(tn_scope_t* scope, tn_array_t* x, int64_t dims, bool traditional,
                                 double base, double scale, tn_array_t* offset, tn_array_t* freqs);

typedef struct tn_attention {
  double scale;      // of the queries
  tn_array_t* mask;  // boolean, or added to the scores; broadcasts to [batch, heads, queries, keys]
  bool causal;       // a query sees no key behind it; the last query goes with the last key
  tn_array_t* sinks;  // of each head; NULL: none
} tn_attention_t;
// softmax(queries @ keys^T) @ values, of [batch, heads, length, features]; keys and values may have
// fewer heads, by a whole factor. The softmax is computed in float32.
TN_API tn_array_t* tn_array_scaled_dot_product_attention(tn_scope_t* scope, tn_array_t* queries,
                                                         tn_array_t* keys, tn_array_t* values,
                                                         const tn_attention_t* how);
// A memory of rank-1 updates that fades: with the state S of each value head, first
// `initial_state` (NULL: zeros), for each time S = gamma * S; S += beta * (v - S k) k^T; the output
// is S q. q and k are [batch, time, key heads, key size], v [batch, time, value heads, value size],
// whose heads are a whole multiple of the others', gamma and beta broadcast to [batch, time, value
// heads], the state is [batch, value heads, value size, key size]. `mask`, boolean and [batch,
// time], or NULL: at times that it leaves out the state stays and the output is 0. Computed in
// float32; the outputs have the dtype that q, k and v are promoted to, the final state is float32.
// Adds some twenty steps for each time.
TN_API void tn_array_gated_delta_update(tn_scope_t* scope, tn_array_t* q, tn_array_t* k,
                                        tn_array_t* v, tn_array_t* gamma, tn_array_t* beta,
                                        tn_array_t* initial_state, tn_array_t* mask,
                                        tn_array_t** out_outputs, tn_array_t** out_state);
// logsumexp(logits) - logits[target] over the last axis, float32. The targets have the shape of the
// logits without that axis.
TN_API tn_array_t* tn_array_cross_entropy(tn_scope_t* scope, tn_array_t* logits,
                                          tn_array_t* targets);

TN_EXTERN_C_END

#endif  // TENON_ARRAY_FAST_H_
