#!/usr/bin/env bash
# The C interface from a program in C, compiled strictly. Usage: from_c.sh SOURCE LIBRARY; ends with 77 if no C compiler is found.
set -euo pipefail
source=$1 library=$(readlink -f "$2")
command -v cc >/dev/null || { echo "skipped: no cc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -std=c99 -Wall -Wextra -Werror -pedantic -I "$source" "$source/tests/app/capi/session.c" "$library" -lm -pthread \
  -Wl,-rpath,"$(dirname "$library")" -o "$work/test_capi"
# Nothing but the interface is exported.
other=$(nm -D --defined-only "$library" | awk '$2 != "A" && $3 !~ /^tilescope_/ {print $3}')
[ -z "$other" ] || { echo "FAIL: the library exports $other"; exit 1; }
cd "$work"
POPLAR_ENGINE_OPTIONS='{"autoReport.all":"true","autoReport.directory":"reports"}' ./test_capi "$source/tests/app/capi/product.onnx" "$work"
for report in reports/profile.pop reports/debug.cbor trained.tsr; do
  [ -s "$report" ] || { echo "FAIL: no $report"; exit 1; }
done
