// Pairs of begins and ends: innermost first, by name if an end has one, and in any order of time if a tracer writes them so.
#include "reports/exchange/begin_end.h"
#include "tests/support/row_collector.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace reports;
using namespace reports::exchange;

class BeginEndTest : public QObject {
  Q_OBJECT

  static TraceSlice begun(int64_t start, uint32_t name, uint8_t channel = 0) {
    TraceSlice slice;
    slice.start = start, slice.name = name, slice.channel = channel;
    return slice;
  }

private slots:
  void endsWithANameCloseTheirOwnSlice() {
    std::vector<TraceSlice> slices;
    OpenSlices open;
    open.begin(slices, begun(1, 10));
    open.begin(slices, begun(2, 20));
    open.begin(slices, begun(3, 10, 7));
    QCOMPARE(open.endNamed(slices, 4, 10, 0).value_or(99), std::size_t(0)); // the outermost; the two inside stay open
    QVERIFY(open.places() == (std::vector<std::size_t>{1, 2}));
    QVERIFY(!open.endNamed(slices, 5, 10, 0));
    QCOMPARE(open.end(slices, 6).value_or(99), std::size_t(2));
    const PairCounts counts = open.finish(slices, 9);
    QCOMPARE(counts.pairs, int64_t(2));
    QCOMPARE(counts.unclosed, int64_t(1));
    QCOMPARE(counts.unmatched, int64_t(1));
    QCOMPARE(slices[0].end, int64_t(4));
    QCOMPARE(slices[1].end, int64_t(9)); // to the end of the trace
    QCOMPARE(slices[2].end, int64_t(6));
    ImportCounts mended;
    mendUnpaired(mended, counts);
    mendUnpaired(mended, counts, true);
    for (const Mend what : {Mend::UnclosedBegins, Mend::UnmatchedEnds, Mend::UnclosedAsync, Mend::UnmatchedAsyncEnds})
      QCOMPARE(mended.mended[std::size_t(what)], int64_t(1));
  }

  // The stack sorts what was written out of order and joins the details of both ends.
  void aStackIsSortedByTime() {
    tests::RowCollector rows;
    TraceAssembly assembly(rows);
    assembly.addSource("t");
    BeginEndStack stack;
    stack.end(40, R"({"b":2})");
    stack.begin(10, 1, 0, R"({"a":1})", 0);
    stack.begin(20, 2, 0, {}, 1);
    stack.end(30, {});
    stack.end(50, {});
    std::vector<TraceSlice> slices;
    const PairCounts counts = stack.pair(assembly, 60, slices);
    QCOMPARE(counts.pairs, int64_t(2));
    QCOMPARE(counts.unmatched, int64_t(1));
    QCOMPARE(slices.size(), std::size_t(2));
    QCOMPARE(slices[0].end, int64_t(40));
    QCOMPARE(slices[1].end, int64_t(30));
    QCOMPARE(joinObjects(R"({"a":1})", R"({ "b":2 })"), std::string(R"({"a":1,"b":2})"));
  }
};

TILESCOPE_TEST(BeginEndTest)
#include "begin_end_test.moc"
