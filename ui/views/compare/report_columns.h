// Three to eight reports side by side: their totals in columns, and the memory or liveness of each as one of several small plots with
// the same scales.
#pragma once

#include "analyser/session/sentence.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/parts/view.h"
#include "ui/tables/table.h"

class QComboBox;
class QGridLayout;

namespace ui::shell {
class ViewFields;
}

namespace ui::plot {
class StepPlot;
}
namespace ui::tables {
class TableView;
}
namespace ui::theme {
class Format;
}

namespace ui::compare {

class ReportColumns : public QWidget {
  Q_OBJECT

public:
  ReportColumns(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);
  ~ReportColumns() override;
  void addFields(shell::ViewFields& fields);
  // `reports` are all open reports, the base first. They are read when the page is first shown.
  void setSessions(const std::vector<shell::SessionPointer>& reports);
  void setFormat(const theme::Format& format);
  jobs::JobBase& job() { return m_job; }
  // The verdict on all reports; empty until they have been read.
  analyser::Sentence verdict() const;

signals:
  void verdictChanged();

protected:
  void showEvent(QShowEvent* event) override;

private:
  struct Report {
    QString name;
    std::vector<int64_t> memory, liveness; // bytes by tile; bytes not always live by step
  };
  struct Answer {
    std::shared_ptr<const tables::Table> values, changes;
    std::vector<Report> reports;
    analyser::Sentence verdict;
    int64_t tileBytes = 0; // of the machine with the largest tiles
  };
  void read();
  void show();
  const theme::Theme& m_theme;
  std::vector<std::shared_ptr<shell::WorkerSession>> m_workers;
  jobs::LatestJob<Answer> m_job;
  std::unique_ptr<theme::Format> m_format;
  bool m_showsChanges = false, m_showsLiveness = false;
  QComboBox *m_columns, *m_curves;
  tables::TableView* m_table;
  QGridLayout* m_grid;
  std::vector<QWidget*> m_cells;
  std::vector<plot::StepPlot*> m_plots;
  bool m_due = false;
};

} // namespace ui::compare
