#include "ui/views/run/run_request.h"

#include "analyser/session/repeat.h"
#include "ui/runs/command_words.h"
#include "ui/runs/field_names.h"
#include "ui/theme/format.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QObject>

#include <algorithm>

namespace ui::run {

// Accepts "--machine bow" and "--machine=bow".
QString RunRequest::option(const QString& name) const {
  for (qsizetype i = 0; i < options.size(); ++i) {
    if (options[i] == name) return options.value(i + 1, QStringLiteral(""));
    if (options[i].startsWith(name + '=')) return options[i].mid(name.size() + 1);
  }
  return {};
}

bool RunRequest::startsProgram() const { return analyser::isProgram(graph.toStdString()); }

QStringList RunRequest::words() const {
  QStringList list{"run", graph};
  const auto add = [&](const QString& name, const QString& value) {
    if (option(name).isNull()) list << name << value;
  };
  const bool simulates = !startsProgram(); // a program chooses IPUs, precision and values itself
  add("--machine", machine);
  // The IPU count belongs to the machine in the field, not to another one.
  if (simulates && ipus > 0 && option("--machine").isNull()) add("--ipus", QString::number(ipus));
  if (!report.isEmpty()) list << "-o" << report;
  list << "--progress"
       << "json";
  if (simulates && !precision.isEmpty()) add("--precision", precision);
  if (simulates && iterations > 0) add("--iterations", QString::number(iterations));
  if (simulates && !numbers && !options.contains("--no-numbers")) list << "--no-numbers";
  for (const auto& [name, value] : {std::pair("--arguments", arguments), {"--environment", environment}, {"--folder", folder}})
    if (!value.isEmpty()) list << QStringLiteral("%1=%2").arg(QLatin1String(name), value);
  for (const auto& [key, value] : parameters) list << "--set" << key + '=' + value;
  return list + options;
}

void RunRequest::dropOption(const QString& name) {
  for (qsizetype at = 0; at < options.size();)
    if (options[at] == name)
      options.remove(at, std::min<qsizetype>(2, options.size() - at));
    else if (options[at].startsWith(name + '='))
      options.removeAt(at);
    else
      ++at;
}

RunRequest RunRequest::withoutOutputs() const {
  RunRequest request = *this;
  request.report.clear();
  for (const QString& name : shell::runOutputs()) request.dropOption(name);
  return request;
}

QString RunRequest::commandLine() const {
  return shell::shellLine(QStringList{QStringLiteral("tilescope-cli")} + words()).remove(QStringLiteral(" --progress json"));
}

namespace {
// "shard layers:1,4,2,1, accumulation 8": each option by the name of its field.
QString optionsInWords(const QStringList& options) {
  QString text;
  for (const QString& word : options)
    text += (text.isEmpty()                          ? QString()
             : word.startsWith(QStringLiteral("--")) ? QStringLiteral(", ")
                                                     : QStringLiteral(" ")) +
            word;
  return shell::withFieldNames(text);
}
} // namespace

QString RunRequest::title() const {
  const QFileInfo file(graph);
  // Model zoos keep every model as model.onnx in a folder with its name.
  QString what = file.fileName() == QStringLiteral("model.onnx") ? file.dir().dirName() : file.fileName();
  if (startsProgram())
    what = QFileInfo(QString::fromStdString(analyser::programFile(graph.toStdString()))).fileName() +
           (arguments.isEmpty() ? QString() : ' ' + arguments);
  const QString other = option("--machine");
  QString text = what + QStringLiteral(" on ") + (!other.isNull() ? other : machineTitle.isEmpty() ? machine : machineTitle);
  if (startsProgram()) {
    for (const auto& [key, value] : parameters) text += QStringLiteral(", %1=%2").arg(key, value);
    if (!environment.isEmpty()) text += QStringLiteral(", ") + environment;
    return options.isEmpty() ? text : text + QStringLiteral(", ") + optionsInWords(options);
  }
  if (ipus > 1 && other.isNull() && option("--ipus").isNull()) text += QStringLiteral(" × %1").arg(ipus);
  if (!precision.isEmpty() && precision != QStringLiteral("fp32") && option("--precision").isNull()) text += ", " + precision;
  if (iterations > 1 && option("--iterations").isNull())
    text += QStringLiteral(", %1").arg(theme::plural(iterations, QObject::tr("iteration"), QObject::tr("iterations")));
  if (numbers && !options.contains(QStringLiteral("--no-numbers"))) text += QObject::tr(", with values");
  for (const auto& [key, value] : parameters) text += QStringLiteral(", %1=%2").arg(key, value);
  if (!options.isEmpty()) text += QStringLiteral(", ") + optionsInWords(options);
  return text;
}

ProgressLine parseProgress(const QByteArray& line) {
  const QJsonObject object = QJsonDocument::fromJson(line).object();
  const QString phase = object.value("phase").toString();
  if (phase.isEmpty()) return {};
  return {phase, qBound(0.0, object.value("fraction").toDouble(), 1.0)};
}

} // namespace ui::run
