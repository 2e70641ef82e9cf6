#include "ui/runs/trial_words.h"

#include "analyser/session/repeat.h"
#include "analyser/session/session.h"
#include "reports/core/text.h"
#include "ui/runs/command_words.h"
#include "ui/runs/own_files.h"

#include <QDir>
#include <QFileInfo>

#include <functional>

namespace ui::shell {

namespace {

// Whether the trial replaces an option with this value. A parameter of a sample ("--set") is replaced only by the same parameter,
// and options of the old precision ("--fp8-…") by a new precision.
bool isReplaced(const QString& option, const QString& value, const QStringList& trial) {
  if (option.startsWith(QStringLiteral("--fp8-")) && trial.contains(QStringLiteral("--precision"))) return true;
  if (option != QStringLiteral("--set")) return trial.contains(option);
  const QString key = value.section('=', 0, 0) + '=';
  for (qsizetype i = 0; i + 1 < trial.size(); ++i)
    if (trial[i] == option && trial[i + 1].startsWith(key)) return true;
  return false;
}

QStringList kept(const std::vector<std::string>& words, const QStringList& trial) {
  QStringList list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const QString option = QString::fromStdString(words[i]);
    const auto* known = analyser::repeatableOption(words[i]);
    const bool hasValue = known && known->kind != analyser::ValueKind::None; // "--name=value" is one word
    const QString value = hasValue ? QString::fromStdString(words[++i]) : QString();
    if (isReplaced(option, value, trial)) continue;
    list << option;
    if (hasValue) list << value;
  }
  return list;
}

// Whether the option belongs to one call only, so that another run must not repeat it.
bool isOfTheCall(const QString& option) {
  static const QStringList names{"-o", "--report", "--json", "--progress", "--force", "--help", "--dry-run"};
  return names.contains(option);
}

} // namespace

TrialRun trialRun(const QString& commandLine, const QString& workload, const QStringList& trial) {
  const analyser::Repeat repeat = analyser::repeatOf(commandLine.toStdString(), workload.toStdString());
  QStringList left;
  for (const std::string& name : repeat.left)
    if (const QString option = QString::fromStdString(reports::displayText(name, 60));
        !isOfTheCall(option) && !left.contains(option))
      left << option;
  return {QString::fromStdString(repeat.graph), kept(repeat.options, trial) + trial, kept(repeat.reading, trial), left, {}};
}

QString folderOfRun(const analyser::Session& session) {
  const QString folder = QString::fromStdString(session.metadata("working_directory"));
  if (!folder.isEmpty() && QFileInfo(folder).isDir()) return folder;
  return QFileInfo(QString::fromStdString(session.identity().path)).absolutePath();
}

namespace {
TrialRun withWholeInputs(TrialRun run, const std::function<QString(const QString&)>& whole) {
  for (qsizetype i = 0; i + 1 < run.reading.size(); i += 2) {
    QString& value = run.reading[i + 1]; // "FILE" or "NAME=FILE"
    const QString file = QString::fromStdString(analyser::fileOf(run.reading[i].toStdString(), value.toStdString()));
    run.files << whole(file);
    value = value.chopped(file.size()) + run.files.back();
  }
  return run;
}
} // namespace

TrialRun withWholeNames(TrialRun run, const QString& folder, bool isModel) {
  const auto whole = [&](const QString& name) {
    const QFileInfo file(QDir(folder), name);
    return file.isFile() ? file.canonicalFilePath() : name; // the user sees the target of a link
  };
  if (analyser::isProgram(run.graph.toStdString())) {
    run.graph = QStringLiteral("program:") + whole(QString::fromStdString(analyser::programFile(run.graph.toStdString())));
    run.files << programEntry(run.graph, run.options);
    return withWholeInputs(std::move(run), whole);
  }
  // A model may be given by its folder.
  const QString inFolder = run.graph + QStringLiteral("/model.onnx");
  if (isModel || analyser::readsGraph(run.graph.toStdString())) {
    run.graph = QFileInfo(QDir(folder), inFolder).isFile() ? whole(inFolder) : whole(run.graph);
    run.files << run.graph;
  }
  return withWholeInputs(std::move(run), whole);
}

namespace {
bool ranAModelFile(const analyser::Session& session) { return !session.metadata("model.ir_version").empty(); }
} // namespace

TrialRun trialRun(const analyser::Session& session, const QStringList& trial) {
  return withWholeNames(trialRun(QString::fromStdString(session.metadata("command_line")),
                                 QString::fromStdString(session.metadata("workload")), trial),
                        folderOfRun(session), ranAModelFile(session));
}

QString trialLine(const analyser::Session& session, const QStringList& trial) {
  const TrialRun run = trialRun(session, trial);
  return shellLine(QStringList{QStringLiteral("tilescope-cli"), QStringLiteral("run"), run.graph} + run.words());
}

QString inLines(const QString& title) {
  constexpr qsizetype kButtonLine = 52; // letters
  QString lines;
  qsizetype length = 0;
  for (const QString& part : title.split(QStringLiteral(", "))) {
    const bool isFirst = lines.isEmpty(), breaks = !isFirst && length + part.size() > kButtonLine;
    lines += (isFirst ? QString() : breaks ? QStringLiteral(",\n") : QStringLiteral(", ")) + part;
    length = (breaks || isFirst ? 0 : length + 2) + part.size();
  }
  return lines;
}

bool canRunAgain(const analyser::Session& session) { return !trialRun(session, {}).graph.isEmpty(); }

} // namespace ui::shell
