#include "ui/views/trace/sql_lane.h"

#include "ui/parts/view_fields.h"
#include "ui/state/view_state.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui::trace {

namespace {
constexpr int kGutter = 110, kHighest = 120; // the gutter is as wide as in the lanes above
constexpr int64_t kMostSlices = 100'000;
} // namespace

SqlLane::SqlLane(const theme::Theme& theme, jobs::JobBoard& jobs, shell::ViewState& state)
    : m_state(state), m_job(tr("Querying the report"), &jobs), m_sql(new QLineEdit), m_note(theme::plainLabel()),
      m_timeline(new plot::Timeline(theme, tr("Rows of a query"), &jobs)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kHalf, 0, 0);
  column->setSpacing(theme::kHalf);
  auto* top = new QHBoxLayout;
  top->setSpacing(theme::kGrid);
  auto* close = new QToolButton;
  close->setIcon(theme::icon(theme, "close"));
  close->setAccessibleName(tr("Remove the track"));
  close->setToolTip(tr("Remove the track"));
  m_sql->setAccessibleName(tr("Query of the track"));
  m_sql->setToolTip(tr("Enter runs the query; rows with a start and an end are drawn below the lanes"));
  m_note->setProperty("role", "secondary");
  top->addWidget(m_sql, 1);
  top->addWidget(m_note);
  top->addWidget(close);
  column->addLayout(top);
  column->addWidget(m_timeline, 1);
  m_timeline->setGutter(kGutter);
  m_timeline->setMinimapShown(false), m_timeline->setAxisShown(false);
  hide();
  connect(close, &QToolButton::clicked, this, &SqlLane::remove);
  connect(m_sql, &QLineEdit::returnPressed, this, &SqlLane::run);
  connect(m_timeline, &plot::TimeView::visibleChanged, &state, &shell::ViewState::setRange);
  connect(&state, &shell::ViewState::rangeChanged, m_timeline, &plot::TimeView::setVisibleRange);
  connect(&state.messages(), &shell::ViewMessages::trackAsked, this, &SqlLane::takeTrack);
}

QWidget* SqlLane::below(QWidget& lanes) {
  auto* both = new QWidget;
  auto* column = new QVBoxLayout(both);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(&lanes, 1);
  column->addWidget(this);
  return both;
}

void SqlLane::addFields(shell::ViewFields& fields) {
  fields.text("sqlTrack", *m_sql);
  // A query from a link or the remembered view state does not run before the user asks.
  connect(m_sql, &QLineEdit::textChanged, this, [this, &fields](const QString& sql) {
    if (!fields.isRestoring()) return;
    forget();
    setVisible(!sql.isEmpty());
    showNote(tr("This query comes from a link or an earlier visit. Press Enter to run it."));
  });
}

void SqlLane::setTrace(const std::shared_ptr<const analyser::Session>& session, reports::TickRange extent) {
  forget();
  m_worker = session ? std::make_shared<shell::WorkerSession>(session) : nullptr;
  m_extent = extent;
  if (!session) m_sql->clear(), hide(); // another report opens
  takeTrack();
}

void SqlLane::takeTrack() {
  if (!m_worker) return;
  const auto asked = m_state.messages().take<shell::ShowSqlTrack>();
  if (!asked) return;
  m_sql->setText(asked->sql.simplified());
  m_sql->setCursorPosition(0);
  run();
}

void SqlLane::run() {
  const QString sql = m_sql->text().trimmed();
  if (sql.isEmpty()) return remove();
  if (!m_worker) return;
  show();
  showNote(tr("Running…"));
  m_job.start(
      [worker = m_worker, sql = sql.toStdString()](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) {
          analyser::query::Limits limits;
          limits.maxRows = kMostSlices;
          const auto result = analyser::query::run(session, sql, limits, stop);
          return Track{shell::resultSlices(result, shell::hostTracks(session)), int64_t(result.rows.size())};
        });
      },
      [this](const Track& track) { showTrack(track); },
      [this](const reports::Error& error) {
        m_slices.reset(), m_timeline->setSource(nullptr);
        showNote(tr("The query failed: %1").arg(theme::messageText(error.message())));
      });
}

void SqlLane::showTrack(const Track& track) {
  m_slices.reset(), m_timeline->setSource(nullptr);
  if (!track.slices || track.slices->isEmpty())
    return showNote(track.rows == 0 ? tr("No rows") : tr("The rows need a start_tick or start, and an end or duration"));
  if (track.slices->unit() == shell::SpanColumns::Unit::Nanoseconds)
    return showNote(tr("The rows are in host nanoseconds, but the trace counts cycles"));
  m_slices = track.slices;
  m_slices->alignWith(m_extent);
  m_slices->setFormat(m_format);
  m_timeline->setSource(m_slices);
  if (!m_state.range().empty()) m_timeline->setVisibleRange(m_state.range());
  showNote(theme::plural(track.rows, tr("row"), tr("rows")) +
           (m_slices->note().isEmpty() ? QString() : QStringLiteral("; ") + m_slices->note()));
}

void SqlLane::showNote(const QString& note) {
  m_note->setText(theme::bounded(note, 120));
  m_note->setToolTip(theme::tipText(note));
  m_timeline->setVisible(m_slices != nullptr);
  setFixedHeight(std::max(1, wantedHeight()));
  emit heightChanged();
}

void SqlLane::forget() {
  m_job.drop();
  m_slices.reset(), m_timeline->setSource(nullptr);
}

void SqlLane::remove() {
  forget();
  m_sql->clear();
  hide();
  emit heightChanged();
}

int SqlLane::wantedHeight() const {
  if (isHidden()) return 0;
  const int bar = m_sql->sizeHint().height() + 2 * theme::kHalf;
  return m_slices ? bar + std::clamp(m_timeline->preferredHeight() + theme::kGrid, 40, kHighest) : bar;
}

void SqlLane::setFormat(const theme::Format& format) {
  m_format = format;
  if (m_slices) m_slices->setFormat(format);
  m_timeline->setFormat(format);
}

} // namespace ui::trace
