// The signals that ask a program to end (SIGTERM, SIGINT, SIGHUP) as one signal of Qt: the window saves its state before it
// closes.
#pragma once

#include <QObject>

#include <memory>

class QSocketNotifier;

namespace app::gui {

// Only one object may exist at a time. If the program hangs, a second signal ends it immediately.
class EndSignals : public QObject {
  Q_OBJECT

public:
  EndSignals();
  ~EndSignals() override; // restores the signals' default action: they end the program

signals:
  void asked();

private:
  std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace app::gui
