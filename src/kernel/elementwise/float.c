#define TN_TARGET
#define TN_VARIANT(name) name
#include "kernel/elementwise/float_dtypes.inc"
