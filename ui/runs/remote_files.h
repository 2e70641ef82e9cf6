// Files on other computers, ssh://[user@]host[:port]/path. `tilescope-cli fetch` lists and copies them, so that a fault there is a message
// here. For workers: all that reads may take a while, and stopping ends it.
#pragma once

#include "reports/core/progress.h"

#include <QString>

#include <stop_token>
#include <vector>

namespace ui::shell {

// A file on another computer becomes its copy here; any other is itself. `reload`: it is copied again, whatever there is. Throws Error: what ssh said, NotFound without tilescope-cli,
// Cancelled.
QString localCopy(const QString& file, bool reload, const std::stop_token& stop, reports::Progress& progress);

struct RemoteEntry {
  enum class Kind { File, Folder, Link };
  QString name, modified; // modified: as the other computer says, to the minute or the day
  QString address;        // to open or list it
  Kind kind = Kind::File;
  qint64 bytes = 0;
};
// The entries of a folder, folders first; of a file itself. Throws as localCopy.
std::vector<RemoteEntry> remoteEntries(const QString& address, const std::stop_token& stop, reports::Progress& progress);

// The address of typed words: a host alone is its home folder, and ssh:// may be left out.
QString remoteAddress(const QString& typed);
// The folder above; of a home folder the root.
QString remoteParent(const QString& address);

} // namespace ui::shell
