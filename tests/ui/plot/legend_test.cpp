#include "ui/plot/legend.h"

#include "tests/support/test_main.h"
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QMenu>
#include <QTest>

using namespace ui::plot;

class LegendTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

  static std::vector<LegendEntry> entries(int count) {
    std::vector<LegendEntry> list;
    for (int i = 0; i < count; ++i)
      list.push_back({QString("Category %1").arg(i), "1 KiB", [] { return QColor(Qt::red); }, Mark::Area, false});
    return list;
  }
  // Every entry lies inside the legend.
  static bool showsAll(const Legend& legend) {
    for (const QAbstractButton* entry : legend.findChildren<QAbstractButton*>())
      if (!legend.rect().contains(entry->geometry())) return false;
    return true;
  }

private slots:
  void itIsAsHighAsItsLines() {
    Legend legend(m_theme);
    legend.resize(400, 24);
    legend.show();
    legend.setEntries(entries(2));
    const int one = legend.height();
    QVERIFY(showsAll(legend));
    legend.setEntries(entries(9)); // another curve was shown
    QVERIFY(legend.height() >= 3 * one && showsAll(legend));
    legend.setEntries(entries(2));
    QCOMPARE(legend.height(), one);
    legend.resize(150, one);
    QTRY_VERIFY(legend.height() > one && showsAll(legend));
  }

  // The tooltip of a narrow chip has its whole text, also for an entry that cannot be hidden.
  void tooltipsHaveTheWholeText() {
    Legend legend(m_theme);
    auto list = entries(2);
    list[1].fixed = true;
    legend.setEntries(list);
    const auto chips = legend.findChildren<QAbstractButton*>();
    QCOMPARE(chips.size(), 2);
    QVERIFY2(chips[0]->toolTip().startsWith("Category 0, 1 KiB\nClick"), qPrintable(chips[0]->toolTip()));
    QCOMPARE(chips[1]->toolTip(), QString("Category 1, 1 KiB"));
  }

  // A selection adds entries, but no line: what is below does not move under the pointer.
  void aSelectionAddsNoLine() {
    Legend legend(m_theme);
    legend.resize(700, 24);
    legend.show();
    auto list = entries(5);
    legend.setEntries(list);
    const int before = legend.height();
    list.push_back(
        {"net/layer3/attention/a rather long name of a variable", "1.25 MiB", [] { return QColor(Qt::black); }, Mark::Line});
    list.back().isExtra = true;
    legend.setEntries(list);
    QCOMPARE(legend.height(), before);
    QVERIFY(showsAll(legend));
    list.back().isExtra = false;
    legend.setEntries(list);
    QVERIFY(legend.height() > before);
  }

  // Entries without a mark in the plot are switches of a menu.
  void whatIsNotDrawnIsInTheMenu() {
    Legend legend(m_theme);
    legend.resize(700, 24);
    legend.show();
    auto list = entries(4);
    for (std::size_t i = 1; i < list.size(); ++i) list[i].inMenu = true;
    legend.setMenuTitle("Parts that count");
    legend.setEntries(list);
    auto* menu = legend.findChild<QMenu*>();
    emit menu->aboutToShow();
    QCOMPARE(menu->actions().size(), 3);
    QVERIFY(menu->actions()[1]->isChecked());
    menu->actions()[1]->trigger();
    QCOMPARE(legend.shown(), (std::vector<bool>{true, true, false, true}));
    QCOMPARE(legend.hidden(), QStringList{"Category 2"});
    int chips = 0;
    for (auto* button : legend.findChildren<QAbstractButton*>()) chips += button->isVisible();
    QCOMPARE(chips, 2); // the first, and the menu
  }

  // Alt is for window managers.
  void ctrlClickShowsOneAlone() {
    Legend legend(m_theme);
    legend.resize(400, 24);
    legend.show();
    legend.setEntries(entries(3));
    auto* second = legend.findChildren<QAbstractButton*>()[1];
    QTest::mouseClick(second, Qt::LeftButton, Qt::ControlModifier);
    QCOMPARE(legend.shown(), (std::vector<bool>{false, true, false}));
    QTest::mouseClick(second, Qt::LeftButton, Qt::ControlModifier);
    QCOMPARE(legend.shown(), (std::vector<bool>{true, true, true}));
    QVERIFY(second->toolTip().contains("Ctrl"));
  }
};

TILESCOPE_TEST(LegendTest)
#include "legend_test.moc"
