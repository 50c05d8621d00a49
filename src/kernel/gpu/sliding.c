// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "kernel/gpu/sliding.h"

int64_t tn__gpu_sliding_size(const tn_sliding_t* window) {
  int64_t size = 1;
  for (size_t d = 0; d < window->rank; ++d) size *= window->dims[d].size;
  return size;
}

static void add_dim(tn_gpu_source_t* source, const tn_sliding_dim_t* dim, const char* name,
                    size_t d, int64_t stride) {
  tn_gpu_text_t* body = &source->body;
  const size_t to = tn__gpu_add_number(source, stride);
  if (tn__sliding_is_trivial(dim)) {
    tn__gpu_add(body, "    at += %s%zu * n(%zu);\n", name, d, to);
    return;
  }
  const size_t size = tn__gpu_add_number(source, dim->size);
  const size_t step = tn__gpu_add_number(source, dim->stride);
  const size_t dilation = tn__gpu_add_number(source, dim->dilation);
  const size_t low = tn__gpu_add_number(source, dim->low);
  const size_t input = tn__gpu_add_number(source, dim->input);
  tn__gpu_add(body,
              "    {\n"
              "      long p = %s%zu * n(%zu) + inside %% n(%zu) * n(%zu) - n(%zu);\n"
              "      inside /= n(%zu);\n",
              name, d, step, size, dilation, low, size);
  if (dim->base_dilation != 1) {
    const size_t base = tn__gpu_add_number(source, dim->base_dilation);
    tn__gpu_add(body, "      is_inside &= p >= 0 && p %% n(%zu) == 0;\n      p /= n(%zu);\n", base,
                base);
  }
  tn__gpu_add(body,
              "      is_inside &= p >= 0 && p < n(%zu);\n"
              "      at += p * n(%zu);\n    }\n",
              input, to);
}

void tn__gpu_add_sliding(tn_gpu_source_t* source, const tn_sliding_t* window, const char* name,
                         const int64_t* strides) {
  tn__gpu_add(&source->body, "    long at = 0, inside = w;\n    int is_inside = 1;\n");
  for (size_t d = window->rank; d-- > 0;) {
    add_dim(source, &window->dims[d], name, d, strides[d]);
  }
}
