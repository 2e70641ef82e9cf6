// Files on other computers, named ssh://[user@]host[:port]/path: listed and copied with the system's sftp, so that agents, keys,
// ProxyJump and known hosts work as configured by the user. A copy stays in the cache and is reused while the size and time of
// the file are equal. An incomplete copy is continued. Listed times have a resolution of a minute, so a copy of a file that had
// just been written is made again.
#pragma once

#include "reports/core/progress.h"

#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace app::cli {

struct RemotePlace {
  std::string user, host, path; // user may be empty; path begins with /, "/~/" is the home folder
  int port = 0;                 // 0: from the user's configuration

  std::string text() const;    // the name as the user typed it
  std::string address() const; // for parseRemote(), with unusual characters of the path as %20
};
bool isRemote(const std::string& name); // true: begins with ssh://
// Throws Error(InvalidInput), also for names that ssh or a shell could misinterpret ('-' at the beginning, spaces, quotes,
// ;|&$…).
RemotePlace parseRemote(const std::string& name);
// A path as an argument of an sftp batch.
std::string quotedForSftp(const std::string& path);

struct RemoteEntry {
  std::string name, modified; // modified: as listed, to the minute or the day
  std::string modifiedIso;    // `modified` as 2026-11-22T16:00Z or 2024-01-01; empty if it has another form
  bool isFolder = false, isLink = false;
  bool isListed = false; // the entry is the listed file itself, not an entry of a folder
  int64_t bytes = 0;
};
// Whether an equal listing later proves that the file is unchanged. Not if the file was written within the last minutes before
// `now`, because the clocks of two computers differ.
bool isSettled(const RemoteEntry& entry, std::time_t now);
// The entries in the output of sftp's `ls -ln`; other lines are left out. A time without a year is within the year before `now`.
std::vector<RemoteEntry> entriesOf(const std::string& listing, std::time_t now);

class RemoteFiles {
public:
  // `configuration` is a file for ssh's option -F; empty: the user's own.
  explicit RemoteFiles(std::filesystem::path cache, std::string configuration = {});
  // $XDG_CACHE_HOME/tilescope/remote, or below ~/.cache. Throws Error(NotFound) if the user has no home folder.
  static std::filesystem::path usualCache();

  // The entries of a folder, or the single entry of a file. Throws Error(Io) with the message of ssh, NotFound without sftp,
  // Cancelled.
  std::vector<RemoteEntry> list(const RemotePlace& place, const std::stop_token& stop) const;
  // The location of an entry of this list.
  static RemotePlace placeOf(const RemotePlace& listed, const RemoteEntry& entry);
  // Returns the path of the local copy. `reload`: copies again even if the cache has a copy.
  std::filesystem::path fetch(const RemotePlace& place, bool reload, reports::Progress& progress,
                              const std::stop_token& stop) const;

private:
  std::string run(const RemotePlace& place, const std::string& batch, const std::stop_token& stop,
                  const std::function<void()>& look = {}) const;
  std::filesystem::path m_cache;
  std::string m_configuration;
};

} // namespace app::cli
