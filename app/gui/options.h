// The command line of `tilescope`.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

class QCoreApplication;

namespace app::gui {

struct Options {
  QStringList reports;      // none, one, or two to compare
  QString view;             // the view to begin with; empty: the usual one
  QString at;               // --at: a link to a view
  std::optional<bool> dark; // --theme; empty: as remembered
  QSize size;               // --size; empty: as remembered
  QString galleryFolder;    // --gallery
  QString follow;           // --follow: a trace that is still written
};

// Throws reports::Error for arguments that make no sense. `--help` and `--version` print and set `done`.
Options parseOptions(const QStringList& arguments, bool& done);

} // namespace app::gui
