#include "ui/views/run/run_card.h"

#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"

#include <QFileInfo>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QVBoxLayout>

namespace ui::run {

namespace {
constexpr int kLogLines = 2000;
constexpr qsizetype kLogLetters = 1 << 18; // of a run; older lines are dropped
} // namespace

RunCard::RunCard() {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, theme::kGrid, 0, 0);
  column->setSpacing(theme::kGrid);
  auto* head = new QHBoxLayout;
  head->addWidget(m_title = theme::plainLabel(tr("Nothing has run yet")), 1);
  m_title->setProperty("role", "strong");
  head->addWidget(m_clock = theme::plainLabel());
  column->addLayout(head);
  m_phase = theme::plainLabel(tr("Progress and log appear here; the report opens when it is written."));
  m_phase->setProperty("role", "secondary");
  m_phase->setWordWrap(true);
  column->addWidget(m_phase);
  m_bar = new QProgressBar;
  m_bar->setTextVisible(false);
  m_bar->setAccessibleName(tr("Progress of the run"));
  m_bar->hide();
  column->addWidget(m_bar);
  m_log = new QPlainTextEdit;
  m_log->setProperty("role", "mono");
  m_log->setReadOnly(true);
  m_log->setMaximumBlockCount(kLogLines);
  m_log->setPlaceholderText(tr("Log"));
  m_log->setAccessibleName(tr("Log of the run"));
  column->addWidget(m_log, 1);
}

void RunCard::showLog(const QString& log) {
  if (m_log->toPlainText() != log) m_log->setPlainText(log);
}

void RunCard::showPast(const PastRun& run, const QString& log) {
  m_title->setText(run.shownName());
  m_bar->hide();
  m_clock->setText(run.seconds > 0 ? theme::seconds(run.seconds) : QString());
  m_phase->setText(QFileInfo::exists(run.report) ? run.report : run.message);
  showLog(!log.isEmpty() ? log : run.commandLine + (run.message.isEmpty() ? QString() : '\n' + run.message));
}

void RunCard::showWaiting(const PastRun& run, const QString& log) {
  m_title->setText(run.shownName());
  m_bar->hide();
  m_clock->clear();
  m_phase->setText(tr("Waits for its turn: two run at a time"));
  showLog(log);
}

void RunCard::showRunning(const PastRun& run, const QString& log, const QString& phase, double fraction) {
  m_title->setText(run.shownName());
  m_bar->show();
  showLog(log);
  m_phase->setText(phase.isEmpty() ? tr("Starting") : fraction > 0 ? tr("%1, %2").arg(phase, theme::percent(fraction)) : phase);
  m_bar->setRange(0, fraction > 0 ? 1000 : 0);
  m_bar->setValue(int(fraction * 1000));
}

void RunCard::setSeconds(double seconds) { m_clock->setText(theme::seconds(seconds)); }

void RunCard::addTo(QString& log, const QString& lines) {
  log += '\n' + lines;
  if (log.size() > 2 * kLogLetters) log.remove(0, log.indexOf('\n', log.size() - kLogLetters) + 1);
}

void RunCard::append(const QString& lines) { m_log->appendPlainText(lines); }

} // namespace ui::run
