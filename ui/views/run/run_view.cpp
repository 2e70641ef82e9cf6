#include "ui/views/run/run_view.h"

#include "ui/parts/on_worker.h"
#include "ui/parts/page.h"
#include "ui/runs/cli_call.h"
#include "ui/runs/command_words.h"
#include "ui/runs/own_files.h"
#include "ui/runs/trial_words.h"
#include "ui/state/view_state.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/run/estimate_card.h"
#include "ui/views/run/run_card.h"
#include "ui/views/run/run_list.h"
#include "ui/views/run/run_settings.h"
#include "ui/views/run/run_table.h"

#include "analyser/summary/summary.h"

#include <QDateTime>
#include <QFileInfo>
#include <QTabWidget>
#include <QVBoxLayout>

namespace ui::run {

namespace {
constexpr int kFormWidth = 460; // at least; half as much again in a wide window
constexpr std::size_t kAtATime = 2;
constexpr int kKeptLogs = 20;
const QString kProgramSays = QStringLiteral("tilescope-cli: "); // the prefix of its errors

// The form's request for the run that made a report. If `withFiles` is false, options that name files are left out and a model or
// a program stays empty. A graph that is neither a sample nor one of the run's files stays empty, too: a file of that name in
// this folder may be unrelated.
std::optional<RunRequest> requestOf(const shell::TrialRun& run, bool withFiles, const RunForm& form) {
  if (run.graph.isEmpty()) return std::nullopt;
  auto request = requestFromWords(QStringList{run.graph} + (withFiles ? run.words() : run.options), {});
  if (request && request->startsProgram()) {
    if (!withFiles) request->graph.clear(), request->arguments.clear(), request->environment.clear(), request->folder.clear();
    return request;
  }
  const bool isFile = run.files.contains(run.graph);
  if (request && (isFile ? !withFiles : !form.hasSample(run.graph))) request->graph.clear();
  return request;
}

} // namespace

RunView::RunView(const shell::ViewParts& parts)
    : View(parts), m_form(new RunForm(parts.theme, parts.settings)), m_program(shell::cliPath()),
      m_fullest(tr("Reading the memory of the open report"), &parts.jobs) {
  auto* body = new QWidget;
  auto* row = new QHBoxLayout(body);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(theme::kMargin);
  m_form->setMinimumWidth(kFormWidth), m_form->setMaximumWidth(kFormWidth * 4 / 3);
  row->addWidget(m_form, 2);
  row->addWidget(buildRight(parts.jobs), 3);
  page().setBody(body);
  showHeadline();

  connect(m_form, &RunForm::runRequested, this, [this] { enqueue(); });
  connect(m_form, &RunForm::cancelRequested, this, &RunView::cancel);
  connect(m_form, &RunForm::edited, this, &RunView::followForm);
  connect(m_estimateCard, &EstimateCard::busyChanged, this, &RunView::busyChanged);
  connect(&m_check, &RunEstimate::busyChanged, this, &RunView::busyChanged);
  for (RunEstimate* estimate : {&m_check, &m_estimateCard->estimate()})
    connect(estimate, &RunEstimate::failed, m_form, &RunForm::putError);
  connect(m_estimateCard, &EstimateCard::changeChosen, this,
          [this](const QStringList& options) { m_form->fill(m_form->request(false).with(options)); });
  connect(m_estimateCard, &EstimateCard::batchChosen, m_form, &RunForm::setBatch);
  work().add({&m_fullest});
  connect(&state().messages(), &shell::ViewMessages::runAsked, this, [this] {
    if (isVisible()) takeRequest();
  });
  m_tick.setInterval(100);
  connect(&m_tick, &QTimer::timeout, this, [this] {
    if (const Active* run = shown(); run && run->process) m_card->setSeconds(run->process->seconds());
    showProgress();
    lookForSilence();
  });
  showRuns();
  ask();
}

RunView::~RunView() = default;

QWidget* RunView::buildRight(jobs::JobBoard& board) {
  auto* right = new QWidget;
  m_right = new QVBoxLayout(right);
  m_right->setContentsMargins(0, 0, 0, 0);
  m_right->setSpacing(theme::kMargin);
  m_right->addWidget(buildNow(), 4);
  m_right->addWidget(buildRuns(board), 3);
  return right;
}

// Builds the card with a tab for the estimate and one for the current run.
QWidget* RunView::buildNow() {
  auto* card = new QFrame;
  card->setProperty("role", "card");
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(theme::kMargin, theme::kGrid, theme::kMargin, theme::kMargin);
  m_cards = new QTabWidget;
  m_cards->setDocumentMode(true);
  m_cards->addTab(m_estimateCard = new EstimateCard(theme()), tr("Before the run"));
  m_cards->addTab(m_card = new RunCard, tr("Run"));
  fields().tabs("card", *m_cards, {{m_cards->widget(0), "estimate"}, {m_cards->widget(1), "run"}});
  column->addWidget(m_cards);
  connect(m_cards, &QTabWidget::currentChanged, this, [this](int index) {
    if (index == 0) askEstimate();
  });
  return card;
}

void RunView::formatChanged() {
  m_list->setFormat(format());
  m_estimateCard->setFormat(format());
}

bool RunView::isBusy() const {
  return View::isBusy() || m_asking > 0 || m_estimateCard->isBusy() || m_check.isBusy() || m_list->results().isBusy();
}

void RunView::followForm() {
  // Typing shows the forecast; a form that is filled does not, because then a run may be in view.
  const QStringList words = m_form->request(false).words();
  if (words != std::exchange(m_words, words) && m_form->isAncestorOf(window()->focusWidget())) m_cards->setCurrentIndex(0);
  m_form->setRunning(isRunning());
  showHeadline();
  showReference();
  askEstimate();
}

// The estimate follows the form while the page is visible.
void RunView::askEstimate() {
  if (m_asking > 0 || !isVisible()) return;
  QString problem = m_form->problem();
  if (problem.isEmpty() && m_form->request(false).startsProgram()) problem = tr("A program's memory is known after its run");
  if (problem.isEmpty()) {
    m_check.cancel();
    m_estimateCard->ask(m_program, m_form->request(false), m_form->requestWithoutBatch());
    return;
  }
  m_estimateCard->showNothing(problem + '.');
  // The other values are checked meanwhile, so that all errors are marked.
  if (const auto rest = m_form->requestToCheck())
    m_check.ask(m_program, *rest);
  else
    m_check.cancel();
}

// Reads the memory of the open report, which is shown beside the estimate.
void RunView::readFullest() {
  m_fullest.drop();
  m_fullestOfBase.reset(), showReference();
  if (!m_base || !m_form->hasReference()) return;
  m_fullest.start(
      [worker = std::make_shared<shell::WorkerSession>(m_base)](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) {
          return analyser::summary::summarise(session, stop).memory.fullestWithoutGaps.bytes;
        });
      },
      [this](const reports::Bytes& bytes) { m_fullestOfBase = bytes, showReference(); },
      [](const reports::Error&) {}); // other views show the error of the report
}

