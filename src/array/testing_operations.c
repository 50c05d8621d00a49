// The operations that cases can name, with where their arguments are in a case.
#include <string.h>

#include "array/testing_operations.h"

#define A(i) (it->arrays[i])
#define LIST(i) it->lists[i].count, it->lists[i].values
#define VALUES(i) (it->lists[i].values)
#define AXIS(i) (it->lists[i].values ? *it->lists[i].values : TN_ALL_AXES)
#define COUNT(i) (it->lists[i].count)
// A list of one number that must be there.
#define INTEGER(i) (it->lists[i].numbers[0])
#define BOOL(i) (it->lists[i].numbers[0] != 0)
#define DTYPE(i) ((tn_dtype_t)it->lists[i].numbers[0])
#define R(i) (it->reals[i])

// OPERATION(name, arrays, lists, reals, what it gives)
#define OPERATIONS(X)                                                                             \
  X(allclose, 2, 1, 2, tn_array_allclose(s, A(0), A(1), R(0), R(1), BOOL(0)))                     \
  X(arange, 0, 1, 3, tn_array_arange(s, DTYPE(0), R(0), R(1), R(2)))                              \
  X(argmax, 1, 2, 0, tn_array_argmax(s, A(0), AXIS(0), BOOL(1)))                                  \
  X(argmin, 1, 2, 0, tn_array_argmin(s, A(0), AXIS(0), BOOL(1)))                                  \
  X(argpartition, 1, 2, 0, tn_array_argpartition(s, A(0), INTEGER(0), AXIS(1)))                   \
  X(argsort, 1, 1, 0, tn_array_argsort(s, A(0), AXIS(0)))                                         \
  X(array_equal, 2, 1, 0, tn_array_array_equal(s, A(0), A(1), BOOL(0)))                           \
  X(as_strided, 1, 3, 0, tn_array_as_strided(s, A(0), LIST(0), VALUES(1), INTEGER(2)))            \
  X(astype, 1, 1, 0, tn_array_astype(s, A(0), DTYPE(0)))                                          \
  X(atleast_1d, 1, 0, 0, tn_array_atleast_1d(s, A(0)))                                            \
  X(atleast_2d, 1, 0, 0, tn_array_atleast_2d(s, A(0)))                                            \
  X(atleast_3d, 1, 0, 0, tn_array_atleast_3d(s, A(0)))                                            \
  X(addmm, 3, 0, 2, tn_array_addmm(s, A(0), A(1), A(2), R(0), R(1)))                              \
  X(broadcast_shapes, 0, 1, 0, broadcast_shapes(s, it))                                           \
  X(broadcast_to, 1, 1, 0, tn_array_broadcast_to(s, A(0), LIST(0)))                               \
  X(can_cast, 0, 2, 0, truth(s, tn_can_cast(DTYPE(0), DTYPE(1))))                                 \
  X(clip, 3, 0, 0, tn_array_clip(s, A(0), A(1), A(2)))                                            \
  X(concatenate, 1, 1, 0, tn_array_concatenate(s, it->array_count, it->arrays, INTEGER(0)))       \
  X(contiguous, 1, 0, 0, tn_array_contiguous(s, A(0)))                                            \
  X(conv_general, 2, 7, 0, conv_general(s, it))                                                   \
  X(convolve, 2, 1, 0, tn_array_convolve(s, A(0), A(1), (tn_convolve_mode_t)INTEGER(0)))          \
  X(diag, 1, 1, 0, tn_array_diag(s, A(0), INTEGER(0)))                                            \
  X(diagonal, 1, 3, 0, tn_array_diagonal(s, A(0), INTEGER(0), INTEGER(1), INTEGER(2)))            \
  X(diff, 1, 2, 0, tn_array_diff(s, A(0), INTEGER(0), INTEGER(1)))                                \
  X(empty, 0, 2, 0, tn_array_empty(s, DTYPE(0), LIST(1)))                                         \
  X(empty_like, 1, 0, 0, tn_array_empty_like(s, A(0)))                                            \
  X(expand_dims, 1, 1, 0, tn_array_expand_dims(s, A(0), LIST(0)))                                 \
  X(eye, 0, 4, 0, tn_array_eye(s, DTYPE(0), INTEGER(1), INTEGER(2), INTEGER(3)))                  \
  X(flatten, 1, 2, 0, tn_array_flatten(s, A(0), INTEGER(0), INTEGER(1)))                          \
  X(flip, 1, 1, 0, tn_array_flip(s, A(0), LIST(0)))                                               \
  X(full, 1, 1, 0, tn_array_full(s, LIST(0), A(0)))                                               \
  X(full_like, 2, 0, 0, tn_array_full_like(s, A(0), A(1)))                                        \
  X(gather_mm, 4, 0, 0, tn_array_gather_mm(s, A(0), A(1), A(2), A(3)))                            \
  X(identity, 0, 2, 0, tn_array_identity(s, DTYPE(0), INTEGER(1)))                                \
  X(imported, 1, 1, 0, tn_case_imported(s, it))                                                   \
  X(index, 1, 1, 0, index_with(s, it, NULL, 0))                                                   \
  X(index_update, 2, 2, 0, index_with(s, it, A(1), (tn_scatter_mode_t)INTEGER(1)))                \
  X(inner, 2, 0, 0, tn_array_inner(s, A(0), A(1)))                                                \
  X(isclose, 2, 1, 2, tn_array_isclose(s, A(0), A(1), R(0), R(1), BOOL(0)))                       \
  X(isdtype, 0, 2, 0, truth(s, tn_isdtype(DTYPE(0), WORD(1))))                                    \
  X(kron, 2, 0, 0, tn_array_kron(s, A(0), A(1)))                                                  \
  X(linspace, 0, 3, 2, tn_array_linspace(s, DTYPE(0), R(0), R(1), INTEGER(1), BOOL(2)))           \
  X(matmul, 2, 0, 0, tn_array_matmul(s, A(0), A(1)))                                              \
  X(matrix_transpose, 1, 0, 0, tn_array_matrix_transpose(s, A(0)))                                \
  X(moveaxis, 1, 2, 0, tn_array_moveaxis(s, A(0), INTEGER(0), INTEGER(1)))                        \
  X(nan_to_num, 1, 0, 3, tn_array_nan_to_num(s, A(0), R(0), &R(1), &R(2)))                        \
  X(ones, 0, 2, 0, tn_array_ones(s, DTYPE(0), LIST(1)))                                           \
  X(ones_like, 1, 0, 0, tn_array_ones_like(s, A(0)))                                              \
  X(outer, 2, 0, 0, tn_array_outer(s, A(0), A(1)))                                                \
  X(pad, 2, 3, 0, tn_array_pad(s, A(0), VALUES(0), VALUES(1), (tn_pad_mode_t)INTEGER(2), A(1)))   \
  X(partition_place, 1, 2, 0, partition_place(s, it))                                             \
  X(put_along_axis, 3, 2, 0,                                                                      \
    tn_array_put_along_axis(s, A(0), A(1), A(2), AXIS(0), (tn_scatter_mode_t)INTEGER(1)))         \
  X(repeat, 1, 2, 0, tn_array_repeat(s, A(0), INTEGER(0), AXIS(1)))                               \
  X(reshape, 1, 1, 0, tn_array_reshape(s, A(0), LIST(0)))                                         \
  X(result_type, 0, 1, 0, result_type(s, it))                                                     \
  X(roll, 1, 2, 0, tn_array_roll(s, A(0), LIST(0), VALUES(1)))                                    \
  X(round, 1, 1, 0, tn_array_round(s, A(0), (int)INTEGER(0)))                                     \
  X(searchsorted, 2, 1, 0, tn_array_searchsorted(s, A(0), A(1), BOOL(0)))                         \
  X(slice, 1, 3, 0, tn_array_slice(s, A(0), VALUES(0), VALUES(1), VALUES(2)))                     \
  X(softmax, 1, 2, 0, tn_array_softmax(s, A(0), LIST(0), BOOL(1)))                                \
  X(sort, 1, 1, 0, tn_array_sort(s, A(0), AXIS(0)))                                               \
  X(squeeze, 1, 1, 0, tn_array_squeeze(s, A(0), LIST(0)))                                         \
  X(stack, 1, 1, 0, tn_array_stack(s, it->array_count, it->arrays, INTEGER(0)))                   \
  X(std, 1, 3, 0, tn_array_std(s, A(0), LIST(0), BOOL(1), INTEGER(2)))                            \
  X(swapaxes, 1, 2, 0, tn_array_swapaxes(s, A(0), INTEGER(0), INTEGER(1)))                        \
  X(take, 2, 1, 0, tn_array_take(s, A(0), A(1), AXIS(0)))                                         \
  X(take_along_axis, 2, 1, 0, tn_array_take_along_axis(s, A(0), A(1), AXIS(0)))                   \
  X(tensordot, 2, 2, 0, tn_array_tensordot(s, A(0), A(1), COUNT(0), VALUES(0), VALUES(1)))        \
  X(tile, 1, 1, 0, tn_array_tile(s, A(0), LIST(0)))                                               \
  X(topk_sorted, 1, 2, 0, tn_array_sort(s, tn_array_topk(s, A(0), INTEGER(0), AXIS(1)), AXIS(1))) \
  X(trace, 1, 4, 0, tn_array_trace(s, A(0), INTEGER(0), INTEGER(1), INTEGER(2), DTYPE(3)))        \
  X(transpose, 1, 1, 0, tn_array_transpose(s, A(0), VALUES(0)))                                   \
  X(tri, 0, 4, 0, tn_array_tri(s, DTYPE(0), INTEGER(1), INTEGER(2), INTEGER(3)))                  \
  X(tril, 1, 1, 0, tn_array_tril(s, A(0), INTEGER(0)))                                            \
  X(triu, 1, 1, 0, tn_array_triu(s, A(0), INTEGER(0)))                                            \
  X(unflatten, 1, 2, 0, tn_array_unflatten(s, A(0), INTEGER(0), LIST(1)))                         \
  X(var, 1, 3, 0, tn_array_var(s, A(0), LIST(0), BOOL(1), INTEGER(2)))                            \
  X(vecdot, 2, 1, 0, tn_array_vecdot(s, A(0), A(1), INTEGER(0)))                                  \
  X(view, 1, 1, 0, tn_array_view(s, A(0), DTYPE(0)))                                              \
  X(where, 3, 0, 0, tn_array_where(s, A(0), A(1), A(2)))                                          \
  X(zeros, 0, 2, 0, tn_array_zeros(s, DTYPE(0), LIST(1)))                                         \
  X(zeros_like, 1, 0, 0, tn_array_zeros_like(s, A(0)))                                            \
  X(block_masked_mm, 5, 1, 0,                                                                     \
    tn_array_block_masked_mm(s, A(0), A(1), INTEGER(0), A(2), A(3), A(4)))                        \
  X(from_fp8, 1, 1, 0, tn_array_from_fp8(s, A(0), DTYPE(0)))                                      \
  X(hadamard_transform, 1, 0, 0, tn_array_hadamard_transform(s, A(0), NULL))                      \
  X(segmented_mm, 3, 0, 0, tn_array_segmented_mm(s, A(0), A(1), A(2)))                            \
  X(slice_update, 2, 4, 0,                                                                        \
    tn_array_slice_update(s, A(0), A(1), VALUES(0), VALUES(1), VALUES(2),                         \
                          (tn_scatter_mode_t)INTEGER(3)))                                         \
  X(slice_at, 2, 2, 0, tn_array_slice_at(s, A(0), A(1), LIST(0), VALUES(1)))                      \
  X(slice_update_at, 3, 1, 0, tn_array_slice_update_at(s, A(0), A(1), A(2), LIST(0)))             \
  X(stft, 2, 6, 0, tn_array_stft(s, A(0), &STFT))                                                 \
  X(istft, 2, 6, 0, tn_array_istft(s, A(0), &STFT))                                               \
  X(to_fp8, 1, 0, 0, tn_array_to_fp8(s, A(0)))                                                    \
  X(cross_entropy, 2, 0, 0, tn_array_cross_entropy(s, A(0), A(1)))                                \
  X(einsum, 1, 1, 0, einsum(s, it))                                                               \
  X(einsum_path, 1, 1, 0, einsum_path(s, it))                                                     \
  X(fftfreq, 0, 1, 1, tn_array_fftfreq(s, INTEGER(0), R(0)))                                      \
  X(fftshift, 1, 1, 0, tn_array_fftshift(s, A(0), LIST(0)))                                       \
  X(ifftshift, 1, 1, 0, tn_array_ifftshift(s, A(0), LIST(0)))                                     \
  X(layer_norm, 3, 0, 1, tn_array_layer_norm(s, A(0), A(1), A(2), R(0)))                          \
  X(linalg_cholesky, 1, 1, 0, tn_array_linalg_cholesky(s, A(0), BOOL(0)))                         \
  X(linalg_cholesky_inv, 1, 1, 0, tn_array_linalg_cholesky_inv(s, A(0), BOOL(0)))                 \
  X(linalg_cross, 2, 1, 0, tn_array_linalg_cross(s, A(0), A(1), INTEGER(0)))                      \
  X(linalg_det, 1, 0, 0, tn_array_linalg_det(s, A(0)))                                            \
  X(linalg_eigvalsh, 1, 1, 0, tn_array_linalg_eigvalsh(s, A(0), BOOL(0)))                         \
  X(linalg_eigh_again, 1, 1, 0, eigh_again(s, it))                                                \
  X(linalg_eig_again, 1, 0, 0, eig_again(s, it))                                                  \
  X(linalg_eigvals_sum, 1, 0, 0,                                                                  \
    tn_array_sum(s, tn_array_linalg_eigvals(s, A(0)), 1, (int64_t[]){-1}, false))                 \
  X(linalg_inv, 1, 0, 0, tn_array_linalg_inv(s, A(0)))                                            \
  X(linalg_norm, 1, 3, 1,                                                                         \
    tn_array_linalg_norm(s, A(0), (tn_norm_t)INTEGER(0), R(0), LIST(1), BOOL(2)))                 \
  X(linalg_pinv, 1, 0, 0, tn_array_linalg_pinv(s, A(0)))                                          \
  X(linalg_solve, 2, 0, 0, tn_array_linalg_solve(s, A(0), A(1)))                                  \
  X(linalg_solve_triangular, 2, 1, 0, tn_array_linalg_solve_triangular(s, A(0), A(1), BOOL(0)))   \
  X(linalg_svd_again, 1, 0, 0, svd_again(s, it))                                                  \
  X(linalg_tri_inv, 1, 1, 0, tn_array_linalg_tri_inv(s, A(0), BOOL(0)))                           \
  X(random_bernoulli, 2, 1, 0, tn_array_random_bernoulli(s, A(1), LIST(0), A(0)))                 \
  X(random_bits, 1, 2, 0, tn_array_random_bits(s, (int)INTEGER(0), LIST(1), A(0)))                \
  X(random_categorical, 2, 2, 0, tn_array_random_categorical(s, A(1), INTEGER(0), LIST(1), A(0))) \
  X(random_categorical_samples, 2, 2, 0,                                                          \
    tn_array_random_categorical_samples(s, A(1), INTEGER(0), INTEGER(1), A(0)))                   \
  X(random_default, 0, 2, 0, random_default(s, it))                                               \
  X(random_gumbel, 1, 2, 0, tn_array_random_gumbel(s, DTYPE(0), LIST(1), A(0)))                   \
  X(random_key, 0, 1, 0, tn_array_random_key(s, (uint64_t)INTEGER(0)))                            \
  X(random_laplace, 1, 2, 2, tn_array_random_laplace(s, R(0), R(1), DTYPE(0), LIST(1), A(0)))     \
  X(random_normal, 3, 2, 0, tn_array_random_normal(s, A(1), A(2), DTYPE(0), LIST(1), A(0)))       \
  X(random_multivariate_normal, 3, 1, 0,                                                          \
    tn_array_random_multivariate_normal(s, A(1), A(2), LIST(0), A(0)))                            \
  X(random_permutation, 1, 1, 0, tn_array_random_permutation(s, INTEGER(0), A(0)))                \
  X(random_permute, 2, 1, 0, tn_array_random_permute(s, A(1), INTEGER(0), A(0)))                  \
  X(random_randint, 3, 2, 0, tn_array_random_randint(s, A(1), A(2), DTYPE(0), LIST(1), A(0)))     \
  X(random_split, 1, 1, 0, tn_array_random_split(s, A(0), INTEGER(0)))                            \
  X(random_truncated_normal, 3, 2, 0,                                                             \
    tn_array_random_truncated_normal(s, A(1), A(2), DTYPE(0), LIST(1), A(0)))                     \
  X(random_uniform, 3, 2, 0, tn_array_random_uniform(s, A(1), A(2), DTYPE(0), LIST(1), A(0)))     \
  X(rfftfreq, 0, 1, 1, tn_array_rfftfreq(s, INTEGER(0), R(0)))                                    \
  X(rms_norm, 2, 0, 1, tn_array_rms_norm(s, A(0), A(1), R(0)))                                    \
  X(rope, 3, 2, 2, tn_array_rope(s, A(0), INTEGER(0), BOOL(1), R(0), R(1), A(1), A(2)))           \
  X(scaled_dot_product_attention, 5, 1, 1, attention(s, it))

