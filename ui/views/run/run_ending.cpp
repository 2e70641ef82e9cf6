// The part of RunView for the end of a run: it shows the outcome and offers the report.
#include "ui/parts/page.h"
#include "ui/runs/run_history.h"
#include "ui/theme/format.h"
#include "ui/views/run/run_view.h"

#include <QDesktopServices>
#include <QFileInfo>
#include <QUrl>

namespace ui::run {

// Shows the outcome in one line. After a failure it also offers what to do next.
void RunView::tell(const Active& run, const PastRun& row) {
  const QString took = theme::seconds(row.seconds);
  const auto again = [this, id = run.id] { useSettingsOf(id), enqueue(); };
  switch (row.outcome) {
  case Outcome::Finished: page().setVerdict(tr("%1 finished in %2").arg(row.title, took), shell::Tone::Good); break;
  case Outcome::DoesNotFit:
    page().setVerdict(tr("%1 does not fit the machine; the report shows where").arg(row.title), shell::Tone::Warning);
    break;
  case Outcome::Failed:
    page().setVerdict(tr("%1 failed: %2").arg(row.title, row.message), shell::Tone::Bad);
    if (row.message.contains(QStringLiteral("No space left")) || row.message.contains(QStringLiteral("disk full")))
      page().setBanner(tr("The disk is full. Free some space in the folder of reports, then run again."), shell::Tone::Bad,
                       tr("Show the folder"), [] { QDesktopServices::openUrl(QUrl::fromLocalFile(shell::runsFolder())); });
    break;
  case Outcome::Crashed:
    page().setVerdict(tr("%1 ended after %2 and wrote no report").arg(row.title, took), shell::Tone::Bad);
    page().setBanner(
        run.process && run.process->signal() == 9
            ? tr("The run was killed (signal 9). If the computer ran out of memory, take a smaller batch or leave out values.")
            : tr("The run crashed (signal %1). It left no files behind.").arg(run.process ? run.process->signal() : 0),
        shell::Tone::Bad, tr("Run it again"), again);
    break;
  case Outcome::Cancelled: page().setVerdict(tr("%1 was cancelled after %2").arg(row.title, took)); break;
  case Outcome::Running:
  case Outcome::Queued: break;
  }
}

// Opens the report, or compares it, while Run is visible. If the user has gone to another view, only offers this.
void RunView::offer(const Active& run, const PastRun& row) {
  const QString report = run.request.report;
  const bool compares = run.after == RunForm::After::Compare && QFileInfo::exists(run.base);
  if (run.after == RunForm::After::Nothing) return;
  if (!isVisible())
    emit offerRequested(tr("%1 finished in %2.").arg(run.request.title(), theme::seconds(row.seconds)),
                        compares ? QStringList{run.base, report} : QStringList{report});
  else if (compares)
    emit compareRequested(run.base, report);
  else
    emit openRequested({report});
}

} // namespace ui::run
