// Dims the window below a sheet (help, palette), to show that the sheet takes all keys. It appears and disappears with its sheet,
// and a click on it closes the sheet.
#pragma once

#include <QWidget>

namespace ui::theme {
class Theme;
}

namespace ui::shell {

class Veil : public QWidget {
  Q_OBJECT

public:
  // Becomes a child of the window of `sheet`, below the sheet.
  Veil(const theme::Theme& theme, QWidget& sheet);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;

private:
  const theme::Theme& m_theme;
  QWidget& m_sheet;
};

} // namespace ui::shell
