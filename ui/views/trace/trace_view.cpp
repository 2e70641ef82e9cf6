#include "ui/views/trace/trace_view.h"

#include "ui/parts/page.h"
#include "ui/parts/shown_tabs.h"
#include "ui/parts/splitter_places.h"
#include "ui/plot/cell_map.h"
#include "ui/plot/plot_table.h"
#include "ui/state/settings.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/views/trace/blocks_panel.h"
#include "ui/views/trace/pipeline_panel.h"
#include "ui/views/trace/sql_lane.h"

#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QSplitter>
#include <QTabWidget>

#include <algorithm>

namespace ui::trace {

TraceView::TraceView(const shell::ViewParts& parts)
    : View(parts), m_openJob(tr("Opening the execution trace"), &parts.jobs),
      m_browser(new shell::SliceBrowser(*this, page(), theme(), jobs(),
                                        {tr("Execution trace"), tr("Search for steps"), tr("No step is named like “%1”.")})),
      m_timeline(&m_browser->timeline()) {
  page().addTool(m_ipus = new QComboBox);
  m_ipus->setAccessibleName(tr("IPU"));
  m_ipus->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  fields().items("ipu", *m_ipus);
  connect(m_ipus, &QComboBox::activated, this, [this] { showTrace(); });
  page().addHeaderRow(m_legend = new ActivityLegend(theme()));
  buildPlots();
  page().setPlot(m_plots, 0.6);
  buildTabs();
  setMainJob(m_openJob, [this] { open(); });
  work().add(m_ranges->jobs());
  work().add({&m_details->job()});
  connectPlots();
  connectSelection();
}

TraceView::~TraceView() = default;

void TraceView::buildPlots() {
  m_plots = new QSplitter(Qt::Vertical);
  m_plots->setChildrenCollapsible(false);
  m_sqlLane = new SqlLane(theme(), jobs(), state());
  connect(m_sqlLane, &SqlLane::heightChanged, this, &TraceView::fitLanes);
  work().add({&m_sqlLane->job()});
  m_plots->addWidget(m_sqlLane->below(*m_timeline));
  m_plots->addWidget(m_tiles = new plot::CellMap(theme(), tr("Tiles by cycles"), &jobs()));
  m_tiles->setProperty(plot::kTwin, tr("Wasted tile-cycles of the range"));
  m_timeline->setMinimumHeight(120), m_tiles->setMinimumHeight(80); // smaller plots are empty: the page of a low window scrolls
  m_tiles->setMinimapShown(false);
  m_timeline->setGutter(110), m_tiles->setGutter(110);
  m_plots->setSizes({200, 150});
  m_plots->installEventFilter(this);
  connect(&m_timeline->rows(), &plot::TimelineRows::foldsChanged, this, &TraceView::fitLanes);
  QAction* flat = page().viewMenu()->addAction(tr("Flat: collapse all (Shift+E)"));
  connect(flat, &QAction::triggered, this, [this] { m_timeline->rows().setAllFolded(true); });
  connect(page().viewMenu()->addAction(tr("Flame: expand all")), &QAction::triggered, this,
          [this] { m_timeline->rows().setAllFolded(false); });
  buildGrouping(), buildTileOrder();
  m_tilesShown = page().viewMenu()->addAction(tr("Show tiles by cycles"));
  m_tilesShown->setCheckable(true);
  m_tilesShown->setChecked(settings().value("trace/tiles", true).toBool());
  fields().flag("tiles", *m_tilesShown, m_state.areTilesShown);
  m_tiles->setVisible(m_tilesShown->isChecked());
  connect(m_tilesShown, &QAction::toggled, this, [this](bool shown) {
    if (!fields().isRestoring()) settings().setValue("trace/tiles", shown);
    m_tiles->setVisible(shown);
  });
}

void TraceView::buildTabs() {
  QTabWidget* tabs = page().tabs();
  m_ranges = std::make_unique<RangeTabs>(theme(), jobs(), *tabs, [this] { return query(); });
  tabs->addTab(m_ranges->shares(), tr("Visible range"));
  tabs->addTab(m_details = new SlicePanel(theme(), jobs()), tr("Details"));
  tabs->addTab(m_ranges->statistics(), tr("Statistics"));
  tabs->addTab(m_ranges->waste(), tr("Waste"));
  tabs->addTab(m_ranges->flames(), tr("Flame graph"));
  tabs->addTab(m_browser->matches(), tr("Matches"));
  tabs->addTab(m_pipeline = new PipelinePanel(theme(), jobs()), tr("Pipeline"));
  connectPipeline();
  connectBlocks();
  fields().tabs("tab", *tabs,
                {{m_ranges->shares(), "range"},
                 {m_details, "details"},
                 {m_ranges->statistics(), "statistics"},
                 {m_ranges->waste(), "waste"},
                 {m_ranges->flames(), "flames"},
                 {m_browser->matches(), "matches"},
                 {m_pipeline, "pipeline"},
                 {m_blocks, "blocks"}});
  fields().hidden("hidden", *m_legend);
  m_ranges->addFields(fields());
  m_browser->addFields(fields()), m_sqlLane->addFields(fields());
  m_pipeline->addFields(fields());
  m_blocks->addFields(fields());
  connect(m_ranges.get(), &RangeTabs::sharesShown, this, &TraceView::showVerdict);
  connect(m_ranges.get(), &RangeTabs::failed, this,
          [this](const QString& message) { page().setBanner(message, shell::Tone::Bad); });
  connect(m_ranges.get(), &RangeTabs::sliceChosen, this, [this](const shell::Found& slice) { m_browser->go(slice); });
  connect(m_ranges.get(), &RangeTabs::rangeRequested, m_timeline, &plot::Timeline::showExactly);
}

void TraceView::connectPlots() {
  connect(m_timeline, &plot::TimeView::visibleChanged, this, &TraceView::rangeMoved);
  connect(m_tiles, &plot::TimeView::visibleChanged, this, &TraceView::rangeMoved);
  connect(m_tiles, &plot::TimeView::busyChanged, this, &View::busyChanged);
  connect(m_tiles, &plot::CellMap::failed, this, [this](const QString& message) { page().setBanner(message, shell::Tone::Bad); });
  connect(&state(), &shell::ViewState::rangeChanged, this, [this](reports::TickRange range) {
    if (!m_trace) return;
    m_timeline->setVisibleRange(range), m_tiles->setVisibleRange(range);
    m_ranges->read();
  });
  for (plot::TimeView* view : std::initializer_list<plot::TimeView*>{m_timeline, m_tiles})
    connect(view, &plot::TimeView::rangeMeasured, &state(), &shell::ViewState::setMeasured);
  connect(&state(), &shell::ViewState::measuredChanged, this, [this] {
    if (!m_trace) return;
    showMeasured();
    m_ranges->read();
  });
  connect(&state(), &shell::ViewState::tilesChanged, this, &TraceView::showTiles);
  connect(&state().notes(), &shell::ReportNotes::marksChanged, this, &TraceView::showMarks);
  connect(m_timeline, &plot::TimeView::markerChosen, this, [this](int flag) {
    if (flag >= 0 && std::size_t(flag) < m_marks.size()) state().messages().send(shell::ShowBookmark{m_marks[std::size_t(flag)]});
  });
  connect(m_tiles, &plot::CellMap::cellClicked, this, [this](int row, int64_t tick, Qt::KeyboardModifiers modifiers) {
    const reports::TileId tile{std::size_t(row + m_cells->firstTile())};
    state().clickTile(tile, modifiers & Qt::ShiftModifier);
    if (modifiers & Qt::ShiftModifier) return;
    if (const auto hit = m_cards ? m_cards->stepOf(tile, tick) : std::nullopt) m_browser->pickAt(tick, *hit);
  });
  connect(m_legend, &plot::Legend::shownChanged, this, [this] {
    m_timeline->setHiddenColours(m_legend->hiddenActivities());
    m_tiles->setHiddenColours(m_legend->hiddenActivities());
    m_ranges->readStatistics();
  });
  connect(m_timeline, &plot::TimeView::tickHovered, m_tiles, &plot::TimeView::setCursorTick);
  connect(m_tiles, &plot::TimeView::tickHovered, m_timeline, &plot::TimeView::setCursorTick);
}

void TraceView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  followStep();
  takeTab();
}