// Only an estimate of the same graph is compared with the open report.
void RunView::showReference() {
  const bool compares = m_base && m_form->isOfReference();
  m_estimateCard->setReference(compares ? QString::fromStdString(m_base->identity().fileName) : QString(),
                               compares ? m_fullestOfBase : std::nullopt);
}

void RunView::ask() {
  m_asking = 2;
  const auto settle = [this] {
    --m_asking;
    m_form->setRunning(isRunning());
    emit busyChanged();
    if (m_asking == 0) takeSettings(), takeRequest(), askEstimate();
  };
  const auto failed = [this, settle](const reports::Error& error) {
    page().setBanner(theme::messageText(error.message()) + QStringLiteral(": ") + theme::messageText(error.advice()),
                     shell::Tone::Bad);
    settle();
  };
  auto* samples = new shell::CliCall(
      {"samples", "--json"}, [this, settle](const QJsonDocument& list) { m_form->setSamples(list.array()), settle(); }, failed,
      this);
  auto* machines = new shell::CliCall(
      {"machines", "--json"}, [this, settle](const QJsonDocument& list) { m_form->setMachines(list.array()), settle(); }, failed,
      this);
  for (shell::CliCall* call : {samples, machines}) call->endAfter(shell::kListTime);
}

void RunView::setSessions(shell::SessionPointer base, shell::SessionPointer other) {
  const auto path = [](const shell::SessionPointer& session) { return session ? session->identity().path : std::string(); };
  const bool same = path(base) == path(m_opened); // e.g. opened beside another report: typed values stay
  m_opened = base, m_other = other;
  QStringList open;
  for (const auto& session : {base, other})
    if (session) open.append(QFileInfo(QString::fromStdString(session->identity().path)).absoluteFilePath());
  m_list->setOpenReports(open);
  if (same) // the form may have the settings of the other report
    for (const auto& session : {base, other})
      if (path(session) == path(m_base)) {
        m_base = session;
        return;
      }
  m_base = base;
  m_settingsDue = true;
  if (m_asking == 0) takeSettings();
}

