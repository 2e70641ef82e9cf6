// One finding in full: its text, its parts, the trials, and links to the evidence and to a run.
#pragma once

#include "analyser/insights/insight.h"
#include "ui/theme/format.h"

#include <QFrame>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ui::plot {
class BarList;
}
namespace ui::shell {
class TrialCheck;
class WrappedLabel;
} // namespace ui::shell
namespace ui::theme {
class Theme;
}

namespace ui::insights {

class FindingPanel : public QFrame {
  Q_OBJECT

public:
  FindingPanel(const theme::Theme& theme, QWidget* parent = nullptr);
  // `canTry`: the report names its graph, so that it can be run again with a change. `commands`: per trial, the whole command
  // line if it can be tried, else the words of the change.
  void setFinding(const analyser::insights::Insight& finding, const theme::Format& format, bool canTry,
                  const QStringList& commands);

  // Shows beside a trial how its run compares with the report.
  void showTried(std::size_t trial, const analyser::Sentence& outcome, const theme::Format& format);
  // Shows the results so far of compiling the trials of the finding.
  void showAnswers(const shell::TrialCheck& check, const theme::Format& format);

signals:
  void evidenceRequested();
  void checkRequested();                     // to compile all trials, or to stop compiling
  void trialRequested(int trial);            // index of Insight::trials
  void fieldRequested(const QString& field); // of the form of Run

private:
  void showParts(const analyser::insights::Insight& finding, const theme::Format& format);
  void showAdvice(const analyser::insights::Insight& finding, bool canTry);
  void showTrials(const analyser::insights::Insight& finding, bool canTry, const QStringList& commands);
  void showAnswer(std::size_t trial, const shell::TrialCheck& check, const theme::Format& format);
  void showOutcome(const shell::TrialCheck& check, const theme::Format& format);
  QLabel* addHeading(QVBoxLayout& column, const QString& text);

  const theme::Theme& m_theme;
  QLabel *m_title, *m_partsTitle, *m_trialsTitle;
  QPushButton* m_check;
  std::vector<shell::WrappedLabel*> m_answers, m_tried; // by trial
  std::vector<QWidget*> m_rows;
  std::vector<QPushButton*> m_buttons;
  std::vector<QString> m_trialTitles;
  shell::WrappedLabel* m_outcome; // the result of compiling the trials
  shell::WrappedLabel *m_saving, *m_what;
  QPushButton* m_evidence;
  plot::BarList* m_parts;
  QVBoxLayout *m_advice, *m_trials;
};

} // namespace ui::insights
