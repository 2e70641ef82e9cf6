#include "app/cli/child.h"

#include "reports/core/error.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace app::cli {

namespace {

constexpr std::size_t kMostOfLine = 4096;
constexpr int kCannotStart = 127;

[[noreturn]] void refuse(const std::string& program) {
  throw reports::Error(reports::ErrorCode::Io, std::string("cannot be started: ") + std::strerror(errno), program);
}

// -1 for no file.
int openOutput(const std::string& output) {
  if (output.empty()) return -1;
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0)
    throw reports::Error(reports::ErrorCode::Io, std::string("cannot be written: ") + std::strerror(errno), output,
                         "look at the folder's permissions and free space");
  return file;
}

// Between fork and exec: only functions that are safe there.
[[noreturn]] void becomeChild(char* const* words, int output, int errorPipe, int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotStart); // the parent ended before it could be watched
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO), dup2(nothing, STDOUT_FILENO);
  if (output >= 0) dup2(output, STDOUT_FILENO);
  dup2(errorPipe, STDERR_FILENO);
  execv(words[0], words);
  _exit(kCannotStart);
}

} // namespace

Child::Child(const std::vector<std::string>& commandLine, const std::string& output) : m_start(std::chrono::steady_clock::now()) {
  std::vector<char*> words;
  for (const std::string& word : commandLine) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int file = openOutput(output);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    const int reason = errno;
    if (file >= 0) close(file);
    errno = reason;
    refuse(commandLine.at(0));
  }
  const int parent = getpid();
  m_pid = fork();
  if (m_pid == 0) becomeChild(words.data(), file, ends[1], parent);
  const int reason = errno;
  close(ends[1]);
  if (file >= 0) close(file);
  m_pipe = ends[0];
  if (m_pid < 0) {
    close(m_pipe);
    errno = reason;
    refuse(commandLine.at(0));
  }
  fcntl(m_pipe, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  if (!m_ended) {
    kill();
    waitpid(m_pid, nullptr, 0);
  }
  close(m_pipe);
}

void Child::kill() {
  if (!m_ended) ::kill(m_pid, SIGKILL);
}

double Child::seconds() const {
  return std::chrono::duration<double>((m_ended ? m_end : std::chrono::steady_clock::now()) - m_start).count();
}

void Child::take(const char* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (bytes[i] != '\n') {
      if (m_line.size() < kMostOfLine) m_line += bytes[i];
      continue;
    }
    if (!m_line.empty()) m_lineBeforeLast = std::exchange(m_lastLine, std::move(m_line));
    m_line.clear();
  }
}

void Child::readPipe() {
  if (m_pipe < 0) return;
  std::array<char, 4096> bytes{};
  ssize_t n = 0;
  while ((n = read(m_pipe, bytes.data(), bytes.size())) > 0) take(bytes.data(), static_cast<std::size_t>(n));
  if (n == 0) close(std::exchange(m_pipe, -1));
}

bool Child::check() {
  if (m_ended) return true;
  readPipe();
  int status = 0;
  if (waitpid(m_pid, &status, WNOHANG) != m_pid) return false;
  readPipe();
  take("\n", 1);
  m_ended = true;
  m_end = std::chrono::steady_clock::now();
  if (WIFEXITED(status)) m_exitCode = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) m_signal = WTERMSIG(status);
  return true;
}

} // namespace app::cli
