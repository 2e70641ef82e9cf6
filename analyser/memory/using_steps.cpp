#include "analyser/memory/using_steps.h"

#include "reports/sqlite/reader.h"

namespace analyser::memory {

UsingSteps readUsingSteps(Session& session, const std::stop_token& stop) {
  UsingSteps steps;
  session.reader().forEach<reports::ProgramStepRow>(
      "compute_set_id IS NOT NULL OR exchange_id IS NOT NULL", {},
      [&](const reports::ProgramStepRow& row) {
        const UsingStep made{reports::ProgramStepId(static_cast<std::size_t>(row.id)), row.debugContextId, row.nameId, 0};
        if (row.computeSetId) ++steps.ofComputeSet.try_emplace(*row.computeSetId, made).first->second.count;
        if (row.exchangeId) ++steps.ofExchange.try_emplace(*row.exchangeId, made).first->second.count;
      },
      stop);
  return steps;
}

} // namespace analyser::memory