void RunView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  if (m_asking == 0) takeSettings(), takeRequest(), askEstimate();
}

// Fills the form with the settings that made the open report.
void RunView::takeSettings() {
  if (!m_settingsDue) return;
  m_settingsDue = false;
  const std::optional<RunRequest> request = settingsOfReport();
  m_form->setReference(request, m_base ? QString::fromStdString(m_base->identity().fileName) : QString());
  readFullest();
  showHeadline();
}

// Sets the headline for the current form. While something runs, the headline is about the run.
void RunView::showHeadline() {
  if (!m_active.empty()) return;
  if (!m_base) return page().setVerdict(tr("Choose what to run, and on which machine"));
  const QString words = !m_form->hasReference()   ? tr("%1 does not say how it was run: choose what to run, and on which machine")
                        : m_form->isOfReference() ? tr("Change what you want to try: the run is compared with %1")
                                                  : tr("A run of another graph: it is not compared with %1");
  page().setVerdict(words.arg(QString::fromStdString(m_base->identity().fileName)));
}

std::optional<RunRequest> RunView::settingsOfReport() {
  if (!m_base) return std::nullopt;
  const shell::TrialRun run = shell::trialRun(*m_base, {});
  const bool own = shell::areOwnFiles(settings(), run.files);
  if (!own)
    askForFiles(run.files, tr("Use them"), [this] {
      m_settingsDue = true;
      takeSettings();
    });
  if (own) sayWhatIsLeft(run);
  return requestOf(run, own, *m_form);
}

void RunView::sayWhatIsLeft(const shell::TrialRun& run) {
  if (run.left.isEmpty()) return;
  page().setBanner(tr("Ignored settings of the report's run, because only you may set them: %1").arg(run.left.join(", ")),
                   shell::Tone::Neutral);
}

void RunView::askForFiles(const QStringList& files, const QString& action, std::function<void()> agreed) {
  page().setBanner(shell::ownFilesQuestion(files), shell::Tone::Warning, action, [this, files, agreed = std::move(agreed)] {
    page().clearBanner();
    shell::addOwnFiles(settings(), files);
    agreed();
  });
}

void RunView::takeRequest() {
  const auto order = state().messages().take<shell::RunOrder>();
  if (!order) return;
  if (const auto* run = std::get_if<shell::RunSample>(&*order)) runSample(run->sample);
  if (const auto* model = std::get_if<shell::FillModel>(&*order)) m_form->chooseFile(model->file); // the user chooses the machine
  if (const auto* trial = std::get_if<shell::RunTrial>(&*order)) tryAgain(*trial);
  if (const auto* settings = std::get_if<shell::FillSettings>(&*order))
    takeReport(settings->base), m_form->showFields(settings->field);
}

void RunView::runSample(const QString& name) {
  if (!m_form->hasSample(name)) {
    page().setBanner(tr("No sample is named %1.").arg(name), shell::Tone::Warning);
    return;
  }
  m_form->useDefaultsOf(name);
  if (m_form->problem().isEmpty()) enqueue();
}

shell::SessionPointer RunView::opened(const QString& path) const {
  for (const auto& session : {m_opened, m_other})
    if (session && !path.isEmpty() && QString::fromStdString(session->identity().path) == path) return session;
  return nullptr;
}

// Takes the settings of A or B, to change and run them again.
void RunView::takeReport(const QString& path) {
  const shell::SessionPointer session = opened(path);
  if (!session) return;
  m_base = session, m_settingsDue = true;
  takeSettings();
}

