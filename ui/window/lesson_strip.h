// The lesson of a sample above its report: numbered steps, each a button that opens the step's location, and the sentence of the
// current step. A dismissed lesson stays hidden for later reports of the sample until the user asks for it.
#pragma once

#include "ui/window/sample_lessons.h"

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

class Settings;

class LessonStrip : public QFrame {
  Q_OBJECT

public:
  LessonStrip(const theme::Theme& theme, Settings& settings, QWidget* parent = nullptr);

  // The open report; null: none, or several that are compared.
  void setReport(const analyser::Session* report);
  // Whether the window shows a view of the report.
  void setInReport(bool inReport);
  bool hasLesson() const { return m_lesson != nullptr; }
  // Shows the lesson again if it was dismissed.
  void bringBack();
  int step() const { return m_step; } // from 0; -1: not begun
  int steps() const { return m_lesson ? int(m_lesson->steps.size()) : 0; }
  // Makes `step` current and requests its location. Does nothing if the step does not exist.
  void go(int step);

signals:
  void lessonChanged(bool has);
  void placeRequested(const ui::shell::ViewLink& place);

protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

private:
  QToolButton* tool(const QString& icon, const QString& name, const QString& tip);
  void find();
  void showSteps();
  void showSentence();
  QString sentence(int step) const;
  void showIfWanted();
  void fit();

  const theme::Theme& m_theme;
  Settings& m_settings;
  SampleLessons* m_lessons;
  const Lesson* m_lesson = nullptr;
  QString m_sample, m_file; // of the report
  bool m_isChanged = false; // the run had its own settings
  bool m_inReport = false;
  int m_step = -1;
  QMap<QString, int> m_left;           // by files: the last step of reports that were open before
  std::vector<QToolButton*> m_numbers; // not a QButtonGroup: the Tab key would reach only one button
  QHBoxLayout* m_row;
  QToolButton *m_previous, *m_next, *m_close;
  QLabel* m_text = nullptr;
};

} // namespace ui::shell
