#include "ui/views/host/host_view.h"

#include "ui/parts/detail_panel.h"
#include "ui/parts/page.h"
#include "ui/parts/shown_tabs.h"
#include "ui/parts/slice_browser.h"
#include "ui/parts/state_page.h"
#include "ui/plot/legend.h"
#include "ui/plot/timeline.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/theme/tokens.h"
#include "ui/views/host/counter_lanes.h"
#include "ui/views/host/label_tab.h"
#include "ui/views/host/slice_tab.h"

#include <QComboBox>
#include <QSplitter>
#include <QTabWidget>
#include <QTimer>

namespace ui::host {

using theme::messageText;
using theme::reportText;

namespace {
constexpr std::size_t kMostFlows = 500; // of one slice
constexpr int kMostOfOneChart = 96;     // least pixels of a chart, even in a small window
constexpr int kLow = 580;               // pixels of the view in a window of 1024x600, and a little more

// "1000-2500", as links hold a range.
QString rangeText(reports::TickRange range) {
  return range.empty() ? QString() : QStringLiteral("%1-%2").arg(range.begin).arg(range.end);
}
reports::TickRange rangeOf(const QString& text) {
  const qsizetype dash = text.indexOf('-', 1); // the begin may be negative
  bool isBegin = false, isEnd = false;
  const reports::TickRange range{text.left(dash).toLongLong(&isBegin), text.mid(dash + 1).toLongLong(&isEnd)};
  return dash > 0 && isBegin && isEnd && !range.empty() ? range : reports::TickRange();
}
} // namespace

HostView::HostView(const shell::ViewParts& parts)
    : View(parts), m_openJob(tr("Opening the host trace"), &parts.jobs), m_aboutJob(tr("Reading details"), &parts.jobs),
      m_moveJob(tr("Moving a process"), &parts.jobs), m_stepJob(tr("Reading a step"), &parts.jobs),
      m_instantJob(tr("Reading an instant"), &parts.jobs),
      m_browser(
          new shell::SliceBrowser(*this, page(), theme(), jobs(),
                                  {tr("Host timeline"), tr("Search for labels"), tr("No label is named like “%1”."), true})) {
  page().addHeaderRow(m_legend = new plot::Legend(theme()));
  buildPlot();
  buildTabs();
  buildMenu();
  setMainJob(m_openJob, [this] { open(); });
  work().add({&m_aboutJob, &m_moveJob, &m_stepJob, &m_instantJob});
  connect(&m_browser->timeline(), &plot::TimeView::visibleChanged, this, &HostView::rangeMoved);
  connect(m_browser, &shell::SliceBrowser::picked, this, [this](const shell::SliceBrowser::Picked& picked) {
    m_picked = picked;
    m_counters->setSelectedTicks(picked.slice.ticks);
    showPicked();
    const QWidget* tab = page().tabs()->currentWidget(); // a selection in a list keeps the list
    if (tab != m_browser->matches() && tab != m_figures->slices()) page().tabs()->setCurrentWidget(m_details);
  });
  connect(m_browser, &shell::SliceBrowser::pickFailed, m_details, &shell::DetailPanel::showProblem);
  connect(m_browser, &shell::SliceBrowser::cleared, this, [this] {
    m_picked.reset();
    m_counters->setSelectedTicks({});
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
    for (std::size_t i = 0; m_host && i < m_channels.size(); ++i) {
      if (m_legend->isShown(int(i))) continue;
      const int id = m_channels[i].id;
      hidden.insert(id);
      for (int hue = 0; hue < kNameHues; ++hue) hidden.insert(kFirstName + id * kNameHues + hue);
    }
    for (std::size_t i = 0; m_host && i < m_host->activities().size(); ++i)
      if (!m_legend->isShown(int(m_channels.size() + i))) hidden.insert(kFirstActivity + int(m_host->activities()[i]));
    m_browser->timeline().setHiddenColours(std::move(hidden));
    m_figures->read(); // calls in hidden channels do not count
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
  page().setPlot(split, 0.6);
  plot::Timeline& timeline = m_browser->timeline();
  timeline.setMinimumHeight(140); // some lanes: the page of a low window scrolls
  for (plot::TimeView* view : std::initializer_list<plot::TimeView*>{&timeline, m_counters}) {
    view->setNanoseconds(true);
    view->setGutter(220);
  }
  connect(&timeline, &plot::TimeView::visibleChanged, m_counters, &plot::TimeView::setVisibleRange);
  connect(m_counters, &plot::TimeView::visibleChanged, this, [this](reports::TickRange range) {
    m_browser->timeline().setVisibleRange(range);
    rangeMoved();
  });
  for (plot::TimeView* view : std::initializer_list<plot::TimeView*>{&timeline, m_counters})
    connect(view, &plot::TimeView::rangeMeasured, this, &HostView::setMeasured);
  connect(&timeline, &plot::TimeView::tickHovered, m_counters, &plot::TimeView::setCursorTick);
  connect(m_counters, &plot::TimeView::tickHovered, &timeline, &plot::TimeView::setCursorTick);
  connect(m_counters, &CounterLanes::heightsChanged, this, &HostView::fitCounters);
  m_counters->hide();
}

void HostView::buildTabs() {
  QTabWidget* tabs = page().tabs();
  m_figures = std::make_unique<HostFigures>(theme(), jobs(), *tabs, [this] { return query(); });
  page().addTool(m_figures->values());
  tabs->addTab(m_figures->statistics(), tr("Statistics"));
  tabs->addTab(m_details = new shell::DetailPanel(theme(), tr("Facts about the slice"),
                                                  tr("Click a slice to see what it is and how long it took.")),
               tr("Details"));
  m_arguments = new ArgumentTree(theme(), this);
  m_details->addPlot(&m_arguments->view());
  connect(m_arguments, &ArgumentTree::searched, this, [this](const QString& text) {
    m_browser->searchFor(text);
    page().tabs()->setCurrentWidget(m_browser->matches());
  });
  connect(m_arguments, &ArgumentTree::grouped, this, [this](const QString& argument) {
    m_figures->slices()->groupBy(argument);
    page().tabs()->setCurrentWidget(m_figures->slices());
  });
  connect(m_arguments, &ArgumentTree::failed, this, [this](const QString& why) { page().setBanner(why, shell::Tone::Neutral); });
  tabs->addTab(m_figures->waits(), tr("While the IPU waits"));
  tabs->addTab(m_figures->slices(), tr("Slices"));
  connect(m_figures->slices(), &SliceTab::sliceChosen, this, [this](const shell::Found& slice) { m_browser->go(slice); });
  tabs->addTab(m_browser->matches(), tr("Matches"));
  tabs->addTab(m_flowTable = new tables::TableView(theme(), tr("Flows of the slice")), tr("Flows"));
  m_flowTable->setEmptyText(tr("Click a slice to see the flows that leave or reach it."));
  connect(m_flowTable, &tables::TableView::idActivated, this, [this](int64_t id) {
    if (id < 0 || std::size_t(id) >= m_flows.size() || !m_flows[std::size_t(id)].other) return;
    const FlowRow flow = m_flows[std::size_t(id)];
    m_browser->go({flow.otherTrack, *flow.other});
  });
  tabs->addTab(m_figures->calls(), tr("Call tree"));
  tabs->addTab(m_figures->flames(), tr("Flame graph"));
  fields().tabs("tab", *tabs,
                {{m_figures->statistics(), "statistics"},
                 {m_details, "details"},
                 {m_figures->waits(), "waits"},
                 {m_figures->slices(), "slices"},
                 {m_browser->matches(), "matches"},
                 {m_flowTable, "flows"},
                 {m_figures->calls(), "calls"},
                 {m_figures->flames(), "flames"}});
  addRowWays();
  fields().hidden("hidden", *m_legend);
  fields().order("flows.order", *m_flowTable);
  m_figures->addFields(fields());
  m_browser->addFields(fields());
  fields().selection(
      "measured", m_browser->timeline(), [this] { return rangeText(m_browser->timeline().measured()); },
      [this](const QString& text) { // the text may come from a link, even one to another trace
        setMeasured(m_host ? rangeOf(text).clippedTo(m_host->range()) : reports::TickRange());
      });
  // A click on a label shows its next occurrence.
  connect(m_figures.get(), &HostFigures::labelActivated, this, [this](const QString& label) { m_browser->find(label, true); });
  connect(m_figures.get(), &HostFigures::valueChosen, this, [this] {
    if (!m_host || m_figures->value() >= m_host->values().size()) return; // a link is read before its trace
    page().setVerdict(m_host->verdict(m_figures->value()));
    showValue();
    m_counters->setVisible(hasTimeAxis() && !m_counters->isEmpty());
    showLegend();
    showRows();
    if (m_picked && rows() && rows()->trackOf(m_picked->track) < 0) m_picked.reset(), showPicked();
    m_browser->timeline().fit(); // another value has another axis, or other rows
  });
  connect(m_figures.get(), &HostFigures::failed, this,
          [this](const QString& message) { page().setBanner(message, shell::Tone::Bad); });
  work().add(m_figures->jobs());
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
  m_counters->setSelectedTicks({});
  const bool busiestFirst = m_order.byActivity;
  m_order = RowOrder();
  m_order.byActivity = busiestFirst;
  m_dragged.clear();
  m_figures->forget();
  m_host.reset(), m_picked.reset();
  setMeasured({});
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
                    cancelSelection(); // the selection belongs to the previous state
                    const auto visible = m_browser->timeline().visibleRange();
                    const bool isFirst = !m_host;
                    const bool stays = m_host && visible != m_browser->timeline().extent();
                    m_picked.reset();
                    m_order.offsets.clear(); // the new state has its own times
                    m_host = host;
                    m_host->setColours(m_colours);
                    const bool isUntouched = isFirst && page().tabs()->currentWidget() == m_figures->statistics();
                    showTrace();
                    if (isUntouched && host->isSampled()) // a sampled profile is easiest to read as a flame graph
                      page().tabs()->setCurrentWidget(m_figures->flames());
                    else if (isUntouched && host->hasWaits()) // the headline is about the waits, so their table is shown
                      page().tabs()->setCurrentWidget(m_figures->waits());
                    if (stays) m_browser->timeline().showExactly(visible);
                  },
                  [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { open(); }); });
}

