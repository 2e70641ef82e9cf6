#include "ui/views/run/run_view.h"

#include "ui/shell/cli_call.h"
#include "ui/shell/page.h"
#include "ui/shell/report_text.h"
#include "ui/shell/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/theme.h"
#include "ui/views/run/run_form.h"

#include <QFileInfo>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui::run {

namespace {
constexpr int kFormWidth = 460; // at least; half as much again in a wide window
constexpr int kLogLines = 2000;
const QString kProgramSays = QStringLiteral("tilescope-cli: "); // before each of its errors
} // namespace

RunView::RunView(const shell::ViewParts& parts)
    : View(parts), m_form(new RunForm(parts.theme, parts.settings)), m_program(shell::cliPath()) {
  auto* body = new QWidget;
  auto* row = new QHBoxLayout(body);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(theme::kMargin);
  m_form->setMinimumWidth(kFormWidth), m_form->setMaximumWidth(kFormWidth * 4 / 3);
  row->addWidget(m_form, 2);
  row->addWidget(buildRight(), 3);
  page().setBody(body);
  page().setVerdict(tr("Choose what to run, and on which machine"));

  connect(m_form, &RunForm::runRequested, this, &RunView::start);
  connect(m_form, &RunForm::cancelRequested, &m_process, &RunProcess::cancel);
  connect(m_form, &RunForm::edited, this, [this] { m_form->setRunning(m_process.isRunning()); });
  connect(&m_process, &RunProcess::progressed, this, [this](const QString& phase, double fraction) {
    // A phase that says no number yet is at work all the same.
    m_phase->setText(fraction > 0 ? tr("%1, %2").arg(phase, theme::percent(fraction)) : phase);
    m_bar->setRange(0, fraction > 0 ? 1000 : 0);
    m_bar->setValue(int(fraction * 1000));
  });
  connect(&m_process, &RunProcess::said, m_log, &QPlainTextEdit::appendPlainText);
  connect(&m_process, &RunProcess::ended, this, &RunView::end);
  connect(&state(), &shell::ViewState::runRequested, this, [this] {
    if (isVisible()) takeRequest();
  });
  m_tick.setInterval(100);
  connect(&m_tick, &QTimer::timeout, this, [this] { m_clock->setText(theme::seconds(m_process.seconds())); });
  showRuns();
  ask();
}

RunView::~RunView() = default;

QWidget* RunView::buildRight() {
  auto* right = new QWidget;
  m_right = new QVBoxLayout(right);
  m_right->setContentsMargins(0, 0, 0, 0);
  m_right->setSpacing(theme::kMargin);
  m_right->addWidget(buildNow(), 0);
  m_right->addWidget(buildRuns(), 1);
  return right;
}

// What runs now: phase, progress and log.
QWidget* RunView::buildNow() {
  auto* card = new QFrame;
  card->setProperty("role", "card");
  auto* now = new QVBoxLayout(card);
  now->setContentsMargins(theme::kMargin, theme::kMargin - 4, theme::kMargin, theme::kMargin);
  now->setSpacing(theme::kGrid);
  auto* head = new QHBoxLayout;
  head->addWidget(m_title = theme::plainLabel(tr("Nothing has run yet")), 1);
  m_title->setProperty("role", "strong");
  head->addWidget(m_clock = theme::plainLabel());
  now->addLayout(head);
  m_phase = theme::plainLabel(tr("Progress and log appear here; the report opens when it is written."));
  m_phase->setProperty("role", "secondary");
  m_phase->setWordWrap(true);
  now->addWidget(m_phase);
  m_bar = new QProgressBar;
  m_bar->setTextVisible(false);
  m_bar->setRange(0, 1000);
  m_bar->setAccessibleName(tr("Progress of the run"));
  m_bar->hide();
  now->addWidget(m_bar);
  m_log = new QPlainTextEdit;
  m_log->setProperty("role", "mono");
  m_log->setReadOnly(true);
  m_log->setMaximumBlockCount(kLogLines);
  m_log->setPlaceholderText(tr("Log"));
  m_log->setAccessibleName(tr("Log of the run"));
  m_log->hide(); // until there is something to say
  now->addWidget(m_log, 1);
  return card;
}

