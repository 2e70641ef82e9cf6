#include "analyser/operations/peak_use.h"

#include "reports/sqlite/reader.h"

namespace analyser::operations {

using reports::Activity;

PeakUse::PeakUse(Session& session, const std::stop_token& stop) : m_rates(peakRates(session)), m_machine(session.machine()) {
  std::set<int64_t> streams;
  session.reader().forEach<reports::StreamRow>(
      {}, {},
      [&](const reports::StreamRow& row) {
        if (row.direction == "remote_buffer") streams.insert(row.id);
      },
      stop);
  session.reader().forEach<reports::StreamCopyRow>(
      {}, {},
      [&](const reports::StreamCopyRow& row) {
        m_copies.insert(row.programStepId);
        if (streams.count(row.streamId)) m_remote.insert(row.programStepId);
      },
      stop);
}

double PeakUse::secondsOf(const trace::TileCycles& cycles) const {
  if (m_machine.clockHz <= 0 || m_machine.tilesPerIpu <= 0) return 0;
  return double(cycles.total()) / double(m_machine.tilesPerIpu) / double(m_machine.clockHz);
}

double PeakUse::rateOf(reports::ProgramStepId step, Activity activity) const {
  switch (activity) {
  case Activity::Compute: return m_rates.flops;
  case Activity::InternalExchange: return m_rates.exchange;
  case Activity::GlobalExchange: return m_rates.link;
  case Activity::HostStream: return m_remote.count(int64_t(step.value())) ? m_rates.streamingMemory : m_rates.host;
  default: return 0;
  }
}

void PeakUse::fill(OperationStep& step) const {
  const program::Node& node = step.node;
  step.usable = secondsOf(step.tileCycles) * rateOf(node.id, node.activity);
  if (step.usable > 0) step.used = double(node.activity == Activity::Compute ? node.flops.value() : node.bytes.value());
}

void PeakUse::add(Operation& to, reports::ProgramStepId step, Activity activity, double bytes,
                  const trace::TileCycles& cycles) const {
  const bool copies = activity == Activity::HostStream && m_copies.count(int64_t(step.value())) > 0;
  if (activity != Activity::GlobalExchange && !copies) return;
  Operation::Way& way = activity == Activity::GlobalExchange        ? to.overLinks
                        : m_remote.count(int64_t(step.value())) > 0 ? to.withStreamingMemory
                                                                    : to.withHost;
  way.bytes += bytes, way.possible += secondsOf(cycles) * rateOf(step, activity);
}

} // namespace analyser::operations
