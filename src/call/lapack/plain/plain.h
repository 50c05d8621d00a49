// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Tenon's own routines under LAPACK's names and with its parameters, for programs that run without
// OpenBLAS: matrices are column by column, everything comes by pointer, `info` is LAPACK's. Each is
// written once (x.inc) for the four types, which types.c includes it with.
//
// They run on the calling thread. Elements of any pair of strides stand for transposed matrices.
#ifndef TENON_CALL_LAPACK_PLAIN_PLAIN_H_
#define TENON_CALL_LAPACK_PLAIN_PLAIN_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/interrupt.h"

// Of any type: it is cast to the routine's.
typedef void (*tn_plain_function_t)(void);

// NULL when there is none of that name ("spotrf_").
tn_plain_function_t tn__plain_lapack(const char* name);

// LAPACK's parameters have no place for what ends a routine early, so it is the thread's: from now
// on, until NULL, routines that the calling thread runs end soon after the interrupt is due, and
// what they leave is not a result.
void tn__plain_watch(const tn_interrupt_t* interrupt);
// For the outer loops, which ask once for each column or block.
bool tn__plain_is_interrupted(void);

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
//   norm       of a vector, without overflow or underflow on the way
//   reflect    the reflector H whose adjoint takes (alpha, x) to (beta, 0) with a real beta: alpha
//              becomes beta, and x the rest of the vector, whose first element is 1; gives its
//              scalar
//   scale      a power of two makes the largest element about 1 where it is very large or small;
//              false where an element is not finite
// and LAPACK's and BLAS's routines. `l`: the lengths of strings.
#define TN_PLAIN_DECLARE(letter, value, part)                                                     \
  void tn__plain_##letter##subtract(int rows, int columns, int depth, tn_plain_matrix_t a,        \
                                    tn_plain_matrix_t b, tn_plain_matrix_t c);                    \
  void tn__plain_##letter##solve(int order, int columns, tn_plain_matrix_t triangle,              \
                                 bool is_lower, bool is_unit, tn_plain_matrix_t x);               \
  part tn__plain_##letter##norm(int count, const value* x);                                       \
  value tn__plain_##letter##reflect(int count, value* alpha, value* x);                           \
  bool tn__plain_##letter##scale(int rows, int columns, value* x, ptrdiff_t stride,               \
                                 int* out_exponent);                                              \
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
                                 const int* work_count, int* info, size_t l1, size_t l2);         \
  void tn__plain_##letter##gehrd(const int* n, const int* low, const int* high, void* a,          \
                                 const int* stride, void* tau, void* work, const int* work_count, \
                                 int* info);                                                      \
  void tn__plain_##letter##sytrd(const char* uplo, const int* n, void* a, const int* stride,      \
                                 void* d, void* e, void* tau, void* work, const int* work_count,  \
                                 int* info, size_t l);
TN_PLAIN_DECLARE(s, float, float)
TN_PLAIN_DECLARE(d, double, double)
TN_PLAIN_DECLARE(c, float _Complex, float)
TN_PLAIN_DECLARE(z, double _Complex, double)
#undef TN_PLAIN_DECLARE

// The complex ones have work space of reals.
#define TN_PLAIN_DECLARE_REAL(letter)                                                             \
  void tn__plain_##letter##geev(const char* left, const char* right, const int* n, void* a,       \
                                const int* stride, void* re, void* im, void* vl,                  \
                                const int* vl_stride, void* vr, const int* vr_stride, void* work, \
                                const int* work_count, int* info, size_t l1, size_t l2);          \
  void tn__plain_##letter##gees(                                                                  \
      const char* mode, const char* sort, const void* select, const int* n, void* a,              \
      const int* stride, int* selected, void* re, void* im, void* vs, const int* vs_stride,       \
      void* work, const int* work_count, int* flags, int* info, size_t l1, size_t l2);            \
  void tn__plain_##letter##geqp3(const int* m, const int* n, void* a, const int* stride,          \
                                 int* jpvt, void* tau, void* work, const int* work_count,         \
                                 int* info);                                                      \
  void tn__plain_##letter##syevd(const char* mode, const char* uplo, const int* n, void* a,       \
                                 const int* stride, void* w, void* work, const int* work_count,   \
                                 int* integers, const int* integer_count, int* info, size_t l1,   \
                                 size_t l2);                                                      \
  void tn__plain_##letter##gesdd(const char* mode, const int* m, const int* n, void* a,           \
                                 const int* stride, void* s, void* u, const int* u_stride,        \
                                 void* vt, const int* vt_stride, void* work,                      \
                                 const int* work_count, int* integers, int* info, size_t l1);     \
  void tn__plain_##letter##gesvd(const char* mode_u, const char* mode_vt, const int* m,           \
                                 const int* n, void* a, const int* stride, void* s, void* u,      \
                                 const int* u_stride, void* vt, const int* vt_stride, void* work, \
                                 const int* work_count, int* info, size_t l1, size_t l2);
