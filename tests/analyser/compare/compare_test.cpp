#include "analyser/compare/compare.h"
#include "reports/sqlite/connection.h"
#include "tests/support/error_text.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>
#include <nlohmann/json.hpp>

using namespace analyser;
using namespace analyser::compare;

class CompareTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    m_a = Session::open(m_small.path().string());
    m_b = Session::open(m_big.path().string());
    m_ab = compare::compare(*m_a, *m_b);
  }
  void aReportAndItselfDoNotDiffer() {
    const Comparison same = compare::compare(*m_a, *m_a);
    QVERIFY(same.empty());
    QCOMPARE(comparisonText(same), std::string());
    QCOMPARE(same.sameOperations, int64_t(3));
    const auto json = nlohmann::json::parse(comparisonJson(same));
    QVERIFY(json["same"].get<bool>());
    QVERIFY(json["totals"].empty() && json["operations"].empty() && json["memory_by_category"].empty());
  }
  void theOtherWayRoundIsTheNegative() {
    const Comparison ba = compare::compare(*m_b, *m_a);
    negative(m_ab.totals, ba.totals);
    negative(m_ab.memoryByCategory, ba.memoryByCategory);
    QCOMPARE(ba.operations.size(), m_ab.operations.size());
    for (std::size_t i = 0; i < ba.operations.size(); ++i) {
      const auto &x = m_ab.operations[i], &y = ba.operations[i];
      QCOMPARE(x.name, y.name);
      QCOMPARE(x.cycles() + y.cycles(), Cycles());
      QCOMPARE(x.bytes() + y.bytes(), Bytes());
      if (x.presence == Presence::SourceOnly) QCOMPARE(y.presence, Presence::TargetOnly);
    }
  }
  void operationsAreMatchedByName() {
    // The bigger report has five operations, the smaller three of them.
    QCOMPARE(m_ab.operations.size() + std::size_t(m_ab.sameOperations), std::size_t(5));
    int64_t onlyInB = 0;
    for (const auto& d : m_ab.operations) onlyInB += d.presence == Presence::TargetOnly;
    QCOMPARE(onlyInB, int64_t(2));
    for (std::size_t i = 1; i < m_ab.operations.size(); ++i)
      QVERIFY(std::abs(m_ab.operations[i - 1].cycles().value()) >= std::abs(m_ab.operations[i].cycles().value()));
  }
  void figuresAreThoseOfTheSummaries() {
    const auto a = summary::summarise(*m_a), b = summary::summarise(*m_b);
    const auto total =
        std::find_if(m_ab.totals.begin(), m_ab.totals.end(), [](const auto& f) { return f.key == "total_cycles"; });
    QCOMPARE(total->difference(), double((b.cycles.total - a.cycles.total).value()));
    double memory = 0;
    for (const auto& f : m_ab.memoryByCategory) memory += f.difference();
    QCOMPARE(memory, double((b.memory.total - a.memory.total).value()));
    QVERIFY2(m_ab.verdict.text().find("more cycles") != std::string::npos, m_ab.verdict.text().c_str());
  }
  void curvesOfBoth() {
    const CurvePair pair = curves(*m_a, *m_b);
    QCOMPARE(pair.sourceMemory.total.values.size(), std::size_t(16));
    QCOMPARE(pair.targetMemory.total.values.size(), std::size_t(16));
    QVERIFY(pair.targetLiveness.curve.peak > pair.sourceLiveness.curve.peak);
  }
  // The file is sound as SQLite sees it; a packed column is not.
  void damageNamesItsReport() {
    const tests::TinyReport bad;
    reports::Connection(bad.path(), reports::Connection::Mode::ReadWrite).execute("UPDATE tile_series SET by_tile = x'80'");
    const auto damaged = Session::open(bad.path().string());
    for (const bool first : {true, false}) {
      const std::string error =
          tests::errorOf([&] { first ? compare::compare(*damaged, *m_a) : compare::compare(*m_a, *damaged); });
      QVERIFY2(tests::has(error, bad.path().string()) && tests::has(error, "by_tile"), error.c_str());
    }
  }
  void textAndJsonSayTheSame() {
    const auto json = nlohmann::json::parse(comparisonJson(m_ab));
    QVERIFY(!json["same"].get<bool>());
    QCOMPARE(json["operations"].size(), m_ab.operations.size());
    const auto& cycles = json["totals"]["total_cycles"];
    QCOMPARE(cycles["difference"].get<int64_t>(), cycles["other"].get<int64_t>() - cycles["base"].get<int64_t>());
    const std::string text = comparisonText(m_ab);
    for (const char* part : {"Totals", "Memory by category", "Operations", "Total cycles", "model/maxpool3"})
      QVERIFY2(text.find(part) != std::string::npos, part);
  }

private:
  static void negative(const std::vector<Figure>& ab, const std::vector<Figure>& ba) {
    QCOMPARE(ab.size(), ba.size());
    for (std::size_t i = 0; i < ab.size(); ++i) {
      QCOMPARE(ab[i].key, ba[i].key);
      QCOMPARE(ab[i].difference(), -ba[i].difference());
    }
  }

  tests::TinyReport m_small, m_big{tests::ReportShape{2, 8, 5, 0, 3}};
  std::shared_ptr<Session> m_a, m_b;
  Comparison m_ab;
};

TILESCOPE_TEST(CompareTest)
#include "compare_test.moc"
