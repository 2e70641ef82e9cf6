#include "analyser/html/report_page.h"
#include "analyser/memory/tile_details.h"
#include "analyser/memory/tile_memory.h"
#include "analyser/operations/operation_columns.h"
#include "analyser/program/program_tree.h"
#include "analyser/session/palette.h"
#include "analyser/trace/execution_trace.h"
#include "reports/sqlite/connection.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <regex>
#include <set>

using namespace analyser;

namespace {
// The content of the page's JSON data element.
std::string embeddedIn(const std::string& page) {
  const std::string begin = "<script id=\"data\" type=\"application/json\">";
  const auto from = page.find(begin) + begin.size();
  return page.substr(from, page.find("</script>", from) - from);
}

const nlohmann::json& tableOf(const nlohmann::json& data, const std::string& id) {
  static const nlohmann::json kNone;
  for (const auto& table : data["tables"])
    if (table["id"] == id) return table;
  return kNone;
}
std::vector<int64_t> unpacked(const nlohmann::json& runs) {
  std::vector<int64_t> values;
  for (std::size_t i = 0; i < runs.size(); i += 2)
    values.insert(values.end(), runs[i].get<std::size_t>(), runs[i + 1].get<int64_t>());
  return values;
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
    QCOMPARE(tableOf(data, "operations")["rows"].size(), std::size_t(5));
    for (const auto& table : data["tables"]) {
      QVERIFY(!table["rows"].empty());
      for (const auto& row : table["rows"]) QCOMPARE(row.size(), table["columns"].size());
    }
    QVERIFY(data["cuts"].empty()); // all of a small report is there
  }
  // The page has every column of the window, in the window's words.
  void operationsAreAsTheWindowHasThem() {
    const tests::TinyReport report(tests::ReportShape{2, 8, 5});
    const auto session = Session::open(report.path().string());
    const auto data = nlohmann::json::parse(embeddedIn(html::reportPage(*session)));
    const auto& table = tableOf(data, "operations");
    const auto& described = operations::operationColumns();
    QCOMPARE(table["columns"].size(), described.size());
    std::set<std::string> titles;
    for (std::size_t c = 0; c < described.size(); ++c) {
      QCOMPARE(table["columns"][c]["title"].get<std::string>(), described[c].title);
      titles.insert(described[c].title);
    }
    for (const char* title :
         {"Lost to exchange", "Runs on", "FLOP per byte", "Exchange code", "Control code", "Code", "Vertices"})
      QVERIFY2(titles.contains(title), title);
    QCOMPARE(table["columns"][table["sort"].get<std::size_t>()]["title"].get<std::string>(), std::string("Cycles"));
  }
  // Every tile's parts add up to its memory, and so do the floor plan's figures.
  void memoryIsWhole() {
    const tests::TinyReport report(tests::ReportShape{2, 8, 5});
    const auto session = Session::open(report.path().string());
    const auto data = nlohmann::json::parse(embeddedIn(html::reportPage(*session)));
    const auto tiles = memory::tileMemory(*session, memory::Breakdown::ByCategory);
    std::vector<int64_t> sums(16);
    std::set<std::string> light, dark;
    for (const auto& part : data["memory"]["parts"]) {
      const auto values = unpacked(part["runs"]);
      QCOMPARE(values.size(), std::size_t(16));
      for (std::size_t t = 0; t < sums.size(); ++t) sums[t] += values[t];
      QVERIFY2(light.insert(part["paint"][0]).second && dark.insert(part["paint"][1]).second,
               part["name"].get<std::string>().c_str());
    }
    for (std::size_t t = 0; t < sums.size(); ++t) QCOMPARE(sums[t], tiles.total.values[t].value());
    const auto whole = unpacked(data["memory"]["metrics"][0]["runs"]);
    for (std::size_t t = 0; t < sums.size(); ++t) QCOMPARE(whole[t], tiles.total.values[t].value());
    QCOMPARE(tableOf(data, "variables")["rows"].size(), memory::topVariables(*session, SIZE_MAX).size());
  }
  void everySectionOfTheReportIsThere() {
    const tests::TinyReport report(tests::ReportShape{2, 8, 5});
    const auto session = Session::open(report.path().string());
    const std::string page = html::reportPage(*session);
    const auto data = nlohmann::json::parse(embeddedIn(page));
    for (const char* part : {"summary", "insights", "memory", "liveness", "program", "trace"})
      QVERIFY2(!data[part].empty(), part);
    for (const char* id : {"categories", "variables", "steps", "operations"}) QVERIFY2(!tableOf(data, id).is_null(), id);
    for (const char* section :
         {"summary", "insights", "memory", "liveness", "program", "operations", "trace", "pipeline", "blocks", "host"})
      QVERIFY2(page.find("<section id=\"" + std::string(section) + "\">") != std::string::npos, section);
    QVERIFY(data["liveness"]["paint"].is_array() && data["liveness"]["paint"].size() == 2);
    QCOMPARE(unpacked(data["liveness"]["runs"]).size(), unpacked(data["liveness"]["steps"]).size());
    const auto program = program::programTree(*session);
    QCOMPARE(data["program"]["rows"].size(), program.nodes.size());
    for (std::size_t i = 0; i < data["program"]["parents"].size(); ++i)
      QVERIFY(data["program"]["parents"][i].get<int>() < int(i));
    // The lanes hold every slice; each begin is stored as a difference to the slice before.
    trace::ExecutionTrace trace(*session);
    QCOMPARE(data["trace"]["tracks"].size(), trace.tracks().size());
    for (std::size_t t = 0; t < trace.tracks().size(); ++t)
      for (int depth = 0; depth < trace.tracks()[t].depths; ++depth) {
        const auto& lane = data["trace"]["tracks"][t]["lanes"][std::size_t(depth)];
        int64_t at = trace.range().begin;
        std::size_t i = 0;
        trace.slices().forEach(trace.tracks()[t].id, depth, trace.range(), {}, [&](const trace::Slice& s) {
          at += lane[i].get<int64_t>();
          QCOMPARE(at, s.ticks.begin);
          QCOMPARE(lane[i + 1].get<int64_t>(), s.duration());
          QCOMPARE(data["trace"]["names"][lane[i + 2].get<std::size_t>()].get<std::string>(), session->text(s.name));
          QCOMPARE(lane[i + 3].get<int>(), int(s.category));
          i += 5;
        });
        QCOMPARE(lane.size(), i);
      }
  }
  // A report with many tiles and steps gives a page that a browser can open; the page says what was left out.
  void aLargeReportIsCutAndSaysSo() {
    tests::ReportShape shape{16, 1472, 40};
    const tests::TinyReport report(shape);
    const auto session = Session::open(report.path().string());
    const std::string page = html::reportPage(*session);
    QVERIFY2(page.size() < 16 * 1024 * 1024, std::to_string(page.size()).c_str());
    const auto data = nlohmann::json::parse(embeddedIn(page));
    QCOMPARE(data["memory"]["group"].get<int>(), 2); // 23,552 tiles
    QVERIFY(unpacked(data["memory"]["parts"][0]["runs"]).size() <= 16'384);
    QCOMPARE(unpacked(data["memory"]["metrics"][0]["runs"]).size(), std::size_t(16 * 1472));
    QVERIFY(!data["cuts"].empty());
    QVERIFY(data["cuts"][0].get<std::string>().find("fullest of every 2") != std::string::npos);
  }
  // The page loads nothing: it contains no other address.
  void thePageNeedsNothingElse() {
    const tests::TinyReport report(tests::ReportShape{1, 4, 2});
    const auto session = Session::open(report.path().string());
    const std::string page = html::reportPage(*session);
    for (const char* word : {"http://", "https://", "src=", "@import", "url("})
      QVERIFY2(page.find(word) == std::string::npos, word);
  }
  // Every colour of the page is one of analyser/session/palette.h, which the window draws with.
  void theColoursAreThoseOfTheWindow() {
    const tests::TinyReport report(tests::ReportShape{1, 4, 2});
    const auto session = Session::open(report.path().string());
    const std::string page = html::reportPage(*session);
    for (const bool isDark : {false, true})
      QVERIFY(page.find("--accent: " + cssColour(kSurfaceColours.accent.on(isDark)) + ";") != std::string::npos);
    QCOMPARE(cssColour(0x00004B), std::string("#00004b"));
    std::string other = page.substr(page.find("* { box-sizing"));
    other.replace(other.find(embeddedIn(other)), embeddedIn(other).size(), "");
    QVERIFY(!std::regex_search(other, std::regex("#[0-9a-fA-F]{6}\\b|%COLOURS%")));
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
