#include "ui/tables/table_export.h"

#include "tests/support/test_main.h"
#include "ui/tables/table_model.h"
#include "ui/theme/theme.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace ui::tables;

class TableExportTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

private slots:
  // A script that sums a column of a saved table must not count everything twice; a reader of Markdown has the sum below.
  void totalsAreNoRowsOfData() {
    auto table = std::make_shared<Table>();
    table->columns = {{"name", "Name", Kind::Name},
                      {"bytes", "Bytes", Kind::Bytes, {}, 0, true, true},
                      {"code", "Code", Kind::Bytes, {}, 0, false, true}};
    for (int64_t id : {1, 2}) {
      Row row;
      row.id = id;
      row.cells = {QString("row %1").arg(id), int64_t(10 * id), int64_t(id)};
      table->rows.push_back(row);
    }
    TableModel model(m_theme);
    model.setTable(table);
    QCOMPARE(model.rowCount(), 3); // with the line of totals
    const QStringList lines = exportRows(model, {}, ExportFormat::Csv).split('\n', Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines.front(), QString("Name,Bytes,Code (bytes)")); // one unit per title
    QCOMPARE(QJsonDocument::fromJson(exportRows(model, {}, ExportFormat::Json).toUtf8()).array().size(), 2);
    const QStringList markdown = exportRows(model, {}, ExportFormat::Markdown).split('\n', Qt::SkipEmptyParts);
    QCOMPARE(markdown.size(), 5);
    QVERIFY2(markdown.back().contains("30"), qPrintable(markdown.back()));
  }

  // Values as the table shows them. Two columns with the same title become two members.
  void jsonKeepsTheOrderOfTheColumns() {
    auto table = std::make_shared<Table>();
    table->columns = {{"name", "Name", Kind::Name},
                      {"cycles", "Cycles", Kind::Cycles},
                      {"bytes", "Bytes", Kind::Bytes},
                      {"cycles", "Cycles", Kind::Cycles}};
    Row row;
    row.cells = {QString("a \"quoted\" ä\n"), int64_t(7), int64_t(5), Cell()};
    table->rows = {row};
    TableModel model(m_theme);
    model.setTable(table);
    const QString json = exportRows(model, {}, ExportFormat::Json);
    const QStringList keys{"\"Name\"", "\"Cycles\"", "\"Bytes\"", "\"Cycles 2\""};
    for (int i = 0; i + 1 < keys.size(); ++i)
      QVERIFY2(json.indexOf(keys[i]) >= 0 && json.indexOf(keys[i]) < json.indexOf(keys[i + 1]), qPrintable(json));
    QJsonParseError problem;
    const auto object = QJsonDocument::fromJson(json.toUtf8(), &problem).array().at(0).toObject();
    QCOMPARE(problem.error, QJsonParseError::NoError);
    QCOMPARE(object.value("Name").toString(), QString("a \"quoted\" ä\n"));
    QCOMPARE(object.value("Bytes").toInt(), 5);
    QVERIFY(object.contains("Cycles 2") && object.value("Cycles 2").isNull());
    table = std::make_shared<Table>(*table);
    table->rows.clear();
    model.setTable(table);
    QVERIFY(QJsonDocument::fromJson(exportRows(model, {}, ExportFormat::Json).toUtf8()).isArray());
  }
};

TILESCOPE_TEST(TableExportTest)
#include "table_export_test.moc"
