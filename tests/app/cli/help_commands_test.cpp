// Every command that README and the help print is one that the program takes: its name, options, values, sample and parameters.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <algorithm>
#include <functional>

using app::cli::CommandWords;
using app::cli::OptionWords;
using tests::cli;

namespace {

struct Printed {
  QString page;
  QStringList words; // after "tilescope-cli"
  std::string where() const { return (page + ": tilescope-cli " + words.join(' ')).toStdString(); }
};

QString textOfPage(const QString& file) {
  QFile page(file);
  return page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll()) : QString();
}

// As a shell splits a line, up to a comment, a pipe, a redirection or the next command.
QStringList wordsOf(const QString& line) {
  QStringList words;
  QString word;
  bool isWord = false;
  QChar quote;
  for (const QChar c : line) {
    if (!quote.isNull()) {
      c == quote ? void(quote = QChar()) : void(word += c);
    } else if (c == '\'' || c == '"') {
      quote = c, isWord = true;
    } else if (c.isSpace() || QStringLiteral("|;)&").contains(c)) {
      if (isWord) words << word;
      word.clear(), isWord = false;
      if (!c.isSpace()) break;
    } else if (!isWord && QStringLiteral("#>").contains(c)) {
      break;
    } else {
      word += c, isWord = true;
    }
  }
  if (isWord) words << word;
  return words;
}

// Commands at the beginning of a line of code, and in a code span.
std::vector<Printed> commandsOf(const QString& file) {
  static const QRegularExpression line("^(?: *\\$ )? *(?:build/bin/)?tilescope-cli (.+)$", QRegularExpression::MultilineOption),
      span("`(?:build/bin/)?tilescope-cli ([^`]+)`");
  const QString text = textOfPage(file).replace(QRegularExpression(" *\\\\\n *"), QStringLiteral(" "));
  std::vector<Printed> found;
  for (const QRegularExpression* pattern : {&line, &span})
    for (auto match = pattern->globalMatch(text); match.hasNext();)
      found.push_back({QFileInfo(file).fileName(), wordsOf(match.next().captured(1))});
  return found;
}

QStringList pages() {
  const QDir help(QStringLiteral(TILESCOPE_SOURCE_DIR "/resources/docs/help"));
  QStringList files{QStringLiteral(TILESCOPE_SOURCE_DIR "/README.md")};
  for (const QString& page : help.entryList({"*.md", "*.yml"}, QDir::Files)) files << help.filePath(page);
  return files;
}

std::vector<Printed> allCommands() {
  std::vector<Printed> all;
  for (const QString& file : pages())
    for (Printed& printed : commandsOf(file)) all.push_back(std::move(printed));
  return all;
}

// FILE, NAME, …: the reader puts his own there.
bool isPlaceholder(const QString& word) {
  static const QRegularExpression capitals("^[A-Z_]+$");
  return word.contains(QChar(0x2026)) || capitals.match(word).hasMatch();
}

const CommandWords* named(const std::vector<CommandWords>& commands, const QString& name) {
  const auto it = std::find_if(commands.begin(), commands.end(), [&](const auto& c) { return c.name == name.toStdString(); });
  return it == commands.end() ? nullptr : &*it;
}

const OptionWords* optionOf(const CommandWords& command, const QString& name) {
  for (const OptionWords& option : command.options)
    if (std::find(option.names.begin(), option.names.end(), name.toStdString()) != option.names.end()) return &option;
  return nullptr;
}

// The parameters of a sample; empty for other graphs.
QSet<QString> parametersOf(const QString& graph) {
  QSet<QString> names;
  const auto ran = cli({"samples", graph.toStdString(), "--json"});
  if (ran.code != 0) return names;
  const QJsonObject sample = QJsonDocument::fromJson(QByteArray::fromStdString(ran.out)).object();
  for (const auto& parameter : sample["parameters"].toArray()) names << parameter.toObject()["name"].toString();
  return names << QStringLiteral("variant");
}

bool isFile(const QString& graph) {
  return graph.contains('.') || graph.contains('/') || graph.contains(':') || graph.contains('$');
}

} // namespace

class HelpCommandsTest : public QObject {
  Q_OBJECT

