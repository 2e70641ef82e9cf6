#!/usr/bin/env bash
# The programs build with clang, in Debug, without a preset, and without a warning; one runs. Usage: with_clang.sh SOURCE FOLDER
# Exit code 77, with a line that says why: clang is not installed.
set -euo pipefail
source=$1 build=$2
compiler=$(command -v clang++ clang++-14 | head -n 1 || true)
if [ -z "$compiler" ]; then echo "skipped: clang is not installed"; exit 77; fi
mkdir -p "$build"
# not optimised and without debug information: what is looked for are errors and warnings
cmake -G Ninja -S "$source" -B "$build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
  -DCMAKE_COMPILE_WARNING_AS_ERROR=ON -DTILESCOPE_TESTS=OFF >"$build/log" 2>&1 || { cat "$build/log"; exit 1; }
ninja -C "$build" tilescope tilescope-cli tilescope-popc >"$build/log" 2>&1 || { grep -E 'error|warning|FAILED' "$build/log" | head -n 40; exit 1; }
"$build/bin/tilescope-cli" run hello-tiles --dry-run
