#include "ui/tables/table_model.h"

#include "tests/support/test_main.h"
#include "ui/tables/cell_text.h"
#include "ui/tables/table_export.h"
#include "ui/tables/table_view.h"
#include "ui/tables/tree_model.h"
#include "ui/theme/theme.h"

#include <QAbstractItemModelTester>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTest>

using namespace ui::tables;

class TableModelTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

  static std::shared_ptr<const Table> sample() {
    auto table = std::make_shared<Table>();
    table->columns = {{"Name", Kind::Name}, {"Size", Kind::Bytes, "how large", 0, true}, {"Change", Kind::BytesDelta}};
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
    QCOMPARE(model.index(0, 1).data(Qt::ToolTipRole).toString(), QString("2\u2009048\u00A0B"));
    QCOMPARE(model.index(0, 1).data(ShareRole).toDouble(), 1.0);
    QVERIFY(!model.index(3, 1).data(ShareRole).isValid()); // the row whose size nobody knows has no bar
    QCOMPARE(model.index(0, 2).data().toString(), QString("\u2212512\u00A0B"));
    QCOMPARE(model.index(3, 1).data().toString(), QString("–"));
    model.setFormat(ui::theme::Format({{}, ui::theme::MemoryUnit::Bytes}));
    QCOMPARE(model.index(0, 1).data().toString(), QString("2\u2009048\u00A0B"));
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

  void theTreeKeepsTheRulesAndItsAncestors() {
    auto tree = std::make_shared<Tree>();
    tree->columns = {{"Program", Kind::Text}, {"Cycles", Kind::Cycles}};
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

  void whatIsSelectedElsewhereIsShownAmongItsNeighbours() {
    auto table = std::make_shared<Table>();
    table->columns = {{"Name", Kind::Name}};
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
    view.sortBy(1, Qt::AscendingOrder);
    QCOMPARE(view.selectedIds(), std::vector<int64_t>{2});
    view.setTable(sample());
    QCOMPARE(view.selectedIds(), std::vector<int64_t>{2});
    view.selectRow(view.rows().rowOfId(1));
    QCOMPARE(selected.count(), 1);
    QCOMPARE(view.rowHeight(0), 24);
  }

  void aLargeTreeOpensOnlyItsFirstLevels() {
    auto tree = std::make_shared<Tree>();
    tree->columns = {{"Step", Kind::Text}, {"Cycles", Kind::Cycles}};
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
    view.selectId(3); // a leaf deep inside is shown all the same
    QCOMPARE(view.currentId(), 3);
    QVERIFY(view.isExpanded(first));
    view.setFilter("5999");
    QVERIFY(view.rows().shownRows() > 1 && view.rows().shownRows() < 100);
  }
};

TILESCOPE_TEST(TableModelTest)
#include "table_model_test.moc"
