#include "ui/runs/own_files.h"

#include "analyser/session/repeat.h"
#include "ui/runs/command_words.h"
#include "ui/state/settings.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <string>
#include <vector>

namespace ui::shell {

namespace {

constexpr qsizetype kMostFiles = 1000; // remembered files; if there are more, the oldest need a new confirmation
const QString kKey = QStringLiteral("run/ownFiles");

bool isEntryOfProgram(const QString& file) {
  return analyser::isProgram(splitShellWords(file).value_or(QStringList()).value(0).toStdString());
}

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

QString programEntry(const QString& graph, const QStringList& options) {
  QStringList words{graph};
  for (const QString& option : options) {
    const auto* known = analyser::repeatableOption(option.section('=', 0, 0).toStdString());
    if (known && known->kind == analyser::ValueKind::Text) words << option;
  }
  for (qsizetype i = 0; i + 1 < options.size(); ++i)
    if (options[i] == QStringLiteral("--set") || options[i] == QStringLiteral("--engine-option"))
      words << options[i] << options[i + 1];
  return shellLine(words);
}

QString ownFilesQuestion(const QStringList& files) {
  QStringList programs, read;
  for (const QString& file : files) (isEntryOfProgram(file) ? programs : read) << file;
  QStringList sentences;
  if (!programs.isEmpty())
    sentences << QCoreApplication::translate("run",
                                             "The run starts a program that the report names, with all of your permissions: %1.")
                     .arg(programs.join(QStringLiteral(", ")));
  if (!read.isEmpty())
    sentences << QCoreApplication::translate("run", "The run reads files that the report names: %1.")
                     .arg(read.join(QStringLiteral(", ")));
  return sentences.join(' ');
}

QStringList filesRead(const QString& graph, const QStringList& options) {
  std::vector<std::string> words;
  for (const QString& option : options) words.push_back(option.toStdString());
  const std::vector<std::string> reading = analyser::repeatOfWords(words).reading;
  QStringList files;
  if (analyser::readsGraph(graph.toStdString()) && !analyser::isProgram(graph.toStdString())) files << graph;
  for (std::size_t i = 0; i + 1 < reading.size(); i += 2)
    files << QString::fromStdString(analyser::fileOf(reading[i], reading[i + 1]));
  for (QString& file : files) file = QFileInfo(file).absoluteFilePath();
  if (analyser::isProgram(graph.toStdString())) files << programEntry(graph, options);
  return files;
}

} // namespace ui::shell
