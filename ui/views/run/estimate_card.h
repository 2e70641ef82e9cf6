// The run in the form, before it is run: whether it fits, its fullest tiles, what fills the first of them, what may make it fit,
// its inputs and outputs, and the operations of the graph. It follows the form; the open report is named if its memory differs.
#pragma once

#include "ui/theme/format.h"
#include "ui/views/run/run_estimate.h"

#include <QWidget>

#include <optional>

class QLabel;

namespace ui::plot {
class BarList;
}
namespace ui::shell {
class FactList;
class WrappedLabel;
} // namespace ui::shell
namespace ui::tables {
class FilteredTable;
}
namespace ui::theme {
class Theme;
}

namespace ui::run {

class BatchFit;
class FitChanges;

class EstimateCard : public QWidget {
  Q_OBJECT

public:
  explicit EstimateCard(const theme::Theme& theme, QWidget* parent = nullptr);
  void setFormat(const theme::Format& format);
  // The fullest tile of the open report, without gaps; nullopt: no report.
  void setReference(const QString& name, std::optional<reports::Bytes> fullest);

  // Requests the estimate of a run from the program at this path; no figure is visible meanwhile. `withoutBatch`: BatchFit::setRun().
  void ask(const QString& program, const RunRequest& run, const std::optional<RunRequest>& withoutBatch);
  RunEstimate& estimate() { return m_child; }
  bool isBusy() const; // whether an estimate or the search for what fits is running
  // Shows why nothing can be estimated.
  void showNothing(const QString& why);

signals:
  void batchChosen(int64_t batch);
  void changeChosen(const QStringList& options); // changes of options that make the run fit
  void busyChanged();

private:
  void show(const shell::DryRun& estimate);
  void forget(const QString& words); // shows this text instead of the figures
  void sayEstimating(const QString& words);
  void showEstimate();
  void showMemory();
  void showTable();
  QWidget* buildMemory();

  const theme::Theme& m_theme;
  RunEstimate m_child;
  theme::Format m_format;
  std::optional<shell::DryRun> m_estimate;
  QString m_referenceName;
  std::optional<reports::Bytes> m_reference;
  QScrollArea* m_scroll;
  shell::WrappedLabel* m_verdict;
  QLabel* m_state;
  BatchFit* m_batch;
  FitChanges* m_changes;
  RunRequest m_run;  // the run that is estimated
  QWidget* m_memory; // the fullest tiles, and what fills the first one
  QLabel *m_partsTitle, *m_variablesTitle;
  plot::BarList *m_tiles, *m_parts, *m_variables;
  shell::FactList* m_facts;
  tables::FilteredTable* m_operations;
};

} // namespace ui::run