#define STFT                                          \
  ((tn_stft_t){.struct_size = sizeof(tn_stft_t),      \
               .window = A(1),                        \
               .size = INTEGER(0),                    \
               .hop = INTEGER(1),                     \
               .is_not_centered = !BOOL(2),           \
               .is_two_sided = !BOOL(3),              \
               .pad_mode = (tn_pad_mode_t)INTEGER(4), \
               .length = INTEGER(5)})

// With several results: MANY(name, arrays, lists, reals, the call)
#define OUT (it->results)
#define MANY(X)                                                                                  \
  X(broadcast_arrays, 1, 0, 0, tn_array_broadcast_arrays(s, it->array_count, it->arrays, OUT))   \
  X(depends, 1, 1, 0,                                                                            \
    tn_array_depends(s, (size_t)INTEGER(0), it->arrays, it->array_count - (size_t)INTEGER(0),    \
                     it->arrays + INTEGER(0), OUT))                                              \
  X(gated_delta_update, 7, 0, 0,                                                                 \
    tn_array_gated_delta_update(s, A(0), A(1), A(2), A(3), A(4), A(5), A(6), &OUT[0], &OUT[1]))  \
  X(divmod, 2, 0, 0, tn_array_divmod(s, A(0), A(1), &OUT[0], &OUT[1]))                           \
  X(meshgrid, 1, 2, 0, tn_array_meshgrid(s, it->array_count, it->arrays, BOOL(0), BOOL(1), OUT)) \
  X(minmax, 1, 2, 0, tn_array_minmax(s, A(0), LIST(0), BOOL(1), &OUT[0], &OUT[1]))               \
  X(split, 1, 2, 0, tn_array_split(s, A(0), (size_t)INTEGER(0), INTEGER(1), OUT))                \
  X(split_at, 1, 2, 0, tn_array_split_at(s, A(0), LIST(0), INTEGER(1), OUT))                     \
  X(unstack, 1, 2, 0, tn_array_unstack(s, A(0), INTEGER(0), (size_t)INTEGER(1), OUT))            \
  X(unique, 2, 1, 0,                                                                             \
    tn_array_unique(s, A(0), INTEGER(0), A(1), &OUT[0], &OUT[1], &OUT[2], &OUT[3]))              \
  X(linalg_lu, 1, 0, 0, tn_array_linalg_lu(s, A(0), &OUT[0], &OUT[1], &OUT[2]))                  \
  X(linalg_lu_factor, 1, 0, 0, tn_array_linalg_lu_factor(s, A(0), &OUT[0], &OUT[1]))             \
  X(linalg_qr, 1, 0, 0, tn_array_linalg_qr(s, A(0), &OUT[0], &OUT[1]))                           \
  X(linalg_slogdet, 1, 0, 0, tn_array_linalg_slogdet(s, A(0), &OUT[0], &OUT[1]))

