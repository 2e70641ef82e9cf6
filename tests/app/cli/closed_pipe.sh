#!/usr/bin/env bash
# A reader that closes the pipe early (`| head`) is not an error: no message, exit code 0. Usage: closed_pipe.sh TILESCOPE_CLI
set -uo pipefail
cli=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
# More text in each format than a pipe holds.
seq 20000 | sed 's/.*/main;frame number & 1/' >a.folded
"$cli" import a.folded -o a.tsr >/dev/null || exit 1
failures=0
for format in folded chrome perfetto; do
  "$cli" export a.tsr --format $format 2>said | head -c 1 >/dev/null
  status=${PIPESTATUS[0]}
  [ "$status" -eq 0 ] || { echo "FAIL: $format: exit code $status"; failures=$((failures + 1)); }
  [ ! -s said ] || { echo "FAIL: $format: says $(cat said)"; failures=$((failures + 1)); }
done
# A full disk is one.
if [ -w /dev/full ]; then
  "$cli" export a.tsr --format folded >/dev/full 2>said && { echo "FAIL: a full disk is taken for a success"; failures=$((failures + 1)); }
  [ -s said ] || { echo "FAIL: a full disk is not told"; failures=$((failures + 1)); }
fi
exit $((failures > 0))
