// The Run page has a field for every option of `tilescope-cli run`, with the same default.
#include "app/cli/options.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/support/test_main.h"
#include "ui/runs/command_words.h"
#include "ui/runs/run_options.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include <map>
#include <set>

using namespace ui::shell;

class RunFieldsTest : public QObject {
  Q_OBJECT

  // Options in the help, with their defaults where it prints one.
  static QMap<QString, QString> optionsInHelp() {
    // "  -o,--name TYPE…=default  meaning"; the meaning may be on the next line.
    static const QRegularExpression line(
        QStringLiteral("^  (?:-\\w,)?(?:--[a-z0-9-]+,)?--([a-z0-9-]+)(?: \\S.*?[\\]}A-Z]=([\\w.-]+)(?:  .*)?)?.*$"),
        QRegularExpression::MultilineOption);
    QMap<QString, QString> options;
    const QString help = QString::fromStdString(tests::cli({"run", "--help"}).out);
    for (auto it = line.globalMatch(help); it.hasNext();) {
      const auto match = it.next();
      options[match.captured(1)] = match.captured(2);
    }
    return options;
  }
  static QMap<QString, QString> fields() {
    QMap<QString, QString> all;
    for (const OptionGroup group : kOptionGroups)
      for (const QJsonValue value : optionParameters(group)) all[value["name"].toString()] = value["default"].toString();
    return all;
  }

private slots:
  void everyOptionHasAField() {
    const QStringList inForm = fields().keys();
    QStringList missing = optionsInHelp().keys();
    QVERIFY(missing.size() > inForm.size());
    missing.removeIf([&](const QString& name) { return inForm.contains(name); });
    // The form has special parts for these options, or the page sets them itself.
    for (const char* own : {"machine", "ipus", "precision", "iterations", "set", "no-numbers", "report", // the fields above
                            "arguments", "environment", "folder",                                        // of a program
                            "dry-run", "json", "progress", "help",          // "Before the run", progress
                            "force", "outputs", "save-model", "no-follow"}) // "More options": about files
      QVERIFY2(missing.removeAll(own) == 1, own);
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(' ')));
  }
  void everyFieldIsAnOption() {
    const auto options = optionsInHelp();
    for (const QString& name : fields().keys()) QVERIFY2(options.contains(name), qPrintable(name));
  }
  void defaultsAreTheSame() {
    const auto options = optionsInHelp(), all = fields();
    int compared = 0;
    for (auto it = all.begin(); it != all.end(); ++it) {
      const QString inHelp = options.value(it.key());
      if (inHelp.isEmpty()) continue;
      // An empty field leaves the choice to the program.
      if (it.value().isEmpty()) continue;
      QVERIFY2(it.value() == inHelp, qPrintable(QStringLiteral("%1: %2 against %3").arg(it.key(), it.value(), inHelp)));
      ++compared;
    }
    QVERIFY2(compared >= 4, qPrintable(QString::number(compared)));
  }
  // A list in the form has the words that the program takes.
  void choicesAreThoseOfTheProgram() {
    std::map<std::string, std::vector<std::string>> taken;
    for (const auto& command : app::cli::commandWords().commands)
      if (command.name == "run")
        for (const auto& option : command.options) taken[option.names.back().substr(2)] = option.choices;
    int compared = 0;
    for (const OptionGroup group : kOptionGroups)
      for (const QJsonValue value : optionParameters(group)) {
        std::set<std::string> inForm;
        for (const QJsonValue choice : value["choices"].toArray()) inForm.insert(choice.toString().toStdString());
        if (inForm.empty() || inForm == std::set<std::string>{"no", "yes"}) continue; // a text, or a flag
        const auto& words = taken.at(value["name"].toString().toStdString());
        if (words.empty()) continue; // the check says no words
        std::set<std::string> known(words.begin(), words.end());
        known.erase("l1"); // another name of mae
        QVERIFY2(inForm == known, qPrintable(value["name"].toString()));
        ++compared;
      }
    QVERIFY2(compared >= 4, qPrintable(QString::number(compared)));
  }
  // The window parses command lines of reports, so it must know which options take a value.
  void flagsAreThoseOfTheHelp() {
    static const QRegularExpression line(QStringLiteral("^  (?:-\\w,)?(?:--[a-z0-9-]+,)?(--[a-z0-9-]+)( [A-Z]+\\b| \\.\\.\\.)?"),
                                         QRegularExpression::MultilineOption);
    int flags = 0;
    const QString help = QString::fromStdString(tests::cli({"run", "--help"}).out);
    for (auto it = line.globalMatch(help); it.hasNext();) {
      const auto match = it.next();
      if (match.captured(1) == "--help") continue;
      const bool isFlag = match.captured(2).isEmpty();
      QVERIFY2(ui::shell::isRunFlag(match.captured(1)) == isFlag, qPrintable(match.captured(0)));
      flags += isFlag;
    }
    QVERIFY2(flags >= 9, qPrintable(QString::number(flags)));
  }
};

TILESCOPE_TEST(RunFieldsTest)
#include "run_fields_test.moc"
