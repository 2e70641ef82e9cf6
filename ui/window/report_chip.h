// One open report in the top bar: its name, machine and size, with a menu of actions on the file.
#pragma once

#include "ui/window/top_bar.h"

#include <QAbstractButton>

namespace ui::shell {

class ReportChip : public QAbstractButton {
  Q_OBJECT

public:
  // `role` is shown before the name when two reports are open: "A", "B".
  ReportChip(const theme::Theme& theme, const QString& role, QWidget* parent);
  void setReport(const ChipText& text, bool paired);
  void setLesson(bool has) { m_hasLesson = has; } // whether the chip's menu offers a lesson
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

signals:
  void reloadRequested();
  void closeRequested();
  void linkRequested();
  void bookmarksRequested();
  void lessonRequested();
  void pageRequested(); // the report as one web page
  void compareRequested();
  void tracesRequested(); // lay traces on its time axis
  void runRequested();    // repeat it with other settings

protected:
  void paintEvent(QPaintEvent* event) override;

private:
  void showMenu();
  QStringList facts() const;
  QString detail() const;
  const theme::Theme& m_theme;
  QString m_role;
  ChipText m_text;
  bool m_paired = false, m_hasLesson = false;
};

} // namespace ui::shell
