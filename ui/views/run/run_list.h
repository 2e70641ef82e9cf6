// The list of all runs of this user: their changes and results. Here runs are opened, compared, named, copied and deleted.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/views/run/run_results.h"

#include <QFrame>
#include <QStringList>

#include <functional>
#include <map>

class QMenu;
class QPushButton;

namespace ui::theme {
class Format;
class Theme;
} // namespace ui::theme
namespace ui::tables {
class FilteredTable;
}

namespace ui::run {

class RunList : public QFrame {
  Q_OBJECT

public:
  RunList(const theme::Theme& theme, RunHistory& history, jobs::JobBoard& board);
  tables::FilteredTable& table() { return *m_table; }
  RunResults& results() { return m_results; }
  void setFormat(const theme::Format& format);
  void setOpenReports(const QStringList& reports) { m_openReports = reports; } // absolute paths; not to be deleted
  void showRuns();                                                             // call after each change of the history
  void readResult(int64_t id);
  void showProgress(const std::map<int64_t, QString>& progress); // of running runs; texts from progressText()

signals:
  void runChosen(qint64 id); // one row is selected
  void settingsAsked(qint64 id);
  void openAsked(const QStringList& reports); // one, or several to compare with the first
  void failed(const QString& why);
  // Asks for a confirmation before something that cannot be undone; `confirmed` does it.
  void confirmationAsked(const QString& question, const QString& action, const std::function<void()>& confirmed);

protected:
  void resizeEvent(QResizeEvent* event) override;

private:
  void buildMenu();
  void fillClearMenu(QMenu& menu);
  void showSize();
  bool isOpen(const PastRun& run) const;
  const PastRun* chosen() const; // the selected run, or the newest that has a report; null: none
  void openChosen();
  void compareChosen();
  // Asks for the name or the note of the selected run.
  void edit(QString PastRun::*text, const QString& title, const QString& label);
  void saveCopy();
  void askRemoval(const std::vector<int64_t>& ids);
  void remove(const std::vector<int64_t>& ids);
  void keepResult(int64_t id, const RunResult& result);

  const theme::Theme& m_theme;
  RunHistory& m_history;
  RunResults m_results;
  jobs::LatestJob<QString> m_copy; // its result: why the copy could not be written
  tables::FilteredTable* m_table;
  QPushButton *m_again, *m_open, *m_compare, *m_clear;
  std::vector<QPushButton*> m_buttons; // all of them
  QStringList m_openReports;
  std::map<int64_t, QString> m_progress;
  bool m_asked = false; // whether figures of earlier runs have been requested
};

} // namespace ui::run
