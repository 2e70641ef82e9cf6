// A link on another computer: the report is found by its id, by the name of its file, or by the user; the rest of the link stays.
#include "analyser/session/session.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/page.h"
#include "ui/state/settings.h"
#include "ui/state/view_link.h"
#include "ui/window/main_window.h"
#include "ui/window/report_id.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace ui;

class LinksElsewhereTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_a{{.ipus = 1, .tilesPerIpu = 8, .operations = 4}},
      m_b{{.ipus = 1, .tilesPerIpu = 8, .operations = 5, .title = "another"}};
  std::unique_ptr<shell::Settings> m_settings;
  std::unique_ptr<shell::MainWindow> m_window;
  QString m_link; // to tile 3 of m_a, whose file is nowhere here

  QString copied(const tests::TinyReport& report, const QString& name) const {
    const QString file = m_folder.filePath(name);
    QDir().mkpath(QFileInfo(file).path());
    QFile::remove(file);
    return QFile::copy(QString::fromStdString(report.path().string()), file) ? file : QString();
  }
  bool settled() const {
    return QTest::qWaitFor([this] {
      const auto* view = m_window->currentView();
      return !m_window->isOpening() && view && !view->isBusy() && !view->findChild<shell::Page*>()->isLoading();
    });
  }
  bool open(const QStringList& files) {
    QSignalSpy finished(m_window.get(), &shell::MainWindow::openFinished);
    m_window->openReports(files);
    return QTest::qWaitFor([&] { return finished.count() > 0; }) && settled();
  }
  bool follow() {
    m_window->openLink(*shell::parseLink(m_link));
    return settled();
  }
  bool arrives() const {
    return QTest::qWaitFor([this] {
             return m_window->state().view() == "memory" &&
                    m_window->state().tiles() == std::vector<reports::TileId>{reports::TileId(std::size_t(3))};
           }) &&
           settled();
  }
  QString shownFile() const {
    for (const auto& tab : m_window->openTabs())
      if (m_window->windowTitle().startsWith(QFileInfo(tab.files.front()).fileName())) return tab.files.front();
    return {};
  }

private slots:
  void init() {
    m_settings = std::make_unique<shell::Settings>(m_folder.filePath("links.ini"));
    m_window = std::make_unique<shell::MainWindow>(
        m_theme, *m_settings, shell::ViewList{tests::listed("home"), tests::listed("summary"), tests::listed("memory")});
    m_window->resize(1280, 800);
    m_window->show();
    if (!m_link.isEmpty()) return;
    // Copied with the key at the colleague's computer, in a folder that goes away.
    const QString file = copied(m_a, "colleague/run.tsr");
    QVERIFY(open({file}));
    m_window->showView("memory");
    m_window->state().setTiles({reports::TileId(std::size_t(3))});
    QVERIFY(settled());
    QTest::keyClick(m_window.get(), Qt::Key_L, Qt::ControlModifier);
    m_link = QGuiApplication::clipboard()->text();
    const auto link = shell::parseLink(m_link);
    QVERIFY2(link && link->ids.size() == 1 && link->ids.front().size() == 12, qPrintable(m_link));
    m_window.reset();
    QVERIFY(QDir(m_folder.filePath("colleague")).removeRecursively());
    QFile::remove(m_folder.filePath("links.ini"));
    init();
  }
  void cleanup() {
    m_window.reset();
    QFile::remove(m_folder.filePath("links.ini"));
  }

  void anOpenReportIsFoundByItsId() {
    QVERIFY(open({copied(m_a, "here/renamed.tsr")}) && open({copied(m_b, "here/other.tsr")}));
    QVERIFY(follow() && arrives());
    QCOMPARE(shownFile(), m_folder.filePath("here/renamed.tsr"));
    QCOMPARE(m_window->openTabs().size(), std::size_t(2)); // its tab
    // The one that is shown already.
    m_window->state().setTiles({});
    QVERIFY(follow() && arrives());
  }

  void aRecentReportIsFoundByItsName() {
    const QString file = copied(m_a, "mine/run.tsr");
    m_settings->addRecent({file});
    QVERIFY(follow() && arrives());
    QCOMPARE(shownFile(), file);
  }

  // Beside a report that is open. Another run of that name is shown, with a word.
  void aReportBesideIsFound() {
    QVERIFY(open({copied(m_b, "beside/open.tsr")}));
    QVERIFY(!copied(m_b, "beside/run.tsr").isEmpty());
    QVERIFY(follow() && arrives());
    QCOMPARE(shownFile(), m_folder.filePath("beside/run.tsr"));
    QVERIFY2(m_window->message().contains("another run"), qPrintable(m_window->message()));
  }

  void elseTheUserLocatesIt() {
    QVERIFY(follow() || true);
    QVERIFY2(m_window->message().startsWith("run.tsr, the report of the link"), qPrintable(m_window->message()));
    const QString file = copied(m_a, "far/away.tsr");
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    QTimer::singleShot(0, this, [&file] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      if (!dialog) return;
      dialog->selectFile(file);
      auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
      if (name) name->setText(file);
      QTest::keyClick(name ? static_cast<QWidget*>(name) : dialog, Qt::Key_Return);
    });
    for (auto* button : m_window->findChildren<QAbstractButton*>())
      if (button->text() == "Locate…") QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(arrives());
    QCOMPARE(shownFile(), file);
    QCOMPARE(m_window->message(), QString()); // it is the report of the link
  }

  void twoRunsHaveTwoIds() {
    const auto a = analyser::Session::open(m_a.path().string()), again = analyser::Session::open(m_a.path().string()),
               b = analyser::Session::open(m_b.path().string());
    QCOMPARE(shell::reportId(*a), shell::reportId(*again));
    QVERIFY(shell::reportId(*a) != shell::reportId(*b));
  }
};

TILESCOPE_TEST(LinksElsewhereTest)
#include "links_elsewhere_test.moc"
