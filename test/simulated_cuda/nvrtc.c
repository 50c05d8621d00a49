// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// CUDA's compiler, by the C++ compiler at hand.
#include <ctype.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel.h"

typedef struct tn_nvrtc_program_object* tn_nvrtc_program_t;
#define TN_NVRTC_FUNCTION(result, name, ...) \
  __attribute__((visibility("default"))) result nvrtc##name(__VA_ARGS__);
#include "device/cuda/nvrtc.def"
#undef TN_NVRTC_FUNCTION

enum {
  OUT_OF_MEMORY = 1,
  INVALID_INPUT = 3,
  INVALID_PROGRAM = 4,
  INVALID_OPTION = 5,
  COMPILATION = 6,
};

struct tn_nvrtc_program_object {
  char *source, *name;
  char* log;
  sim_binary_t* binary;
};

const char* nvrtcGetErrorString(int32_t error) {
  static const char* const names[] = {"NVRTC_SUCCESS",
                                      "NVRTC_ERROR_OUT_OF_MEMORY",
                                      "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                      "NVRTC_ERROR_INVALID_INPUT",
                                      "NVRTC_ERROR_INVALID_PROGRAM",
                                      "NVRTC_ERROR_INVALID_OPTION",
                                      "NVRTC_ERROR_COMPILATION"};
  const bool is_known = error >= 0 && (size_t)error < sizeof names / sizeof *names;
  return is_known ? names[error] : "NVRTC_ERROR unknown";
}

// Another one for another source of this, so that what it compiled before is not taken from a
// cache.
int32_t nvrtcVersion(int32_t* out_major, int32_t* out_minor) {
  *out_major = 12;
  *out_minor = SIMULATED_VERSION;
  return 0;
}

int32_t nvrtcCreateProgram(tn_nvrtc_program_t* out_program, const char* source, const char* name,
                           int32_t header_count, const char* const* headers,
                           const char* const* header_names) {
  (void)headers;
  (void)header_names;
  if (!source || header_count) return INVALID_INPUT;
  tn_nvrtc_program_t program = calloc(1, sizeof *program);
  if (!program) return OUT_OF_MEMORY;
  program->source = strdup(source);
  program->name = strdup(name ? name : "default_program");
  if (!program->source || !program->name) abort();
  *out_program = program;
  return 0;
}

int32_t nvrtcDestroyProgram(tn_nvrtc_program_t* program) {
  if (!program || !*program) return INVALID_PROGRAM;
  free((*program)->source);
  free((*program)->name);
  free((*program)->log);
  free((*program)->binary);
  free(*program);
  *program = NULL;
  return 0;
}

// --- options

static const int32_t known[] = {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};
enum { KNOWN_COUNT = sizeof known / sizeof *known };

int32_t nvrtcGetNumSupportedArchs(int32_t* out_count) {
  *out_count = KNOWN_COUNT;
  return 0;
}

int32_t nvrtcGetSupportedArchs(int32_t* out_architectures) {
  memcpy(out_architectures, known, sizeof known);
  return 0;
}

// "sm_90" makes a cubin, "compute_90" PTX alone.
typedef struct target {
  uint32_t architecture;
  bool is_ptx;
} target_t;

static bool take_option(const char* option, target_t* target) {
  static const char prefix[] = "--gpu-architecture=", real[] = "sm_", ptx[] = "compute_";
  if (strncmp(option, prefix, sizeof prefix - 1) != 0) {
    return strcmp(option, "--fmad=false") == 0 || strcmp(option, "--disable-warnings") == 0;
  }
  option += sizeof prefix - 1;
  target->is_ptx = strncmp(option, ptx, sizeof ptx - 1) == 0;
  if (!target->is_ptx && strncmp(option, real, sizeof real - 1) != 0) return false;
  target->architecture = (uint32_t)strtoul(strchr(option, '_') + 1, NULL, 10);
  for (size_t i = 0; i < KNOWN_COUNT; ++i) {
    if (known[i] == (int32_t)target->architecture) return true;
  }
  return false;
}

// --- compiling

// What calls each kernel of a source that is preprocessed.
static void write_entries(FILE* file, const char* source) {
  static const char mark[] = "((sim_kernel)) void ";
  for (const char* at = source; (at = strstr(at, mark));) {
    at += strlen(mark);
    int length = 0;
    while (isalnum((unsigned char)at[length]) || at[length] == '_') ++length;
    fprintf(file,
            "\nextern \"C\" __attribute__((visibility(\"default\"))) const sim_kernel_t "
            "sim_kernel_%.*s = sim_kernel_of<&%.*s>();\n",
            length, at, length, at);
  }
}

static char* read_file(const char* path, size_t before, size_t* out_size) {
  FILE* file = fopen(path, "rb");
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *out_size = (size_t)ftell(file);
  rewind(file);
  char* bytes = calloc(1, before + *out_size + 1);
  if (!bytes || fread(bytes + before, 1, *out_size, file) != *out_size) abort();
  fclose(file);
  return bytes;
}

static bool run_compiler(char* const* arguments, const char* log) {
  posix_spawn_file_actions_t actions;
  pid_t child = 0;
  int status = -1;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ) == 0) {
    waitpid(child, &status, 0);
  }
  posix_spawn_file_actions_destroy(&actions);
  return status == 0;
}

