// The signals that ask a program to end (SIGTERM, SIGINT, SIGHUP) as one signal of Qt: the window saves its state before it closes.
#pragma once

#include <QObject>

#include <memory>

class QSocketNotifier;

namespace app::gui {

// One object at a time. A second signal, of a program that hangs, ends it at once.
class EndSignals : public QObject {
  Q_OBJECT

public:
  EndSignals();
  ~EndSignals() override; // the signals end the program again

signals:
  void asked();

private:
  std::unique_ptr<QSocketNotifier> m_notifier;
};

} // namespace app::gui
