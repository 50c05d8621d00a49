// XLA's FFI and Tenon's table of a library, as <tenon/custom.h> declares them for authors: one
// truth. The second part of that header, which is for writing operations, stays out.
#ifndef TENON_CALL_ABI_H_
#define TENON_CALL_ABI_H_

#define TN_FFI_ABI_ONLY
#include <tenon/custom.h>
#undef TN_FFI_ABI_ONLY

#endif  // TENON_CALL_ABI_H_