static bool preprocess(char* in, char* out, const char* log) {
  char* const arguments[] = {SIMULATED_COMPILER, "-x", "c++", "-E", "-w", "-include",
                             SIMULATED_LANGUAGE, in,   "-o",  out,  NULL};
  return run_compiler(arguments, log);
}

static bool compile(char* in, char* out, const char* log) {
  char* const arguments[] = {SIMULATED_COMPILER,
                             "-x",
                             "c++-cpp-output",
                             "-std=c++17",
                             "-O1",
                             "-fPIC",
                             "-shared",
                             "-w",
                             "-ffp-contract=off",
                             "-fno-exceptions",
                             "-fno-rtti",
                             "-fwrapv",
                             "-fvisibility=hidden",
                             in,
                             "-o",
                             out,
                             "-lm",
                             NULL};
  return run_compiler(arguments, log);
}

static bool write_source(tn_nvrtc_program_t program, const char* path) {
  FILE* file = fopen(path, "w");
  if (!file) return false;
  fprintf(file, "#line 1 \"%s\"\n%s", program->name, program->source);
  return fclose(file) == 0;
}

static bool append_entries(const char* path) {
  size_t size = 0;
  char* text = read_file(path, 0, &size);
  FILE* file = text ? fopen(path, "a") : NULL;
  if (file) {
    write_entries(file, text);
    fclose(file);
  }
  free(text);
  return file;
}

static sim_binary_t* create_binary(const char* source, const char* library, target_t target) {
  const char* magic = target.is_ptx ? SIM_PTX : SIM_CUBIN;
  const size_t source_size = strlen(source) + 1;
  size_t size = 0;
  char* bytes = read_file(library, sizeof(sim_binary_t), &size);
  sim_binary_t* binary = realloc(bytes, sizeof *binary + size + source_size);
  if (!binary) abort();
  *binary = (sim_binary_t){.architecture = target.architecture,
                           .byte_size = (uint32_t)size,
                           .source_size = (uint32_t)source_size};
  memcpy(binary->magic, magic, strlen(magic));
  memcpy((char*)(binary + 1) + size, source, source_size);
  return binary;
}

static int32_t compile_in(tn_nvrtc_program_t program, const char* folder, target_t target) {
  char in[128], between[128], out[128], log[128];
  size_t size = 0;
  snprintf(in, sizeof in, "%s/kernel.cu", folder);
  snprintf(between, sizeof between, "%s/kernel.ii", folder);
  snprintf(out, sizeof out, "%s/kernel.so", folder);
  snprintf(log, sizeof log, "%s/log", folder);
  const bool is_compiled = write_source(program, in) && preprocess(in, between, log) &&
                           append_entries(between) && compile(between, out, log);
  if (is_compiled) {
    program->binary = create_binary(program->source, out, target);
  } else {
    program->log = read_file(log, 0, &size);
  }
  const char* const files[] = {in, between, out, log};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) unlink(files[i]);
  return is_compiled ? 0 : COMPILATION;
}

int32_t nvrtcCompileProgram(tn_nvrtc_program_t program, int32_t option_count,
                            const char* const* options) {
  char folder[] = "/tmp/simulated_nvrtc_XXXXXX";
  target_t target = {75, true};
  if (!program || program->binary) return INVALID_PROGRAM;
  for (int32_t i = 0; i < option_count; ++i) {
    if (!take_option(options[i], &target)) return INVALID_OPTION;
  }
  if (!mkdtemp(folder)) return OUT_OF_MEMORY;
  const int32_t result = compile_in(program, folder, target);
  rmdir(folder);
  return result;
}

int32_t nvrtcGetProgramLogSize(tn_nvrtc_program_t program, size_t* out_size) {
  *out_size = program->log ? strlen(program->log) + 1 : 1;
  return 0;
}

int32_t nvrtcGetProgramLog(tn_nvrtc_program_t program, char* out_log) {
  const char* log = program->log ? program->log : "";
  memcpy(out_log, log, strlen(log) + 1);
  return 0;
}

static size_t size_of(const sim_binary_t* binary) {
  return sizeof *binary + binary->byte_size + binary->source_size;
}

// For PTX alone there is no cubin.
int32_t nvrtcGetCUBINSize(tn_nvrtc_program_t program, size_t* out_size) {
  if (!program->binary) return INVALID_PROGRAM;
  *out_size = strcmp(program->binary->magic, SIM_CUBIN) == 0 ? size_of(program->binary) : 0;
  return 0;
}

int32_t nvrtcGetCUBIN(tn_nvrtc_program_t program, char* out_binary) {
  if (!program->binary) return INVALID_PROGRAM;
  memcpy(out_binary, program->binary, size_of(program->binary));
  return 0;
}

int32_t nvrtcGetPTXSize(tn_nvrtc_program_t program, size_t* out_size) {
  if (!program->binary) return INVALID_PROGRAM;
  *out_size = size_of(program->binary);
  return 0;
}

int32_t nvrtcGetPTX(tn_nvrtc_program_t program, char* out_text) {
  if (!program->binary) return INVALID_PROGRAM;
  memcpy(out_text, program->binary, size_of(program->binary));
  memcpy(((sim_binary_t*)(void*)out_text)->magic, SIM_PTX, sizeof SIM_PTX);
  return 0;
}
