// The run that the form describes, before it is run: whether it fits, how full the fullest tile gets, what goes in and out, and the operations
// of the graph. It follows the form; the open report is named where its memory differs.
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

class EstimateCard : public QWidget {
  Q_OBJECT

public:
  explicit EstimateCard(const theme::Theme& theme, QWidget* parent = nullptr);
  void setFormat(const theme::Format& format);
  // The fullest tile of the open report, without gaps; nullopt: there is none.
  void setReference(const QString& name, std::optional<reports::Bytes> fullest);

  // The estimate of a run, with the command line at this path. Until it comes no figure is in sight. `withoutBatch`: BatchFit::setRun().
  void ask(const QString& program, const RunRequest& run, const std::optional<RunRequest>& withoutBatch);
  RunEstimate& estimate() { return m_child; }
  // There is nothing to estimate.
  void showNothing(const QString& why);

signals:
  void batchChosen(int64_t batch);

private:
  void show(const shell::DryRun& estimate);
  void forget(const QString& words); // says these in place of the figures
  void sayEstimating(const QString& words);
  void showEstimate();
  void showTable();

  const theme::Theme& m_theme;
  RunEstimate m_child;
  theme::Format m_format;
  std::optional<shell::DryRun> m_estimate;
  QString m_referenceName;
  std::optional<reports::Bytes> m_reference;
  shell::WrappedLabel* m_verdict;
  QLabel* m_state;
  BatchFit* m_batch;
  plot::BarList* m_bar;
  shell::FactList* m_facts;
  tables::FilteredTable* m_operations;
};

} // namespace ui::run
