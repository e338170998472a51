# Options of the build and the flags that every target of tapalab shares.
set(TAPALAB_CUDA auto CACHE STRING "CUDA code: auto (where nvcc is found), on or off")
set(TAPALAB_MPI auto CACHE STRING "MPI: auto (where found), on or off")
foreach(option TAPALAB_CUDA TAPALAB_MPI)
  set_property(CACHE ${option} PROPERTY STRINGS auto on off)
  string(TOLOWER "${${option}}" ${option})
  if(NOT ${option} MATCHES "^(auto|on|off)$")
    message(FATAL_ERROR "${option}=${${option}}: accepted are auto, on and off")
  endif()
endforeach()
option(TAPALAB_WERROR "Warnings are errors" OFF)
# Faster from nothing. Off by default: ccache does not serve it, and a header that lacks an include
# goes unnoticed (in CI clang-tidy, which reads every source without it, notices).
option(TAPALAB_PCH "Precompile the heavy headers" OFF)
option(TAPALAB_UNITY "Compile the sources of a room six at a time, as one" OFF)
option(TAPALAB_NOTEBOOKS "Build and test notebooks-cpp" ${BUILD_TESTING})
# To measure whether `verify` notices wrong formulas (scripts/mutation.sh): never in a product build.
option(TAPALAB_MUTANTS "Seeded faults, switched on by the environment variable TAPALAB_MUTANT" OFF)
set(TAPALAB_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=: address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(tapalab_flags INTERFACE)
# Fused multiply-add only where it is written: equal bits for every vector width.
target_compile_options(tapalab_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-ffp-contract=off>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 sees overlapping copies in std::string where there are none.
  target_compile_options(tapalab_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
  if(TAPALAB_PCH)
    # From a precompiled header GCC forgets that std::string is a system header, and warns of it.
    target_compile_options(tapalab_flags INTERFACE
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>)
  endif()
endif()
if(TAPALAB_UNITY)
  # Sources read together: names of one are in the scope of the next, and GCC takes the type of an
  # unnamed namespace for one of a header.
  target_compile_options(tapalab_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-shadow>
    $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()
if(TAPALAB_MUTANTS)
  target_compile_definitions(tapalab_flags INTERFACE TAPALAB_MUTANTS)
endif()
if(TAPALAB_WERROR)
  target_compile_options(tapalab_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(TAPALAB_SANITIZE)
  # For every target alike: a container half instrumented reports overflows that are none.
  add_compile_options(
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TAPALAB_SANITIZE}>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
    # Half of the compile time, for what AddressSanitizer finds by itself or nothing here has.
    # Misaligned reads are looked for where bytes of files become numbers (sim/io).
    $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,vptr,object-size,alignment>
    $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=${TAPALAB_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Instrumented, std::function and std::regex of GCC 12 look uninitialised to it; the uninstrumented
    # build keeps the warning.
    target_compile_options(tapalab_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  endif()
endif()
