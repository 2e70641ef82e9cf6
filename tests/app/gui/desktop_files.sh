#!/usr/bin/env bash
# The files that a desktop and a shell read about the window: valid where their own checkers are installed, and true of the program:
# the manual page and the completion have its options and views, the desktop entry its MIME types.
set -euo pipefail
tilescope=$1 source=$2
desktop=$source/resources/desktop man=$source/resources/man app=org.tilescope.Tilescope
fail() { printf 'FAIL: %s\n' "$*"; exit 1; }
checked_by() { command -v "$1" >/dev/null || { printf 'skipped: %s is not installed\n' "$1"; return 1; }; }

help=$(QT_QPA_PLATFORM=offscreen "$tilescope" --help)
options=$(grep -oE -- '--[a-z][a-z-]+' <<<"$help" | sort -u | grep -vE -- '--help-all')
[ "$(wc -l <<<"$options")" -ge 10 ] || fail "no options in: $help"
for option in $options; do
  grep -qF -- "${option//-/\\-}" "$man/tilescope.1" || fail "tilescope.1 lacks $option"
  grep -qE -- "(^|[ '])$option([ ')|]|$)" "$desktop/tilescope.bash" || fail "tilescope.bash lacks $option"
  grep -qE -- "['{,]${option}['}[]" "$desktop/tilescope.zsh" || fail "tilescope.zsh lacks $option"
  grep -qE -- " -l ${option#--}( |$)" "$desktop/tilescope.fish" || fail "tilescope.fish lacks $option"
done

# shellcheck source=/dev/null
completed=$(source "$desktop/tilescope.bash" && COMP_WORDS=(tilescope --view m) COMP_CWORD=2 && _tilescope && echo "${COMPREPLY[*]}")
[ "$completed" = memory ] || fail "completion of --view m gives: $completed"
views=$(sed -n "s/.*compgen -W '\(home [^']*\)'.*/\1/p" "$desktop/tilescope.bash")
known=$(tr '\n' ' ' <"$source/app/gui/view_list.cpp" | grep -o '{"[a-z]*", *QObject::tr' | sed 's/{"\([a-z]*\)".*/\1/')
for script in zsh fish; do
  grep -qF "$views" "$desktop/tilescope.$script" || fail "tilescope.$script lacks the views $views"
done
[ "$(sort <<<"$known")" = "$(tr ' ' '\n' <<<"$views" | sort)" ] || fail "completion has the views $views, the window $known"

if checked_by zsh; then zsh -f -n "$desktop/tilescope.zsh" || fail "tilescope.zsh"; fi
if checked_by fish; then fish --no-execute "$desktop/tilescope.fish" || fail "tilescope.fish"; fi

# One version everywhere: that of the changelog.
version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$source/resources/packaging/changelog")
[ "$(QT_QPA_PLATFORM=offscreen "$tilescope" --version)" = "tilescope $version" ] || fail "--version is not $version"
for page in "$man"/*.1; do
  head -1 "$page" | grep -q "\"Tilescope $version\"" || fail "$page is not of $version"
done
[ "$(grep -o '<release version="[^"]*"' "$desktop/$app.metainfo.xml" | head -1)" = "<release version=\"$version\"" ] || fail "metainfo is not of $version"

types=$(sed -n 's/^MimeType=//p' "$desktop/$app.desktop" | tr ';' '\n' | grep -E '^(application|text)/')
for type in $types; do
  grep -qF "type=\"$type\"" "$desktop/$app.mime.xml" || fail "$type is not described"
  grep -qF "<mediatype>$type</mediatype>" "$desktop/$app.metainfo.xml" || fail "$type is not in the metainfo"
done
if checked_by desktop-file-validate; then
  said=$(desktop-file-validate "$desktop/$app.desktop" 2>&1) || fail "$said"
  [ -z "$said" ] || fail "$said"
fi
if checked_by appstreamcli; then
  said=$(appstreamcli validate --no-net "$desktop/$app.metainfo.xml" 2>&1) || fail "$said"
  ! grep -qE '^[IWEP]:' <<<"$said" || fail "$said"
fi
if checked_by update-mime-database; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mkdir -p "$folder/packages" && cp "$desktop/$app.mime.xml" "$folder/packages/"
  said=$(update-mime-database "$folder" 2>&1) || fail "$said"
fi
echo "$(wc -w <<<"$options") options, $(wc -w <<<"$views") views, $(wc -w <<<"$types") types"
