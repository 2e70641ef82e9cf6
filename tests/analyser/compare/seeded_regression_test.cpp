// A change seeded in one layer among a thousand comes first, whatever else differs between the reports.
#include "analyser/compare/compare.h"
#include "analyser/operations/operations.h"
#include "reports/sqlite/connection.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace analyser;
using namespace analyser::compare;

class SeededRegressionTest : public QObject {
  Q_OBJECT
private slots:
  void theSeededLayerIsFirst_data() {
    QTest::addColumn<bool>("renamed");
    QTest::addColumn<bool>("batch");
    QTest::addColumn<int>("percent");
    QTest::addColumn<bool>("replaced"); // by a layer of another name, paired with none
    QTest::newRow("alone") << false << false << 30 << false;
    QTest::newRow("half of the layers renamed") << true << false << 30 << false;
    QTest::newRow("another batch") << false << true << 30 << false;
    QTest::newRow("renamed, another batch") << true << true << 30 << false;
    QTest::newRow("small, renamed, another batch") << true << true << 10 << false;
    QTest::newRow("replaced, another batch") << false << true << 100 << true;
  }
  void theSeededLayerIsFirst() {
    QFETCH(bool, renamed);
    QFETCH(bool, batch);
    QFETCH(int, percent);
    QFETCH(bool, replaced);
    const tests::TinyReport base{tests::ReportShape{1, 8, kLayers}}, other{tests::ReportShape{1, 8, kLayers}};
    level(base), level(other);
    if (renamed) change(other, "UPDATE operation SET name = 'block' || id || '/renamed' WHERE id % 2 = 0");
    if (batch) {
      // Twice the work, a fixed cost that does not double, and twice the bytes.
      change(other, "UPDATE operation SET compute_cycles = 300 + (compute_cycles - 300) * 2, flops = flops * 2, "
                    "variable_bytes = variable_bytes * 2");
      setSamples(base, 16), setSamples(other, 32);
    }
    change(other, "UPDATE operation SET compute_cycles = compute_cycles * " + std::to_string(100 + percent) +
                      " / 100 WHERE id = " + std::to_string(kSeeded));
    if (replaced) change(other, "UPDATE operation SET name = 'wider' WHERE id = " + std::to_string(kSeeded));
    for (const auto* report : {&base, &other})
      change(*report, "UPDATE run SET compute_cycles = (SELECT sum(compute_cycles) FROM operation), "
                      "cycles = (SELECT sum(compute_cycles) FROM operation) + exchange_cycles + sync_cycles + host_cycles + "
                      "idle_cycles WHERE id = 1");
    const auto a = Session::open(base.path().string()), b = Session::open(other.path().string());
    PairingRules rules;
    if (replaced) rules.leastConfidence = 2;
    const auto c = compare::compare(*a, *b, {}, rules);
    QVERIFY(!c.findings.empty());
    const std::string seeded = replaced ? "wider" : operations::operations(*a).rows.at(kSeeded).name;
    QVERIFY2(c.findings.front().key == seeded, c.findings.front().text.text().c_str());
    QVERIFY2(c.verdict.text().find(seeded) != std::string::npos, c.verdict.text().c_str());
    // With the reports swapped, the causes are the same with the opposite sign.
    const auto back = compare::compare(*b, *a, {}, rules);
    std::multiset<double> there, again;
    for (const Finding& f : c.findings) there.insert(f.difference());
    for (const Finding& f : back.findings) again.insert(-f.difference());
    QVERIFY(there == again);
  }

