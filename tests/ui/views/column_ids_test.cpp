// The columns of every table in every view have ids; settings, sort orders and links store them.
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/tables/table_view.h"

#include <QRegularExpression>
#include <QTest>

class ColumnIdsTest : public QObject {
  Q_OBJECT

private slots:
  void everyColumnHasAnIdOfItsOwn_data() {
    QTest::addColumn<QString>("view");
    for (const char* view : {"insights", "memory", "liveness", "program", "operations", "trace", "query", "compare"})
      QTest::newRow(view) << QString(view);
  }
  void everyColumnHasAnIdOfItsOwn() {
    QFETCH(QString, view);
    tests::ViewWorld world;
    world.open(view, view == "compare" ? world.session : nullptr);
    QVERIFY(world.settle());
    for (auto* tabs : world.view->findChildren<QTabWidget*>()) // many tables are made when somebody looks
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->isTabVisible(i)) {
          tabs->setCurrentIndex(i);
          QVERIFY(world.settle());
        }
    int columns = 0;
    // The id of a column of the report, a query or a parameter is a prefix, a point, and its name or number.
    static const QRegularExpression camel(QStringLiteral("^[a-z][A-Za-z0-9]*(\\..+)?$"));
    for (const auto* table : world.view->findChildren<QAbstractItemView*>()) {
      const auto* rows = qobject_cast<const ui::tables::TableModel*>(table->model());
      const auto* tree = qobject_cast<const ui::tables::TreeModel*>(table->model());
      const auto header = [&](int column, int role) {
        return table->model()->headerData(column, Qt::Horizontal, role).toString();
      };
      QSet<QString> ids;
      for (int c = 0; (rows || tree) && c < table->model()->columnCount(); ++c) {
        const QString id = header(c, ui::tables::IdRole), title = header(c, Qt::DisplayRole);
        const QString where = QString("%1, column \"%2\" with the id \"%3\"").arg(table->accessibleName(), title, id);
        QVERIFY2(camel.match(id).hasMatch(), qPrintable(where));
        QVERIFY2(!ids.contains(id), qPrintable(where));
        ids.insert(id), ++columns;
      }
    }
    QVERIFY(columns > 0);
  }
};

TILESCOPE_TEST(ColumnIdsTest)
#include "column_ids_test.moc"
