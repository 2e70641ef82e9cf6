#include "ui/views/trace/range_tabs.h"

#include "analyser/trace/slice_subjects.h"
#include "ui/parts/sentence_text.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/parts/view_fields.h"
#include "ui/parts/wrapped_label.h"
#include "ui/plot/bar_list.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/trace/trace_tables.h"

#include <QLabel>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui::trace {

namespace {
constexpr std::size_t kMostCalls = 20'000; // nodes of the flame graph
} // namespace

RangeTabs::RangeTabs(const theme::Theme& theme, jobs::JobBoard& jobs, QTabWidget& tabs, std::function<Query()> query)
    : m_theme(theme), m_tabs(tabs), m_query(std::move(query)), m_sharesJob(tr("Measuring the visible range"), &jobs),
      m_statisticsJob(tr("Counting by name"), &jobs), m_callsJob(tr("Adding up calls"), &jobs),
      m_wasteJob(tr("Counting wasted tile-cycles"), &jobs), m_shares(buildShares()),
      m_statistics(new tables::FilteredTable(theme, tr("Statistics by name"))),
      m_waste(new tables::FilteredTable(theme, tr("Wasted tile-cycles of the range"))),
      m_flames(new shell::FlameTab(theme, flameWords())) {
  m_waste->addAbove(m_wasteWords = new shell::WrappedLabel);
  connect(&tabs, &QTabWidget::currentChanged, this, [this] { readShown(); });
  connect(&m_statistics->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    const auto statistics = m_statisticsJob.result();
    if (!statistics || ids.empty() || std::size_t(ids.front()) >= statistics->rows.size()) return;
    const auto& s = statistics->rows[std::size_t(ids.front())];
    analyser::trace::Slice first;
    first.ticks = s.first, first.depth = s.firstDepth;
    emit sliceChosen({s.firstTrack, first});
  });
  connect(&m_statistics->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto statistics = m_statisticsJob.result();
    if (statistics && id >= 0 && std::size_t(id) < statistics->rows.size())
      emit rangeRequested(statistics->rows[std::size_t(id)].first);
  });
}

void RangeTabs::addFields(shell::ViewFields& fields) {
  fields.order("ipus.order", *m_ipuTable);
  fields.table("statistics", *m_statistics);
  fields.table("waste", *m_waste);
  m_flames->addFields(fields);
}

// Builds the tab of shares: bars, and a table with the figures of each IPU.
QWidget* RangeTabs::buildShares() {
  auto* split = new QSplitter(Qt::Horizontal);
  split->setChildrenCollapsible(false);
  auto* shares = new QWidget;
  auto* column = new QVBoxLayout(shares);
  column->setContentsMargins(0, 1, 0, 0);
  column->setSpacing(0);
  // The title is as high as the header of the table beside it, so that their rows are aligned.
  auto* head = m_head = theme::plainLabel(tr("Share of the visible range"));
  head->setProperty("role", "secondary");
  head->setFixedHeight(28);
  head->setIndent(theme::kGrid);
  column->addWidget(head);
  column->addWidget(shell::verticalScroll(m_bars = new plot::BarList(m_theme, tr("Proportions per IPU"))), 1);
  split->addWidget(shares);
  auto* figures = new QWidget;
  auto* right = new QVBoxLayout(figures);
  right->setContentsMargins(0, 0, 0, 0);
  right->setSpacing(0);
  right->addWidget(m_ipuTable = new tables::TableView(m_theme, tr("Proportions of the visible range")), 1);
  auto* leftOut = tables::leftOutButton(*m_ipuTable);
  right->addWidget(leftOut, 0, Qt::AlignLeft);
  split->addWidget(figures);
  split->setSizes({380, 660});
  return split;
}

void RangeTabs::setFormat(const theme::Format& format) {
  m_format = format;
  showShares();
  m_statistics->view().setFormat(format);
  m_flames->draw();
  showWaste();
}

void RangeTabs::showTitles() {
  const bool isMeasured = m_query().isMeasured;
  m_tabs.setTabText(m_tabs.indexOf(m_shares), isMeasured ? tr("Measured A–B") : tr("Visible range"));
  m_head->setText(isMeasured ? tr("Share of A–B") : tr("Share of the visible range"));
}

void RangeTabs::forget() {
  m_flames->setCalls(nullptr), m_reader.reset();
  m_waste->setTable(nullptr), m_wasteWords->setWords({});
}

void RangeTabs::read() {
  readShares();
  readShown();
}

void RangeTabs::readShown() {
  readStatistics();
  readCalls();
  readWaste();
}

std::function<void(const reports::Error&)> RangeTabs::failure(const QString& message) {
  return [this, message](const reports::Error& error) { emit failed(message.arg(theme::messageText(error.what()))); };
}

