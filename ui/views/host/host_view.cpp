#include "ui/views/host/host_view.h"

#include "ui/parts/detail_panel.h"
#include "ui/parts/page.h"
#include "ui/parts/shown_tabs.h"
#include "ui/parts/slice_browser.h"
#include "ui/plot/legend.h"
#include "ui/plot/timeline.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/host/counter_lanes.h"
#include "ui/views/host/label_tab.h"

#include <QMenu>
#include <QSplitter>
#include <QTabWidget>

namespace ui::host {

using theme::reportText;

namespace {
constexpr std::size_t kMostFlows = 500;    // of one slice
constexpr int kMostOfOneChart = 96;        // least pixels of a chart, even in a small window
constexpr std::size_t kMostCalls = 20'000; // nodes of the call tree
} // namespace

HostView::HostView(const shell::ViewParts& parts)
    : View(parts), m_openJob(tr("Opening the host trace"), &parts.jobs), m_statisticsJob(tr("Counting by label"), &parts.jobs),
      m_aboutJob(tr("Reading details"), &parts.jobs), m_moveJob(tr("Moving a process"), &parts.jobs),
      m_stepJob(tr("Reading a step"), &parts.jobs), m_instantJob(tr("Reading an instant"), &parts.jobs),
      m_browser(
          new shell::SliceBrowser(*this, page(), theme(), jobs(),
                                  {tr("Host timeline"), tr("Search for labels"), tr("No label is named like “%1”."), true})) {
  page().addHeaderRow(m_legend = new plot::Legend(theme()));
  buildPlot();
  buildTabs();
  buildMenu();
  setMainJob(m_openJob, [this] { open(); });
  work().add({&m_statisticsJob, &m_aboutJob, &m_moveJob, &m_stepJob, &m_instantJob});
  connect(&m_browser->timeline(), &plot::TimeView::visibleChanged, this, [this] { readStatistics(); });
  connect(m_browser, &shell::SliceBrowser::picked, this, [this](const shell::SliceBrowser::Picked& picked) {
    m_picked = picked;
    showPicked();
    if (page().tabs()->currentWidget() != m_browser->matches()) page().tabs()->setCurrentWidget(m_details);
  });
  connect(m_browser, &shell::SliceBrowser::pickFailed, m_details, &shell::DetailPanel::showProblem);
  connect(m_browser, &shell::SliceBrowser::cleared, this, [this] {
    m_picked.reset();
    showPicked();
  });
  connect(m_browser, &shell::SliceBrowser::marked, this, [this](int track, int lane, const plot::Slice& mark) {
    rows() && rows()->isDevice(track) ? readStep(track, lane, mark) : readInstant(track, mark);
  });
  connect(&m_browser->timeline(), &plot::TimeView::shiftDragged, this, &HostView::moveProcess);
  m_browser->timeline().setRowsMovable([this](int row, int gap) { return rows() ? landingGap(rows()->all(), row, gap) : -1; });
  connect(&m_browser->timeline(), &plot::Timeline::rowDropped, this, [this](int row, int gap) {
    if (!rows()) return;
    moveRow(rows()->all(), m_order, row, gap);
    showRows();
  });
  connect(m_legend, &plot::Legend::shownChanged, this, [this] {
    std::set<int> hidden;
    for (std::size_t i = 0; m_host && i < m_host->channels().size(); ++i)
      if (!m_legend->isShown(int(i))) hidden.insert(m_host->channels()[i].id);
    for (std::size_t i = 0; m_host && i < m_host->activities().size(); ++i)
      if (!m_legend->isShown(int(m_host->channels().size() + i))) hidden.insert(kFirstActivity + int(m_host->activities()[i]));
    m_browser->timeline().setHiddenColours(std::move(hidden));
  });
}

HostView::~HostView() = default;

// The timeline, and the counters below it on the same axis.
void HostView::buildPlot() {
  auto* split = m_split = new QSplitter(Qt::Vertical);
  connect(split, &QSplitter::splitterMoved, this, [this] { m_splitMoved = true; });
  split->setChildrenCollapsible(false);
  split->addWidget(&m_browser->timeline());
  split->addWidget(m_counters = new CounterLanes(theme(), &jobs()));
  split->setStretchFactor(0, 1), split->setStretchFactor(1, 0);
  page().setPlot(split, 0.62);
  plot::Timeline& timeline = m_browser->timeline();
  timeline.setMinimumHeight(140); // some lanes: the page of a low window scrolls
  for (plot::TimeView* view : std::initializer_list<plot::TimeView*>{&timeline, m_counters}) {
    view->setNanoseconds(true);
    view->setGutter(220);
  }
  connect(&timeline, &plot::TimeView::visibleChanged, m_counters, &plot::TimeView::setVisibleRange);
  connect(m_counters, &plot::TimeView::visibleChanged, this, [this](reports::TickRange range) {
    m_browser->timeline().setVisibleRange(range);
    readStatistics();
  });
  connect(&timeline, &plot::TimeView::tickHovered, m_counters, &plot::TimeView::setCursorTick);
  connect(m_counters, &plot::TimeView::tickHovered, &timeline, &plot::TimeView::setCursorTick);
  connect(m_counters, &CounterLanes::heightsChanged, this, &HostView::fitCounters);
  m_counters->hide();
}

void HostView::buildMenu() {
  QMenu* menu = page().viewMenu();
  const auto toggle = [&](const QString& text, const char* id, bool& on, auto changed) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setChecked(on);
    fields().flagOfReport(id, *action, on);
    connect(action, &QAction::toggled, this, changed);
  };
  toggle(tr("Busiest threads first"), "busiestFirst", m_busiestFirst, [this](bool on) {
    m_order.byActivity = on;
    m_order.threads.clear(), m_order.processes.clear();
    showRows();
  });
  toggle(tr("Counters as areas"), "areas", m_areas, [this](bool on) { m_counters->setFilled(on); });
  toggle(tr("Busy threads and IPU activity"), "derived", m_derived, [this](bool on) {
    m_counters->setDerivedShown(on);
    fitCounters();
  });
  menu->addSeparator();
  const auto withThread = [this](auto change) {
    if (!m_host || !m_picked) return page().setBanner(tr("Select a slice of the thread first."), shell::Tone::Neutral);
    change(m_picked->track.value());
    showRows();
  };
  menu->addAction(tr("Pin the thread of the selection to the top"), this,
                  [this, withThread] { withThread([this](uint32_t track) { m_order.pinned.insert(track); }); });
  menu->addAction(tr("Hide the thread of the selection"), this,
                  [this, withThread] { withThread([this](uint32_t track) { m_order.hidden.insert(track); }); });
  const auto addMove = [&](const QString& text, const QKeySequence& keys, auto change, int by) {
    QAction* action = menu->addAction(text, this, [this, withThread, change, by] {
      withThread([this, change, by](uint32_t track) { change(m_host->entries(), m_order, track, by); });
    });
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(action);
  };
  addMove(tr("Move the thread of the selection up"), Qt::ALT | Qt::Key_Up, moveThread, -1);
  addMove(tr("Move the thread of the selection down"), Qt::ALT | Qt::Key_Down, moveThread, 1);
  addMove(tr("Move its process up"), Qt::ALT | Qt::SHIFT | Qt::Key_Up, moveProcessOf, -1);
  addMove(tr("Move its process down"), Qt::ALT | Qt::SHIFT | Qt::Key_Down, moveProcessOf, 1);
  menu->addAction(tr("Show all threads in their order"), this, [this] {
    m_order.pinned.clear(), m_order.hidden.clear(), m_order.threads.clear(), m_order.processes.clear();
    showRows();
  });
  menu->addSeparator();
  for (const QString& hint : {tr("Drag a name to move its row"), tr("Alt and a drag move a process in time")})
    menu->addAction(hint)->setEnabled(false);
  menu->addAction(tr("Remove the time shift of every process"), this, [this] { setOffsets({}, true); });
}

