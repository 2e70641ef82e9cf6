// The estimate of a run: `tilescope-cli run --dry-run` as a child with low priority. Every edit of the form asks anew;
// the newest question wins, and a question waits for a pause in the typing.
#pragma once

#include "reports/core/units.h"
#include "ui/views/run/run_request.h"

#include <QElapsedTimer>
#include <QObject>
#include <QProcess>
#include <QTimer>

#include <cstdint>
#include <optional>
#include <vector>

namespace ui::run {

struct Estimate {
  struct Values {
    QString name, type, shape; // "16x28x28"; empty if it has one dimension or none
    int64_t elements = 0;
    reports::Bytes bytes;
  };
  struct Operation {
    QString name, kind;
    reports::Bytes bytes; // of its variables over all tiles
  };
  bool fits = true;
  int64_t tiles = 0, maxTile = 0, overflowTiles = 0;
  reports::Bytes maxTileBytes, tileBytes, totalBytes, alwaysLiveBytes; // without gaps
  int64_t weightElements = 0;
  reports::Bytes weightBytes;
  std::vector<Values> inputs, outputs;
  std::vector<std::pair<QString, int64_t>> kinds; // how many operations of each, most first
  std::vector<Operation> operations;              // in the order of the program
};

// The estimate in the program's output; nullopt if it is something else.
std::optional<Estimate> parseEstimate(const QByteArray& json);

class RunEstimate : public QObject {
  Q_OBJECT

public:
  explicit RunEstimate(QObject* parent = nullptr);
  ~RunEstimate() override;
  // `program` is the command line's path. Asking what was answered last does nothing.
  void ask(const QString& program, const RunRequest& request);
  void cancel(); // and forgets what was asked
  // For some seconds: nobody waits for the estimate of a large graph.
  bool isBusy() const;

signals:
  void begun();
  void progressed(const QString& phase, double fraction);
  void estimated(const ui::run::Estimate& estimate);
  void failed(const QString& why);
  void busyChanged();

private:
  void start();
  void end();
  void read();
  void finish(int code, QProcess::ExitStatus status);

  QTimer m_wait;
  QElapsedTimer m_since; // the question
  QProcess* m_process = nullptr;
  QString m_program;
  QStringList m_arguments;
  QByteArray m_errors;
  QString m_lastLine;
};

} // namespace ui::run
