// Two reports in one window: the switch A | B | Difference decides what every view shows.
#include "analyser/memory/tile_memory.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/fact_list.h"
#include "ui/plot/step_plot.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/views/liveness/liveness_view.h"
#include "ui/views/memory/memory_view.h"
#include "ui/window/main_window.h"
#include "ui/window/tab_strip.h"
#include "ui/window/top_bar.h"

#include <QAbstractButton>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class ShownReportTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  theme::Theme m_theme;
  const tests::TinyReport m_one{{.ipus = 1, .tilesPerIpu = 8, .operations = 3}},
      m_two{{.ipus = 2, .tilesPerIpu = 8, .operations = 4, .scale = 4}};
  std::unique_ptr<shell::Settings> m_settings;
  std::unique_ptr<shell::MainWindow> m_window;

  static QString file(const tests::TinyReport& report) { return QString::fromStdString(report.path().string()); }
  static shell::ViewList views() {
    shell::ViewList list;
    for (const char* id :
         {"summary", "insights", "memory", "liveness", "program", "operations", "trace", "host", "query", "compare"})
      list.push_back(tests::listed(QString::fromLatin1(id)));
    return list;
  }
  bool settled() const {
    return QTest::qWaitFor(
        [this] { return !m_window->isOpening() && m_window->currentView() && !m_window->currentView()->isBusy(); }, 20000);
  }
  bool open(const QStringList& files) {
    QSignalSpy finished(m_window.get(), &shell::MainWindow::openFinished);
    m_window->openReports(files);
    return QTest::qWaitFor([&] { return finished.count() > 0; }, 20000) && settled();
  }
  QAbstractButton* segment(const QString& title) const {
    for (auto* button : m_window->findChildren<QAbstractButton*>())
      if (button->accessibleName() == "Report to show: " + title) return button;
    return nullptr;
  }
  template<class T> T* child(const QString& name) const {
    for (T* candidate : m_window->currentView()->template findChildren<T*>())
      if (candidate->accessibleName() == name) return candidate;
    return nullptr;
  }

