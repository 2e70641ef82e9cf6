#include "ui/parts/slice_browser.h"

#include "analyser/trace/execution_trace.h"
#include "analyser/trace/found_columns.h"
#include "analyser/trace/slice_subjects.h"
#include "ui/parts/page.h"
#include "ui/parts/search_tools.h"
#include "ui/parts/view.h"
#include "ui/plot/timeline.h"
#include "ui/tables/described_table.h"
#include "ui/tables/table_view.h"
#include "ui/tables/typed_pattern.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

namespace ui::shell {

namespace {
constexpr int64_t kTooSmall = 50; // zooms in on a slice shorter than the visible range / kTooSmall
constexpr int64_t kAround = 5;    // margin on both sides, in durations of the slice
constexpr std::size_t kMostListed = 10'000, kListedFirst = 100;

// The innermost scopes around the slice, outermost first; they tell equal names apart. On a device the outermost is the run.
std::string scopesAround(analyser::trace::Slices& slices, const Found& found, bool isHost) {
  constexpr int kMostScopes = 8;
  std::string path;
  for (int depth = std::max(isHost ? 0 : 1, found.slice.depth - kMostScopes); depth < found.slice.depth; ++depth)
    if (const auto around = slices.sliceAt(found.track, depth, found.slice.ticks.begin))
      path += (path.empty() ? "" : "/") + slices.session().text(around->name);
  return path;
}

// Row ids are indices of `all.first`.
std::shared_ptr<const tables::Table> matchTable(const FoundAll& all, analyser::trace::Slices& slices, const TrackSource& source,
                                                bool isHost, const std::optional<plot::TickFormat::Amount>& amount,
                                                const std::stop_token& stop) {
  const auto tracks = source.tracks();
  analyser::trace::SliceSubjects subjects(slices.session());
  std::vector<analyser::trace::FoundSlice> rows;
  for (const Found& found : all.first) {
    reports::throwIfStopped(stop);
    const int track = source.trackOf(found.track);
    const std::string& name = slices.session().text(found.slice.name);
    auto& row = rows.emplace_back();
    row.name = isHost ? name : sliceTitle(name).toStdString(), row.scopes = scopesAround(slices, found, isHost);
    if (track >= 0) row.track = tracks[std::size_t(track)].title.toStdString();
    row.beginsAt = found.slice.ticks.begin - (isHost ? slices.range().begin : 0), row.duration = found.slice.duration();
    if (!isHost) row.about = subjects.of(found.slice);
  }
  const tables::Look look{.bars = {"duration"}, .widths = {{"beginsAt", 130}, {"duration", 130}}};
  if (!amount) return tables::tableOf(analyser::trace::foundColumns(isHost), rows, look);
  auto columns = analyser::columns::without(analyser::trace::foundColumns(isHost), {"beginsAt"});
  for (auto& row : rows) row.duration /= amount->ticksPerUnit;
  for (auto& column : columns)
    if (column.id == "duration") {
      column.title = QObject::tr("Value").toStdString();
      column.kind = amount->isBytes ? analyser::columns::Kind::Bytes : analyser::columns::Kind::Count;
    }
  return tables::tableOf(columns, rows, look);
}

std::vector<reports::TrackId> tracksWithSlices(const TrackSource& source) {
  std::vector<reports::TrackId> tracks;
  for (int i = 0; i < int(source.tracks().size()); ++i)
    if (source.trackId(i).valid()) tracks.push_back(source.trackId(i));
  return tracks;
}
} // namespace

SliceBrowser::SliceBrowser(View& view, Page& page, const theme::Theme& theme, jobs::JobBoard& jobs, const Words& words)
    : QObject(&view), m_view(view), m_page(page), m_words(words), m_timeline(new plot::Timeline(theme, words.timeline, &jobs)),
      m_search(new SearchTools(page, theme, words.search)), m_pickJob(tr("Reading a slice"), &jobs, this),
      m_findJob(tr("Searching"), &jobs, this), m_matchJob(tr("Counting matches"), &jobs, this) {
  buildPanel(theme);
  page.addToolAction(QStringLiteral("fit"), tr("Show everything"), tr("Show everything (Home)"), [this] { m_timeline->fit(); });
  connect(m_search, &SearchTools::edited, this, [this] {
    m_from = -1, m_found.reset();
    findMatches();
  });
  connect(m_search, &SearchTools::asked, this, [this](bool forward) { find(m_search->text(), forward); });
  connect(m_search, &SearchTools::left, m_timeline, [this] { m_timeline->setFocus(Qt::OtherFocusReason); });
  connect(m_timeline, &plot::Timeline::sliceClicked, this, &SliceBrowser::pick);
  connect(m_timeline, &plot::Timeline::selectionCleared, this, [this] {
    m_pickJob.cancel(); // its result would select again
    m_selected.reset();
    emit cleared();
  });
  connect(m_timeline, &plot::Timeline::failed, this, [this](const QString& why) { m_page.setBanner(why, Tone::Bad); });
  connect(m_timeline, &plot::TimeView::busyChanged, this, &SliceBrowser::busyChanged);
  for (jobs::JobBase* job : std::initializer_list<jobs::JobBase*>{&m_pickJob, &m_findJob, &m_matchJob})
    connect(job, &jobs::JobBase::busyChanged, this, &SliceBrowser::busyChanged);
  connect(this, &SliceBrowser::busyChanged, &view, &View::busyChanged);
}

SliceBrowser::~SliceBrowser() = default;

bool SliceBrowser::isBusy() const {
  return m_pickJob.isBusy() || m_findJob.isBusy() || m_matchJob.isBusy() || m_timeline->isBusy();
}

void SliceBrowser::addFields(shell::ViewFields& fields) {
  fields.text("search", m_search->field());
  fields.order("matches.order", *m_matchTable);
  fields.folds("folds", *m_timeline);
  fields.slice("slice", *this);
}

void SliceBrowser::clear() {
  m_pickJob.cancel(), m_findJob.cancel(), m_matchJob.cancel();
  m_matchJob.forget();
  m_timeline->setSource(nullptr);
  m_timeline->setSelectedId(-1);
  m_access.reset(), m_source.reset();
  m_from = -1, m_found.reset(), m_selected.reset();
}

void SliceBrowser::show(std::shared_ptr<SliceAccess> access, std::shared_ptr<TrackSource> source) {
  m_pickJob.cancel(), m_findJob.cancel(); // they read the previous source
  m_access = std::move(access), m_source = std::move(source);
  m_timeline->setSource(m_source);
  findMatches();
}

void SliceBrowser::pick(int track, int lane, const plot::Slice& slice) {
  if (!m_source) return;
  m_from = slice.begin;
  if (!m_source->holdsSlices(track, lane)) {
    m_pickJob.cancel(), m_selected.reset();
    emit marked(track, lane, slice);
    return;
  }
  m_pickJob.start(
      [access = m_access, id = m_source->trackId(track), lane, slice](const std::stop_token& stop, reports::Progress&) {
        std::optional<analyser::trace::Slice> meant;
        access->use([&](analyser::trace::Slices& slices) { meant = meantSlice(slices, id, lane, slice, stop); });
        if (!meant) throw reports::Error(reports::ErrorCode::NotFound, "the trace has no slice at this position any more");
        return Picked{id, *meant, slice.count > 1};
      },
      [this](const Picked& found) {
        m_selected = found;
        if (const int shown = m_source ? m_source->trackOf(found.track) : -1; found.folded && shown >= 0)
          m_timeline->narrowSelection(sliceKey(shown, found.slice.depth, found.slice.ticks.begin), found.slice.ticks);
        emit picked(found);
      },
      [this](const reports::Error& error) {
        m_selected.reset();
        emit pickFailed(theme::messageText(error.what()));
      });
}

void SliceBrowser::pickAt(int64_t tick, const plot::Timeline::Hit& drawn) {
  if (!m_source) return;
  if (drawn.slice.count <= 1 || !m_source->holdsSlices(drawn.track, drawn.lane)) {
    m_timeline->selectSlice(drawn.track, drawn.lane, drawn.slice.id);
    return pick(drawn.track, drawn.lane, drawn.slice);
  }
  m_from = tick;
  m_pickJob.start(
      [access = m_access, id = m_source->trackId(drawn.track), tick, drawn](const std::stop_token& stop, reports::Progress&) {
        Picked found{id, {}, false};
        access->use([&](analyser::trace::Slices& slices) {
          std::optional<analyser::trace::Slice> meant;
          const auto& tracks = slices.tracks();
          const auto track = std::find_if(tracks.begin(), tracks.end(), [&](const auto& t) { return t.id == id; });
          for (int depth = track == tracks.end() ? 0 : track->depths; !meant && depth-- > drawn.lane;)
            meant = slices.sliceAt(id, depth, tick);
          found.folded = !meant; // true if no slice covers that tick
          if (!meant) meant = meantSlice(slices, id, drawn.lane, drawn.slice, stop);
          if (!meant) throw reports::Error(reports::ErrorCode::NotFound, "the trace has no slice at this position any more");
          found.slice = *meant;
        });
        return found;
      },
      [this, drawn](const Picked& found) {
        m_selected = found;
        const int64_t key = sliceKey(drawn.track, found.slice.depth, found.slice.ticks.begin);
        m_timeline->selectSlice(drawn.track, drawn.lane, key);
        m_timeline->narrowSelection(key, found.slice.ticks);
        emit picked(found);
      },
      [this](const reports::Error& error) {
        m_selected.reset();
        emit pickFailed(theme::messageText(error.what()));
      });
}

QString SliceBrowser::selectedSlice() const {
  if (!m_selected) return {};
  const analyser::trace::Slice& slice = m_selected->slice;
  return QStringLiteral("%1/%2/%3").arg(m_selected->track.value()).arg(slice.depth).arg(slice.ticks.begin);
}

void SliceBrowser::selectAgain(const QString& text) {
  const QStringList parts = text.split('/');
  if (!m_source || parts.size() != 3 || text == selectedSlice()) return;
  bool isId = false, isLane = false, isTick = false;
  const uint id = parts[0].toUInt(&isId);
  const int lane = parts[1].toInt(&isLane);
  const qlonglong tick = parts[2].toLongLong(&isTick);
  const reports::TrackId track(std::size_t{id});
  const int shown = isId && isLane && isTick ? m_source->trackOf(track) : -1;
  const reports::TickRange extent = m_source->extent();
  if (shown < 0 || lane < 0 || !m_source->holdsSlices(shown, lane) || !extent.contains(tick)) return;
  // Reads this slice itself: a search for its step could find another execution.
  m_findJob.start(
      [access = m_access, track, lane, tick](const std::stop_token&, reports::Progress&) {
        std::optional<Found> found;
        access->use([&](analyser::trace::Slices& slices) {
          const auto slice = slices.sliceAt(track, lane, tick);
          if (slice && slice->ticks.begin == tick) found = Found{track, *slice};
        });
        return found;
      },
      [this](const std::optional<Found>& found) {
        if (found) go(*found, true);
      });
}

void SliceBrowser::go(const Found& found, bool stay) {
  const int track = m_source ? m_source->trackOf(found.track) : -1;
  if (track < 0) return;
  plot::Slice slice;
  slice.begin = found.slice.ticks.begin, slice.end = std::max(found.slice.ticks.end, slice.begin + 1);
  slice.id = sliceKey(track, found.slice.depth, slice.begin);
  const auto visible = m_timeline->visibleRange();
  const int64_t duration = slice.end - slice.begin;
  if (!stay && (!visible.contains(slice.begin) || duration < visible.size() / kTooSmall))
    m_timeline->showInterval({slice.begin - kAround * duration, slice.end + kAround * duration});
  m_timeline->selectSlice(track, found.slice.depth, slice.id);
  m_timeline->narrowSelection(slice.id, {slice.begin, slice.end});
  pick(track, found.slice.depth, slice);
}

Wanted SliceBrowser::wanted(const QString& typed) const {
  if (const auto expression = tables::typedExpression(typed)) return {*expression, true};
  return {typed, m_expression->isChecked()};
}

void SliceBrowser::find(const QString& text, bool forward) {
  const QString wanted = text.trimmed();
  if (wanted.isEmpty()) return;
  const auto known = m_matchJob.result();
  search(
      [wanted = this->wanted(wanted), isHost = m_words.isHost, access = m_access,
       known = known && known->isWhole && wanted == m_search->text() ? known : nullptr](analyser::Session& session,
                                                                                        const std::stop_token& stop) {
        if (known) return nameMatch(known->meant);
        Meant all = meant(session, wanted, isHost, stop);
        access->addArguments(all, session, wanted, stop);
        return nameMatch(std::move(all));
      },
      m_from < 0 ? m_timeline->visibleRange().begin - 1 : m_from, forward,
      [this, wanted] { m_page.setBanner(m_words.notFound.arg(wanted), Tone::Neutral); });
}

void SliceBrowser::findStep(reports::ProgramStepId step, bool stay) {
  search([step](analyser::Session& session,
                const std::stop_token&) { return profileMatch(analyser::trace::profilesOf(session, step)); },
         m_timeline->visibleRange().begin - 1, true, [] {}, stay);
}

void SliceBrowser::search(MakeMatch match, int64_t from, bool forward, std::function<void()> none, bool stay) {
  if (!m_source) return;
  m_findJob.start(
      [access = m_access, tracks = tracksWithSlices(*m_source), match = std::move(match), from,
       forward](const std::stop_token& stop, reports::Progress&) {
        std::optional<Found> found;
        access->use([&](analyser::trace::Slices& slices) {
          found = findSlice(slices, tracks, match(slices.session(), stop), from, forward, stop);
        });
        return found;
      },
      [this, stay, none = std::move(none)](const std::optional<Found>& found) {
        if (!found) return none();
        m_page.clearBanner();
        m_found = found;
        go(*found, stay);
        showPosition();
      },
      [this](const reports::Error& error) { m_page.setBanner(theme::messageText(error.what()), Tone::Bad); });
}

void SliceBrowser::buildPanel(const theme::Theme& theme) {
  m_panel = new QWidget;
  auto* column = new QVBoxLayout(m_panel);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* line = new QHBoxLayout;
  line->addWidget(m_expression = new QCheckBox(tr("Regular expression")));
  line->addSpacing(theme::kMargin);
  line->addWidget(m_matchNote = theme::plainLabel(), 1);
  m_matchNote->setProperty("role", "secondary");
  m_matchNote->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  column->addLayout(line);
  column->addWidget(m_matchTable = new tables::TableView(theme, tr("Matches")), 1);
  connect(m_expression, &QCheckBox::toggled, this, &SliceBrowser::findMatches);
  connect(&m_matchJob, &jobs::JobBase::cancelled, this, [this] {
    const auto matches = m_matchJob.result();
    if (!matches || matches->isWhole) return;
    m_search->setNote(tr("not counted"));
    m_matchNote->setText(tr("The first matches; counting was stopped"));
  });
  connect(m_matchTable, &tables::TableView::idsSelected, this, [this](const std::vector<int64_t>& ids) {
    const auto matches = m_matchJob.result();
    if (!matches || ids.empty() || std::size_t(ids.front()) >= matches->all.first.size()) return;
    if (ids.size() > 1) return; // rows to be copied
    m_found = matches->all.first[std::size_t(ids.front())];
    go(*m_found);
    showPosition();
  });
  showNoMatches({}, {});
}

void SliceBrowser::findMatches() {
  const QString wanted = m_search->text();
  if (!m_source || wanted.isEmpty()) {
    m_matchJob.drop();
    return showNoMatches({}, {});
  }
  const Wanted meantBy = this->wanted(wanted);
  const auto earliest = [](auto& slices, const auto& tracks, const SliceMatch& matches, const std::stop_token& stop) {
    return findEarliest(slices, tracks, matches, slices.range(), kListedFirst, stop);
  };
  const auto all = [](auto& slices, const auto& tracks, const SliceMatch& matches, const std::stop_token& stop) {
    return findAll(slices, tracks, matches, slices.range(), kMostListed, stop);
  };
  findBy(meantBy, {}, earliest, [this, meantBy, all](const Matches& first) {
    showEarliest(first);
    findBy(meantBy, first.meant, all, [this](const Matches& matches) {
      showMatches(matches);
      if (!matches.meant.details.empty()) highlight(matches.meant);
    });
  });
}

void SliceBrowser::findBy(const Wanted& wanted, std::optional<Meant> known, Find find, std::function<void(const Matches&)> done) {
  m_matchJob.start(
      [access = m_access, source = m_source, tracks = tracksWithSlices(*m_source), wanted, known = std::move(known), find,
       isHost = m_words.isHost, amount = m_timeline->tickFormat().amount](const std::stop_token& stop, reports::Progress&) {
        Matches matches;
        access->use([&](analyser::trace::Slices& slices) {
          matches.isWhole = known.has_value();
          matches.meant = known ? *known : meant(slices.session(), wanted, isHost, stop);
          if (known) access->addArguments(matches.meant, slices.session(), wanted, stop); // the first ones are by name only
          matches.all = find(slices, tracks, nameMatch(matches.meant), stop);
          matches.table = matchTable(matches.all, slices, *source, isHost, amount, stop);
        });
        return matches;
      },
      std::move(done),
      [this](const reports::Error& error) {
        m_matchJob.forget();
        showNoMatches(tr("invalid"),
                      theme::messageText(error.message())); // matches of an earlier text must not stay
      });
}

void SliceBrowser::showNoMatches(const QString& note, const QString& why) {
  m_search->setNote(note);
  m_matchNote->setText(why);
  m_matchTable->setEmptyText(
      why.isEmpty() ? m_words.isHost
                          ? tr("Type a part of a name or of an argument, or argument=value, into the search field (Ctrl+F).")
                          : tr("Type a part of a name into the search field (Ctrl+F).")
                    : tr("The regular expression is not valid; the line above says why."));
  m_matchTable->setTable(std::make_shared<tables::Table>());
  highlight({});
}

// Shows the first matches while the rest is counted.
void SliceBrowser::showEarliest(const Matches& matches) {
  m_search->setNote(tr("counting"));
  m_matchNote->setText(matches.all.first.empty() ? tr("Counting") : tr("The first matches; the rest is being counted"));
  m_matchTable->setFormat(m_format);
  m_matchTable->setEmptyText(tr("Searching"));
  m_matchTable->setTable(matches.table);
  highlight(matches.meant);
}

void SliceBrowser::showMatches(const Matches& matches) {
  const auto& all = matches.all;
  m_search->setNote(theme::plural(all.count, tr("match"), tr("matches")));
  const std::size_t tracks = tracksWithSlices(*m_source).size();
  const double whole = double(m_source->extent().size()) * double(tracks);
  QString note = (m_timeline->tickFormat().amount ? tr("%1, %2 in all, %3 of the profile") : tr("%1, %2 in all, %3 of the run"))
                     .arg(theme::plural(all.count, tr("match"), tr("matches")),
                          m_timeline->tickFormat().amount ? m_timeline->tickFormat().duration(all.ticks)
                          : m_words.isHost                ? m_format.nanoseconds(reports::Nanoseconds(all.ticks))
                                                          : m_format.cycles(reports::Cycles(all.ticks)),
                          theme::percent(whole > 0 ? double(all.ticks) / whole : 0));
  if (tracks > 1) note += tr(" on %1 tracks").arg(tracks);
  if (std::size_t(all.count) > all.first.size())
    note += tr("; the first %1 are listed").arg(theme::count(int64_t(all.first.size())));
  m_matchNote->setText(note);
  m_matchTable->setFormat(m_format);
  m_matchTable->setEmptyText(m_words.isHost ? tr("No name or argument contains this.") : tr("No name contains this."));
  m_matchTable->setTable(matches.table);
  showPosition();
}

// Shows "3 of 79" and selects the row of the match in the list.
void SliceBrowser::showPosition() {
  const auto matches = m_matchJob.result();
  if (!matches || !m_found || !matches->isWhole) return;
  const auto& listed = matches->all.first;
  const auto at = std::find_if(listed.begin(), listed.end(), [&](const Found& one) {
    return one.track == m_found->track && one.slice.depth == m_found->slice.depth &&
           one.slice.ticks.begin == m_found->slice.ticks.begin;
  });
  if (at == listed.end()) return;
  const int64_t row = at - listed.begin();
  m_search->setNote(tr("%1 of %2").arg(theme::count(row + 1), theme::count(matches->all.count)));
  m_matchTable->selectIds({row});
}

void SliceBrowser::highlight(Meant meant) {
  if (!m_source) return;
  m_source->setHighlighted(std::move(meant));
  m_timeline->refetch();
}

void SliceBrowser::setFormat(const theme::Format& format) {
  m_format = format;
  m_timeline->setFormat(format);
  m_matchTable->setFormat(format);
  if (const auto matches = m_matchJob.result(); matches && m_source)
    matches->isWhole ? showMatches(*matches) : showEarliest(*matches);
}

void SliceBrowser::searchFor(const QString& text) { m_search->field().setText(text); }

bool SliceBrowser::focusSearch() {
  m_search->focus();
  return true;
}

std::vector<std::pair<QString, QString>> SliceBrowser::keys() {
  return {{tr("Left, Right"), tr("previous or next slice")},
          {tr("Up, Down"), tr("slice of the lane above, below")},
          {tr("Ctrl+Up, Ctrl+Down"), tr("scroll")},
          {tr("E, Shift+E"), tr("collapse or expand the track, all tracks")},
          {tr("Ctrl+drag"), tr("mark A to B; also a drag on the axis")},
          {tr("F3, Shift+F3"), tr("next or previous match")}};
}

} // namespace ui::shell
