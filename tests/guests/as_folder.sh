#!/usr/bin/env bash
# A project that adds our folder gets libraries, what their headers need, and none of our flags. Usage: as_folder.sh SOURCE CXX
set -euo pipefail
source=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -G Ninja -S "$source/tests/guests/as_folder" -B "$work" -DTILESCOPE="$source" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_BUILD_TYPE=Debug >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
# the library too: with GCC and without optimisation its precompiled header once could not be compiled
ninja -C "$work" program ts_simcore_numerics
flags=$(grep '"command".*api_program' "$work/compile_commands.json")
for ours in -Wshadow -fpch-preprocess FMT_GCC_PRAGMA; do
  if [[ $flags == *"$ours"* ]]; then echo "FAIL: the guest is compiled with $ours: $flags"; exit 1; fi
done
