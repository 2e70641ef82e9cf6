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
#include <thread>
#include <utility>

extern char** environ; // NOLINT: the name is POSIX's

namespace app::cli {

namespace {

constexpr std::size_t kMostOfLine = 4096;
constexpr std::chrono::milliseconds kBetweenLooks{5}; // polling: waiting on a pidfd is not allowed everywhere

[[noreturn]] void refuse(const std::string& program, int reason) {
  throw reports::Error(reports::ErrorCode::Io, std::string("cannot be started: ") + std::strerror(reason), program);
}

// -1 if `output` is empty.
int openOutput(const std::string& output) {
  if (output.empty()) return -1;
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0)
    throw reports::Error(reports::ErrorCode::Io, std::string("cannot be written: ") + std::strerror(errno), output,
                         "look at the folder's permissions and free space");
  return file;
}

std::vector<char*> pointersTo(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Runs between fork and exec, so it calls only functions that are safe there.
[[noreturn]] void becomeChild(const ChildStart& start, char* const* words, char* const* environment, int output, int errorPipe,
                              int parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(Child::kNoProgram); // the parent ended before it could be watched
  if (start.hasGroup) {
    setpgid(0, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr); // a mask and ignored signals are inherited
    for (const int handled : {SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) signal(handled, SIG_DFL);
  }
  const int nothing = open("/dev/null", O_RDWR);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (nothing >= 0 && start.streams == ChildStart::Streams::Read) dup2(nothing, STDOUT_FILENO);
  if (start.streams == ChildStart::Streams::Error) dup2(STDERR_FILENO, STDOUT_FILENO);
  if (output >= 0) dup2(output, STDOUT_FILENO);
  if (errorPipe >= 0) dup2(errorPipe, STDERR_FILENO);
  if (!start.folder.empty() && chdir(start.folder.c_str()) != 0) _exit(Child::kNoFolder);
  execve(words[0], words, environment);
  _exit(Child::kNoProgram);
}

} // namespace

Child::Child(const ChildStart& start) : m_hasGroup(start.hasGroup), m_start(std::chrono::steady_clock::now()) {
  const auto words = pointersTo(start.words), variables = pointersTo(start.environment ? *start.environment : start.words);
  char* const* environment = start.environment ? variables.data() : environ;
  const int file = openOutput(start.output);
  std::array<int, 2> ends{-1, -1};
  int reason = start.streams == ChildStart::Streams::Read && pipe2(ends.data(), O_CLOEXEC) != 0 ? errno : 0;
  if (reason == 0) {
    const int parent = getpid();
    m_pid = fork();
    if (m_pid == 0) becomeChild(start, words.data(), environment, file, ends[1], parent);
    if (m_pid < 0) reason = errno;
  }
  for (const int used : {file, ends[1]})
    if (used >= 0) close(used);
  m_pipe = ends[0];
  if (reason != 0) {
    if (m_pipe >= 0) close(m_pipe);
    refuse(start.words.at(0), reason);
  }
  if (m_hasGroup) setpgid(m_pid, m_pid); // parent and child both call this, because either may be first
  if (m_pipe >= 0) fcntl(m_pipe, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  if (!m_ended) kill();
  waitpid(m_pid, nullptr, 0); // check() did not reap the child, so that its number stays in use
  if (m_pipe >= 0) close(m_pipe);
}

void Child::send(int signal) { ::kill(m_hasGroup ? -m_pid : m_pid, signal); }
void Child::askToEnd() { send(SIGTERM); }
void Child::kill() { send(SIGKILL); }

bool Child::endsWithin(std::chrono::milliseconds most) {
  for (const auto end = std::chrono::steady_clock::now() + most;;) {
    if (check()) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(kBetweenLooks);
  }
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
  siginfo_t ended{};
  if (waitid(P_PID, id_t(m_pid), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) return false;
  readPipe();
  take("\n", 1);
  m_ended = true;
  m_end = std::chrono::steady_clock::now();
  (ended.si_code == CLD_EXITED ? m_exitCode : m_signal) = ended.si_status;
  return true;
}

} // namespace app::cli
