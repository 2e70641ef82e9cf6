#include "ui/tables/table_model.h"

#include "tests/support/test_main.h"
#include "ui/tables/cell_text.h"
#include "ui/tables/table_export.h"
#include "ui/tables/table_view.h"
#include "ui/tables/tree_model.h"
#include "ui/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui::tables;

class TableModelTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

  static std::shared_ptr<const Table> sample() {
    auto table = std::make_shared<Table>();
    table->columns = {{"name", "Name", Kind::Name},
                      {"size", "Size", Kind::Bytes, "how large", 0, true},
                      {"change", "Change", Kind::BytesDelta}};
    const auto add = [&](int64_t id, const char* name, int64_t size, int64_t change) {
      Row row;
      row.id = id;
      row.cells = {QString(name), size, change};
      table->rows.push_back(row);
    };
    add(1, "conv10/weights", 2048, -512);
    add(2, "conv9/weights", 1024, 0);
    add(3, "fc/bias", 999, 3);
    Row unknown;
    unknown.id = 4;
    unknown.cells = {QString("odd, \"quoted\"")};
    table->rows.push_back(unknown);
    return table;
  }
  static QStringList names(const TableModel& model) {
    QStringList list;
    for (int r = 0; r < model.rowCount(); ++r) list.append(model.index(r, 0).data().toString());
    return list;
  }

