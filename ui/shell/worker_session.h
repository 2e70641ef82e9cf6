// A report as background jobs see it. A Session serves one thread at a time, so jobs never touch the window's: each family
// of jobs owns one of these, which opens the file again on the worker at first use and lets one job in at a time.
#pragma once

#include "analyser/session/session.h"

#include <memory>
#include <mutex>
#include <utility>

namespace ui::shell {

class WorkerSession {
public:
  explicit WorkerSession(std::shared_ptr<const analyser::Session> base) : m_base(std::move(base)) {}

  // Runs f(Session&) alone; throws what f or opening throws.
  template<class F> auto use(F&& f) {
    const std::scoped_lock lock(m_mutex);
    if (!m_own) m_own = m_base->reopen();
    return std::forward<F>(f)(*m_own);
  }

private:
  std::mutex m_mutex;
  std::shared_ptr<const analyser::Session> m_base;
  std::shared_ptr<analyser::Session> m_own;
};

} // namespace ui::shell
