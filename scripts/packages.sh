# Installs missing packages through apt-get. Sourced.

say() { printf 'run.sh: %s\n' "$*" >&2; }

# One line and exit code 3: a required package is missing.
missing_packages() {
  say "missing packages: $*; install them (apt-get install $*) and try again"
  exit 3
}

is_installed() {
  dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# sudo may ask for a password where somebody is there to give it.
sudo=(sudo -n)
if [[ -t 0 ]]; then sudo=(sudo); fi
as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else "${sudo[@]}" "$@"; fi
}

# not_installed LIST: the packages of the file that are missing, those marked "?" with their mark.
not_installed() {
  local line package
  while read -r line; do
    package=${line%'?'}
    [[ -z $line || $line == '#'* ]] || is_installed "$package" || printf '%s\n' "$line"
  done <"$1"
}

# install_packages PACKAGE[?]...
install_packages() {
  local log=$root/build/apt.log package
  local -a wanted=()
  if ! command -v apt-get >/dev/null || { [[ $(id -u) != 0 ]] && ! command -v sudo >/dev/null; }; then
    missing_packages "${@%'?'}"
  fi
  as_root apt-get update -o DPkg::Lock::Timeout=300 >"$log" 2>&1 </dev/null || true
  for package in "$@"; do
    if [[ $package != *'?' ]]; then
      wanted+=("$package")
    elif [[ $(apt-cache policy "${package%'?'}" 2>/dev/null) == *Candidate:\ [0-9]* ]]; then
      wanted+=("${package%'?'}")
    fi
  done
  ((${#wanted[@]})) || return 0
  say "installing with apt-get: ${wanted[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    -o DPkg::Lock::Timeout=300 "${wanted[@]}" >>"$log" 2>&1 </dev/null ||
    missing_packages "${wanted[*]}"
}

# require_packages LIST STAMP: installs what is missing of LIST. STAMP, newer than LIST, says that
# this was done before. Systems without dpkg are left to CMake, which names what it does not find.
require_packages() {
  local list=$1 stamp=$2
  [[ $stamp -nt $list ]] && return 0
  mkdir -p "$(dirname "$stamp")"
  if command -v dpkg-query >/dev/null; then
    local -a missing
    mapfile -t missing < <(not_installed "$list")
    ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
  fi
  touch "$stamp"
}
