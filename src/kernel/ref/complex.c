#include "kernel/ref/complex_dtypes.inc"
