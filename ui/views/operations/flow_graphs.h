// The graphs of the operations, by name and by IPU. Each is read when it is first shown.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/views/operations/folded_graph.h"

namespace ui::operations {

class FlowGraphs {
public:
  explicit FlowGraphs(jobs::JobBoard& jobs);

  std::shared_ptr<const FlowGraph> graph(bool byIpu) const; // null: not read yet
  // Does nothing while it is being read.
  void read(std::shared_ptr<shell::WorkerSession> worker, std::shared_ptr<const analyser::operations::Operations> operations,
            bool byIpu, std::function<void()> done, std::function<void(const reports::Error&)> failed);
  std::vector<jobs::JobBase*> jobs() { return {&m_byName, &m_byIpu}; }

private:
  using Job = jobs::LatestJob<std::shared_ptr<const FlowGraph>>;
  Job m_byName, m_byIpu;
};

} // namespace ui::operations