  const std::vector<CommandWords> m_commands = app::cli::commandWords().commands;

private slots:
  void commandsAndOptionsExist() {
    int options = 0;
    const auto all = allCommands();
    for (const Printed& printed : all) {
      QStringList words = printed.words;
      const std::string where = printed.where();
      if (words.isEmpty() || words.front().startsWith("--") || isPlaceholder(words.front())) continue;
      const CommandWords* command = named(m_commands, words.takeFirst());
      QVERIFY2(command, where.c_str());
      if (!command->commands.empty() && !words.isEmpty()) {
        command = named(command->commands, words.takeFirst());
        QVERIFY2(command, where.c_str());
      }
      for (qsizetype i = 0; i < words.size(); ++i) {
        if (!words[i].startsWith('-') || words[i].size() < 2 || words[i][1].isDigit()) continue;
        const QString name = words[i].section('=', 0, 0);
        const OptionWords* option = optionOf(*command, name);
        QVERIFY2(option, (where + ": no option " + name.toStdString()).c_str());
        ++options;
        if (!option->takesValue) continue;
        const bool isBehind = words[i].contains('=');
        const QString value = isBehind ? words[i].section('=', 1) : words.value(++i);
        QVERIFY2(!value.isEmpty() && !value.startsWith("--"), (where + ": no value of " + name.toStdString()).c_str());
        if (option->choices.empty() || isPlaceholder(value)) continue;
        for (const QString& part : value.split(','))
          QVERIFY2(std::find(option->choices.begin(), option->choices.end(), part.toStdString()) != option->choices.end(),
                   (where + ": " + part.toStdString()).c_str());
      }
    }
    QVERIFY(all.size() > 90 && options > 90);
  }

  // Options in a code span belong to some command, or to another program.
  void optionsInTheTextExist() {
    QSet<QString> known{
        // tilescope and tilescope-popc; ./dev, the tests and their bench; CMake and flatpak-builder; gc-info; Graphcore's compiler
        "--at",        "--gallery",    "--follow",   "--new-instance",     "--theme",     "--size", "--view",    "--every-tab",
        "--emit-llvm", "--no-install", "--class",    "--benchmark_filter", "--build",     "--user", "--install", "--help",
        "--version",   "--ipu-count",  "--ipu-arch", "--tile-clock-speed", "--fp8_params"};
    const std::function<void(const CommandWords&)> add = [&](const CommandWords& command) {
      for (const OptionWords& option : command.options)
        for (const std::string& name : option.names) known << QString::fromStdString(name);
      for (const CommandWords& below : command.commands) add(below);
    };
    for (const CommandWords& command : m_commands) add(command);
    static const QRegularExpression span("`([^`\n]+)`"), option("(?:^|\\s)(--[a-z][a-z0-9_-]*)");
    int found = 0;
    for (const QString& file : pages()) {
      if (!file.endsWith(".md")) continue;
      for (auto match = span.globalMatch(textOfPage(file)); match.hasNext();) {
        const QString code = match.next().captured(1);
        for (auto name = option.globalMatch(code); name.hasNext(); ++found) {
          const QString word = name.next().captured(1);
          QVERIFY2(known.contains(word), qPrintable(QFileInfo(file).fileName() + ": " + code));
        }
      }
    }
    QVERIFY(found > 100);
  }

  // Of every command, and of those below it.
  void helpFitsTheTerminal() {
    int seen = 0;
    const std::function<void(std::vector<std::string>, const CommandWords&)> look = [&](std::vector<std::string> words,
                                                                                        const CommandWords& command) {
      words.push_back(command.name);
      for (const CommandWords& below : command.commands) look(words, below);
      words.push_back("--help");
      for (const QString& line : QString::fromStdString(cli(words).out).split('\n'))
        QVERIFY2(line.size() <= 100, qPrintable(QString::fromStdString(command.name) + ": " + line));
      ++seen;
    };
    for (const CommandWords& command : m_commands) look({}, command);
    QVERIFY(seen > 20);
    const std::string formats = cli({"import", "--help"}).out;
    QVERIFY(formats.find("perfetto,ftrace") != std::string::npos || formats.find("perfetto,\n") != std::string::npos);
  }

