// Saved settings of a table's columns are keyed by column id, so they stay valid if columns are added, removed or renamed.
#include "tests/support/test_main.h"
#include "ui/tables/described_table.h"
#include "ui/tables/table_view.h"
#include "ui/theme/theme.h"

#include <QHeaderView>
#include <QTest>

using namespace ui::tables;

namespace {
struct Thing {
  std::string name;
  int64_t size = 0, work = 0;
};
using analyser::columns::Columns;
const Columns<Thing> kThings = {{"name", "Name", Kind::Name, "", &Thing::name},
                                {"size", "Size", Kind::Bytes, "Over all tiles", &Thing::size, analyser::columns::Sum::Yes},
                                {"work", "Cycles", Kind::Cycles, "", &Thing::work}};
const std::vector<Thing> kRows = {{"a", 10, 300}, {"b", 30, 100}, {"c", 20, 200}};

std::shared_ptr<const Table> things(std::initializer_list<std::string_view> left = {}) {
  return tableOf(analyser::columns::without(kThings, left), kRows, {.bars = {"size"}, .optional = {"work"}});
}
std::vector<int64_t> shownIds(const TableView& view) {
  std::vector<int64_t> ids;
  for (int r = 0; r < view.rows().rowCount(); ++r)
    if (const int64_t id = view.rows().idAt(r); id >= 0) ids.push_back(id);
  return ids;
}
using Ids = std::vector<int64_t>;
} // namespace

class TableOrderTest : public QObject {
  Q_OBJECT
  ui::theme::Theme m_theme;

private slots:
  void aDescriptionBecomesATable() {
    const auto table = things();
    QCOMPARE(table->columns[1].id, QString("size"));
    QCOMPARE(table->columns[1].tip, QString("Over all tiles"));
    QVERIFY(table->columns[1].bar && table->columns[1].total && !table->columns[1].isOptional);
    QVERIFY(table->columns[2].isOptional && !table->columns[2].total);
    QCOMPARE(table->rows[2].id, int64_t(2));
    QVERIFY(table->rows[2].cells[1] == Cell(int64_t(20)));
  }
  void anOrderIsTheIdOfAColumn() {
    TableView view(m_theme, "Things");
    view.sortBy("size", Qt::DescendingOrder);
    view.setTable(things());
    QCOMPARE(shownIds(view), (Ids{1, 2, 0}));
    QCOMPARE(view.orderText(), QString());
    view.sortByColumn(2, Qt::AscendingOrder);
    QCOMPARE(view.orderText(), QString("up work"));
    TableView other(m_theme, "Things");
    other.setOrderText("up work"); // before there are columns
    QCOMPARE(other.orderText(), QString("up work"));
    other.setTable(things());
    QCOMPARE(shownIds(other), (Ids{1, 2, 0}));
    other.setOrderText({});
    QCOMPARE(other.orderText(), QString());
  }
  void olderLinksNameThePlaceAndTheTitle() {
    TableView view(m_theme, "Things");
    view.setTable(things());
    view.setOrderText("up 2 Cycles");
    QCOMPARE(shownIds(view), (Ids{1, 2, 0}));
    view.setOrderText("down 1 Cycles"); // another column is there now
    QCOMPARE(shownIds(view), (Ids{0, 2, 1}));
    QCOMPARE(view.orderText(), QString("down work"));
    view.setOrderText("down 1 Nothing");
    QCOMPARE(view.orderText(), QString());
  }
  void anOrderFollowsItsColumn() {
    TableView view(m_theme, "Things");
    view.sortBy("size", Qt::DescendingOrder);
    view.setTable(things());
    view.sortByColumn(2, Qt::DescendingOrder);
    view.setTable(things({"size"}));
    QCOMPARE(view.horizontalHeader()->sortIndicatorSection(), 1);
    QCOMPARE(view.orderText(), QString("down work"));
    view.setTable(things({"work"})); // has it not: as at first
    QCOMPARE(shownIds(view), (Ids{1, 2, 0}));
    QCOMPARE(view.orderText(), QString());
  }
  void aWidthFollowsItsColumn() {
    TableView view(m_theme, "Things");
    view.resize(900, 300);
    view.setTable(things());
    view.horizontalHeader()->resizeSection(2, 333);
    view.setTable(things({"size"}));
    QCOMPARE(view.columnWidth(1), 333);
  }
};

TILESCOPE_TEST(TableOrderTest)
#include "table_order_test.moc"