void HostView::buildTabs() {
  QTabWidget* tabs = page().tabs();
  tabs->addTab(m_statistics = new LabelTab(theme(), jobs()), tr("Statistics"));
  tabs->addTab(m_details = new shell::DetailPanel(theme(), tr("Facts about the slice"),
                                                  tr("Click a slice to see what it is and how long it took.")),
               tr("Details"));
  tabs->addTab(m_browser->matches(), tr("Matches"));
  tabs->addTab(m_flowTable = new tables::TableView(theme(), tr("Flows of the slice")), tr("Flows"));
  m_flowTable->setEmptyText(tr("Click a slice to see the flows that leave or reach it."));
  connect(m_flowTable, &tables::TableView::idActivated, this, [this](int64_t id) {
    if (id < 0 || std::size_t(id) >= m_flows.size() || !m_flows[std::size_t(id)].other) return;
    const FlowRow flow = m_flows[std::size_t(id)];
    m_browser->go({flow.otherTrack, *flow.other});
  });
  tabs->addTab(m_calls = new tables::TreeView(theme(), tr("Call tree")), tr("Call tree"));
  tabs->addTab(m_flames = new shell::FlameTab(theme(), flameWords()), tr("Flame graph"));
  fields().tabs("tab", *tabs,
                {{m_statistics, "statistics"},
                 {m_details, "details"},
                 {m_browser->matches(), "matches"},
                 {m_flowTable, "flows"},
                 {m_calls, "calls"},
                 {m_flames, "flames"}});
  fields().hidden("hidden", *m_legend);
  fields().order("flows.order", *m_flowTable);
  m_statistics->addFields(fields());
  m_flames->addFields(fields());
  m_browser->addFields(fields());
  // A click on a label shows its next occurrence.
  connect(m_statistics, &LabelTab::labelActivated, this, [this](const QString& label) { m_browser->find(label, true); });
  work().add({&m_statistics->job()});
}

