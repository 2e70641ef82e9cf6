// The titles of a table. A title without room ends in an ellipsis and is complete in its tooltip; a style sheet alone would cut it off.
#pragma once

#include <QHeaderView>

namespace ui::tables {

inline constexpr int kTitleRoom = 26; // pixels around a whole title: its margins and an arrow

class Header : public QHeaderView {
public:
  explicit Header(QWidget* parent);
  QString shownTitle(int column) const;

protected:
  bool viewportEvent(QEvent* event) override;
  void initStyleOptionForIndex(QStyleOptionHeader* option, int column) const override;
};

} // namespace ui::tables
