#include "analyser/operations/tile_profile.h"

#include "reports/core/packed.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>

namespace analyser::operations {

namespace {

using Sums = std::vector<double>; // cycles by tile

void addStep(Session& session, const OperationStep& step, Sums& sums, const std::stop_token& stop) {
  session.reader().forEach<reports::StepProfileRow>(
      "program_step_id = ? AND executions > 0", {int64_t(step.node.id.value())},
      [&](const reports::StepProfileRow& row) {
        const double executions = double(row.executions) * step.share;
        const auto cycles =
            reports::unpackRuns(row.cyclesByTile, static_cast<std::size_t>(row.tiles), "step_profile.cycles_by_tile");
        for (std::size_t t = 0; t < cycles.size(); ++t)
          if (const std::size_t tile = static_cast<std::size_t>(row.firstTile) + t; tile < sums.size())
            sums[tile] += double(cycles[t]) * executions;
      },
      stop);
}

Cycles rounded(double cycles) {
  constexpr double kMost = 9e18; // a damaged report may count beyond all integers
  return Cycles(std::llround(std::min(cycles, kMost)));
}

std::vector<Cycles> rounded(const Sums& sums) {
  std::vector<Cycles> cycles;
  for (const double sum : sums) cycles.push_back(rounded(sum));
  return cycles;
}

Sentence verdictOf(const TileProfile& p) {
  Sentence words;
  const auto mostExchanged = std::max_element(p.exchange.begin(), p.exchange.end());
  const bool exchanges = mostExchanged != p.exchange.end() && *mostExchanged > Cycles();
  if (p.slowest.valid()) {
    words << p.active << (p.active == 1 ? " tile computes" : " tiles compute") << "; the slowest, tile "
          << std::to_string(p.slowest.value()) << ", takes " << p.compute[p.slowest.value()] << " where the mean is " << p.mean;
    if (exchanges) words << "; ";
  }
  if (exchanges)
    words << "tile " << std::to_string(mostExchanged - p.exchange.begin()) << " sends and receives longest, " << *mostExchanged;
  return words;
}

} // namespace

TileProfile tileProfile(Session& session, std::span<const OperationStep> steps, int operation, std::stop_token stop) {
  const auto tiles = static_cast<std::size_t>(session.machine().tiles());
  Sums compute(tiles), exchange(tiles);
  for (const OperationStep& step : steps) {
    if (step.operation != operation) continue;
    switch (step.node.activity) {
    case reports::Activity::Compute:
    case reports::Activity::OnTileCopy: addStep(session, step, compute, stop); break;
    case reports::Activity::InternalExchange:
    case reports::Activity::GlobalExchange: addStep(session, step, exchange, stop); break;
    default: break;
    }
  }
  TileProfile p;
  p.compute = rounded(compute), p.exchange = rounded(exchange);
  double sum = 0;
  for (std::size_t t = 0; t < tiles; ++t) {
    if (p.compute[t] <= Cycles()) continue;
    ++p.active, sum += compute[t];
    if (!p.slowest.valid() || p.compute[t] > p.compute[p.slowest.value()]) p.slowest = TileId(t);
  }
  if (p.active > 0) p.mean = rounded(sum / double(p.active));
  p.verdict = verdictOf(p);
  return p;
}

} // namespace analyser::operations
