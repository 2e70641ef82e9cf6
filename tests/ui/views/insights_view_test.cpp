
#include "analyser/insights/insights.h"
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/runs/trial_check.h"
#include "ui/runs/trial_words.h"
#include "ui/tables/table_view.h"
#include "ui/views/insights/finding_list.h"

#include <qcustomplot.h>

#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <numeric>

using namespace ui;

class InsightsViewTest : public QObject {
  Q_OBJECT
private slots:
  // A trial repeats the old run, with the trial's options instead of the run's own.
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
    // Options that belong to the replaced precision are removed with it.
    QCOMPARE(shell::trialRun("tilescope-cli run m.onnx --precision fp8 --fp8-scale -1 --unit-scaling --train", "m",
                             {"--precision", "fp16"})
                 .options,
             QStringList({"--unit-scaling", "--train", "--precision", "fp16"}));
  }

  // A trial works from any folder, even if the original run used relative file names.
  void aTrialHasWholeNamesOfItsFiles() {
    QTemporaryDir folder;
    for (const char* name : {"net.onnx", "tags.json", "x.npy", "x=1.npy"}) {
      QFile file(folder.filePath(QString::fromLatin1(name)));
      QVERIFY(file.open(QIODevice::WriteOnly));
    }
    const shell::TrialRun run =
        shell::withWholeNames(shell::trialRun("tilescope-cli run net.onnx --tags tags.json --input=a=x.npy --input c=x=1.npy "
                                              "--input rate=16000 --input b=gone.npy --seed 7",
                                              "net", {}),
                              folder.path(), false);
    QCOMPARE(run.graph, folder.filePath("net.onnx"));
    QCOMPARE(run.options, (QStringList{"--input", "rate=16000", "--seed", "7"}));
    QCOMPARE(run.reading, (QStringList{"--tags", folder.filePath("tags.json"), "--input", "a=" + folder.filePath("x.npy"),
                                       "--input", "c=" + folder.filePath("x=1.npy"), "--input", "b=gone.npy"}));
    QCOMPARE(run.files, (QStringList{run.graph, folder.filePath("tags.json"), folder.filePath("x.npy"),
                                     folder.filePath("x=1.npy"), "gone.npy"}));
    QCOMPARE(shell::withWholeNames({"mnist-train", {}, {}, {}, {}}, folder.path(), false).graph, QString("mnist-train"));
    QVERIFY(QDir(folder.path()).mkdir("squeezenet") &&
            QFile::copy(folder.filePath("net.onnx"), folder.filePath("squeezenet/model.onnx")));
    QCOMPARE(shell::withWholeNames({"squeezenet", {}, {}, {}, {}}, folder.path(), true).graph,
             folder.filePath("squeezenet/model.onnx"));
    QCOMPARE(shell::withWholeNames({"squeezenet", {}, {}, {}, {}}, folder.path(), false).graph,
             QString("squeezenet")); // a sample
    const tests::TinyReport report({.ipus = 1, .tilesPerIpu = 4, .operations = 2});
    const auto session = [&] { return analyser::Session::open(report.path().string()); };
    QCOMPARE(shell::folderOfRun(*session()), QString::fromStdString(report.path().parent_path().string()));
    tests::tamper(report.path(),
                  "INSERT INTO metadata (key, value) VALUES ('working_directory', '" + folder.path().toStdString() + "')");
    QCOMPARE(shell::folderOfRun(*session()), folder.path());
  }

  void findingsLeadToTheirEvidence() {
    tests::ViewWorld world({.ipus = 1, .tilesPerIpu = 4, .operations = 4});
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

  void aFindingThatAnotherViewNamesIsSelected() {
    tests::ViewWorld world({.ipus = 1, .tilesPerIpu = 4, .operations = 4});
    world.state.messages().send(shell::ShowFinding{1});
    world.open("insights");
    QVERIFY(world.settle());
    auto* list = world.child<insights::FindingList>("Findings");
    QCOMPARE(list->current(), 1);
    world.view->hide();
    world.state.messages().send(shell::ShowFinding{99999}); // of a list that was longer
    world.view->show();
    QCOMPARE(list->current(), 1);
    world.view->hide();
    world.state.messages().send(shell::ShowFinding{0});
    world.view->show();
    QCOMPARE(list->current(), 0);
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
    QCOMPARE(result->rows().index(1, 0).data().toString().remove(QChar(0x202F)), QString("2048")); // exact, without a unit
    sql->setPlainText("DROP TABLE metadata");
    QTest::keyClick(sql, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(world.settle());
    QCOMPARE(result->rows().rowCount(), 0); // rows of another query would be taken for its result
    sql->setPlainText("SELECT value FROM metadata");
    QTest::keyClick(sql, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(world.settle());
    QVERIFY(result->rows().rowCount() > 2);
    // From the tables, too, where Enter alone puts a name into the query.
    sql->setPlainText("SELECT 7 AS seven");
    auto* names = world.child<tables::TreeView>("Tables of a report");
    names->setCurrentIndex(names->model()->index(0, 0));
    QTest::keyClick(names, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(world.settle());
    QCOMPARE(sql->toPlainText(), QString("SELECT 7 AS seven"));
    QCOMPARE(result->rows().rowCount(), 1);
  }
  // The tree of tables shows full names and gives the meaning most of the width; the full meaning is below the tree.
  void theMeaningOfAColumnCanBeRead() {
    tests::ViewWorld world;
    world.open("query");
    QVERIFY(world.settle());
    auto* tree = world.child<tables::TreeView>("Tables of a report");
    auto* meaning = world.child<QLabel>("Meaning of the chosen table or column");
    QVERIFY(tree->columnWidth(1) > tree->columnWidth(0));
    for (const auto& row : tree->rows().tree()->rows) {
      tree->setCurrentIndex({});
      tree->selectId(row.id);
      emit tree->idSelected(row.id);
      QVERIFY(meaning->text().endsWith(std::get<QString>(row.cells[1])) && meaning->wordWrap());
      if (row.parent < 0)
        QVERIFY2(tree->fontMetrics().horizontalAdvance(std::get<QString>(row.cells[0])) + 24 <= tree->columnWidth(0),
                 qPrintable(std::get<QString>(row.cells[0])));
    }
  }
  // Numeric columns are drawn over an increasing column, or over the row number; text is not drawn as a curve.
  void aQueryIsDrawn() {
    tests::ViewWorld world;
    world.open("query");
    QVERIFY(world.settle());
    auto* sql = world.child<QPlainTextEdit>("SQL");
    auto* plot = world.child<QCustomPlot>("Plot of the result");
    auto* drawn = world.child<QComboBox>("Draw");
    QVERIFY(plot && drawn && plot->isHidden());
    QVERIFY(drawn->parentWidget()->isHidden()); // with its words
    const auto run = [&](const QString& text) {
      sql->setPlainText(text);
      QTest::keyClick(sql, Qt::Key_Return, Qt::ControlModifier);
      return world.settle();
    };
    QVERIFY(run("SELECT 'a' AS name, 10 AS tile, 2.5 AS busy, NULL AS none UNION ALL SELECT 'b', 20, 7.5, NULL"));
    QVERIFY(!plot->isHidden());
    QCOMPARE(plot->xAxis->label(), QString("tile"));
    QCOMPARE(drawn->currentText(), QString("busy"));
    QCOMPARE(plot->graphCount(), 1);
    QCOMPARE(plot->graph(0)->data()->at(1)->key, 20.0);
    QCOMPARE(plot->graph(0)->data()->at(1)->value, 7.5);
    QVERIFY(run("SELECT 3 AS n UNION ALL SELECT 3"));
    QCOMPARE(plot->xAxis->label(), QString("Row"));
    QVERIFY(run("SELECT 'words'"));
    QVERIFY(plot->isHidden());
    // A few rows with names are drawn as bars with these names.
    QVERIFY(run("SELECT 'compute' AS kind, 30 AS cycles UNION ALL SELECT 'sync', 5"));
    QCOMPARE(plot->xAxis->label(), QString("kind"));
    QVERIFY(plot->plottableCount() == 1 && qobject_cast<QCPBars*>(plot->plottable(0)));
    const auto names = qSharedPointerDynamicCast<QCPAxisTickerText>(plot->xAxis->ticker());
    QVERIFY(names);
    QCOMPARE(names->ticks().value(1.0), QString("sync"));
    QVERIFY(run("SELECT 3 AS n UNION ALL SELECT 3")); // no name: a line again
    QCOMPARE(plot->graphCount(), 1);
  }

  // The largest parts of all tiles, then of the tile that is selected; a double-click leads to one of them, and a finding that another
  // view names brings the findings back.
  void theLargestPartsLeadToWhereTheyLie() {
    tests::ViewWorld world;
    world.open("insights");
    QVERIFY(world.settle());
    auto* lists = world.child<QTabWidget>("Lists of insights");
    auto* table = world.child<ui::tables::TableView>("Largest parts");
    auto* scope = world.child<QComboBox>("Whose largest parts");
    QVERIFY(lists && table && scope);
    lists->setCurrentIndex(1);
    QVERIFY(world.settle());
    const auto all = table->rows().table();
    QVERIFY(all && all->rows.size() >= 8);
    world.state.setTiles({reports::TileId(3)});
    scope->setCurrentIndex(2);
    emit scope->activated(2);
    QVERIFY(world.settle());
    QCOMPARE(scope->currentText(), QString("Tile 3"));
    const auto one = table->rows().table();
    QVERIFY(one && std::get<int64_t>(one->rows[0].cells[2]) < std::get<int64_t>(all->rows[0].cells[2]));
    QString shown;
    connect(world.view.get(), &ui::shell::View::viewRequested, this, [&](const QString& id) { shown = id; });
    for (const auto& row : one->rows)
      if (std::get<QString>(row.cells[0]) == "Always-live variable") {
        emit table->idActivated(row.id);
        break;
      }
    QCOMPARE(shown, QString("memory"));
    QVERIFY(world.state.variable().valid());
    world.view->hide();
    world.state.messages().send(shell::ShowFinding{0});
    world.view->show();
    QVERIFY(world.settle());
    const bool hasFindings = world.state.notes().findings() && !world.state.notes().findings()->list.empty();
    QCOMPARE(lists->currentIndex(), hasFindings ? 0 : 1);
  }

  // Results of dry runs, as the finding shows them.
  void aTrialSaysWhetherItFits() {
    const auto answer = ui::shell::trialAnswer(QJsonDocument::fromJson(
        R"({"state": "out_of_memory", "memory": {"max_tile_with_gaps_bytes": 700000, "tile_bytes": 638976}})"));
    QVERIFY(!answer.fits && answer.problem.isEmpty());
    QCOMPARE(answer.fullest, reports::Bytes(700000));
    QCOMPARE(answer.memory, reports::Bytes(638976));
    QVERIFY(ui::shell::trialAnswer(QJsonDocument::fromJson(R"({"state": "fits", "memory": {"max_tile_bytes": 1}})")).fits);
    QVERIFY(!ui::shell::trialAnswer(QJsonDocument::fromJson("[]")).problem.isEmpty());
  }
};

TILESCOPE_TEST(InsightsViewTest)
#include "insights_view_test.moc"
