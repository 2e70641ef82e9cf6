#include "ui/shell/trace_follower.h"

#include "analyser/session/session.h"
#include "ui/shell/trace_import.h"

#include <QDir>
#include <QFileInfo>
#include <QThread>

namespace ui::shell {

namespace {
constexpr int kFollowMs = 250;
constexpr int kKeptReports = 4; // sessions that views still read

} // namespace

TraceFollower::TraceFollower(QString file, StateOf stateOf, QObject* parent)
    : QObject(parent), m_file(std::move(file)), m_stateOf(std::move(stateOf)), m_folder(std::make_shared<QTemporaryDir>()),
      m_job(tr("Following %1").arg(QFileInfo(m_file).fileName()), nullptr, this) {}

TraceFollower::~TraceFollower() = default;

void TraceFollower::next() {
  const QString report =
      m_folder->filePath(QStringLiteral("%1/").arg(m_number)) + QFileInfo(m_file).fileName() + QStringLiteral(".tsr");
  m_job.start(
      [file = m_file, report, stateOf = m_stateOf, shown = m_state, folder = m_folder](const std::stop_token& stop,
                                                                                       reports::Progress& progress) {
        Seen seen;
        for (;;) {
          reports::throwIfStopped(stop);
          if (QFileInfo::exists(file) && isTraceFile(file) && (seen.state = stateOf(file)) != shown) break;
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
        m_state = seen.state;
        // Reports that no view reads any more.
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