std::optional<reports::IpuId> TraceView::ipu() const {
  const int shown = m_ipus->currentData().toInt();
  return shown < 0 ? std::nullopt : std::optional(reports::IpuId(std::size_t(shown)));
}

// Figures are of the ruler's range if there is one, so that a part is counted without zooming into it.
RangeTabs::Query TraceView::query() const {
  const auto measured = state().measured();
  return {m_counting,
          measured.empty() ? m_timeline->visibleRange() : measured,
          ipu(),
          m_legend->hiddenActivities(),
          !measured.empty(),
          isWhole()};
}

bool TraceView::isWhole() const {
  const auto opened = m_openJob.result();
  return !opened || opened->storesAll;
}

void TraceView::showMeasured() {
  m_timeline->setMeasured(state().measured()), m_tiles->setMeasured(state().measured());
  m_ranges->showTitles();
  emit selectionTextChanged();
}

void TraceView::showTiles() {
  if (!m_cells) return;
  std::vector<int> rows;
  for (const auto tile : state().tiles())
    if (const int row = int(tile.value()) - m_cells->firstTile(); row >= 0) rows.push_back(row);
  m_tiles->setSelectedRows(std::move(rows));
}

bool TraceView::isBusy() const { return View::isBusy() || m_browser->isBusy() || (!m_tiles->isHidden() && m_tiles->isBusy()); }

