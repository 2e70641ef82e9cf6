// The program of the help page compiles, runs and prints what the page says.
#define main apiProgram
#include "tests/support/programs/api_program.cpp"
#undef main

#include "reports/sqlite/reader.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sstream>

namespace {
std::string printedBy(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  std::ostringstream out;
  std::streambuf* const before = std::cout.rdbuf(out.rdbuf());
  const int code = apiProgram(int(argv.size()), argv.data());
  std::cout.rdbuf(before);
  return std::to_string(code) + "\n" + out.str();
}
QByteArray fileText(const char* name) {
  QFile file(QString(TILESCOPE_SOURCE_DIR "/") + name);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}
} // namespace

class ApiProgramTest : public QObject {
  Q_OBJECT
private slots:
  void printsWhatThePageSays() {
    const std::string text = printedBy({"api"});
    QCOMPARE(text.substr(0, text.find("cycles") - 1).substr(0, 2), std::string("0\n"));
    QVERIFY2(text.find("v2: [30.0000000 20.0000000 11.0000000 4.0000000]\n") != std::string::npos, text.c_str());
    const QByteArray page = fileText("resources/docs/help/api.md");
    QVERIFY2(page.contains(QByteArray::fromStdString(text.substr(2))), text.c_str());
  }

  void thePageShowsThisProgram() {
    const QByteArray program = fileText("tests/support/programs/api_program.cpp");
    QVERIFY(program.size() > 1000);
    QVERIFY2(fileText("resources/docs/help/api.md").contains("```cpp\n" + program + "```"), "copy api_program.cpp into api.md");
  }

  void theReportOpens() {
    QTemporaryDir folder;
    const std::string file = folder.filePath("sums.tsr").toStdString();
    QCOMPARE(printedBy({"api", file})[0], '0');
    QVERIFY(QFile::exists(QString::fromStdString(file)));
    QVERIFY_THROWS_NO_EXCEPTION(reports::Reader{file});
  }
};

TILESCOPE_TEST(ApiProgramTest)
#include "api_program_test.moc"