bool HostView::isBusy() const { return View::isBusy() || m_browser->isBusy() || m_counters->isBusy(); }

void HostView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  if (base && m_host) { // the trace has grown: the old content stays until the new state is read
    m_session = base;
    return open();
  }
  work().drop();
  m_browser->clear();
  m_counters->setHost(nullptr);
  const bool busiestFirst = m_order.byActivity;
  m_order = RowOrder();
  m_order.byActivity = busiestFirst;
  m_dragged.clear();
  m_statistics->setStatistics(nullptr, {}, nullptr, {});
  m_flames->setCalls(nullptr);
  m_host.reset(), m_picked.reset();
  m_session = base;
  showPicked();
  page().clearVerdict(), page().clearBanner();
  if (!base) return showNoReport(tr("A host timeline needs a report."));
  open();
}

void HostView::cancelSelection() { m_aboutJob.cancel(), m_moveJob.cancel(), m_stepJob.cancel(), m_instantJob.cancel(); }

void HostView::open() {
  if (!m_session) return;
  if (!m_host) page().showLoading(tr("Opening the host trace"));
  m_openJob.start([base = std::shared_ptr<const analyser::Session>(m_session)](
                      const std::stop_token& stop, reports::Progress&) { return std::make_shared<OpenHost>(base, stop); },
                  [this](const std::shared_ptr<OpenHost>& host) {
                    cancelSelection(); // of the state before
                    const auto visible = m_browser->timeline().visibleRange();
                    const bool stays = m_host && visible != m_browser->timeline().extent();
                    m_picked.reset();
                    m_order.offsets.clear(); // the new state has its own times
                    m_host = host;
                    showTrace();
                    if (stays) m_browser->timeline().showExactly(visible);
                  },
                  [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { open(); }); });
}

void HostView::showTrace() {
  page().setVerdict(m_host->verdict());
  if (m_host->range().empty() || m_host->entries().empty())
    return page().showEmpty(
        tr("This report holds no host trace"),
        tr("The program that wrote it did not record what the host did. A trace of another tool can be opened "
           "like a report."));
  std::vector<plot::LegendEntry> legend;
  for (const auto& channel : m_host->channels())
    legend.push_back(
        {channel.name, {}, [this, id = channel.id] { return channelColour(id, theme().isDark()); }, plot::Mark::Area, false});
  for (const auto activity : m_host->activities()) {
    QString name = reportText(reports::activityName(activity));
    name = activity == reports::Activity::Scope ? tr("device scopes") : tr("device %1").arg(name);
    legend.push_back(
        {name,
         {},
         [this, activity] { return channelPalette(theme().isDark())[std::size_t(kFirstActivity) + std::size_t(activity)]; },
         plot::Mark::Area,
         false});
  }
  m_legend->setEntries(std::move(legend));
  showRows();
  m_counters->setFormat(format());
  m_counters->setHost(m_host);
  page().showContent();
  fitCounters();
  shell::setTabShown(*page().tabs(), m_flowTable, m_host->hasFlows());
  readStatistics();
}

