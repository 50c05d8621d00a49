// The kernels of GPUs, and their compile targets.
#include "kernel/target.h"

const tn_compile_target_t tn__compile_target_opencl = {
    .platform = "OpenCL",
    .host = &tn__compile_target_host,
};
