# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

# cmake -DHEADER=include/tenon/custom.h -DOUT=FILE -P BundleHeader.cmake: the header with the parts that
# it includes in place of the includes, each once. Includes of other files stay.
cmake_minimum_required(VERSION 3.20)
cmake_path(GET HEADER PARENT_PATH folder)
cmake_path(GET folder PARENT_PATH folder)
file(READ ${HEADER} text)
# Every part begins with the licence that the whole already has.
string(REGEX MATCH "^// SPDX[^\n]*\n// Copyright[^\n]*\n\n" licence "${text}")
set(seen "")
while(text MATCHES "\n#include <(tenon/detail/[^>\n]+)>\n")
  set(name ${CMAKE_MATCH_1})
  set(line "#include <${name}>\n")
  if(NOT name IN_LIST seen)
    list(APPEND seen ${name})
    file(READ ${folder}/${name} part)
    string(REPLACE "${licence}" "" part "${part}")
    string(FIND "${text}" "${line}" begin)
    string(LENGTH "${line}" length)
    math(EXPR end "${begin} + ${length}")
    string(SUBSTRING "${text}" 0 ${begin} before)
    string(SUBSTRING "${text}" ${end} -1 after)
    set(text "${before}// --- ${name}\n\n${part}\n${after}")
  else()
    string(REPLACE "${line}" "" text "${text}")
  endif()
endwhile()
file(WRITE ${OUT} "${text}")