void HostView::fitCounters() {
  m_counters->setVisible(!m_counters->isEmpty());
  m_counters->setMaximumHeight(m_counters->isEmpty() ? QWIDGETSIZE_MAX : m_counters->preferredHeight());
  m_counters->setMinimumHeight(std::min(m_counters->heightOfCharts(1), kMostOfOneChart));
  page().limitPlot(m_browser->timeline().preferredHeight() + (m_counters->isEmpty() ? 0 : m_counters->preferredHeight()));
  if (m_splitMoved || m_counters->isEmpty()) return;
  // Charts get the height that the threads leave, but at least two fifths, in whole charts.
  const int all = m_split->height() - m_split->handleWidth();
  const int charts = m_counters->fittingHeight(std::max(all - m_browser->timeline().preferredHeight(), all * 2 / 5));
  m_split->setSizes({all - charts, charts});
}

const HostRows* HostView::rows() const { return dynamic_cast<const HostRows*>(m_browser->source()); }

// A drag with Alt moves the process under its start. `ticks` is the distance from the start of the drag.
void HostView::moveProcess(const QPoint& from, int64_t ticks, bool ended) {
  const HostRows* shown = rows();
  const HostEntry* row = shown ? shown->row(m_browser->timeline().trackAtPoint(from)) : nullptr;
  if (!row) return;
  if (m_dragged.empty()) m_dragged = m_order.offsets, m_dragged.try_emplace(row->processId, 0);
  auto offsets = m_dragged;
  offsets[row->processId] += ticks;
  if (ended) m_dragged.clear();
  setOffsets(std::move(offsets), ended);
}

void HostView::setOffsets(std::map<int64_t, int64_t> offsets, bool ended) {
  if (!m_host) return;
  for (const auto& [process, before] : m_order.offsets) offsets.try_emplace(process, 0); // shifts that were put back
  m_order.offsets = offsets;
  m_moveJob.start(
      [host = m_host, offsets = std::move(offsets), ended](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          for (const auto& [process, offset] : offsets) timeline.setOffset(process, reports::Nanoseconds(offset));
          return std::pair(timeline.range(), ended ? timeline.verdict(stop) : analyser::Sentence());
        });
      },
      [this, ended](const std::pair<reports::TickRange, analyser::Sentence>& moved) {
        if (!ended) { // the plot follows; the axis is measured again when the button is released
          m_browser->timeline().refetch();
          return m_counters->refetch();
        }
        const auto visible = m_browser->timeline().visibleRange();
        const bool everything = visible == m_browser->timeline().extent();
        m_host->setMoved(moved.first, moved.second);
        page().setVerdict(m_host->verdict());
        m_picked.reset();
        showPicked();
        showRows();
        m_counters->setHost(m_host);
        if (!everything) m_browser->timeline().showExactly(visible);
        readStatistics();
      });
}

void HostView::showRows() {
  if (!m_host) return;
  auto source = std::make_shared<HostRows>(m_host, orderedEntries(m_host->entries(), m_order));
  source->setCard([this](const plot::Slice& slice, const shell::SliceNote& note) { return sliceCard(slice, note); });
  m_browser->setFormat(format());
  m_browser->show(m_host, std::move(source));
  if (const int track = m_picked ? rows()->trackOf(m_picked->track) : -1; track >= 0) {
    const int64_t key = shell::sliceKey(track, m_picked->slice.depth, m_picked->slice.ticks.begin);
    if (m_browser->timeline().rows().isFolded(track))
      m_browser->timeline().setSelectedId(key);
    else
      m_browser->timeline().selectSlice(track, m_picked->slice.depth, key);
  }
  showFlows(m_flows);
}

shell::FlameWords HostView::flameWords() {
  return {[this](reports::StringId name) { return m_host ? m_host->nameOf(name) : QString(); },
          [this](int channel) { return m_host ? m_host->channelName(channel) : QString(); },
          [this](int channel) { return channelColour(channel, theme().isDark()); },
          [this](int64_t ticks) { return format().nanoseconds(reports::Nanoseconds(ticks)); },
          tr("%1 of all threads together, in the visible range")};
}

