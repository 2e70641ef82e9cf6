#include "ui/views/trace/trace_view.h"

#include "ui/plot/cell_map.h"
#include "ui/plot/legend.h"
#include "ui/plot/step_plot.h"
#include "ui/plot/timeline.h"
#include "ui/shell/fact_list.h"
#include "ui/shell/job_link.h"
#include "ui/shell/page.h"
#include "ui/shell/report_text.h"
#include "ui/shell/settings.h"
#include "ui/shell/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/views/trace/trace_tables.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui::trace {

using reports::Activity;
using shell::reportText;

namespace {
// In the order of the legend; scopes last.
constexpr Activity kLegend[] = {Activity::Compute,    Activity::OnTileCopy, Activity::InternalExchange, Activity::GlobalExchange,
                                Activity::HostStream, Activity::Sync,       Activity::Control,          Activity::Scope};

constexpr int kTimelineHead = 76; // minimap, axis and the last lane's margin

QString sentence(std::string_view name) {
  QString text = reportText(name);
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}
} // namespace

TraceView::TraceView(const shell::ViewParts& parts)
    : View(parts), m_openJob(tr("Opening the execution trace"), &parts.jobs),
      m_rangeJob(tr("Measuring the visible range"), &parts.jobs), m_statisticsJob(tr("Counting by name"), &parts.jobs),
      m_sliceJob(tr("Reading a step"), &parts.jobs), m_findJob(tr("Searching"), &parts.jobs) {
  buildTools();
  page().addHeaderRow(m_legend = new plot::Legend(theme()));
  buildPlots();
  page().setPlot(m_plots, 0.64);
  buildTabs();
  shell::linkMainJob(*this, page(), m_openJob, [this] { open(); });
  for (jobs::JobBase* job : std::initializer_list<jobs::JobBase*>{&m_rangeJob, &m_statisticsJob, &m_sliceJob, &m_findJob})
    shell::linkJob(*this, *job);
  connectPlots();
}

TraceView::~TraceView() = default;

void TraceView::buildTools() {
  m_search = new QLineEdit;
  m_search->setPlaceholderText(tr("Search for steps"));
  m_search->setAccessibleName(tr("Search for steps"));
  m_search->setClearButtonEnabled(true);
  m_search->setFixedWidth(180);
  m_search->addAction(theme::icon(theme(), QStringLiteral("search"), theme::Tint::Secondary), QLineEdit::LeadingPosition);
  page().addTool(m_search);
  page()
      .addToolAction(QStringLiteral("back"), tr("Previous match"), tr("Previous match (Shift+F3)"), [this] { find(false); })
      ->setShortcut(QKeySequence(Qt::SHIFT | Qt::Key_F3));
  page()
      .addToolAction(QStringLiteral("forward"), tr("Next match"), tr("Next match (F3)"), [this] { find(true); })
      ->setShortcut(Qt::Key_F3);
  m_ipus = new QComboBox;
  m_ipus->setAccessibleName(tr("IPU"));
  page().addTool(m_ipus);
  page().addToolAction(QStringLiteral("fit"), tr("Show everything"), tr("Show everything (F)"), [this] { m_timeline->fit(); });
  connect(m_search, &QLineEdit::returnPressed, this, [this] { find(true); });
  connect(m_search, &QLineEdit::textChanged, this, [this] { m_findFrom = -1; });
  connect(m_ipus, &QComboBox::activated, this, [this] { showTrace(); });
}

