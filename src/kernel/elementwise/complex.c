#define TN_TARGET
#define TN_VARIANT(name) name
#include "kernel/elementwise/complex_dtypes.inc"
