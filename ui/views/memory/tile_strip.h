// The memory map of one tile: addresses from left to right, variables in the colour of their category, gaps
// empty, with marks for memory elements and the start of interleaved memory. Variables that reuse each other's
// addresses are in lanes above each other, as many as fit. If a program step is chosen, variables that are not
// live at it are faint. The wheel zooms at the pointer, drag pans, a double-click shows everything again.
#pragma once

#include "ui/plot/hover_card.h"
#include "ui/theme/format.h"
#include "ui/views/memory/memory_geometry.h"

#include <QWidget>

namespace ui::theme {
class Theme;
}

namespace ui::memory {

class TileStrip : public QWidget {
  Q_OBJECT

public:
  explicit TileStrip(const theme::Theme& theme, QWidget* parent = nullptr);
  void setLayoutOf(std::shared_ptr<const analyser::memory::TileLayout> layout);
  void setFormat(const theme::Format& format);
  void setSelected(int variable);        // index into the layout's variables; -1: none
  void setStep(int64_t step);            // of liveness; -1: all steps
  void setLetter(const QString& letter); // of the report, at the left above the addresses; empty: none
  QSize sizeHint() const override { return {480, 110}; }
  QSize minimumSizeHint() const override { return {200, 84}; }
  // The variable drawn at a position, -1 for none.
  int variableAt(const QPoint& at) const;

signals:
  void variableClicked(int variable);

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

private:
  QRectF area() const;
  QRectF rectOf(const StripPiece& piece) const;
  double xOf(int64_t address) const;
  void showAddresses(int64_t begin, int64_t size);
  void zoom(double factor, double x);
  void arrange();
  void paintAxis(QPainter& painter);
  void paintElements(QPainter& painter);
  void paintPiece(QPainter& painter, const StripPiece& piece);
  void paintBeyond(QPainter& painter, const QRectF& rect, bool isLive) const;
  void outline(QPainter& painter, const StripPiece& piece);
  plot::Card cardOf(int variable) const;

  const theme::Theme& m_theme;
  theme::Format m_format;
  QString m_letter;
  std::shared_ptr<const analyser::memory::TileLayout> m_layout;
  reports::Range<int64_t> m_shown;
  Strip m_strip;
  std::vector<std::vector<int>> m_shared; // by variable: the variables that share addresses with it
  int64_t m_step = -1;
  int m_selected = -1, m_hovered = -1;
  QPoint m_pressed;
  int64_t m_pressBegin = 0;
  bool m_dragging = false;
  plot::HoverCard* m_card;
};

} // namespace ui::memory
