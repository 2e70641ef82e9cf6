// Lists in sentences, and JSON as text.
#include "reports/core/join.h"
#include "reports/core/json.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <map>

using namespace reports;

class PrintingTest : public QObject {
  Q_OBJECT

private slots:
  void listsHaveCommasBetween() {
    QCOMPARE(joined(std::vector<std::string>()), std::string());
    QCOMPARE(joined(std::vector{4, 16}), std::string("4, 16"));
    const std::map<std::string, int> counts{{"a", 1}, {"b", 2}};
    QCOMPARE(joined(
                 counts, [](const auto& c) { return c.first + "=" + std::to_string(c.second); }, " "),
             std::string("a=1 b=2"));
    struct Named {
      std::string name;
    };
    const Named list[] = {{"gc2"}, {"bow"}};
    QCOMPARE(joined(list, &Named::name), std::string("gc2, bow"));
  }
  void jsonOfForeignBytesIsPrintedToo() {
    QCOMPARE(jsonText(nlohmann::json{{"b", 1}, {"a", "x\xff"}}), std::string("{\"a\":\"x\xef\xbf\xbd\",\"b\":1}"));
    QCOMPARE(jsonText(nlohmann::ordered_json{{"b", 1}, {"a", nullptr}}, 1), std::string("{\n \"b\": 1,\n \"a\": null\n}"));
    QCOMPARE(parseJsonBounded(jsonText(nlohmann::json{{"n", 0.1}}), "here").at("n").get<double>(), 0.1);
  }
};

TILESCOPE_TEST(PrintingTest)
#include "printing_test.moc"
