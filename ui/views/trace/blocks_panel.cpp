#include "ui/views/trace/blocks_panel.h"

#include "ui/plot/histogram.h"
#include "ui/plot/step_plot.h"
#include "ui/shell/elided_label.h"
#include "ui/shell/report_text.h"
#include "ui/shell/sentence_text.h"
#include "ui/tables/table_view.h"
#include "ui/theme/theme.h"

#include <QSplitter>
#include <QVBoxLayout>

#include <cmath>

namespace ui::trace {

using analyser::trace::BlockProfile;
using analyser::trace::BlockTimes;
using tables::Kind;

namespace {
constexpr int kWidestName = 60; // characters of the verdict's names
}

std::shared_ptr<const tables::Table> blockTable(const BlockProfile& profile, bool severalIpus) {
  auto table = std::make_shared<tables::Table>();
  const auto tr = [](const char* text) { return QObject::tr(text); };
  table->columns = {{tr("Block"), Kind::Name, tr("Whole name of the Block, program or scope"), 0, false}};
  if (severalIpus) table->columns.push_back({tr("IPU"), Kind::Count, {}, 0, false});
  const std::vector<tables::Column> figures = {
      {tr("Executions"), Kind::Count, tr("That were timed"), 0, false, true},
      {tr("Lost"), Kind::Count, tr("Not timed, because the buffer on the tile was full"), 0, false, true},
      {tr("Total"), Kind::Cycles, tr("Of all timed executions"), 0, true},
      {tr("Share of run"), Kind::Percent, tr("Total over the cycles of all runs"), 0, false},
      {tr("Min"), Kind::Cycles, {}, 0, false},
      {tr("Median"), Kind::Cycles, {}, 0, false},
      {tr("p95"), Kind::Cycles, tr("95 % of the executions took no longer"), 0, false},
      {tr("Max"), Kind::Cycles, {}, 0, false},
      {tr("Mean"), Kind::Cycles, {}, 0, false},
      {tr("Deviation"), Kind::Cycles, tr("Standard deviation of the executions"), 0, false},
      {tr("Drift"), Kind::PercentDelta, tr("Mean of the last tenth of the executions against the first tenth"), 0, false}};
  table->columns.insert(table->columns.end(), figures.begin(), figures.end());
  for (std::size_t i = 0; i < profile.blocks.size(); ++i) {
    const BlockTimes& b = profile.blocks[i];
    const bool any = b.recorded > 0;
    tables::Row row;
    row.id = int64_t(i);
    row.cells.push_back(shell::reportText(b.name));
    if (severalIpus) row.cells.push_back(int64_t(b.ipu.value()));
    const std::vector<tables::Cell> cells = {b.recorded,
                                             b.lost,
                                             b.total.value(),
                                             tables::cellIf(any, b.shareOfRuns),
                                             tables::cellIf(any, b.min.value()),
                                             tables::cellIf(any, b.median.value()),
                                             tables::cellIf(any, b.p95.value()),
                                             tables::cellIf(any, b.max.value()),
                                             tables::cellIf(any, int64_t(std::llround(b.mean))),
                                             tables::cellIf(any, int64_t(std::llround(b.deviation))),
                                             tables::cellIf(b.drift.has_value(), b.drift.value_or(0))};
    row.cells.insert(row.cells.end(), cells.begin(), cells.end());
    table->rows.push_back(std::move(row));
  }
  return table;
}

BlocksPanel::BlocksPanel(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_job(tr("Reading Blocks"), &jobs),
      m_verdict(new shell::ElidedLabel(tr("Timed Blocks in a sentence"))),
      m_table(new tables::FilteredTable(theme, tr("Timed Blocks"))),
      m_durations(new plot::StepPlot(theme, tr("Duration of each execution of the Block"))),
      m_histogram(new plot::Histogram(theme, tr("Spread of the Block's durations"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  column->addWidget(m_verdict);
  m_verdict->setWordWrap(true); // whole, on two lines where it takes them
  auto* split = new QSplitter(Qt::Horizontal);
  split->setChildrenCollapsible(false);
  split->addWidget(m_table);
  split->addWidget(m_durations);
  split->addWidget(m_histogram);
  split->setSizes({720, 270, 210});
  column->addWidget(split, 1);
  connect(&m_table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    if (!ids.empty()) choose(ids.front());
  });
  connect(&m_table->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto p = profile();
    if (p && id >= 0 && std::size_t(id) < p->blocks.size()) emit rangeRequested(p->blocks[std::size_t(id)].first);
  });
}

void BlocksPanel::setSession(std::shared_ptr<const analyser::Session> session) {
  m_job.cancel(), m_job.forget();
  m_chosen = 0;
  emit found(false);
  if (!session) return;
  m_severalIpus = session->machine().ipus > 1;
  m_job.start(
      [session = std::move(session)](const std::stop_token& stop, reports::Progress&) {
        return analyser::trace::blockProfile(*session->reopen(), stop);
      },
      [this](const BlockProfile& profile) {
        show();
        emit found(!profile.empty());
      },
      [this](const reports::Error& error) { // of this table alone: the trace may be sound
        m_verdict->setWhole(shell::reportText(error.what()));
        m_table->setTable(std::make_shared<tables::Table>());
        m_durations->hide(), m_histogram->hide();
        emit found(true);
      });
}

void BlocksPanel::setFormat(const theme::Format& format) {
  m_format = format;
  show();
}

void BlocksPanel::show() {
  const auto p = profile();
  if (!p || p->empty()) return;
  m_verdict->setWhole(shell::sentenceText(p->verdict, m_format, kWidestName) + '.');
  m_table->view().setFormat(m_format);
  m_table->setTable(blockTable(*p, m_severalIpus));
  choose(m_chosen);
}

void BlocksPanel::choose(int64_t row) {
  const auto p = profile();
  if (!p || row < 0 || std::size_t(row) >= p->blocks.size()) return;
  m_chosen = row;
  const BlockTimes& block = p->blocks[std::size_t(row)];
  const QString name = shell::reportText(block.name);
  m_durations->setVisible(block.recorded > 0), m_histogram->setVisible(block.recorded > 1); // one has no spread
  if (block.recorded == 0) return;
  m_durations->setFormat(m_format);
  m_durations->setAxes(tr("Execution of %1").arg(name.section('/', -1)), int64_t(block.durations.size()), tr("Cycles"),
                       plot::ValueKind::Cycles);
  m_durations->setCurves({{tr("cycles"), [this] { return m_theme.series(0); },
                           std::make_shared<const std::vector<int64_t>>(block.durations), false, true}});
  m_histogram->setValueText([f = m_format](int64_t cycles) { return f.cycles(reports::Cycles(cycles)); });
  std::vector<plot::HistogramBar> bars;
  for (const auto& bar : block.histogram) bars.push_back({bar.begin.value(), bar.end.value(), bar.executions});
  m_histogram->setBars(std::move(bars), tr("executions"));
}

} // namespace ui::trace
