#include "kernel/elementwise/integer_dtypes.inc"
