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

#include <QTabWidget>

namespace ui::host {

using shell::reportText;

HostView::HostView(const shell::ViewParts& parts)
    : View(parts), m_openJob(tr("Opening the host trace"), &parts.jobs), m_statisticsJob(tr("Counting by label"), &parts.jobs),
      m_browser(new shell::SliceBrowser(*this, page(), theme(), jobs(),
                                        {tr("Host timeline"), tr("Search for labels"), tr("No label is named like “%1”."), true})) {
  page().addHeaderRow(m_legend = new plot::Legend(theme()));
  page().setPlot(&m_browser->timeline(), 0.52);
  m_browser->timeline().setNanoseconds(true);
  m_browser->timeline().setGutter(220);
  buildTabs();
  shell::linkMainJob(*this, page(), m_openJob, [this] { open(); });
  shell::linkJob(*this, m_statisticsJob);
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
  connect(m_legend, &plot::Legend::shownChanged, this, [this] {
    std::set<int> hidden;
    for (std::size_t i = 0; m_host && i < m_host->channels().size(); ++i)
      if (!m_legend->isShown(int(i))) hidden.insert(m_host->channels()[i].id);
    m_browser->timeline().setHiddenColours(std::move(hidden));
  });
}

HostView::~HostView() = default;

void HostView::buildTabs() {
  QTabWidget* tabs = page().tabs();
  tabs->addTab(m_statistics = new tables::FilteredTable(theme(), tr("Statistics by label")), tr("Statistics"));
  tabs->addTab(m_details = new shell::DetailPanel(theme(), tr("Facts about the slice"),
                                                  tr("Click a slice to see what it is and how long it took.")),
               tr("Details"));
  tabs->addTab(m_browser->matches(), tr("Matches"));
  // A label leads to its next occurrence.
  connect(&m_statistics->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto statistics = m_statisticsJob.result();
    if (statistics && id >= 0 && std::size_t(id) < statistics->rows.size())
      m_browser->find(QString::fromStdString(statistics->rows[std::size_t(id)].label), true);
  });
}

bool HostView::isBusy() const { return m_openJob.isBusy() || m_statisticsJob.isBusy() || m_browser->isBusy(); }

void HostView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  m_openJob.cancel(), m_statisticsJob.cancel();
  m_openJob.forget(), m_statisticsJob.forget();
  m_browser->clear();
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
    return page().showEmpty(tr("This report holds no host trace"),
                            tr("The program that wrote it did not record what the host did."));
  std::vector<plot::LegendEntry> legend;
  for (const auto& channel : m_host->channels())
    legend.push_back(
        {channel.name, {}, [this, id = channel.id] { return channelColour(id, theme().isDark()); }, plot::Mark::Area, false});
  m_legend->setEntries(std::move(legend));
  auto source = std::make_shared<shell::TrackSource>(
      m_host, m_host->entries(), m_host->range(),
      [host = m_host](reports::StringId id) { return reportText(host->session().text(id)); }, channelPalette);
  source->setCard([this](const plot::Slice& slice, const shell::SliceNote& note) { return sliceCard(slice, note); });
  m_browser->setFormat(format());
  m_browser->show(m_host, std::move(source));
  page().showContent();
  page().limitPlot(m_browser->timeline().preferredHeight());
  readStatistics();
}

void HostView::readStatistics() {
  if (!m_host) return;
  m_statisticsJob.start(
      [host = m_host, range = m_browser->timeline().visibleRange()](const std::stop_token& stop, reports::Progress&) {
        return host->reader().use([&](analyser::host::HostTimeline& timeline) {
          Statistics statistics{timeline.statistics(range, stop), nullptr};
          statistics.table = statisticsTable(statistics.rows);
          return statistics;
        });
      },
      [this](const Statistics& statistics) {
        m_statistics->view().setFormat(format());
        m_statistics->setTable(statistics.table);
      },
      [this](const reports::Error& error) {
        page().setBanner(tr("Labels could not be counted: %1").arg(reportText(error.what())), shell::Tone::Bad);
      });
}

QString HostView::threadOf(reports::TrackId track) const {
  QString process;
  for (const auto& entry : m_host->entries()) {
    if (entry.track.heading)
      process = entry.track.title;
    else if (entry.id == track)
      return tr("%1, %2").arg(entry.track.title, process);
  }
  return {};
}

void HostView::showPicked() {
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
  if (slice.count > 1) {
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
  m_statistics->view().setFormat(format());
  showPicked();
}

} // namespace ui::host
