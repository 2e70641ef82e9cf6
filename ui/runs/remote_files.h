// Files on other computers, ssh://[user@]host[:port]/path. `tilescope-cli fetch` lists and copies them, so that its failure is
// only a message here. For workers: these calls may take long, and a stop request ends them.
#pragma once

#include "reports/core/progress.h"

#include <QString>

#include <stop_token>
#include <vector>

namespace ui::shell {

// Returns the local copy of a file on another computer; any other name is returned unchanged. `reload`: copies again even if a copy exists.
// Throws Error: the message of ssh, NotFound without tilescope-cli, Cancelled.
QString localCopy(const QString& file, bool reload, const std::stop_token& stop, reports::Progress& progress);

struct RemoteEntry {
  enum class Kind { File, Folder, Link };
  QString name, modified; // modified: in the other computer's format, to the minute or the day
  QString address;        // for opening or listing it
  Kind kind = Kind::File;
  qint64 bytes = 0;
};
// The entries of a folder, folders first; for a file, the file itself. Throws as localCopy.
std::vector<RemoteEntry> remoteEntries(const QString& address, const std::stop_token& stop, reports::Progress& progress);

// The address for a typed text: a host alone means its home folder, and ssh:// is optional.
QString remoteAddress(const QString& typed);
// The folder above; above a home folder, the root.
QString remoteParent(const QString& address);

} // namespace ui::shell
