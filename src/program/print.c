// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// What a program looks like at its stages.
#include "plan/print.h"
#include "base/limits.h"
#include "base/writer.h"
#include "device/device.h"
#include "kernel/placement.h"
#include "pass/pass.h"
#include "program/dynamic.h"
#include "program/print.h"

// --- the program

// Why the instruction is there, or why its kernel is not one that comes first; may be NULL.
const char* tn__instruction_reason(const tn_instruction_t* instruction) {
  const tn_plan_step_t* step = instruction->step;
  if (step->reason || !instruction->kernel || !step->node || !step->site.use) return step->reason;
  return tn__kernel_reason(tn__node_target(step->node), instruction->kernel, step->site.use);
}

// What an instruction computes together; NULL when it is no fusion.
const tn_fusion_spec_t* tn__instruction_fusion(const tn_instruction_t* instruction) {
  return tn__fusion_spec(instruction->kernel, instruction->state);
}

const tn_region_t* tn__instruction_members(const tn_instruction_t* instruction) {
  const tn_node_t* node = instruction->step->node;
  if (!node || instruction->block_count) return NULL;
  const bool is_launched =
      node->op == TN__OP_OF(tenon, fusion) && instruction->kind == TN_LAUNCH_KERNEL;
  return is_launched || node->op == TN__OP_OF(tenon, row_blocks) ? node->regions[0] : NULL;
}

const tn_node_t* tn__member_next(const tn_region_t* members, const tn_node_t* node) {
  node = node ? node->next : members->first;
  while (node) {
    if (node->op == TN__OP_OF(tenon, fusion)) {
      node = node->regions[0]->first;
    } else if (node != node->region->last) {
      return node;
    } else {
      node = node->region == members ? NULL : node->region->parent->next;
    }
  }
  return NULL;
}

const tn_fusion_step_t* tn__fusion_next(const tn_fusion_spec_t* fusion,
                                        const tn_fusion_step_t* step) {
  const tn_fusion_step_t* end = fusion->steps + fusion->step_count;
  if (step && step == fusion->last) return NULL;
  step = step ? step + 1 : fusion->steps;
  while (step < end && !step->node) ++step;
  return step < end ? step : fusion->last;
}

static size_t operation_count(const tn_fusion_spec_t* fusion) {
  size_t count = 0;
  TN_FOR_EACH_FUSED (step, fusion) {
    ++count;
  }
  return count;
}

// Who computes it when we do not, and why: "(library openblas)", "(too small for openblas)".
static void text_reason(const tn_instruction_t* instruction, tn_writer_t* writer) {
  const char* reason = tn__instruction_reason(instruction);
  const char* tier = instruction->kernel ? instruction->kernel->tier : NULL;
  if (!tier && !reason) return;
  tn__writef(writer, "  (%s%s%s)", tier ? tier : "", tier && reason ? ": " : "",
             reason ? reason : "");
}

static void text_fusion(const tn_instruction_t* instruction, tn_writer_t* writer) {
  const tn_fusion_spec_t* fusion = tn__instruction_fusion(instruction);
  if (!fusion) return;
  TN_FOR_EACH_FUSED (step, fusion) {
    tn_string_view_t target = tn__attr_get_string(&step->node->attrs, "call_target_name");
    tn__writef(writer, "          %-26s %s", step->kernel->name,
               tn__op_short_name(tn__op_written(step->node->op)));
    if (target.length) tn__writef(writer, " @%.*s", TN_SV(target));
    if (step->node->location.line) tn__writef(writer, "  line %u", step->node->location.line);
    tn__write_string(writer, "\n");
  }
}

static void text_members(const tn_instruction_t* instruction, tn_writer_t* writer) {
  const tn_region_t* region = tn__instruction_members(instruction);
  if (!region) return;
  TN_FOR_EACH_MEMBER(node, region) {
    tn__writef(writer, "          %s", tn__op_short_name(tn__op_written(node->op)));
    if (node->location.line) tn__writef(writer, "  line %u", node->location.line);
    tn__write_string(writer, "\n");
  }
}

