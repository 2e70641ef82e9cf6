#include "ui/views/operations/operations_tables.h"

#include "tests/support/test_main.h"
#include "ui/theme/theme.h"

#include <QTest>

using namespace ui::operations;

namespace {
Entry entry(const char* name, int64_t cycles) {
  Entry e;
  e.values.name = name;
  e.values.compute = e.values.total = reports::Cycles(cycles);
  return e;
}
} // namespace

class OperationsTablesTest : public QObject {
  Q_OBJECT

private slots:
  void commonFolderEndsAtASlash() {
    QCOMPARE(commonFolder({entry("model/block/conv1", 1), entry("model/block/conv2", 1)}), qsizetype(12));
    QCOMPARE(commonFolder({entry("model/a", 1), entry("other/a", 1)}), qsizetype(0));
    QCOMPARE(commonFolder({entry("model/a", 1)}), qsizetype(0));
    QCOMPARE(commonFolder({}), qsizetype(0));
  }

  void barsAreLargestFirstAndKeepTheirRow() {
    const ui::theme::Theme theme;
    const auto bars = topBars({entry("m/small", 5), entry("m/large", 50), entry("m/middle", 20)}, Measure::Cycles, 2, theme,
                              ui::theme::Format());
    QCOMPARE(bars.size(), std::size_t(2));
    QCOMPARE(bars[0].title, QString("large"));
    QCOMPARE(bars[0].id, int64_t(1));
    QCOMPARE(bars[1].id, int64_t(2));
    QVERIFY(bars[0].tip.startsWith("m/large"));
  }

  // Sorted by waste, another entry comes first, and a folder has no bar beside its own parts.
  void barsByWasteLeaveOutFolders() {
    const ui::theme::Theme theme;
    std::vector<Entry> entries{entry("m", 100), entry("m/small", 5), entry("m/large", 50)};
    entries[1].parent = entries[2].parent = 0;
    entries[0].values.tileCycles[analyser::trace::TileTime::Unused] = 1000;
    entries[1].values.tileCycles[analyser::trace::TileTime::Unused] = 900;
    entries[2].values.tileCycles[analyser::trace::TileTime::Sync] = 100;
    const auto bars = topBars(entries, Measure::Waste, 5, theme, ui::theme::Format());
    QCOMPARE(bars.size(), std::size_t(2));
    QCOMPARE(bars[0].id, int64_t(1));
    QCOMPARE(bars[0].segments.size(), std::size_t(1));
  }

  void columnsAreThoseChosen() {
    const auto table = entryTable({entry("m/a", 5)}, "Operation", {"wasted", "cycles"});
    QCOMPARE(table->columns.size(), std::size_t(4)); // name, operations, cycles, wasted: in the order of the list
    QCOMPARE(table->columns[2].title, QString("Cycles"));
    QCOMPARE(table->columns[3].title, QString("Wasted tile-cycles"));
    for (const QString& id : columnsShownAtFirst()) {
      QVERIFY(analyser::columns::indexOf(choosableColumns(), id.toStdString()) >= 0);
    }
  }
};

TILESCOPE_TEST(OperationsTablesTest)
#include "operations_tables_test.moc"
