#include "ui/parts/shown_tabs.h"

#include "tests/support/test_main.h"

#include <QTabBar>
#include <QTest>

using namespace ui;

class ShownTabsTest : public QObject {
  Q_OBJECT

  // Every visible tab has room and begins where the one before it ends; a hidden one takes none.
  static bool hasNoGap(const QTabWidget& tabs) {
    int end = -1;
    for (int i = 0; i < tabs.count(); ++i) {
      if (!tabs.isTabVisible(i)) continue;
      const QRect rect = tabs.tabBar()->tabRect(i);
      if (rect.width() < 8) return false;
      if (end >= 0 && rect.left() != end) return false;
      end = rect.right() + 1;
    }
    return end > 0;
  }

private slots:
  void changesWhileHiddenAreLaidOutOnShow() {
    QTabWidget tabs;
    std::vector<QWidget*> pages;
    for (const char* title : {"Cycles", "Exchange", "Vertices", "Debug"}) {
      pages.push_back(new QWidget);
      tabs.addTab(pages.back(), QString::fromLatin1(title));
    }
    tabs.resize(600, 200);
    const auto showStep = [&](bool isExchange) { // as the panel of a step does, whatever was shown before
      shell::setTabShown(tabs, pages[1], isExchange);
      shell::setTabShown(tabs, pages[2], !isExchange);
      shell::setTabShown(tabs, pages[3], true);
    };
    showStep(false);
    tabs.show();
    QVERIFY(QTest::qWaitForWindowExposed(&tabs));
    QVERIFY(hasNoGap(tabs));
    tabs.hide();
    showStep(true);
    tabs.show();
    QVERIFY(QTest::qWaitForWindowExposed(&tabs));
    QVERIFY(hasNoGap(tabs));
    QTest::mouseClick(tabs.tabBar(), Qt::LeftButton, {}, tabs.tabBar()->tabRect(1).center());
    QCOMPARE(tabs.currentWidget(), pages[1]);
    tabs.hide();
    showStep(false), showStep(false);
    tabs.show();
    QVERIFY(QTest::qWaitForWindowExposed(&tabs));
    QVERIFY(hasNoGap(tabs));
    QVERIFY(tabs.currentWidget() != pages[1]);
  }
};

TILESCOPE_TEST(ShownTabsTest)
#include "shown_tabs_test.moc"
