// No page is wider than its window: what is beyond the right edge cannot be scrolled into sight.
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/state/settings.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class PageWidthTest : public QObject {
  Q_OBJECT

  static constexpr int kWaitMs = 60'000, kIcon = 24; // pixels of an icon and its gap

  static bool settled(const shell::MainWindow& window) {
    return QTest::qWaitFor([&] { return !window.isOpening() && window.currentView() && !window.currentView()->isBusy(); },
                           kWaitMs);
  }
  // Areas that only scroll up and down and whose content is wider, and buttons narrower than their words.
  static QStringList tooWide(const QWidget& view) {
    QStringList found;
    for (const auto* area : view.findChildren<QScrollArea*>()) {
      if (!area->isVisible() || !area->widget() || area->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff) continue;
      if (const int more = area->widget()->width() - area->viewport()->width(); more > 0)
        found << QStringLiteral("%1 by %2 pixels").arg(area->widget()->metaObject()->className()).arg(more);
    }
    for (const auto* button : view.findChildren<QPushButton*>())
      if (button->isVisible() &&
          button->width() < button->fontMetrics().horizontalAdvance(button->text()) + (button->icon().isNull() ? 0 : kIcon))
        found << QStringLiteral("the words of %1").arg(button->text());
    return found;
  }

private slots:
  void everyTabFitsIntoANarrowWindow_data() {
    QTest::addColumn<int>("reports");
    QTest::addColumn<int>("width");
    QTest::newRow("one") << 1 << 1024;
    QTest::newRow("two") << 2 << 1024;
    QTest::newRow("two, 1920 pixels at 200 %") << 2 << 960;
  }
  void everyTabFitsIntoANarrowWindow() {
    QFETCH(int, reports);
    QFETCH(int, width);
    theme::Theme theme;
    theme.apply(*qApp); // widths depend on the style sheet
    const QTemporaryDir folder;
    shell::Settings settings(folder.filePath("width.ini"));
    const tests::TinyReport a{{.ipus = 4, .tilesPerIpu = 1472, .operations = 6}},
        b{{.ipus = 4, .tilesPerIpu = 1472, .operations = 7, .scale = 2}};
    shell::MainWindow window(theme, settings, app::gui::viewList());
    window.resize(width, 600);
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    QStringList files{QString::fromStdString(a.path().string()), QString::fromStdString(b.path().string())};
    window.openReports(files.mid(0, reports));
    QVERIFY(QTest::qWaitFor([&] { return finished.count() > 0; }, kWaitMs) && settled(window));
    int seen = 0;
    for (const auto& entry : window.views()) {
      if (reports < 2 && entry.needs == shell::Needs::Comparison) continue;
      window.showView(entry.id);
      QVERIFY2(settled(window), qPrintable(entry.id));
      QList<QTabWidget*> groups = window.currentView()->findChildren<QTabWidget*>();
      groups.prepend(nullptr); // the view as it opens
      for (QTabWidget* tabs : groups)
        for (int i = 0; i < (tabs ? tabs->count() : 1); ++i) {
          if (tabs && !tabs->isTabVisible(i)) continue;
          if (tabs) tabs->setCurrentIndex(i);
          QVERIFY2(settled(window), qPrintable(entry.id));
          QCoreApplication::processEvents(); // the layout follows
          const QStringList found = tooWide(*window.currentView());
          const QString place = tabs ? entry.id + ": " + tabs->tabText(i) : entry.id;
          QVERIFY2(found.isEmpty(), qPrintable(place + " is wider than the window: " + found.join(", ")));
          ++seen;
        }
    }
    QVERIFY(seen > 40);
  }
};

TILESCOPE_TEST(PageWidthTest)
#include "page_width_test.moc"
