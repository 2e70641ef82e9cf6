// Statistics by label and channel of the visible range, and beside them the distribution of the durations of the selected label.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/theme/format.h"
#include "ui/views/host/host_source.h"

#include <QWidget>

class QLabel;

namespace ui::shell {
class ViewFields;
}

namespace ui::plot {
class Histogram;
}
namespace ui::tables {
class FilteredTable;
class TableView;
} // namespace ui::tables

namespace ui::host {

class LabelTab : public QWidget {
  Q_OBJECT

public:
  LabelTab(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);
  ~LabelTab() override;
  void addFields(shell::ViewFields& fields);
  // Null: nothing to show.
  void setStatistics(std::shared_ptr<OpenHost> host, std::vector<analyser::host::LabelStatistics> rows,
                     std::shared_ptr<const tables::Table> table, reports::TickRange range,
                     const analyser::host::MeasuredValue& value);
  void setFormat(const theme::Format& format);
  jobs::JobBase& job() { return m_job; }
  tables::TableView& table() const;

signals:
  void labelActivated(const QString& label); // a double-click: go to the label

private:
  void readDurations();
  QString textOf(int64_t amount) const;
  std::shared_ptr<OpenHost> m_host;
  std::vector<analyser::host::LabelStatistics> m_rows;
  analyser::host::MeasuredValue m_value; // what the rows count
  reports::TickRange m_range;
  int64_t m_chosen = -1; // row
  theme::Format m_format;
  jobs::LatestJob<std::vector<int64_t>> m_job;
  tables::FilteredTable* m_table;
  QLabel* m_title;
  plot::Histogram* m_histogram;
};

} // namespace ui::host
