# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

# What stands beside the sources and is found by its name: tests, fuzzers, benchmarks.
find_library(TENON_CMOCKA_LIBRARY cmocka)
find_path(TENON_CMOCKA_INCLUDE cmocka.h)
mark_as_advanced(TENON_CMOCKA_LIBRARY TENON_CMOCKA_INCLUDE)

# Whether test programs share one library that shows all names, instead of having it in them: with
# AddressSanitizer or coverage it is forty megabytes in each, and linking takes longer than compiling.
set(TENON_TESTS_SHARE_LIBRARY OFF)
if(TENON_SANITIZE MATCHES address OR TENON_COVERAGE)
  set(TENON_TESTS_SHARE_LIBRARY ON)
endif()

# src/base/arena_test.c -> base_arena_test
function(tenon_program_name out source)
  string(REGEX REPLACE "\\.c$" "" name ${source})
  string(REPLACE "/" "_" name ${name})
  set(${out} ${name} PARENT_SCOPE)
endfunction()

# Seconds that a test may take, which ends what hangs; a busy machine is many times slower than one
# that is idle, and an emulator as well.
set(TENON_TEST_SECONDS 900)
if(CMAKE_CROSSCOMPILING)
  set(TENON_TEST_SECONDS 1800)
endif()

set(TENON_TEST_ENVIRONMENT
  # Without intercept_tls_get_addr=0, runtimes up to GCC 13 and LLVM 16 take blocks of thread-local
  # memory that happen to lie at certain addresses for blocks of glibc before 2.25, and crash in the
  # search for leaks (google/sanitizers, issue 1322).
  "ASAN_OPTIONS=detect_leaks=1:intercept_tls_get_addr=0;UBSAN_OPTIONS=print_stacktrace=1;TSAN_OPTIONS=halt_on_error=1"
  # Kernels that PoCL has compiled are kept here, and not in the user's home.
  "POCL_CACHE_DIR=${PROJECT_BINARY_DIR}/pocl")
if(TENON_SANITIZE)
  # Drivers of OpenCL are not built with sanitizers, and leak: tests do not find them.
  list(APPEND TENON_TEST_ENVIRONMENT "OCL_ICD_VENDORS=none")
endif()

# Whether a test goes through all array functions, and their table cannot be written.
function(tenon_lacks_function_table result source)
  set(${result} OFF PARENT_SCOPE)
  if(NOT TARGET tenon_function_table)
    file(STRINGS ${source} uses REGEX "\"(array/testing_operations|bindings/functions)\\.h\"")
    if(uses)
      set(${result} ON PARENT_SCOPE)
    endif()
  endif()
endfunction()

# A program that looks inside the library. Programs of tests are many, and most of them are over in
# milliseconds: optimising them much would cost more time than it saves.
function(tenon_add_test_program program)
  add_executable(${program} ${ARGN})
  target_link_libraries(${program} PRIVATE tenon_testing)
  if(TENON_TESTS_SHARE_LIBRARY)
    # -fPIC: they and the shared library see the same addresses (src/CMakeLists.txt).
    target_compile_options(${program} PRIVATE -fPIC)
  elseif(CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(${program} PRIVATE -O1)
  endif()
endfunction()

# Every *_test.c under the current folder becomes one test program, one process each. Those named
# *_concurrent_test.c get the label `concurrent` too: they are what runs under ThreadSanitizer.
# The target unit_tests has all that tests of the labels unit and fuzz need.
function(tenon_add_unit_tests)
  add_custom_target(concurrent_tests)
  add_custom_target(unit_tests)
  if(NOT TENON_CMOCKA_LIBRARY)
    message(STATUS "cmocka not found: unit tests are left out (Debian: libcmocka-dev)")
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *_test.c)
  foreach(source ${sources})
    tenon_lacks_function_table(is_left_out ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    if(is_left_out)
      continue()
    endif()
    tenon_program_name(program ${source})
    string(REGEX REPLACE "_test$" "" name ${program})
    set(labels unit)
    tenon_add_test_program(${program} ${source})
    add_dependencies(${program} testing_libraries)
    add_dependencies(unit_tests ${program})
    if(name MATCHES "_concurrent$")
      list(APPEND labels concurrent)
      add_dependencies(concurrent_tests ${program})
    endif()
    add_test(NAME unit.${name} COMMAND ${program})
    set_tests_properties(unit.${name} PROPERTIES TIMEOUT ${TENON_TEST_SECONDS} LABELS "${labels}"
      ENVIRONMENT "${TENON_TEST_ENVIRONMENT}")
  endforeach()
endfunction()

# Gives unit tests another limit, in seconds, than the usual one; without cmocka there are none.
function(tenon_limit_unit_tests seconds)
  foreach(name ${ARGN})
    if(TEST unit.${name})
      set_tests_properties(unit.${name} PROPERTIES TIMEOUT ${seconds})
    elseif(TENON_CMOCKA_LIBRARY)
      message(FATAL_ERROR "There is no test unit.${name}")
    endif()
  endforeach()
endfunction()

# A unit test whose program knows TENON_PART as several that run side by side: unit.NAME is the first
# part, unit.NAME_2 and so on are the others. Properties go to all.
function(tenon_part_unit_test name count)
  if(NOT TEST unit.${name})
    return()
  endif()
  foreach(part RANGE 1 ${count})
    set(test unit.${name})
    if(part GREATER 1)
      set(test unit.${name}_${part})
      add_test(NAME ${test} COMMAND ${name}_test)
    endif()
    set_tests_properties(${test} PROPERTIES LABELS unit
      ENVIRONMENT "${TENON_TEST_ENVIRONMENT};TENON_PART=${part}/${count}" ${ARGN})
  endforeach()
endfunction()

# Every *_fuzz.c under the current folder becomes a libFuzzer program; the test fuzz.NAME tries five
# thousand inputs, always the same, so that it fails only for what has changed (`make fuzz` tries new
# ones). The corpus it starts from is fuzz/corpus/NAME, where NAME is the file's name
# without _fuzz.c (crashes that were mended are kept there).
function(tenon_add_fuzzers)
  if(NOT TENON_BUILD_FUZZERS OR NOT TENON_CMOCKA_LIBRARY)
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *_fuzz.c)
  foreach(source ${sources})
    tenon_lacks_function_table(is_left_out ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    if(is_left_out)
      continue()
    endif()
    get_filename_component(program ${source} NAME_WE)
    string(REGEX REPLACE "_fuzz$" "" name ${program})
    tenon_add_test_program(${program} ${source})
    target_link_options(${program} PRIVATE -fsanitize=fuzzer)
    add_dependencies(unit_tests ${program})
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    add_test(NAME fuzz.${name}
      COMMAND ${PROJECT_SOURCE_DIR}/tools/fuzz --runs 5000 --seed 1 $<TARGET_FILE:${program}>)
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT ${TENON_TEST_SECONDS} LABELS fuzz)
  endforeach()
endfunction()

# Every *_bench.c under the current folder becomes a program of the target `benches`.
function(tenon_add_benches)
  add_custom_target(benches)
  if(TENON_TESTS_SHARE_LIBRARY)
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *_bench.c)
  foreach(source ${sources})
    tenon_program_name(program ${source})
    add_executable(${program} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(${program} PRIVATE tenon_internal)
    set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
    add_dependencies(benches ${program})
  endforeach()
endfunction()
