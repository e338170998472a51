# Configures and builds. Sourced.

# Compile jobs: one per core, and at least 2 GiB of memory for each (the closed forms over wide
# numbers are heavy templates).
build_jobs() {
  local cores memory limit
  cores=$(nproc 2>/dev/null || echo 1)
  memory=$(awk '/^MemAvailable:/ {print int($2 / 1024)}' /proc/meminfo 2>/dev/null || true)
  limit=$(cat /sys/fs/cgroup/memory.max 2>/dev/null || true)
  if [[ $limit =~ ^[0-9]+$ ]] && ((limit / 1048576 < ${memory:-0})); then
    memory=$((limit / 1048576))
  fi
  local jobs=$((${memory:-2048} / 2048))
  ((jobs < cores)) || jobs=$cores
  ((jobs > 0)) || jobs=1
  echo "$jobs"
}

# configure SOURCE BUILD OPTION...: with precompiled headers; output is shown only where it fails.
configure() {
  local source=$1 build=$2
  shift 2
  local -a generator=()
  if command -v ninja >/dev/null; then generator=(-G Ninja); fi
  mkdir -p "$build"
  if ! cmake -S "$source" -B "$build" "${generator[@]}" -DTAPALAB_PCH=ON "$@" >"$build/configure.log" 2>&1; then
    cat "$build/configure.log" >&2
    rm -f "$build/CMakeCache.txt"
    say "CMake could not configure in $build (above)"
    exit 3
  fi
}

# What ninja or make say of looking whether there is anything to do.
idle_lines='Looking up the commit|Re-checking globbed|VerifyGlobs|no work to do|Built target|Consolidate compiler'

# build BUILD TARGET...: what is done goes to standard error; nothing where nothing is to do.
build() {
  local build=$1
  shift
  if ! cmake --build "$build" --parallel "$(build_jobs)" --target "$@" 2>&1 </dev/null |
    sed -u -E "/$idle_lines/d" >&2; then
    say "the build in $build failed (above)"
    exit 1
  fi
}

# build_program SOURCE BUILD: the program alone, in Release. One at a time.
build_program() {
  local source=$1 build=$2
  mkdir -p "$build"
  {
    if command -v flock >/dev/null && ! flock -n 9; then
      say "waiting for another build in $build to end"
      flock 9
    fi
    # A folder that was moved or copied with its build cannot go on with it.
    if [[ -f $build/CMakeCache.txt ]] &&
      ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$source" "$build/CMakeCache.txt"; then
      rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
    fi
    if [[ ! -f $build/CMakeCache.txt ]]; then
      say "configuring and building in $build; minutes, the first time"
      configure "$source" "$build" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
        -DTAPALAB_UNITY=ON
    fi
    build "$build" tapalab
  } 9>"$build/.lock"
}
