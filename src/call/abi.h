// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// XLA's FFI and Tenon's table of a library: the part of <tenon/custom.h> that declares them. The
// parts for writing operations stay out.
#ifndef TENON_CALL_ABI_H_
#define TENON_CALL_ABI_H_

#include <tenon/detail/custom/abi.h>
#include <tenon/detail/dtype.h>
#include <tenon/detail/status.h>

// custom.h includes nothing of Tenon, so it lists dtypes and codes itself: with the same numbers.
#define TN__SAME_DTYPE(word, NAME, number, ctype) \
  _Static_assert((int)TN_FFI_##NAME == (int)TN_DTYPE_##NAME, #NAME);
TN_FFI_DTYPES(TN__SAME_DTYPE)
#define TN__SAME_CODE(NAME) _Static_assert((int)TN_FFI_##NAME == (int)TN_CODE_##NAME, #NAME);
TN_FFI_ERRORS(TN__SAME_CODE)
#undef TN__SAME_DTYPE
#undef TN__SAME_CODE

#endif  // TENON_CALL_ABI_H_