static void text_program(const tn_program_t* program, tn_writer_t* writer) {
  tn__writef(writer, "program: %zu instruction%s, %zu pointers, ", program->instruction_count,
             program->instruction_count == 1 ? "" : "s", program->pointer_count);
  tn__write_grouped(writer, program->arena_byte_size);
  tn__writef(writer, " bytes of temporaries, %zu bytes of frames\n", program->local_byte_size);
  for (size_t u = 0; u < program->unit_count; ++u) {
    const tn_program_unit_t* unit = &program->units[u];
    tn__writef(writer, "function %zu @%.*s: block %u, temporaries from %zu\n", u,
               TN_SV(unit->plan->function->name), unit->block, unit->arena_offset);
  }
  for (size_t b = 0; b < program->block_count; ++b) {
    const tn_program_block_t* block = &program->blocks[b];
    tn__writef(writer, "block %zu\n", b);
    for (uint32_t i = 0; i < block->instruction_count; ++i) {
      uint32_t index = block->first_instruction + i;
      const tn_instruction_t* instruction = &program->instructions[index];
      const tn_node_t* node = instruction->step->node;
      tn__writef(writer, "  %-5u %-28s", index,
                 instruction->kernel ? instruction->kernel->name : "call");
      if (node) tn__writef(writer, " %s", tn__plan_step_name(instruction->step));
      tn_string_view_t target = tn__plan_step_target(instruction->step);
      if (target.length) tn__writef(writer, " @%.*s", TN_SV(target));
      if (instruction->unit != TN_PROGRAM_NONE)
        tn__writef(writer, " function %u", instruction->unit);
      if (instruction->block_count) {
        tn__writef(writer, " blocks %u..%u", instruction->first_block,
                   instruction->first_block + instruction->block_count - 1);
      }
      if (node && node->location.line) tn__writef(writer, "  line %u", node->location.line);
      if (tn__instruction_fusion(instruction)) {
        const size_t count = operation_count(tn__instruction_fusion(instruction));
        tn__writef(writer, "  (%zu operation%s, %lld elements at a time)", count,
                   count == 1 ? "" : "s together",
                   (long long)tn__fusion_tile_length(instruction->state));
      }
      text_reason(instruction, writer);
      tn__plan_print_views(instruction->step, writer);
      tn__plan_print_reader(instruction->step, writer);
      tn__write_string(writer, "\n");
      text_fusion(instruction, writer);
      text_members(instruction, writer);
    }
  }
}

static void print_plans(const tn_program_t* program, tn_writer_t* writer,
                        void (*print)(const tn_plan_t* plan, tn_writer_t* writer)) {
  for (size_t u = 0; u < program->unit_count; ++u) print(program->units[u].plan, writer);
}

// The entry's, and those of the functions that it calls inside.
static void print_plans_json(const tn_program_t* program, tn_writer_t* writer) {
  tn__write_string(writer, "{");
  tn__plan_print_json(program->units[0].plan, writer);
  tn__write_string(writer, ",\n \"callees\": [");
  for (size_t u = 1; u < program->unit_count; ++u) {
    tn__write_string(writer, u > 1 ? ",\n{" : "\n{");
    tn__plan_print_json(program->units[u].plan, writer);
    tn__write_string(writer, "}");
  }
  tn__write_string(writer, "]}\n");
}

static tn_status_t print_module(const tn_program_t* program, const tn_module_t* module,
                                tn_program_format_t format, tn_writer_t* writer) {
  switch (format) {
    case TN_FORMAT_TEXT: return tn_module_print(module, writer->write, writer->user);
    case TN_FORMAT_JSON: tn__print_module_json(module, writer); return TN_OK;
    case TN_FORMAT_DOT: {
      tn_string_view_t name = tn__program_function(program)->name;
      tn__print_dot(tn__module_find_function(module, name), writer);
      return TN_OK;
    }
    case TN_FORMAT_SVG: break;
  }
  return tn_status_create(TN_CODE_UNIMPLEMENTED,
                          "only a plan can be drawn as SVG; modules print as text, json or dot");
}

