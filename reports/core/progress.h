// Progress of long work, for its caller. Long functions take a std::stop_token and a Progress& and are otherwise plain code.
#pragma once

#include "reports/core/error.h"

#include <stop_token>
#include <string_view>

namespace reports {

class Progress {
public:
  virtual ~Progress() = default;
  // A new phase begins, e.g. "planning"; fraction restarts at 0.
  virtual void phase(std::string_view name) = 0;
  // Fraction of the current phase, 0 to 1. Only one thread at a time may call it.
  virtual void update(double fraction) = 0;
};

class NoProgress final : public Progress {
public:
  void phase(std::string_view) override {}
  void update(double) override {}
};

inline void throwIfStopped(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled();
}

} // namespace reports
