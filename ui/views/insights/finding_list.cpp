#include "ui/views/insights/finding_list.h"

#include "ui/parts/finding_marks.h"
#include "ui/plot/spoken.h"
#include "ui/theme/elide.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QToolTip>

#include <algorithm>

namespace ui::insights {

using analyser::insights::Insight;
using shell::savingText;

namespace {
constexpr int kRowHeight = 56, kPad = 12, kRank = 28, kSaving = 116;
} // namespace

FindingList::FindingList(const theme::Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  plot::makeSpoken(*this);
  setAccessibleName(tr("Findings"));
  setProperty("picture", true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  connect(&theme, &theme::Theme::changed, this, qOverload<>(&QWidget::update));
}

plot::PlotTable FindingList::table() const {
  plot::PlotTable table;
  table.columns = {{tr("Finding")}, {tr("Saves")}};
  for (const int i : m_shown) {
    const Insight& insight = (*m_all)[std::size_t(i)];
    table.rows.push_back({theme::reportText(insight.title), savingText(insight, m_format)});
  }
  return table;
}

void FindingList::setFindings(const std::vector<Insight>* all, std::vector<int> shown) {
  m_all = all, m_shown = std::move(shown), m_hovered = -1;
  if (rowOf(m_current) < 0) m_current = -1;
  QString spoken;
  for (const int i : m_shown) {
    const Insight& insight = (*m_all)[std::size_t(i)];
    spoken += QStringLiteral("%1: %2. ").arg(theme::reportText(insight.title), savingText(insight, m_format));
  }
  setAccessibleDescription(spoken.isEmpty() ? tr("Nothing is shown") : spoken);
  setFixedHeight(sizeHint().height()); // a scroll area with spare room does not follow a changed size hint
  update();
}

void FindingList::setFormat(const theme::Format& format) {
  m_format = format;
  update();
}

void FindingList::setCurrent(int finding) {
  m_current = finding;
  if (const int row = rowOf(finding); row >= 0)
    for (QWidget* above = parentWidget(); above; above = above->parentWidget())
      if (auto* area = qobject_cast<QScrollArea*>(above))
        area->ensureVisible(0, row * kRowHeight + kRowHeight / 2, 0, kRowHeight);
  update();
}

QSize FindingList::sizeHint() const { return {420, std::max(1, int(m_shown.size())) * kRowHeight}; }

int FindingList::rowAt(int y) const {
  const int row = y / kRowHeight;
  return y >= 0 && row < int(m_shown.size()) ? row : -1;
}

int FindingList::rowOf(int finding) const {
  const auto at = std::find(m_shown.begin(), m_shown.end(), finding);
  return at == m_shown.end() ? -1 : int(at - m_shown.begin());
}

void FindingList::choose(int row) {
  if (row < 0 || row >= int(m_shown.size())) return;
  setCurrent(m_shown[std::size_t(row)]);
  const Insight& insight = (*m_all)[std::size_t(m_current)];
  plot::speak(*this, tr("%1 of %2. %3: %4")
                         .arg(row + 1)
                         .arg(m_shown.size())
                         .arg(theme::reportText(insight.title), savingText(insight, m_format)));
  emit chosen(m_current);
}

void FindingList::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  for (int row = 0; row < int(m_shown.size()); ++row) {
    const QRect area(0, row * kRowHeight, width(), kRowHeight);
    if (area.intersects(event->rect())) paintRow(painter, row, area);
  }
}

void FindingList::paintRow(QPainter& painter, int row, const QRect& area) const {
  const theme::Tokens& t = m_theme.tokens();
  const int index = m_shown[std::size_t(row)];
  const Insight& insight = (*m_all)[std::size_t(index)];
  const bool selected = index == m_current;
  if (selected || row == m_hovered) painter.fillRect(area.adjusted(0, 0, 0, -1), selected ? t.selection : t.hover);
  if (selected) painter.fillRect(QRect(area.left(), area.top(), 3, area.height() - 1), t.accent);
  painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), t.grid);
  painter.setFont(m_theme.text());
  painter.setPen(t.secondary);
  painter.drawText(QRect(kPad, area.top() + 8, kRank - 8, 20), Qt::AlignLeft | Qt::AlignVCenter, QString::number(row + 1));
  const QRect words(kPad + kRank, area.top() + 8, area.width() - kRank - kSaving - 3 * kPad, 20);
  painter.setFont(m_theme.strong());
  painter.setPen(t.text);
  painter.drawText(words, Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(theme::reportText(insight.title), Qt::ElideRight, words.width()));
  painter.setFont(m_theme.text());
  painter.setPen(t.secondary);
  painter.drawText(words.translated(0, 20), Qt::AlignVCenter,
                   theme::elided(painter.fontMetrics(), theme::reportText(insight.where), words.width()));
  // The saving: its number, and a bar for its share of the memory or of the run.
  const QRect saving(area.right() - kSaving - kPad, area.top() + 8, kSaving, 20);
  painter.setPen(t.text);
  painter.drawText(saving, Qt::AlignRight | Qt::AlignVCenter, savingText(insight, m_format));
  const QRect track(saving.left(), area.top() + 34, saving.width(), 8);
  painter.fillRect(track, t.grid);
  const double share = std::clamp(insight.share, 0.0, 1.0);
  painter.fillRect(QRect(track.left(), track.top(), std::max(2, int(track.width() * share)), track.height()),
                   t.secondary); // not a plot colour: savings are of many kinds
  if (hasFocus() && selected) {
    painter.setPen(QPen(t.accent, 1));
    painter.drawRect(area.adjusted(0, 0, -1, -2));
  }
}

void FindingList::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) choose(rowAt(event->pos().y()));
}

void FindingList::mouseDoubleClickEvent(QMouseEvent* event) {
  if (rowAt(event->pos().y()) >= 0) emit activated(m_current);
}

void FindingList::mouseMoveEvent(QMouseEvent* event) {
  const int row = rowAt(event->pos().y());
  if (row != m_hovered) m_hovered = row, update();
}

void FindingList::leaveEvent(QEvent*) {
  m_hovered = -1;
  update();
}

void FindingList::focusInEvent(QFocusEvent* event) {
  if (m_current < 0 && event->reason() != Qt::MouseFocusReason) choose(0);
  update();
  QWidget::focusInEvent(event);
}

void FindingList::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
  case Qt::Key_Down: return choose(std::min(rowOf(m_current) + 1, int(m_shown.size()) - 1));
  case Qt::Key_Up: return choose(std::max(0, rowOf(m_current) - 1));
  case Qt::Key_Home: return choose(0);
  case Qt::Key_End: return choose(int(m_shown.size()) - 1);
  case Qt::Key_Return:
  case Qt::Key_Enter:
    if (m_current >= 0) emit activated(m_current);
    return;
  default: QWidget::keyPressEvent(event);
  }
}

bool FindingList::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int row = rowAt(help->pos().y());
  if (row < 0) {
    QToolTip::hideText();
    return true;
  }
  const Insight& insight = (*m_all)[std::size_t(m_shown[std::size_t(row)])];
  const QString whole = !insight.savesMemory() ? tr("run") : insight.onOneTile ? tr("tile's memory") : tr("machine's memory");
  const QString words =
      tr("%1\nup to %2, %3 of the %4")
          .arg(theme::reportText(insight.where), savingText(insight, m_format), theme::percent(insight.share), whole);
  QToolTip::showText(help->globalPos(), theme::tipText(words), this);
  return true;
}

} // namespace ui::insights
