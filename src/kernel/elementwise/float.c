#include "kernel/elementwise/float_dtypes.inc"
