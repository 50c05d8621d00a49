// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Random arrays, with the names and results of mlx.core.random.
//
// Results are a pure function of key, shape and dtype. `key` is uint32 of shape [2], from
// tn_array_random_key or tn_array_random_split; NULL: the next key of the scope's own sequence,
// which tn_random_seed restarts.
#ifndef TENON_DETAIL_ARRAY_RANDOM_H_
#define TENON_DETAIL_ARRAY_RANDOM_H_

#include <tenon/detail/array.h>

TN_EXTERN_C_BEGIN

// Seeds the key sequence of a scope; unseeded scopes start at an arbitrary key. Nested scopes have
// their own sequences. A function compiled with tn_closure_compile draws keys once, when it is
// traced.
TN_API void tn_random_seed(tn_scope_t* scope, uint64_t seed);
// A key from a seed.
TN_API tn_array_t* tn_array_random_key(tn_scope_t* scope, uint64_t seed);
// `num` keys, of shape [num, 2].
TN_API tn_array_t* tn_array_random_split(tn_scope_t* scope, tn_array_t* key,
                                         int64_t num TN_DEFAULT(2));

// Uniform bits: uint8, uint16 or uint32 for a width of 1, 2 or 4 bytes.
TN_API tn_array_t* tn_array_random_bits(tn_scope_t* scope, int width TN_DEFAULT(4), size_t rank,
                                        const int64_t* dims TN_DEFAULT(NULL),
                                        tn_array_t* key TN_DEFAULT(NULL))
    TN_ORDER(shape, width, key);
// Uniform in [low, high), which broadcast to the shape; NULL: 0 and 1. `dtype`: a float of up to 32
// bits.
TN_API tn_array_t* tn_array_random_uniform(tn_scope_t* scope, tn_array_t* low TN_DEFAULT(NULL),
                                           tn_array_t* high TN_DEFAULT(NULL),
                                           tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32), size_t rank,
                                           const int64_t* dims TN_DEFAULT(NULL),
                                           tn_array_t* key TN_DEFAULT(NULL))
    TN_ORDER(low, high, shape, dtype, key);
// Normal with mean `loc` and standard deviation `scale`; NULL: 0 and 1. `dtype`: a float of up to
// 32 bits or complex64.
TN_API tn_array_t* tn_array_random_normal(tn_scope_t* scope, tn_array_t* loc TN_DEFAULT(NULL),
                                          tn_array_t* scale TN_DEFAULT(NULL),
                                          tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32), size_t rank,
                                          const int64_t* dims TN_DEFAULT(NULL),
                                          tn_array_t* key TN_DEFAULT(NULL))
    TN_ORDER(shape, dtype, loc, scale, key);
// Normal, truncated to [lower, upper].
TN_API tn_array_t* tn_array_random_truncated_normal(
    tn_scope_t* scope, tn_array_t* lower, tn_array_t* upper,
    tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32), size_t rank, const int64_t* dims TN_DEFAULT(NULL),
    tn_array_t* key TN_DEFAULT(NULL)) TN_ORDER(lower, upper, shape, dtype, key);
// Multivariate normal with `mean` [..., n] and covariance [..., n, n]; float32 of shape dims + [n],
// where the leading dimensions of both broadcast to dims.
TN_API tn_array_t* tn_array_random_multivariate_normal(tn_scope_t* scope, tn_array_t* mean,
                                                       tn_array_t* cov, size_t rank,
                                                       const int64_t* dims TN_DEFAULT(NULL),
                                                       tn_array_t* key TN_DEFAULT(NULL));
// Laplace distribution with mean `loc`.
TN_API tn_array_t* tn_array_random_laplace(tn_scope_t* scope, double loc TN_DEFAULT(0),
                                           double scale TN_DEFAULT(1),
                                           tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32), size_t rank,
                                           const int64_t* dims TN_DEFAULT(NULL),
                                           tn_array_t* key TN_DEFAULT(NULL))
    TN_ORDER(shape, dtype, loc, scale, key);
// Standard Gumbel distribution.
TN_API tn_array_t* tn_array_random_gumbel(tn_scope_t* scope,
                                          tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_F32), size_t rank,
                                          const int64_t* dims TN_DEFAULT(NULL),
                                          tn_array_t* key TN_DEFAULT(NULL))
    TN_ORDER(shape, dtype, key);
// Integers in [low, high).
TN_API tn_array_t* tn_array_random_randint(tn_scope_t* scope, tn_array_t* low, tn_array_t* high,
                                           tn_dtype_t dtype TN_DEFAULT(TN_DTYPE_S32), size_t rank,
                                           const int64_t* dims TN_DEFAULT(NULL),
                                           tn_array_t* key TN_DEFAULT(NULL))
    TN_ORDER(low, high, shape, dtype, key);
// True with probability p, which broadcasts to the shape; NULL: a half.
TN_API tn_array_t* tn_array_random_bernoulli(tn_scope_t* scope, tn_array_t* p TN_DEFAULT(NULL),
                                             size_t rank, const int64_t* dims TN_DEFAULT(NULL),
                                             tn_array_t* key TN_DEFAULT(NULL));
// Samples indices (uint32) along an axis of unnormalised log-probabilities: one for each element of
// the other dimensions, broadcast to `dims`; `dims` NULL: the shape of these dimensions.
TN_API tn_array_t* tn_array_random_categorical(tn_scope_t* scope, tn_array_t* logits,
                                               int64_t axis TN_DEFAULT(-1), size_t rank,
                                               const int64_t* dims TN_DEFAULT(NULL),
                                               tn_array_t* key TN_DEFAULT(NULL));
// `num_samples` samples for each, along a new last dimension.
TN_API tn_array_t* tn_array_random_categorical_samples(tn_scope_t* scope, tn_array_t* logits,
                                                       int64_t axis TN_DEFAULT(-1),
                                                       int64_t num_samples,
                                                       tn_array_t* key TN_DEFAULT(NULL))
    TN_ORDER(logits, num_samples, axis, key);
// A random permutation of 0 to n - 1, uint32.
TN_API tn_array_t* tn_array_random_permutation(tn_scope_t* scope, int64_t n,
                                               tn_array_t* key TN_DEFAULT(NULL));
// x with its elements along an axis randomly permuted.
TN_API tn_array_t* tn_array_random_permute(tn_scope_t* scope, tn_array_t* x,
                                           int64_t axis TN_DEFAULT(0),
                                           tn_array_t* key TN_DEFAULT(NULL));

TN_EXTERN_C_END

#endif  // TENON_DETAIL_ARRAY_RANDOM_H_
