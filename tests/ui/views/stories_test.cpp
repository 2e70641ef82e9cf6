// Questions that users ask, answered in a real window with real clicks, and in no more of them than is promised; over 500 lines because
// the ten stories are one list that shares a desk.
#include "analyser/insights/insights.h"
#include "analyser/operations/operations.h"
#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/listed.h"
#include "ui/parts/fact_list.h"
#include "ui/parts/picture_menu.h"
#include "ui/parts/verdict_line.h"
#include "ui/parts/wrapped_label.h"
#include "ui/plot/bar_list.h"
#include "ui/plot/timeline.h"
#include "ui/state/settings.h"
#include "ui/tables/table_export.h"
#include "ui/tables/table_view.h"
#include "ui/theme/theme.h"
#include "ui/views/insights/finding_list.h"
#include "ui/window/bookmark_sheet.h"
#include "ui/window/main_window.h"

#include <QAbstractButton>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QSet>
#include <QSettings>
#include <QSignalSpy>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;
using tests::listed;

namespace {

// A window with a report, and a hand that counts its clicks.
class Desk {
public:
  explicit Desk(const QStringList& reports)
      : m_settings(m_folder.filePath("stories.ini")),
        m_window(m_theme, m_settings,
                 {listed("summary"), listed("memory"), listed("liveness"), listed("program"), listed("operations"),
                  listed("trace"), listed("insights"), listed("compare"), listed("run")}) {
    m_window.resize(1280, 800);
    m_window.show();
    QSignalSpy finished(&m_window, &shell::MainWindow::openFinished);
    m_window.openReports(reports);
    m_opened = QTest::qWaitFor([&] { return finished.count() == 1; }, 20000) && settle();
  }
  bool isOpen() const { return m_opened; }
  int clicks() const { return m_clicks; }
  shell::MainWindow& window() { return m_window; }
  shell::View& view() { return *m_window.currentView(); }

  bool settle() {
    return QTest::qWaitFor([this] { return m_window.currentView() && !m_window.currentView()->isBusy(); }, 20000);
  }
  template<class T> T* child(const QString& name) {
    for (T* candidate : view().findChildren<T*>())
      if (candidate->accessibleName() == name) return candidate;
    return nullptr;
  }
  bool click(QWidget* widget, const QPoint& at) {
    if (!widget || !widget->isVisible() || !widget->rect().contains(at)) return false;
    ++m_clicks;
    QTest::mouseClick(widget, Qt::LeftButton, {}, at);
    return settle();
  }
  // The ruler from A to B: a drag with Ctrl in the data.
  bool measure(QWidget* plot, const QPoint& a, const QPoint& b) {
    if (!plot || !plot->isVisible() || !plot->rect().contains(a) || !plot->rect().contains(b)) return false;
    ++m_clicks;
    QTest::mousePress(plot, Qt::LeftButton, Qt::ControlModifier, a);
    QTest::mouseMove(plot, (a + b) / 2);
    QTest::mouseMove(plot, b);
    QTest::mouseRelease(plot, Qt::LeftButton, Qt::ControlModifier, b);
    return settle();
  }
  bool goTo(const QString& title) {
    for (auto* button : m_window.findChildren<QAbstractButton*>())
      if (button->isVisible() && button->text() == title) return click(button, button->rect().center());
    return false;
  }
  bool openTab(const QString& title) {
    for (auto* tabs : view().findChildren<QTabWidget*>())
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->isTabVisible(i) && tabs->tabText(i).section(" (", 0, 0) == title)
          return click(tabs->tabBar(), tabs->tabBar()->tabRect(i).center());
    return false;
  }
  bool press(const QString& start) {
    for (auto* button : view().findChildren<QPushButton*>())
      if (button->isVisible() && button->text().startsWith(start)) return click(button, button->rect().center());
    return false;
  }
  bool clickRow(tables::TableView* table, int row) {
    return table && click(table->viewport(), table->visualRect(table->model()->index(row, 0)).center());
  }

private:
  QTemporaryDir m_folder;
  theme::Theme m_theme;
  shell::Settings m_settings;
  shell::MainWindow m_window;
  int m_clicks = 0;
  bool m_opened = false;
};

} // namespace

class StoriesTest : public QObject {
  Q_OBJECT

