#include "ui/views/sweep/sweep_view.h"

#include "analyser/session/format.h"
#include "analyser/session/repeat.h"
#include "analyser/session/session.h"
#include "ui/parts/page.h"
#include "ui/runs/cli_call.h"
#include "ui/runs/field_names.h"
#include "ui/runs/own_files.h"
#include "ui/runs/trial_words.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/theme/format.h"
#include "ui/theme/icons.h"
#include "ui/theme/plain_text.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/theme/whole_file.h"
#include "ui/views/sweep/scatter.h"
#include "ui/views/sweep/sweep_axes.h"
#include "ui/views/sweep/sweep_form.h"
#include "ui/views/sweep/sweep_plot.h"
#include "ui/views/sweep/sweep_proposal.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStandardPaths>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>

namespace ui::sweep {

using analyser::sweep::Point;
using analyser::sweep::State;
using analyser::sweep::SweepTable;
using theme::reportText;

namespace {

constexpr int kFormWidth = 300, kReadAgain = 700; // pixels; milliseconds between reads of a running sweep
constexpr int kExitMs = 3000;
constexpr std::size_t kReasons = 2; // reasons that are printed
constexpr const char* kTileBytes = "memory.max_tile_bytes";

QString sweepsFolder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/tilescope/sweeps");
}

constexpr double kNano = 1e9;
constexpr std::size_t kFirmParameters = 2; // always have a column; further ones only if the figures have room
constexpr const char* kPlan = "sweep/plan";

// The graph of the runs in a sweep's folder; empty without runs.
QString graphOf(const SweepTable& sweep) {
  if (sweep.points.empty() || sweep.points.front().configuration.arguments.empty()) return {};
  return reportText(sweep.points.front().configuration.arguments.front());
}

} // namespace

SweepView::SweepView(const shell::ViewParts& parts)
    : View(parts), m_form(new SweepForm(parts.theme)), m_job(tr("Reading the sweep"), &parts.jobs) {
  auto* body = new QWidget;
  auto* row = new QHBoxLayout(body);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(theme::kMargin);
  m_form->setMinimumWidth(kFormWidth), m_form->setMaximumWidth(kFormWidth);
  row->addWidget(m_form);
  row->addWidget(buildResults(), 1);
  page().setBody(body);
  page().setVerdict(tr("Name a graph and the values to try"));
  connect(m_form, &SweepForm::runRequested, this, &SweepView::plan);
  connect(m_form, &SweepForm::stopRequested, this, &SweepView::stop);
  connect(m_form, &SweepForm::openRequested, this, &SweepView::chooseFolder);
  m_form->restore(QJsonDocument::fromJson(settings().value(kPlan).toString().toUtf8()).object());
  connect(m_form, &SweepForm::edited, this, [this] { keepPlan(), showVerdict(); });
  connect(&m_process, &QProcess::finished, this, &SweepView::ended);
  connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) ended(2, QProcess::NormalExit);
  });
  shell::endWithWindow(m_process);
  m_tick.setInterval(kReadAgain);
  connect(&m_tick, &QTimer::timeout, this, [this] {
    if (!m_job.isBusy()) read(); // a newer request would cancel the current one, and nothing would be shown until the end
  });
  m_kill.setSingleShot(true);
  connect(&m_kill, &QTimer::timeout, this, [this] {
    if (m_process.state() != QProcess::NotRunning) m_process.kill();
  });
  work().add({&m_job});
  page().showContent();
  m_table->setTable(std::make_shared<tables::Table>());
  select({});
  if (const QString last = settings().value("sweep/folder").toString(); QFileInfo::exists(last + "/manifest.jsonl"))
    showFolder(last);
}

SweepView::~SweepView() {
  m_process.disconnect(this);
  if (m_process.state() == QProcess::NotRunning) return;
  m_process.terminate();
  if (!m_process.waitForFinished(kExitMs)) m_process.kill(), m_process.waitForFinished(kExitMs);
}

