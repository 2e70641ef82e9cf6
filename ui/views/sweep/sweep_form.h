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
// Parameters that a sample, as `samples --json` lists it, would refuse, and options that a sweep would: an unknown name, a value that is none of
// its choices, a word for a number; a line for each. Empty: none. Without a sample its parameters are not checked, without machines their names.
QString problemOf(const QJsonObject& parameters, const QJsonObject& sample, const QStringList& machines = {});
// The same for the options that all runs have.
QString problemOfOptions(const QStringList& words, const QJsonObject& sample, const QStringList& machines = {});
// Completions in a line of parameters: names, or values of the named one.
QStringList completionsAt(const QString& line, const QJsonObject& sample, const QStringList& machines = {});
// The same in a line of options: their names, the values of the one before, after --set the parameters of the sample and their values.
QStringList optionCompletionsAt(const QString& line, const QJsonObject& sample, const QStringList& machines = {});
// The number of runs of its combinations, at most one more than a sweep may have.
qint64 combinations(const QJsonObject& parameters);

class SweepForm : public QFrame {
  Q_OBJECT

public:
  explicit SweepForm(const theme::Theme& theme, QWidget* parent = nullptr);
  // From an open report: its graph, its settings as options of all runs, and its batch as a parameter to vary.
  void propose(const QString& graph, const QStringList& arguments, const QString& parameters);
  // The samples, for errors before the run and for completion.
  void setSamples(const QJsonArray& samples);
  void setMachines(const QStringList& machines);
  // A plan that the user typed; null: none. It comes back with restore().
  QJsonObject typed() const;
  void restore(const QJsonObject& plan);
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
  void edited();

private:
  QJsonObject sample() const; // empty: the graph is none
  QJsonArray m_samples;
  QStringList m_machines;
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
  QPushButton* m_proposed; // takes the plan of the report that is open, instead of a typed one
  std::function<void()> m_propose;
};

} // namespace ui::sweep
