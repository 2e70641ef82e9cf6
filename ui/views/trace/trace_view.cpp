#include "ui/views/trace/trace_view.h"

#include "analyser/trace/pipeline.h"
#include "ui/plot/cell_map.h"
#include "ui/plot/legend.h"
#include "ui/plot/plot_table.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/timeline.h"
#include "ui/shell/detail_panel.h"
#include "ui/shell/page.h"
#include "ui/shell/report_text.h"
#include "ui/shell/settings.h"
#include "ui/shell/slice_browser.h"
#include "ui/shell/splitter_places.h"
#include "ui/shell/view_state.h"
#include "ui/shell/wrapped_label.h"
#include "ui/tables/table_view.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/views/trace/blocks_panel.h"
#include "ui/views/trace/pipeline_panel.h"
#include "ui/views/trace/trace_tables.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QSplitter>
#include <QTabWidget>

namespace ui::trace {

using reports::Activity;
using shell::reportText;

namespace {
// In the order of the legend; scopes last.
constexpr Activity kLegend[] = {Activity::Compute,        Activity::OnTileCopy, Activity::InternalExchange,
                                Activity::GlobalExchange, Activity::HostStream, Activity::Sync,
                                Activity::Control,        Activity::Idle,       Activity::Scope};

// The legend lists every activity that some IPU, or the shown one, spends time in. They are read from the pyramids: the first
// picture must not wait for a hundred million slices.
std::map<int, std::set<Activity>> occurringIn(analyser::trace::ExecutionTrace& trace, const std::stop_token& stop) {
  std::map<int, std::set<Activity>> activities{{-1, {Activity::Scope}}};
  for (const auto& track : trace.tracks())
    for (int depth = 0; depth < track.depths; ++depth) {
      const auto busy = trace.slices().busyTicks(track.id, depth, trace.range(), stop);
      for (const Activity a : kLegend) {
        if (busy.ticks[std::size_t(a)] == 0) continue;
        activities[-1].insert(a);
        if (track.ipu) activities[int(track.ipu->value())].insert(a);
      }
    }
  for (auto& [ipu, occurring] : activities) occurring.insert(Activity::Idle); // tiles wait in every trace
  return activities;
}

} // namespace

TraceView::TraceView(const shell::ViewParts& parts)
    : View(parts), m_openJob(tr("Opening the execution trace"), &parts.jobs),
      m_rangeJob(tr("Measuring the visible range"), &parts.jobs), m_statisticsJob(tr("Counting by name"), &parts.jobs),
      m_callsJob(tr("Adding up calls"), &parts.jobs), m_wasteJob(tr("Counting wasted tile-cycles"), &parts.jobs),
      m_detailJob(tr("Reading a step"), &parts.jobs),
      m_browser(new shell::SliceBrowser(*this, page(), theme(), jobs(),
                                        {tr("Execution trace"), tr("Search for steps"), tr("No step is named like “%1”.")})),
      m_timeline(&m_browser->timeline()) {
  page().addTool(m_ipus = new QComboBox);
  m_ipus->setAccessibleName(tr("IPU"));
  m_ipus->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  fields().items("ipu", *m_ipus);
  connect(m_ipus, &QComboBox::activated, this, [this] { showTrace(); });
  page().addHeaderRow(m_legend = new plot::Legend(theme()));
  showLegend({std::begin(kLegend), std::end(kLegend)}); // it has its height before the plots are given theirs
  buildPlots();
  page().setPlot(m_plots, 0.6);
  buildTabs();
  setMainJob(m_openJob, [this] { open(); });
  for (jobs::JobBase* job :
       std::initializer_list<jobs::JobBase*>{&m_rangeJob, &m_statisticsJob, &m_callsJob, &m_wasteJob, &m_detailJob})
    work().add({job});
  connectPlots();
  connectSelection();
}

TraceView::~TraceView() = default;

void TraceView::buildPlots() {
  m_plots = new QSplitter(Qt::Vertical);
  m_plots->setChildrenCollapsible(false);
  m_plots->addWidget(m_timeline);
  m_plots->addWidget(m_tiles = new plot::CellMap(theme(), tr("Tiles by cycles"), &jobs()));
  m_tiles->setProperty(plot::kTwin, tr("Wasted tile-cycles of the range"));
  m_timeline->setMinimumHeight(120), m_tiles->setMinimumHeight(80); // lower ones show nothing: the page of a low window scrolls
  m_tiles->setMinimapShown(false);
  m_timeline->setGutter(110), m_tiles->setGutter(110);
  m_plots->setSizes({200, 150});
  m_plots->installEventFilter(this);
  connect(&m_timeline->rows(), &plot::TimelineRows::foldsChanged, this, &TraceView::fitLanes);
  QAction* flat = page().viewMenu()->addAction(tr("Flat: one lane a band (Shift+E)"));
  connect(flat, &QAction::triggered, this, [this] { m_timeline->rows().setAllFolded(true); });
  connect(page().viewMenu()->addAction(tr("Flame: all lanes")), &QAction::triggered, this,
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

// Only activities that occur get an entry.
void TraceView::showLegend(const std::set<Activity>& occurring) {
  m_activities.clear();
  std::vector<plot::LegendEntry> entries;
  for (const Activity a : kLegend) {
    if (!occurring.contains(a)) continue;
    m_activities.push_back(a);
    // Only the picture of tiles by cycles shows idle tiles, in a weak grey; the legend has that grey.
    const bool isIdle = a == Activity::Idle;
    entries.push_back({a == Activity::Scope ? tr("Scopes")
                       : isIdle             ? tr("Idle or unused tiles")
                                            : activityTitle(a),
                       {},
                       [this, a, isIdle] {
                         const QColor colour = activityPalette(theme().isDark())[std::size_t(a)];
                         return isIdle ? plot::CellMap::blend(theme().tokens().surface, colour, kIdleStrength / 255.0) : colour;
                       },
                       plot::Mark::Area,
                       false,
                       QLatin1String(reports::activityName(a).data(), qsizetype(reports::activityName(a).size()))});
  }
  m_legend->setEntries(std::move(entries));
}

std::set<int> TraceView::hiddenActivities() const {
  std::set<int> hidden;
  for (std::size_t i = 0; i < m_activities.size(); ++i)
    if (!m_legend->isShown(int(i))) hidden.insert(int(m_activities[i]));
  return hidden;
}

void TraceView::buildTabs() {
  QTabWidget* tabs = page().tabs();
  tabs->addTab(buildRangeTab(), tr("Visible range"));
  tabs->addTab(m_details = new shell::DetailPanel(theme(), tr("Facts about the slice"),
                                                  tr("Click a slice to see what it is, what it cost and on which tiles.")),
               tr("Details"));
  m_details->addPlot(m_cycles = new plot::StepPlot(theme(), tr("Cycles per tile of the step")));
  m_cycles->hide();
  tabs->addTab(m_statistics = new tables::FilteredTable(theme(), tr("Statistics by name")), tr("Statistics"));
  tabs->addTab(m_waste = new tables::FilteredTable(theme(), tr("Wasted tile-cycles of the range")), tr("Waste"));
  m_waste->addAbove(m_wasteWords = new shell::WrappedLabel);
  tabs->addTab(m_flames = new shell::FlameTab(theme(), flameWords()), tr("Flame graph"));
  tabs->addTab(m_browser->matches(), tr("Matches"));
  tabs->addTab(m_pipeline = new PipelinePanel(theme(), jobs()), tr("Pipeline"));
  connectPipeline();
  connectBlocks();
  fields().tabs("tab", *tabs,
                {{tabs->widget(0), "range"},
                 {m_details, "details"},
                 {m_statistics, "statistics"},
                 {m_waste, "waste"},
                 {m_flames, "flames"},
                 {m_browser->matches(), "matches"},
                 {m_pipeline, "pipeline"},
                 {m_blocks, "blocks"}});
  fields().order("ipus.order", *m_ipuTable);
  fields().table("statistics", *m_statistics);
  fields().table("waste", *m_waste);
  fields().hidden("hidden", *m_legend);
  m_flames->addFields(fields());
  m_browser->addFields(fields());
  m_pipeline->addFields(fields());
  m_blocks->addFields(fields());
  connect(tabs, &QTabWidget::currentChanged, this, [this] { readCounts(); });
  connect(&m_statistics->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    const auto statistics = m_statisticsJob.result();
    if (!statistics || ids.empty() || std::size_t(ids.front()) >= statistics->rows.size()) return;
    const auto& s = statistics->rows[std::size_t(ids.front())];
    analyser::trace::Slice first;
    first.ticks = s.first, first.depth = s.firstDepth;
    m_browser->go({s.firstTrack, first});
  });
  connect(&m_statistics->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto statistics = m_statisticsJob.result();
    if (statistics && id >= 0 && std::size_t(id) < statistics->rows.size())
      m_timeline->showExactly(statistics->rows[std::size_t(id)].first);
  });
}

void TraceView::connectPlots() {
  connect(m_timeline, &plot::TimeView::visibleChanged, this, &TraceView::rangeMoved);
  connect(m_tiles, &plot::TimeView::visibleChanged, this, &TraceView::rangeMoved);
  connect(m_tiles, &plot::TimeView::busyChanged, this, &View::busyChanged);
  connect(m_tiles, &plot::CellMap::failed, this, [this](const QString& message) { page().setBanner(message, shell::Tone::Bad); });
  connect(&state(), &shell::ViewState::rangeChanged, this, [this](reports::TickRange range) {
    if (!m_trace) return;
    m_timeline->setVisibleRange(range), m_tiles->setVisibleRange(range);
    readRange(), readCounts();
  });
  for (plot::TimeView* view : std::initializer_list<plot::TimeView*>{m_timeline, m_tiles})
    connect(view, &plot::TimeView::rangeMeasured, &state(), &shell::ViewState::setMeasured);
  connect(&state(), &shell::ViewState::measuredChanged, this, [this] {
    if (!m_trace) return;
    showMeasured();
    readRange(), readCounts();
  });
  connect(&state(), &shell::ViewState::tilesChanged, this, &TraceView::showTiles);
  connect(&state().notes(), &shell::ReportNotes::marksChanged, this, &TraceView::showMarks);
  connect(m_timeline, &plot::TimeView::markerChosen, this, [this](int flag) {
    if (flag >= 0 && std::size_t(flag) < m_marks.size()) state().messages().send(shell::ShowBookmark{m_marks[std::size_t(flag)]});
  });
  connect(m_tiles, &plot::CellMap::cellClicked, this, [this](int row, int64_t tick, Qt::KeyboardModifiers modifiers) {
    const reports::TileId tile{std::size_t(row + firstTile())};
    if (modifiers & Qt::ShiftModifier) return state().toggleTile(tile);
    state().setTiles({tile});
    if (const auto hit = stepOf(tile, tick)) m_browser->pickAt(tick, *hit);
  });
  connect(m_legend, &plot::Legend::shownChanged, this, [this] {
    m_timeline->setHiddenColours(hiddenActivities());
    m_tiles->setHiddenColours(hiddenActivities());
    readStatistics();
  });
  connect(m_timeline, &plot::TimeView::tickHovered, m_tiles, &plot::TimeView::setCursorTick);
  connect(m_tiles, &plot::TimeView::tickHovered, m_timeline, &plot::TimeView::setCursorTick);
}

void TraceView::connectSelection() {
  connect(m_browser, &shell::SliceBrowser::picked, this, &TraceView::readDetails);
  connect(m_browser, &shell::SliceBrowser::pickFailed, m_details, &shell::DetailPanel::showProblem);
  connect(m_timeline, &plot::Timeline::sliceClicked, this, [this] { m_pipelineAsked = false; });
  connect(m_browser, &shell::SliceBrowser::cleared, this, [this] {
    m_detailJob.cancel(), m_detailJob.forget();
    m_step = {}, m_picked = {};
    m_flames->setName({});
    showDetails(), showOutline();
  });
  connect(&state(), &shell::ViewState::stepChanged, this, &TraceView::followStep);
}

// A step selected in another view is shown where it runs. Unseen, the view waits until it is looked at.
void TraceView::followStep() {
  if (!m_trace || !isVisible() || state().step() == m_step) return;
  m_step = state().step();
  m_followed = m_step;
  if (m_step.valid()) m_browser->findStep(m_step, state().rangeIsGiven());
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

int TraceView::firstTile() const {
  return m_session ? std::max(0, m_ipus->currentData().toInt()) * m_session->machine().tilesPerIpu : 0;
}

// Figures are of the ruler's span where there is one, so that a part is counted without zooming into it.
reports::TickRange TraceView::countedRange() const {
  return state().measured().empty() ? m_timeline->visibleRange() : state().measured();
}

void TraceView::showMeasured() {
  const auto range = state().measured();
  for (plot::TimeView* view : std::initializer_list<plot::TimeView*>{m_timeline, m_tiles}) view->setMeasured(range);
  page().tabs()->setTabText(0, range.empty() ? tr("Visible range") : tr("Measured A–B"));
  m_head->setText(range.empty() ? tr("Share of the visible range") : tr("Share of A–B"));
  emit selectionTextChanged();
}

void TraceView::showTiles() {
  if (!m_trace) return;
  std::vector<int> rows;
  for (const auto tile : state().tiles())
    if (int(tile.value()) >= firstTile()) rows.push_back(int(tile.value()) - firstTile());
  m_tiles->setSelectedRows(std::move(rows));
}

bool TraceView::isBusy() const {
  return m_openJob.isBusy() || m_pipeline->job().isBusy() || m_blocks->job().isBusy() || m_rangeJob.isBusy() ||
         m_statisticsJob.isBusy() || m_callsJob.isBusy() || m_wasteJob.isBusy() || m_detailJob.isBusy() || m_browser->isBusy() ||
         (!m_tiles->isHidden() && m_tiles->isBusy());
}

void TraceView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  for (jobs::JobBase* job :
       std::initializer_list<jobs::JobBase*>{&m_openJob, &m_rangeJob, &m_statisticsJob, &m_callsJob, &m_wasteJob, &m_detailJob})
    job->cancel();
  m_openJob.forget(), m_rangeJob.forget(), m_statisticsJob.forget(), m_callsJob.forget(), m_wasteJob.forget(),
      m_detailJob.forget();
  m_flames->setCalls(nullptr);
  m_waste->setTable(nullptr), m_wasteWords->setWords({});
  m_browser->clear();
  m_tiles->setSource(nullptr);
  m_pipeline->setTrace(nullptr), m_blocks->setSession(nullptr);
  m_trace.reset(), m_counting.reset(), m_tileTrace.reset(), m_lanes.reset(), m_cells.reset();
  m_session = base;
  m_step = {}, m_picked = {};
  showDetails();
  page().clearVerdict(), page().clearBanner();
  if (!base) return showNoReport(tr("An execution trace needs a report."));
  const QVariant shown = m_ipus->currentData(); // the same report, read anew, stays at its IPU
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
  m_openJob.start(
      [base = std::shared_ptr<const analyser::Session>(m_session)](const std::stop_token& stop, reports::Progress&) {
        Opened opened;
        opened.trace = std::make_shared<OpenTrace>(base);
        opened.occurring = opened.trace->reader().use([&](auto& trace) {
          opened.storesAll = analyser::trace::storesAllExecutions(trace.slices().session(), stop);
          opened.folded = analyser::trace::executionsOfFolded(trace.slices().session(), stop);
          return occurringIn(trace, stop);
        });
        return opened;
      },
      [this](const Opened& opened) {
        m_trace = opened.trace;
        m_counting = std::make_shared<TraceReader>(m_session);
        m_tileTrace = std::make_shared<TraceReader>(m_session);
        m_pipeline->setTrace(std::make_shared<TraceReader>(m_session)), m_blocks->setSession(m_session);
        if (!opened.storesAll)
          page().setBanner(
              tr("The trace does not hold every execution: shares of its ranges count what is missing as idle. Summary, "
                 "Operations and Program count all."),
              shell::Tone::Warning);
        showTrace();
      },
      [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { open(); }); });
}

