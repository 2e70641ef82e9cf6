// The peaks of a report's machine, as its simulator wrote them.
#pragma once

#include "analyser/session/session.h"

namespace analyser {

// Peak rates of one IPU, per second; 0 if unknown.
struct PeakRates {
  double flops = 0;                                                         // at the report's precision
  double memory = 0, exchange = 0, link = 0, host = 0, streamingMemory = 0; // bytes
};
PeakRates peakRates(const Session& session);

} // namespace analyser
