#include "analyser/session/peak_rates.h"

#include <charconv>

namespace analyser {

namespace {

// A rate that the simulator wrote; 0 if it is missing or invalid.
double rateOf(const Session& session, const std::string& key) {
  constexpr double kHighestRate = 1e18;
  const std::string text = session.metadata("machine." + key);
  double rate = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), rate);
  return read.ec == std::errc() && rate > 0 && rate < kHighestRate ? rate : 0;
}

} // namespace

PeakRates peakRates(const Session& session) {
  const Machine& m = session.machine();
  PeakRates rates;
  rates.flops = m.peakFlopsPerSecond(session.metadata("precision"));
  rates.exchange = double(m.tilesPerIpu) * m.exchangeBytesPerCycle * double(m.clockHz);
  rates.memory = rateOf(session, "memory_bytes_per_second");
  rates.link = rateOf(session, "link_bytes_per_second");
  rates.host = rateOf(session, "host_bytes_per_second");
  rates.streamingMemory = rateOf(session, "streaming_memory_bytes_per_second");
  return rates;
}

} // namespace analyser
