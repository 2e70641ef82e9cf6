// F1 and "?": the question that the shown view answers, and all its keys. A sheet over the window; any key closes it.
#pragma once

#include <QFrame>

#include <utility>
#include <vector>

namespace ui::theme {
class Theme;
}

namespace ui::shell {

struct HelpText {
  QString title, question;
  std::vector<std::pair<QString, QString>> viewKeys, plotKeys, windowKeys;
};

class HelpSheet : public QFrame {
  Q_OBJECT

public:
  HelpSheet(const theme::Theme& theme, QWidget* window);
  void open(const HelpText& text);

protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

private:
  struct Line {
    QString key, what; // without a key: a heading
    bool isHeading() const { return key.isEmpty() && !what.isEmpty(); }
    bool isBlank() const { return key.isEmpty() && what.isEmpty(); }
  };
  void flow(int linesAColumn);
  void drawLine(QPainter& painter, const QRect& area, const Line& line) const;
  const theme::Theme& m_theme;
  HelpText m_text;
  std::vector<std::vector<Line>> m_columns;
};

} // namespace ui::shell