static tn_array_t* conv_general(tn_scope_t* s, tn_case_t* it) {
  const tn_convolution_t options = {.struct_size = sizeof options,
                                    .strides = VALUES(0),
                                    .padding_low = VALUES(1),
                                    .padding_high = VALUES(2),
                                    .kernel_dilations = VALUES(3),
                                    .input_dilations = VALUES(4),
                                    .groups = INTEGER(5),
                                    .flip = BOOL(6)};
  return tn_array_conv_general(s, A(0), A(1), &options);
}

// A list of characters as a word.
typedef struct word {
  char text[TN_CASE_LIST_LIMIT + 1];
} word_t;
static word_t word_in(const tn_case_list_t* list) {
  word_t word = {.text = ""};
  for (size_t i = 0; i < list->count; ++i) word.text[i] = (char)list->numbers[i];
  return word;
}
#define WORD(i) word_in(&it->lists[i]).text

static tn_array_t* truth(tn_scope_t* s, bool value) {
  return tn_array_scalar(s, TN_DTYPE_PRED, value);
}

// Of the shapes in the lists.
static tn_array_t* broadcast_shapes(tn_scope_t* s, tn_case_t* it) {
  size_t ranks[TN_CASE_LIMIT], rank = 0;
  const int64_t* shapes[TN_CASE_LIMIT];
  int64_t dims[TN_MAX_RANK];
  for (size_t i = 0; i < it->list_count; ++i) {
    ranks[i] = COUNT(i);
    shapes[i] = it->lists[i].numbers;
  }
  tn_status_t status = tn_broadcast_shapes(it->list_count, ranks, shapes, &rank, dims);
  if (status) return tn_array_error(s, status);
  const int64_t count = (int64_t)rank;
  return tn_array_from_host(s, TN_DTYPE_S64, 1, &count, dims, rank * sizeof *dims);
}

