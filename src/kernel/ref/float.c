// The loops of f32 and f64.
#include <math.h>
#include <string.h>

#include "kernel/ref/complex_parts.h"
#include "kernel/ref/loops.h"
#include "kernel/ref/real_math.h"
#include "kernel/ref/special_math.h"

#define TN_T float
#define TN_NAME f32
#define TN_BITS_T uint32_t
#define TN_SIGN_BIT UINT32_C(0x80000000)
#define TN_COMPLEX float _Complex
#define TN_MAKE_COMPLEX tn__c64
#include "kernel/ref/float.inc"

#define TN_T double
#define TN_NAME f64
#define TN_BITS_T uint64_t
#define TN_SIGN_BIT UINT64_C(0x8000000000000000)
#define TN_COMPLEX double _Complex
#define TN_MAKE_COMPLEX tn__c128
#include "kernel/ref/float.inc"
