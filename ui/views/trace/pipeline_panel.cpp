#include "ui/views/trace/pipeline_panel.h"

#include "analyser/operations/ipu_layers.h"
#include "analyser/trace/trace_columns.h"
#include "ui/parts/elided_label.h"
#include "ui/parts/fact_list.h"
#include "ui/parts/sentence_text.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/parts/view_fields.h"
#include "ui/tables/described_table.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui::trace {

namespace {
constexpr int kNameWidth = 60; // characters
} // namespace

std::shared_ptr<const tables::Table> stageTable(const analyser::trace::Pipeline& pipeline, const IpuLayers& layers) {
  auto rows = analyser::trace::stagesOf(pipeline);
  for (auto& row : rows)
    if (const auto held = layers.find(row.stage->ipu); held != layers.end())
      row.holds = analyser::operations::layerWords(held->second);
  return tables::tableOf(analyser::trace::stageColumns(), rows, {.bars = {"working"}, .optional = {"perMicroBatch"}},
                         [](tables::Row& row, const auto& stage) { row.id = int64_t(stage.stage->ipu.value()); });
}

PipelinePanel::PipelinePanel(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_job(tr("Measuring the pipeline"), &jobs) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* head = new QHBoxLayout;
  head->addWidget(m_verdict = new shell::ElidedLabel(tr("The pipeline in a sentence")), 1);
  m_verdict->setWordWrap(true); // complete, on two lines if needed
  head->addWidget(m_phases = new QPushButton(tr("Show its phases")));
  m_phases->setToolTip(tr("Zoom the trace from the beginning of fill to the end of flush of the first run"));
  column->addLayout(head);
  auto* body = new QHBoxLayout;
  body->setSpacing(theme::kMargin);
  // The tab needs little height, so that opening it does not move the trace.
  body->addWidget(shell::verticalScroll(m_facts = new shell::FactList(theme, tr("Phases of the pipeline"), 2)), 1);
  m_facts->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum); // lines stay together if there is spare height
  body->addWidget(m_stages = new tables::TableView(theme, tr("Stages of the pipeline")), 2);
  column->addLayout(body, 1);
  connect(m_phases, &QPushButton::clicked, this, [this] {
    if (const auto& p = pipeline()) emit rangeRequested(p->phases);
  });
  connect(m_stages, &tables::TableView::idActivated, this, [this](int64_t ipu) {
    emit ipuChosen(int(ipu));
    if (const auto& p = pipeline()) emit rangeRequested(p->phases); // also if they are visible already
  });
}

const std::optional<analyser::trace::Pipeline>& PipelinePanel::pipeline() const {
  static const std::optional<analyser::trace::Pipeline> none;
  const auto result = m_job.result();
  return result ? result->pipeline : none;
}

void PipelinePanel::addFields(shell::ViewFields& fields) { fields.order("stages.order", *m_stages); }

void PipelinePanel::setTrace(std::shared_ptr<TraceReader> trace) {
  m_job.drop();
  m_trace = std::move(trace);
  emit found(false);
  if (!m_trace || m_trace->base().machine().ipus < 2 || !m_trace->base().findText("flush")) return;
  m_job.start(
      [trace = m_trace](const std::stop_token& stop, reports::Progress&) {
        return trace->use([&](analyser::trace::ExecutionTrace& t) {
          Answer answer{analyser::trace::pipeline(t, stop), {}};
          try {
            if (answer.pipeline) answer.layers = analyser::operations::layersByIpu(t.session(), stop);
          } catch (const reports::Cancelled&) {
            throw;
          } catch (const reports::Error&) {
            answer.layers.clear(); // a damaged program; the other figures come from the trace
          }
          return answer;
        });
      },
      [this](const Answer& answer) {
        show();
        emit found(answer.pipeline.has_value());
      },
      [this](const reports::Error&) { emit found(false); }); // the trace view itself reports its errors
}

void PipelinePanel::setFormat(const theme::Format& format) {
  m_format = format;
  show();
}

void PipelinePanel::show() {
  const auto& p = pipeline();
  if (!p) return;
  m_verdict->setWhole(shell::sentenceText(p->verdict, m_format, kNameWidth) + '.');
  const auto cycles = [this](reports::Cycles c) { return m_format.cycles(c); };
  std::vector<shell::Fact> facts;
  const auto add = [&](const QString& name, const QString& value, const QString& tip = {}) {
    facts.push_back({name, value, tip, false});
  };
  add(tr("Bubble"), theme::percent(p->bubble), tr("Waiting time / time of all stages, in fill, main and flush"));
  add(tr("Bubble of the run"), theme::percent(p->bubbleOfRuns()),
      tr("Waiting time in fill, main and flush / time of all stages in the whole run"));
  if (p->slowest >= 0) add(tr("Slowest stage"), tr("IPU %1").arg(p->stages[std::size_t(p->slowest)].ipu.value()));
  if (p->microBatches > 0)
    add(tr("Micro-batches"), theme::count(p->microBatches), tr("Micro-batches of one pass (fill, main, flush)"));
  if (p->passes > 1) add(tr("Passes"), theme::count(p->passes), tr("Cycles are the sum over all passes"));
  add(tr("Fill"), cycles(p->fill), m_format.cyclesExact(p->fill));
  add(tr("Main"), cycles(p->main), m_format.cyclesExact(p->main));
  add(tr("Flush"), cycles(p->flush), m_format.cyclesExact(p->flush));
  add(tr("Outside"), cycles(p->outside),
      tr("Weight update and transfers before and after: %1").arg(m_format.cyclesExact(p->outside)));
  m_facts->setFacts(facts);
  m_stages->setFormat(m_format);
  m_stages->setTable(stageTable(*p, m_job.result()->layers));
  // Selects the slowest stage, which scrolls it into sight.
  if (p->slowest >= 0) m_stages->selectIds({int64_t(p->stages[std::size_t(p->slowest)].ipu.value())});
}

} // namespace ui::trace
