#include "analyser/trace/blocks.h"

#include "reports/rows/block_records.h"
#include "reports/sqlite/reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace analyser::trace {

using reports::BlockRecord;
using reports::BlockRecordKind;

namespace {

constexpr int kMostBars = 24;

// A duration and its number of executions, in order of execution.
struct Executions {
  int64_t cycles = 0, count = 0;
};

int64_t countOf(const std::vector<Executions>& list) {
  int64_t count = 0;
  for (const auto& e : list) count += e.count;
  return count;
}

// The smallest duration that at least this share of the executions does not exceed; `sorted` by cycles.
Cycles percentile(const std::vector<Executions>& sorted, int64_t count, double share) {
  const int64_t rank = std::max<int64_t>(1, int64_t(std::ceil(share * double(count))));
  int64_t seen = 0;
  for (const auto& e : sorted)
    if ((seen += e.count) >= rank) return Cycles(e.cycles);
  return Cycles(sorted.back().cycles);
}

// Mean of the first `count` executions from `begin` on.
template<class Iterator> double meanOfFirst(Iterator begin, Iterator end, int64_t count) {
  double sum = 0;
  int64_t left = count;
  for (; begin != end && left > 0; ++begin) {
    const int64_t taken = std::min(left, begin->count);
    sum += double(begin->cycles) * double(taken);
    left -= taken;
  }
  return sum / double(count);
}

std::vector<DurationBar> histogramOf(const std::vector<Executions>& sorted) {
  const int64_t least = sorted.front().cycles, most = sorted.back().cycles;
  int64_t width = 1; // 1, 2 or 5 times a power of ten
  for (int64_t power = 1; most / width - least / width >= kMostBars; power *= 10)
    for (const int64_t times : {1, 2, 5})
      if (most / width - least / width >= kMostBars) width = power * times;
  std::vector<DurationBar> bars(std::size_t(most / width - least / width) + 1);
  const int64_t begin = least / width * width;
  for (std::size_t i = 0; i < bars.size(); ++i)
    bars[i] = {Cycles(begin + int64_t(i) * width), Cycles(begin + int64_t(i + 1) * width), 0};
  for (const auto& e : sorted) bars[std::size_t((e.cycles - begin) / width)].executions += e.count;
  return bars;
}

void measure(BlockTimes& block, const std::vector<Executions>& list, double cyclesOfRuns) {
  block.recorded = countOf(list);
  if (block.recorded == 0) return;
  double sum = 0, squares = 0;
  for (const auto& e : list) sum += double(e.cycles) * double(e.count), block.durations.push_back(e.cycles);
  block.mean = sum / double(block.recorded);
  for (const auto& e : list) squares += std::pow(double(e.cycles) - block.mean, 2) * double(e.count);
  block.deviation = std::sqrt(squares / double(block.recorded));
  block.shareOfRuns = cyclesOfRuns > 0 ? double(block.total.value()) / cyclesOfRuns : 0;
  if (const int64_t tenth = block.recorded / 10; tenth > 0) {
    const double first = meanOfFirst(list.begin(), list.end(), tenth), last = meanOfFirst(list.rbegin(), list.rend(), tenth);
    if (first > 0) block.drift = last / first - 1;
  }
  std::vector<Executions> sorted = list;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.cycles < b.cycles; });
  block.min = Cycles(sorted.front().cycles), block.max = Cycles(sorted.back().cycles);
  block.median = percentile(sorted, block.recorded, 0.5), block.p95 = percentile(sorted, block.recorded, 0.95);
  block.histogram = histogramOf(sorted);
}

int64_t bufferBytesOf(Session& session) {
  int64_t bytes = 0;
  if (const auto row = session.reader().first<reports::EngineOptionRow>("key = ?", {std::string("profiler.blocks.bufferSize")}))
    std::from_chars(row->value.data(), row->value.data() + row->value.size(), bytes);
  return std::max<int64_t>(0, bytes);
}

