// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include <stdlib.h>

#include "plan/print.h"

enum {
  WIDTH = 960,
  HEIGHT = 480,
  LEFT = 80,
  TOP = 76,
  BOTTOM = 120,
  RIGHT = 24,
  MOST_TICKS = 6,
  LABEL_HEIGHT = 14,  // of a line of text in a bar
  LABEL_MARGIN = 8,   // left and right of it together
  LETTER_WIDTH = 7,   // of most letters of most fonts, at most
  STEP_WIDTH = 11,    // steps this far apart have their names below them
  NAME_LENGTH = 20,   // of such a name; the rest of a longer one is left out
};

typedef struct frame {
  tn_writer_t* writer;
  const tn_plan_t* plan;
  double x_scale, y_scale;
} frame_t;

static double x_of(const frame_t* frame, double position) {
  return LEFT + position * frame->x_scale;
}
static double y_of(const frame_t* frame, double bytes) {
  return HEIGHT - BOTTOM - bytes * frame->y_scale;
}

// Bytes in the largest unit that keeps a number before the point.
static void write_bytes(tn_writer_t* writer, double bytes) {
  static const char* const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < sizeof units / sizeof *units) {
    bytes /= 1024;
    ++unit;
  }
  tn__writef(writer, bytes == (double)(long)bytes ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
}

// What computes the value: "add", or "@rms_norm" for a custom call. Empty for the arguments of
// regions and for scratch.
static tn_string_view_t operation_of(const tn_value_t* value) {
  if (!value || !value->node) return (tn_string_view_t){0};
  const tn_string_view_t target = tn__attr_get_string(&value->node->attrs, "call_target_name");
  return target.length ? target : tn__sv(tn__op_short_name(tn__op_written(value->node->op)));
}

static void write_operation(const tn_value_t* value, tn_writer_t* writer) {
  const tn_string_view_t operation = operation_of(value);
  if (!operation.length) return;
  const bool is_target = tn__attr_get_string(&value->node->attrs, "call_target_name").length != 0;
  if (is_target) tn__write_string(writer, "@");
  tn__write_xml(writer, operation);
  tn__write_string(writer, " ");
}

static size_t value_length(const tn_value_t* value) {
  enum { LONGEST_NUMBER = 11, SCRATCH = 7 };
  if (!value) return SCRATCH;
  return 1 + (value->name.length ? value->name.length : LONGEST_NUMBER - 1);
}

// The operation and the value, and below them the size, as far as the bar is large enough.
static void label_bar(const frame_t* frame, const tn_plan_buffer_t* buffer, double x, double y,
                      double width, double height) {
  enum { SIZE_LENGTH = 10 };  // "1023.9 KiB"
  tn_writer_t* writer = frame->writer;
  const double letters = (width - LABEL_MARGIN) / LETTER_WIDTH;
  const size_t operation = operation_of(buffer->value).length;
  const bool has_operation = operation && (double)operation + 1 <= letters;
  const bool has_value = (double)(operation + 2 + value_length(buffer->value)) <= letters;
  const bool has_size = SIZE_LENGTH <= letters && height >= 2 * LABEL_HEIGHT;
  if (height < LABEL_HEIGHT || !(has_operation || has_value || has_size)) return;
  const double middle = y + height / 2 + 4, first = middle - (has_size ? LABEL_HEIGHT / 2 : 0);
  tn__writef(writer, "<text x=\"%.2f\" y=\"%.2f\">", x + 4, first);
  if (has_operation || has_value) write_operation(buffer->value, writer);
  if (has_value) tn__plan_print_value(buffer->value, writer);
  if (has_size) {
    tn__writef(writer, "<tspan x=\"%.2f\" dy=\"%d\" fill=\"#444\">", x + 4, LABEL_HEIGHT);
    write_bytes(writer, (double)buffer->byte_size);
    tn__write_string(writer, "</tspan>");
  }
  tn__write_string(writer, "</text>");
}

