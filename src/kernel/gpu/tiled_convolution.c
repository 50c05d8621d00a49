// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// Convolutions of many elements as products of matrices, by tiles: rows are the places of windows,
// columns the features of the result, and the depth goes over a window and the features of the
// input. No matrix is stored: strips are brought from where their elements are in the input.
#include "base/type.h"
#include "kernel/gpu/convolution.h"
#include "kernel/gpu/tiles.h"

enum {
  LANES = TN_GPU_TILE_SIDE * TN_GPU_TILE_SIDE,
  TURNS = TN_GPU_TILE * TN_GPU_STRIP / LANES,  // for a strip
};

// As a product of matrices, one for each group.
typedef struct shape {
  int64_t rows, columns, depth, window, features;
} shape_t;

static shape_t shape_of(const tn_gpu_convolution_t* it) {
  const tn_type_t *result = it->use->result_types[0], *kernel = it->use->operand_types[1];
  shape_t shape = {.rows = result->dims[it->output.first],
                   .columns = it->features,
                   .window = tn__gpu_sliding_size(&it->spatial),
                   .features = kernel->dims[it->kernel.first]};
  for (size_t d = 0; d < it->spatial.rank; ++d) shape.rows *= it->spatial.dims[d].output;
  shape.depth = shape.window * shape.features;
  return shape;
}

bool tn__gpu_convolution_has_tiles(const tn_gpu_convolution_t* it) {
  const shape_t shape = shape_of(it);
  return tn__gpu_is_worth_tiles(shape.rows, shape.columns, shape.depth);
}

typedef struct writer {
  tn_gpu_source_t* source;
  const tn_gpu_convolution_t* it;
  shape_t shape;
  // Whether elements of the depth that follow each other are features; else places of a window.
  bool has_features_last;
  bool goes_deep[2];  // by side: neighbouring lanes read along the depth
  size_t rows, columns, depth, window, features;  // as numbers
} writer_t;

// Writes p and s: which row or column, and which element of the depth, the item brings in turn r.
static void add_turn(const writer_t* writer, size_t side) {
  tn__gpu_add(&writer->source->body,
              writer->goes_deep[side]
                  ? "      const long p = (lane + r * %d) / %d, s = (lane + r * %d) %% %d;\n"
                  : "      const long s = (lane + r * %d) / %d, p = (lane + r * %d) %% %d;\n",
              LANES, writer->goes_deep[side] ? TN_GPU_STRIP : TN_GPU_TILE, LANES,
              writer->goes_deep[side] ? TN_GPU_STRIP : TN_GPU_TILE);
}

// Writes where the rows begin that the item brings: base[r], their window at q0_of[r]...; negative
// q0_of: there is no row.
static void add_rows(const writer_t* writer) {
  const tn_gpu_convolution_t* it = writer->it;
  tn_gpu_source_t* source = writer->source;
  tn_gpu_text_t* body = &source->body;
  const size_t batch = tn__gpu_add_number(source, it->input_strides[it->input.first]);
  const size_t group = tn__gpu_add_number(source, it->group_stride);
  const char* type = tn__gpu_index_type(1, &writer->shape.rows);
  tn__gpu_add(body, "  long base[%d];\n  int is_row[%d];\n", TURNS, TURNS);
  for (size_t d = 0; d < it->spatial.rank; ++d) {
    tn__gpu_add(body, "  %s q%zu_of[%d];\n", type, d, TURNS);
  }
  tn__gpu_add(body, "  for (int r = 0; r < %d; ++r) {\n", TURNS);
  add_turn(writer, 0);
  tn__gpu_add(body,
              "      (void)s;\n"
              "      is_row[r] = a_first + p < n(%zu);\n"
              "      %s rest = is_row[r] ? a_first + p : 0;\n",
              writer->rows, type);
  for (size_t d = it->spatial.rank; d-- > 0;) {
    const size_t size = tn__gpu_add_number(source, it->spatial.dims[d].output);
    tn__gpu_add(body, "      q%zu_of[r] = rest %% (%s)n(%zu);\n      rest /= (%s)n(%zu);\n", d,
                type, size, type, size);
  }
  tn__gpu_add(body, "      base[r] = rest * n(%zu) + batch * n(%zu);\n  }\n", batch, group);
}

