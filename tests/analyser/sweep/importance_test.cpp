#include "analyser/sweep/importance.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser::sweep;

namespace {

Point point(const std::string& a, const std::string& b, double cycles, State state = State::Done) {
  Point p;
  p.configuration.values = {{"a", a}, {"b", b}};
  p.record = Record{};
  p.record->state = state;
  p.record->figures = {{"total_cycles", cycles}};
  return p;
}

} // namespace

class ImportanceTest : public QObject {
  Q_OBJECT
private slots:
  // cycles = 10 a + b in a full grid: the shares are those of the variances, and sum to 1.
  void sharesOfAGridSumToOne() {
    SweepTable table;
    table.parameters = {"b", "a"};
    for (const int a : {0, 2, 4})
      for (const int b : {0, 10}) table.points.push_back(point(std::to_string(a), std::to_string(b), 10.0 * a + b));
    const auto all = importanceOf(table, cyclesOf);
    QCOMPARE(all.size(), std::size_t(2));
    QCOMPARE(all[0].parameter, std::string("a")); // the most important first
    const double ofA = 800.0 / 3, ofB = 25;       // variances of 0, 20, 40 and of 0, 10
    QVERIFY(std::abs(all[0].share - ofA / (ofA + ofB)) < 1e-9);
    QVERIFY(std::abs(all[0].share + all[1].share - 1) < 1e-9);
    QCOMPARE(all[1].means, (std::vector<std::pair<std::string, double>>{{"0", 20}, {"10", 30}}));
  }
  void whatDidNotFitAndWhatNeverDiffersCountNothing() {
    SweepTable table;
    table.parameters = {"a", "b"};
    table.points = {point("1", "x", 5), point("2", "x", 5), point("3", "x", 900, State::DoesNotFit)};
    const auto all = importanceOf(table, cyclesOf);
    QCOMPARE(all.size(), std::size_t(2));
    for (const Importance& i : all) QCOMPARE(i.share, 0.0);
    QCOMPARE(all[0].means, (std::vector<std::pair<std::string, double>>{{"1", 5}, {"2", 5}})); // 3 did not fit
    table.points.resize(1);
    QVERIFY(importanceOf(table, cyclesOf).empty());
  }
};

TILESCOPE_TEST(ImportanceTest)
#include "importance_test.moc"
