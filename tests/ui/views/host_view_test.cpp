// The host's view: the device below the thread that runs it, processes that move in time, flame graphs and statistics of the range.
#include "tests/reports/exchange/exported.h"
#include "tests/support/test_main.h"
#include "tests/ui/views/view_world.h"
#include "ui/parts/fact_list.h"
#include "ui/plot/flame_graph.h"
#include "ui/plot/histogram.h"
#include "ui/plot/legend.h"
#include "ui/plot/timeline.h"
#include "ui/tables/table_view.h"
#include "ui/views/host/counter_lanes.h"
#include "ui/views/host/row_order.h"

#include <QComboBox>
#include <QTabWidget>

using namespace ui;

class HostViewTest : public QObject {
  Q_OBJECT

  static constexpr int kDevice = 256; // colours from here on are the device's

  // The first position with a slice that `wanted` accepts.
  static std::optional<QPoint> placeOf(const plot::Timeline& timeline, const std::function<bool(const plot::Slice&)>& wanted) {
    for (int y = 0; y < timeline.height(); y += 6)
      for (int x = 0; x < timeline.width(); x += 4)
        if (const auto hit = timeline.hitAt({x, y}); hit && wanted(hit->slice)) return QPoint(x, y);
    return std::nullopt;
  }
  static plot::Timeline* opened(tests::ViewWorld& world) {
    world.open("host");
    world.view->resize(1100, 1400);
    if (!world.settle()) return nullptr;
    return world.child<plot::Timeline>("Host timeline");
  }

  static host::HostEntry thread(int64_t process, uint32_t track) {
    host::HostEntry row;
    row.entry.id = reports::TrackId(track);
    row.processId = process;
    row.slices = 5;
    return row;
  }
  static host::HostEntry device(int64_t process, uint32_t track) {
    host::HostEntry row = thread(process, track);
    row.isDevice = true;
    return row;
  }
  static host::HostEntry heading(int64_t process, uint32_t track) {
    host::HostEntry row = thread(process, track);
    row.entry.track.heading = true;
    row.slices = 0;
    return row;
  }

private slots:
  // A click on Engine::run shows the run's cycles; its steps are below it, at its time and within its bounds.
  void theDeviceLiesBelowItsRun() {
    tests::ViewWorld world;
    auto* timeline = opened(world);
    QVERIFY(timeline);
    const auto run = placeOf(*timeline, [](const plot::Slice& s) { return s.label.startsWith("Engine::run"); });
    QVERIFY(run);
    const plot::Slice slice = timeline->hitAt(*run)->slice;
    QTest::mouseClick(timeline, Qt::LeftButton, {}, *run);
    auto* facts = world.child<shell::FactList>("Facts about the slice");
    QVERIFY(QTest::qWaitFor([&] { return !facts->valueOf("Run of the device").isEmpty(); }));
    QVERIFY(facts->valueOf("The run took").contains("cycles"));
    QVERIFY(!facts->valueOf("Device: host stream").isEmpty()); // the first run only fills the device
    QVERIFY(world.settle());
    const auto step = placeOf(*timeline, [](const plot::Slice& s) { return s.colour >= kDevice; });
    QVERIFY(step);
    const plot::Slice drawn = timeline->hitAt(*step)->slice;
    QVERIFY(step->y() > run->y());
    QVERIFY(drawn.begin >= slice.begin && drawn.end <= slice.end + 1);
    QTest::mouseClick(timeline, Qt::LeftButton, {}, *step);
    QVERIFY(QTest::qWaitFor([&] { return !facts->valueOf("Activity").isEmpty(); }));
    QVERIFY(facts->valueOf("Duration").contains("cycles"));
    QVERIFY(facts->valueOf("Channel").isEmpty()); // a step has none
    const QString text = world.view->selectionText();
    QVERIFY2(text.contains(facts->valueOf("Duration")), qPrintable(text));
    QVERIFY2(text.startsWith(facts->valueOf("Run of the device")), qPrintable(text));
  }
  // Threads and processes can be reordered by hand; a device stays below its thread, and rows stop at the ends of the list.
  void rowsAreOrderedByHand() {
    const std::vector<host::HostEntry> entries{heading(0, 100), thread(0, 1),    device(0, 0),
                                               thread(0, 2),    heading(1, 101), thread(1, 3)};
    host::RowOrder order;
    const auto shown = [&] {
      std::vector<uint32_t> ids;
      for (const auto& row : host::orderedEntries(entries, order)) ids.push_back(row.entry.id.value());
      return ids;
    };
    QVERIFY(!host::moveThread(entries, order, 1, -1));
    QVERIFY(host::moveThread(entries, order, 1, 1));
    QCOMPARE(shown(), (std::vector<uint32_t>{100, 2, 1, 0, 101, 3}));
    QVERIFY(!host::moveThread(entries, order, 1, 1));
    QVERIFY(host::moveProcessOf(entries, order, 3, -1));
    QCOMPARE(shown(), (std::vector<uint32_t>{101, 3, 100, 2, 1, 0}));
    QVERIFY(!host::moveProcessOf(entries, order, 3, -1));
    QVERIFY(host::moveThread(entries, order, 2, 1));
    QCOMPARE(shown(), (std::vector<uint32_t>{101, 3, 100, 1, 0, 2}));
    order.hidden.insert(3);
    QVERIFY(!host::moveThread(entries, order, 3, 1));
  }

