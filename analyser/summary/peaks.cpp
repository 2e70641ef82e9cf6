#include "analyser/summary/peaks.h"

#include "analyser/session/peak_rates.h"
#include "reports/core/categories.h"
#include "reports/sqlite/reader.h"

#include <map>
#include <set>

namespace analyser::summary {

namespace {

// For one kind of steps: the work of all executions, and their IPU cycles.
struct Done {
  double amount = 0, ipuCycles = 0;
};

struct Work {
  Done compute, exchange, links, host, streamed;
};

Work workOf(Session& session, const std::stop_token& stop) {
  std::set<int64_t> remote; // ids of streams
  session.reader().forEach<reports::StreamRow>(
      {}, {},
      [&](const reports::StreamRow& row) {
        if (row.direction == "remote_buffer") remote.insert(row.id);
      },
      stop);
  Work work;
  struct Copied {
    double host = 0, streamed = 0; // bytes
  };
  std::map<int64_t, Copied> copies; // by step
  session.reader().forEach<reports::StreamCopyRow>(
      {}, {},
      [&](const reports::StreamCopyRow& row) {
        const double bytes = double(row.bytes) * double(row.executions);
        const bool isRemote = remote.count(row.streamId) > 0;
        (isRemote ? work.streamed : work.host).amount += bytes;
        Copied& copied = copies[row.programStepId];
        (isRemote ? copied.streamed : copied.host) += bytes;
      },
      stop);
  std::map<int64_t, reports::Activity> activities;
  session.reader().forEach<reports::ProgramStepRow>(
      {}, {}, [&](const reports::ProgramStepRow& row) { activities[row.id] = reports::Activity(row.activity); }, stop);
  const double ipus = session.machine().ipus;
  session.reader().forEach<reports::StepProfileRow>(
      {}, {},
      [&](const reports::StepProfileRow& row) {
        const auto activity = activities.find(row.programStepId);
        if (activity == activities.end()) return;
        const double executions = double(row.executions), cycles = double(row.cycles) * executions * (row.ipu ? 1 : ipus);
        const auto add = [&](Done& done, double amount) { done.amount += amount * executions, done.ipuCycles += cycles; };
        switch (activity->second) {
        case reports::Activity::Compute: return add(work.compute, double(row.flops));
        case reports::Activity::InternalExchange: return add(work.exchange, double(row.bytesIn));
        case reports::Activity::GlobalExchange: return add(work.links, double(row.bytesIn));
        case reports::Activity::HostStream:
          // A step may copy both to the host and to streaming memory: its cycles are split in proportion to the bytes.
          if (const auto copy = copies.find(row.programStepId); copy != copies.end()) {
            const double all = copy->second.host + copy->second.streamed, host = all > 0 ? copy->second.host / all : 1;
            work.host.ipuCycles += cycles * host, work.streamed.ipuCycles += cycles * (1 - host);
          }
          return;
        default: return;
        }
      },
      stop);
  return work;
}

} // namespace

std::vector<PeakUse> peakUses(Session& session, const Summary& s, const std::stop_token& stop) {
  std::vector<PeakUse> list;
  const Machine& m = s.machine;
  if (m.tiles() == 0) return list;
  const PeakRates rates = peakRates(session);
  const Work work = workOf(session, stop);
  const double ipus = m.ipus;
  const auto add = [&](const char* name, const char* title, const char* unit, double perIpu, const Done* done,
                       bool isShown = true) {
    if (perIpu <= 0) return;
    PeakUse use{name, title, unit, isShown ? perIpu * ipus : perIpu, {}, {}, !isShown};
    if (done && s.seconds > 0) use.share = done->amount / (s.seconds * perIpu * ipus);
    if (done && done->ipuCycles > 0 && m.clockHz > 0)
      use.shareWhileBusy = done->amount / (done->ipuCycles / double(m.clockHz) * perIpu);
    list.push_back(std::move(use));
  };
  const Done all{double(s.flops.value()), work.compute.ipuCycles};
  add("flops", "Floating point", "FLOP/s", rates.flops, &all);
  add("memory", "Tile memory", "B/s", rates.memory, nullptr);
  add("exchange", "Exchange", "B/s", rates.exchange, &work.exchange);
  // With several replicas, the report shows one of them, but sums over replicas use links, too.
  if (m.ipus > 1 || work.links.amount > 0) add("link", "Links to a neighbour", "B/s", rates.link, &work.links, false);
  add("host", "Host", "B/s", rates.host, &work.host);
  add("streaming_memory", "Streaming memory", "B/s", rates.streamingMemory, &work.streamed);
  return list;
}

} // namespace analyser::summary