// What the pointer shows.
static void title_bar(const frame_t* frame, const tn_plan_buffer_t* buffer, size_t number) {
  tn_writer_t* writer = frame->writer;
  tn__writef(writer, "<title>b%zu ", number);
  write_operation(buffer->value, writer);
  tn__plan_print_value(buffer->value, writer);
  if (buffer->value) {
    tn__write_string(writer, " : ");
    tn__write_xml(writer, tn__sv(TN_TYPE_TEXT(buffer->value->type)));
  }
  tn__write_string(writer, ", ");
  write_bytes(writer, (double)buffer->byte_size);
  tn__writef(writer, " at %zu, live %u to %u</title>", buffer->offset, buffer->begin, buffer->end);
}

static void draw_bar(const frame_t* frame, const tn_plan_buffer_t* buffer, size_t number) {
  static const char* const colours[] = {"#7ea6d3", "#f6b26b", "#93cdc8", "#ee8f90", "#8cc583",
                                        "#f3d874", "#c9a3c1", "#bf9d88", "#cfc8c4", "#ffc1c8"};
  tn_writer_t* writer = frame->writer;
  double x = x_of(frame, buffer->begin), width = x_of(frame, buffer->end + 1) - x;
  double height = (double)buffer->byte_size * frame->y_scale;
  double y = y_of(frame, (double)(buffer->offset + buffer->byte_size));
  const char* colour =
      buffer->value ? colours[number % (sizeof colours / sizeof *colours)] : "#ddd";
  tn__write_string(writer, "<g>");
  title_bar(frame, buffer, number);
  tn__writef(writer,
             "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\" "
             "stroke=\"#fff\" stroke-width=\"0.5\"/>",
             x, y, width, height, colour);
  label_bar(frame, buffer, x, y, width, height);
  tn__write_string(writer, "</g>\n");
}

static void draw_level(const frame_t* frame, size_t bytes, const char* label, const char* style,
                       bool above) {
  double y = y_of(frame, (double)bytes);
  tn__writef(frame->writer,
             "<path d=\"M%d %.2fH%d\" fill=\"none\" %s/>\n<text x=\"%d\" y=\"%.2f\" "
             "text-anchor=\"end\">%s ",
             LEFT, y, WIDTH - RIGHT, style, WIDTH - RIGHT, above ? y - 5 : y + 14, label);
  write_bytes(frame->writer, (double)bytes);
  tn__write_string(frame->writer, "</text>\n");
}

// The sum of what is live, as a line of steps.
static void draw_live(const frame_t* frame) {
  const tn_plan_t* plan = frame->plan;
  int64_t* changes = calloc((size_t)plan->position_count + 2, sizeof *changes);
  if (!changes) return;  // the bars say the same
  for (size_t i = 0; i < plan->buffer_count; ++i) {
    const tn_plan_buffer_t* buffer = &plan->buffers[i];
    if (buffer->kind != TN_PLAN_TEMPORARY) continue;
    changes[buffer->begin] += (int64_t)buffer->byte_size;
    changes[buffer->end + 1] -= (int64_t)buffer->byte_size;
  }
  int64_t live = 0;
  tn__writef(frame->writer, "<path d=\"M%d %d", LEFT, HEIGHT - BOTTOM);
  for (uint32_t p = 0; p <= plan->position_count; ++p) {
    if (!changes[p]) continue;
    live += changes[p];
    tn__writef(frame->writer, "H%.2fV%.2f", x_of(frame, p), y_of(frame, (double)live));
  }
  tn__write_string(frame->writer, "\" fill=\"none\" stroke=\"#222\" stroke-width=\"1.5\"/>\n");
  free(changes);
}

// A power of two that divides the height into no more than MOST_TICKS parts.
static double tick_of(double top) {
  double tick = 1;
  while (top / tick > MOST_TICKS) tick *= 2;
  return tick;
}

static void draw_axes(const frame_t* frame, double top) {
  tn_writer_t* writer = frame->writer;
  double tick = tick_of(top);
  for (int i = 0; i * tick <= top; ++i) {
    double bytes = i * tick, y = y_of(frame, bytes);
    tn__writef(writer, "<path d=\"M%d %.2fH%d\" stroke=\"#e4e4e4\"/>\n", LEFT, y, WIDTH - RIGHT);
    tn__writef(writer, "<text x=\"%d\" y=\"%.2f\" text-anchor=\"end\">", LEFT - 8, y + 4);
    write_bytes(writer, bytes);
    tn__write_string(writer, "</text>\n");
  }
  tn__writef(writer, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#444\"/>\n", LEFT, TOP,
             HEIGHT - BOTTOM, WIDTH - RIGHT);
}

