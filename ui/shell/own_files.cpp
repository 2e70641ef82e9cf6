#include "ui/shell/own_files.h"

#include "ui/shell/settings.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>

namespace ui::shell {

namespace {

constexpr qsizetype kMostFiles = 1000; // remembered; of more the oldest are asked for again
const QString kKey = QStringLiteral("run/ownFiles");

} // namespace

bool areOwnFiles(const Settings& settings, const QStringList& files) {
  const QStringList own = settings.value(kKey).toStringList();
  return std::all_of(files.begin(), files.end(), [&](const QString& file) { return own.contains(file); });
}

void addOwnFiles(Settings& settings, const QStringList& files) {
  if (areOwnFiles(settings, files)) return;
  QStringList own = settings.value(kKey).toStringList();
  for (const QString& file : files) own.removeAll(file), own.append(file);
  if (own.size() > kMostFiles) own.remove(0, own.size() - kMostFiles);
  settings.setValue(kKey, own);
}

QString ownFilesQuestion(const QStringList& files) {
  return QCoreApplication::translate("run", "The report names files that its run reads: %1.")
      .arg(files.join(QStringLiteral(", ")));
}

QStringList filesRead(const QString& graph, const QStringList& options) {
  QStringList files;
  if (graph.contains('/') || graph.endsWith(QStringLiteral(".onnx"))) files << graph;
  for (qsizetype i = 0; i < options.size(); ++i) {
    const qsizetype equals = options[i].indexOf('=');
    const QString option = options[i].left(equals);
    if (option != QStringLiteral("--tags") && option != QStringLiteral("--input")) continue;
    const QString value = equals >= 0 ? options[i].mid(equals + 1) : options.value(++i);
    files << (option == QStringLiteral("--input") ? value.section('=', 1) : value);
  }
  for (QString& file : files) file = QFileInfo(file).absoluteFilePath();
  return files;
}

} // namespace ui::shell
