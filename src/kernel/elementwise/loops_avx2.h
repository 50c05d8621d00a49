// Whether the loops of numbers are compiled for AVX2 as well.
#ifndef TENON_KERNEL_ELEMENTWISE_LOOPS_AVX2_H_
#define TENON_KERNEL_ELEMENTWISE_LOOPS_AVX2_H_

#if defined(__x86_64__) && defined(__GNUC__)
#define TN_HAS_LOOPS_AVX2 1
#else
#define TN_HAS_LOOPS_AVX2 0
#endif

#endif  // TENON_KERNEL_ELEMENTWISE_LOOPS_AVX2_H_
