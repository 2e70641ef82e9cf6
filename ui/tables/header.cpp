#include "ui/tables/header.h"

#include "ui/theme/theme.h"

#include <QStyleOptionHeader>

namespace ui::tables {

namespace {
constexpr int kPadding = 2 * theme::kGrid; // beside a title: before it as in the style sheet, and as much behind it
constexpr int kSortMark = 16;              // behind it
} // namespace

Header::Header(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
  setSectionsClickable(true);
  setHighlightSections(false);
  setSectionsMovable(true);
  setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  setFixedHeight(28);
  setMinimumSectionSize(48);
}

void Header::initStyleOptionForIndex(QStyleOptionHeader* option, int column) const {
  QHeaderView::initStyleOptionForIndex(option, column);
  const bool isSorted = isSortIndicatorShown() && sortIndicatorSection() == column;
  option->text =
      option->fontMetrics.elidedText(option->text, Qt::ElideRight, sectionSize(column) - kPadding - (isSorted ? kSortMark : 0));
}

} // namespace ui::tables
