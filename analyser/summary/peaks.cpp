#include "analyser/summary/peaks.h"

#include "reports/sqlite/reader.h"

#include <charconv>

namespace analyser::summary {

namespace {

// A rate that the simulator wrote; 0 if the report has none that makes sense.
double rateOf(const Session& session, const std::string& key) {
  constexpr double kHighestRate = 1e18;
  const std::string text = session.metadata("machine." + key);
  double rate = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), rate);
  return read.ec == std::errc() && rate > 0 && rate < kHighestRate ? rate : 0;
}

} // namespace

std::vector<PeakUse> peakUses(Session& session, const Summary& s, const std::stop_token& stop) {
  std::vector<PeakUse> list;
  const Machine& m = s.machine;
  if (m.tiles() == 0) return list;
  const double ipus = m.ipus;
  const auto add = [&](const char* name, const char* title, const char* unit, double peak, std::optional<double> amount) {
    if (peak <= 0) return;
    std::optional<double> share;
    if (amount && s.seconds > 0) share = *amount / (s.seconds * peak);
    list.push_back({name, title, unit, peak, share});
  };
  add("flops", "Floating point", "FLOP/s", m.peakFlopsPerSecond(s.precision) * ipus, double(s.flops.value()));
  double exchanged = 0, host = 0, streamed = 0;
  session.reader().forEach<reports::OperationRow>(
      {}, {}, [&](const reports::OperationRow& row) { exchanged += double(row.exchangeBytes); }, stop);
  std::map<int64_t, bool> isRemote; // by stream
  session.reader().forEach<reports::StreamRow>(
      {}, {}, [&](const reports::StreamRow& row) { isRemote[row.id] = row.direction == "remote_buffer"; }, stop);
  session.reader().forEach<reports::StreamCopyRow>(
      {}, {},
      [&](const reports::StreamCopyRow& row) {
        const auto found = isRemote.find(row.streamId);
        (found != isRemote.end() && found->second ? streamed : host) += double(row.bytes) * double(row.executions);
      },
      stop);
  add("memory", "Tile memory", "B/s", rateOf(session, "memory_bytes_per_second") * ipus, {});
  const double exchange = double(m.tilesPerIpu) * m.exchangeBytesPerCycle * double(m.clockHz) * ipus;
  add("exchange", "Exchange", "B/s", exchange, exchanged);
  if (m.ipus > 1) add("link", "Links to a neighbour", "B/s", rateOf(session, "link_bytes_per_second"), {});
  add("host", "Host", "B/s", rateOf(session, "host_bytes_per_second") * ipus, host);
  add("streaming_memory", "Streaming memory", "B/s", rateOf(session, "streaming_memory_bytes_per_second") * ipus, streamed);
  return list;
}

} // namespace analyser::summary