QWidget* SweepView::buildResults() {
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->addWidget(m_plot = new SweepPlot(theme(), fields()));
  Scatter& scatter = m_plot->scatter();
  auto* lower = new QWidget;
  auto* column = new QVBoxLayout(lower);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_table = new tables::FilteredTable(theme(), tr("Runs of the sweep")), 1);
  auto* actions = new QWidget;
  auto* row = new QHBoxLayout(actions);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(m_openRun = new QPushButton(theme::icon(theme(), "open"), tr("Open")));
  row->addWidget(m_compare = new QPushButton(theme::icon(theme(), "compare"), tr("Compare")));
  m_table->addNote(actions);
  m_table->view().setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_table->view().setEmptyText(tr("Each run appears here as soon as it has ended"));
  splitter->addWidget(lower);
  splitter->setStretchFactor(0, 3), splitter->setStretchFactor(1, 2);
  connect(&m_table->view(), &tables::TableView::idsSelected, this, &SweepView::select);
  connect(&m_table->view(), &tables::TableView::idActivated, this, &SweepView::openPoint);
  connect(&scatter, &Scatter::selected, this, [this](const std::vector<int64_t>& ids) {
    m_table->view().selectIds(ids);
    select(ids);
  });
  connect(&scatter, &Scatter::activated, this, &SweepView::openPoint);
  connect(m_openRun, &QPushButton::clicked, this, [this] {
    if (!m_selected.empty()) openPoint(m_selected.front());
  });
  connect(m_compare, &QPushButton::clicked, this, &SweepView::compareSelected);
  return splitter;
}

void SweepView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  if (!base || m_process.state() != QProcess::NotRunning) return;
  // A program named by a report is proposed only if the user has started it with the same arguments before.
  if (const auto run = shell::trialRun(*base, {});
      analyser::isProgram(run.graph.toStdString()) && !shell::areOwnFiles(settings(), run.files))
    return;
  if (const auto p = proposalFor([&](const std::string& key) { return base->metadata(key); }, shell::folderOfRun(*base)))
    m_form->propose(p->graph, p->arguments, p->parameters);
}

void SweepView::chooseFolder() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Choose the folder of a sweep"), m_folder);
  if (!folder.isEmpty()) showFolder(folder);
}

void SweepView::showFolder(const QString& folder) {
  m_folder = folder;
  m_selected.clear();
  m_job.drop();
  settings().setValue("sweep/folder", folder);
  m_wasInterrupted = false;
  page().clearBanner();
  read();
}

// Each spec has its own folder; the same spec again continues its sweep.
void SweepView::plan() {
  QString problem;
  const QJsonObject spec = m_form->spec(problem);
  if (!problem.isEmpty()) return;
  const QString name = QFileInfo(m_form->graph()).completeBaseName();
  m_folder = QStringLiteral("%1/%2-%3").arg(sweepsFolder(), name, QDateTime::currentDateTime().toString("MMdd-hhmmss"));
  theme::makePrivateFolder(m_folder);
  QFile file(m_folder + QStringLiteral("/spec.json"));
  if (!file.open(QIODevice::WriteOnly) || file.write(QJsonDocument(spec).toJson()) < 0) {
    page().setVerdict(tr("The spec cannot be written to %1: %2").arg(m_folder, file.errorString()), shell::Tone::Bad);
    return;
  }
  file.close();
  m_isPlanning = true;
  m_plannedFolder = m_folder;
  m_form->setRunning(true);
  page().clearBanner();
  m_process.start(shell::cliPath(), {"sweep", "plan", file.fileName(), "-o", m_folder}, QIODevice::ReadOnly);
}

void SweepView::run() {
  m_wasInterrupted = false;
  showFolder(m_folder);
  m_form->setRunning(true);
  m_tick.start();
  QStringList words{"sweep",      "run", m_folder + "/manifest.jsonl", "--jobs", QString::number(m_form->jobs()),
                    "--progress", "none"};
  if (m_folder == m_plannedFolder) { // only this window's plan may read the user's files
    for (const QString& file : m_form->files()) words << "--read" << file;
    if (const QString program = m_form->program(); !program.isEmpty()) words << "--execute" << program;
  }
  m_process.start(shell::cliPath(), words, QIODevice::ReadOnly);
}

void SweepView::stop() {
  m_isStopping = true;
  m_process.terminate();
  m_kill.start(kExitMs);
}

