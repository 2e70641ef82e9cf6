#include "ui/window/findings_reader.h"

#include "ui/parts/on_worker.h"
#include "ui/state/view_state.h"

namespace ui::shell {

FindingsReader::FindingsReader(ViewState& state, jobs::JobBoard& jobs) : m_state(state), m_job(tr("Looking for savings"), &jobs) {
  m_job.giveWay();
}

void FindingsReader::read(const SessionPointer& session) {
  if (!session || m_state.notes().findings() || session->machine().tiles() == 0) return;
  if (m_job.isBusy() && m_reading.lock() == session) return;
  m_job.cancel(); // the job reads another report
  m_reading = session;
  m_job.start(
      [worker = std::make_shared<WorkerSession>(session)](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& s) { return analyser::insights::insights(s, stop); });
      },
      [this](const analyser::insights::Insights&) {
        if (!m_state.notes().findings()) m_state.notes().setFindings(m_job.result());
      },
      [](const reports::Error&) {});
}

void FindingsReader::forget() {
  m_job.drop();
  m_reading.reset();
  m_state.notes().setFindings(nullptr);
}

} // namespace ui::shell