void TraceView::buildPlots() {
  m_plots = new QSplitter(Qt::Vertical);
  m_plots->setChildrenCollapsible(false);
  m_plots->addWidget(m_timeline = new plot::Timeline(theme(), tr("Execution trace"), &jobs()));
  m_plots->addWidget(m_tiles = new plot::CellMap(theme(), tr("Tiles by cycles"), &jobs()));
  m_timeline->setMinimumHeight(120), m_tiles->setMinimumHeight(80);
  m_tiles->setMinimapShown(false);
  m_timeline->setGutter(110), m_tiles->setGutter(110);
  m_plots->setSizes({200, 150});
  QAction* tiles = page().viewMenu()->addAction(tr("Show tiles by cycles"));
  tiles->setCheckable(true);
  tiles->setChecked(settings().value("trace/tiles", true).toBool());
  m_tiles->setVisible(tiles->isChecked());
  connect(tiles, &QAction::toggled, this, [this](bool shown) {
    settings().setValue("trace/tiles", shown);
    m_tiles->setVisible(shown);
  });
  std::vector<plot::LegendEntry> entries;
  for (const Activity a : kLegend)
    entries.push_back({a == Activity::Scope ? tr("Scopes") : sentence(reports::activityName(a)),
                       {},
                       [this, a] { return activityPalette(theme().isDark())[std::size_t(a)]; },
                       plot::Mark::Area,
                       false});
  m_legend->setEntries(std::move(entries));
}

QWidget* TraceView::buildDetails() {
  auto* details = new QWidget;
  auto* row = new QHBoxLayout(details);
  row->setContentsMargins(0, theme::kGrid, 0, 0);
  row->setSpacing(theme::kMargin);
  auto* left = new QVBoxLayout;
  left->addWidget(m_title = new QLabel(tr("Click a slice to see what it is, what it cost and on which tiles.")));
  left->addWidget(m_facts = new shell::FactList(theme(), tr("Facts about the slice"), 2));
  left->addStretch(1);
  m_title->setTextFormat(Qt::PlainText);
  m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  row->addLayout(left, 1);
  row->addWidget(m_cycles = new plot::StepPlot(theme(), tr("Cycles per tile of the step")), 1);
  m_cycles->hide();
  return details;
}

void TraceView::buildTabs() {
  QTabWidget* tabs = page().tabs();
  auto* split = new QSplitter(Qt::Horizontal);
  split->setChildrenCollapsible(false);
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setWidget(m_bars = new plot::BarList(theme(), tr("Proportions per IPU")));
  split->addWidget(scroll);
  split->addWidget(m_ipuTable = new tables::TableView(theme(), tr("Proportions of the visible range")));
  split->setSizes({380, 660});
  tabs->addTab(split, tr("Visible range"));
  tabs->addTab(m_details = buildDetails(), tr("Details"));
  tabs->addTab(m_statistics = new tables::FilteredTable(theme(), tr("Statistics by name")), tr("Statistics"));
  connect(tabs, &QTabWidget::currentChanged, this, [this] { readStatistics(); });
  connect(&m_statistics->view(), &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    const auto statistics = m_statisticsJob.result();
    if (!statistics || ids.empty() || std::size_t(ids.front()) >= statistics->rows.size()) return;
    const auto& s = statistics->rows[std::size_t(ids.front())];
    const int track = m_source ? m_source->trackOf(s.firstTrack) : -1;
    if (track < 0) return;
    plot::Slice slice;
    slice.begin = s.first.begin, slice.end = std::max(s.first.end, s.first.begin + 1),
    slice.id = shell::sliceKey(track, s.firstDepth, s.first.begin);
    m_timeline->setSelectedId(slice.id);
    readSlice(track, s.firstDepth, slice);
  });
  connect(&m_statistics->view(), &tables::TableView::idActivated, this, [this](int64_t id) {
    const auto statistics = m_statisticsJob.result();
    if (statistics && id >= 0 && std::size_t(id) < statistics->rows.size())
      m_timeline->showInterval(statistics->rows[std::size_t(id)].first);
  });
}

