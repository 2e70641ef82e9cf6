// The figures of a pipeline in the trace: its phases, its bubble, and the work of each stage during the phases. The panel reads
// them in the background and reports whether there is a pipeline.
#pragma once

#include "analyser/trace/pipeline.h"
#include "ui/jobs/latest_job.h"
#include "ui/theme/format.h"
#include "ui/views/trace/trace_sources.h"

#include <QWidget>

#include <map>
#include <optional>

class QPushButton;

namespace ui::shell {
class ViewFields;
class ElidedLabel;
class FactList;
} // namespace ui::shell
namespace ui::tables {
class TableView;
struct Table;
} // namespace ui::tables
namespace ui::theme {
class Theme;
}

namespace ui::trace {

// By IPU.
using IpuLayers = std::map<reports::IpuId, std::vector<std::string>>;
// Row ids are IPUs.
std::shared_ptr<const tables::Table> stageTable(const analyser::trace::Pipeline& pipeline, const IpuLayers& layers);

class PipelinePanel : public QWidget {
  Q_OBJECT

public:
  PipelinePanel(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);

  void addFields(shell::ViewFields& fields);
  // Null: nothing is open.
  void setTrace(std::shared_ptr<TraceReader> trace);
  void setFormat(const theme::Format& format);
  jobs::JobBase& job() { return m_job; }
  // Empty until it has been read, and if the report has no pipeline.
  const std::optional<analyser::trace::Pipeline>& pipeline() const;

signals:
  void found(bool isPipeline);
  void rangeRequested(reports::TickRange range);
  void ipuChosen(int ipu);

private:
  struct Answer {
    std::optional<analyser::trace::Pipeline> pipeline;
    IpuLayers layers; // layers of the model in each stage
  };
  void show();
  std::shared_ptr<TraceReader> m_trace;
  jobs::LatestJob<Answer> m_job;
  theme::Format m_format;
  shell::ElidedLabel* m_verdict;
  shell::FactList* m_facts;
  tables::TableView* m_stages;
  QPushButton* m_phases;
};

} // namespace ui::trace
