// The steps of the program that refer to compute sets and exchanges, by compute set and by exchange.
#pragma once

#include "analyser/session/session.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <unordered_map>

namespace analyser::memory {

struct UsingStep {
  reports::ProgramStepId step; // the first
  std::optional<int64_t> context;
  int64_t nameId = 0, count = 0; // how many steps
};

struct UsingSteps {
  std::unordered_map<int64_t, UsingStep> ofComputeSet, ofExchange;
};
UsingSteps readUsingSteps(Session& session, const std::stop_token& stop);

} // namespace analyser::memory
