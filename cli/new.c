// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 The Tenon authors

// The project of an author: one operation, a test, and what builds them.
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

typedef struct project_file {
  const char* name;  // @ stands for the operation's name, here and in the text; ^ in capitals
  const char* text;
} project_file_t;

static const project_file_t files[] = {
    {"@.c",
     "// z = x + scale * y: an operation for StableHLO programs, lazy arrays and JAX.\n"
     "#include <tenon/custom.h>\n"
     "#include <tenon/operation.h>\n"
     "\n"
     "#define ^(ARG, ATTR, RET)  \\\n"
     "  ARG(x, f32, any_rank)  \\\n"
     "  ARG(y, f32, like(x))  \\\n"
     "  ATTR(scale, float, 1.0f)  \\\n"
     "  RET(z, f32, like(x))\n"
     "\n"
     "TN_OP(@, ^, \"z = x + scale * y\") {\n"
     "  const int64_t n = tn_size(call->x);\n"
     "  for (int64_t i = 0; i < n; ++i)\n"
     "    call->z.data[i] = call->x.data[i] + call->scale * call->y.data[i];\n"
     "  return TN_OK;\n"
     "}\n"
     "\n"
     "// Gradients: 1 for x, scale for y.\n"
     "static tn_status_t @_vjp(const tn_rule_t* rule, const tn_vjp_call_t* call) {\n"
     "  tn_array_t* t = call->cotangents[0];\n"
     "  tn_array_t* scale = tn_rule_constant(rule, t, tn_rule_attribute(rule, \"scale\"));\n"
     "  for (size_t i = 0; i < call->argnum_count; ++i)\n"
     "    call->out_cotangents[i] = call->argnums[i] == 0 ? t : tn_rule_multiply(rule, scale, t);\n"
     "  return TN_OK;\n"
     "}\n"
     "\n"
     "// Elementwise: Tenon derives dtype promotion, broadcasting, strides, threading and vmap.\n"
     "TN_DEFINE(@, .flags = TN_OP_ELEMENTWISE, .vjp = @_vjp)\n"
     "TN_LIBRARY(@)\n"},
    {"test.mlir",
     "func.func @main() {\n"
     "  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>\n"
     "  %y = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>\n"
     "  %z = stablehlo.custom_call @@(%x, %y) {api_version = 4 : i32, backend_config = {scale = "
     "0.5 : "
     "f32}}\n"
     "      : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>\n"
     "  check.expect_eq_const %z, dense<[6.0, 12.0, 18.0]> : tensor<3xf32>\n"
     "  return\n"
     "}\n"},
    {"CMakeLists.txt",
     "cmake_minimum_required(VERSION 3.18)\n"
     "project(@ LANGUAGES C)\n"
     "if(NOT CMAKE_BUILD_TYPE)\n"
     "  set(CMAKE_BUILD_TYPE Release)\n"
     "endif()\n"
     "find_package(Tenon CONFIG REQUIRED)\n"
     "enable_testing()\n"
     "\n"
     "tenon_add_extension(@ @.c)\n"
     "find_program(TENON tenon HINTS ${Tenon_DIR}/../../../bin REQUIRED)\n"
     "add_test(NAME @ COMMAND ${TENON} test ${CMAKE_CURRENT_SOURCE_DIR}/test.mlir\n"
     "  --load $<TARGET_FILE:@>)\n"},
    {"pyproject.toml",
     "[build-system]\n"
     "requires = [\"setuptools>=70.1\", \"tenon-runtime\"]\n"
     "build-backend = \"setuptools.build_meta\"\n"
     "\n"
     "[project]\n"
     "name = \"@\"\n"
     "version = \"0.1.0\"\n"
     "description = \"z = x + scale * y, as an operation of Tenon\"\n"
     "requires-python = \">=3.11\"\n"
     "dependencies = [\"tenon-runtime\"]\n"
     "\n"
     "[tool.setuptools]\n"
     "package-dir = {\"\" = \"src\"}\n"
     "packages = [\"@\"]\n"},
    {"setup.py",
     "from setuptools import setup\n"
     "from tenon import extension\n"
     "\n"
     "setup(\n"
     "    ext_modules=[extension.Extension(\"@.@\", [\"@.c\"])],\n"
     "    cmdclass={\"build_ext\": extension.BuildExtension},\n"
     ")\n"},
    {"src/@/__init__.py",
     "\"\"\"z = x + scale * y, an operation of Tenon.\"\"\"\n"
     "\n"
     "from tenon.ops import load_package\n"
     "\n"
     "load_package(__name__)\n"},
    {"test_@.py",
     "import tenon.core as tn\n"
     "from @ import @\n"
     "\n"
     "\n"
     "def test_values():\n"
     "    z = @(tn.array([1.0, 2.0, 3.0]), tn.array([10.0, 20.0, 30.0]), scale=0.5)\n"
     "    assert z.tolist() == [6.0, 12.0, 18.0]\n"
     "\n"
     "\n"
     "def test_gradient():\n"
     "    gradient = tn.grad(lambda y: @(tn.array([1.0]), y, scale=3.0).sum())(tn.array([2.0]))\n"
     "    assert gradient.tolist() == [3.0]\n"},
    {"README.md",
     "# @\n"
     "\n"
     "An operation for Tenon and JAX.\n"
     "\n"
     "In Python, `pip install .` makes it a function, and `pytest` tests it:\n"
     "\n"
     "```\n"
     "import tenon.core as tn\n"
     "from @ import @\n"
     "\n"
     "@(tn.array([1.0]), tn.array([10.0]), scale=0.5)\n"
     "```\n"
     "\n"
     "As a library:\n"
     "\n"
     "```\n"
     "cmake -B build && cmake --build build && ctest --test-dir build\n"
     "tenon inspect build/lib@.so\n"
     "```\n"
     "\n"
     "CMake finds Tenon in the prefix of a `tenon` on the PATH, in -DCMAKE_PREFIX_PATH=PREFIX, "
     "and\n"
     "in the Python package with `-DTenon_DIR=$(python -m tenon --cmake-dir)`. Without CMake:\n"
     "`cc -Wall -O3 -shared -fPIC -I PREFIX/include @.c -o lib@.so`; `python -m tenon --cflags`\n"
     "prints the option for the package's headers.\n"
     "\n"
     "In a StableHLO program it is `stablehlo.custom_call @@` (see test.mlir), in C\n"
     "`tn_op_apply_one(scope, \"@\", ...)`, in JAX a function of\n"
     "`tenon.jax.register(\"build/lib@.so\")`.\n"},
};

