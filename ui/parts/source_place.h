// A source location, as reports name it, and the editor that shows it.
#pragma once

#include <QString>

#include <optional>

namespace ui::shell {

struct SourcePlace {
  QString file;
  int line = 0; // 0: not known
};

// Parses "/src/heat.cpp:60" or "/src/heat.cpp:60 in compute".
std::optional<SourcePlace> sourcePlaceIn(const QString& text);

// Whether the location is in a source file of this computer, which openSource() opens.
bool isSourceHere(const SourcePlace& place);

// Opens the location in the editor that TILESCOPE_EDITOR names ("code -g {file}:{line}"), else in the desktop's program for
// sources. Opens only a plain file with the extension of a source: the report may come from a stranger, and opening it must not
// run anything. Returns why the file cannot be opened; empty if it is open.
QString openSource(const SourcePlace& place);

} // namespace ui::shell
