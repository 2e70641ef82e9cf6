#include "ui/runs/trial_check.h"

#include "ui/runs/cli_call.h"
#include "ui/runs/dry_run.h"
#include "ui/theme/format.h"
#include "ui/theme/report_text.h"

#include <QJsonDocument>

namespace ui::shell {

namespace {
constexpr int kNice = 10; // runs and the window have priority
}

TrialAnswer trialAnswer(const QJsonDocument& json) {
  const std::optional<DryRun> run = dryRunOf(json);
  if (!run) return {false, {}, {}, QObject::tr("no answer")};
  return {run->fits, run->maxTileWithGapsBytes, run->tileBytes, {}}; // the bytes with gaps decide
}

QString tileText(const TrialAnswer& answer, const theme::Format& format) {
  const QString taken =
      QObject::tr("the fullest tile takes %1 of %2").arg(format.bytes(answer.fullest), format.bytes(answer.memory));
  return answer.fits ? QObject::tr("%1, %2 free").arg(taken, format.bytes(answer.memory - answer.fullest))
                     : QObject::tr("%1, %2 too much").arg(taken, format.bytes(answer.fullest - answer.memory));
}

TrialCheck::TrialCheck(QObject* parent) : QObject(parent) {}

void TrialCheck::start(std::vector<QStringList> runs) {
  forget();
  m_runs = std::move(runs);
  for (QStringList& words : m_runs) {
    words.removeAll(QStringLiteral("--no-numbers")); // a dry run computes no numbers
    if (const qsizetype at = words.indexOf(QStringLiteral("--progress")); at >= 0) words.remove(at, 2);
    words << QStringLiteral("--dry-run") << QStringLiteral("--json") << QStringLiteral("--progress") << QStringLiteral("none");
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
    m_call = new CliCall(
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

} // namespace ui::shell
