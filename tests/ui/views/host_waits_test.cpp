// The host while the IPU waits, with mouse and keys on the real window: a recording is laid beside the open report, its answer
// read, and checked by SQL. Also traces on one axis, and slices that have other names. TILESCOPE_PICTURES=FOLDER keeps screenshots.
#include "tests/support/tamper.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/real_window.h"
#include "ui/plot/timeline.h"
#include "ui/window/manual.h"
#include "ui/window/trace_sheet.h"

#include <QDragEnterEvent>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBrowser>

using namespace ui;

class HostWaitsTest : public QObject, tests::RealWindow {
  Q_OBJECT

  QString m_device;

  // A training loop: 4 ms load a batch, 1 ms runs the IPU, 0.5 ms looks at the loss, 0.2 ms nothing.
  QString trace(const QString& name, const char* runName) {
    QJsonArray events;
    int now = 1000;
    const auto slice = [&](const QString& what, int microseconds) {
      events.append(QJsonObject{{"ph", "X"}, {"pid", 7}, {"tid", 7}, {"ts", now}, {"dur", microseconds}, {"name", what}});
      now += microseconds;
    };
    for (int batch = 0; batch < 5; ++batch) slice("load batch", 4000), slice(runName, 1000), slice("print loss", 500), now += 200;
    QFile file(m_folder.filePath(name));
    const QByteArray text = QJsonDocument(events).toJson(QJsonDocument::Compact);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size() ? file.fileName() : QString();
  }
  // Opens the sheet as a user who does not know where it is: by the search.
  bool openSheet() {
    QTest::keyClick(m_window->currentView(), Qt::Key_K, Qt::ControlModifier);
    auto* palette = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    if (!palette) return false;
    QTest::keyClicks(palette, "add traces");
    QTest::keyClick(palette, Qt::Key_Return);
    return m_window->findChild<shell::TraceSheet*>()->isVisible() &&
           QApplication::focusWidget() == named<QPlainTextEdit>("Trace files");
  }
  QString verdict() const { return plain(m_window->currentView()->verdict()); }
  QString openFile() const { return m_window->openTabs().back().files.front(); }

private slots:
  void initTestCase() {
    if (!hasCli()) QSKIP("tilescope-cli is not built");
    m_device = made("device.tsr", {"mnist-train", "--iterations", "5"});
    QVERIFY(!m_device.isEmpty());
  }
  void cleanupTestCase() { qunsetenv("TILESCOPE_CLI"); }
  void init() {
    makeWindow();
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
  }
  void cleanup() { closeWindow(); }