  // A row lands in the nearest gap that keeps a device below its thread and a thread in its process; a process takes its threads along.
  void rowsAreDragged() {
    const std::vector<host::HostEntry> entries{heading(0, 100), thread(0, 1), device(0, 0), thread(0, 2),
                                               heading(1, 101), thread(1, 3), thread(1, 4)};
    host::RowOrder order;
    const auto drag = [&](int row, int gap) {
      const auto shown = host::orderedEntries(entries, order);
      const int landing = host::landingGap(shown, row, gap);
      if (landing >= 0) host::moveRow(shown, order, row, landing);
      std::vector<uint32_t> ids;
      for (const auto& r : host::orderedEntries(entries, order)) ids.push_back(r.entry.id.value());
      return ids;
    };
    using Ids = std::vector<uint32_t>;
    QCOMPARE(drag(3, 2), (Ids{100, 1, 0, 2, 101, 3, 4})); // dropped above the device: stays below it
    QCOMPARE(drag(3, 0), (Ids{100, 2, 1, 0, 101, 3, 4}));
    QCOMPARE(drag(3, 99), (Ids{100, 2, 1, 0, 101, 3, 4})); // the device's row moves its thread, and that stays in its process
    QCOMPARE(drag(5, 7), (Ids{100, 2, 1, 0, 101, 4, 3}));
    QCOMPARE(drag(4, 1), (Ids{101, 4, 3, 100, 2, 1, 0}));
    QCOMPARE(drag(0, 2), (Ids{101, 4, 3, 100, 2, 1, 0})); // the gap is nearer to where it is
    QCOMPARE(drag(0, 7), (Ids{100, 2, 1, 0, 101, 4, 3}));
    order.pinned.insert(3);
    QCOMPARE(drag(0, 5), (Ids{3, 100, 2, 1, 0, 101, 4})); // a pinned row stays on top, and nothing goes above it
    QCOMPARE(drag(5, 0), (Ids{3, 101, 4, 100, 2, 1, 0}));
  }

  // Row names can be dragged in the plot; a click still collapses a row, and a collapsed state moves with its row.
  void aDragOfANameMovesItsRow() {
    tests::ViewWorld world;
    auto* timeline = opened(world);
    QVERIFY(timeline);
    // Near the bottom of a row: a heading above its title may count as the row, too.
    const auto hit = [&](const char* thread) -> std::optional<QPoint> {
      for (int y = timeline->height() - 1; y > 0; --y)
        if (const int track = timeline->trackAtPoint({20, y}); track >= 0 && timeline->rows().titleOf(track).contains(thread))
          return QPoint(20, y - 8);
      return std::nullopt;
    };
    QStringList threads;
    for (int y = 0; y < timeline->height(); y += 3)
      if (const int track = timeline->trackAtPoint({20, y}); track >= 0 && !threads.contains(timeline->rows().titleOf(track)))
        threads << timeline->rows().titleOf(track);
    QVERIFY2(threads.size() >= 2, qPrintable(threads.join('|')));
    const auto first = hit(qPrintable(threads.first())), last = hit(qPrintable(threads.last()));
    QVERIFY(first && last && first->y() < last->y());
    timeline->rows().setFolded(timeline->trackAtPoint(*first), true); // it has lanes, which a click opens
    const QPoint from = *hit(qPrintable(threads.first())), to = *hit(qPrintable(threads.last())) + QPoint(0, 40);
    QTest::mousePress(timeline, Qt::LeftButton, {}, from);
    QTest::mouseMove(timeline, from + QPoint(0, 10));
    QTest::mouseMove(timeline, to);
    QTest::mouseRelease(timeline, Qt::LeftButton, {}, to);
    QVERIFY(world.settle());
    const auto moved = hit(qPrintable(threads.first())), above = hit(qPrintable(threads.last()));
    QVERIFY(moved && above && moved->y() > above->y());
    QVERIFY(timeline->rows().isFolded(timeline->trackAtPoint(*moved)));
    QTest::mouseClick(timeline, Qt::LeftButton, {}, *moved);
    QVERIFY(!timeline->rows().isFolded(timeline->trackAtPoint(*moved)));
  }

