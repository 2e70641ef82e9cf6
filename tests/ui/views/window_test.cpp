// The window with real views and real reports: what only shows when they are put together.
#include "ui/shell/main_window.h"

#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "ui/shell/settings.h"
#include "ui/views/compare/compare_entry.h"
#include "ui/views/summary/summary_entry.h"
#include "ui/views/trace/trace_entry.h"

#include <QAbstractButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class WindowTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_one{{.ipus = 1, .tilesPerIpu = 4, .operations = 2}},
      m_two{{.ipus = 2, .tilesPerIpu = 4, .operations = 2}};

  QStringList files() const {
    return {QString::fromStdString(m_one.path().string()), QString::fromStdString(m_two.path().string())};
  }

private slots:
  void swapExchangesTheReports() {
    shell::Settings settings(m_folder.filePath("swap.ini"));
    shell::MainWindow window(m_theme, settings, {summary::entry(), compare::entry()});
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports(files());
    QTRY_COMPARE(finished.count(), 1);
    QCOMPARE(settings.recent().first(), files());
    for (QAbstractButton* button : window.findChildren<QAbstractButton*>())
      if (button->accessibleName() == "Swap the reports") button->click();
    QTRY_COMPARE(finished.count(), 2);
    QCOMPARE(settings.recent().first(), QStringList({files()[1], files()[0]}));
  }

  void nothingIsCutAtTheSmallestSize() {
    shell::Settings settings(m_folder.filePath("small.ini"));
    shell::MainWindow window(m_theme, settings, {summary::entry(), trace::entry(), compare::entry()});
    window.resize(window.minimumSize());
    window.show();
    QSignalSpy finished(&window, &shell::MainWindow::openFinished);
    window.openReports(files());
    QTRY_COMPARE(finished.count(), 1);
    for (const char* id : {"summary", "trace", "compare"}) {
      window.showView(id);
      QTRY_VERIFY(window.currentView() && !window.currentView()->isBusy());
      QCOMPARE(window.size(), window.minimumSize()); // no view asks for more than the window has
      for (const QAbstractButton* button : window.currentView()->findChildren<QAbstractButton*>())
        if (button->isVisible()) {
          const QRect place(button->mapTo(window.currentView(), QPoint()), button->size());
          QVERIFY2(window.currentView()->rect().contains(place) || button->parentWidget()->parentWidget() != window.currentView(),
                   qPrintable(button->accessibleName()));
        }
    }
  }
};

TILESCOPE_TEST(WindowTest)
#include "window_test.moc"
