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

  // Calls `deliver` now if nothing was delivered in this iteration of the event loop yet, otherwise in a later one. Keeps the
  // order of the calls, and drops the call if `receiver` is destroyed.
  void add(const QObject& receiver, std::function<void()> deliver);

private:
  struct Waiting {
    QPointer<const QObject> receiver;
    std::function<void()> deliver;
  };
  void next();

  QTimer m_turn; // active from a delivery until the iteration after the last one
  std::deque<Waiting> m_waiting;
};

} // namespace ui::jobs
