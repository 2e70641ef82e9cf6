#include "ui/views/query/result_timeline.h"

#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui::query {

using shell::ResultSlices;
using shell::SpanColumns;

ResultTimeline::ResultTimeline(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent)
    : QWidget(parent), m_timeline(new plot::Timeline(theme, tr("Rows of the query as slices"), &jobs)),
      m_note(theme::plainLabel()) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  auto* top = new QHBoxLayout;
  top->setSpacing(theme::kGrid);
  top->addWidget(m_note, 1);
  top->addWidget(m_toTrace = new QPushButton(tr("Show in Trace")));
  m_toTrace->setToolTip(tr("Draws the rows as a track below the lanes of the execution trace"));
  column->addLayout(top);
  connect(m_toTrace, &QPushButton::clicked, this, &ResultTimeline::traceAsked);
  column->addWidget(m_timeline, 1);
  m_note->setProperty("role", "secondary");
  m_note->setWordWrap(true);
  connect(m_timeline, &plot::Timeline::sliceClicked, this,
          [this](int, int, const plot::Slice& slice) { emit rowChosen(slice.id); });
  setNone();
}

ResultTimeline::~ResultTimeline() = default;

void ResultTimeline::setSlices(const std::shared_ptr<ResultSlices>& slices) {
  setNone();
  if (!slices) return;
  m_note->setText(slices->note());
  if (slices->isEmpty()) return;
  m_shown = slices;
  m_shown->setFormat(m_format);
  m_timeline->setNanoseconds(slices->unit() == SpanColumns::Unit::Nanoseconds);
  m_timeline->setWithoutUnit(slices->unit() == SpanColumns::Unit::Unknown);
  m_timeline->setSource(m_shown);
  m_timeline->show();
  m_toTrace->setVisible(slices->unit() != SpanColumns::Unit::Nanoseconds); // the trace counts cycles
}

void ResultTimeline::setNone() {
  m_shown.reset();
  m_timeline->setSource(nullptr);
  m_timeline->hide(), m_toTrace->hide();
  m_note->setText(
      tr("A result with a column start_tick or start, and one of end or duration, becomes slices here: a track for each value of "
         "track, thread or ipu, labelled by name."));
}

void ResultTimeline::setFormat(const theme::Format& format) {
  m_format = format;
  if (m_shown) m_shown->setFormat(format);
  m_timeline->setFormat(format);
}

} // namespace ui::query
