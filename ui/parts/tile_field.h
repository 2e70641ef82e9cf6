// The field in which tiles are typed: numbers and ranges, Enter selects them, empty is all tiles.
#pragma once

#include <QLineEdit>

namespace ui::shell {

class TileField : public QLineEdit {
  Q_OBJECT

public:
  explicit TileField(QWidget* parent = nullptr);
};

} // namespace ui::shell
