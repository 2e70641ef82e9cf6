#include "ui/shell/command_words.h"

#include <QRegularExpression>

namespace ui::shell {

std::optional<QStringList> splitShellWords(const QString& line) {
  QStringList words;
  QString word;
  bool open = false;
  QChar quote;
  for (qsizetype i = 0; i < line.size(); ++i) {
    const QChar c = line[i];
    if (!quote.isNull()) {
      if (c == quote)
        quote = {};
      else if (c == '\\' && quote == '"' && i + 1 < line.size())
        word += line[++i];
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c, open = true;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i], open = true;
    } else if (c.isSpace()) {
      if (open || !word.isEmpty()) words.append(word);
      word.clear(), open = false;
    } else {
      word += c;
    }
  }
  if (!quote.isNull()) return std::nullopt;
  if (open || !word.isEmpty()) words.append(word);
  return words;
}

QString shellLine(const QStringList& words) {
  static const QRegularExpression kPlain(QStringLiteral("^[\\w@%+=:,./-]+$"));
  QStringList quoted;
  for (QString word : words)
    quoted << (kPlain.match(word).hasMatch() ? word : '\'' + word.replace('\'', QStringLiteral("'\\''")) + '\'');
  return quoted.join(' ');
}

QString fieldLine(const QStringList& words) {
  QStringList quoted;
  for (QString word : words)
    quoted << (word.contains(' ') || word.isEmpty() ? '"' + word.replace('"', QStringLiteral("\"\"\"")) + '"' : word);
  return quoted.join(' ');
}

bool isRunFlag(const QString& option) {
  static const QStringList kFlags{"--no-numbers",       "--json",       "--force",       "--dry-run",
                                  "--vertex-by-vertex", "--no-outline", "--shard-state", "--half-sums",
                                  "--half-state",       "--train",      "--unit-scaling"};
  return kFlags.contains(option);
}

bool isRunOutput(const QString& option) {
  static const QStringList kOutputs{"-o", "--report", "--outputs", "--save-model"};
  return kOutputs.contains(option);
}

} // namespace ui::shell
