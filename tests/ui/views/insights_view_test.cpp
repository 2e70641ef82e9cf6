
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/shell/trial_words.h"
#include "ui/tables/table_view.h"
#include "ui/views/insights/finding_list.h"

#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTest>

#include <numeric>

using namespace ui;

class InsightsViewTest : public QObject {
  Q_OBJECT
private slots:
  // The old run with the options of the trial in place of its own.
  void aTrialReplacesTheOptionsItNames() {
    const auto run = shell::trialRun(
        "tilescope-cli run bert --ipus 4 --pipeline 4 --set preset=base --set training=1 --no-numbers -o x.tsr --precision fp32",
        "bert", {"--precision", "fp16"});
    QCOMPARE(run.graph, QString("bert"));
    QCOMPARE(run.options, QStringList({"--ipus", "4", "--pipeline", "4", "--set", "preset=base", "--set", "training=1",
                                       "--no-numbers", "--precision", "fp16"}));
    QCOMPARE(shell::trialRun("tilescope-cli run --machine=bow -o y.tsr 'my model.onnx'", "m", {}).graph,
             QString("my model.onnx"));
    QCOMPARE(shell::trialRun("tilescope-cli run --machine=bow --report=y.tsr m.onnx", "m", {"--machine", "gc200"}).options,
             QStringList({"--machine", "gc200"}));
    QCOMPARE(shell::trialRun("", "m", {"--precision", "fp16"}).graph, QString());
  }

  void findingsLeadToTheirEvidence() {
    tests::ViewWorld world({.ipus = 2, .tilesPerIpu = 8, .operations = 7});
    world.open("insights");
    QVERIFY(world.settle());
    QVERIFY(!world.view->verdict().isEmpty());
    auto* list = world.child<insights::FindingList>("Findings");
    QVERIFY(list && list->current() == 0);
    QSignalSpy asked(world.view.get(), &shell::View::viewRequested);
    QTest::keyClick(list, Qt::Key_Return);
    QCOMPARE(asked.count(), 1);
    QVERIFY(!asked.first().first().toString().isEmpty());
    const QString first = world.view->selectionText();
    QTest::keyClick(list, Qt::Key_Down);
    QVERIFY(list->sizeHint().height() < 100 || world.view->selectionText() != first);
  }

  // On a large screen the page has more room than findings.
  void everyFindingIsInTheList() {
    theme::Theme theme;
    QScrollArea page;
    page.setWidgetResizable(true);
    auto* list = new insights::FindingList(theme);
    page.setWidget(list);
    page.resize(600, 2000);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    const int one = list->sizeHint().height();
    const std::vector<analyser::insights::Insight> findings(13);
    std::vector<int> shown(findings.size());
    std::iota(shown.begin(), shown.end(), 0);
    list->setFindings(&findings, shown);
    QCoreApplication::processEvents();
    QCOMPARE(list->height(), 13 * one);
    list->setFindings(&findings, {4, 7});
    QCoreApplication::processEvents();
    QCOMPARE(list->height(), 2 * one);
  }

  void aQueryGivesATableAndAnErrorItsReason() {
    tests::ViewWorld world;
    world.open("query");
    QVERIFY(world.settle());
    auto* sql = world.child<QPlainTextEdit>("SQL");
    auto* result = world.child<tables::TableView>("Result of the query");
    sql->setPlainText("SELECT 3 AS size_bytes, 'x' AS name UNION ALL SELECT 2048, 'y'");
    QTest::keyClick(sql, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(world.settle());
    QCOMPARE(result->rows().rowCount(), 2);
    QCOMPARE(result->rows().index(1, 0).data().toString().replace(QChar(0xA0), QChar(0x20)), QString("2.00 KiB"));
    sql->setPlainText("DROP TABLE metadata");
    QTest::keyClick(sql, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(world.settle());
    QCOMPARE(result->rows().rowCount(), 2); // the old result stays
    sql->setPlainText("SELECT value FROM metadata");
    QTest::keyClick(sql, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(world.settle());
    QVERIFY(result->rows().rowCount() > 2);
  }
};

TILESCOPE_TEST(InsightsViewTest)
#include "insights_view_test.moc"
