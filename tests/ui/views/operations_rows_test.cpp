// Selection and filter stay while the rows of the Operations view change; columns that do not fit are listed.
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/legend.h"
#include "ui/tables/table_view.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QToolButton>

class OperationsRowsTest : public QObject {
  Q_OBJECT

  static void chooseRows(tests::ViewWorld& world, const QString& id) {
    auto* rows = world.child<QComboBox>("Rows");
    rows->setCurrentIndex(rows->findData(id));
    emit rows->activated(rows->currentIndex());
    QVERIFY(world.settle());
  }

private slots:
  void theSelectionAndTheFilterStay() {
    tests::ViewWorld world;
    world.open("operations");
    QVERIFY(world.settle());
    auto& table = *world.child<ui::tables::TableView>("Operations");
    auto& tree = *world.child<ui::tables::TreeView>("Operations by name");
    const int64_t chosen = 2; // is not the largest, which would be selected again
    table.selectIds({chosen});
    emit table.idsSelected({chosen});
    const QString selected = world.view->selectionText();
    world.child<QLineEdit>("Filter of Operations")->setText("conv");
    for (const char* rows : {"tree", "ipu", "all"}) {
      chooseRows(world, rows);
      QCOMPARE(world.view->selectionText(), selected);
      QCOMPARE(world.child<QLineEdit>("Filter of the tree")->text(), QString("conv"));
      QCOMPARE(world.child<QLineEdit>("Filter of Operations")->text(), QString("conv"));
    }
    QVERIFY(tree.rows().shownRows() > 0);
    world.child<QLineEdit>("Filter of the tree")->clear();
    chooseRows(world, "kind"); // the group that has it
    QVERIFY(!world.view->selectionText().isEmpty());
  }

  // Vertices only compute: exchange and sync of the operations are not in their bars.
  void theLegendHasWhatIsDrawn() {
    tests::ViewWorld world;
    world.open("operations");
    QVERIFY(world.settle());
    const auto* legend = world.view->findChild<ui::plot::Legend*>();
    const auto titles = [&] {
      QStringList texts;
      for (const auto* chip : legend->findChildren<QAbstractButton*>())
        if (chip->isVisibleTo(legend)) texts << chip->accessibleName();
      return texts.join('|');
    };
    QVERIFY2(titles().contains("Exchange"), qPrintable(titles()));
    auto* rows = world.child<QComboBox>("Rows");
    const int types = rows->findText("Vertex types");
    QVERIFY(types > 0);
    chooseRows(world, rows->itemData(types).toString());
    QVERIFY2(titles().contains("Compute") && !titles().contains("Exchange") && !titles().contains("Sync"), qPrintable(titles()));
    chooseRows(world, "all");
    QVERIFY2(titles().contains("Exchange"), qPrintable(titles()));
  }

  void theTableIsSortedAsThePicture() {
    tests::ViewWorld world;
    world.settings.setValue("operations/grouping", "all");
    world.open("operations");
    QVERIFY(world.settle());
    auto& table = *world.child<ui::tables::TableView>("Operations");
    auto* picture = world.child<QComboBox>("Picture");
    const auto sorted = [&] {
      const auto& header = *table.horizontalHeader();
      return table.model()->headerData(header.sortIndicatorSection(), Qt::Horizontal).toString();
    };
    const auto choose = [&](int index) {
      picture->setCurrentIndex(index);
      emit picture->activated(index);
    };
    QCOMPARE(sorted(), QString("Cycles"));
    choose(1);
    QCOMPARE(sorted(), QString("Wasted tile-cycles"));
    table.sortBy("name", Qt::AscendingOrder); // by hand
    choose(1);
    QCOMPARE(sorted(), QString("Operation"));
    choose(0);
    QCOMPARE(sorted(), QString("Cycles"));
  }

  void columnsWithoutRoomAreNamedUnlessSomebodyChoseThem() {
    tests::ViewWorld world;
    world.settings.setValue("operations/grouping", "all");
    world.open("operations");
    QVERIFY(world.settle());
    auto& table = *world.child<ui::tables::TableView>("Operations");
    const auto note = [&] {
      for (const auto* button : world.view->findChildren<QToolButton*>())
        if (button->isVisible() && button->text().startsWith('+') && button->text().contains("column")) return button->toolTip();
      return QString();
    };
    const auto hidden = [&] {
      QStringList titles;
      for (int c = 0; c < table.model()->columnCount(); ++c)
        if (table.isColumnHidden(c)) titles << table.model()->headerData(c, Qt::Horizontal).toString();
      return titles;
    };
    world.view->resize(1900, 900);
    QVERIFY(world.settle());
    QCOMPARE(hidden(), QStringList());
    QCOMPARE(note(), QString());
    world.view->resize(800, 700);
    QVERIFY(world.settle());
    QVERIFY(!hidden().isEmpty());
    for (const QString& title : hidden()) QVERIFY2(note().contains(title), qPrintable(note()));
    const auto actions = world.view->findChild<ui::shell::Page*>()->viewMenu()->actions();
    const auto ticked = std::find_if(actions.begin(), actions.end(), [](const QAction* a) { return a->text() == "Exchanged"; });
    QVERIFY(ticked != actions.end());
    (*ticked)->setChecked(true);
    QVERIFY(world.settle());
    QCOMPARE(hidden(), QStringList());
  }
};

TILESCOPE_TEST(OperationsRowsTest)
#include "operations_rows_test.moc"
