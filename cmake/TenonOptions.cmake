# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

# Options, compiler flags and the features found on this machine.
option(TENON_BUILD_COMMAND "Build the command `tenon`" ${TENON_IS_TOP_LEVEL})
option(TENON_BUILD_TESTS "Build the examples, tests and benchmarks, which need the command" ${TENON_IS_TOP_LEVEL})
option(TENON_BUILD_PYTHON "Build the Python package" ${TENON_IS_TOP_LEVEL})
option(TENON_INSTALL "Install headers, libraries and the command" ${TENON_IS_TOP_LEVEL})
option(TENON_BUILD_FUZZERS "Build every *_fuzz.c as a libFuzzer program (clang)" OFF)
option(TENON_COVERAGE "Instrument for source-based coverage (clang)" OFF)
option(TENON_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
set(TENON_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them (address,undefined or thread)")

# Each name here becomes Tenon_HAS_<name> of the installed package.
set(TENON_FEATURES "")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(TENON_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()
if(TENON_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# A compiler cache saves minutes when there is one.
find_program(TENON_CCACHE ccache)
mark_as_advanced(TENON_CCACHE)
if(TENON_CCACHE AND NOT DEFINED CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${TENON_CCACHE})
endif()

find_package(Threads REQUIRED)

# Every target of ours takes its warnings and sanitizers from here.
add_library(tenon_flags INTERFACE)
target_compile_definitions(tenon_flags INTERFACE _GNU_SOURCE)
target_compile_options(tenon_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes
  # Results must not depend on the compiler's mood: no fused multiply-add unless it is written.
  -ffp-contract=off -fno-math-errno -fno-trapping-math
  # Enumerators are named constants here, of floating-point arithmetic too.
  $<$<C_COMPILER_ID:Clang>:-Wno-enum-float-conversion>)
# gcc sets and copies small structs with `rep stos` and `rep movs`, which take 20 ns to begin.
set(small_structs -mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign
  -mmemcpy-strategy=unrolled_loop:256:noalign,libcall:-1:noalign)
include(CheckCCompilerFlag)
check_c_compiler_flag("${small_structs}" TENON_HAS_MEMSET_STRATEGY)
if(TENON_HAS_MEMSET_STRATEGY)
  target_compile_options(tenon_flags INTERFACE ${small_structs})
endif()
if(TENON_WARNINGS_AS_ERRORS)
  target_compile_options(tenon_flags INTERFACE -Werror)
endif()
if(TENON_SANITIZE)
  target_compile_definitions(tenon_flags INTERFACE TN_SANITIZED)
  target_compile_options(tenon_flags INTERFACE -fsanitize=${TENON_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(tenon_flags INTERFACE -fsanitize=${TENON_SANITIZE})
endif()
if(TENON_BUILD_TESTS AND NOT TENON_BUILD_COMMAND)
  message(FATAL_ERROR "TENON_BUILD_TESTS needs TENON_BUILD_COMMAND")
endif()
if(TENON_BUILD_FUZZERS OR TENON_COVERAGE)
  if(NOT CMAKE_C_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "TENON_BUILD_FUZZERS and TENON_COVERAGE need clang (-DCMAKE_C_COMPILER=clang)")
  endif()
endif()
# What fuzzers look at: the library.
add_library(tenon_product_flags INTERFACE)
target_link_libraries(tenon_product_flags INTERFACE tenon_flags)
if(TENON_BUILD_FUZZERS)
  target_compile_options(tenon_product_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(tenon_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(TENON_COVERAGE)
  target_compile_definitions(tenon_flags INTERFACE TN_COUNTED)
  target_compile_options(tenon_flags INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(tenon_flags INTERFACE -fprofile-instr-generate)
endif()
