#include "ui/state/view_state.h"

#include "tests/support/test_main.h"
#include "ui/state/settings.h"
#include "ui/window/command_palette.h"
#include "ui/window/file_watch.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <random>

using namespace ui::shell;
using reports::TileId;

class ViewStateTest : public QObject {
  Q_OBJECT

private slots:
  void tilesAreSortedAndSignalledOnce() {
    ViewState state;
    QSignalSpy changed(&state, &ViewState::tilesChanged);
    state.setTiles({TileId(5), TileId(2), TileId(5)});
    QCOMPARE(state.tiles(), (std::vector<TileId>{TileId(2), TileId(5)}));
    state.setTiles({TileId(2), TileId(5)});
    QCOMPARE(changed.count(), 1);
    state.clickTile(TileId(2), Qt::ShiftModifier);
    state.clickTile(TileId(9), Qt::ShiftModifier);
    QCOMPARE(state.tiles(), (std::vector<TileId>{TileId(5), TileId(9)}));
  }

  void aSeriesOfZoomsIsOneStepBack() {
    ViewState state;
    state.setView("trace");
    for (int i = 1; i < 20; ++i) state.setRange({i, 1000 - i});
    state.goBack();
    QCOMPARE(state.range(), reports::TickRange{});
    QCOMPARE(state.view(), QString("trace"));
    state.goForward();
    QCOMPARE(state.range(), (reports::TickRange{19, 981}));
  }

  void manyActionsTakenBackEndAtTheStart() {
    ViewState state;
    const Place start = state.place();
    std::mt19937 random(11);
    std::vector<Place> places{start};
    for (int i = 0; i < 150; ++i) {
      switch (random() % 4) {
      case 0: state.setView(QString::number(random() % 5)); break;
      case 1: state.clickTile(TileId(random() % 50), Qt::ShiftModifier); break;
      case 2: state.setStep(reports::ProgramStepId(random() % 50)); break;
      default: state.setVariable(reports::VariableId(random() % 50));
      }
      if (state.place() != places.back()) places.push_back(state.place());
    }
    for (auto it = places.rbegin(); it != places.rend(); ++it) {
      QCOMPARE(state.place(), *it);
      state.goBack();
    }
    QVERIFY(!state.canGoBack());
    QCOMPARE(state.place(), start);
  }

  // Operations share steps, so a newly chosen step selects none of the operations.
  void anOperationGoesWithItsStep() {
    ViewState state;
    QSignalSpy changed(&state, &ViewState::operationChanged);
    state.setOperation(reports::OperationId(3), reports::ProgramStepId(8));
    state.setOperation(reports::OperationId(4), reports::ProgramStepId(8));
    QCOMPARE(changed.count(), 2);
    state.setStep(reports::ProgramStepId(8)); // a view that followed it
    QCOMPARE(state.operation(), reports::OperationId(4));
    state.setStep(reports::ProgramStepId(9));
    QVERIFY(!state.operation().valid());
    state.goBack();
    QCOMPARE(state.operation(), reports::OperationId(4));
    QCOMPARE(state.step(), reports::ProgramStepId(8));
    state.goBack();
    QCOMPARE(state.operation(), reports::OperationId(3));
  }

  void aNewReportForgetsSelectionAndHistoryButNotUnits() {
    ViewState state;
    state.setView("memory");
    state.setUnits({ui::theme::TimeUnit::Seconds, ui::theme::MemoryUnit::Bytes});
    state.clickTile(TileId(3), Qt::ShiftModifier);
    state.reset();
    QVERIFY(state.tiles().empty() && !state.canGoBack());
    QCOMPARE(state.view(), QString("memory"));
    QCOMPARE(state.format().units().memory, ui::theme::MemoryUnit::Bytes);
  }

  void aRunOrderIsTakenOnce() {
    ViewMessages messages;
    QSignalSpy asked(&messages, &ViewMessages::runAsked);
    messages.send(RunSample{"mnist-train"});
    QCOMPARE(asked.count(), 1);
    QCOMPARE(std::get<RunSample>(*messages.take<RunOrder>()).sample, QString("mnist-train"));
    QVERIFY(!messages.take<RunOrder>());
  }

