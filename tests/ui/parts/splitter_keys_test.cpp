#include "tests/support/test_main.h"
#include "ui/parts/splitter_keys.h"

#include <QSignalSpy>
#include <QSplitter>
#include <QTest>

class SplitterKeysTest : public QObject {
  Q_OBJECT
private slots:
  void arrowsMoveTheDividerAsADragDoes() {
    QSplitter splitter(Qt::Horizontal);
    for (int i = 0; i < 2; ++i) {
      auto* pane = new QWidget;
      pane->setMinimumSize(60, 40);
      splitter.addWidget(pane);
    }
    ui::shell::moveByKeys(splitter);
    splitter.resize(400, 200);
    splitter.show();
    QWidget* divider = splitter.handle(1);
    QVERIFY(divider->focusPolicy() & Qt::TabFocus);
    QVERIFY(!divider->accessibleName().isEmpty());
    divider->setFocus(Qt::TabFocusReason);
    QSignalSpy moved(&splitter, &QSplitter::splitterMoved);
    const int first = splitter.sizes()[0];
    QTest::keyClick(divider, Qt::Key_Right);
    QCOMPARE(splitter.sizes()[0], first + 16);
    QCOMPARE(moved.count(), 1); // views keep the place as after a drag
    QTest::keyClick(divider, Qt::Key_Left, Qt::ShiftModifier);
    QCOMPARE(splitter.sizes()[0], first - 48);
    QTest::keyClick(divider, Qt::Key_Home);
    QCOMPARE(splitter.sizes()[0], 60); // a pane keeps its minimum
    QTest::keyClick(divider, Qt::Key_End);
    QCOMPARE(splitter.sizes()[1], 60);
    QTest::keyClick(divider, Qt::Key_Up);
    QCOMPARE(splitter.sizes()[1], 60); // across the divider
  }
};

TILESCOPE_TEST(SplitterKeysTest)
#include "splitter_keys_test.moc"
