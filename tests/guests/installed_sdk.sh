#!/usr/bin/env bash
# Programs for Poplar build against what was installed, by hand and with CMake, run, and leave reports that the other programs open.
# Usage: installed_sdk.sh SOURCE BUILD TILESCOPE_CLI; ends with 77 if no codelet compiler is found.
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
[ "$(command -v gc-info)" = "$work/sdk/bin/gc-info" ] || fail "gc-info is not in PATH"
[ "$(gc-info --ipu-count)" = 16 ] || fail "gc-info does not count the pod"
[ "$(gc-inventory | grep -c '^  id:')" = 16 ] || fail "gc-inventory does not list the pod"
gc-monitor --no-card-info >"$work/log" 2>&1 && grep -q 'No attached processes' "$work/log" || fail "gc-monitor does not print its table"
env -u PYTHONPATH "$work/sdk/bin/gc-info" -l >"$work/log" 2>&1 && grep -q 'Id: \[30\]' "$work/log" || fail "gc-info needs enable.sh"
cp -r "$source/tests/guests/sdk" "$work/guest"
cd "$work/guest"

# Every header by itself, strictly; the other compiler has them all at once.
for header in $(cd "$work/sdk/include" && find . -name '*.hpp' | sed 's|^\./||' | sort); do
  echo "#include <$header>" | tee one.cpp >>all.cpp
  g++ -std=c++11 -Wall -Wextra -Werror -pedantic -fsyntax-only one.cpp >"$work/log" 2>&1 || fail "g++: $header"
done
"$clang" -std=c++11 -Wall -Wextra -Werror -pedantic -fsyntax-only all.cpp >"$work/log" 2>&1 || fail "$clang: the headers"

# One file for both sides, libraries in any order.
g++ -std=c++11 -Wall -Wextra -Werror sums.cpp -lpopops -lpoplar -lpoputil -o sums >"$work/log" 2>&1 || fail "sums.cpp does not build"
POPLAR_ENGINE_OPTIONS='{"autoReport.all":"true","autoReport.directory":"out"}' TILESCOPE_REPORT=sums.tsr ./sums >"$work/log" 2>&1 ||
  fail "sums does not run"
for part in 'sums: \[6.0000000 15.0000000\]' 'Memory Usage:' 'compute sets: 1' 'work: [1-9]' 'profile in parts: the same'; do
  grep -q "$part" "$work/log" || fail "sums does not print $part"
done
for report in out/profile.pop sums.tsr; do
  "$cli" summary "$report" >"$work/log" 2>&1 || fail "$report is no report"
done
[ -s out/debug.cbor ] || fail "debug.cbor is not beside the report"

# Makefiles for an old SDK: libraries before the sources, strings of before C++11.
for compiler in g++ "$clang"; do
  rm sums
  "$compiler" -std=c++11 -Wall -Wextra -Werror -pedantic -D_GLIBCXX_USE_CXX11_ABI=0 -lpopops -lpoplar sums.cpp -o sums >"$work/log" 2>&1 ||
    fail "$compiler: no strings of before C++11"
  ./sums >"$work/log" 2>&1 && grep -q 'sums: \[6.0000000 15.0000000\]' "$work/log" || fail "$compiler: the old line's program does not run"
done

# A program that does not fit leaves a report that shows where.
g++ -std=c++11 -Wall -Wextra -Werror too_large.cpp -lpoplar -o too_large >"$work/log" 2>&1 || fail "too_large.cpp does not build"
code=0
TILESCOPE_REPORT=too_large.tsr ./too_large >"$work/log" 2>&1 || code=$?
[ "$code" = 3 ] && grep -q 'tile 5 needs' "$work/log" || fail "a full tile is not named"
"$cli" summary too_large.tsr >"$work/log" 2>&1 || fail "a program that does not fit leaves no report"
grep -q 'fullest tile 5 needs' "$work/log" || fail "the report does not show the full tile"
"$cli" query too_large.tsr "SELECT s.text FROM variable v JOIN string s ON s.id = v.name_id ORDER BY v.total_bytes DESC LIMIT 1" >"$work/log" 2>&1 || true
grep -q large "$work/log" || fail "the report does not show the variable"

# CMake, codelets compiled beforehand with popc.
cmake -S . -B cmake-build >"$work/log" 2>&1 || fail "find_package(poplar) fails"
cmake --build cmake-build >"$work/log" 2>&1 || fail "the CMake project does not build"
(cd cmake-build && ./sums_gp) >"$work/log" 2>&1 || fail "the CMake project does not run"
grep -q 'sums: \[6.0000000 15.0000000\]' "$work/log" || fail "the CMake project does not print the sums"

