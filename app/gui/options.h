// The command line of `tilescope`.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

class QCoreApplication;

namespace app::gui {

// The place that a window opens at.
struct Destination {
  QStringList reports;  // none, one, or up to eight to compare
  QString view;         // the initial view; empty: the usual one
  QString at;           // --at: a link to a view
  bool isAsked = false; // the link may be from someone else: the window offers it first
  bool operator==(const Destination&) const = default;
};

struct Options : Destination {
  bool newInstance = false; // --new-instance
  std::optional<bool> dark; // --theme; empty: as remembered
  QSize size;               // --size; empty: as remembered
  QString galleryFolder;    // --gallery
  bool everyTab = false;    // --every-tab: screenshots of all tabs of a view
  QString follow;           // --follow: a trace that is still being written
};

// The same with absolute names: for a process in another folder.
Destination wholeDestination(const Destination& destination);

// Throws reports::Error for invalid arguments. `--help` and `--version` print and set `done`.
Options parseOptions(const QStringList& arguments, bool& done);

} // namespace app::gui