void HostView::showTrace() {
  m_figures->listValues(*m_host);
  page().setVerdict(m_host->verdict(m_figures->value()));
  showValue();
  if (m_host->range().empty() || m_host->entries().empty()) {
    page().showEmpty(
        tr("This report holds no host trace"),
        tr("The program that wrote it did not record what the host did. Add a recording of the host, or a trace "
           "of another tool. The example shows what a host does while the IPU waits; it runs in a terminal and needs "
           "Python 3 with the package python3-tilescope."),
        tr("Add traces…"), [this] { emit tracesRequested(); });
    return page().statePage().addWay(tr("See the example…"),
                                     [this] { emit helpRequested(QStringLiteral("host-waits.md#in-one-command")); });
  }
  showLegend();
  showRows();
  m_counters->setFormat(format());
  m_counters->setHost(m_host);
  page().showContent();
  fitCounters();
  shell::setTabShown(*page().tabs(), m_flowTable, m_host->hasFlows());
  shell::setTabShown(*page().tabs(), m_figures->waits(), m_host->hasWaits());
  m_figures->read();
}

bool HostView::hasTimeAxis() const { return !m_host || m_host->values()[m_figures->chosenOf(*m_host)].isInTime; }

// A profile that is not in time has an axis in the unit of the shown value.
void HostView::showValue() {
  using Unit = analyser::host::MeasuredValue::Unit;
  const auto& value = m_host->values()[m_figures->chosenOf(*m_host)];
  std::optional<plot::TickFormat::Amount> amount;
  if (!value.isInTime && value.unit != Unit::Time) amount = {value.unit == Unit::Bytes, value.ticksPerUnit};
  m_browser->timeline().setNanoseconds(true, amount);
}

