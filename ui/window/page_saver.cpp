#include "ui/window/page_saver.h"

#include "analyser/html/report_page.h"
#include "reports/core/error.h"
#include "ui/theme/save_dialog.h"
#include "ui/theme/whole_file.h"

#include <QFileInfo>

namespace ui::shell {

PageSaver::PageSaver(jobs::JobBoard& jobs, QObject* parent) : QObject(parent), m_job(tr("Writing the page"), &jobs) {}

void PageSaver::ask(const SessionPointer& session, QWidget* window) {
  if (!session) return;
  const QFileInfo report(QString::fromStdString(session->identity().path));
  QString file = theme::saveFileName(window, tr("Save as one web page"),
                                     report.absolutePath() + '/' + report.completeBaseName() + ".html", tr("Web pages (*.html)"));
  if (file.isEmpty()) return;
  if (QFileInfo(file).suffix().isEmpty()) file += QStringLiteral(".html");
  save(session, file);
}

void PageSaver::save(const SessionPointer& session, const QString& file) {
  if (m_job.isBusy())
    return emit failed(reports::Error(reports::ErrorCode::InvalidInput, "another page is still being written", file.toStdString(),
                                      "save it again when that is done"));
  m_job.start(
      [session, file](const std::stop_token& stop, reports::Progress&) {
        const auto own = session->reopen(); // a session serves one thread
        const std::string page = analyser::html::reportPage(*own, stop);
        if (const QString why = theme::writeWhole(file, QByteArray::fromStdString(page)); !why.isEmpty())
          throw reports::Error(reports::ErrorCode::Io, "the page could not be written: " + why.toStdString(), file.toStdString(),
                               "choose another folder or free some space");
        return qint64(page.size());
      },
      [this, file](qint64 bytes) { emit saved(file, bytes); }, [this](const reports::Error& error) { emit failed(error); });
}

} // namespace ui::shell
