#include "kernel/elementwise/complex_dtypes.inc"
