#!/usr/bin/env bash
# The tutorials build with the command in their page, report correct results, and write reports.
# Usage: tutorials.sh SOURCE BUILD TILESCOPE_CLI. Those with codelets are skipped without a codelet compiler.
set -euo pipefail
source=$1 build=$2 cli=$(readlink -f "$3")
for clang in clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14 none; do
  command -v "$clang" >/dev/null && break
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
fail() { echo "FAIL: $1"; cat "$work/log"; exit 1; }
cmake --install "$build" --component sdk --prefix "$work/sdk" >"$work/log" 2>&1 || fail "the tree is not installed"
set +u
. "$work/sdk/enable.sh"
set -u
cp -r "$source/resources/tutorials" "$work/tutorials"
for folder in "$work"/tutorials/[1-9]_*; do
  name=$(basename "$folder")
  [ -s "$folder/page.md" ] || fail "$name has no page"
  grep -q "$name/page.md" "$work/tutorials/README.md" || fail "the list of tutorials lacks $name"
  cd "$folder"
  g++ -std=c++11 -Wall -Wextra -Werror main.cpp -lpoplar -lpopops -lpoplin -lpoputil -o tutorial >"$work/log" 2>&1 ||
    fail "$name does not build"
  if [ -e codelets.cpp ] && [ "$clang" = none ]; then
    echo "$name: not run, because clang is missing"
    continue
  fi
  TILESCOPE_REPORT=tutorial.tsr ./tutorial >"$work/log" 2>&1 || fail "$name does not run, or computes something else"
  echo "$name: $(tail -1 "$work/log")"
  "$cli" summary tutorial.tsr >"$work/log" 2>&1 || fail "$name left no report"
done
