#!/usr/bin/env bash
# Programs for Poplar build against what was installed, by hand and with CMake, run, and leave reports that the other programs open.
# Usage: installed_sdk.sh SOURCE BUILD TILESCOPE_CLI; ends with 77 where there is no compiler of codelets.
set -euo pipefail
source=$1 build=$2 cli=$(readlink -f "$3")
for clang in clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14 none; do
  command -v "$clang" >/dev/null && break
done
[ "$clang" != none ] || { echo "no clang: codelets cannot be compiled"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
fail() { echo "FAIL: $1"; cat "$work/log"; exit 1; }
cmake --install "$build" --component sdk --prefix "$work/sdk" >"$work/log" 2>&1 || fail "the tree is not installed"
set +u
. "$work/sdk/enable.sh"
set -u
[ "$POPLAR_SDK_ENABLED" = "$work/sdk" ] || fail "enable.sh names another folder"
cp -r "$source/tests/guests/sdk" "$work/guest"
cd "$work/guest"

# Every header by itself, strictly; the other compiler has them all at once.
for header in $(cd "$work/sdk/include" && find . -name '*.hpp' | sed 's|^\./||' | sort); do
  [ "$header" = pvti/pvti.hpp ] && continue # of the recorder: C++17
  echo "#include <$header>" | tee one.cpp >>all.cpp
  g++ -std=c++11 -Wall -Wextra -Werror -pedantic -fsyntax-only one.cpp >"$work/log" 2>&1 || fail "g++: $header"
done
"$clang" -std=c++11 -Wall -Wextra -Werror -pedantic -fsyntax-only all.cpp >"$work/log" 2>&1 || fail "$clang: the headers"

# One file for both sides, libraries in any order.
g++ -std=c++11 -Wall -Wextra -Werror sums.cpp -lpopops -lpoplar -lpoputil -o sums >"$work/log" 2>&1 || fail "sums.cpp does not build"
POPLAR_ENGINE_OPTIONS='{"autoReport.all":"true","autoReport.directory":"out"}' TILESCOPE_REPORT=sums.tsr ./sums >"$work/log" 2>&1 ||
  fail "sums does not run"
for part in 'sums: \[6.0000000 15.0000000\]' 'Memory Usage:' 'compute sets: 1' 'work: [1-9]'; do
  grep -q "$part" "$work/log" || fail "sums does not print $part"
done
for report in out/profile.pop sums.tsr; do
  "$cli" summary "$report" >"$work/log" 2>&1 || fail "$report is no report"
done

# CMake, codelets compiled beforehand with popc.
cmake -S . -B cmake-build >"$work/log" 2>&1 || fail "find_package(poplar) fails"
cmake --build cmake-build >"$work/log" 2>&1 || fail "the CMake project does not build"
(cd cmake-build && ./sums_gp) >"$work/log" 2>&1 || fail "the CMake project does not run"
grep -q 'sums: \[6.0000000 15.0000000\]' "$work/log" || fail "the CMake project does not print the sums"