// The number of the dtype.
static tn_array_t* result_type(tn_scope_t* s, tn_case_t* it) {
  tn_dtype_t dtypes[TN_CASE_LIST_LIMIT];
  for (size_t i = 0; i < COUNT(0); ++i) dtypes[i] = (tn_dtype_t)it->lists[0].numbers[i];
  return tn_array_scalar(s, TN_DTYPE_S32, (double)tn_result_type(COUNT(0), dtypes));
}

// The subscripts are in list 0, as characters.
static tn_array_t* einsum(tn_scope_t* s, tn_case_t* it) {
  return tn_array_einsum(s, WORD(0), it->array_count, it->arrays);
}

// The pairs one behind the other.
static tn_array_t* einsum_path(tn_scope_t* s, tn_case_t* it) {
  size_t pairs[TN_CASE_LIMIT][2];
  int64_t numbers[2 * TN_CASE_LIMIT];
  const int64_t count = it->array_count ? 2 * ((int64_t)it->array_count - 1) : 0;
  tn_status_t status = tn_array_einsum_path(s, WORD(0), it->array_count, it->arrays, pairs);
  if (status) return tn_array_error(s, status);
  for (int64_t i = 0; i < count; ++i) numbers[i] = (int64_t)pairs[i / 2][i % 2];
  return tn_array_from_host(s, TN_DTYPE_S64, 1, &count, numbers, (size_t)count * sizeof *numbers);
}

