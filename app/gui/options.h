// The command line of `tilescope`.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

class QCoreApplication;

namespace app::gui {

// The contents of a window when it opens.
struct Destination {
  QStringList reports;  // none, one, or up to eight for a comparison
  QString view;         // the initial view; empty: the default
  QString at;           // --at: a link to a view
  bool isAsked = false; // the link may come from someone else, so the window asks first
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

// The destination with absolute names, for a process in another folder.
Destination wholeDestination(const Destination& destination);

// Throws reports::Error for invalid arguments. `--help` and `--version` print and set `done`.
Options parseOptions(const QStringList& arguments, bool& done);

} // namespace app::gui
