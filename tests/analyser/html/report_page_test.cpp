#include "analyser/html/report_page.h"
#include "reports/sqlite/connection.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QTest>

using namespace analyser;

namespace {
// What stands in the element with the data.
std::string embeddedIn(const std::string& page) {
  const std::string begin = "<script id=\"data\" type=\"application/json\">";
  const auto from = page.find(begin) + begin.size();
  return page.substr(from, page.find("</script>", from) - from);
}
} // namespace

class ReportPageTest : public QObject {
  Q_OBJECT
private slots:
  void theDataAreThoseOfTheReport() {
    const tests::TinyReport report(tests::ReportShape{2, 8, 5});
    const auto session = Session::open(report.path().string());
    const std::string page = html::reportPage(*session);
    QVERIFY(page.starts_with("<!DOCTYPE html>") && page.find("%DATA%") == std::string::npos &&
            page.find("%JS%") == std::string::npos);
    const auto data = nlohmann::json::parse(embeddedIn(page));
    QCOMPARE(data["tilesPerIpu"].get<int>(), 8);
    QCOMPARE(data["tables"][0]["rows"].size(), std::size_t(5));
    for (const auto& table : data["tables"])
      for (const auto& row : table["rows"]) QCOMPARE(row.size(), table["columns"].size());
    for (const auto& part : data["memory"]["parts"]) {
      int64_t tiles = 0;
      for (std::size_t i = 0; i < part["runs"].size(); i += 2) tiles += part["runs"][i].get<int64_t>();
      QCOMPARE(tiles, int64_t(16));
    }
    QVERIFY(data["liveness"]["steps"].size() > 3);
  }
  // It fetches nothing: no address of another place is in it.
  void thePageNeedsNothingElse() {
    const tests::TinyReport report(tests::ReportShape{1, 4, 2});
    const auto session = Session::open(report.path().string());
    const std::string page = html::reportPage(*session);
    for (const char* word : {"http://", "https://", "src=", "@import", "url("})
      QVERIFY2(page.find(word) == std::string::npos, word);
  }
  void namesNeverBecomeMarkup() {
    const tests::TinyReport report(tests::ReportShape{1, 4, 2});
    {
      reports::Connection file(report.path(), reports::Connection::Mode::ReadWrite);
      file.execute("UPDATE operation SET name = 'a</script><script>alert(1)</script><!--'");
      file.execute("UPDATE metadata SET value = '</title><img src=x>' WHERE key = 'title'");
      file.close();
    }
    const auto session = Session::open(report.path().string());
    const std::string page = html::reportPage(*session);
    QVERIFY(page.find("alert(1)</script>") == std::string::npos);
    QVERIFY(page.find("<img") == std::string::npos);
    QCOMPARE(nlohmann::json::parse(embeddedIn(page))["title"].get<std::string>(), std::string("</title><img src=x>"));
  }
};

TILESCOPE_TEST(ReportPageTest)
#include "report_page_test.moc"
