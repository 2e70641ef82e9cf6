// The left side of Run: the graph, the machine and the settings. It gets samples and machines from the command line and remembers
// the last choices.
#pragma once

#include "ui/views/run/form_errors.h"
#include "ui/views/run/run_request.h"

#include <QFrame>
#include <QJsonArray>
#include <QMap>

#include <array>
#include <optional>
#include <utility>
#include <vector>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLayout;
class QLineEdit;
class QPushButton;
class QScrollArea;
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

class OptionGroups;
class ParameterList;
class ProgramFields;

// over 40 methods because each field is built, filled, marked, checked and read here
class RunForm : public QFrame {
  Q_OBJECT

public:
  RunForm(const theme::Theme& theme, shell::Settings& settings, QWidget* parent = nullptr);
  void setSamples(const QJsonArray& samples);
  void setMachines(const QJsonArray& machines);
  bool hasSample(const QString& name) const;
  void chooseSample(const QString& name);
  // Resets the form: the sample with its defaults, without any earlier choice or text.
  void useDefaultsOf(const QString& sample);
  void chooseFile(const QString& file);
  // The request of the form. If `withReport`, the report gets a new name in the folder of runs.
  RunRequest request(bool withReport = true) const;
  // For a search for the largest batch; nullopt if the graph has no batch.
  std::optional<RunRequest> requestWithoutBatch() const;
  void setBatch(int64_t batch);
  // Why the form cannot be run yet; empty: it can.
  QString problem() const;
  // Marks the fields that an error of the command line for the current request names, until the request changes; false: it names
  // none.
  bool putError(const QString& error);
  // The request without the values that have an error, to find further errors; nullopt: nothing can be checked.
  std::optional<RunRequest> requestToCheck() const;
  void showFields(const QString& name); // as if typed into the filter
  // `running`: Cancel is enabled. Run stays enabled: further runs are queued.
  void setRunning(bool running);

  enum class After { Compare, Open, Nothing };
  // Fills the form with the settings of the open report, called `name`. From then on fields that differ from it are marked, and
  // the run is compared with it unless the user chooses otherwise. nullopt: no reference.
  void setReference(const std::optional<RunRequest>& request, const QString& name);
  bool hasReference() const { return m_reference.has_value(); }
  bool isOfReference() const; // a run of the same graph
  // Fills every field. A graph that is not a sample is a file; if it is empty, the user has to name one.
  void fill(const RunRequest& request);
  After after() const;

signals:
  void runRequested();
  void cancelRequested();
  void edited();

private:
  // The settings of one kind of graph; initially the defaults of an empty form.
  struct OwnSettings {
    QString precision = QStringLiteral("fp32");
    int ipus = 1, iterations = 1;
    bool numbers = true;
    QMap<QString, QString> options = {};    // of the option groups
    QStringList filledOptions = {};         // see m_filledOptions
    QString filledLine = {}, moreLine = {}; // what m_options shows
  };
  OwnSettings ownSettings() const; // the current values of the fields
  void useOwnSettings();
  void putOwnSettings(const OwnSettings& own);
  void offerComparison();
  void showTop();
  QLayout* buildSources();
  void buildGraph();
  void buildMachine();
  QLayout* buildActions(const theme::Theme& theme);
  void showSource();
  void showSample();
  void showMachine();
  void showExpected();
  void remember();
  void addReport(RunRequest& request) const;
  void filterFields();
  QStringList moreOptions() const; // the words of m_options
  void mark();
  void showErrors();
  std::vector<std::pair<QString, QWidget*>> ownFields() const; // by the names of their options
  QString problemOfOwn(const QString& name) const;
  QString problemOfOptions() const;
  QString graphProblem() const;
  QLayout* buildReference();
  bool choosesPrecision() const; // false for samples with their own type, as a parameter or fixed
  QToolButton* segment(const QString& title, const char* place);

  shell::Settings& m_settings;
  std::array<OwnSettings, 3> m_ownSettings; // of the sample, the file, the program
  int m_source = 0;
  QJsonArray m_sampleList, m_machineList;
  QToolButton *m_fromSample, *m_fromFile, *m_fromProgram;
  QComboBox *m_sample, *m_machine, *m_ipus, *m_precision;
  QWidget* m_fileRow;
  QLineEdit *m_file, *m_options, *m_filter;
  ProgramFields* m_programFields;
  QStringList m_filledOptions; // the words that fill() put into m_options, and the text that it shows
  QString m_filledLine;
  shell::WrappedLabel *m_text, *m_expected;
  QLabel *m_machineText, *m_parameterTitle;
  QSpinBox* m_iterations;
  QCheckBox* m_numbers;
  QFormLayout* m_form;
  ParameterList* m_parameters;
  OptionGroups* m_groups;
  QLabel* m_noField;
  QWidget* m_referenceRow;
  QLabel* m_referenceText;
  QPushButton* m_again;
  QComboBox* m_after;
  bool m_comparesAgain = false; // "Compare" comes back with the reference's graph
  QScrollArea* m_scroll;
  std::optional<RunRequest> m_reference;
  QString m_referenceName;
  FormErrors m_errors;
  RefusedFields m_refused;
  QPushButton *m_run, *m_cancel;
};

} // namespace ui::run