// The module after the passes. As text, as far as that can say it: bodies that became wider for the
// kernels are printed as they were, so that the text can be read again.
static tn_status_t print_rewritten(const tn_program_t* program, tn_program_format_t format,
                                   tn_writer_t* writer) {
  const tn_pass_options_t options = {.target = program->module->target,
                                     .keep_all = program->keep_all,
                                     .is_strict = program->is_strict,
                                     .keep_valid = true};
  const tn_string_view_t name = tn__program_function(program)->name;
  tn_module_t* module = NULL;
  if (format != TN_FORMAT_TEXT) return print_module(program, program->module, format, writer);
  TN_RETURN_IF_ERROR(tn__module_clone(program->source, &module));
  module->target = options.target;
  tn_function_t* entry = tn__module_find_function(module, name);
  tn_status_t status = tn__program_fix_platform(program, module, entry);
  if (!status && !program->dynamic) {  // of the sizes that it was compiled for
    const tn_function_t* compiled = tn__program_function(program);
    const bool is_dynamic = tn__function_is_dynamic(entry);
    status = tn__program_fix_sizes(module, entry, is_dynamic ? compiled->argument_types : NULL);
  }
  if (!status) status = tn__pass_run(module, entry, &options);
  if (!status) status = print_module(program, module, format, writer);
  tn_module_release(module);
  return status;
}

static tn_status_t print_plan(const tn_program_t* program, tn_program_format_t format,
                              tn_writer_t* writer) {
  switch (format) {
    case TN_FORMAT_TEXT: print_plans(program, writer, tn__plan_print_text); return TN_OK;
    case TN_FORMAT_JSON: print_plans_json(program, writer); return TN_OK;
    case TN_FORMAT_SVG: tn__plan_print_svg(program->units[0].plan, writer); return TN_OK;
    case TN_FORMAT_DOT: break;
  }
  return tn_status_create(TN_CODE_UNIMPLEMENTED, "a plan prints as text, json or svg");
}

tn_status_t tn_program_print(const tn_program_t* program, tn_program_stage_t stage,
                             tn_program_format_t format, tn_write_fn write, void* user) {
  TN_RETURN_IF_NULL(program);
  TN_RETURN_IF_NULL(write);
  const bool needs_sizes = stage == TN_STAGE_PLAN || stage == TN_STAGE_PROGRAM;
  if (program->dynamic && needs_sizes) {
    return tn_status_create(TN_CODE_FAILED_PRECONDITION,
                            "@%.*s has inputs with unknown dimensions: it is planned when it "
                            "runs, for the sizes of its inputs; expected a function of static "
                            "shapes",
                            TN_SV(tn__program_function(program)->name));
  }
  tn_writer_t writer;
  tn_status_t status = TN_OK;
  tn__writer_init(&writer, write, user);
  switch (stage) {
    case TN_STAGE_IR: status = print_module(program, program->source, format, &writer); break;
    case TN_STAGE_PASS: status = print_rewritten(program, format, &writer); break;
    case TN_STAGE_PLAN: status = print_plan(program, format, &writer); break;
    case TN_STAGE_PROGRAM:
      if (format == TN_FORMAT_TEXT) {
        text_program(program, &writer);
      } else if (format == TN_FORMAT_JSON) {
        tn__print_program_json(program, &writer);
      } else {
        status = tn_status_create(TN_CODE_UNIMPLEMENTED, "a program prints as text or json");
      }
      break;
    default:
      status =
          tn_status_create(TN_CODE_INVALID_ARGUMENT, "%d is not a stage of a program", (int)stage);
  }
  tn_status_t written = tn__writer_finish(&writer);
  if (!status) return written;
  tn_status_release(written);
  return status;
}
