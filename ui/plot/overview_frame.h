// A frame over an image of the whole: it marks the part that a plot shows. A drag of an end makes the part longer or shorter, a drag of its
// middle moves it, and a press outside moves its middle there.
#pragma once

#include <QRect>
#include <Qt>

class QPainter;

namespace ui::theme {
struct Tokens;
}

namespace ui::plot {

class OverviewFrame {
public:
  struct Part { // in shares of the whole
    double begin = 0, end = 1;
    bool isAll() const { return begin <= 0 && end >= 1; }
    bool operator==(const Part&) const = default;
  };

  // Starts a drag at `x`. `area` is the image of the whole, `part` the visible part, which no drag makes shorter than `least`.
  void press(int x, const QRect& area, Part part, double least);
  // The part to show while the pointer is at `x`.
  Part draggedTo(int x) const;
  bool movesEnd() const { return m_grip == Grip::End; }
  bool keepsLength() const { return m_grip == Grip::Middle || m_grip == Grip::None; }
  static Qt::CursorShape cursorAt(int x, const QRect& area, Part part);

  // Paints a veil over the rest, a frame around the part, and its two grips. If the part is the whole, only the grips are painted.
  static void paint(QPainter& painter, const theme::Tokens& tokens, const QRect& area, Part part);

private:
  enum class Grip { Begin, End, Middle, None };
  static Grip gripAt(int x, const QRect& area, Part part);
  double shareOf(int x) const;

  QRect m_area;
  Part m_part;
  double m_least = 0, m_offset = 0; // offset: from the dragged end or begin to the pointer
  Grip m_grip = Grip::None;
};

} // namespace ui::plot
