#include "analyser/compare/program_difference.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;
using namespace analyser::compare;

class ProgramDifferenceTest : public QObject {
  Q_OBJECT

  static ProgramDifference stepsOf(Session& a, Session& b) {
    return programDifference(program::programTree(a), program::programTree(b));
  }
  static ProgramDifference pathsOf(Session& a, Session& b) {
    return pathDifference(program::programTree(a), program::programTree(b));
  }

private slots:
  void aProgramAndItselfDoNotDiffer() {
    const tests::TinyReport report;
    const auto session = Session::open(report.path().string());
    const auto d = stepsOf(*session, *session);
    QVERIFY(!d.nodes.empty());
    for (const auto& node : d.nodes) QVERIFY(node.presence == Presence::Both && node.difference() == Cycles());
    for (const auto& node : d.nodes) QVERIFY(node.inBase >= 0 && node.inBase == node.inOther);
    const std::string same = programVerdict(d, false).text(), added = programVerdict(d, true).text();
    QVERIFY2(same.starts_with("Both take ") && same.ends_with("; both have the same steps."), same.c_str());
    QVERIFY2(added.starts_with("Added up, the steps of both take "), added.c_str());
  }
  // A call has the cycles of its function; with 0 cycles a reader would not look for slower steps inside it.
  void callsTakeWhatIsCalled() {
    const tests::TinyReport small{tests::ReportShape{1, 8, 3}}, large{tests::ReportShape{1, 8, 3, 0, 2}};
    const auto a = Session::open(small.path().string()), b = Session::open(large.path().string());
    const auto d = stepsOf(*a, *b);
    Cycles base, other;
    int calls = 0;
    for (const auto& node : d.nodes) {
      if (node.parent < 0 && node.kind != "Function") base += node.base, other += node.other;
      if (node.kind != "Call") continue;
      ++calls;
      QVERIFY(node.base > Cycles() && node.other > node.base);
    }
    QVERIFY(calls > 0);
    QCOMPARE(base, d.base);
    QCOMPARE(other, d.other);
  }
  void pathsAddUp() {
    const tests::TinyReport small{tests::ReportShape{1, 8, 3}}, large{tests::ReportShape{1, 8, 5, 0, 2}};
    const auto a = Session::open(small.path().string()), b = Session::open(large.path().string());
    const auto paths = pathsOf(*a, *b), steps = stepsOf(*a, *b);
    QCOMPARE(paths.other - paths.base, steps.other - steps.base);
    std::vector<Cycles> inside(paths.nodes.size());
    Cycles roots;
    for (std::size_t i = paths.nodes.size(); i-- > 0;) {
      const auto& node = paths.nodes[i];
      QVERIFY(inside[i] <= node.other); // a step may end where others go on
      (node.parent < 0 ? roots : inside[std::size_t(node.parent)]) += node.other;
    }
    QCOMPARE(roots, paths.other);
  }
  // Two models with different names are compared by their paths below the name.
  void modelsOfOtherNamesAreCompared() {
    const tests::TinyReport one{tests::ReportShape{1, 8, 3}}, two{tests::ReportShape{1, 8, 3}};
    tests::tamper(two.path(), "UPDATE string SET text = 'net' || substr(text, 6) WHERE text LIKE 'model/%'");
    const auto a = Session::open(one.path().string()), b = Session::open(two.path().string());
    const auto d = pathsOf(*a, *b);
    QVERIFY(d.nodes.size() > 3);
    QVERIFY(std::any_of(d.nodes.begin(), d.nodes.end(),
                        [](const auto& node) { return node.parent < 0 && node.label == "net (A: model)"; }));
    for (const auto& node : d.nodes) {
      QVERIFY2(node.presence == Presence::Both, node.name.c_str());
      QCOMPARE(node.difference(), Cycles());
    }
  }
  void stepsOfOneAloneAreThereOnce() {
    const tests::TinyReport small{tests::ReportShape{1, 8, 3}}, large{tests::ReportShape{1, 8, 5, 0, 2}};
    const auto a = Session::open(small.path().string()), b = Session::open(large.path().string());
    const auto ab = stepsOf(*a, *b), ba = stepsOf(*b, *a);
    QCOMPARE(ab.nodes.size(), ba.nodes.size());
    const auto count = [](const ProgramDifference& d, Presence p) {
      return std::count_if(d.nodes.begin(), d.nodes.end(), [&](const auto& n) { return n.presence == p; });
    };
    QVERIFY(count(ab, Presence::OtherOnly) > 0);
    const std::string verdict = programVerdict(ab, false).text();
    QVERIFY2(verdict.starts_with("B takes ") && verdict.find(" more; 0 steps are only in A, ") != std::string::npos,
             verdict.c_str());
    QCOMPARE(count(ab, Presence::OtherOnly), count(ba, Presence::BaseOnly));
    QCOMPARE(count(ab, Presence::Both), count(ba, Presence::Both));
    Cycles roots;
    for (std::size_t i = 0; i < ab.nodes.size(); ++i) {
      const auto& node = ab.nodes[i];
      if (node.parent < 0 && node.kind != "Function") roots += node.difference();
      QVERIFY(node.parent < int(i));
      if (node.parent >= 0) QCOMPARE(node.depth, ab.nodes[std::size_t(node.parent)].depth + 1);
    }
    QCOMPARE(roots, ab.other - ab.base);
  }
};

TILESCOPE_TEST(ProgramDifferenceTest)
#include "program_difference_test.moc"
