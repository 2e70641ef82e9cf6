// The tabs of trace_view.h that are there for some reports only, and those that count while one looks.
#include "ui/plot/bar_list.h"
#include "ui/plot/cell_map.h"
#include "ui/plot/group_zoom.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/timeline.h"
#include "ui/shell/page.h"
#include "ui/shell/report_text.h"
#include "ui/shell/sentence_text.h"
#include "ui/shell/settings.h"
#include "ui/shell/shown_tabs.h"
#include "ui/shell/vertical_scroll.h"
#include "ui/shell/view_state.h"
#include "ui/shell/wrapped_label.h"
#include "ui/tables/table_view.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/views/trace/blocks_panel.h"
#include "ui/views/trace/pipeline_panel.h"
#include "ui/views/trace/trace_tables.h"
#include "ui/views/trace/trace_view.h"

#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ui::trace {

namespace {
constexpr std::size_t kMostCalls = 20'000; // nodes of the flame graph
} // namespace

// The tab is there for pipelines only, and comes when the figures are there.
void TraceView::connectPipeline() {
  work().add({&m_pipeline->job()});
  const auto showTab = [this](bool isPipeline) {
    shell::setTabShown(*page().tabs(), m_pipeline, isPipeline);
    m_isPipeline = isPipeline;
    takeTab();
  };
  showTab(false);
  connect(m_pipeline, &PipelinePanel::found, this, showTab);
  connect(m_pipeline, &PipelinePanel::rangeRequested, this, [this](reports::TickRange range) { m_timeline->showExactly(range); });
  connect(m_pipeline, &PipelinePanel::ipuChosen, this, [this](int ipu) {
    m_ipus->setCurrentIndex(m_ipus->findData(ipu));
    showTrace();
  });
}

// Steps that come again are one band each, where that is wanted; a double click opens a band.
void TraceView::buildGrouping() {
  m_grouped = page().viewMenu()->addAction(tr("Group equal steps (G)"));
  fields().flag("grouped", *m_grouped, m_state.isGrouped);
  m_timeline->installEventFilter(this), m_tiles->installEventFilter(this); // for their keys
  connect(m_grouped, &QAction::toggled, this, [this](bool grouped) {
    if (!m_lanes) return;
    m_lanes->setGrouped(grouped);
    m_timeline->refetch();
  });
  QAction* close = page().viewMenu()->addAction(tr("Close opened groups"));
  connect(close, &QAction::triggered, this, [this] {
    if (!m_lanes) return;
    m_lanes->closeBands();
    m_timeline->refetch();
  });
  connect(m_timeline, &plot::Timeline::sliceActivated, this, [this](int, int, const plot::Slice& slice) {
    if (m_lanes && m_lanes->openBand(slice)) m_timeline->refetch();
  });
}

// The selected slice in the picture of tiles, however it was selected: its time over the tiles of its IPU.
void TraceView::showOutline() {
  reports::Range<int> rows;
  if (m_trace && m_picked.track.valid())
    for (const auto& track : m_trace->tracks()) {
      if (track.id != m_picked.track) continue;
      const auto tiles = analyser::trace::tilesOf(track, m_session->machine());
      rows = reports::Range<int>{int(tiles.begin) - firstTile(), int(tiles.end) - firstTile()}.clippedTo({0, m_tiles->rows()});
    }
  m_tiles->setOutline(rows, m_picked.slice.ticks);
}

// Of a machine with many IPUs, the step's plot begins with those on which it works.
void TraceView::showIpusAtWork() {
  const auto details = m_detailJob.result();
  if (!details || !m_session) return;
  std::vector<int64_t> cycles;
  for (const auto c : details->slice.cyclesByTile) cycles.push_back(c.value());
  const auto first = details->slice.firstTile;
  plot::showGroupsInUse(*m_cycles, {&cycles}, first.valid() ? int64_t(first.value()) : 0, m_session->machine().tilesPerIpu);
}

void TraceView::forgetReport() {
  View::forgetReport();
  m_tilesShown->setChecked(settings().value("trace/tiles", true).toBool()); // a link may have asked otherwise
  m_ipus->clear();
}

QString TraceView::selectionText() const {
  QStringList parts;
  if (const auto range = state().measured(); m_trace && !range.empty())
    parts << tr("A %1, B %2: %3 apart")
                 .arg(theme::count(range.begin), theme::count(range.end), format().cyclesExact(reports::Cycles(range.size())));
  if (const QString slice = sliceText(); !slice.isEmpty()) parts << slice;
  return parts.join(QStringLiteral("  ·  "));
}

QString TraceView::sliceText() const {
  const auto details = m_detailJob.result();
  if (!details) return {};
  return tr("%1: %2").arg(shell::sliceTitle(details->slice.name),
                          format().cycles(reports::Cycles(details->slice.slice.duration())));
}

