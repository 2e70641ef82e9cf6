#include "simcore/compile/exchange_plan.h"

#include "simcore/compile/ladder.h"

#include <algorithm>
#include <cmath>

namespace simcore::compile {

using reports::ceilDiv;

namespace {
// Combines several PerTile columns over the stretches where all are constant.
template<class F> PerTile zip(const std::vector<const PerTile*>& columns, F f) {
  std::vector<int64_t> ends;
  for (const PerTile* c : columns)
    for (const auto& r : c->runs()) {
      ends.push_back(r.tiles.begin);
      ends.push_back(r.tiles.end);
    }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  PerTile out;
  std::vector<int64_t> values(columns.size());
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    for (std::size_t c = 0; c < columns.size(); ++c) values[c] = columns[c]->at(ends[i]);
    out.add({ends[i], ends[i + 1]}, f(values));
  }
  return out;
}
} // namespace

PerTile internalExchangeCycles(const arch::Machine& machine, const Exchange& e) {
  const auto& fabric = machine.exchange;
  // Where senders are not known: half the chip away on average, about half of the 61 cycles the distance can add.
  const int64_t average = fabric.baseLatency.value() + 30;
  const bool known = !e.latencyIn.empty();
  return zip({&e.bytesIn, &e.bytesOut, &e.messagesIn, &e.sharedIn, &e.latencyIn}, [&](const std::vector<int64_t>& v) {
    if (v[0] == 0 && v[1] == 0) return int64_t(0);
    // Words for both tiles of a bus come two at a time, one over each half (ipu-reference 5.3).
    const double in = double(v[0]) - double(std::min(v[3], v[0])) * (1.0 - 1.0 / double(fabric.tilesPerBus));
    const int64_t words = int64_t(std::ceil(std::max(in, double(v[1])) / fabric.bytesPerCycle));
    const int64_t latency = known ? std::max(v[4], fabric.baseLatency.value()) : average;
    return words + std::max<int64_t>(0, v[2] - 1) * fabric.messageOverhead.value() + latency;
  });
}

PerTile exchangeCode(const Exchange& e) {
  return zip({&e.bytesIn, &e.bytesOut, &e.messagesIn, &e.messagesOut}, [](const std::vector<int64_t>& v) {
    if (v[0] == 0 && v[1] == 0) return int64_t(0);
    const int64_t sends = std::max<int64_t>(v[1] > 0, v[3]), receives = std::max<int64_t>(v[0] > 0, v[2]);
    const int64_t wordsPerSend = sends ? ceilDiv(v[1] / 4, sends) : 0;
    return 16 + sends * (4 + 4 * std::max<int64_t>(1, ceilDiv(wordsPerSend, 64))) * (v[1] > 0) + receives * 12 * (v[0] > 0);
  });
}

PerTile hostExchangeCode(const PerTile& bytes, bool toDevice, const PerTile& takesPart) {
  // Every tile goes through the barriers of Begin, Mid and End. A payload takes 18 event cycles on its way to the host
  // (ipu-reference 6) and is scheduled like any exchange, an instruction for each; on the way to a tile it needs as much as a
  // message (set-mux, set-pointer, delay: 5.4).
  constexpr int64_t kBarriers = 3 * 4, kInOut = 48, kUp = 18 * 4, kDown = 12;
  PerTile code;
  for (const auto& r : takesPart.runs()) code.add(r.tiles, kBarriers);
  for (const auto& r : bytes.runs())
    code.add(r.tiles, kInOut + (toDevice ? kDown * ceilDiv(r.value, kHostPayloadDown) : kUp * ceilDiv(r.value, kHostPayloadUp)));
  return code;
}

Cycles globalExchangeCycles(const arch::Machine& machine, const Exchange& exchange) {
  const LadderLoad load = ladderLoad(machine, flowsOf(machine, exchange));
  const double seconds =
      load.seconds + machine.link.setUpSeconds + double(std::max(0, load.hops - 1)) * machine.link.secondsPerHop;
  // A tile feeds the links through its own port.
  const double fromTile = double(std::max(exchange.bytesIn.max(), exchange.bytesOut.max())) / machine.exchange.bytesPerCycle;
  return Cycles(int64_t(std::ceil(std::max(seconds * machine.clockHz, fromTile))));
}

} // namespace simcore::compile