// A trial from another view: the run of a report with other options. The form shows them.
void RunView::tryAgain(const shell::RunTrial& order) {
  const shell::SessionPointer session = opened(order.base);
  if (!session) return;
  const shell::TrialRun run = shell::trialRun(*session, order.change);
  const auto request = requestOf(run, true, *m_form);
  if (!request) return;
  if (request->graph.isEmpty())
    return page().setBanner(tr("The change cannot be tried: %1 is not a sample.").arg(run.graph), shell::Tone::Warning);
  if (!shell::areOwnFiles(settings(), run.files))
    return askForFiles(run.files, tr("Read and run"), [this, order] { tryAgain(order); });
  m_form->fill(*request);
  sayWhatIsLeft(run);
  const QString problem = m_form->problem();
  problem.isEmpty() ? enqueue({order.base, order.change, {}})
                    : page().setBanner(tr("The change cannot be tried: %1.").arg(problem), shell::Tone::Warning);
}

QString RunView::unfinished() const {
  return m_active.empty() ? QString() : theme::plural(int64_t(m_active.size()), tr("run"), tr("runs"));
}

bool RunView::isRunning() const { return !m_active.empty(); }

RunView::Active* RunView::shown() {
  for (const auto& run : m_active)
    if (run->id == m_shown) return run.get();
  return nullptr;
}

void RunView::enqueue(shell::ReportNotes::TriedRun tried) {
  auto run = std::make_unique<Active>();
  run->request = m_form->request();
  shell::addOwnFiles(settings(), shell::filesRead(run->request.graph, run->request.words()));
  run->after = m_form->after();
  if (m_base) run->base = QFileInfo(QString::fromStdString(m_base->identity().path)).absoluteFilePath();
  if (!tried.base.isEmpty()) run->base = QFileInfo(tried.base).absoluteFilePath(), run->after = RunForm::After::Compare;
  run->tried = std::move(tried);
  run->tried.report = run->request.report;
  PastRun row;
  row.title = run->request.title(), row.commandLine = run->request.commandLine(), row.report = run->request.report;
  row.startedUtc = QDateTime::currentDateTimeUtc().toString(Qt::ISODate), row.outcome = Outcome::Queued;
  m_shown = run->id = m_history.add(std::move(row));
  m_cards->setCurrentIndex(1);
  m_estimateCard->estimate().cancel(); // a run gives more than its estimate
  m_check.cancel();
  run->log = run->request.commandLine();
  m_active.push_back(std::move(run));
  startNext();
  showActive();
  showRuns();
}

void RunView::startNext() {
  for (std::size_t i = 0; i < m_active.size() && i < kAtATime; ++i)
    if (!m_active[i]->process) begin(*m_active[i]);
  m_form->setRunning(isRunning());
}

void RunView::begin(Active& run) {
  run.process = std::make_unique<RunProcess>();
  RunProcess* process = run.process.get();
  connect(process, &RunProcess::progressed, this, [this, &run](const QString& phase, double fraction) {
    run.phase = phase, run.fraction = fraction;
    hear(run);
    showProgress(); // the list and the card have the same figure
    if (shown() == &run) showActive();
  });
  connect(process, &RunProcess::said, this, [this, &run](const QString& lines) {
    RunCard::addTo(run.log, lines);
    hear(run);
    if (shown() == &run) m_card->append(lines);
  });
  // The process is deleted with its run, which must not happen inside its own signal.
  connect(
      process, &RunProcess::ended, this, [this, &run](Outcome outcome) { end(run, outcome); }, Qt::QueuedConnection);
  if (const PastRun* past = m_history.find(run.id)) {
    PastRun row = *past;
    row.outcome = Outcome::Running;
    m_history.change(row);
  }
  page().clearBanner();
  page().setVerdict(tr("Running %1").arg(run.request.title()));
  m_tick.start();
  run.heard.start();
  process->start(m_program, run.request);
}

void RunView::showProgress() {
  std::map<int64_t, QString> progress;
  for (const auto& run : m_active)
    if (run->process) progress[run->id] = progressText(run->phase, run->fraction, run->process->seconds());
  m_list->showProgress(progress);
}