static tn_array_t* attention(tn_scope_t* s, tn_case_t* it) {
  const tn_attention_t options = {
      .struct_size = sizeof options, .scale = R(0), .mask = A(3), .causal = BOOL(0), .sinks = A(4)};
  return tn_array_scaled_dot_product_attention(s, A(0), A(1), A(2), &options);
}

// Numbers without a key after the scope was seeded; the second of two draws.
static tn_array_t* random_default(tn_scope_t* s, tn_case_t* it) {
  tn_random_seed(s, (uint64_t)INTEGER(0));
  (void)tn_array_random_bits(s, 4, LIST(1), NULL);
  return tn_array_random_bits(s, 4, LIST(1), NULL);
}

// Factors have signs and orders of their own: what they make together has not.
static tn_array_t* svd_again(tn_scope_t* s, tn_case_t* it) {
  tn_array_t *u = NULL, *values = NULL, *vt = NULL;
  tn_array_linalg_svd(s, A(0), &u, &values, &vt);
  const int64_t side = tn_array_dim(values, -1);
  const tn_index_t columns[] = {TN_ELLIPSIS, TN_SLICE(0, side)};
  const tn_index_t rows[] = {TN_ELLIPSIS, TN_SLICE(0, side), TN_ALL};
  values = tn_array_expand_dims(s, values, 1, (int64_t[]){-2});
  u = tn_array_multiply(s, tn_array_index(s, u, 2, columns), values);
  return tn_array_matmul(s, u, tn_array_index(s, vt, 3, rows));
}

