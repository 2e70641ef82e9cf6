#include "ui/window/message_bar.h"

#include "tests/support/test_main.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QEnterEvent>
#include <QLabel>
#include <QTest>
#include <QTimer>
#include <QVBoxLayout>

using namespace ui;

class MessageBarTest : public QObject {
  Q_OBJECT

private slots:
  // The size hint of a text with word wrap is narrow: a short message in a wide window once took three lines.
  void isAsHighAsItsTextNeeds() {
    theme::Theme theme;
    QWidget window;
    window.resize(1600, 900);
    auto* area = new QWidget(&window);
    area->setGeometry(0, 0, 1600, 900);
    auto* bar = new shell::MessageBar(theme, &window);
    bar->floatOver(*area);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const QString text = "Out of memory: this program does not fit the machine. Memory shows which tiles, and what fills them.";
    bar->say(text, shell::Tone::Warning, "Show the fullest tile", [] {});
    const int line = bar->findChild<QLabel*>()->fontMetrics().height();
    const int one = bar->height();
    QVERIFY2(one < 3 * line, qPrintable(QString::number(one)));
    bar->say((text + ' ').repeated(12), shell::Tone::Warning, "Show the fullest tile", [] {});
    QVERIFY2(bar->height() >= 3 * line, qPrintable(QString::number(bar->height())));
    QCOMPARE(bar->geometry().bottom() < area->height(), true);
  }

  // Out of memory lay over the last rows of each table until it was closed; "finished" lay over the list of runs.
  void aMessageThatStaysCoversNothing() {
    theme::Theme theme;
    QWidget window;
    window.resize(1280, 800);
    auto* column = new QVBoxLayout(&window);
    auto* area = new QWidget;
    column->addWidget(area, 1);
    auto* bar = new shell::MessageBar(theme, &window);
    bar->floatOver(*area, column);
    window.show();
    QVERIFY(QTest::qWaitForWindowExposed(&window));
    const QRect whole = area->geometry();
    const auto covers = [&] { return bar->isVisible() && bar->geometry().intersects(area->geometry()); };
    auto* leave = bar->findChild<QTimer*>();
    bar->say("Out of memory", shell::Tone::Warning, "Show the fullest tile", [] {});
    QTRY_VERIFY(bar->isVisible() && !covers() && area->height() < whole.height());
    QCOMPARE(area->geometry().topLeft(), whole.topLeft()); // nothing moves under the pointer
    QVERIFY(!leave->isActive());
    bar->hide();
    QTRY_COMPARE(area->geometry(), whole);
    bar->say("heat.tsr changed on disk.", shell::Tone::Neutral, "Reload", [] {});
    QTRY_VERIFY(bar->isVisible() && !covers());
    // A notice of success leaves, also one with an action.
    bar->say("heat finished in 6.19 s.", shell::Tone::Good, "Open", [] {});
    QTRY_VERIFY(covers() && area->geometry() == whole);
    QVERIFY(leave->isActive() && leave->isSingleShot() && leave->interval() == 8000);
    QEnterEvent enter(QPointF(5, 5), QPointF(5, 5), QPointF(5, 5));
    QApplication::sendEvent(bar, &enter);
    QVERIFY(!leave->isActive());
    QEvent left(QEvent::Leave);
    QApplication::sendEvent(bar, &left);
    QVERIFY(leave->isActive());
  }
};

TILESCOPE_TEST(MessageBarTest)
#include "message_bar_test.moc"
