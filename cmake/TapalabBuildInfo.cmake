# tapalab_build_info: an interface target that gives <tapalab_build_info.hpp>, what this build was
# made from. Commit and dirty flag are looked up at each build, and the header is written only when
# they changed, so that only the one source that includes it follows.
set(TAPALAB_BUILD_INFO_DIR ${PROJECT_BINARY_DIR}/generated)
set(TAPALAB_CUDA_DESCRIPTION "off")
if(TAPALAB_HAVE_CUDA)
  set(TAPALAB_CUDA_DESCRIPTION "nvcc ${CMAKE_CUDA_COMPILER_VERSION}")
endif()
set(TAPALAB_MPI_DESCRIPTION "off")
if(TAPALAB_HAVE_MPI)
  set(TAPALAB_MPI_DESCRIPTION "MPI ${MPI_CXX_VERSION}")
endif()
find_package(Git QUIET)

set(TAPALAB_BUILD_INFO_COMMAND ${CMAKE_COMMAND}
  -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
  -DOUTPUT=${TAPALAB_BUILD_INFO_DIR}/tapalab_build_info.hpp
  -DTEMPLATE=${PROJECT_SOURCE_DIR}/cmake/tapalab_build_info.hpp.in
  -DGIT=${GIT_EXECUTABLE}
  -DVERSION=${PROJECT_VERSION}
  "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
  -DBUILD_TYPE=${CMAKE_BUILD_TYPE}
  "-DCUDA=${TAPALAB_CUDA_DESCRIPTION}"
  "-DMPI=${TAPALAB_MPI_DESCRIPTION}"
  -P ${PROJECT_SOURCE_DIR}/cmake/WriteBuildInfo.cmake)
add_custom_target(tapalab_write_build_info
  COMMAND ${TAPALAB_BUILD_INFO_COMMAND}
  BYPRODUCTS ${TAPALAB_BUILD_INFO_DIR}/tapalab_build_info.hpp
  COMMENT "Looking up the commit" VERBATIM)
add_library(tapalab_build_info INTERFACE)
target_include_directories(tapalab_build_info INTERFACE ${TAPALAB_BUILD_INFO_DIR})
add_dependencies(tapalab_build_info tapalab_write_build_info)
