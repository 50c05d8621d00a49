# Options, compiler flags and the features found on this machine.
option(TENON_BUILD_TESTS "Build the unit tests" ON)
option(TENON_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)
set(TENON_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them (address,undefined or thread)")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_package(Threads REQUIRED)

# Every target of ours takes its warnings and sanitizers from here.
add_library(tenon_flags INTERFACE)
target_compile_definitions(tenon_flags INTERFACE _GNU_SOURCE)
target_compile_options(tenon_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes
  # Results must not depend on the compiler's mood: no fused multiply-add unless it is written.
  -ffp-contract=off -fno-math-errno)
if(TENON_WARNINGS_AS_ERRORS)
  target_compile_options(tenon_flags INTERFACE -Werror)
endif()
if(TENON_SANITIZE)
  target_compile_options(tenon_flags INTERFACE -fsanitize=${TENON_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(tenon_flags INTERFACE -fsanitize=${TENON_SANITIZE})
endif()
