# Arb: ball arithmetic. Takes Arb with its own headers (<arb.h>, over FLINT 2) or the one inside
# FLINT 3 (<flint/arb.h>). Defines the target Arb::arb; with FLINT 3 it carries the definition
# TAPALAB_FLINT3, by which sources choose the header.
include(FindPackageHandleStandardArgs)

find_path(Arb_FLINT_INCLUDE_DIR flint/flint.h)
find_path(Arb_GMP_INCLUDE_DIR gmp.h)
find_path(Arb_MPFR_INCLUDE_DIR mpfr.h)
find_library(Arb_FLINT_LIBRARY flint)
find_library(Arb_MPFR_LIBRARY mpfr)
find_library(Arb_GMP_LIBRARY gmp)

set(Arb_required Arb_FLINT_LIBRARY Arb_MPFR_LIBRARY Arb_GMP_LIBRARY Arb_FLINT_INCLUDE_DIR
    Arb_GMP_INCLUDE_DIR Arb_MPFR_INCLUDE_DIR)
set(Arb_IN_FLINT OFF)
if(Arb_FLINT_INCLUDE_DIR AND EXISTS "${Arb_FLINT_INCLUDE_DIR}/flint/arb.h")
  set(Arb_IN_FLINT ON)
else()
  find_path(Arb_INCLUDE_DIR arb.h)
  find_library(Arb_LIBRARY NAMES flint-arb arb)
  list(PREPEND Arb_required Arb_LIBRARY Arb_INCLUDE_DIR)
endif()
find_package_handle_standard_args(Arb REQUIRED_VARS ${Arb_required}
  REASON_FAILURE_MESSAGE "install libflint-arb-dev, or libflint-dev 3")
mark_as_advanced(Arb_INCLUDE_DIR Arb_LIBRARY Arb_FLINT_INCLUDE_DIR Arb_FLINT_LIBRARY
  Arb_GMP_INCLUDE_DIR Arb_GMP_LIBRARY Arb_MPFR_INCLUDE_DIR Arb_MPFR_LIBRARY)

if(Arb_FOUND AND NOT TARGET Arb::arb)
  add_library(Arb::arb INTERFACE IMPORTED)
  set(Arb_includes ${Arb_FLINT_INCLUDE_DIR} ${Arb_GMP_INCLUDE_DIR} ${Arb_MPFR_INCLUDE_DIR})
  set(Arb_libraries ${Arb_FLINT_LIBRARY} ${Arb_MPFR_LIBRARY} ${Arb_GMP_LIBRARY})
  if(Arb_IN_FLINT)
    set_property(TARGET Arb::arb PROPERTY INTERFACE_COMPILE_DEFINITIONS TAPALAB_FLINT3)
  else()
    list(PREPEND Arb_includes ${Arb_INCLUDE_DIR})
    list(PREPEND Arb_libraries ${Arb_LIBRARY})
  endif()
  list(REMOVE_DUPLICATES Arb_includes)
  set_target_properties(Arb::arb PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${Arb_includes}"
    INTERFACE_LINK_LIBRARIES "${Arb_libraries}")
endif()