  // Four actions: the search, the file, Add, the tab.
  void whatTheHostDoesWhileTheIpuWaits() {
    QVERIFY(open({m_device}));
    QVERIFY(openSheet());
    QTest::keyClicks(QApplication::focusWidget(), trace("host.json", "Engine::run"));
    picture("add-traces");
    QVERIFY(click(named<QPushButton>("Add")));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->openTabs().size() == 2, kLongestRunMs);
    QVERIFY(settled());
    QCOMPARE(m_window->state().view(), QString("host"));
    QVERIFY2(verdict().startsWith("The IPU waits ") && verdict().contains("“load batch”: 16.0 ms"), qPrintable(verdict()));
    QVERIFY(showTab("While the IPU waits"));
    auto* waits = m_window->currentView()->findChild<QTabWidget*>()->currentWidget()->findChild<tables::TableView*>();
    QTRY_VERIFY(waits->rows().rowCount() > 3);
    QStringList labels, lines;
    int first = -1; // row of the label with most time, below the line of totals
    for (int row = 0; row < waits->rows().rowCount(); ++row) {
      if (waits->rows().idAt(row) < 0) continue;
      if (first < 0) first = row;
      labels << value(*waits, row, "label").toString(), lines << labels.back() + ',' + value(*waits, row, "total").toString();
    }
    QCOMPARE(labels.mid(0, 1) + labels.mid(2), (QStringList{"load batch", "print loss", "(nothing recorded)"}));
    // The same by SQL: parts of the slices of that thread between two runs.
    const QByteArray answer =
        run({"query", openFile(),
             "WITH wait AS (SELECT end_tick AS a, lead(start_tick) OVER (ORDER BY start_tick) AS b FROM run_link) "
             "SELECT s.name, sum(min(s.start_tick + s.duration_ticks, b) - max(s.start_tick, a)) AS ns FROM wait JOIN slice s "
             "ON s.start_tick < b AND s.start_tick + s.duration_ticks > a WHERE s.track_id IN (SELECT track_id FROM run_link) "
             "GROUP BY s.name ORDER BY ns DESC",
             "--format", "csv"});
    const QList<QByteArray> rows = answer.trimmed().split('\n');
    QCOMPARE(rows.size(), 4); // names and three labels
    for (int row = 0; row < 3; ++row) QCOMPARE(lines[row], QString::fromUtf8(rows[row + 1].trimmed()));
    picture("host-waits");
    // A row leads to its slice: the device waits above it.
    QVERIFY(clickRow(waits, waits->model()->index(first, 0), true));
    QTRY_VERIFY(m_window->currentView()->selectionText().startsWith("load batch"));
    // Every other view has the device.
    m_window->showView("summary");
    QVERIFY(settled());
    QVERIFY2(verdict().startsWith("Fits"), qPrintable(verdict()));
  }

  // From Home, and from a report without a host: to the page of help that says how to run the example.
  void theExampleIsFound() {
    const auto leadsToHelp = [this](const QString& button) {
      for (auto* b : m_window->currentView()->findChildren<QPushButton*>())
        if (b->text() == button && b->isVisible()) b->click();
      const auto* manual = m_window->findChild<shell::Manual*>();
      const bool shows = manual && manual->isVisible() &&
                         manual->findChild<QTextBrowser*>()->toPlainText().contains("python3 -m tilescope_host_waits");
      if (manual) m_window->findChild<shell::Manual*>()->close();
      return shows;
    };
    m_window->showView("home");
    QVERIFY(settled());
    QVERIFY(leadsToHelp("Host waits: how…"));
    const QString bare = m_folder.filePath("bare.tsr");
    QVERIFY(QFile::copy(m_device, bare));
    for (const char* sql : {"DELETE FROM run_link", "DELETE FROM host_thread", "DELETE FROM host_process"})
      tests::tamper(bare.toStdString(), sql);
    QVERIFY(open({bare}));
    m_window->showView("host");
    QVERIFY(settled());
    QVERIFY(leadsToHelp("See the example…"));
  }

  // A trace whose slices are called otherwise: that is said, and their name asked for.
  void slicesOfAnotherName() {
    QVERIFY(open({m_device}));
    QVERIFY(openSheet());
    QTest::keyClicks(QApplication::focusWidget(), trace("torch.json", "train_step"));
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return, Qt::ControlModifier);
    auto* name = named<QLineEdit>("Slices that run the IPU begin with");
    QTRY_VERIFY_WITH_TIMEOUT(QApplication::focusWidget() == name, kLongestRunMs);
    QStringList said;
    for (const QLabel* label : m_window->findChild<shell::TraceSheet*>()->findChildren<QLabel*>()) said << label->text();
    QVERIFY2(said.join('|').contains("No slice of the traces begins with “Engine::run”."), qPrintable(said.join('|')));
    QTest::keyClicks(name, "train_"); // in place of the selected text
    QTest::keyClick(name, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->openTabs().size() == 2, kLongestRunMs);
    QVERIFY(settled());
    QVERIFY2(verdict().startsWith("The IPU waits "), qPrintable(verdict()));
  }

  // Without a device: both traces on one axis. A drop on the last third of the window fills the sheet.
  void twoTracesOnOneAxis() {
    QVERIFY(open({trace("one.json", "work")}));
    QCOMPARE(m_window->state().view(), QString("host"));
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(trace("two.json", "other work"))});
    const QPoint at(m_window->width() * 5 / 6, 300);
    QDragEnterEvent enter(at, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &enter);
    picture("drop-a-trace");
    QDropEvent drop(at, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(m_window.get(), &drop);
    QTRY_VERIFY(named<QPlainTextEdit>("Trace files"));
    QCOMPARE(named<QPlainTextEdit>("Trace files")->toPlainText(), m_folder.filePath("two.json"));
    QVERIFY(!named<QLineEdit>("Slices that run the IPU begin with"));
    QVERIFY(click(named<QPushButton>("Add")));
    QTRY_VERIFY_WITH_TIMEOUT(m_window->openTabs().size() == 2, kLongestRunMs);
    QVERIFY(settled());
    QVERIFY(showTab("Statistics"));
    const auto* labels = named<tables::TableView>("Statistics by label");
    QStringList found;
    for (int row = 0; row < labels->rows().rowCount(); ++row) found << value(*labels, row, "label").toString();
    QVERIFY2(found.contains("work") && found.contains("other work"), qPrintable(found.join(", ")));
    // The result is a report: its traces are not known any more, which is said.
    QVERIFY(!openSheet());
    QVERIFY2(m_window->message().contains("Open the trace itself"), qPrintable(m_window->message()));
  }
};

TILESCOPE_TEST(HostWaitsTest)
#include "host_waits_test.moc"
