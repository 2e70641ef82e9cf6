#include "ui/tables/header.h"

#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QStyleOptionHeader>
#include <QToolTip>

namespace ui::tables {

namespace {
constexpr int kPadding = 2 * theme::kGrid;         // around a title: at the left as in the style sheet, and the same at the right
constexpr int kSortMark = 10;                      // right of the title
static_assert(kPadding + kSortMark <= kTitleRoom); // a column is fitted to its whole title
} // namespace

Header::Header(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
  setSectionsClickable(true);
  setHighlightSections(false);
  setSectionsMovable(true);
  setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  setFixedHeight(28);
  setMinimumSectionSize(48);
}

QString Header::shownTitle(int column) const {
  const bool isSorted = isSortIndicatorShown() && sortIndicatorSection() == column;
  const QString title = model() ? model()->headerData(column, Qt::Horizontal).toString() : QString();
  return fontMetrics().elidedText(title, Qt::ElideRight, sectionSize(column) - kPadding - (isSorted ? kSortMark : 0));
}

void Header::initStyleOptionForIndex(QStyleOptionHeader* option, int column) const {
  QHeaderView::initStyleOptionForIndex(option, column);
  option->text = shownTitle(column);
}

bool Header::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip || !model()) return QHeaderView::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int column = logicalIndexAt(help->pos());
  const QString title = model()->headerData(column, Qt::Horizontal).toString();
  if (column < 0 || shownTitle(column) == title) return QHeaderView::viewportEvent(event);
  const QString tip = model()->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString();
  QToolTip::showText(help->globalPos(), tip.isEmpty() ? theme::tipText(title) : tip, this);
  return true;
}

} // namespace ui::tables