void TraceView::connectPlots() {
  connect(m_timeline, &plot::TimeView::visibleChanged, this, &TraceView::rangeMoved);
  connect(m_tiles, &plot::TimeView::visibleChanged, this, &TraceView::rangeMoved);
  for (plot::TimeView* view : std::initializer_list<plot::TimeView*>{m_timeline, m_tiles})
    connect(view, &plot::TimeView::busyChanged, this, &View::busyChanged);
  connect(&state(), &shell::ViewState::rangeChanged, this, [this](reports::TickRange range) {
    if (!m_trace) return;
    m_timeline->setVisibleRange(range), m_tiles->setVisibleRange(range);
    readRange(), readStatistics();
  });
  connect(&state(), &shell::ViewState::tilesChanged, this, [this] {
    if (m_trace) {
      std::vector<int> rows;
      const int first = std::max(0, m_ipus->currentData().toInt()) * m_session->machine().tilesPerIpu;
      for (const auto tile : state().tiles())
        if (int(tile.value()) >= first) rows.push_back(int(tile.value()) - first);
      m_tiles->setSelectedRows(std::move(rows));
    }
  });
  connect(m_legend, &plot::Legend::shownChanged, this, [this] {
    std::set<int> hidden;
    for (std::size_t i = 0; i < std::size(kLegend); ++i)
      if (!m_legend->isShown(int(i))) hidden.insert(int(kLegend[i]));
    m_timeline->setHiddenColours(std::move(hidden));
  });
  connect(m_timeline, &plot::Timeline::sliceClicked, this, [this](int track, int lane, const plot::Slice& slice) {
    readSlice(track, lane, slice);
    page().tabs()->setCurrentWidget(m_details);
  });
  connect(m_timeline, &plot::Timeline::sliceActivated, this, [this](int, int, const plot::Slice& slice) {
    m_timeline->showInterval({slice.begin, slice.end});
  });
  connect(m_timeline, &plot::Timeline::selectionCleared, this, [this] {
    m_selection.clear();
    emit selectionTextChanged();
  });
  connect(m_tiles, &plot::CellMap::cellClicked, this, [this](int row, int64_t, Qt::KeyboardModifiers modifiers) {
    const reports::TileId tile{std::size_t(row + std::max(0, m_ipus->currentData().toInt()) * m_session->machine().tilesPerIpu)};
    modifiers& Qt::ShiftModifier ? state().toggleTile(tile) : state().setTiles({tile});
  });
  for (auto* label : {m_title}) label->setProperty("role", "secondary");
  connect(m_timeline, &plot::Timeline::failed, this,
          [this](const QString& message) { page().setBanner(message, shell::Tone::Bad); });
  connect(m_tiles, &plot::CellMap::failed, this, [this](const QString& message) { page().setBanner(message, shell::Tone::Bad); });
}

bool TraceView::isBusy() const {
  return m_openJob.isBusy() || m_rangeJob.isBusy() || m_statisticsJob.isBusy() || m_sliceJob.isBusy() || m_findJob.isBusy() ||
         m_timeline->isBusy() || (!m_tiles->isHidden() && m_tiles->isBusy());
}

void TraceView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  for (jobs::JobBase* job :
       std::initializer_list<jobs::JobBase*>{&m_openJob, &m_rangeJob, &m_statisticsJob, &m_sliceJob, &m_findJob})
    job->cancel();
  m_openJob.forget(), m_rangeJob.forget(), m_statisticsJob.forget(), m_sliceJob.forget();
  m_timeline->setSource(nullptr), m_tiles->setSource(nullptr);
  m_source.reset(), m_trace.reset();
  m_session = base;
  m_selection.clear();
  page().setVerdict({}), page().clearBanner();
  if (!base)
    return page().showEmpty(tr("No report is open"), tr("An execution trace needs a report."), tr("Go to the start page"),
                            [this] { emit viewRequested(QStringLiteral("home")); });
  m_ipus->clear();
  m_ipus->addItem(tr("All IPUs"), -1);
  for (int ipu = 0; ipu < base->machine().ipus; ++ipu) m_ipus->addItem(tr("IPU %1").arg(ipu), ipu);
  m_ipus->setVisible(base->machine().ipus > 1);
  open();
}