void SweepView::ended(int code, QProcess::ExitStatus status) {
  const QString said = QString::fromUtf8(m_process.readAllStandardError()).trimmed().section('\n', -1);
  const bool planned = std::exchange(m_isPlanning, false), stopped = std::exchange(m_isStopping, false);
  m_tick.stop(), m_kill.stop(); // a new process needs its own timers
  m_form->setRunning(false);
  if (planned && !stopped && code == 0 && status == QProcess::NormalExit) return run();
  if (planned && stopped) page().setVerdict(tr("The sweep was stopped before its first run"), shell::Tone::Neutral);
  m_wasInterrupted = status == QProcess::CrashExit || code == 2;
  if (m_wasInterrupted) {
    QString why = said.isEmpty() ? QString::fromStdString(shell::cliMissing().message()) : said;
    why.remove(QStringLiteral("tilescope-cli: ")).remove(m_folder + QStringLiteral("/spec.json: "));
    if (planned) {
      page().setVerdict(why, shell::Tone::Bad);
      forgetPlan();
    } else {
      page().setBanner(status == QProcess::CrashExit ? tr("The sweep ended early. Finished runs are kept.") : why,
                       shell::Tone::Warning, tr("Go on"), [this] { run(); });
    }
  }
  if (!planned) read();
}

// A rejected sweep leaves no files.
void SweepView::forgetPlan() {
  QFile::remove(m_folder + QStringLiteral("/spec.json"));
  if (QDir(m_folder).isEmpty()) QDir().rmdir(m_folder);
  m_folder.clear(), m_plannedFolder.clear();
}

void SweepView::read() {
  if (m_folder.isEmpty()) return;
  m_job.start([folder = m_folder.toStdString()](const std::stop_token&,
                                                reports::Progress&) { return analyser::sweep::readSweep(folder); },
              [this](const SweepTable&) { show(); },
              [this](const reports::Error& error) { page().setVerdict(QString::fromStdString(error.what()), shell::Tone::Bad); });
}

void SweepView::show() {
  const auto table = m_job.result();
  if (!table) return;
  showVerdict();
  if (!m_wasInterrupted) showFailures();
  m_table->view().setFormat(format());
  m_table->setTable(tableOf());
  m_table->view().selectIds(m_selected);
  m_plot->show(table, format());
  select(m_selected);
}

// The verdict names the graph of the sweep if the form has another one.
void SweepView::showVerdict() {
  const auto table = m_job.result();
  if (!table) return;
  const QString graph = graphOf(*table);
  const shell::Tone tone = table->failed ? shell::Tone::Warning : shell::Tone::Neutral;
  if (graph.isEmpty() || graph == m_form->graph()) return page().setVerdict(shell::fieldNamesIn(table->verdict), tone);
  analyser::Sentence named;
  named << "A sweep of " << analyser::Sentence::Name{QFileInfo(graph).fileName().toStdString()} << ": ";
  named.append(shell::fieldNamesIn(table->verdict));
  page().setVerdict(named, tone);
}

// Stores a typed plan in the settings, so that it is kept after the window is closed.
void SweepView::keepPlan() {
  const QJsonObject plan = m_form->typed();
  settings().setValue(kPlan, plan.isEmpty() ? QString() : QString::fromUtf8(QJsonDocument(plan).toJson(QJsonDocument::Compact)));
}

void SweepView::showEvent(QShowEvent* event) {
  View::showEvent(event);
  readSamples();
}

void SweepView::readSamples() {
  if (std::exchange(m_knowsSamples, true)) return;
  auto* call = new shell::CliCall(
      {"samples", "--json"}, [this](const QJsonDocument& list) { m_form->setSamples(list.array()); },
      [this](const reports::Error&) { m_knowsSamples = false; }, // the list is requested again later
      this);
  auto* machines = new shell::CliCall(
      {"machines", "--json"},
      [this](const QJsonDocument& list) {
        QStringList names;
        for (const QJsonValue machine : list.array()) names << machine.toObject().value("name").toString();
        m_form->setMachines(names);
      },
      [](const reports::Error&) {}, this);
  for (shell::CliCall* asked : {call, machines}) asked->endAfter(shell::kListTime);
}

// Shows why runs failed, the most frequent reasons first.
void SweepView::showFailures() {
  std::map<QString, int> reasons;
  for (const Point& p : m_job.result()->points)
    if (p.record && p.record->state == State::Failed) ++reasons[reportText(p.record->message)];
  if (reasons.empty()) return page().clearBanner();
  std::vector<std::pair<QString, int>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  QStringList words;
  for (std::size_t i = 0; i < std::min(kReasons, sorted.size()); ++i)
    words << tr("%1 failed: %2").arg(theme::plural(sorted[i].second, tr("run"), tr("runs")), sorted[i].first);
  if (sorted.size() > kReasons) words << tr("and for %1 other reasons").arg(sorted.size() - kReasons);
  page().setBanner(words.join(QStringLiteral("; ")) + '.', shell::Tone::Warning);
}

