#include "ui/views/host/host_view.h"

#include "ui/plot/legend.h"
#include "ui/plot/timeline.h"
#include "ui/shell/fact_list.h"
#include "ui/shell/job_link.h"
#include "ui/shell/page.h"
#include "ui/shell/report_text.h"
#include "ui/shell/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui::host {

using shell::reportText;

HostView::HostView(const shell::ViewParts& parts)
    : View(parts), m_openJob(tr("Opening the host trace"), &parts.jobs), m_statisticsJob(tr("Counting by label"), &parts.jobs),
      m_pickJob(tr("Reading a slice"), &parts.jobs), m_findJob(tr("Searching"), &parts.jobs) {
  buildTools();
  page().addHeaderRow(m_legend = new plot::Legend(theme()));
  page().setPlot(m_timeline = new plot::Timeline(theme(), tr("Host timeline"), &jobs()), 0.52);
  m_timeline->setNanoseconds(true);
  m_timeline->setGutter(220);
  buildTabs();
  shell::linkMainJob(*this, page(), m_openJob, [this] { open(); });
  for (jobs::JobBase* job : std::initializer_list<jobs::JobBase*>{&m_statisticsJob, &m_pickJob, &m_findJob})
    shell::linkJob(*this, *job);
  connect(m_timeline, &plot::TimeView::busyChanged, this, &View::busyChanged);
  connect(m_timeline, &plot::TimeView::visibleChanged, this, [this] { readStatistics(); });
  connect(m_timeline, &plot::Timeline::failed, this,
          [this](const QString& message) { page().setBanner(message, shell::Tone::Bad); });
  connect(m_timeline, &plot::Timeline::sliceClicked, this, [this](int track, int lane, const plot::Slice& slice) {
    pick(track, lane, slice);
    page().tabs()->setCurrentWidget(m_details);
  });
  connect(m_timeline, &plot::Timeline::sliceActivated, this, [this](int, int, const plot::Slice& slice) {
    m_timeline->showInterval({slice.begin, slice.end});
  });
  connect(m_timeline, &plot::Timeline::selectionCleared, this, [this] {
    m_selection.clear();
    emit selectionTextChanged();
  });
  connect(m_legend, &plot::Legend::shownChanged, this, [this] {
    std::set<int> hidden;
    for (std::size_t i = 0; m_host && i < m_host->channels().size(); ++i)
      if (!m_legend->isShown(int(i))) hidden.insert(m_host->channels()[i].id);
    m_timeline->setHiddenColours(std::move(hidden));
  });
}

HostView::~HostView() = default;

void HostView::buildTools() {
  m_search = new QLineEdit;
  m_search->setPlaceholderText(tr("Search for labels"));
  m_search->setAccessibleName(tr("Search for labels"));
  m_search->setClearButtonEnabled(true);
  m_search->setFixedWidth(200);
  m_search->addAction(theme::icon(theme(), QStringLiteral("search"), theme::Tint::Secondary), QLineEdit::LeadingPosition);
  page().addTool(m_search);
  page()
      .addToolAction(QStringLiteral("back"), tr("Previous match"), tr("Previous match (Shift+F3)"),
                     [this] { find(m_search->text(), false); })
      ->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F3));
  page()
      .addToolAction(QStringLiteral("forward"), tr("Next match"), tr("Next match (F3)"), [this] { find(m_search->text(), true); })
      ->setShortcut(Qt::Key_F3);
  page().addToolAction(QStringLiteral("fit"), tr("Show everything"), tr("Show everything (F)"), [this] { m_timeline->fit(); });
  connect(m_search, &QLineEdit::returnPressed, this, [this] { find(m_search->text(), true); });
  connect(m_search, &QLineEdit::textChanged, this, [this] { m_findFrom = -1; });
}

