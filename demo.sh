#!/usr/bin/env bash
# Shows Esker on a table of 300 overlapping commits; on a fresh Debian it first sets itself up.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

usage() {
  cat << 'USAGE'
usage: ./demo.sh [--build]

Sets up what is missing, builds build/esker, makes the table demo/events and shows it around.

  --build  only set up and build
  --help   this text
USAGE
}

only_build=false
case ${1:-} in
  "") ;;
  --build) only_build=true ;;
  --help | -h) usage && exit 0 ;;
  *) usage >&2 && exit 2 ;;
esac

table=demo/events
stats=build/demo-stats.json
plan=build/demo-plan.json

bold='' dim='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; fi

say() { printf '%s\n' "$*"; }
title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

# Shows a command as one would type it, then runs it; $stats is our own affair and not shown.
run() {
  local word line='$ build/esker'
  for word in "$@"; do
    if [[ $word == *[\ \'\"]* ]]; then word="'$word'"; fi
    line+=" $word"
  done
  printf '%s%s%s\n' "$dim" "$line" "$plain"
  local -a more=()
  if [[ $1 == scan ]]; then more=(--stats "$stats"); fi
  build/esker "$@" "${more[@]}"
}

# tell TEXT FILE: prints TEXT as a Python f-string over the JSON object `o` in FILE.
tell() {
  .venv/bin/python -c "import json, sys
o = json.load(open(sys.argv[2]))
print(eval('f' + repr(sys.argv[1])))" "$1" "$2"
}

tour() {
  title "An event table, written by 300 commits. Every file is in order of ts; the table is not:"
  say "events come up to two minutes late, so each file reaches into the next two."
  run explain "$table" --order-by ts | head -n 16
  build/esker explain "$table" --order-by ts --json > "$plan"
  tell "=> {o['files']['planned']} files, but only {o['max_depth']} overlap at any time: \
{o['chains']} chains to merge, not {o['files']['planned']} files" "$plan"

  title "The first events. Nothing is sorted, and only files that can hold them are opened:"
  run scan "$table" --order-by ts --limit 5 --columns ts,host,level,message --format table
  tell "=> opened {o['files_opened']} of 300 files, {o['total_ms']:.0f} ms" "$stats"

  title "The latest events, from the other end:"
  run scan "$table" --order-by 'ts desc' --limit 5 --columns ts,host,level,message --format table
  tell "=> opened {o['files_opened']} of 300 files, {o['total_ms']:.0f} ms" "$stats"

  title "The whole table in order, read and thrown away:"
  run scan "$table" --order-by ts --format none
  tell "=> {o['rows']:,} rows in order in {o['total_ms'] / 1000:.1f} s, never more than \
{o['peak_open_files']} files open, {o['peak_memory_bytes'] / 2**20:.0f} MiB of memory" "$stats"

  title "Try next:"
  say "  build/esker files $table"
  say "  build/esker scan $table --order-by 'ts desc' --limit 1000 --format parquet -o latest.parquet"
  say "  build/esker explain $table --order-by 'ts desc' --json"
}

tools/setup.sh demo
if $only_build; then exit 0; fi
if [[ ! -d $table ]]; then
  say "Making the table $table ..."
  .venv/bin/python tools/make_demo_table.py "$table"
fi
tour
