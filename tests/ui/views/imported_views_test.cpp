// Every view shows what the importers write, without an error page and without a failing reader.
#include "tests/support/imports.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/state_page.h"
#include "ui/state/settings.h"
#include "ui/window/main_window.h"

#include <QLabel>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class ImportedViewsTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  std::unique_ptr<shell::Settings> m_settings;
  std::unique_ptr<shell::MainWindow> m_window;

  bool isSettled() const {
    return QTest::qWaitFor([this] { return m_window->currentView() && !m_window->currentView()->isBusy(); }, 20000);
  }

private slots:
  void initTestCase() {
    m_settings = std::make_unique<shell::Settings>(m_folder.filePath("s.ini"));
    shell::ViewList views;
    for (const char* id : {"summary", "insights", "memory", "liveness", "program", "operations", "trace", "host", "query"})
      views.push_back(tests::listed(QString::fromLatin1(id)));
    m_window = std::make_unique<shell::MainWindow>(m_theme, *m_settings, views);
    m_window->resize(1280, 800);
    m_window->show();
  }
  void cleanupTestCase() { m_window.reset(); }

  void everyViewShowsIt_data() { tests::addImportableRows(1u << 16); }
  void everyViewShowsIt() {
    QFETCH(QStringList, files);
    const tests::TemporaryFolder folder;
    try {
      tests::importInto(folder / "report.tsr", files);
    } catch (const reports::Error&) {
      return; // refused; another test looks at the reason
    }
    QSignalSpy finished(m_window.get(), &shell::MainWindow::openFinished);
    m_window->openReports({QString::fromStdString((folder / "report.tsr").string())});
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 20000);
    QVERIFY(finished.first().first().toBool());
    for (const auto& entry : m_window->views()) {
      m_window->showView(entry.id);
      QVERIFY2(isSettled(), qPrintable(entry.id));
      auto* tabs = m_window->currentView()->findChild<QTabWidget*>();
      for (int tab = 0; tabs && tabs->isVisible() && tab < tabs->count(); ++tab) {
        if (tabs->isTabVisible(tab)) tabs->setCurrentIndex(tab);
        QVERIFY2(isSettled(), qPrintable(entry.id));
      }
      for (const auto* label : m_window->currentView()->findChildren<QLabel*>())
        QVERIFY2(!label->isVisible() || !label->text().contains("could not be read: "),
                 qPrintable(entry.id + ": " + label->text()));
      for (const auto* page : m_window->currentView()->findChildren<shell::StatePage*>())
        if (page->isVisible()) QVERIFY2(!page->isError(), qPrintable(entry.id));
    }
  }
};

TILESCOPE_TEST(ImportedViewsTest)
#include "imported_views_test.moc"
