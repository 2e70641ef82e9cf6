#include "ui/views/host/host_view.h"

#include "ui/plot/legend.h"
#include "ui/plot/timeline.h"
#include "ui/shell/detail_panel.h"
#include "ui/shell/job_link.h"
#include "ui/shell/page.h"
#include "ui/shell/report_text.h"
#include "ui/shell/slice_browser.h"
#include "ui/shell/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/theme.h"
#include "ui/views/host/counter_lanes.h"

#include <QMenu>
#include <QSplitter>
#include <QTabWidget>

namespace ui::host {

using shell::reportText;

namespace {
constexpr std::size_t kMostFlows = 500;    // of one slice
constexpr std::size_t kMostCalls = 20'000; // nodes of the call tree
} // namespace

HostView::HostView(const shell::ViewParts& parts)
    : View(parts), m_openJob(tr("Opening the host trace"), &parts.jobs), m_statisticsJob(tr("Counting by label"), &parts.jobs),
      m_aboutJob(tr("Reading details"), &parts.jobs),
      m_browser(
          new shell::SliceBrowser(*this, page(), theme(), jobs(),
                                  {tr("Host timeline"), tr("Search for labels"), tr("No label is named like “%1”."), true})) {
  page().addHeaderRow(m_legend = new plot::Legend(theme()));
  buildPlot();
  buildTabs();
  buildMenu();
  shell::linkMainJob(*this, page(), m_openJob, [this] { open(); });
  shell::linkJob(*this, m_statisticsJob);
  shell::linkJob(*this, m_aboutJob);
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
  connect(m_browser, &shell::SliceBrowser::marked, this,
          [this](int track, int, const plot::Slice& mark) { showInstant(track, mark); });
  connect(m_legend, &plot::Legend::shownChanged, this, [this] {
    std::set<int> hidden;
    for (std::size_t i = 0; m_host && i < m_host->channels().size(); ++i)
      if (!m_legend->isShown(int(i))) hidden.insert(m_host->channels()[i].id);
    m_browser->timeline().setHiddenColours(std::move(hidden));
  });
}

HostView::~HostView() = default;

// The timeline, and the counters below it on the same time.
void HostView::buildPlot() {
  auto* split = new QSplitter(Qt::Vertical);
  split->setChildrenCollapsible(false);
  split->addWidget(&m_browser->timeline());
  split->addWidget(m_counters = new CounterLanes(theme(), &jobs()));
  split->setStretchFactor(0, 1), split->setStretchFactor(1, 0);
  page().setPlot(split, 0.56);
  plot::Timeline& timeline = m_browser->timeline();
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
  m_counters->hide();
}

void HostView::buildMenu() {
  QMenu* menu = page().viewMenu();
  const auto toggle = [&](const QString& text, bool on, auto changed) {
    QAction* action = menu->addAction(text);
    action->setCheckable(true);
    action->setChecked(on);
    connect(action, &QAction::toggled, this, changed);
  };
  toggle(tr("Busiest threads first"), false, [this](bool on) {
    m_order.byActivity = on;
    showRows();
  });
  toggle(tr("Counters as areas"), true, [this](bool on) { m_counters->setFilled(on); });
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
  menu->addAction(tr("Show all threads in their order"), this, [this] {
    m_order.pinned.clear(), m_order.hidden.clear();
    showRows();
  });
}

void HostView::buildTabs() {
  QTabWidget* tabs = page().tabs();
  tabs->addTab(m_statistics = new tables::FilteredTable(theme(), tr("Statistics by label")), tr("Statistics"));
  tabs->addTab(m_details = new shell::DetailPanel(theme(), tr("Facts about the slice"),
                                                  tr("Click a slice to see what it is and how long it took.")),
               tr("Details"));
  tabs->addTab(m_browser->matches(), tr("Matches"));
  tabs->addTab(m_flowTable = new tables::TableView(theme(), tr("Flows of the slice")), tr("Flows"));
  m_flowTable->setEmptyText(tr("No flow leaves or reaches the selected slice."));
  connect(m_flowTable, &tables::TableView::idActivated, this, [this](int64_t id) {
    if (id < 0 || std::size_t(id) >= m_flows.size() || !m_flows[std::size_t(id)].other) return;
    const FlowRow flow = m_flows[std::size_t(id)];
    m_browser->go({flow.otherTrack, *flow.other});
  });
  tabs->addTab(m_calls = new tables::TreeView(theme(), tr("Call tree")), tr("Call tree"));
  // A label leads to its next occurrence.
  connect(&m_statistics->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto statistics = m_statisticsJob.result();
    if (statistics && id >= 0 && std::size_t(id) < statistics->rows.size())
      m_browser->find(QString::fromStdString(statistics->rows[std::size_t(id)].label), true);
  });
}

bool HostView::isBusy() const {
  return m_openJob.isBusy() || m_statisticsJob.isBusy() || m_aboutJob.isBusy() || m_browser->isBusy() || m_counters->isBusy();
}

