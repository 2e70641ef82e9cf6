// `insights` and `export` as a user calls them.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/file_bytes.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QXmlStreamReader>
#include <nlohmann/json.hpp>

using tests::cli;

class InsightsCommandTest : public QObject {
  Q_OBJECT
private slots:
  void jsonIsAListRankedBySaving() {
    const auto ran = cli({"insights", m_report.path().string(), "--json"});
    QCOMPARE(ran.code, 0);
    const auto list = nlohmann::json::parse(ran.out);
    QVERIFY(list.is_array());
    double before = 1e18;
    for (const auto& finding : list) {
      QVERIFY(finding.contains("saves_bytes") != finding.contains("saves_cycles"));
      QVERIFY(finding["share"].get<double>() <= before);
      before = finding["share"].get<double>();
      for (const char* key : {"rule", "title", "what", "where", "confidence", "evidence", "try"})
        QVERIFY2(finding.contains(key), key);
    }
    const auto text = cli({"insights", m_report.path().string()});
    QCOMPARE(text.code, 0);
    QCOMPARE(std::count(text.out.begin(), text.out.end(), '\n') > std::ptrdiff_t(list.size()), true);
  }
  // If more stages are the only change proposed for a program that does not fit, it fits with that number of stages.
  void theStagesItIsToldToTryAreEnough() {
    const std::string file = (m_report.folder() / "large.tsr").string(), other = (m_report.folder() / "stages.tsr").string();
    const std::vector<std::string> run{"run", "bert", "--set", "layers=12", "--set", "hidden=512", "--no-numbers", "-o"};
    const auto with = [&run](std::vector<std::string> rest) {
      rest.insert(rest.begin(), run.begin(), run.end());
      return rest;
    };
    QVERIFY(cli(with({file})).code == 1);
    const auto summary = cli({"summary", file}).out; // the tile's largest variable is a twentieth of it, and no cause
    QVERIFY2(summary.find("Does not fit: ") != std::string::npos && summary.find(", gaps included (") != std::string::npos &&
                 summary.find(" of 638976 bytes, gaps included") != std::string::npos &&
                 summary.find("most of it for") == std::string::npos,
             summary.c_str());
    const auto list = nlohmann::json::parse(cli({"insights", file, "--json"}).out);
    QCOMPARE(list[0]["rule"].get<std::string>(), std::string("memory.out-of-memory"));
    bool tried = false;
    for (const auto& trial : list[0]["trials"]) {
      auto options = trial["options"].get<std::vector<std::string>>();
      if (options.front() != "--ipus") continue;
      options.insert(options.begin(), other);
      const auto ran = cli(with(options));
      QVERIFY2(ran.code == 0, (trial["title"].get<std::string>() + ": " + ran.out).c_str());
      tried = true;
    }
    QVERIFY(tried);
  }
  void aPageIsWrittenWhole() {
    const std::string file = (m_report.folder() / "page.html").string();
    const auto ran = cli({"export", m_report.path().string(), "--format", "html", "-o", file});
    QVERIFY2(ran.code == 0, ran.err.c_str());
    const auto page = tests::bytesOf(file);
    QVERIFY(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    QCOMPARE(cli({"export", m_report.path().string(), "--format", "html"}).out, page);
  }
  void aPlotIsASvgFile() {
    for (const std::string view : {"memory", "liveness"}) {
      const auto ran = cli({"export", m_report.path().string(), "--format", "svg", "--view", view});
      QVERIFY2(ran.code == 0, ran.err.c_str());
      QVERIFY(ran.out.starts_with("<?xml") && ran.out.ends_with("</svg>\n"));
      QXmlStreamReader xml(QByteArray::fromStdString(ran.out));
      int paths = 0;
      while (!xml.atEnd())
        if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == QLatin1String("path")) ++paths;
      QVERIFY2(!xml.hasError(), xml.errorString().toUtf8());
      QVERIFY(paths >= 2); // categories; always live and not
    }
    tests::verifyFails(cli({"export", m_report.path().string(), "--format", "svg"}), "--view");
    tests::verifyFails(cli({"export", m_report.path().string(), "--format", "html", "--view", "memory"}), "--format svg");
  }
  void theReportIsNeverWrittenOver() {
    const auto before = tests::bytesOf(m_report.path());
    const auto to = [&](const std::string& file) {
      return cli({"export", m_report.path().string(), "--format", "html", "-o", file});
    };
    tests::verifyFails(to(m_report.path().string()), "written over");
    tests::verifyFails(to("/nowhere/at/all.html"), "/nowhere/at/all.html");
    QCOMPARE(tests::bytesOf(m_report.path()), before);
  }

  void operationsAreAGraphForGraphviz() {
    const auto ran = cli({"export", m_report.path().string(), "--format", "dot"});
    QCOMPARE(ran.code, 0);
    QVERIFY2(ran.out.starts_with("digraph ") && ran.out.ends_with("}\n"), ran.out.c_str());
    QVERIFY2(ran.out.find("n0 -> n1 [label=\"float [") != std::string::npos, ran.out.c_str());
    const auto folded = cli({"export", m_report.path().string(), "--format", "dot", "--levels", "1"});
    QVERIFY(folded.out.size() < ran.out.size() && folded.out.find("->") == std::string::npos);
    tests::verifyFails(cli({"export", m_report.path().string(), "--format", "dot", "--levels", "-1"}), "--levels");
  }

private:
  tests::TinyReport m_report{tests::ReportShape{2, 8, 5}};
};

TILESCOPE_TEST(InsightsCommandTest)
#include "insights_command_test.moc"
