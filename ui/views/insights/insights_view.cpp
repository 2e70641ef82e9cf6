#include "ui/views/insights/insights_view.h"

#include "analyser/compare/compare.h"
#include "ui/parts/finding_marks.h"
#include "ui/parts/page.h"
#include "ui/parts/state_page.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/runs/command_words.h"
#include "ui/runs/own_files.h"
#include "ui/runs/trial_words.h"
#include "ui/state/settings.h"
#include "ui/state/view_state.h"
#include "ui/theme/report_text.h"
#include "ui/theme/theme.h"
#include "ui/views/insights/finding_list.h"
#include "ui/views/insights/finding_panel.h"
#include "ui/views/insights/largest_panel.h"

#include <QComboBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>

#include <algorithm>

namespace ui::insights {

using analyser::insights::Insight;
using analyser::insights::Insights;
using theme::reportText;

namespace {
// A file that was written again counts as another report.
QString versionOf(const analyser::Session& session) {
  return QString::fromStdString(session.identity().path + '\n' + session.identity().createdUtc);
}
QStringList wordsOf(const analyser::insights::Trial& trial) {
  QStringList words;
  for (const std::string& word : trial.options) words << QString::fromStdString(word);
  return words;
}
} // namespace

InsightsView::InsightsView(const shell::ViewParts& parts)
    : View(parts), m_job(tr("Looking for savings"), &parts.jobs), m_triedJob(tr("Comparing the tried changes"), &parts.jobs) {
  m_kinds = new QComboBox;
  m_kinds->setAccessibleName(tr("Kind of findings"));
  fields().choice<Kinds>(
      "kind", *m_kinds, m_shownKinds,
      {{Kinds::All, "all", tr("All findings")}, {Kinds::Memory, "memory", tr("Memory")}, {Kinds::Time, "time", tr("Time")}});
  page().addTool(m_kinds);
  auto* split = new QSplitter(Qt::Horizontal);
  split->setChildrenCollapsible(false);
  auto* scroll = shell::verticalScroll(m_list = new FindingList(theme()));
  scroll->setProperty("role", "card");
  scroll->setFocusPolicy(Qt::NoFocus); // the list handles the keys
  split->addWidget(scroll);
  split->addWidget(m_panel = new FindingPanel(theme()));
  split->setStretchFactor(0, 5);
  split->setStretchFactor(1, 6);
  split->setSizes({500, 600});
  m_none = new shell::StatePage(theme());
  m_findings = new QStackedWidget;
  m_findings->addWidget(split), m_findings->addWidget(m_none);
  m_lists = new QTabWidget;
  m_lists->setAccessibleName(tr("Lists of insights"));
  m_lists->setDocumentMode(true);
  m_lists->addTab(m_findings, tr("Findings"));
  m_lists->addTab(m_largest = new LargestPanel(theme(), parts.jobs), tr("Largest parts"));
  fields().tabs("list", *m_lists, {{m_findings, "findings"}, {m_largest, "largest"}});
  m_largest->addFields(fields());
  page().setBody(m_lists);
  connect(m_lists, &QTabWidget::currentChanged, this, [this] {
    m_kinds->setVisible(m_lists->currentWidget() != m_largest);
    emit selectionTextChanged();
  });
  work().add({&m_largest->job()});
  connect(m_largest, &LargestPanel::evidenceRequested, this,
          qOverload<const analyser::insights::Evidence&>(&InsightsView::showEvidence));
  connect(&state(), &shell::ViewState::tilesChanged, m_largest, [this] { m_largest->setSelected(state().tiles()); });
  setMainJob(m_job, [this] { read(); });
  connect(m_kinds, &QComboBox::activated, this, [this] { show(); });
  connect(m_list, &FindingList::chosen, this, &InsightsView::showFinding);
  connect(m_list, &FindingList::activated, this, [this] { showEvidence(); });
  connect(m_panel, &FindingPanel::evidenceRequested, this, [this] { showEvidence(); });
  connect(m_panel, &FindingPanel::trialRequested, this, &InsightsView::tryIt);
  connect(m_panel, &FindingPanel::fieldRequested, this, [this](const QString& field) {
    if (!m_session) return;
    state().messages().send(shell::FillSettings{QString::fromStdString(m_session->identity().path), field});
    emit viewRequested(QStringLiteral("run"));
  });
  connect(m_panel, &FindingPanel::checkRequested, this, &InsightsView::checkTrials);
  work().add({&m_triedJob});
  connect(&state().notes(), &shell::ReportNotes::triedRunsChanged, this, &InsightsView::showTried);
  m_check = new shell::TrialCheck(this);
  connect(m_check, &shell::TrialCheck::changed, this, [this] {
    if (const Insight* finding = current(); finding && finding->lacks) m_panel->showAnswers(*m_check, format());
    emit busyChanged();
  });
}

InsightsView::~InsightsView() = default;

void InsightsView::setSessions(shell::SessionPointer base, shell::SessionPointer) {
  work().drop();
  m_tried.clear();
  if (m_session && !m_check->answers().empty()) m_checked[versionOf(*m_session)] = m_check->answers();
  m_check->forget();
  m_list->setFindings(nullptr, {});
  m_session = base;
  if (const auto known = base ? m_checked.find(versionOf(*base)) : m_checked.end(); known != m_checked.end())
    m_check->recall(known->second);
  m_worker = base ? std::make_shared<shell::WorkerSession>(base) : nullptr;
  m_largest->setSession(m_worker);
  m_largest->setSelected(state().tiles());
  page().clearVerdict();
  if (!base) return showNoReport(tr("Insights need a report."));
  if (base->machine().tiles() == 0) return showNoDevice(tr("memory or execution to look for savings in"));
  read();
}

void InsightsView::read() {
  if (!m_worker) return;
  page().showLoading(tr("Looking for savings"));
  m_job.start(
      [worker = m_worker](const std::stop_token& stop, reports::Progress&) {
        return worker->use([&](analyser::Session& session) { return analyser::insights::insights(session, stop); });
      },
      [this](const Insights&) {
        m_list->setCurrent(-1);
        state().notes().setFindings(m_job.result());
        show();
        takeTab();
      },
      [this](const reports::Error& error) { page().showError(error, tr("Try again"), [this] { read(); }); });
}

void InsightsView::show() {
  const auto all = m_job.result();
  if (!all) return;
  const bool fails = !all->list.empty() && all->list.front().lacks;
  page().setVerdict(all->verdict, fails ? shell::Tone::Bad : all->list.empty() ? shell::Tone::Good : shell::Tone::Neutral);
  if (all->list.empty()) {
    QStringList rules;
    for (const auto& rule : analyser::insights::ruleTexts()) rules << reportText(rule.title).toLower();
    rules.removeDuplicates(); // a rule for single operations and one for many may have the same title
    m_none->showEmpty(tr("Nothing to change was found"), tr("The rules checked for: %1.").arg(rules.join(", ")),
                      tr("Show the operations"), [this] { emit viewRequested(QStringLiteral("operations")); });
    m_findings->setCurrentWidget(m_none);
    return page().showContent();
  }
  m_findings->setCurrentIndex(0);
  std::vector<int> shown;
  for (std::size_t i = 0; i < all->list.size(); ++i)
    if (m_shownKinds == Kinds::All || all->list[i].savesMemory() == (m_shownKinds == Kinds::Memory)) shown.push_back(int(i));
  m_list->setFormat(format());
  m_list->setFindings(&all->list, shown);
  if (m_list->current() < 0 && !shown.empty()) m_list->setCurrent(shown.front());
  m_panel->setVisible(!shown.empty());
  if (!shown.empty()) showFinding(m_list->current());
  page().showContent();
}

void InsightsView::formatChanged() {
  m_largest->setFormat(format());
  show();
}

// Shows the finding that another view asked for, by its index in the list.
void InsightsView::takeTab() {
  const auto all = m_job.result();
  if (!all || !isVisible()) return;
  const auto request = state().messages().take<shell::ShowFinding>();
  if (!request || request->finding < 0 || std::size_t(request->finding) >= all->list.size()) return;
  m_lists->setCurrentWidget(m_findings);
  m_kinds->setCurrentIndex(0);
  m_list->setCurrent(request->finding);
  show();
}

const Insight* InsightsView::current() const {
  const auto all = m_job.result();
  const int at = m_list->current();
  return all && at >= 0 && std::size_t(at) < all->list.size() ? &all->list[std::size_t(at)] : nullptr;
}

void InsightsView::showFinding(int) {
  const Insight* finding = current();
  if (!finding || !m_session) return;
  const bool canTry = shell::canRunAgain(*m_session);
  QStringList commands;
  for (const auto& trial : finding->trials) {
    const QStringList words = wordsOf(trial);
    commands << (canTry ? shell::trialLine(*m_session, words) : shell::shellLine(words));
  }
  m_panel->setFinding(*finding, format(), canTry, commands);
  if (finding->lacks) m_panel->showAnswers(*m_check, format());
  showTried();
  emit selectionTextChanged();
}

bool InsightsView::isBusy() const { return View::isBusy() || m_check->isRunning(); }

// Shows beside each trial of the finding the result of its newest run; reports are compared one after another.
void InsightsView::showTried() {
  const Insight* finding = current();
  if (!finding || !m_session || !m_worker) return;
  const QString base = QString::fromStdString(m_session->identity().path);
  const auto& runs = state().notes().triedRuns();
  for (std::size_t i = 0; i < finding->trials.size(); ++i) {
    const QStringList change = wordsOf(finding->trials[i]);
    const auto run =
        std::find_if(runs.rbegin(), runs.rend(), [&](const auto& r) { return r.base == base && r.change == change; });
    if (run == runs.rend()) continue;
    if (const auto known = m_tried.find(run->report); known != m_tried.end()) {
      m_panel->showTried(i, known->second, format());
      continue;
    }
    return m_triedJob.start(
        [worker = m_worker, report = run->report](const std::stop_token& stop, reports::Progress&) {
          const auto other = analyser::Session::open(report.toStdString());
          return std::pair(report, worker->use([&](analyser::Session& session) {
            return analyser::compare::compare(session, *other, stop).verdict;
          }));
        },
        [this](const auto& compared) {
          m_tried.insert(compared);
          showTried();
        },
        [this, report = run->report](const reports::Error& error) {
          m_tried[report] = analyser::Sentence("its report cannot be compared: ") << error.message();
          showTried();
        });
  }
}

void InsightsView::checkTrials() {
  const Insight* finding = current();
  if (!finding || !m_session) return;
  if (m_check->isRunning()) return m_check->stop();
  std::vector<QStringList> runs;
  for (const auto& trial : finding->trials) {
    const shell::TrialRun run = shell::trialRun(*m_session, wordsOf(trial));
    runs.push_back(QStringList{QStringLiteral("run"), run.graph} + run.words());
  }
  const QStringList files = shell::trialRun(*m_session, {}).files;
  if (shell::areOwnFiles(settings(), files)) return m_check->start(std::move(runs));
  page().setBanner(shell::ownFilesQuestion(files), shell::Tone::Warning, tr("Read and check"), [this, files] {
    page().clearBanner();
    shell::addOwnFiles(settings(), files);
    checkTrials();
  });
}

// Selects the evidence, and shows the view for it.
void InsightsView::showEvidence() {
  const Insight* finding = current();
  if (!finding) return;
  showEvidence(analyser::insights::Evidence(finding->evidence)); // a copy: the original may be gone when the other view is shown
}

void InsightsView::showEvidence(const analyser::insights::Evidence& evidence) {
  shell::selectEvidence(state(), evidence);
  emit viewRequested(QString::fromStdString(evidence.view));
}

void InsightsView::tryIt(int trial) {
  const Insight* finding = current();
  if (!finding || trial < 0 || std::size_t(trial) >= finding->trials.size() || !m_session) return;
  state().messages().send(
      shell::RunTrial{QString::fromStdString(m_session->identity().path), wordsOf(finding->trials[std::size_t(trial)])});
  emit viewRequested(QStringLiteral("run"));
}

bool InsightsView::focusFilter() {
  if (m_lists->currentWidget() != m_largest) return false;
  m_largest->focusFilter();
  return true;
}

QString InsightsView::selectionText() const {
  if (m_lists->currentWidget() == m_largest) return {};
  const Insight* finding = current();
  return finding ? tr("%1: up to %2").arg(reportText(finding->title), shell::savingText(*finding, format())) : QString();
}

std::vector<std::pair<QString, QString>> InsightsView::keys() const {
  return {{tr("Up, Down"), tr("previous and next finding")}, {tr("Enter"), tr("shows the evidence")}};
}

} // namespace ui::insights
