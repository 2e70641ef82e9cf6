#include "simcore/compile/ipu_links.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace simcore::compile {

using graph::LinkFlow;

LinkLoad linkLoad(const arch::Machine& machine, const std::vector<LinkFlow>& flows) {
  std::map<std::pair<int, int>, int64_t> bytes; // by directed link
  LinkLoad load;
  const int ipus = machine.ipus * machine.replicas, rungs = (ipus + 1) / 2;
  const bool closed = machine.isTorus();
  // The next rung on the way to another rung; the shorter way round if the rails are rings.
  const auto towards = [&](int from, int to) {
    if (!closed) return to > from ? from + 1 : from - 1;
    const int forward = (to - from + rungs) % rungs;
    return (from + (2 * forward <= rungs ? 1 : rungs - 1)) % rungs;
  };
  for (const LinkFlow& f : flows) {
    if (f.from == f.to || f.bytes == 0) continue;
    int at = f.from, hops = 0;
    while (at / 2 != f.to / 2) {
      const int next = 2 * towards(at / 2, f.to / 2) + at % 2;
      bytes[{at, next}] += f.bytes;
      at = next;
      ++hops;
    }
    if (at != f.to) {
      bytes[{at, f.to}] += f.bytes;
      ++hops;
    }
    load.hops = std::max(load.hops, hops);
  }
  for (const auto& [link, carried] : bytes) {
    const bool rung = link.first / 2 == link.second / 2;
    const double links = rung ? double(machine.link.linksPerPair) : double(machine.link.linksPerPair) / 2;
    load.seconds = std::max(load.seconds, double(carried) / (machine.link.bytesPerSecond * links));
  }
  return load;
}

std::vector<LinkFlow> flowsOf(const arch::Machine& machine, const Exchange& exchange) {
  if (!exchange.linkFlows.empty()) return exchange.linkFlows;
  const auto byIpu = [&](const PerTile& bytes) {
    std::vector<int64_t> sums(std::size_t(machine.ipus), 0);
    for (const auto& r : bytes.runs())
      for (int64_t ipu = r.tiles.begin / machine.tilesPerIpu; ipu * machine.tilesPerIpu < r.tiles.end; ++ipu)
        sums[std::size_t(ipu)] +=
            r.value * r.tiles.clippedTo({ipu * machine.tilesPerIpu, (ipu + 1) * machine.tilesPerIpu}).size();
    return sums;
  };
  const std::vector<int64_t> in = byIpu(exchange.bytesIn), out = byIpu(exchange.bytesOut);
  std::vector<LinkFlow> flows;
  for (std::size_t to = 0; to < in.size(); ++to) {
    int64_t others = 0;
    for (std::size_t from = 0; from < out.size(); ++from) others += from == to ? 0 : out[from];
    for (std::size_t from = 0; from < out.size() && others > 0; ++from)
      if (from != to && in[to] > 0 && out[from] > 0)
        flows.push_back({int(from), int(to), int64_t(double(in[to]) * double(out[from]) / double(others))});
  }
  return flows;
}

} // namespace simcore::compile
