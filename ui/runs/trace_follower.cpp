#include "ui/runs/trace_follower.h"

#include "analyser/session/session.h"
#include "ui/runs/trace_import.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QThread>

namespace ui::shell {

namespace {
constexpr int kFollowMs = 250;
constexpr int kKeptReports = 4; // number of newest reports that are kept, because views may still read them

} // namespace

TraceFollower::TraceFollower(QString file, StateOf stateOf, QObject* parent)
    : QObject(parent), m_file(std::move(file)), m_stateOf(std::move(stateOf)), m_folder(std::make_shared<QTemporaryDir>()),
      m_job(tr("Following %1").arg(QFileInfo(m_file).fileName()), nullptr, this) {}

TraceFollower::~TraceFollower() = default;

void TraceFollower::next() {
  const QString report =
      m_folder->filePath(QStringLiteral("%1/").arg(m_number)) + QFileInfo(m_file).fileName() + QStringLiteral(".tsr");
  m_job.start(
      [file = m_file, report, stateOf = m_stateOf, shown = m_state, folder = m_folder, isMissed = m_isMissed,
       patience = m_patience](const std::stop_token& stop, reports::Progress& progress) {
        Seen seen;
        QElapsedTimer missing;
        missing.start();
        for (;;) {
          reports::throwIfStopped(stop);
          const QFileInfo info(file);
          if (info.exists() && !info.isFile()) { // opening a FIFO would wait for its writer
            seen.isOver = true;
            seen.error = reports::Error(reports::ErrorCode::InvalidInput, "is not a regular file, so it cannot be followed",
                                        file.toStdString(), "follow a file that a program writes");
            return seen;
          }
          if (info.exists()) missing.restart();
          if (info.exists() && isTraceFile(file) && (seen.state = stateOf(file)) != shown) break;
          const bool isGone = shown && !info.exists();
          if (!isMissed && (isGone || missing.hasExpired(patience))) {
            seen.isMissing = true, seen.state = shown.value_or(0);
            return seen;
          }
          QThread::msleep(kFollowMs);
        }
        try {
          importInto(file, report, stop, progress);
          seen.session = analyser::Session::open(report.toStdString(), stop, progress);
          seen.session->keepReserve(kReserve);
        } catch (const reports::Cancelled&) {
          throw;
        } catch (const reports::Error& error) {
          seen.error = error;
        }
        return seen;
      },
      [this](const Seen& seen) {
        if (seen.isOver) return emit failed(*seen.error);
        if (m_isMissed = seen.isMissing; m_isMissed) {
          const QString name = QFileInfo(m_file).fileName();
          emit missed(m_state ? tr("%1 was removed. Its last content stays open.").arg(name)
                              : tr("%1 has not been written yet. Check its name: %2").arg(name, m_file));
          return next();
        }
        m_state = seen.state;
        // Removes reports that no view reads any more.
        if (m_number >= kKeptReports) QDir(m_folder->filePath(QString::number(m_number - kKeptReports))).removeRecursively();
        ++m_number;
        if (seen.session)
          emit grown(seen.session);
        else if (seen.error)
          emit failed(*seen.error);
        next();
      },
      [this](const reports::Error& error) { emit failed(error); });
}

} // namespace ui::shell
