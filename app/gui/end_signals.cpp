#include "app/gui/end_signals.h"

#include <QSocketNotifier>

#include <csignal>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace app::gui {

namespace {

constexpr int kEndSignals[] = {SIGTERM, SIGINT, SIGHUP};
int g_pipe[2] = {-1, -1};

// A signal handler may only write to the pipe; the event loop reads it.
void tell(int) {
  const char one = 1;
  [[maybe_unused]] const auto written = ::write(g_pipe[1], &one, 1);
}

} // namespace

EndSignals::EndSignals() {
  if (::pipe2(g_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return; // without the pipe, the signals end the program as before
  m_notifier = std::make_unique<QSocketNotifier>(g_pipe[0], QSocketNotifier::Read);
  connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] {
    m_notifier->setEnabled(false);
    emit asked();
  });
  struct sigaction action {};
  action.sa_handler = tell;
  action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND); // the next signal has the default action: it ends the program
  for (const int number : kEndSignals) ::sigaction(number, &action, nullptr);
}

EndSignals::~EndSignals() {
  if (!m_notifier) return;
  for (const int number : kEndSignals) std::signal(number, SIG_DFL);
  m_notifier.reset();
  for (int& end : g_pipe) ::close(std::exchange(end, -1));
}

} // namespace app::gui