  // In a low window the first charts are visible: what the program recorded, then what is derived from its slices.
  void recordedChartsComeFirst() {
    tests::ViewWorld world;
    QVERIFY(opened(world));
    const QString shown = world.view->findChild<host::CounterLanes*>()->accessibleDescription();
    const auto recorded = shown.indexOf("resident memory"), derived = shown.indexOf("Busy threads");
    QVERIFY2(recorded >= 0 && derived > recorded, qPrintable(shown));
  }

  // A drag of a chart's lower edge beside its name makes a heatmap as high as its bins need; the others keep their heights.
  void chartsAreMadeHigher() {
    tests::ViewWorld world;
    QVERIFY(opened(world));
    auto* charts = world.view->findChild<host::CounterLanes*>();
    QVERIFY(charts && charts->charts() >= 2);
    const std::size_t last = charts->charts() - 1; // the heatmap
    const int other = charts->chartRect(0).height(), before = charts->chartRect(last).height(), all = charts->preferredHeight();
    const QPoint edge(20, charts->chartRect(last).bottom() + 3);
    QTest::mousePress(charts, Qt::LeftButton, {}, edge);
    QTest::mouseMove(charts, edge + QPoint(0, 10));
    QTest::mouseMove(charts, edge + QPoint(0, 60));
    QTest::mouseRelease(charts, Qt::LeftButton, {}, edge + QPoint(0, 60));
    QCOMPARE(charts->chartRect(last).height(), before + 60);
    QCOMPARE(charts->chartRect(0).height(), other);
    QVERIFY(charts->charts() > 4 || charts->preferredHeight() == all + 60);
    QVERIFY(world.settle());
  }

  // In a window of 1024x600 charts are lower, so that threads and rows of the table are visible.
  void aLowWindowIsSharedFairly() {
    tests::ViewWorld world;
    auto* timeline = opened(world);
    QVERIFY(timeline);
    auto* charts = world.view->findChild<host::CounterLanes*>();
    auto* table = world.child<tables::TableView>("Statistics by label");
    const int high = charts->chartRect(0).height();
    auto* tabs = world.view->findChild<QTabWidget*>();
    tabs->setCurrentIndex(0);
    world.view->resize(976, 528);
    QVERIFY(world.settle());
    QTRY_VERIFY(charts->chartRect(0).height() < high);
    QTRY_VERIFY2(timeline->height() >= 150 && charts->height() * 3 <= timeline->height(),
                 qPrintable(QString("%1 and %2").arg(timeline->height()).arg(charts->height())));
    QVERIFY(charts->height() >= charts->chartRect(0).height());
    const int visible = table->viewport()->height() / table->rowHeight(0);
    QVERIFY2(visible >= 4, qPrintable(QString::number(visible)));
    world.view->resize(1100, 1400);
    QTRY_COMPARE(charts->chartRect(0).height(), high);
  }

