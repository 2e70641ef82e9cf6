#include "simcore/compile/exchange_plan.h"

#include "simcore/compile/ipu_links.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace simcore::compile {

using reports::ceilDiv;

namespace {
// Combines several PerTile columns: calls f once for each range of tiles in which all columns are constant.
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
  // Unknown senders are half the chip away on average, which adds about half of the 61 cycles that distance can add.
  const int64_t average = fabric.baseLatency.value() + 30;
  const bool known = !e.latencyIn.empty();
  return zip({&e.bytesIn, &e.bytesOut, &e.messagesIn, &e.sharedIn, &e.latencyIn}, [&](const std::vector<int64_t>& v) {
    if (v[0] == 0 && v[1] == 0) return int64_t(0);
    // Words for both tiles of a bus arrive two at a time, one over each half (ipu-reference 5.3).
    const double in = double(v[0]) - double(std::min(v[3], v[0])) * (1.0 - 1.0 / double(fabric.tilesPerBus));
    const int64_t latency = known ? std::max(v[4], fabric.baseLatency.value()) : average;
    return fabric.exchangeCycles(std::max(in, double(v[1])), v[2], latency, arch::ExchangeFabric::LastWord::Counted);
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

HostTransferCost hostTransferCost(const arch::Machine& machine, const PerTile& bytes, bool toDevice) {
  constexpr int64_t kBlock = 64, kPage = 4096, kInOut = 48, kSend = 4;
  const int64_t longest = toDevice ? 1024 : 256;
  HostTransferCost cost;
  std::set<std::pair<int64_t, int>> asked; // pairs of IPU and column that already have a request
  int64_t at = 0;                          // offset in the host's buffer
  for (const auto& r : bytes.runs())
    for (int64_t tile = r.tiles.begin; r.value > 0 && tile < r.tiles.end; ++tile) {
      int64_t packets = 0;
      for (int64_t left = r.value; left > 0;) {
        if (const int64_t pages = at % kPage ? 0 : left / kPage; pages > 0) { // adds all whole pages at once: there may be 10^12
          packets += pages * ceilDiv(kPage, longest);
          left -= pages * kPage;
          at += pages * kPage;
          continue;
        }
        const int64_t part = std::min(left, kPage - at % kPage), blocks = part / kBlock * kBlock;
        packets += ceilDiv(blocks, longest) + (part > blocks);
        left -= part;
        at += part;
      }
      at = reports::roundUp(at, kBlock);
      cost.codeBytes.add({tile, tile + 1}, kInOut + packets * (toDevice ? kSend : 3 * kSend));
      const auto pair = std::size_t(tile % machine.tilesPerIpu / 2 * 2);
      const int column = pair < machine.tileColumns.size() ? machine.tileColumns[pair] : 0;
      const bool asks = asked.insert({tile / machine.tilesPerIpu, column}).second;
      cost.packets.add({tile, tile + 1}, packets + !toDevice + asks); // plus the empty read that ends a transfer to the host
    }
  return cost;
}

Cycles globalExchangeCycles(const arch::Machine& machine, const Exchange& exchange) {
  const std::vector<graph::LinkFlow> flows = flowsOf(machine, exchange);
  const LinkLoad load = linkLoad(machine, flows);
  int64_t pieces = 0;
  for (const graph::LinkFlow& f : flows) pieces = std::max(pieces, f.pieces);
  const double seconds = load.seconds + machine.link.setUpSeconds + double(pieces) * machine.link.secondsPerPiece +
                         double(std::max(0, load.hops - 1)) * machine.link.secondsPerHop;
  // A tile sends to links through its own port.
  const double fromTile = machine.exchange.transferCycles(double(std::max(exchange.bytesIn.max(), exchange.bytesOut.max())));
  return Cycles(int64_t(std::ceil(std::max(seconds * machine.clockHz, fromTile))));
}

} // namespace simcore::compile
