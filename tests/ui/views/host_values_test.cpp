// Profiles with several values in the host's view: one value at a time in the flame graph, the call tree and the headline.
#include "tests/reports/exchange/exported.h"
#include "tests/reports/exchange/pprof_profile.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/slice_browser.h"
#include "ui/plot/flame_graph.h"
#include "ui/plot/legend.h"
#include "ui/plot/timeline.h"
#include "ui/tables/table_view.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QLabel>
#include <QRegularExpression>
#include <QTabWidget>

using namespace ui;

class HostValuesTest : public QObject {
  Q_OBJECT

  tests::TemporaryFolder m_folder;

  bool opened(tests::ViewWorld& world, const std::string& bytes, const std::string& name, const shell::FieldValues& fields = {}) {
    std::ofstream(m_folder / name, std::ios::binary) << bytes;
    std::filesystem::remove(m_folder / (name + ".tsr"));
    tests::importTo(m_folder / (name + ".tsr"), m_folder / name);
    world.session = analyser::Session::open((m_folder / (name + ".tsr")).string());
    world.open("host");
    world.view->resize(1280, 800);
    if (!fields.isEmpty()) world.view->fields().set(fields);
    return world.settle();
  }
  static std::string heap() {
    tests::ProfileWriter w;
    w.type("inuse_objects", "count"), w.type("inuse_space", "bytes");
    w.sample({2, 1}, {1'000, 16'384}), w.sample({3, 1}, {2, 1'048'576});
    w.function(1, "main"), w.function(2, "many"), w.function(3, "big");
    for (uint64_t i = 1; i <= 3; ++i) w.location(i, i, {i});
    return w.bytes();
  }
  // The text beside the choices of the flame graph.
  static QString note(const tests::ViewWorld& world) {
    for (const QLabel* label : world.view->findChildren<QLabel*>())
      if (label->text().contains("in the visible range")) return label->text().simplified();
    return {};
  }
  static QString verdict(const tests::ViewWorld& world) { return world.view->verdict().simplified(); } // without hard spaces
  static QString cell(const tables::TreeView& tree, int column) {
    return tree.rows().index(0, column).data().toString().simplified();
  }

private slots:
  void oneValueAtATime() {
    tests::ViewWorld world;
    QVERIFY(opened(world, heap(), "heap.pb"));
    auto* values = world.child<QComboBox>("Value that is shown");
    QVERIFY(values && values->isVisibleTo(world.view.get()));
    QCOMPARE(values->currentText(), QString("inuse_space"));
    QVERIFY2(verdict(world).contains("1.02 MiB of inuse_space"), qPrintable(verdict(world)));
    QVERIFY2(note(world).startsWith("1.02 MiB of inuse_space in the visible range"), qPrintable(note(world)));
    QVERIFY(!world.view->fields().values().contains("flames.value"));
    values->setCurrentIndex(1);
    QVERIFY(world.settle());
    QVERIFY2(note(world).startsWith("1 002 inuse_objects in the visible range"), qPrintable(note(world)));
    QVERIFY2(verdict(world).contains("1 002 inuse_objects; “many” takes most"), qPrintable(verdict(world)));
    auto* tabs = world.view->findChild<QTabWidget*>();
    auto* tree = world.child<tables::TreeView>("Call tree");
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabText(i) == "Call tree") tabs->setCurrentIndex(i);
    QVERIFY(world.settle());
    QCOMPARE(cell(*tree, 0), QString("main"));
    QCOMPARE(cell(*tree, 2), QString("1 002"));
    // A link holds the choice.
    const auto fields = world.view->fields().values();
    QCOMPARE(fields.value("flames.value"), QString("inuse_objects (count)"));
    tests::ViewWorld again;
    QVERIFY(opened(again, heap(), "heap.pb", {{"flames.value", "inuse_objects (count)"}}));
    QVERIFY2(verdict(again).contains("1 002 inuse_objects"), qPrintable(verdict(again)));
    QCOMPARE(again.child<QComboBox>("Value that is shown")->count(), 2);
  }
  // The whole page is about the value: its rows, the axis, statistics, slices, details and the selection.
  void nothingOfAHeapIsATime() {
    tests::ViewWorld world;
    QVERIFY(opened(world, heap(), "heap.pb"));
    auto* timeline = world.view->findChild<plot::Timeline*>();
    QVERIFY(timeline->tickFormat().amount && timeline->tickFormat().amount->isBytes);
    QCOMPARE(timeline->extent(), (reports::TickRange{0, (16'384 + 1'048'576) * int64_t(1'000)}));
    QCOMPARE(timeline->rows().tracks().size(), std::size_t(2)); // a heading, and the one value
    const auto* legend = world.view->findChild<plot::Legend*>();
    QCOMPARE(legend->shown().size(), std::size_t(1));
    auto* tabs = world.view->findChild<QTabWidget*>();
    const auto show = [&](const QString& title) {
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->tabText(i) == title) tabs->setCurrentIndex(i);
      return world.settle();
    };
    static const QRegularExpression time("\\d\\s(ns|µs|ms|s)\\b");
    const auto texts = [](QAbstractItemModel& model) {
      QString all;
      for (int row = 0; row < model.rowCount(); ++row)
        for (int column = 0; column < model.columnCount(); ++column) all += model.index(row, column).data().toString() + '|';
      return all.simplified();
    };
    for (const auto& [tab, name] : {std::pair("Statistics", "Statistics by label"), {"Slices", "Slices of the range"}}) {
      QVERIFY(show(tab));
      const QString shown = texts(*world.child<QAbstractItemView>(name)->model());
      QVERIFY2(shown.contains("1.00 MiB") && !time.match(shown).hasMatch(), qPrintable(shown));
    }
    auto* browser = world.view->findChild<shell::SliceBrowser*>();
    browser->find("big", true);
    QVERIFY(world.settle());
    QTRY_VERIFY(world.view->selectionText().contains("big"));
    QCOMPARE(world.view->selectionText().simplified(), QString("big: 1.00 MiB inuse_space"));
    QString facts;
    for (const QLabel* label : world.child<QWidget>("Facts about the slice")->findChildren<QLabel*>())
      facts += label->text() + '|';
    QVERIFY2(facts.simplified().contains("1.00 MiB") && !time.match(facts.simplified()).hasMatch(), qPrintable(facts));
    world.child<QComboBox>("Value that is shown")->setCurrentIndex(1);
    QVERIFY(world.settle());
    QVERIFY(timeline->tickFormat().amount && !timeline->tickFormat().amount->isBytes);
    QCOMPARE(timeline->extent(), (reports::TickRange{0, 1'002 * int64_t(1'000)}));
  }
  // A link may come from another trace.
  void anUnknownValueIsTheFirst() {
    tests::ViewWorld world;
    QVERIFY(opened(world, heap(), "heap.pb", {{"flames.value", "goroutines (count)"}}));
    world.view->fields().set({{"flames.value", "threads (count)"}});
    QVERIFY(world.settle());
    QVERIFY2(verdict(world).contains("of inuse_space"), qPrintable(verdict(world)));
    QCOMPARE(world.child<QComboBox>("Value that is shown")->count(), 2);
    QVERIFY2(note(world).startsWith("1.02 MiB of inuse_space"), qPrintable(note(world)));
  }
  void oneValueHasNoChoice() {
    tests::ViewWorld world;
    QVERIFY(opened(world, "main;f 30\nmain;g 10\n", "a.folded"));
    QVERIFY(!world.child<QComboBox>("Value that is shown")->isVisibleTo(world.view.get()));
    QVERIFY2(note(world).startsWith("40 samples in the visible range"), qPrintable(note(world)));
  }
  void theLegendHidesCalls() {
    tests::ViewWorld world;
    QVERIFY(opened(world,
                   R"([{"ph":"X","pid":1,"tid":1,"cat":"a","ts":0,"dur":100,"name":"outer"},)"
                   R"({"ph":"X","pid":1,"tid":1,"cat":"b","ts":10,"dur":80,"name":"inner"}])",
                   "a.json"));
    auto* flames = world.child<plot::FlameGraph>("Flame graph of the visible range");
    auto* tabs = world.view->findChild<QTabWidget*>();
    tabs->setCurrentIndex(tabs->count() - 1);
    QVERIFY(world.settle());
    QVERIFY(flames->boxRect(1).isValid());
    auto* legend = world.view->findChild<plot::Legend*>();
    legend->setShown(1, false);
    QVERIFY(world.settle());
    QVERIFY(flames->boxRect(0).isValid() && !flames->boxRect(1).isValid());
  }
};

TILESCOPE_TEST(HostValuesTest)
#include "host_values_test.moc"