void HostView::fitCounters() {
  m_counters->setVisible(hasTimeAxis() && !m_counters->isEmpty());
  m_counters->setMaximumHeight(m_counters->isEmpty() ? QWIDGETSIZE_MAX : m_counters->preferredHeight());
  m_counters->setMinimumHeight(std::min(m_counters->heightOfCharts(1), kMostOfOneChart));
  page().limitPlot(m_browser->timeline().preferredHeight() + (m_counters->isEmpty() ? 0 : m_counters->preferredHeight()));
  if (m_splitMoved || m_counters->isEmpty()) return;
  // Charts get at least two fifths (a quarter in a low window), in whole charts, and all of the height that the threads leave.
  const int all = m_split->height() - m_split->handleWidth(), left = all - m_browser->timeline().preferredHeight();
  const int charts = std::max(m_counters->fittingHeight(std::max(left, m_isLow ? all / 4 : all * 2 / 5)),
                              std::min(left, m_counters->preferredHeight()));
  m_split->setSizes({all - charts, charts});
}

void HostView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  if ((height() < kLow) == m_isLow) return;
  m_isLow = !m_isLow;
  m_browser->timeline().setMinimapShown(!m_isLow);
  m_counters->setLow(m_isLow);
  QTimer::singleShot(0, this, &HostView::fitCounters); // when the plot has its height
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
  for (const auto& [process, before] : m_order.offsets) offsets.try_emplace(process, 0); // shifts that are no longer set
  m_order.offsets = offsets;
  m_moveJob.start(
      [host = m_host, offsets = std::move(offsets), ended](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          for (const auto& [process, offset] : offsets) timeline.setOffset(process, reports::Nanoseconds(offset));
          OpenHost::Moved moved{timeline.range(), {}, {}};
          if (!ended) return moved;
          moved.values = analyser::host::valuesOf(timeline, stop);
          moved.verdicts = OpenHost::verdictsOf(timeline, moved.values, stop);
          return moved;
        });
      },
      [this, ended](const OpenHost::Moved& moved) {
        if (!ended) { // the plot follows; the axis is measured again when the button is released
          m_browser->timeline().refetch();
          return m_counters->refetch();
        }
        const auto visible = m_browser->timeline().visibleRange();
        const bool everything = visible == m_browser->timeline().extent();
        m_host->setMoved(moved);
        page().setVerdict(m_host->verdict(m_figures->value()));
        m_picked.reset();
        showPicked();
        showRows();
        m_counters->setHost(m_host);
        if (!everything) m_browser->timeline().showExactly(visible);
        m_figures->timesMoved();
      });
}

