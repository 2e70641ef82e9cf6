#include "ui/views/insights/trial_check.h"

#include "ui/runs/cli_call.h"
#include "ui/runs/dry_run.h"
#include "ui/runs/trial_words.h"
#include "ui/theme/report_text.h"

#include <QJsonDocument>

namespace ui::insights {

namespace {
constexpr int kNice = 10; // runs and the window have priority
}

TrialAnswer trialAnswer(const QJsonDocument& json) {
  const std::optional<shell::DryRun> run = shell::dryRunOf(json);
  if (!run) return {false, {}, {}, QObject::tr("no answer")};
  return {run->fits, run->maxTileWithGapsBytes, run->tileBytes, {}}; // what decides
}

TrialCheck::TrialCheck(QObject* parent) : QObject(parent) {}

void TrialCheck::start(const analyser::Session& session, const std::vector<QStringList>& trials) {
  forget();
  for (const QStringList& words : trials) {
    const shell::TrialRun run = shell::trialRun(session, words);
    QStringList arguments = QStringList{"run", run.graph} + run.words();
    arguments.removeAll(QStringLiteral("--no-numbers")); // a dry run has none
    m_runs.push_back(arguments + QStringList{"--dry-run", "--json", "--progress", "none"});
  }
  next();
}

void TrialCheck::stop() {
  delete m_call;
  m_current = -1;
  emit changed();
}

void TrialCheck::forget() {
  m_runs.clear(), m_answers.clear();
  stop();
}

void TrialCheck::recall(std::map<int, TrialAnswer> answers) {
  m_answers = std::move(answers);
  emit changed();
}

void TrialCheck::next() {
  m_current = m_current + 1 < int(m_runs.size()) ? m_current + 1 : -1;
  if (m_current >= 0)
    m_call = new shell::CliCall(
        m_runs[std::size_t(m_current)], [this](const QJsonDocument& json) { answer(trialAnswer(json)); },
        [this](const reports::Error& error) {
          TrialAnswer none;
          none.problem = theme::messageText(error.where().empty() ? error.message() : error.where());
          answer(std::move(none));
        },
        this, kNice);
  emit changed();
}

void TrialCheck::answer(TrialAnswer answer) {
  m_answers[m_current] = std::move(answer);
  next();
}

} // namespace ui::insights