// What ran before, to be opened again and compared.
QWidget* RunView::buildRuns() {
  auto* list = new QFrame;
  list->setProperty("role", "card");
  auto* runs = new QVBoxLayout(list);
  runs->setContentsMargins(theme::kMargin, theme::kMargin - 4, theme::kMargin, theme::kMargin);
  runs->setSpacing(theme::kGrid);
  auto* bar = new QHBoxLayout;
  auto* title = theme::plainLabel(tr("Runs of this session"));
  title->setProperty("role", "strong");
  bar->addWidget(title, 1);
  m_openRun = new QPushButton(theme::icon(theme(), "open"), tr("Open"));
  m_compare = new QPushButton(theme::icon(theme(), "compare"), tr("Compare"));
  m_compare->setToolTip(tr("Compare the last two runs"));
  bar->addWidget(m_openRun);
  bar->addWidget(m_compare);
  runs->addLayout(bar);
  m_table = new tables::TableView(theme(), tr("Runs of this session"));
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setEmptyText(tr("Runs appear here, to be opened again and compared"));
  runs->addWidget(m_table, 1);
  connect(m_openRun, &QPushButton::clicked, this, [this] {
    const auto ids = m_table->selectedIds();
    if (!ids.empty()) return openRun(ids.front());
    for (std::size_t i = m_runs.size(); i-- > 0;) // the newest that has a report
      if (QFileInfo::exists(m_runs[i].request.report)) return openRun(int64_t(i));
  });
  connect(m_compare, &QPushButton::clicked, this, &RunView::compareLastTwo);
  connect(m_table, &tables::TableView::idActivated, this, &RunView::openRun);
  return list;
}

void RunView::formatChanged() { m_table->setFormat(format()); }

void RunView::ask() {
  m_asking = 2;
  const auto settle = [this] {
    --m_asking;
    m_form->setRunning(m_process.isRunning());
    emit busyChanged();
    if (m_asking == 0) takeRequest();
  };
  const auto failed = [this, settle](const reports::Error& error) {
    page().setBanner(shell::reportText(error.message()) + QStringLiteral(": ") + shell::reportText(error.advice()),
                     shell::Tone::Bad);
    settle();
  };
  new shell::CliCall(
      {"samples", "--json"}, [this, settle](const QJsonArray& list) { m_form->setSamples(list), settle(); }, failed, this);
  new shell::CliCall(
      {"machines", "--json"}, [this, settle](const QJsonArray& list) { m_form->setMachines(list), settle(); }, failed, this);
}

void RunView::setSessions(shell::SessionPointer, shell::SessionPointer) {}

void RunView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  if (m_asking == 0) takeRequest();
}

void RunView::takeRequest() {
  QStringList words = state().takeRunRequest().split('\n'); // a graph, and perhaps words of the command line, a line each
  const QString sample = words.takeFirst();
  if (sample.isEmpty()) return;
  const bool again = !words.isEmpty(); // a run that another view wants as it is
  if (again || m_optionsAreOfRequest) m_form->setOptions(words);
  m_optionsAreOfRequest = again;
  if (again && sample.endsWith(QStringLiteral(".onnx"), Qt::CaseInsensitive)) {
    m_form->chooseFile(sample);
    if (!m_process.isRunning() && m_form->problem().isEmpty()) start();
    return;
  }
  if (QFileInfo(sample).isAbsolute()) return m_form->chooseFile(sample); // a model: on which machine is for the user to say
  m_form->chooseSample(sample);
  if (!m_process.isRunning() && m_form->problem().isEmpty()) start();
}

void RunView::start() {
  const RunRequest request = m_form->request();
  m_runs.push_back({request, Outcome::Running, 0});
  m_title->setText(request.title());
  m_phase->setText(tr("Starting"));
  m_log->setPlainText(request.commandLine());
  m_log->show();
  m_right->setStretch(0, 1); // the log gets its half
  m_bar->setRange(0, 0);
  m_bar->show();
  m_tick.start();
  page().setVerdict(tr("Running %1").arg(request.title()));
  m_process.start(m_program, request);
  m_form->setRunning(true);
  showRuns();
}

