#include "ui/views/compare/trace_pair.h"

#include "analyser/session/session.h"
#include "analyser/trace/execution_trace.h"
#include "ui/parts/view_fields.h"
#include "ui/plot/timeline.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/theme/tokens.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>

#include <mutex>

namespace ui::compare {

using reports::Activity;
using reports::TickRange;
using theme::reportText;

// The trace of one report as the source of its timeline: one worker at a time.
class PairedTrace : public shell::SliceAccess {
public:
  explicit PairedTrace(const analyser::Session& base)
      : m_session(base.reopen()), m_trace(*m_session), m_tracks(m_trace.tracks()), m_range(m_trace.range()) {}
  void use(const std::function<void(analyser::trace::Slices&)>& f) override {
    const std::scoped_lock lock(m_mutex);
    f(m_trace.slices());
  }
  const std::vector<analyser::trace::Track>& tracks() const { return m_tracks; }
  TickRange range() const { return m_range; }
  const analyser::Session& session() const { return *m_session; }

private:
  std::mutex m_mutex;
  std::shared_ptr<analyser::Session> m_session;
  analyser::trace::ExecutionTrace m_trace;
  std::vector<analyser::trace::Track> m_tracks;
  TickRange m_range;
};

namespace {

std::vector<QColor> pairedPalette(bool dark) {
  std::vector<QColor> colours;
  for (int a = 0; a < reports::kActivityCount; ++a) {
    const QColor colour = theme::activityColour(Activity(a), dark);
    colours.push_back(Activity(a) == Activity::Scope ? theme::mix(colour, theme::tokens(dark).surface, 0.62) : colour);
  }
  return colours;
}

std::vector<shell::TrackEntry> entriesOf(const PairedTrace& trace) {
  std::vector<shell::TrackEntry> entries;
  for (const auto& track : trace.tracks())
    entries.push_back({track.id,
                       {shell::trackTitle(track), theme::plural(track.slices, QObject::tr("slice"), QObject::tr("slices")),
                        track.depths, false, !entries.empty()}});
  return entries;
}

TickRange moved(TickRange range, int64_t by) { return {range.begin + by, range.end + by}; }

} // namespace

TracePair::TracePair(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_open(tr("Opening both traces"), &jobs), m_match(tr("Looking for the step"), &jobs),
      m_slower(tr("Looking for slower steps"), &jobs) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kHalf);
  auto* bar = new QHBoxLayout;
  bar->addWidget(m_words = theme::plainLabel(), 1);
  m_words->setWordWrap(true);
  bar->addWidget(m_linked = new QCheckBox(tr("Linked zoom")));
  m_linked->setChecked(true);
  bar->addWidget(m_each = new QCheckBox(tr("Pick a step in each")));
  m_each->setToolTip(
      theme::tipText(tr("Click a step in A and a step in B, also with different names: both traces line up there")));
  auto* starts = new QPushButton(tr("Align starts"));
  bar->addWidget(starts);
  bar->addWidget(m_before = new QPushButton(QStringLiteral("‹")));
  bar->addWidget(m_next = new QPushButton(tr("Slower step ›")));
  m_before->setAccessibleName(tr("Previous slower step"));
  m_before->setToolTip(theme::tipText(tr("Go to the previous slower step (Shift+N)")));
  m_next->setToolTip(theme::tipText(tr("Go to the step whose time grew most from A to B, then to the next one (N)")));
  connect(m_next, &QPushButton::clicked, this, [this] { goSlower(1); });
  connect(m_before, &QPushButton::clicked, this, [this] { goSlower(-1); });
  connect(m_each, &QCheckBox::toggled, this, [this](bool each) {
    m_pickedA = m_pickedB = {};
    m_words->setText(each ? tr("Click a step in A and one in B.") : tr("Click a step to line up both traces there."));
  });
  column->addLayout(bar);
  for (auto [side, letter] : {std::pair{&m_base, tr("A")}, {&m_other, tr("B")}}) {
    column->addWidget(side->name = theme::plainLabel(letter));
    side->name->setProperty("role", "secondary");
    column->addWidget(side->timeline = new plot::Timeline(theme, tr("Execution trace of %1").arg(letter), &jobs), 1);
    side->timeline->setGutter(110);
    side->timeline->setMinimumHeight(110);
    const bool isBase = side == &m_base;
    connect(side->timeline, &plot::TimeView::busyChanged, this, &TracePair::busyChanged);
    connect(side->timeline, &plot::TimeView::visibleChanged, this, [this, isBase](TickRange range) { follow(isBase, range); });
    connect(side->timeline, &plot::Timeline::sliceClicked, this,
            [this, isBase](int track, int lane, const plot::Slice& slice) { alignAt(isBase, track, lane, slice); });
  }
  connect(starts, &QPushButton::clicked, this, &TracePair::alignStarts);
  for (jobs::JobBase* job : std::initializer_list<jobs::JobBase*>{&m_open, &m_match, &m_slower})
    connect(job, &jobs::JobBase::busyChanged, this, &TracePair::busyChanged);
  connect(&m_open, &jobs::JobBase::cancelled, this, [this] {
    m_due = true;
    m_words->setText(tr("Opening was cancelled; the traces are read when this is shown again."));
  });
}

