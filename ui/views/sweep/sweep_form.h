// The form of a sweep: the graph, options for all runs, and a line of values for each parameter. It becomes the JSON spec that
// `tilescope-cli sweep plan` reads.
#pragma once

#include <QFrame>
#include <QJsonArray>
#include <QJsonObject>

#include <functional>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace ui::shell {
class WrappedLabel;
}
namespace ui::theme {
class Theme;
}

namespace ui::sweep {

// "batch = 16, 32, 64", a line for each parameter. `problem` has a line for each unreadable one; empty: none.
QJsonObject parameterSpec(const QString& lines, QString& problem);
// Errors that a sample (an entry of `samples --json`) or a sweep would report about the parameters: an unknown name, a value that
// is not one of the choices, a word instead of a number. One line each; empty if there are none. Without a sample no parameter is
// checked; without `machines` no name of a machine.
QString problemOf(const QJsonObject& parameters, const QJsonObject& sample, const QStringList& machines = {});
// Like problemOf(), for the options that all runs have.
QString problemOfOptions(const QStringList& words, const QJsonObject& sample, const QStringList& machines = {});
// Completions in a line of parameters: names, or values of the named one.
QStringList completionsAt(const QString& line, const QJsonObject& sample, const QStringList& machines = {});
// Completions in a line of options: their names, the values of the previous option, and after --set the sample's parameters and
// their values.
QStringList optionCompletionsAt(const QString& line, const QJsonObject& sample, const QStringList& machines = {});
// The number of runs, which are all combinations of the values; at most one more than a sweep may have.
qint64 combinations(const QJsonObject& parameters);

class SweepForm : public QFrame {
  Q_OBJECT

public:
  explicit SweepForm(const theme::Theme& theme, QWidget* parent = nullptr);
  // Fills the form for an open report: its graph, its settings as options of all runs, and its batch as a parameter to vary.
  // Keeps a plan that the user typed.
  void propose(const QString& graph, const QStringList& arguments, const QString& parameters);
  // The samples, for errors before the run and for completion.
  void setSamples(const QJsonArray& samples);
  void setMachines(const QStringList& machines);
  // The plan that the user typed, for restore(); empty if there is none.
  QJsonObject typed() const;
  void restore(const QJsonObject& plan);
  QJsonObject spec(QString& problem) const;
  QString graph() const;
  int jobs() const;
  QStringList files() const; // files to read that options name
  QString program() const;   // the program that all runs start; empty: the graph is not a program
  void setRunning(bool running);

signals:
  void runRequested();
  void stopRequested();
  void openRequested();
  void edited();

private:
  QJsonObject sample() const; // empty: the graph is not a sample
  QJsonArray m_samples;
  QStringList m_machines;
  bool m_isNew = true; // nothing was typed or proposed yet
  bool m_isTyped = false, m_isProposing = false;
  void check();
  QString problemOfGraph() const;
  QLineEdit* m_graph;
  QPlainTextEdit* m_arguments; // as high as its text
  QPlainTextEdit* m_parameters;
  QSpinBox* m_jobs;
  QLabel* m_count;
  shell::WrappedLabel *m_graphProblem, *m_argumentProblem, *m_parameterProblem; // at their fields
  QPushButton *m_run, *m_stop, *m_open;
  QPushButton* m_proposed; // replaces a typed plan by that of the open report
  std::function<void()> m_propose;
};

} // namespace ui::sweep
