// Tenon's own routines under LAPACK's names and with its parameters, for programs that run without
// OpenBLAS: matrices are column by column, everything comes by pointer, `info` is LAPACK's. Each is
// written once (x.inc) for the four types, which x.c includes it with.
//
// They run on the calling thread. Elements of any pair of strides stand for transposed matrices.
#ifndef TENON_CALL_LAPACK_PLAIN_PLAIN_H_
#define TENON_CALL_LAPACK_PLAIN_PLAIN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Of any type: it is cast to the routine's.
typedef void (*tn_plain_function_t)(void);

// NULL when there is none of that name ("spotrf_").
tn_plain_function_t tn__plain_lapack(const char* name);

// A matrix in memory: element (i, j) is i * row + j * column elements behind `data`.
typedef struct tn_plain_matrix {
  void* data;
  ptrdiff_t row, column;
  bool is_conjugated;
} tn_plain_matrix_t;

// Of each type, by its letter:
//   subtract   c -= a b, with c of `rows` x `columns` and `depth` terms; by the library's own
//   matrix
//              product where it is large enough
//   solve      T x = b, in place, for a triangle of `order` and b of `columns`
// and LAPACK's and BLAS's routines. `l`: the lengths of strings.
#define TN_PLAIN_DECLARE(letter)                                                                  \
  void tn__plain_##letter##subtract(int rows, int columns, int depth, tn_plain_matrix_t a,        \
                                    tn_plain_matrix_t b, tn_plain_matrix_t c);                    \
  void tn__plain_##letter##solve(int order, int columns, tn_plain_matrix_t triangle,              \
                                 bool is_lower, bool is_unit, tn_plain_matrix_t x);               \
  void tn__plain_##letter##potrf(const char* uplo, const int* n, void* a, const int* stride,      \
                                 int* info, size_t l);                                            \
  void tn__plain_##letter##getrf(const int* m, const int* n, void* a, const int* stride,          \
                                 int* pivots, int* info);                                         \
  void tn__plain_##letter##trsm(const char* side, const char* uplo, const char* transpose,        \
                                const char* diagonal, const int* m, const int* n,                 \
                                const void* alpha, const void* a, const int* a_stride, void* b,   \
                                const int* b_stride, size_t l1, size_t l2, size_t l3, size_t l4); \
  void tn__plain_##letter##gtsv(const int* n, const int* columns, void* dl, void* d, void* du,    \
                                void* b, const int* stride, int* info);                           \
  void tn__plain_##letter##geqrf(const int* m, const int* n, void* a, const int* stride,          \
                                 void* tau, void* work, const int* work_count, int* info);        \
  void tn__plain_##letter##orgqr(const int* m, const int* n, const int* k, void* a,               \
                                 const int* stride, const void* tau, void* work,                  \
                                 const int* work_count, int* info);                               \
  void tn__plain_##letter##ormqr(const char* side, const char* transpose, const int* m,           \
                                 const int* n, const int* k, const void* a, const int* a_stride,  \
                                 const void* tau, void* c, const int* c_stride, void* work,       \
                                 const int* work_count, int* info, size_t l1, size_t l2);
TN_PLAIN_DECLARE(s)
TN_PLAIN_DECLARE(d)
TN_PLAIN_DECLARE(c)
TN_PLAIN_DECLARE(z)
#undef TN_PLAIN_DECLARE

#endif  // TENON_CALL_LAPACK_PLAIN_PLAIN_H_
