# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 The Tenon authors

# The installed package: headers, library, command, pkg-config file, CMake package.
include(CMakePackageConfigHelpers)

# custom.h is one file, which can be copied.
set(custom_h ${PROJECT_BINARY_DIR}/include/tenon/custom.h)
set(bundle -DHEADER=${PROJECT_SOURCE_DIR}/include/tenon/custom.h -DOUT=${custom_h}
  -P ${PROJECT_SOURCE_DIR}/cmake/BundleHeader.cmake)
file(GLOB custom_parts CONFIGURE_DEPENDS include/tenon/detail/custom/*.h)
add_custom_command(OUTPUT ${custom_h} COMMAND ${CMAKE_COMMAND} ${bundle} VERBATIM
  DEPENDS ${PROJECT_SOURCE_DIR}/include/tenon/custom.h ${custom_parts} ${PROJECT_SOURCE_DIR}/cmake/BundleHeader.cmake)
add_custom_target(custom_header ALL DEPENDS ${custom_h})
install(FILES ${custom_h} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tenon)
install(DIRECTORY include/tenon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.h PATTERN *.def
  PATTERN tenon/custom.h EXCLUDE PATTERN detail/custom EXCLUDE)
set(libraries tenon tenon_inspect tenon_xla)
set(namelink)
if(SKBUILD)
  # A wheel has no links: each library is there once, under the name that the loader looks for.
  set(namelink NAMELINK_SKIP)
else()
  list(APPEND libraries tenon_static tenon_xla_static)
endif()
install(TARGETS ${libraries} EXPORT TenonTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ${namelink} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tenon_cli)
  # The command finds the library beside it, wherever both were put.
  file(RELATIVE_PATH to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(tenon_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
  install(TARGETS tenon_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# What is installed, without tests and examples: what `make` builds.
add_custom_target(product DEPENDS ${libraries} custom_header)
foreach(target tenon_cli tenon_written)
  if(TARGET ${target})
    add_dependencies(product ${target})
  endif()
endforeach()
install(FILES LICENSE NOTICE AUTHORS DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tenon)
set(generated_dir ${PROJECT_BINARY_DIR}/package)
install(EXPORT TenonTargets NAMESPACE Tenon:: DESTINATION ${package_dir})
configure_package_config_file(cmake/TenonConfig.cmake.in ${generated_dir}/TenonConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
write_basic_package_version_file(${generated_dir}/TenonConfigVersion.cmake
  COMPATIBILITY ${compatibility})
install(FILES ${generated_dir}/TenonConfig.cmake ${generated_dir}/TenonConfigVersion.cmake
  cmake/TenonExtension.cmake
  cmake/TenonKernelLibrary.cmake
  DESTINATION ${package_dir})

# Relative to the .pc file, so that the whole tree can be moved.
file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/tenon.pc.in ${generated_dir}/tenon.pc @ONLY)
install(FILES ${generated_dir}/tenon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
