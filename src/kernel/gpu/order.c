// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Blocks are ordered by counting what comes before each element, and then merged two by two: an
// item finds the place of its element in the other block by bisection.
#include "kernel/gpu/order.h"

enum { BLOCK = 32 };

size_t tn__gpu_order_launch_count(int64_t length) {
  size_t count = 1;
  for (int64_t width = BLOCK; width < length; width *= 2) ++count;
  return count;
}

void tn__gpu_add_line(tn_gpu_source_t* source, const tn_gpu_order_t* order) {
  const size_t length = tn__gpu_add_number(source, order->length);
  const size_t inner = tn__gpu_add_number(source, order->inner);
  tn__gpu_add(&source->body,
              "  const long length = n(%zu), inner = n(%zu);\n"
              "  const long line = i / length, j = i %% length;\n"
              "  const long base = line / inner * length * inner + line %% inner;\n",
              length, inner);
}

static tn_status_t begin(tn_gpu_source_t* source, tn_kernel_site_t* site,
                         const tn_gpu_order_t* order) {
  tn__gpu_begin(source, site->arena, order->line_count * order->length);
  tn__gpu_add_line(source, order);
  return order->add_less(source, order->user);
}

static void write_blocks(tn_gpu_source_t* source) {
  const size_t block = tn__gpu_add_number(source, BLOCK);
  tn__gpu_add(&source->body,
              "  const long start = j / n(%zu) * n(%zu);\n"
              "  const long end = min(start + n(%zu), length);\n"
              "  long rank = start;\n"
              "  for (long k = start; k < end; ++k) {\n"
              "    if (k < j) rank += LESS(j, k) ? 0 : 1;\n"
              "    if (k > j) rank += LESS(k, j) ? 1 : 0;\n"
              "  }\n"
              "  y0[line * length + rank] = (uint)j;\n",
              block, block, block);
}

// A comparator that contradicts itself may leave indices that nothing was written to.
static void write_merge(tn_gpu_source_t* source, size_t x, int64_t width) {
  const size_t number = tn__gpu_add_number(source, width);
  tn__gpu_add(&source->functions,
              "#define AT(k) min((long)x%zu[line * length + (k)], length - 1)\n", x);
  tn__gpu_add(&source->body,
              "  const long width = n(%zu), start = j / (2 * width) * (2 * width);\n"
              "  const long middle = min(start + width, length);\n"
              "  const long end = min(middle + width, length);\n"
              "  const int is_left = j < middle;\n"
              "  const long own = AT(j);\n"
              "  long low = is_left ? middle : start, high = is_left ? end : middle;\n"
              "  while (low < high) {\n"
              "    const long k = (low + high) / 2, other = AT(k);\n"
              "    const int is_before = is_left ? LESS(other, own) : !LESS(own, other);\n"
              "    if (is_before) low = k + 1;\n"
              "    else high = k;\n"
              "  }\n"
              "  y0[line * length + j + low - middle] = (uint)own;\n",
              number);
}

tn_status_t tn__gpu_order_prepare(tn_kernel_site_t* site, tn_gpu_state_t* state, size_t first,
                                  tn_gpu_order_t* order) {
  tn_gpu_source_t source;
  const size_t count = tn__gpu_order_launch_count(order->length);
  const size_t byte_size = (size_t)(order->line_count * order->length) * sizeof(uint32_t);
  const int64_t offsets[] = {(int64_t)site->scratch_byte_size,
                             (int64_t)(site->scratch_byte_size + byte_size)};
  site->scratch_byte_size += 2 * byte_size;
  int64_t width = BLOCK;
  for (size_t k = 0; k < count; ++k) {
    TN_RETURN_IF_ERROR(begin(&source, site, order));
    if (k) {
      const size_t x = tn__gpu_add_address(&source, TN_GPU_SCRATCH, offsets[(k + 1) % 2], "uint");
      write_merge(&source, x, width);
      width *= 2;
    } else {
      write_blocks(&source);
    }
    order->byte_offset = offsets[k % 2];
    tn__gpu_add_output(&source, TN_GPU_SCRATCH, order->byte_offset, "uint");
    TN_RETURN_IF_ERROR(tn__gpu_finish(site, state, first + k, &source));
  }
  return TN_OK;
}
