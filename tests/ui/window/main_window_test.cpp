#include "ui/window/main_window.h"

#include "tests/support/synthetic_report.h"
#include "tests/support/test_main.h"
#include "ui/parts/page.h"
#include "ui/parts/splitter_places.h"
#include "ui/state/settings.h"
#include "ui/tables/table_view.h"
#include "ui/window/command_palette.h"
#include "ui/window/drop_sheet.h"
#include "ui/window/help_sheet.h"
#include "ui/window/key_list.h"
#include "ui/window/manual.h"
#include "ui/window/nav_rail.h"
#include "ui/window/preferences.h"
#include "ui/window/search_button.h"
#include "ui/window/top_bar.h"
#include "ui/window/veil.h"
#include "ui/window/window_actions.h"
#include "ui/window/window_commands.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QDir>
#include <QDirIterator>
#include <QDropEvent>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QShortcut>
#include <QSignalSpy>
#include <QSpinBox>
#include <QSplitter>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

using namespace ui::shell;

namespace {

class PlainView : public View {
public:
  PlainView(const ViewParts& parts, int& shown) : View(parts), m_shown(shown) {}
  void setSessions(SessionPointer, SessionPointer) override { ++m_shown; }
  QString selectionText() const override { return QStringLiteral("tile 7"); }

private:
  int& m_shown;
};

} // namespace

class MainWindowTest : public QObject {
  Q_OBJECT

  QTemporaryDir m_folder;
  ui::theme::Theme m_theme;
  std::unique_ptr<Settings> m_settings;
  int m_shown = 0, m_runs = 0;

  ViewList list() {
    const auto plain = [this](const ViewParts& parts) -> View* { return new PlainView(parts, m_shown); };
    return {{"home", "Home", "Where to begin", Section::Top, Needs::Nothing, plain},
            {"summary", "Summary", "How is it", Section::Report, Needs::Report, plain},
            {"memory", "Free", "Anything", Section::Report, Needs::Nothing, plain},
            {"compare", "Compare", "What changed", Section::Bottom, Needs::Comparison, plain}};
  }

private slots:
  void init() {
    m_settings = std::make_unique<Settings>(m_folder.filePath(QStringLiteral("%1.ini").arg(++m_runs)));
    m_shown = 0;
  }

  void viewsAreMadeWhenShownAndKeysReachThem() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QCOMPARE(window.state().view(), QString("home"));
    QCOMPARE(m_shown, 1);
    QTest::keyClick(&window, Qt::Key_2);
    QCOMPARE(window.state().view(), QString("memory"));
    QCOMPARE(m_shown, 2);
    QTest::keyClick(&window, Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(window.state().view(), QString("home"));
    QTest::keyClick(&window, Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(window.state().view(), QString("memory"));
    QCOMPARE(m_shown, 2); // nothing new to tell them
  }

  void aClickOnTheShownViewLeavesItMarked() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    QAbstractButton* free = nullptr;
    for (QAbstractButton* button : window.findChildren<QAbstractButton*>())
      if (button->accessibleName() == "Free") free = button;
    QVERIFY(free && !free->isChecked());
    for (int click = 0; click < 3; ++click) {
      QTest::mouseClick(free, Qt::LeftButton);
      QVERIFY(free->isChecked());
    }
    window.showView("home");
    QVERIFY(!free->isChecked());
  }

