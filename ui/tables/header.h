// The titles of a table. One that has no room ends in an ellipsis, also under a style sheet, which cuts it off.
#pragma once

#include <QHeaderView>

namespace ui::tables {

class Header : public QHeaderView {
public:
  explicit Header(QWidget* parent);

protected:
  void initStyleOptionForIndex(QStyleOptionHeader* option, int column) const override;
};

} // namespace ui::tables