void TraceView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  work().drop();
  m_ranges->forget();
  m_browser->clear();
  m_tiles->setSource(nullptr);
  m_pipeline->setTrace(nullptr), m_blocks->setSession(nullptr), m_sqlLane->setTrace(nullptr, {});
  m_trace.reset(), m_counting.reset(), m_tileTrace.reset(), m_lanes.reset(), m_cells.reset(), m_cards.reset();
  m_session = base;
  m_step = {}, m_picked = {};
  m_details->forget();
  page().clearVerdict(), page().clearBanner();
  if (!base) return showNoReport(tr("An execution trace needs a report."));
  const QVariant shown = m_ipus->currentData(); // a report that is read again keeps its IPU
  m_ipus->clear();
  m_ipus->addItem(tr("All IPUs"), -1);
  for (int ipu = 0; ipu < base->machine().ipus; ++ipu) m_ipus->addItem(tr("IPU %1").arg(ipu), ipu);
  m_ipus->setCurrentIndex(std::max(0, m_ipus->findData(shown)));
  m_ipus->setVisible(base->machine().ipus > 1);
  open();
}

void TraceView::open() {
  if (!m_session) return;
  page().showLoading(tr("Opening the execution trace"));
  m_openJob.start([base = std::shared_ptr<const analyser::Session>(m_session)](
                      const std::stop_token& stop, reports::Progress&) { return openTrace(base, stop); },
                  [this](const OpenedTrace& opened) {
                    m_trace = opened.trace;
                    m_counting = std::make_shared<TraceReader>(m_session);
                    m_tileTrace = std::make_shared<TraceReader>(m_session);
                    m_pipeline->setTrace(std::make_shared<TraceReader>(m_session)), m_blocks->setSession(m_session);
                    m_sqlLane->setTrace(m_session, m_trace->range());
                    formatChanged();
                    showTrace();
                  },
                  [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { open(); }); });
}

void TraceView::showTrace() {
  if (!m_trace) return;
  const bool isEmpty = m_trace->tracks().empty() || m_trace->range().empty();
  if (isEmpty && m_session->machine().tiles() == 0) return showNoDevice(tr("execution in cycles"));
  if (isEmpty)
    return page().showEmpty(tr("This report has no executions"),
                            tr("The program was compiled but not run, or the run was not recorded."), tr("Run a sample"),
                            [this] { emit viewRequested(QStringLiteral("run")); });
  const int ipu = m_ipus->currentData().toInt();
  const auto opened = m_openJob.result();
  if (opened->occurring.contains(ipu)) m_legend->setOccurring(opened->occurring.at(ipu));
  auto source = m_lanes = std::make_shared<GroupedLanes>(
      m_trace, trackEntries(*m_trace, ipu), [trace = m_trace](auto id) { return shell::sliceTitle(trace->session().text(id)); });
  m_cards = std::make_unique<TraceCards>(theme(), opened, m_lanes, *m_timeline);
  source->setGrouped(m_state.isGrouped);
  source->setFolded(opened->folded);
  source->setCard([this](const plot::Slice& slice, const shell::SliceNote& note) {
    return m_cards ? m_cards->slice(slice, note, format()) : plot::Card();
  });
  source->setFormat(format());
  m_browser->show(m_trace, std::move(source));
  forgetHidden();
  m_cells = std::make_shared<TileCells>(m_trace, m_tileTrace, ipu);
  m_cells->setSorted(m_byIdle->isChecked());
  m_cells->setCard(
      [this](auto tile, auto activity, int64_t tick) { return m_cards ? m_cards->tile(tile, activity, tick) : plot::Card(); });
  m_tiles->setSource(m_cells), m_blocks->setIpu(this->ipu());
  fitLanes();
  if (!state().range().empty()) m_timeline->setVisibleRange(state().range()), m_tiles->setVisibleRange(state().range());
  page().showContent();
  showTiles(), showOutline();
  showMeasured(), showMarks();
  m_ranges->read();
  followStep();
}

