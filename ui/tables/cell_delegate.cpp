#include "ui/tables/cell_delegate.h"

#include "ui/tables/table_model.h"
#include "ui/theme/elide.h"
#include "ui/theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <optional>

namespace ui::tables {

void CellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  painter->save();
  paintGround(*painter, option, index);
  paintWords(*painter, option, index);
  if ((option.state & QStyle::State_HasFocus) && index.column() == 0)
    painter->fillRect(QRect(option.rect.left(), option.rect.top(), 3, option.rect.height() - 1), m_theme.tokens().accent);
  painter->restore();
}

// The fill of the row, the line below it, and the bar of a share.
void CellDelegate::paintGround(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const theme::Tokens& t = m_theme.tokens();
  const bool selected = option.state & QStyle::State_Selected;
  const QRect area = option.rect;
  const bool marked = index.data(MarkedRole).toBool();
  if (selected)
    painter.fillRect(area, t.selection);
  else if (option.state & QStyle::State_MouseOver)
    painter.fillRect(area, t.hover);
  else if (marked)
    painter.fillRect(area, theme::mix(t.surface, t.accent, 0.06));
  if (marked && index.column() == 0)
    painter.fillRect(QRect(area.left(), area.top(), 3, area.height()), theme::mix(t.surface, t.accent, 0.6));
  painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), t.grid);
  const QVariant share = index.data(ShareRole);
  if (!share.isValid() || share.toDouble() <= 0) return;
  const int full = area.width() - 12;
  const auto part = [&](int room) { return std::max(1, int(room * std::min(1.0, share.toDouble()))); };
  if (isDelta(Kind(index.data(KindRole).toInt()))) return paintDifference(painter, area, index, part(full / 2));
  // The bar is a line below the number: a bar behind the digits would hide where it ends.
  painter.fillRect(QRect(area.left() + 6, area.bottom() - 3, part(full), 3),
                   theme::mix(selected ? t.selection : t.surface, t.accent, 0.6));
}

// The bar extends from the middle to the left for less, to the right for more. It is a thin line below the text, because coloured
// text is hard to read on a bar.
void CellDelegate::paintDifference(QPainter& painter, const QRect& area, const QModelIndex& index, int length) const {
  if (length < 2) return; // the mark at zero is useless without a bar
  const bool isLess = index.data(PlainRole).toString().startsWith('-');
  const int zero = area.left() + area.width() / 2, y = area.bottom() - 3;
  painter.fillRect(QRect(isLess ? zero - length : zero, y, length, 3), m_theme.difference(isLess ? -1 : 1));
  painter.fillRect(QRect(zero, y - 1, 1, 4), m_theme.tokens().secondary);
}

void CellDelegate::paintWords(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
  // The right margin is the same as in titles, which leave room for an arrow.
  QRect words = option.rect.adjusted(index.column() == 0 ? 4 : 8, 0, -10, -1);
  const QVariant swatch = index.data(Qt::DecorationRole);
  if (swatch.canConvert<QColor>()) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(swatch.value<QColor>());
    painter.drawRoundedRect(QRect(words.left() + 2, words.center().y() - 4, 10, 10), 2, 2);
    words.setLeft(words.left() + 18);
  } else if (index.column() == 0) {
    words.setLeft(words.left() + 4);
  }
  const QVariant font = index.data(Qt::FontRole);
  painter.setFont(font.isValid() ? font.value<QFont>() : option.font);
  const QVariant colour = index.data(Qt::ForegroundRole);
  painter.setPen(colour.isValid() ? colour.value<QColor>() : m_theme.tokens().text);
  const auto kind = Kind(index.data(KindRole).toInt());
  const QString whole = index.data().toString();
  // "net/layer 1 of 2/matmul" is a path, "bytes / s" is not.
  const bool isPath = whole.contains('/') && !whole.section('/', 0, 0).contains(' ');
  const bool isName = kind == Kind::Name || (kind == Kind::Text && (isPath || whole.contains(QStringLiteral(" · "))));
  const QString text = isName ? theme::elided(painter.fontMetrics(), whole, words.width())
                              : painter.fontMetrics().elidedText(whole, Qt::ElideRight, words.width());
  painter.drawText(words, index.data(Qt::TextAlignmentRole).toInt(), text);
}

QSize CellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  const QVariant font = index.data(Qt::FontRole);
  const int swatch = index.data(Qt::DecorationRole).isValid() ? 18 : 0;
  const double words = textWidth(index.data().toString(), font.isValid() ? font.value<QFont>() : option.font);
  return {int(std::ceil(words)) + 24 + swatch, theme::kRow};
}

// Without kerning, which changes a text by less than the room beside it.
double CellDelegate::textWidth(const QString& text, const QFont& font) const {
  const auto isPlain = [](QChar c) { return c.unicode() < kPlainCharacters; };
  if (!std::all_of(text.begin(), text.end(), isPlain)) return QFontMetricsF(font).horizontalAdvance(text);
  auto known = std::find_if(m_advances.begin(), m_advances.end(), [&](const Advances& a) { return a.font == font; });
  if (known == m_advances.end()) {
    if (m_advances.size() >= 8) m_advances.clear(); // fonts of other sizes, chosen before
    known = m_advances.insert(m_advances.end(), Advances{font, {}});
    known->pixels.fill(-1);
  }
  std::optional<QFontMetricsF> metrics;
  double width = 0;
  for (const QChar c : text) {
    float& pixels = known->pixels[c.unicode()];
    if (pixels < 0) {
      if (!metrics) metrics.emplace(font);
      pixels = float(metrics->horizontalAdvance(c));
    }
    width += double(pixels);
  }
  return width;
}

} // namespace ui::tables
