#define TN_TARGET
#define TN_VARIANT(name) name
#define TN_ONES 1
#include "kernel/elementwise/integer_dtypes.inc"
