// The estimate of a run: `tilescope-cli run --dry-run` as a child with low priority. Every edit of the form requests a new one;
// the newest request wins, and it waits for a pause in the typing.
#pragma once

#include "ui/runs/dry_run.h"
#include "ui/views/run/run_request.h"

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTimer>

namespace ui::run {

class RunEstimate : public QObject {
  Q_OBJECT

public:
  explicit RunEstimate(QObject* parent = nullptr);
  ~RunEstimate() override;
  // `program` is the command line's path. Repeating the last answered request does nothing.
  void ask(const QString& program, const RunRequest& request);
  void cancel(); // cancels the estimate and forgets the last request
  // True for some seconds only, so that the user need not wait for the estimate of a large graph.
  bool isBusy() const;

signals:
  void asked(); // another estimate was requested: the shown one is for other settings
  void begun();
  void progressed(const QString& phase, double fraction);
  void estimated(const ui::shell::DryRun& estimate);
  void failed(const QString& why);
  void busyChanged();

private:
  void start();
  void end();
  void read();
  void finish(int code, QProcess::ExitStatus status);

  QTimer m_wait;
  QElapsedTimer m_since; // since the request
  QProcess* m_process = nullptr;
  QString m_program;
  QStringList m_arguments;
  QByteArray m_errors;
  QString m_lastLine;
};

} // namespace ui::run