void TraceView::showTrace() {
  if (!m_trace) return;
  const bool isEmpty = m_trace->tracks().empty() || m_trace->range().empty();
  if (isEmpty && m_session->machine().tiles() == 0) return showNoDevice(tr("execution in cycles"));
  if (isEmpty)
    return page().showEmpty(tr("This report holds no execution"),
                            tr("The program was compiled but not run, or the run was not recorded."), tr("Run a sample"),
                            [this] { emit viewRequested(QStringLiteral("run")); });
  const int ipu = m_ipus->currentData().toInt();
  if (const auto opened = m_openJob.result(); opened && opened->occurring.contains(ipu)) showLegend(opened->occurring.at(ipu));
  auto source = m_lanes = std::make_shared<GroupedLanes>(
      m_trace, trackEntries(*m_trace, ipu), [trace = m_trace](auto id) { return shell::sliceTitle(trace->session().text(id)); });
  source->setFormat(format()), source->setGrouped(m_state.isGrouped);
  if (const auto opened = m_openJob.result()) source->setFolded(opened->folded);
  source->setCard([this](const plot::Slice& slice, const shell::SliceNote& note) { return sliceCard(slice, note); });
  m_browser->setFormat(format()), m_tiles->setFormat(format()), m_pipeline->setFormat(format());
  m_blocks->setFormat(format());
  m_browser->show(m_trace, std::move(source));
  forgetHidden();
  m_cells = std::make_shared<TileCells>(m_trace, m_tileTrace, ipu);
  m_cells->setSorted(m_byIdle->isChecked());
  m_cells->setCard([this](auto tile, auto activity, int64_t tick) { return tileCard(tile, activity, tick); });
  m_tiles->setSource(m_cells), m_blocks->setIpu(this->ipu());
  fitLanes();
  if (!state().range().empty()) m_timeline->setVisibleRange(state().range()), m_tiles->setVisibleRange(state().range());
  page().showContent();
  showTiles(), showOutline();
  showMeasured();
  showMarks();
  readRange();
  readCounts();
  followStep();
}

