// One window per desktop: a second `tilescope FILE` passes its reports to the running window, and ends. They communicate through
// a socket in the user's runtime folder, which no other user can access. A socket without a listener is replaced. If a window
// does not answer, it keeps its socket, and the second start opens a separate window.
#pragma once

#include "app/gui/options.h"

#include <QObject>

class QLocalServer;
class QLocalSocket;

namespace app::gui {

class RunningWindow : public QObject {
  Q_OBJECT

public:
  explicit RunningWindow(const QString& socket); // path of the socket; empty: begin() always returns First
  ~RunningWindow() override;

  // The path of the socket: one per display of the user; empty without a display, or without a runtime folder.
  static QString standardSocket();

  enum class Start { First, HandedOver, NoAnswer };
  // First: this process listens from now on, if possible. HandedOver: another window has taken the destination.
  Start begin(const Destination& destination, int patienceMs = 3000);

  // For a separate window: listens if no other window does; passes nothing on. False if another window listens or hangs.
  bool listenIfFree(int patienceMs = 3000);

signals:
  void requested(const app::gui::Destination& destination);

private:
  Start handOver(const Destination& destination, int patienceMs) const;
  void listen();
  void serve(QLocalSocket& client);

  QString m_socket;
  QLocalServer* m_server = nullptr;
};

} // namespace app::gui
