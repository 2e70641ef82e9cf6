// `table` prints the described tables of a report: same figures as SQL and the summary, columns by id, and one error per mistake.
#include "analyser/tables/report_tables.h"
#include "tests/app/cli/cli_runner.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <sstream>

using tests::cli;
using tests::verifyFails;

class TableCommandTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;
  std::string m_report;
  nlohmann::json rows(std::vector<std::string> words) const {
    words.insert(words.begin(), {"table", m_report});
    words.insert(words.end(), {"--format", "json"});
    const auto ran = cli(words);
    if (ran.code != 0) throw std::runtime_error(ran.err);
    return nlohmann::json::parse(ran.out);
  }
  int64_t sql(const std::string& statement) const {
    return nlohmann::json::parse(cli({"query", m_report, statement, "--json"}).out)[0].front().get<int64_t>();
  }

private slots:
  void initTestCase() {
    m_report = (m_folder / "r.tsr").string();
    QCOMPARE(cli({"run", "mlp", "-o", m_report}).code, 0);
  }

  void everyTableIsListedAndRead() {
    const auto list = rows({});
    QCOMPARE(list.size(), analyser::tables::reportTables().size());
    for (const auto& table : list) QCOMPARE(rows({table["name"]}).size(), table["rows"].get<std::size_t>());
  }

  void figuresAreThoseOfSql() {
    const auto operations = rows({"operations"});
    QCOMPARE(int64_t(operations.size()), sql("SELECT count(*) FROM operation"));
    for (std::size_t i = 1; i < operations.size(); ++i) QVERIFY(operations[i - 1]["cycles"] >= operations[i]["cycles"]);
    QCOMPARE(int64_t(rows({"tiles"}).size()), sql("SELECT ipus * tiles_per_ipu FROM machine"));
    QCOMPARE(int64_t(rows({"program"}).size()), sql("SELECT count(*) FROM program_step"));
  }

  void columnsAreChosenByIdAndOrdered() {
    const auto ran = cli({"table", m_report, "operations", "--columns", "cycles,name", "--top", "2", "--format", "csv"});
    QCOMPARE(ran.code, 0);
    QVERIFY2(ran.out.starts_with("cycles,name\r\n"), ran.out.c_str());
    QCOMPARE(std::count(ran.out.begin(), ran.out.end(), '\n'), std::ptrdiff_t(3));
    const auto byName = rows({"operations", "--sort", "name"});
    for (std::size_t i = 1; i < byName.size(); ++i) QVERIFY(byName[i - 1]["name"] <= byName[i]["name"]);
  }

  void rowsAreOrderedByAColumnThatIsNotPrinted() {
    const auto names = rows({"operations", "--columns", "name"}), all = rows({"operations"});
    for (std::size_t i = 0; i < all.size(); ++i) QVERIFY(names[i]["name"] == all[i]["name"]);
  }

  void tilesLimitATable() {
    QCOMPARE(rows({"tiles", "--tiles", "3,5"}).size(), std::size_t(2));
    const auto sumOf = [](const nlohmann::json& rows) {
      int64_t sum = 0;
      for (const auto& row : rows) sum += row["bytes"].get<int64_t>();
      return sum;
    };
    QVERIFY(sumOf(rows({"variables", "--tiles", "0"})) < sumOf(rows({"variables"})));
  }

  void readersSeeTitlesAndUnits() {
    const auto text = cli({"table", m_report, "operations", "--columns", "name,cycles", "--top", "1"});
    QVERIFY2(text.out.find("Cycles") != std::string::npos, text.out.c_str());
    QVERIFY2(text.err.find("1 of ") != std::string::npos, text.err.c_str());
    const auto markdown = cli({"table", m_report, "categories", "--format", "markdown"});
    QVERIFY2(markdown.out.starts_with("| "), markdown.out.c_str());
    QVERIFY2(markdown.out.find("iB |") != std::string::npos, markdown.out.c_str());
    const auto described = cli({"table", m_report, "operations", "--describe"});
    QVERIFY2(described.out.find("share, 0 to 1") != std::string::npos, described.out.c_str());
  }

  void mistakesAreNamed_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("part");
    QTest::newRow("no such table") << QStringList{"operation"} << "operations";
    QTest::newRow("no such column") << QStringList{"operations", "--columns", "Cycles"} << "cycles";
    QTest::newRow("no such order") << QStringList{"operations", "--sort", "speed"} << "--sort";
    QTest::newRow("no such tile") << QStringList{"tiles", "--tiles", "1000000"} << "from 0 to";
    QTest::newRow("not a number") << QStringList{"tiles", "--tiles", "3x"} << "'3x'";
    QTest::newRow("not by tile") << QStringList{"operations", "--tiles", "3"} << "not by tile";
  }
  void mistakesAreNamed() {
    QFETCH(QStringList, words);
    QFETCH(QString, part);
    std::vector<std::string> all{"table", m_report};
    for (const QString& word : words) all.push_back(word.toStdString());
    verifyFails(cli(all), part.toStdString());
  }
};

TILESCOPE_TEST(TableCommandTest)
#include "table_command_test.moc"