// `@@` is one @, which begins the name of a function in StableHLO, and then the name; `@main`
// stays.
static void write_text(FILE* out, const char* text, const char* name) {
  for (const char* at = text; *at; ++at) {
    if (*at == '@' && strncmp(at, "@main", 5) == 0) {
      fputc('@', out);
    } else if (at[0] == '@' && at[1] == '@') {
      fprintf(out, "@%s", name);
      ++at;
    } else if (*at == '@') {
      fputs(name, out);
    } else if (*at == '^') {
      for (const char* letter = name; *letter; ++letter)
        fputc(toupper((unsigned char)*letter), out);
    } else {
      fputc(*at, out);
    }
  }
}

static int fail(const char* path) {
  const bool is_there = errno == EEXIST;
  return cli_report(tn_status_create(
      is_there ? TN_CODE_ALREADY_EXISTS : TN_CODE_PERMISSION_DENIED, "%s: %s", path,
      is_there ? "it is there already; nothing was written" : strerror(errno)));
}

// Where a file of the project is; the folders of its path are made.
static bool make_path(const char* pattern, const char* name, char* path, size_t capacity) {
  FILE* out = fmemopen(path, capacity, "w");
  if (!out) return false;
  fprintf(out, "%s/", name);
  write_text(out, pattern, name);
  if (fclose(out)) return false;
  for (char* slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    const bool is_made = mkdir(path, 0777) == 0 || errno == EEXIST;
    *slash = '/';
    if (!is_made) return false;
  }
  return true;
}

static int write_file(const project_file_t* file, const char* name) {
  char path[512] = "";
  FILE* out = make_path(file->name, name, path, sizeof path) ? fopen(path, "w") : NULL;
  if (!out) return fail(path);
  write_text(out, file->text, name);
  const bool is_bad = ferror(out) != 0;
  if (fclose(out) || is_bad) return fail(path);
  printf("%s\n", path);
  return EXIT_FINE;
}

static bool is_on_path(const char* folder) {
  const char* path = getenv("PATH");
  const size_t length = strlen(folder);
  while (path) {
    const char* end = strchrnul(path, ':');
    const size_t size = (size_t)(end - path);
    if (size == length && strncmp(path, folder, size) == 0) return true;
    path = *end ? end + 1 : NULL;
  }
  return false;
}