// Lanes get what they need, up to two thirds; tiles gain from every pixel. Who drew the line between them keeps it.
void TraceView::fitLanes() {
  if (!m_trace || shell::isPlacedByHand(*m_plots)) return;
  const int room = std::max(150, m_plots->height()), most = room * 2 / 3,
            wanted = std::clamp(m_timeline->preferredHeight() + theme::kGrid, std::min(120, most), most);
  m_plots->setSizes({wanted, room - wanted});
}

bool TraceView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_plots && event->type() == QEvent::Resize) // after the splitter has shared out the new height by itself
    QMetaObject::invokeMethod(this, &TraceView::fitLanes, Qt::QueuedConnection);
  if ((watched == m_timeline || watched == m_tiles) && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_G && key->modifiers() == Qt::NoModifier) return m_grouped->toggle(), true;
    const bool isPlain = !(key->modifiers() & ~Qt::ShiftModifier);
    if (watched == m_tiles && key->key() == Qt::Key_B && isPlain) // the flags stand above the lanes
      return QCoreApplication::sendEvent(m_timeline, event);
  }
  return View::eventFilter(watched, event);
}

void TraceView::rangeMoved(reports::TickRange range) {
  m_timeline->setVisibleRange(range), m_tiles->setVisibleRange(range);
  state().setRange(range);
}