QString RunView::outcomeText(const Run& run) const {
  switch (run.outcome) {
  case Outcome::Running: return tr("running");
  case Outcome::Finished: return tr("finished");
  case Outcome::DoesNotFit: return tr("does not fit");
  case Outcome::Failed: return tr("failed");
  case Outcome::Crashed: return tr("crashed");
  case Outcome::Cancelled: return tr("cancelled");
  }
  return {};
}

void RunView::end(Outcome outcome) {
  m_tick.stop();
  Run& run = m_runs.back();
  run.outcome = outcome, run.seconds = m_process.seconds();
  m_bar->hide();
  m_clock->setText(theme::seconds(run.seconds));
  m_form->setRunning(false);
  showRuns();
  const QString title = run.request.title(), took = theme::seconds(run.seconds);
  const bool written = QFileInfo::exists(run.request.report);
  switch (outcome) {
  case Outcome::Finished: page().setVerdict(tr("%1 finished in %2").arg(title, took), shell::Tone::Good); break;
  case Outcome::DoesNotFit:
    page().setVerdict(tr("%1 does not fit the machine; the report shows where").arg(title), shell::Tone::Warning);
    break;
  case Outcome::Failed:
    page().setVerdict(tr("%1 failed: %2").arg(title, QString(m_process.lastLine()).remove(kProgramSays)), shell::Tone::Bad);
    break;
  case Outcome::Crashed:
    page().setVerdict(tr("%1 crashed after %2; nothing was written, the window is unharmed").arg(title, took), shell::Tone::Bad);
    break;
  case Outcome::Cancelled: page().setVerdict(tr("%1 was cancelled after %2").arg(title, took)); break;
  case Outcome::Running: break;
  }
  m_phase->setText(written ? run.request.report : outcomeText(run));
  if (!written || (outcome != Outcome::Finished && outcome != Outcome::DoesNotFit)) return;
  // Who went on to look at something else is not torn away from it.
  if (isVisible())
    emit openRequested({run.request.report});
  else
    emit offerRequested(tr("%1 finished in %2.").arg(title, took), {run.request.report});
}

void RunView::showRuns() {
  using tables::Kind;
  auto table = std::make_shared<tables::Table>();
  table->columns = {{tr("Run"), Kind::Text, tr("What ran, and with which parameters")},
                    {tr("Outcome"), Kind::Text, {}},
                    {tr("Took"), Kind::Nanoseconds, tr("Time of the whole run on this computer"), 90},
                    {tr("Report"), Kind::Bytes, tr("Size of the report"), 90}};
  int written = 0;
  for (std::size_t i = m_runs.size(); i-- > 0;) {
    const Run& run = m_runs[i];
    const QFileInfo report(run.request.report);
    written += report.exists();
    tables::Row row;
    row.id = int64_t(i);
    row.cells = {run.request.title(), outcomeText(run)};
    row.cells.push_back(tables::cellIf(run.outcome != Outcome::Running, int64_t(run.seconds * 1e9)));
    row.cells.push_back(tables::cellIf(report.exists(), int64_t(report.size())));
    table->rows.push_back(std::move(row));
  }
  m_table->setTable(table);
  m_openRun->setEnabled(written > 0);
  m_compare->setEnabled(written > 1);
  m_compare->setToolTip(theme::tipText(written > 1 ? QString() : tr("Run twice, for example with two batch sizes")));
}

void RunView::openRun(int64_t run) {
  if (run < 0 || run >= int64_t(m_runs.size())) return;
  const QString report = m_runs[std::size_t(run)].request.report;
  if (QFileInfo::exists(report)) emit openRequested({report});
}

void RunView::compareLastTwo() {
  QStringList reports;
  for (auto run = m_runs.rbegin(); run != m_runs.rend() && reports.size() < 2; ++run)
    if (QFileInfo::exists(run->request.report)) reports.prepend(run->request.report);
  if (reports.size() == 2) emit compareRequested(reports[0], reports[1]);
}

} // namespace ui::run
