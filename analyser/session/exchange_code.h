// Exchange code over all tiles, by exchange.id; without entries of 0.
#pragma once

#include "analyser/session/session.h"

#include <stop_token>
#include <unordered_map>

namespace analyser {

std::unordered_map<int64_t, int64_t> exchangeCode(Session& session, const std::stop_token& stop);

} // namespace analyser
