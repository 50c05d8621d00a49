// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The routines, for each type.
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "call/lapack/plain/plain.h"
#include "kernel/contraction/gemm.h"

#define TYPE 0
#include "call/lapack/plain/texts.inc"
#undef TYPE
#define TYPE 1
#include "call/lapack/plain/texts.inc"
#undef TYPE
#define TYPE 2
#include "call/lapack/plain/texts.inc"
#undef TYPE
#define TYPE 3
#include "call/lapack/plain/texts.inc"
#undef TYPE
