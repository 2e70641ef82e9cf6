// How a page shares its height between plot and tabs.
#include "tests/support/test_main.h"
#include "ui/parts/page.h"
#include "ui/parts/shown_tabs.h"
#include "ui/parts/verdict_line.h"
#include "ui/parts/vertical_scroll.h"
#include "ui/plot/bar_list.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWheelEvent>

using namespace ui::shell;

class PageTest : public QObject {
  Q_OBJECT

  // A page with a plot, a low tab and a tall one.
  struct World {
    ui::theme::Theme theme;
    Page page{theme};
    QWidget* plot = new QWidget;
    QWidget *low = new QWidget, *tall = new QWidget;

    World(int height) {
      auto* inside = new QWidget;
      inside->setMinimumHeight(400);
      (new QVBoxLayout(tall))->addWidget(inside);
      page.setVerdict(QStringLiteral("All tiles hold the same."));
      page.setPlot(plot, 0.5);
      page.tabs()->addTab(low, QStringLiteral("Low"));
      page.tabs()->addTab(tall, QStringLiteral("Tall"));
      page.showContent();
      page.resize(900, height);
      page.show();
      settle();
    }
    void settle() { QVERIFY(QTest::qWaitForWindowExposed(&page)); }
    bool isHalf() { return std::abs(plot->height() - page.tabs()->height()) <= 12; } // but for the handle between them
  };

private slots:
  // The wheel skips hidden tabs.
  void theWheelOpensNoHiddenTab() {
    World w(640);
    auto* last = new QWidget;
    w.page.tabs()->addTab(last, QStringLiteral("Last"));
    setTabShown(*w.page.tabs(), w.tall, false);
    QTabBar* bar = w.page.tabs()->tabBar();
    const QPointF at = bar->rect().center();
    QWheelEvent down(at, bar->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(bar, &down);
    QCOMPARE(w.page.tabs()->currentWidget(), last);
    setTabShown(*w.page.tabs(), w.tall, true);
    w.page.tabs()->setCurrentWidget(w.low);
    QApplication::sendEvent(bar, &down);
    QCOMPARE(w.page.tabs()->currentWidget(), w.tall);
  }

  void aBannerIsDismissed() {
    World w(640);
    w.page.setBanner(QStringLiteral("The picture could not be written."), Tone::Bad);
    QToolButton* close = nullptr;
    for (auto* button : w.page.findChildren<QToolButton*>())
      if (button->accessibleName() == QLatin1String("Dismiss")) close = button;
    QVERIFY(close && close->isVisible());
    QTest::mouseClick(close, Qt::LeftButton);
    QVERIFY(!close->isVisible());
  }

  // A banner that appears while the page is visible covers part of it; one that is there before has its own row.
  void aBannerDoesNotMoveThePageUnderThePointer() {
    World w(640);
    const QPoint before = w.plot->mapTo(&w.page, QPoint());
    const int high = w.plot->height();
    w.page.setBanner(QStringLiteral("The run has said nothing for a minute."), Tone::Warning);
    QCoreApplication::processEvents();
    QCOMPARE(w.plot->mapTo(&w.page, QPoint()), before);
    QCOMPARE(w.plot->height(), high);
    w.page.clearBanner();
    w.page.hide();
    w.page.setBanner(QStringLiteral("The report is damaged."), Tone::Bad);
    w.page.show();
    QCoreApplication::processEvents();
    QVERIFY(w.plot->mapTo(&w.page, QPoint()).y() > before.y());
  }

  // The tab bar does not move when the tab changes; a taller tab has its full height below it.
  void aTallTabTakesNoRoomFromThePlot() {
    World w(640);
    QVERIFY2(w.isHalf(), qPrintable(QStringLiteral("%1 and %2").arg(w.plot->height()).arg(w.page.tabs()->height())));
    const int plot = w.plot->height(), tabs = w.page.tabs()->mapTo(&w.page, QPoint()).y();
    w.page.tabs()->setCurrentWidget(w.tall);
    QTest::qWait(0);
    QVERIFY(w.tall->height() >= 400);
    QCOMPARE(w.plot->height(), plot);
    QCOMPARE(w.page.tabs()->mapTo(&w.page, QPoint()).y(), tabs);
    w.page.tabs()->setCurrentWidget(w.low);
    QTest::qWait(0);
    QVERIFY2(w.isHalf(), qPrintable(QStringLiteral("%1 and %2").arg(w.plot->height()).arg(w.page.tabs()->height())));
    QCOMPARE(w.page.tabs()->mapTo(&w.page, QPoint()).y(), tabs);
  }
  // A list that gets more rows while its tab is hidden shows all of them when the tab is shown again.
  void aListThatGrowsOutOfSightIsWhole() {
    World w(900);
    auto* bars = new ui::plot::BarList(w.theme, QStringLiteral("Shares"));
    const auto setRows = [&](int rows) { bars->setBars(std::vector<ui::plot::Bar>(std::size_t(rows), {"row", "1"})); };
    setRows(2);
    (new QVBoxLayout(w.low))->addWidget(verticalScroll(bars));
    QTest::qWait(0);
    QCOMPARE(bars->height(), bars->sizeHint().height());
    w.page.tabs()->setCurrentWidget(w.tall);
    QTest::qWait(0);
    setRows(6);
    QTest::qWait(0);
    w.page.tabs()->setCurrentWidget(w.low);
    QTest::qWait(0);
    QCOMPARE(bars->height(), bars->sizeHint().height());
  }
  // The plot also keeps its height if the content of a tab gets taller.
  void aTabThatGrowsTakesNoRoomFromThePlot() {
    World w(640);
    const int plot = w.plot->height();
    w.low->setMinimumHeight(450);
    QVERIFY(QTest::qWaitFor([&] { return w.low->height() >= 450; }));
    QCOMPARE(w.plot->height(), plot);
  }
  // A tab taller than a low window has its full height: the page scrolls to the chosen tab.
  void aLowPageScrollsToItsTab() {
    World w(240);
    w.page.tabs()->setCurrentWidget(w.tall);
    const auto* scroll = w.page.findChild<QScrollArea*>();
    QVERIFY(QTest::qWaitFor([&] { return scroll->verticalScrollBar()->value() > 0; }));
    QVERIFY(w.tall->height() >= 400);
    QVERIFY(w.plot->height() >= 100);
    QCOMPARE(w.page.height(), 240);
  }
  // An area of several plots keeps the minimum height of each of them.
  void aLowPageKeepsTheHeightOfItsPlots() {
    ui::theme::Theme theme;
    Page page(theme);
    auto* plots = new QSplitter(Qt::Vertical);
    plots->setChildrenCollapsible(false);
    for (const int height : {120, 80}) {
      auto* plot = new QWidget;
      plot->setMinimumHeight(height);
      plots->addWidget(plot);
    }
    page.setPlot(plots, 0.5);
    auto* tab = new QWidget;
    tab->setMinimumHeight(150);
    page.tabs()->addTab(tab, QStringLiteral("Tab"));
    page.showContent();
    page.resize(900, 300);
    page.show();
    QVERIFY(QTest::qWaitForWindowExposed(&page));
    QVERIFY2(plots->height() >= 200, qPrintable(QString::number(plots->height())));
    QVERIFY(tab->height() >= 150);
  }
  void aPlaceChosenByHandStays() {
    World w(700);
    auto* splitter = w.page.findChild<QSplitter*>();
    splitter->setProperty("placedByHand", true);
    splitter->setSizes({200, 400});
    const int before = w.plot->height();
    w.page.tabs()->setCurrentWidget(w.tall);
    w.page.tabs()->setCurrentWidget(w.low);
    QTest::qWait(0);
    QCOMPARE(w.plot->height(), before);
  }
  void aTabMayHaveAShareOfItsOwn() {
    World w(800);
    w.page.setPlotShareOf(w.tall, 0.25);
    QVERIFY(w.isHalf());
    w.page.tabs()->setCurrentWidget(w.tall);
    QVERIFY2(w.plot->height() * 5 < w.page.tabs()->height() * 2, qPrintable(QString::number(w.plot->height())));
    w.page.tabs()->setCurrentWidget(w.low);
    QVERIFY(w.isHalf());
    w.page.resize(900, 440); // a short page has no room for both
    w.page.tabs()->setCurrentWidget(w.tall);
    QCOMPARE(w.page.tall(), PagePart::Tabs);
    w.page.tabs()->setCurrentWidget(w.low);
    QCOMPARE(w.page.tall(), PagePart::Both);
  }
  // Tools that moved below a long sentence stay there for shorter ones, and are beside the sentence again in the next report.
  void toolsStayWhereTheyWent() {
    World w(640);
    auto* tool = new QToolButton;
    tool->setFixedWidth(300);
    w.page.addTool(tool);
    const auto isBelow = [&] {
      QCoreApplication::processEvents();
      const auto* verdict = w.page.findChild<VerdictLine*>();
      return tool->mapTo(&w.page, QPoint()).y() >= verdict->mapTo(&w.page, QPoint(0, verdict->height())).y() - 1;
    };
    QVERIFY(!isBelow());
    w.page.setVerdict(QStringLiteral("a word of a long sentence ").repeated(8));
    QVERIFY(isBelow());
    w.page.setVerdict(QStringLiteral("Short."));
    QVERIFY(isBelow());
    w.page.clearVerdict();
    w.page.setVerdict(QStringLiteral("Short."));
    QVERIFY(!isBelow());
  }
  // An empty page hides its tools and its legend.
  void anEmptyPageHasNoTools() {
    World w(640);
    auto* tool = new QToolButton;
    auto* row = new QLabel(QStringLiteral("Legend"));
    w.page.addTool(tool), w.page.addHeaderRow(row);
    QTRY_VERIFY(tool->isVisible() && row->isVisible());
    w.page.showEmpty(QStringLiteral("Nothing"), QStringLiteral("There is no report."));
    QVERIFY(!tool->isVisible() && !row->isVisible());
    w.page.showContent();
    QVERIFY(tool->isVisible() && row->isVisible());
  }
  // The buttons at the end of the tab bar show either part on the whole page, and then both again.
  void aPartTakesTheWholePage() {
    World w(640);
    const auto button = [&](const QString& name) {
      for (auto* b : w.page.findChildren<QToolButton*>())
        if (b->accessibleName() == name) return b;
      return static_cast<QToolButton*>(nullptr);
    };
    auto *tabs = button(QStringLiteral("Tabs at full height")), *plot = button(QStringLiteral("Plot at full height"));
    QVERIFY(tabs && plot);
    tabs->click();
    QVERIFY(w.plot->isHidden());
    QTRY_VERIFY(w.page.tabs()->height() > 500);
    plot->click(); // at once, without both in between
    QCOMPARE(w.page.tall(), PagePart::Plot);
    QVERIFY(!tabs->isChecked() && w.plot->isVisible());
    QTRY_VERIFY(w.plot->height() > 500);
    QTest::mouseClick(w.page.tabs()->tabBar(), Qt::LeftButton, {}, w.page.tabs()->tabBar()->tabRect(1).center());
    QCOMPARE(w.page.tall(), PagePart::Both); // a tab that is asked for is shown
    QVERIFY(w.tall->isVisible() && w.plot->isVisible());
  }
  void aShortPageHasSmallWords() {
    World tall(800), low(440);
    const auto verdict = [](const World& w) { return w.page.findChild<VerdictLine*>()->property("role").toString(); };
    QCOMPARE(verdict(tall), QStringLiteral("heading"));
    QCOMPARE(verdict(low), QStringLiteral("strong"));
    low.page.resize(900, 800);
    QCOMPARE(verdict(low), QStringLiteral("heading"));
  }
};

TILESCOPE_TEST(PageTest)
#include "page_test.moc"
