#include "analyser/host/device_runs.h"

#include "reports/sqlite/reader.h"

#include <algorithm>
#include <cmath>

namespace analyser::host {

namespace {

constexpr double kFewPixels = 3; // pixels: a shorter run is merged with its neighbours into one cell

// Maps `value` from [from.begin, from.end] to `to` linearly.
int64_t scaled(int64_t value, trace::TickRange from, trace::TickRange to) {
  if (from.empty()) return to.begin;
  const long double part =
      (static_cast<long double>(value) - static_cast<long double>(from.begin)) / static_cast<long double>(from.size());
  return to.begin + static_cast<int64_t>(std::llround(part * static_cast<long double>(to.size())));
}

// One cell for the whole range; none if the range has no slices.
void summarise(trace::Cells& out, const trace::Cells& device, trace::TickRange host, trace::TickRange cycles) {
  trace::Cell sum;
  int64_t busiest = 0, busy = 0;
  for (const trace::Cell& cell : device.cells) {
    const int64_t inside = std::min(cell.busy, cell.ticks.clippedTo(cycles).size());
    busy += inside;
    sum.slices += std::max<int64_t>(cell.slices, 1);
    if (cell.widest > sum.widest) sum.widest = cell.widest, sum.name = cell.name;
    if (inside >= busiest) busiest = inside, sum.category = cell.category;
  }
  if (sum.slices == 0) return;
  sum.ticks = host;
  sum.slices = std::max<int64_t>(sum.slices, 2);
  sum.busy = cycles.empty() ? 0 : static_cast<int64_t>(double(host.size()) * std::min(1.0, double(busy) / double(cycles.size())));
  out.cells.push_back(sum);
}

} // namespace

int64_t LinkedRun::hostTick(int64_t cycle) const { return scaled(cycle, cycles, host); }
int64_t LinkedRun::cycle(int64_t hostTick) const { return scaled(hostTick, host, cycles); }

DeviceRuns::DeviceRuns(Session& session) : m_slices(session, "ipu") {
  session.reader().forEach<reports::RunLinkRow>({}, {}, [&](const reports::RunLinkRow& link) {
    const auto run = session.reader().first<reports::RunRow>("id = ?", {link.runId});
    if (!run || run->cycles <= 0 || link.endTick <= link.startTick) return; // nothing to relate
    m_runs.push_back({run->id,
                      run->name,
                      {run->startCycle, run->startCycle + run->cycles},
                      {link.startTick, link.endTick},
                      trace::TrackId(static_cast<std::size_t>(link.trackId)),
                      static_cast<int>(link.depth),
                      link.slice});
  });
  sort();
}

void DeviceRuns::sort() {
  std::sort(m_runs.begin(), m_runs.end(), [](const LinkedRun& a, const LinkedRun& b) { return a.host.begin < b.host.begin; });
}

void DeviceRuns::shift(trace::TrackId track, int64_t nanoseconds) {
  for (LinkedRun& run : m_runs)
    if (run.track == track) run.host = {run.host.begin + nanoseconds, run.host.end + nanoseconds};
  sort();
}

const LinkedRun* DeviceRuns::startedBy(trace::TrackId track, int depth, int64_t number) const {
  const auto found = std::find_if(m_runs.begin(), m_runs.end(), [&](const LinkedRun& run) {
    return run.track == track && run.depth == depth && run.slice == number;
  });
  return found == m_runs.end() ? nullptr : &*found;
}

const LinkedRun* DeviceRuns::at(int64_t hostTick) const {
  const auto after =
      std::partition_point(m_runs.begin(), m_runs.end(), [&](const LinkedRun& run) { return run.host.begin <= hostTick; });
  if (after == m_runs.begin()) return nullptr;
  const LinkedRun& run = *(after - 1);
  return run.host.contains(hostTick) ? &run : nullptr;
}

trace::Cells DeviceRuns::cells(trace::TrackId track, int depth, trace::TickRange host, int pixels, std::stop_token stop) {
  trace::Cells out;
  out.track = track, out.depth = depth, out.range = host;
  if (host.empty() || pixels <= 0) return out;
  const double pixel = double(host.size()) / pixels;
  for (std::size_t i = 0; i < m_runs.size();) {
    const LinkedRun& run = m_runs[i];
    if (run.host.begin >= host.end) break;
    if (run.host.end <= host.begin) {
      ++i;
      continue;
    }
    if (double(run.host.size()) < kFewPixels * pixel) {
      trace::TickRange drawn = run.host, cycles = run.cycles;
      for (++i; i < m_runs.size() && double(m_runs[i].host.end - drawn.begin) < kFewPixels * pixel; ++i) {
        drawn.end = std::max(drawn.end, m_runs[i].host.end);
        cycles = {std::min(cycles.begin, m_runs[i].cycles.begin), std::max(cycles.end, m_runs[i].cycles.end)};
      }
      summarise(out, m_slices.cells(track, depth, cycles, 1, stop), drawn, cycles);
      continue;
    }
    ++i;
    const trace::TickRange seen = run.host.clippedTo(host);
    const trace::TickRange cycles = trace::TickRange{run.cycle(seen.begin), run.cycle(seen.end) + 1}.clippedTo(run.cycles);
    const int width = std::max(1, static_cast<int>(double(seen.size()) / pixel));
    for (trace::Cell cell : m_slices.cells(track, depth, cycles, width, stop).cells) {
      // Steps before and after the run are not on the time axis of the run.
      const trace::TickRange own = cell.ticks.clippedTo(run.cycles);
      if (own.empty() && !(cell.ticks.empty() && run.cycles.contains(cell.ticks.begin))) continue;
      const trace::TickRange placed{run.hostTick(own.begin), run.hostTick(own.end)};
      cell.busy = cell.ticks.empty() ? 0 : static_cast<int64_t>(double(placed.size()) * cell.density());
      cell.ticks = placed;
      out.cells.push_back(cell);
    }
  }
  return out;
}

std::optional<trace::Slice> DeviceRuns::sliceAt(trace::TrackId track, int depth, int64_t hostTick) {
  const LinkedRun* run = at(hostTick);
  if (!run) return std::nullopt;
  const int64_t cycle = std::min(run->cycle(hostTick), run->cycles.end - 1);
  // A short step may begin and end between two nanoseconds, so the search includes its neighbours.
  if (auto found = m_slices.sliceAt(track, depth, cycle)) return found;
  const auto reach = static_cast<int64_t>(std::ceil(1 / std::max(run->nanosecondsPerCycle(), 1e-9)));
  const auto near = m_slices.slices(track, depth, {cycle - reach, cycle + reach + 1}, 1);
  return near.empty() ? std::nullopt : std::optional(near.front());
}

} // namespace analyser::host
