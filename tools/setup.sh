#!/usr/bin/env bash
# Sets Esker up on a fresh Debian 12, and does nothing when nothing is missing.
#
#   tools/setup.sh demo    packages, .venv with the wheels of pins/demo.txt, build/esker
#   tools/setup.sh test    also the wheels of pins/test.txt, and the tests and benchmarks
#   tools/setup.sh all     also the packages of the fuzz group
#
# A step says what it does once it takes longer than a second, and so a run with nothing to do
# is silent. Everything the steps print goes to build/setup.log. What was done is remembered by
# the hash of the pins it was done for: change a pin and its step runs again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

goal=${1:-demo}
log=build/setup.log

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "setup: $1"
  exit 1
}

# Waits without starting a process, so that killing the waiting shell leaves nothing behind.
pause() { read -rt "$1" <> <(:) || :; }

# Announces a step after a second; on a terminal it then shows how far the build has come.
watch_step() {
  pause 1
  if [[ ! -t 2 ]]; then
    say "$1 ..."
    return
  fi
  while :; do
    printf '\r\033[K%s ... %s' "$1" "$(tail -n 1 "$log" | grep -o '^\[[0-9]*/[0-9]*\]' || :)" >&2
    pause 1
  done
}

# step LABEL COMMAND...: runs the command into the log; if it fails, says so and stops.
step() {
  local label=$1 watcher status=0
  shift
  printf '\n== %s\n' "$label" >> "$log"
  watch_step "$label" &
  watcher=$!
  "$@" >> "$log" 2>&1 < /dev/null || status=$?
  kill "$watcher" 2> /dev/null || :
  wait "$watcher" 2> /dev/null || :
  if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
  if ((status != 0)); then
    say "--- last lines of $log"
    tail -n 15 "$log" >&2
    say "---"
    fail "$label failed (exit status $status)$(hint)"
  fi
}

# A guess at the reason, from the log of the step that failed.
hint() {
  local last
  last=$(tail -n 40 "$log")
  case $last in
    *"Temporary failure"* | *"Could not resolve"* | *"Connection refused"* | *"unreachable"* | \
      *"Failed to establish"* | *"timed out"* | *"from versions: none"*)
      printf ': no network?' ;;
    *"Permission denied"* | *"are you root"* | *"password is required"*)
      printf ': no right to do this; run it as root or with sudo' ;;
    *"No space left"*) printf ': the disk is full' ;;
  esac
}

hash_of() { cat "$@" | sha256sum | cut -c 1-16; }

# --- Debian packages

packages_of() { awk -v group="$1" '$1 == group { print $2 }' pins/debian.txt; }

missing_packages() {
  local package
  for package in $(packages_of "$1"); do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null | grep -qx installed ||
      printf '%s\n' "$package"
  done
}

apt_install() {
  local -a as_root=()
  if ((EUID != 0)); then as_root=(sudo); fi
  local -a get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get)
  local -a install=("${get[@]}" install -y --no-upgrade --no-install-recommends "$@")
  if ls /var/lib/apt/lists/*_Packages* > /dev/null 2>&1; then
    "${install[@]}" && return
  fi
  "${get[@]}" update && "${install[@]}"
}

install_group() {
  if ! command -v dpkg-query > /dev/null; then
    say "setup: not Debian; taking it that the tools in pins/debian.txt are there"
    return
  fi
  local missing
  missing=$(missing_packages "$1" | paste -sd ' ')
  if [[ -z $missing ]]; then return; fi
  if ((EUID != 0)); then
    command -v sudo > /dev/null ||
      fail "needs root or sudo to install: apt-get install --no-upgrade $missing"
    sudo -v || fail "sudo refused; as root: apt-get install --no-upgrade $missing"
  fi
  # shellcheck disable=SC2086
  step "Installing Debian packages: $missing" apt_install $missing
}

# --- Python

can_make_venv() {
  python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))' 2> /dev/null
}

good_venv() {
  [[ -x .venv/bin/python ]] &&
    .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2> /dev/null
}

make_venv() {
  if good_venv; then return; fi
  can_make_venv || install_group python
  can_make_venv || fail "needs Python 3.10 or later with venv; found $(python3 --version 2>&1)"
  step "Making .venv" python3 -m venv --clear .venv
}

pip() { .venv/bin/python -m pip --disable-pip-version-check "$@"; }

download_wheels() {
  rm -rf "$2.part" &&
    pip download --quiet --no-deps --dest "$2.part" --requirement "$1" &&
    mv "$2.part" "$2"
}

# Wheels are kept in .wheels, so that a new .venv needs no network.
install_wheels() {
  local list=pins/$1.txt hash stamp wheels
  hash=$(hash_of "$list" .venv/pyvenv.cfg)
  stamp=.venv/.wheels-$1-$hash
  if [[ -e $stamp ]]; then return; fi
  wheels=.wheels/$1-$(hash_of "$list" <(.venv/bin/python -VV) <(uname -m))
  mkdir -p .wheels
  if [[ ! -d $wheels ]]; then
    step "Downloading the Python wheels of $list" download_wheels "$list" "$wheels"
  fi
  step "Installing the Python wheels of $list" pip install --quiet --no-index --no-deps \
    --no-compile --find-links "$wheels" --requirement "$list"
  rm -f .venv/.wheels-"$1"-*
  touch "$stamp"
}

# --- build

# Configures build/ anew if the project was moved, or if its presets or the compiler changed.
configure() {
  local made_for
  made_for="$PWD $(hash_of CMakePresets.json cmake/FindArrowWheel.cmake) $(c++ -dumpfullversion)"
  if [[ $(cat build/.configured 2> /dev/null) == "$made_for" ]]; then return; fi
  step "Configuring build/" cmake --fresh --preset release
  printf '%s' "$made_for" > build/.configured
}

build() {
  local label=$1
  shift
  step "$label" cmake --build build --parallel "$(nproc)" --target "$@"
}

case $goal in
  demo | test | all) ;;
  *) fail "unknown goal '$goal': demo, test or all" ;;
esac
mkdir -p build
exec 9> build/.setup.lock
if ! flock -n 9; then
  say "Waiting for another set-up to finish ..."
  flock 9
fi
: > "$log"

install_group build
if [[ $goal == all ]]; then install_group fuzz; fi
make_venv
install_wheels demo
if [[ $goal != demo ]]; then install_wheels test; fi
configure
if [[ $goal == demo ]]; then
  build "Building build/esker" esker
else
  build "Building build/esker and its tests" all
fi
