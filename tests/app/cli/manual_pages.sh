#!/usr/bin/env bash
# The manual pages that are files have every option that the programs print, and man formats them without a warning.
# Usage: manual_pages.sh SOURCE_FOLDER TILESCOPE_POPC
set -euo pipefail
man=$1/resources/man popc=$2 tools=$1/app/python/tools
fail() { printf 'FAIL: %s\n' "$*"; exit 1; }

checked=0
page_has_options() { # PAGE COMMAND…
  local page=$1 help option
  shift
  help=$("$@" --help)
  for option in $(grep -oE '(^|[ ,[])--?[a-zA-Z][a-z-]*' <<<"$help" | tr -d ' ,[' | sort -u); do
    grep -qE -- "(^|[ \"])${option//-/\\\\-}(=| |\"|$)" "$man/$page" || fail "$page lacks $option"
    checked=$((checked + 1))
  done
}
page_has_options tilescope-popc.1 "$popc"
if command -v python3 >/dev/null; then
  for tool in gc-info gc-inventory gc-monitor; do page_has_options "tilescope-$tool.1" python3 "$tools/$tool"; done
fi
if command -v man >/dev/null; then
  for page in "$man"/*.1; do
    said=$(man --warnings -l "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || fail "$page: $said"
  done
fi
[ "$checked" -ge 10 ] || fail "only $checked options"
echo "$checked options"
