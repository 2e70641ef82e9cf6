// The elements of a view in its variable, and who sends them: compared with element by element.
#include "simcore/graph/planned_pairs.h"
#include "simcore/graph/viewed_layout.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <map>
#include <set>

using namespace simcore::graph;

class ViewedLayoutTest : public QObject {
  Q_OBJECT

  static ViewedLayout viewOf(int64_t offset, Shape shape, Shape strides, int64_t elements, int64_t cells) {
    return {Distribution({elements}, {cells}, {1}, 0, TileRange{0, cells}), offset, std::move(shape), std::move(strides)};
  }
  static std::set<int64_t> elementsIn(const ViewedLayout& view, const Box& box) {
    std::set<int64_t> all;
    std::vector<int64_t> at;
    for (const auto& range : box.dims) at.push_back(range.begin);
    for (;;) {
      int64_t element = view.offset;
      for (std::size_t d = 0; d < at.size(); ++d) element += at[d] * view.strides[d];
      all.insert(element);
      std::size_t d = at.size();
      while (d > 0 && ++at[d - 1] == box.dims[d - 1].end) --d, at[d] = box.dims[d].begin;
      if (d == 0) return all;
    }
  }

private slots:
  void stretchesAreTheElements_data() {
    QTest::addColumn<int>("which");
    for (int i = 0; i < 5; ++i) QTest::addRow("%d", i) << i;
  }
  void stretchesAreTheElements() {
    QFETCH(int, which);
    const ViewedLayout views[] = {
        viewOf(0, {4, 6}, {1, 4}, 24, 6),                 // the transpose of [6, 4]
        viewOf(5, {2, 3, 4}, {12, 4, 1}, 40, 8),          // rows of it, from an offset
        viewOf(0, {2, 5, 3, 4}, {60, 4, 20, 1}, 120, 12), // heads before tokens
        viewOf(2, {3, 4}, {8, 2}, 30, 5),                 // every second element
        viewOf(0, {3, 4}, {0, 1}, 4, 2),                  // broadcast
    };
    const ViewedLayout& view = views[which];
    int boxes = 0;
    const auto check = [&](const Box& box) {
      std::set<int64_t> found;
      std::size_t count = 0;
      view.forEachStretch(box, [&](reports::Range<int64_t> stretch) {
        for (int64_t e = stretch.begin; e < stretch.end; ++e) found.insert(e), ++count;
        return true;
      });
      QCOMPARE(found, elementsIn(view, box));
      QCOMPARE(count, found.size()); // each once
      ++boxes;
    };
    Box box;
    for (const int64_t extent : view.shape) box.dims.push_back({0, extent});
    check(box);
    for (std::size_t d = 0; d < view.shape.size(); ++d)
      for (int64_t begin = 0; begin < view.shape[d]; ++begin) {
        Box part = box;
        part.dims[d] = {begin, std::min(view.shape[d], begin + 2)};
        check(part);
      }
    QVERIFY(boxes > 4);
  }

  // Every tile takes its rows of the transpose of a matrix that lies in rows.
  void sendersHoldWhatIsTaken() {
    constexpr int64_t kRows = 12, kColumns = 20, kTiles = 8;
    const auto view = std::make_shared<const ViewedLayout>(ViewedLayout{
        Distribution({kRows * kColumns}, {kTiles}, {1}, 0, TileRange{0, kTiles}), 0, {kColumns, kRows}, {1, kColumns}});
    const Distribution planned =
        Distribution({kRows * kColumns}, {kTiles}, {1}, 0, TileRange{0, kTiles}).estimated().viewing(view);
    const Distribution target({kColumns, kRows}, {5, 1}, {1, 1}, 0, TileRange{0, kTiles});
    const Traffic traffic = trafficInOrder(planned, target, 4);
    QVERIFY(!traffic.pairs.empty());
    std::map<std::pair<int64_t, int64_t>, int64_t> wanted; // elements by receiver and sender
    for (int64_t cell = 0; cell < target.cells(); ++cell)
      for (int64_t c = target.cell(cell).dims[0].begin; c < target.cell(cell).dims[0].end; ++c)
        for (int64_t r = 0; r < kRows; ++r)
          if (const int64_t from = view->layout.tileOf((r * kColumns + c) / view->layout.part(0)); from != target.tileOf(cell))
            ++wanted[{target.tileOf(cell), from}];
    std::set<std::pair<int64_t, int64_t>> found;
    reports::PairSweep sweep(traffic.pairs.runs());
    while (sweep.next())
      for (const auto& [from, bytes] : sweep.senders()) {
        found.insert({sweep.receiver(), from});
        QVERIFY(bytes > 0);
      }
    for (const auto& [pair, elements] : wanted) QVERIFY(found.contains(pair));
    QCOMPARE(found.size(), wanted.size());
    // Without the view, the layout is a guess, and nobody is named.
    QVERIFY(trafficInOrder(planned.estimated(), target, 4).pairs.empty());
  }

  void notesNameTheCuts() {
    const Distribution rows({12, 8}, {4, 1}, {1, 1}, 0, TileRange{0, 16}), whole({96}, {1}, {1}, 0, TileRange{0, 16});
    QCOMPARE(noteOf(rows), (LayoutNote{"rows in 4", 4}));
    QCOMPARE(noteOf(whole), (LayoutNote{"whole", 1}));
    QCOMPARE(noteOf(Distribution({2, 6, 4, 4}, {1, 3, 2, 1}, {1, 1, 1, 1}, 0, TileRange{0, 16})),
             (LayoutNote{"channels in 3, rows in 2", 6}));
    std::vector<Box> boxes;
    for (int64_t c = 0; c < 8; c += 2) boxes.push_back(Box{{{0, 12}, {c, c + 2}}});
    QCOMPARE(noteOf(Shape{12, 8}, boxes), (LayoutNote{"columns in 4", 4}));
    QCOMPARE(noteOf(PerTile::uniform({0, 5}, 96), 96), (LayoutNote{"whole", 5}));
    const Traffic traffic = trafficTo(rows, boxes, 0, TileRange{0, 16}, 4);
    QCOMPARE(traffic.notes.size(), std::size_t(1));
    QCOMPARE(traffic.notes[0].held, (LayoutNote{"rows in 4", 4}));
    QCOMPARE(traffic.notes[0].wanted, (LayoutNote{"columns in 4", 4}));
    QCOMPARE(traffic.notes[0].bytes, traffic.bytesIn.sum());
  }
};

TILESCOPE_TEST(ViewedLayoutTest)
#include "viewed_layout_test.moc"
