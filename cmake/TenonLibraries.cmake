# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

# Libraries that Tenon loads when it first needs them, and does without when they are not there.
# Only their names are needed here, and some of their headers; nothing is linked.

# tenon_find_library(OPENBLAS openblas "..." libopenblas-dev) sets TENON_OPENBLAS_SONAME to the name
# that programs load the library by, or says what cannot be done without it.
function(tenon_find_library name file loss package)
  find_library(TENON_${name}_FILE NAMES ${file} HINTS ${ARGN})
  mark_as_advanced(TENON_${name}_FILE)
  if(TENON_${name}_FILE AND CMAKE_READELF)
    execute_process(COMMAND ${CMAKE_READELF} -d ${TENON_${name}_FILE}
      OUTPUT_VARIABLE dynamic_section ERROR_QUIET)
    if(dynamic_section MATCHES "soname: \\[([^]]+)\\]")
      set(TENON_${name}_SONAME ${CMAKE_MATCH_1} PARENT_SCOPE)
      list(APPEND TENON_FEATURES ${name})
      set(TENON_FEATURES ${TENON_FEATURES} PARENT_SCOPE)
      return()
    endif()
  endif()
  message(STATUS "no ${file}: ${loss} (Debian: ${package})")
endfunction()

# Compute; see src/kernel/lib.
option(TENON_COMPUTE_LIBRARIES "Use OpenBLAS and oneDNN where they are found" ON)
if(TENON_COMPUTE_LIBRARIES)
  tenon_find_library(OPENBLAS openblas "linear algebra takes Tenon's own kernels" libopenblas-dev)
  find_path(TENON_ONEDNN_INCLUDE oneapi/dnnl/dnnl_version.h)
  mark_as_advanced(TENON_ONEDNN_INCLUDE)
  set(onednn_major)
  if(TENON_ONEDNN_INCLUDE)
    file(STRINGS ${TENON_ONEDNN_INCLUDE}/oneapi/dnnl/dnnl_version.h onednn_major
      REGEX "^#define DNNL_VERSION_MAJOR +2$")
  endif()
  if(onednn_major)
    tenon_find_library(ONEDNN dnnl "convolutions take Tenon's own kernels" libdnnl-dev)
  else()
    message(STATUS "no oneDNN 2: convolutions take Tenon's own kernels (Debian: libdnnl-dev)")
  endif()
endif()
