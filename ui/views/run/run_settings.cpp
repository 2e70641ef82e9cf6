#include "ui/views/run/run_settings.h"

#include "analyser/session/repeat.h"
#include "ui/runs/command_words.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace ui::run {

namespace {

// Splits "--name=value" into two words; flags stay unchanged.
QStringList separated(const QStringList& words) {
  QStringList list;
  for (const QString& word : words) {
    const qsizetype equals = word.startsWith("--") ? word.indexOf('=') : -1;
    if (equals < 0)
      list.append(word);
    else
      list << word.left(equals) << word.mid(equals + 1);
  }
  return list;
}

// Moves one option with a value into the request; false if the form has no field for it.
bool takeOption(RunRequest& r, const QString& name, const QString& value) {
  if (name == "--machine") return r.machine = value, true;
  if (name == "--ipus") return r.ipus = value.toInt(), true;
  if (name == "--precision") return r.precision = value, true;
  if (name == "--iterations") return r.iterations = std::max(1, value.toInt()), true;
  if (name == "--arguments") return r.arguments = value, true;
  if (name == "--environment") return r.environment = value, true;
  if (name == "--folder") return r.folder = value, true;
  if (shell::isRunOutput(name) || name == "--progress") return true;
  if (name != "--set") return false;
  r.parameters.append({value.section('=', 0, 0), value.section('=', 1)});
  return true;
}

} // namespace

std::optional<RunRequest> requestFromCommandLine(const QString& line, const QString& folder) {
  const auto split = shell::splitShellWords(line);
  if (!split || split->size() < 3 || split->at(1) != QStringLiteral("run")) return std::nullopt;
  return requestFromWords(split->mid(2), folder);
}

std::optional<RunRequest> requestFromWords(const QStringList& list, const QString& folder) {
  const QStringList words = separated(list);
  RunRequest r;
  r.machine = QStringLiteral("gc200"), r.ipus = 0, r.precision = QStringLiteral("fp32"); // the defaults of `run`
  for (qsizetype i = 0; i < words.size(); ++i) {
    const QString& word = words[i];
    if (!word.startsWith('-')) {
      if (r.graph.isEmpty()) r.graph = word;
    } else if (word == QStringLiteral("--no-numbers")) {
      r.numbers = false;
    } else if (shell::isRunFlag(word)) {
      if (word != QStringLiteral("--json") && word != QStringLiteral("--dry-run")) r.options.append(word);
    } else if (i + 1 < words.size()) {
      const QString& value = words[++i];
      if (!takeOption(r, word, value)) r.options << word << value;
    }
  }
  if (r.graph.isEmpty()) return std::nullopt;
  const std::string graph = r.graph.toStdString();
  const auto whole = [&](const QString& file) { return QDir::cleanPath(QFileInfo(QDir(folder), file).absoluteFilePath()); };
  if (analyser::isProgram(graph))
    r.graph = QStringLiteral("program:") + whole(QString::fromStdString(analyser::programFile(graph)));
  else if (analyser::readsGraph(graph))
    r.graph = whole(r.graph);
  return r;
}

RunRequest RunRequest::with(const QStringList& change) const {
  RunRequest request = *this;
  for (const QString& word : change)
    if (word.startsWith(QStringLiteral("--"))) request.dropOption(word);
  if (change.contains(QStringLiteral("--precision"))) // fp8 options belong to the previous precision
    for (const QString& name : QStringList(options))
      if (name.startsWith(QStringLiteral("--fp8-"))) request.dropOption(name.section('=', 0, 0));
  for (qsizetype i = 0; i + 1 < change.size(); ++i)
    if (change[i] == QStringLiteral("--set"))
      request.parameters.removeIf([&](const auto& p) { return p.first == change[i + 1].section('=', 0, 0); });
  return requestFromWords(request.words().mid(1) + change, {}).value_or(*this);
}

} // namespace ui::run