// Options with which CMake finds the Tenon of this command. None where its PREFIX/bin is on the
// PATH, which CMake searches, and in a build tree, which has no CMake package. In a Python package,
// the `tenon` of the PATH is a script elsewhere.
static void write_cmake_options(char* options, size_t size) {
  options[0] = 0;
  char folder[PATH_MAX], package[PATH_MAX + sizeof "/__main__.py"];
  const ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
  if (length <= 0) return;
  folder[length] = 0;
  char* name = strrchr(folder, '/');
  if (name) *name = 0;
  char* bin = strrchr(folder, '/');
  if (!bin || strcmp(bin, "/bin") != 0 || is_on_path(folder)) return;
  *bin = 0;
  snprintf(package, sizeof package, "%s/__main__.py", folder);
  if (access(package, R_OK) == 0) {
    snprintf(options, size, " -DTenon_DIR=$(python -m tenon --cmake-dir)");
  } else {
    snprintf(options, size, " -DCMAKE_PREFIX_PATH='%s'", folder);
  }
}

static void say_next(const char* name) {
  char options[PATH_MAX + 32];
  write_cmake_options(options, sizeof options);
  printf(
      "\n"
      "cd %s, then\n"
      "  pip install . && pytest\n"
      "      installs the operation as a package, and tests it\n"
      "  cmake -B build%s && cmake --build build\n"
      "      builds the library, build/lib%s.so\n"
      "  tenon test test.mlir --load build/lib%s.so\n"
      "      runs a StableHLO program that calls it\n",
      name, options, name, name);
}

// Functions, macros, the target of CMake and the package in Python are called as the operation is.
static const char* const words_taken[] = {
    "and",      "as",     "assert",   "async",   "await",    "class",    "def",      "del",
    "elif",     "except", "finally",  "from",    "global",   "import",   "in",       "is",
    "lambda",   "none",   "nonlocal", "not",     "or",       "pass",     "raise",    "tenon",
    "try",      "with",   "yield",    "asm",     "auto",     "bool",     "break",    "case",
    "char",     "const",  "continue", "default", "do",       "double",   "else",     "enum",
    "eof",      "extern", "false",    "float",   "for",      "goto",     "if",       "inline",
    "int",      "linux",  "long",     "main",    "null",     "offsetof", "register", "restrict",
    "return",   "short",  "signed",   "sizeof",  "static",   "struct",   "switch",   "true",
    "typedef",  "typeof", "union",    "unix",    "unsigned", "va_arg",   "va_copy",  "va_end",
    "va_start", "void",   "volatile", "while"};
static const char* const targets_of_cmake[] = {"all",
                                               "clean",
                                               "depend",
                                               "edit_cache",
                                               "help",
                                               "install",
                                               "list_install_components",
                                               "package",
                                               "package_source",
                                               "preinstall",
                                               "rebuild_cache",
                                               "test"};

static bool is_one_of(const char* name, const char* const* names, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (strcmp(name, names[i]) == 0) return true;
  }
  return false;
}

static bool is_good_name(const char* name) {
  const size_t length = strlen(name);
  if (length == 0 || length > 64 || !islower((unsigned char)name[0])) return false;
  if (is_one_of(name, words_taken, sizeof words_taken / sizeof *words_taken)) return false;
  for (const char* letter = name; *letter; ++letter) {
    const unsigned char c = (unsigned char)*letter;
    if (c > 127 || (!islower(c) && !isdigit(c) && c != '_')) return false;
  }
  return true;
}

// What has the name already; NULL: nothing.
static const char* owner_of(const char* name) {
  const size_t length = strlen(name);
  if (strcmp(name, "tn") == 0 || strncmp(name, "tn_", 3) == 0) {
    return "Tenon's header has names like";
  }
  if (length > 2 && strcmp(name + length - 2, "_t") == 0) return "C has types with names like";
  if (is_one_of(name, targets_of_cmake, sizeof targets_of_cmake / sizeof *targets_of_cmake)) {
    return "CMake has a target";
  }
  // The headers that an author includes declare it otherwise.
  return dlsym(RTLD_DEFAULT, name) ? "C has a function" : NULL;
}

int tn_command_new(const arguments_t* arguments) {
  const char* name = arguments->values[0];
  if (!is_good_name(name)) {
    return cli_refuse(
        arguments->command,
        "\"%s\" is not a name of an operation: expected lower-case letters, digits and _, "
        "up to 64, beginning with a letter, and not a keyword of C or Python",
        name);
  }
  const char* owner = owner_of(name);
  if (owner) {
    const char* base = strcmp(name, "tn") == 0 ? "my" : name;
    if (strncmp(name, "tn_", 3) == 0) base = name + 3;
    return cli_refuse(arguments->command,
                      "%s \"%s\", and the operation becomes one of its name: expected another, "
                      "such as %s_op",
                      owner, name, base);
  }
  if (mkdir(name, 0777)) return fail(name);
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    const int code = write_file(&files[i], name);
    if (code) return code;
  }
  say_next(name);
  return EXIT_FINE;
}