// Lanes get the height they need, up to two thirds; tiles use the rest. A splitter moved by the user stays.
void TraceView::fitLanes() {
  if (!m_trace || shell::isPlacedByHand(*m_plots)) return;
  const int room = std::max(150, m_plots->height()), most = room * 2 / 3,
            wanted =
                std::clamp(m_timeline->preferredHeight() + m_sqlLane->wantedHeight() + theme::kGrid, std::min(120, most), most);
  m_plots->setSizes({wanted, room - wanted});
}

bool TraceView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_plots && event->type() == QEvent::Resize) // after the splitter has distributed the new height
    QMetaObject::invokeMethod(this, &TraceView::fitLanes, Qt::QueuedConnection);
  if ((watched == m_timeline || watched == m_tiles) && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_G && key->modifiers() == Qt::NoModifier) return m_grouped->toggle(), true;
    const bool isPlain = !(key->modifiers() & ~Qt::ShiftModifier);
    if (watched == m_tiles && key->key() == Qt::Key_B && isPlain) // the flags are in the lanes
      return QCoreApplication::sendEvent(m_timeline, event);
  }
  return View::eventFilter(watched, event);
}

void TraceView::rangeMoved(reports::TickRange range) {
  m_timeline->setVisibleRange(range), m_tiles->setVisibleRange(range);
  state().setRange(range);
}

void TraceView::showVerdict(const analyser::Sentence& ofRange) {
  analyser::Sentence verdict;
  if (!isWhole())
    verdict << "The trace has only some of the executions; the missing ones count as idle time.";
  else
    (state().measured().empty() ? verdict : verdict << "A–B: ").append(ofRange); // the range differs from the visible one
  page().setVerdict(verdict);
}

void TraceView::themeChanged() { m_ranges->showShares(); }

void TraceView::formatChanged() {
  if (m_lanes) m_lanes->setFormat(format());
  m_browser->setFormat(format()), m_tiles->setFormat(format()), m_pipeline->setFormat(format());
  m_blocks->setFormat(format()), m_ranges->setFormat(format()), m_details->setFormat(format());
  m_sqlLane->setFormat(format());
}

// The tab exists only for pipelines, and appears when the figures have been read.
void TraceView::connectPipeline() {
  work().add({&m_pipeline->job()});
  const auto showTab = [this](bool isPipeline) {
    shell::setTabShown(*page().tabs(), m_pipeline, isPipeline);
    m_isPipeline = isPipeline;
    takeTab();
  };
  showTab(false);
  connect(m_pipeline, &PipelinePanel::found, this, showTab);
  connect(m_pipeline, &PipelinePanel::rangeRequested, m_timeline, &plot::Timeline::showExactly);
  connect(m_pipeline, &PipelinePanel::ipuChosen, this, [this](int ipu) {
    m_ipus->setCurrentIndex(m_ipus->findData(ipu));
    showTrace();
  });
}

// The tab exists only for reports with timed Blocks.
void TraceView::connectBlocks() {
  page().tabs()->addTab(m_blocks = new BlocksPanel(theme(), jobs()), tr("Blocks"));
  work().add({&m_blocks->job()});
  const auto showTab = [this](bool areBlocks) { shell::setTabShown(*page().tabs(), m_blocks, areBlocks); };
  showTab(false);
  connect(m_blocks, &BlocksPanel::found, this, showTab);
  connect(m_blocks, &BlocksPanel::rangeRequested, m_timeline, &plot::Timeline::showExactly);
}

