// The field in which tiles are typed: numbers and ranges, Enter selects them, empty is all tiles. It shows the tiles that are selected in
// the window, which are its own.
#pragma once

#include "reports/core/ids.h"
#include "reports/core/range.h"

#include <QLineEdit>

#include <functional>
#include <span>
#include <vector>

namespace ui::shell {

class ViewState;

// Sorted tiles as the spans they make.
std::vector<reports::Range<int64_t>> spansOf(std::span<const reports::TileId> tiles);
// "0, 5-8"; a span of two is written as two.
QString tilesText(std::span<const reports::TileId> tiles);

class TileField : public QLineEdit {
  Q_OBJECT

public:
  // Parses the typed text into tiles; throws reports::Error, which the field shows. Views set none while no report is open.
  using Parse = std::function<std::vector<reports::TileId>(const std::string& text)>;
  TileField(ViewState& state, QWidget* parent = nullptr);
  void setParse(Parse parse); // none: nothing is selected by typing

private:
  void select();
  ViewState& m_state;
  Parse m_parse;
};

} // namespace ui::shell