void TraceView::showRange(const RangeAnswer& answer) {
  analyser::Sentence verdict;
  const auto opened = m_openJob.result();
  if (opened && !opened->storesAll)
    verdict << "The trace holds only a part of the executions; Summary has the shares of the whole run.";
  else
    (state().measured().empty() ? verdict : verdict << "A–B: ").append(answer.proportions.verdict); // not what the picture shows
  page().setVerdict(verdict);
  m_bars->setBars(proportionBars(answer.proportions, theme(), format()), 1);
  m_ipuTable->setFormat(format());
  m_ipuTable->setTable(answer.table);
}

void TraceView::readDetails(const shell::SliceBrowser::Picked& picked) {
  if (!m_trace) return;
  m_picked = picked;
  m_flames->setName(picked.slice.name);
  showOutline();
  // A list is walked through; what is clicked in a picture is told.
  const QWidget* tab = page().tabs()->currentWidget();
  const bool isWalked = tab == m_browser->matches() || (tab == m_statistics && tab->isAncestorOf(QApplication::focusWidget()));
  const bool isAsked = tab == m_pipeline && std::exchange(m_pipelineAsked, false); // the finding's step is beside its tab
  if (!isWalked && !isAsked) page().tabs()->setCurrentWidget(m_details);
  const reports::ProgramStepId followed = std::exchange(m_followed, {});
  m_detailJob.start(
      [trace = m_trace, picked](const std::stop_token& stop, reports::Progress&) {
        return trace->reader().use([&](analyser::trace::ExecutionTrace& t) {
          Details details{t.details(picked.track, picked.slice, stop), picked.folded, {}};
          if (!details.slice.isLarge)
            for (const auto& ipu : analyser::trace::tileCyclesOfRange(t, picked.slice.ticks, stop, {picked.track}))
              details.cost = ipu.cost;
          return details;
        });
      },
      [this, followed](const Details& details) {
        showDetails(), showIpusAtWork();
        if (!details.slice.isStep || !details.slice.programStep.valid()) return;
        m_step = details.slice.programStep;
        // Layers of one function share the step: the slice's own layer is selected, unless another view chose one.
        const bool isSaid = followed == m_step && m_step == state().step() && state().operation().valid();
        state().setOperation(isSaid ? state().operation() : details.slice.operationId, m_step);
      },
      [this](const reports::Error& error) { m_details->showProblem(reportText(error.what())); });
}