// A slice of an IPU that is no longer shown is not selected any more.
void TraceView::forgetHidden() {
  const auto on =
      std::find_if(m_trace->tracks().begin(), m_trace->tracks().end(), [&](const auto& t) { return t.id == m_picked.track; });
  if (!m_picked.track.valid() || !ipu() || (on != m_trace->tracks().end() && on->ipu == ipu())) return;
  m_detailJob.cancel(), m_detailJob.forget();
  m_picked = {};
  m_flames->setName({});
  showDetails();
}

void TraceView::readRange() {
  if (!m_trace) return;
  m_rangeJob.start(
      [trace = m_counting, range = countedRange(), ipu = ipu()](const std::stop_token& stop, reports::Progress&) {
        return trace->use([&](analyser::trace::ExecutionTrace& t) {
          RangeAnswer answer{t.proportions(range, stop, ipu), nullptr};
          answer.table = proportionsTable(answer.proportions);
          return answer;
        });
      },
      [this](const RangeAnswer& answer) { showRange(answer); },
      [this](const reports::Error& error) {
        page().setBanner(tr("The range could not be measured: %1").arg(shell::reportText(error.what())), shell::Tone::Bad);
      });
}

// What is counted over the range, each while its tab is looked at: counting reads every slice.
void TraceView::readCounts() {
  readStatistics();
  readCalls();
  readWaste();
}

// Shares as bars, and the figures of each IPU.
QWidget* TraceView::buildRangeTab() {
  auto* split = new QSplitter(Qt::Horizontal);
  split->setChildrenCollapsible(false);
  auto* shares = new QWidget;
  auto* column = new QVBoxLayout(shares);
  column->setContentsMargins(0, 1, 0, 0);
  column->setSpacing(0);
  // As high as the head of the table beside it, so that the lines of the two are one.
  auto* head = m_head = theme::plainLabel(tr("Share of the visible range"));
  head->setProperty("role", "secondary");
  head->setFixedHeight(28);
  head->setIndent(theme::kGrid);
  column->addWidget(head);
  column->addWidget(shell::verticalScroll(m_bars = new plot::BarList(theme(), tr("Proportions per IPU"))), 1);
  split->addWidget(shares);
  auto* figures = new QWidget;
  auto* right = new QVBoxLayout(figures);
  right->setContentsMargins(0, 0, 0, 0);
  right->setSpacing(0);
  right->addWidget(m_ipuTable = new tables::TableView(theme(), tr("Proportions of the visible range")), 1);
  auto* leftOut = tables::leftOutNote(*m_ipuTable);
  leftOut->setIndent(theme::kGrid);
  right->addWidget(leftOut);
  split->addWidget(figures);
  split->setSizes({380, 660});
  return split;
}

void TraceView::readWaste() {
  if (!m_trace || page().tabs()->currentWidget() != m_waste) return m_wasteJob.cancel();
  m_wasteJob.start(
      [trace = m_counting, range = countedRange(), ipu = ipu()](const std::stop_token& stop, reports::Progress&) {
        return trace->use([&](analyser::trace::ExecutionTrace& t) {
          const auto ipus = analyser::trace::tileCyclesOfRange(t, range, stop, t.tracksOf(ipu));
          analyser::trace::TileCycles all;
          for (const auto& one : ipus) all += one.cost;
          return Waste{analyser::trace::wasteSentence(all), wasteTable(ipus)};
        });
      },
      [this](const Waste& waste) { showWaste(waste); },
      [this](const reports::Error& error) {
        page().setBanner(tr("Tile-cycles could not be counted: %1").arg(shell::reportText(error.what())), shell::Tone::Bad);
      });
}

void TraceView::showWaste(const Waste& waste) {
  const auto opened = m_openJob.result();
  m_wasteWords->setWords(opened && !opened->storesAll
                             ? tr("The trace holds only a part of the executions: what is missing counts as idle here.")
                             : shell::sentenceText(waste.words, format(), 60));
  m_waste->view().setFormat(format());
  m_waste->setTable(waste.table);
}

void TraceView::readStatistics() {
  if (!m_trace || page().tabs()->currentWidget() != m_statistics) return m_statisticsJob.cancel();
  m_statisticsJob.start(
      [trace = m_counting, range = countedRange(), hidden = hiddenActivities(), ipu = ipu()](const std::stop_token& stop,
                                                                                             reports::Progress&) {
        return trace->use([&](analyser::trace::ExecutionTrace& t) {
          Statistics statistics{t.statistics(range, {}, stop, ipu), nullptr};
          statistics.table = statisticsTable(statistics.rows, hidden);
          return statistics;
        });
      },
      [this](const Statistics& statistics) {
        m_statistics->view().setFormat(format());
        m_statistics->setTable(statistics.table);
      },
      [this](const reports::Error& error) {
        page().setBanner(tr("Names could not be counted: %1").arg(reportText(error.what())), shell::Tone::Bad);
      });
}

