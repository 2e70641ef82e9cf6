// A sample on Home: its title, what it is, where its time goes, and a button that runs it. A click anywhere on the cell does the same.
#pragma once

#include "ui/views/home/time_strip.h"

#include <QWidget>

namespace ui::theme {
class Theme;
}

namespace ui::home {

struct SampleText {
  QString name, title, text;
  QString group = {};  // samples of a group follow one another below its title
  QString names = {};  // other names under which a search finds the sample
  bool isBrief = true; // only one line of the text is shown; false: the whole first sentence
  TimeParts time = {}; // of its default run; zeros: unknown
};

class SampleCell : public QWidget {
  Q_OBJECT

public:
  SampleCell(const theme::Theme& theme, const SampleText& sample, QWidget* parent);

signals:
  void runRequested();

protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  const theme::Theme& m_theme;
  bool m_isPressed = false, m_isHovered = false;
};

} // namespace ui::home
