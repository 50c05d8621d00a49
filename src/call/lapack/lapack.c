// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/lapack/lapack.h"

#include <string.h>

#include "call/context.h"
#include "kernel/lib/openblas.h"

// F(routine, letters of the types, operation)
#define FAMILIES(F)       \
  F(potrf, "sdcz", potrf) \
  F(getrf, "sdcz", getrf) \
  F(geqrf, "sdcz", geqrf) \
  F(geqp3, "sdcz", geqp3) \
  F(orgqr, "sd", orgqr)   \
  F(ungqr, "cz", orgqr)   \
  F(ormqr, "sd", ormqr)   \
  F(unmqr, "cz", ormqr)   \
  F(trsm, "sdcz", trsm)   \
  F(gesdd, "sdcz", gesdd) \
  F(gesvd, "sdcz", gesvd) \
  F(syevd, "sd", syevd)   \
  F(heevd, "cz", syevd)   \
  F(geev, "sdcz", geev)   \
  F(gees, "sdcz", gees)   \
  F(gehrd, "sdcz", gehrd) \
  F(sytrd, "sd", sytrd)   \
  F(hetrd, "cz", sytrd)   \
  F(gtsv, "sdcz", gtsv)

#define DECLARE(routine, letters, operation) extern const tn_ffi_op_t tn__lapack_##operation##_op;
FAMILIES(DECLARE)
#undef DECLARE
extern const tn_ffi_op_t tn__tridiagonal_solve_perturbed_op;

static const struct {
  const char* routine;
  const char* letters;
  const tn_ffi_op_t* op;
} families[] = {
#define ROW(routine, letters, operation) {#routine, letters, &tn__lapack_##operation##_op},
    FAMILIES(ROW)
#undef ROW
};

#define AND_LETTERS(routine, letters, operation) +(int)sizeof letters - 1
_Static_assert(1 FAMILIES(AND_LETTERS) == TN_LAPACK_COUNT, "a name for each letter, and another");
#undef AND_LETTERS

const tn_ffi_op_t* tn__lapack_find(tn_string_view_t name) {
  static const char prefix[] = "lapack_", suffix[] = "_ffi";
  enum { PREFIX = sizeof prefix - 1, SUFFIX = sizeof suffix - 1 };
  if (tn__sv_is(name, "tridiagonal_solve_perturbed_ffi"))
    return &tn__tridiagonal_solve_perturbed_op;
  if (name.length <= PREFIX + 1 + SUFFIX || memcmp(name.data, prefix, PREFIX) != 0 ||
      memcmp(name.data + name.length - SUFFIX, suffix, SUFFIX) != 0) {
    return NULL;
  }
  const char letter = name.data[PREFIX];
  const tn_string_view_t routine = {name.data + PREFIX + 1, name.length - PREFIX - 1 - SUFFIX};
  for (size_t i = 0; i < sizeof families / sizeof *families; ++i) {
    if (tn__sv_is(routine, families[i].routine) && letter && strchr(families[i].letters, letter)) {
      return families[i].op;
    }
  }
  return NULL;
}

bool tn__lapack_allows_openblas(const tn_ffi_context_t* context) {
  return !tn__kernel_library_refusal(TN_KERNEL_OPENBLAS, context->libraries);
}

const tn_interrupt_t* tn__lapack_interrupt(const tn_ffi_context_t* context) {
  return context ? tn__context_interrupt(context) : NULL;
}
