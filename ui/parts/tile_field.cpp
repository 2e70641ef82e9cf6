#include "ui/parts/tile_field.h"

namespace ui::shell {

namespace {
constexpr int kWidth = 150;
}

TileField::TileField(QWidget* parent) : QLineEdit(parent) {
  setPlaceholderText(tr("Tiles, e.g. 0, 5-8"));
  setAccessibleName(tr("Selected tiles"));
  setToolTip(tr("Type tile numbers and ranges, then Enter; empty selects all tiles"));
  setClearButtonEnabled(true);
  setFixedWidth(kWidth);
}

} // namespace ui::shell
