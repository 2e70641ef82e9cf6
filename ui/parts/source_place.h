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

// Opens the location in the editor that TILESCOPE_EDITOR names ("code -g {file}:{line}"), else in the desktop's program for
// sources. Opens only a plain file with the extension of a source: the report may come from a stranger, and opening it must not
// run anything. Returns why the file cannot be opened; empty if it is open.
QString openSource(const SourcePlace& place);

} // namespace ui::shell
