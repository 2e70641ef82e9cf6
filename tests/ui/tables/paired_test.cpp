// Tables of two reports as one: A, B and the change.
#include "ui/tables/paired.h"

#include "tests/support/test_main.h"

#include <QTest>

using namespace ui::tables;

namespace {

std::shared_ptr<Table> reportTable(std::initializer_list<Row> rows) {
  auto table = std::make_shared<Table>();
  table->columns = {{"name", "Name", Kind::Name},
                    {"bytes", "Bytes", Kind::Bytes, {}, 0, true, true},
                    {"step", "Step", Kind::Count},
                    {"share", "Share", Kind::Percent}};
  table->rows = rows;
  return table;
}

Row namedRow(const char* name, int64_t bytes, int64_t step, int64_t id) {
  Row one{{QString(name), bytes, step, 0.5}, id, {}, {{analyser::columns::Thing::Variable, id}}, {}};
  return one;
}

} // namespace

class PairedTest : public QObject {
  Q_OBJECT
private slots:
  void numbersHaveBothAndTheChange() {
    const auto both = paired(reportTable({namedRow("x", 10, 1, 4), namedRow("y", 5, 2, 5)}),
                             reportTable({namedRow("y", 50, 3, 7), namedRow("x", 11, 1, 8)}), {"name"});
    QStringList ids;
    for (const Column& column : both->columns) ids << column.id;
    QCOMPARE(ids, QStringList({"name", "bytesA", "bytesB", "bytesChange", "stepA", "stepB", "stepChange", "shareA", "shareB"}));
    QCOMPARE(both->columns[3].kind, Kind::BytesDelta);
    QVERIFY(both->columns[3].bar && !both->columns[1].bar && both->columns[3].total);
    QVERIFY(!both->columns[1].isOptional && both->columns[4].isOptional);
    // The largest change first.
    QCOMPARE(std::get<QString>(both->rows[0].cells[0]), QString("y"));
    QCOMPARE(std::get<int64_t>(both->rows[0].cells[3]), int64_t(45));
    QCOMPARE(std::get<int64_t>(both->rows[1].cells[3]), int64_t(1));
    QCOMPARE(both->rows[0].id, int64_t(5)); // A's
    QCOMPARE(both->rows[0].about.size(), std::size_t(2));
    QVERIFY(both->rows[0].about[0].in == analyser::columns::Subject::In::Base && both->rows[0].about[1].id == 7);
  }

  // A and B are short, so the change is too.
  void aChangeOfTileCyclesIsOne() {
    auto table = std::make_shared<Table>();
    table->columns = {{"name", "Name", Kind::Name}, {"wasted", "Wasted tile-cycles", Kind::TileCycles}};
    table->rows = {Row{{QString("x"), int64_t(66200000)}, 1, {}, {}, {}}};
    const auto both = paired(table, table, QStringList{"name"});
    QCOMPARE(both->columns[3].id, QString("wastedChange"));
    QCOMPARE(both->columns[3].kind, Kind::TileCyclesDelta);
  }

  // Bytes that a report lacks are 0 there; the number of a step is not.
  void aRowOfOneReport() {
    const auto both = paired(reportTable({namedRow("x", 10, 1, 4)}), reportTable({namedRow("z", 3, 9, 2)}), {"name"});
    QCOMPARE(both->rows.size(), std::size_t(2));
    const Row &x = both->rows[0], &z = both->rows[1];
    QCOMPARE(std::get<int64_t>(x.cells[3]), int64_t(-10));
    QVERIFY(x.cells[2] == Cell() && x.cells[6] == Cell());
    QCOMPARE(std::get<int64_t>(z.cells[3]), int64_t(3));
    QCOMPARE(z.id, int64_t(-1));
    QCOMPARE(z.about.size(), std::size_t(1));
  }

  // In a narrow window one change stays, also in a table whose numbers have no bar, or have it where nothing changes.
  void aTableWithoutBarsKeepsItsFirstChange() {
    const auto a = reportTable({namedRow("x", 10, 1, 4), namedRow("y", 5, 2, 5)});
    a->columns[1].bar = false, a->columns[3].bar = true;
    const auto both = paired(a, a, {"name"});
    QVERIFY(both->columns[3].bar && !both->columns[2].isOptional && !both->columns[3].isOptional);
    QVERIFY(!both->columns[7].bar && both->columns[7].isOptional);
    // A given bar does not make a column an amount: a mean that only A has gets no change.
    a->columns[1].total = false;
    QVERIFY(paired(a, nullptr, {"name"})->rows[0].cells[3] == Cell());
    a->columns[1].bar = true;
    QVERIFY(paired(a, nullptr, {"name"})->rows[0].cells[3] == Cell(int64_t(-10)));
  }

