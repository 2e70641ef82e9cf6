// The left side of Run: which graph, on which machine, with which numbers. It learns samples and machines from the
// command line and remembers what was chosen last.
#pragma once

#include "ui/views/run/run_request.h"

#include <QFrame>
#include <QJsonArray>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace ui::shell {
class Settings;
class WrappedLabel;
} // namespace ui::shell
namespace ui::theme {
class Theme;
}

namespace ui::run {

class ParameterList;

class RunForm : public QFrame {
  Q_OBJECT

public:
  RunForm(const theme::Theme& theme, shell::Settings& settings, QWidget* parent = nullptr);
  void setSamples(const QJsonArray& samples);
  void setMachines(const QJsonArray& machines);
  void chooseSample(const QString& name);
  void chooseFile(const QString& file);
  // Words of the command line in the field for more options.
  void setOptions(const QStringList& words);
  // The report gets a fresh name in the folder for runs.
  RunRequest request() const;
  // Why the form cannot be run yet; empty: it can.
  QString problem() const;
  void setRunning(bool running);

signals:
  void runRequested();
  void cancelRequested();
  void edited();

private:
  QLayout* buildSources();
  void buildGraph();
  void buildMachine();
  QLayout* buildActions(const theme::Theme& theme);
  void showSource();
  void showSample();
  void showMachine();
  void remember();
  bool choosesPrecision() const; // some samples have a type of their own, as a parameter or for good
  QToolButton* segment(const QString& title, const char* place);
  QWidget* addField(QFormLayout& form, const QString& title, QWidget* field);

  shell::Settings& m_settings;
  QJsonArray m_sampleList, m_machineList;
  QToolButton *m_fromSample, *m_fromFile;
  QComboBox *m_sample, *m_machine, *m_ipus, *m_precision;
  QWidget* m_fileRow;
  QLineEdit *m_file, *m_options;
  shell::WrappedLabel* m_text;
  QLabel *m_machineText, *m_parameterTitle;
  QSpinBox* m_iterations;
  QCheckBox* m_numbers;
  QFormLayout* m_form;
  ParameterList* m_parameters;
  QPushButton *m_run, *m_cancel;
};

} // namespace ui::run