TracePair::~TracePair() = default;

bool TracePair::isBusy() const {
  return m_open.isBusy() || m_match.isBusy() || m_slower.isBusy() ||
         (isVisible() && (m_base.timeline->isBusy() || m_other.timeline->isBusy()));
}

void TracePair::addFields(shell::ViewFields& fields) {
  fields.folds("a.folds", *m_base.timeline);
  fields.folds("b.folds", *m_other.timeline);
}

void TracePair::setSessions(shell::SessionPointer base, shell::SessionPointer other) {
  m_open.drop();
  m_match.drop();
  m_slower.drop();
  m_slowerAt = -1, m_pickedA = m_pickedB = {};
  for (Side* side : {&m_base, &m_other}) {
    side->timeline->setSource(nullptr);
    side->source.reset(), side->trace.reset();
  }
  m_baseSession = std::move(base), m_otherSession = std::move(other);
  m_offset = 0, m_due = true;
  if (isVisible()) open();
}

void TracePair::setFormat(const theme::Format& format) {
  m_format = std::make_unique<theme::Format>(format);
  m_base.timeline->setFormat(format), m_other.timeline->setFormat(format);
}

void TracePair::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  open();
}

// Handles keys that the focused trace does not use.
void TracePair::keyPressEvent(QKeyEvent* event) {
  if (event->key() != Qt::Key_N || (event->modifiers() & ~Qt::ShiftModifier)) return QWidget::keyPressEvent(event);
  goSlower(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
}

void TracePair::open() {
  if (!m_due || !m_baseSession || !m_otherSession) return;
  m_due = false;
  m_words->setText(tr("Opening both traces"));
  m_open.start(
      [base = std::shared_ptr<const analyser::Session>(m_baseSession),
       other = std::shared_ptr<const analyser::Session>(m_otherSession)](const std::stop_token&, reports::Progress&) {
        return Opened{std::make_shared<PairedTrace>(*base), std::make_shared<PairedTrace>(*other)};
      },
      [this](const Opened& opened) { show(opened); },
      [this](const reports::Error& error) {
        m_due = true;
        m_words->setText(QString::fromStdString(error.what()));
      });
}

void TracePair::show(const Opened& opened) {
  m_base.trace = opened.base, m_other.trace = opened.other;
  // Both axes are as long as the longer run, so that they have one scale.
  const int64_t longer = std::max(m_base.trace->range().size(), m_other.trace->range().size());
  for (auto [side, letter] : {std::pair{&m_base, tr("A")}, {&m_other, tr("B")}}) {
    const auto trace = side->trace;
    side->source = std::make_shared<shell::TrackSource>(
        trace, entriesOf(*trace), TickRange{trace->range().begin, trace->range().begin + longer},
        [trace](reports::StringId id) { return shell::sliceTitle(trace->session().text(id)); }, pairedPalette);
    side->source->setCard([trace, this](const plot::Slice& slice, const shell::SliceNote& note) {
      plot::Card card{shell::sliceTitle(trace->session().text(note.name)), {}, tr("Click aligns both traces at this step")};
      if (m_format) card.rows.push_back({tr("cycles"), m_format->cycles(reports::Cycles(slice.end - slice.begin)), {}});
      return card;
    });
    side->name->setText(QStringLiteral("%1 · %2").arg(letter, reportText(trace->session().identity().fileName)));
    side->timeline->setSource(side->source);
  }
  const bool none = m_base.trace->range().empty() || m_other.trace->range().empty();
  m_words->setText(
      none ? tr("A report without an execution has no trace.")
           : tr("Click a step to line up both traces there. N goes to the step that got slower. Wheel zooms, drag pans, F "
                "shows all."));
  for (QPushButton* button : {m_before, m_next}) button->setEnabled(!none);
  alignStarts();
  emit tracesOpened();
}

std::pair<int64_t, int64_t> TracePair::lengths() const {
  if (!m_base.trace || !m_other.trace) return {};
  return {m_base.trace->range().size(), m_other.trace->range().size()};
}

void TracePair::alignStarts() {
  if (!m_base.trace || !m_other.trace) return;
  m_offset = m_other.trace->range().begin - m_base.trace->range().begin;
  // One scale for both: a longer run looks longer.
  const int64_t longer = std::max(m_base.trace->range().size(), m_other.trace->range().size());
  for (const Side* side : {&m_base, &m_other})
    side->timeline->setVisibleRange({side->trace->range().begin, side->trace->range().begin + longer});
}

void TracePair::follow(bool fromBase, TickRange range) {
  if (!m_linked->isChecked()) return;
  (fromBase ? m_other : m_base).timeline->setVisibleRange(moved(range, fromBase ? m_offset : -m_offset));
}

void TracePair::alignAt(bool inBase, int track, int lane, const plot::Slice& drawn) {
  const Side &here = inBase ? m_base : m_other, &there = inBase ? m_other : m_base;
  if (!here.source || !there.source) return;
  m_match.start(
      [from = here.trace, to = there.trace, id = here.source->trackId(track), lane, drawn,
       each = m_each->isChecked()](const std::stop_token& stop, reports::Progress&) {
        Match match;
        from->use([&](analyser::trace::Slices& slices) {
          if (const auto slice = shell::meantSlice(slices, id, lane, drawn, stop))
            match.name = from->session().text(slice->name), match.clicked = slice->ticks;
        });
        if (each) return match;
        const auto name = to->session().findText(match.name);
        if (!match.clicked || !name) return match;
        std::vector<reports::TrackId> tracks;
        for (const auto& t : to->tracks()) tracks.push_back(t.id);
        to->use([&](analyser::trace::Slices& slices) {
          const auto found = shell::findSlice(
              slices, tracks, [&](const analyser::trace::Slice& slice) { return slice.name == *name; }, to->range().begin - 1,
              true, stop);
          if (found) match.found = found->slice.ticks;
        });
        return match;
      },
      [this, inBase, each = m_each->isChecked()](const Match& match) {
        each ? pickEach(inBase, match) : showMatch(inBase, match);
      },
      [this](const reports::Error& error) { m_words->setText(QString::fromStdString(error.what())); });
}

void TracePair::showMatch(bool inBase, const Match& match) {
  if (!match.clicked) return;
  const QString name = shell::sliceTitle(match.name);
  if (!match.found) {
    m_words->setText(tr("%1 is only in %2").arg(name, inBase ? tr("A") : tr("B")));
    return;
  }
  const TickRange a = inBase ? *match.clicked : *match.found, b = inBase ? *match.found : *match.clicked;
  m_offset = b.begin - a.begin;
  if (m_linked->isChecked()) m_other.timeline->setVisibleRange(moved(m_base.timeline->visibleRange(), m_offset));
  if (!m_format) return;
  const reports::Cycles inA(a.size()), inB(b.size());
  m_words->setText(tr("%1: A %2, B %3, B − A %4. Both traces are aligned at its start.")
                       .arg(name, m_format->cycles(inA), m_format->cycles(inB), m_format->cyclesDelta(inB - inA)));
}

// Notes the step picked in one trace. As soon as each trace has one, aligns the traces at their starts.
void TracePair::pickEach(bool inBase, const Match& match) {
  if (!match.clicked) return;
  (inBase ? m_pickedA : m_pickedB) = match;
  if (!m_pickedA.clicked || !m_pickedB.clicked)
    return m_words->setText(tr("%1 is picked in %2; now click a step in %3.")
                                .arg(shell::sliceTitle(match.name), inBase ? tr("A") : tr("B"), inBase ? tr("B") : tr("A")));
  const TickRange a = *m_pickedA.clicked, b = *m_pickedB.clicked;
  m_offset = b.begin - a.begin;
  if (m_linked->isChecked()) m_other.timeline->setVisibleRange(moved(m_base.timeline->visibleRange(), m_offset));
  if (!m_format) return;
  m_words->setText(tr("%1 takes %2 in A, %3 takes %4 in B. Both traces are aligned at their starts.")
                       .arg(shell::sliceTitle(m_pickedA.name), m_format->cycles(reports::Cycles(a.size())),
                            shell::sliceTitle(m_pickedB.name), m_format->cycles(reports::Cycles(b.size()))));
}

void TracePair::goSlower(int by) {
  if (!m_base.trace || !m_other.trace || m_slower.isBusy()) return;
  if (m_slower.result()) return showSlower(by);
  m_words->setText(tr("Looking for the steps that got slower"));
  m_slower.start(
      [a = m_base.trace, b = m_other.trace](const std::stop_token& stop, reports::Progress&) {
        std::vector<analyser::compare::StepGrowth> steps;
        a->use([&](analyser::trace::Slices& base) {
          b->use([&](analyser::trace::Slices& other) { steps = analyser::compare::slowerSteps(base, other, stop); });
        });
        return steps;
      },
      [this, by](const auto&) { showSlower(by); },
      [this](const reports::Error& error) { m_words->setText(QString::fromStdString(error.what())); });
}

void TracePair::mark(const Side& side, const analyser::compare::StepGrowth::Place& place) {
  const int track = place.ticks.empty() ? -1 : side.source->trackOf(place.track);
  if (track < 0) return side.timeline->setSelectedId(-1);
  side.timeline->selectSlice(track, place.depth, shell::sliceKey(track, place.depth, place.ticks.begin));
}

namespace {
QString times(int64_t count) { return theme::plural(count, QObject::tr("execution"), QObject::tr("executions")); }
} // namespace

// Shows both traces at the execution of the step that grew most, with the same margin.
void TracePair::showSlower(int by) {
  const auto steps = m_slower.result();
  if (!steps || steps->empty()) return m_words->setText(tr("No step takes longer in B than in A."));
  const int count = int(steps->size());
  m_slowerAt = m_slowerAt < 0 ? (by > 0 ? 0 : count - 1) : (m_slowerAt + by + count) % count;
  const auto& step = (*steps)[std::size_t(m_slowerAt)];
  const TickRange b = step.inOther.ticks;
  if (!step.isNew()) m_offset = b.begin - step.inBase.ticks.begin;
  const int64_t around = std::max(b.size(), step.inBase.ticks.size());
  const TickRange inB{b.begin - around, b.begin + 2 * around};
  m_other.timeline->setVisibleRange(inB);
  m_base.timeline->setVisibleRange(moved(inB, -m_offset));
  mark(m_base, step.inBase), mark(m_other, step.inOther);
  if (!m_format) return;
  const reports::Cycles inA(step.base), more(step.difference());
  const QString place = tr("Slower step %1 of %2: %3").arg(m_slowerAt + 1).arg(steps->size()).arg(reportText(step.name));
  m_words->setText(step.isNew() ? tr("%1 is only in B and takes %2.").arg(place, m_format->cycles(more))
                                : tr("%1: A %2 in %3, B %4 in %5, B − A %6.")
                                      .arg(place, m_format->cycles(inA), times(step.baseCount),
                                           m_format->cycles(reports::Cycles(step.other)), times(step.otherCount),
                                           m_format->cyclesDelta(more)));
}

QString TracePair::words() const { return m_words->text(); }

} // namespace ui::compare
