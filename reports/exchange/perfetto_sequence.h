// State of one writer of a Perfetto trace: earlier facts that its later packets reference.
#pragma once

#include "reports/exchange/perfetto_debug.h"
#include "reports/exchange/perfetto_samples.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace reports::exchange {

struct PerfettoSequence {
  PerfettoNames names;
  std::map<uint64_t, std::string> logBodies, sources; // sources: locations in the code, as JSON
  std::map<uint64_t, std::string> correlations, gpuStages;
  std::map<uint64_t, int64_t> graphicsContexts; // pids
  std::map<uint64_t, std::string> gpuCounters;  // descriptors
  std::optional<uint32_t> clock;
  std::optional<uint64_t> track;
  std::vector<uint64_t> extraCounters, extraRealCounters;
  std::optional<int64_t> streamTime;                     // nanoseconds; times of old writers are relative to it
  std::optional<int64_t> threadTime, threadInstructions; // the same for the thread's clock and instruction counter
  std::map<uint64_t, double> counterSums;                // of incremental counters
  std::string sampled;                                   // the event that its samples count
  PerfettoStacks stacks;

  // These are kept when the state is cleared.
  uint32_t number = 0, machine = 0, epoch = 0;
  bool isWhole = false;            // the state was cleared, and nothing was lost since
  std::optional<int64_t> pid, tid; // the thread that an old writer described as its own
  std::set<uint64_t> threadTracks; // the tracks of threads that this writer described
  std::optional<uint64_t> lastThreadTrack;
  std::map<uint32_t, std::pair<int64_t, int64_t>> incremental; // by clock: its last time, nanoseconds per unit

  void clear() {
    PerfettoSequence fresh;
    fresh.number = number, fresh.machine = machine, fresh.epoch = epoch + 1, fresh.isWhole = true;
    fresh.pid = pid, fresh.tid = tid;
    fresh.threadTracks = std::move(threadTracks), fresh.lastThreadTrack = lastThreadTrack;
    fresh.incremental = std::move(incremental);
    *this = std::move(fresh);
  }
  void addInterned(std::string_view interned);
  void addDefaults(std::string_view defaults);
};

} // namespace reports::exchange