void HostView::showRows() {
  if (!m_host) return;
  const std::size_t value = m_figures->chosenOf(*m_host);
  auto source = std::make_shared<HostRows>(m_host, orderedEntries(m_host->entriesFor(value), m_order), m_host->rangeFor(value));
  source->setCard([this](const plot::Slice& slice, const shell::SliceNote& note) { return sliceCard(slice, note); });
  m_browser->setFormat(format());
  m_browser->show(m_host, std::move(source));
  if (const int track = m_picked ? rows()->trackOf(m_picked->track) : -1; track >= 0) {
    const int64_t key = shell::sliceKey(track, m_picked->slice.depth, m_picked->slice.ticks.begin);
    if (m_browser->timeline().rows().isFolded(track))
      m_browser->timeline().setSelectedId(key);
    else
      m_browser->timeline().selectSlice(track, m_picked->slice.depth, key);
    m_browser->timeline().narrowSelection(key, m_picked->slice.ticks);
  }
  showFlows(m_flows);
}

HostFigures::Query HostView::query() const {
  const auto measured = m_browser->timeline().measured();
  std::set<int> hidden;
  for (std::size_t i = 0; m_host && i < m_channels.size(); ++i)
    if (!m_legend->isShown(int(i))) hidden.insert(m_channels[i].id);
  return {m_host, measured.empty() ? m_browser->timeline().visibleRange() : measured, !measured.empty(), std::move(hidden)};
}

// Figures of A–B stay while the visible range moves.
void HostView::rangeMoved() {
  if (m_browser->timeline().measured().empty()) m_figures->read();
}

void HostView::setMeasured(reports::TickRange range) {
  if (range.empty()) range = {};
  m_browser->timeline().setMeasured(range), m_counters->setMeasured(range);
  m_figures->showTitles();
  m_figures->read();
  emit selectionTextChanged();
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
  m_figures->flames()->setName(m_picked ? m_picked->slice.name : reports::StringId());
  if (m_host && m_picked) readAbout();
}

void HostView::readAbout() {
  m_aboutJob.start(
      [host = m_host, picked = *m_picked](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          About about;
          about.arguments = analyser::host::argumentsOf(timeline.details(picked.slice.ref));
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
      [this](const reports::Error& error) { m_details->showProblem(messageText(error.what())); });
}

// Shows flows as arrows in the plot and as rows in the table.
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
  m_figures->setFormat(format());
  const auto step = m_step;
  const auto instant = m_instant;
  showPicked();
  if (step) showStep(*step);
  if (instant) showInstant(*instant);
}

} // namespace ui::host