std::shared_ptr<const tables::Table> SweepView::tableOf() const {
  using tables::Kind;
  const SweepTable& sweep = *m_job.result();
  auto table = std::make_shared<tables::Table>();
  // Parameters that vary come first, because a narrow window hides the last columns.
  std::vector<std::string> parameters = sweep.parameters;
  std::stable_partition(parameters.begin(), parameters.end(), [&](const std::string& name) {
    return std::any_of(sweep.points.begin(), sweep.points.end(),
                       [&](const Point& p) { return valueOf(p, name) != valueOf(sweep.points.front(), name); });
  });
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const QString name = reportText(parameters[i]);
    table->columns.push_back({QStringLiteral("parameter.") + name, parameterTitle(parameters[i]), Kind::Text, {}, 0, false});
    table->columns.back().isOptional = i >= kFirmParameters;
  }
  table->columns.push_back({"outcome", tr("Outcome"), Kind::Text, {}, 0, false});
  table->columns.push_back({"perSample", tr("Per sample"), Kind::Cycles,
                            tr("Cycles per sample, or of the whole run if the report does not know its samples"), 104, true});
  if (sweep.isOfClocks)
    table->columns.push_back(
        {"time", tr("Time"), Kind::Nanoseconds, tr("Time per sample: the clocks of the machines differ"), 80, true});
  else // a narrow window has no room for both columns
    table->columns.push_back(tables::optional({"inAll", tr("In all"), Kind::Cycles, tr("Cycles of the whole run"), 96, false}));
  table->columns.push_back({"fullestTile", tr("Fullest tile"), Kind::Bytes, {}, 88, true});
  table->columns.push_back(tables::optional({"allTiles", tr("All tiles"), Kind::Bytes, {}, 76, false}));
  table->columns.push_back(
      tables::optional({"took", tr("Took"), Kind::Nanoseconds, tr("Time of the run on its computer"), 64, false}));
  for (const Point& p : sweep.points) {
    tables::Row row;
    row.id = int64_t(table->rows.size());
    for (const std::string& name : parameters) row.cells.emplace_back(valueOf(p, name));
    const auto number = [&](std::optional<double> value) {
      row.cells.push_back(tables::cellIf(value.has_value(), int64_t(std::llround(value.value_or(0)))));
    };
    row.cells.emplace_back(stateText(p));
    number(analyser::sweep::cyclesOf(p));
    const auto seconds = analyser::sweep::secondsOf(p);
    number(!sweep.isOfClocks ? analyser::sweep::figureOf(p, "total_cycles")
           : seconds         ? std::optional<double>(*seconds * kNano)
                             : std::nullopt);
    number(analyser::sweep::figureOf(p, kTileBytes));
    number(analyser::sweep::figureOf(p, "memory.total_bytes"));
    number(p.record ? std::optional<double>(p.record->wallSeconds * kNano) : std::nullopt);
    table->rows.push_back(std::move(row));
  }
  return table;
}

void SweepView::select(const std::vector<int64_t>& points) {
  m_selected = points;
  m_plot->scatter().setSelected(points);
  int reports = 0;
  const auto table = m_job.result();
  for (const int64_t i : points)
    reports += table && std::size_t(i) < table->points.size() && !table->points[std::size_t(i)].report.empty();
  m_openRun->setEnabled(reports == 1);
  m_compare->setEnabled(reports == 2 && points.size() == 2);
  m_compare->setToolTip(theme::tipText(m_compare->isEnabled() ? QString() : tr("Select two runs that have a report")));
  emit selectionTextChanged();
}

QString SweepView::selectionText() const {
  const auto table = m_job.result();
  if (!table || m_selected.size() != 1 || std::size_t(m_selected[0]) >= table->points.size()) return {};
  const Point& p = table->points[std::size_t(m_selected[0])];
  return QStringLiteral("%1: %2").arg(valuesText(p), stateText(p));
}

void SweepView::openPoint(int64_t point) {
  const auto table = m_job.result();
  if (!table || point < 0 || std::size_t(point) >= table->points.size()) return;
  if (const auto& report = table->points[std::size_t(point)].report; !report.empty())
    emit openRequested({QString::fromStdString(report.string())});
}

void SweepView::compareSelected() {
  const auto table = m_job.result();
  if (!table || m_selected.size() != 2) return;
  const auto file = [&](int64_t i) { return QString::fromStdString(table->points[std::size_t(i)].report.string()); };
  emit compareRequested(file(std::min(m_selected[0], m_selected[1])), file(std::max(m_selected[0], m_selected[1])));
}

} // namespace ui::sweep
