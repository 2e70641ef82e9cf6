#include "ui/runs/command_words.h"

#include "analyser/session/shell_line.h"

namespace ui::shell {

std::optional<QStringList> splitShellWords(const QString& line) {
  bool isOpen = false;
  QStringList words;
  for (const std::string& word : analyser::shellWords(line.toStdString(), &isOpen)) words << QString::fromStdString(word);
  if (isOpen) return std::nullopt;
  return words;
}

QString shellLine(const QStringList& words) {
  std::vector<std::string> list;
  for (const QString& word : words) list.push_back(word.toStdString());
  return QString::fromStdString(analyser::shellLine(list));
}

bool isRunFlag(const QString& option) {
  static const QStringList kFlags{"--no-numbers",       "--json",       "--force",        "--dry-run",
                                  "--vertex-by-vertex", "--no-outline", "--shard-state",  "--half-sums",
                                  "--half-state",       "--train",      "--unit-scaling", "--no-follow"};
  return kFlags.contains(option);
}

const QStringList& runOutputs() {
  static const QStringList kOutputs{"-o", "--report", "--outputs", "--save-model"};
  return kOutputs;
}

} // namespace ui::shell
