#include "ui/views/trace/blocks_panel.h"

#include "analyser/trace/trace_columns.h"
#include "ui/parts/elided_label.h"
#include "ui/parts/sentence_text.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/histogram.h"
#include "ui/plot/step_plot.h"
#include "ui/tables/described_table.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ui::trace {

using analyser::trace::BlockProfile;
using analyser::trace::BlockTimes;

namespace {
constexpr int kWidestName = 60; // characters of names in the verdict
} // namespace

std::shared_ptr<const tables::Table> blockTable(const BlockProfile& profile, bool severalIpus,
                                                std::optional<reports::IpuId> only) {
  auto columns = analyser::trace::blockColumns();
  if (!severalIpus) columns = analyser::columns::without(std::move(columns), {"ipu"});
  tables::Look look{.bars = {"total"}, .optional = {"executions", "share", "min", "median", "p95", "mean", "deviation"}};
  if (profile.lost == 0) look.optional.emplace_back("lost");
  auto table = tables::tableOf(columns, profile.blocks, look);
  if (only) std::erase_if(table->rows, [&](const tables::Row& row) { return profile.blocks[std::size_t(row.id)].ipu != *only; });
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
  m_verdict->setWordWrap(true); // complete, on two lines if needed
  auto* split = new QSplitter(Qt::Horizontal);
  split->setChildrenCollapsible(false);
  split->addWidget(m_table);
  auto* chosen = new QWidget;
  auto* pictures = new QVBoxLayout(chosen);
  pictures->setContentsMargins(0, theme::kGrid, 0, 0);
  pictures->setSpacing(theme::kHalf);
  pictures->addWidget(m_facts = new shell::ElidedLabel(tr("Figures of the chosen Block")));
  m_facts->setProperty("role", "secondary");
  m_facts->setWordWrap(true);
  m_durations->setMinimumHeight(m_histogram->minimumSizeHint().height()); // low: the trace's plots above keep their height
  auto* tabs = m_tabs = new QTabWidget;
  tabs->setAccessibleName(tr("Figures of the block"));
  tabs->setDocumentMode(true);
  tabs->addTab(m_durations, tr("Each execution"));
  tabs->addTab(m_histogram, tr("Spread"));
  pictures->addWidget(tabs, 1);
  split->addWidget(chosen);
  split->setStretchFactor(0, 3), split->setStretchFactor(1, 1);
  split->setSizes({780, 280});
  column->addWidget(split, 1);
  connect(&m_table->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    if (!ids.empty()) choose(ids.front());
  });
  connect(&m_table->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto p = profile();
    if (p && id >= 0 && std::size_t(id) < p->blocks.size()) emit rangeRequested(p->blocks[std::size_t(id)].first);
  });
}

void BlocksPanel::addFields(shell::ViewFields& fields) {
  fields.tabs("block", *m_tabs, {{m_durations, "executions"}, {m_histogram, "spread"}});
  fields.table("blocks", *m_table);
}

void BlocksPanel::setSession(std::shared_ptr<const analyser::Session> session) {
  m_job.drop();
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
      [this](const reports::Error& error) { // concerns only this table: the trace may be intact
        m_verdict->setWhole(theme::messageText(error.what()));
        m_table->setTable(std::make_shared<tables::Table>());
        m_facts->setWhole({}), m_durations->setCurves({}), m_histogram->setBars({}, {});
        emit found(true);
      });
}

void BlocksPanel::setFormat(const theme::Format& format) {
  m_format = format;
  show();
}

void BlocksPanel::setIpu(std::optional<reports::IpuId> ipu) {
  if (std::exchange(m_ipu, ipu) != ipu) show();
}

void BlocksPanel::show() {
  const auto p = profile();
  if (!p || p->empty()) return;
  m_verdict->setWhole(shell::sentenceText(p->verdict, m_format, kWidestName) + '.');
  m_table->view().setFormat(m_format);
  const auto table = blockTable(*p, m_severalIpus && !m_ipu, m_ipu);
  const auto isListed = [&](const tables::Row& row) { return row.id == m_chosen; };
  if (!table->rows.empty() && std::none_of(table->rows.begin(), table->rows.end(), isListed)) m_chosen = table->rows.front().id;
  m_table->setTable(table);
  choose(m_chosen);
}

void BlocksPanel::choose(int64_t row) {
  const auto p = profile();
  if (!p || row < 0 || std::size_t(row) >= p->blocks.size()) return;
  m_chosen = row;
  const BlockTimes& block = p->blocks[std::size_t(row)];
  const QString name = theme::reportText(block.name);
  const auto cycles = [this](int64_t value) { return m_format.cycles(reports::Cycles(value)); };
  const QString last = name.section('/', -1);
  if (block.recorded < 2)
    m_facts->setWhole(block.recorded == 0 ? tr("%1: no execution was timed").arg(last)
                                          : tr("%1: one execution of %2").arg(last, cycles(block.max.value())));
  else
    m_facts->setWhole(tr("%1: at least %2, 95 % at most %3, mean %4 ± %5")
                          .arg(last, cycles(block.min.value()), cycles(block.p95.value()), cycles(std::llround(block.mean)),
                               cycles(std::llround(block.deviation))));
  m_durations->setFormat(m_format);
  m_durations->setAxes(tr("Execution of %1").arg(name.section('/', -1)), int64_t(block.durations.size()), tr("Cycles"),
                       plot::ValueKind::Cycles);
  m_durations->setCurves({{tr("cycles"), [this] { return m_theme.series(0); },
                           std::make_shared<const std::vector<int64_t>>(block.durations), false, true}});
  m_histogram->setValueText([f = m_format](int64_t value) { return f.cycles(reports::Cycles(value)); });
  std::vector<plot::HistogramBar> bars;
  for (const auto& bar : block.histogram) bars.push_back({bar.begin.value(), bar.end.value(), bar.executions});
  m_histogram->setBars(std::move(bars), tr("executions"));
}

} // namespace ui::trace
