// Named locations in a report, each with a note. They are kept beside the report, in REPORT.tsr.bookmarks.json, so that they move
// with the report; to export or import them, copy that file.
#pragma once

#include "ui/state/view_link.h"

#include <QDateTime>

#include <vector>

namespace ui::shell {

struct Bookmark {
  QString note;
  ViewLink link; // its reports are empty if it belongs to the report beside it
  QDateTime made;
  bool operator==(const Bookmark&) const = default;
};

QString bookmarkFile(const QString& report);
// Empty if the file does not exist. Throws reports::Error if it is not a list of bookmarks or cannot be read.
std::vector<Bookmark> readBookmarks(const QString& file);
// The file is written whole or not at all; without bookmarks it is removed. Throws reports::Error.
void writeBookmarks(const QString& file, const std::vector<Bookmark>& bookmarks);

} // namespace ui::shell
