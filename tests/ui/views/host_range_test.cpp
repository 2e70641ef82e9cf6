// Ranges and arguments in the host's view: A–B stays with its figures, colours by name, arguments searched, grouped and as a
// tree, profiles that open on their flame graph.
#include "tests/reports/exchange/exported.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/plot/flame_graph.h"
#include "ui/plot/timeline.h"
#include "ui/tables/table_view.h"
#include "ui/views/host/argument_tree.h"
#include "ui/views/host/host_source.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QToolButton>

using namespace ui;

class HostRangeTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  static constexpr const char* kTrace =
      R"([{"ph":"X","pid":1,"tid":1,"cat":"io","ts":0,"dur":100,"name":"load 1","args":{"batch":1,"shape":{"dims":[3,224]}}},)"
      R"({"ph":"X","pid":1,"tid":1,"cat":"io","ts":200,"dur":300,"name":"load 2","args":{"batch":2,"shape":{"dims":[3,112]}}},)"
      R"({"ph":"X","pid":1,"tid":1,"cat":"io","ts":600,"dur":400,"name":"save","args":{"batch":2,"file":"a.cpp:7"}}])";

  plot::Timeline* opened(tests::ViewWorld& world, const std::string& text, const std::string& name = "a.json") {
    std::ofstream(m_folder / name, std::ios::binary) << text;
    std::filesystem::remove(m_folder / (name + ".tsr"));
    tests::importTo(m_folder / (name + ".tsr"), m_folder / name);
    world.session = analyser::Session::open((m_folder / (name + ".tsr")).string());
    world.open("host");
    world.view->resize(1280, 800);
    return world.settle() ? world.child<plot::Timeline>("Host timeline") : nullptr;
  }
  // The middle of the drawn slice with this tick.
  static QPoint placeOf(const plot::Timeline& timeline, int64_t tick) {
    const int x = 220 + int(timeline.scale().xOf(tick));
    for (int y = 40; y < timeline.height(); y += 4)
      if (timeline.hitAt({x, y})) return {x, y};
    return {};
  }
  static void showTab(tests::ViewWorld& world, const QString& title) {
    auto* tabs = world.view->findChild<QTabWidget*>();
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabText(i).startsWith(title)) tabs->setCurrentIndex(i);
    QVERIFY(world.settle());
  }
  static QStringList column(const tables::TableView& table, const char* id) {
    QStringList cells;
    for (int c = 0; c < table.rows().columnCount(); ++c)
      if (table.rows().headerData(c, Qt::Horizontal, tables::IdRole).toString() == QLatin1String(id))
        for (int r = 0; r < table.rows().rowCount(); ++r)
          if (table.rows().idAt(r) >= 0) // not the line of totals
            cells << table.rows().index(r, c).data(tables::PlainRole).toString();
    return cells;
  }