  // The legend hides the device's activities as it does channels.
  void theLegendHidesActivities() {
    tests::ViewWorld world;
    auto* timeline = opened(world);
    QVERIFY(timeline);
    const auto isDevice = [](const plot::Slice& s) { return s.colour >= kDevice; };
    QVERIFY(placeOf(*timeline, isDevice));
    auto* legend = world.view->findChild<plot::Legend*>();
    const int entries = int(legend->shown().size());
    QVERIFY(entries > 3); // three channels
    for (int i = 3; i < entries; ++i) legend->setShown(i, false);
    QVERIFY(!placeOf(*timeline, isDevice));
  }
  void altAndADragMoveAProcess() {
    tests::ViewWorld world;
    auto* timeline = opened(world);
    QVERIFY(timeline);
    const auto place = placeOf(*timeline, [](const plot::Slice& s) { return s.colour < kDevice; });
    const auto before = timeline->extent();
    QTest::mousePress(timeline, Qt::LeftButton, Qt::AltModifier, *place);
    QTest::mouseMove(timeline, *place + QPoint(40, 0));
    QTest::mouseMove(timeline, *place + QPoint(100, 0));
    QTest::mouseRelease(timeline, Qt::LeftButton, Qt::AltModifier, *place + QPoint(100, 0));
    QVERIFY(QTest::qWaitFor([&] { return timeline->extent() != before; }));
    QVERIFY(world.settle());
    const auto after = timeline->extent();
    QCOMPARE(after.size(), before.size()); // it is the only process
    QVERIFY(after.begin > before.begin);
    QVERIFY(placeOf(*timeline, [](const plot::Slice& s) { return s.colour >= kDevice; })); // its run came along
  }
  // The headline describes the visible trace.
  void theHeadlineFollowsAMove() {
    const tests::TemporaryFolder folder;
    std::ofstream(folder / "a.json")
        << R"([{"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":1000},{"ph":"X","name":"b","pid":2,"tid":2,"ts":0,"dur":1000},)"
           R"({"ph":"b","name":"request","cat":"r","id":1,"pid":1,"ts":0},{"ph":"e","name":"request","cat":"r","id":1,"pid":1,"ts":900}])";
    tests::importTo(folder / "a.tsr", folder / "a.json");
    tests::ViewWorld world;
    world.session = analyser::Session::open((folder / "a.tsr").string());
    auto* timeline = opened(world);
    QVERIFY(timeline);
    const QString before = world.view->verdict();
    QVERIFY2(before.contains("on 2 threads"), qPrintable(before));
    const auto place = placeOf(*timeline, [](const plot::Slice&) { return true; });
    QVERIFY(place);
    QTest::mousePress(timeline, Qt::LeftButton, Qt::AltModifier, *place);
    QTest::mouseMove(timeline, *place + QPoint(40, 0));
    QTest::mouseMove(timeline, *place + QPoint(100, 0));
    QTest::mouseRelease(timeline, Qt::LeftButton, Qt::AltModifier, *place + QPoint(100, 0));
    QVERIFY(QTest::qWaitFor([&] { return world.view->verdict() != before; }));
    QVERIFY2(world.view->verdict().contains("on 2 threads"), qPrintable(world.view->verdict()));
  }
  // Host and device share one plot: no channel has the colour of an activity.
  void channelsAndActivitiesDiffer() {
    for (const bool dark : {false, true}) {
      const auto palette = host::channelPalette(dark);
      for (int channel = 0; channel < 16; ++channel)
        for (std::size_t a = host::kFirstActivity; a < host::kFirstName; ++a) {
          const QColor x = palette[std::size_t(channel)], y = palette[a];
          const int distance = std::abs(x.red() - y.red()) + std::abs(x.green() - y.green()) + std::abs(x.blue() - y.blue());
          QVERIFY2(distance >= 20, qPrintable(x.name() + ' ' + y.name()));
        }
    }
  }
  void flamesOfTheRange() {
    tests::ViewWorld world;
    auto* timeline = opened(world);
    QVERIFY(timeline);
    auto* flames = world.child<plot::FlameGraph>("Flame graph of the visible range");
    auto* tabs = world.view->findChild<QTabWidget*>();
    tabs->setCurrentIndex(tabs->count() - 1);
    QVERIFY(QTest::qWaitFor([&] { return flames->boxRect(0).width() > 20; }));
    int child = 1; // boxes come depth first: the first that lies lower has the box before it as its parent
    while (flames->boxRect(child).isValid() && flames->boxRect(child).top() <= flames->boxRect(child - 1).top()) ++child;
    const QRect outer = flames->boxRect(child - 1), inner = flames->boxRect(child);
    QVERIFY(inner.isValid() && inner.left() >= outer.left() && inner.right() <= outer.right());
    QCOMPARE(flames->boxAt(inner.center()), child);
    // A click zooms in on a box, Escape zooms out.
    QTest::mouseClick(flames, Qt::LeftButton, {}, inner.center());
    QCOMPARE(flames->entered(), child);
    QVERIFY(flames->boxRect(child).width() > inner.width());
    QCOMPARE(flames->boxRect(child).width(), flames->boxRect(child - 1).width());
    QTest::keyClick(flames, Qt::Key_Escape);
    QCOMPARE(flames->entered(), child - 1);
    QTest::keyClick(flames, Qt::Key_Escape);
    QCOMPARE(flames->entered(), -1);
    QCOMPARE(flames->boxRect(child), inner);
    const auto boxes = [&] {
      QList<QRect> all;
      for (int i = 0; flames->boxRect(i).isValid(); ++i) all << flames->boxRect(i);
      return all;
    };
    const QList<QRect> topDown = boxes();
    auto* order = world.child<QComboBox>("Order of the flame graph");
    order->setCurrentIndex(1);
    emit order->activated(1);
    QVERIFY(flames->boxRect(0).isValid());
    QVERIFY(boxes() != topDown);
  }
  void durationsOfTheChosenLabel() {
    tests::ViewWorld world;
    QVERIFY(opened(world));
    auto* histogram = world.child<plot::Histogram>("Durations of the label");
    QVERIFY(QTest::qWaitFor([&] { return !histogram->accessibleDescription().isEmpty(); }));
    auto* table = world.child<tables::TableView>("Statistics by label");
    const auto& rows = table->rows().table()->rows;
    const auto one = std::find_if(rows.begin(), rows.end(), [](const auto& r) { return std::get<int64_t>(r.cells[2]) == 1; });
    QVERIFY(one != rows.end());
    emit table->idsSelected({one->id});
    QVERIFY(QTest::qWaitFor([&] { return !histogram->isVisibleTo(histogram->parentWidget()); })); // one duration has no spread
  }
};

TILESCOPE_TEST(HostViewTest)
#include "host_view_test.moc"
