#include "ui/views/run/run_request.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

namespace ui::run {

QStringList RunRequest::arguments() const {
  QStringList list{"run", graph, "--machine", machine, "--ipus", QString::number(ipus), "-o", report, "--progress", "json"};
  if (!precision.isEmpty()) list << "--precision" << precision;
  if (iterations > 0) list << "--iterations" << QString::number(iterations);
  if (!numbers) list << "--no-numbers";
  for (const auto& [key, value] : parameters) list << "--set" << key + '=' + value;
  return list + options;
}

QString RunRequest::commandLine() const {
  static const QRegularExpression kPlain(QStringLiteral("^[\\w@%+=:,./-]+$"));
  QStringList words{QStringLiteral("tilescope-cli")};
  for (QString word : arguments()) {
    if (!kPlain.match(word).hasMatch()) word = '\'' + word.replace('\'', QStringLiteral("'\\''")) + '\'';
    words.append(word);
  }
  return words.join(' ').remove(QStringLiteral(" --progress json"));
}

QString RunRequest::title() const {
  QString text = QFileInfo(graph).fileName() + QStringLiteral(" on ") + machine;
  if (ipus > 1) text += QStringLiteral(" × %1").arg(ipus);
  for (const auto& [key, value] : parameters) text += QStringLiteral(", %1=%2").arg(key, value);
  if (!options.isEmpty()) text += QStringLiteral(", ") + options.join(' ');
  return text;
}

ProgressLine parseProgress(const QByteArray& line) {
  const QJsonObject object = QJsonDocument::fromJson(line).object();
  const QString phase = object.value("phase").toString();
  if (phase.isEmpty()) return {};
  return {phase, qBound(0.0, object.value("fraction").toDouble(), 1.0)};
}

} // namespace ui::run
