#!/usr/bin/env bash
# Builds and tests Esker; on a fresh Debian it first installs what that needs.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1

usage() {
  cat << 'USAGE'
usage: ./test.sh [--all]

Sets up what is missing, builds, tests, and ends with a line "N passed, N failed".

  (nothing)  the release build's C++ tests, the quick Python tests, tidy
  --all      also the slow Python tests and ten times the random tables, the C++ tests under
             AddressSanitizer and UndefinedBehaviorSanitizer, the threaded ones under
             ThreadSanitizer, and every fuzz program for a minute
  --help     this text

Reports and logs are in build/reports. Variables that tests read:
  ESKER_SEED    seed of the random tests; with --all it comes from the commit
  ESKER_TABLES  folder of the public tables; without it the folder shared/tables beside the project
  ESKER_ROUNDS  how many times the usual number of random cases to run
USAGE
}

all=false
case ${1:-} in
  "") ;;
  --all) all=true ;;
  --help | -h) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
esac

reports=$PWD/build/reports
# The programs with tests that start threads, and these tests.
threaded_tests=(base_test read_test api_test)
threaded_regex='^base_test\.TaskPool\.'
threaded_regex+='|^read_test\.(DeleteSetTest|FileSourceRandomTest|TenRowsTest\.Threads|FileSourceTest\..*(Threads|Ahead))'
threaded_regex+='|^api_test\.(Threads/FaultWalk\..*/4|Threads\.)'
fuzz_seconds=60

say() { printf '%s\n' "$*"; }

# check NAME COMMAND...: runs a check, keeps its output and exit status for the summary, and goes
# on whatever came of it. A check that counts its tests writes $reports/NAME.xml.
check() {
  local name=$1 status=0 start=$SECONDS
  shift
  say "-- $name"
  "$@" > "$reports/$name.log" 2>&1 < /dev/null || status=$?
  printf '%s\n' "$status" > "$reports/$name.status"
  if ((status == 0)); then
    say "   ok, $((SECONDS - start)) s"
  else
    say "   FAILED (exit status $status), $((SECONDS - start)) s; build/reports/$name.log ends:"
    tail -n 40 "$reports/$name.log" | sed 's/^/   | /'
  fi
  return "$status"
}

run_ctest() {
  local name=$1 folder=$2
  shift 2
  ctest --test-dir "$folder" --parallel "$(nproc)" --output-on-failure --no-tests=error \
    --output-junit "$reports/$name.xml" "$@"
}

run_pytest() {
  .venv/bin/python -m pytest --quiet --junit-xml="$reports/pytest.xml" "$@"
}

# Configures and builds a preset; targets as given, all without any.
build_preset() {
  local preset=$1
  shift
  cmake --preset "$preset" && cmake --build --preset "$preset" --parallel "$(nproc)" \
    ${1:+--target "$@"}
}

# Those of the threaded tests that exist.
threaded_targets() {
  local target
  for target in "${threaded_tests[@]}"; do
    if compgen -G "src/${target%_test}/*_test.cc" > /dev/null; then printf '%s\n' "$target"; fi
  done
}

test_sanitized() {
  # Arrow's own pools hide overruns of its buffers from the sanitizer; and Arrow's libraries are not
  # built with it.
  export ARROW_DEFAULT_MEMORY_POOL=system UBSAN_OPTIONS=print_stacktrace=1
  export TSAN_OPTIONS=suppressions=$PWD/cmake/tsan.supp
  if check asan-build build_preset asan; then
    check asan run_ctest asan build-asan
    check fuzz .venv/bin/python tools/run_fuzz.py build-asan --seconds "$fuzz_seconds" \
      --report "$reports/fuzz.xml"
  fi

  local -a targets
  mapfile -t targets < <(threaded_targets)
  if ((${#targets[@]})); then
    check tsan-build build_preset tsan "${targets[@]}" &&
      check tsan run_ctest tsan build-tsan --tests-regex "$threaded_regex"
  fi
}

if $all; then goal=all; else goal=test; fi
tools/setup.sh $goal || exit 1
rm -rf "$reports"
mkdir -p "$reports"

if $all; then
  commit=$(git rev-parse --short=7 HEAD 2> /dev/null) || commit=1
  export ESKER_SEED=${ESKER_SEED:-$((16#$commit))} ESKER_ROUNDS=${ESKER_ROUNDS:-10}
  say "ESKER_SEED=$ESKER_SEED"
  slow=()
else
  slow=(-m "not slow")
fi

if [[ -z ${ESKER_TABLES:-} && -e ../shared/tables/index.json ]]; then
  ESKER_TABLES=$(cd ../shared/tables && pwd) && export ESKER_TABLES
fi

check tidy .venv/bin/python tools/tidy.py
check ctest run_ctest ctest build
check pytest run_pytest "${slow[@]}"
if $all; then
  ESKER_ROUNDS=1 test_sanitized
fi
.venv/bin/python tools/test_summary.py "$reports"
