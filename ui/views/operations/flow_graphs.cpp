#include "ui/views/operations/flow_graphs.h"

namespace ui::operations {

FlowGraphs::FlowGraphs(jobs::JobBoard& jobs)
    : m_byName(QObject::tr("Following the data"), &jobs), m_byIpu(m_byName.title(), &jobs) {}

std::shared_ptr<const FlowGraph> FlowGraphs::graph(bool byIpu) const {
  const auto graph = (byIpu ? m_byIpu : m_byName).result();
  return graph ? *graph : nullptr;
}

// By IPU, copies between IPUs are arrows; in the tree of names they are boxes.
void FlowGraphs::read(std::shared_ptr<shell::WorkerSession> worker,
                      std::shared_ptr<const analyser::operations::Operations> operations, bool byIpu, std::function<void()> done,
                      std::function<void(const reports::Error&)> failed) {
  Job& job = byIpu ? m_byIpu : m_byName;
  if (job.isBusy()) return;
  job.start(
      [worker = std::move(worker), operations = std::move(operations), byIpu](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) {
          namespace flows = analyser::operations;
          const auto transfers = byIpu ? flows::Transfers::Arrows : flows::Transfers::Operations;
          auto flow = std::make_shared<flows::DataFlow>(flows::dataFlow(session, *operations, transfers, stop));
          return std::make_shared<const FlowGraph>(
              FlowGraph{byIpu ? flows::ipuTree(*operations) : flows::nameTree(*operations), std::move(flow)});
        });
      },
      [done = std::move(done)](const std::shared_ptr<const FlowGraph>&) { done(); }, std::move(failed));
}

} // namespace ui::operations
