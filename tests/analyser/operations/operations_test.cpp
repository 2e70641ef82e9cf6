#include "analyser/operations/operations.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace analyser;
using namespace analyser::operations;

class OperationsTest : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    m_session = Session::open(m_report.path().string());
    m_all = operations::operations(*m_session);
  }
  void totalsAreSums() {
    QCOMPARE(m_all.rows.size(), std::size_t(7));
    Cycles total;
    Flops flops;
    double share = 0;
    for (const Operation& o : m_all.rows) {
      QCOMPARE(o.total, o.compute + o.exchange + o.sync + o.host);
      QVERIFY(o.flopUtilisation >= 0 && o.flopUtilisation <= 1);
      total += o.total;
      flops += o.flops;
      share += o.share;
    }
    QCOMPARE(m_all.totals.total, total);
    QCOMPARE(m_all.totals.flops, flops);
    QVERIFY(std::abs(share - 1) < 1e-9);
    QVERIFY(m_all.totals.total <= m_all.runCycles);
    QCOMPARE(m_all.rows[0].layer, std::string("onnx"));
  }
  void groupsSumToTheTotals() {
    for (const GroupBy by : {GroupBy::Kind, GroupBy::Layer}) {
      const auto groups = group(m_all, by);
      Cycles total;
      int64_t count = 0;
      for (std::size_t i = 0; i < groups.size(); ++i) {
        total += groups[i].totals.total;
        count += groups[i].operations;
        if (i) QVERIFY(groups[i - 1].totals.total >= groups[i].totals.total);
      }
      QCOMPARE(total, m_all.totals.total);
      QCOMPARE(count, int64_t(7));
    }
    QCOMPARE(group(m_all, GroupBy::Kind).size(), std::size_t(5));
    const auto layer = group(m_all, GroupBy::Layer);
    QCOMPARE(layer.size(), std::size_t(1));
    QVERIFY(std::abs(layer[0].totals.flopUtilisation - m_all.totals.flopUtilisation) < 1e-12);
  }
  void searchesNamesAndKinds() {
    QCOMPARE(search(m_all, "RELU").size(), std::size_t(2));
    QCOMPARE(search(m_all, "").size(), std::size_t(7));
    QVERIFY(search(m_all, "nothing").empty());
  }
  void verdictNamesTheCostliest() {
    const auto top =
        std::max_element(m_all.rows.begin(), m_all.rows.end(), [](const auto& a, const auto& b) { return a.total < b.total; });
    QVERIFY2(m_all.verdict.text().find(top->name) != std::string::npos, m_all.verdict.text().c_str());
  }

private:
  tests::TinyReport m_report{tests::ReportShape{2, 8, 7}};
  std::shared_ptr<Session> m_session;
  Operations m_all;
};

TILESCOPE_TEST(OperationsTest)
#include "operations_test.moc"
