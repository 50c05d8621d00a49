// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

#include "cli.h"

const option_t cli_options[OPTION_COUNT] = {
#define TN_OPTION(id, long_name, short_name, value_, repeats_, completes_, help_) \
  [OPTION_##id] = {.name = long_name,                                             \
                   .letter = short_name,                                          \
                   .value = value_,                                               \
                   .repeats = repeats_,                                           \
                   .completes = completes_,                                       \
                   .help = help_},
#include "options.def"
#undef TN_OPTION
};

#define OPT(name) (1u << OPTION_##name)
const command_t cli_commands[] = {
#define TN_COMMAND(name_, arguments_, minimum_, maximum_, completes_, options_, summary_, \
                   description_, examples_)                                               \
  {.name = #name_,                                                                        \
   .arguments = arguments_,                                                               \
   .minimum = minimum_,                                                                   \
   .maximum = maximum_,                                                                   \
   .completes = completes_,                                                               \
   .options = options_,                                                                   \
   .summary = summary_,                                                                   \
   .description = description_,                                                           \
   .examples = examples_,                                                                 \
   .run = tn_command_##name_},
#include "commands.def"
#undef TN_COMMAND
};

const size_t cli_command_count = sizeof cli_commands / sizeof *cli_commands;
