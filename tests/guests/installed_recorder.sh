#!/usr/bin/env bash
# find_package(tilescope_trace) finds what was installed, by version, and a program records with it.
# Usage: installed_recorder.sh SOURCE BUILD CXX VERSION
set -euo pipefail
source=$1 build=$2 compiler=$3 version=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --component trace --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
cmake -G Ninja -S "$source/tests/guests/recorder" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DVERSION="$version" \
  -DCMAKE_CXX_COMPILER="$compiler" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
ninja -C "$work/build"
TILESCOPE_TRACE="{\"directory\": \"$work\", \"file\": \"a.tsrec\"}" "$work/build/recorder"
[ -s "$work/a.tsrec" ] || { echo "FAIL: nothing was recorded"; exit 1; }
