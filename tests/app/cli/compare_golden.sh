#!/usr/bin/env bash
# Compares the output of `compare --markdown`, line by line, with the files in tests/golden/compare.
# Usage: compare_golden.sh TILESCOPE_CLI MAKE_SYNTHETIC_REPORT FOLDER [--write]; --write makes the output the new golden files.
set -uo pipefail
cli=$1 make=$2 golden=$3 write=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$make" small.tsr --ipus 1 --tiles 8 --operations 4 || exit 1
"$make" scaled.tsr --ipus 1 --tiles 8 --operations 4 --scale 2 || exit 1
"$make" larger.tsr --ipus 2 --tiles 8 --operations 6 || exit 1
failures=0

# golden NAME WORDS…: the output of compare must equal golden/NAME.md
golden() {
  local name=$1
  shift
  "$cli" compare "$@" --markdown >"$name.md" || { echo "FAIL: compare $*: exit code $?"; failures=$((failures + 1)); }
  if [ "$write" = --write ]; then cp "$name.md" "$golden/$name.md"; fi
  diff -u "$golden/$name.md" "$name.md" || { echo "FAIL: compare $*: differs from $name.md"; failures=$((failures + 1)); }
}

golden scaled small.tsr scaled.tsr --top 3
golden larger small.tsr larger.tsr --top 3
golden back larger.tsr small.tsr --top 3
golden several small.tsr scaled.tsr larger.tsr --top 1
golden same small.tsr small.tsr
[ $failures -eq 0 ] && echo 'ok: every golden file'
exit $((failures > 0))