Sentence verdictOf(const BlockProfile& p, int64_t ipus, double cyclesOfRuns) {
  Sentence words;
  if (p.lost > 0) {
    words << p.lost << " of " << p.recorded + p.lost << " executions were lost: the buffer ";
    if (p.bufferBytes > 0) words << "of " << p.bufferBytes << " bytes ";
    words << "was full; --engine-option profiler.blocks.bufferSize=… or profiler.blocks.implicitFlush=true keeps them";
    return words;
  }
  words << p.recorded << (p.recorded == 1 ? " execution was timed, none was lost" : " executions were timed, none was lost");
  if (p.flushes == 0) return words;
  words << "; " << p.flushes << (p.flushes == 1 ? " copy" : " copies") << " of the full buffer to the host took "
        << p.flushCycles;
  if (ipus > 1) words << " on " << ipus << " IPUs";
  if (cyclesOfRuns > 0)
    words << ", " << Sentence::Percent{double(p.flushCycles.value()) / (cyclesOfRuns * double(ipus))}
          << (ipus > 1 ? " of their time" : " of the run");
  return words;
}

} // namespace

bool hasBlockRecords(Session& session) { return session.reader().first<reports::BlockChunkRow>().has_value(); }

BlockProfile blockProfile(Session& session, std::stop_token stop) {
  BlockProfile profile;
  struct Found {
    BlockTimes times;
    std::vector<Executions> list;
  };
  std::map<std::pair<int64_t, int64_t>, Found> found; // by IPU and name
  std::set<int64_t> flushed;                          // IPUs
  const auto read = [&](const reports::BlockChunkRow& row) {
    for (const BlockRecord& r : reports::decodeBlocks(row)) {
      if (r.kind == BlockRecordKind::Flush) {
        profile.flushes += r.executions, profile.flushCycles += Cycles(r.cycles);
        flushed.insert(row.ipu);
        continue;
      }
      const auto [at, isNew] = found.try_emplace({row.ipu, r.nameId});
      BlockTimes& times = at->second.times;
      if (isNew) {
        times.name = session.text(r.nameId);
        times.ipu = IpuId(std::size_t(row.ipu)), times.tile = TileId(std::size_t(row.tile));
        if (r.step >= 0) times.step = reports::ProgramStepId(std::size_t(r.step));
        times.first = {r.startCycle, r.endCycle()};
      }
      if (r.kind == BlockRecordKind::Overflow) {
        times.lost += r.executions, profile.lost += r.executions;
        continue;
      }
      times.isBlock = r.kind == BlockRecordKind::Block;
      times.total += Cycles(r.cycles);
      profile.recorded += r.executions;
      at->second.list.push_back({(r.cycles + r.executions / 2) / r.executions, r.executions});
    }
  };
  session.reader().forEach<reports::BlockChunkRow>("1 ORDER BY chunk", {}, read, stop);
  if (found.empty()) { // a filter without a match is an issue of the report
    const auto issue = session.reader().first<reports::ReportIssueRow>("place LIKE 'profiler.%'");
    if (issue) profile.verdict << issue->message + ": " + issue->advice;
    return profile;
  }
  double cyclesOfRuns = 0;
  session.reader().forEach<reports::RunRow>(
      {}, {}, [&](const reports::RunRow& run) { cyclesOfRuns += double(run.cycles); }, stop);
  for (auto& [of, f] : found) {
    reports::throwIfStopped(stop);
    measure(f.times, f.list, cyclesOfRuns);
    profile.blocks.push_back(std::move(f.times));
  }
  std::stable_sort(profile.blocks.begin(), profile.blocks.end(),
                   [](const BlockTimes& a, const BlockTimes& b) { return a.total > b.total; });
  profile.bufferBytes = bufferBytesOf(session);
  profile.verdict = verdictOf(profile, int64_t(flushed.size()), cyclesOfRuns);
  return profile;
}

} // namespace analyser::trace
