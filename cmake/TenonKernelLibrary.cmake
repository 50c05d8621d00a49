# Text as C: kernels of GPUs, and the words that they are written in (<tenon/gpu.h>).

# tenon_embed_text(VARIABLE FILE...): the bytes of the files, one behind the other, and a NUL, as what
# initialises an array of char. CMake runs again when one of the files changes.
function(tenon_embed_text out_bytes)
  set(bytes "")
  foreach(file ${ARGN})
    get_filename_component(file ${file} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} part HEX)
    string(APPEND bytes "${part}")
  endforeach()
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " bytes "${bytes}")
  set(${out_bytes} "${bytes}0" PARENT_SCOPE)
endfunction()

# tenon_add_kernel_library(TARGET NAME SOURCE...): adds to an extension the kernel library NAME, a
# `const tn_kernel_library_t NAME` (<tenon/kernel.h>), whose source is the text of the files.
function(tenon_add_kernel_library target name)
  tenon_embed_text(bytes ${ARGN})
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
