// SQL over the report: tables and columns to pick from, stored queries, and the result as a table. Queries only read; a long one
// runs in the background and can be cancelled.
#pragma once

#include "analyser/query/query.h"
#include "ui/jobs/latest_job.h"
#include "ui/parts/on_worker.h"
#include "ui/parts/view.h"
#include "ui/tables/table.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTabWidget;

namespace ui::tables {
class FilteredTable;
class TreeView;
} // namespace ui::tables

namespace ui::shell {
class ResultSlices;
}

namespace ui::query {

class ResultPlot;
class ResultTimeline;
class SqlEdit;

class QueryView : public shell::View {
  Q_OBJECT

public:
  explicit QueryView(const shell::ViewParts& parts);
  ~QueryView() override;

  void setSessions(shell::SessionPointer base, shell::SessionPointer other) override;
  void forgetReport() override;
  bool focusFilter() override;
  std::vector<std::pair<QString, QString>> keys() const override;

protected:
  void showEvent(QShowEvent* event) override;
  void formatChanged() override;
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  struct Answer {
    QString sql;
    std::shared_ptr<const analyser::query::Result> result;
    std::shared_ptr<const tables::Table> table;
    std::shared_ptr<shell::ResultSlices> slices; // null: its rows have no begin and end
  };
  QWidget* buildEditor();
  void explain(int64_t id);
  void run();
  void takeQuery();
  void showAnswer(const Answer& answer);
  void showNoAnswer(const QString& why); // to the last query
  void listSaved();
  void save();
  void removeSaved();
  void saveCsv();
  QList<std::pair<QString, QString>> saved() const;
  void setSaved(const QList<std::pair<QString, QString>>& queries);

  std::shared_ptr<shell::WorkerSession> m_worker;
  jobs::LatestJob<Answer> m_job;
  std::vector<analyser::query::SchemaTable> m_tables;
  tables::TreeView* m_schema;
  QComboBox* m_saved;
  SqlEdit* m_sql;
  QPushButton *m_run, *m_cancel, *m_csv, *m_remove;
  QLabel *m_note, *m_meaning;
  tables::FilteredTable* m_result;
  ResultPlot* m_plot;
  ResultTimeline* m_timeline;
};

} // namespace ui::query
