// XLA's FFI and Tenon's table of a library: the part of <tenon/custom.h> that declares them. The
// parts for writing operations stay out.
#ifndef TENON_CALL_ABI_H_
#define TENON_CALL_ABI_H_

#include <tenon/detail/custom/abi.h>

#endif  // TENON_CALL_ABI_H_
