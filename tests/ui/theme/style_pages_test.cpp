#include "tests/support/test_main.h"
#include "ui/theme/style_pages.h"

#include <QApplication>
#include <QLabel>
#include <QMenu>
#include <QTest>

#include <map>

using ui::theme::holdPages;
using ui::theme::StylePages;

namespace {

// Counts how often each widget is styled.
class StyleCounter : public QObject {
public:
  StyleCounter() { qApp->installEventFilter(this); }
  std::map<const QObject*, int> counts;

protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::StyleChange) ++counts[watched];
    return false;
  }
};

const QString kLight = QStringLiteral("QLabel { color: #102030; }");
const QString kDark = QStringLiteral("QLabel { color: #d0e0f0; }");

QColor inkOf(const QWidget& label) { return label.palette().color(QPalette::WindowText); }

} // namespace

class StylePagesTest : public QObject {
  Q_OBJECT

private slots:
  void cleanup() { StylePages::setSheet(*qApp, {}); }

  // A page is styled at once while it is visible, else when it is shown; a page of a frame does not style its neighbours.
  void aHiddenPageIsStyledWhenItIsShown() {
    QWidget window;
    QWidget shown(&window), hidden(&window);
    QLabel here("a", &shown), there("b", &hidden);
    holdPages(window);
    hidden.hide();
    StylePages::setSheet(*qApp, kLight);
    window.show();
    QCOMPARE(inkOf(here), QColor("#102030"));
    StyleCounter counter;
    StylePages::setSheet(*qApp, kDark);
    QCOMPARE(inkOf(here), QColor("#d0e0f0"));
    QCOMPARE(counter.counts[&there], 0);
    hidden.show();
    QCOMPARE(inkOf(there), QColor("#d0e0f0"));
    QVERIFY(window.styleSheet().isEmpty());
  }

  // Qt's sheet of an application styles a widget once for each level above it.
  void aDeepWidgetIsStyledAsOftenAsAFlatOne() {
    QWidget window;
    QWidget* parent = &window;
    for (int level = 0; level < 12; ++level) parent = new QWidget(parent);
    QLabel deep("deep", parent), flat("flat", &window);
    StylePages::setSheet(*qApp, kLight);
    window.show();
    StyleCounter counter;
    StylePages::setSheet(*qApp, kDark);
    QVERIFY2(counter.counts[&deep] > 0 && counter.counts[&deep] <= counter.counts[&flat] + 1,
             qPrintable(QString("%1 and %2").arg(counter.counts[&deep]).arg(counter.counts[&flat])));
  }

  // Dialogs and menus, with and without a parent, made before and after the sheet.
  void windowsOfTheirOwnAreStyled() {
    QWidget window;
    holdPages(window);
    QWidget page(&window);
    QLabel early("early");
    StylePages::setSheet(*qApp, kDark);
    QLabel late("late"), dialog("dialog", &window, Qt::Dialog), tool("tool", &page, Qt::Tool);
    window.show();
    for (QLabel* label : {&early, &late, &dialog, &tool}) {
      label->show();
      QVERIFY2(inkOf(*label) == QColor("#d0e0f0"), qPrintable(label->text()));
    }
    StylePages::setSheet(*qApp, kLight);
    for (QLabel* label : {&early, &late, &dialog, &tool}) QVERIFY2(inkOf(*label) == QColor("#102030"), qPrintable(label->text()));
  }
};

TILESCOPE_TEST(StylePagesTest)
#include "style_pages_test.moc"