  void samplesHaveTheParameters() {
    int parameters = 0;
    for (const Printed& printed : allCommands()) {
      if (printed.words.size() < 2 || (printed.words[0] != "run" && printed.words[0] != "fit")) continue;
      const QString graph = printed.words[1];
      if (isPlaceholder(graph) || isFile(graph) || graph.startsWith('-')) continue;
      const QSet<QString> known = parametersOf(graph);
      QVERIFY2(!known.isEmpty(), printed.where().c_str());
      for (qsizetype i = 2; i + 1 < printed.words.size(); ++i)
        if (printed.words[i] == "--set" && !isPlaceholder(printed.words[i + 1])) {
          const QString name = printed.words[i + 1].section('=', 0, 0);
          QVERIFY2(isPlaceholder(name) || known.contains(name), (printed.where() + ": " + name.toStdString()).c_str());
          ++parameters;
        }
    }
    QVERIFY(parameters >= 10);
  }

  void budgetsNameFigures() {
    const std::string keys = cli({"summary", "--help"}).out + cli({"compare", "--help"}).out;
    int budgets = 0;
    for (const Printed& printed : allCommands())
      for (qsizetype i = 0; i + 1 < printed.words.size(); ++i)
        if (printed.words[i] == "--fail-if" && !printed.words[i + 1].startsWith("op(")) {
          const QString key = printed.words[i + 1].section(QRegularExpression("[<>]"), 0, 0);
          QVERIFY2(keys.find(key.toStdString()) != std::string::npos, printed.where().c_str());
          ++budgets;
        }
    QVERIFY(budgets >= 6);
  }

  void queriesRun() {
    const tests::TemporaryFolder folder;
    const std::string report = (folder / "hello.tsr").string();
    QCOMPARE(cli({"run", "hello-tiles", "-o", report}).code, 0);
    int queries = 0;
    for (const Printed& printed : allCommands()) {
      if (printed.words.size() < 3 || printed.words[0] != "query" || isPlaceholder(printed.words[2])) continue;
      const auto ran = cli({"query", report, printed.words[2].toStdString()});
      QVERIFY2(ran.code == 0, (printed.where() + ": " + ran.err).c_str());
      ++queries;
    }
    QVERIFY(queries >= 2);
  }

  void variablesOfTheEnvironmentAreListed() {
    static const QRegularExpression variable("\"((?:TILESCOPE|POPLAR|PVTI)_[A-Z_]+)\"");
    const QString root = QStringLiteral(TILESCOPE_SOURCE_DIR "/"), page = textOfPage(root + "resources/docs/help/files.md");
    QSet<QString> found;
    for (const char* folder : {"app", "reports", "simcore", "ui"})
      for (QDirIterator files(root + folder, {"*.cpp", "*.h", "*.py"}, QDir::Files, QDirIterator::Subdirectories);
           files.hasNext();)
        for (auto match = variable.globalMatch(textOfPage(files.next())); match.hasNext();) found << match.next().captured(1);
    QVERIFY(found.size() >= 10);
    for (const QString& name : found) QVERIFY2(page.contains('`' + name + '`'), qPrintable(name));
  }

  // The manual's own links are in manual_test.cpp.
  void linksOfTheReadmeLead() {
    static const QRegularExpression link("\\]\\(([^)#]+)(?:#([^)]+))?\\)"), notLetters("[^a-z0-9]");
    const QString root = QStringLiteral(TILESCOPE_SOURCE_DIR "/");
    int links = 0;
    for (auto match = link.globalMatch(textOfPage(root + "README.md")); match.hasNext(); ++links) {
      const auto found = match.next();
      const QString file = found.captured(1);
      if (file.contains("://")) continue;
      QVERIFY2(QFileInfo::exists(root + file), qPrintable(file));
      if (found.captured(2).isEmpty()) continue;
      bool isThere = false;
      for (const QString& line : textOfPage(root + file).split('\n'))
        isThere |= line.startsWith('#') && line.toLower().remove(notLetters) == found.captured(2).remove(notLetters);
      QVERIFY2(isThere, qPrintable(found.captured()));
    }
    QVERIFY(links > 20);
  }
};

TILESCOPE_TEST(HelpCommandsTest)
#include "help_commands_test.moc"
