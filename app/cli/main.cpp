// `tilescope-cli`. One thread waits for Ctrl+C and asks the work to stop. If the work does not stop within a second (e.g. during
// one large product), the process ends, as after a second Ctrl+C; unfinished files are removed.
#include "app/cli/cli.h"
#include "app/cli/command.h"
#include "app/cli/out_of_memory.h"
#include "app/cli/sleeping_threads.h"
#include "app/cli/terminal_line.h"
#include "reports/sqlite/part_file.h"

#include <csignal>
#include <iostream>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {
// A run allocates and frees thousands of tensors of megabytes. Blocks up to 64 MiB stay in the process until it ends. With
// glibc's defaults, each block would be returned to the system and mapped again, page by page.
void keepFreedBlocks() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}
} // namespace

int main(int argc, char** argv) {
  app::cli::restartWithSleepingThreads(argv);
  app::cli::endOnUncaught();
  keepFreedBlocks(); // before the first thread
  std::ios::sync_with_stdio(false);
  std::signal(SIGPIPE, SIG_IGN); // a closed pipe becomes a failed write
  std::signal(SIGXFSZ, SIG_IGN); // a write beyond the file size limit fails, too
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  struct sigaction onHangup {};
  // SIGHUP: if the terminal is closed, the work stops as after Ctrl+C and leaves no partial file. If SIGHUP is ignored (nohup),
  // it stays ignored.
  if (sigaction(SIGHUP, nullptr, &onHangup) == 0 && onHangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr); // before any thread, so that all inherit it
  std::stop_source stop;
  std::thread([signals, stop]() mutable {
    int which = 0;
    sigwait(&signals, &which);
    stop.request_stop();
    constexpr timespec kGrace{0, 900'000'000};
    const bool isAskedAgain = sigtimedwait(&signals, nullptr, &kGrace) > 0;
    reports::PartFile::removeAll();
    if (isAskedAgain) _exit(130);
    // On a terminal, the message replaces the progress line.
    const std::string message = std::string(isatty(STDERR_FILENO) ? app::cli::kClearLine : "") + "tilescope-cli: cancelled\n";
    if (write(STDERR_FILENO, message.data(), message.size()) < 0) _exit(130);
    _exit(app::cli::kFailed);
  }).detach();

  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const int code = app::cli::runCommandLine(arguments, std::cout, std::cerr, isatty(STDERR_FILENO) != 0, stop.get_token(),
                                            argc > 0 ? argv[0] : "tilescope-cli");
  std::cout.flush();
  std::cerr.flush();
  return code;
}