void TraceView::open() {
  if (!m_session) return;
  page().showLoading(tr("Opening the execution trace"));
  m_openJob.start([base = std::shared_ptr<const analyser::Session>(m_session)](
                      const std::stop_token&, reports::Progress&) { return std::make_shared<SharedTrace>(*base); },
                  [this](const std::shared_ptr<SharedTrace>& trace) {
                    m_trace = trace;
                    showTrace();
                  },
                  [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { open(); }); });
}

void TraceView::showTrace() {
  if (!m_trace) return;
  if (m_trace->tracks().empty() || m_trace->range().empty())
    return page().showEmpty(tr("This report holds no execution"),
                            tr("The program was compiled but not run, or the run was not recorded."), tr("Run a sample"),
                            [this] { emit viewRequested(QStringLiteral("run")); });
  const int ipu = m_ipus->currentData().toInt();
  m_source = std::make_shared<shell::TrackSource>(
      m_trace, trackEntries(*m_trace, ipu), m_trace->range(),
      [trace = m_trace](reports::StringId id) { return reportText(trace->session().text(id)); }, activityPalette);
  m_source->setCard([this](const plot::Slice& slice, const shell::SliceNote& note) { return sliceCard(slice, note); });
  for (plot::TimeView* view : std::initializer_list<plot::TimeView*>{m_timeline, m_tiles}) view->setFormat(format());
  m_timeline->setSource(m_source);
  m_tiles->setSource(std::make_shared<TileCells>(m_trace, ipu));
  // Lanes get what they need, up to two thirds; tiles gain from every pixel.
  int lanes = 0;
  for (const auto& track : m_source->tracks()) lanes += track.lanes * (theme::kLane + 1) + theme::kGrid;
  const int room = std::max(200, m_plots->height()), wanted = std::clamp(lanes + kTimelineHead, 120, room * 2 / 3);
  m_plots->setSizes({wanted, room - wanted});
  if (!state().range().empty()) m_timeline->setVisibleRange(state().range()), m_tiles->setVisibleRange(state().range());
  page().showContent();
  readRange();
  readStatistics();
}

void TraceView::rangeMoved(reports::TickRange range) {
  m_timeline->setVisibleRange(range), m_tiles->setVisibleRange(range);
  state().setRange(range);
}

void TraceView::readRange() {
  if (!m_trace) return;
  m_rangeJob.start(
      [trace = m_trace, range = m_timeline->visibleRange()](const std::stop_token& stop, reports::Progress&) {
        return trace->with([&](analyser::trace::ExecutionTrace& t) {
          RangeAnswer answer{t.proportions(range, stop), nullptr};
          answer.table = proportionsTable(answer.proportions);
          return answer;
        });
      },
      [this](const RangeAnswer& answer) { showRange(answer); },
      [this](const reports::Error& error) {
        page().setBanner(tr("The range could not be measured: %1").arg(reportText(error.what())), shell::Tone::Bad);
      });
}

