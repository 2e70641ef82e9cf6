// The field for typed tile numbers and ranges. Enter selects them; empty
// means all tiles. It shows the tiles that are selected in the window.
#pragma once

#include "reports/core/ids.h"
#include "reports/core/range.h"

#include <QLineEdit>

#include <functional>
#include <span>
#include <vector>

namespace ui::shell {

class ViewState;

// Merges sorted tiles into spans.
std::vector<reports::Range<int64_t>> spansOf(std::span<const reports::TileId> tiles);
// "0, 5-8"; a span of two tiles is written as two numbers.
QString tilesText(std::span<const reports::TileId> tiles);

class TileField : public QLineEdit {
  Q_OBJECT

public:
  // Parses the typed text into tiles; throws reports::Error, which the field shows. Without a report, views set no parser.
  using Parse = std::function<std::vector<reports::TileId>(const std::string& text)>;
  TileField(ViewState& state, QWidget* parent = nullptr);
  void setParse(Parse parse); // if null, typing selects nothing

private:
  void select();
  ViewState& m_state;
  Parse m_parse;
};

} // namespace ui::shell