// Writes w and f of element d of the depth.
static void add_depth(const writer_t* writer) {
  const size_t last = writer->has_features_last ? writer->features : writer->window;
  const char* type = tn__gpu_index_type(1, &writer->shape.depth);
  tn__gpu_add(&writer->source->body,
              "      const long %s = (%s)d %% (%s)n(%zu), %s = (%s)d / (%s)n(%zu);\n",
              writer->has_features_last ? "f" : "w", type, type, last,
              writer->has_features_last ? "w" : "f", type, type, last);
}

static void add_strip_of_input(const writer_t* writer) {
  const tn_gpu_convolution_t* it = writer->it;
  tn_gpu_source_t* source = writer->source;
  tn_gpu_text_t* body = &source->body;
  const size_t step = tn__gpu_add_number(source, it->input_strides[it->input.second]);
  tn__gpu_add(body, "    for (int r = 0; r < %d; ++r) {\n", TURNS);
  add_turn(writer, 0);
  tn__gpu_add(
      body,
      "      const long d = depth + s;\n      T x = 0;\n      if (is_row[r] && d < n(%zu)) {\n",
      writer->depth);
  for (size_t d = 0; d < it->spatial.rank; ++d) {
    tn__gpu_add(body, "      const long q%zu = q%zu_of[r];\n", d, d);
  }
  add_depth(writer);
  tn__gpu_add_sliding(source, &it->spatial, "q", it->spatial_strides);
  tn__gpu_add(body,
              "      if (is_inside) x = (T)LOAD%s(x0, base[r] + at + f * n(%zu));\n      }\n"
              "      a[s * %d + p] = x;\n    }\n",
              tn__gpu_dtype(it->use->operand_types[0]->dtype)->suffix, step, TN_GPU_TILE_PITCH);
}

static void add_strip_of_kernel(const writer_t* writer) {
  const tn_gpu_convolution_t* it = writer->it;
  tn_gpu_source_t* source = writer->source;
  tn_gpu_text_t* body = &source->body;
  const size_t step = tn__gpu_add_number(source, it->kernel_strides[it->kernel.first]);
  const size_t column = tn__gpu_add_number(source, it->kernel_strides[it->kernel.second]);
  tn__gpu_add(body, "    for (int r = 0; r < %d; ++r) {\n", TURNS);
  add_turn(writer, 1);
  tn__gpu_add(body,
              "      const long d = depth + s;\n      T x = 0;\n"
              "      if (b_first + p < n(%zu) && d < n(%zu)) {\n"
              "      const long k = (batch * n(%zu) + b_first + p) * n(%zu);\n",
              writer->columns, writer->depth, writer->columns, column);
  add_depth(writer);
  tn__gpu_add_tap(source, it);
  tn__gpu_add(body,
              "      x = (T)LOAD%s(x1, tap + f * n(%zu));\n      }\n"
              "      b[s * %d + p] = x;\n    }\n",
              tn__gpu_dtype(it->use->operand_types[1]->dtype)->suffix, step, TN_GPU_TILE_PITCH);
}

