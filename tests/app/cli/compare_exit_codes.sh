#!/usr/bin/env bash
# The exit codes of `compare`, as a script sees them. Usage: compare_exit_codes.sh TILESCOPE_CLI MAKE_SYNTHETIC_REPORT
set -uo pipefail
cli=$1 make=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$make" a.tsr --operations 3 || exit 1
"$make" b.tsr --operations 5 --scale 3 || exit 1
head -c 3000 a.tsr >short.tsr
failures=0

# expect CODE WORDS COMMAND…: checks the exit code, and that the output contains WORDS
expect() {
  local code=$1 words=$2 said status
  shift 2
  said=$("$cli" compare "$@" 2>&1)
  status=$?
  [ $status -eq "$code" ] || { echo "FAIL: compare $*: exit code $status instead of $code"; failures=$((failures + 1)); }
  [[ $said == *"$words"* ]] || { echo "FAIL: compare $*: does not say '$words' but: ${said:0:300}"; failures=$((failures + 1)); }
}

expect 0 '' a.tsr a.tsr
expect 0 'more cycles' a.tsr b.tsr
expect 0 '### b.tsr' a.tsr b.tsr --markdown
expect 0 '<!doctype html>' a.tsr b.tsr --html
expect 0 '"same": true' a.tsr a.tsr --json
expect 0 'Totals of all' a.tsr b.tsr a.tsr
expect 0 '' a.tsr a.tsr --fail-if 'total_cycles>+0%'
expect 1 'over budget: total_cycles>+2%' a.tsr b.tsr --fail-if 'total_cycles>+2%'
expect 0 '' b.tsr a.tsr --fail-if 'total_cycles>+2%'
expect 1 'over budget: op("model/conv0").cycles>+5%' a.tsr b.tsr --fail-if 'op("model/conv0").cycles>+5%'
expect 0 '' a.tsr a.tsr --fail-if 'op("model/conv0").cycles>0'
expect 1 'b.tsr' a.tsr a.tsr b.tsr --fail-if 'total_cycles>+2%'
expect 2 "no operation is called 'fc9'" a.tsr b.tsr --fail-if 'op("fc9").cycles>0'
expect 2 'is not a measure of one operation' a.tsr b.tsr --fail-if 'op("model/conv0").speed>0'
expect 2 "no variable is called" a.tsr b.tsr --fail-if 'var("none").bytes>0'
expect 2 "no figure is called 'cycle'" a.tsr b.tsr --fail-if 'cycle>0'
expect 2 'this is not KEY>LIMIT' a.tsr b.tsr --fail-if 'total_cycles'
expect 2 'none.tsr' a.tsr none.tsr
expect 2 'short.tsr' a.tsr short.tsr
expect 2 'OTHER' a.tsr
expect 2 'excludes' a.tsr b.tsr --json --markdown
expect 2 "no operation is called 'x'" a.tsr b.tsr --pair 'x=y'
[ $failures -eq 0 ] && echo 'ok: every exit code'
exit $((failures > 0))
