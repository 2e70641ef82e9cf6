// The rows of a query become a track of the trace: shown from Query, aligned with the lanes, kept in links, removed by a click.
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/page.h"
#include "ui/plot/timeline.h"
#include "ui/state/settings.h"
#include "ui/window/main_window.h"

#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace ui;

class SqlLaneTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_report{{.ipus = 1, .tilesPerIpu = 8, .operations = 4}};
  std::unique_ptr<shell::Settings> m_settings;
  std::unique_ptr<shell::MainWindow> m_window;

  bool settled() const {
    return QTest::qWaitFor(
        [this] {
          const auto* view = m_window->currentView();
          return !m_window->isOpening() && view && !view->isBusy() && !view->findChild<shell::Page*>()->isLoading();
        },
        60'000);
  }
  template<class T> T* named(const QString& name) const {
    for (T* candidate : m_window->currentView()->findChildren<T*>())
      if (candidate->accessibleName() == name) return candidate;
    return nullptr;
  }

private slots:
  void rowsBecomeATrack() {
    m_settings = std::make_unique<shell::Settings>(m_folder.filePath("lane.ini"));
    shell::ViewList list;
    for (const char* id : {"trace", "query"}) list.push_back(tests::listed(QString::fromLatin1(id)));
    m_window = std::make_unique<shell::MainWindow>(m_theme, *m_settings, list);
    m_window->resize(1280, 800);
    m_window->show();
    QSignalSpy finished(m_window.get(), &shell::MainWindow::openFinished);
    m_window->openReports({QString::fromStdString(m_report.path().string())});
    QTRY_VERIFY(finished.count() > 0);
    m_window->showView("query");
    QVERIFY(settled());
    const QString sql = "SELECT ipu, start_cycle, cycles, name FROM execution_step WHERE kind = 'DoExchange'";
    auto* text = m_window->currentView()->findChild<QPlainTextEdit*>();
    text->setPlainText(sql);
    QTest::keyClick(text, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(settled());
    QPushButton* button = nullptr;
    for (auto* candidate : m_window->currentView()->findChildren<QPushButton*>())
      if (candidate->text() == "Show in Trace") button = candidate;
    QVERIFY(button && !button->isHidden());
    auto* tabs = named<QTabWidget>("Result");
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->widget(i)->isAncestorOf(button)) tabs->setCurrentIndex(i);
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_COMPARE(m_window->state().view(), QString("trace"));
    QVERIFY(settled());
    auto* query = named<QLineEdit>("Query of the track");
    auto* rows = named<plot::Timeline>("Rows of a query");
    auto* lanes = named<plot::Timeline>("Execution trace");
    QVERIFY(query && rows && lanes);
    QTRY_VERIFY(rows->isVisible());
    QCOMPARE(query->text(), sql);
    QCOMPARE(rows->extent(), lanes->extent());
    QVERIFY(!rows->rows().tracks().empty());
    // They move together.
    const auto all = lanes->extent();
    const reports::TickRange half{all.begin, all.begin + all.size() / 2};
    m_window->state().setRange(half);
    QTRY_COMPARE(rows->visibleRange(), lanes->visibleRange());
    QCOMPARE(rows->visibleRange(), half);
    // A click removes the track.
    auto* close = named<QToolButton>("Remove the track");
    QVERIFY(close);
    QTest::mouseClick(close, Qt::LeftButton);
    QVERIFY(!rows->isVisible() && query->text().isEmpty());
    m_window.reset();
  }
};

TILESCOPE_TEST(SqlLaneTest)
#include "sql_lane_test.moc"
