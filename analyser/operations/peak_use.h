// How far steps use the machine's peaks: FLOPs of compute steps, and bytes of exchanges, links, host and streaming memory, beside
// the most that the peaks allow in their time on their IPUs.
#pragma once

#include "analyser/operations/operation_steps.h"
#include "analyser/session/peak_rates.h"

#include <set>
#include <unordered_map>

namespace analyser::operations {

class PeakUse {
public:
  PeakUse(Session& session, const std::stop_token& stop);

  // Sets OperationStep::used and usable from the step's node and tile-cycles.
  void fill(OperationStep& step) const;
  // Adds a part (`share`) of the bytes that a step moves in these tile-cycles over links, or to and from the host or streaming
  // memory. Other steps add nothing; waiting around a transfer adds nothing.
  void add(Operation& to, reports::ProgramStepId step, reports::Activity activity, double share,
           const trace::TileCycles& cycles) const;

private:
  double secondsOf(const trace::TileCycles& cycles) const; // summed over IPUs
  double bytesOf(reports::ProgramStepId step) const;
  double rateOf(reports::ProgramStepId step, reports::Activity activity) const;

  PeakRates m_rates;
  const Machine& m_machine;
  std::unordered_map<int64_t, double> m_outside; // by step: bytes over links, or to or from the host or streaming memory
  std::set<int64_t> m_copies, m_remote;          // steps that transfer a stream; the subset that uses streaming memory
};

} // namespace analyser::operations
