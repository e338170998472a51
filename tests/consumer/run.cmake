# cmake -DBUILD=... -DSOURCE=... -DGENERATOR=... -DCXX=... -P run.cmake: installs BUILD into a fresh
# prefix, moves that prefix elsewhere (the package must not remember where it was put), then
# configures, builds and runs the consumer against it.
set(work ${BUILD}/consumer)
file(REMOVE_RECURSE ${work})
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(failed)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}: ${failed}\n${output}")
  endif()
  message("${output}")
endfunction()

must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/prefix)
must(${CMAKE_COMMAND} -S ${SOURCE} -B ${work}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${work}/prefix
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_BUILD_TYPE=Release)
must(${CMAKE_COMMAND} --build ${work}/build)
must(${work}/build/consumer)
if(EXISTS ${work}/build/attention_consumer)
  must(${work}/build/attention_consumer)
endif()
must(${work}/prefix/bin/tapalab --version)
must(bash -c "source '${work}/prefix/share/bash-completion/completions/tapalab' && complete -p tapalab")
if(EXISTS ${BUILD}/tapalab.1 AND NOT EXISTS ${work}/prefix/share/man/man1/tapalab.1)
  message(FATAL_ERROR "the manual page was built and not installed")
endif()

# The headers must come from the prefix; a path into the source would hide one that is missing.
file(GLOB files ${work}/prefix/lib*/cmake/tapalab/*.cmake ${work}/prefix/lib/*/cmake/tapalab/*.cmake)
get_filename_component(root ${SOURCE}/../.. ABSOLUTE)
foreach(file ${files})
  file(READ ${file} text)
  string(FIND "${text}" "${root}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${file} names the source tree ${root}")
  endif()
endforeach()