  const tests::TinyReport m_report{{.ipus = 1, .tilesPerIpu = 16, .operations = 6}};
  QStringList files() const { return {QString::fromStdString(m_report.path().string())}; }
  QTemporaryDir m_folder;
  // A report that the command line made; empty if it failed.
  QString made(const QString& name, const QStringList& words) const {
    const QString file = m_folder.filePath(name);
    QProcess process;
    process.start(QStringLiteral(TILESCOPE_BINARY_DIR "/bin/tilescope-cli"),
                  QStringList{"run"} + words + QStringList{"--no-numbers", "--progress", "none", "-o", file});
    return process.waitForFinished(kLongestRunMs) && process.exitCode() <= 1 ? file : QString(); // 1: it does not fit
  }
  static constexpr int kLongestRunMs = 120'000; // on a busy machine
  // Training in four stages, made once.
  QString pipelined() const {
    const QString file = m_folder.filePath("pipeline.tsr");
    if (QFileInfo::exists(file)) return file;
    return made("pipeline.tsr", {"bert", "--ipus", "4", "--pipeline", "4", "--set", "training=1"});
  }

private slots:
  // 1: three clicks to an answer with bytes.
  void whyIsTheFullestTileTheFullest() {
    Desk desk(files());
    QVERIFY(desk.isOpen());
    QVERIFY(desk.goTo("Summary"));
    auto* bars = desk.child<plot::BarList>("Fullest tiles");
    QVERIFY(bars);
    QVERIFY(desk.click(bars, QPoint(60, 10)));
    const auto* why = desk.child<shell::VerdictLine>("Why the tile is as full as it is");
    QVERIFY(why && why->isVisible());
    QVERIFY2(why->text().contains("median tile") && why->text().contains("B"), qPrintable(why->text()));
    for (const int width : {1280, 1024}) { // the end, with the answer, is not cut off
      desk.window().resize(width, 700);
      QVERIFY(desk.settle());
      QTRY_VERIFY(why->heightForWidth(why->width()) <= why->height());
      QVERIFY2(
          QRegularExpression(
              "(most of it \\S+|among its variables \\S+ adds most) \\(\\+[0-9.]+[^)]*B\\)\\.$|; the largest variables there: "
              "\\S+ \\([0-9.]+[^)]*B\\)")
              .match(why->text())
              .hasMatch(),
          qPrintable(why->text()));
    }
    QVERIFY(desk.clicks() <= 3);
  }

  // 2: the owner of the peak, the end of its lifetime, its address, and the variables that share it: four clicks.
  void whoOwnsThePeak() {
    Desk desk(files());
    QVERIFY(desk.goTo("Liveness"));
    auto* alive = desk.child<tables::TableView>("Variables alive at the step");
    QVERIFY(alive && alive->rows().shownRows() > 0);
    const int first = alive->rows().rowCount() > alive->rows().shownRows() ? 1 : 0; // below the totals
    QVERIFY(desk.clickRow(alive, first));
    const QString owner = alive->model()->index(first, 0).data().toString();
    QVERIFY(!alive->model()->index(first, 5).data(tables::PlainRole).toString().isEmpty()); // until
    QVERIFY(desk.goTo("Memory"));
    QVERIFY(desk.openTab("Variables"));
    auto* placed = desk.child<tables::TableView>("Variables of the tile");
    QVERIFY(placed && placed->isVisible());
    const auto rows = placed->selectionModel()->selectedRows();
    QVERIFY(!rows.isEmpty());
    QCOMPARE(rows.front().data().toString(), owner);
    QVERIFY(rows.front().siblingAtColumn(1).data().toString().startsWith("0x"));
    QVERIFY(!rows.front().siblingAtColumn(4).data(tables::PlainRole).toString().isEmpty()); // who shares it
    QVERIFY2(desk.clicks() <= 4, qPrintable(QString::number(desk.clicks())));
  }

  // 3: which operation wastes most, and why: two clicks.
  void whatWastesMost() {
    Desk desk(files());
    QVERIFY(desk.goTo("Operations"));
    QVERIFY2(desk.view().verdict().contains("wastes most, ") && desk.view().verdict().contains("mainly"),
             qPrintable(desk.view().verdict()));
    QVERIFY(desk.clicks() <= 2);
  }

