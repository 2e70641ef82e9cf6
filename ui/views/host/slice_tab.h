// The slices of a range with their arguments as columns, or groups of slices with an equal argument, name or thread. A click on a
// slice goes to it; a double-click on a group lists its slices.
#pragma once

#include "analyser/host/slice_list.h"
#include "ui/jobs/latest_job.h"
#include "ui/theme/format.h"
#include "ui/views/host/host_source.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QToolButton;

namespace ui::shell {
class ViewFields;
}
namespace ui::tables {
class FilteredTable;
class TableView;
} // namespace ui::tables

namespace ui::host {

class SliceTab : public QWidget {
  Q_OBJECT

public:
  SliceTab(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* parent = nullptr);
  void addFields(shell::ViewFields& fields);
  void setFormat(const theme::Format& format);
  // Null: nothing to show.
  void read(std::shared_ptr<OpenHost> host, reports::TickRange range, std::size_t value);
  void groupBy(const QString& argument); // an argument by its path
  void showOnly(const QString& name);    // lists single slices with this displayed name
  jobs::JobBase& job() { return m_job; }
  tables::TableView& table() const;

signals:
  void sliceChosen(const ui::shell::Found& slice);
  void failed(const QString& message);

private:
  struct Answer {
    std::string key; // key of the groups; empty: single slices
    analyser::host::SliceList list;
    std::vector<analyser::host::SliceGroup> groups;
    std::shared_ptr<const tables::Table> table;
  };
  void showAnswer(const Answer& answer);
  void listKeys(const std::vector<std::string>& keys);
  void offer(const QString& key);
  // Limits the single slices to those with this value of a key.
  struct Only {
    std::string key; // as in analyser::host::SliceOnly
    QString value;   // empty: slices without this argument
  };
  void setOnly(std::optional<Only> only);
  void showCondition();

  std::shared_ptr<OpenHost> m_host;
  reports::TickRange m_range;
  std::size_t m_value = 0; // the listed one of the host's values
  theme::Format m_format;
  jobs::LatestJob<Answer> m_job;
  QComboBox* m_groups;
  tables::FilteredTable* m_table;
  QLabel* m_note;
  QToolButton* m_condition; // shows the condition of m_only; a click removes it
  std::optional<Only> m_only;
};

} // namespace ui::host