void TraceView::showDetails() {
  const auto details = m_detailJob.result();
  emit selectionTextChanged();
  m_cycles->setVisible(details && !details->slice.cyclesByTile.empty());
  if (!details) return m_details->showHint();
  const QString name = shell::sliceTitle(details->slice.name);
  auto facts = sliceFacts(details->slice, details->cost, format());
  for (const auto& track : m_trace->tracks())
    if (track.id == details->slice.track)
      facts.push_back({tr("Figures are"), tr("%1, of %2").arg(reportText(track.provenance), reportText(track.name)), {}, false});
  m_details->show(details->folded ? tr("Longest of the folded slices: %1").arg(name) : name, facts);
  auto cycles = std::make_shared<std::vector<int64_t>>();
  for (const auto c : details->slice.cyclesByTile) cycles->push_back(c.value());
  m_cycles->setFormat(format());
  m_cycles->setAxes(tr("Tile"), int64_t(cycles->size()),
                    details->slice.inSlice > 1 ? tr("Cycles of one execution") : tr("Cycles"), plot::ValueKind::Cycles);
  const auto first = details->slice.firstTile;
  m_cycles->setFirstPosition(first.valid() ? int64_t(first.value()) : 0);
  m_cycles->setPositionText(
      [first = first.valid() ? int64_t(first.value()) : 0](int64_t position) { return theme::count(position + first); });
  m_cycles->setCurves(
      {{tr("cycles"), [this, a = details->slice.activity] { return theme().activity(a); }, std::move(cycles), false, true}});
}

void TraceView::themeChanged() {
  if (const auto answer = m_rangeJob.result()) showRange(*answer);
}

void TraceView::formatChanged() {
  if (m_lanes) m_lanes->setFormat(format());
  m_browser->setFormat(format()), m_tiles->setFormat(format()), m_pipeline->setFormat(format());
  m_blocks->setFormat(format());
  if (const auto answer = m_rangeJob.result()) showRange(*answer);
  m_statistics->view().setFormat(format());
  m_flames->draw();
  if (const auto waste = m_wasteJob.result()) showWaste(*waste);
  showDetails();
}

} // namespace ui::trace
