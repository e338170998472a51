# cmake --install: the program, its completion and manual page, libraries, headers (under include/tapalab, each at its path from
# the root of the project) and the package files by which find_package(tapalab) works.
include(CMakePackageConfigHelpers)
set(TAPALAB_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tapalab)

set(rooms sim analysis proofs-check)
set(libraries tapalab_sim tapalab_analysis tapalab_claims)
if(TAPALAB_HAVE_CUDA)
  list(APPEND rooms gpu)
  list(APPEND libraries tapalab_gpu)
endif()
install(TARGETS ${libraries} EXPORT tapalabTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tapalab RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES cli/completion/tapalab.bash RENAME tapalab
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/tapalab.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
foreach(room ${rooms})
  install(DIRECTORY ${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tapalab
    FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
endforeach()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT tapalabTargets NAMESPACE tapalab:: DESTINATION ${TAPALAB_PACKAGE_DIR})
configure_package_config_file(cmake/tapalabConfig.cmake.in
  ${PROJECT_BINARY_DIR}/tapalabConfig.cmake INSTALL_DESTINATION ${TAPALAB_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tapalabConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tapalabConfig.cmake
  ${PROJECT_BINARY_DIR}/tapalabConfigVersion.cmake cmake/FindArb.cmake
  DESTINATION ${TAPALAB_PACKAGE_DIR})