static void add_stores(const writer_t* writer) {
  const tn_gpu_convolution_t* it = writer->it;
  const tn_type_t* result = it->use->result_types[0];
  const char* type = tn__gpu_index_type(1, &writer->shape.rows);
  tn_gpu_source_t* source = writer->source;
  tn_gpu_text_t* body = &source->body;
  int64_t strides[TN_MAX_RANK];
  tn__gpu_element_strides(NULL, result, strides);
  tn__gpu_add(body,
              "  for (int r = 0; r < %d; ++r) {\n"
              "    const long e = a_first + row + r * %d;\n"
              "    if (e < n(%zu)) {\n      %s rest = e;\n      long to = 0;\n",
              TN_GPU_BLOCK, TN_GPU_TILE_SIDE, writer->rows, type);
  for (size_t d = it->spatial.rank; d-- > 0;) {
    const size_t size = tn__gpu_add_number(source, it->spatial.dims[d].output);
    const size_t stride = tn__gpu_add_number(source, strides[it->output.spatial.values[d]]);
    tn__gpu_add(body, "      to += rest %% (%s)n(%zu) * n(%zu);\n      rest /= (%s)n(%zu);\n", type,
                size, stride, type, size);
  }
  const size_t batch = tn__gpu_add_number(source, strides[it->output.first]);
  const size_t feature = tn__gpu_add_number(source, strides[it->output.second]);
  tn__gpu_add(body,
              "      to += rest * n(%zu);\n"
              "      for (int c = 0; c < %d; ++c) {\n"
              "        const long o = b_first + column + c * %d;\n"
              "        if (o < n(%zu)) {\n"
              "          STORE%s(y0, to + (batch * n(%zu) + o) * n(%zu), sums[r][c]);\n"
              "        }\n      }\n    }\n  }\n",
              batch, TN_GPU_BLOCK, TN_GPU_TILE_SIDE, writer->columns,
              tn__gpu_dtype(result->dtype)->suffix, writer->columns, feature);
}

tn_status_t tn__gpu_tiled_convolution_prepare(tn_kernel_site_t* site,
                                              const tn_gpu_convolution_t* it) {
  const tn_op_use_t* use = it->use;
  const tn_dtype_t dtype = use->result_types[0]->dtype;
  const shape_t shape = shape_of(it);
  const int64_t input_step = it->input_strides[it->input.second];
  const int64_t kernel_step = it->kernel_strides[it->kernel.first];
  tn_gpu_source_t source;
  writer_t writer = {.source = &source,
                     .it = it,
                     .shape = shape,
                     .has_features_last = input_step == 1 || kernel_step == 1};
  writer.goes_deep[0] = input_step == 1;
  writer.goes_deep[1] = it->kernel_strides[it->kernel.second] != 1;
  tn__gpu_begin(&source, site->arena,
                tn__gpu_tile_items(it->group_count, shape.rows, shape.columns));
  source.is_grouped = true;
  tn__gpu_add_words(&source, dtype);
  for (size_t side = 0; side < 2; ++side) {
    tn__gpu_add_address(&source, (int32_t)side, 0,
                        tn__gpu_dtype(use->operand_types[side]->dtype)->memory);
  }
  tn__gpu_add_output(&source, TN_GPU_RESULT(0), 0, tn__gpu_dtype(dtype)->memory);
  writer.rows = tn__gpu_add_number(&source, shape.rows);
  writer.columns = tn__gpu_add_number(&source, shape.columns);
  writer.depth = tn__gpu_add_number(&source, shape.depth);
  writer.window = tn__gpu_add_number(&source, shape.window);
  writer.features = tn__gpu_add_number(&source, shape.features);
  tn__gpu_add_tile(&source, shape.rows, shape.columns);
  add_rows(&writer);
  tn__gpu_add(&source.body, "  for (long depth = 0; depth < n(%zu); depth += %d) {\n", writer.depth,
              TN_GPU_STRIP);
  add_strip_of_input(&writer);
  add_strip_of_kernel(&writer);
  tn__gpu_add(&source.body, "    tn_barrier();\n");
  tn__gpu_add_tile_products(&source, tn_dtype_kind(dtype) == TN_KIND_FLOAT);
  tn__gpu_add(&source.body, "    tn_barrier();\n  }\n");
  add_stores(&writer);
  return tn__gpu_finish_one(site, &source);
}
