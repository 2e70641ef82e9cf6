#include "analyser/operations/peak_use.h"

#include "reports/sqlite/connection.h"
#include "reports/sqlite/reader.h"

namespace analyser::operations {

using reports::Activity;

namespace {
// By program step: bytes of all executions that an IPU receives over links, or that the host or streaming memory sends or
// receives.
std::unordered_map<int64_t, double> bytesOutside(Session& session, const std::stop_token& stop) {
  std::unordered_map<int64_t, double> bytes;
  reports::Connection::Watch watch(session.reader().connection(), stop);
  reports::Statement s(session.reader().connection(),
                       "SELECT p.program_step_id, total(max(p.bytes_in, p.bytes_out * (s.activity = ?2)) * p.executions) FROM "
                       "step_profile p JOIN program_step s ON s.id = p.program_step_id WHERE s.activity IN (?1, ?2) GROUP BY 1");
  s.bind(1, int64_t(Activity::GlobalExchange));
  s.bind(2, int64_t(Activity::HostStream));
  while (s.step()) {
    int64_t step = 0;
    double sum = 0;
    s.read(0, step, "step_profile.program_step_id");
    s.read(1, sum, "step_profile.bytes_in");
    bytes.emplace(step, sum);
  }
  return bytes;
}
} // namespace

PeakUse::PeakUse(Session& session, const std::stop_token& stop)
    : m_rates(peakRates(session)), m_machine(session.machine()), m_outside(bytesOutside(session, stop)) {
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

double PeakUse::bytesOf(reports::ProgramStepId step) const {
  const auto known = m_outside.find(int64_t(step.value()));
  return known == m_outside.end() ? 0 : known->second;
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
  if (step.usable <= 0) return;
  const bool isOutside = node.activity == Activity::GlobalExchange || node.activity == Activity::HostStream;
  step.used = isOutside                            ? bytesOf(node.id) * step.share
              : node.activity == Activity::Compute ? double(node.flops.value())
                                                   : double(node.bytes.value());
}

void PeakUse::add(Operation& to, reports::ProgramStepId step, Activity activity, double share,
                  const trace::TileCycles& cycles) const {
  const bool copies = activity == Activity::HostStream && m_copies.count(int64_t(step.value())) > 0;
  if (activity != Activity::GlobalExchange && !copies) return;
  Operation::Way& way = activity == Activity::GlobalExchange        ? to.overLinks
                        : m_remote.count(int64_t(step.value())) > 0 ? to.withStreamingMemory
                                                                    : to.withHost;
  way.bytes += bytesOf(step) * share, way.possible += secondsOf(cycles) * rateOf(step, activity);
}

} // namespace analyser::operations