#define TN_PLAIN_DECLARE_COMPLEX(letter)                                                           \
  void tn__plain_##letter##geev(const char* left, const char* right, const int* n, void* a,        \
                                const int* stride, void* w, void* vl, const int* vl_stride,        \
                                void* vr, const int* vr_stride, void* work, const int* work_count, \
                                void* reals, int* info, size_t l1, size_t l2);                     \
  void tn__plain_##letter##gees(const char* mode, const char* sort, const void* select,            \
                                const int* n, void* a, const int* stride, int* selected, void* w,  \
                                void* vs, const int* vs_stride, void* work, const int* work_count, \
                                void* reals, int* flags, int* info, size_t l1, size_t l2);         \
  void tn__plain_##letter##geqp3(const int* m, const int* n, void* a, const int* stride,           \
                                 int* jpvt, void* tau, void* work, const int* work_count,          \
                                 void* reals, int* info);                                          \
  void tn__plain_##letter##heevd(const char* mode, const char* uplo, const int* n, void* a,        \
                                 const int* stride, void* w, void* work, const int* work_count,    \
                                 void* reals, const int* real_count, int* integers,                \
                                 const int* integer_count, int* info, size_t l1, size_t l2);       \
  void tn__plain_##letter##gesdd(                                                                  \
      const char* mode, const int* m, const int* n, void* a, const int* stride, void* s, void* u,  \
      const int* u_stride, void* vt, const int* vt_stride, void* work, const int* work_count,      \
      void* reals, int* integers, int* info, size_t l1);                                           \
  void tn__plain_##letter##gesvd(                                                                  \
      const char* mode_u, const char* mode_vt, const int* m, const int* n, void* a,                \
      const int* stride, void* s, void* u, const int* u_stride, void* vt, const int* vt_stride,    \
      void* work, const int* work_count, void* reals, int* info, size_t l1, size_t l2);
TN_PLAIN_DECLARE_REAL(s)
TN_PLAIN_DECLARE_REAL(d)
TN_PLAIN_DECLARE_COMPLEX(c)
TN_PLAIN_DECLARE_COMPLEX(z)
#undef TN_PLAIN_DECLARE_REAL
#undef TN_PLAIN_DECLARE_COMPLEX

// Schur forms A = Z T Z^H of dense matrices: T comes in the place of A, with its eigenvalues of a
// real one (conjugate pairs in blocks of two, whose diagonals have equal elements). `work`: as
// geev's. False: the steps lead nowhere.
bool tn__plain_dschur(int order, double* h, double* z, double* re, double* im, double* work);
bool tn__plain_zschur(int order, double _Complex* h, double _Complex* z, double _Complex* work);
// Makes a triangle of a form with blocks of two.
void tn__plain_zsplit(int order, const double* re, const double* im, double _Complex* h,
                      double _Complex* z);
// Eigenvector k of a triangle h, by the vectors z: of length 1. `v` is work space.
void tn__plain_zeigenvector(int order, const double _Complex* h, const double _Complex* z, int k,
                            bool is_left, double _Complex* v, double _Complex* out);

#endif  // TENON_CALL_LAPACK_PLAIN_PLAIN_H_
