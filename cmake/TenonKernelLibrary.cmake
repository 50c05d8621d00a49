# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

# Kernels of GPUs, in the words of <tenon/gpu.h>: their files become one text, in which every #include "FILE" is replaced by the
# file, the first time. CMake runs again when one of them changes.

function(tenon__bytes out_bytes hex)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
  set(${out_bytes} "${bytes}0" PARENT_SCOPE)
endfunction()

# tenon_embed_text(VARIABLE FILE...): the bytes of the files, one behind the other, and a NUL, as what
# initialises an array of char. CMake runs again when one of the files changes.
function(tenon_embed_text out_bytes)
  set(hex "")
  foreach(file ${ARGN})
    get_filename_component(file ${file} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} part HEX)
    string(APPEND hex "${part}")
  endforeach()
  tenon__bytes(bytes "${hex}")
  set(${out_bytes} "${bytes}" PARENT_SCOPE)
endfunction()

# Beside the file that includes it, or in one of the folders.
function(tenon__find_kernel_file out_file name includer folders)
  get_filename_component(folder ${includer} DIRECTORY)
  foreach(candidate ${folder} ${folders})
    get_filename_component(candidate ${candidate} ABSOLUTE)
    if(EXISTS ${candidate}/${name})
      set(${out_file} ${candidate}/${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${includer} includes \"${name}\", which is not in ${folder} nor in INCLUDE_DIRS (${folders})")
endfunction()

# Lines are counted as in the files, for the messages of compilers.
function(tenon__read_kernels out_text out_seen file folders seen)
  list(APPEND seen ${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  get_filename_component(name ${file} NAME)
  file(READ ${file} rest)
  set(text "#line 1 \"${name}\"\n")
  set(line 1)
  while(rest MATCHES "(^|\n)([ \t]*#[ \t]*include[ \t]*\"([^\"\n]+)\"[^\n]*)")
    set(match "${CMAKE_MATCH_0}")
    string(LENGTH "${CMAKE_MATCH_1}" newline)
    tenon__find_kernel_file(included "${CMAKE_MATCH_3}" ${file} "${folders}")
    string(FIND "${rest}" "${match}" begin)
    string(LENGTH "${match}" length)
    math(EXPR end "${begin} + ${length}")
    math(EXPR begin "${begin} + ${newline}")
    string(SUBSTRING "${rest}" 0 ${begin} before)
    string(SUBSTRING "${rest}" ${end} -1 rest)
    string(REGEX MATCHALL "\n" newlines "${before}")
    list(LENGTH newlines count)
    math(EXPR line "${line} + ${count}")
    string(APPEND text "${before}")
    if(NOT included IN_LIST seen)
      tenon__read_kernels(part seen ${included} "${folders}" "${seen}")
      string(APPEND text "${part}\n#line ${line} \"${name}\"\n")
    endif()
  endwhile()
  set(${out_text} "${text}${rest}" PARENT_SCOPE)
  set(${out_seen} "${seen}" PARENT_SCOPE)
endfunction()

function(tenon__bundle_kernels out_text files folders)
  set(text "")
  set(seen "")
  foreach(file ${files})
    get_filename_component(file ${file} ABSOLUTE)
    tenon__read_kernels(part seen ${file} "${folders}" "${seen}")
    string(APPEND text "${part}\n")
  endforeach()
  set(${out_text} "${text}" PARENT_SCOPE)
endfunction()

# tenon_add_kernel_library(TARGET NAME FILE... [INCLUDE_DIRS FOLDER...]): adds to an extension the kernel library NAME, a
# `const tn_kernel_library_t NAME` (<tenon/kernel.h>), whose source is the text of the files.
function(tenon_add_kernel_library target name)
  cmake_parse_arguments(PARSE_ARGV 2 kernels "" "" INCLUDE_DIRS)
  tenon__bundle_kernels(text "${kernels_UNPARSED_ARGUMENTS}" "${kernels_INCLUDE_DIRS}")
  string(HEX "${text}" hex)
  tenon__bytes(bytes "${hex}")
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT [[
// Written by tenon_add_kernel_library.
#include <tenon/kernel.h>

static const char source[] = {
@bytes@};

extern __attribute__((visibility("hidden"))) const tn_kernel_library_t @name@;
const tn_kernel_library_t @name@ = TN_KERNEL_LIBRARY("@name@", source);
]])
  target_sources(${target} PRIVATE ${file})
endfunction()

# CUDA's nvcc, or an empty string where there is none that works. TENON_NVCC=OFF: do not look for it.
function(tenon_find_nvcc out_nvcc)
  find_program(TENON_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(TENON_NVCC)
  if(TENON_NVCC AND NOT "${TENON_NVCC_CHECKED}" STREQUAL "${TENON_NVCC}")
    set(file ${CMAKE_BINARY_DIR}/CMakeFiles/tenon_nvcc)
    file(WRITE ${file}.cu "__global__ void empty() {}\n")
    execute_process(COMMAND ${TENON_NVCC} -c ${file}.cu -o ${file}.o RESULT_VARIABLE error OUTPUT_QUIET ERROR_QUIET)
    execute_process(COMMAND ${TENON_NVCC} --list-gpu-code OUTPUT_VARIABLE known ERROR_QUIET)
    string(REGEX MATCHALL "[0-9]+" known "${known}")
    if(error)
      set(works OFF)
    else()
      set(works ON)
    endif()
    set(TENON_NVCC_CHECKED ${TENON_NVCC} CACHE INTERNAL "The nvcc that was tried")
    set(TENON_NVCC_WORKS ${works} CACHE INTERNAL "Whether it compiles")
    set(TENON_NVCC_KNOWS "${known}" CACHE INTERNAL "What it compiles for")
  endif()
  set(${out_nvcc} "" PARENT_SCOPE)
  if(TENON_NVCC AND TENON_NVCC_WORKS)
    set(${out_nvcc} ${TENON_NVCC} PARENT_SCOPE)
  endif()
endfunction()

# Options of nvcc: code for the GPUs of data centres that it knows, and PTX of the newest for those that come.
function(tenon_nvcc_architectures out_options)
  set(options "")
  set(newest 80)
  foreach(number 80 90 100)
    if(number IN_LIST TENON_NVCC_KNOWS)
      list(APPEND options -gencode arch=compute_${number},code=sm_${number})
      set(newest ${number})
    endif()
  endforeach()
  list(APPEND options -gencode arch=compute_${newest},code=compute_${newest})
  set(${out_options} ${options} PARENT_SCOPE)
endfunction()

# tenon_build_kernels(TARGET NAME [TITLE TITLE] SOURCES FILE... [INCLUDE_DIRS FOLDER...] [OUTPUT_DIRECTORY FOLDER]
# [OPENCL_ONLY]): the target NAME, which writes the kernel library TITLE as files: TITLE.kernels, its source, and where CUDA's
# nvcc is found TITLE.fatbin, its code for GPUs of CUDA. TN_KERNEL_LIBRARY_FILE("TITLE") in a program or an extension names the
# files that stand beside it, where OUTPUT_DIRECTORY is the folder of the extension (by default CMAKE_LIBRARY_OUTPUT_DIRECTORY, or
# the folder of the build). TITLE is NAME by default. OPENCL_ONLY: the source is not for CUDA.
function(tenon_build_kernels)
  cmake_parse_arguments(PARSE_ARGV 0 kernels OPENCL_ONLY "TARGET;TITLE;OUTPUT_DIRECTORY" "SOURCES;INCLUDE_DIRS")
  if(NOT kernels_TARGET OR NOT kernels_SOURCES OR kernels_UNPARSED_ARGUMENTS)
    list(JOIN ARGN " " given)
    message(FATAL_ERROR "tenon_build_kernels(${given}): expected TARGET, SOURCES, and TITLE, INCLUDE_DIRS, OUTPUT_DIRECTORY or "
      "OPENCL_ONLY")
  endif()
  if(NOT kernels_TITLE)
    set(kernels_TITLE ${kernels_TARGET})
  endif()
  if(NOT kernels_OUTPUT_DIRECTORY)
    set(kernels_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
    if(CMAKE_LIBRARY_OUTPUT_DIRECTORY)
      set(kernels_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
    endif()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${kernels_TARGET}.kernels)
  set(source ${folder}/${kernels_TITLE}.kernels)
  tenon__bundle_kernels(text "${kernels_SOURCES}" "${kernels_INCLUDE_DIRS}")
  file(CONFIGURE OUTPUT ${source} CONTENT "@text@" @ONLY)
  set(files ${source})
  tenon_find_nvcc(nvcc)
  if(nvcc AND NOT kernels_OPENCL_ONLY)
    set(code ${folder}/${kernels_TITLE}.fatbin)
    tenon_nvcc_architectures(architectures)
    add_custom_command(OUTPUT ${code} DEPENDS ${source} VERBATIM COMMAND_EXPAND_LISTS
      COMMAND ${nvcc} -x cu -fatbin -fmad=false ${architectures}
        "-I$<JOIN:$<TARGET_PROPERTY:Tenon::tenon,INTERFACE_INCLUDE_DIRECTORIES>,;-I>" ${source} -o ${code})
    list(APPEND files ${code})
  endif()
  set(output ${kernels_OUTPUT_DIRECTORY})
  add_custom_command(OUTPUT ${folder}/copied DEPENDS ${files} VERBATIM
    COMMAND ${CMAKE_COMMAND} -E make_directory ${output}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${output}/${kernels_TITLE}.fatbin
    COMMAND ${CMAKE_COMMAND} -E copy ${files} ${output}
    COMMAND ${CMAKE_COMMAND} -E touch ${folder}/copied)
  add_custom_target(${kernels_TARGET} ALL DEPENDS ${folder}/copied)
endfunction()
