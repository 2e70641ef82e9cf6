// "Add traces": puts recordings of a host on the time axis of the open report. Recordings beside a device replace the report's
// own host, and each run of the device is drawn at the slice that began it. A sheet over the window; the result is a new report.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/runs/trace_import.h"

#include <QFrame>

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace ui::theme {
class Theme;
}

namespace ui::shell {

class TraceSheet : public QFrame {
  Q_OBJECT

public:
  TraceSheet(const theme::Theme& theme, jobs::JobBoard& jobs, QWidget* window);
  ~TraceSheet() override;
  // `file` is the open report, or the open trace.
  void open(const QString& file, bool hasDevice);

signals:
  void chooseRequested(); // files by a dialog: addFiles()
  void made(const QString& report);

public slots:
  void addFiles(const QStringList& files);

protected:
  void keyPressEvent(QKeyEvent* event) override;
  void hideEvent(QHideEvent* event) override;

private:
  QStringList files() const;
  void add();
  void take(const LaidTraces& laid);
  void say(const QString& words);
  void updateButton();

  QLabel *m_title, *m_about, *m_note;
  QPlainTextEdit* m_files;
  QWidget* m_runsRow;
  QLineEdit* m_runs;
  QComboBox* m_clocks;
  QPushButton* m_add;
  QString m_open;
  bool m_hasDevice = false;
  jobs::LatestJob<LaidTraces> m_job;
};

} // namespace ui::shell
