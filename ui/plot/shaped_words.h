// Texts of a plot, shaped once: shaping takes more than half of a frame, and most texts are the same as in the previous frame.
#pragma once

#include <QFont>
#include <QHash>
#include <QStaticText>

#include <functional>
#include <utility>

class QFontMetrics;
class QPainter;
class QRect;

namespace ui::plot {

class ShapedWords {
public:
  // The part of `text` that fits into `width` pixels. Called once for each text and width.
  using Shorten = std::function<QString(const QFontMetrics&, const QString& text, int width)>;
  explicit ShapedWords(Shorten shorten);
  ShapedWords(); // leaves out the middle

  // Draws `text` at the left of `box`, vertically centred, in the painter's font and colour. A text that is too long is shortened
  // to the next lower multiple of kStep pixels, so that the cache serves most texts during a zoom.
  void draw(QPainter& painter, const QRect& box, const QString& text);
  int widthOf(const QString& text, const QFont& font) { return whole(text, font).width; } // pixels, not shortened

private:
  static constexpr int kStep = 8;
  struct Shaped {
    QStaticText text;
    int width = -1; // pixels; below 0: not shaped yet
  };
  const Shaped& whole(const QString& text, const QFont& font);
  const Shaped& shortened(const QString& text, int width, const QFontMetrics& metrics);
  void shape(Shaped& shaped, const QString& text) const;

  Shorten m_shorten;
  QFont m_font; // of all cached texts
  QHash<QString, Shaped> m_whole;
  QHash<std::pair<QString, int>, Shaped> m_short; // by text and width
};

} // namespace ui::plot