void RangeTabs::readShares() {
  const Query query = m_query();
  if (!query.reader) return;
  m_sharesJob.start(
      [query](const std::stop_token& stop, reports::Progress&) {
        return query.reader->use([&](analyser::trace::ExecutionTrace& t) {
          Shares shares{t.proportions(query.range, stop, query.ipu), nullptr};
          shares.table = proportionsTable(shares.proportions);
          return shares;
        });
      },
      [this](const Shares&) { showShares(); }, failure(tr("The range could not be measured: %1")));
}

void RangeTabs::showShares() {
  const auto shares = m_sharesJob.result();
  if (!shares) return;
  m_bars->setBars(proportionBars(shares->proportions, m_theme, m_format), 1);
  m_ipuTable->setFormat(m_format);
  m_ipuTable->setTable(shares->table);
  emit sharesShown(shares->proportions.verdict);
}

void RangeTabs::readStatistics() {
  if (m_tabs.currentWidget() != m_statistics) return m_statisticsJob.cancel();
  const Query query = m_query();
  if (!query.reader) return m_statisticsJob.cancel();
  m_statisticsJob.start(
      [query](const std::stop_token& stop, reports::Progress&) {
        return query.reader->use([&](analyser::trace::ExecutionTrace& t) {
          Statistics statistics{t.statistics(query.range, {}, stop, query.ipu), nullptr};
          analyser::trace::SliceSubjects subjects(t.session());
          statistics.table = statisticsTable(statistics.rows, query.hidden, [&](const analyser::trace::NameStatistics& name) {
            return subjects.of(t.slices(), name);
          });
          return statistics;
        });
      },
      [this](const Statistics& statistics) {
        m_statistics->view().setFormat(m_format);
        m_statistics->setTable(statistics.table);
      },
      failure(tr("Names could not be counted: %1")));
}

void RangeTabs::readCalls() {
  if (m_tabs.currentWidget() != m_flames) return m_callsJob.cancel();
  const Query query = m_query();
  if (!query.reader) return m_callsJob.cancel();
  m_reader = query.reader;
  m_callsJob.start(
      [query](const std::stop_token& stop, reports::Progress&) {
        return query.reader->use([&](analyser::trace::ExecutionTrace& t) {
          std::vector<analyser::trace::CalledTrack> tracks;
          for (const auto& track : t.tracks())
            if (!query.ipu || track.ipu == query.ipu) tracks.push_back({track.id, track.depths});
          return shell::callsOf(analyser::trace::callTree(t.slices(), tracks, query.range, kMostCalls, stop), kMostCalls);
        });
      },
      [this](const std::shared_ptr<const shell::Calls>& calls) { m_flames->setCalls(calls); },
      failure(tr("Calls could not be added up: %1")));
}

shell::FlameWords RangeTabs::flameWords() {
  return {[this](reports::StringId name) { return m_reader ? shell::sliceTitle(m_reader->base().text(name)) : QString(); },
          [](int activity) { return activityTitle(reports::Activity(activity)); },
          [this](int activity) { return activityPalette(m_theme.isDark())[std::size_t(activity)]; },
          [this](int64_t ticks) { return m_format.cycles(reports::Cycles(ticks)); },
          tr("%1 of the shown IPUs together, in the visible range or in A–B (drag in the ruler)")};
}

void RangeTabs::readWaste() {
  if (m_tabs.currentWidget() != m_waste) return m_wasteJob.cancel();
  const Query query = m_query();
  if (!query.reader) return m_wasteJob.cancel();
  m_wasteJob.start(
      [query](const std::stop_token& stop, reports::Progress&) {
        return query.reader->use([&](analyser::trace::ExecutionTrace& t) {
          const auto ipus = analyser::trace::tileCyclesOfRange(t, query.range, stop, t.tracksOf(query.ipu));
          analyser::trace::TileCycles all;
          for (const auto& one : ipus) all += one.cost;
          return Waste{analyser::trace::wasteSentence(all), wasteTable(ipus)};
        });
      },
      [this](const Waste&) { showWaste(); }, failure(tr("Tile-cycles could not be counted: %1")));
}

void RangeTabs::showWaste() {
  const auto waste = m_wasteJob.result();
  if (!waste) return;
  const bool isWhole = m_query().isWhole; // if not, the headline says that missing executions count as idle
  m_wasteWords->setVisible(isWhole);
  if (isWhole) m_wasteWords->setWords(shell::sentenceText(waste->words, m_format, 60));
  m_waste->view().setFormat(m_format);
  m_waste->setTable(waste->table);
}

} // namespace ui::trace