void TraceView::readStatistics() {
  // Counting reads every slice of the range, so it waits until someone looks.
  if (!m_trace || page().tabs()->currentWidget() != m_statistics) return m_statisticsJob.cancel();
  m_statisticsJob.start(
      [trace = m_trace, range = m_timeline->visibleRange(), dark = theme().isDark()](const std::stop_token& stop,
                                                                                     reports::Progress&) {
        return trace->with([&](analyser::trace::ExecutionTrace& t) {
          Statistics statistics{t.statistics(range, {}, stop), nullptr};
          statistics.table = statisticsTable(statistics.rows, dark);
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

void TraceView::showRange(const RangeAnswer& answer) {
  page().setVerdict(reportText(answer.proportions.verdict));
  m_bars->setBars(proportionBars(answer.proportions, theme()), 1);
  m_ipuTable->setFormat(format());
  m_ipuTable->setTable(answer.table);
}

void TraceView::readSlice(int track, int lane, const plot::Slice& slice) {
  if (!m_trace || !m_source) return;
  const reports::TrackId id = m_source->trackId(track);
  m_findFrom = slice.begin;
  m_sliceJob.start(
      [trace = m_trace, id, lane, slice](const std::stop_token& stop, reports::Progress&) {
        return trace->with([&](analyser::trace::ExecutionTrace& t) {
          const auto meant = shell::meantSlice(t.slices(), id, lane, slice, stop);
          if (!meant) throw reports::Error(reports::ErrorCode::NotFound, "no slice lies there any more");
          return t.details(id, *meant);
        });
      },
      [this, folded = slice.count > 1](const analyser::trace::SliceDetails& details) {
        showDetails(details);
        if (folded) m_title->setText(tr("Longest of the folded slices: %1").arg(m_title->text()));
      },
      [this](const reports::Error& error) { m_title->setText(reportText(error.what())); });
}

void TraceView::showDetails(const analyser::trace::SliceDetails& d) {
  const theme::Format& f = format();
  m_title->setText(
      m_title->fontMetrics().elidedText(reportText(d.name), Qt::ElideMiddle, std::max(200, width() / 2 - 3 * theme::kMargin)));
  m_title->setToolTip(reportText(d.name).toHtmlEscaped());
  std::vector<shell::Fact> facts;
  const auto add = [&](const QString& name, const QString& value, const QString& tip = {}) {
    facts.push_back({name, value, tip, false});
  };
  add(tr("Kind"), d.isStep ? reportText(d.kind) : tr("scope"));
  if (d.isStep) add(tr("Activity"), reportText(reports::activityName(d.activity)));
  const reports::Cycles duration{d.slice.duration()};
  add(tr("Duration"), f.cycles(duration), f.cyclesExact(duration));
  add(tr("From"), f.cycles(reports::Cycles(d.slice.ticks.begin)), f.cyclesExact(reports::Cycles(d.slice.ticks.begin)));
  add(tr("To"), f.cycles(reports::Cycles(d.slice.ticks.end)), f.cyclesExact(reports::Cycles(d.slice.ticks.end)));
  if (d.isStep) {
    add(tr("Executions"), theme::count(d.executions));
    add(tr("Tiles active"), theme::count(d.activeTiles));
    add(tr("Balance"), theme::percent(d.balance), tr("Mean cycles of the active tiles over the slowest"));
    add(tr("Tile use"), theme::percent(d.utilisation), tr("Busy cycles over cycles times tiles"));
    if (d.bytesIn.value()) add(tr("Received"), f.bytes(d.bytesIn), f.bytesExact(d.bytesIn));
    if (d.bytesOut.value()) add(tr("Sent"), f.bytes(d.bytesOut), f.bytesExact(d.bytesOut));
    if (d.flops.value()) add(tr("Work"), theme::countShort(double(d.flops.value())) + tr(" FLOP"), theme::count(d.flops.value()));
    if (!d.operation.empty()) add(tr("Operation"), reportText(d.operation));
  }
  m_facts->setFacts(facts);
  auto cycles = std::make_shared<std::vector<int64_t>>();
  for (const auto c : d.cyclesByTile) cycles->push_back(c.value());
  m_cycles->setVisible(!cycles->empty());
  m_cycles->setFormat(f);
  m_cycles->setAxes(tr("Tile"), int64_t(cycles->size()), tr("Cycles"), plot::ValueKind::Cycles);
  m_cycles->setPositionText([first = d.firstTile.valid() ? int64_t(d.firstTile.value()) : 0](int64_t position) {
    return QString::number(position + first);
  });
  m_cycles->setCurves({{tr("cycles"), [this, a = d.activity] { return theme().activity(a); }, std::move(cycles), false, true}});
  m_selection = tr("%1: %2").arg(reportText(d.name), f.cycles(duration));
  emit selectionTextChanged();
  if (d.isStep && d.programStep.valid()) state().setStep(d.programStep);
}

void TraceView::find(bool forward) {
  const QString text = m_search->text().trimmed();
  if (!m_trace || !m_source || text.isEmpty()) return;
  std::vector<reports::TrackId> tracks;
  for (int i = 0; i < int(m_source->tracks().size()); ++i) tracks.push_back(m_source->trackId(i));
  const int64_t from = m_findFrom < 0 ? m_timeline->visibleRange().begin - 1 : m_findFrom;
  m_findJob.start(
      [trace = m_trace, tracks, text = text.toStdString(), from, forward](const std::stop_token& stop, reports::Progress&) {
        return trace->with(
            [&](analyser::trace::ExecutionTrace& t) { return shell::findSlice(t.slices(), tracks, text, from, forward, stop); });
      },
      [this, text](const std::optional<shell::Found>& found) {
        if (!found) return page().setBanner(tr("No step is named like “%1”.").arg(text), shell::Tone::Neutral);
        page().clearBanner();
        const int track = m_source->trackOf(found->track);
        plot::Slice slice;
        slice.begin = found->slice.ticks.begin, slice.end = std::max(found->slice.ticks.end, slice.begin + 1);
        slice.id = shell::sliceKey(track, found->slice.depth, slice.begin);
        // A match that is out of sight or too small to see comes near, with its neighbours around it.
        const auto visible = m_timeline->visibleRange();
        if (!visible.contains(slice.begin) || (slice.end - slice.begin) * 50 < visible.size()) {
          const int64_t margin = (slice.end - slice.begin) * 5;
          m_timeline->showInterval({slice.begin - margin, slice.end + margin});
        }
        m_timeline->setSelectedId(slice.id);
        readSlice(track, found->slice.depth, slice);
        page().tabs()->setCurrentWidget(m_details);
      },
      [this](const reports::Error& error) { page().setBanner(reportText(error.what()), shell::Tone::Bad); });
}

plot::Card TraceView::sliceCard(const plot::Slice& slice, const shell::SliceNote& note) const {
  plot::Card card;
  if (!m_trace) return card;
  const theme::Format& f = format();
  const QString name = note.name.valid() ? reportText(m_trace->session().text(note.name)) : QString();
  const auto activity = Activity(slice.colour);
  const QColor colour =
      activityPalette(theme().isDark())[std::min<std::size_t>(std::size_t(slice.colour), reports::kActivityCount - 1)];
  if (slice.count > 1) {
    card.title = theme::plural(slice.count, tr("slice"), tr("slices")) + tr(", folded");
    card.rows.push_back({tr("mostly"), reportText(reports::activityName(activity)), colour});
    card.rows.push_back({tr("busy"), theme::percent(note.density), {}});
    card.rows.push_back({tr("longest"), tr("%1, %2").arg(name, f.cycles(reports::Cycles(note.widest))), {}});
    card.hint = tr("Wheel zooms in, click selects the longest");
  } else {
    card.title = name;
    card.rows.push_back(
        {reportText(reports::activityName(activity)), f.cyclesExact(reports::Cycles(slice.end - slice.begin)), colour});
    card.rows.push_back({tr("from"), f.cyclesExact(reports::Cycles(slice.begin)), {}});
    card.hint = tr("Click for details, double-click zooms");
  }
  return card;
}

bool TraceView::focusFilter() {
  m_search->setFocus(Qt::ShortcutFocusReason);
  m_search->selectAll();
  return true;
}

std::vector<std::pair<QString, QString>> TraceView::keys() const {
  return {{tr("W, S"), tr("zoom in and out")},
          {tr("A, D"), tr("earlier and later")},
          {tr("F"), tr("show everything")},
          {tr("Left, Right"), tr("previous or next slice")},
          {tr("F3, Shift+F3"), tr("next or previous match")}};
}

void TraceView::themeChanged() {
  if (const auto answer = m_rangeJob.result()) showRange(*answer);
  readStatistics();
}

void TraceView::formatChanged() {
  for (plot::TimeView* view : std::initializer_list<plot::TimeView*>{m_timeline, m_tiles}) view->setFormat(format());
  if (const auto answer = m_rangeJob.result()) showRange(*answer);
  m_statistics->view().setFormat(format());
  if (const auto details = m_sliceJob.result()) showDetails(*details);
}

} // namespace ui::trace