  // A changed layer makes the compiler share functions differently, which moves more cycles than the layer itself takes. The layer
  // is the cause, so it comes first.
  void otherWorkComesBeforeWhatFollowedFromIt_data() {
    QTest::addColumn<QString>("seed");
    QTest::addColumn<bool>("batch");
    QTest::addColumn<QString>("words");
    const char* other = "compute_cycles = compute_cycles + 900, kind = 'softmax'";
    QTest::newRow("wider") << "compute_cycles = compute_cycles + 900, flops = flops * 8" << false << "FLOPs +700 %";
    QTest::newRow("another kind") << other << false << "softmax instead of matmul";
    QTest::newRow("the same work, longer") << "compute_cycles = compute_cycles + 900" << false << "";
    QTest::newRow("another kind, another batch") << other << true << "softmax instead of matmul";
  }
  void otherWorkComesBeforeWhatFollowedFromIt() {
    QFETCH(QString, seed);
    QFETCH(bool, batch);
    QFETCH(QString, words);
    const tests::TinyReport base{tests::ReportShape{1, 8, kLayers}}, other{tests::ReportShape{1, 8, kLayers}};
    level(base), level(other);
    for (const auto* report : {&base, &other}) {
      change(*report, "UPDATE operation SET flops = flops + 1000");
      change(*report, "UPDATE operation SET kind = 'outlining', flops = 0 WHERE id % 3 = 0");
    }
    if (batch) {
      change(other, "UPDATE operation SET compute_cycles = compute_cycles * 2, flops = flops * 2");
      setSamples(base, 16), setSamples(other, 32);
    }
    change(other, "UPDATE operation SET compute_cycles = compute_cycles * 3 WHERE kind = 'outlining' AND id % 2 = 0");
    change(other, ("UPDATE operation SET " + seed + " WHERE id = ").toStdString() + std::to_string(kSeeded));
    const auto a = Session::open(base.path().string()), b = Session::open(other.path().string());
    const std::string seeded = operations::operations(*a).rows.at(kSeeded).name;
    for (const auto& [from, to] : {std::pair(a.get(), b.get()), std::pair(b.get(), a.get())}) {
      const auto c = compare::compare(*from, *to);
      QVERIFY2(c.findings.front().key == seeded && c.findings.front().isChangedWork == !words.isEmpty(),
               c.verdict.text().c_str());
      const std::string verdict = words.isEmpty() ? "Unlike others of its kind: " : "The work changed in ";
      QVERIFY2(c.verdict.text().find(verdict + seeded) != std::string::npos, c.verdict.text().c_str());
      if (from == a.get()) QVERIFY2(c.verdict.text().find(words.toStdString()) != std::string::npos, c.verdict.text().c_str());
    }
    // If an option that changes plans differs, no layer is reported as the cause.
    change(other, "INSERT INTO metadata VALUES ('linear_bytes', '64')");
    const auto planned = Session::open(other.path().string());
    for (const Finding& f : compare::compare(*a, *planned).findings) QVERIFY2(!f.isChangedWork, f.text.text().c_str());
    change(other, "DELETE FROM metadata WHERE key = 'linear_bytes'");
    // When many operations do different work, none of them is reported as the changed one.
    change(other, "UPDATE operation SET kind = 'norm' WHERE id % 5 = 0");
    const auto many = Session::open(other.path().string());
    for (const Finding& f : compare::compare(*a, *many).findings) QVERIFY2(!f.isChangedWork, f.text.text().c_str());
  }

private:
  static constexpr int kLayers = 1000, kSeeded = 538;
  static void change(const tests::TinyReport& report, const std::string& sql) {
    reports::Connection(report.path(), reports::Connection::Mode::ReadWrite).execute(sql);
  }
  // Layers of one kind and many sizes: cycles are 1,000 to 20,000.
  static void level(const tests::TinyReport& report) {
    change(report, "UPDATE operation SET kind = 'matmul', compute_cycles = 1000 + (id * 7919) % 19000, flops = id % 97 * 1000");
  }
  static void setSamples(const tests::TinyReport& report, int samples) {
    const std::string n = std::to_string(samples);
    change(report, "INSERT INTO metadata VALUES ('samples', '" + n + "'), ('batch_size', '" + n + "')");
  }
};

TILESCOPE_TEST(SeededRegressionTest)
#include "seeded_regression_test.moc"