static tn_array_t* eigh_again(tn_scope_t* s, tn_case_t* it) {
  tn_array_t *values = NULL, *vectors = NULL;
  tn_array_linalg_eigh(s, A(0), BOOL(0), &values, &vectors);
  values = tn_array_expand_dims(s, values, 1, (int64_t[]){-2});
  return tn_array_matmul(s, tn_array_multiply(s, vectors, values),
                         tn_array_matrix_transpose(s, vectors));
}

static tn_array_t* eig_again(tn_scope_t* s, tn_case_t* it) {
  tn_array_t *values = NULL, *vectors = NULL;
  tn_array_linalg_eig(s, A(0), &values, &vectors);
  values = tn_array_expand_dims(s, values, 1, (int64_t[]){-2});
  return tn_array_subtract(s, tn_array_matmul(s, A(0), vectors),
                           tn_array_multiply(s, vectors, values));
}

// What is at place k of a partition.
static tn_array_t* partition_place(tn_scope_t* s, tn_case_t* it) {
  const tn_array_t* x = A(0);
  if (tn_array_rank(x) != 1) return tn_array_partition(s, A(0), INTEGER(0), AXIS(1));
  return tn_array_index(s, tn_array_partition(s, A(0), INTEGER(0), AXIS(1)), 1, &TN_AT(INTEGER(0)));
}