private slots:
  // A drag with Ctrl marks A–B: it stays while the view moves, and Statistics tell whole slices from cut ones. F shows it.
  void theMarkedRangeStaysWithItsFigures() {
    tests::ViewWorld world;
    auto* timeline = opened(world, kTrace);
    QVERIFY(timeline);
    const auto at = [&](int64_t tick) { return QPoint(220 + int(timeline->scale().xOf(tick)), timeline->height() - 20); };
    QTest::mousePress(timeline, Qt::LeftButton, Qt::ControlModifier, at(150'000));
    QTest::mouseMove(timeline, at(400'000));
    QTest::mouseMove(timeline, at(800'000));
    QTest::mouseRelease(timeline, Qt::LeftButton, Qt::ControlModifier, at(800'000));
    QVERIFY(world.settle());
    const auto range = timeline->measured();
    QVERIFY(std::abs(range.begin - 150'000) < 2'000 && std::abs(range.end - 800'000) < 2'000);
    auto* table = world.child<tables::TableView>("Statistics by label");
    QCOMPARE(column(*table, "label"), (QStringList{"load 2", "save"}));
    QCOMPARE(column(*table, "cut"), (QStringList{"0", "1"}));
    QCOMPARE(column(*table, "longest"), (QStringList{"300000", ""})); // a part has no longest slice
    QVERIFY2(world.view->selectionText().startsWith("A "), qPrintable(world.view->selectionText()));
    timeline->showExactly({0, 100'000});
    QVERIFY(world.settle());
    QCOMPARE(timeline->measured(), range);
    QCOMPARE(column(*table, "label"), (QStringList{"load 2", "save"})); // still those of A–B
    QTest::keyClick(timeline, Qt::Key_F);
    QCOMPARE(timeline->visibleRange(), range);
    // A link has it.
    const auto place = world.view->fields().values();
    QTest::keyClick(timeline, Qt::Key_Escape);
    QVERIFY(world.settle());
    QVERIFY(timeline->measured().empty());
    world.view->fields().set(place), world.view->fields().setPositions(place);
    QCOMPARE(timeline->measured(), range);
    // A link to another trace, or a hostile one, measures what is here.
    const auto measuredBy = [&](const char* text) {
      auto values = place;
      values["measured"] = QString(text);
      world.view->fields().setPositions(values);
      return timeline->measured();
    };
    QCOMPARE(measuredBy("-9223372036854775807-9223372036854775806"), (reports::TickRange{0, 1'000'000}));
    QVERIFY(measuredBy("-9223372036854775807--9223372036854775806").empty());
    QVERIFY(measuredBy("5000000-6000000").empty());
    QCOMPARE(measuredBy("900000-6000000"), (reports::TickRange{900'000, 1'000'000}));
  }
  // One channel says nothing: names have colours, and names that differ in numbers have one.
  void oneChannelIsColouredByName() {
    tests::ViewWorld world;
    auto* timeline = opened(world, kTrace);
    QVERIFY(timeline);
    const auto colour = [&](int64_t tick) { return timeline->hitAt(placeOf(*timeline, tick))->slice.colour; };
    QVERIFY(colour(50'000) >= host::kFirstName);
    QCOMPARE(colour(50'000), colour(300'000)); // "load 1" and "load 2"
    QVERIFY(colour(50'000) != colour(700'000));
    QCOMPARE(host::channelOf(colour(50'000)), host::channelOf(colour(700'000)));
    for (QAction* action : world.view->menuActions())
      if (action->text() == "Colours by channel") action->trigger();
    QVERIFY(world.settle());
    QVERIFY(colour(50'000) < host::kFirstActivity);
    QCOMPARE(colour(50'000), colour(700'000));
  }
  // Slices without a category, and stacks of samples, are coloured by name beside other channels. The minimap has the same colours.
  void slicesWithoutACategoryAreColouredByName() {
    tests::ViewWorld world;
    auto* timeline = opened(world, R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"load"},)"
                                   R"({"ph":"X","pid":1,"tid":1,"ts":200,"dur":300,"name":"save"},)"
                                   R"({"ph":"X","pid":1,"tid":1,"cat":"io","ts":600,"dur":200,"name":"read"},)"
                                   R"({"ph":"X","pid":1,"tid":1,"cat":"io","ts":800,"dur":200,"name":"flush"}])");
    QVERIFY(timeline);
    const auto colour = [&](int64_t tick) { return timeline->hitAt(placeOf(*timeline, tick))->slice.colour; };
    QVERIFY(colour(50'000) >= host::kFirstName);
    QVERIFY(colour(50'000) != colour(300'000));
    QVERIFY(colour(700'000) < host::kFirstActivity);
    QCOMPARE(colour(700'000), colour(900'000));
    const auto minimap = [&](int64_t tick) { // a pixel in the middle of the strip above the axis
      const QImage image = timeline->grab().toImage();
      const int x = 220 + int(timeline->scale().xOf(tick));
      return image.pixel(x * image.width() / timeline->width(), 10 * image.height() / timeline->height());
    };
    QCOMPARE(minimap(700'000), minimap(900'000));
    for (QAction* action : world.view->menuActions())
      if (action->text() == "Colours by name") action->trigger();
    QVERIFY(world.settle());
    QVERIFY(colour(700'000) != colour(900'000));
    QVERIFY(minimap(700'000) != minimap(900'000));
  }
  void matchesAreAShareOfTheTracks() {
    tests::ViewWorld world;
    QVERIFY(opened(world, R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"load"},)"
                          R"({"ph":"X","pid":2,"tid":1,"ts":0,"dur":50,"name":"save"}])"));
    world.child<QLineEdit>("Search for labels")->setText("load");
    QVERIFY(world.settle());
    QStringList notes;
    for (const QLabel* label : world.view->findChildren<QLabel*>()) notes << label->text().simplified();
    QVERIFY2(notes.contains("1 match, 100 µs in all, 50.0 % of the run on 2 tracks"), qPrintable(notes.join('\n')));
  }
  void theFilterOfSlicesNamesUnknownColumns() {
    tests::ViewWorld world;
    QVERIFY(opened(world, kTrace));
    showTab(world, "Slices");
    auto* filter = world.child<QLineEdit>("Filter of Slices of the range");
    filter->setText("shape.dim = 3");
    QVERIFY(world.settle());
    QStringList notes;
    for (const QLabel* label : world.view->findChildren<QLabel*>()) notes << label->toolTip();
    QVERIFY2(notes.join('\n').contains("No column is called “shape.dim”"), qPrintable(notes.join('\n')));
    QVERIFY2(filter->width() >= 280, qPrintable(QString::number(filter->width())));
  }
  // A value that names no source of this computer does not offer to open it.
  void onlySourcesAreOpened() {
    std::ofstream(m_folder / "here.cpp") << "int x;";
    const std::string here = (m_folder / "here.cpp").string();
    tests::ViewWorld world;
    auto* timeline = opened(world, R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"load","args":{"a":"text","b":")" +
                                       here + R"(:1","c":"/nowhere/none.cpp:3"}}])");
    QVERIFY(timeline);
    QTest::mouseClick(timeline, Qt::LeftButton, {}, placeOf(*timeline, 50'000));
    QVERIFY(world.settle());
    auto* tree = world.child<tables::TreeView>("Arguments");
    const QAction* open = nullptr;
    for (const QAction* action : tree->actions())
      if (action->text() == "Open its source") open = action;
    QVERIFY(open);
    QList<bool> offered;
    for (int row = 0; row < 3; ++row) tree->setCurrentIndex(tree->rows().index(row, 0)), offered << open->isVisible();
    QCOMPARE(offered, (QList<bool>{false, true, false}));
  }
  void argumentsAreSearched() {
    tests::ViewWorld world;
    QVERIFY(opened(world, kTrace));
    auto* field = world.child<QLineEdit>("Search for labels");
    auto* matches = world.child<tables::TableView>("Matches");
    const auto found = [&](const char* text) {
      field->setText(text);
      return QTest::qWaitFor([&] { return !world.view->isBusy(); }) ? column(*matches, "name") : QStringList("busy");
    };
    QCOMPARE(found("batch=2"), (QStringList{"load 2", "save"}));
    QCOMPARE(found("dims[1]=224"), (QStringList{"load 1"}));
    QCOMPARE(found("a.cpp"), (QStringList{"save"}));
    QCOMPARE(found("/^shape.*=112$/"), (QStringList{"load 2"}));
    QCOMPARE(found("load"), (QStringList{"load 1", "load 2"}));
    QCOMPARE(found("batch=3"), QStringList());
  }
  // A click on a slice shows its arguments as a tree; Enter on a value finds the slices with it, G groups by it.
  void argumentsOfTheSelectionLeadOn() {
    tests::ViewWorld world;
    auto* timeline = opened(world, kTrace);
    QVERIFY(timeline);
    QTest::mouseClick(timeline, Qt::LeftButton, {}, placeOf(*timeline, 300'000));
    QVERIFY(world.settle());
    auto* tree = world.child<tables::TreeView>("Arguments");
    QVERIFY(tree && tree->isVisibleTo(world.view.get()));
    QCOMPARE(tree->rows().index(0, 1).data().toString(), QString("2"));
    const QModelIndex dims = tree->rows().index(0, 0, tree->rows().index(1, 0));
    QCOMPARE(tree->rows().index(1, 1, dims).data().toString(), QString("112"));
    tree->setCurrentIndex(tree->rows().index(0, 0));
    emit tree->idActivated(tree->currentId());
    QVERIFY(world.settle());
    QCOMPARE(world.child<QLineEdit>("Search for labels")->text(), QString("batch=2"));
    QCOMPARE(column(*world.child<tables::TableView>("Matches"), "name"), (QStringList{"load 2", "save"}));
    for (QAction* action : tree->actions())
      if (action->text().startsWith("Group slices")) action->trigger();
    QVERIFY(world.settle());
    auto* slices = world.child<tables::TableView>("Slices of the range");
    QCOMPARE(column(*slices, "value"), (QStringList{"2", "1"}));
    emit slices->idActivated(slices->rows().idAt(slices->rows().rowCount() - 1)); // batch 1
    QVERIFY(world.settle());
    QCOMPARE(column(*slices, "name"), (QStringList{"load 1"}));
  }
  void slicesHaveColumnsOfArguments() {
    tests::ViewWorld world;
    QVERIFY(opened(world, kTrace));
    showTab(world, "Slices");
    auto* slices = world.child<tables::TableView>("Slices of the range");
    QCOMPARE(column(*slices, "argumentBatch"), (QStringList{"1", "2", "2"}));
    auto* filter = world.child<QLineEdit>("Filter of Slices of the range");
    filter->setText("batch = 2 and duration > 350us");
    QCOMPARE(column(*slices, "name"), (QStringList{"save"}));
    // Slices of one value are listed by it; a link has it.
    filter->clear();
    auto* groups = world.child<QComboBox>("Group slices by");
    groups->setCurrentIndex(groups->findText("By batch"));
    QVERIFY(world.settle());
    emit slices->idActivated(slices->rows().idAt(slices->rows().rowCount() - 1));
    QVERIFY(world.settle());
    QCOMPARE(column(*slices, "name"), (QStringList{"load 1"}));
    const auto place = world.view->fields().values();
    auto* all = world.child<QToolButton>("Only slices of batch: 1, list all");
    QVERIFY(all && !all->isHidden());
    all->click();
    QVERIFY(world.settle());
    QCOMPARE(column(*slices, "name").size(), 3);
    world.view->fields().set(place), world.view->fields().setPositions(place);
    QVERIFY(world.settle());
    QCOMPARE(column(*slices, "name"), (QStringList{"load 1"}));
    // A link has the group, also one by an argument that the box does not list yet, and adds nothing else to the box.
    groups->setCurrentIndex(groups->findText("By name"));
    QVERIFY(world.settle());
    QCOMPARE(slices->rows().rowCount() > 0 ? column(*slices, "value").size() : 0, 3);
    auto grouped = world.view->fields().values();
    QCOMPARE(grouped.value("slices.group"), QString("=name"));
    grouped["slices.group"] = "shape.dims[1]", grouped["slices.order"] = "down total";
    tests::ViewWorld elsewhere;
    QVERIFY(opened(elsewhere, kTrace, "other.json"));
    elsewhere.view->fields().set(grouped), elsewhere.view->fields().setPositions(grouped);
    QVERIFY(elsewhere.settle());
    QCOMPARE(column(*elsewhere.child<tables::TableView>("Slices of the range"), "value"), (QStringList{"(none)", "112", "224"}));
    QStringList offered;
    for (int i = 0; i < elsewhere.child<QComboBox>("Group slices by")->count(); ++i)
      offered << elsewhere.child<QComboBox>("Group slices by")->itemText(i);
    QCOMPARE(offered, (QStringList{"Single slices", "By name", "By thread", "By shape.dims[1]"}));
    QCOMPARE(elsewhere.view->fields().values().value("slices.group"), QString("shape.dims[1]"));
  }
  void keysOfLines() {
    for (const char* key : {"line", "lineno", "Line", "source_line", "line_number", "lineNumber", "sourceLine"})
      QVERIFY2(host::isLineKey(key), key);
    for (const char* key : {"deadline", "pipeline_stage", "lines", "baseline", "Deadline", "outlineNo"})
      QVERIFY2(!host::isLineKey(key), key);
  }
  // F3 searches also while a table has the keyboard. Its row actions must not take the key: Qt runs neither of two with the same.
  void nextMatchFromATable() {
    tests::ViewWorld world;
    auto* timeline = opened(world, kTrace);
    QVERIFY(timeline);
    world.child<QLineEdit>("Search for labels")->setText("load");
    QVERIFY(world.settle());
    showTab(world, "Statistics");
    auto* table = world.child<tables::TableView>("Statistics by label");
    world.view->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(world.view.get()));
    table->setFocus();
    QTRY_VERIFY(table->hasFocus());
    QStringList found;
    for (int i = 0; i < 2; ++i) {
      const QString before = world.view->selectionText();
      QTest::keyClick(table, Qt::Key_F3);
      QTRY_VERIFY(world.view->selectionText() != before);
      found << world.view->selectionText().section(':', 0, 0);
      showTab(world, "Statistics"), table->setFocus();
    }
    found.sort();
    QCOMPARE(found, (QStringList{"load 1", "load 2"}));
  }
  void aSampledProfileOpensOnItsFlameGraph() {
    for (const auto& [text, name, title] :
         {std::tuple("main;f 3\nmain;g 2\n", "p.folded", "Flame graph"), std::tuple(kTrace, "t.json", "Statistics")}) {
      tests::ViewWorld world;
      QVERIFY(opened(world, text, name));
      auto* tabs = world.view->findChild<QTabWidget*>();
      QCOMPARE(tabs->tabText(tabs->currentIndex()), QString(title));
    }
  }
};

TILESCOPE_TEST(HostRangeTest)
#include "host_range_test.moc"