  // A view takes only its own messages, and none from before other reports were opened.
  void aMessageWaitsForItsView() {
    ViewMessages messages;
    messages.send(ShowTab{"memory", "variables"});
    QVERIFY(!messages.take<ShowTab>("trace"));
    QCOMPARE(messages.take<ShowTab>("memory")->tab, QString("variables"));
    messages.send(ShowTab{"memory", "variables"});
    messages.send(FillSettings{"/a.tsr"});
    messages.forget();
    QVERIFY(!messages.take<ShowTab>("memory") && messages.take<RunOrder>());
  }

  void settingsSurviveAndDamageMeansDefaults() {
    QTemporaryDir folder;
    const QString path = folder.filePath("tilescope.ini");
    {
      Settings settings(path);
      settings.setScheme(ui::theme::Scheme::Dark);
      settings.setUnits({ui::theme::TimeUnit::Seconds, ui::theme::MemoryUnit::Decimal});
      for (int i = 0; i < 70; ++i) settings.addRecent({QStringLiteral("/reports/%1.tsr").arg(i)});
      settings.addRecent({"/reports/30.tsr"});
      settings.addRecent({"/a.tsr", "/b.tsr"});
    }
    Settings settings(path);
    QCOMPARE(settings.scheme(), ui::theme::Scheme::Dark);
    QCOMPARE(settings.units().memory, ui::theme::MemoryUnit::Decimal);
    QCOMPARE(settings.recent().size(), 64);
    QCOMPARE(settings.recent()[0], (QStringList{"/a.tsr", "/b.tsr"}));
    QCOMPARE(settings.recent()[1], QStringList{"/reports/30.tsr"});
    settings.removeRecent(QStringList{"/reports/30.tsr"});
    QCOMPARE(settings.recent()[1], QStringList{"/reports/69.tsr"});

    QFile broken(folder.filePath("broken.ini"));
    QVERIFY(broken.open(QIODevice::WriteOnly));
    broken.write("\x01[[[look\nscheme=77\n=\xff\xfe");
    broken.close();
    Settings defaults(broken.fileName());
    QCOMPARE(defaults.scheme(), ui::theme::Scheme::System);
    QVERIFY(defaults.recent().isEmpty());
  }

  void aReplacedFileIsNoticedEveryTime() {
    QTemporaryDir folder;
    const QString file = folder.filePath("a.tsr");
    const auto replace = [&](int size) {
      QFile fresh(folder.filePath("a.tmp"));
      QVERIFY(fresh.open(QIODevice::WriteOnly));
      fresh.write(QByteArray(size, 'x'));
      fresh.close();
      QFile::remove(file);
      QVERIFY(fresh.rename(file));
    };
    replace(1);
    FileWatch watch;
    watch.setFiles({file});
    QSignalSpy changed(&watch, &FileWatch::changed);
    for (int i = 2; i < 5; ++i) {
      replace(i);
      QTRY_COMPARE(changed.count(), i - 1);
    }
  }

  void thePaletteRanksBeginningsOfWords() {
    QCOMPARE(matchScore("zq", "Memory"), -1);
    QVERIFY(matchScore("mem", "Memory") > matchScore("mem", "Show time made"));
    QVERIFY(matchScore("sav", "Save picture") > matchScore("sav", "Autosave"));
    QVERIFY(matchScore("pict sa", "Save picture") > 0 &&
            matchScore("sa pict", "Save picture") > matchScore("pict sa", "Save picture"));
    QCOMPARE(matchScore("bert", "What changed between two reports?"), -1); // not letters here and there
    QCOMPARE(matchScore("av", "Save picture"), -1);                        // two letters inside of a word
    QVERIFY(matchScore("", "Anything") <= 0);
  }
};

TILESCOPE_TEST(ViewStateTest)
#include "view_state_test.moc"
