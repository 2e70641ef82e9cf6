// What steps used of the machine's peaks: FLOPs of compute steps, bytes of exchanges, links, host and streaming memory, beside what the peak
// allows in their time on their IPUs.
#pragma once

#include "analyser/operations/operation_steps.h"
#include "analyser/session/peak_rates.h"

#include <set>

namespace analyser::operations {

class PeakUse {
public:
  PeakUse(Session& session, const std::stop_token& stop);

  // OperationStep::used and usable, from the step's node and tile-cycles.
  void fill(OperationStep& step) const;
  // Adds the bytes that a step moves over links, the host's link or to streaming memory in these tile-cycles; other steps add nothing,
  // nor do the waits around a transfer.
  void add(Operation& to, reports::ProgramStepId step, reports::Activity activity, double bytes,
           const trace::TileCycles& cycles) const;

private:
  double secondsOf(const trace::TileCycles& cycles) const; // summed over IPUs
  double rateOf(reports::ProgramStepId step, reports::Activity activity) const;

  PeakRates m_rates;
  const Machine& m_machine;
  std::set<int64_t> m_copies, m_remote; // steps that transfer a stream; those of them to or from streaming memory
};

} // namespace analyser::operations
