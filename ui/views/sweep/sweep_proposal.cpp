#include "ui/views/sweep/sweep_proposal.h"

#include "analyser/session/repeat.h"
#include "analyser/trials/trials.h"
#include "ui/runs/trial_words.h"

#include <QDir>
#include <QFileInfo>
#include <QList>

#include <algorithm>

namespace ui::sweep {

namespace {

// A setting to vary: the option of `run` that sets it, as words for trialRun(), and the line of values to try.
struct Varied {
  QStringList option;
  QString line;
};

Varied variedBatch(qint64 batch) {
  return {{"--set", QStringLiteral("batch=%1").arg(batch)},
          QStringLiteral("batch = %1, %2, %3").arg(batch).arg(2 * batch).arg(4 * batch)};
}

// One IPU of each generation can run all graphs; a pod has no comparable machine.
Varied variedMachine(const QString& machine) {
  static const QStringList kSingle{"", "gc200", "bow", "gc2"};
  if (kSingle.contains(machine)) return {{"--machine", ""}, QStringLiteral("--machine = gc200, bow")};
  return {{"--available-memory", ""}, QStringLiteral("--available-memory = 0.6, %1").arg(analyser::trials::kLessRoom)};
}

} // namespace

std::optional<Proposal> proposalFor(const std::function<std::string(const std::string&)>& metadata, const QString& folder) {
  const auto says = [&](const char* key) { return QString::fromStdString(metadata(key)); };
  const QString line = says("command_line"), workload = says("workload");
  shell::TrialRun run = shell::trialRun(line, workload, {});
  if (run.graph.isEmpty()) return std::nullopt;
  std::vector<Varied> varied;
  if (const qint64 batch = says("parameter.batch").toLongLong(); batch > 0) varied.push_back(variedBatch(batch));
  // Networks compute in the precision of the run; other samples have their own type, or only fp32.
  if (!says("batch_size").isEmpty() && says("parameter.type").isEmpty())
    varied.push_back({{"--precision", ""}, QStringLiteral("--precision = fp32, fp16")});
  const bool isProgram = analyser::isProgram(run.graph.toStdString());
  if (isProgram) varied = {{{"--machine", ""}, QStringLiteral("--machine = gc200, bow")}};
  if (varied.empty()) {
    const qsizetype at = run.options.indexOf(QStringLiteral("--machine"));
    varied.push_back(variedMachine(at < 0 ? QString() : run.options.value(at + 1)));
  }
  QStringList trial, lines;
  for (const Varied& v : varied) trial += v.option, lines += v.line;
  run = shell::withWholeNames(shell::trialRun(line, workload, trial), folder, !says("model.ir_version").isEmpty());
  Proposal p{run.graph, run.options.mid(0, run.options.size() - trial.size()), lines.join('\n')};
  if (isProgram) return p;
  if (!p.arguments.contains(QStringLiteral("--no-numbers"))) p.arguments.prepend(QStringLiteral("--no-numbers"));
  if (analyser::readsGraph(p.graph.toStdString())) p.graph = QDir::cleanPath(QFileInfo(QDir(folder), p.graph).absoluteFilePath());
  return p;
}

} // namespace ui::sweep
