// Follows a trace file while it is written. Checks the file four times a second; when it has grown, a worker converts it to a
// report and opens that. The window gets each new session and shows the previous one until then.
#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/state/report_file.h"

#include <QTemporaryDir>

#include <functional>
#include <optional>

namespace ui::shell {

// Connections that a session opens in advance for background reads, because the file may be replaced. More than all views need.
inline constexpr int kReserve = 16;

class TraceFollower : public QObject {
  Q_OBJECT

public:
  // A number that changes when the content of the file changes; called on the worker. Size and time are not enough for files that
  // are written through mapped memory.
  using StateOf = std::function<quint64(const QString& file)>;

  TraceFollower(QString file, StateOf stateOf, QObject* parent = nullptr);
  ~TraceFollower() override;
  // Follows until the object is destroyed. Waits for a file that does not exist yet or was removed. Follows only regular files.
  void start() { next(); }
  void setPatience(int milliseconds) { m_patience = milliseconds; } // until missed() reports a missing file
  const QString& file() const { return m_file; }

signals:
  void grown(const ui::shell::SessionPointer& session);
  // The file did not appear, or was removed; the follower still waits for it.
  void missed(const QString& why);
  // A state of the file could not be read; the next one is tried.
  void failed(const reports::Error& error);

private:
  struct Seen {
    quint64 state = 0;
    SessionPointer session; // null: the file could not be read
    std::optional<reports::Error> error;
    bool isMissing = false, isOver = false; // isOver: this file can never be followed
  };
  void next();

  QString m_file;
  StateOf m_stateOf;
  std::shared_ptr<QTemporaryDir> m_folder;
  std::optional<quint64> m_state; // state of the file that was shown last
  int m_number = 0;               // of the next report
  int m_patience = 10'000;
  bool m_isMissed = false; // reported as missing, and not back yet
  jobs::LatestJob<Seen> m_job;
};

} // namespace ui::shell