// Items are in list 0, four numbers each: kind, start, stop, step; arrays are the operands behind
// the first (and the updates).
static tn_array_t* index_with(tn_scope_t* s, tn_case_t* it, tn_array_t* updates,
                              tn_scatter_mode_t mode) {
  tn_index_t items[TN_CASE_LIMIT];
  size_t next = updates ? 2 : 1;
  const size_t count = COUNT(0) / 4;
  for (size_t i = 0; i < count; ++i) {
    const int64_t* numbers = &VALUES(0)[4 * i];
    items[i] = (tn_index_t){.kind = (tn_index_kind_t)numbers[0],
                            .start = numbers[1],
                            .stop = numbers[2],
                            .step = numbers[3]};
    if (items[i].kind == TN_INDEX_ARRAY) items[i].array = A(next++);
  }
  return updates ? tn_array_index_update(s, A(0), count, items, updates, mode)
                 : tn_array_index(s, A(0), count, items);
}

#define ADAPTER(name, arrays, lists, reals, call)        \
  static void run_##name(tn_scope_t* s, tn_case_t* it) { \
    it->results[0] = call;                               \
  }
#define ADAPTER_OF_MANY(name, arrays, lists, reals, call) \
  static void run_##name(tn_scope_t* s, tn_case_t* it) {  \
    call;                                                 \
  }
