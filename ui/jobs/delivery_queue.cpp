#include "ui/jobs/delivery_queue.h"

namespace ui::jobs {

DeliveryQueue::DeliveryQueue(QObject* parent) : QObject(parent) {
  // The interval is not 0: a timer of 0 ms fires only when no event is pending, and a moving mouse always has some pending.
  m_turn.setInterval(1);
  connect(&m_turn, &QTimer::timeout, this, &DeliveryQueue::next);
}

void DeliveryQueue::add(const QObject& receiver, std::function<void()> deliver) {
  if (m_turn.isActive()) return m_waiting.push_back({&receiver, std::move(deliver)});
  m_turn.start();
  deliver();
}

void DeliveryQueue::next() {
  while (!m_waiting.empty() && !m_waiting.front().receiver) m_waiting.pop_front();
  if (m_waiting.empty()) return m_turn.stop();
  // The timer is not started here: it does not fire again inside its own call, and a delivery may open a dialog.
  QMetaObject::invokeMethod(
      this,
      [waiting = std::move(m_waiting.front())] {
        if (waiting.receiver) waiting.deliver();
      },
      Qt::QueuedConnection);
  m_waiting.pop_front();
}

} // namespace ui::jobs
