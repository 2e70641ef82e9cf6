// No figure of the previous report is visible, not for a moment. Reports replace one another while views and tabs are open. At
// every iteration of the event loop, each visible figure is searched among the figures that only another report has.
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "tests/ui/views/shown_texts.h"
#include "ui/state/settings.h"
#include "ui/window/main_window.h"

#include <QRandomGenerator>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <map>

using namespace ui;

class FigureOwnerTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  // Sizes and cycles that are not multiples of one another.
  const tests::TinyReport m_first{{.ipus = 1, .tilesPerIpu = 61, .operations = 7, .slices = 4'001, .scale = 7, .title = "first"}},
      m_second{{.ipus = 2, .tilesPerIpu = 53, .operations = 11, .slices = 60'013, .scale = 11, .title = "second"}},
      m_third{{.ipus = 3, .tilesPerIpu = 47, .operations = 5, .slices = 9'001, .scale = 13, .title = "third"}};
  QStringList m_files;
  std::unique_ptr<shell::Settings> m_settings;
  std::unique_ptr<shell::MainWindow> m_window;
  QString m_open;                          // the report whose figures may be in sight
  std::map<QString, QSet<QString>> m_only; // figures that no other report has
  qsizetype m_looked = 0;

  static shell::ViewList views() {
    shell::ViewList list;
    for (const char* id : {"summary", "insights", "memory", "liveness", "program", "operations", "trace", "host"})
      list.push_back(tests::listed(QString::fromLatin1(id)));
    return list;
  }
  bool isSettled() const { return !m_window->isOpening() && m_window->currentView() && !m_window->currentView()->isBusy(); }
  QSet<QString> figures() const {
    const shell::View* view = m_window->currentView();
    if (!view) return {};
    QSet<QString> shown = tests::shownFigures(*view);
    for (const QString& words : {view->verdict(), view->selectionText()})
      if (tests::isFigure(words)) shown.insert(words);
    return shown;
  }
  // Empty: every figure may be of the open report.
  QString stranger() {
    for (const QString& figure : figures()) {
      ++m_looked;
      for (const auto& [file, only] : m_only)
        if (file != m_open && only.contains(figure)) return QFileInfo(file).path() + ": " + figure;
    }
    return {};
  }
  QTabWidget* tabs() const { return m_window->currentView() ? m_window->currentView()->findChild<QTabWidget*>() : nullptr; }

private slots:
  void initTestCase() {
    for (const auto* report : {&m_first, &m_second, &m_third}) m_files << QString::fromStdString(report->path().string());
    m_settings = std::make_unique<shell::Settings>(m_folder.filePath("s.ini"));
    m_window = std::make_unique<shell::MainWindow>(m_theme, *m_settings, views());
    m_window->resize(1280, 900);
    m_window->show();
    connect(m_window.get(), &shell::MainWindow::reportsChanged, this,
            [this](const QStringList& files) { m_open = files.value(0); });
    std::map<QString, QSet<QString>> all;
    for (const QString& file : m_files) {
      m_window->openReports({file});
      QTRY_VERIFY_WITH_TIMEOUT(m_open == file && isSettled(), 20000);
      for (const auto& entry : m_window->views()) {
        m_window->showView(entry.id);
        QTRY_VERIFY_WITH_TIMEOUT(isSettled(), 20000);
        for (int tab = 0; tab < std::max(1, tabs() ? tabs()->count() : 0); ++tab) {
          if (tabs()) tabs()->setCurrentIndex(tab);
          QTRY_VERIFY_WITH_TIMEOUT(isSettled(), 20000);
          all[file] |= figures();
        }
      }
    }
    for (const auto& [file, own] : all) {
      QSet<QString> only = own;
      for (const auto& [other, shown] : all)
        if (other != file) only -= shown;
      QVERIFY2(only.size() > 60, qPrintable(QString::number(only.size())));
      m_only[file] = only;
    }
  }
  void cleanupTestCase() { m_window.reset(); }

  void theLookoutSeesAStranger() {
    m_open = m_files[0]; // it is the third that is open
    QVERIFY(!stranger().isEmpty());
    m_open = m_files[2];
    QCOMPARE(stranger(), QString());
  }

  void noFigureIsOfAnotherReport() {
    QRandomGenerator random(40);
    const auto below = [&](int n) { return int(random.bounded(quint32(n))); };
    m_looked = 0;
    for (int round = 0; round < 150; ++round) {
      if (below(3) == 0) m_window->showView(m_window->views()[std::size_t(below(int(m_window->views().size())))].id);
      if (tabs() && tabs()->count() > 0 && below(3) == 0) tabs()->setCurrentIndex(below(tabs()->count()));
      m_window->openReports({m_files[below(3)]});
      // Some are opened over one that is still read.
      for (int turns = below(4) == 0 ? 2 + below(20) : 4000; turns > 0; --turns) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 1);
        const QString found = stranger();
        QVERIFY2(found.isEmpty(), qPrintable(QString("round %1, open is %2, figure of %3").arg(round).arg(m_open, found)));
        if (isSettled()) break;
      }
    }
    QVERIFY2(m_looked > 10'000, qPrintable(QString::number(m_looked)));
  }
};

TILESCOPE_TEST(FigureOwnerTest)
#include "figure_owner_test.moc"