private slots:
  void init() {
    m_settings = std::make_unique<shell::Settings>(m_folder.filePath("s.ini"));
    m_window = std::make_unique<shell::MainWindow>(m_theme, *m_settings, views());
    m_window->resize(1280, 800);
    m_window->show();
  }
  // Steps of several IPUs run at the same time: their sum is not the run's cycles, which Trace shows.
  void theProgramOfSeveralIpusIsASum() {
    QVERIFY(open({file(m_one), file(m_two)}));
    m_window->showView("program");
    QTRY_VERIFY2(m_window->currentView()->verdict().startsWith("Added up, the steps of B take "),
                 qPrintable(m_window->currentView()->verdict()));
    QVERIFY(open({file(m_one), file(m_one)}));
    m_window->showView("program");
    QTRY_VERIFY2(m_window->currentView()->verdict().startsWith("Both take "), qPrintable(m_window->currentView()->verdict()));
  }
  void cleanup() {
    m_window.reset();
    QFile::remove(m_folder.filePath("s.ini"));
  }

  void oneReportHasNoSwitch() {
    QVERIFY(open({file(m_one)}));
    QVERIFY(!segment("A")->isVisible());
    QTest::keyClick(m_window.get(), Qt::Key_2, Qt::AltModifier);
    QCOMPARE(m_window->state().shown(), shell::Shown::Base);
  }

  void theSwitchDecidesForEveryView() {
    QVERIFY(open({file(m_one), file(m_two)}));
    m_window->showView("memory");
    QVERIFY(settled());
    QVERIFY(segment("Difference")->isVisible() && segment("Difference")->isChecked()); // two reports are open for what differs
    QVERIFY(qobject_cast<memory::MemoryView*>(m_window->currentView()));
    const QString difference = m_window->currentView()->verdict();
    QTest::mouseClick(segment("A"), Qt::LeftButton);
    QVERIFY(settled());
    const QString a = m_window->currentView()->verdict();
    QTest::mouseClick(segment("B"), Qt::LeftButton);
    QVERIFY(settled());
    const QString b = m_window->currentView()->verdict();
    QVERIFY2(a != b && a != difference && b != difference, qPrintable(a + " | " + b + " | " + difference));
    // The same as with B alone.
    QVERIFY(open({file(m_two)}));
    m_window->showView("memory");
    QVERIFY(settled());
    QCOMPARE(m_window->currentView()->verdict(), b);
  }

  // A closed report's file is not kept open by any reader, neither for the base of a comparison nor for the other report.
  void reportsThatWereLeftAreClosed() {
    const auto openFiles = [] {
      QStringList files;
      for (const auto& entry : QDir("/proc/self/fd").entryInfoList(QDir::Files | QDir::System)) files << entry.symLinkTarget();
      return files;
    };
    const auto lookAtAll = [this] {
      for (const auto& view : m_window->views()) {
        m_window->showView(view.id);
        if (!settled()) return false;
      }
      return true;
    };
    const tests::TinyReport last{{.ipus = 1, .tilesPerIpu = 4, .operations = 2}};
    QVERIFY(open({file(m_one), file(m_two)}) && lookAtAll());
    QTest::mouseClick(segment("A"), Qt::LeftButton);
    QVERIFY(lookAtAll());
    QVERIFY(openFiles().contains(file(m_one)) && openFiles().contains(file(m_two)));
    QVERIFY(open({file(last)}));
    QVERIFY(openFiles().contains(file(m_one))); // its tab stays
    auto* strip = m_window->findChild<shell::TabStrip*>();
    QTest::mouseClick(strip, Qt::MiddleButton, {}, strip->tabRect(0).center());
    QTRY_VERIFY2(!openFiles().contains(file(m_one)) && !openFiles().contains(file(m_two)), qPrintable(openFiles().join('\n')));
    QVERIFY(openFiles().contains(file(last)));
  }

  void keysAndBackSwitchToo() {
    QVERIFY(open({file(m_one), file(m_two)}));
    m_window->showView("operations");
    QVERIFY(settled());
    QTest::keyClick(m_window.get(), Qt::Key_2, Qt::AltModifier);
    QCOMPARE(m_window->state().shown(), shell::Shown::Other);
    QVERIFY(segment("B")->isChecked() && settled());
    QCOMPARE(child<tables::TableView>("Operations")->rows().rowCount(), 1 + 4);
    QTest::keyClick(m_window.get(), Qt::Key_1, Qt::AltModifier);
    QVERIFY(settled());
    QCOMPARE(child<tables::TableView>("Operations")->rows().rowCount(), 1 + 3);
    QTest::keyClick(m_window.get(), Qt::Key_Left, Qt::AltModifier);
    QVERIFY(settled());
    QCOMPARE(m_window->state().shown(), shell::Shown::Other);
    QCOMPARE(child<tables::TableView>("Operations")->rows().rowCount(), 1 + 4);
  }

  void everyDifferenceHasAnAnswer_data() {
    QTest::addColumn<QString>("id");
    for (const char* id : {"summary", "insights", "memory", "liveness", "program", "operations", "trace", "host"})
      QTest::newRow(id) << QString::fromLatin1(id);
  }
  void everyDifferenceHasAnAnswer() {
    QFETCH(QString, id);
    QVERIFY(open({file(m_one), file(m_two)}));
    m_window->showView(id);
    QVERIFY(settled());
    QTRY_VERIFY(!m_window->currentView()->verdict().isEmpty());
    const QString there = m_window->currentView()->verdict();
    QVERIFY(open({file(m_two), file(m_one)}));
    m_window->showView(id);
    QVERIFY(settled());
    QTRY_VERIFY(!m_window->currentView()->verdict().isEmpty());
    // Findings may be gone and new in equal numbers; the made-up hosts run equally long.
    if (id != "insights" && id != "host")
      QVERIFY2(m_window->currentView()->verdict() != there, qPrintable(there)); // less where it was more
  }

  // The finding that changed most is read at once, in the units of the window.
  void theFirstFindingIsRead() {
    QVERIFY(open({file(m_one), file(m_two)}));
    m_window->showView("insights");
    QVERIFY(settled());
    auto* table = child<tables::TableView>("Findings of both reports");
    QVERIFY(table && table->rows().rowCount() > 0);
    QTRY_COMPARE(table->selectedIds(), std::vector<int64_t>{table->rows().idAt(0)});
    const auto* facts = child<shell::FactList>("Facts about the finding");
    QVERIFY(facts && facts->isVisible());
  }

  void aViewWithoutADifferenceShowsA() {
    QVERIFY(open({file(m_one), file(m_two)}));
    m_window->showView("query");
    QVERIFY(settled());
    QVERIFY(segment("A")->isChecked() && !segment("Difference")->isEnabled());
    QCOMPARE(m_window->state().shown(), shell::Shown::Difference); // and the next view shows it again
    m_window->showView("memory");
    QVERIFY(segment("Difference")->isChecked() && segment("Difference")->isEnabled());
  }

  void selectedTilesStayAndTheirDetailsFollow() {
    QVERIFY(open({file(m_one), file(m_two)}));
    m_window->showView("memory");
    QVERIFY(settled());
    auto* plot = child<plot::StepPlot>("Memory per tile of both reports");
    QTest::mouseClick(plot, Qt::LeftButton, {}, QPoint(int(plot->pixelAt(3)), plot->axes().center().y()));
    QCOMPARE(m_window->state().tiles(), std::vector<reports::TileId>{reports::TileId(3)});
    QVERIFY(settled());
    const auto a = analyser::Session::open(m_one.path().string()), b = analyser::Session::open(m_two.path().string());
    const auto inA = analyser::memory::tileMemory(*a).total.values[3], inB = analyser::memory::tileMemory(*b).total.values[3];
    auto* tree = child<tables::TreeView>("Memory of the selected tiles");
    bool found = false;
    for (int row = 0; row < tree->model()->rowCount(); ++row)
      if (tree->model()->index(row, 0).data().toString() == "Memory excluding gaps") {
        found = true;
        const theme::Format format = m_window->state().format();
        QCOMPARE(tree->model()->index(row, 1).data().toString(), format.bytes(inA));
        QCOMPARE(tree->model()->index(row, 2).data().toString(), format.bytes(inB));
        QCOMPARE(tree->model()->index(row, 3).data().toString(), format.bytesDelta(inB - inA));
      }
    QVERIFY(found);
    QVERIFY2(m_window->currentView()->selectionText().startsWith("Tile 3: A "),
             qPrintable(m_window->currentView()->selectionText()));
    QTest::keyClick(m_window.get(), Qt::Key_2, Qt::AltModifier);
    QCOMPARE(m_window->state().tiles(), std::vector<reports::TileId>{reports::TileId(3)});
  }

  // A click in Compare selects the tile; a double click shows in Memory what makes it fuller.
  void aTileOfTheComparisonLeadsToItsVariables() {
    QVERIFY(open({file(m_one), file(m_two)}));
    m_window->showView("compare");
    QVERIFY(settled());
    m_window->currentView()->fields().set({{"tab", "memory"}});
    auto* plot = child<plot::StepPlot>("Memory per tile of both reports");
    QVERIFY(plot && plot->isVisible());
    plot->paintNow();
    const QPoint at(int(plot->pixelAt(3)), plot->axes().center().y());
    QTest::mouseClick(plot, Qt::LeftButton, {}, at);
    QCOMPARE(m_window->state().tiles(), std::vector<reports::TileId>{reports::TileId(3)});
    QVERIFY2(m_window->currentView()->selectionText().startsWith("Tile 3: A "),
             qPrintable(m_window->currentView()->selectionText()));
    QCOMPARE(plot->scene().selection.size(), std::size_t(1));
    QTest::mouseDClick(plot, Qt::LeftButton, {}, at);
    QVERIFY(QTest::qWaitFor([this] { return m_window->state().view() == "memory"; }) && settled());
    QCOMPARE(m_window->state().tiles(), std::vector<reports::TileId>{reports::TileId(3)});
    QCOMPARE(m_window->currentView()->fields().values().value("tab"), QString("variables"));
  }

  void livenessIsMergedOrApart() {
    QVERIFY(open({file(m_one), file(m_two)}));
    m_window->showView("liveness");
    QVERIFY(settled());
    auto* view = qobject_cast<liveness::LivenessView*>(m_window->currentView());
    QVERIFY(view && view->selectedStep() >= 0 && view->stepInOther() >= 0); // the peaks
    auto* kind = child<QComboBox>("Picture");
    auto* b = child<plot::StepPlot>("Memory alive per program step, B");
    QVERIFY(!b->isVisible());
    kind->setCurrentIndex(1);
    QVERIFY(b->isVisible());
    QTest::mouseClick(b, Qt::LeftButton, {}, QPoint(int(b->pixelAt(1)), b->axes().center().y()));
    QCOMPARE(view->stepInOther(), int64_t(1));
    QVERIFY(settled());
    QVERIFY(child<tables::TableView>("Variables alive at the step")->rows().rowCount() > 0);
    // Zooming one moves the other.
    auto* a = child<plot::StepPlot>("Memory alive per program step, A");
    a->zoom(0.5);
    QCOMPARE(b->visible(), a->visible());
  }

  void threeReportsAreInColumns() {
    const tests::TinyReport third{{.ipus = 1, .tilesPerIpu = 8, .operations = 5, .scale = 2}};
    QVERIFY(open({file(m_one), file(m_two), file(third)}));
    QCOMPARE(m_window->state().view(), QString("compare"));
    auto* tabs = m_window->currentView()->findChild<QTabWidget*>();
    QCOMPARE(tabs->tabText(0), QString("All 3 reports"));
    QCOMPARE(tabs->currentIndex(), 0);
    QVERIFY(settled());
    auto* table = child<tables::TableView>("Totals of all reports");
    QTRY_VERIFY(table->rows().rowCount() > 5);
    QCOMPARE(table->model()->columnCount(), 4); // figure, A, B, C
    for (const char* plot : {"Small plot of report A", "Small plot of report B", "Small plot of report C"})
      QVERIFY(child<plot::StepPlot>(plot));
    const auto text = [&](int column) { return table->model()->index(0, column).data().toString(); };
    QVERIFY(text(1) != text(2) && text(2) != text(3));
    const QString c = text(3);
    // The other views show two of them.
    m_window->showView("memory");
    QVERIFY(settled() && qobject_cast<memory::MemoryView*>(m_window->currentView()));
    // The third can become B; it is the same report in another column.
    auto* bar = m_window->findChild<shell::TopBar*>();
    QSignalSpy finished(m_window.get(), &shell::MainWindow::openFinished);
    emit bar->otherChosen(2);
    QTRY_COMPARE(finished.count(), 1);
    m_window->showView("compare");
    QVERIFY(settled());
    table = child<tables::TableView>("Totals of all reports");
    QTRY_VERIFY(table->rows().rowCount() > 5);
    QCOMPARE(text(2), c);
    // Closing one leaves two, without columns.
    emit bar->closeRequested(2);
    QTRY_COMPARE(finished.count(), 2);
    m_window->showView("compare");
    QVERIFY(settled());
    QCOMPARE(m_window->currentView()->findChild<QTabWidget*>()->tabText(0), QString("Causes"));
  }

  void aLinkLeadsToTheDifference() {
    QVERIFY(open({file(m_one), file(m_two)}));
    m_window->showView("memory");
    QVERIFY(settled());
    auto* picture = child<QComboBox>("Picture");
    picture->setCurrentIndex(picture->findData("apart"));
    QTest::keyClick(m_window.get(), Qt::Key_L, Qt::ControlModifier);
    const QString text = QGuiApplication::clipboard()->text();
    QVERIFY2(text.contains("shown=difference") && text.count("report=") == 2, qPrintable(text));
    QVERIFY(open({file(m_two)}));
    m_window->openLink(*shell::parseLink(text));
    QTRY_VERIFY(settled() && m_window->state().shown() == shell::Shown::Difference &&
                qobject_cast<memory::MemoryView*>(m_window->currentView()));
    QTRY_COMPARE(child<QComboBox>("Picture")->currentData().toString(), QString("apart"));
  }
};

TILESCOPE_TEST(ShownReportTest)
#include "shown_report_test.moc"