  // 4: how much the pipeline idles, and which stage it waits for: two clicks.
  void whatThePipelineWaitsFor() {
    const QString report = pipelined();
    QVERIFY(!report.isEmpty());
    Desk desk({report});
    QVERIFY(desk.goTo("Trace"));
    QVERIFY(desk.openTab("Pipeline"));
    QVERIFY(desk.clicks() <= 2);
    const auto* stages = desk.child<tables::TableView>("Stages of the pipeline");
    QVERIFY(stages && stages->isVisible());
    QCOMPARE(stages->rows().rowCount(), 4);
    int slowest = 0;
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < stages->model()->columnCount(); ++column)
        slowest += stages->model()->index(row, column).data().toString().endsWith(", slowest");
    QCOMPARE(slowest, 1);
    QSet<QString> held; // each stage holds other layers of the model
    for (int row = 0; row < 4; ++row) held << stages->model()->index(row, 1).data().toString();
    QVERIFY2(held.size() == 4 && !held.contains(QString()), qPrintable(QStringList(held.values()).join("; ")));
    const auto* facts = desk.child<shell::FactList>("Phases of the pipeline");
    QVERIFY(facts && facts->valueOf("Bubble").endsWith('%') && facts->valueOf("Slowest stage").startsWith("IPU "));
    QVERIFY(facts->valueOf("Bubble of the run").endsWith('%'));
    // The finding leads to the same tab, whatever tab was in front.
    QVERIFY(desk.openTab("Details"));
    QVERIFY(desk.goTo("Insights"));
    auto* findings = desk.child<insights::FindingList>("Findings");
    for (int i = 0; i < 20 && !desk.view().selectionText().startsWith("Pipeline bubble"); ++i)
      QTest::keyClick(findings, Qt::Key_Down);
    QVERIFY2(desk.view().selectionText().startsWith("Pipeline bubble"), qPrintable(desk.view().selectionText()));
    QTest::keyClick(findings, Qt::Key_Return);
    QTRY_VERIFY(stages->isVisible());
  }

  // Opening a tab leaves the plot its height.
  void tabsLeaveThePlotItsHeight() {
    const QString report = pipelined();
    QVERIFY(!report.isEmpty());
    Desk desk({report});
    int opened = 0;
    for (const char* page : {"Memory", "Liveness", "Operations", "Trace"}) {
      QVERIFY(desk.goTo(page));
      auto* tabs = desk.view().findChild<QTabWidget*>();
      const auto* split = qobject_cast<QSplitter*>(tabs->parentWidget());
      QVERIFY2(split, page);
      std::optional<int> height;
      for (int i = 0; i < tabs->count(); ++i) {
        if (!tabs->isTabVisible(i)) continue;
        tabs->setCurrentIndex(i);
        QVERIFY(desk.settle());
        QCoreApplication::processEvents(); // lays the page out
        const int plot = split->widget(0)->height();
        if (!height) height = plot;
        QVERIFY2(std::abs(plot - *height) <= 1,
                 qPrintable(QString("%1, %2: %3 instead of %4 pixels").arg(page, tabs->tabText(i)).arg(plot).arg(*height)));
        ++opened;
      }
    }
    QVERIFY(opened > 12);
  }

  // A finding is visible even if the view was limited to another IPU before.
  void aFindingIsSeenInANarrowedView() {
    const QString report = pipelined();
    QVERIFY(!report.isEmpty());
    Desk desk({report});
    QVERIFY(desk.goTo("Trace"));
    auto* ipus = desk.child<QComboBox>("IPU");
    QVERIFY(ipus && ipus->count() == 5);
    ipus->setCurrentIndex(4);
    emit ipus->activated(4);
    QVERIFY(desk.settle());
    QVERIFY(desk.openTab("Statistics"));
    QVERIFY(desk.goTo("Insights"));
    auto* findings = desk.child<insights::FindingList>("Findings");
    const auto leadsToAStep = [&] {
      const QString text = desk.view().selectionText();
      return text.startsWith("Exchange hot spot") || text.startsWith("Serial tail") || text.startsWith("Copies between IPUs");
    };
    for (int i = 0; i < 30 && !leadsToAStep(); ++i) QTest::keyClick(findings, Qt::Key_Down);
    QVERIFY2(leadsToAStep(), qPrintable(desk.view().selectionText()));
    QTest::keyClick(findings, Qt::Key_Return);
    QTRY_VERIFY(desk.child<QComboBox>("IPU") && desk.child<QComboBox>("IPU")->currentIndex() == 0);
    QCOMPARE(desk.window().state().view(), QString("trace"));
    QVERIFY(desk.settle());
    QTRY_VERIFY(!desk.view().selectionText().isEmpty());
    QCOMPARE(desk.view().findChild<QTabWidget*>()->tabText(desk.view().findChild<QTabWidget*>()->currentIndex()),
             QString("Details"));
  }

  // 5: every step with a name, how often and how long it runs, and moving from one to the next: three clicks.
  void everyStepOfAName() {
    Desk desk(files());
    QVERIFY(desk.goTo("Trace"));
    auto* search = desk.child<QLineEdit>("Search for steps");
    QVERIFY(search && search->isVisible());
    QTest::keyClicks(search, "exchange");
    QVERIFY(desk.settle());
    QVERIFY(desk.openTab("Matches"));
    auto* matches = desk.child<tables::TableView>("Matches");
    QVERIFY(matches && matches->isVisible() && matches->rows().rowCount() > 1);
    bool told = false;
    for (const auto* label : desk.view().findChildren<QLabel*>())
      told = told || (label->isVisible() && label->text().contains(" in all, "));
    QVERIFY(told);
    QVERIFY(desk.clickRow(matches, 0));
    const QString first = desk.view().selectionText();
    QTest::keyClick(matches, Qt::Key_Down);
    QVERIFY(desk.settle());
    QVERIFY(!first.isEmpty() && desk.view().selectionText() != first);
    QVERIFY(desk.clicks() <= 3);
  }

  // A step alone is zoomed to; a step with a range, as in a link, is selected within the range.
  void aStepStaysWithinTheRangeOfItsLink() {
    Desk desk(files());
    QVERIFY(desk.goTo("Trace"));
    const auto* timeline = desk.view().findChild<plot::Timeline*>();
    auto& state = desk.window().state();
    const auto whole = timeline->visibleRange();
    reports::ProgramStepId small;
    for (std::size_t id = 0; id < 40 && !small.valid(); ++id) {
      state.setStep(reports::ProgramStepId(id));
      QVERIFY(desk.settle());
      if (timeline->visibleRange() != whole) small = reports::ProgramStepId(id);
    }
    QVERIFY(small.valid());
    auto place = state.place();
    place.range = whole, place.step = {};
    state.goTo(place);
    QVERIFY(desk.settle());
    QCOMPARE(timeline->visibleRange(), whole);
    place.step = small;
    state.goTo(place);
    QVERIFY(desk.settle());
    QCOMPARE(timeline->visibleRange(), whole);
    QVERIFY(!desk.view().selectionText().isEmpty());
  }

  // 6: measure from A to B, note it, and send a link that shows the same in another process.
  void measureBookmarkAndShare() {
    const QString program = QStringLiteral(TILESCOPE_BINARY_DIR "/bin/tilescope");
    if (!QFileInfo::exists(program)) QSKIP("tilescope is not built");
    Desk desk(files());
    QVERIFY(desk.goTo("Trace"));
    auto* timeline = desk.view().findChild<plot::Timeline*>();
    QVERIFY(timeline);
    const int middle = timeline->height() / 2;
    QVERIFY(desk.measure(timeline, {timeline->width() / 2, middle}, {timeline->width() * 3 / 4, middle}));
    QVERIFY(!timeline->measured().empty());
    QCOMPARE(desk.window().state().measured(), timeline->measured());
    auto* tabs = desk.view().findChild<QTabWidget*>();
    QVERIFY(desk.openTab("Statistics"));
    QVERIFY(tabs->currentIndex() > 0);
    QVERIFY(desk.clicks() <= 3);

    QTest::keyClick(&desk.window(), Qt::Key_D, Qt::ControlModifier);
    auto* sheet = desk.window().findChild<shell::BookmarkSheet*>();
    QVERIFY(sheet->isVisible());
    auto* note = sheet->findChild<QLineEdit*>();
    QVERIFY(note->hasFocus());
    QTest::keyClicks(note, "slow here");
    QTest::keyClick(note, Qt::Key_Return);
    QTest::keyClick(note, Qt::Key_Escape);
    const auto bookmarks = shell::readBookmarks(shell::bookmarkFile(files().first()));
    QCOMPARE(bookmarks.size(), std::size_t(1));
    QCOMPARE(bookmarks.front().note, QString("slow here"));
    QCOMPARE(bookmarks.front().link.place.measured, timeline->measured());

    QTest::keyClick(&desk.window(), Qt::Key_L, Qt::ControlModifier);
    const QString link = QGuiApplication::clipboard()->text();
    auto shown = shell::parseLink(link);
    QVERIFY2(shown && !shown->fields.isEmpty() && shown->place.view == "trace", qPrintable(link));

    // The other process keeps the place that it shows in its settings, as every window does.
    const QTemporaryDir home;
    QProcess other;
    auto environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"})
      environment.insert(name, home.path());
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    other.setProcessEnvironment(environment);
    other.setProcessChannelMode(QProcess::MergedChannels);
    other.start(program, {"--size", "1280x800", "--at", link});
    QVERIFY2(other.waitForStarted(), qPrintable(other.errorString()));
    shown->reports.clear(), shown->ids.clear();
    const auto seen = [&]() -> std::optional<shell::ViewLink> {
      QSettings kept(home.filePath("tilescope/tilescope.ini"), QSettings::IniFormat);
      kept.beginGroup("places");
      return kept.childKeys().isEmpty() ? std::nullopt : shell::parseLink(kept.value(kept.childKeys().first()).toString());
    };
    const bool same = QTest::qWaitFor([&] { return seen() == shown || other.state() == QProcess::NotRunning; }, kLongestRunMs);
    other.terminate();
    other.waitForFinished();
    const auto last = seen();
    QVERIFY2(same && last == shown, qPrintable(link + "\nshows " + (last ? shell::linkText(*last) : "nothing") + '\n' +
                                               QString::fromUtf8(other.readAll())));
  }

  // 7: a figure and a table for a paper; the dialogs for their names are the system's.
  void aFigureAndATableForAPaper() {
    Desk desk(files());
    QVERIFY(desk.goTo("Operations"));
    auto* bars = desk.child<plot::BarList>("Costliest operations");
    auto* table = desk.child<tables::TableView>("Operations");
    QVERIFY(bars && table);
    const QString figure = m_folder.filePath("figure.svg"), rows = m_folder.filePath("rows.md");
    QCOMPARE(shell::writePicture({bars}, figure), QString());
    QCOMPARE(tables::writeRows(*table->model(), rows), QString());
    QFile picture(figure), text(rows);
    QVERIFY(picture.open(QFile::ReadOnly) && text.open(QFile::ReadOnly));
    QVERIFY(picture.readAll().contains("conv"));
    QCOMPARE(text.readAll().trimmed().split('\n').size(), qsizetype(table->rows().rowCount()) + 2); // head and rule
  }

  // 10: from a finding about a network on 16 IPUs to the layer that causes it: three clicks.
  void fromAFindingToTheLayer() {
    const QString report = made("sixteen.tsr", {"bert", "--ipus", "16"});
    QVERIFY(!report.isEmpty());
    Desk desk({report});
    QVERIFY(desk.goTo("Insights"));
    auto* findings = desk.child<QWidget>("Findings");
    QVERIFY(findings);
    for (int row = 0; row < 20 && !desk.view().selectionText().startsWith("Copies between IPUs"); ++row)
      QTest::keyClick(findings, Qt::Key_Down); // a person clicks it: one click
    QVERIFY(desk.view().selectionText().startsWith("Copies between IPUs"));
    QVERIFY(desk.press("Show "));
    const auto* facts = desk.child<shell::FactList>("Facts about the slice");
    QVERIFY(facts && facts->isVisible());
    QVERIFY2(facts->valueOf("Operation").startsWith("bert/"), qPrintable(facts->valueOf("Operation")));
    QVERIFY(desk.clicks() + 1 <= 3);
  }

  // The same for a finding of many operations: the one that it names is the one that is shown, here and behind a link.
  void fromManyOperationsToTheOneThatIsNamed() {
    const QString report = made("shared.tsr", {"bert", "--ipus", "16", "--pipeline", "4", "--replicas", "4", "--accumulation",
                                               "8", "--set", "layers=12", "--set", "vocabulary=500"});
    QVERIFY(!report.isEmpty());
    const auto session = analyser::Session::open(report.toStdString());
    const auto found = analyser::insights::insights(*session);
    const auto unused =
        std::find_if(found.list.begin(), found.list.end(), [](const auto& i) { return i.rule == "time.spread-unused"; });
    QVERIFY(unused != found.list.end());
    const auto operations = analyser::operations::operations(*session);
    QVERIFY(unused->evidence.operation.valid());
    const std::string& name = operations.rows[unused->evidence.operation.value()].name;
    QVERIFY2(unused->what.text(std::string::npos).ends_with(": " + name + "."), name.c_str());
    const QString start = QString::fromStdString(name) + ": ";

    Desk desk({report});
    QVERIFY(desk.goTo("Insights"));
    auto* findings = desk.child<insights::FindingList>("Findings");
    QVERIFY(findings);
    for (int row = 0; row < 20 && !desk.view().selectionText().startsWith("Unused tiles"); ++row)
      QTest::keyClick(findings, Qt::Key_Down); // a person clicks it: one click
    QVERIFY(desk.press("Show the worst"));
    QVERIFY2(desk.view().selectionText().startsWith(start), qPrintable(desk.view().selectionText()));
    QVERIFY(desk.clicks() + 1 <= 3);
    const auto* steps = desk.child<tables::TableView>("Program steps of the operation");
    QVERIFY(steps && steps->rows().rowCount() > 0 && !steps->selectedIds().empty());
    QVERIFY(desk.goTo("Trace") && desk.goTo("Operations"));
    QVERIFY2(desk.view().selectionText().startsWith(start), qPrintable(desk.view().selectionText()));

    Desk other({report});
    other.window().openLink({{}, desk.window().state().place(), {}});
    QVERIFY(other.settle());
    QTRY_VERIFY2(other.view().selectionText().startsWith(start), qPrintable(other.view().selectionText()));
  }

  // A slice says which of the layers that share a step ran it, and Operations selects that layer.
  void theLayerOfASliceIsTheOneInOperations() {
    const QString report = made("slices.tsr", {"bert", "--set", "layers=6", "--set", "hidden=64"});
    QVERIFY(!report.isEmpty());
    Desk desk({report});
    QVERIFY(desk.goTo("Trace"));
    auto* search = desk.child<QLineEdit>("Search for steps");
    const auto* facts = desk.child<shell::FactList>("Facts about the slice");
    QVERIFY(search && facts);
    QTest::keyClicks(search, "Convolve");
    QVERIFY(desk.settle());
    QSet<QString> layers;
    for (int match = 0; match < 60 && layers.size() < 3; ++match) {
      QTest::keyClick(search, Qt::Key_Return);
      QVERIFY(desk.settle());
      const QString name = facts->valueOf("Operation");
      if (!name.endsWith("attention/query") || layers.contains(name)) continue;
      layers.insert(name);
      QVERIFY(desk.goTo("Operations"));
      QVERIFY2(desk.view().selectionText().startsWith(name + ": "), qPrintable(name + " or " + desk.view().selectionText()));
      QVERIFY(desk.goTo("Trace"));
    }
    QVERIFY2(layers.size() == 3, qPrintable(QStringList(layers.values()).join(", ")));
  }

  // Layers of one function share their steps: a click selects the clicked layer, and other views and Back keep it.
  void theLayerThatWasClickedIsTheOneThatIsNamed() {
    const QString report = made("six.tsr", {"bert", "--set", "layers=6", "--set", "hidden=64"});
    QVERIFY(!report.isEmpty());
    Desk desk({report});
    QVERIFY(desk.goTo("Operations"));
    auto* filter = desk.child<QLineEdit>("Filter of Operations");
    auto* table = desk.child<tables::TableView>("Operations");
    QVERIFY(filter && table);
    QTest::keyClicks(filter, "attention/query");
    QVERIFY(desk.settle());
    QString last;
    int layers = 0;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      const QString name = table->model()->index(row, 0).data().toString();
      if (!name.contains("fwd/layer")) continue;
      table->scrollTo(table->model()->index(row, 0));
      QVERIFY(desk.clickRow(table, row));
      QVERIFY2(desk.view().selectionText().startsWith(name + ": "), qPrintable(name + " or " + desk.view().selectionText()));
      QVERIFY(desk.goTo("Trace") && desk.goTo("Operations"));
      QVERIFY2(desk.view().selectionText().startsWith(name + ": "), qPrintable(name + " or " + desk.view().selectionText()));
      if (++layers == 2) {
        for (int back = 0; back < 10 && !desk.view().selectionText().startsWith(last + ": "); ++back) {
          desk.window().state().goBack();
          QVERIFY(desk.settle());
        }
        QVERIFY2(desk.view().selectionText().startsWith(last + ": "), qPrintable(last + " or " + desk.view().selectionText()));
      }
      last = name;
    }
    QVERIFY(layers >= 6);
  }

  // 9: changes that make a program fit: one click compiles them, and the first one that fits is marked.
  void whatMakesItFit() {
    const QString report = made("large.tsr", {"bert", "--set", "layers=12", "--set", "hidden=512"});
    QVERIFY(!report.isEmpty());
    Desk desk({report});
    QVERIFY(desk.goTo("Insights"));
    const auto said = [&](const QString& start) {
      int count = 0;
      for (auto* label : desk.view().findChildren<shell::WrappedLabel*>())
        count += label->isVisible() && label->text().startsWith(start);
      return count;
    };
    QCOMPARE(said("Fits: "), 0);
    desk.press("Find what fits");
    QVERIFY(QTest::qWaitFor([&] { return said("Fits: ") > 0 || !desk.view().isBusy(); }, kLongestRunMs));
    QVERIFY2(said("Fits: ") > 0, qPrintable(QStringLiteral("%1 do not fit").arg(said("Does not fit: "))));
    QVERIFY(desk.clicks() <= 2);
    // The sentence beside the button names the change, which may be out of sight.
    const auto* outcome = desk.child<shell::WrappedLabel>("Changes that fit");
    QVERIFY(outcome && outcome->isVisible());
    QVERIFY2(outcome->text().startsWith("Fits with: "), qPrintable(outcome->text()));
    if (desk.view().isBusy()) QVERIFY(desk.press("Stop"));
  }

  // After a change was tried in a run, its result is shown beside the change, in the words of the comparison.
  void whatWasTriedIsSaidBack() {
    const QString report = made("tried.tsr", {"mlp"});
    QVERIFY(!report.isEmpty());
    Desk desk({report});
    QVERIFY(desk.goTo("Insights"));
    auto* findings = desk.child<QWidget>("Findings");
    QVERIFY(findings);
    bool asked = false;
    for (int row = 0; row < 20 && !asked; ++row) {
      asked = desk.press("I/O tiles");
      if (asked) break;
      QTest::keyClick(findings, Qt::Key_Down);
      QVERIFY(desk.settle());
    }
    QVERIFY(asked); // the view is now that of the run
    const auto words = [&] {
      for (auto* label : desk.view().findChildren<shell::WrappedLabel*>())
        if (label->isVisible() && label->text().startsWith("Tried: ")) return label->text();
      return QString();
    };
    // The comparison opens by itself; afterwards the user goes back to the report alone.
    QVERIFY2(QTest::qWaitFor([&] { return desk.window().windowTitle().contains(QChar(0x2194)); }, kLongestRunMs),
             qPrintable(desk.window().windowTitle()));
    QSignalSpy opened(&desk.window(), &shell::MainWindow::openFinished);
    desk.window().openReports({report});
    QVERIFY(QTest::qWaitFor([&] { return opened.count() > 0; }, 20000) && desk.settle());
    QVERIFY(desk.goTo("Insights"));
    QVERIFY(QTest::qWaitFor([&] { return !words().isEmpty(); }, 20000));
    QVERIFY2(words().contains("batch", Qt::CaseInsensitive), qPrintable(words()));
  }

  // 8: variables by a regular expression, with their copies and the sum.
  void variablesByExpression() {
    Desk desk(files());
    QVERIFY(desk.goTo("Memory"));
    QVERIFY(desk.openTab("Largest variables"));
    auto* filter = desk.child<QLineEdit>("Filter of Largest variables");
    QVERIFY(filter && filter->isVisible());
    QTest::keyClicks(filter, "/conv[0-9]/");
    auto* table = desk.child<tables::TableView>("Largest variables");
    QVERIFY(table->rows().shownRows() > 1);
    QVERIFY(table->model()->index(0, 0).data().toString().startsWith("Total"));
    bool copies = false;
    for (int c = 0; c < table->model()->columnCount(); ++c)
      copies = copies || table->model()->headerData(c, Qt::Horizontal).toString() == "Copies";
    QVERIFY(copies);
    QVERIFY(desk.clicks() <= 3);
  }
};

TILESCOPE_TEST(StoriesTest)
#include "stories_test.moc"