  void rowsPairAsTheyAreTold() {
    const auto a = reportTable({namedRow("x", 1, 1, 4), namedRow("y", 2, 2, 5)}),
               b = reportTable({namedRow("z", 9, 1, 7), namedRow("x", 3, 3, 8)});
    const auto both = paired(a, b, std::vector<RowPair>{{-1, 0, 0}, {-1, 1, -1}, {-1, -1, 1}}, {});
    QCOMPARE(both->rows.size(), std::size_t(3));
    QCOMPARE(std::get<QString>(both->rows[0].cells[0]), QString("x → z"));
    QCOMPARE(std::get<int64_t>(both->rows[0].cells[3]), int64_t(8));
    const QStringList names{"x → z", "y", "x"}; // of the pairs
    QStringList found{{}, {}, {}};
    for (const Row& row : both->rows) {
      QVERIFY(row.id >= 0 && row.id < 3);
      found[row.id] = std::get<QString>(row.cells[0]);
    }
    QCOMPARE(found, names);
  }

  void equalNamesPairInOrder() {
    const auto both = paired(reportTable({namedRow("x", 1, 1, 1), namedRow("x", 2, 2, 2)}),
                             reportTable({namedRow("x", 1, 1, 1), namedRow("x", 2, 2, 2), namedRow("x", 9, 3, 3)}), {"name"});
    QCOMPARE(both->rows.size(), std::size_t(3));
    QCOMPARE(std::get<int64_t>(both->rows[0].cells[3]), int64_t(9)); // the third is only in B
    QCOMPARE(std::get<int64_t>(both->rows[1].cells[3]), int64_t(0));
  }

  void oneMayBeMissing() {
    const auto both = paired(nullptr, reportTable({namedRow("z", 3, 9, 2)}), {"name"});
    QCOMPARE(both->rows.size(), std::size_t(1));
    QCOMPARE(std::get<int64_t>(both->rows[0].cells[3]), int64_t(3));
    QVERIFY(paired(std::shared_ptr<const Table>(), nullptr, {"name"})->rows.empty());
  }

  // "Other live variables" of A is that of B, and its rows pair among themselves; a row named like one elsewhere does not.
  void treesPairLevelByLevel() {
    const auto treeOf = [](std::initializer_list<std::tuple<int, const char*, int64_t>> rows) {
      auto tree = std::make_shared<Tree>();
      tree->columns = {{"name", "Name", Kind::Name}, {"use", "Use", Kind::Text}, {"bytes", "Bytes", Kind::Bytes, {}, 0, true}};
      for (const auto& [parent, name, bytes] : rows) {
        TreeRow row{
            Row{{QString(name), QString(bytes > 4 ? "read" : "written"), bytes}, int64_t(tree->rows.size()) + 10, {}, {}, {}}};
        row.parent = parent;
        tree->rows.push_back(std::move(row));
      }
      return std::shared_ptr<const Tree>(tree);
    };
    const auto a = treeOf({{-1, "w", 5}, {-1, "also", 7}, {1, "x", 3}, {1, "x", 4}}),
               b = treeOf({{-1, "x", 9}, {-1, "also", 12}, {1, "x", 10}, {1, "w", 2}});
    const auto both = paired(a, b, {"name"});
    QCOMPARE(both->columns.size(), std::size_t(5));
    std::vector<std::tuple<int, QString, QString, int64_t>> rows;
    for (const TreeRow& row : both->rows)
      rows.emplace_back(row.parent, std::get<QString>(row.cells[0]), std::get<QString>(row.cells[1]),
                        std::get<int64_t>(row.cells[4]));
    QCOMPARE(rows, (decltype(rows){{-1, "w", "read", -5},
                                   {-1, "also", "read", 5},
                                   {1, "x", "written → read", 7},
                                   {1, "x", "written", -4},
                                   {-1, "x", "read", 9},
                                   {1, "w", "written", 2}}));
    QCOMPARE(both->rows[3].id, int64_t(13));
    QCOMPARE(both->rows[4].id, int64_t(-1));
    QCOMPARE(paired(nullptr, b, {"name"})->columns.size(), std::size_t(5));
  }

  // Compared with itself nothing changes, and swapped each change has the other sign.
  void swappingTurnsTheSigns() {
    const auto a = reportTable({namedRow("x", 10, 1, 4), namedRow("y", 5, 2, 5)}),
               b = reportTable({namedRow("y", 50, 3, 7), namedRow("z", 11, 1, 8)});
    const auto changes = [](const std::shared_ptr<const Table>& from, const std::shared_ptr<const Table>& to) {
      std::map<QString, int64_t> byName;
      const auto both = paired(from, to, {"name"});
      for (const Row& row : both->rows) byName[std::get<QString>(row.cells[0])] = std::get<int64_t>(row.cells[3]);
      return byName;
    };
    for (const auto& [name, change] : changes(a, a)) QCOMPARE(change, int64_t(0));
    const auto there = changes(a, b);
    auto back = changes(b, a);
    for (auto& [name, change] : back) change = -change;
    QCOMPARE(there, back);
  }
};

TILESCOPE_TEST(PairedTest)
#include "paired_test.moc"
