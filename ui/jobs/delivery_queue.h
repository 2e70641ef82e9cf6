// Hands results to the window, one per iteration of the event loop, so that each is drawn before the next one comes. Otherwise many
// results that are ready at the same time would make one long frame.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <deque>
#include <functional>

namespace ui::jobs {

class DeliveryQueue : public QObject {
public:
  explicit DeliveryQueue(QObject* parent = nullptr);

  // Calls `deliver` now if this turn has delivered nothing yet, and in a later turn otherwise; in the order of the calls, and not at
  // all once `receiver` is gone.
  void add(const QObject& receiver, std::function<void()> deliver);

private:
  struct Waiting {
    QPointer<const QObject> receiver;
    std::function<void()> deliver;
  };
  void next();

  QTimer m_turn; // active from a delivery until the turn after the last one
  std::deque<Waiting> m_waiting;
};

} // namespace ui::jobs
