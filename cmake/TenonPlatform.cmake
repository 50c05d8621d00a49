# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

# What Tenon does not run on is an error here, rather than one of the compiler's later.
if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
  message(FATAL_ERROR "Tenon runs on Linux; this is ${CMAKE_SYSTEM_NAME}")
endif()
if(NOT CMAKE_C_COMPILER_ID MATCHES "^(GNU|Clang)$")
  message(FATAL_ERROR "Tenon is built by gcc or clang; ${CMAKE_C_COMPILER} is ${CMAKE_C_COMPILER_ID}")
endif()
if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8 OR CMAKE_C_BYTE_ORDER STREQUAL BIG_ENDIAN)
  math(EXPR bits "8 * ${CMAKE_SIZEOF_VOID_P}")
  message(FATAL_ERROR "Tenon runs on 64-bit little-endian processors; ${CMAKE_SYSTEM_PROCESSOR} has "
    "${bits}-bit addresses (${CMAKE_C_BYTE_ORDER})")
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64|aarch64|arm64)$")
  message(WARNING "Tenon is tested on x86-64 and 64-bit ARM, not on ${CMAKE_SYSTEM_PROCESSOR}")
endif()