# Programs that read reports and record: find_package(tilescope), both compilers, C++11 to C++20, also Debug without a preset.
reads() { # reads PREFIX NAME "COMPILER STANDARD TYPE"...
  prefix=$1 name=$2
  shift 2
  for each; do
    set -- "$prefix" "$name" $each
    folder="$work/report-$2-$3-$4"
    cmake -S "$source/tests/guests/report" -B "$folder" -DCMAKE_PREFIX_PATH="$1" -DCMAKE_CXX_COMPILER="$3" -DSTANDARD="$4" \
      -DCMAKE_BUILD_TYPE="$5" >"$work/log" 2>&1 || fail "$2: find_package(tilescope) fails with $3, C++$4"
    cmake --build "$folder" >"$work/log" 2>&1 || fail "$2: readers do not build with $3, C++$4, $5"
    "$folder/reader" sums.tsr >"$work/log" 2>&1 || fail "$2: the report is not read"
    grep -q 'compute sets: 1' "$work/log" || fail "$2: the report has other compute sets"
    ! "$folder/reader" absent.tsr >"$work/log" 2>&1 || fail "$2: a report that is not there is read"
    TILESCOPE_TRACE="{\"directory\":\"$folder\",\"file\":\"a.tsrec\"}" "$folder/recorder"
    [ -s "$folder/a.tsrec" ] || fail "$2: nothing was recorded"
  done
}
reads "$work/sdk" tree "g++ 11 Debug" "$clang 20 Release" "g++ 17 Release"
# The Debian package has the same tree in a folder of its own, and a place where CMake looks without a hint.
cmake --install "$build" --component dev --prefix "$work/usr" >"$work/log" 2>&1 || fail "the package's files are not installed"
diff -r -x tilescope-cli "$work/sdk" "$work/usr/lib/tilescope/sdk" >"$work/log" || fail "the package has another tree"
(
  unset CMAKE_PREFIX_PATH CPATH LIBRARY_PATH LD_LIBRARY_PATH
  reads "$work/usr" package "$clang 14 Debug"
)

# By hand: popc prints the Poplar version that it replaces, and the collectives libraries link.
[ "$(popc --version | cut -d ' ' -f3 | cut -d . -f1)" -ge 3 ] || fail "popc --version has no version as third word"
g++ -std=c++11 "$source/tests/guests/report/reader.cpp" -lpva -lgcl_ct -lgcl -lpoplar -o reader >"$work/log" 2>&1 || fail "reader.cpp"
./reader sums.tsr >"$work/log" 2>&1 || fail "reader does not run"

# An executable on disk is another program's start.
g++ -std=c++11 -Wall -Wextra -Werror stored.cpp -lpoplar -lpopops -o stored >"$work/log" 2>&1 || fail "stored.cpp does not build"
./stored save sums.exe >"$work/log" 2>&1 || fail "the executable is not written"
./stored load sums.exe >"$work/log" 2>&1 || fail "the executable is not read"
grep -q 'result: 42' "$work/log" || fail "the executable that was read has another result"
! ./stored load sums.cpp >"$work/log" 2>&1 || fail "a source is read as an executable"

# The runner of programs of others builds and runs them, and says which fail and why.
cat >manifest.json <<'END'
[{"name": "right", "folder": "sdk", "build": ["g++ -std=c++11 sums.cpp -lpopops -lpoputil -o sums"], "run": "./sums", "expect": ["compute sets: 1"]},
 {"name": "wrong", "folder": "sdk", "build": ["g++ -std=c++11 sums.cpp -lpopops -lpoputil -o sums"], "run": "./sums", "expect": ["no such line"]},
 {"name": "slow", "folder": "sdk", "run": "sleep 600", "seconds": 1},
 {"name": "unbuilt", "folder": "sdk", "build": ["g++ absent.cpp"], "run": "true"},
 {"name": "absent", "folder": "nowhere", "run": "true"}]
END
code=0
python3 "$source/tests/sdk/run_programs.py" --jobs 2 "$work/sdk" "$source/tests/guests" manifest.json >"$work/log" 2>&1 || code=$?
[ "$code" = 1 ] && grep -q '^1 of 5 pass' "$work/log" || fail "the runner counts wrongly"
for verdict in 'right *passes' 'wrong *wrong' 'slow *fails.*not done after 1 s' 'unbuilt *does not build.*absent.cpp' 'absent *missing'; do
  grep -qE "^$verdict" "$work/log" || fail "the runner does not say: $verdict"
done