void TraceView::readCalls() {
  if (!m_trace || page().tabs()->currentWidget() != m_flames) return m_callsJob.cancel();
  m_callsJob.start(
      [trace = m_counting, range = countedRange(), ipu = ipu()](const std::stop_token& stop, reports::Progress&) {
        return trace->use([&](analyser::trace::ExecutionTrace& t) {
          std::vector<analyser::trace::CalledTrack> tracks;
          for (const auto& track : t.tracks())
            if (!ipu || track.ipu == ipu) tracks.push_back({track.id, track.depths});
          return shell::callsOf(analyser::trace::callTree(t.slices(), tracks, range, kMostCalls, stop), kMostCalls);
        });
      },
      [this](const std::shared_ptr<const shell::Calls>& calls) { m_flames->setCalls(calls); },
      [this](const reports::Error& error) {
        page().setBanner(tr("Calls could not be added up: %1").arg(shell::reportText(error.what())), shell::Tone::Bad);
      });
}

shell::FlameWords TraceView::flameWords() {
  return {[this](reports::StringId name) { return m_trace ? shell::sliceTitle(m_trace->session().text(name)) : QString(); },
          [](int activity) { return activityTitle(reports::Activity(activity)); },
          [this](int activity) { return activityPalette(theme().isDark())[std::size_t(activity)]; },
          [this](int64_t ticks) { return format().cycles(reports::Cycles(ticks)); },
          tr("%1 of the shown IPUs together, in the visible range or in A–B (drag in the ruler)")};
}

// In which order the tiles stand: a choice that links carry.
void TraceView::buildTileOrder() {
  auto* orders = new QActionGroup(this);
  QAction* byNumber = orders->addAction(page().viewMenu()->addAction(tr("Tiles in the order of their numbers")));
  m_byIdle = orders->addAction(page().viewMenu()->addAction(tr("Tiles by idle cycles in the visible range")));
  byNumber->setData("number"), m_byIdle->setData("idle");
  for (QAction* order : orders->actions()) order->setCheckable(true);
  byNumber->setChecked(true);
  fields().actions("tileOrder", *orders);
  connect(m_byIdle, &QAction::toggled, this, [this](bool sorted) {
    if (!m_cells) return;
    m_cells->setSorted(sorted);
    m_tiles->refetch();
  });
}

std::vector<std::pair<QString, QString>> TraceView::keys() const {
  auto keys = shell::SliceBrowser::keys();
  keys.push_back({tr("B, Shift+B"), tr("next or previous bookmark")});
  keys.push_back({tr("Shift+W, Shift+S"), tr("rows of tiles higher, lower")});
  keys.push_back({tr("G"), tr("group equal steps; Enter opens one")});
  return keys;
}

// Bookmarks of this page, of the report that is shown: a flag where the ruler began, else where the visible range did.
void TraceView::showMarks() {
  m_marks.clear();
  std::vector<plot::TimeView::Marker> flags;
  const auto& all = state().notes().marks();
  for (std::size_t i = 0; m_trace && i < all.size(); ++i) {
    const auto& place = all[i].place;
    if (place.view != QLatin1String("trace") || place.shown != state().shown()) continue;
    auto range = place.measured.empty() ? place.range : place.measured;
    range = range.empty() ? m_trace->range() : range.clippedTo(m_trace->range());
    if (range.empty()) continue; // the report was written anew and is shorter
    m_marks.push_back(int(i));
    flags.push_back({range, theme::bounded(all[i].note.simplified(), 200)});
  }
  m_timeline->setMarkers(std::move(flags));
  fitLanes();
}

// The tab that another view asked for, as soon as it is there.
void TraceView::takeTab() {
  if (!isVisible()) return;
  const auto request = state().messages().take<shell::ShowTab>(QStringLiteral("trace"));
  if (!request || request->tab != QLatin1String("pipeline")) return;
  if (!m_isPipeline) return state().messages().send(*request); // its figures are still to come
  fields().showTab(request->tab);
  m_pipelineAsked = true;
  if (const auto& pipeline = m_pipeline->pipeline()) m_timeline->showExactly(pipeline->phases);
}

void TraceView::widen() {
  if (m_ipus->currentIndex() <= 0) return;
  m_ipus->setCurrentIndex(0);
  m_step = {}; // it may lie on an IPU that was not shown
  showTrace();
  followStep();
}

// The tab is there for reports with timed Blocks only.
void TraceView::connectBlocks() {
  QTabWidget* tabs = page().tabs();
  tabs->addTab(m_blocks = new BlocksPanel(theme(), jobs()), tr("Blocks"));
  work().add({&m_blocks->job()});
  const auto showTab = [this, tabs](bool areBlocks) { shell::setTabShown(*tabs, m_blocks, areBlocks); };
  showTab(false);
  connect(m_blocks, &BlocksPanel::found, this, showTab);
  connect(m_blocks, &BlocksPanel::rangeRequested, m_timeline, &plot::Timeline::showExactly);
}

} // namespace ui::trace
