# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

# Compiles with zig's clang (PyPI: ziglang), which has the headers and symbols of every version of glibc: what it links runs on
# all distributions since that version, and on other processors than this one.
#
#   cmake --toolchain packaging/zig.cmake -DTENON_ZIG=/path/to/zig -DTENON_ZIG_TARGET=aarch64-linux-gnu.2.28 ...
set(TENON_ZIG "" CACHE FILEPATH "The program zig")
set(TENON_ZIG_TARGET "" CACHE STRING "Processor, system and version of glibc: x86_64-linux-gnu.2.28")
if(NOT TENON_ZIG OR NOT TENON_ZIG_TARGET MATCHES "^([a-z0-9_]+)-linux-")
  message(FATAL_ERROR "zig.cmake: expected -DTENON_ZIG=PROGRAM and -DTENON_ZIG_TARGET=PROCESSOR-linux-gnu.VERSION; "
    "found \"${TENON_ZIG}\" and \"${TENON_ZIG_TARGET}\"")
endif()
if(NOT CMAKE_MATCH_1 STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
  set(CMAKE_SYSTEM_NAME Linux)
  set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
endif()

# Programs, since compiler caches take one word for the compiler. The version is for their key.
if(NOT TENON_ZIG_FOLDER)
  set(TENON_ZIG_FOLDER ${CMAKE_BINARY_DIR}/zig)
endif()
execute_process(COMMAND ${TENON_ZIG} version OUTPUT_VARIABLE zig_version OUTPUT_STRIP_TRAILING_WHITESPACE)
foreach(tool "cc -target ${TENON_ZIG_TARGET}" ar ranlib)
  string(REGEX REPLACE " .*" "" name ${tool})
  set(program "#!/bin/sh\n# zig ${zig_version}\nexec '${TENON_ZIG}' ${tool} \"$@\"\n")
  set(written "")
  if(EXISTS ${TENON_ZIG_FOLDER}/${name})
    file(READ ${TENON_ZIG_FOLDER}/${name} written)
  endif()
  if(NOT written STREQUAL program)
    file(WRITE ${TENON_ZIG_FOLDER}/${name} "${program}")
    file(CHMOD ${TENON_ZIG_FOLDER}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
      WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TENON_ZIG TENON_ZIG_TARGET TENON_ZIG_FOLDER)
set(CMAKE_C_COMPILER ${TENON_ZIG_FOLDER}/cc)
set(CMAKE_AR ${TENON_ZIG_FOLDER}/ar)
set(CMAKE_RANLIB ${TENON_ZIG_FOLDER}/ranlib)

# The same bytes wherever the sources are; no symbols but those that are linked by.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
set(CMAKE_C_FLAGS_INIT "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -Wl,-s)
endforeach()

# Nothing of this machine's libraries and headers, which are of another C library.
set(CMAKE_DISABLE_FIND_PACKAGE_PkgConfig ON)
set(CMAKE_FIND_ROOT_PATH ${TENON_ZIG_FOLDER})
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