void HostView::buildTabs() {
  QTabWidget* tabs = page().tabs();
  tabs->addTab(m_statistics = new tables::FilteredTable(theme(), tr("Statistics by label")), tr("Statistics"));
  m_details = new QWidget;
  auto* column = new QVBoxLayout(m_details);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  column->addWidget(m_title = new QLabel(tr("Click a slice to see what it is and how long it took.")));
  column->addWidget(m_facts = new shell::FactList(theme(), tr("Facts about the slice"), 2));
  column->addStretch(1);
  m_title->setTextFormat(Qt::PlainText);
  m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  tabs->addTab(m_details, tr("Details"));
  // A label leads to its next occurrence.
  connect(&m_statistics->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto statistics = m_statisticsJob.result();
    if (statistics && id >= 0 && std::size_t(id) < statistics->rows.size())
      find(QString::fromStdString(statistics->rows[std::size_t(id)].label), true);
  });
}

bool HostView::isBusy() const {
  return m_openJob.isBusy() || m_statisticsJob.isBusy() || m_pickJob.isBusy() || m_findJob.isBusy() || m_timeline->isBusy();
}

void HostView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  for (jobs::JobBase* job : std::initializer_list<jobs::JobBase*>{&m_openJob, &m_statisticsJob, &m_pickJob, &m_findJob})
    job->cancel();
  m_openJob.forget(), m_statisticsJob.forget(), m_pickJob.forget();
  m_timeline->setSource(nullptr);
  m_source.reset(), m_host.reset();
  m_session = base;
  m_selection.clear();
  page().setVerdict({}), page().clearBanner();
  if (!base)
    return page().showEmpty(tr("No report is open"), tr("A host timeline needs a report."), tr("Go to the start page"),
                            [this] { emit viewRequested(QStringLiteral("home")); });
  open();
}

