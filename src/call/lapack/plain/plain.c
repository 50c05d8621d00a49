// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "call/lapack/plain/plain.h"

#include <string.h>

// F(name, letters of the types, function)
#define ROUTINES(F)        \
  F(potrf, ALL, potrf)     \
  F(getrf, ALL, getrf)     \
  F(trsm, ALL, trsm)       \
  F(gtsv, ALL, gtsv)       \
  F(geqrf, ALL, geqrf)     \
  F(geqp3, ALL, geqp3)     \
  F(orgqr, REAL, orgqr)    \
  F(ungqr, COMPLEX, orgqr) \
  F(ormqr, REAL, ormqr)    \
  F(unmqr, COMPLEX, ormqr) \
  F(gehrd, ALL, gehrd)     \
  F(geev, ALL, geev)       \
  F(gees, ALL, gees)       \
  F(sytrd, REAL, sytrd)    \
  F(hetrd, COMPLEX, sytrd) \
  F(syevd, REAL, syevd) F(heevd, COMPLEX, heevd) F(gesdd, ALL, gesdd) F(gesvd, ALL, gesvd)

static const struct {
  const char* name;
  tn_plain_function_t function;
} plain_routines[] = {
#define ROW(letter, name, function) \
  {#letter #name "_", (tn_plain_function_t)tn__plain_##letter##function},
#define REAL(name, function) ROW(s, name, function) ROW(d, name, function)
#define COMPLEX(name, function) ROW(c, name, function) ROW(z, name, function)
#define ALL(name, function) REAL(name, function) COMPLEX(name, function)
#define EACH(name, letters, function) letters(name, function)
    ROUTINES(EACH)
#undef ROW
#undef REAL
#undef COMPLEX
#undef ALL
#undef EACH
};

tn_plain_function_t tn__plain_lapack(const char* name) {
  for (size_t i = 0; i < sizeof plain_routines / sizeof *plain_routines; ++i) {
    if (strcmp(name, plain_routines[i].name) == 0) return plain_routines[i].function;
  }
  return NULL;
}

static _Thread_local const tn_interrupt_t* watched;

void tn__plain_watch(const tn_interrupt_t* interrupt) {
  watched = interrupt;
}

bool tn__plain_is_interrupted(void) {
  if (!watched) return false;
  tn_status_t status = tn__interrupt_check(watched);
  tn_status_release(status);
  return status != TN_OK;
}
