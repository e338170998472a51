# tapalab_precompile(TARGET HEADER...): reads the wide numbers, and HEADERs, once for the target.
function(tapalab_precompile target)
  if(TAPALAB_PCH)
    target_precompile_headers(${target} PRIVATE <algorithm> <functional> <optional> <string> <variant>
      <vector> <boost/multiprecision/cpp_bin_float.hpp> ${ARGN})
  endif()
endfunction()

# tapalab_room(NAME PUBLIC targets... PRIVATE targets...): the library of this folder, from all its
# sources, as target tapalab_NAME, alias and exported name tapalab::NAME. Headers are included by
# their path from the root of the project, before and after installation.
function(tapalab_room name)
  cmake_parse_arguments(room "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cpp)
  add_library(tapalab_${name} STATIC ${sources})
  add_library(tapalab::${name} ALIAS tapalab_${name})
  set_target_properties(tapalab_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(tapalab_${name} PUBLIC cxx_std_20)
  target_include_directories(tapalab_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/tapalab>)
  target_link_libraries(tapalab_${name} PUBLIC ${room_PUBLIC} PRIVATE ${room_PRIVATE})
  target_link_libraries(tapalab_${name} PRIVATE $<BUILD_INTERFACE:tapalab_flags>)
  tapalab_precompile(tapalab_${name} <nlohmann/json.hpp>)
  set_target_properties(tapalab_${name} PROPERTIES UNITY_BUILD "${TAPALAB_UNITY}" UNITY_BUILD_BATCH_SIZE 6)
endfunction()
