// A tab with the debug information of the selected operation, or of the selected variable and its type. Reads when the selection changes.
#pragma once

#include "reports/core/ids.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/tables/table_view.h"

#include <functional>
#include <vector>

namespace ui::shell {

class DebugTab : public tables::TreeView {
  Q_OBJECT

public:
  // `name` is the tab's name for screen readers.
  DebugTab(const theme::Theme& theme, jobs::JobBoard& board, const QString& name, QWidget* parent = nullptr);

  // An invalid id, or a null worker, empties the tab.
  void showContext(std::shared_ptr<WorkerSession> worker, reports::DebugContextId context);
  void showVariable(std::shared_ptr<WorkerSession> worker, reports::VariableId variable);
  jobs::JobBase& job() { return m_job; }

private:
  using Rows = std::shared_ptr<const tables::Tree>;
  void read(std::shared_ptr<WorkerSession> worker, std::function<Rows(analyser::Session&)> rows);

  jobs::LatestJob<Rows> m_job;
};

} // namespace ui::shell
