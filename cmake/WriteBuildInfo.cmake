# Run at each build by tapalab_write_build_info: looks up the commit, writes OUTPUT if it changed.
set(COMMIT unknown)
set(DIRTY false)
if(GIT)
  # safe.directory: a checkout of another user's is read all the same.
  set(git ${GIT} -c safe.directory=* -C ${SOURCE_DIR})
  execute_process(COMMAND ${git} rev-parse --show-toplevel
    OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH "${SOURCE_DIR}" source)
  # A release unpacked inside some other repository has no commit of its own.
  if(top STREQUAL source)
    execute_process(COMMAND ${git} rev-parse HEAD
      OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      set(COMMIT ${head})
      # New sources count, since they are built; figures or notes left beside them do not.
      execute_process(COMMAND ${git} --no-optional-locks status --porcelain --
          CMakeLists.txt cmake sim analysis proofs-check gpu cli
        OUTPUT_VARIABLE changes ERROR_QUIET)
      if(changes)
        set(DIRTY true)
      endif()
    endif()
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
