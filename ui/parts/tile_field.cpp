#include "ui/parts/tile_field.h"

#include "reports/core/error.h"
#include "ui/state/view_state.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"

#include <QToolTip>

namespace ui::shell {

namespace {
constexpr int kWidth = 150;
}

std::vector<reports::Range<int64_t>> spansOf(std::span<const reports::TileId> tiles) {
  std::vector<reports::Range<int64_t>> spans;
  for (const reports::TileId tile : tiles)
    if (const auto at = int64_t(tile.value()); !spans.empty() && spans.back().end == at)
      ++spans.back().end;
    else
      spans.push_back({at, at + 1});
  return spans;
}

QString tilesText(std::span<const reports::TileId> tiles) {
  QStringList parts;
  for (const auto& span : spansOf(tiles))
    if (span.size() > 2)
      parts << QStringLiteral("%1-%2").arg(span.begin).arg(span.end - 1);
    else
      for (int64_t tile = span.begin; tile < span.end; ++tile) parts << QString::number(tile);
  return parts.join(", ");
}

TileField::TileField(ViewState& state, QWidget* parent) : QLineEdit(parent), m_state(state) {
  setPlaceholderText(tr("Tiles, e.g. 0, 5-8"));
  setAccessibleName(tr("Selected tiles"));
  setToolTip(tr("Type tile numbers and ranges, then Enter; empty selects all tiles"));
  setClearButtonEnabled(true);
  setFixedWidth(kWidth);
  connect(this, &QLineEdit::returnPressed, this, &TileField::select);
  connect(this, &QLineEdit::textChanged, this, [this](const QString& text) {
    if (text.isEmpty() && m_parse && !m_state.tiles().empty() && hasFocus()) m_state.setTiles({});
  });
  connect(&state, &ViewState::tilesChanged, this, [this] {
    if (m_parse) setText(tilesText(m_state.tiles())); // emits its signal, which updates the clear button
  });
}

void TileField::setParse(Parse parse) {
  m_parse = std::move(parse);
  if (m_parse) setText(tilesText(m_state.tiles()));
}

void TileField::select() {
  if (!m_parse) return;
  try {
    m_state.setTiles(text().trimmed().isEmpty() ? std::vector<reports::TileId>{} : m_parse(text().toStdString()));
  } catch (const reports::Error& error) {
    QToolTip::showText(mapToGlobal(QPoint(0, height())), theme::tipText(theme::messageText(error.what())), this);
  }
}

} // namespace ui::shell
