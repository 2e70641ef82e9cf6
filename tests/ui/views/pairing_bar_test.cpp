// Guessed pairs of operations can be changed in the window: separated, paired by hand, and reset to the guess.
#include "ui/views/operations/pairing_bar.h"

#include "reports/sqlite/connection.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/tables/table_view.h"

#include <QPushButton>

using namespace ui;
using analyser::compare::OperationPair;

class PairingBarTest : public QObject {
  Q_OBJECT

  static QPushButton* button(const tests::ViewWorld& world, const QString& text) {
    for (QPushButton* candidate : world.view->findChildren<QPushButton*>())
      if (candidate->text() == text) return candidate;
    return nullptr;
  }
  // Ids of rows that hold the text in their first cell.
  static std::vector<int64_t> rowsWith(const tables::TableView& table, const QString& text) {
    std::vector<int64_t> ids;
    for (int row = 0; row < table.rows().rowCount(); ++row)
      if (table.rows().index(row, 0).data().toString().contains(text)) ids.push_back(table.rows().idAt(row));
    return ids;
  }
  static void select(tables::TableView& table, const std::vector<int64_t>& ids) {
    table.clearSelection();
    for (const int64_t id : ids)
      table.selectionModel()->select(table.rows().index(table.rows().rowOfId(id), 0),
                                     QItemSelectionModel::Select | QItemSelectionModel::Rows);
  }

private slots:
  void onlyWhatCanBePairedIsOffered() {
    const std::vector<OperationPair> all{{"same", "", 0, 0}, {"old", "new", 1, 1}, {"gone", "", 2, -1}, {"added", "", -1, 2}};
    for (const std::vector<int64_t>& rows : {std::vector<int64_t>{}, {0}, {2}, {2, 2}, {0, 3}, {1, 2, 3}, {-1}, {9}}) {
      const auto choice = operations::pairingChoice(all, rows);
      QVERIFY(!choice.together && !choice.apart);
    }
    for (const std::vector<int64_t>& rows : {std::vector<int64_t>{2, 3}, {3, 2}})
      QCOMPARE(*operations::pairingChoice(all, rows).together, std::pair(std::string("gone"), std::string("added")));
    QCOMPARE(*operations::pairingChoice(all, {1}).apart, std::pair(std::string("old"), std::string("new")));
  }

  void aGuessIsOverruled() {
    tests::ViewWorld world;
    const tests::TinyReport other({.ipus = 2, .tilesPerIpu = 8, .operations = 4});
    reports::Connection(other.path(), reports::Connection::Mode::ReadWrite)
        .execute("UPDATE operation SET name = name || '/renamed' WHERE id = 1");
    world.open("operations", analyser::Session::open(other.path().string()));
    QVERIFY(world.settle());
    auto* table = world.child<tables::TableView>("Operations");
    QVERIFY(table);
    const auto guessed = rowsWith(*table, "→");
    QCOMPARE(guessed.size(), std::size_t(1));
    QVERIFY(!button(world, "Keep apart")->isEnabled() && !button(world, "Pair")->isEnabled());

    select(*table, guessed);
    QVERIFY(button(world, "Keep apart")->isEnabled());
    button(world, "Keep apart")->click();
    QVERIFY(world.settle());
    QVERIFY(rowsWith(*table, "→").empty());
    auto alone = rowsWith(*table, "only in A");
    const auto inB = rowsWith(*table, "only in B");
    QCOMPARE(alone.size(), std::size_t(1));
    QCOMPARE(inB.size(), std::size_t(1));

    alone.push_back(inB.front());
    select(*table, alone);
    QVERIFY(button(world, "Pair")->isEnabled());
    button(world, "Pair")->click();
    QVERIFY(world.settle());
    QCOMPARE(rowsWith(*table, "→").size(), std::size_t(1));
    QCOMPARE(rowsWith(*table, "(100").size(), std::size_t(1)); // paired by hand: certain
    QVERIFY(!button(world, "As found")->isHidden());
    button(world, "As found")->click();
    QVERIFY(world.settle());
    QVERIFY(button(world, "As found")->isHidden());
    QVERIFY(world.state.notes().pairing().together.empty() && world.state.notes().pairing().apart.empty());
    QCOMPARE(rowsWith(*table, "→").size(), std::size_t(1));
  }
};

TILESCOPE_TEST(PairingBarTest)
#include "pairing_bar_test.moc"