private slots:
  // The sort order survives the moment between two reports without a table: the arrow in the header shows it all the time.
  void anotherReportIsSortedAsTheArrowSays() {
    TableView view(m_theme, "Sizes");
    view.sortBy("size", Qt::AscendingOrder);
    view.setTable(sample());
    view.forgetRows();
    view.setTable(sample());
    QCOMPARE(view.horizontalHeader()->sortIndicatorSection(), 1);
    QVERIFY(view.rows().rowOfId(3) < view.rows().rowOfId(2) && view.rows().rowOfId(2) < view.rows().rowOfId(1));
  }

  // Text columns shrink before number columns, even if a column's minimum is less than its numbers need.
  void numbersAreNeverCut() {
    auto table = std::make_shared<Table>();
    table->columns = {{"cause", "Cause", Kind::Name},
                      {"a", "A", Kind::Cycles, {}, 60},
                      {"effect", "Effect", Kind::PercentDelta, {}, 30, true},
                      {"why", "Why", Kind::Text}};
    Row row;
    row.id = 1;
    row.cells = {QString("model/layer/") + QString(60, 'x'), int64_t(1'234'567'890), 0.000905, QString(200, 'w')};
    table->rows = {row};
    TableView view(m_theme, "numbers");
    view.setTable(table);
    view.resize(700, 200);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QStyleOptionViewItem option;
    option.font = view.font();
    for (const int column : {1, 2}) {
      const int wanted = view.itemDelegate()->sizeHint(option, view.model()->index(0, column)).width();
      QVERIFY2(view.columnWidth(column) >= wanted, qPrintable(QString::number(view.columnWidth(column))));
    }
    QVERIFY(view.columnWidth(3) < 700);
  }
  // A filter matches the row's own text, not the columns that describe other rows.
  void filtersLookPastWordsAboutOthers() {
    auto table = std::make_shared<Table>();
    table->columns = {{"name", "Name", Kind::Name}, ofOthers({"sharesMemoryWith", "Shares memory with", Kind::Text})};
    for (const char* name : {"a/weights", "b/out"}) {
      Row row;
      row.id = int64_t(table->rows.size());
      row.cells = {QString(name), QString("c/weights")};
      table->rows.push_back(row);
    }
    TableModel model(m_theme);
    model.setTable(table);
    for (const char* filter : {"weights", "/weig.*s/"}) {
      model.setFilter(filter);
      QCOMPARE(names(model), QStringList("a/weights"));
    }
  }

  void columnsOfCyclesAreCalledAfterTheUnit() {
    auto table = std::make_shared<Table>();
    table->columns = {
        {"cyclesA", "Cycles A", Kind::Cycles}, {"cycles", "Cycles", Kind::TileCycles}, {"bA", "B − A", Kind::CyclesDelta}};
    TableModel model(m_theme);
    model.setTable(table);
    const auto titles = [&] {
      QStringList list;
      for (int c = 0; c < model.columnCount(); ++c) list << model.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
      return list;
    };
    QCOMPARE(titles(), (QStringList{"Cycles A", "Cycles", "B − A"}));
    QSignalSpy changed(&model, &QAbstractItemModel::headerDataChanged);
    model.setFormat(ui::theme::Format(ui::theme::Units{ui::theme::TimeUnit::Seconds}, 1e9));
    QCOMPARE(changed.size(), 1);
    QCOMPARE(titles(), (QStringList{"Time A", "Cycles", "B − A"})); // tile-cycles have no unit of time
  }

  void optionalColumnsHideInANarrowTable() {
    auto table = std::make_shared<Table>();
    table->columns = {{"name", "Name", Kind::Name}, optional({"region", "Region", Kind::Text}), {"why", "Why", Kind::Text}};
    Row row;
    row.id = 1;
    row.cells = {QString(60, 'x'), QString("Interleaved"), QString(20, 'w')};
    table->rows = {row};
    TableView view(m_theme, "optional");
    view.setTable(table);
    view.resize(1200, 200);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QVERIFY(!view.isColumnHidden(1));
    view.resize(500, 200);
    QTRY_VERIFY(view.isColumnHidden(1));
    view.resize(1200, 200);
    QTRY_VERIFY(!view.isColumnHidden(1) && view.columnWidth(1) > 60);
  }

  void keepsTheRulesOfItemModels() {
    TableModel model(m_theme);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setTable(sample());
    model.sort(1, Qt::DescendingOrder);
    model.setFilter("weights");
    model.sort(0, Qt::AscendingOrder);
    model.setFilter({});
    model.setTable(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  void sortsNumbersByValueAndNamesNaturally() {
    TableModel model(m_theme);
    model.setTable(sample());
    model.sort(1, Qt::DescendingOrder);
    QCOMPARE(names(model).first(), QString("conv10/weights"));
    QCOMPARE(names(model).last(), QString("odd, \"quoted\"")); // unknown is below everything
    model.sort(0, Qt::AscendingOrder);
    QCOMPARE(names(model).mid(0, 2), (QStringList{"conv9/weights", "conv10/weights"}));
  }

  void persistentIndicesFollowTheirRow() {
    TableModel model(m_theme);
    model.setTable(sample());
    const QPersistentModelIndex bias = model.index(2, 0);
    model.sort(1, Qt::DescendingOrder);
    QCOMPARE(bias.data().toString(), QString("fc/bias"));
    model.sort(1, Qt::AscendingOrder);
    QCOMPARE(bias.data().toString(), QString("fc/bias"));
  }

  void filterWantsEveryWord() {
    TableModel model(m_theme);
    model.setTable(sample());
    model.setFilter("WEIGHTS conv9");
    QCOMPARE(names(model), QStringList{"conv9/weights"});
    QCOMPARE(model.idAt(0), 2);
    QCOMPARE(model.rowOfId(1), -1);
    model.setFilter("nothing like this");
    QCOMPARE(model.rowCount(), 0);
  }

  void cellsShowRoundedAndTellExact() {
    TableModel model(m_theme);
    model.setTable(sample());
    QCOMPARE(model.index(0, 1).data().toString(), QString("2.00\u00A0KiB"));
    QCOMPARE(model.index(0, 1).data(Qt::ToolTipRole).toString(), QString("2\u202F048\u00A0B"));
    QCOMPARE(model.index(0, 1).data(ShareRole).toDouble(), 1.0);
    QVERIFY(!model.index(3, 1).data(ShareRole).isValid()); // the row with an unknown size has no bar
    QCOMPARE(model.index(0, 2).data().toString(), QString("\u2212512\u00A0B"));
    QCOMPARE(model.index(3, 1).data().toString(), QString("–"));
    model.setFormat(ui::theme::Format({{}, ui::theme::MemoryUnit::Bytes}));
    QCOMPARE(model.index(0, 1).data().toString(), QString("2\u202F048\u00A0B"));
    QVERIFY(model.index(0, 1).data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight);
  }

  void exportsPlainValues() {
    TableModel model(m_theme);
    model.setTable(sample());
    const QString csv = exportRows(model, {}, ExportFormat::Csv);
    QCOMPARE(csv.section('\n', 0, 0), QString("Name,Size (bytes),Change (bytes)"));
    QCOMPARE(csv.section('\n', 1, 1), QString("conv10/weights,2048,-512"));
    QCOMPARE(csv.section('\n', 4, 4), QString("\"odd, \"\"quoted\"\"\",,"));
    const QString markdown = exportRows(model, {model.index(1, 0)}, ExportFormat::Markdown);
    QCOMPARE(markdown.split('\n', Qt::SkipEmptyParts).size(), 3);
    QVERIFY(markdown.contains("| ---: |"));
    const QJsonArray json = QJsonDocument::fromJson(exportRows(model, {}, ExportFormat::Json).toUtf8()).array();
    QCOMPARE(json.at(0).toObject().value("Size (bytes)").toInteger(), 2048);
    QVERIFY(json.at(3).toObject().value("Size (bytes)").isNull());
  }

  // A share is a number for programs, and a percentage for people.
  void sharesInMarkdownAreRounded() {
    auto table = std::make_shared<Table>();
    table->columns = {{"name", "Name", Kind::Name}, {"share", "Share", Kind::Percent}};
    Row row;
    row.cells = {QString("a"), 0.94645862035171757};
    table->rows.push_back(row);
    TableModel model(m_theme);
    model.setTable(table);
    QVERIFY(exportRows(model, {}, ExportFormat::Markdown).contains(model.index(0, 1).data().toString()));
    QVERIFY(!exportRows(model, {}, ExportFormat::Markdown).contains("0.946458"));
    QVERIFY(exportRows(model, {}, ExportFormat::Csv).contains("0.946458"));
  }

  void theTreeKeepsTheRulesAndItsAncestors() {
    auto tree = std::make_shared<Tree>();
    tree->columns = {{"program", "Program", Kind::Text}, {"cycles", "Cycles", Kind::Cycles}};
    const auto add = [&](int64_t id, int parent, const char* name) {
      TreeRow row;
      row.id = id, row.parent = parent;
      row.cells = {QString(name), id * 10};
      tree->rows.push_back(row);
    };
    add(0, -1, "sequence");
    add(1, 0, "repeat");
    add(2, 1, "execute conv");
    add(3, 1, "exchange");
    add(4, 0, "copy");
    TreeModel model(m_theme);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setTree(tree);
    QCOMPARE(model.rowCount(), 1);
    const QModelIndex conv = model.indexOfId(2);
    QCOMPARE(conv.parent().parent().data().toString(), QString("sequence"));
    QCOMPARE(model.rowCount(conv.parent()), 2);
    model.setFilter("conv");
    QCOMPARE(model.rowCount(model.indexOfId(1)), 1);
    QVERIFY(!model.indexOfId(4).isValid());
    model.setFilter({});
    QVERIFY(model.indexOfId(4).isValid());
  }

  void tablesAreSavedAsTheirNameSays() {
    QTemporaryDir folder;
    TableModel model(m_theme);
    model.setTable(sample());
    for (const auto& [name, begin] : {std::pair{"t.csv", "Name,Size (bytes)"}, {"t.md", "| Name |"}, {"t.json", "["}}) {
      QCOMPARE(writeRows(model, folder.filePath(name)), QString());
      QFile file(folder.filePath(name));
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QByteArray text = file.readAll();
      QVERIFY2(text.startsWith(begin) && text.contains("conv10/weights"), text.constData());
    }
    QVERIFY(writeRows(model, folder.filePath("t.xls")).contains(".csv"));
    QVERIFY(!writeRows(model, folder.filePath("no folder/t.csv")).isEmpty());
  }

  void aTreeIsSavedWithAllItsRows() {
    auto tree = std::make_shared<Tree>();
    tree->columns = {{"step", "Step", Kind::Text}, {"cycles", "Cycles", Kind::Cycles}};
    for (const auto& [name, parent] : {std::pair{"program", -1}, {"loop", 0}, {"compute", 1}, {"exchange", 1}}) {
      TreeRow row;
      row.parent = parent;
      row.cells = {QString(name), int64_t(7)};
      tree->rows.push_back(row);
    }
    TreeModel model(m_theme);
    model.setTree(tree);
    QCOMPARE(exportRows(model, {}, ExportFormat::Csv),
             QString("Step,Cycles,Depth\nprogram,7,0\nloop,7,1\ncompute,7,2\nexchange,7,2\n"));
  }

  // Qt's tree view recurses into every open level: a chain of 50,000 would crash the program.
  void aBottomlessTreeOpensAndIsWalked() {
    auto tree = std::make_shared<Tree>();
    tree->columns = {{"step", "Step", Kind::Text}};
    for (int i = 0; i < 50'000; ++i) {
      TreeRow row;
      row.id = i;
      row.parent = i - 1;
      row.cells = {QString::number(i)};
      tree->rows.push_back(row);
    }
    TreeView view(m_theme, "Program");
    view.resize(500, 300);
    view.show();
    view.setTree(tree, 4);
    QVERIFY(view.rows().isFlattened());
    view.selectId(49'999);
    QCOMPARE(view.currentId(), int64_t(49'999));
    QVERIFY(!view.grab().isNull());
    view.setFilter("49998");
    QVERIFY(view.rows().indexOfId(49'998).isValid());
    view.setFilter({});
    view.expandAll();
    QVERIFY(!view.grab().isNull());
  }

  // Increases are drawn to the right of the middle, decreases to the left.
  void barsOfDifferencesTellTheirSign() {
    auto table = std::make_shared<Table>();
    table->columns = {{"bA", "B − A", Kind::BytesDelta, {}, 200, true}};
    for (const int64_t v : {int64_t(-512), int64_t(512)}) {
      Row row;
      row.cells = {v};
      table->rows.push_back(row);
    }
    TableView view(m_theme, "Differences");
    view.resize(260, 200);
    view.show();
    view.setTable(table);
    const QImage image = view.viewport()->grab().toImage();
    const double scale = view.devicePixelRatioF();
    const auto colour = [&](int row, double share) {
      const QRect cell = view.visualRect(view.model()->index(row, 0));
      return image.pixelColor((QPointF(cell.left() + share * cell.width(), cell.bottom() - 3) * scale).toPoint());
    };
    QCOMPARE(colour(0, 0.25), m_theme.difference(-1));
    QVERIFY(colour(0, 0.75) != m_theme.difference(-1));
    QCOMPARE(colour(1, 0.75), m_theme.difference(1));
    QVERIFY(colour(1, 0.25) != m_theme.difference(1));
  }

  void widthsByHandStayUntilAnotherReport() {
    TableView view(m_theme, "Variables");
    view.resize(600, 200);
    view.show();
    view.setTable(sample());
    view.horizontalHeader()->resizeSection(0, 333);
    view.setTable(sample());
    view.setFormat(ui::theme::Format({ui::theme::TimeUnit::Cycles, ui::theme::MemoryUnit::Bytes}));
    QCOMPARE(view.columnWidth(0), 333);
    view.forgetRows();
    view.setTable(sample());
    QVERIFY(view.columnWidth(0) != 333);
  }

  // The same guard as in the command line's CSV: a spreadsheet must not run a name as a formula.
  void copiedNamesAreNoFormulas() {
    auto table = std::make_shared<Table>();
    table->columns = {{"name", "Name", Kind::Name}, {"change", "Change", Kind::BytesDelta}};
    for (const char* name : {"=cmd|' /C calc'!A0", "@SUM(A1)", "-1+1", "plain"}) {
      Row row;
      row.cells = {QString(name), int64_t(-5)};
      table->rows.push_back(row);
    }
    TableModel model(m_theme);
    model.setTable(table);
    const QStringList lines = exportRows(model, {}, ExportFormat::Csv).split('\n');
    QCOMPARE(lines[1], QString("'=cmd|' /C calc'!A0,-5"));
    QCOMPARE(lines[2], QString("'@SUM(A1),-5"));
    QCOMPARE(lines[3], QString("'-1+1,-5")); // numbers stay numbers
    QCOMPARE(lines[4], QString("plain,-5"));
  }

  void whatIsSelectedElsewhereIsShownAmongItsNeighbours() {
    auto table = std::make_shared<Table>();
    table->columns = {{"name", "Name", Kind::Name}};
    for (int i = 0; i < 200; ++i) {
      Row row;
      row.id = i;
      row.cells = {QString("row%1").arg(i)};
      table->rows.push_back(row);
    }
    TableView view(m_theme, "Rows");
    view.resize(300, 400);
    view.show();
    view.setTable(table);
    view.selectIds({100});
    const QRect place = view.visualRect(view.rows().index(100, 0));
    QVERIFY2(std::abs(place.center().y() - view.viewport()->height() / 2) < place.height(),
             qPrintable(QString::number(place.y())));
    view.selectIds({101}); // in sight already: nothing moves
    QCOMPARE(view.visualRect(view.rows().index(100, 0)), place);
  }

  void theViewKeepsItsSelectionById() {
    TableView view(m_theme, "Variables");
    view.resize(600, 300);
    view.setTable(sample());
    QSignalSpy selected(&view, &TableView::idsSelected);
    view.selectIds({2});
    QCOMPARE(selected.count(), 0); // told from outside, not by the user
    QCOMPARE(view.selectedIds(), std::vector<int64_t>{2});
    view.sortBy("size", Qt::AscendingOrder);
    QCOMPARE(view.selectedIds(), std::vector<int64_t>{2});
    view.setTable(sample());
    QCOMPARE(view.selectedIds(), std::vector<int64_t>{2});
    view.selectRow(view.rows().rowOfId(1));
    QCOMPARE(selected.count(), 1);
    QCOMPARE(view.rowHeight(0), 24);
  }

  void aLargeTreeOpensOnlyItsFirstLevels() {
    auto tree = std::make_shared<Tree>();
    tree->columns = {{"step", "Step", Kind::Text}, {"cycles", "Cycles", Kind::Cycles}};
    const auto add = [&](int parent) {
      TreeRow row;
      row.parent = parent, row.id = int64_t(tree->rows.size());
      row.cells = {QString::number(row.id), row.id};
      tree->rows.push_back(row);
      return int(row.id);
    };
    const int root = add(-1);
    for (int i = 0; i < 6000; ++i) {
      const int step = add(root);
      add(step), add(step);
    }
    TreeView view(m_theme, "Program");
    view.setTree(tree, 4);
    const QModelIndex top = view.model()->index(0, 0), first = view.model()->index(0, 0, top);
    QVERIFY(view.isExpanded(top));
    QVERIFY(!view.isExpanded(first));
    QCOMPARE(view.rows().shownRows(), 18001);
    view.selectId(3); // selecting a nested leaf expands its parents
    QCOMPARE(view.currentId(), 3);
    QVERIFY(view.isExpanded(first));
    view.setFilter("5999");
    QVERIFY(view.rows().shownRows() > 1 && view.rows().shownRows() < 100);
  }

  // Expanded rows stay expanded if other columns are chosen or the same rows are read again.
  void theSameRowsStayOpenAndFiltered() {
    const auto treeOf = [](int steps) {
      auto tree = std::make_shared<Tree>();
      tree->columns = {{"step", "Step", Kind::Text}};
      for (int i = 0; i < steps; ++i) {
        TreeRow row;
        row.parent = i == 0 ? -1 : (i - 1) / 3, row.id = i, row.cells = {QString("step%1").arg(i)};
        tree->rows.push_back(row);
      }
      return tree;
    };
    TreeView view(m_theme, "Program");
    view.setTree(treeOf(40), 1);
    const QModelIndex second = view.rows().indexAt(2);
    QVERIFY(!view.isExpanded(second));
    view.expand(second);
    view.setTree(treeOf(40), 1);
    QVERIFY(view.isExpanded(view.rows().indexAt(2)));
    view.setTree(treeOf(41), 1); // another program
    QVERIFY(!view.isExpanded(view.rows().indexAt(2)));
    view.setFilter("step39");
    QVERIFY(view.isExpanded(view.rows().indexAt(0)));
    view.setTree(treeOf(42), 0);
    QVERIFY(view.isExpanded(view.rows().indexAt(0))); // what is found stays in sight
  }

  // The first click on a header sorts amounts from the largest, names and addresses from the first.
  void amountsAreSortedFromTheLargest() {
    auto table = std::make_shared<Table>();
    table->columns = {{"tile", "Tile", Kind::Count, {}, 0, false},
                      {"name", "Name", Kind::Text, {}, 0, false},
                      {"address", "Address", Kind::Address, {}, 0, false},
                      {"bytes", "Bytes", Kind::Bytes, {}, 0, false}};
    TableModel model(m_theme);
    model.setTable(table);
    const auto order = [&](int column) { return model.headerData(column, Qt::Horizontal, Qt::InitialSortOrderRole).toInt(); };
    for (int column = 0; column < 3; ++column) QCOMPARE(order(column), int(Qt::AscendingOrder));
    QCOMPARE(order(3), int(Qt::DescendingOrder));
  }

  void aNarrowTreeLeavesOptionalColumnsOut() {
    auto tree = std::make_shared<Tree>();
    tree->columns = {{"step", "Step", Kind::Text, {}, 0, false},
                     {"cycles", "Cycles", Kind::Cycles, {}, 120, true},
                     optional({"executions", "Executions", Kind::Count, {}, 90, false})};
    TreeRow row;
    row.id = 0, row.cells = {QString("fwd/conv"), int64_t(12), int64_t(3)};
    tree->rows.push_back(row);
    TreeView view(m_theme, "Program");
    view.resize(400, 200);
    view.setTree(tree, 1);
    view.show();
    QTRY_VERIFY(view.isColumnHidden(2));
    view.resize(900, 200);
    QTRY_VERIFY(!view.isColumnHidden(2));
  }
};

TILESCOPE_TEST(TableModelTest)
#include "table_model_test.moc"
