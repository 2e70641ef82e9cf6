#include "ui/window/top_bar.h"

#include "tests/support/test_main.h"
#include "ui/theme/theme.h"

#include <QTest>
#include <QToolButton>

using namespace ui::shell;

class TopBarTest : public QObject {
  Q_OBJECT

  ui::theme::Theme m_theme;

private slots:
  // Beside two reports a narrow bar has the units in a menu, and nothing of it is cut.
  void unitsHaveAPlaceBesideTwoReports() {
    TopBar bar(m_theme);
    const ChipText report{"bert-pipeline-gc200.tsr", "GC200, 4 IPUs, 5 888 tiles", "simulated", "54 MiB", "/reports/a.tsr"};
    bar.setReports({report, report});
    bar.setUnits({ui::theme::TimeUnit::Seconds, ui::theme::MemoryUnit::Binary}, true);
    bar.resize(974, bar.height());
    bar.show();
    QToolButton* menu = nullptr;
    QList<QToolButton*> units;
    for (auto* button : bar.findChildren<QToolButton*>()) {
      if (button->accessibleName() == "Units") menu = button;
      if (button->accessibleName().startsWith("Unit of ")) units << button;
    }
    QVERIFY(menu && units.size() == 5);
    QVERIFY(menu->isVisible() && !units.front()->isVisible());
    QCOMPARE(menu->text(), QString::fromUtf8("time, KiB ▾"));
    for (const QWidget* part : bar.findChildren<QWidget*>(Qt::FindDirectChildrenOnly))
      if (part->isVisible()) QVERIFY2(bar.rect().contains(part->geometry()), qPrintable(part->accessibleName()));
    bar.resize(1400, bar.height());
    QVERIFY(!menu->isVisible() && units.front()->isVisible());
  }
};

TILESCOPE_TEST(TopBarTest)
#include "top_bar_test.moc"
