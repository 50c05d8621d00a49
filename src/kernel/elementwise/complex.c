#define TN_TARGET
#define TN_VARIANT(name) name
#define TN_ONES 0
#include "kernel/elementwise/complex_dtypes.inc"
