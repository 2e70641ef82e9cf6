#include "simcore/native/clang_tool.h"

#include "reports/core/error.h"
#include "simcore/native/unit.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ; // NOLINT(readability-redundant-declaration)

namespace simcore::native {

using reports::Error;
using reports::ErrorCode;

namespace {

constexpr const char* kVariable = "TILESCOPE_CLANG";
constexpr int kNewest = 19, kOldest = 14;
constexpr int kLookMs = 2;

std::string onPath(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (folder.starts_with('/') && access((folder + "/" + name).c_str(), X_OK) == 0) return folder + "/" + name;
  return {};
}

std::string clangPath() {
  if (const char* chosen = std::getenv(kVariable); chosen && *chosen) {
    const std::string path = chosen[0] == '/' ? chosen : onPath(chosen);
    if (path.empty() || access(path.c_str(), X_OK) != 0)
      throw Error(ErrorCode::NotFound, fmt::format("the compiler that {} names is missing", kVariable), chosen,
                  "name a clang++ of version 14 or later, or unset the variable");
    return path;
  }
  // The oldest version first: the costs of loops were calibrated with it (decision 060), and later versions vectorise other
  // loops.
  for (int version = kOldest; version <= kNewest; ++version)
    if (std::string path = onPath(fmt::format("clang++-{}", version)); !path.empty()) return path;
  if (std::string path = onPath("clang++"); !path.empty()) return path;
  throw Error(ErrorCode::NotFound, "codelets need the compiler clang, which is missing", "",
              fmt::format("install it (Debian: apt-get install clang-14 lld-14), or set {} to a clang++", kVariable));
}

} // namespace

ClangTool findClang() {
  ClangTool tool{clangPath(), {}};
  struct stat facts {};
  if (stat(tool.path.c_str(), &facts) != 0)
    throw Error(ErrorCode::Io, std::string("cannot be read: ") + std::strerror(errno), tool.path);
  tool.identity = fmt::format("{} {} {}.{}", tool.path, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  return tool;
}

ChildResult runChild(const std::vector<std::string>& words, std::chrono::seconds limit, const std::string& scratchFile) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, scratchFile.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none); // the mains block SIGINT and SIGTERM; a child must not inherit that
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawn(&child, words.at(0).c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failed) throw Error(ErrorCode::Io, std::string("cannot be started: ") + std::strerror(failed), words[0]);

  ChildResult result;
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  for (pid_t ended = 0; (ended = waitpid(child, &status, WNOHANG)) != child;) {
    if (ended < 0 && errno != EINTR)
      throw Error(ErrorCode::Io, std::string("cannot be watched: ") + std::strerror(errno), words[0]);
    if (!result.isLate && std::chrono::steady_clock::now() > end) {
      result.isLate = true;
      kill(child, SIGKILL);
    }
    poll(nullptr, 0, kLookMs);
  }
  if (WIFEXITED(status)) result.exitCode = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  result.errors = fileText(scratchFile);
  return result;
}

} // namespace simcore::native