// Each repeated step becomes one band if the user wants it; a double click opens a band.
void TraceView::buildGrouping() {
  m_grouped = page().viewMenu()->addAction(tr("Group equal steps (G)"));
  fields().flag("grouped", *m_grouped, m_state.isGrouped);
  m_timeline->installEventFilter(this), m_tiles->installEventFilter(this); // for their keys
  connect(m_grouped, &QAction::toggled, this, [this](bool grouped) {
    if (!m_lanes) return;
    m_lanes->setGrouped(grouped);
    m_timeline->refetch();
  });
  connect(page().viewMenu()->addAction(tr("Close opened groups")), &QAction::triggered, this, [this] {
    if (!m_lanes) return;
    m_lanes->closeBands();
    m_timeline->refetch();
  });
  connect(m_timeline, &plot::Timeline::sliceActivated, this, [this](int, int, const plot::Slice& slice) {
    if (m_lanes && m_lanes->openBand(slice)) m_timeline->refetch();
  });
}

// Builds the choice of the order of the tiles, which links store.
void TraceView::buildTileOrder() {
  auto* orders = new QActionGroup(this);
  QAction* byNumber = orders->addAction(page().viewMenu()->addAction(tr("Sort tiles by number")));
  m_byIdle = orders->addAction(page().viewMenu()->addAction(tr("Sort tiles by idle cycles in the visible range")));
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

// Outlines the selected slice in the plot of tiles: its time over the rows of its IPU, even if another view selected it.
void TraceView::showOutline() {
  m_tiles->setOutline(m_cells ? m_cells->rowsOf(m_picked.track) : reports::Range<int>(), m_picked.slice.ticks);
}

void TraceView::forgetReport() {
  View::forgetReport();
  m_tilesShown->setChecked(settings().value("trace/tiles", true).toBool()); // a link may have set another value
  m_ipus->clear();
}

std::vector<std::pair<QString, QString>> TraceView::keys() const {
  auto keys = shell::SliceBrowser::keys();
  keys.push_back({tr("B, Shift+B"), tr("next or previous bookmark")});
  keys.push_back({tr("Shift+W, Shift+S"), tr("make the tile rows taller or shorter")});
  keys.push_back({tr("G"), tr("group equal steps; Enter opens one")});
  return keys;
}

// Marks bookmarks of this view and of the displayed report: a flag at the begin of their ruler, or else of their visible range.
void TraceView::showMarks() {
  m_marks.clear();
  std::vector<plot::TimeView::Marker> flags;
  const auto& all = state().notes().marks();
  for (std::size_t i = 0; m_trace && i < all.size(); ++i) {
    const auto& place = all[i].place;
    if (place.view != QLatin1String("trace") || place.shown != state().shown()) continue;
    auto range = place.measured.empty() ? place.range : place.measured;
    range = range.empty() ? m_trace->range() : range.clippedTo(m_trace->range());
    if (range.empty()) continue; // the report was written again and is shorter
    m_marks.push_back(int(i));
    flags.push_back({range, theme::bounded(all[i].note.simplified(), 200)});
  }
  m_timeline->setMarkers(std::move(flags));
  fitLanes();
}

// Opens the tab that another view requested, as soon as it exists.
void TraceView::takeTab() {
  if (!isVisible()) return;
  const auto request = state().messages().take<shell::ShowTab>(QStringLiteral("trace"));
  if (!request || request->tab != QLatin1String("pipeline")) return;
  if (!m_isPipeline) return state().messages().send(*request); // the pipeline has not been read yet: asks again later
  fields().showTab(request->tab);
  m_pipelineAsked = true;
  if (const auto& pipeline = m_pipeline->pipeline()) m_timeline->showExactly(pipeline->phases);
}

void TraceView::widen() {
  if (m_ipus->currentIndex() <= 0) return;
  m_ipus->setCurrentIndex(0);
  m_step = {}; // the step may run on an IPU that was hidden
  showTrace();
  followStep();
}

} // namespace ui::trace
