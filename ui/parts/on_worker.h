// The reader of a report for background jobs. A Session and its readers serve one thread at a time, so jobs never use the
// window's session. Instead, each family of jobs owns one OnWorker, which opens the file again at first use and runs one job at a
// time. Long reads have an OnWorker of their own, so that quick answers need not wait for them.
#pragma once

#include "analyser/session/session.h"

#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

namespace ui::shell {

// T is constructed from a Session&, e.g. analyser::trace::ExecutionTrace, or is the Session itself.
template<class T> class OnWorker {
public:
  explicit OnWorker(std::shared_ptr<const analyser::Session> base) : m_base(std::move(base)) {}

  // Runs f(T&) while no other job does; throws what f or opening throws.
  template<class F> auto use(F&& f) {
    const std::scoped_lock lock(m_mutex);
    if (!m_session) m_session = m_base->reopen();
    if constexpr (std::is_same_v<T, analyser::Session>) {
      return std::forward<F>(f)(*m_session);
    } else {
      if (!m_reader) m_reader = std::make_unique<T>(*m_session);
      return std::forward<F>(f)(*m_reader);
    }
  }
  // The machine and the names never change, so any thread may read them from this session.
  const analyser::Session& base() const { return *m_base; }

private:
  std::mutex m_mutex;
  std::shared_ptr<const analyser::Session> m_base;
  std::shared_ptr<analyser::Session> m_session;
  std::unique_ptr<T> m_reader; // declared after the session that it reads, so destroyed first
};

using WorkerSession = OnWorker<analyser::Session>;

} // namespace ui::shell