static void write_name(tn_writer_t* writer, tn_string_view_t name) {
  const bool is_long = name.length > NAME_LENGTH;
  if (is_long) name.length = NAME_LENGTH - 3;
  tn__write_xml(writer, name);
  if (is_long) tn__write_string(writer, "...");
}

// The steps of the function's own block, each where it begins; of crowded ones, some.
static void draw_steps(const frame_t* frame) {
  const tn_plan_block_t* block = &frame->plan->block;
  tn_writer_t* writer = frame->writer;
  double free_from = LEFT;
  for (size_t i = 0; i < block->step_count; ++i) {
    const tn_plan_step_t* step = &block->steps[i];
    double x = x_of(frame, (double)step->begin + 0.5), y = HEIGHT - BOTTOM;
    if (x < free_from) continue;
    free_from = x + STEP_WIDTH;
    tn_string_view_t target = tn__plan_step_target(step);
    tn__writef(writer, "<path d=\"M%.2f %.2fv4\" stroke=\"#444\"/>\n", x, y);
    tn__writef(writer,
               "<text transform=\"translate(%.2f %.2f) rotate(-55)\" text-anchor=\"end\" "
               "font-size=\"10\">",
               x + 4, y + 12);
    if (target.length) tn__write_string(writer, "@");
    write_name(writer, target.length ? target : tn__sv(tn__plan_step_name(step)));
    tn__write_string(writer, "</text>\n");
  }
}

void tn__plan_print_svg(const tn_plan_t* plan, tn_writer_t* writer) {
  double peak = plan->arena_byte_size ? (double)plan->arena_byte_size : 1;
  double top = peak * 1.08;
  frame_t frame = {
      .writer = writer,
      .plan = plan,
      .x_scale = (double)(WIDTH - LEFT - RIGHT) / (plan->position_count ? plan->position_count : 1),
      .y_scale = (HEIGHT - TOP - BOTTOM) / top,
  };
  tn__writef(writer,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
             "height=\"%d\" font-family=\"sans-serif\" font-size=\"11\" fill=\"#222\">\n"
             "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
             "<text x=\"%d\" y=\"24\" font-size=\"15\">Memory of @",
             WIDTH, HEIGHT, WIDTH, HEIGHT, LEFT);
  tn__write_xml(writer, plan->function->name);
  tn__writef(writer, " over time</text>\n<text x=\"%d\" y=\"42\" fill=\"#555\">peak ", LEFT);
  write_bytes(writer, (double)plan->arena_byte_size);
  tn__write_string(writer, ", lower bound ");
  write_bytes(writer, (double)plan->lower_bound_byte_size);
  tn__write_string(writer, ", all values ");
  write_bytes(writer, (double)plan->total_byte_size);
  tn__writef(
      writer,
      "</text>\n<text x=\"%d\" y=\"58\" fill=\"#555\">bars: temporaries at their offsets, from "
      "their first to their last use; line: the sum of what is live</text>\n",
      LEFT);
  draw_axes(&frame, top);
  for (size_t i = 0; i < plan->buffer_count; ++i) {
    const tn_plan_buffer_t* buffer = &plan->buffers[i];
    if (buffer->kind == TN_PLAN_TEMPORARY && buffer->byte_size) draw_bar(&frame, buffer, i);
  }
  draw_live(&frame);
  draw_steps(&frame);
  draw_level(&frame, plan->arena_byte_size, "peak", "stroke=\"#c00\" stroke-dasharray=\"6 3\"",
             true);
  if (plan->lower_bound_byte_size != plan->arena_byte_size) {
    draw_level(&frame, plan->lower_bound_byte_size, "lower bound",
               "stroke=\"#080\" stroke-dasharray=\"2 3\"", false);
  }
  tn__write_string(writer, "</svg>\n");
}
