#include "ui/views/run/run_table.h"

#include <QDateTime>
#include <QFileInfo>
#include <QObject>

namespace ui::run {

namespace {
QString outcomeText(Outcome outcome) {
  switch (outcome) {
  case Outcome::Running: return QObject::tr("running");
  case Outcome::Finished: return QObject::tr("finished");
  case Outcome::DoesNotFit: return QObject::tr("does not fit");
  case Outcome::Failed: return QObject::tr("failed");
  case Outcome::Crashed: return QObject::tr("crashed");
  case Outcome::Cancelled: return QObject::tr("cancelled");
  case Outcome::Queued: return QObject::tr("waiting");
  }
  return {};
}
} // namespace

std::shared_ptr<const tables::Table> runTable(const std::vector<PastRun>& runs) {
  using tables::Kind;
  auto table = std::make_shared<tables::Table>();
  table->columns = {{"run", QObject::tr("Run"), Kind::Text, QObject::tr("What ran, and with which settings")},
                    {"outcome", QObject::tr("Outcome"), Kind::Text, {}},
                    tables::optional({"started", QObject::tr("Started"), Kind::Text, QObject::tr("Local time")}),
                    tables::optional({"took", QObject::tr("Took"), Kind::Nanoseconds,
                                      QObject::tr("Time of the whole run on this computer"), 72}),
                    tables::optional({"report", QObject::tr("Report"), Kind::Bytes, QObject::tr("Size of the report"), 80})};
  for (std::size_t i = runs.size(); i-- > 0;) {
    const PastRun& run = runs[i];
    const QFileInfo report(run.report);
    tables::Row row;
    row.id = int64_t(i);
    const QDateTime started = QDateTime::fromString(run.startedUtc, Qt::ISODate).toLocalTime();
    const bool isToday = started.date() == QDate::currentDate();
    row.cells = {run.title, outcomeText(run.outcome),
                 started.toString(isToday ? QStringLiteral("hh:mm") : QStringLiteral("MM-dd hh:mm"))};
    row.cells.push_back(tables::cellIf(run.seconds > 0, int64_t(run.seconds * 1e9)));
    row.cells.push_back(tables::cellIf(report.exists(), int64_t(report.size())));
    table->rows.push_back(std::move(row));
  }
  return table;
}

} // namespace ui::run
