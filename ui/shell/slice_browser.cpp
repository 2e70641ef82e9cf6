#include "ui/shell/slice_browser.h"

#include "analyser/trace/execution_trace.h"
#include "ui/plot/timeline.h"
#include "ui/shell/page.h"
#include "ui/shell/report_text.h"
#include "ui/shell/search_tools.h"
#include "ui/shell/view.h"

#include <QToolButton>

namespace ui::shell {

namespace {
constexpr int64_t kTooSmall = 50; // a slice below this part of the visible range is brought near
constexpr int64_t kAround = 5;    // with so many times its duration on both sides
} // namespace

SliceBrowser::SliceBrowser(View& view, Page& page, const theme::Theme& theme, jobs::JobBoard& jobs, const Words& words)
    : QObject(&view), m_view(view), m_page(page), m_words(words), m_timeline(new plot::Timeline(theme, words.timeline, &jobs)),
      m_search(new SearchTools(page, theme, words.search)), m_pickJob(tr("Reading a slice"), &jobs, this),
      m_findJob(tr("Searching"), &jobs, this) {
  page.addToolAction(QStringLiteral("fit"), tr("Show everything"), tr("Show everything (F)"), [this] { m_timeline->fit(); });
  connect(m_search, &SearchTools::edited, this, [this] { m_from = -1; });
  connect(m_search, &SearchTools::asked, this, [this](bool forward) { find(m_search->text(), forward); });
  connect(m_timeline, &plot::Timeline::sliceClicked, this, &SliceBrowser::pick);
  connect(m_timeline, &plot::Timeline::sliceActivated, this, [this](int, int, const plot::Slice& slice) {
    m_timeline->showInterval({slice.begin, slice.end});
  });
  connect(m_timeline, &plot::Timeline::selectionCleared, this, &SliceBrowser::cleared);
  connect(m_timeline, &plot::Timeline::failed, this, [this](const QString& why) { m_page.setBanner(why, Tone::Bad); });
  connect(m_timeline, &plot::TimeView::busyChanged, this, &SliceBrowser::busyChanged);
  for (jobs::JobBase* job : std::initializer_list<jobs::JobBase*>{&m_pickJob, &m_findJob})
    connect(job, &jobs::JobBase::busyChanged, this, &SliceBrowser::busyChanged);
  connect(this, &SliceBrowser::busyChanged, &view, &View::busyChanged);
}

SliceBrowser::~SliceBrowser() = default;

bool SliceBrowser::isBusy() const { return m_pickJob.isBusy() || m_findJob.isBusy() || m_timeline->isBusy(); }

void SliceBrowser::clear() {
  m_pickJob.cancel(), m_findJob.cancel();
  m_timeline->setSource(nullptr);
  m_timeline->setSelectedId(-1);
  m_access.reset(), m_source.reset();
  m_from = -1;
}

void SliceBrowser::show(std::shared_ptr<SliceAccess> access, std::shared_ptr<TrackSource> source) {
  m_access = std::move(access), m_source = std::move(source);
  m_timeline->setSource(m_source);
}

void SliceBrowser::pick(int track, int lane, const plot::Slice& slice) {
  if (!m_source) return;
  m_from = slice.begin;
  m_pickJob.start(
      [access = m_access, id = m_source->trackId(track), lane, slice](const std::stop_token& stop, reports::Progress&) {
        std::optional<analyser::trace::Slice> meant;
        access->use([&](analyser::trace::Slices& slices) { meant = meantSlice(slices, id, lane, slice, stop); });
        if (!meant) throw reports::Error(reports::ErrorCode::NotFound, "no slice lies there any more");
        return Picked{id, *meant, slice.count > 1};
      },
      [this](const Picked& found) { emit picked(found); },
      [this](const reports::Error& error) { emit pickFailed(reportText(error.what())); });
}

void SliceBrowser::go(const Found& found) {
  const int track = m_source ? m_source->trackOf(found.track) : -1;
  if (track < 0) return;
  plot::Slice slice;
  slice.begin = found.slice.ticks.begin, slice.end = std::max(found.slice.ticks.end, slice.begin + 1);
  slice.id = sliceKey(track, found.slice.depth, slice.begin);
  const auto visible = m_timeline->visibleRange();
  const int64_t duration = slice.end - slice.begin;
  if (!visible.contains(slice.begin) || duration < visible.size() / kTooSmall)
    m_timeline->showInterval({slice.begin - kAround * duration, slice.end + kAround * duration});
  m_timeline->selectSlice(track, found.slice.depth, slice.id);
  pick(track, found.slice.depth, slice);
}

void SliceBrowser::find(const QString& text, bool forward) {
  const QString wanted = text.trimmed();
  if (wanted.isEmpty()) return;
  search([name = wanted.toStdString()](analyser::Session& session) { return nameMatch(session, name); },
         m_from < 0 ? m_timeline->visibleRange().begin - 1 : m_from, forward,
         [this, wanted] { m_page.setBanner(m_words.notFound.arg(wanted), Tone::Neutral); });
}

void SliceBrowser::findStep(reports::ProgramStepId step) {
  search([step](analyser::Session& session) { return profileMatch(analyser::trace::profilesOf(session, step)); },
         m_timeline->visibleRange().begin - 1, true, [] {});
}

void SliceBrowser::search(MakeMatch match, int64_t from, bool forward, std::function<void()> none) {
  if (!m_source) return;
  std::vector<reports::TrackId> tracks;
  for (int i = 0; i < int(m_source->tracks().size()); ++i)
    if (m_source->trackId(i).valid()) tracks.push_back(m_source->trackId(i));
  m_findJob.start(
      [access = m_access, tracks, match = std::move(match), from, forward](const std::stop_token& stop, reports::Progress&) {
        std::optional<Found> found;
        access->use([&](analyser::trace::Slices& slices) {
          found = findSlice(slices, tracks, match(slices.session()), from, forward, stop);
        });
        return found;
      },
      [this, none = std::move(none)](const std::optional<Found>& found) {
        if (!found) return none();
        m_page.clearBanner();
        go(*found);
      },
      [this](const reports::Error& error) { m_page.setBanner(reportText(error.what()), Tone::Bad); });
}

bool SliceBrowser::focusSearch() {
  m_search->focus();
  return true;
}

std::vector<std::pair<QString, QString>> SliceBrowser::keys() {
  return {{tr("W, S"), tr("zoom in and out")},
          {tr("A, D"), tr("earlier and later")},
          {tr("F"), tr("show everything")},
          {tr("Left, Right"), tr("previous or next slice")},
          {tr("E, Shift+E"), tr("fold or open the track, all tracks")},
          {tr("F3, Shift+F3"), tr("next or previous match")}};
}

} // namespace ui::shell