void RunView::hear(Active& run) {
  run.heard.restart();
  if (std::exchange(run.isSilent, false)) page().clearBanner();
}

// A hung run looks like a working one; the window only knows how long it has been silent.
void RunView::lookForSilence() {
  for (const auto& run : m_active) {
    if (!run->process || run->isSilent || !run->heard.hasExpired(m_silence)) continue;
    run->isSilent = true;
    const int64_t id = run->id;
    page().setBanner(tr("%1 has sent no message for %2. A large graph may take that long; if it hangs, end it.")
                         .arg(run->request.title(), theme::seconds(double(m_silence) / 1000)),
                     shell::Tone::Warning, tr("End it"), [this, id] { m_shown = id, cancel(); });
  }
}

// Shows the run in the card: running, queued or finished.
void RunView::showActive() {
  const PastRun* past = m_history.find(m_shown);
  if (!past) return;
  const Active* run = shown();
  if (!run)
    m_card->showPast(*past, m_logs.value(m_shown));
  else if (!run->process)
    m_card->showWaiting(*past, run->log);
  else
    m_card->showRunning(*past, run->log, run->phase, run->fraction);
}

void RunView::cancel() {
  Active* run = shown();
  if (!run && !m_active.empty()) run = m_active.back().get();
  if (!run) return;
  run->process ? run->process->cancel() : end(*run, Outcome::Cancelled);
}

void RunView::end(Active& ended, Outcome outcome) {
  const auto it = std::find_if(m_active.begin(), m_active.end(), [&](const auto& run) { return run.get() == &ended; });
  if (it == m_active.end()) return;
  const std::unique_ptr<Active> run = std::move(*it);
  m_active.erase(it);
  if (run->isSilent) page().clearBanner();
  const PastRun* past = m_history.find(run->id);
  PastRun row = past ? *past : PastRun();
  row.outcome = outcome;
  if (run->process) row.seconds = run->process->seconds();
  if (outcome == Outcome::Failed) row.message = QString(run->process->lastLine()).remove(kProgramSays);
  m_history.change(row);
  m_logs[run->id] = run->log;
  while (m_logs.size() > kKeptLogs) m_logs.erase(m_logs.begin());
  if (m_active.empty()) m_tick.stop();
  startNext();
  showActive();
  showProgress();
  showRuns();
  tell(*run, row);
  if (!QFileInfo::exists(row.report) || (outcome != Outcome::Finished && outcome != Outcome::DoesNotFit)) return;
  m_list->readResult(run->id);
  if (!run->tried.change.isEmpty()) state().notes().addTriedRun(run->tried);
  offer(*run, row);
}

QWidget* RunView::buildRuns(jobs::JobBoard& board) {
  m_list = new RunList(theme(), m_history, board);
  fields().table("runs", m_list->table());
  connect(m_list, &RunList::runChosen, this, [this](qint64 id) {
    m_shown = id;
    m_cards->setCurrentIndex(1);
    showActive();
  });
  connect(m_list, &RunList::settingsAsked, this, &RunView::useSettingsOf);
  connect(m_list, &RunList::openAsked, this, &View::openRequested);
  connect(m_list, &RunList::failed, this, [this](const QString& why) { page().setBanner(why, shell::Tone::Bad); });
  connect(m_list, &RunList::confirmationAsked, this,
          [this](const QString& question, const QString& action, const std::function<void()>& confirmed) {
            page().setBanner(question, shell::Tone::Warning, action, [this, confirmed] {
              page().clearBanner();
              confirmed();
            });
          });
  connect(&m_list->results(), &RunResults::busyChanged, this, &RunView::busyChanged);
  return m_list;
}

// An empty list leaves its height to the estimate above.
void RunView::showRuns() {
  m_list->showRuns();
  m_right->setStretch(1, m_history.runs().empty() ? 0 : 3);
}

void RunView::useSettingsOf(int64_t id) {
  if (const PastRun* run = m_history.find(id))
    if (const auto request = requestFromCommandLine(run->commandLine, shell::runsFolder())) {
      m_form->fill(*request);
      m_cards->setCurrentIndex(0);
    }
}

} // namespace ui::run