void HostView::readStatistics() {
  if (!m_host) return;
  m_statisticsJob.start(
      [host = m_host, range = m_browser->timeline().visibleRange()](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          Statistics statistics{range, timeline.statistics(range, stop), nullptr, nullptr, nullptr};
          statistics.table = statisticsTable(statistics.rows);
          statistics.calls = shell::callsOf(
              analyser::trace::callTree(timeline.slices(), timeline.calledTracks(), range, kMostCalls, stop), kMostCalls);
          statistics.callTable = callTreeTable(statistics.calls->down, *host);
          return statistics;
        });
      },
      [this](const Statistics& statistics) {
        m_statistics->setFormat(format());
        m_statistics->setStatistics(m_host, statistics.rows, statistics.table, statistics.range);
        m_calls->setFormat(format());
        m_calls->setTree(statistics.callTable, 2);
        m_flames->setCalls(statistics.calls);
      },
      [this](const reports::Error& error) {
        page().setBanner(tr("Labels could not be counted: %1").arg(reportText(error.what())), shell::Tone::Bad);
      });
}

QString HostView::threadOf(reports::TrackId track) const {
  QString process;
  for (const HostEntry& row : m_host->entries()) {
    if (row.entry.track.heading)
      process = row.entry.track.title;
    else if (row.entry.id == track)
      return tr("%1, %2").arg(row.entry.track.title, process);
  }
  return {};
}

void HostView::showPicked() {
  m_aboutJob.drop();
  m_stepJob.drop();
  m_instantJob.cancel();
  m_step.reset(), m_instant.reset();
  showFlows({});
  showAbout({});
  m_flames->setName(m_picked ? m_picked->slice.name : reports::StringId());
  if (m_host && m_picked) readAbout();
}

void HostView::readAbout() {
  m_aboutJob.start(
      [host = m_host, picked = *m_picked](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          About about;
          about.details = timeline.details(picked.slice.ref);
          if (const auto* run = timeline.device().startedBy(picked.track, picked.slice.depth, picked.slice.number))
            about.run = deviceRun(timeline, *run, stop);
          for (const auto& flow : timeline.flowsOf(picked.track, picked.slice, kMostFlows, stop)) {
            const bool leaves =
                flow.from == reports::SlicePlace{int64_t(picked.track.value()), picked.slice.depth, picked.slice.number};
            const auto& other = leaves ? flow.to : flow.from;
            const reports::TrackId track(std::size_t(other.track));
            about.flows.push_back({flow, leaves, timeline.flowEnd(other, leaves ? flow.toTick : flow.fromTick, stop), track});
          }
          return about;
        });
      },
      [this](const About& about) {
        showFlows(about.flows);
        showAbout(about);
        // For a slice that runs the device, scrolls to its steps below it.
        if (about.run && rows())
          for (const int track : rows()->deviceTracks()) m_browser->timeline().reveal(track);
      },
      [this](const reports::Error& error) { m_details->showProblem(reportText(error.what())); });
}

// Arrows in the plot and rows in the table.
void HostView::showFlows(const std::vector<FlowRow>& flows) {
  m_flowTable->setEmptyText(m_picked ? tr("No flow leaves or reaches the slice.")
                                     : tr("Click a slice to see the flows that leave or reach it."));
  if (&flows != &m_flows) m_flows = flows;
  std::vector<plot::Timeline::Arrow> arrows;
  const auto* source = m_browser->source();
  for (const FlowRow& f : m_flows) {
    if (!source) break;
    const int from = source->trackOf(reports::TrackId(std::size_t(f.flow.from.track)));
    const int to = source->trackOf(reports::TrackId(std::size_t(f.flow.to.track)));
    if (from >= 0 && to >= 0)
      arrows.push_back({from, int(f.flow.from.depth), to, int(f.flow.to.depth), f.flow.fromTick, f.flow.toTick});
  }
  m_browser->timeline().setArrows(std::move(arrows));
  if (m_host) m_flowTable->setTable(flowTable(m_flows, *m_host, [this](reports::TrackId track) { return threadOf(track); }));
  page().tabs()->setTabText(page().tabs()->indexOf(m_flowTable),
                            m_flows.empty() ? tr("Flows") : tr("Flows (%1)").arg(theme::count(int64_t(m_flows.size()))));
}

void HostView::formatChanged() {
  m_browser->setFormat(format());
  m_browser->timeline().setFormat(format());
  m_counters->setFormat(format());
  m_statistics->setFormat(format());
  m_flames->draw();
  m_calls->setFormat(format());
  const auto step = m_step;
  const auto instant = m_instant;
  showPicked();
  if (step) showStep(*step);
  if (instant) showInstant(*instant);
}

} // namespace ui::host
