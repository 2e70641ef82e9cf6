#include "ui/shell/trial_words.h"

#include "analyser/session/session.h"
#include "ui/shell/command_words.h"

#include <QDir>
#include <QFileInfo>

namespace ui::shell {

namespace {

// `value`: of the option; a sample's parameter is replaced by the same parameter only.
bool isDropped(const QString& option, const QString& value, const QStringList& trial) {
  static const QStringList kOfTheCall{"--progress", "--json"};
  if (option.startsWith(QStringLiteral("--fp8-")) && trial.contains(QStringLiteral("--precision"))) return true; // of the old one
  if (option != QStringLiteral("--set")) return isRunOutput(option) || kOfTheCall.contains(option) || trial.contains(option);
  const QString key = value.section('=', 0, 0) + '=';
  for (qsizetype i = 0; i + 1 < trial.size(); ++i)
    if (trial[i] == option && trial[i + 1].startsWith(key)) return true;
  return false;
}

} // namespace

TrialRun trialRun(const QString& commandLine, const QString& workload, const QStringList& trial) {
  TrialRun run;
  const QStringList words = splitShellWords(commandLine).value_or(QStringList());
  const qsizetype start = words.indexOf(QStringLiteral("run"));
  if (start < 0) return run;
  for (qsizetype i = start + 1; i < words.size(); ++i) {
    const QString& word = words[i];
    if (!word.startsWith('-')) {
      if (run.graph.isEmpty()) run.graph = word;
      continue;
    }
    const QString option = word.section('=', 0, 0);
    const bool hasValue = !isRunFlag(option) && !(word.startsWith(QStringLiteral("--")) && word.contains('='));
    const QString value = word.contains('=') && word.startsWith(QStringLiteral("--")) ? word.section('=', 1) : words.value(i + 1);
    if (!isDropped(option, value, trial)) {
      run.options << word;
      if (hasValue && i + 1 < words.size()) run.options << words[i + 1];
    }
    if (hasValue) ++i;
  }
  if (run.graph.isEmpty()) run.graph = workload;
  run.options += trial;
  return run;
}

QString folderOfRun(const analyser::Session& session) {
  const QString folder = QString::fromStdString(session.metadata("working_directory"));
  if (!folder.isEmpty() && QFileInfo(folder).isDir()) return folder;
  return QFileInfo(QString::fromStdString(session.identity().path)).absolutePath();
}

TrialRun withWholeNames(TrialRun run, const QString& folder, bool isModel) {
  const auto whole = [&](const QString& name) {
    const QFileInfo file(QDir(folder), name);
    return file.isFile() ? QDir::cleanPath(file.absoluteFilePath()) : name;
  };
  // A model may be named by its folder.
  const QString inFolder = run.graph + QStringLiteral("/model.onnx");
  if (isModel || run.graph.contains('/') || run.graph.endsWith(QStringLiteral(".onnx")))
    run.graph = QFileInfo(QDir(folder), inFolder).isFile() ? whole(inFolder) : whole(run.graph);
  for (qsizetype i = 0; i < run.options.size(); ++i) {
    const QString option = run.options[i].section('=', 0, 0);
    if (option != QStringLiteral("--tags") && option != QStringLiteral("--input")) continue;
    const bool inOneWord = run.options[i].contains('=');
    if (!inOneWord && ++i == run.options.size()) break;
    // "--tags=FILE", "FILE", "--input=NAME=FILE" or "NAME=FILE": the names of files may have a "=" of their own.
    qsizetype before = inOneWord ? run.options[i].indexOf('=') + 1 : 0;
    if (option == QStringLiteral("--input")) before = run.options[i].indexOf('=', before) + 1;
    run.options[i] = run.options[i].left(before) + whole(run.options[i].mid(before));
  }
  return run;
}

namespace {
bool ranAModelFile(const analyser::Session& session) { return !session.metadata("model.ir_version").empty(); }
} // namespace

TrialRun trialRun(const analyser::Session& session, const QStringList& trial) {
  return withWholeNames(trialRun(QString::fromStdString(session.metadata("command_line")),
                                 QString::fromStdString(session.metadata("workload")), trial),
                        folderOfRun(session), ranAModelFile(session));
}

QString trialRequest(const analyser::Session& session, const QStringList& trial) {
  const TrialRun run = trialRun(session, trial);
  return run.graph.isEmpty() ? QString() : (QStringList{run.graph} + run.options).join('\n');
}

} // namespace ui::shell
