// The one report that a view shows, or the two that it compares: A is the base, B the other. A view asks each report the same
// question and shows one answer or both, so a comparison needs no second view.
#pragma once

#include "ui/parts/on_worker.h"

#include <optional>
#include <vector>

namespace ui::shell {

// The answers of the reports.
template<class T> struct Both {
  T base;
  std::optional<T> other = {}; // only if there are two reports
};

class ReportsOfView {
public:
  ReportsOfView() = default;
  ReportsOfView(std::shared_ptr<analyser::Session> base, std::shared_ptr<analyser::Session> other)
      : m_base(std::move(base)), m_other(std::move(other)),
        m_baseWorker(m_base ? std::make_shared<WorkerSession>(m_base) : nullptr),
        m_otherWorker(m_other ? std::make_shared<WorkerSession>(m_other) : nullptr) {}

  explicit operator bool() const { return m_base != nullptr; }
  bool areTwo() const { return m_base && m_other; }
  const std::shared_ptr<analyser::Session>& base() const { return m_base; }
  const std::shared_ptr<analyser::Session>& other() const { return m_other; }
  const std::shared_ptr<WorkerSession>& baseWorker() const { return m_baseWorker; }
  const std::shared_ptr<WorkerSession>& otherWorker() const { return m_otherWorker; }
  // The machine with more tiles: its tiles are the axis of both.
  const analyser::Machine& machine() const {
    return m_other && m_other->machine().tiles() > m_base->machine().tiles() ? m_other->machine() : m_base->machine();
  }

  // Calls f(session) for each report. Call on a worker.
  template<class F> auto each(F&& f) const -> Both<decltype(f(std::declval<analyser::Session&>()))> {
    Both<decltype(f(std::declval<analyser::Session&>()))> both{m_baseWorker->use(f)};
    if (m_otherWorker) both.other = m_otherWorker->use(f);
    return both;
  }
  // Calls f(base, other) with both reports. Call on a worker.
  template<class F> auto together(F&& f) const {
    return m_baseWorker->use(
        [&](analyser::Session& base) { return m_otherWorker->use([&](analyser::Session& other) { return f(base, other); }); });
  }

private:
  std::shared_ptr<analyser::Session> m_base, m_other;
  std::shared_ptr<WorkerSession> m_baseWorker, m_otherWorker;
};

} // namespace ui::shell