void HostView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  m_openJob.cancel(), m_statisticsJob.cancel(), m_aboutJob.cancel();
  m_openJob.forget(), m_statisticsJob.forget(), m_aboutJob.forget();
  m_browser->clear();
  m_counters->setHost(nullptr);
  m_order.pinned.clear(), m_order.hidden.clear();
  m_host.reset(), m_picked.reset();
  m_session = base;
  showPicked();
  page().clearVerdict(), page().clearBanner();
  if (!base) return showNoReport(tr("A host timeline needs a report."));
  open();
}

void HostView::open() {
  if (!m_session) return;
  page().showLoading(tr("Opening the host trace"));
  m_openJob.start([base = std::shared_ptr<const analyser::Session>(m_session)](
                      const std::stop_token& stop, reports::Progress&) { return std::make_shared<OpenHost>(base, stop); },
                  [this](const std::shared_ptr<OpenHost>& host) {
                    m_host = host;
                    showTrace();
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
  m_legend->setEntries(std::move(legend));
  showRows();
  m_counters->setFormat(format());
  m_counters->setHost(m_host);
  m_counters->setVisible(!m_counters->isEmpty());
  m_counters->setMaximumHeight(m_counters->isEmpty() ? QWIDGETSIZE_MAX : m_counters->preferredHeight());
  m_counters->setMinimumHeight(std::min(m_counters->preferredHeight(), 100));
  page().showContent();
  page().limitPlot(m_browser->timeline().preferredHeight() + (m_counters->isEmpty() ? 0 : m_counters->preferredHeight()));
  page().tabs()->setTabVisible(page().tabs()->indexOf(m_flowTable), m_host->hasFlows());
  readStatistics();
}

void HostView::showRows() {
  if (!m_host) return;
  auto source = std::make_shared<HostRows>(m_host, orderedEntries(m_host->entries(), m_order));
  source->setCard([this](const plot::Slice& slice, const shell::SliceNote& note) { return sliceCard(slice, note); });
  m_browser->setFormat(format());
  m_browser->show(m_host, std::move(source));
  showFlows(m_flows);
}

void HostView::readStatistics() {
  if (!m_host) return;
  m_statisticsJob.start(
      [host = m_host, range = m_browser->timeline().visibleRange(), dark = theme().isDark()](const std::stop_token& stop,
                                                                                             reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          Statistics statistics{timeline.statistics(range, stop), nullptr, nullptr};
          statistics.table = statisticsTable(statistics.rows);
          statistics.calls = callTreeTable(analyser::host::callTree(timeline, range, kMostCalls, stop), *host, dark);
          return statistics;
        });
      },
      [this](const Statistics& statistics) {
        m_statistics->view().setFormat(format());
        m_statistics->setTable(statistics.table);
        m_calls->setFormat(format());
        m_calls->setTree(statistics.calls, 2);
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
  m_aboutJob.cancel(), m_aboutJob.forget();
  showFlows({});
  showAbout({});
  if (m_host && m_picked) readAbout();
}

void HostView::readAbout() {
  m_aboutJob.start(
      [host = m_host, picked = *m_picked](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          About about;
          about.details = timeline.details(picked.slice.ref);
          for (const auto& flow : timeline.flowsOf(picked.track, picked.slice, kMostFlows, stop)) {
            const bool leaves = flow.from.track == int64_t(picked.track.value()) && flow.from.depth == picked.slice.depth &&
                                flow.from.slice == picked.slice.number;
            const auto& other = leaves ? flow.to : flow.from;
            const reports::TrackId track(std::size_t(other.track));
            about.flows.push_back(
                {flow, leaves, timeline.slices().sliceAt(track, int(other.depth), leaves ? flow.toTick : flow.fromTick), track});
          }
          return about;
        });
      },
      [this](const About& about) {
        showFlows(about.flows);
        showAbout(about);
      },
      [this](const reports::Error& error) { m_details->showProblem(reportText(error.what())); });
}