void HostView::open() {
  if (!m_session) return;
  page().showLoading(tr("Opening the host trace"));
  m_openJob.start([base = std::shared_ptr<const analyser::Session>(m_session)](
                      const std::stop_token& stop, reports::Progress&) { return std::make_shared<SharedHost>(*base, stop); },
                  [this](const std::shared_ptr<SharedHost>& host) {
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
  m_source = std::make_shared<shell::TrackSource>(
      m_host, m_host->entries(), m_host->range(),
      [host = m_host](reports::StringId id) { return reportText(host->session().text(id)); }, channelPalette);
  m_source->setCard([this](const plot::Slice& slice, const shell::SliceNote& note) { return sliceCard(slice, note); });
  m_timeline->setFormat(format());
  m_timeline->setSource(m_source);
  page().showContent();
  readStatistics();
}

void HostView::readStatistics() {
  if (!m_host) return;
  m_statisticsJob.start(
      [host = m_host, range = m_timeline->visibleRange()](const std::stop_token& stop, reports::Progress&) {
        return host->with([&](analyser::host::HostTimeline& timeline) {
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

QString HostView::threadOf(int track) const {
  QString process;
  for (int i = 0; m_host && i <= track && i < int(m_host->entries().size()); ++i)
    if (m_host->entries()[std::size_t(i)].track.heading) process = m_host->entries()[std::size_t(i)].track.title;
  return m_host && track >= 0 && track < int(m_host->entries().size())
             ? tr("%1, %2").arg(m_host->entries()[std::size_t(track)].track.title, process)
             : process;
}

void HostView::pick(int track, int lane, const plot::Slice& slice) {
  if (!m_host || !m_source) return;
  m_findFrom = slice.begin;
  m_pickJob.start(
      [host = m_host, id = m_source->trackId(track), lane, slice, thread = threadOf(track)](const std::stop_token& stop,
                                                                                            reports::Progress&) {
        return host->with([&](analyser::host::HostTimeline& timeline) {
          const auto meant = shell::meantSlice(timeline.slices(), id, lane, slice, stop);
          if (!meant) throw reports::Error(reports::ErrorCode::NotFound, "no slice lies there any more");
          return Picked{*meant, thread, slice.count > 1};
        });
      },
      [this](const Picked& picked) { showPicked(picked); },
      [this](const reports::Error& error) { m_title->setText(reportText(error.what())); });
}

void HostView::showPicked(const Picked& picked) {
  if (!m_host) return;
  const QString name = reportText(m_host->session().text(picked.slice.name));
  m_title->setText(picked.folded ? tr("Longest of the folded slices: %1").arg(name) : name);
  m_title->setToolTip(name.toHtmlEscaped());
  const auto time = [](int64_t ns) { return theme::seconds(double(ns) * 1e-9); };
  const auto exact = [](int64_t ns) { return theme::count(ns) + QStringLiteral(" ns"); };
  const auto& t = picked.slice.ticks;
  m_facts->setFacts({{tr("Duration"), time(t.size()), exact(t.size()), false},
                     {tr("From"), time(t.begin - m_host->range().begin), exact(t.begin), false},
                     {tr("To"), time(t.end - m_host->range().begin), exact(t.end), false},
                     {tr("Share of the trace"),
                      theme::percent(double(t.size()) / double(std::max<int64_t>(1, m_host->range().size()))),
                      {},
                      false},
                     {tr("Channel"), m_host->channelName(picked.slice.category), {}, false},
                     {tr("Thread"), picked.thread, {}, false},
                     {tr("Depth"), theme::count(picked.slice.depth), {}, false}});
  m_selection = tr("%1: %2").arg(name, time(t.size()));
  emit selectionTextChanged();
}

void HostView::find(const QString& text, bool forward) {
  const QString wanted = text.trimmed();
  if (!m_host || !m_source || wanted.isEmpty()) return;
  std::vector<reports::TrackId> tracks;
  for (const auto& entry : m_host->entries())
    if (entry.id.valid()) tracks.push_back(entry.id);
  const int64_t from = m_findFrom < 0 ? m_timeline->visibleRange().begin - 1 : m_findFrom;
  m_findJob.start(
      [host = m_host, tracks, wanted = wanted.toStdString(), from, forward](const std::stop_token& stop, reports::Progress&) {
        return host->with([&](analyser::host::HostTimeline& timeline) {
          return shell::findSlice(timeline.slices(), tracks, wanted, from, forward, stop);
        });
      },
      [this, wanted](const std::optional<shell::Found>& found) {
        if (!found) return page().setBanner(tr("No label is named like “%1”.").arg(wanted), shell::Tone::Neutral);
        page().clearBanner();
        const int track = m_source->trackOf(found->track);
        plot::Slice slice;
        slice.begin = found->slice.ticks.begin, slice.end = std::max(found->slice.ticks.end, slice.begin + 1);
        slice.id = shell::sliceKey(track, found->slice.depth, slice.begin);
        const auto visible = m_timeline->visibleRange();
        if (!visible.contains(slice.begin) || (slice.end - slice.begin) * 50 < visible.size()) {
          const int64_t margin = (slice.end - slice.begin) * 5;
          m_timeline->showInterval({slice.begin - margin, slice.end + margin});
        }
        m_timeline->setSelectedId(slice.id);
        pick(track, found->slice.depth, slice);
      },
      [this](const reports::Error& error) { page().setBanner(reportText(error.what()), shell::Tone::Bad); });
}

plot::Card HostView::sliceCard(const plot::Slice& slice, const shell::SliceNote& note) const {
  plot::Card card;
  if (!m_host) return card;
  const QString name = note.name.valid() ? reportText(m_host->session().text(note.name)) : QString();
  const QColor colour = channelColour(slice.colour, theme().isDark());
  const auto time = [](int64_t ns) { return theme::seconds(double(ns) * 1e-9); };
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

bool HostView::focusFilter() {
  m_search->setFocus(Qt::ShortcutFocusReason);
  m_search->selectAll();
  return true;
}

std::vector<std::pair<QString, QString>> HostView::keys() const {
  return {{tr("W, S"), tr("zoom in and out")},
          {tr("A, D"), tr("earlier and later")},
          {tr("F"), tr("show everything")},
          {tr("Left, Right"), tr("previous or next slice")},
          {tr("F3, Shift+F3"), tr("next or previous match")}};
}

void HostView::formatChanged() {
  m_timeline->setFormat(format());
  m_statistics->view().setFormat(format());
  if (const auto picked = m_pickJob.result()) showPicked(*picked);
}

} // namespace ui::host
