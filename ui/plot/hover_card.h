// The tooltip beside the pointer: a name, exact values, and the effect of a click. One per plot, a child of its window, so that it
// needs no window system and appears in a screenshot.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>

#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::plot {

struct CardRow {
  QString name, value;
  QColor swatch = {}; // invalid: none
};

struct Card {
  QString title;
  std::vector<CardRow> rows = {};
  QString hint = {}; // "Click selects, double-click zooms"
  bool empty() const { return title.isEmpty() && rows.empty(); }
};

class HoverCard : public QWidget {
  Q_OBJECT

public:
  // `owner` is the plot; the tooltip floats over the plot's window and hides with it.
  HoverCard(const theme::Theme& theme, QWidget* owner);
  // Shows the tooltip beside `at` (in the owner's coordinates), inside the window; an empty card hides it.
  void showAt(const Card& card, const QPoint& at);

protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  QSize wantedSize() const;
  const theme::Theme& m_theme;
  QWidget* m_owner;
  Card m_card;
};

} // namespace ui::plot