#define UNARY_ADAPTER(name) ADAPTER(name, 1, 0, 0, tn_array_##name(s, A(0)))
#define BINARY_ADAPTER(name) ADAPTER(name, 2, 0, 0, tn_array_##name(s, A(0), A(1)))
#define REDUCTION_ADAPTER(name) ADAPTER(name, 1, 2, 0, tn_array_##name(s, A(0), LIST(0), BOOL(1)))
#define CUMULATIVE_ADAPTER(name) \
  ADAPTER(name, 1, 3, 0, tn_array_##name(s, A(0), AXIS(0), BOOL(1), BOOL(2)))
#define WINDOW_ADAPTER(name) ADAPTER(name, 0, 1, 0, tn_array_##name(s, INTEGER(0)))
#define FFT_ADAPTER(name)                                                                    \
  ADAPTER(name, 1, 3, 0,                                                                     \
          tn_array_##name(s, A(0), INTEGER(0), INTEGER(1), (tn_fft_norm_t)INTEGER(2)))       \
  ADAPTER(name##n, 1, 3, 0,                                                                  \
          tn_array_##name##n(s, A(0), VALUES(1) ? COUNT(1) : COUNT(0), VALUES(1), VALUES(0), \
                             (tn_fft_norm_t)INTEGER(2)))                                     \
  ADAPTER(name##2, 1, 3, 0,                                                                  \
          tn_array_##name##2(s, A(0), VALUES(1), VALUES(0), (tn_fft_norm_t)INTEGER(2)))
#define CONVOLUTION_ADAPTER(n)                                                                     \
  ADAPTER(conv##n##d, 2, 4, 0,                                                                     \
          tn_array_conv##n##d(s, A(0), A(1), VALUES(0), VALUES(1), VALUES(2), INTEGER(3)))         \
  ADAPTER(conv_transpose##n##d, 2, 5, 0,                                                           \
          tn_array_conv_transpose##n##d(s, A(0), A(1), VALUES(0), VALUES(1), VALUES(2), VALUES(3), \
                                        INTEGER(4)))
OPERATIONS(ADAPTER)
MANY(ADAPTER_OF_MANY)
#define FAMILIES(UNARY, BINARY, REDUCTION, CUMULATIVE, WINDOW, CONVOLUTION, FFT) \
  TN_ARRAY_FLOAT_UNARY(UNARY)                                                    \
  TN_ARRAY_UNARY(UNARY)                                                          \
  TN_ARRAY_PREDICATE(UNARY)                                                      \
  TN_ARRAY_BINARY(BINARY)                                                        \
  TN_ARRAY_FLOAT_BINARY(BINARY)                                                  \
  TN_ARRAY_COMPARISON(BINARY)                                                    \
  TN_ARRAY_LOGICAL(BINARY)                                                       \
  TN_ARRAY_REDUCTION(REDUCTION)                                                  \
  TN_ARRAY_CUMULATIVE(CUMULATIVE)                                                \
  TN_ARRAY_WINDOW(WINDOW)                                                        \
  TN_ARRAY_CONVOLUTION(CONVOLUTION) TN_ARRAY_FFT(FFT)
FAMILIES(UNARY_ADAPTER, BINARY_ADAPTER, REDUCTION_ADAPTER, CUMULATIVE_ADAPTER, WINDOW_ADAPTER,
         CONVOLUTION_ADAPTER, FFT_ADAPTER)

#define ROW(name, arrays, lists, reals, call) {#name, arrays, lists, reals, run_##name},
#define UNARY_ROW(name) {#name, 1, 0, 0, run_##name},
#define BINARY_ROW(name) {#name, 2, 0, 0, run_##name},
#define REDUCTION_ROW(name) {#name, 1, 2, 0, run_##name},
#define CUMULATIVE_ROW(name) {#name, 1, 3, 0, run_##name},
#define WINDOW_ROW(name) {#name, 0, 1, 0, run_##name},
#define FFT_ROW(name)                                                \
  {#name, 1, 3, 0, run_##name}, {#name "n", 1, 3, 0, run_##name##n}, \
      {#name "2", 1, 3, 0, run_##name##2},
#define CONVOLUTION_ROW(n)                  \
  {"conv" #n "d", 2, 4, 0, run_conv##n##d}, \
      {"conv_transpose" #n "d", 2, 5, 0, run_conv_transpose##n##d},

static const tn_case_operation_t operations[] = {OPERATIONS(ROW) MANY(ROW) FAMILIES(
    UNARY_ROW, BINARY_ROW, REDUCTION_ROW, CUMULATIVE_ROW, WINDOW_ROW, CONVOLUTION_ROW, FFT_ROW)};

const tn_case_operation_t* tn_case_operation_at(size_t index) {
  return index < sizeof operations / sizeof *operations ? &operations[index] : NULL;
}

const tn_case_operation_t* tn_case_operation(const char* name) {
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
    if (strcmp(operations[i].name, name) == 0) return &operations[i];
  }
  return NULL;
}

// --- any arguments

static void limit(int64_t* number, int64_t most) {
  if (*number < 0) *number = 0;
  if (*number > most) *number = most;
}

void tn_case_keep_within(const tn_case_operation_t* operation, tn_case_t* it) {
  const char* name = operation->name;
  const bool is_index = strcmp(name, "index") == 0 || strcmp(name, "index_update") == 0;
  if (strcmp(name, "split") == 0) limit(&it->lists[0].numbers[0], TN_CASE_LIMIT);
  if (strcmp(name, "unstack") == 0) limit(&it->lists[1].numbers[0], TN_CASE_LIMIT);
  if (strcmp(name, "depends") == 0) limit(&it->lists[0].numbers[0], (int64_t)it->array_count);
  if (strcmp(name, "split_at") == 0 && it->lists[0].count >= TN_CASE_LIMIT) {
    it->lists[0].count = TN_CASE_LIMIT - 1;
  }
  if (is_index && it->lists[0].count > 4 * 8) it->lists[0].count = 4 * 8;
  for (size_t i = 0; i < TN_CASE_LIMIT; ++i) {
    if (!it->lists[i].values) it->lists[i].count = 0;
  }
}
