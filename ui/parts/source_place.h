// A source location, as reports name it, and the editor that shows it.
#pragma once

#include <QString>

#include <optional>

namespace ui::shell {

struct SourcePlace {
  QString file;
  int line = 0; // 0: not known
};

// Of "/src/heat.cpp:60" or "/src/heat.cpp:60 in compute".
std::optional<SourcePlace> sourcePlaceIn(const QString& text);

// Shows it in the editor that TILESCOPE_EDITOR names ("code -g {file}:{line}"), else in the program that the desktop has for sources.
// Only a plain file with the name of a source is shown: a stranger may have made the report, and opening it must not run anything. Returns
// why it cannot be shown; empty if it is shown.
QString openSource(const SourcePlace& place);

} // namespace ui::shell
