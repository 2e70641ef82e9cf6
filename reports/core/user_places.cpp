#include "reports/core/user_places.h"

#include "reports/core/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace reports {

namespace fs = std::filesystem;

namespace {
fs::path absoluteOf(const char* variable) {
  const char* value = std::getenv(variable);
  const fs::path path = value ? value : "";
  return path.is_absolute() ? path : fs::path(); // a relative path must be ignored (XDG base directories)
}
} // namespace

fs::path cacheFolder(std::string_view name, std::string_view what) {
  fs::path base = absoluteOf("XDG_CACHE_HOME");
  if (base.empty()) {
    fs::path home = absoluteOf("HOME");
    if (const passwd* user = home.empty() ? getpwuid(geteuid()) : nullptr) home = user->pw_dir;
    if (!home.is_absolute())
      throw Error(ErrorCode::NotFound, fmt::format("the user has no home folder to keep {} in", what), "",
                  "set HOME or XDG_CACHE_HOME to an absolute path");
    base = home / ".cache";
  }
  return base / "tilescope" / name;
}

namespace {
void requireOwnFolder(const fs::path& folder, std::string_view what) {
  std::error_code failed;
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    throw Error(ErrorCode::Io, fmt::format("the folder for {} cannot be made: {}", what, std::strerror(errno)), folder.string(),
                "set XDG_CACHE_HOME to a folder of yours");
  struct stat facts {};
  if (lstat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid())
    throw Error(ErrorCode::Io, fmt::format("the folder for {} is a file or a link, or belongs to another user", what),
                folder.string(), "remove it, or set XDG_CACHE_HOME to a folder of yours");
  if ((facts.st_mode & 0777) != 0700) fs::permissions(folder, fs::perms::owner_all, failed);
}
} // namespace

// Makes and checks "tilescope" and the folder in it. Folders above belong to the user and are not checked.
void requirePrivateFolder(const fs::path& folder, std::string_view what) {
  std::error_code failed;
  fs::create_directories(folder.parent_path().parent_path(), failed);
  requireOwnFolder(folder.parent_path(), what);
  requireOwnFolder(folder, what);
}

} // namespace reports
