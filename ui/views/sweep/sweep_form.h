// The form of a sweep: the graph, options for all runs, and a line of values for each parameter. It becomes the JSON spec that
// `tilescope-cli sweep plan` reads.
#pragma once

#include <QFrame>
#include <QJsonObject>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace ui::theme {
class Theme;
}

namespace ui::sweep {

// "batch = 16, 32, 64", a line for each parameter. `problem` names the first unreadable line; empty: none.
QJsonObject parameterSpec(const QString& lines, QString& problem);
// The number of runs of its combinations, at most one more than a sweep may have.
qint64 combinations(const QJsonObject& parameters);

class SweepForm : public QFrame {
  Q_OBJECT

public:
  explicit SweepForm(const theme::Theme& theme, QWidget* parent = nullptr);
  // From an open report: its graph, its settings as options of all runs, and its batch as a parameter to vary.
  void propose(const QString& graph, const QStringList& arguments, const QString& parameters);
  QJsonObject spec(QString& problem) const;
  QString graph() const;
  int jobs() const;
  QStringList files() const; // files to read that options name
  QString program() const;   // that all runs start; empty: the graph is none
  void setRunning(bool running);

signals:
  void runRequested();
  void stopRequested();
  void openRequested();

private:
  bool m_isTyped = false, m_isProposing = false;
  void check();
  QLineEdit* m_graph;
  QPlainTextEdit* m_arguments; // as high as its text
  QPlainTextEdit* m_parameters;
  QSpinBox* m_jobs;
  QLabel* m_count;
  QPushButton *m_run, *m_stop, *m_open;
};

} // namespace ui::sweep
