#include "ui/plot/shaped_words.h"

#include <QFontMetrics>
#include <QPainter>

#include <cmath>

namespace ui::plot {

namespace {
constexpr int kMostKept = 2000; // entries of each cache: full texts, shortened texts
}

ShapedWords::ShapedWords(Shorten shorten) : m_shorten(std::move(shorten)) {}

ShapedWords::ShapedWords()
    : ShapedWords([](const QFontMetrics& metrics, const QString& text, int width) {
        return metrics.elidedText(text, Qt::ElideMiddle, width);
      }) {}

void ShapedWords::shape(Shaped& shaped, const QString& text) const {
  shaped.text = QStaticText(text);
  shaped.text.setTextFormat(Qt::PlainText);
  shaped.text.prepare({}, m_font);
  shaped.width = int(std::ceil(shaped.text.size().width()));
}

const ShapedWords::Shaped& ShapedWords::whole(const QString& text, const QFont& font) {
  if (m_font != font) m_whole.clear(), m_short.clear(), m_font = font;
  if (m_whole.size() > kMostKept) m_whole.clear();
  Shaped& kept = m_whole[text];
  if (kept.width < 0) shape(kept, text);
  return kept;
}

const ShapedWords::Shaped& ShapedWords::shortened(const QString& text, int width, const QFontMetrics& metrics) {
  if (m_short.size() > kMostKept) m_short.clear();
  Shaped& kept = m_short[{text, width}];
  if (kept.width < 0) shape(kept, m_shorten(metrics, text, width));
  return kept;
}

void ShapedWords::draw(QPainter& painter, const QRect& box, const QString& text) {
  const Shaped* shaped = &whole(text, painter.font());
  if (shaped->width > box.width()) shaped = &shortened(text, box.width() / kStep * kStep, painter.fontMetrics());
  painter.drawStaticText(QPointF(box.left(), box.top() + (box.height() - shaped->text.size().height()) / 2), shaped->text);
}

} // namespace ui::plot