  void aViewWithoutItsReportSaysWhatToOpen() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    window.showView("summary");
    QVERIFY(!window.currentView());
    QStringList words;
    for (const QLabel* label : window.findChildren<QLabel*>())
      if (label->isVisible()) words.append(label->text());
    QVERIFY(words.contains("No report is open"));
    window.showView("compare");
    QVERIFY(!window.currentView());
    window.showView("no such view");
    QCOMPARE(window.state().view(), QString("compare"));
  }

  void aFailedOpenIsABarAndNotALostWindow() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    QFile odd(m_folder.filePath("odd.tsr"));
    QVERIFY(odd.open(QIODevice::WriteOnly));
    odd.write("this is not a report");
    odd.close();
    for (const QString& file : {m_folder.filePath("missing.tsr"), odd.fileName()}) {
      QSignalSpy finished(&window, &MainWindow::openFinished);
      window.openReports({file});
      QTRY_COMPARE(finished.count(), 1);
      QCOMPARE(finished[0][0].toBool(), false);
      QVERIFY2(window.message().contains(QFileInfo(file).fileName()), qPrintable(window.message()));
      QCOMPARE(window.state().view(), QString("home"));
    }
    QVERIFY(m_settings->recent().isEmpty());
  }

  void aDropOpensWhatWasDropped() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    QMimeData mime;
    mime.setUrls({QUrl::fromLocalFile(m_folder.filePath("gone.tsr"))});
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QSignalSpy finished(&window, &MainWindow::openFinished);
    QDropEvent drop({10, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&window, &drop);
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(window.message().contains("gone.tsr"));
  }

  void aDropIsForTheWindowWhateverLiesBelow() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    auto* field = window.findChild<QLineEdit*>(); // which would take the file for its name
    QMimeData mime;
    const auto drop = [&](const QStringList& files) {
      QList<QUrl> urls;
      for (const QString& file : files) urls.append(QUrl::fromLocalFile(m_folder.filePath(file)));
      mime.setUrls(urls);
      QDragEnterEvent enter({10, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(field, &enter);
      QVERIFY(enter.isAccepted());
      QVERIFY(window.findChild<DropSheet*>()->isVisible());
      QDropEvent event({10, 10}, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
      QApplication::sendEvent(field, &event);
      QVERIFY(!window.findChild<DropSheet*>()->isVisible());
    };
    QSignalSpy finished(&window, &MainWindow::openFinished);
    drop({"gone.tsr"});
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(window.message().contains("gone.tsr"));
    drop(QStringList(kMostReports + 1, "a.tsr"));
    QVERIFY2(window.message().startsWith("9 files"), qPrintable(window.message()));
    drop({"net.onnx"});
    const RunOrder order = window.state().messages().take<RunOrder>().value_or(RunOrder());
    QCOMPARE(std::get<FillModel>(order).file, m_folder.filePath("net.onnx"));
    QCOMPARE(field->text(), QString());
    QCOMPARE(finished.count(), 1);
  }

  // As on a command line: tilescope report.tsr model.onnx
  void aModelBesideAReportGoesToRun() {
    const tests::TinyReport report({.ipus = 1, .tilesPerIpu = 4, .operations = 2});
    const QString file = QString::fromStdString(report.path().string());
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    QSignalSpy finished(&window, &MainWindow::openFinished);
    window.openReports({file, m_folder.filePath("net.onnx")});
    QTRY_COMPARE(finished.count(), 1);
    QVERIFY(finished[0][0].toBool());
    QCOMPARE(std::get<FillModel>(window.state().messages().take<RunOrder>().value_or(RunOrder())).file,
             m_folder.filePath("net.onnx"));
    QVERIFY2(!window.message().contains("net.onnx"), qPrintable(window.message()));
  }

  void whatADropMeansIsToldByTheFiles() {
    QCOMPARE(planDrop({"/x/a.tsr"}).deed, DropDeed::Open);
    QCOMPARE(planDrop({"/x/a.tsr", "/x/b.tsr"}).deed, DropDeed::Compare);
    QCOMPARE(planDrop(QStringList(kMostReports, "/x/a.tsr")).deed, DropDeed::Compare);
    QCOMPARE(planDrop(QStringList(kMostReports + 1, "/x/a.tsr")).deed, DropDeed::Nothing);
    QCOMPARE(planDrop({"/x/Net.ONNX"}).deed, DropDeed::Run);
    QCOMPARE(planDrop({"/x/a.tsr", "/x/net.onnx"}).deed, DropDeed::Nothing);
    QDir(m_folder.path()).mkdir("model");
    QFile model(m_folder.filePath("model/model.onnx"));
    QVERIFY(model.open(QIODevice::WriteOnly));
    QCOMPARE(planDrop({m_folder.filePath("model")}).deed, DropDeed::Run);
  }

  void aNarrowWindowFoldsTheRailAndForgetsIt() {
    MainWindow window(m_theme, *m_settings, list());
    window.resize(1280, 800);
    window.show();
    auto* rail = window.findChild<NavRail*>();
    QVERIFY(!rail->isFolded());
    window.resize(1024, 640);
    QTRY_VERIFY(rail->isFolded());
    QVERIFY(!m_settings->railFolded());
    window.resize(1280, 800);
    QTRY_VERIFY(!rail->isFolded());
  }

  // Also where a panel takes its part of 1024x600, or 1920x1080 is shown at 200 %.
  void theSmallestWindowFitsASmallScreen() {
    MainWindow window(m_theme, *m_settings, list());
    QVERIFY(window.minimumWidth() <= 960 && window.minimumHeight() <= 490);
    QVERIFY(window.minimumSizeHint().width() <= window.minimumWidth());
    QVERIFY(window.minimumSizeHint().height() <= window.minimumHeight());
  }

  // Without a close event: after a crash the window is where it was.
  void thePlaceIsRememberedWhileTheWindowLives() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    window.resize(1111, 700);
    QTRY_COMPARE(m_settings->geometry(), window.saveGeometry());
  }

  // A desktop finds the icon and name of a window through the name of its desktop file.
  void theDesktopFileIsTheNamedOne() {
    QFile main(QStringLiteral(TILESCOPE_SOURCE_DIR "/app/gui/main.cpp"));
    QVERIFY(main.open(QIODevice::ReadOnly));
    static const QRegularExpression name(QStringLiteral("setDesktopFileName\\(QStringLiteral\\(\"([^\"]+)\""));
    const auto found = name.match(QString::fromUtf8(main.readAll()));
    QVERIFY(found.hasMatch());
    QDirIterator files(QStringLiteral(TILESCOPE_SOURCE_DIR "/resources"), {found.captured(1) + ".desktop*"}, QDir::Files,
                       QDirIterator::Subdirectories);
    QVERIFY2(files.hasNext(), qPrintable(found.captured(1)));
  }

  void unitsAreRememberedAndShared() {
    MainWindow window(m_theme, *m_settings, list());
    auto* bar = window.findChild<TopBar*>();
    emit bar->unitsChosen({ui::theme::TimeUnit::Seconds, ui::theme::MemoryUnit::Bytes});
    QCOMPARE(window.state().format().units().memory, ui::theme::MemoryUnit::Bytes);
    QCOMPARE(m_settings->units().time, ui::theme::TimeUnit::Seconds);
  }

  void noShortcutIsAmbiguousAndEveryControlHasAName() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    QSet<QString> keys;
    for (const QShortcut* shortcut : window.findChildren<QShortcut*>(Qt::FindDirectChildrenOnly)) {
      const QString key = shortcut->key().toString();
      QVERIFY2(!keys.contains(key), qPrintable(key));
      keys.insert(key);
    }
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
      if (button->isVisible() && !qobject_cast<QLineEdit*>(button->parent())) // a field's own icons
        QVERIFY2(!button->accessibleName().isEmpty() || !button->text().isEmpty(), qPrintable(button->toolTip()));
    for (const QLineEdit* field : window.findChildren<QLineEdit*>()) QVERIFY(!field->accessibleName().isEmpty());
  }

  void searchAndHelpDimTheWindowUntilItIsClicked() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    auto* veils = window.findChild<Veil*>();
    QVERIFY(veils && !veils->isVisible());
    const auto veil = [&]() -> Veil* {
      for (Veil* v : window.findChildren<Veil*>())
        if (v->isVisible()) return v;
      return nullptr;
    };
    QTest::mouseClick(window.findChild<SearchButton*>(), Qt::LeftButton);
    QVERIFY(veil() && window.findChild<CommandPalette*>()->isVisible());
    QCOMPARE(veil()->geometry(), window.rect());
    QTest::mouseClick(veil(), Qt::LeftButton, {}, {4, 4});
    QVERIFY(!veil() && !window.findChild<CommandPalette*>()->isVisible());
    QTest::keyClick(&window, Qt::Key_Question);
    QVERIFY(veil() && window.findChild<HelpSheet*>()->isVisible());
    window.resize(window.size() - QSize(40, 40));
    QCOMPARE(veil()->geometry(), window.rect());
    QTest::keyClick(window.findChild<HelpSheet*>(), Qt::Key_Escape);
    QVERIFY(!veil());
  }

  // Shortcuts, palette and sheet are made from the same commands: a key that is changed is changed in all.
  void aCommandTakesTheKeyThatTheUserGaveIt() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    auto* actions = window.findChild<WindowActions*>();
    const WindowAction* manual = actions->find("manual");
    QVERIFY(manual);
    actions->setKeys(*manual, {Qt::CTRL | Qt::SHIFT | Qt::Key_H});
    QTest::keyClick(&window, Qt::Key_F1);
    QVERIFY(!window.findChild<Manual*>());
    QTest::keyClick(&window, Qt::Key_H, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(window.findChild<Manual*>());
    QCOMPARE(actions->keysText(*manual), QStringLiteral("Ctrl+Shift+H"));
    MainWindow next(m_theme, *m_settings, list()); // the settings keep it
    auto* later = next.findChild<WindowActions*>();
    QCOMPARE(later->keysText(*later->find("manual")), QStringLiteral("Ctrl+Shift+H"));
    later->resetKeys();
    QCOMPARE(later->keysText(*later->find("manual")), QStringLiteral("F1"));
    QVERIFY(!m_settings->value("keys/manual").isValid());
  }

  void theManualListsEveryKey() {
    MainWindow window(m_theme, *m_settings, list());
    QString page;
    for (const Chapter& chapter : manualChapters())
      if (chapter.page == QLatin1String("shortcuts")) page += chapter.text;
    for (const WindowAction& action : window.findChild<WindowActions*>()->all()) {
      const bool isListed = std::any_of(action.keys.begin(), action.keys.end(), [&](const QKeySequence& key) {
        return page.contains(key.toString(QKeySequence::PortableText));
      });
      QVERIFY2(action.keys.isEmpty() || action.id.startsWith(kViewAction) || isListed, qPrintable(action.title));
    }
  }

  void aKeyThatIsTakenIsRefusedWithTheReason() {
    MainWindow window(m_theme, *m_settings, list());
    auto* actions = window.findChild<WindowActions*>();
    const WindowAction* swap = actions->find("swap");
    QVERIFY(actions->refusal(*swap, Qt::CTRL | Qt::Key_R)->contains("Reload"));
    QVERIFY(actions->refusal(*swap, QKeySequence::Copy)->contains("copies"));
    QVERIFY(actions->refusal(*swap, Qt::Key_F)->contains("plots"));
    QVERIFY(!actions->refusal(*swap, Qt::CTRL | Qt::SHIFT | Qt::Key_X));
    QVERIFY(!actions->refusal(*swap, Qt::Key_F9));
    // No two commands begin with the same key.
    for (const WindowAction& action : actions->all())
      for (const QKeySequence& key : action.keys) QVERIFY2(!actions->refusal(action, key), qPrintable(action.id));
  }

  // In the page of the preferences: the field of a command takes a free key, and shows the old one again after a taken one.
  void keysAreGivenInThePreferences() {
    MainWindow window(m_theme, *m_settings, list());
    auto* actions = window.findChild<WindowActions*>();
    KeyList keys(*actions);
    keys.show();
    QKeySequenceEdit* field = nullptr;
    for (auto* candidate : keys.findChildren<QKeySequenceEdit*>())
      if (candidate->accessibleName() == "Swap reports") field = candidate;
    QVERIFY(field);
    const auto press = [&](Qt::Key key) {
      field->setKeySequence(QKeySequence(Qt::CTRL | key));
      emit field->editingFinished();
    };
    press(Qt::Key_U);
    QCOMPARE(actions->keysText(*actions->find("swap")), QStringLiteral("Ctrl+U"));
    press(Qt::Key_R);
    QCOMPARE(actions->keysText(*actions->find("swap")), QStringLiteral("Ctrl+U"));
    QCOMPARE(field->keySequence(), QKeySequence(Qt::CTRL | Qt::Key_U));
    field->clear();
    emit field->editingFinished();
    QVERIFY(actions->keysText(*actions->find("swap")).isEmpty());
    actions->resetKeys();
  }

  // The palette and the tiles per row change at once and are saved in the settings.
  void theLookOfTileMapsIsKept() {
    ui::theme::Theme theme;
    ViewState state;
    MainWindow window(m_theme, *m_settings, list());
    Preferences preferences(theme, *m_settings, state, *window.findChild<WindowActions*>(), nullptr);
    preferences.setAttribute(Qt::WA_DeleteOnClose, false);
    for (auto* box : preferences.findChildren<QComboBox*>())
      if (box->accessibleName() == "Palette") {
        box->setCurrentIndex(1);
        emit box->activated(1);
      }
    for (auto* box : preferences.findChildren<QSpinBox*>())
      if (box->accessibleName() == "Tiles per row") box->setValue(46);
    QCOMPARE(theme.scale(), ui::theme::Scale::Viridis);
    QCOMPARE(theme.tilesPerRow(), 46);
    QCOMPARE(m_settings->scale(), ui::theme::Scale::Viridis);
    QCOMPARE(m_settings->tilesPerRow(), 46);
  }

  void splittersGoBackToWhereTheyStoodAtFirst() {
    QWidget view;
    auto* column = new QVBoxLayout(&view);
    auto* splitter = new QSplitter;
    splitter->addWidget(new QLabel("left")), splitter->addWidget(new QLabel("right"));
    splitter->setSizes({100, 300});
    column->addWidget(splitter);
    keepSplitters(view, "somewhere", *m_settings);
    view.resize(440, 100);
    view.show();
    const QList<int> first = splitter->sizes();
    QVERIFY(!isPlacedByHand(*splitter));
    splitter->setSizes({300, 100});
    emit splitter->splitterMoved(300, 1);
    QVERIFY(isPlacedByHand(*splitter) && m_settings->value("splitters/somewhere/0").isValid());
    resetSplitters(view);
    QCOMPARE(splitter->sizes(), first);
    QVERIFY(!isPlacedByHand(*splitter));
    m_settings->remove(kSplitterSettings);
    QVERIFY(!m_settings->value("splitters/somewhere/0").isValid());
  }

  void theManualOpensAtTheChapterOfTheView() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_F1);
    const auto* manual = window.findChild<Manual*>();
    QVERIFY(manual && manual->isVisible());
    QCOMPARE(manual->chapter(), chapterOfView("Home"));
    // F1 clears an earlier search, so that the chapter is in the list.
    auto* search = manual->findChild<QLineEdit*>();
    auto* chapters = manual->findChild<QTreeWidget*>();
    const int all = chapters->topLevelItemCount();
    search->setText("exchange");
    QVERIFY(chapters->topLevelItemCount() != all);
    QApplication::setActiveWindow(&window);
    QTest::keyClick(&window, Qt::Key_F1);
    QVERIFY(search->text().isEmpty());
    QCOMPARE(chapters->topLevelItemCount(), all);
    QVERIFY(chapters->currentItem());
    QCOMPARE(chapters->currentItem()->text(0), manualChapters()[std::size_t(chapterOfView("Home"))].title);
  }

  void thePaletteKnowsOtherWordsForACommand() {
    QWidget window;
    window.resize(900, 600);
    auto& palette = *new CommandPalette(m_theme, &window);
    QStringList shown;
    const auto ask = [&](const QString& words) {
      palette.open({{"Save as one web page…", "The whole report", "save", {}, [] {}, "export html share"},
                    {"Light or dark", "Change the theme", "theme", {}, [] {}},
                    {"Save table…", "Rows", "save", {}, [] {}, "export csv"}});
      palette.findChild<QLineEdit*>()->setText(words);
      shown.clear();
      const auto* list = palette.findChild<QListWidget*>();
      for (int i = 0; i < list->count(); ++i) shown << list->item(i)->text();
      return shown;
    };
    QCOMPARE(ask("export"), QStringList({"Save as one web page…", "Save table…"}));
    QCOMPARE(ask("html"), QStringList({"Save as one web page…"}));
    QCOMPARE(ask("save"), QStringList({"Save table…", "Save as one web page…"}));
    QVERIFY(!ask("ex").contains("Save table…")); // too few letters
  }

  void saveTableIsThereWhereATableIs() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    QVERIFY(window.currentView() && !window.currentView()->tableToSave());
    ui::tables::TableView table(m_theme, "Rows");
    table.setParent(window.currentView());
    table.show();
    QCOMPARE(window.currentView()->tableToSave(), static_cast<QAbstractItemView*>(&table));
  }

  void thePaletteFindsAViewByAFewLetters() {
    MainWindow window(m_theme, *m_settings, list());
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_K, Qt::ControlModifier);
    auto* input = qobject_cast<QLineEdit*>(QApplication::focusWidget());
    QVERIFY(input);
    QTest::keyClicks(input, "fre");
    QTest::keyClick(input, Qt::Key_Return);
    QCOMPARE(window.state().view(), QString("memory"));
  }
};

TILESCOPE_TEST(MainWindowTest)
#include "main_window_test.moc"
