// A large figure of the summary with its title and a line about it. A click or Enter opens its view.
#pragma once

#include <QAbstractButton>

class QLabel;
namespace ui::shell {
class WrappedLabel;
}
namespace ui::theme {
class Theme;
}

namespace ui::summary {

class FigureButton : public QAbstractButton {
  Q_OBJECT

public:
  // `leadsTo`: the target of a click, for the tooltip.
  FigureButton(const theme::Theme& theme, const QString& leadsTo, QWidget* parent = nullptr);
  // `exact`: the figure with all its digits, for the tooltip.
  void setFigure(const QString& title, const QString& value, const QString& detail, const QString& exact);
  void setValueFont(const QFont& font);
  QSize sizeHint() const override;

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override; // copies the figure

private:
  void fitValue();

  const theme::Theme& m_theme;
  QString m_leadsTo;
  QFont m_font; // if the figure has enough room
  QLabel *m_title, *m_value;
  shell::WrappedLabel* m_detail;
};

} // namespace ui::summary
