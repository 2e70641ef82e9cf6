// Makes loops over millions of vertices stoppable: call it in each iteration; it checks the token at intervals.
#pragma once

#include "reports/core/progress.h"

namespace simcore::compile {

class StopCheck {
public:
  explicit StopCheck(const std::stop_token& stop) : m_stop(stop) {}
  void operator()() {
    if (++m_calls % 4096 == 0) reports::throwIfStopped(m_stop);
  }

private:
  const std::stop_token& m_stop;
  unsigned m_calls = 0;
};

} // namespace simcore::compile
