# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

# tenon_add_extension(NAME SOURCE...): a library of operations, which Tenon loads (--load,
# tn_library_load) and JAX, too. Its sources see Tenon's headers and link nothing of it. It exports
# all functions that are not static, so that LIB.so:TARGET=SYMBOL finds untyped ones.
function(tenon_add_extension name)
  add_library(${name} MODULE ${ARGN})
  target_include_directories(${name} PRIVATE
    $<TARGET_PROPERTY:Tenon::tenon,INTERFACE_INCLUDE_DIRECTORIES>)
  set_target_properties(${name} PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
endfunction()