// Arrows in the picture and rows in the table.
void HostView::showFlows(const std::vector<FlowRow>& flows) {
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

void HostView::showInstant(int track, const plot::Slice& mark) {
  m_picked.reset();
  showPicked();
  const auto* source = m_browser->source();
  if (!m_host || !source) return;
  const shell::SliceNote note = source->note(mark.id);
  const std::string json =
      m_host->reader().use([&](analyser::host::HostTimeline& timeline) { return timeline.details(note.ref); });
  const QString name = note.name.valid() ? reportText(m_host->session().text(note.name)) : QString();
  std::vector<shell::Fact> facts{{tr("At"), format().nanoseconds(reports::Nanoseconds(mark.begin - m_host->range().begin)),
                                  theme::count(mark.begin) + QStringLiteral(" ns"), false},
                                 {tr("Channel"), m_host->channelName(note.category), {}, false},
                                 {tr("Thread"), threadOf(source->trackId(track)), {}, false}};
  if (mark.count > 1) facts.push_back({tr("Drawn here"), theme::plural(mark.count, tr("instant"), tr("instants")), {}, false});
  for (auto& fact : jsonFacts(json)) facts.push_back(std::move(fact));
  m_details->show(tr("Instant: %1").arg(name), facts);
  page().tabs()->setCurrentWidget(m_details);
}

void HostView::showAbout(const About& about) {
  emit selectionTextChanged();
  if (!m_host || !m_picked) return m_details->showHint();
  const auto& slice = m_picked->slice;
  const QString name = nameOf(slice);
  const auto time = [this](int64_t ns) { return format().nanoseconds(reports::Nanoseconds(ns)); };
  const auto exact = [](int64_t ns) { return theme::count(ns) + QStringLiteral(" ns"); };
  const auto& t = slice.ticks;
  const auto moment = [&](int64_t ns) {
    return theme::Format::moment(reports::Nanoseconds(ns - m_host->range().begin), reports::Nanoseconds(t.size()));
  };
  m_details->show(m_picked->folded ? tr("Longest of the folded slices: %1").arg(name) : name,
                  {{tr("Duration"), time(t.size()), exact(t.size()), false},
                   {tr("From"), moment(t.begin), exact(t.begin), false},
                   {tr("To"), moment(t.end), exact(t.end), false},
                   {tr("Share of the trace"),
                    theme::percent(double(t.size()) / double(std::max<int64_t>(1, m_host->range().size()))),
                    {},
                    false},
                   {tr("Channel"), m_host->channelName(slice.category), {}, false},
                   {tr("Thread"), threadOf(m_picked->track), {}, false},
                   {tr("Depth"), theme::count(slice.depth), {}, false}});
  std::vector<shell::Fact> facts{{tr("Duration"), time(t.size()), exact(t.size()), false},
                                 {tr("From"), time(t.begin - m_host->range().begin), exact(t.begin), false},
                                 {tr("To"), time(t.end - m_host->range().begin), exact(t.end), false},
                                 {tr("Share of the trace"),
                                  theme::percent(double(t.size()) / double(std::max<int64_t>(1, m_host->range().size()))),
                                  {},
                                  false},
                                 {tr("Channel"), m_host->channelName(slice.category), {}, false},
                                 {tr("Thread"), threadOf(m_picked->track), {}, false},
                                 {tr("Depth"), theme::count(slice.depth), {}, false}};
  for (auto& fact : jsonFacts(about.details)) facts.push_back(std::move(fact));
  m_details->show(m_picked->folded ? tr("Longest of the folded slices: %1").arg(name) : name, facts);
}

QString HostView::nameOf(const analyser::trace::Slice& slice) const { return reportText(m_host->session().text(slice.name)); }

QString HostView::selectionText() const {
  if (!m_host || !m_picked) return {};
  return tr("%1: %2").arg(nameOf(m_picked->slice), format().nanoseconds(reports::Nanoseconds(m_picked->slice.duration())));
}

plot::Card HostView::sliceCard(const plot::Slice& slice, const shell::SliceNote& note) const {
  plot::Card card;
  if (!m_host) return card;
  const QString name = note.name.valid() ? reportText(m_host->session().text(note.name)) : QString();
  const QColor colour = channelColour(slice.colour, theme().isDark());
  const auto time = [this](int64_t ns) { return format().nanoseconds(reports::Nanoseconds(ns)); };
  const bool isFlag = slice.end - slice.begin == 1 && note.widest == 0;
  if (isFlag) {
    card.title = slice.count > 1 ? theme::plural(slice.count, tr("instant"), tr("instants")) : name;
    card.rows.push_back({m_host->channelName(slice.colour), slice.count > 1 ? tr("first: %1").arg(name) : tr("instant"), colour});
    card.rows.push_back({tr("at"), time(slice.begin - m_host->range().begin), {}});
    card.hint = tr("Click for details");
  } else if (slice.count > 1) {
    card.title = theme::plural(slice.count, tr("slice"), tr("slices")) + tr(", folded");
    card.rows.push_back({m_host->channelName(slice.colour), theme::percent(note.density) + tr(" busy"), colour});
    card.rows.push_back({tr("longest"), tr("%1, %2").arg(name, time(note.widest)), {}});
    card.hint = tr("Wheel zooms in, click selects the longest");
  } else {
    card.title = name;
    card.rows.push_back({m_host->channelName(slice.colour),
                         tr("%1 (%2 ns)").arg(time(slice.end - slice.begin), theme::count(slice.end - slice.begin)), colour});
    card.rows.push_back({tr("from"), time(slice.begin - m_host->range().begin), {}});
    card.hint = tr("Click for details, double-click zooms");
  }
  return card;
}

void HostView::formatChanged() {
  m_browser->setFormat(format());
  m_browser->timeline().setFormat(format());
  m_counters->setFormat(format());
  m_statistics->view().setFormat(format());
  m_calls->setFormat(format());
  showPicked();
}

} // namespace ui::host
