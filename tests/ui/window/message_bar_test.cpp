#include "ui/window/message_bar.h"

#include "tests/support/test_main.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QTest>

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
};

TILESCOPE_TEST(MessageBarTest)
#include "message_bar_test.moc"
